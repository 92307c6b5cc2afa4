import { bringsRequest } from '../../core/described.ts';
import { type Advice, meantWord, type StopError } from '../../core/errors.ts';
import { familyNames, loadMember, OPERATIONS } from '../../core/families.ts';
import { present } from '../../core/objects.ts';
import type { Operation } from '../../core/operation.ts';
import { asFlag, phrase, typing } from '../../core/phrase.ts';
import { foreignName, foreignWords } from '../../core/plain-text.ts';
import { inputOf, suffixOf, wordsOf } from '../../core/steps.ts';
import type { YamlDocument } from '../../lib/yaml/document.ts';
import type { KeyPath } from '../../lib/yaml/schema-problem.ts';
import { checkWaterfall } from '../../operations/lookup/waterfall.ts';
import { accountNames, type JobEntries, type StepEntries } from '../job-schema.ts';

/**
 * Each entry of a job of several steps says to which step it belongs: an entry `enrich-person.profile_url` is
 * about that step alone, and an entry `profile_url` is about each step that has such an input. A tier by
 * which one step can ask alone is not about a step that needs others with it: `domain` finds a company, and
 * no one.
 */

/** Whether a word is a list of operations' names, `enrich-company,enrich-person`. */
export const isTypedSteps = (argument: string): boolean => /^[\w-]+(,[\w-]+)+$/.test(argument);

/** A step as the job has it, with the entries of its own. */
export interface StepSaid extends Omit<StepEntries, 'account'> {
  readonly name: string;
  readonly accounts: readonly string[];
  /** The entry that names them. */
  readonly accountsAt: KeyPath;
}

/** The steps of a job. The entry of a step stands over the entry of the whole job. */
export function stepsSaid({ value }: Document): readonly StepSaid[] {
  const { operation = '', operations = [operation], account: ofAll } = value;
  const isList = Array.isArray(operations);
  const entries: readonly (readonly [string, StepEntries])[] = isList
    ? operations.map((name) => [name, {}])
    : Object.entries(operations);
  return entries.map(([name, { account, ...entry }]) => ({
    name,
    ...entry,
    accounts: accountNames(account ?? ofAll),
    accountsAt: account === undefined && ofAll !== undefined ? ['account'] : ['operations', name, 'account'],
  }));
}

/** @throws StopError where the account that is given beside a job would not be that of all its steps. */
export function refuseOwnAccounts({ value: { operations = {} }, problem }: Document): void {
  if (Array.isArray(operations)) return;
  const namedOperations = Object.entries(operations).flatMap(([name, { account }]) =>
    account === undefined ? [] : name,
  );
  if (namedOperations.length === 0) return;
  const fact = `${namedOperations.join(', ')}: these steps name accounts of their own`;
  throw problem(
    ['account'],
    'value',
    fact,
    phrase`Change the accounts in the job${typing`, or leave ${asFlag('--account')} out`}.`,
  );
}

/**
 * @throws StopError for an unknown operation, for one that cannot stand beside others, and for accounts that
 *   are named twice.
 */
export async function checkSteps(
  { value, problem }: YamlDocument<JobEntries>,
  steps: readonly StepSaid[],
  namedOperations: readonly string[],
): Promise<void> {
  for (const [index, { name, accounts }] of steps.entries()) {
    const at = placeOf(value, index, name);
    const wrong = (fact: string, next: Advice) => problem(at, 'value', fact, next);
    const twice = accounts.find((account, place) => accounts.indexOf(account) !== place);
    if (twice !== undefined) throw wrong(`the account ${foreignName(twice)} is here twice`, 'Name it once.');
    if (value.operations === undefined && accounts.length < 2) return;
    if (steps.findIndex((each) => each.name === name) !== index)
      throw wrong(`${name} is here twice`, 'Name it once.');
    await checkStep(name, namedOperations, value.operations !== undefined, wrong);
  }
}

