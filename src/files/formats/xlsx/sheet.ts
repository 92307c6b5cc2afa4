import {
  cellXml,
  lettersOf,
  MOST_COLUMNS,
  MOST_ROWS,
  type WorkbookCell,
  type WorkbookRow,
} from '../../workbook.ts';
import { unreadableAt, unreadableBook } from './archive.ts';
import { type Book, type BookSheet, linkIdOf } from './book.ts';
import { type CellRange, cellOf, columnIn, PLAIN, readCellRange } from './cell.ts';
import {
  isTrue,
  type Patch,
  type Place,
  prefixOf,
  TextGatherer,
  unescapedText,
  withoutAttribute,
  type XmlAttributes,
  type XmlListener,
  XmlReader,
} from './xml.ts';

/** A sheet is read, or read and patched, in one pass over its XML. Rows stream, so memory does not grow with it. */

/** A row that holds something; one that holds nothing but formulas without a saved value has no cells. */
export interface SheetRow extends WorkbookRow {
  readonly isHidden: boolean;
  /** Columns of the cells with a formula. */
  readonly formulas: readonly number[];
  /** Those of them that have no saved value: nobody but a spreadsheet program can tell what they show. */
  readonly unsaved: readonly number[];
}

/** What stands around the cells. It is whole when all was read. */
export interface SheetFrame {
  filter: CellRange | undefined;
  /** The links to Excel's tables on the sheet. */
  readonly tables: string[];
  readonly merged: CellRange[];
  isProtected: boolean;
}

/** Two hundred thousand rows of a hundred columns have half of this. */
const MOST_BYTES_OF_SHEET = 2 * 1024 * 1024 * 1024;

/** @throws StopError `input` with the row, where the sheet is damaged. */
export async function* sheetRows(
  book: Book,
  tab: BookSheet,
  reader = new SheetReader(book),
): AsyncIterable<readonly SheetRow[]> {
  for await (const _ of read(book, tab, reader, new XmlReader(reader))) yield reader.takeRows();
}

/** What its taker does meanwhile, and what goes wrong with that, is none of the sheet's. */
async function* read(book: Book, tab: BookSheet, reader: SheetReader, xml: XmlReader): AsyncIterable<void> {
  const { archive } = book;
  try {
    for await (const chunk of archive.chunks(tab.part, MOST_BYTES_OF_SHEET)) {
      xml.write(chunk);
      yield;
    }
    xml.end();
  } catch (error) {
    if (error instanceof CellError) throw unreadableBook(archive.path, `row ${reader.row}: ${error.message}`);
    throw unreadableAt(archive.path, `its part ${tab.part}`, error);
  }
}

class CellError extends Error {}

export class SheetReader implements XmlListener {
  readonly frame: SheetFrame = { filter: undefined, tables: [], merged: [], isProtected: false };
  readonly #book: Book;
  readonly #value = new TextGatherer();
  readonly #path: string[] = [];
  #rows: SheetRow[] = [];
  isInData = false;
  /** The row that is being read, or was the last. */
  row = 0;
  #isHidden = false;
  #formulas: number[] = [];
  #unsaved: number[] = [];
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

  /** The names of the elements around what is read, below the one that holds all: `mergeCells/mergeCell`. */
  get path(): string {
    return this.#path.slice(1).join('/');
  }

  opened(name: string, attributes: XmlAttributes): void {
    if (!this.isInData) {
      this.#path.push(name);
      this.isInData = this.path === 'sheetData';
      this.#takeFrame(attributes);
    } else if (name === 'row') this.#openRow(attributes);
    else if (name === 'c') this.#openCell(attributes);
    else if (name === 'f') this.#formulas.push(this.column);
    else {
      if (name === 'v') this.#hasValue = true;
      this.#value.opened(name);
    }
  }

  closed(name: string): void {
    if (name === 'sheetData') this.isInData = false;
    if (!this.isInData) this.#path.pop();
    else if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
    else this.#value.closed(name);
  }

