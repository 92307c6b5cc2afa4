import type { RowNumber } from '../../../core/row.ts';
import { behindLink } from '../../../values/web-address.ts';
import { cellXml, lettersOf, MOST_COLUMNS, MOST_ROWS, type WorkbookCell } from '../../workbook.ts';
import { unreadableAt, unreadableBook } from './archive.ts';
import { type Book, type BookSheet, idIn } from './book.ts';
import { type CellRange, cellText, columnIn, readCellRange } from './cell.ts';
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

/**
 * A sheet is read, or read and patched, in one pass over its XML. Rows stream, so memory does not grow with
 * it.
 */

/** A row that holds something. A formula without a saved value is a blank cell. */
export interface SheetRow {
  /** The number that the spreadsheet shows. */
  readonly number: RowNumber;
  /** The texts of the cells, without blank ones at the end. */
  readonly cells: string[];
  readonly isHidden: boolean;
  /** Columns of the cells with a formula. */
  readonly formulas: number[];
  /** Where a HYPERLINK formula goes, by the column of its cell. */
  readonly links: Map<number, string>;
  /** Where its tags stand, while the sheet is patched. */
  readonly places: RowPlaces | undefined;
}

interface RowPlaces {
  readonly open: Place;
  close: Place;
  readonly cells: (Place & {
    readonly column: number;
    readonly style: string | undefined;
    readonly isFilled: boolean;
  })[];
}

/** The frame around the cells. It is complete after all rows were read. */
export interface SheetFrame {
  filter: CellRange | undefined;
  /** The last column, counted from 1, with a width in the sheet; 0 where it says none. */
  lastSized: number;
  readonly merged: CellRange[];
  /** The id of the link that a cell has, by the cell's address. */
  readonly links: Map<string, string>;
}

export interface SheetEdit {
  /** The tag of an element outside of the rows as it is from now on. */
  tag(path: string, attributes: XmlAttributes, tag: string): string;
  changes(rows: readonly SheetRow[]): Promise<readonly (RowChange | undefined)[]>;
}

export interface RowChange {
  /** Cells as they are from now on, by their columns. */
  readonly cells: ReadonlyMap<number, WorkbookCell>;
  /** Whether a new cell looks like the one left of the first. */
  readonly likeLeft: boolean;
}

/** Two hundred thousand rows of a hundred columns have half of this. */
const MOST_BYTES_OF_SHEET = 2 * 1024 * 1024 * 1024;

/** A row is in memory as a whole. The longest of real ones have some hundred thousand characters. */
const MOST_CHARACTERS_OF_ROW = 64 * 1024 * 1024;

/** @throws StopError `input` with the row, where the sheet is damaged. */
export async function* sheetRows(
  book: Book,
  tab: BookSheet,
  reader = new SheetReader(book),
): AsyncIterable<readonly SheetRow[]> {
  for await (const _ of read(book, tab, reader)) yield reader.takeRows();
}

/** The text of the sheet, patched as its rows come. Every other character stays as it was. */
export async function* editedSheet(book: Book, tab: BookSheet, edit: SheetEdit): AsyncIterable<string> {
  const reader = new SheetReader(book, edit);
  for await (const _ of read(book, tab, reader)) yield await written(reader.behind);
  yield await written(reader.xml.length);

  async function written(end: number): Promise<string> {
    const rows = reader.takeRows();
    const tags = reader.takeTags();
    const changes = await edit.changes(rows);
    const patches = rows.flatMap((row, at) => rowPatches(row, changes[at], reader.xml, book));
    return reader.xml.take(end, [...tags, ...patches]);
  }
}

/**
 * Reads a sheet in chunks. Errors in the work that the caller does between chunks are none of the sheet's.
 */
async function* read({ archive }: Book, tab: BookSheet, reader: SheetReader): AsyncIterable<void> {
  try {
    for await (const chunk of archive.chunks(tab.part, MOST_BYTES_OF_SHEET)) {
      reader.xml.write(chunk);
      if (reader.openCharacters > MOST_CHARACTERS_OF_ROW)
        throw new CellError(`it is longer than ${MOST_CHARACTERS_OF_ROW} characters of XML, and no row is`);
      yield;
    }
    reader.xml.end();
  } catch (error) {
    if (error instanceof CellError) throw unreadableBook(archive.path, `row ${reader.row}: ${error.message}`);
    throw unreadableAt(archive.path, `its part ${tab.part}`, error);
  }
}

