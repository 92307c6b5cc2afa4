import type { CellsFor, CopyOptions, Correction } from '../../../core/format.ts';
import { foreignName } from '../../../core/plain-text.ts';
import { addedTo, Corrections } from '../../header.ts';
import { addedCellsBelow, type DateStyles } from '../../value-copy.ts';
import {
  columnXml,
  dateFormats,
  escapedXml,
  lettersOf,
  MOST_COLUMNS,
  widthOf,
  zipped,
} from '../../workbook.ts';
import { keyOf, unreadableAt, unreadableBook } from './archive.ts';
import { type Book, type BookSheet, linksOf } from './book.ts';
import { type CellRange, cellRangeText, readCellRange } from './cell.ts';
import { editedSheet, type RowChange, type SheetEdit } from './sheet.ts';
import { inputRow, type SheetTable, tableRow } from './sheet-table.ts';
import {
  type PartElement,
  type Patch,
  patchedXml,
  prefixOf,
  unescapedText,
  withAttribute,
  type XmlAttributes,
} from './xml.ts';

/**
 * The user's own workbook with our columns on the sheet that was read. Every other part stays as it is to the
 * byte, and so does the sheet outside of our cells. These change besides:
 * - the ranges of a filter and of a table, also where a part repeats them, because a sort moves only the
 *   cells in them;
 * - the size of the sheet and the widths of our columns;
 * - the formats of cells, among which are two for dates.
 */

export interface OwnSource {
  readonly book: Book;
  readonly table: SheetTable;
  /** Those of Excel's that are on the sheet. */
  readonly tables: readonly TablePart[];
}

/** @returns why it cannot be written, as a clause. */
export async function ownCopy(
  source: OwnSource,
  options: CopyOptions,
  cellsFor: CellsFor,
): Promise<AsyncIterable<Buffer> | string> {
  const { book, table } = source;
  const placed = placeColumns(source, options);
  if (typeof placed === 'string') return placed;
  const { positions, grown, beside } = placed;
  const replaced = new Map<string, string>();
  if (placed.filter !== undefined)
    replaced.set(keyOf(book.main), await withFilterName(source, placed.filter));
  if (grown !== undefined)
    replaced.set(keyOf(grown.part), await tableWith(book, grown, options.columns, positions));
  if (beside !== undefined) options.note?.(beside);
  const dated = await withDates(book);
  if (dated !== undefined) replaced.set(keyOf(dated.part), dated.xml);
  const sized = withSizes(placed, options.columns, table.frame.lastSized);
  const edit: SheetEdit = {
    tag: (path, attributes, tag) => sized(path, attributes, frameTag(path, attributes, tag, placed)),
    changes: rowChanges(source, placed, options, cellsFor, dated?.styles),
  };
  return bookWith(book, replaced, table.tab, editedSheet(book, table.tab, edit));
}

/** The workbook with these cells in the place of others. @returns why it cannot be written, as a clause. */
export function ownCorrected(source: OwnSource, list: readonly Correction[]): AsyncIterable<Buffer> | string {
  const { book, table } = source;
  const { names, positions } = table.columns;
  const corrections = new Corrections(book.archive.path, names, list);
  const formula = list.find(({ column }) => table.formulas.has(positions[names.indexOf(column)] ?? -1));
  if (formula !== undefined) return `there are formulas in the column ${foreignName(formula.column)}`;
  const edit: SheetEdit = {
    tag: (_path, _attributes, tag) => tag,
    changes: async (rows) =>
      rows.map((sheetRow) => {
        const row = tableRow(sheetRow, table);
        const made = row.kind === 'row' ? corrections.take(inputRow(row, table.columns)) : undefined;
        if (made === undefined) return undefined;
        const cells = [...made].map(([at, text]) => [positions[at] ?? at, { text }] as const);
        return { cells: new Map(cells), likeLeft: false };
      }),
  };
  async function* text(): AsyncIterable<string> {
    yield* editedSheet(book, table.tab, edit);
    corrections.requireAllMade();
  }
  return bookWith(book, new Map(), table.tab, text());
}

