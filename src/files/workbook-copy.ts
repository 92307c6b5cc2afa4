import type { CellsFor, CopyOptions, Sheet } from '../core/format.ts';
import type { InputRow, RowNumber } from '../core/row.ts';
import { shownText } from '../operations/lookup/identifiers.ts';
import { identifierColumns, isIdentifier } from './columns/column-kind.ts';
import { addedTo, type NamedColumns, writtenByUs } from './header.ts';
import { MOST_COLUMNS, type WorkbookCell, type WorkbookRow, workbookBytes } from './workbook.ts';

/**
 * The rows of a table as a new workbook, with cells appended to each. Identifiers and telephone numbers are text in it,
 * also where they were numbers. What is appended is text, too, so that it never becomes a formula, but for what a spreadsheet
 * shows just so as a number: credits, counts and years can be added up and sorted.
 */

export interface TableRow extends WorkbookRow {
  /** A title stands above the header, and stays as it is, like what is left out of the table below it. */
  readonly kind: 'title' | 'header' | 'row' | 'left_out';
  /** Its number in the list, where a line of names above it moves it down. */
  readonly row?: RowNumber;
  /** The reason why the row cannot be read, as in `InputRow`. */
  readonly unreadable?: string | undefined;
}

export interface CopiedSheet {
  readonly sheetName: string;
  readonly columns: NamedColumns;
  /** What a spreadsheet shows of a cell that is no text of a workbook yet; left out, the cell itself. */
  readonly shown?: (cell: string) => string | undefined;
  /** With the rows above the header, if there are any. */
  rows(): AsyncIterable<readonly TableRow[]>;
}

/** Rows for which the appended cells are asked at once: past this, it gets no faster. */
const ROWS_PER_BATCH = 256;

export function workbookCopy(
  copied: CopiedSheet,
  options: CopyOptions,
  cellsFor: CellsFor,
): AsyncIterable<Buffer> {
  return workbookBytes(copied.sheetName, copiedRows(copied, options, cellsFor));
}

export async function* copiedRows(
  { columns, shown, rows }: Omit<CopiedSheet, 'sheetName'>,
  options: CopyOptions,
  cellsFor: CellsFor,
): AsyncIterable<readonly WorkbookRow[]> {
  const { names, places } = columns;
  const appended = appendedCells(options.columns);
  const identifiers = new Set([...identifierColumns(names)].map((index) => places[index]));
  const dropped = new Set(places.filter((_place, index) => options.dropped.has(names[index] ?? '')));
  // Blank columns without a name stay where they are, so that the sheet looks as it did.
  const kept = Array.from({ length: columns.width }, (_, place) => place).filter(
    (place) => !dropped.has(place),
  );
  let written = 0;
  for await (const batch of batched(rows())) {
    const added = await addedTo(batch, (row) => tableInputRow(row, columns), options, cellsFor);
    const copied: WorkbookRow[] = [];
    for (const [index, row] of batch.entries()) {
      const isAround = row.kind === 'title' || row.kind === 'left_out';
      const cells = options.isPart && isAround ? undefined : added[index];
      if (cells === undefined) continue;
      written += 1;
      const number = options.isPart ? written : row.number;
      copied.push({ number, cells: withAdded(row, cells.map(appended(row))) });
    }
    yield copied;
  }

  /** What a row that cannot be read has too many stands behind ours, as in a copy of delimited text. */
  function withAdded(row: TableRow, added: readonly WorkbookCell[]): WorkbookRow['cells'] {
    if (row.unreadable === undefined) return [...ownCells(row), ...added];
    const ours = writtenByUs(columns, options.dropped, (at) => row.cells[places[at] ?? -1]?.text);
    const own = Array.from(row.cells).filter((_cell, place) => !ours.has(place));
    const room = kept.map((_place, index) => own[index]);
    return [...room, ...added, ...asMany(own.slice(kept.length), MOST_COLUMNS - kept.length - added.length)];
  }

  function ownCells({ kind, cells }: TableRow): readonly (WorkbookCell | undefined)[] {
    if (kind === 'title' || kind === 'left_out') return cells;
    return kept.map((place) => {
      const cell = cells[place];
      const text = cell === undefined ? undefined : shown?.(cell.text);
      if (text !== undefined) return textCell(text);
      return cell?.kind === 'number' && (identifiers.has(place) || isIdentifier(cell.text))
        ? textCell(cell.text)
        : cell;
    });
  }
}

