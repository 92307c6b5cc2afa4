import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'csv-stringify/sync';
import { slotsOf } from '../../client/dialect.ts';
import { asReadToday, readToday } from '../../client/kept-answers.ts';
import { basePathOf, requestOf } from '../../client/request.ts';
import { callKeyOf } from '../../core/call-key.ts';
import { systemClock } from '../../core/clock.ts';
import { meantWord, type StopError, stop } from '../../core/errors.ts';
import { NO_FINDINGS } from '../../core/finding.ts';
import { sayAll } from '../../core/finding-words.ts';
import type { Findings } from '../../core/findings.ts';
import { isTaking } from '../../core/given.ts';
import { present } from '../../core/objects.ts';
import type { Call, Operation, RowInput } from '../../core/operation.ts';
import { spoolFolder } from '../../core/paths.ts';
import { byFlag, phrase } from '../../core/phrase.ts';
import { counted, foreignWords, listed } from '../../core/plain-text.ts';
import { ownershipIn, writeOwnFile } from '../../files/output/own-files.ts';
import type { Job } from '../../job/job.ts';
import { triedBy } from '../../job/job-origin.ts';
import { settingsOf } from '../../job/job-schema.ts';
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
} from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';
import type { TrialObject } from '../../objects/row-object.ts';
import type { RunObject } from '../../objects/run-object.ts';
import { mostAsked, pricingOf } from '../../plan/plan.ts';
import { requireKnown } from '../../run/known-account.ts';
import { closedAfter } from '../../run/open-ledger.ts';
import { keepReading } from '../../run/readings.ts';
import { openSpender } from '../../run/run-job.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { findCalls } from '../../walk/known-calls.ts';
import { accountsOf, type ResolvedJob } from '../../walk/resolved-job.ts';
import { cellPreparer, optionsOf } from '../../walk/row-preparer.ts';
import { RowWalk } from '../../walk/row-walk.ts';
import type { spend } from '../shared/spending.ts';

/** One call that is made by itself: its row, its request, and the batch of one row that it is. */

// --------------------------------------------------------------------------------------------------- one row

export interface Trial extends ResolvedJob {
  readonly row: RowInput;
  readonly call: Call;
  /** What a run does with the inputs that the call does not ask by. */
  readonly notes: readonly string[];
}

/** @throws StopError `usage` for a request that cannot be tried or asked. */
export function trialOf(chosen: ResolvedJob, given: RowInput): Trial {
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
    throw stop(
      'usage',
      'A trial asks one account.',
      phrase`Try ${name} itself, and name one ${byFlag('--account')}.`,
    );
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

function notAsked({ findings = NO_FINDINGS }: { readonly findings?: Findings }): StopError {
  const fact = sayAll(findings, 'terminal') || 'there is nothing to send';
  return stop('usage', `This cannot be asked: ${fact}.`, 'Give another value.');
}

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
export function requestShown({ dialect, account, call }: Trial): TrialObject['request'] {
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

/** A name and a password are shown as they are put together, because in Base64 no one sees which they are. */
function withBasicRead({ authorization, ...others }: Readonly<Record<string, string>>) {
  const [, code] = /^Basic (\S+)$/.exec(authorization ?? '') ?? [];
  const read = code === undefined ? authorization : `Basic ${Buffer.from(code, 'base64')}`;
  return { ...present({ authorization: read }), ...others };
}

/**
 * The ledger's state of the call, from any run, as today's dialect reads it. A reply that is no answer counts
 * as nothing.
 */
export async function stateOf(
  by: Trial,
  ledger: LedgerReader | undefined,
): Promise<CallState['kind'] | undefined> {
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

export interface Made {
  readonly summary: RunObject;
  /** The last attempt that the row rests on; undefined when nothing was ever sent. */
  readonly tried: AttemptRecord | undefined;
  /** Whether the vendor was still at work when its answer was last asked for. */
  readonly isStill?: boolean;
}

/**
 * Makes the call or resumes it. The user has agreed to its price. The call may cost no more, unless it was
 * lost and is sent again.
 */
export async function makeCall(
  trial: Trial,
  { refresh, store }: { readonly refresh?: boolean | undefined; readonly store?: string | undefined },
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

/**
 * The call as today's dialect reads its answer, with the price that it states. A batch that is over keeps its
 * row, so without this only a list that asks the same would be told the price.
 */
export async function readAnew(
  trial: Trial,
  options: Parameters<typeof makeCall>[1],
  words: readonly string[],
  spending: Parameters<Parameters<typeof spend>[4]>[0],
): Promise<Made> {
  const { summary, tried } = await makeCall(trial, options, words, spending);
  if (tried === undefined) return { summary, tried };
  const judged = readToday(tried, trial.dialect);
  if (judged === undefined || (tried.end?.kind === 'answered' && judged.charged <= tried.end.charged))
    return { summary, tried };
  const { sandbox } = trial.account;
  return closedAfter(
    openSpender(sandbox, { ...spending, command: commandLine(words) }),
    async ({ ledger }) => {
      await keepReading({ ledger, clock: systemClock, dialect: trial.dialect }, { record: tried, judged });
      return { summary, tried: (await ledger.history(summary.batch as BatchId, ROW)).at(-1) };
    },
  );
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
  const ownership = ownershipIn(ledger, () => {});
  return writeOwnFile({ path, mode: 0o600, chunks: [text] }, ownership);
}

// ------------------------------------------------------------------------------------------ in words

/** A longer body is cut. This much is enough to see the places of an answer's fields. */
const LONGEST_BODY = 4_000;

export function requestLines({ method, url, headers, body }: TrialObject['request']): readonly string[] {
  return [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
    ...(body === undefined ? [] : [`  ${foreignWords(body, LONGEST_BODY)}`]),
  ];
}

export function replyLines({ status, headers, body }: Reply): readonly string[] {
  const text = foreignWords(body.toString('utf8'), LONGEST_BODY);
  return [
    `Status     ${status}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${foreignWords(value)}`),
    `  ${text === '' ? '(no body)' : text}`,
  ];
}

export function endWords(end: ReadEnd | undefined): string {
  if (end === undefined) return 'none yet';
  if (end.kind !== 'answered') return `${end.kind} (${sayAll(end.why, 'terminal')})`;
  return `${end.answer}, ${counted(end.charged, 'credit')} (${sayAll(end.why, 'terminal')})`;
}
