import { basename } from 'node:path';
import { stop } from '../../core/errors.ts';
import type {
  CellsFor,
  CopyOptions,
  Correction,
  FileBytes,
  Format,
  ReadOptions,
  Sheet,
} from '../../core/format.ts';
import { byFlag, phrase } from '../../core/phrase.ts';
import { foreignName } from '../../core/plain-text.ts';
import { ListSize } from '../shape/list-size.ts';
import { topRows } from '../shape/list-start.ts';
import { workbookCopy } from '../value-copy.ts';
import { type Book, readBook } from './xlsx/book.ts';
import { type OwnSource, ownCopy, ownCorrected, tablesOf } from './xlsx/own-copy.ts';
import { sheetRows } from './xlsx/sheet.ts';
import { chooseTable, inputRow, tableRow, tableRows } from './xlsx/sheet-table.ts';

/**
 * Excel workbooks: the table on one of their sheets, its cells as a user would type them, its rows by the
 * numbers that Excel shows. Rows stream; only the texts that they share are kept in memory. A copy is the
 * same workbook with cells added, or where that cannot be a new one of that sheet alone, by value. Macros
 * (`.xlsm`) are never run.
 */
const xlsx: Format = { name: 'xlsx', extensions: ['.xlsx', '.xlsm'], open: openBook };
export default xlsx;

async function openBook(file: FileBytes, options: ReadOptions): Promise<Sheet> {
  const sha256 = await file.sha256();
  const book = await readBook(file);
  const table = await chooseTable(book, options, new ListSize(file, options));
  // A copy reads every part, and what it would refuse then is refused before anything is bought.
  await book.archive.requireSound();
  const { tab, columns } = table;
  const source = { book, table, tables: await tablesOf(book, tab) };
  const sheet: Sheet = {
    tabs: book.sheets.map((each) => ({ name: each.name, isHidden: each.isHidden, isRead: each === tab })),
    encoding: `Excel workbook, sheet ${JSON.stringify(tab.name)}`,
    delimiter: 'cells',
    rows: table.rows,
    notes: table.notes,
    layout: table.layout,
    top: topRows(table.top),
    start: table.start,
    async survey(onRow = () => {}) {
      for await (const group of sheet.groups()) for (const row of group) onRow(row);
      return { sha256, header: columns.names, rows: table.rows };
    },
    header: async () => columns.names,
    async *groups() {
      for await (const group of tableRows(sheetRows(book, tab), table.parting)) {
        const rows = group.map((row) => tableRow(row, table)).filter(({ kind }) => kind === 'row');
        yield rows.map((row) => inputRow(row, columns));
      }
    },
    copy: (copyOptions, cellsFor) => copy(source, sheet, copyOptions, cellsFor),
    corrected: (corrections) => corrected(source, corrections),
  };
  return sheet;
}

/**
 * The user's own workbook with ours in it; where that is not wanted or cannot be, a new one of the sheet, by
 * value.
 */
async function* copy(
  source: OwnSource,
  sheet: Sheet,
  options: CopyOptions,
  cellsFor: CellsFor,
): AsyncIterable<Buffer> {
  const { book, table } = source;
  const name = basename(book.archive.path);
  if (options.isPart !== true && options.byValue !== true) {
    const { obstacle } = book;
    const made = obstacle?.fact ?? noPlaceIn(source) ?? (await ownCopy(source, options, cellsFor));
    if (typeof made !== 'string') return yield* made;
    const next = obstacle === undefined ? '' : ` To have them in it: ${obstacle.next}.`;
    requireNoMacros(book, made);
    options.note?.(
      `${name} stays as it is, because ${made}; our columns come in a new workbook beside it.${next}`,
    );
  }
  // A few rows of it, such as those that need attention, are nothing that anybody takes for the workbook.
  if (options.isPart !== true)
    options.note?.(
      `The output has the values of the sheet ${foreignName(table.tab.name)}, and nothing else of ${name}.`,
    );
  yield* workbookCopy(sheet, options, cellsFor, table.tab.name);
}

/** Why our columns cannot stand beside the user's. */
function noPlaceIn({ table }: OwnSource): string | undefined {
  if (table.parting !== undefined) return IN_COLUMN_A;
  return table.header.last === 0
    ? 'no row of it has the names of the columns, and one above all others would move them'
    : undefined;
}

const IN_COLUMN_A = 'all of it stands in column A';

/**
 * @throws StopError `output`: a new workbook has no macros, and one that is called as if it had some is
 * opened by no program.
 */
function requireNoMacros({ archive: { path } }: Book, why: string): void {
  if (!path.toLowerCase().endsWith('.xlsm')) return;
  const fact = `${path} cannot come back with its macros: ${why}.`;
  throw stop(
    'output',
    fact,
    phrase`Name an output that ends in .xlsx ${byFlag('-o')}; nothing is bought twice.`,
  );
}

/** The workbook with what is corrected as text in it, as it was typed. */
async function* corrected(source: OwnSource, list: readonly Correction[]): AsyncIterable<Buffer> {
  const { archive, obstacle } = source.book;
  const isParted = source.table.parting !== undefined;
  const made = obstacle?.fact ?? (isParted ? IN_COLUMN_A : ownCorrected(source, list));
  if (typeof made !== 'string') return yield* made;
  const next = obstacle === undefined ? 'correct the cells in Excel' : obstacle.next;
  throw stop('input', `Nothing can be written into ${archive.path}: ${made}.`, `To change it, ${next}.`);
}
