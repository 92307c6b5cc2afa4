import { MOST_COLUMNS, MOST_ROWS, type WorkbookCell, type WorkbookRow } from '../../workbook.ts';
import type { Book, BookSheet } from './book.ts';
import { cellOf } from './cell.ts';
import { damaged, damagedPart } from './damaged.ts';
import { PLAIN } from './number-format.ts';
import { TextGatherer, unescapedText } from './text.ts';
import { attributesOf, tokensOf, type XmlToken } from './xml.ts';

/** A row that holds something. */
export interface SheetRow extends WorkbookRow {
  readonly isHidden: boolean;
  readonly formulas: number;
}

/** Two hundred thousand rows of a hundred columns have half of this. */
const MOST_BYTES_OF_SHEET = 2 * 1024 * 1024 * 1024;

/**
 * The rows of a sheet that hold something, in groups as they are unpacked.
 * @throws StopError `input` with the row, where the sheet is damaged.
 */
export async function* sheetRows(
  book: Book,
  { part }: BookSheet,
): AsyncGenerator<readonly SheetRow[], void, undefined> {
  const { archive } = book;
  const reader = new RowReader(book);
  try {
    for await (const tokens of tokensOf(archive.chunks(part, MOST_BYTES_OF_SHEET))) {
      for (const token of tokens) reader.take(token);
      yield reader.takeRows();
    }
  } catch (error) {
    if (error instanceof CellError) throw damaged(archive.path, `row ${reader.row}: ${error.message}`);
    throw damagedPart(archive.path, part, error);
  }
}

/** What is wrong with a row or a cell, as a clause. */
class CellError extends Error {}

/** Makes rows of the tokens of a sheet. */
class RowReader {
  readonly #book: Book;
  readonly #value = new TextGatherer();
  #rows: SheetRow[] = [];
  #isInData = false;
  #number = 0;
  #isHidden = false;
  #formulas = 0;
  #cells: (WorkbookCell | undefined)[] = [];
  /** Of the cell at hand, or the last one; -1 before the first of a row. */
  #column = -1;
  #type = 'n';
  #style: string | undefined;

  constructor(book: Book) {
    this.#book = book;
  }

  /** The row that is being read, or was the last. */
  get row(): number {
    return this.#number;
  }

  takeRows(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  take(token: XmlToken): void {
    if (token.kind === 'text') this.#value.hear(token.text);
    else if (token.name === 'sheetData') this.#isInData = token.kind === 'open';
    else if (!this.#isInData) return;
    else if (token.kind === 'open') this.#open(token.name, token.tag);
    else this.#close(token.name);
  }

  #open(name: string, tag: string): void {
    if (name === 'row') this.#openRow(tag);
    else if (name === 'c') this.#openCell(tag);
    else if (name === 'f') this.#formulas += 1;
    else this.#value.opened(name);
  }

  #close(name: string): void {
    if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
    else this.#value.closed(name);
  }

  #openRow(tag: string): void {
    const attributes = attributesOf(tag);
    const number = Number(attributes.get('r') ?? this.#number + 1);
    if (!(Number.isInteger(number) && number > this.#number && number <= MOST_ROWS)) {
      throw new CellError(`the row below it says that it is row ${JSON.stringify(attributes.get('r'))}`);
    }
    this.#number = number;
    this.#isHidden = attributes.get('hidden') === '1' || attributes.get('hidden') === 'true';
    this.#formulas = 0;
    this.#cells = [];
    this.#column = -1;
  }

  #closeRow(): void {
    if (this.#cells.length === 0) return;
    this.#rows.push({
      number: this.#number,
      cells: this.#cells,
      isHidden: this.#isHidden,
      formulas: this.#formulas,
    });
  }

  #openCell(tag: string): void {
    const { address, type, style } = cellTag(tag);
    const column = address === undefined ? this.#column + 1 : columnIn(address);
    if (!(column > this.#column && column < MOST_COLUMNS)) {
      throw new CellError(`a cell says that it is ${JSON.stringify(address)}`);
    }
    this.#column = column;
    this.#type = type;
    this.#style = style;
    this.#value.start();
  }

  #closeCell(): void {
    const format = this.#style === undefined ? PLAIN : (this.#book.formats[Number(this.#style)] ?? PLAIN);
    // A number of the list of shared texts is no text itself.
    const value = this.#type === 's' ? this.#value.text : unescapedText(this.#value.text);
    try {
      const cell = cellOf({ type: this.#type, value, format }, this.#book);
      if (cell !== undefined) this.#cells[this.#column] = cell;
    } catch (error) {
      throw new CellError(error instanceof Error ? error.message : String(error));
    }
  }
}

interface CellTag {
  readonly address: string | undefined;
  readonly type: string;
  readonly style: string | undefined;
}

/** As nearly every program writes the tag of a cell: found at once, where attributes of any order take three times as long. */
const USUAL_CELL = /^<c r="([A-Z]{1,3}\d+)"(?: s="(\d+)")?(?: t="([A-Za-z]+)")?\/?>$/;

function cellTag(tag: string): CellTag {
  const usual = USUAL_CELL.exec(tag);
  if (usual !== null) return { address: usual[1], style: usual[2], type: usual[3] ?? 'n' };
  const attributes = attributesOf(tag);
  return {
    address: attributes.get('r'),
    style: attributes.get('s'),
    type: attributes.get('t') ?? 'n',
  };
}

/** The position of the column in an address such as `AB12`; NaN for what is none. */
function columnIn(address: string): number {
  const letters = /^([A-Z]{1,3})\d+$/.exec(address)?.[1];
  if (letters === undefined) return Number.NaN;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
