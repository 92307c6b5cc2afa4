import { resolve } from 'node:path';
import { stop } from '../core/errors.ts';
import { OPERATIONS } from '../core/families.ts';
import { familyNames, loadMember } from '../core/family.ts';
import type { ReadOptions } from '../core/format.ts';
import { suggestion } from '../core/nearest.ts';
import { present } from '../core/objects.ts';
import { type JsonObject, type JsonValue, type Operation, PLACES } from '../core/operation.ts';
import { foreignName } from '../core/plain-text.ts';
import { readingIn } from '../core/reading.ts';
import { OUR_COLUMNS } from '../core/row.ts';
import { inSteps, stepNames } from '../core/steps.ts';
import { type Credits, credits } from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';
import { parseDurationMs } from '../lib/duration.ts';
import type { FormulaMode } from '../lib/formulas.ts';
import { type DocumentKind, readDocument, type YamlDocument } from '../lib/yaml/document.ts';
import { checkWaterfall, tierWords } from '../operations/lookup/waterfall.ts';
import { type JobFile, jobSchema, type Notify, OPERATION_SETTINGS } from './job/job-schema.ts';
import { jobNameOf, refusedName } from './job/named.ts';
import { isAnythingSaid, type JobEntries, withEntries } from './job/said-entries.ts';
import { calledBySteps, checkSteps, isTypedSteps } from './job/several.ts';
import type { JobOrigin } from './job-origin.ts';
import type { OwnOperation } from './own-operation.ts';

export { jobSchema } from './job/job-schema.ts';
export type { JobEntries } from './job/said-entries.ts';

/** A job says what is done with the rows of a file. It is read from YAML, or is all defaults of an operation. */

/** What becomes of calls in doubt when no rule settles them. */
type InDoubtPolicy =
  | { readonly kind: 'hold' }
  | { readonly kind: 'skip' }
  | { readonly kind: 'retry'; readonly extraCredits: Credits };

/** What is done when the input already has a column that `add` names. */
export type OnExisting = 'refuse' | 'keep' | 'fill' | 'replace';

/** What a run that changes the service must not do, so that a wrong list does little harm. */
export interface Guards {
  /** The most people who may be removed because the list no longer names them: a number, or a share such as `10%`. */
  readonly maxRemovals?: number | string;
  readonly admins?: 'allow';
  /** The only domains of e-mail addresses that are invited, in lower case. */
  readonly domains?: readonly string[];
  readonly maxInvites?: number;
}

export interface Job {
  /** The file's name without its ending, or the operation's name. */
  readonly name: string;
  /** Absolute path of the job file; absent when an operation was named instead. Paths in a job are relative to it. */
  readonly path?: string;
  readonly operation: Operation;
  /** Name of the account; without it the only account that fits is used. */
  readonly account?: string;
  /** Maps the operation's inputs to columns, a blank one to none; without it columns are guessed where that is sure. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Columns of the other inputs are guessed beside those; absent: `columns` is all. */
  readonly guesses?: true;
  /** What was said beside the job, which is laid over it already. */
  readonly said?: JobEntries;
  /** What else was said beside it and decides what is asked, likewise. */
  readonly saidToo?: { readonly account?: string; readonly read?: ReadOptions; readonly repair?: boolean };
  /** Order of the identifiers as `OperationOptions` has it, checked against the operation. */
  readonly waterfall?: readonly string[];
  /** Maps each new column to a dotted path in the answer; without it the whole answer is added. */
  readonly add?: Readonly<Record<string, string>>;
  readonly onExisting: OnExisting;
  /** How cells of ours that would begin a formula are written; without it they are made safe. */
  readonly formulas?: FormulaMode;
  readonly budget?: Credits;
  readonly inDoubt: InDoubtPolicy;
  /** How old a bought match may be and still be used; without it any age will do. */
  readonly refreshAfterMs?: number;
  /** How old any other answer may be and still be used; without it any age will do. */
  readonly refreshNoMatchAfterMs?: number;
  /** How the file is read, where the job says so; otherwise that is detected. */
  readonly read?: ReadOptions;
  /** Damaged cells are sent repaired where the repair is sure; without it they are sent as they are. */
  readonly repair?: true;
  /** Entries that belong to this operation alone, as the file writes them. */
  readonly settings?: JsonObject;
  /** Absent when a user wrote or named the job. */
  readonly origin?: JobOrigin;
  /** How far a run that changes the service may go. */
  readonly guards?: Guards;
  /** The folder whose files a sweep processes: a path below the job's folder, or a name of the accounts file. */
  readonly inbox?: string;
  /** When `serve` sweeps, as a cron expression. */
  readonly schedule?: string;
  readonly notify?: Notify;
}

/** In which order identifiers are tried, in words: as the job says, else each that the list has, in the operation's order. */
export function waterfallOf(
  { operation, waterfall }: Pick<Job, 'operation' | 'waterfall'>,
  columns: Readonly<Record<string, string>>,
): readonly string[] {
  const tiers = waterfall ?? operation.tiers.filter((tier) => columns[tier] !== undefined);
  return tiers.map(tierWords);
}

