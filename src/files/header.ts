import { invariant, stop } from '../core/errors.ts';
import type { CellsFor, CopyOptions, Correction, Sheet } from '../core/format.ts';
import { ourColumnsIn, statusColumn } from '../core/our-columns.ts';
import { foreignName, listed } from '../core/plain-text.ts';
import { type InputRow, isOurColumn, isSetAside, type RowNumber } from '../core/row.ts';
import { nameIn } from './shape/column-words.ts';
import { requireColumns } from './shape/list-size.ts';

export interface NamedColumns {
  /** The names without the blanks around them. */
  readonly names: readonly string[];
  /** Where each of them stands in a record, the first position being 0. */
  readonly positions: readonly number[];
  /** The number of cells in a record, with those of columns without a name, which are kept and never read. */
  readonly width: number;
}

/**
 * The columns of an input, whatever its format. Blank cells are no names: indexes of programs, delimiters
 * around lines, and tables that do not begin in the first column, leave them.
 * @throws StopError `input` when no column has a name, two have one of ours, or there are too many.
 */
export function namedColumns(path: string, cells: readonly string[]): NamedColumns {
  requireColumns(path, cells.length);
  const all = cells.map(nameIn);
  const positions = [...all.keys()].filter((position) => all[position] !== '');
  const names = positions.map((position) => all[position] ?? '');
  if (names.length === 0) {
    const has = all.length === 1 ? 'has no name' : 'have no name';
    const next = 'Name the columns in the header, or say that there is none.';
    throw stop('input', `${path}: ${columnsAt([...all.keys()])} ${has}.`, next);
  }
  for (const name of new Set(names.filter(isOurColumn))) requireOnce(all, name, `${path}: `);
  return { names, positions, width: all.length };
}

/** Where each name stands, and where the first of several that are the same does. */
export const firstPlaces = (names: readonly string[]): ReadonlyMap<string, number> =>
  new Map(names.map((name, at) => [name, at] as const).reverse());

/** @throws StopError `input` where several columns have a name by which one is read or written. */
export function requireOnce(header: readonly string[], name: string, where = ''): void {
  const at = [...header.keys()].filter((position) => header[position] === name);
  if (at.length < 2) return;
  const fact = `${where}${columnsAt(at)} have the same name, ${foreignName(name)}.`;
  throw stop('input', fact, 'Give every column that is read a name of its own.');
}

/** "column 3", "columns 2 and 5", "columns 2, 5, 6, 7 and 90 more". */
function columnsAt(positions: readonly number[]): string {
  const shown = positions.slice(0, MOST_LISTED).map((position) => `${position + 1}`);
  const more = positions.length > MOST_LISTED ? [`${positions.length - MOST_LISTED} more`] : [];
  return `${positions.length === 1 ? 'column' : 'columns'} ${listed([...shown, ...more])}`;
}

/** A file may have thousands of columns, and a person is to read this. */
const MOST_LISTED = 10;

/**
 * The positions into which an earlier run wrote, in a row that it could not read either; it put nothing into
 * added columns.
 * @param dropped columns that a copy leaves out.
 * @param textOf the cell below the name that is at that position among the names.
 */
export function writtenByUs(
  { names, positions }: NamedColumns,
  dropped: ReadonlySet<string>,
  textOf: (at: number) => string | undefined,
): ReadonlySet<number> {
  if (!isSetAside((name) => textOf(names.indexOf(name)), statusColumn(names))) return new Set();
  const ours = new Set(ourColumnsIn(names));
  const isOurs = (name: string, at: number): boolean =>
    dropped.has(name) && (ours.has(name) || isOurColumn(name) || (textOf(at) ?? '').trim() === '');
  return new Set(positions.filter((_position, at) => isOurs(names[at] ?? '', at)));
}

/** @returns undefined for a row that is left out. */
export async function addedTo<Kind extends { readonly kind: string }>(
  records: readonly Kind[],
  inputRow: (record: Kind) => InputRow,
  { columns }: CopyOptions,
  cellsFor: CellsFor,
): Promise<readonly (readonly string[] | undefined)[]> {
  const rows = records.filter(({ kind }) => kind === 'row').map(inputRow);
  const cells = await cellsFor(rows);
  invariant(cells.length === rows.length, `${rows.length} rows get cells for ${cells.length}`);
  let next = 0;
  return records.map(({ kind }) => {
    if (kind === 'row') return cells[next++];
    return kind === 'header' ? columns : [];
  });
}

