import { basename, resolve } from 'node:path';
import { type Dialect, profilesTaken, requireOperation, unaskableParameters } from '../client/dialect.ts';
import { invariant, meantWord, type StopError, stop } from '../core/errors.ts';
import { familyNames, loadMember, OPERATIONS } from '../core/families.ts';
import { present } from '../core/objects.ts';
import type { AddressCheck, Operation } from '../core/operation.ts';
import { asCommand, phrase, typing } from '../core/phrase.ts';
import { foreignName, listed } from '../core/plain-text.ts';
import { OUR_COLUMNS } from '../core/row.ts';
import { entriesOf, inSteps, MOST_CALLS, stepNames, stepsOf, wordsOf } from '../core/steps.ts';
import { commandLine } from '../lib/command-line.ts';
import { isYamlName, YAML_ENDING } from '../lib/file-name.ts';
import { type DocumentKind, readDocument } from '../lib/yaml/document.ts';
import { type KeyPath, problemOf } from '../lib/yaml/schema-problem.ts';
import checkEmail from '../operations/check-email.ts';
import { checkWaterfall, identifiersIn, mostCalls, tierWords } from '../operations/lookup/waterfall.ts';
import {
  calledBySteps,
  checkSteps,
  type Document,
  isTypedSteps,
  refuseOwnAccounts,
  stepsSaid,
  withStepRequest,
} from './job/several.ts';
import type { JobOrigin } from './job-origin.ts';
import {
  accountNames,
  flagFor,
  type JobEntries,
  jobSchema,
  policyOf,
  type StepEntries,
  settingsOf,
} from './job-schema.ts';
import type { OwnOperation } from './own-operation.ts';

/**
 * A job says what is done with the rows of a file. Its entries are those of its file, overlaid with the
 * entries given beside it. It is read from YAML, or has all defaults of an operation.
 */
export interface Job extends Omit<JobEntries, 'operation' | 'operations' | 'account'> {
  /** The file's name without its ending, or the operation's name. */
  readonly name: string;
  /**
   * Absolute path of the job file; absent when an operation was named instead. Paths in a job are relative to
   * it.
   */
  readonly path?: string;
  readonly operation: Operation;
  /** What each step of the operation says for itself. Left out: nothing. */
  readonly steps?: readonly JobStep[];
  /** Whether columns of the other inputs are guessed beside `columns`; absent: `columns` has all of them. */
  readonly guesses?: true;
  /** The entries given beside the job, which are already part of it. */
  readonly givenEntries?: JobEntries;
  /** Whether a row that cannot be read refuses the file. */
  readonly strict?: boolean;
  /** A person agrees to a very large list. */
  readonly large?: 'agreed';
  /** Absent when a user wrote or named the job. */
  readonly origin?: JobOrigin;
  /** Names the place of an entry that does not fit the list; absent where no one wrote the job. */
  readonly problem?: Document['problem'];
}

export interface JobStep extends Pick<StepEntries, 'in_doubt' | 'check' | 'accept'> {
  readonly name: string;
  /** The names of its accounts, in the order in which they are asked; empty: the only one that fits. */
  readonly accounts: readonly string[];
  /** The entry that names them. Left out: the job came without its file. */
  readonly accountsAt?: KeyPath;
}

/**
 * The order in which identifiers are tried, in words: the job's, else each one that the list has, in the
 * operation's order.
 */
export function waterfallOf(
  { operation, waterfall }: Pick<Job, 'operation' | 'waterfall'>,
  columns: Readonly<Record<string, string>>,
): readonly string[] {
  const tiers =
    waterfall ??
    stepsOf(operation).flatMap((step) => {
      const called = (tier: string): string => (step === operation ? tier : `${step.name}.${tier}`);
      if (step.by !== undefined) return step.by.map(tierWords).map(called).join(', else ');
      return step.tiers.map(called).filter((tier) => columns[tier] !== undefined);
    });
  return tiers.map(tierWords);
}

/** An account of a job, by its name, with the dialect in which it is asked. */
interface JobAccount {
  readonly account: { readonly name: string };
  readonly dialect: Dialect;
}

