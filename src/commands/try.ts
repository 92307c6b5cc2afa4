import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import { EXIT, StopError, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { atMost, counted, foreignWords, linesOf } from '../core/plain-text.ts';
import { type Credits, credits, type Ended, type RawReply } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import { TrialObject } from '../objects/trial-object.ts';
import { lookIfThere } from '../run/open-ledger.ts';
import { chooseStore } from '../run/store-choice.ts';
import { exitCodeOf } from '../run/summary.ts';
import {
  type Known,
  knownOf,
  mostOfTrial,
  PROPOSED,
  type RanTrial,
  requestShown,
  ruleBehind,
  ruleProposed,
  runTrial,
  type ShownRequest,
  type Trial,
  type Tried,
  trialOf,
  triedFields,
} from '../run/tasks/trial.ts';
import { argument, type Console, command, flag, type Host, type Report } from './shared/command.ts';
import { ENTRIES } from './shared/job-entries.ts';
import { ruleWords } from './shared/rule.ts';
import { askAgreementOn, endOf, mayBeSent, spend, spendingInput, toldOn } from './shared/spending.ts';

const input = z.strictObject({
  ...spendingInput(),
  job: argument(z.string(), 'the name of an operation that reads, or a job file', { page: 'job' }),
  given: argument(z.record(z.string(), z.string()).default({}), 'what to ask by: input=value', {
    example: 'domain=example.com',
  }),
  add: ENTRIES.add,
  account: ENTRIES.account,
  refresh: flag(z.boolean().optional(), 'ask again, even though the answer is known'),
  budget: flag(z.int().min(0).optional(), 'agree to what it costs, up to this', '<credits>'),
  yes: flag(z.boolean().optional(), 'agree to what it costs without being asked'),
  means: flag(z.enum(PROPOSED).optional(), "propose the dialect's rule for this answer", '<meaning>'),
});

type Input = z.output<typeof input>;
type Told = Report<z.output<typeof TrialObject>>;

export default command({
  name: 'try',
  summary: 'Makes one call once you agree, and shows the request, the answer and how it is read.',
  details:
    'An answer that the ledger has is shown and not bought, and lists use what is bought here. A change of the service is refused.',
  example: 'try enrich-company abn=51824753556 --account sandbox-provider',
  work: 'spends',
  input,
  output: TrialObject,
  async run(input, host) {
    const { console, own, words } = host;
    const { job, given, account, add } = input;
    const trial = await trialOf({
      ...{ job, given, entries: present({ account, add }), accept: input.accept },
      ...{ operations: own.operations, dialects: own.dialects, tell: console.warn },
      askAgreement: own.askAgreement ?? askAgreementOn(console),
    });
    // Under --json only the object is on standard output, so what a person must see before agreeing goes to stderr.
    const show = console.json ? console.say : console.print;
    for (const line of requestLines(requestShown(trial))) show(line);
    const { known, most } = await lookedUp(console, trial, input);
    if (known.kind === 'answered' && input.refresh !== true) return knownReport(trial, known.tried, input);
    // A call in doubt is settled first, as in every run, and nothing new is bought then.
    if (known.kind !== 'in_doubt') await requireYes(console, trial, most, input);
    return runReport(trial, await make(host, trial, input), input, words);
  },
});

async function make(host: Host, trial: Trial, input: Input): Promise<RanTrial> {
  const { console, words } = host;
  const tell = toldOn(console);
  // The batch of one row is no news: its summary names it.
  const hear: typeof tell = (event) => event.kind !== 'batch' && tell(event);
  return spend(host, input, { words }, hear, (spending) =>
    runTrial(trial, { ...spending, refresh: input.refresh, command: commandLine(words) }),
  );
}

/** Opens the ledger read-only, so that known answers can be shown while another process spends. */
async function lookedUp(
  console: Console,
  trial: Trial,
  { store }: Input,
): Promise<{ readonly known: Known; readonly most: Credits }> {
  const ledger = await lookIfThere(chooseStore(store, trial.account.sandbox).location, console.warn);
  try {
    return { known: await knownOf(trial, ledger), most: await mostOfTrial(trial, ledger) };
  } finally {
    await ledger?.close();
  }
}

/** Asks before credits are spent; a sandbox account needs no consent, and `yes` agrees to no more than a budget. @throws StopError `consent`. */
async function requireYes(console: Console, { account }: Trial, most: Credits, input: Input): Promise<void> {
  const { yes, budget = yes === true ? most : -1 } = input;
  if (account.sandbox || most <= budget) return;
  const cost = most === 0 ? 'which should cost nothing' : `for at most ${counted(most, 'credit')}`;
  if (await mayBeSent(console, `Send this request, ${cost}?`)) return;
  const fact = `This would send one request, ${cost}, and nobody has agreed.`;
  if (input.budget !== undefined)
    throw stop('consent', fact, `Agree on a terminal, or with --budget ${most}.`);
  const next = 'Agree on a terminal, or with --yes.';
  throw new StopError({ code: 'consent', message: fact, next, answers: ['yes'] });
}

// ---------------------------------------------------------------------------------------------------- how it ended

function knownReport(trial: Trial, tried: Tried, { means }: Input): Told {
  const { batch, reply, closure } = tried;
  const asOf = reply === undefined ? '' : ` at ${isoTime(reply.receivedAtMs)}`;
  const isRefused = closure?.kind === 'answered' && closure.answer === 'refused';
  return {
    lines: [
      ...triedLines(trial, tried, means),
      `Source     the ledger: batch ${batch} bought it${asOf}, and nothing was sent now`,
    ],
    object: TrialObject.of({
      ...{ batch, source: 'ledger', trial, tried, means, stopped: undefined },
      money: { spent: credits(0), inDoubt: credits(0) },
    }),
    advice: ['To ask again: the same command with --refresh'],
    exitCode: isRefused ? EXIT.attention : EXIT.done,
  };
}

function runReport(
  trial: Trial,
  { summary, tried }: RanTrial,
  { means }: Input,
  words: readonly string[],
): Told {
  const { batch, money, spentNow, stopped } = summary;
  const inDoubt = money.inDoubt === 0 ? '' : `, ${money.inDoubt} in doubt`;
  return {
    lines: [
      ...(tried === undefined ? [] : triedLines(trial, tried, means)),
      `Credits    ${atMost(spentNow, money.isAtMost, `${spentNow} spent`)}${inDoubt}, in batch ${batch}`,
    ],
    object: TrialObject.of({
      ...{ batch, source: trial.account.sandbox ? 'sandbox' : 'bought', trial, tried, means, stopped },
      money: { ...money, spent: spentNow },
    }),
    ...endOf(summary, { words }),
    exitCode: exitCodeOf(summary, false),
  };
}

/** A longer body is cut: this much is enough to see where the fields of an answer are. */
const LONGEST_BODY = 4_000;

function requestLines({ method, url, headers, body }: ShownRequest): readonly string[] {
  return [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
    ...(body === undefined ? [] : [`  ${foreignWords(body, LONGEST_BODY)}`]),
  ];
}

function triedLines(trial: Trial, tried: Tried, means: Input['means']): readonly string[] {
  const none = 'none: nothing in this answer tells it from others';
  const { reply, closure } = tried;
  const rule = ruleBehind(trial, tried);
  const fields = triedFields(trial, tried);
  const known = fields.paths.join(', ') || 'none: name their place with fields_at in the dialect';
  return linesOf(
    reply && replyLines(reply),
    `Answer     ${closureWords(closure)}`,
    rule && `Rule       ${ruleWords(rule)}`,
    fields.answers > 0 && `Fields     ${known}`,
    fields.sentences(),
    means && `Proposed   ${ruleProposed(trial, tried, means) ?? none}`,
  );
}

function replyLines({ status, headers, body }: RawReply): readonly string[] {
  const text = foreignWords(body.toString('utf8'), LONGEST_BODY);
  return [
    `Status     ${status}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${foreignWords(value)}`),
    `  ${text === '' ? '(no body)' : text}`,
  ];
}

function closureWords(closure: Ended | undefined): string {
  if (closure === undefined) return 'none yet';
  if (closure.kind !== 'answered') return `${closure.kind} (${closure.why})`;
  return `${closure.answer}, ${counted(closure.charged, 'credit')} (${closure.why})`;
}
