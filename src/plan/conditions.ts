import { foreignName } from '../core/plain-text.ts';
import { type InputRow, LEAVES_OUT, RowCount, type RowNumber } from '../core/row.ts';
import type { Job } from '../job/job.ts';
import type { SkippedByObject } from '../objects/plan-object.ts';
import { isBlankCell, withoutTextMark } from '../operations/lookup/identifiers.ts';

/**
 * The conditions of a job, which are the columns of `only_if` and `unless`. A row that one of them leaves out
 * is skipped, and costs nothing. The text of a cell decides, so no row needs the ledger for it.
 */

export type Conditions = Pick<Job, 'only_if' | 'unless'>;
type Wanted = NonNullable<Conditions['only_if']>[string];

interface Condition {
  /** `only_if "Country"`, as a plan counts it. */
  readonly name: string;
  readonly entry: keyof Conditions;
  readonly column: string;
  readonly wanted: Wanted;
}

function conditionsOf(job: Conditions): readonly Condition[] {
  const of = (entry: keyof Conditions): readonly Condition[] =>
    Object.entries(job[entry] ?? {}).map(([column, wanted]) => {
      return { name: `${entry} ${foreignName(column)}`, entry, column, wanted };
    });
  return [...of('only_if'), ...of('unless')];
}

/** The condition that leaves a row out, and the reason of the row, which says its cell. */
interface LeavingOut {
  readonly by: string;
  readonly reason: string;
}

/** @returns undefined for a row that no condition leaves out. */
export function leavingOut(
  job: Conditions,
  header: readonly string[],
): (cells: InputRow['cells']) => LeavingOut | undefined {
  const conditions = conditionsOf(job).map((condition) => ({
    ...condition,
    at: header.indexOf(condition.column),
    holds: holding(condition.wanted),
  }));
  return (cells) => {
    const cellAt = (at: number): string => cells[at] ?? '';
    const found = conditions.find(({ entry, at, holds }) => holds(cellAt(at)) !== (entry === 'only_if'));
    if (found === undefined) return undefined;
    const { name, entry, column, at } = found;
    const text = withoutTextMark(cellAt(at));
    const is = text === '' ? 'blank' : foreignName(text);
    return { by: name, reason: `${entry}${LEAVES_OUT}${foreignName(column)} is ${is}` };
  };
}

function holding(wanted: Wanted): (cell: string) => boolean {
  if (typeof wanted === 'string' && compared(wanted) === 'filled') return (cell) => !isBlankCell(cell);
  const texts = new Set([wanted].flat().map(compared));
  const isBlankWanted = texts.has('blank');
  return (cell) => texts.has(compared(cell)) || (isBlankWanted && isBlankCell(cell));
}

const compared = (text: string): string => withoutTextMark(text).toLowerCase();

/** Names the rows that `on_existing` skips, where a plan counts those that conditions leave out. */
export const BY_ON_EXISTING = 'on_existing';

/**
 * Counts the rows that each condition of a job leaves out, and beside them those that `on_existing` skips. A
 * condition without rows may be misspelt, so it is shown.
 */
export class SkippedBy {
  readonly #counts: ReadonlyMap<string, RowCount>;

  constructor(job: Conditions & Pick<Job, 'on_existing'>) {
    const names = conditionsOf(job).map(({ name }) => name);
    const skips = job.on_existing !== undefined && job.on_existing !== 'replace';
    if (names.length > 0 && skips) names.push(BY_ON_EXISTING);
    this.#counts = new Map(names.map((name) => [name, new RowCount()]));
  }

  add(row: RowNumber, by: string | undefined): void {
    this.#counts.get(by ?? '')?.add(row);
  }

  /** Undefined for a job without conditions. */
  all(): SkippedByObject[] | undefined {
    const all = [...this.#counts].map(([by, { count, first_rows }]) => ({ by, count, first_rows }));
    return all.length === 0 ? undefined : all;
  }
}
