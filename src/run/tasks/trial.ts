import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { answerPlaceOf, dialectOperationOf, type Meaning, vendorReply } from '../../client/dialect.ts';
import { type RuleFound, ruleOf, ruleThatReads } from '../../client/judge.ts';
import { asReadToday } from '../../client/kept-answers.ts';
import { basePathOf, type HttpRequest, requestOf } from '../../client/request.ts';
import { fieldsOf } from '../../core/answer-body.ts';
import { PathSearch } from '../../core/answer-fields.ts';
import { callKeyOf } from '../../core/call-key.ts';
import { invariant, stop } from '../../core/errors.ts';
import { suggestion } from '../../core/nearest.ts';
import { present } from '../../core/objects.ts';
import type { Call, Operation, RowInput } from '../../core/operation.ts';
import { spoolFolder } from '../../core/paths.ts';
import { ownershipIn, writeOwnFile } from '../../files/output/own-files.ts';
import type { Job } from '../../job/job.ts';
import { originOf } from '../../job/job-origin.ts';
import { type JobEntries, settingsOf } from '../../job/job-schema.ts';
import {
  type AnswerRecord,
  type AttemptRecord,
  type BatchId,
  type CallState,
  type Credits,
  credits,
  type Ended,
  heldCredits,
  type Ledger,
  type LedgerReader,
  type RawReply,
} from '../../ledger/ledger.ts';
import type { FileOptions, RunOptions } from '../../plan/context.ts';
import { findCalls } from '../../plan/known-calls.ts';
import { mostAsked } from '../../plan/plan.ts';
import { mostOfRow } from '../../plan/pricing.ts';
import { optionsOf, preparedCells, type ResolvedJob, RowWalk } from '../../plan/row-walk.ts';
import { choose } from '../choose.ts';
import { openSpender, type SpenderOptions } from '../run-job.ts';
import { chooseStore } from '../store-choice.ts';
import type { RunSummary } from '../summary.ts';

/**
 * A trial makes one call by itself, so that a user sees how a dialect sends it and reads its answer before a list is
 * bought. It is a batch of one row whose file is in the store, and it is budgeted, resumed and settled like any other.
 */

interface TrialOptions
  extends Pick<RunOptions, 'operations' | 'dialects' | 'accept' | 'askAgreement' | 'tell'> {
  /** The name of an operation, or the path of a job file. */
  readonly job: string;
  /** What to ask by, by the names of inputs. */
  readonly given: Readonly<Record<string, string>>;
  /** Entries of the job that are said beside it. */
  readonly entries?: JobEntries | undefined;
}

export interface Trial extends ResolvedJob {
  readonly row: RowInput;
  readonly call: Call;
}

/** @throws StopError `usage` for a request that cannot be tried or asked; for a wrong job or account, as a run does. */
export async function trialOf({ given, ...options }: TrialOptions): Promise<Trial> {
  const chosen = await choose(options);
  const { operation } = chosen.job;
  refuseOther(operation);
  const row = rowOf(operation, given);
  const own = trialJob(chosen.job, Object.keys(row));
  return { ...chosen, job: own, row, call: callOf({ ...chosen, job: own }, row) };
}

function refuseOther({ name, change, steps: [first, ...others] = [] }: Operation): void {
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
    throw stop('usage', `${name} has no input "${unknown}".`, suggestion(unknown, names));
  const missing = inputs.find((input) => input.required === true && !(input.name in given))?.name;
  const any = Object.keys(given).length > 0 || names.length === 0 || needsNoColumn;
  if (any && missing === undefined) return given;
  const fact = missing === undefined ? `${name} has nothing to ask by.` : `${name} needs ${missing}.`;
  throw stop('usage', fact, `Give it as ${missing ?? names[0]}=value.`);
}

/**
 * The job for this one row. All given inputs go into one call, and a search asks only for its first page. A sweep, or an
 * equal list, does not mistake the trial's batch for its own.
 */
function trialJob(
  { name, operation, add, repair, in_doubt, pages, ...job }: Job,
  inputs: readonly string[],
): Job {
  return {
    ...settingsOf(job),
    name,
    operation,
    origin: { kind: 'trial' },
    columns: Object.fromEntries(inputs.map((input) => [input, input])),
    ...(operation.tiers.length === 0 ? {} : { waterfall: [inputs.join('+')] }),
    ...present({ add, repair, in_doubt, pages: pages && 1 }),
    on_existing: 'replace',
    read: { encoding: 'utf-8', delimiter: 'comma' },
  };
}