async function checkStep(
  name: string,
  namedOperations: readonly string[],
  isAmongSteps: boolean,
  wrong: (fact: string, next: Advice) => StopError,
): Promise<void> {
  const operation = await loadMember<Operation>(OPERATIONS, name);
  const isOwn = operation === undefined && (/(?:^|\/)rowonce-/.test(name) || namedOperations.includes(name));
  if ((operation?.tiers.length === 0 && !(isAmongSteps && bringsRequest(name))) || isOwn)
    throw isAmongSteps
      ? wrong(`${foreignWords(name)} cannot be one of several steps`, 'Give it a job of its own.')
      : wrong(`${foreignWords(name)} cannot be asked of several accounts`, 'Name one account.');
  if (operation !== undefined) return;
  const next = meantWord(name, await familyNames(OPERATIONS));
  throw wrong(`there is no operation ${foreignName(name)}`, next);
}

/** Where a step stands in the job. */
function placeOf({ operations }: JobEntries, index: number, name: string): KeyPath {
  if (operations === undefined) return ['account'];
  return ['operations', Array.isArray(operations) ? index : name];
}

/** The job, with what its step says of a request where a job of that operation alone says it. */
export function withStepRequest(document: Document): Document {
  const { operations } = document.value;
  if (operations === undefined || Array.isArray(operations)) return document;
  const [ofJob = '', step] = Object.entries(operations).find(([name]) => bringsRequest(name)) ?? [];
  if (step === undefined) return document;
  const { method, endpoint, body, credits_max, gives, ...stepEntries } = step;
  const request = present({ method, endpoint, body, credits_max, gives });
  const steps = Object.entries(operations).map(([name, entries]) => [
    name,
    name === ofJob ? stepEntries : entries,
  ]);
  return { ...document, value: { ...document.value, ...request, operations: Object.fromEntries(steps) } };
}

export type Document = YamlDocument<JobEntries>;

/**
 * The entries of a job of several steps, each with the name of its step.
 * @throws StopError for an entry of no step.
 */
export function calledBySteps(
  { steps = [] }: Operation,
  givenSteps: readonly StepSaid[],
  document: Document,
): Pick<JobEntries, 'columns' | 'waterfall' | 'add'> {
  const { columns, waterfall = [], add } = document.value;
  const ownWaterfalls = givenSteps.filter((step) => step.waterfall !== undefined);
  const others = steps.filter(({ name }) => ownWaterfalls.every((step) => step.name !== name));
  const tiers = [
    ...(waterfall.length === 0 ? [] : waterfallBySteps(others, waterfall, ['waterfall'], document)),
    ...ownWaterfalls.flatMap(({ name, waterfall: ofStep = [] }) => {
      const only = steps.filter((step) => step.name === name);
      return waterfallBySteps(only, ofStep, ['operations', name, 'waterfall'], document);
    }),
  ];
  const all = {
    columns: columns && columnsBySteps(steps, columns, document),
    waterfall: tiers.length === 0 ? undefined : tiers,
    add: addOf(steps, givenSteps, add, document),
  };
  requireEarlier(steps, all, document);
  for (const { name, check, accept } of givenSteps) {
    const { add: added = {} } = all;
    if (!(check ?? accept) || Object.values(added).includes(`${name}.email`)) continue;
    const fact = `${name} adds no column of the address that is ${check === undefined ? 'taken' : 'checked'}`;
    const next = 'Add one, such as add: { Email: email }.';
    const entry = check === undefined ? 'accept' : 'check';
    throw document.problem(['operations', name, entry], 'name', fact, next);
  }
  return present(all);
}

/** @throws StopError for a step that reads a column which a later step adds. */
function requireEarlier(
  steps: readonly Operation[],
  { columns = {}, add = {} }: { readonly columns: Names | undefined; readonly add: Names | undefined },
  { problem }: Document,
): void {
  const placeOf = (called: string): number => steps.findIndex(({ name }) => called.startsWith(`${name}.`));
  for (const [input, column] of Object.entries(columns)) {
    const [added, path = ''] =
      Object.entries(add).find(([each]) => each.toLowerCase() === column.toLowerCase()) ?? [];
    const adding = steps[placeOf(path)];
    if (added === undefined || adding === undefined || placeOf(path) <= placeOf(input)) continue;
    const fact = `${input} is read from ${foreignName(column)}, which ${adding.name} adds later`;
    throw problem(
      ['columns', inputOf(input)],
      'value',
      fact,
      `Name ${adding.name} before the step that reads it.`,
    );
  }
}

/**
 * The columns that all steps add.
 * @throws StopError for a column that two steps add.
 */
