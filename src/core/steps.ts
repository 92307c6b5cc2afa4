import { invariant, stop } from './errors.ts';
import { about, NO_FINDINGS, together } from './finding.ts';
import type { Findings } from './findings.ts';
import type { EmailVerdict } from './given.ts';
import { present } from './objects.ts';
import type { AddressCheck, Checker, Operation, OperationOptions, Prepared, RowInput } from './operation.ts';
import type { Outcome, OutcomeKind } from './row.ts';

/**
 * Several things to find for a row are steps, one after the other. Together they are one operation. Its name
 * has the names of its steps with commas between them, and each input has the name of its step in front:
 * `enrich-person.email`.
 */

/** No step, and no row of lookups, needs more calls: more is a mistake of the operation or of the job. */
export const MOST_CALLS = 20;

/** Whether a row of a batch goes on where one of its calls is left out. */
export const asksSeveral = (batch: {
  readonly operation: string;
  readonly accounts: readonly unknown[];
}): boolean => stepNames(batch.operation).length > 1 || batch.accounts.length > 1;

export const stepNames = (operation: string): readonly string[] => operation.split(',');

/** `person` for `enrich-person`. It follows the name of a column that is taken. */
export const suffixOf = (step: string): string => step.split('-').at(-1) ?? step;

/** `email` for `enrich-person.email`, and for `email`. */
export const inputOf = (name: string): string => name.replace(/^[a-z]+-[a-z]+\./, '');

/** The steps of an operation; the operation itself where it is a single one. */
export const stepsOf = (operation: Operation): readonly Operation[] => operation.steps ?? [operation];

export function inSteps(steps: readonly Operation[]): Operation {
  const [first] = steps;
  invariant(first !== undefined, 'there is at least one step');
  return {
    name: steps.map(({ name }) => name).join(','),
    summary: steps.map(({ summary }) => summary).join(' '),
    vendor: first.vendor,
    described: {
      ...first.described,
      calls: Object.assign({}, ...steps.map(({ described }) => described.calls)),
    },
    steps,
    inputs: steps.flatMap(({ name, inputs }) =>
      inputs.map((input) => ({ ...input, name: `${name}.${input.name}` })),
    ),
    tiers: steps.flatMap(({ name, tiers }) => tiers.map((tier) => `${name}.${tier}`)),
    ...shapedSteps(steps),
    preparer: (options) => stepsPreparer(steps, options),
    next() {
      throw new Error('Rowonce has a bug: each step is asked by itself');
    },
  };
}

/** What the job says for one of the steps alone: a request of its own. */
function shapedSteps(steps: readonly Operation[]): Pick<Operation, 'settings' | 'shapedBy'> {
  if (steps.every(({ shapedBy }) => shapedBy === undefined)) return {};
  return {
    settings: Object.fromEntries(steps.flatMap(({ settings = {} }) => Object.entries(settings))),
    shapedBy: (given, mapped = []) =>
      inSteps(steps.map((step) => stepShaped(step.shapedBy?.(given, wordsOf(step, mapped)) ?? step))),
  };
}

function stepShaped(step: Operation): Operation {
  if (step.change === undefined) return step;
  const fact = `${step.name} changes something at the vendor, and steps read.`;
  throw stop('job', fact, 'Give it a job of its own.');
}

/** An account that a step asks about a row. */
export interface StepAccount {
  /** The position of the account among those of the job. */
  readonly account: number;
  readonly operation: Operation;
  /** Undefined where the cells of the row are not enough to ask, for that reason. */
  readonly input: unknown;
  readonly findings?: Findings;
  readonly remark?: Findings;
  /** Prepares the input again, with cells that an earlier step has filled. */
  readonly prepare?: (filled: RowInput) => Prepared<unknown>;
}

/** A column of `add` that a step may fill, with the path of its value in an answer. */
export interface WantedColumn {
  readonly column: string;
  readonly path: string;
}

/** A checker with what prepares its input. */
export type RowChecker = Checker & { readonly prepare: (cells: RowInput) => Prepared<unknown> };

export interface RowCheck extends AddressCheck {
  readonly checkers: readonly RowChecker[];
}

/** A step of a row: an operation, or a change in one of the projects that the row names. */
export interface RowStep {
  /** Stands before the outcome of the step, where the row has other steps. */
  readonly name?: string | undefined;
  readonly accounts: readonly StepAccount[];
  /** The outcome from planning. */
  readonly ended?: Outcome | undefined;
  /** The blank inputs of the row that an earlier step may fill, each with its column. */
  readonly fed?: Readonly<Record<string, string>>;
  /** How the address is checked that the step finds. Left out: it is not. */
  readonly check?: RowCheck;
  /** The finder's own verdicts with which its address is taken. Left out: all of them. */
  readonly accepts?: readonly EmailVerdict[];
  /** The columns that the row still needs of the step. Left out: whatever is found is enough. */
  readonly wants?: readonly WantedColumn[];
}

/** The steps of a row. A step for which the row has nothing is left out. */
export interface RowSteps {
  readonly steps: readonly RowStep[];
  /** Why steps are left out. */
  readonly lacking: readonly LackingStep[];
}

export interface LackingStep {
  readonly name: string;
  readonly findings: Findings;
  /** The fault of its cells, for a row that is done all the same; left out where the row has none. */
  readonly remark?: Findings | undefined;
}