/** Every part in its place, some of them with another text. */
function bookWith(
  { archive }: Book,
  replaced: ReadonlyMap<string, string>,
  { part }: BookSheet,
  text: AsyncIterable<string>,
): AsyncIterable<Buffer> {
  return zipped(
    archive.parts().map(({ name, key, bytes }) => {
      const other = replaced.get(key);
      if (key === keyOf(part)) return { name, chunks: text };
      return { name, chunks: other === undefined ? bytes : [other] };
    }),
  );
}

// ----------------------------------------------------------------------------------- where our columns stand

interface OwnColumns {
  /** The column of each that is added, in their order. */
  readonly positions: readonly number[];
  /** Columns of an earlier run that are blank from now on. */
  readonly cleared: readonly number[];
  /** The first column that nothing of the table stood in. */
  readonly firstNew: number;
  /** The filter as it is from now on. */
  readonly filter: CellRange | undefined;
  /** Excel's table that gets them. */
  readonly grown: TablePart | undefined;
  /** Why they stand beside a table and not in it, as a sentence. */
  readonly beside: string | undefined;
}

/** @returns why they cannot stand on that sheet, as a clause, or where they do. */
function placeColumns(
  { table: { columns, header, lastRow, lastUsed, formulas, frame }, tables }: OwnSource,
  options: Pick<CopyOptions, 'columns' | 'dropped'>,
): OwnColumns | string {
  const width = { firstColumn: Math.min(...columns.positions), lastColumn: Math.max(...columns.positions) };
  const ownRange: CellRange = { ...width, firstRow: header.last, lastRow };
  const around = tables.filter(({ range }) => overlaps(range, ownRange));
  const merged = frame.merged.filter((range) => range.lastRow >= header.last && range.firstRow <= lastRow);
  const taken = [...merged, ...around.map(({ range }) => range)];
  // A sheet may have a hundred thousand of them, too many for the arguments of one call.
  const last = taken.reduce(
    (most, range) => Math.max(most, range.lastColumn),
    Math.max(columns.width - 1, lastUsed),
  );
  const { positions, cleared } = chosenPositions(columns, options, last);
  const most = Math.max(...positions);
  if (most >= MOST_COLUMNS) return `the sheet ends with column ${lettersOf(MOST_COLUMNS - 1)}`;
  const formula = [...positions, ...cleared].find((position) => formulas.has(position));
  if (formula !== undefined)
    return `there are formulas in column ${lettersOf(formula)}, which would be replaced`;
  const { filter } = frame;
  const isFiltered = filter !== undefined && overlaps(filter, ownRange) && filter.lastColumn < most;
  const placed = { positions, cleared, firstNew: last + 1 };
  const grownFilter = isFiltered ? { ...filter, lastColumn: most } : undefined;
  const [excels] = around;
  if (excels === undefined || mayGrow(around, header.last, placed, options))
    return { ...placed, filter: grownFilter, grown: excels, beside: undefined };
  const shown = `the table ${foreignName(excels.name)}`;
  if ([...positions, ...cleared].some((position) => around.some(({ range }) => position <= range.lastColumn)))
    return `they stood in ${shown}, which cannot have them any more`;
  const beside = `Our columns stand beside ${shown} and not in it: a sort of it does not move them.`;
  return { ...placed, filter: grownFilter, grown: undefined, beside };
}

/**
 * The header's row counts as one of the rows, and a range that begins and ends above it is none of the
 * table's.
 */
function overlaps(range: CellRange, ownRange: CellRange): boolean {
  const isBeside = range.lastRow >= ownRange.firstRow && range.firstRow <= ownRange.lastRow;
  return isBeside && range.firstColumn <= ownRange.lastColumn && range.lastColumn >= ownRange.firstColumn;
}

