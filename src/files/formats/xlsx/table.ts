import { basename } from 'node:path';
import { stop } from '../../../core/errors.ts';
import type { ReadOptions } from '../../../core/format.ts';
import { counted, foreignName, listed } from '../../../core/plain-text.ts';
import { type NamedColumns, namedColumns } from '../../header.ts';
import { lettersOf } from '../../workbook.ts';
import { type TableRow, textsOf } from '../../workbook-copy.ts';
import { MOST_DIGITS } from './cell.ts';
import { type SheetRow, sheetRows } from './sheet-rows.ts';
import type { Book, BookSheet } from './workbook.ts';

/** The table on a sheet: a header, and the rows below it. */
export interface SheetTable {
  readonly columns: NamedColumns;
  readonly headerRow: number;
  /** How many rows below the header hold something. */
  readonly rows: number;
  /** What a reading found that is worth saying aloud. */
  readonly notes: readonly string[];
  /** What a copy by value does not have, as a sentence. */
  readonly loss: string;
}

type Top = Pick<SheetTable, 'columns' | 'headerRow'>;

/** How many of the columns with missing values are named. */
const COLUMNS_SHOWN = 8;

/** The most rows of a workbook. Excel itself takes minutes to open and save more; a CSV file streams at any size. */
const MOST_ROWS = 200_000;

/**
 * The first of these sheets that has rows below a header, else the first of all. Each is read once.
 * @throws StopError `input` when there is nothing on any, or a row does not fit: what is damaged is not passed over.
 */
export async function chooseTable(
  book: Book,
  [first, ...others]: readonly [BookSheet, ...BookSheet[]],
  options: ReadOptions,
): Promise<{ readonly tab: BookSheet; readonly table: SheetTable }> {
  const survey = await surveyed(book, first, options);
  // Rows of nothing but formulas without values are rows all the same: another sheet is not what was meant.
  if (survey.rows > 0 || survey.lacksValues) return { tab: first, table: survey.table() };
  for (const tab of others) {
    const other = await surveyed(book, tab, options).catch(() => undefined);
    if (other !== undefined && other.rows > 0) return { tab, table: other.table() };
  }
  return { tab: first, table: survey.table() };
}

async function surveyed(book: Book, sheet: BookSheet, options: ReadOptions): Promise<TableSurvey> {
  const survey = new TableSurvey(book, sheet, options);
  for await (const group of sheetRows(book, sheet)) for (const row of group) survey.take(row);
  return survey;
}

/** Every row that holds something, with its place in the table. */
export async function* tableRows(
  book: Book,
  sheet: BookSheet,
  top: SheetTable,
): AsyncIterable<readonly TableRow[]> {
  for await (const group of sheetRows(book, sheet)) {
    yield group.filter(({ cells }) => cells.length > 0).map((row) => tableRow(row, top));
  }
}

function tableRow({ number, cells }: SheetRow, top: Top): TableRow {
  const kind = kindOf(number, top.headerRow);
  if (kind !== 'row' || cells.length <= widthOf(top.columns)) return { kind, number, cells };
  return { kind, number, cells, unreadable: strayWords(number, cells.length - 1, top) };
}

function kindOf(number: number, headerRow: number): TableRow['kind'] {
  if (number === headerRow) return 'header';
  return number < headerRow ? 'title' : 'row';
}

/** Finds the header, counts the rows below it and what the user should hear of them. */
class TableSurvey {
  readonly #book: Book;
  readonly #sheet: BookSheet;
  readonly #options: ReadOptions;
  #top: Top | undefined;
  /** How many rows stand below the header. */
  rows = 0;
  /** Rows with cells behind the last column: whether the first of all is such, and why that would refuse the file. */
  #wide: { count: number; readonly isFirst: boolean; readonly refusal: Error } | undefined;
  #hidden = 0;
  #formulas = 0;
  /** Cells whose formula has no saved value, and the row of the first, by their position. */
  readonly #unsaved = new Map<number, { count: number; readonly row: number }>();
  /** Cells with numbers that are longer than Excel can keep, and the row of the first. */
  #long = { count: 0, row: 0 };

  constructor(book: Book, sheet: BookSheet, options: ReadOptions) {
    this.#book = book;
    this.#sheet = sheet;
    this.#options = options;
  }

  get lacksValues(): boolean {
    return this.#unsaved.size > 0;
  }