/** @throws StopError `usage` when an input cannot be used, even if the other inputs would be enough. */
function callOf(chosen: ResolvedJob, row: RowInput): Call {
  const { job, dialect } = chosen;
  const { operation } = job;
  const options = optionsOf(chosen);
  const alone = operation.tiers.length === 0 ? [] : Object.entries(row);
  const checks = [
    ...alone.map(([name, value]) => preparedCells(job, { [name]: value }, { ...options, waterfall: [name] })),
    preparedCells(job, row, options),
  ];
  const invalid = checks.find((prepared) => prepared.kind === 'invalid');
  if (invalid !== undefined)
    throw stop('usage', `This cannot be asked: ${invalid.reason}.`, 'Give another value.');
  const [ready] = checks.flatMap((prepared) => (prepared.kind === 'ready' ? [prepared] : [])).reverse();
  invariant(ready !== undefined, 'a row that is not invalid is ready');
  const step = new RowWalk(operation, dialect, ready).step();
  if (step.kind === 'call') return step.met.call;
  throw stop(
    'usage',
    `This cannot be asked: ${step.outcome.reason ?? 'there is nothing to send'}.`,
    'Give another value.',
  );
}

// ---------------------------------------------------------------------------------------------------- what leaves

export interface ShownRequest extends Pick<HttpRequest, 'method' | 'headers'> {
  /** The address; for the sandbox only the path, because its address is known once it runs. */
  readonly url: string;
  readonly body: string | undefined;
}

const WITHOUT_KEY = { key: '[key]', idempotency_key: '[a new one for each request]' };

export function requestShown({ dialect, account, call }: Trial): ShownRequest {
  const { baseUrl, projectId, organizationId } = account;
  const values = {
    ...WITHOUT_KEY,
    ...present({ project_id: projectId, organization_id: organizationId }),
  };
  const basePath = baseUrl === undefined ? '' : basePathOf(baseUrl);
  const request = requestOf(dialect, basePath, call, values);
  const { method, path, headers, body } = request;
  const shown = request.keyInPath === undefined ? path : path.replace('{key}', WITHOUT_KEY.key);
  return { method, url: `${baseUrl?.origin ?? ''}${shown}`, headers, body: body?.toString('utf8') };
}

/** The most that the trial may cost, also by the highest price that was seen. */
export async function mostOfTrial(trial: Trial, ledger: LedgerReader | undefined): Promise<Credits> {
  return credits(await mostOfRow({ ...trial, ledger }));
}

// ---------------------------------------------------------------------------------------------------- what came

export interface Tried {
  readonly batch: BatchId;
  /** The reply; undefined when it was lost, or when nothing was sent. */
  readonly reply: RawReply | undefined;
  readonly closure: Ended | undefined;
}

export type Known =
  | { readonly kind: 'unknown' | 'in_doubt' }
  | { readonly kind: 'answered'; readonly tried: Tried };

/**
 * What the ledger knows about the call, from any run, as today's dialect reads it. What came and is no answer counts as
 * nothing. @param ledger undefined when there is none yet.
 */
export async function knownOf(
  { account, dialect, call }: Trial,
  ledger: LedgerReader | undefined,
): Promise<Known> {
  if (ledger === undefined) return { kind: 'unknown' };
  const [found] = await findCalls<CallState>([{ key: callKeyOf(account.identity, call), call }], {
    accountIdentity: account.identity,
    ledger,
    find: async (keys) => asReadToday(await ledger.find(keys), { ledger, dialect }),
  });
  const state = found?.state ?? { kind: 'unknown' };
  if (state.kind === 'answered') return { kind: 'answered', tried: triedOf(state.answer) };
  return { kind: state.kind === 'in_doubt' ? 'in_doubt' : 'unknown' };
}

function triedOf(answer: AnswerRecord): Tried {
  const { batch, kind, charged, why, status, headers = {}, body, answeredAtMs: receivedAtMs } = answer;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    batch,
    reply: { status, headers, body: bytes, receivedAtMs },
    closure: { kind: 'answered', answer: kind, charged, why },
  };
}