function chosenPositions(
  { names, positions }: SheetTable['columns'],
  { columns, dropped }: Pick<CopyOptions, 'columns' | 'dropped'>,
  last: number,
): Pick<OwnColumns, 'positions' | 'cleared'> {
  const placeOf = new Map(
    names.flatMap((name, at) => (dropped.has(name) ? [[name, positions[at] ?? 0] as const] : [])),
  );
  const before = [...placeOf.values()].sort((one, other) => one - other);
  const [first = last + 1] = before;
  // What an earlier run added and no one has put anything between or behind is written anew in the order of
  // now.
  const isBlock = before.length > 0 && before.at(-1) === last && last - first + 1 === before.length;
  let next = isBlock ? first : last + 1;
  const chosen = columns.map((name) => (isBlock ? undefined : placeOf.get(name)) ?? next++);
  return { positions: chosen, cleared: before.filter((position) => !chosen.includes(position)) };
}

/**
 * Whether a table of Excel's can have the columns: it has its names in the header, each of them once, and
 * next to each other; and no query or mapping fills it.
 */
function mayGrow(
  [table, ...others]: readonly TablePart[],
  namesRow: number,
  { positions, cleared, firstNew }: Pick<OwnColumns, 'positions' | 'cleared' | 'firstNew'>,
  { columns: names }: Pick<CopyOptions, 'columns'>,
): boolean {
  if (table === undefined || others.length > 0 || table.isFed || !table.hasHeader) return false;
  const { range, columns } = table;
  const isNext = Math.max(...positions) <= range.lastColumn || firstNew <= range.lastColumn + 1;
  if (range.firstRow !== namesRow || !isNext) return false;
  if (cleared.some((position) => position <= range.lastColumn)) return false;
  const ours = new Set(positions);
  const keptNames = columns.filter((_, at) => !ours.has(range.firstColumn + at));
  const all = [...keptNames, ...names].map((each) => each.toLowerCase());
  return new Set(all).size === all.length;
}

/** A hidden name by which Excel remembers the range of a filter. */
const FILTER_NAME = '_xlnm._FilterDatabase';

/** The part that says the range of the filter once more; one that says something else stays as it is. */
async function withFilterName({ book, table }: OwnSource, { lastColumn }: CellRange): Promise<string> {
  const { frame, tab } = table;
  return patchedPart(book, book.main, ({ name, attributes, open, close }, textAt) => {
    const isOfSheet = attributes.localSheetId === String(tab.position);
    if (name !== 'definedName' || attributes.name !== FILTER_NAME || !isOfSheet) return [];
    const inside = { start: open.end, end: close.start };
    const text = textAt(inside);
    const range = text.lastIndexOf('!') + 1;
    const known = readCellRange(text.slice(range));
    const isSame =
      known?.firstRow === frame.filter?.firstRow && known?.lastColumn === frame.filter?.lastColumn;
    if (known === undefined || !isSame) return [];
    const { firstColumn, firstRow, lastRow } = known;
    const grown = `$${lettersOf(firstColumn)}$${firstRow}:$${lettersOf(lastColumn)}$${lastRow}`;
    return [{ ...inside, text: text.slice(0, range) + grown }];
  });
}

/** @throws StopError `input` for a part that is damaged. */
async function patchedPart(
  { archive }: Book,
  part: string,
  patchesOf: Parameters<typeof patchedXml>[1],
): Promise<string> {
  const xml = await archive.text(part);
  try {
    return patchedXml(xml, patchesOf);
  } catch (error) {
    throw unreadableAt(archive.path, `its part ${part}`, error);
  }
}

// ----------------------------------------------------------------------------------------- tables of Excel's

/** Cells that were made a table by "Format as Table": it is a part of its own. */
export interface TablePart {
  readonly part: string;
  readonly name: string;
  readonly range: CellRange;
  readonly hasHeader: boolean;
  readonly totals: number;
  /** Whether a query or a mapping fills it. */
  readonly isFed: boolean;
  readonly columns: readonly string[];
  /** The highest number of a column. */
  readonly lastId: number;
}

