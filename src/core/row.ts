import type { Findings } from './findings.ts';

/**
 * A row's number as a spreadsheet shows it: the header is 1, the first row of data 2. Counts records, not
 * lines, because a quoted line end stays inside one spreadsheet cell. Blank lines count too.
 */
export type RowNumber = number;

/** Of rows that are alike, so many are named. */
export const FIRST_ROWS_SHOWN = 5;

export class RowCount {
  count = 0;
  readonly first_rows: RowNumber[] = [];

  add(row: RowNumber): void {
    this.count += 1;
    if (this.first_rows.length < FIRST_ROWS_SHOWN) this.first_rows.push(row);
  }
}

export interface InputRow {
  readonly row: RowNumber;
  readonly cells: readonly string[];
  /**
   * The reason why no one can be sure which cell belongs to which column, with the line. The cells are then
   * everything in the record: first those that seem to stand below a name, then the others. Nothing is looked
   * up by them.
   */
  readonly unreadable?: string;
}

export const erasedRow = (row: RowNumber): InputRow => ({
  row,
  cells: [],
  unreadable: 'its cells were erased',
});

/**
 * How a row ended, and what is to be said of it. All kinds but `in_doubt` are final for the batch; `in_doubt`
 * is looked at again by every later run.
 */
export interface Outcome {
  readonly kind: OutcomeKind;
  /** The identifier that matched; also of a row in which another step found something. */
  readonly matchedBy?: string;
  readonly findings: Findings;
}

export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

/**
 * How a row ends:
 * - `matched`: the vendor has found what the row asked for.
 * - `no_match`: the vendor has found nothing.
 * - `applied`: the change of the row was made.
 * - `unchanged`: the service had what the row wants, so nothing was sent.
 * - `invalid`: a cell cannot be used, so nothing was sent.
 * - `refused`: the vendor refused the request.
 * - `in_doubt`: a request of the row may have been charged or done, and no usable answer came.
 * - `skipped`: a rule of the job or a person has left the row out.
 */
export const OUTCOME_KINDS = [
  'matched',
  'no_match',
  'applied',
  'unchanged',
  'invalid',
  'refused',
  'in_doubt',
  'skipped',
] as const;

/** The values of the `_status` column: an outcome, or `pending` for a row that has none yet. */
export type RowStatus = OutcomeKind | 'pending';

/**
 * The columns that we add after those of `add`, in this order, each with its width in a workbook, in
 * characters. Files of other builds have fewer of them or more, and are read by their names alone.
 */
export const OUR_WIDTHS = {
  _status: 12,
  _reason: 50,
  _matched_by: 14,
  _match: 30,
  _credits: 9,
  _source: 14,
  _as_of: 18,
} as const;

export const OUR_COLUMNS = Object.keys(OUR_WIDTHS) as readonly (keyof typeof OUR_WIDTHS)[];

/** The columns that the needs-attention file adds after those of the input. */
export const ATTENTION_COLUMNS = ['_row', '_reason'] as const;

/**
 * We put this before the name of an added column when the input has that name already, or when it is the name
 * of an identifier. The prefix survives when the file is renamed or filtered, and no such column is used for
 * a lookup unless the user asks for it. Names in words begin with `Found` instead.
 */
export const FOUND_PREFIX = 'found_';

const SOURCE_SUFFIX = '_source';

/** The added column that says where the cells of another one are from: `Email_source` for `Email`. */
export const sourceColumn = (name: string): string => name + SOURCE_SUFFIX;

/** The added column with what the finder says of the address in another one: `Email_verdict` for `Email`. */
export const verdictColumn = (name: string): string => `${name}_verdict`;

/**
 * Whether we wrote an unreadable row, in an output or a needs-attention file, and no one has altered it
 * since: then its cells stand below their names.
 * @param cellAt returns the cell below a name of the header.
 * @param status the name of the column for it.
 */
export function isSetAside(cellAt: (name: string) => string | undefined, status = '_status'): boolean {
  return cellAt(status) === 'invalid' || /^\d+$/.test(cellAt('_row') ?? '');
}

export const isOurColumn = (name: string): boolean =>
  [...OUR_COLUMNS, ...ATTENTION_COLUMNS].some((ours) => ours === name);

export function isFoundColumn(name: string): boolean {
  return /^found[_ ]/i.test(name.trim());
}

// ------------------------------------------------------------------------------------- rows by their numbers

/** Rows from the first to the last, by their numbers, in the form that people type: `3`, `5-210`. */
export interface RowRange {
  readonly first: RowNumber;
  readonly last: RowNumber;
}

const RANGE = /^\s*([1-9]\d{0,6})\s*(?:[-\u2013]\s*([1-9]\d{0,6})\s*)?$/;

/** Undefined for a text that is no range: no number, or a last row above the first. */
export function readRowRange(text: string): RowRange | undefined {
  const [, first, last = first] = RANGE.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  return first === undefined || range.last < range.first ? undefined : range;
}

/** Undefined for a text that is no ranges, such as `5,9,12-20`. */
export function readRowRanges(text: string): readonly RowRange[] | undefined {
  const ranges = text.split(',').map(readRowRange);
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

export function rowRangeText({ first, last }: RowRange): string {
  return first === last ? String(first) : `${first}-${last}`;
}

/** `5,9,12-20`. @param rows in rising order. */
export function rowRangesText(rows: Iterable<RowNumber>): string {
  const ranges: { first: RowNumber; last: RowNumber }[] = [];
  for (const row of rows) {
    const range = ranges.at(-1);
    if (range?.last === row - 1) range.last = row;
    else ranges.push({ first: row, last: row });
  }
  return ranges.map(rowRangeText).join();
}

/** The header of a list in which no row has the names of the columns. */
export const NO_HEADER: RowRange = { first: 0, last: 0 };

/** `3`, `3-4`, or `0` for a list without a header. */
export function readHeaderRows(text: string): RowRange | undefined {
  if (text.trim() === '0') return NO_HEADER;
  const range = readRowRange(text);
  return range === undefined || range.last - range.first > 1 ? undefined : range;
}

/**
 * The number of the last of the first rows of a list; blank rows count.
 * @param rows left out: all of them.
 */
export function lastOfFirst({ header }: { readonly header: RowRange }, rows: number | undefined): RowNumber {
  return rows === undefined ? Number.POSITIVE_INFINITY : header.last + rows;
}

/** The rows that a run asks which is for a part of its list. */
export interface RowsAsked {
  /** Each row is in one of them. */
  readonly ranges: readonly RowRange[];
  readonly last: RowNumber;
  has(row: RowNumber): boolean;
}

/**
 * The rows of a run that is for the first ones of its list, or for those that a person names, such as
 * `5,9,12-20`. Undefined where it is for all.
 */
export function rowsAsked(
  start: { readonly header: RowRange },
  { limit, only = '' }: { readonly limit?: number | undefined; readonly only?: string | undefined },
): RowsAsked | undefined {
  const ranges = readRowRanges(only);
  if (ranges !== undefined) {
    const rows = new Set<RowNumber>();
    const apart: RowRange[] = [];
    let last = 0;
    for (const range of ranges.toSorted((one, other) => one.first - other.first)) {
      const first = Math.max(range.first, last + 1);
      last = Math.max(range.last, last);
      if (first <= last) apart.push({ first, last });
      for (let row = first; row <= last; row += 1) rows.add(row);
    }
    return { ranges: apart, last, has: (row) => rows.has(row) };
  }
  if (limit === undefined) return undefined;
  const last = lastOfFirst(start, limit);
  return { ranges: [{ first: 1, last }], last, has: (row) => row <= last };
}
