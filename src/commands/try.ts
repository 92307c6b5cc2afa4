import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import {
  answerPlaceOf,
  dialectOperationOf,
  type Meaning,
  slotsOf,
  thenOf,
  vendorReply,
} from '../client/dialect.ts';
import { type RuleFound, ruleOf, ruleThatReads } from '../client/judge.ts';
import { asReadToday } from '../client/kept-answers.ts';
import { basePathOf, requestOf } from '../client/request.ts';
import { callKeyOf } from '../core/call-key.ts';
import { isoTime } from '../core/clock.ts';
import { agreeing, meantWord, StopError, stop } from '../core/errors.ts';
import { isTaking } from '../core/given.ts';
import { present } from '../core/objects.ts';
import type { Call, Operation, RowInput } from '../core/operation.ts';
import { spoolFolder } from '../core/paths.ts';
import { atMost, counted, foreignWords, linesOf, listed } from '../core/plain-text.ts';
import { ownershipIn, writeOwnFile } from '../files/output/own-files.ts';
import type { Job } from '../job/job.ts';
import { triedBy } from '../job/job-origin.ts';
import { settingsOf } from '../job/job-schema.ts';
import {
  type AttemptRecord,
  type BatchId,
  type CallState,
  type Credits,
  credits,
  heldCredits,
  type Ledger,
  type LedgerReader,
  type ReadEnd,
  type Reply,
} from '../ledger/ledger.ts';
import { commandLine, nextCommand } from '../lib/command-line.ts';
import { TrialObject } from '../objects/row-object.ts';
import type { RunObject } from '../objects/run-object.ts';
import { findCalls } from '../plan/known-calls.ts';
import { mostAsked, pricingOf } from '../plan/plan.ts';
import { accountsOf, cellPreparer, optionsOf, type ResolvedJob, RowWalk } from '../plan/row-walk.ts';
import { choose } from '../run/choose.ts';
import { knownAccount, requireKnown } from '../run/known-account.ts';
import { closedAfter, lookIfThere } from '../run/open-ledger.ts';
import { openSpender } from '../run/run-job.ts';
import { chooseStore } from '../run/store-choice.ts';
import { exitCodeOf } from '../run/summary.ts';
import { missingWords, PathSearch, saidIn } from '../values/answer-fields.ts';
import { argument, type Console, command, flag, onOff, type Report } from './shared/command.ts';
import { replyObject, ruleObject, ruleWords } from './shared/doubts.ts';
import { ENTRIES } from './shared/job-entries.ts';
import { adviceOn, mayBeSent, spend, spendingInput, toldOn, withNext } from './shared/spending.ts';

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
  job: argument(z.string(), 'the name of an operation that reads, or a job file', { page: 'job' }),
  given: argument(z.record(z.string(), z.string()).default({}), 'what to ask by: input=value', {
    example: 'domain=example.com',
  }),
  add: ENTRIES.add,
  account: ENTRIES.account,
  refresh: onOff('ask again, even though the answer is known'),
  budget: flag(z.int().min(0).optional(), 'agree to what it costs, up to this', '<credits>'),
  yes: onOff('agree to what it costs without being asked'),
  means: flag(z.enum(PROPOSED).optional(), "propose the dialect's rule for this answer", '<meaning>'),
});
type TryInput = z.output<typeof tryInput>;

