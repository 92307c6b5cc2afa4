import { stop } from '../../../core/errors.ts';
import type { FoundLayout, LeftOut, ReadOptions, StartReading, TopRow } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import { counted, foreignName, listed } from '../../../core/plain-text.ts';
import type { InputRow, RowNumber } from '../../../core/row.ts';
import { type RowRange, readHeaderRows, readRowRange, rowRangeText } from '../../../core/row-range.ts';
import { isLookupName } from '../../columns/column-kind.ts';
import { type NamedColumns, namedColumns } from '../../header.ts';
import { ColumnLooks, LeftOutFinder, rowsWithout } from '../../shape/left-out.ts';
import { type ListStart, listStart, namesIn, ROWS_SAMPLED, topRows } from '../../shape/list-start.ts';
import { layoutNotes } from '../../shape/shape-words.ts';
import { lettersOf } from '../../workbook.ts';
import { type Book, type BookSheet, sheetsMeant } from './book.ts';
import { MOST_DIGITS } from './cell.ts';
import { type SheetFrame, SheetReader, type SheetRow, sheetRows } from './sheet.ts';

/** The table on a sheet, found in one reading of it: where it begins and ends, and what stands around it. */
export interface SheetTable {
  readonly tab: BookSheet;
  readonly columns: NamedColumns;
  /** The rows of the header; its last one has the names, or most of them. */
  readonly header: RowRange;
  /** How many rows below the header are the table's. */
  readonly rows: number;
  readonly hasRow: (row: RowNumber) => boolean;
  /** The last row of the table, and the last column in which one of its rows holds something. */
  readonly lastRow: RowNumber;
  readonly lastUsed: number;
  /** The columns in which a row of the table has a formula. */
  readonly formulas: ReadonlySet<number>;
  readonly frame: SheetFrame;
  readonly layout: FoundLayout;
  readonly top: readonly TopRow[];
  readonly readings?: readonly StartReading[];
  readonly notes: readonly string[];
}

type Top = Pick<SheetTable, 'columns' | 'header'>;

// --------------------------------------------------------------------------------------------- the sheet that is meant

/** A list has so many times the rows of a summary of it. */
const TIMES_THE_ROWS = 3;

/**
 * The table of the sheet that is named, or that was open when the workbook was saved: unless it has no rows, or nobody can be asked
 * about by any column of it and another one looks more like a list. Each is read once.
 * @throws StopError `input` when there is nothing on any, or a row does not fit: what is damaged is not passed over.
 */
export async function chooseTable(book: Book, options: ReadOptions): Promise<SheetTable> {
  const [first, ...others] = sheetsMeant(book, options.sheet ?? options.asBefore?.sheet);
  let damage: unknown;
  const open = await surveyed(book, first, options).catch((error: unknown) => {
    damage = error;
    return undefined;
  });
  const isTaken = options.asBefore !== undefined || open?.isLikely(options) === true;
  const other = isTaken && open?.isBlank !== true ? undefined : await otherTable(book, others, options, open);
  if (other !== undefined) return other;
  if (open === undefined) throw damage;
  return open.table(options.asBefore?.sheet, NO_LOOKUPS);
}

const NO_LOOKUPS = 'nothing that can be looked up';

async function otherTable(
  book: Book,
  others: readonly BookSheet[],
  options: ReadOptions,
  open: TableSurvey | undefined,
): Promise<SheetTable | undefined> {
  for (const tab of others) {
    const other = await surveyed(book, tab, options).catch(() => undefined);
    if (other === undefined || other.rows === 0) continue;
    if (open?.isBlank === true) return other.table(undefined, 'no rows');
    const isList = other.isLikely({}) && other.rows >= (open?.rows ?? 0) * TIMES_THE_ROWS;
    if (isList && !tab.isHidden) return other.table(tab.name, NO_LOOKUPS);
  }
  return undefined;
}

async function surveyed(book: Book, tab: BookSheet, options: ReadOptions): Promise<TableSurvey> {
  const reader = new SheetReader(book);
  const survey = new TableSurvey(book, tab, options, reader.frame);
  const first = await firstRows(book, tab, options);
  if (first.length > 0) survey.begin(first);
  for await (const group of sheetRows(book, tab, reader)) for (const row of group) survey.take(row);
  survey.end();
  return survey;
}

