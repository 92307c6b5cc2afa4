import type { ListJobChoice } from '../../../api.ts';
import { type Condition, type Conditions, conditionsIn, wordOf } from './conditions.ts';
import { columnsOfHers, conditionsOf, type Filter, isTeam, type Scene } from './scene.ts';

/** Other conditions in a filter, and in a job. */

/** The condition in the place of what its column had. One that names no value is none. */
export function withCondition<Of extends Partial<Filter>>(filter: Of, condition: Condition): Of {
  const { column, how, values } = condition;
  const bare = withoutCondition(filter, column);
  const { only_if = {}, unless = {}, differs = {} } = bare;
  const [first] = values;
  if (how === 'blank' || how === 'filled') return { ...bare, only_if: { ...only_if, [column]: how } };
  if (first === undefined) return bare;
  if (how === 'differs') return { ...bare, differs: { ...differs, [column]: first } };
  // One value alone would be read as a word for all cells that are blank, or filled.
  const wanted = values.length === 1 && wordOf(first) === undefined ? first : [...values];
  return how === 'is'
    ? { ...bare, only_if: { ...only_if, [column]: wanted } }
    : { ...bare, unless: { ...unless, [column]: wanted } };
}

export function withoutCondition<Of extends Partial<Filter>>(filter: Of, column: string): Of {
  const without = <T>(of: Readonly<Record<string, T>> = {}) => {
    const { [column]: _, ...others } = of;
    return others;
  };
  const { only_if, unless, differs } = filter;
  return { ...filter, only_if: without(only_if), unless: without(unless), differs: without(differs) };
}

export function jobWith(
  job: ListJobChoice,
  { only_if, unless }: Pick<Filter, 'only_if' | 'unless'>,
): ListJobChoice {
  const { only_if: _, unless: __, ...others } = job;
  const some = (conditions: Conditions): Conditions | undefined =>
    Object.keys(conditions).length === 0 ? undefined : conditions;
  return { ...others, only_if: some(only_if), unless: some(unless) } as ListJobChoice;
}

/** Whether these are the conditions of the job, in whichever order. */
export const isOfJob = (job: ListJobChoice, filter: Filter): boolean =>
  JSON.stringify(inOrder(conditionsIn(conditionsOf(job)))) === JSON.stringify(inOrder(conditionsIn(filter)));

const inOrder = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.toSorted((one, other) => one.column.localeCompare(other.column));

/** Whether a start can have the conditions: they are about her own columns. */
export const isForStart = (scene: Scene, filter: Filter): boolean =>
  scene.isPlanning.value &&
  scene.list !== undefined &&
  !isTeam(scene) &&
  conditionsIn(filter).every(({ column, how }) => how !== 'differs' && columnsOfHers(scene).includes(column));