export const lackingIn = (lacking: readonly LackingStep[]): Findings =>
  together(...lacking.map(({ name, findings }) => about({ step: name }, findings)));

function stepsPreparer(
  steps: readonly Operation[],
  options: OperationOptions,
): (row: RowInput) => Prepared<RowSteps> {
  const preparers = steps.map((step) => stepPreparer(step, options));
  return (row) => {
    const ready: RowStep[] = [];
    const lacking: LackingStep[] = [];
    for (const prepare of preparers) {
      const prepared = prepare(row);
      if ('accounts' in prepared) ready.push(prepared);
      else lacking.push(prepared);
    }
    if (ready.length === 0) return { kind: 'invalid', findings: lackingIn(lacking) };
    return { kind: 'ready', input: { steps: ready, lacking } };
  };
}

function stepPreparer(
  step: Operation,
  { waterfall = [], unaskable = [], profiles = [], fed = {}, ...options }: OperationOptions,
): (row: RowInput) => RowStep | LackingStep {
  const { name, check: stepCheck, accepts } = step;
  const check = stepCheck && {
    ...stepCheck,
    checkers: stepCheck.checkers.map((each) => ({ ...each, prepare: each.operation.preparer(options) })),
  };
  const named = { name, ...present({ check, accepts }) };
  const tiers = wordsOf(step, waterfall);
  const ownOptions = tiers.length === 0 ? options : { ...options, waterfall: tiers };
  const ofOne = { unaskable: wordsOf(step, unaskable), profiles: wordsOf(step, profiles) };
  const accounts = step.askedOperations ?? [{ account: 0, operation: step, ...ofOne }];
  const preparers = accounts.map((each) => ({
    ...each,
    prepare: each.operation.preparer({
      ...ownOptions,
      unaskable: each.unaskable,
      profiles: each.profiles ?? [],
    }),
  }));
  const columns = Object.entries(entriesOf(step, fed));
  const isBlank = (input: string, cell: string): boolean =>
    step.inputs.find(({ name }) => name === input)?.isBlank?.(cell) ?? cell.trim() === '';
  return (row) => {
    const cells = entriesOf(step, row);
    const blank = Object.fromEntries(columns.filter(([input]) => isBlank(input, cells[input] ?? '')));
    if (Object.keys(blank).length > 0) {
      const later = preparers.map((each) => ({
        ...stepAccountOf(each, cells),
        prepare: (filled: RowInput) => each.prepare({ ...cells, ...filled }),
      }));
      return { ...named, accounts: later, fed: blank };
    }
    const all = preparers.map((each) => stepAccountOf(each, cells));
    const ready = all.filter(({ input }) => input !== undefined);
    if (ready.length > 0) return { ...named, accounts: ready };
    const { findings = NO_FINDINGS, remark = findings } = all[0] ?? {};
    const hasCell = Object.values(cells).some((cell) => cell.trim() !== '');
    return { name, findings, remark: hasCell ? remark : undefined };
  };
}

type PreparedAccount = Pick<StepAccount, 'account' | 'operation'> & {
  readonly prepare: (row: RowInput) => Prepared<unknown>;
};

function stepAccountOf({ account, operation, prepare }: PreparedAccount, cells: RowInput): StepAccount {
  const prepared = prepare(cells);
  const stepAccount = { account, operation };
  return prepared.kind === 'ready'
    ? { ...stepAccount, input: prepared.input }
    : {
        ...stepAccount,
        input: undefined,
        findings: prepared.findings,
        ...present({ remark: prepared.remark }),
      };
}

/** The entries of one step, under its own names, from entries named by their steps. */
export function entriesOf<Value>(
  { name }: Pick<Operation, 'name'>,
  entries: Readonly<Record<string, Value>>,
): Record<string, Value> {
  const ownEntries = Object.entries(entries).filter(([key]) => key.startsWith(`${name}.`));
  return Object.fromEntries(ownEntries.map(([key, value]) => [key.slice(name.length + 1), value]));
}

export function wordsOf({ name }: Pick<Operation, 'name'>, words: readonly string[]): readonly string[] {
  return words.flatMap((word) => (word.startsWith(`${name}.`) ? [word.slice(name.length + 1)] : []));
}

export interface StepEnd extends Pick<RowStep, 'name'> {
  readonly outcome: Outcome;
}

/** A row has the first of these outcomes that one of its steps has. */
const FIRST = [
  'in_doubt',
  'refused',
  'invalid',
  'skipped',
  'matched',
  'no_match',
  'applied',
  'unchanged',
] as const satisfies readonly OutcomeKind[];

export function outcomeOf(ends: readonly StepEnd[]): Outcome {
  const [only] = ends;
  if (only !== undefined && ends.length === 1 && only.name === undefined) return only.outcome;
  const kind = FIRST.find((each) => ends.some(({ outcome }) => outcome.kind === each));
  invariant(kind !== undefined, 'a step ends so that its row can');
  const matchedBy = ends.flatMap(({ outcome }) => outcome.matchedBy ?? []);
  return {
    kind,
    ...(matchedBy.length === 0 ? {} : { matchedBy: matchedBy.join('; ') }),
    findings: together(
      ...ends.map(({ name, outcome }) =>
        name === undefined ? outcome.findings : about({ step: name }, outcome.findings),
      ),
    ),
  };
}
