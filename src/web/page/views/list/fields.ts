import { describedCall, describedOperation } from '../../../../core/described.ts';
import { columnWords, paidWords, whatWords } from '../../../../files/output/summary-words.ts';
import { grouped } from '../../parts/figures.ts';
import { type Column, isBought } from './columns.ts';
import { type Added, addedIn, bareName, isFill } from './job.ts';
import type { Scene } from './scene.ts';

/** Which values of the answers she wants, and the names of their columns. A value has its step in front. */

/** The value with which it begins to fill blanks; none of a step that fills none. */
export const firstOf = (operation: string): readonly string[] => {
  const { fills } = describedOperation(operation)?.offered ?? {};
  return fills === undefined ? [] : [`${operation}.${fills}`];
};

/** What an answer can have by our names. What finds a single value has no other. */
export function valuesOf(operation: string): readonly string[] {
  const first = firstOf(operation);
  const { gives, wants } = describedCall(operation);
  if (wants !== undefined || gives === 'any') return first;
  return [...new Set([...first, ...gives.map((value) => `${operation}.${value}`)])];
}

export const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * Names for columns: no two alike, none that another step fills, and of hers only those that shall be filled.
 * @param keptColumns other names that are not proposed.
 */
export function proposedFor(
  { job, described }: Pick<Scene, 'job' | 'described'>,
  fields: readonly string[],
  keptColumns: readonly string[] = [],
): Added {
  const hers = described.value?.columns.toSorted((one, other) => other.filled - one.filled) ?? [];
  const others = [...addedIn(job)].flatMap(([field, column]) => (fields.includes(field) ? [] : column));
  const taken = [...keptColumns, ...others, ...(isFill(job) ? [] : hers.map(({ name }) => name))];
  const isFree = (column: string): boolean => !taken.some((each) => isSame(each, column));
  const proposed = new Map<string, string>();
  for (const field of fields) {
    const alike = hers.find((each) => isFill(job) && each.contact === bareName(field) && isFree(each.name));
    const column = alike?.name ?? columnWords(field).find(isFree) ?? field;
    proposed.set(field, column);
    taken.push(column);
  }
  return proposed;
}

export const SHOWN_FIRST = 6;

/** The columns that each step has found beyond the first ones, where she has not chosen which she wants. */
export function namesBeyond({ job }: Scene, columns: readonly Column[]): readonly string[] {
  const found = addedIn(job).size === 0 ? columns.filter(isBought) : [];
  const ofSteps = Map.groupBy(found, ({ operation, isBelow }) => `${operation} ${isBelow}`);
  return [...ofSteps.values()].flatMap((all) => all.slice(SHOWN_FIRST).map(({ name }) => name));
}

export const whatOf = (field: string): string => whatWords(field.split('.')[0] ?? field);

/** What a few rows brought and cost: `20 of 20 found, 19 credits`. */
export const triedWords = ({ rows, matched }: NonNullable<Scene['tried']>, batch: Scene['batch']): string =>
  `${grouped(matched)} of ${grouped(rows)} found${batch?.has_costs ? `, ${paidWords(batch)}` : ''}`;