/** The dialect's rule that decided; undefined when no rule did, for example for an answer that a person gave. */
export function ruleBehind({ dialect, call }: Trial, { reply, closure }: Tried): RuleFound | undefined {
  const isTold = reply === undefined || closure === undefined;
  return isTold ? undefined : ruleOf(reply, dialect, dialectOperationOf(dialect, call), call);
}

/** What a rule may be proposed to say. */
export const PROPOSED = [
  ...['no_match', 'refused', 'found', 'pending', 'in_doubt'],
  ...['rate_limited', 'credits_used_up', 'key_dead'],
] as const satisfies readonly Meaning[];

/**
 * The rule by which such answers mean that: from their words alone, without what differs from row to row. Undefined where nothing in the
 * answer tells it from others.
 */
export function ruleProposed(
  { dialect, call }: Trial,
  { reply }: Tried,
  means: (typeof PROPOSED)[number],
): string | undefined {
  const own = reply && vendorReply(reply, dialect);
  return own && ruleThatReads(own, dialect, call, means);
}

export function triedFields({ job, dialect, call }: Trial, { reply, closure }: Tried): PathSearch {
  const search = new PathSearch(Object.values(job.add ?? {}));
  const isFound = closure?.kind === 'answered' && closure.answer === 'found';
  if (isFound && reply !== undefined)
    search.look(fieldsOf(reply.body, answerPlaceOf(dialect, call.operation)));
  return search;
}

// ---------------------------------------------------------------------------------------------------- the call

export interface RanTrial {
  readonly summary: RunSummary;
  readonly tried: Tried | undefined;
}

/** Makes the call or resumes it. The user has agreed to its price, and it may cost no more unless a lost call is sent again. */
export async function runTrial(
  trial: Trial,
  options: SpenderOptions & Pick<FileOptions, 'refresh' | 'maxPauseMs' | 'signal' | 'onEvent'>,
): Promise<RanTrial> {
  const { account, job, dialect } = trial;
  const spender = await openSpender(account.sandbox, options);
  try {
    const { ledger } = spender;
    const { location } = chooseStore(options.store, account.sandbox);
    const file = await writeRow(trial, location, ledger);
    const { refresh, maxPauseMs, signal, onEvent } = options;
    const summary = await spender.run(
      { job, account, dialect },
      {
        ...{ file, refresh, maxPauseMs, signal, onEvent },
        budget: await budgetOfRepeat(trial, ledger),
        output: new Writable({ write: (_chunk, _encoding, done) => done() }),
        askBudget: async (plan) => credits(mostAsked(plan)),
        askReread: async () => true,
        buyAgain: true,
      },
    );
    return { summary, tried: lastOf(await ledger.history(summary.batch, ROW)) };
  } finally {
    await spender.close();
  }
}

/** A lost call that is sent again may be paid for twice, and a trial has no word for a budget. */
async function budgetOfRepeat(trial: Trial, ledger: Ledger): Promise<Credits | undefined> {
  const [lost] = await ledger.find([callKeyOf(trial.account.identity, trial.call)]);
  const batch = lost?.kind === 'in_doubt' ? await ledger.batch(lost.doubt.batch) : undefined;
  if (batch === undefined || originOf(batch.settings)?.kind !== 'trial') return undefined;
  return credits(heldCredits(await ledger.batchMoney(batch.id)) + (await mostOfTrial(trial, ledger)));
}

const ROW = 2;

function lastOf(history: readonly AttemptRecord[]): Tried | undefined {
  const last = history.at(-1);
  return last && { batch: last.batch, reply: last.reply, closure: last.closure };
}

/**
 * Writes the row to a file that only this user can read. The file is named by its content, so that the same trial is the
 * same batch. It is beside the ledger, so that both are kept, copied and deleted together.
 */
async function writeRow({ row }: Trial, location: string, ledger: Ledger): Promise<string> {
  const columns = Object.keys(row).length === 0 ? { row: '1' } : row;
  const text = stringify([columns], { header: true });
  const path = join(spoolFolder(location), `${hash('sha256', text, 'hex')}.csv`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return writeOwnFile(
    { path, mode: 0o600, chunks: [text] },
    ownershipIn(ledger, () => {}),
  );
}
