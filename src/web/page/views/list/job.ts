import { type DescribedOperation, described, describedOperation } from '../../../../core/described.ts';
import { wantedOf } from '../../../../core/given.ts';
import type { ListJobChoice } from '../../../api.ts';

/**
 * What shall be done with a list: steps that are asked one after the other, each with its accounts, the
 * columns by which it is asked, and those that it fills. Every other form of a job is read as this one.
 */

type StepEntries = Exclude<NonNullable<ListJobChoice['operations']>, string[]>[string];

export interface Step extends Omit<StepEntries, 'account'> {
  readonly operation: string;
  readonly accounts: readonly string[];
}

/** Entries beside those of the steps are those of the only one. */
export function stepsOf(job: ListJobChoice): readonly Step[] {
  const { operation, operations = operation?.split(',') ?? [], account = [], waterfall, add } = job;
  const steps = Array.isArray(operations)
    ? operations.map((name): [string, StepEntries] => [name, { waterfall, add }])
    : Object.entries(operations);
  return steps.map(([name, step]) => {
    return { ...step, operation: name, accounts: [step.account ?? account].flat() };
  });
}

export function withSteps(job: ListJobChoice, steps: readonly Step[]): ListJobChoice {
  const { operation: _, operations: __, account: ___, waterfall: ____, add: _____, budget, ...others } = job;
  const limits = limitsOf(budget, steps);
  const keptChoice = { ...others, ...(limits && { budget: limits }) };
  const [only] = steps;
  // A team is never one of several steps, so that a job of one step has the short form.
  if (only !== undefined && steps.length === 1 && only.accounts.length <= 1 && !only.check && !only.accept) {
    const { accounts, ...step } = only;
    return { ...keptChoice, ...step, account: accounts[0] };
  }
  const entries = steps.map(({ operation, accounts, ...step }) => {
    return [operation, accounts.length > 0 ? { ...step, account: [...accounts] } : step];
  });
  return { ...keptChoice, operations: Object.fromEntries(entries) };
}

/** An account that is asked no more has no limit. */
function limitsOf(budget: ListJobChoice['budget'], steps: readonly Step[]): ListJobChoice['budget'] {
  const askedAccounts = steps.flatMap(({ accounts, check }) => [
    ...accounts,
    ...[check?.account ?? []].flat(),
  ]);
  const accounts = Object.entries(budget?.accounts ?? {}).filter(([name]) => askedAccounts.includes(name));
  return budget && accounts.length > 0 ? { ...budget, accounts: Object.fromEntries(accounts) } : undefined;
}

export const withStep = (job: ListJobChoice, step: Step): ListJobChoice =>
  withSteps(
    job,
    stepsOf(job).map((each) => (each.operation === step.operation ? step : each)),
  );

export const operationsOf = (job: ListJobChoice): readonly string[] =>
  stepsOf(job).map(({ operation }) => operation);

export const isFill = ({ on_existing: existing }: ListJobChoice): boolean => existing === 'fill';

/** Columns by the values of answers, each with its step in front: `enrich-company.city` → `City`. */
export type Added = ReadonlyMap<string, string>;

export const addedIn = (job: ListJobChoice): Added =>
  new Map(
    stepsOf(job).flatMap(({ operation, add = {} }) =>
      Object.entries(add).map(([column, value]) => [`${operation}.${value}`, column] as const),
    ),
  );

export function withAdded(job: ListJobChoice, added: Added): ListJobChoice {
  const steps = stepsOf(job).map((step) => {
    const addedByStep = [...added].filter(([field]) => field.startsWith(`${step.operation}.`));
    const add = addedByStep.map(([field, column]) => [column, field.slice(step.operation.length + 1)]);
    return { ...step, add: addedByStep.length === 0 ? undefined : Object.fromEntries(add) };
  });
  return withSteps(job, steps);
}

/** What can be done, and may be one step of several. */
export const findings = (): readonly string[] => namesOf(({ offered }) => offered.finds);

/** What fills blanks; what finds a single value comes first. */
export const fillings = (): readonly string[] =>
  namesOf(({ offered }) => offered.fills !== undefined).toSorted(
    (one, other) => Number(wantedOf(other) !== undefined) - Number(wantedOf(one) !== undefined),
  );

/** What finds several for each row, and so is none of several steps. */
export const searching = (): readonly string[] => namesOf(({ resultsFile }) => resultsFile === 'people');

