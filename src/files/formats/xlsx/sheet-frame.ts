import { type CellRange, readCellRange } from './cell-range.ts';
import { type Element, PlacedXml, prefixOf, type Tag } from './placed-xml.ts';
import { readPlaced } from './sheet-edit.ts';
import { RowReader } from './sheet-rows.ts';
import type { SheetTable } from './sheet-table.ts';
import { type Book, type BookSheet, linkIdOf } from './workbook.ts';
import { isTrue, type XmlAttributes } from './xml.ts';

/** What stands around the table's cells, found in a first reading so that a second can add columns. */
export interface SheetFrame {
  /** The last column that holds something in a row of the table; formulas that reach further count as far as they reach. */
  readonly lastUsed: number;
  /** The last row of the table, which is its header where it has none. */
  readonly lastRow: number;
  /** Cells of the table that stand together as one, with rows of the table among theirs. */
  readonly merged: readonly CellRange[];
  /** What formulas of the table fill beyond their own cells. */
  readonly spread: readonly CellRange[];
  /** The columns in which a row of the table has a formula. */
  readonly formulas: ReadonlySet<number>;
  readonly dimension: FoundElement | undefined;
  /** The entries that say how wide columns are and which are hidden. */
  readonly widths: readonly FoundElement[];
  readonly filter: FoundElement | undefined;
  readonly tableLinks: readonly string[];
  readonly isProtected: boolean;
  /** The attributes of the element that holds everything, among them the namespaces. */
  readonly root: XmlAttributes;
  /** `x:` where the names of its elements are written so. */
  readonly prefix: string;
}

export type FoundElement = Pick<Element, 'attributes' | 'open'> & {
  readonly tag: string;
};

export async function sheetFrame(book: Book, tab: BookSheet, table: SheetTable): Promise<SheetFrame> {
  const finder = new FrameFinder(book, table);
  const xml = new PlacedXml(finder);
  finder.xml = xml;
  for await (const _ of readPlaced(book, tab, xml, finder)) {
    finder.takeRows();
    xml.letGo(finder.place);
  }
  return finder.found;
}

class FrameFinder {
  readonly #rows: RowReader;
  readonly #table: SheetTable;
  readonly #path: string[] = [];
  #isInData = false;
  readonly found = {
    ...{ lastUsed: -1, lastRow: 0, formulas: new Set<number>() },
    ...{ merged: [] as CellRange[], spread: [] as CellRange[] },
    dimension: undefined as FoundElement | undefined,
    widths: [] as FoundElement[],
    filter: undefined as FoundElement | undefined,
    ...{ tableLinks: [] as string[], isProtected: false as boolean, root: {} as XmlAttributes, prefix: '' },
  } satisfies SheetFrame;
  /** Behind the last tag. */
  place = 0;
  xml: PlacedXml | undefined;

  constructor(book: Book, table: SheetTable) {
    this.#rows = new RowReader(book);
    this.#table = table;
    this.found.lastRow = table.header.last;
  }

  get row(): number {
    return this.#rows.row;
  }

  takeRows(): void {
    for (const { number, cells } of this.#rows.takeRows()) {
      if (!this.#isOfTable(number)) continue;
      this.found.lastUsed = Math.max(this.found.lastUsed, cells.length - 1);
      this.found.lastRow = number;
    }
  }

  opened(name: string, attributes: XmlAttributes, tag: Tag): void {
    this.place = tag.end;
    this.#rows.opened(name, attributes);
    if (this.#isInData) {
      if (name === 'f') this.#takeFormula(attributes);
      return;
    }
    if (name === 'sheetData') this.#isInData = true;
    this.#path.push(name);
    if (this.#path.length === 1) this.#takeRoot(attributes, tag);
    else this.#takeElement(this.#path.slice(1).join('/'), attributes, tag);
  }

  closed(name: string, tag: Tag): void {
    this.place = tag.end;
    this.#rows.closed(name);
    if (name === 'sheetData') this.#isInData = false;
    if (!this.#isInData) this.#path.pop();
  }

  text(text: string): void {
    this.#rows.text(text);
  }

  #isOfTable(row: number): boolean {
    const { header, hasRow } = this.#table;
    return row === header.last || (row > header.last && hasRow(row));
  }

  /** A cell with a formula is used, whether or not its value was saved. */
  #takeFormula({ ref }: XmlAttributes): void {
    const { row, column } = this.#rows;
    if (this.#isOfTable(row)) {
      this.found.lastUsed = Math.max(this.found.lastUsed, column);
      this.found.formulas.add(column);
    }
    const range = readCellRange(ref);
    if (range !== undefined && this.#touchesTable(range)) this.found.spread.push(range);
  }

  #takeRoot(attributes: XmlAttributes, tag: Tag): void {
    this.found.root = attributes;
    this.found.prefix = prefixOf(this.#textOf(tag));
  }

  #takeElement(path: string, attributes: XmlAttributes, open: Tag): void {
    const element = (): FoundElement => ({ attributes, open, tag: this.#textOf(open) });
    if (path === 'dimension') this.found.dimension = element();
    else if (path === 'cols/col') this.found.widths.push(element());
    else if (path === 'autoFilter') this.found.filter = element();
    else if (path === 'sheetProtection') this.found.isProtected = isTrue(attributes.sheet);
    else if (path === 'tableParts/tablePart') this.found.tableLinks.push(linkIdOf(attributes) ?? '');
    else if (path === 'mergeCells/mergeCell') this.#takeMerged(attributes);
  }

  #takeMerged({ ref }: XmlAttributes): void {
    const range = readCellRange(ref);
    if (range !== undefined && this.#touchesTable(range)) this.found.merged.push(range);
  }

  #touchesTable({ firstRow, lastRow }: CellRange): boolean {
    const last = Math.min(lastRow, Math.max(this.#rows.row, this.#table.header.last));
    for (let row = Math.max(firstRow, this.#table.header.last); row <= last; row += 1)
      if (this.#isOfTable(row)) return true;
    return false;
  }

  #textOf({ start, end }: Tag): string {
    return this.xml?.slice(start, end) ?? '';
  }
}