/**
 * The job as the vendors of its accounts take it. A column that the job names for several steps is left out
 * of those that cannot ask by it.
 * @param accounts those of all steps. A step that names none asks the first.
 * @throws StopError `unsupported` for a step that a dialect lacks, and for a column by which no step can
 *   ask, because no one says with which others.
 */
export function jobInDialects(job: Job, accounts: readonly JobAccount[]): Job {
  const { operation, columns, steps = [], problem } = job;
  if (problem !== undefined) checkCalls(operation, steps, { value: job, problem }, accounts);
  const all = stepsOf(operation).map((step, at) => stepInDialects(job, step, at, accounts));
  const askedInputs = all.flatMap((each) => each.askedInputs);
  for (const { name, unasked, waterfall, dialect } of all) {
    const lost = unasked.filter((input) => !askedInputs.includes(input));
    if (lost.length === 0) continue;
    const where = waterfall === undefined ? `the dialect ${dialect}` : 'the waterfall of the job';
    throw stop(
      'unsupported',
      `${name} takes ${listed(lost)} only together with other inputs, and ${where} does not name them.`,
      `Name them in operations.${name}.by of the dialect or in a waterfall of the job, or choose no column for it.`,
    );
  }
  if (operation.steps === undefined) return { ...job, operation: all[0]?.taken ?? operation };
  const unaskedInputs = all.flatMap(({ name, unasked }) => unasked.map((input) => `${name}.${input}`));
  const askedColumns = columns && Object.entries(columns).filter(([input]) => !unaskedInputs.includes(input));
  return {
    ...job,
    ...present({ columns: askedColumns && Object.fromEntries(askedColumns) }),
    operation: inSteps(all.map(({ taken }) => taken)),
  };
}

interface StepInDialect extends Pick<Job, 'waterfall'> {
  readonly name: string;
  readonly dialect: string;
  readonly taken: Operation;
  /** The inputs with a column of the job by which the step can be asked, and those by which it cannot. */
  readonly askedInputs: readonly string[];
  readonly unasked: readonly string[];
}

/** A step as all of its accounts take it: by what one of them can ask. */
function stepInDialects(
  job: Job,
  step: Operation,
  at: number,
  accounts: readonly JobAccount[],
): StepInDialect {
  const { accounts: names = [], accountsAt = [], check, accept } = job.steps?.[at] ?? {};
  const placeOf = (name: string): number => accounts.findIndex((each) => each.account.name === name);
  const places = names.length === 0 ? [0] : names.map(placeOf);
  const dialectOf = (place: number): Dialect => {
    const dialect = accounts[place]?.dialect;
    invariant(dialect !== undefined, `${step.name} has an account`);
    return dialect;
  };
  if (step.askedBy !== undefined)
    for (const [nth, place] of places.entries())
      requireAsked(job, dialectOf(place), step.name, [...accountsAt, nth]);
  if (check !== undefined) {
    const checkAt = ['operations', step.name, 'check', 'account'];
    for (const name of accountNames(check.account))
      requireAsked(job, dialectOf(placeOf(name)), checkEmail.name, checkAt);
  }
  if (accept !== undefined) requireVerdicts(job, places.map(dialectOf), step.name);
  const all = places.map((account) => ({
    ...stepInDialect(job, step, dialectOf(account)),
    account,
    unaskable: unaskableParameters(dialectOf(account), step.name),
    profiles: profilesTaken(dialectOf(account), step.name),
  }));
  const [first] = all;
  invariant(first !== undefined, `${step.name} has an account`);
  if (all.length === 1 && first.account === 0 && check === undefined && accept === undefined) return first;
  const askedAccounts = all.map(({ account, taken: operation, unaskable, profiles }) => {
    return { account, operation, unaskable, profiles };
  });
  const inputs = new Map(
    all.flatMap(({ taken }) => taken.inputs.map((input) => [input.name, input] as const)),
  );
  const taken: Operation = {
    ...first.taken,
    askedOperations: askedAccounts,
    ...present({ check: check && checkIn(check, placeOf, dialectOf), accepts: accept }),
    inputs: step.inputs.map(({ name }) => inputs.get(name)).filter((input) => input !== undefined),
    lacks: (mapped) => {
      const lacking = all.map(({ taken: { lacks } }) => lacks?.(mapped));
      return lacking.includes(undefined) ? undefined : lacking[0];
    },
  };
  const named = all.flatMap((each) => each.askedInputs);
  return {
    ...first,
    taken,
    askedInputs: named,
    unasked: first.unasked.filter((input) => !named.includes(input)),
  };
}

