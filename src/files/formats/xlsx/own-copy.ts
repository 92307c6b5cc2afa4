import { StopError } from '../../../core/errors.ts';
import type { CellsFor, CopyOptions, Correction } from '../../../core/format.ts';
import { foreignName } from '../../../core/plain-text.ts';
import { Corrections } from '../../corrections.ts';
import { addedTo } from '../../header.ts';
import { rowXml, type WorkbookCell, type WorkbookRow } from '../../workbook.ts';
import { appendedCells, copiedRows, type TableRow, tableInputRow } from '../../workbook-copy.ts';
import { nameOf } from './archive.ts';
import { addedSheet, textFormat, withFilterRange } from './book-parts.ts';
import { DAYS_TO_1904 } from './cell.ts';
import { type CellRange, cellRangeText, readCellRange } from './cell-range.ts';
import { widthPatches } from './column-widths.ts';
import { type OwnColumns, placeColumns } from './own-columns.ts';
import { packageCopy } from './package-copy.ts';
import { type Patch, withAttribute } from './placed-xml.ts';
import { editedSheet, type NewCell, type RowChange, type SheetEdit } from './sheet-edit.ts';
import { type FoundElement, type SheetFrame, sheetFrame } from './sheet-frame.ts';
import type { SheetTable } from './sheet-table.ts';
import { tableRows } from './table.ts';
import { tablesOf, tableWith } from './table-part.ts';
import type { Book, BookSheet } from './workbook.ts';

/**
 * The user's own workbook with our columns on the sheet that was read, or on another sheet where they have no place there. Every part
 * but the sheet stays as it is to the byte, and so does the sheet outside of our cells. What has to change besides: the
 * ranges of a filter and of a table, with the name and the part in which they are said once more, the size of the sheet and of its rows,
 * columns that were hidden where ours stand, and one format for text.
 */

export interface OwnSource {
  readonly book: Book;
  readonly tab: BookSheet;
  readonly table: SheetTable;
}

/** @returns why it cannot be written, as a clause. */
export async function ownCopy(
  source: OwnSource,
  options: CopyOptions,
  cellsFor: CellsFor,
): Promise<AsyncIterable<Buffer> | string> {
  const { book, tab, table } = source;
  return unlessDoubtful(book, async () => {
    const frame = await sheetFrame(book, tab, table);
    const tables = await tablesOf(book.archive, tab.part, frame.tableLinks);
    const placed = placeColumns(table, frame, tables, options);
    if (typeof placed === 'string') return withNewSheet(source, frame, placed, options, cellsFor);
    const filter = placed.filter && (await filterNamePart(source, placed.filter));
    if (typeof filter === 'string') return withNewSheet(source, frame, filter, options, cellsFor);
    const format = await textFormat(book);
    const replaced = new Map(
      [format?.changed, filter].flatMap((part) => (part === undefined ? [] : [[part.name, [part.text]]])),
    );
    if (placed.table !== undefined)
      replaced.set(placed.table.part, [tableWith(placed.table, options.columns, placed.places)]);
    sayProtected(source, frame, options.note);
    const changes = rowChanges(source, placed, format?.style, options, cellsFor);
    return edited(source, replaced, { patches: framePatches(frame, placed), changes });
  });
}

/** The workbook with these cells in the place of others. @returns why it cannot be written, as a clause. */
export async function ownCorrected(
  source: OwnSource,
  list: readonly Correction[],
  note: CopyOptions['note'],
): Promise<AsyncIterable<Buffer> | string> {
  const { book, tab, table } = source;
  const { names, places } = table.columns;
  const corrections = new Corrections(book.archive.path, names, list);
  return unlessDoubtful(book, async () => {
    const frame = await sheetFrame(book, tab, table);
    const formula = list.find(({ column }) => frame.formulas.has(places[names.indexOf(column)] ?? -1));
    if (formula !== undefined) return `there are formulas in the column ${foreignName(formula.column)}`;
    const format = await textFormat(book);
    const { changed } = format ?? {};
    const replaced = new Map(changed === undefined ? [] : [[changed.name, [changed.text]]]);
    sayProtected(source, frame, note);
    const changes = async (rows: readonly TableRow[]): Promise<readonly RowChange[]> =>
      rows.map((row) => {
        const made = row.kind === 'row' ? corrections.take(tableInputRow(row, table.columns)) : undefined;
        const cells = [...(made ?? [])].map(
          ([at, { text }]) => [places[at] ?? at, newCell({ kind: 'text', text }, format?.style)] as const,
        );
        return new Map(cells);
      });
    return edited(source, replaced, { patches: [], changes }, () => corrections.requireAllMade());
  });
}

/** What cannot be understood about a workbook that was read well is a reason, and no damage of it. */
async function unlessDoubtful<Made>({ archive }: Book, make: () => Promise<Made>): Promise<Made | string> {
  if (new Set(archive.list.map(nameOf)).size < archive.list.length)
    return 'two of its parts have the same name';
  try {
    return await make();
  } catch (error) {
    if (error instanceof StopError && error.code === 'input') return error.message.replace(/\.$/, '');
    throw error;
  }
}

type PartTexts = Map<string, AsyncIterable<string> | Iterable<string>>;

/** @param atEnd is called when the whole sheet was written. */
function edited(
  { book, tab, table }: OwnSource,
  replaced: PartTexts,
  edit: SheetEdit,
  atEnd: () => void = () => {},
): AsyncIterable<Buffer> {
  async function* text(): AsyncIterable<string> {
    yield* editedSheet(book, tab, table, edit);
    atEnd();
  }
  return packageCopy(book.archive, { replaced: new Map([...replaced, [tab.part, text()]]), added: [] });
}

