import { z } from 'zod';
import { answerPlaceOf, dialectOperationOf, type Meaning, thenOf, vendorReply } from '../client/dialect.ts';
import { type RuleFound, ruleOf, ruleThatReads } from '../client/judge.ts';
import type { Proposal } from '../client/proposal.ts';
import { isoTime } from '../core/clock.ts';
import { agreeing, StopError, stop } from '../core/errors.ts';
import { isCheck } from '../core/given.ts';
import { present } from '../core/objects.ts';
import { byFlag, phrase, typing } from '../core/phrase.ts';
import { atMost, counted, linesOf } from '../core/plain-text.ts';
import { EXIT } from '../core/stops.ts';
import type { AttemptRecord, Reply } from '../ledger/ledger.ts';
import { commandLine, isCurl, nextCommand } from '../lib/command-line.ts';
import { TrialObject } from '../objects/row-object.ts';
import type { RunObject } from '../objects/run-object.ts';
import { pricingOf } from '../plan/plan.ts';
import { chooseJob } from '../run/choose.ts';
import { knownAccount } from '../run/known-account.ts';
import { lookIfThere } from '../run/open-ledger.ts';
import { chooseStore } from '../run/store-choice.ts';
import { exitCodeOf } from '../run/summary.ts';
import { missingWords, PathSearch, saidIn } from '../values/answer-fields.ts';
import {
  argument,
  type Console,
  command,
  flag,
  type Host,
  onOff,
  type Report,
  text,
  underHeading,
} from './shared/command.ts';
import { replyObject, ruleObject, ruleWords } from './shared/doubts.ts';
import { ENTRIES } from './shared/job-entries.ts';
import { adviceOn, mayBeSent, spend, spendingInput, toldOn, withNext } from './shared/spending.ts';
import { type LineTried, tryLine } from './try/line.ts';
import { bothLines, lineObject, placesShown } from './try/shown.ts';
import {
  endWords,
  type Made,
  makeCall,
  replyLines,
  requestLines,
  requestShown,
  stateOf,
  type Trial,
  trialOf,
} from './try/trial.ts';
import { dialectText, writeDialect } from './try/write.ts';

/**
 * A trial makes one call by itself, so that a user sees how a dialect sends it and reads its answer before a
 * list is bought. It is a batch of one row whose file is in the store, and it is budgeted, resumed and
 * settled like any other.
 */

/** The meanings for which a rule may be proposed. */
const PROPOSED = [
  'no_match',
  'refused',
  'found',
  'pending',
  'in_doubt',
  'rate_limited',
  'credits_used_up',
  'key_dead',
] as const satisfies readonly Meaning[];

const tryInput = z.strictObject({
  ...spendingInput(),
  job: argument(
    z.string(),
    "the name of an operation that reads, a job file, or a vendor's line of curl in quotes",
    { page: 'job' },
  ),
  given: argument(z.record(z.string(), z.string()).default({}), 'what to ask by: input=value', {
    example: 'domain=example.com',
  }),
  add: ENTRIES.add,
  account: ENTRIES.account,
  refresh: onOff('ask again, even though the answer is known'),
  budget: flag(z.int().min(0).optional(), 'agree to what it costs, up to this', '<credits>'),
  yes: onOff('agree to what it costs without being asked'),
  means: flag(z.enum(PROPOSED).optional(), "propose the dialect's rule for this answer", '<meaning>'),
  ...underHeading('What a line of curl may need:', {
    operation: text('what the vendor finds, where the line does not show it', '<name>'),
    later: text('the line of curl with which a later answer is asked for', '<line>'),
    key_env: text('the environment variable that holds the key', '<variable>', { page: 'none' }),
    key_stdin: onOff('read the key from standard input', { page: 'optional_key' }),
    secret_env: flag(
      z.record(z.string(), z.string()).optional(),
      'the variable that holds a further secret; repeat for each',
      '<slot=variable>',
      { example: '--secret-env user=TWILIO_SID', page: 'none' },
    ),
    write: onOff('write the proposed dialect and its account, if both answers are read as they are meant'),
  }),
});
type TryInput = z.output<typeof tryInput>;

