import { cellXml, lettersOf, type WorkbookCell } from '../../workbook.ts';
import type { TableRow } from '../../workbook-copy.ts';
import { type Patch, PlacedXml, patched, prefixOf, type Tag, withAttribute } from './placed-xml.ts';
import { MOST_BYTES_OF_SHEET, RowReader, sheetError } from './sheet-rows.ts';
import type { SheetTable } from './sheet-table.ts';
import { tableRow } from './table.ts';
import type { Book, BookSheet } from './workbook.ts';
import type { XmlAttributes } from './xml.ts';

/** A cell as it is from now on; undefined for one that holds nothing any more. */
export type NewCell = { readonly cell: WorkbookCell | undefined; readonly style?: number };

export type RowChange = ReadonlyMap<number, NewCell>;

export interface SheetEdit {
  readonly patches: readonly Patch[];
  /** What changes in the header and in rows of the table; no other row does. */
  changes(rows: readonly TableRow[]): Promise<readonly RowChange[]>;
}

/** Every other character stays as it was. Rows are changed as they come, so memory does not grow. */
export async function* editedSheet(
  book: Book,
  tab: BookSheet,
  table: SheetTable,
  edit: SheetEdit,
): AsyncIterable<string> {
  const finder = new RowFinder(book, table);
  const xml = new PlacedXml(finder);
  finder.xml = xml;
  let from = 0;
  for await (const _ of readPlaced(book, tab, xml, finder)) yield await written(finder.place);
  yield await written(xml.length);

  async function written(upTo: number): Promise<string> {
    const rows = finder.take();
    const changes = await edit.changes(rows.map(({ row }) => row));
    const patches = [
      ...edit.patches.filter(({ start, end }) => start >= from && end <= upTo),
      ...rows.flatMap((row, at) => rowPatches(row, changes[at] ?? new Map())),
    ];
    const text = xml.slice(from, upTo);
    const moved = patches.map((patch) => ({ ...patch, start: patch.start - from, end: patch.end - from }));
    xml.letGo(upTo);
    from = upTo;
    return patched(text, moved);
  }
}

/** Reads a sheet piece by piece. What its taker does meanwhile, and what goes wrong with that, is none of the sheet's. */
export async function* readPlaced(
  book: Book,
  tab: BookSheet,
  xml: PlacedXml,
  at: { readonly row: number },
): AsyncIterable<void> {
  try {
    for await (const chunk of book.archive.chunks(tab.part, MOST_BYTES_OF_SHEET)) {
      xml.write(chunk);
      yield;
    }
    xml.end();
  } catch (error) {
    throw sheetError(book, tab, at.row, error);
  }
}

interface PlacedCell extends Tag {
  readonly column: number;
  readonly style: string | undefined;
  readonly isFilled: boolean;
}

interface PlacedRow {
  readonly row: TableRow;
  readonly open: Tag;
  readonly openText: string;
  readonly close: Tag;
  readonly cells: readonly PlacedCell[];
}

class RowFinder {
  readonly #rows: RowReader;
  readonly #table: SheetTable;
  #found: PlacedRow[] = [];
  #open: (Tag & { readonly text: string }) | undefined;
  #cells: PlacedCell[] = [];
  #cell: { readonly start: number; readonly style: string | undefined; isFilled: boolean } | undefined;
  #behind = 0;
  xml: PlacedXml | undefined;

  constructor(book: Book, table: SheetTable) {
    this.#rows = new RowReader(book);
    this.#table = table;
  }

  get row(): number {
    return this.#rows.row;
  }

  /** Up to where everything is known: behind the last tag, or before the row that is under way. */
  get place(): number {
    return this.#open?.start ?? this.#behind;
  }

  take(): readonly PlacedRow[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  opened(name: string, attributes: XmlAttributes, tag: Tag): void {
    this.#behind = tag.end;
    this.#rows.opened(name, attributes);
    if (name === 'row') {
      this.#open = { ...tag, text: this.xml?.slice(tag.start, tag.end) ?? '' };
      this.#cells = [];
    } else if (name === 'c' && this.#open !== undefined) {
      this.#cell = { start: tag.start, style: attributes.s, isFilled: false };
    } else if (this.#cell !== undefined) this.#cell.isFilled = true;
  }

  closed(name: string, tag: Tag): void {
    this.#behind = tag.end;
    this.#rows.closed(name);
    if (name === 'c' && this.#cell !== undefined) {
      this.#cells.push({ ...this.#cell, column: this.#rows.column, end: tag.end });
      this.#cell = undefined;
    } else if (name === 'row') this.#closeRow(tag);
  }

  text(text: string): void {
    this.#rows.text(text);
  }

  #closeRow(close: Tag): void {
    const open = this.#open;
    this.#open = undefined;
    const [made] = this.#rows.takeRows();
    if (open === undefined || made === undefined || made.cells.length === 0) return;
    const row = tableRow(made, this.#table);
    if (row.kind !== 'row' && row.kind !== 'header') return;
    this.#found.push({ row, open, openText: open.text, close, cells: this.#cells });
  }
}

function rowPatches({ row, open, openText, close, cells }: PlacedRow, change: RowChange): readonly Patch[] {
  const columns = [...change.keys()].sort((one, other) => one - other);
  const [first] = columns;
  if (first === undefined) return [];
  const prefix = prefixOf(openText);
  const byColumn = new Map(cells.map((cell) => [cell.column, cell]));
  const left = cells.findLast(({ column, isFilled }) => isFilled && column < first)?.style;
  const patches: Patch[] = [];
  for (const column of columns) {
    const { cell, style: wanted } = change.get(column) ?? { cell: undefined };
    const there = byColumn.get(column);
    // What a user has laid out for the cell stays, and a new name looks like the one beside it.
    const style = there?.style ?? (row.kind === 'header' ? left : wanted?.toString());
    const text = cellText(`${lettersOf(column)}${row.number}`, cell, style, prefix);
    if (there !== undefined) patches.push({ start: there.start, end: there.end, text });
    else {
      const start = cells.find((each) => each.column > column)?.start ?? close.start;
      patches.push({ start, end: start, text });
    }
  }
  return [...spansPatch(open, openText, columns.at(-1) ?? first), ...patches];
}

function cellText(
  address: string,
  cell: WorkbookCell | undefined,
  style: string | undefined,
  prefix: string,
): string {
  if (cell === undefined || cell.text === '')
    return style === undefined ? '' : `<${prefix}c r="${address}" s="${style}"/>`;
  return cellXml(address, cell, { style, prefix });
}

/** The first and the last column of a row's cells, for programs that want to know them before. */
function spansPatch(open: Tag, tag: string, lastColumn: number): readonly Patch[] {
  const [, first, last] = /\sspans\s*=\s*["'](\d+):(\d+)["']/.exec(tag) ?? [];
  if (first === undefined || Number(last) > lastColumn) return [];
  return [
    { start: open.start, end: open.end, text: withAttribute(tag, 'spans', `${first}:${lastColumn + 1}`) },
  ];
}