export function appendedCells(
  names: readonly string[],
): (row: Pick<TableRow, 'kind'>) => (text: string, at: number) => WorkbookCell {
  const ofIdentifiers = identifierColumns(names);
  return ({ kind }) =>
    (text, at) =>
      kind === 'header' || ofIdentifiers.has(at) || isIdentifier(text) ? textCell(text) : cellOf(text);
}

/** A table that is no workbook yet. Texts that a spreadsheet shows as the same number become numbers. */
export async function tableOf(sheet: Pick<Sheet, 'header' | 'headerRow' | 'groups'>): Promise<CopiedSheet> {
  const header = await sheet.header();
  // Where no row of the file is the header, each row makes room for it.
  const below = sheet.headerRow === '' || sheet.headerRow === '0' ? 1 : 0;
  return {
    // Excel gives this name to the only sheet of a new workbook.
    sheetName: 'Sheet1',
    columns: { names: header, places: [...header.keys()], width: header.length },
    shown: shownText,
    async *rows() {
      let isBegun = false;
      for await (const group of sheet.groups()) {
        const rows = group.map(
          ({ row, cells, unreadable }): TableRow => ({
            kind: 'row',
            row,
            number: row + below,
            cells: cells.map(cellOf),
            unreadable,
          }),
        );
        const [first] = rows;
        if (isBegun || first === undefined) {
          yield rows;
          continue;
        }
        isBegun = true;
        yield [headerRow(Math.max(1, first.number - 1), header), ...rows];
      }
      if (!isBegun) yield [headerRow(1, header)];
    },
  };
}

/** A table of which no row has the names, with one of them above all others. */
export async function* belowNames(
  rows: AsyncIterable<readonly TableRow[]>,
  names: readonly string[],
): AsyncIterable<readonly TableRow[]> {
  yield [headerRow(1, names)];
  for await (const group of rows)
    yield group.map((row) => ({ ...row, row: row.number, number: row.number + 1 }));
}

function headerRow(number: number, header: readonly string[]): TableRow {
  return { kind: 'header', number, cells: header.map(textCell) };
}

/** Where a sheet has no room for all of them, the last one has what is left. */
function asMany(cells: readonly (WorkbookCell | undefined)[], most: number): WorkbookRow['cells'] {
  if (cells.length <= most) return cells;
  const left = textsOf(cells.slice(most - 1)).join(' | ');
  return [...cells.slice(0, Math.max(0, most - 1)), ...(most < 1 ? [] : [textCell(left)])];
}

function textCell(text: string): WorkbookCell {
  return { kind: 'text', text };
}

/** A number without leading zeros and with no more digits than Excel shows: it looks just as the text did. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,9})(?:\.\d{0,8}[1-9])?$/;

/** Excel shows this many characters of a number and rounds the rest away. */
const MOST_SHOWN = 11;

function cellOf(text: string): WorkbookCell {
  if (text.length > MOST_SHOWN || !PLAIN_NUMBER.test(text) || text === '-0') return textCell(text);
  return { kind: 'number', text, value: Number(text) };
}

/** What the cells say; those that are blank or missing say nothing. */
export function textsOf(cells: WorkbookRow['cells']): readonly string[] {
  return Array.from(cells, (cell) => cell?.text ?? '');
}

export function tableInputRow(
  { number, row = number, cells, unreadable }: TableRow,
  named: Pick<NamedColumns, 'places'>,
): InputRow {
  const own = named.places.map((place) => cells[place]?.text ?? '');
  if (unreadable === undefined) return { row, cells: own };
  const places = new Set(named.places);
  return {
    row,
    cells: [...own, ...textsOf(cells).filter((_text, at) => !places.has(at))],
    unreadable,
  };
}

async function* batched<Row>(groups: AsyncIterable<readonly Row[]>): AsyncIterable<readonly Row[]> {
  for await (const group of groups) {
    for (let at = 0; at < group.length; at += ROWS_PER_BATCH) yield group.slice(at, at + ROWS_PER_BATCH);
  }
}
