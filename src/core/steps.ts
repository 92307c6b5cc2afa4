import { invariant } from './errors.ts';
import type { Operation, OperationOptions, Prepared, RowInput } from './operation.ts';
import { matchedByIn, type Outcome, type OutcomeKind } from './row.ts';

/**
 * Several things to find for a row are steps, one after the other. Together they are one operation. Its name
 * has the names of its steps with commas between them, and each input has the name of its step in front:
 * `enrich-person.email`.
 */

/** No step, and no row of lookups, needs more calls: more is a mistake of the operation or of the job. */
export const MOST_CALLS = 20;

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
    steps,
    inputs: steps.flatMap(({ name, inputs }) =>
      inputs.map((input) => ({ ...input, name: `${name}.${input.name}` })),
    ),
    tiers: steps.flatMap(({ name, tiers }) => tiers.map((tier) => `${name}.${tier}`)),
    preparer: (options) => stepsPreparer(steps, options),
    next() {
      throw new Error('Rowonce has a bug: each step is asked by itself');
    },
  };
}

/** An operation, or a change in one of the projects that a row names. */
export interface RowStep {
  /** Stands before the outcome of the step, where the row has other steps. */
  readonly name?: string | undefined;
  readonly operation: Operation;
  readonly input: unknown;
  /** The outcome from planning. */
  readonly ended?: Outcome | undefined;
}

/** The steps of a row. A step for which the row has nothing is left out. */
export interface RowSteps {
  readonly steps: readonly RowStep[];
  /** The problems with the cells of steps that are left out. */
  readonly remark?: string;
}

function stepsPreparer(
  steps: readonly Operation[],
  { waterfall, unaskable, ...options }: OperationOptions,
): (row: RowInput) => Prepared<RowSteps> {
  const preparers = steps.map((operation) => {
    const tiers = waterfall && wordsOf(operation, waterfall);
    return operation.preparer({
      ...options,
      ...(tiers?.length ? { waterfall: tiers } : {}),
      unaskable: wordsOf(operation, unaskable ?? []),
    });
  });
  return (row) => {
    const ready: RowStep[] = [];
    const nothing: string[] = [];
    const damaged: string[] = [];
    for (const [at, operation] of steps.entries()) {
      const cells = entriesOf(operation, row);
      const prepared = preparers[at]?.(cells);
      if (prepared?.kind === 'ready') {
        ready.push({ name: operation.name, operation, input: prepared.input });
        continue;
      }
      const reason = `${operation.name}: ${prepared?.reason}`;
      nothing.push(reason);
      if (Object.values(cells).some((cell) => cell.trim() !== '')) damaged.push(reason);
    }
    if (ready.length === 0) return { kind: 'invalid', reason: nothing.join('; ') };
    const remark = damaged.length === 0 ? {} : { remark: damaged.join('; ') };
    return { kind: 'ready', input: { steps: ready, ...remark } };
  };
}

/** The entries of one step, under its own names, from entries named by their steps. */
export function entriesOf<Value>(
  { name }: Pick<Operation, 'name'>,
  entries: Readonly<Record<string, Value>>,
): Record<string, Value> {
  const own = Object.entries(entries).filter(([key]) => key.startsWith(`${name}.`));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(name.length + 1), value]));
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
  const reasons = ends.flatMap(({ name, outcome: { reason } }) =>
    reason === undefined ? [] : [name === undefined ? reason : `${name}: ${reason}`],
  );
  const matchedBy = ends.flatMap(({ outcome }) => matchedByIn(outcome) ?? []);
  return {
    kind,
    ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }),
    ...(matchedBy.length === 0 ? {} : { matchedBy: matchedBy.join('; ') }),
  } as Outcome;
}
