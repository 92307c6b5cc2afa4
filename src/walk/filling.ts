import { finding, NO_FINDINGS, together } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import { foreignName } from '../core/plain-text.ts';
import { type InputRow, RowCount, type RowNumber } from '../core/row.ts';
import { lackingIn, type RowStep, type RowSteps, type WantedColumn } from '../core/steps.ts';
import { kindOfFilled } from '../files/columns/column-kind.ts';
import type { InputColumns } from '../files/quality/job-issues.ts';
import type { Job } from '../job/job.ts';
import type { SkippedByObject } from '../objects/plan-object.ts';
import { withoutTextMark } from '../values/cell-text.ts';
import type { KindName } from '../values/kind.ts';
import { isFilled, problemOf } from '../values/kinds.ts';
import type { PreparedRow } from './row-preparer.ts';

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
  readonly findings: Findings;
}

/** @returns undefined for a row that no condition leaves out. */
export function leavingOut(
  job: Conditions,
  header: readonly string[],
): (cells: InputRow['cells']) => LeavingOut | undefined {
  const conditions = conditionsOf(job).map((condition) => ({
    ...condition,
    at: header.indexOf(condition.column),
    holds: holding(condition.wanted, kindOfFilled(condition.column)),
  }));
  return (cells) => {
    const cellAt = (at: number): string => cells[at] ?? '';
    const found = conditions.find(({ entry, at, holds }) => holds(cellAt(at)) !== (entry === 'only_if'));
    if (found === undefined) return undefined;
    const { name, entry: by, column, at } = found;
    return { by: name, findings: finding('left_out', { by, column, cell: withoutTextMark(cellAt(at)) }) };
  };
}

