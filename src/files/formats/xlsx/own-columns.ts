import type { CopyOptions } from '../../../core/format.ts';
import { foreignName } from '../../../core/plain-text.ts';
import { widthOf } from '../../header.ts';
import { lettersOf, MOST_COLUMNS } from '../../workbook.ts';
import { type CellRange, readCellRange } from './cell-range.ts';
import type { FoundElement, SheetFrame } from './sheet-frame.ts';
import type { SheetTable } from './sheet-table.ts';
import type { TablePart } from './table-part.ts';

/**
 * Where our columns stand on a user's own sheet: where they stood before, else right of the last used column. A sort moves
 * the cells of a filter or a table alone, so the ranges of these have to reach to our columns.
 */
export interface OwnColumns {
  /** The column of each that is added, in their order. */
  readonly places: readonly number[];
  /** Columns of an earlier run that are blank from now on. */
  readonly cleared: readonly number[];
  /** The first column that nothing of the table stood in. */
  readonly firstNew: number;
  readonly filter?: { readonly element: FoundElement; readonly range: CellRange };
  readonly table?: TablePart;
}

/** @returns why they cannot stand on that sheet, as a clause, or where they do. */
export function placeColumns(
  { columns, header }: Pick<SheetTable, 'columns' | 'header'>,
  frame: SheetFrame,
  tables: readonly TablePart[],
  options: Pick<CopyOptions, 'columns' | 'dropped'>,
): OwnColumns | string {
  const own = ownRange(columns.places, header.last, frame.lastRow);
  const beside = tables.filter(({ range }) => overlaps(range, own));
  const last = Math.max(
    widthOf(columns) - 1,
    frame.lastUsed,
    ...[...frame.merged, ...frame.spread].map(({ lastColumn }) => lastColumn),
    ...beside.map(({ range }) => range.lastColumn),
  );
  const { places, cleared } = chosenPlaces(columns, options, last);
  const most = Math.max(...places);
  if (most >= MOST_COLUMNS) return `the sheet ends with column ${lettersOf(MOST_COLUMNS - 1)}`;
  const formula = [...places, ...cleared].find((place) => frame.formulas.has(place));
  if (formula !== undefined)
    return `there are formulas in column ${lettersOf(formula)}, which would be replaced`;
  const found = { places, cleared, firstNew: last + 1 };
  const filter = frame.filter && growingFilter(frame.filter, own, places);
  if (typeof filter === 'string') return filter;
  const [table, ...others] = beside;
  if (table === undefined) return { ...found, ...(filter === undefined ? {} : { filter }) };
  const why =
    others.length > 0 ? 'several tables are side by side' : whyNotIn(table, header.last, found, options);
  return why ?? { ...found, table, ...(filter === undefined ? {} : { filter }) };
}

function ownRange(places: readonly number[], firstRow: number, lastRow: number): CellRange {
  return { firstColumn: Math.min(...places), lastColumn: Math.max(...places), firstRow, lastRow };
}

/** The header's row counts as one of the rows, and a range that begins and ends above it is none of the table's. */
function overlaps(range: CellRange, own: CellRange): boolean {
  const isBeside = range.lastRow >= own.firstRow && range.firstRow <= own.lastRow;
  return isBeside && range.firstColumn <= own.lastColumn && range.lastColumn >= own.firstColumn;
}

function chosenPlaces(
  { names, places }: SheetTable['columns'],
  { columns, dropped }: Pick<CopyOptions, 'columns' | 'dropped'>,
  last: number,
): Pick<OwnColumns, 'places' | 'cleared'> {
  const placeOf = new Map(
    names.flatMap((name, at) => (dropped.has(name) ? [[name, places[at] ?? 0] as const] : [])),
  );
  const before = [...placeOf.values()].sort((one, other) => one - other);
  const [first = last + 1] = before;
  // What an earlier run added and nobody has put anything between or behind is written anew in the order of now.
  const isBlock = before.length > 0 && before.at(-1) === last && last - first + 1 === before.length;
  let next = isBlock ? first : last + 1;
  const chosen = columns.map((name) => (isBlock ? undefined : placeOf.get(name)) ?? next++);
  return { places: chosen, cleared: before.filter((place) => !chosen.includes(place)) };
}

function growingFilter(
  element: FoundElement,
  own: CellRange,
  places: readonly number[],
): OwnColumns['filter'] | string {
  const range = readCellRange(element.attributes.ref);
  if (range === undefined || !overlaps(range, own)) return undefined;
  if (range.firstRow !== own.firstRow) return `the filter begins in row ${range.firstRow}, not in the header`;
  const most = Math.max(...places);
  if (most <= range.lastColumn) return undefined;
  if (!isNextTo(range, places)) return `there is something between the filter and the first free column`;
  return { element, range: { ...range, lastColumn: most } };
}

/** Whether the first column that is not in the range stands right behind it. */
function isNextTo({ lastColumn }: CellRange, places: readonly number[]): boolean {
  return Math.min(...places.filter((place) => place > lastColumn)) === lastColumn + 1;
}

const LONGEST_NAME = 255;

/** Why a table cannot have the columns, as a clause. */
function whyNotIn(
  { name, range, header, isFed, columns }: TablePart,
  headerRow: number,
  { places, cleared }: Pick<OwnColumns, 'places' | 'cleared'>,
  { columns: names }: Pick<CopyOptions, 'columns'>,
): string | undefined {
  const shown = `the table ${foreignName(name)}`;
  if (!header) return `${shown} has no header`;
  if (range.firstRow !== headerRow) return `${shown} begins in row ${range.firstRow}, not in the header`;
  if (isFed) return `${shown} gets its columns from elsewhere`;
  if (cleared.some((place) => place <= range.lastColumn)) return `${shown} would have columns without a name`;
  if (Math.max(...places) > range.lastColumn && !isNextTo(range, places))
    return `there is something between ${shown} and the first free column`;
  const others = columns.filter((_, at) => !places.includes(range.firstColumn + at));
  const all = [...others, ...names].map((each) => each.toLowerCase());
  if (new Set(all).size < all.length) return `${shown} would have two columns with the same name`;
  const isLong = names.some((each) => each.length > LONGEST_NAME || each.trim() === '');
  return isLong ? `${shown} cannot have a name of more than ${LONGEST_NAME} characters` : undefined;
}