export default command({
  name: 'try',
  summary: 'Makes one call once you agree, and shows the request, the answer and how it is read.',
  details:
    'It sends what a run sends first for a row with these cells. ' +
    'An answer that the ledger has is shown and not bought, and lists use what is bought here. ' +
    'A change of the service is refused. ' +
    "A vendor's line of curl, with a new name for --account, proposes a dialect: " +
    'the vendor is asked for a name that it knows, and for one that is invented.',
  example: 'try enrich-company abn=51824753556 --account sandbox-provider',
  work: 'spends',
  input: tryInput,
  output: TrialObject,
  async run(input, host) {
    const { console, ownParts, words } = host;
    const { job, given, account, add } = input;
    if (isCurl(job)) {
      const name = [account ?? []].flat()[0];
      return lineReport(await tryLine({ ...input, account: name }, host), input, host);
    }
    const { operations, dialects } = ownParts;
    const trial = trialOf(
      await chooseJob({ job, entries: present({ account, add }), ...present({ operations, dialects }) }),
      given,
    );
    const request = requestShown(trial);
    // Under --json, only the object is on standard output. So the request, which a person must see before
    // agreeing, goes to stderr.
    for (const line of [...requestLines(request), ...trial.notes])
      (console.json ? console.say : console.print)(line);
    await requireYes(console, trial, input);
    const tell = toldOn(console);
    // The event of the batch is left out: it has one row, and the summary names it.
    const tellOthers: typeof tell = (event) => event.kind !== 'batch' && tell(event);
    const { summary, tried } = await spend(host, input, { words }, tellOthers, (spending) =>
      makeCall(trial, input, words, spending),
    );
    return report({ trial, request, summary, tried }, input, words);
  },
});

/**
 * Asks before credits are spent. It does not ask where nothing new is bought: for a known answer, and for a
 * call in doubt, which is settled first. A sandbox account needs no consent. `yes` agrees only to a price
 * within the budget.
 * @throws StopError `consent`.
 */
async function requireYes(console: Console, trial: Trial, input: TryInput): Promise<void> {
  const { account } = trial;
  if (account.sandbox) return;
  const ledger = await lookIfThere(chooseStore(input.store, false).location, console.warn);
  const ownTrial = { ...trial, account: await knownAccount(account, ledger) };
  // What a known answer leads to may not be known.
  const isWhole = thenOf(ownTrial.dialect, ownTrial.call) === undefined;
  const known = await stateOf(ownTrial, ledger);
  const most = (await pricingOf({ ...ownTrial, ledger })).mostOfRow;
  await ledger?.close();
  if (known === 'in_doubt' || (known === 'answered' && isWhole && input.refresh !== true)) return;
  const { yes, budget = yes === true ? most : -1 } = input;
  if (most <= budget) return;
  const cost = most === 0 ? 'which should cost nothing' : `for at most ${counted(most, 'credit')}`;
  if (await mayBeSent(console, `Send this request, ${cost}?`)) return;
  const fact = `This would send one request, ${cost}, and you have not agreed.`;
  if (input.budget !== undefined)
    throw stop('consent', fact, phrase`Agree${typing` on a terminal, or ${byFlag('--budget', most)}`}.`);
  const next = phrase`Agree${typing` on a terminal, or ${byFlag('--yes')}`}.`;
  throw new StopError({ code: 'consent', message: fact, next, choices: [agreeing('ask it')] });
}

// ------------------------------------------------------------------------------------------------- what came

interface TrialReport extends Made {
  readonly trial: Trial;
  readonly request: TrialObject['request'];
}

function report(
  trialReport: TrialReport,
  { means }: TryInput,
  words: readonly string[],
): Report<TrialObject> {
  const { request, summary, tried } = trialReport;
  const { batch, credits, requests, stopped } = summary;
  // The last call may be the one that takes what the first one has found.
  const trial = { ...trialReport.trial, ...present({ call: tried?.call }) };
  const { account, dialect, call } = trial;
  const { reply, end } = tried ?? {};
  const rule = reply && end && ruleOf(reply, dialect, dialectOperationOf(dialect, call), call);
  const settled = end?.kind === 'answered' ? end : undefined;
  const isKnown = requests === 0 && settled !== undefined;
  const object: TrialObject = {
    batch,
    source: isKnown ? 'ledger' : account.sandbox ? 'sandbox' : 'bought',
    request,
    reply: reply ? replyObject(reply) : null,
    answer: settled?.answer ?? end?.kind ?? null,
    charged: settled?.charged ?? null,
    rule: ruleObject(rule),
    fields: [...fieldsIn(trialReport.trial, tried).paths],
    credits: { spent: credits.spent_now, exact: credits.exact, in_doubt: credits.in_doubt },
    stopped,
    ...(means && tried ? { proposed: ruleProposed(trial, reply, means) } : {}),
  };
  return {
    lines: [
      ...(tried === undefined ? [] : triedLines(trialReport, tried, object, rule)),
      isKnown ? sourceLine(tried) : costLine(summary),
    ],
    object: withNext(object, nextCommand(words)),
    advice: isKnown ? ['To ask again: the same command with --refresh'] : adviceOn(summary),
    exitCode: exitCodeOf(summary, false),
  };
}

/**
 * Proposes a rule that reads such answers in that way. It uses the words of the answer without the parts that
 * differ from row to row.
 */
