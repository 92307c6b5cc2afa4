import { invariant } from './errors.ts';
import type { CellsFor, CopyOptions, Sheet } from './format.ts';
import type { NamedColumns } from './header.ts';
import { identifierColumns, isIdentifier } from './identifier-columns.ts';
import { type WorkbookCell, type WorkbookRow, workbookBytes } from './workbook.ts';

/**
 * The rows of a table as a new workbook, with cells appended to each. Identifiers and telephone numbers are text in it,
 * also where they were numbers. What is appended is text, too, so that it never becomes a formula, but for what a spreadsheet
 * shows just so as a number: credits, counts and years can be added up and sorted.
 */

export interface TableRow extends WorkbookRow {
  /** A title stands above the header, and stays as it is. */
  readonly kind: 'title' | 'header' | 'row';
}

export interface Table {
  readonly sheetName: string;
  readonly columns: NamedColumns;
  /** With the rows above the header, if there are any. */
  rows(): AsyncIterable<readonly TableRow[]>;
}

/** Rows for which the appended cells are asked at once: past this, it gets no faster. */
const ROWS_PER_BATCH = 256;

export function workbookCopy(
  { sheetName, columns, rows }: Table,
  options: CopyOptions,
  cellsFor: CellsFor,
): AsyncGenerator<Buffer, void, undefined> {
  const { names, places, nameless } = columns;
  const width = places.length + nameless.length;
  const ofIdentifiers = identifierColumns(options.columns);
  const identifiers = new Set([...identifierColumns(names)].map((index) => places[index]));
  const dropped = new Set(places.filter((_place, index) => options.dropped.has(names[index] ?? '')));
  // Blank columns without a name stay where they are, so that the sheet looks as it did.
  const kept = Array.from({ length: width }, (_, place) => place).filter((place) => !dropped.has(place));
  return workbookBytes(sheetName, copiedRows());

  async function* copiedRows(): AsyncGenerator<readonly WorkbookRow[], void, undefined> {
    let leftOut = 0;
    for await (const batch of batched(rows())) {
      const added = await Promise.all(
        batch.map((row) => addedTo(row, columns, options, ofIdentifiers, cellsFor)),
      );
      const copied: WorkbookRow[] = [];
      for (const [index, row] of batch.entries()) {
        const cells = added[index];
        if (cells === undefined) leftOut += 1;
        else copied.push({ number: row.number - leftOut, cells: [...ownCells(row), ...cells] });
      }
      yield copied;
    }
  }

  function ownCells({ kind, cells }: TableRow): readonly (WorkbookCell | undefined)[] {
    if (kind === 'title') return cells;
    return kept.map((place) => {
      const cell = cells[place];
      return cell?.kind === 'number' && (identifiers.has(place) || isIdentifier(cell.text))
        ? textCell(cell.text)
        : cell;
    });
  }
}

/** A table that is no workbook yet. Texts that a spreadsheet shows as the same number become numbers. */
export async function tableOf(sheet: Pick<Sheet, 'header' | 'groups'>): Promise<Table> {
  const header = await sheet.header();
  return {
    // As Excel calls the only sheet of a new workbook.
    sheetName: 'Sheet1',
    columns: { names: header, places: [...header.keys()], nameless: [] },
    async *rows() {
      let isBegun = false;
      for await (const group of sheet.groups()) {
        const rows = group.map(({ row, cells }) => bodyRow(row, cells.map(cellOf)));
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

function headerRow(number: number, header: readonly string[]): TableRow {
  return { kind: 'header', number, cells: header.map(textCell) };
}

function bodyRow(number: number, cells: TableRow['cells']): TableRow {
  return { kind: 'row', number, cells };
}

export function textCell(text: string): WorkbookCell {
  return { kind: 'text', text };
}

/** Without leading zeros, in no more digits than Excel shows in a cell: then the number looks just as the text did. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,9})(?:\.\d{0,8}[1-9])?$/;

/** Excel shows this many characters of a number and rounds the rest away. */
const MOST_SHOWN = 11;

function cellOf(text: string): WorkbookCell {
  if (text.length > MOST_SHOWN || !PLAIN_NUMBER.test(text) || text === '-0') return textCell(text);
  return { kind: 'number', text, value: Number(text) };
}

/** What is appended to a row, or undefined when it is left out. */
async function addedTo(
  { kind, number, cells }: TableRow,
  named: NamedColumns,
  { columns }: CopyOptions,
  identifiers: ReadonlySet<number>,
  cellsFor: CellsFor,
): Promise<readonly WorkbookCell[] | undefined> {
  if (kind === 'title') return [];
  if (kind === 'header') return columns.map(textCell);
  const added = await cellsFor({ row: number, cells: namedTexts(cells, named) });
  invariant(
    added === undefined || added.length === columns.length,
    `row ${number} gets ${added?.length} cells for ${columns.length} columns`,
  );
  return added?.map((text, at) =>
    identifiers.has(at) || isIdentifier(text) ? textCell(text) : cellOf(text),
  );
}

/** What the cells say; those that are blank or missing say nothing. */
export function textsOf(cells: WorkbookRow['cells']): readonly string[] {
  return Array.from(cells, (cell) => cell?.text ?? '');
}

/** What those say that have a column with a name. */
export function namedTexts(
  cells: WorkbookRow['cells'],
  { places }: Pick<NamedColumns, 'places'>,
): readonly string[] {
  return places.map((place) => cells[place]?.text ?? '');
}

async function* batched<Row>(
  groups: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[], void, undefined> {
  for await (const group of groups) {
    for (let at = 0; at < group.length; at += ROWS_PER_BATCH) yield group.slice(at, at + ROWS_PER_BATCH);
  }
}