function sayProtected({ tab }: OwnSource, { isProtected }: SheetFrame, note: CopyOptions['note']): void {
  if (isProtected)
    note?.(
      `The sheet ${foreignName(tab.name)} is protected. Our columns are written anyway, and it stays protected.`,
    );
}

/** The part that says the range of the filter once more. @returns a clause where it says something else. */
function filterNamePart(
  { book, tab }: OwnSource,
  { element, range }: NonNullable<OwnColumns['filter']>,
): ReturnType<typeof withFilterRange> {
  const before = readCellRange(element.attributes.ref) ?? range;
  return withFilterRange(book, tab, before, range.lastColumn);
}

function framePatches(frame: SheetFrame, { places, firstNew, filter }: OwnColumns): readonly Patch[] {
  const patches = [
    ...widthPatches(
      frame.widths,
      places.filter((place) => place >= firstNew),
    ),
  ];
  const size = frame.dimension && readCellRange(frame.dimension.attributes.ref);
  const lastColumn = Math.max(...places);
  if (frame.dimension !== undefined && size !== undefined && size.lastColumn < lastColumn)
    patches.push(rangePatch(frame.dimension, { ...size, lastColumn }));
  if (filter !== undefined) patches.push(rangePatch(filter.element, filter.range));
  return patches;
}

function rangePatch({ open, tag }: FoundElement, range: CellRange): Patch {
  return { ...open, text: withAttribute(tag, 'ref', cellRangeText(range)) };
}

/** A text that Excel would take for something else once a user has touched its cell. */
const LOOKS_OTHERWISE = /^\s*[-+=@'"(.,$\d]|^(?:true|false)$/i;

/** A longer text is shown as hashes in a cell that is formatted as text. */
const LONGEST_AS_TEXT = 255;

function rowChanges(
  { table: { columns } }: OwnSource,
  { places, cleared, table: named }: OwnColumns,
  textStyle: number | undefined,
  options: CopyOptions,
  cellsFor: CellsFor,
): (rows: readonly TableRow[]) => Promise<readonly RowChange[]> {
  const appended = appendedCells(options.columns);
  const changeOf = (row: TableRow, texts: readonly string[]): RowChange => {
    const asCell = appended(row);
    const textAt = (place: number): string => row.cells[place]?.text ?? '';
    const gone = cleared.filter((place) => textAt(place) !== '');
    const change = new Map<number, NewCell>(gone.map((place) => [place, { cell: undefined }]));
    for (const [index, text] of texts.entries()) {
      const place = places[index] ?? 0;
      // A cell that says the same already stays as it is, with its format.
      if (textAt(place) !== text) change.set(place, newCell(asCell(text, index), textStyle));
    }
    return change;
  };
  return async (rows) => {
    const added = await addedTo(rows, (row) => tableInputRow(row, columns), options, cellsFor);
    return rows.map((row, at) => changeOf(row, isOfTotals(row, named) ? [] : (added[at] ?? [])));
  };
}

/** A cell of a table's totals says what its column says of it, in the table's own part. */
function isOfTotals({ number }: TableRow, table: OwnColumns['table']): boolean {
  return table !== undefined && number <= table.range.lastRow && number > table.range.lastRow - table.totals;
}

function newCell(cell: WorkbookCell, textStyle: number | undefined): NewCell {
  const isText =
    cell.kind === 'text' && cell.text.length <= LONGEST_AS_TEXT && LOOKS_OTHERWISE.test(cell.text);
  return isText && textStyle !== undefined ? { cell, style: textStyle } : { cell };
}

/** The table once more on a sheet of its own, by value and with ours behind, each row at its number. */
async function withNewSheet(
  { book, tab, table }: OwnSource,
  { root, prefix }: SheetFrame,
  why: string,
  options: CopyOptions,
  cellsFor: CellsFor,
): Promise<AsyncIterable<Buffer>> {
  const added = await addedSheet(book, tab);
  options.note?.(
    `Our columns are on a new sheet ${foreignName(added.tabName)} of the workbook, because on the sheet ${foreignName(tab.name)} ${why}.`,
  );
  const rows = copiedRows(
    { columns: table.columns, rows: () => tableRows(book, tab, table) },
    options,
    cellsFor,
  );
  return packageCopy(book.archive, {
    replaced: new Map(added.changed.map(({ name, text }) => [name, [text]])),
    added: [{ name: added.part, text: newSheetXml(rows, root, prefix, book.from1904) }],
  });
}

async function* newSheetXml(
  rows: AsyncIterable<readonly WorkbookRow[]>,
  root: SheetFrame['root'],
  prefix: string,
  from1904: boolean,
): AsyncIterable<string> {
  const space = prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`;
  const begin = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<${prefix}worksheet ${space}="${root[space] ?? ''}">`;
  yield `${begin}<${prefix}sheetData>`;
  for await (const group of rows) {
    yield group
      .map(({ number, cells }) =>
        rowXml({ number, cells: cells.map((cell) => asInBook(cell, from1904)) }, lookOf),
      )
      .join('');
  }
  yield `</${prefix}sheetData></${prefix}worksheet>`;

  function lookOf(cell: WorkbookCell): { readonly style: string | undefined; readonly prefix: string } {
    return { style: cell.kind === 'date' ? cell.style : undefined, prefix };
  }
}

function asInBook(cell: WorkbookCell | undefined, from1904: boolean): WorkbookCell | undefined {
  const isDay = cell?.kind === 'date' && cell.form !== 'duration';
  return isDay && from1904 ? { ...cell, serial: cell.serial - DAYS_TO_1904 } : cell;
}