  take(row: SheetRow): void {
    this.#formulas += row.formulas;
    if (row.number <= (this.#options.skipLines ?? 0)) return;
    this.#countUnsaved(row);
    if (row.cells.length === 0) return;
    const { path } = this.#book.archive;
    if (this.#top === undefined) {
      this.#top = { columns: namedColumns(path, textsOf(row.cells)), headerRow: row.number };
      return;
    }
    this.rows += 1;
    if (this.rows > MOST_ROWS) throw tooLong(path);
    const stray = strayPlace(row, this.#top.columns);
    if (stray !== undefined) this.#takeStray(strayCell(path, row.number, stray, this.#top), stray);
    if (row.isHidden) this.#hidden += 1;
    this.#countLong(row);
  }

  #countUnsaved({ number, unsaved }: SheetRow): void {
    for (const position of unsaved) {
      const column = this.#unsaved.get(position);
      if (column === undefined) this.#unsaved.set(position, { count: 1, row: number });
      else column.count += 1;
    }
  }

  #takeStray(refusal: Error, place: number): void {
    if (this.#options.strict === true || this.#top === undefined || place < widthOf(this.#top.columns))
      throw refusal;
    this.#wide ??= { count: 0, isFirst: this.rows === 1, refusal };
    this.#wide.count += 1;
  }

  #countLong({ number, cells }: SheetRow): void {
    for (const cell of cells) {
      if (cell?.kind !== 'number' || !Number.isInteger(cell.value)) continue;
      if (Math.abs(cell.value) < 10 ** MOST_DIGITS) continue;
      if (this.#long.count === 0) this.#long.row = number;
      this.#long.count += 1;
    }
  }

  /** When all rows were taken. */
  table(): SheetTable {
    if (this.#top === undefined) throw blank(this.#book.archive.path, this.#sheet, this.lacksValues);
    // Where the first row is wider than the header, and most others are, the header is wrong: it is a title, most often.
    if (this.#wide?.isFirst === true && this.#wide.count * 2 > this.rows) throw this.#wide.refusal;
    const notes = [...this.#sheetNotes(), ...this.#rowNotes(), ...this.#unsavedNotes(this.#top)];
    return { ...this.#top, rows: this.rows, notes, loss: this.#loss() };
  }

  #sheetNotes(): readonly string[] {
    if (this.#options.sheet !== undefined || this.#book.sheets.length === 1) return [];
    const { sheets, open } = this.#book;
    const otherwise = open === undefined ? '' : ', because the one that was open has no rows';
    const why = this.#sheet === open ? ', which was open when it was saved' : otherwise;
    const all = sheets.map(({ name, isHidden }) => `${foreignName(name)}${isHidden ? ' (hidden)' : ''}`);
    return [
      `Read from the sheet ${foreignName(this.#sheet.name)}${why}; --sheet names another of ${listed(all)}.`,
    ];
  }

  #rowNotes(): readonly string[] {
    const { count, row } = this.#long;
    const hidden = `${counted(this.#hidden, 'hidden row')} of the sheet will be worked on like all others.`;
    const long = `${counted(count, 'number')} with more than ${MOST_DIGITS} digits, the first in row ${row}: Excel has put zeros for the digits behind those.`;
    return [...(this.#hidden === 0 ? [] : [hidden]), ...(count === 0 ? [] : [long])];
  }

  #unsavedNotes({ columns: { places, names } }: Top): readonly string[] {
    if (!this.lacksValues) return [];
    const all = [...this.#unsaved].sort(([one], [other]) => one - other);
    const total = all.reduce((sum, [, { count }]) => sum + count, 0);
    const shown = all.slice(0, COLUMNS_SHOWN).map(([position, { count, row }]) => {
      const at = places.indexOf(position);
      const name = at < 0 ? `column ${lettersOf(position)}` : `column ${foreignName(names[at] ?? '')}`;
      return `${name} (${count}, the first in row ${row})`;
    });
    const more = all.length > shown.length ? [counted(all.length - shown.length, 'other column')] : [];
    const cells = counted(total, 'cell');
    return [
      `${cells} of yours will be blank in the output, and ${total === 1 ? 'is' : 'are'} read as blank: a formula stands there without a saved value, in ${listed([...shown, ...more])}. Open the workbook in a spreadsheet program and save it there, so that the values are in it.`,
    ];
  }

  #loss(): string {
    const others = this.#book.sheets.length - 1;
    const losses = [
      'formatting',
      ...(this.#book.hasMacros ? ['macros'] : []),
      ...(this.#formulas === 0 ? [] : [counted(this.#formulas, 'formula')]),
      ...(others === 0 ? [] : [counted(others, 'other sheet')]),
    ];
    const file = basename(this.#book.archive.path);
    return `The output gets the values of the sheet, but not what else is in ${file}: ${listed(losses)}.`;
  }
}

// ------------------------------------------------------------------------------------------------ what does not fit

function tooLong(path: string): Error {
  const fact = `${path} has more than ${MOST_ROWS} rows, the most that a workbook may have here.`;
  return stop('input', fact, 'Save it as CSV, which may have any number of rows.');
}

/** Where a cell holds something and the header has no name; blank columns without a name are borne. */
function strayPlace({ cells }: SheetRow, columns: NamedColumns): number | undefined {
  if (cells.length > widthOf(columns)) return cells.length - 1;
  return columns.nameless.find((place) => (cells[place]?.text ?? '').trim() !== '');
}

const widthOf = ({ places, nameless }: NamedColumns): number => places.length + nameless.length;

function strayWords(row: number, place: number, { columns, headerRow }: Top): string {
  const column = lettersOf(place);
  const width = widthOf(columns);
  const why =
    place < width
      ? `column ${column} has no name in row ${headerRow}, the header`
      : `the header in row ${headerRow} ends with column ${lettersOf(width - 1)}`;
  return `the cell ${column}${row} holds something, but ${why}`;
}

function strayCell(path: string, row: number, place: number, top: Top): Error {
  const { headerRow } = top;
  const column = lettersOf(place);
  const fact = `${path}, row ${row}: ${strayWords(row, place, top)}.`;
  const next = `Clear the cell or give column ${column} a name; if row ${headerRow} is a title, say --skip-lines ${row - 1}.`;
  return stop('input', fact, next);
}

function blank(path: string, { name }: BookSheet, hasFormulas: boolean): Error {
  if (hasFormulas) {
    const fact = `${path}: the sheet ${foreignName(name)} holds nothing but formulas without a saved value.`;
    const next = 'Open it in a spreadsheet program and save it there, so that the values are in it.';
    return stop('input', fact, next);
  }
  const fact = `${path}: the sheet ${foreignName(name)} is empty: it has neither a header nor rows.`;
  return stop('input', fact, 'Name the sheet that has the rows with --sheet.');
}
