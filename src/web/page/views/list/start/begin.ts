import type { ListDescription, ListJobChoice } from '../../../../api.ts';
import { sumOf } from '../../../parts/figures.ts';
import { recognisedFor } from '../columns.ts';
import { firstOf, proposedFor } from '../fields.ts';
import {
  addedIn,
  findings,
  isFill,
  jobBeside,
  type Step,
  stepsOf,
  teaming,
  withAdded,
  withSteps,
} from '../job.ts';
import type { Scene } from '../scene.ts';
import { type Accounts, canDo, isPlay } from './accounts.ts';

/** What is done with a list, as it begins. */

export const AT_COMPANIES = 'Find people at these companies';

/** A step with the account that fits: her own come before play money, and no list is asked with both. */
function stepWith(accounts: Accounts, operation: string, beside: readonly Step[]): Step {
  const able = accounts.filter((account) => canDo(account, operation));
  const first = able.find(({ sandbox }) => sandbox === isPlay(beside, accounts)) ?? able[0];
  return { operation, accounts: first === undefined ? [] : [first.name] };
}

/**
 * Begins with the list as it is read. What is done beside something of before is asked by the same columns.
 * @param fills whether the blanks of her columns are filled.
 */
export function jobFor(
  scene: Scene,
  accounts: Accounts,
  names: readonly string[],
  fills = false,
): ListJobChoice {
  const { read, country, repair, only_if, unless } = scene.job;
  const before = isFill(scene.job) === fills ? stepsOf(scene.job) : [];
  const steps: Step[] = [];
  for (const name of names)
    steps.push(before.find(({ operation }) => operation === name) ?? stepWith(accounts, name, steps));
  const bare = withSteps({ read, country, repair, only_if, unless }, steps);
  const isBeside = before.some((step) => steps.includes(step));
  const job = isBeside ? jobBeside(scene.job, bare, (name) => recognisedFor(scene, name)) : bare;
  if (!fills) return job;
  const filling = { ...job, on_existing: 'fill' as const };
  const blank = steps.filter(({ add }) => add === undefined).flatMap(({ operation }) => firstOf(operation));
  const added = proposedFor({ ...scene, job: filling }, blank);
  return withAdded(filling, new Map([...addedIn(filling), ...added]));
}

/** What fits best: a team, else what most rows can be asked for, by the most of their cells. */
export function fittingBest(list: ListDescription): string | undefined {
  const fitting = list.operations.filter(({ problem }) => problem === null);
  const [team] = teaming().filter((name) => fitting.some(({ operation }) => operation === name));
  if (team !== undefined) return team;
  const usedFor = (name: string) => {
    const names = Object.values(fitting.find(({ operation }) => operation === name)?.columns ?? {});
    return list.columns.filter((column) => names.includes(column.name));
  };
  const cellsFor = (name: string): number => sumOf(usedFor(name).map(({ filled }) => filled));
  const placeOf = (name: string): number =>
    list.columns.findIndex((column) => usedFor(name).includes(column));
  const [best] = findings()
    .filter((name) => fitting.some(({ operation }) => operation === name))
    .toSorted(
      (one, other) =>
        rowsFor(list, other) - rowsFor(list, one) ||
        cellsFor(other) - cellsFor(one) ||
        // What a list is about stands before what stands beside it.
        placeOf(one) - placeOf(other),
    );
  return best;
}

/** The rows with a cell by which an operation could ask; 0 where it cannot. */
export function rowsFor({ operations, columns }: ListDescription, name: string): number {
  const fit = operations.find(({ operation }) => operation === name);
  if (fit === undefined || fit.problem !== null) return 0;
  const used = columns.filter((column) => Object.values(fit.columns).includes(column.name));
  return Math.max(0, ...used.map(({ filled }) => filled));
}