function holding(wanted: Wanted, kind: KindName | undefined): (cell: string) => boolean {
  if (typeof wanted === 'string' && compared(wanted) === 'filled') return (cell) => isFilled(cell, kind);
  const texts = new Set([wanted].flat().map(compared));
  const isBlankWanted = texts.has('blank');
  return (cell) => texts.has(compared(cell)) || (isBlankWanted && !isFilled(cell, kind));
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

// --------------------------------------------------------------------------------------- what a job fills

/** Which cells a job fills, and what is left of that for a row of the list. */

/**
 * The rows of a list that would get nothing, because all columns of `add` are there and stay as they are:
 * those in which none of these cells is blank. Undefined where each row may get something.
 */
export function fillingOf({ operation, add = {}, on_existing: onExisting }: Job, header: readonly string[]) {
  if (onExisting === undefined || onExisting === 'replace') return undefined;
  if (operation.change !== undefined || operation.resultsFile !== undefined) return undefined;
  const names = header.map((name) => name.toLowerCase());
  const cells = Object.entries(add).map(([name, path]) => ({
    at: names.indexOf(name.toLowerCase()),
    kind: kindOfFilled(name, path),
  }));
  if (cells.length === 0 || cells.some(({ at }) => at < 0)) return undefined;
  const columns = cells.map(({ at }) => header[at] ?? '');
  if (onExisting === 'keep') {
    const nothingToFill = finding('nothing_to_fill', { columns, filled: false });
    return { cells: [], whyFull: () => nothingToFill };
  }
  const filled = finding('nothing_to_fill', { columns, filled: true });
  return {
    cells,
    /** Why the row would get nothing; undefined where it may get something. */
    whyFull(ownCells: InputRow['cells']): Findings | undefined {
      if (!cells.every(({ at, kind }) => isFilled(ownCells[at] ?? '', kind))) return undefined;
      const odd = cells.flatMap(({ at, kind }) => {
        const cell = ownCells[at] ?? '';
        const problem = kind && problemOf(cell, kind);
        if (problem === undefined) return [];
        const { code, ...about } = problem;
        const text = cell.trim().slice(0, LONGEST_QUOTE);
        return finding('filled_oddly', { column: header[at] ?? '', cell: text, problem: code, ...about });
      });
      return together(odd, filled);
    },
  };
}

const LONGEST_QUOTE = 80;

interface FilledCell {
  /** Its position in the list; -1 where the list has no such column. */
  readonly cell: number;
  readonly kind: KindName | undefined;
}

type ReadyRow = Extract<PreparedRow, { readonly kind: 'ready' }>;

/** What the steps of a job fill in the rows of one list. Undefined for a job of one step with one account. */
export function stepsFilling(
  { operation, add = {}, on_existing: onExisting }: Job,
  { header, columns }: Pick<InputColumns, 'header' | 'columns'>,
) {
  if (operation.steps === undefined) return undefined;
  const names = header.map((name) => name.toLowerCase());
  const wanted = new Map<string, readonly (WantedColumn & FilledCell)[]>();
  const fed: Record<string, string> = {};
  for (const { name } of operation.steps) {
    for (const [input, column] of Object.entries(columns)) {
      const feeding = [...wanted.values()].flat().find((each) => isSame(each.column, column));
      if (feeding !== undefined && input.startsWith(`${name}.`)) fed[input] = feeding.column;
    }
    const ownColumns = Object.entries(add).flatMap(([column, path]) => {
      if (!path.startsWith(`${name}.`)) return [];
      const stays = onExisting === 'fill' || onExisting === 'keep';
      const cell = stays ? names.indexOf(column.toLowerCase()) : -1;
      return [{ column, path: path.slice(name.length + 1), cell, kind: kindOfFilled(column, path) }];
    });
    wanted.set(name, ownColumns);
  }
  const isOfSeveral = operation.steps.some(
    ({ askedOperations = [], check, accepts }) =>
      askedOperations.length > 1 || check !== undefined || accepts !== undefined,
  );
  const isRead = isOfSeveral || Object.keys(fed).length > 0;
  const leftOf = (step: RowStep, cells: InputRow['cells']): RowStep | undefined => {
    const ownColumns = wanted.get(step.name ?? '') ?? [];
    const wants = ownColumns.filter(
      ({ cell, kind }) => cell < 0 || (onExisting === 'fill' && !isFilled(cells[cell] ?? '', kind)),
    );
    if (ownColumns.length > 0 && wants.length === 0) return undefined; // rule fill-list
    return isRead && ownColumns.length > 0 ? { ...step, wants } : step;
  };
  const inList = [...wanted].flatMap(([step, wantedColumns]) => {
    const cells = wantedColumns.flatMap(({ cell }) => (cell < 0 ? [] : [cell]));
    return cells.length === 0 ? [] : [[step, onExisting === 'fill' ? cells : []] as const];
  });
  return {
    fed,
    /** Whether what is asked depends on the cells that an answer fills. */
    isRead,
    /**
     * The positions of the cells of the list that decide which steps a row has, by the names of the steps.
     * Undefined: none does.
     */
    skips: inList.length === 0 ? undefined : Object.fromEntries(inList),
    /** The columns that a step may fill. */
    wantedOf: (step: string): readonly WantedColumn[] => wanted.get(step) ?? [],
    /** The row without the steps whose columns the list has filled already. */
    withoutFilled(ready: ReadyRow, { cells }: InputRow): PreparedRow {
      const { steps, lacking: blank } = ready.input as RowSteps;
      const remainingSteps: RowStep[] = [];
      const lacking = [...blank];
      for (const each of steps) {
        const step = leftOf(each, cells);
        if (step !== undefined && mayBeAsked(step, remainingSteps)) remainingSteps.push(step);
        else if (step !== undefined)
          lacking.push({ name: step.name ?? '', findings: step.accounts[0]?.findings ?? NO_FINDINGS });
      }
      return remainingSteps.length === 0
        ? { kind: 'invalid', findings: lackingIn(lacking) }
        : { ...ready, input: { steps: remainingSteps, lacking } };
    },
  };
}

/** Whether the row has what a step asks by, or a step before fills that. */
function mayBeAsked({ accounts, fed = {} }: RowStep, before: readonly RowStep[]): boolean {
  const filled = before.flatMap(({ wants = [] }) => wants.map(({ column }) => column));
  return (
    accounts.some(({ input }) => input !== undefined) ||
    Object.values(fed).some((each) => filled.includes(each))
  );
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