const JOB_FILE: DocumentKind = { code: 'job', name: 'job', acts: true };

/**
 * The job that the user typed: the name of an operation, those of several steps, or the path of a YAML file.
 * @param entries what is said beside it.
 * @throws StopError `job` with file, line and column, and the word that was probably meant; `usage` for an entry beside it.
 */
export async function loadJob(
  argument: string,
  entries: JobEntries = {},
  sources: OperationSources = {},
): Promise<Job> {
  const isName = isTypedSteps(argument) || (await findOperation(argument, sources)) !== undefined;
  const document = isName ? bareJob(argument) : await jobDocument(argument);
  const whole = withEntries(document, entries);
  const { operation, operations = [] } = whole.value;
  if (operation !== undefined && operations.length > 0)
    throw whole.problem(['operations'], 'name', 'there is `operation` as well', 'Remove one of them.');
  await checkSteps(
    whole,
    (sources.operations ?? []).map(({ name }) => name),
  );
  const found = await operationOf(operation ?? operations.join(','), whole, sources);
  const value = found.steps === undefined ? whole.value : { ...whole.value, ...calledBySteps(found, whole) };
  const job = jobFrom(found, { ...whole, value }, document, entries);
  return isName ? job : { ...job, name: jobNameOf(argument), path: resolve(argument) };
}

function jobFrom(
  operation: Operation,
  whole: YamlDocument<JobFile>,
  written: YamlDocument<JobFile>,
  entries: JobEntries,
): Job {
  const job = jobOf(operation, whole);
  const columns = written.value.columns && Object.values(written.value.columns);
  // What is said of single columns beside a job that says nothing of them, and a job that only leaves some unread.
  const guesses =
    columns === undefined
      ? entries.columns !== undefined
      : columns.length > 0 && columns.every((each) => each === '');
  return {
    ...job,
    name: job.operation.name,
    ...(isAnythingSaid(entries) ? { said: entries } : {}),
    ...(guesses ? { guesses } : {}),
  };
}

/** An operation by its name, or several by theirs, as a job that says nothing else. */
function bareJob(argument: string): YamlDocument<JobFile> {
  const problem: YamlDocument<JobFile>['problem'] = (_keys, _part, fact, next) =>
    stop('job', `${argument}: ${fact}.`, next);
  const value = isTypedSteps(argument) ? { operations: [...stepNames(argument)] } : { operation: argument };
  return { path: '', value, problem };
}

async function jobDocument(argument: string): Promise<YamlDocument<JobFile>> {
  const refused = await refusedName(argument);
  if (refused !== undefined) throw refused;
  return readDocument(argument, jobSchema, JOB_FILE);
}

function jobOf(unshaped: Operation, document: YamlDocument<JobFile>): Omit<Job, 'name'> {
  const { value } = document;
  const settings = settingsOf(unshaped, document);
  const reading = readingIn(value);
  const columns = Object.entries(document.value.columns ?? {});
  const mapped = columns.flatMap(([input, column]) => (column === '' ? [] : [input]));
  const operation = unshaped.shapedBy?.(settings, mapped) ?? unshaped;
  checkColumns(operation, document);
  checkTiers(operation, document);
  checkAdded(document);
  checkChange(operation, document);
  return {
    operation,
    onExisting: value.on_existing ?? 'refuse',
    inDoubt: policyOf(value.in_doubt),
    ...present({
      account: value.account,
      columns: value.columns,
      waterfall: value.waterfall,
      add: value.add,
      formulas: value.formulas,
      budget: value.budget && credits(value.budget.credits),
      refreshAfterMs: parseDurationMs(value.refresh_after ?? ''),
      refreshNoMatchAfterMs: parseDurationMs(value.refresh_no_match_after ?? ''),
      read: Object.keys(reading).length === 0 ? undefined : reading,
      repair: value.repair || undefined,
      settings: Object.keys(settings).length === 0 ? undefined : settings,
      guards: guardsOf(operation, document),
      inbox: value.inbox,
      schedule: value.schedule,
      notify: value.notify,
    }),
  };
}

async function operationOf(
  name: string,
  { problem }: YamlDocument<JobFile>,
  sources: OperationSources,
): Promise<Operation> {
  const operation = await findOperation(name, sources);
  if (operation !== undefined) return operation;
  const fact = `there is no operation ${foreignName(name)}`;
  const known = [...(await familyNames(OPERATIONS)), ...(sources.operations ?? []).map((own) => own.name)];
  throw problem(['operation'], 'value', fact, suggestion(name, known));
}

/**
 * The entries of the file that belong to this operation alone. @throws StopError `job` for one that it does not accept.
 */
function settingsOf(operation: Operation, { value, problem }: YamlDocument<JobFile>): JsonObject {
  const taken = Object.keys(operation.settings ?? {});
  const given = Object.entries(value).filter(([name]) => OPERATION_SETTINGS.has(name)) as [
    string,
    JsonValue,
  ][];
  const other = given.map(([name]) => name).find((name) => !taken.includes(name));
  if (other === undefined) return Object.fromEntries(given);
  const fact = `${operation.name} has no \`${other}\``;
  throw problem([other], 'name', fact, taken.length === 0 ? 'Leave it out.' : suggestion(other, taken));
}