export default command({
  name: 'try',
  summary: 'Makes one call once you agree, and shows the request, the answer and how it is read.',
  details:
    'It sends what a run sends first for a row with these cells. ' +
    'An answer that the ledger has is shown and not bought, and lists use what is bought here. ' +
    'A change of the service is refused.',
  example: 'try enrich-company abn=51824753556 --account sandbox-provider',
  work: 'spends',
  input: tryInput,
  output: TrialObject,
  async run(input, host) {
    const { console, own, words } = host;
    const { job, given, account, add } = input;
    const { operations, dialects } = own;
    const trial = trialOf(
      await choose({ job, entries: present({ account, add }), ...present({ operations, dialects }) }),
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
    const hear: typeof tell = (event) => event.kind !== 'batch' && tell(event);
    const { summary, tried } = await spend(host, input, { words }, hear, (spending) =>
      made(trial, input, words, spending),
    );
    return report({ trial, request, summary, tried }, input, words);
  },
});

// --------------------------------------------------------------------------------------------------- one row

interface Trial extends ResolvedJob {
  readonly row: RowInput;
  readonly call: Call;
  /** What a run does with the inputs that the call does not ask by. */
  readonly notes: readonly string[];
}

/** @throws StopError `usage` for a request that cannot be tried or asked. */
function trialOf(chosen: ResolvedJob, given: RowInput): Trial {
  const { operation } = chosen.job;
  refuseOther(operation);
  const row = rowOf(operation, given);
  const asRun = { ...chosen, job: trialJob(chosen.job, row) };
  refuseUnusable(asRun, row);
  const call = oneCall(asRun, row);
  return { ...asRun, job: onlyFor(call, asRun.job), row, call, notes: notesOn(asRun, row, call) };
}

function refuseOther({ name, change, steps: [first, ...others] = [] }: Operation): void {
  if (first !== undefined && others.length === 0)
    throw stop('usage', 'A trial asks one account.', `Try ${name} itself, and name one with --account.`);
  if (others.length > 0) {
    const fact = `${name} asks for several things, and a trial is one request.`;
    throw stop('usage', fact, `Try one of them, such as ${first?.name}.`);
  }
  if (change === undefined) return;
  const fact = `${name} changes the service, and a change cannot be tried without making it.`;
  throw stop('usage', fact, 'Check it with plan, and make it with run.');
}

function rowOf({ name, inputs, needsNoColumn }: Operation, given: RowInput): RowInput {
  const names = inputs.map((input) => input.name);
  const unknown = Object.keys(given).find((input) => !names.includes(input));
  if (unknown !== undefined)
    throw stop('usage', `${name} has no input "${unknown}".`, meantWord(unknown, names));
  const missing = inputs.find((input) => input.required === true && !(input.name in given))?.name;
  const any = Object.keys(given).length > 0 || names.length === 0 || needsNoColumn;
  if (any && missing === undefined) return given;
  const fact = missing === undefined ? `${name} has nothing to ask by.` : `${name} needs ${missing}.`;
  throw stop('usage', fact, `Give it as ${missing ?? names[0]}=value.`);
}

/**
 * The job for this one row, which is asked as a run asks the same row of a list. Its `origin` keeps a sweep
 * or an equal list from taking the trial's batch for its own.
 */
function trialJob({ name, operation, waterfall, add, repair, in_doubt, ...job }: Job, given: RowInput): Job {
  const inputs = Object.keys(given);
  return {
    ...settingsOf(job),
    name,
    operation,
    origin: { trial: { job: job.path ?? name, given } },
    columns: Object.fromEntries(inputs.map((input) => [input, input])),
    ...present({ waterfall, add, repair, in_doubt }),
    on_existing: 'replace',
    read: { encoding: 'utf-8', delimiter: 'comma' },
  };
}

/** A trial makes one call, where a run goes on to the next tier. */
function onlyFor({ parameters }: Call, job: Job): Job {
  return job.operation.tiers.length === 0 ? job : { ...job, waterfall: [Object.keys(parameters).join('+')] };
}

/**
 * An input that is mistyped, even if the other inputs would be enough.
 * @throws StopError `usage`.
 */
function refuseUnusable(chosen: ResolvedJob, row: RowInput): void {
  const { job } = chosen;
  if (job.operation.tiers.length === 0) return;
  for (const [name, value] of Object.entries(row)) {
    // What the vendor cannot look up may still be a part of what it can.
    const options = { ...optionsOf(chosen), waterfall: [name], unaskable: [] };
    const prepared = cellPreparer(job, options)({ [name]: value });
    if (prepared.kind === 'invalid') throw notAsked(prepared);
  }
}

/** @throws StopError `usage` when a run would not ask by the row. */
function oneCall(chosen: ResolvedJob, row: RowInput): Call {
  const [first] = callsOf(chosen, row);
  if (first !== undefined) return first;
  const { job } = chosen;
  const prepared = cellPreparer(job, optionsOf(chosen))(row);
  throw notAsked(prepared.kind === 'ready' ? {} : prepared);
}

const notAsked = ({ reason = 'there is nothing to send' }: { readonly reason?: string }): StopError =>
  stop('usage', `This cannot be asked: ${reason}.`, 'Give another value.');

/** The calls that a run makes for the row while nothing is found. */
function callsOf(chosen: ResolvedJob, row: RowInput): readonly Call[] {
  const { job } = chosen;
  const prepared = cellPreparer(job, optionsOf(chosen))(row);
  if (prepared.kind !== 'ready') return [];
  const walk = new RowWalk(job.operation, accountsOf(chosen), prepared);
  return walk.callsAtWorst().map(({ call }) => call);
}

function notesOn(chosen: ResolvedJob, row: RowInput, call: Call): readonly string[] {
  const [, ...later] = callsOf(chosen, row).filter((each) => !isTaking(each));
  const next = later.map(({ parameters }) => Object.keys(parameters).join('+'));
  // Nothing that a run sends for the row is different without such an input.
  const unsent = Object.keys(row).filter((name) => {
    const { [name]: _, ...others } = row;
    return isDeepStrictEqual(callsOf(chosen, others), [call, ...later]);
  });
  return [
    ...(next.length === 0 ? [] : [`A run asks next by ${next.join(', then by ')}, if this finds nothing.`]),
    ...(unsent.length === 0 ? [] : [`A run does not send ${listed(unsent)}.`]),
  ];
}

// ----------------------------------------------------------------------------------------------- what leaves

const WITHOUT_KEY = { key: '[key]', idempotency_key: '[a new one for each request]' };

/**
 * The request without its key. For the sandbox only the path is shown, because the address is known only once
 * the sandbox runs.
 */
function requestShown({ dialect, account, call }: Trial): TrialObject['request'] {
  const { baseUrl, projectId, organizationId } = account;
  const values = {
    ...WITHOUT_KEY,
    ...present({ project_id: projectId, organization_id: organizationId }),
    secrets: Object.fromEntries(slotsOf(dialect).map((slot) => [slot, `[${slot}]`])),
  };
  const basePath = baseUrl === undefined ? '' : basePathOf(baseUrl);
  const request = requestOf(dialect, basePath, call, values);
  const { method, path, headers } = request;
  const shown = (text: string): string => text.replaceAll('{key}', WITHOUT_KEY.key);
  const url = shown(`${baseUrl?.origin ?? ''}${path}`);
  const body = request.body && shown(request.body.toString('utf8'));
  return { method, url, headers: withBasicRead(headers), ...present({ body }) };
}

/** A name and a password are shown as they are put together, because in Base64 nobody sees which they are. */
function withBasicRead({ authorization, ...others }: Readonly<Record<string, string>>) {
  const [, code] = /^Basic (\S+)$/.exec(authorization ?? '') ?? [];
  const read = code === undefined ? authorization : `Basic ${Buffer.from(code, 'base64')}`;
  return { ...present({ authorization: read }), ...others };
}

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
  const own = { ...trial, account: await knownAccount(account, ledger) };
  // What a known answer leads to may not be known.
  const isWhole = thenOf(own.dialect, own.call) === undefined;
  const known = await stateOf(own, ledger);
  const most = (await pricingOf({ ...own, ledger })).mostOfRow;
  await ledger?.close();
  if (known === 'in_doubt' || (known === 'answered' && isWhole && input.refresh !== true)) return;
  const { yes, budget = yes === true ? most : -1 } = input;
  if (most <= budget) return;
  const cost = most === 0 ? 'which should cost nothing' : `for at most ${counted(most, 'credit')}`;
  if (await mayBeSent(console, `Send this request, ${cost}?`)) return;
  const fact = `This would send one request, ${cost}, and nobody has agreed.`;
  if (input.budget !== undefined)
    throw stop('consent', fact, `Agree on a terminal, or with --budget ${most}.`);
  const next = 'Agree on a terminal, or with --yes.';
  throw new StopError({ code: 'consent', message: fact, next, choices: [agreeing('ask it')] });
}