class CellError extends Error {}

export class SheetReader implements XmlListener {
  readonly xml: XmlReader;
  readonly frame: SheetFrame = { filter: undefined, lastSized: 0, merged: [], links: new Map() };
  readonly #book: Book;
  readonly #edit: SheetEdit | undefined;
  readonly #value = new TextGatherer();
  /** The text of the current cell's formula; undefined outside of one. */
  #formula: string | undefined;
  readonly #path: string[] = [];
  #isInData = false;
  #rows: SheetRow[] = [];
  #tags: Patch[] = [];
  /** The number of the row that is being read, or was the last. */
  row = 0;
  #open: SheetRow | undefined;
  /** Where the row begins that is being read. */
  #openedAt = 0;
  /** The column of the current cell, or of the last one; -1 before the first cell of a row. */
  #column = -1;
  #cell = { start: 0, type: 'n', style: undefined as string | undefined, isFilled: false };
  #behind = 0;

  /** @param edit left out: it is only read. */
  constructor(book: Book, edit?: SheetEdit) {
    this.#book = book;
    this.#edit = edit;
    this.xml = new XmlReader(this, { keeps: edit !== undefined });
  }

  takeRows(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  takeTags(): readonly Patch[] {
    const tags = this.#tags;
    this.#tags = [];
    return tags;
  }

  /** The place up to which everything is known: behind the last tag, or before the row that is under way. */
  get behind(): number {
    return this.#open?.places?.open.start ?? this.#behind;
  }

  /** How many characters of a row under way were read. */
  get openCharacters(): number {
    return this.#open === undefined ? 0 : this.xml.length - this.#openedAt;
  }

  opened(name: string, attributes: XmlAttributes): void {
    const tag = this.#tag();
    if (!this.#isInData) {
      this.#path.push(name);
      // The path below the root element: `mergeCells/mergeCell`.
      const path = this.#path.slice(1).join('/');
      this.#isInData = path === 'sheetData';
      this.#takeAround(path, attributes, tag);
    } else if (name === 'row') this.#openRow(attributes, tag);
    else if (name === 'c') this.#openCell(attributes, tag);
    else {
      this.#cell.isFilled = true;
      if (name === 'f') {
        this.#open?.formulas.push(this.#column);
        this.#formula = '';
      }
      this.#value.opened(name);
    }
  }

  closed(name: string): void {
    const tag = this.#tag();
    if (name === 'sheetData') this.#isInData = false;
    if (!this.#isInData) this.#path.pop();
    else if (name === 'c') this.#closeCell(tag);
    else if (name === 'row') this.#closeRow(tag);
    else if (name === 'f') this.#closeFormula();
    else this.#value.closed(name);
  }

  text(text: string): void {
    if (this.#formula === undefined) this.#value.addText(text);
    else this.#formula += text;
  }

  /** The place of the tag that was just read; undefined where the sheet is not patched. */
  #tag(): Place | undefined {
    if (this.#edit === undefined) return undefined;
    const { tag } = this.xml;
    this.#behind = tag.end;
    return tag;
  }

  #takeAround(path: string, attributes: XmlAttributes, place: Place | undefined): void {
    const { frame } = this;
    if (path === 'autoFilter') frame.filter = readCellRange(attributes.ref);
    else if (path === 'cols/col') frame.lastSized = Number(attributes.max);
    else if (path === 'mergeCells/mergeCell')
      frame.merged.push(...[readCellRange(attributes.ref) ?? []].flat());
    else if (path === 'hyperlinks/hyperlink') frame.links.set(attributes.ref ?? '', idIn(attributes));
    if (place === undefined || this.#edit === undefined) return;
    const tag = this.xml.slice(place);
    const text = this.#edit.tag(path, attributes, tag);
    if (text !== tag) this.#tags.push({ ...place, text });
  }

  #openRow({ r, hidden }: XmlAttributes, tag: Place | undefined): void {
    const number = Number(r ?? this.row + 1);
    if (!(Number.isInteger(number) && number > this.row && number <= MOST_ROWS)) {
      throw new CellError(`the row below it says that it is row ${JSON.stringify(r)}`);
    }
    this.row = number;
    this.#column = -1;
    this.#openedAt = this.xml.position;
    const places = tag && { open: tag, close: tag, cells: [] };
    const isHidden = isTrue(hidden);
    this.#open = { number, cells: [], isHidden, formulas: [], links: new Map(), places };
  }

  #closeRow(tag: Place | undefined): void {
    const row = this.#open;
    this.#open = undefined;
    if (row === undefined) return;
    if (tag !== undefined && row.places !== undefined) row.places.close = tag;
    if (row.cells.length > 0) this.#rows.push(row);
  }

  #openCell({ r: address, s: style, t: type = 'n' }: XmlAttributes, tag: Place | undefined): void {
    const column = address === undefined ? this.#column + 1 : columnIn(address);
    if (!(column > this.#column && column < MOST_COLUMNS)) {
      throw new CellError(`a cell says that it is ${JSON.stringify(address)}`);
    }
    this.#column = column;
    this.#cell = { start: tag?.start ?? 0, type, style, isFilled: false };
    this.#value.start();
  }

  #closeCell(tag: Place | undefined): void {
    const row = this.#open;
    const column = this.#column;
    const { start, type, style, isFilled } = this.#cell;
    if (row === undefined) return;
    if (tag !== undefined) row.places?.cells.push({ column, start, end: tag.end, style, isFilled });
    // A number of the list of shared texts is no text itself.
    const value = type === 's' ? this.#value.text : unescapedText(this.#value.text);
    const text = this.#textOf(value);
    if (text === '') return;
    while (row.cells.length < column) row.cells.push('');
    row.cells.push(text);
  }