/** Those that hold something, as many as it takes to find the header. */
async function firstRows(
  book: Book,
  tab: BookSheet,
  { skipLines = 0, headerRow, asBefore }: ReadOptions,
): Promise<readonly SheetRow[]> {
  const least = readHeaderRows(headerRow ?? asBefore?.headerRow ?? '')?.last ?? 0;
  const rows: SheetRow[] = [];
  for await (const group of sheetRows(book, tab)) {
    rows.push(...group.filter(({ number, cells }) => number > skipLines && cells.length > 0));
    if (rows.length >= ROWS_SAMPLED && (rows.at(-1)?.number ?? 0) >= least) break;
  }
  return rows;
}

export interface TableRow {
  /** A title stands above the header, and stays as it is, like what is left out of the table below it. */
  readonly kind: 'title' | 'header' | 'row' | 'left_out';
  readonly number: RowNumber;
  readonly cells: readonly string[];
  /** The reason why the row cannot be read, as in `InputRow`. */
  readonly unreadable?: string;
}

export function tableRow({ number, cells }: SheetRow, { header, hasRow, columns }: SheetTable): TableRow {
  if (number === header.last) return { kind: 'header', number, cells };
  if (number < header.last) return { kind: 'title', number, cells };
  if (!hasRow(number) || cells.length === 0) return { kind: 'left_out', number, cells };
  const stray = strayPlace(cells, columns);
  if (stray === undefined) return { kind: 'row', number, cells };
  return { kind: 'row', number, cells, unreadable: strayWords(number, stray, { header, columns }) };
}

/** The cells below the names; behind those of a row that cannot be read all others. */
export function inputRow({ number: row, cells, unreadable }: TableRow, { places }: NamedColumns): InputRow {
  const own = places.map((place) => cells[place] ?? '');
  if (unreadable === undefined) return { row, cells: own };
  const named = new Set(places);
  return { row, cells: [...own, ...cells.filter((_text, at) => !named.has(at))], unreadable };
}

// ------------------------------------------------------------------------------------------------------ its first reading

/** The most rows of a workbook. Excel itself takes minutes to open and save more; a CSV file streams at any size. */
const MOST_ROWS = 200_000;

class TableSurvey {
  readonly #book: Book;
  readonly #tab: BookSheet;
  readonly #options: ReadOptions;
  readonly #frame: SheetFrame;
  #top: Top | undefined;
  #firstRows: readonly TopRow[] = [];
  #start: ListStart | undefined;
  /** By what was said or kept; it is asked only where nothing is guessed. */
  readonly #hasSaidRow: SheetTable['hasRow'];
  #finder: LeftOutFinder | undefined;
  readonly #looks = new ColumnLooks();
  /** Rows of which it is not known yet whether they are the table's. */
  #held: SheetRow[] = [];
  #leftOut: readonly LeftOut[] = [];
  rows = 0;
  #lastRow = 0;
  #lastUsed = -1;
  readonly #formulas = new Set<number>();
  #hidden = 0;
  readonly #unsaved = new Tally();
  readonly #long = new Tally();
  /** Rows that are wider than the header, and why they would refuse the file. */
  #wide: { count: number; readonly isFirst: boolean; readonly refusal: Error } | undefined;
  #refusal: Error | undefined;

  constructor(book: Book, tab: BookSheet, options: ReadOptions, frame: SheetFrame) {
    this.#book = book;
    this.#tab = tab;
    this.#options = options;
    this.#frame = frame;
    this.#hasSaidRow = rowsWithout(options.asBefore?.leftOut ?? [], readRowRange(options.rows ?? ''));
  }

  /** Rows of nothing but formulas without values are rows all the same: another sheet is not what was meant. */
  get isBlank(): boolean {
    return this.rows === 0 && this.#unsaved.count === 0;
  }