/**
 * The ledger's state of the call, from any run, as today's dialect reads it. A reply that is no answer counts
 * as nothing.
 */
async function stateOf(by: Trial, ledger: LedgerReader | undefined): Promise<CallState['kind'] | undefined> {
  if (ledger === undefined) return undefined;
  const { account, dialect, call } = by;
  const [found] = await findCalls<CallState>(
    [{ key: callKeyOf(account.identity, call), call, by }],
    ledger,
    async (keys) => asReadToday(await ledger.find(keys), ledger, () => dialect),
  );
  return found?.state.kind;
}

// -------------------------------------------------------------------------------------------------- the call

interface Made {
  readonly summary: RunObject;
  /** The last attempt that the row rests on; undefined when nothing was ever sent. */
  readonly tried: AttemptRecord | undefined;
}

/**
 * Makes the call or resumes it. The user has agreed to its price. The call may cost no more, unless it was
 * lost and is sent again.
 */
async function made(
  trial: Trial,
  { refresh, store }: TryInput,
  words: readonly string[],
  spending: Parameters<Parameters<typeof spend>[4]>[0],
): Promise<Made> {
  const { job, dialect, row } = trial;
  const { sandbox } = trial.account;
  const command = commandLine(words);
  return closedAfter(openSpender(sandbox, { ...spending, command }), async ({ ledger, run }) => {
    const account = await requireKnown(trial.account, ledger, spending);
    const file = await writeRow(row, chooseStore(store, sandbox).location, ledger);
    const { maxPauseMs, signal, onEvent } = spending;
    const summary = await run(
      { job, account, dialect, further: [] },
      {
        file,
        refresh,
        maxPauseMs,
        signal,
        onEvent,
        budget: await budgetOfRepeat({ ...trial, account }, ledger),
        output: new Writable({ write: (_chunk, _encoding, done) => done() }),
        askBudget: async (plan) => credits(mostAsked(plan)),
        buyAgain: true,
      },
    );
    return { summary, tried: (await ledger.history(summary.batch as BatchId, ROW)).at(-1) };
  });
}