function checkIn(
  { account: names, accept = ['valid'] }: NonNullable<JobStep['check']>,
  placeOf: (name: string) => number,
  dialectOf: (place: number) => Dialect,
): AddressCheck {
  const checkers = accountNames(names).map((name) => {
    const account = placeOf(name);
    const { by } = dialectOf(account).operations[checkEmail.name] ?? {};
    return { account, operation: checkEmail.askedBy?.(by, []) ?? checkEmail };
  });
  return { checkers, accept };
}

/** @throws StopError where a dialect says nothing of the addresses that its vendor finds. */
function requireVerdicts({ problem }: Job, dialects: readonly Dialect[], name: string): void {
  const without = dialects.find(({ operations }) => operations[name]?.gives?.verdict === undefined);
  if (without === undefined || problem === undefined) return;
  const fact = `the dialect ${without.name} of the ${without.vendor} gives no verdict to what ${name} finds`;
  const next = 'Leave it out, or check the addresses: check: { account: …, accept: [valid] }.';
  throw problem(['operations', name, 'accept'], 'name', fact, next);
}

/**
 * @param entry where a job of several steps names the account.
 * @throws StopError where its dialect lacks the operation.
 */
function requireAsked(
  { operation: { steps }, problem }: Job,
  by: Dialect,
  name: string,
  entry: KeyPath,
): void {
  if (Object.hasOwn(by.operations, name)) return;
  if (steps === undefined || problem === undefined) {
    requireOperation(by, name);
    return;
  }
  const fact = `the dialect ${by.name} of the ${by.vendor} has no operation ${name}`;
  const next = `Add operations.${name} to the dialect, or name another account.`;
  throw problem(entry, 'value', fact, next);
}

function stepInDialect(
  { operation, columns: ofAll = {}, waterfall: whole = [] }: Job,
  step: Operation,
  dialect: Dialect,
): StepInDialect {
  const isOne = operation.steps === undefined;
  const tiers = isOne ? whole : wordsOf(step, whole);
  const columns = isOne ? ofAll : entriesOf(step, ofAll);
  const waterfall = tiers.length === 0 ? undefined : [...tiers];
  const by = waterfall === undefined ? dialect.operations[step.name]?.by : undefined;
  const together = step.askedBy?.(waterfall ?? by, []).inputs.map(({ name }) => name);
  const alone = step.inputs.filter(({ needsBy }) => !needsBy).map(({ name }) => name);
  const named = Object.keys(columns).filter((input) => columns[input] !== '');
  const isAskable = (input: string): boolean =>
    together === undefined || together.includes(input) || alone.includes(input);
  const askableNames = named.filter(isAskable);
  const taken = step.askedBy?.(by, [...askableNames, ...identifiersIn(tiers)]) ?? step;
  const unasked = named.filter((input) => !isAskable(input));
  return {
    name: step.name,
    dialect: dialect.name,
    taken,
    askedInputs: askableNames,
    unasked,
    ...present({ waterfall }),
  };
}

const JOB_FILE: DocumentKind = { code: 'job', name: 'job', acts: true };

/**
 * The job that the user typed: the name of an operation, the names of several steps, or the path of a YAML
 * file.
 * @param givenEntries the entries given beside the job, over those in the file.
 * @throws StopError `job` with file, line and column, and the word that was probably meant; `usage` for an
 *   entry beside it.
 */