/** The tables of a sheet. */
export async function tablesOf({ archive }: Book, tab: BookSheet): Promise<readonly TablePart[]> {
  const links = (await linksOf(archive, tab.part)).filter(({ type }) => type === 'table');
  return Promise.all(
    links.map(async ({ part }) => {
      let table: XmlAttributes = {};
      const columns: string[] = [];
      let lastId = 0;
      await archive.readPart(part, {
        opened(element, attributes) {
          if (element === 'table') table = { ...table, ...attributes };
          if (element !== 'tableColumn') return;
          columns.push(unescapedText(attributes.name ?? ''));
          lastId = Math.max(lastId, Number(attributes.id) || 0);
        },
      });
      const { ref, displayName, name = '', headerRowCount, totalsRowCount = 0, tableType = '' } = table;
      const range = readCellRange(ref);
      if (range === undefined) throw unreadableBook(archive.path, `its part ${part} has no table`);
      const is = { hasHeader: headerRowCount !== '0', totals: Number(totalsRowCount) };
      const isFed = tableType === 'queryTable' || tableType === 'xml';
      return { ...is, part, range, columns, lastId, name: unescapedText(displayName ?? name), isFed };
    }),
  );
}

/** Columns within the table are renamed; the others come behind its last one. */
async function tableWith(
  book: Book,
  { part, range, columns, lastId }: TablePart,
  names: readonly string[],
  positions: readonly number[],
): Promise<string> {
  const wanted = new Map(positions.map((position, at) => [position - range.firstColumn, names[at] ?? '']));
  const added = [...wanted].filter(([at]) => at >= columns.length).map(([, name]) => name);
  const lastColumn = Math.max(range.lastColumn, ...positions);
  let column = -1;
  const renamed = ({ open, tag }: PartElement): readonly Patch[] => {
    column += 1;
    const name = wanted.get(column) ?? columns[column];
    if (name === undefined || name === columns[column]) return [];
    return [{ ...open, text: withAttribute(tag, 'name', nameText(name)) }];
  };
  // The filter of a table does not reach into its row of totals.
  const grown = ({ open, tag, attributes: { ref } }: PartElement): readonly Patch[] => {
    const ownRange = readCellRange(ref);
    if (ownRange?.lastColumn !== range.lastColumn) return [];
    return [{ ...open, text: withAttribute(tag, 'ref', cellRangeText({ ...ownRange, lastColumn })) }];
  };
  const count = String(columns.length + added.length);
  const lengthened = ({ open, close, tag }: PartElement): readonly Patch[] => {
    if (added.length === 0 || close.end === open.end) return [];
    const begin = `<${prefixOf(tag)}tableColumn`;
    const text = added
      .map((name, at) => `${begin} id="${lastId + 1 + at}" name="${nameText(name)}"/>`)
      .join('');
    return [
      { ...open, text: withAttribute(tag, 'count', count) },
      { start: close.start, end: close.start, text },
    ];
  };
  return patchedPart(book, part, (element) => {
    if (element.name === 'tableColumn') return renamed(element);
    if (element.name === 'tableColumns') return lengthened(element);
    return element.name === 'table' || element.name === 'autoFilter' ? grown(element) : [];
  });
}

/** A line end in a name is written as it is in Excel's own tables. */
function nameText(name: string): string {
  return escapedXml(name).replaceAll('\n', '_x000a_');
}

// ------------------------------------------------------------------------------------------- what is written

function frameTag(
  path: string,
  { ref }: XmlAttributes,
  tag: string,
  { positions, filter }: OwnColumns,
): string {
  if (path === 'autoFilter' && filter !== undefined) return withAttribute(tag, 'ref', cellRangeText(filter));
  const size = path === 'dimension' ? readCellRange(ref) : undefined;
  const lastColumn = Math.max(...positions);
  if (size === undefined || size.lastColumn >= lastColumn) return tag;
  return withAttribute(tag, 'ref', cellRangeText({ ...size, lastColumn }));
}