const ROW = 2;

/**
 * The budget for a lost call that is sent again: it may be paid for twice, and a trial has no flag to agree
 * to that.
 */
async function budgetOfRepeat(trial: Trial, ledger: Ledger): Promise<Credits | undefined> {
  const [lost] = await ledger.find([callKeyOf(trial.account.identity, trial.call)]);
  const batch = lost?.kind === 'in_doubt' ? await ledger.batch(lost.doubt.batch) : undefined;
  if (batch === undefined || triedBy(batch.settings) === undefined) return undefined;
  return credits(
    heldCredits(await ledger.batchMoney(batch.id)) + (await pricingOf({ ...trial, ledger })).mostOfRow,
  );
}

/**
 * Writes the row to a file that only this user can read. The file is named by its content, so that the same
 * trial is the same batch. It is beside the ledger, so that both are kept, copied and deleted together.
 */
async function writeRow(row: RowInput, location: string, ledger: Ledger): Promise<string> {
  const columns = Object.keys(row).length === 0 ? { row: '1' } : row;
  const text = stringify([columns], { header: true });
  const path = join(spoolFolder(location), `${hash('sha256', text, 'hex')}.csv`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const own = ownershipIn(ledger, () => {});
  return writeOwnFile({ path, mode: 0o600, chunks: [text] }, own);
}

// ------------------------------------------------------------------------------------------------- what came

interface TrialReport extends Made {
  readonly trial: Trial;
  readonly request: TrialObject['request'];
}

function report(told: TrialReport, { means }: TryInput, words: readonly string[]): Report<TrialObject> {
  const { request, summary, tried } = told;
  const { batch, credits, requests, stopped } = summary;
  // The last call may be the one that takes what the first one has found.
  const trial = { ...told.trial, ...present({ call: tried?.call }) };
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
    fields: [...fieldsIn(told.trial, tried).paths],
    credits: { spent: credits.spent_now, exact: credits.exact, in_doubt: credits.in_doubt },
    stopped,
    ...(means && tried ? { proposed: ruleProposed(trial, reply, means) } : {}),
  };
  return {
    lines: [
      ...(tried === undefined ? [] : triedLines(told, tried, object, rule)),
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
  const own = reply && vendorReply(reply, dialect);
  return (own && ruleThatReads(own, dialect, call, means)) ?? null;
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

/** A longer body is cut. This much is enough to see the places of an answer's fields. */
const LONGEST_BODY = 4_000;

function requestLines({ method, url, headers, body }: TrialObject['request']): readonly string[] {
  return [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
    ...(body === undefined ? [] : [`  ${foreignWords(body, LONGEST_BODY)}`]),
  ];
}

function replyLines({ status, headers, body }: Reply): readonly string[] {
  const text = foreignWords(body.toString('utf8'), LONGEST_BODY);
  return [
    `Status     ${status}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${foreignWords(value)}`),
    `  ${text === '' ? '(no body)' : text}`,
  ];
}

function endWords(end: ReadEnd | undefined): string {
  if (end === undefined) return 'none yet';
  if (end.kind !== 'answered') return `${end.kind} (${end.why})`;
  return `${end.answer}, ${counted(end.charged, 'credit')} (${end.why})`;
}