/** A row of a copy by value. */
interface ValueRow {
  readonly row: InputRow;
  /** The user's cells below their names, and ours. */
  readonly ownNames: readonly string[];
  readonly ours: readonly string[];
  /** What a row that cannot be read has too many. It stands behind ours, as in a copy of delimited text. */
  readonly surplus: readonly string[];
}

/** Rows for which the appended cells are asked at once: past this, it gets no faster. */
const ROWS_AT_ONCE = 256;

/** The rows of a table by value, each with its appended cells, and without those that are left out. */
export async function* valueRows(
  sheet: Pick<Sheet, 'header' | 'groups'>,
  { dropped }: Pick<CopyOptions, 'dropped'>,
  cellsFor: CellsFor,
): AsyncIterable<readonly ValueRow[]> {
  const names = await sheet.header();
  const positions = [...names.keys()];
  const ownPositions = positions.filter((at) => !dropped.has(names[at] ?? ''));
  const ownOf = ({ cells, unreadable }: InputRow): Pick<ValueRow, 'ownNames' | 'surplus'> => {
    if (unreadable === undefined) return { ownNames: ownPositions.map((at) => cells[at] ?? ''), surplus: [] };
    const before = writtenByUs({ names, positions, width: names.length }, dropped, (at) => cells[at]);
    const remainingCells = cells.filter((_cell, at) => !before.has(at));
    return {
      ownNames: ownPositions.map((_at, index) => remainingCells[index] ?? ''),
      surplus: remainingCells.slice(ownPositions.length),
    };
  };
  for await (const group of sheet.groups())
    for (let at = 0; at < group.length; at += ROWS_AT_ONCE) {
      const rows = group.slice(at, at + ROWS_AT_ONCE);
      const added = await cellsFor(rows);
      yield rows.flatMap((row, index) => {
        const ours = added[index];
        return ours === undefined ? [] : [{ row, ours, ...ownOf(row) }];
      });
    }
}

// ---------------------------------------------------------------------------------- cells that are corrected

/** Corrections of cells as a format needs them: row by row, and each made exactly once. */
export class Corrections {
  readonly #path: string;
  readonly #byRow = new Map<RowNumber, Map<number, string>>();

  /**
   * @param names of the file's columns.
   * @throws StopError `input` for a column that the file does not have.
   */
  constructor(path: string, names: readonly string[], corrections: readonly Correction[]) {
    this.#path = path;
    const placeOf = firstPlaces(names);
    for (const { row, column, value } of corrections) {
      const at = placeOf.get(column);
      if (at === undefined) {
        const fact = `${path} has no column ${foreignName(column)}, so that cell cannot be corrected.`;
        throw stop('input', fact, 'Look at the list again: it may have been replaced.');
      }
      const cells = this.#byRow.get(row) ?? new Map<number, string>();
      // A zero byte would make the file unreadable.
      this.#byRow.set(row, cells.set(at, value.replaceAll('\0', '\uFFFD')));
    }
  }

  /**
   * The corrected cells of the row, by the position of their names; undefined for a row that stays as it is.
   * @throws StopError `input` for a row with cells that cannot be matched to names.
   */
  take({ row, unreadable }: Pick<InputRow, 'row' | 'unreadable'>): ReadonlyMap<number, string> | undefined {
    const cells = this.#byRow.get(row);
    if (cells === undefined) return undefined;
    if (unreadable !== undefined) {
      const next = 'Correct this row in the file itself, and add the file again.';
      throw stop('input', `No cell of row ${row} can be corrected by column: ${unreadable}.`, next);
    }
    this.#byRow.delete(row);
    return cells;
  }

  /** @throws StopError `input` when the file does not have one of the rows. */
  requireAllMade(): void {
    const [row] = this.#byRow.keys();
    if (row === undefined) return;
    const fact = `${this.#path} has no row ${row}, so it cannot be corrected.`;
    throw stop('input', fact, 'Look at the list again: it may have been replaced.');
  }
}