export const teaming = (): readonly string[] => namesOf(({ offered }) => offered.team);

const namesOf = (isMeant: (operation: DescribedOperation) => boolean): readonly string[] =>
  described().flatMap((each) => (isMeant(each) ? each.name : []));

export const isOfTeam = (operation: string): boolean => describedOperation(operation)?.vendor === 'service';

/** The inputs of an operation, the surest first. */
export const inputsOf = (operation: string): readonly string[] => describedOperation(operation)?.inputs ?? [];

/** The name of an input, or of a value, without that of its step. */
export const bareName = (name: string): string => name.replace(/^[a-z]+-[a-z]+\./, '');

/** Stands before an input where the job has several steps. */
const prefixOf = (job: ListJobChoice, operation: string): string =>
  operationsOf(job).length > 1 ? `${operation}.` : '';

/** Columns by the inputs of a step, in the order in which it is asked by them. */
type InputColumns = ReadonlyMap<string, string>;

/** The column of an input that is left unread. */
export const UNREAD = '';

/** A website is asked by its domain, as it is without an order: a site is not asked about twice. */
export const tierOf = (input: string, columnsByInput: InputColumns): string =>
  input === 'website' && !columnsByInput.has('domain') ? 'domain' : input;

export type Columns = NonNullable<ListJobChoice['columns']>;

/** What is said of the inputs of a step, whose names may have that of the step in front. */
export const namedFor = (columns: Columns = {}, { operation }: Step): Columns =>
  Object.fromEntries(
    inputsOf(operation).flatMap((input) => {
      const column = columns[`${operation}.${input}`] ?? columns[input];
      return column === undefined ? [] : [[input, column]];
    }),
  );

export function inputColumnsOf({ columns }: ListJobChoice, step: Step): InputColumns {
  const inputs = Object.entries(namedFor(columns, step)).filter(([, column]) => column !== UNREAD);
  const columnsByInput = new Map(inputs);
  if (step.waterfall === undefined) return columnsByInput;
  return new Map(
    step.waterfall.flatMap((tier) => inputs.filter(([input]) => tierOf(input, columnsByInput) === tier)),
  );
}

/** The columns of a job, of which each step names its own. */
export const columnsBy = (job: ListJobChoice, namedOf: (step: Step) => Columns): Columns =>
  Object.fromEntries(
    stepsOf(job).flatMap((step) =>
      Object.entries(namedOf(step)).map(([input, column]) => [prefixOf(job, step.operation) + input, column]),
    ),
  );

/**
 * Names columns for inputs of a step, beside all others that are used: where one is named, none is guessed.
 * @param order of what is asked by. Left out: what is surest comes first.
 */
export function withAsked(job: ListJobChoice, step: Step, named: Columns, order?: string[]): ListJobChoice {
  const columns = columnsBy(job, (each) => {
    return { ...namedFor(job.columns, each), ...(each.operation === step.operation ? named : {}) };
  });
  return { ...withStep(job, { ...step, waterfall: order }), columns };
}

/** A job beside one of before. A new step is asked by what fits it, and by the columns that she has named. */
export function jobBeside(
  before: ListJobChoice,
  job: ListJobChoice,
  recognisedBy: (operation: string) => Columns,
): ListJobChoice {
  if (before.columns === undefined) return job;
  const known = operationsOf(before);
  const named = Object.entries(before.columns);
  const ofAll = Object.fromEntries(
    named.flatMap(([input, column]) => (OF_ONE.includes(bareName(input)) ? [] : [[bareName(input), column]])),
  );
  const columns = columnsBy(job, (step) =>
    known.includes(step.operation)
      ? namedFor(before.columns, step)
      : { ...recognisedBy(step.operation), ...namedFor(ofAll, step) },
  );
  return { ...job, columns };
}

/** The pages of a person are none of a company, so that another step is not asked by them. */
const OF_ONE = ['profile_url', 'profile_slug'];

/** The value by its path in an answer, which has the step in front where the job has several. */
export const fieldIn = (job: ListJobChoice, path: string): string =>
  operationsOf(job).length > 1 ? path : `${operationsOf(job)[0]}.${bareName(path)}`;

/** The ways to read a list, as the commands take them beside its id. */
export const readingOf = ({ read, country }: ListJobChoice): object => ({ ...read, country });