export async function loadJob(
  argument: string,
  givenEntries: JobEntries = {},
  sources: OperationSources = {},
): Promise<Job> {
  const isName = isTypedSteps(argument) || (await findOperation(argument, sources)) !== undefined;
  const written = isName ? bareJob(argument) : await jobDocument(argument);
  const whole = withStepRequest(withSaid(written, givenEntries));
  const { operation: named, operations } = whole.value;
  if (named !== undefined && operations !== undefined)
    throw whole.problem(['operations'], 'name', 'there is `operation` as well', 'Remove one of them.');
  const entries = stepsSaid(whole);
  if (givenEntries.account !== undefined) refuseOwnAccounts(whole);
  const names = (sources.operations ?? []).map(({ name }) => name);
  await checkSteps(whole, entries, names);
  const alone = await operationOf(entries.map(({ name }) => name).join(','), whole, sources);
  const isOfSeveral = entries.some(
    ({ accounts, check, accept }) => accounts.length > 1 || check !== undefined || accept !== undefined,
  );
  const unshaped = isOfSeveral && alone.steps === undefined ? inSteps([alone]) : alone;
  // The columns of a step are those that its own request names.
  const shape = unshaped.steps === undefined ? undefined : unshaped.shapedBy;
  const found = shape?.(settingsOf(whole.value)) ?? unshaped;
  const {
    name: _,
    accounts: _accounts,
    accountsAt: _at,
    check: _check,
    accept: _accept,
    ...only
  } = entries[0] ?? {};
  const value =
    found.steps === undefined
      ? { ...whole.value, ...only }
      : { ...whole.value, ...calledBySteps(found, entries, whole) };
  const steps = entries.map(({ name, accounts, accountsAt, in_doubt, check, accept }) => ({
    name,
    accounts,
    accountsAt,
    ...present({ in_doubt, check, accept }),
  }));
  const operation = checkedOperation(found, steps, { ...whole, value });
  const { account: _account, operations: _operations, ...otherEntries } = value;
  return {
    ...otherEntries,
    steps,
    ...(isName
      ? { name: operation.name }
      : { name: basename(argument).replace(YAML_ENDING, ''), path: resolve(argument) }),
    operation,
    problem: whole.problem,
    ...(guessesOthers(written.value, givenEntries) ? { guesses: true } : {}),
    ...(Object.keys(givenEntries).length === 0 ? {} : { givenEntries }),
  };
}

/**
 * Whether other columns are guessed: where single columns are given beside a job that names none, and for a
 * job that only leaves some unread.
 */
function guessesOthers(written: JobEntries, givenEntries: JobEntries): boolean {
  if (written.columns === undefined) return givenEntries.columns !== undefined;
  const columns = Object.values(written.columns);
  return columns.length > 0 && columns.every((each) => each === '');
}

/** An operation by its name, or several by theirs, as a job without any other entry. */
function bareJob(argument: string): Document {
  const problem: Document['problem'] = (_keys, _part, fact, next) =>
    stop('job', phrase`${argument}: ${fact}.`, next);
  const value = isTypedSteps(argument) ? { operations: [...stepNames(argument)] } : { operation: argument };
  return { path: '', value, problem };
}

async function jobDocument(argument: string): Promise<Document> {
  const refused = await refusedName(argument);
  if (refused !== undefined) throw refused;
  const document = await readDocument(argument, jobSchema, JOB_FILE);
  return { ...document, value: present(document.value) };
}

/** Why a word that is no operation cannot be a job either; undefined when it may be the path of one. */
async function refusedName(argument: string): Promise<StopError | undefined> {
  if (isYamlName(argument) || argument.includes('/')) return undefined;
  const next = meantWord(argument, await familyNames(OPERATIONS));
  const line = typeof next === 'string' ? commandLine(['run', '--help']) : undefined;
  return stop('job', `${foreignName(argument)} is neither an operation nor a job file.`, next, line);
}

// ------------------------------------------------------------------------------------ what is said beside it

/**
 * Entries whose pairs are added to those of the job; a blank one removes the job's. All other entries replace
 * the job's.
 */
const NAMED = ['columns', 'add', 'roles', 'projects', 'read'] as const;

/**
 * @returns the job with the given entries laid over it. A problem with one of them is told by its flag.
 * @throws StopError `usage`.
 */
