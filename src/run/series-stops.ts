import { answerPlaceOf, type Dialect } from '../client/dialect.ts';
import { placeAdvice } from '../client/judge.ts';
import { StopError, stop } from '../core/errors.ts';
import type { Call, RuleReads } from '../core/operation.ts';
import { foreignWords, plainText } from '../core/plain-text.ts';
import type { BatchId, RawReply } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';

/** What is said when a series of answers stops a run (`series.ts`), and what a person may answer. */

const QUOTED_CHARACTERS = 200;

const beginningOf = ({ body }: RawReply): string => body.toString('utf8').slice(0, QUOTED_CHARACTERS);

const quoted = (raw: RawReply): string => `status ${raw.status}, ${foreignWords(beginningOf(raw))}`;

export function refusedStop(count: number, last: RawReply): StopError {
  return new StopError({
    code: 'address',
    message: `${count} answers of this account are refusals of one shape, with no other answer between them; the last: ${quoted(last)}.`,
    next: "Put right what they speak of, such as the account's key, credits or plan, then run the same command again: they are taken back, and asked again; if they are about the rows, run the same list with --accept refused to keep them.",
    answers: ['refused'],
  });
}

export function sameStop(count: number, batch: BatchId, last: RawReply): StopError {
  return new StopError({
    code: 'address',
    message: `${count} matches of this account show the same facts for different questions, and it has answered nothing else; the last: ${quoted(last)}.`,
    next: `If they are right, run the same list with --accept same-answers to keep them; if they are misread, correct the dialect of the account: what was bought is read again, and not bought again; to buy them again, once the vendor answers otherwise, type ${commandLine(['cancel', batch])}, then run the same list with --refresh.`,
    answers: ['same-answers'],
  });
}

/** @param advice a sentence without its end. */
export function doubtsStop(count: string, batch: BatchId, why: string, advice: string): StopError {
  const settle = commandLine(['settle', batch]);
  return new StopError({
    code: 'doubts',
    message: `${count} cannot be read; the last: ${why}.`,
    next: `${advice}; or settle those that are in doubt, as ${settle} lists them, or run the same command again with --accept doubts to continue without them.`,
    answers: ['doubts'],
  });
}

export function ruleReads({ change, ifLost }: Call): RuleReads {
  if (change === undefined) return 'what_is_kept';
  return ifLost === 'hold' ? 'later_answers' : 'what_a_repeat_brings';
}

const WHAT_FOLLOWS: Readonly<Record<RuleReads, string>> = {
  what_is_kept: 'and the rule reads what is kept',
  what_a_repeat_brings:
    'and the next run asks each of them again, which does no harm, and the rule reads what comes',
  later_answers: 'for later answers: only you can say what was done for those that are in doubt',
};

/** What a rule for odd answers does for those that are in doubt by now. */
export function ruleAdvice(rule: string, call: Call): string {
  const means = /means: (\w+) \}$/.exec(rule)?.[1] ?? '';
  return `If such answers mean ${means}, add the rule \`${rule}\` to the \`answers\` of the dialect, ${WHAT_FOLLOWS[ruleReads(call)]}`;
}

export function unreadStop(dialect: Dialect, call: Call, last: RawReply, count: number): StopError {
  const { results, fields } = answerPlaceOf(dialect, call.operation);
  const place = results ?? fields;
  const missing = `no ${results === undefined ? 'field' : 'list'}${place === undefined ? '' : ` at \`${place}\``}`;
  const rule = `- { status: [${last.status}], body: { path: …, matches: … }, means: no_match }`;
  return stop(
    'address',
    `${count} matches in a row hold ${missing}; the last, of status ${last.status}: ${plainText(beginningOf(last))}`,
    `${placeAdvice(last, dialect, call)}, or, if such answers mean "no match", add the rule \`${rule}\` to its \`answers\`; what was bought is then read again, not bought again.`,
  );
}

export function isSeries({ answers = [] }: Pick<StopError, 'answers'>): boolean {
  return answers.includes('refused') || answers.includes('same-answers');
}