  #closeFormula(): void {
    const target = behindLink(`=${(this.#formula ?? '').trim()}`);
    if (target !== undefined) this.#open?.links.set(this.#column, target);
    this.#formula = undefined;
  }

  #textOf(value: string): string {
    const { type, style } = this.#cell;
    const format = this.#book.formats[Number(style)] ?? 'plain';
    try {
      return cellText({ type, value, format }, this.#book);
    } catch (error) {
      throw new CellError(error instanceof Error ? error.message : String(error));
    }
  }
}

type PlacedCell = RowPlaces['cells'][number];

/** The first cell at or behind each of the columns. Both are in rising order. */
function firstFrom(
  cells: readonly PlacedCell[],
  columns: readonly number[],
): readonly (PlacedCell | undefined)[] {
  let at = 0;
  return columns.map((column) => {
    while ((cells[at]?.column ?? MOST_COLUMNS) < column) at += 1;
    return cells[at];
  });
}

function rowPatches(
  { number, places }: SheetRow,
  change: RowChange | undefined,
  xml: XmlReader,
  { formats }: Pick<Book, 'formats'>,
): readonly Patch[] {
  if (places === undefined || change === undefined || change.cells.size === 0) return [];
  const { open, close, cells } = places;
  const tag = xml.slice(open);
  const prefix = prefixOf(tag);
  const written = [...change.cells].sort(([one], [other]) => one - other);
  const first = written[0]?.[0] ?? 0;
  const leftStyle = cells.findLast(({ column, isFilled }) => isFilled && column < first)?.style;
  // Which columns a row has is said for programs that want to know it before; that need not be said.
  const patches: Patch[] = [{ ...open, text: withoutAttribute(tag, 'spans') }];
  const found = firstFrom(
    cells,
    written.map(([column]) => column),
  );
  for (const [at, [column, cell]] of written.entries()) {
    const next = found[at];
    const there = next?.column === column ? next : undefined;
    // What a user has laid out for the cell stays, and a new name looks like the one beside it.
    const laidOut = there?.style ?? (change.likeLeft ? leftStyle : undefined);
    // Neither a date is shown as a number, nor a number as a date.
    const isFit =
      cell.value === undefined || (formats[Number(laidOut)] === 'date') === (cell.style !== undefined);
    const style = isFit ? laidOut : cell.style;
    const start = (next ?? close).start;
    const text = cellXml(`${lettersOf(column)}${number}`, cell, style, prefix);
    patches.push({ start, end: there?.end ?? start, text });
  }
  return patches;
}
