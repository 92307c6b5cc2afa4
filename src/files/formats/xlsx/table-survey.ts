import { stop } from '../../../core/errors.ts';
import type { FoundLayout, LeftOut, ReadOptions, TopRow } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import { counted, foreignName, listed } from '../../../core/plain-text.ts';
import type { RowNumber } from '../../../core/row.ts';
import { type RowRange, readHeaderRows, readRowRange, rowRangeText } from '../../../core/row-range.ts';
import { isLookupName } from '../../columns/column-kind.ts';
import { namedColumns } from '../../header.ts';
import { ColumnLooks, LeftOutFinder, rowsWithout } from '../../shape/left-out.ts';
import { type ListStart, listStart, namesIn, ROWS_SAMPLED, topRows } from '../../shape/list-start.ts';
import { layoutNotes } from '../../shape/shape-words.ts';
import { lettersOf } from '../../workbook.ts';
import { textsOf } from '../../workbook-copy.ts';
import type { Book, BookSheet } from './book.ts';
import { MOST_DIGITS } from './cell.ts';
import type { SheetFrame, SheetRow } from './sheet.ts';
import { type SheetTable, strayPlace, strayWords, type Top } from './sheet-table.ts';

const COLUMNS_SHOWN = 8;

/** The most rows of a workbook. Excel itself takes minutes to open and save more; a CSV file streams at any size. */
const MOST_ROWS = 200_000;

export class TableSurvey {
  readonly #book: Book;
  readonly #sheet: BookSheet;
  readonly #options: ReadOptions;
  /** The rows until the header is known. */
  #sample: SheetRow[] = [];
  #filled = 0;
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
  readonly #found = new RowTally();

  readonly #frame: SheetFrame;

  constructor(book: Book, sheet: BookSheet, options: ReadOptions, frame: SheetFrame) {
    this.#frame = frame;
    this.#book = book;
    this.#sheet = sheet;
    this.#options = options;
    this.#hasSaidRow = rowsWithout(options.asBefore?.leftOut ?? [], readRowRange(options.rows ?? ''));
  }

  get rows(): number {
    return this.#found.rows;
  }

  get lacksValues(): boolean {
    return this.#found.lacksValues;
  }

  get names(): readonly string[] {
    return this.#top?.columns.names ?? [];
  }

  /** Whether somebody can be asked about by a column of it. */
  get hasLookups(): boolean {
    return this.#looks.hasLookups || this.names.some(isLookupName);
  }