function withSaid(document: Document, givenEntries: JobEntries): Document {
  const merged: Record<string, unknown> = { ...document.value, ...givenEntries };
  for (const name of NAMED) {
    if (givenEntries[name] === undefined) continue;
    const pairs = Object.entries({ ...document.value[name], ...givenEntries[name] });
    // A column that is left unread is not guessed either.
    const keptPairs = name === 'columns' ? pairs : pairs.filter(([, value]) => value !== '');
    merged[name] = keptPairs.length === 0 ? undefined : Object.fromEntries(keptPairs);
  }
  const problem: Document['problem'] = (keys, part, fact, next) => {
    const flag = flagOf(givenEntries, keys);
    return flag === undefined
      ? document.problem(keys, part, fact, next)
      : stop('usage', phrase`${typing`${flag}: `}${fact}.`, next);
  };
  const checked = jobSchema.safeParse(present(merged));
  if (checked.success) return { ...document, value: present(checked.data), problem };
  const { keys, part, fact, next } = problemOf(jobSchema, merged, checked.error.issues);
  throw problem(keys, part, fact, next);
}

/** Undefined for an entry of the file. */
function flagOf(givenEntries: JobEntries, [entry = '', name]: KeyPath): string | undefined {
  const values: Readonly<Record<PropertyKey, unknown>> = givenEntries;
  const value = values[entry];
  if (value === undefined) return undefined;
  const isNamed = typeof value === 'object' && !Array.isArray(value) && name !== undefined;
  if (isNamed && !Object.hasOwn(value as object, name)) return undefined;
  return flagFor(String(entry));
}

// ----------------------------------------------------------------------------- what an operation takes of it

/** The operation as the job shapes it. @throws StopError for an entry that it does not take. */
function checkedOperation(unshaped: Operation, steps: readonly JobStep[], document: Document): Operation {
  const columns = Object.entries(document.value.columns ?? {});
  const mapped = columns.flatMap(([input, column]) => (column === '' ? [] : [input]));
  checkSettings(unshaped, document);
  const operation = unshaped.shapedBy?.(settingsOf(document.value), mapped) ?? unshaped;
  checkColumns(operation, document);
  checkTiers(operation, document);
  checkCalls(operation, steps, document);
  checkAdded(document);
  checkChange(operation, document);
  return operation;
}

async function operationOf(
  name: string,
  { problem }: Document,
  sources: OperationSources,
): Promise<Operation> {
  const operation = await findOperation(name, sources);
  if (operation !== undefined) return operation;
  const fact = `there is no operation ${foreignName(name)}`;
  const known = [
    ...(await familyNames(OPERATIONS)),
    ...(sources.operations ?? []).map((ownOperation) => ownOperation.name),
  ];
  throw problem(['operation'], 'value', fact, meantWord(name, known));
}

function checkSettings(operation: Operation, { value, problem }: Document): void {
  const taken = Object.keys(operation.settings ?? {});
  const other = Object.keys(settingsOf(value)).find((name) => !taken.includes(name));
  if (other === undefined) return;
  const fact = `${operation.name} has no \`${other}\``;
  throw problem([other], 'name', fact, taken.length === 0 ? 'Leave it out.' : meantWord(other, taken));
}

/** Refuses settings that are fine for a lookup and would harm people who are invited. */
function checkChange({ name, change }: Operation, { value, problem }: Document): void {
  if (change === undefined) {
    if (value.guards === undefined) return;
    throw problem(['guards'], 'name', `${name} changes nothing, so it has no guards`, 'Leave them out.');
  }
  if (typeof value.in_doubt === 'object') {
    const fact = `${name} changes the service, and sending a lost change again could mean a second mail`;
    const command = commandLine(['settle', '--help']);
    const how = typing`To see how one is sent again: ${asCommand(command)}`;
    throw problem(['in_doubt'], 'value', fact, phrase`Write hold or skip. ${how}`);
  }
  const age = (['refresh_after', 'refresh_no_match_after'] as const).find((key) => value[key] !== undefined);
  if (age === undefined) return;
  const fact = `${name} changes the service, and is never answered from an older answer`;
  throw problem([age], 'name', fact, 'Leave it out.');
}

function checkColumns(operation: Operation, { value, problem }: Document): void {
  const inputs = operation.inputs.map((input) => input.name);
  const unknown = Object.entries(value.columns ?? {}).find(
    ([name, column]) => column !== '' && !inputs.includes(name),
  )?.[0];
  if (unknown === undefined) return;
  const fact = `${operation.name} has no input ${foreignName(unknown)}`;
  throw problem(['columns', unknown], 'name', fact, meantWord(unknown, inputs));
}