  text(text: string): void {
    this.#value.hear(text);
  }

  #takeFrame(attributes: XmlAttributes): void {
    const { path, frame } = this;
    if (path === 'autoFilter') frame.filter = readCellRange(attributes.ref);
    else if (path === 'sheetProtection') frame.isProtected = isTrue(attributes.sheet);
    else if (path === 'tableParts/tablePart') frame.tables.push(linkIdOf(attributes) ?? '');
    else if (path === 'mergeCells/mergeCell')
      frame.merged.push(...[readCellRange(attributes.ref) ?? []].flat());
  }

  #openRow({ r, hidden }: XmlAttributes): void {
    const number = Number(r ?? this.row + 1);
    if (!(Number.isInteger(number) && number > this.row && number <= MOST_ROWS)) {
      throw new CellError(`the row below it says that it is row ${JSON.stringify(r)}`);
    }
    this.row = number;
    this.#isHidden = isTrue(hidden);
    this.#formulas = [];
    this.#unsaved = [];
    this.#cells = [];
    this.column = -1;
  }

  #closeRow(): void {
    const [number, cells, isHidden] = [this.row, this.#cells, this.#isHidden];
    const [formulas, unsaved] = [this.#formulas, this.#unsaved];
    if (cells.length > 0 || unsaved.length > 0)
      this.#rows.push({ number, cells, isHidden, formulas, unsaved });
  }

  #openCell({ r: address, s: style, t: type = 'n' }: XmlAttributes): void {
    const column = address === undefined ? this.column + 1 : columnIn(address);
    if (!(column > this.column && column < MOST_COLUMNS)) {
      throw new CellError(`a cell says that it is ${JSON.stringify(address)}`);
    }
    this.column = column;
    this.#type = type;
    this.#style = style;
    this.#hasValue = false;
    this.#value.start();
  }

  #closeCell(): void {
    const format = this.#style === undefined ? PLAIN : (this.#book.formats[Number(this.#style)] ?? PLAIN);
    // A number of the list of shared texts is no text itself.
    const value = this.#type === 's' ? this.#value.text : unescapedText(this.#value.text);
    // A formula may have given an empty text, which is saved as one. A program that cannot calculate saves nothing.
    const isSaved = value !== '' || (this.#hasValue && this.#type === 'str');
    if (!isSaved && this.#formulas.at(-1) === this.column) this.#unsaved.push(this.column);
    try {
      const cell = cellOf({ type: this.#type, value, format }, this.#book);
      if (cell !== undefined) this.#cells[this.column] = cell;
    } catch (error) {
      throw new CellError(error instanceof Error ? error.message : String(error));
    }
  }
}

// ----------------------------------------------------------------------------------------------- the sheet, patched

export interface RowChange {
  /** Cells as they are from now on, by their columns; undefined for one that holds nothing any more. */
  readonly cells: ReadonlyMap<number, WorkbookCell | undefined>;
  /** Whether a new cell looks like the one left of the first. */
  readonly likeLeft: boolean;
}

export interface SheetEdit {
  /** The tag of an element outside of the rows as it is from now on. */
  tag(path: string, attributes: XmlAttributes, tag: string): string;
  changes(rows: readonly SheetRow[]): Promise<readonly (RowChange | undefined)[]>;
}

/** Every other character stays as it was. Rows are changed as they come. */
export async function* editedSheet(book: Book, tab: BookSheet, edit: SheetEdit): AsyncIterable<string> {
  const places = new PlacedSheet(book, edit);
  for await (const _ of read(book, tab, places, places.xml)) yield await written(places.behind);
  yield await written(places.xml.length);

  async function written(end: number): Promise<string> {
    const [rows, { tags, byRow }] = [places.takeRows(), places.takePlaces()];
    const changes = await edit.changes(rows);
    const patches = rows.flatMap((row, at) =>
      rowPatches(row, byRow.get(row.number), changes[at], places.xml),
    );
    return places.xml.take(end, [...tags, ...patches]);
  }
}

interface RowPlaces {
  readonly open: Place;
  close: Place;
  readonly cells: (Place & {
    readonly column: number;
    readonly style: string | undefined;
    isFilled: boolean;
  })[];
}

class PlacedSheet extends SheetReader {
  readonly xml: XmlReader = new XmlReader(this, { keeps: true });
  readonly #edit: SheetEdit;
  #byRow = new Map<number, RowPlaces>();
  #tags: Patch[] = [];
  #open: RowPlaces | undefined;
  #cell: { readonly start: number; readonly style: string | undefined; isFilled: boolean } | undefined;
  #behind = 0;

  constructor(book: Book, edit: SheetEdit) {
    super(book);
    this.#edit = edit;
  }

  /** Up to where everything is known: behind the last tag, or before the row that is under way. */
  get behind(): number {
    return this.#open?.open.start ?? this.#behind;
  }

  takePlaces(): { readonly tags: readonly Patch[]; readonly byRow: ReadonlyMap<number, RowPlaces> } {
    const taken = { tags: this.#tags, byRow: this.#byRow };
    this.#tags = [];
    this.#byRow = new Map();
    return taken;
  }

  override opened(name: string, attributes: XmlAttributes): void {
    const { tag, isInData } = this;
    super.opened(name, attributes);
    if (!isInData) {
      const is = this.xml.slice(tag);
      const text = this.#edit.tag(this.path, attributes, is);
      if (text !== is) this.#tags.push({ ...tag, text });
    } else if (name === 'row') this.#open = { open: tag, close: tag, cells: [] };
    else if (name === 'c') this.#cell = { start: tag.start, style: attributes.s, isFilled: false };
    else if (this.#cell !== undefined) this.#cell.isFilled = true;
  }

  override closed(name: string): void {
    const { tag } = this;
    super.closed(name);
    if (name === 'c' && this.#cell !== undefined) {
      this.#open?.cells.push({ ...this.#cell, column: this.column, end: tag.end });
      this.#cell = undefined;
    } else if (name === 'row' && this.#open !== undefined) {
      this.#byRow.set(this.row, { ...this.#open, close: tag });
      this.#open = undefined;
    }
  }

  get tag(): Place {
    const { tag } = this.xml;
    this.#behind = tag.end;
    return tag;
  }
}

function rowPatches(
  { number }: SheetRow,
  places: RowPlaces | undefined,
  change: RowChange | undefined,
  xml: XmlReader,
): readonly Patch[] {
  if (places === undefined || change === undefined || change.cells.size === 0) return [];
  const { open, close, cells } = places;
  const tag = xml.slice(open);
  const prefix = prefixOf(tag);
  const columns = [...change.cells.keys()].sort((one, other) => one - other);
  const left = cells.findLast(({ column, isFilled }) => isFilled && column < (columns[0] ?? 0))?.style;
  // Which columns a row has is said for programs that want to know it before; that need not be said.
  const patches: Patch[] = [{ ...open, text: withoutAttribute(tag, 'spans') }];
  for (const column of columns) {
    const there = cells.find((each) => each.column === column);
    // What a user has laid out for the cell stays, and a new name looks like the one beside it.
    const style = there?.style ?? (change.likeLeft ? left : undefined);
    const start = there?.start ?? cells.find((each) => each.column > column)?.start ?? close.start;
    const address = `${lettersOf(column)}${number}`;
    const text = cellText(address, change.cells.get(column), style, prefix);
    patches.push({ start, end: there?.end ?? start, text });
  }
  return patches;
}

function cellText(
  address: string,
  cell: WorkbookCell | undefined,
  style: string | undefined,
  prefix: string,
): string {
  if (cell !== undefined && cell.text !== '') return cellXml(address, cell, style, prefix);
  return style === undefined ? '' : `<${prefix}c r="${address}" s="${style}"/>`;
}