function addOf(
  steps: readonly Operation[],
  givenSteps: readonly StepSaid[],
  ofAll: Names | undefined,
  { problem }: Document,
): Names | undefined {
  const others = steps.filter(({ name }) => givenSteps.find((step) => step.name === name)?.add === undefined);
  const added = new Map(Object.entries(ofAll === undefined ? {} : addBySteps(others, ofAll)));
  for (const { name, add = {} } of givenSteps) {
    for (const [column, path] of Object.entries(add)) {
      const before = [...added].find(([each]) => each.toLowerCase() === column.toLowerCase());
      const fact = `${before?.[1].split('.')[0]} adds the column ${foreignName(column)} as well`;
      if (before !== undefined)
        throw problem(['operations', name, 'add', column], 'name', fact, 'Name it at one step.');
      added.set(column, `${name}.${path}`);
    }
  }
  return added.size === 0 ? undefined : Object.fromEntries(added);
}

type Names = Readonly<Record<string, string>>;

const namesOf = (steps: readonly Operation[]): string => steps.map(({ name }) => name).join(', ');

function columnsBySteps(steps: readonly Operation[], columns: Names, { problem }: Document): Names {
  const inputs = steps.flatMap((step) =>
    step.inputs.map(({ name }) => ({ name, called: `${step.name}.${name}` })),
  );
  const all = Object.entries(columns).flatMap(([input, column]) => {
    const ownInputs = inputs.filter(({ name, called }) => input === name || input === called);
    if (ownInputs.length > 0) return ownInputs.map(({ called }) => [called, column]);
    const fact = `none of ${namesOf(steps)} has an input ${foreignName(input)}`;
    const known = inputs.flatMap(({ name, called }) => [name, called]);
    throw problem(['columns', input], 'name', fact, meantWord(input, known));
  });
  return Object.fromEntries(all);
}

function waterfallBySteps(
  steps: readonly Operation[],
  tiers: readonly string[],
  at: readonly string[],
  { problem }: Document,
): string[] {
  const waterfall: string[] = [];
  for (const [index, tier] of tiers.entries()) {
    const wrong = (fact: string, next: Advice) => problem([...at, index], 'value', fact, next);
    const all = steps.flatMap((step) => tierIn(step, tier) ?? []);
    const owned = all.filter(({ isOwn }) => isOwn);
    const inputNames = (owned.length === 0 ? all : owned).map(({ called }) => called);
    const known = steps.flatMap(({ inputs }) => inputs.map(({ name }) => name));
    if (inputNames.length === 0)
      throw wrong(
        `none of ${namesOf(steps)} can be looked up by ${foreignName(tier)}`,
        meantWord(tier, known),
      );
    waterfall.push(...inputNames);
    for (const step of steps) {
      const mine = wordsOf(step, waterfall);
      const found = mine.length === 0 ? undefined : checkWaterfall(step.tiers, mine);
      if (found !== undefined) throw wrong(found.message, found.next);
    }
  }
  return waterfall;
}

/**
 * A path without a step is read from the answer of every step; from the second step on, its column ends in a
 * word of the step.
 */
function addBySteps(steps: readonly Operation[], add: Names): Names {
  const all = Object.entries(add).flatMap(([column, path]) =>
    steps.some(({ name }) => path.startsWith(`${name}.`))
      ? [[column, path]]
      : steps.map(({ name }, at) => [at === 0 ? column : `${column}_${suffixOf(name)}`, `${name}.${path}`]),
  );
  return Object.fromEntries(all);
}

/**
 * Undefined for a tier whose identifiers the step does not have. The tier is the step's own unless it is a
 * single identifier by which the step cannot ask alone.
 */
function tierIn(
  { name, tiers, inputs }: Operation,
  tier: string,
): { readonly called: string; readonly isOwn: boolean } | undefined {
  const bare = tier.startsWith(`${name}.`) ? tier.slice(name.length + 1) : tier;
  const members = bare
    .replace(/^all:/, '')
    .split('+')
    .map((each) => each.trim());
  if (!members.every((each) => tiers.includes(each))) return undefined;
  const isOwn =
    members.length > 1 || inputs.some(({ name: input, needsBy }) => input === members[0] && !needsBy);
  return { called: `${name}.${bare}`, isOwn };
}