  /** Whether somebody can be asked about by a column of it, or it has the columns that a job names. */
  isLikely({ wanted = [] }: Pick<ReadOptions, 'wanted'>): boolean {
    const names = this.#top?.columns.names ?? [];
    const isWanted = wanted.length > 0 && wanted.every((name) => names.includes(name));
    return isWanted || this.#looks.hasLookups || names.some(isLookupName);
  }

  begin(filled: readonly SheetRow[]): void {
    const { asBefore, rows } = this.#options;
    this.#firstRows = topRows(filled);
    this.#start = listStart(filled, this.#options);
    const { header } = this.#start;
    const names = namesIn(filled, header);
    if (names.length === 0) throw blankHeader(this.#where, header.last);
    const only = readRowRange(rows ?? '');
    if (only !== undefined && only.first <= header.last)
      throw rowsAbove(this.#where, only.first, header.last);
    if (asBefore === undefined && rows === undefined)
      this.#finder = new LeftOutFinder(header.last, this.#looks);
    this.#top = { columns: namedColumns(this.#where, names), header };
  }

  take(row: SheetRow): void {
    const top = this.#top;
    const isAbove =
      top === undefined || row.number <= Math.max(top.header.last, this.#options.skipLines ?? 0);
    if (isAbove || row.cells.length === 0) {
      for (const place of row.unsaved) this.#unsaved.add(row.number, place);
      return;
    }
    if (this.#finder === undefined && !this.#hasSaidRow(row.number)) return;
    this.#held.push(row);
    if (this.#finder === undefined) this.#looks.add(row.cells);
    else if (!this.#finder.take(row)) return;
    for (const each of this.#held) this.#count(each, top);
    this.#held = [];
  }

  /** @throws StopError `input` for a row that does not fit. */
  end(): void {
    this.#leftOut = this.#finder?.end() ?? this.#options.asBefore?.leftOut ?? [];
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** The workbook, and its sheet where it has several: a person who is told of a row has to find it. */
  get #where(): string {
    const { archive, sheets } = this.#book;
    return sheets.length === 1 ? archive.path : `${archive.path}, sheet ${foreignName(this.#tab.name)}`;
  }

  #count(row: SheetRow, top: Top): void {
    if (this.rows === MOST_ROWS) throw tooLong(this.#where);
    this.rows += 1;
    this.#countStray(row, top);
    const { number, cells, formulas } = row;
    this.#lastRow = number;
    this.#lastUsed = Math.max(this.#lastUsed, cells.length - 1, ...formulas);
    for (const column of formulas) this.#formulas.add(column);
    if (row.isHidden) this.#hidden += 1;
    for (const place of row.long) this.#long.add(number, place);
    for (const place of row.unsaved) this.#unsaved.add(number, place);
  }

  #countStray({ number, cells }: SheetRow, top: Top): void {
    const stray = strayPlace(cells, top.columns);
    if (stray === undefined) return;
    const refusal = strayCell(this.#where, number, stray, top);
    if (this.#options.strict === true) this.#refusal ??= refusal;
    this.#wide ??= { count: 0, isFirst: this.rows === 1, refusal };
    this.#wide.count += 1;
  }

  /**
   * @param sheet its name, where it is another than a reading without a guess would take.
   * @param lack what the open sheet has not, where this is another.
   */
  table(sheet: string | undefined, lack: string): SheetTable {
    if (this.#top === undefined) throw blank(this.#book.archive.path, this.#tab);
    const { header, columns } = this.#top;
    // Where the first row is wider than the header, and most others are, the header is wrong: it is a title, most often.
    const wide = this.#wide;
    const isAsked = this.#start?.readings !== undefined;
    if (!isAsked && wide?.isFirst === true && wide.count * 2 > this.rows) throw wide.refusal;
    const layout: FoundLayout = present({
      sheet,
      headerRow: this.#start?.isFound === true ? rowRangeText(header) : undefined,
      leftOut: this.#leftOut.length === 0 ? undefined : this.#leftOut,
    });
    return {
      tab: this.#tab,
      columns,
      header,
      rows: this.rows,
      hasRow: rowsWithout(this.#leftOut, readRowRange(this.#options.rows ?? '')),
      lastRow: Math.max(header.last, this.#lastRow),
      lastUsed: this.#lastUsed,
      formulas: this.#formulas,
      frame: this.#frame,
      layout,
      top: this.#firstRows,
      ...present({ readings: this.#start?.readings }),
      notes: [...this.#sheetNotes(lack), ...layoutNotes(layout, header, columns.names), ...this.#rowNotes()],
    };
  }

  #sheetNotes(lack: string): readonly string[] {
    const { sheets, open } = this.#book;
    if (this.#options.sheet !== undefined || sheets.length === 1) return [];
    const otherwise = open === undefined ? '' : `, because the one that was open has ${lack}`;
    const why = this.#tab === open ? ', which was open when it was saved' : otherwise;
    const all = sheets.map(({ name, isHidden }) => `${foreignName(name)}${isHidden ? ' (hidden)' : ''}`);
    return [
      `Read from the sheet ${foreignName(this.#tab.name)}${why}; to use another, name it with --sheet: ${listed(all)}.`,
    ];
  }

  #rowNotes(): readonly string[] {
    const [long, unsaved] = [this.#long, this.#unsaved];
    const notes = [
      [
        this.#hidden,
        `${counted(this.#hidden, 'hidden row')} of the sheet will be processed like all others.`,
      ],
      [
        long.count,
        `${counted(long.count, 'number')} with more than ${MOST_DIGITS} digits, the first in ${long.first}: Excel has replaced the digits after those with zeros.`,
      ],
      [
        unsaved.count,
        `${counted(unsaved.count, 'cell')} will be read and written as blank, because a formula there has no saved value, the first in ${unsaved.first}. Open the workbook in a spreadsheet program and save it there to store the values.`,
      ],
    ] as const;
    return notes.flatMap(([count, note]) => (count === 0 ? [] : [note]));
  }
}

/** How many cells have something odd, and the address of the first. */
class Tally {
  count = 0;
  first = '';

  add(row: RowNumber, place: number): void {
    if (this.count === 0) this.first = `${lettersOf(place)}${row}`;
    this.count += 1;
  }
}

// ------------------------------------------------------------------------------------------------ what does not fit

/** Where a cell holds something right of the header. */
function strayPlace(cells: SheetRow['cells'], { width }: NamedColumns): number | undefined {
  return cells.length > width ? cells.length - 1 : undefined;
}

function strayWords(row: number, place: number, { columns, header }: Top): string {
  const last = lettersOf(columns.width - 1);
  const ends = header.last === 0 ? `the list ends` : `the header in row ${header.last} ends`;
  return `the cell ${lettersOf(place)}${row} holds something, but ${ends} with column ${last}`;
}

function strayCell(where: string, row: number, place: number, top: Top): Error {
  const fact = `${where}, row ${row}: ${strayWords(row, place, top)}.`;
  const next = `Clear the cell or give column ${lettersOf(place)} a name; if row ${top.header.last} is a title, use --header-row ${row}.`;
  return stop('input', fact, next);
}

function tooLong(where: string): Error {
  const fact = `${where} has more than ${MOST_ROWS} rows, the most that Rowonce reads from a workbook.`;
  return stop('input', fact, 'Save it as CSV, which may have any number of rows.');
}

function rowsAbove(where: string, first: number, headerRow: number): Error {
  const fact = `${where}: --rows begins with row ${first}, and row ${headerRow} is the header.`;
  return stop('input', fact, 'Name the rows below the header, or the header with --header-row.');
}

function blank(path: string, { name }: BookSheet): Error {
  const fact = `${path}: the sheet ${foreignName(name)} is empty: it has neither a header nor rows, or only formulas without a saved value.`;
  const next =
    'Name the sheet that has the rows with --sheet, or save the workbook in a spreadsheet program to store the values.';
  return stop('input', fact, next);
}

function blankHeader(where: string, row: number): Error {
  const fact = `${where}: row ${row} is blank, so it cannot be the header.`;
  return stop('input', fact, "Give the number of the header's row in Excel with --header-row.");
}
