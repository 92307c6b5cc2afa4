import type { RowNumber } from './row.ts';

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

/** How many rows there are at most, because blank ones count; undefined for a text that is no ranges. */
export function countRows(ranges: string): number | undefined {
  return readRowRanges(ranges)?.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** The rows that a run asks which is for a part of its list. */
export interface RowsAsked {
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
    for (const { first, last } of ranges) for (let row = first; row <= last; row += 1) rows.add(row);
    const last = ranges.reduce((most, range) => Math.max(most, range.last), 0);
    return { last, has: (row) => rows.has(row) };
  }
  const last = lastOfFirst(start, limit);
  return limit === undefined ? undefined : { last, has: (row) => row <= last };
}