function guardsOf(operation: Operation, { value, problem }: YamlDocument<JobFile>): Guards | undefined {
  if (value.guards === undefined) return undefined;
  if (operation.change === undefined) {
    const fact = `${operation.name} changes nothing, so it has no guards`;
    throw problem(['guards'], 'name', fact, 'Leave them out.');
  }
  const { max_removals: maxRemovals, admins, domains, max_invites: maxInvites } = value.guards;
  return present({ maxRemovals, admins, domains: domains?.map((name) => name.toLowerCase()), maxInvites });
}

/** Refuses what is fine for a lookup and would harm people who are invited. */
function checkChange({ name, change }: Operation, { value, problem }: YamlDocument<JobFile>): void {
  if (change === undefined) return;
  if (typeof value.in_doubt === 'object') {
    const fact = `${name} changes the service, and sending a lost change again could mean a second mail`;
    throw problem(
      ['in_doubt'],
      'value',
      fact,
      `Write hold or skip. To see how one is sent again: ${commandLine(['settle', '--help'])}`,
    );
  }
  const age = (['refresh_after', 'refresh_no_match_after'] as const).find((key) => value[key] !== undefined);
  if (age === undefined) return;
  const fact = `${name} changes the service, and is never answered from an older answer`;
  throw problem([age], 'name', fact, 'Leave it out.');
}

function checkColumns(operation: Operation, { value, problem }: YamlDocument<JobFile>): void {
  const inputs = operation.inputs.map((input) => input.name);
  const unknown = Object.entries(value.columns ?? {}).find(
    ([name, column]) => !inputs.includes(name) && !(column === '' && PLACES.includes(name)),
  )?.[0];
  if (unknown === undefined) return;
  const fact = `${operation.name} has no input ${foreignName(unknown)}`;
  throw problem(['columns', unknown], 'name', fact, suggestion(unknown, inputs));
}

function checkTiers(operation: Operation, { value, problem }: YamlDocument<JobFile>): void {
  const { waterfall } = value;
  // Each tier of several steps is one of its step.
  if (waterfall === undefined || operation.steps !== undefined) return;
  // The first entry with which the waterfall becomes wrong is the one to point at.
  for (const index of waterfall.keys()) {
    const found = checkWaterfall(operation.tiers, waterfall.slice(0, index + 1));
    if (found !== undefined) throw problem(['waterfall', index], 'value', found.message, found.next);
  }
}

/** Checks names of new columns: none may be one of ours, nor the same twice, as spreadsheets ignore case. */
function checkAdded({ value, problem }: YamlDocument<JobFile>): void {
  const taken = new Map<string, string>(OUR_COLUMNS.map((name) => [name, 'which Rowonce itself adds']));
  for (const name of Object.keys(value.add ?? {})) {
    const why = taken.get(name.toLowerCase());
    const fact = `the column ${foreignName(name)} cannot be added: it is the same as one ${why}`;
    if (why !== undefined) throw problem(['add', name], 'name', fact, 'Choose another name.');
    taken.set(name.toLowerCase(), 'above it');
  }
}

function policyOf(policy: JobFile['in_doubt']): InDoubtPolicy {
  if (policy === undefined || policy === 'hold') return { kind: 'hold' };
  if (policy === 'skip') return { kind: 'skip' };
  return { kind: 'retry', extraCredits: credits(policy.retry.extra_credits) };
}

export interface OperationSources {
  readonly operations?: readonly OwnOperation[] | undefined;
}

/**
 * Undefined for a name that is none, or that has another version behind it: `rowonce-work-email@1`, as a batch keeps it.
 * @throws StopError `job` for an operation that is wrong.
 */
export async function findOperation(
  name: string,
  { operations = [] }: OperationSources,
): Promise<Operation | undefined> {
  if (operations.length > 0) await requireOwnNames(operations);
  if (isTypedSteps(name)) {
    const steps = await Promise.all(stepNames(name).map((each) => loadMember<Operation>(OPERATIONS, each)));
    return inSteps(steps.filter((step) => step !== undefined));
  }
  const builtIn = await loadMember<Operation>(OPERATIONS, name);
  if (builtIn !== undefined) return builtIn;
  const { bare = name } = /^(?<bare>.+)@\d+$/.exec(name)?.groups ?? {};
  const own = operations.find((each) => each.name === bare);
  if (own === undefined) return undefined;
  const found = await (await import('./own-operation.ts')).operationFrom(own);
  return bare === name || found.name === name ? found : undefined;
}

/** Two operations of one name would share their answers. */
async function requireOwnNames(operations: readonly OwnOperation[]): Promise<void> {
  const taken = new Set(await familyNames(OPERATIONS));
  for (const { name } of operations) {
    if (taken.has(name))
      throw stop('job', `There are two operations ${foreignName(name)}.`, 'Rename one of them.');
    taken.add(name);
  }
}