function ruleProposed(
  { dialect, call }: Trial,
  reply: Reply | undefined,
  means: (typeof PROPOSED)[number],
): string | null {
  const vendorsReply = reply && vendorReply(reply, dialect);
  return (vendorsReply && ruleThatReads(vendorsReply, dialect, call, means)) ?? null;
}

function triedLines(
  { trial }: TrialReport,
  tried: AttemptRecord,
  { proposed }: TrialObject,
  rule: RuleFound | undefined,
): readonly string[] {
  const none = 'none: nothing in this answer tells it from others';
  const fields = fieldsIn(trial, tried);
  const known = fields.paths.join(', ') || 'none: name their place with fields_at in the dialect';
  return linesOf(
    tried.reply && replyLines(tried.reply),
    `Answer     ${endWords(tried.end)}`,
    rule && `Rule       ${ruleWords(rule)}`,
    fields.hasAnswers && `Fields     ${known}`,
    fields.missing().map(missingWords),
    proposed !== undefined && `Proposed   ${proposed ?? none}`,
  );
}

function sourceLine(tried: AttemptRecord | undefined): string {
  const asOf = tried?.reply ? ` at ${isoTime(tried.reply.receivedAtMs)}` : '';
  return `Source     the ledger: batch ${tried?.batch} bought it${asOf}, and nothing was sent now`;
}

function costLine({ batch, credits }: RunObject): string {
  const { spent_now: spent, exact, in_doubt: doubt } = credits;
  const inDoubt = doubt === 0 ? '' : `, ${doubt} in doubt`;
  return `Credits    ${atMost(spent, exact ? undefined : true, `${spent} spent`)}${inDoubt}, in batch ${batch}`;
}

function fieldsIn({ job, dialect, call }: Trial, tried: AttemptRecord | undefined): PathSearch {
  const search = new PathSearch(Object.values(job.add ?? {}));
  const { reply, end } = tried ?? {};
  if (end?.kind === 'answered' && end.answer === 'found' && reply !== undefined)
    search.look(saidIn(reply.body, answerPlaceOf(dialect, call.operation)));
  return search;
}

// -------------------------------------------------------------------------------------------- a line of curl

async function lineReport(
  tried: LineTried,
  input: TryInput,
  { console }: Host,
): Promise<Report<TrialObject>> {
  const { proposal, words, name, draft, key } = tried;
  for (const line of bothLines(tried)) (console.json ? console.say : console.print)(line);
  const isRead = isReadRight(tried);
  const isWanted = isRead && (input.write === true || (await isRightFor(console, name)));
  const { origin: baseUrl } = draft;
  const written = isWanted && proposal ? await writeDialect(proposal.dialect, { name, baseUrl, key }) : null;
  const object = lineObject(tried, proposal && proposalObject(tried, proposal, isRead, written));
  return {
    ...(object && { object: withNext(object, object.stopped?.next_command ?? nextCommand(words)) }),
    lines: linesOf(
      written === null && proposal && dialectText(proposal.dialect).trimEnd().split('\n'),
      written && `Written    ${written}, and the account ${name}`,
    ),
    advice: adviceOnLine(tried, written, isRead),
    exitCode: isRead ? EXIT.done : exitCodeUnread(object),
  };
}

const exitCodeUnread = (object: TrialObject | undefined) =>
  object?.stopped
    ? exitCodeOf({ stopped: object.stopped, counts: {}, needs_attention: null }, false)
    : EXIT.attention;

function proposalObject(
  { name, draft }: LineTried,
  proposal: Proposal,
  isRead: boolean,
  written: string | null,
): NonNullable<TrialObject['proposal']> {
  return {
    account: name,
    operation: draft.operation,
    dialect: dialectText(proposal.dialect),
    places: placesShown(proposal),
    is_read: isRead,
    notes: [...proposal.notes],
    written,
  };
}

/** A check finds something about no one as well. */
const isReadRight = ({ proposal, draft }: LineTried): boolean =>
  proposal?.found === 'found' && proposal.missed === (isCheck(draft.operation) ? 'found' : 'no_match');

const isRightFor = (console: Console, name: string): Promise<boolean> =>
  console.agrees(
    `Is this right? It is written as ${name}.yaml beside the accounts file, with the account ${name}.`,
  );

function adviceOnLine(
  { words, name, first, second }: LineTried,
  written: string | null,
  isRead: boolean,
): readonly string[] {
  const inDoubt = [first, second].find((each) => each?.record.end?.kind === 'in_doubt');
  if (written !== null)
    return [`Read its examples again, for nothing: ${commandLine(['accounts', 'test', name])}`];
  if (isRead) return [`To write it, for nothing: ${commandLine([...words, '--write'])}`];
  return inDoubt ? [`What is in doubt: ${commandLine(['settle', inDoubt.record.batch])}`] : [];
}