/**
 * Puts the widths of our new columns, which stand side by side, among those that the sheet says. An entry
 * that reaches over them is parted, so one that hides the rest of the sheet hides none of ours.
 */
function withSizes(
  { positions, firstNew }: OwnColumns,
  names: readonly string[],
  lastSized: number,
): SheetEdit['tag'] {
  const first = firstNew + 1;
  const last = Math.max(...positions) + 1;
  let isSaid = last < first;
  const ours = (prefix: string): string => {
    if (isSaid) return '';
    isSaid = true;
    const isNew = (_: string, at: number): boolean => (positions[at] ?? 0) >= firstNew;
    return names
      .filter(isNew)
      .map((name, at) => columnXml(first + at, widthOf(name), prefix))
      .join('');
  };
  return (path, { min, max }, tag) => {
    const prefix = prefixOf(tag);
    if (path === 'sheetData' && lastSized === 0 && !isSaid)
      return `<${prefix}cols>${ours(prefix)}</${prefix}cols>${tag}`;
    if (path !== 'cols/col' || last < first || !tag.endsWith('/>')) return tag;
    const [from, to] = [Number(min), Number(max)];
    const between = to >= first || to === lastSized ? ours(prefix) : '';
    return within(tag, from, Math.min(to, firstNew)) + between + within(tag, Math.max(from, last + 1), to);
  };
}

/** An entry for these columns alone; blank where there are none. */
const within = (tag: string, from: number, to: number): string =>
  from > to ? '' : withAttribute(withAttribute(tag, 'min', String(from)), 'max', String(to));

/**
 * The part of the formats with two for dates behind them, and their numbers. A workbook that came back before
 * has them. Undefined where a workbook has no such part, or counts days from 1904.
 */
async function withDates(book: Book) {
  const { styles: part, formats, from1904 } = book;
  if (part === undefined || from1904) return undefined;
  let styles: DateStyles | undefined;
  const xml = await patchedPart(book, part, ({ name, open, close, tag }, textAt) => {
    if (name !== 'cellXfs' || close.end === open.end || styles !== undefined) return [];
    const added = dateFormats(prefixOf(tag)).join('');
    const end = close.start;
    const isThere = textAt({ start: Math.max(open.end, end - added.length), end }) === added;
    const day = isThere ? formats.length - 2 : formats.length;
    styles = { day: String(day), time: String(day + 1) };
    if (isThere) return [];
    return [
      { ...open, text: withAttribute(tag, 'count', String(day + 2)) },
      { start: end, end, text: added },
    ];
  });
  return styles && { part, styles, xml };
}

function rowChanges(
  { table }: OwnSource,
  { positions, cleared, grown }: OwnColumns,
  options: CopyOptions,
  cellsFor: CellsFor,
  styles: DateStyles | undefined,
): SheetEdit['changes'] {
  const cellOf = addedCellsBelow(options.columns, styles);
  return async (sheetRows) => {
    const rows = sheetRows.map((row) => tableRow(row, table));
    const added = await addedTo(rows, (row) => inputRow(row, table.columns), options, cellsFor);
    return rows.map((row, at) => {
      const isOurs = row.kind === 'row' || row.kind === 'header';
      // A cell of a table's totals says what its column says of it, in the table's own part.
      if (!isOurs || isOfTotals(row.number, grown)) return undefined;
      const likeLeft = row.kind === 'header';
      const gone = cleared.map((position) => [position, { text: '' }] as const);
      const ours = (added[at] ?? []).map(
        (text, index) => [positions[index] ?? 0, likeLeft ? { text } : cellOf(text, index)] as const,
      );
      // A cell that says the same already stays as it is, with its format.
      const other = [...gone, ...ours].filter(([position, { text }]) => (row.cells[position] ?? '') !== text);
      return { cells: new Map(other), likeLeft } satisfies RowChange;
    });
  };
}

function isOfTotals(row: number, table: TablePart | undefined): boolean {
  return table !== undefined && row <= table.range.lastRow && row > table.range.lastRow - table.totals;
}