  take(row: SheetRow): void {
    if (row.number <= (this.#options.skipLines ?? 0)) return;
    if (this.#top !== undefined) {
      this.#takeBelow(row, this.#top);
      return;
    }
    this.#sample.push(row);
    if (row.cells.length > 0) this.#filled += 1;
    if (this.#mayNameColumns(row)) this.#nameColumns();
  }

  /** @throws StopError `input` for a row that does not fit. */
  end(): void {
    if (this.#top === undefined) this.#nameColumns();
    this.#leftOut = this.#finder?.end() ?? this.#options.asBefore?.leftOut ?? [];
    if (this.#found.refusal !== undefined) throw this.#found.refusal;
  }

  #mayNameColumns({ number }: SheetRow): boolean {
    const said = this.#saidHeader();
    if (said?.last === 0) return this.#filled === ROWS_SAMPLED;
    if (said !== undefined) return number >= said.last;
    if (this.#options.asBefore !== undefined || this.#options.skipLines !== undefined)
      return this.#filled > 0;
    return this.#filled === ROWS_SAMPLED;
  }

  #saidHeader(): RowRange | undefined {
    const { headerRow, asBefore } = this.#options;
    return readHeaderRows(headerRow ?? asBefore?.headerRow ?? '');
  }

  #nameColumns(): void {
    const filled = this.#sample.filter(({ cells }) => cells.length > 0);
    const header = this.#headerIn(filled);
    for (const row of this.#sample) {
      if (row.number <= (header?.last ?? row.number)) this.#found.countUnsaved(row);
      else if (this.#top !== undefined) this.#takeBelow(row, this.#top);
    }
    this.#sample = [];
  }

  /** Keeps the columns. @returns undefined where no row holds anything. */
  #headerIn(filled: readonly SheetRow[]): RowRange | undefined {
    const texts = filled.map(({ number, cells }) => ({ number, cells: textsOf(cells) }));
    const [first] = texts;
    if (first === undefined) return undefined;
    this.#firstRows = topRows(texts);
    this.#start = listStart(texts, this.#options);
    const { header } = this.#start;
    const names = namesIn(texts, header);
    if (names.length === 0) throw blankHeader(this.#where, header.last);
    this.#top = { columns: namedColumns(this.#where, names), header };
    if (this.#mayGuess && this.#options.rows === undefined)
      this.#finder = new LeftOutFinder(header.last, this.#looks);
    this.#requireBelow(header);
    return header;
  }

  /** The workbook, and its sheet where it has several: a person who is told of a row has to find it. */
  get #where(): string {
    const { archive, sheets } = this.#book;
    return sheets.length === 1 ? archive.path : `${archive.path}, sheet ${foreignName(this.#sheet.name)}`;
  }

  get #mayGuess(): boolean {
    return this.#options.asBefore === undefined;
  }

  /** @throws StopError `input` where the rows that were named begin above the header's end. */
  #requireBelow({ last }: RowRange): void {
    const only = readRowRange(this.#options.rows ?? '');
    if (only === undefined || only.first > last) return;
    const fact = `${this.#where}: --rows begins with row ${only.first}, and row ${last} is the header.`;
    throw stop('input', fact, 'Name the rows below the header, or the header with --header-row.');
  }

  #takeBelow(row: SheetRow, top: Top): void {
    if (this.#finder === undefined && !this.#hasSaidRow(row.number)) return;
    if (row.cells.length === 0) {
      this.#found.countUnsaved(row);
      return;
    }
    const cells = textsOf(row.cells);
    this.#held.push(row);
    if (this.#finder === undefined) this.#looks.add(cells);
    else if (!this.#finder.take({ number: row.number, cells })) return;
    for (const each of this.#held) this.#count(each, top);
    this.#held = [];
  }

  #count(row: SheetRow, top: Top): void {
    this.#found.countUnsaved(row);
    if (this.#found.rows === MOST_ROWS) throw tooLong(this.#where);
    const stray = strayPlace(row.cells, top.columns);
    const isRefused = stray !== undefined && this.#options.strict === true;
    this.#found.take(
      row,
      stray === undefined ? undefined : strayCell(this.#where, row.number, stray, top),
      isRefused,
    );
  }

  /** @param sheet its name, where it is another than a reading without a guess would take. */
  table(sheet = this.#options.asBefore?.sheet): SheetTable {
    if (this.#top === undefined) throw blank(this.#book.archive.path, this.#sheet, this.lacksValues);
    const { header, columns } = this.#top;
    // Where the first row is wider than the header, and most others are, the header is wrong: it is a title, most often.
    const wide = this.#found.wide;
    const isAsked = this.#start?.readings !== undefined;
    if (!isAsked && wide?.isFirst === true && wide.count * 2 > this.rows) throw wide.refusal;
    const layout: FoundLayout = present({
      sheet,
      headerRow: this.#start?.isFound === true ? rowRangeText(header) : undefined,
      leftOut: this.#leftOut.length === 0 ? undefined : this.#leftOut,
    });
    const hasRow = rowsWithout(this.#leftOut, readRowRange(this.#options.rows ?? ''));
    const notes = [
      ...this.#sheetNotes(sheet !== undefined),
      ...layoutNotes(layout, header, columns.names),
      ...this.#rowNotes(),
      ...this.#unsavedNotes(this.#top),
    ];
    return {
      columns,
      header,
      rows: this.rows,
      hasRow,
      lastRow: Math.max(header.last, this.#found.lastRow),
      lastUsed: this.#found.lastUsed,
      formulas: this.#found.formulas,
      frame: this.#frame,
      layout,
      top: this.#firstRows,
      ...present({ readings: this.#start?.readings }),
      notes,
    };
  }

  #sheetNotes(isLikelier: boolean): readonly string[] {
    if (this.#options.sheet !== undefined || this.#book.sheets.length === 1) return [];
    const { sheets, open } = this.#book;
    const hasNone = isLikelier ? 'nothing that can be looked up' : 'no rows';
    const otherwise = open === undefined ? '' : `, because the one that was open has ${hasNone}`;
    const why = this.#sheet === open ? ', which was open when it was saved' : otherwise;
    const all = sheets.map(({ name, isHidden }) => `${foreignName(name)}${isHidden ? ' (hidden)' : ''}`);
    return [
      `Read from the sheet ${foreignName(this.#sheet.name)}${why}; to use another, name it with --sheet: ${listed(all)}.`,
    ];
  }

  #rowNotes(): readonly string[] {
    const { count, row } = this.#found.long;
    const hidden = `${counted(this.#found.hidden, 'hidden row')} of the sheet will be processed like all others.`;
    const long = `${counted(count, 'number')} with more than ${MOST_DIGITS} digits, the first in row ${row}: Excel has replaced the digits after those with zeros.`;
    return [...(this.#found.hidden === 0 ? [] : [hidden]), ...(count === 0 ? [] : [long])];
  }

  #unsavedNotes({ columns: { places, names } }: Top): readonly string[] {
    if (!this.lacksValues) return [];
    const all = [...this.#found.unsaved].sort(([one], [other]) => one - other);
    const total = all.reduce((sum, [, { count }]) => sum + count, 0);
    const shown = all.slice(0, COLUMNS_SHOWN).map(([position, { count, row }]) => {
      const at = places.indexOf(position);
      const name = at < 0 ? `column ${lettersOf(position)}` : `column ${foreignName(names[at] ?? '')}`;
      return `${name} (${count}, the first in row ${row})`;
    });
    const more = all.length > shown.length ? [counted(all.length - shown.length, 'other column')] : [];
    const cells = counted(total, 'cell');
    return [
      `${cells} will be read and written as blank, because a formula there has no saved value: in ${listed([...shown, ...more])}. Open the workbook in a spreadsheet program and save it there to store the values.`,
    ];
  }
}

interface Unsaved {
  count: number;
  readonly row: RowNumber;
}

interface Wide {
  count: number;
  readonly isFirst: boolean;
  readonly refusal: Error;
}

class RowTally {
  rows = 0;
  hidden = 0;
  lastRow = 0;
  lastUsed = -1;
  readonly formulas = new Set<number>();
  /** Cells whose formula has no saved value, and the row of the first, by their position. */
  readonly unsaved = new Map<number, Unsaved>();
  /** Cells with numbers that are longer than Excel can keep, and the row of the first. */
  long = { count: 0, row: 0 };
  wide: Wide | undefined;
  refusal: Error | undefined;

  get lacksValues(): boolean {
    return this.unsaved.size > 0;
  }

  countUnsaved({ number, unsaved }: Pick<SheetRow, 'number' | 'unsaved'>): void {
    for (const position of unsaved) {
      const column = this.unsaved.get(position);
      if (column === undefined) this.unsaved.set(position, { count: 1, row: number });
      else column.count += 1;
    }
  }

  /** @param stray why a cell of it would refuse the file. @param isRefused whether it does. */
  take({ number, cells, isHidden, formulas }: SheetRow, stray: Error | undefined, isRefused: boolean): void {
    this.rows += 1;
    if (isHidden) this.hidden += 1;
    this.lastRow = number;
    this.lastUsed = Math.max(this.lastUsed, cells.length - 1, ...formulas);
    for (const column of formulas) this.formulas.add(column);
    if (stray !== undefined && isRefused) this.refusal ??= stray;
    else if (stray !== undefined) {
      this.wide ??= { count: 0, isFirst: this.rows === 1, refusal: stray };
      this.wide.count += 1;
    }
    for (const cell of cells) {
      if (cell?.kind !== 'number' || !Number.isInteger(cell.value)) continue;
      if (Math.abs(cell.value) < 10 ** MOST_DIGITS) continue;
      if (this.long.count === 0) this.long.row = number;
      this.long.count += 1;
    }
  }
}

// ------------------------------------------------------------------------------------------------ what does not fit

function tooLong(where: string): Error {
  const fact = `${where} has more than ${MOST_ROWS} rows, the most that Rowonce reads from a workbook.`;
  return stop('input', fact, 'Save it as CSV, which may have any number of rows.');
}

function strayCell(where: string, row: number, place: number, top: Top): Error {
  const { last: headerRow } = top.header;
  const column = lettersOf(place);
  const fact = `${where}, row ${row}: ${strayWords(row, place, top)}.`;
  const next = `Clear the cell or give column ${column} a name; if row ${headerRow} is a title, use --header-row ${row}.`;
  return stop('input', fact, next);
}

function blank(path: string, { name }: BookSheet, hasFormulas: boolean): Error {
  if (hasFormulas) {
    const fact = `${path}: the sheet ${foreignName(name)} has only formulas without a saved value.`;
    const next = 'Open it in a spreadsheet program and save it there to store the values.';
    return stop('input', fact, next);
  }
  const fact = `${path}: the sheet ${foreignName(name)} is empty: it has neither a header nor rows.`;
  return stop('input', fact, 'Name the sheet that has the rows with --sheet.');
}

function blankHeader(where: string, row: number): Error {
  const fact = `${where}: row ${row} is blank, so it cannot be the header.`;
  return stop('input', fact, "Give the number of the header's row in Excel with --header-row.");
}
