import type { JsonObject, OperationOptions } from '../core/operation.ts';
import { foreignName, listed } from '../core/plain-text.ts';
import { type InputRow, SO_NOTHING } from '../core/row.ts';
import { lackingWords, type RowStep, type RowSteps, type WantedColumn } from '../core/steps.ts';
import type { InputColumns } from '../files/quality/job-issues.ts';
import type { Job } from '../job/job.ts';
import { isBlankCell } from '../operations/lookup/identifiers.ts';
import type { PreparedRow } from './row-walk.ts';

/** Which cells a job fills, and what is left of that for a row of the list. */

interface Filling {
  /** The positions of the cells of which one has to be blank. Otherwise the row would get nothing. */
  readonly cells: readonly number[];
  readonly why: string;
}

/**
 * The rows of a list that would get nothing, because all columns of `add` are there and stay as they are.
 * Undefined where each row may get something.
 */
export function fillingOf(
  { operation, add = {}, on_existing: onExisting }: Job,
  header: readonly string[],
): Filling | undefined {
  if (onExisting === undefined || onExisting === 'replace') return undefined;
  if (operation.change !== undefined || operation.resultsFile !== undefined) return undefined;
  const names = header.map((name) => name.toLowerCase());
  const cells = Object.keys(add).map((name) => names.indexOf(name.toLowerCase()));
  if (cells.length === 0 || cells.includes(-1)) return undefined;
  const columns = listed(cells.map((at) => foreignName(header[at] ?? '')));
  return onExisting === 'keep'
    ? {
        cells: [],
        why: `on_existing: keep leaves ${columns} as the list has them${SO_NOTHING}`,
      }
    : { cells, why: `${columns} ${cells.length === 1 ? 'is' : 'are'} filled${SO_NOTHING}` };
}

type ReadyRow = Extract<PreparedRow, { readonly kind: 'ready' }>;

/** What the steps of a job fill in the rows of one list. */
interface StepsFilling {
  readonly fed: OperationOptions['fed'];
  /** Whether what is asked depends on the cells that an answer fills. */
  readonly isRead: boolean;
  /**
   * The positions of the cells of the list that decide which steps a row has, by the names of the steps.
   * Undefined: none does.
   */
  readonly skips: JsonObject | undefined;
  /** The columns that a step may fill. */
  wantedOf(step: string): readonly WantedColumn[];
  /** The row without the steps whose columns the list has filled already. */
  left(ready: ReadyRow, row: InputRow): PreparedRow;
}

/** Undefined for a job of one step with one account. */
export function stepsFilling(
  { operation, add = {}, on_existing: onExisting }: Job,
  { header, columns }: Pick<InputColumns, 'header' | 'columns'>,
): StepsFilling | undefined {
  if (operation.steps === undefined) return undefined;
  const names = header.map((name) => name.toLowerCase());
  const wanted = new Map<string, readonly (WantedColumn & { readonly cell: number })[]>();
  const fed: Record<string, string> = {};
  for (const { name } of operation.steps) {
    for (const [input, column] of Object.entries(columns)) {
      const feeding = [...wanted.values()].flat().find((each) => isSame(each.column, column));
      if (feeding !== undefined && input.startsWith(`${name}.`)) fed[input] = feeding.column;
    }
    const own = Object.entries(add).flatMap(([column, path]) => {
      if (!path.startsWith(`${name}.`)) return [];
      const stays = onExisting === 'fill' || onExisting === 'keep';
      const cell = stays ? names.indexOf(column.toLowerCase()) : -1;
      return [{ column, path: path.slice(name.length + 1), cell }];
    });
    wanted.set(name, own);
  }
  const isOfSeveral = operation.steps.some(
    ({ asked = [], check }) => asked.length > 1 || check !== undefined,
  );
  const isRead = isOfSeveral || Object.keys(fed).length > 0;
  const leftOf = (step: RowStep, cells: InputRow['cells']): RowStep | undefined => {
    const own = wanted.get(step.name ?? '') ?? [];
    const wants = own.filter(
      ({ cell }) => cell < 0 || (onExisting === 'fill' && isBlankCell(cells[cell] ?? '')),
    );
    if (own.length > 0 && wants.length === 0) return undefined;
    return isRead && own.length > 0 ? { ...step, wants } : step;
  };
  const inList = [...wanted].flatMap(([step, own]) => {
    const cells = own.flatMap(({ cell }) => (cell < 0 ? [] : [cell]));
    return cells.length === 0 ? [] : [[step, onExisting === 'fill' ? cells : []] as const];
  });
  return {
    fed,
    isRead,
    skips: inList.length === 0 ? undefined : Object.fromEntries(inList),
    wantedOf: (step) => wanted.get(step) ?? [],
    left(ready, { cells }) {
      const { steps, lacking: blank } = ready.input as RowSteps;
      const left: RowStep[] = [];
      const lacking = [...blank];
      for (const each of steps) {
        const step = leftOf(each, cells);
        if (step !== undefined && mayBeAsked(step, left)) left.push(step);
        else if (step !== undefined)
          lacking.push({ name: step.name ?? '', reason: step.ways[0]?.reason ?? '', isDamaged: false });
      }
      return left.length === 0
        ? { kind: 'invalid', reason: lackingWords(lacking) }
        : { ...ready, input: { steps: left, lacking } };
    },
  };
}

/** Whether the row has what a step asks by, or a step before fills that. */
function mayBeAsked({ ways, fed = {} }: RowStep, before: readonly RowStep[]): boolean {
  const filled = before.flatMap(({ wants = [] }) => wants.map(({ column }) => column));
  return (
    ways.some(({ input }) => input !== undefined) || Object.values(fed).some((each) => filled.includes(each))
  );
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