function checkTiers(operation: Operation, { value, problem }: Document): void {
  const { waterfall } = value;
  // In a job of several steps, each tier belongs to one step.
  if (waterfall === undefined || operation.steps !== undefined) return;
  // The error points at the first entry with which the waterfall becomes wrong.
  for (const index of waterfall.keys()) {
    const found = checkWaterfall(operation.tiers, waterfall.slice(0, index + 1));
    if (found !== undefined) throw problem(['waterfall', index], 'value', found.message, found.next);
  }
}

/** @param askedAccounts the accounts of the job. Left out: it is not known how their vendors are asked. */
function checkCalls(
  operation: Operation,
  steps: readonly JobStep[],
  {
    value: { waterfall = [] },
    problem,
  }: Pick<Document, 'problem'> & { readonly value: Pick<JobEntries, 'waterfall'> },
  askedAccounts: readonly JobAccount[] = [],
): void {
  const isOfSeveral = steps.some(({ accounts }) => accounts.length > 1);
  if (waterfall.length === 0 && !isOfSeveral) return;
  const calls = stepsOf(operation).map((step, at) => {
    const ownWaterfall = step === operation ? waterfall : wordsOf(step, waterfall);
    const { accounts = [], check } = steps[at] ?? {};
    const ways = Math.max(1, accounts.length);
    const taking = (accounts.length === 0 ? askedAccounts.slice(0, 1) : askedAccounts).filter(
      ({ account, dialect }) =>
        (accounts.length === 0 || accounts.includes(account.name)) && dialect.operations[step.name]?.then,
    );
    const checks = check === undefined ? 0 : ways;
    return (
      mostCalls(step, ownWaterfall.length === 0 ? undefined : ownWaterfall) * (ways + taking.length + checks)
    );
  });
  const sum = calls.reduce((all, each) => all + each, 0);
  if (sum <= MOST_CALLS) return;
  const words = calls.length === 1 ? `${sum}` : `${calls.join(' + ')} = ${sum}`;
  const fact = `a row may need ${words} calls, and the most is ${MOST_CALLS}`;
  const next = isOfSeveral ? 'Name fewer accounts.' : 'Take out the tiers that find least.';
  throw problem([isOfSeveral ? 'operations' : 'waterfall'], 'value', fact, next);
}

/**
 * Checks the names of new columns: none may be one of ours, or occur twice. Spreadsheets ignore case, so case
 * does not count.
 */
function checkAdded({ value, problem }: Document): void {
  const taken = new Map<string, string>(OUR_COLUMNS.map((name) => [name, 'which Rowonce itself adds']));
  for (const name of Object.keys(value.add ?? {})) {
    const why = taken.get(name.toLowerCase());
    const fact = `the column ${foreignName(name)} cannot be added: it is the same as one ${why}`;
    if (why !== undefined) throw problem(['add', name], 'name', fact, 'Choose another name.');
    taken.set(name.toLowerCase(), 'above it');
  }
}

/** What becomes of a lost call of a step: as the step says, else as the job says. */
export const policyOfStep = (
  job: Pick<Job, 'in_doubt' | 'steps'>,
  step: string,
): ReturnType<typeof policyOf> => job.steps?.find(({ name }) => name === step)?.in_doubt ?? policyOf(job);

export interface OperationSources {
  readonly operations?: readonly OwnOperation[] | undefined;
}

/**
 * Undefined for an unknown name, and for one with another version behind it: `rowonce-work-email@1`, as a
 * batch keeps it.
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
  const ownOperation = operations.find((each) => each.name === bare);
  if (ownOperation === undefined) return undefined;
  const found = await (await import('./own-operation.ts')).operationFrom(ownOperation);
  return bare === name || found.name === name ? found : undefined;
}

/** Two operations with one name would share their answers. */
async function requireOwnNames(operations: readonly OwnOperation[]): Promise<void> {
  const taken = new Set(await familyNames(OPERATIONS));
  for (const { name } of operations) {
    if (taken.has(name))
      throw stop('job', `There are two operations ${foreignName(name)}.`, 'Rename one of them.');
    taken.add(name);
  }
}
