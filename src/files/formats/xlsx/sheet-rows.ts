import { MOST_COLUMNS, MOST_ROWS, type WorkbookCell, type WorkbookRow } from '../../workbook.ts';
import { unreadableAt, unreadableBook } from './archive.ts';
import { cellOf, PLAIN } from './cell.ts';
import { columnIn } from './cell-range.ts';
import type { Book, BookSheet } from './workbook.ts';
import {
  isTrue,
  TextGatherer,
  unescapedText,
  type XmlAttributes,
  type XmlListener,
  XmlReader,
} from './xml.ts';

/** A row that holds something; one that holds nothing but formulas without a saved value has no cells. */
export interface SheetRow extends WorkbookRow {
  readonly isHidden: boolean;
  readonly formulas: number;
  /** Positions of the cells whose formula has no saved value: nobody but a spreadsheet program can tell what they show. */
  readonly unsaved: readonly number[];
}

/** Two hundred thousand rows of a hundred columns have half of this. */
export const MOST_BYTES_OF_SHEET = 2 * 1024 * 1024 * 1024;

/** @throws StopError `input` with the row, where the sheet is damaged. */
export async function* sheetRows(book: Book, tab: BookSheet): AsyncIterable<readonly SheetRow[]> {
  const { archive } = book;
  const reader = new RowReader(book);
  const xml = new XmlReader(reader);
  try {
    for await (const chunk of archive.chunks(tab.part, MOST_BYTES_OF_SHEET)) {
      xml.write(chunk);
      yield reader.takeRows();
    }
    xml.end();
  } catch (error) {
    throw sheetError(book, tab, reader.row, error);
  }
}

/** What was found wrong while a sheet was read, by the row that was read then. */
export function sheetError({ archive }: Book, { part }: BookSheet, row: number, error: unknown): Error {
  if (error instanceof CellError) return unreadableBook(archive.path, `row ${row}: ${error.message}`);
  return unreadableAt(archive.path, `its part ${part}`, error);
}

class CellError extends Error {}

export class RowReader implements XmlListener {
  readonly #book: Book;
  readonly #value = new TextGatherer();
  #rows: SheetRow[] = [];
  #isInData = false;
  /** The row that is being read, or was the last. */
  row = 0;
  #isHidden = false;
  #formulas = 0;
  #unsaved: number[] = [];
  #isFormula = false;
  #hasValue = false;
  #cells: (WorkbookCell | undefined)[] = [];
  /** The column of the current cell, or of the last one; -1 before the first cell of a row. */
  column = -1;
  #type = 'n';
  #style: string | undefined;

  constructor(book: Book) {
    this.#book = book;
  }

  takeRows(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  opened(name: string, attributes: XmlAttributes): void {
    if (name === 'sheetData') this.#isInData = true;
    else if (!this.#isInData) return;
    else if (name === 'row') this.#openRow(attributes);
    else if (name === 'c') this.#openCell(attributes);
    else if (name === 'f') this.#isFormula = true;
    else this.#openValue(name);
  }

  closed(name: string): void {
    if (name === 'sheetData') this.#isInData = false;
    else if (!this.#isInData) return;
    else if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
    else this.#value.closed(name);
  }

  text(text: string): void {
    this.#value.hear(text);
  }

  #openRow({ r, hidden }: XmlAttributes): void {
    const number = Number(r ?? this.row + 1);
    if (!(Number.isInteger(number) && number > this.row && number <= MOST_ROWS)) {
      throw new CellError(`the row below it says that it is row ${JSON.stringify(r)}`);
    }
    this.row = number;
    this.#isHidden = isTrue(hidden);
    this.#formulas = 0;
    this.#unsaved = [];
    this.#cells = [];
    this.column = -1;
  }

  #closeRow(): void {
    if (this.#cells.length === 0 && this.#unsaved.length === 0) return;
    this.#rows.push({
      number: this.row,
      cells: this.#cells,
      isHidden: this.#isHidden,
      formulas: this.#formulas,
      unsaved: this.#unsaved,
    });
  }

  #openCell({ r: address, s: style, t: type = 'n' }: XmlAttributes): void {
    const column = address === undefined ? this.column + 1 : columnIn(address);
    if (!(column > this.column && column < MOST_COLUMNS)) {
      throw new CellError(`a cell says that it is ${JSON.stringify(address)}`);
    }
    this.column = column;
    this.#type = type;
    this.#style = style;
    this.#isFormula = false;
    this.#hasValue = false;
    this.#value.start();
  }

  #openValue(name: string): void {
    if (name === 'v') this.#hasValue = true;
    this.#value.opened(name);
  }

  #closeCell(): void {
    const format = this.#style === undefined ? PLAIN : (this.#book.formats[Number(this.#style)] ?? PLAIN);
    // A number of the list of shared texts is no text itself.
    const value = this.#type === 's' ? this.#value.text : unescapedText(this.#value.text);
    if (this.#isFormula) this.#countFormula(value);
    try {
      const cell = cellOf({ type: this.#type, value, format, style: this.#style }, this.#book);
      if (cell !== undefined) this.#cells[this.column] = cell;
    } catch (error) {
      throw new CellError(error instanceof Error ? error.message : String(error));
    }
  }

  /** A formula may have given an empty text, which is saved as one. A program that cannot calculate saves nothing. */
  #countFormula(value: string): void {
    this.#formulas += 1;
    const isSaved = value !== '' || (this.#hasValue && this.#type === 'str');
    if (!isSaved) this.#unsaved.push(this.column);
  }
}
