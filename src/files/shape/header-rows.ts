import type { RowNumber } from '../../core/row.ts';
import type { RowRange } from '../../core/row-range.ts';
import { isEmail, isWebsite } from '../../operations/lookup/recognise.ts';
import { isDate } from '../quality/cell-issues.ts';

/**
 * Where the names of a table stand, in a sheet that people made to be looked at: below titles, below a line of groups, or in
 * two rows. It is asked only where the first row cannot be the header, so a table that could be read without a guess is never
 * read otherwise.
 */

export interface SampledRow {
  readonly number: RowNumber;
  readonly cells: readonly string[];
}

/** Rows from which a header is found, and what columns hold. */
export const ROWS_SAMPLED = 200;

/** Nobody writes more lines above a table. */
const MOST_TITLES = 30;

/** Rows below a header that say which of its columns are used. */
const ROWS_BELOW = 20;

/** A column that fewer of these fill may be one of remarks. */
const SHARE_OF_USED = 0.2;

/** @param rows of the top of a sheet. @returns undefined where the first row may be the header, and where none is found. */
export function findHeader(rows: readonly SampledRow[]): RowRange | undefined {
  if (mayBeHeader(rows)) return undefined;
  const last = Math.min(rows.length - 1, MOST_TITLES);
  for (let at = 0; at < last; at += 1) {
    const [row, next] = [rows[at], rows[at + 1]];
    if (row === undefined || next === undefined) return undefined;
    if (isHeader(rows, at)) return rangeOf(row, row);
    if (!isHeader(rows, at + 1) && arePair(rows, at, next)) return rangeOf(row, next);
  }
  return undefined;
}

const rangeOf = ({ number: first }: SampledRow, { number: last }: SampledRow): RowRange => ({ first, last });

/** Whether the names stand in that row alone. Where what is below it is of another kind, more may stand above it. */
function isHeader(rows: readonly SampledRow[], at: number): boolean {
  const [above, cells, below] = [rows.slice(0, at), rows[at]?.cells ?? [], rows.slice(at + 1)];
  const used = usedPlaces(below);
  if (!isNamed(cells, used)) return false;
  return areTitles(above, used.length, isOfOtherKind(cells, below));
}

/** Whether the names stand in that row and the next, and neither of them is a row of the table. */
function arePair(rows: readonly SampledRow[], at: number, next: SampledRow): boolean {
  const row = rows[at];
  const below = rows.slice(at + 2);
  if (row === undefined || next.number !== row.number + 1 || !isOfOtherKind(next.cells, below)) return false;
  const used = usedPlaces(below);
  return isNamed(joinedNames(row.cells, next.cells), used) && areTitles(rows.slice(0, at), used.length, true);
}

/** Whether the rows below hold numbers, dates or addresses where this one has a word. */
function isOfOtherKind(cells: readonly string[], below: readonly SampledRow[]): boolean {
  return cells.some((cell, place) => {
    if (!isLabel(cell)) return false;
    const filled = below.flatMap(({ cells: others }) => others[place]?.trim() || []).slice(0, ROWS_BELOW);
    return filled.length > 0 && filled.filter((other) => !isLabel(other)).length >= filled.length * MOST;
  });
}

const MOST = 0.8;

/** Whether the rows below the first one fit it: it names what they fill, and no name stands twice. */
function mayBeHeader([first, ...below]: readonly SampledRow[]): boolean {
  if (first === undefined) return true;
  const names = first.cells.map((cell) => cell.trim());
  const filled = names.filter(Boolean);
  if (filled.length === 0 || new Set(filled).size < filled.length) return false;
  const isStray = ({ cells }: SampledRow): boolean =>
    cells.some((cell, place) => names[place] === '' && cell.trim() !== '');
  if (below.some(isStray)) return false;
  const isWide = ({ cells }: SampledRow): boolean => extentOf(cells) > names.length;
  return !(below.slice(0, 1).some(isWide) && below.filter(isWide).length * 2 > below.length);
}

function extentOf(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== '') + 1;
}

function usedPlaces(below: readonly SampledRow[]): readonly number[] {
  const rows = below.slice(0, ROWS_BELOW);
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const filledIn = (place: number): number =>
    rows.filter(({ cells }) => (cells[place] ?? '').trim() !== '').length;
  return Array.from({ length: width }, (_, place) => place).filter(
    (place) => filledIn(place) > 0 && filledIn(place) >= rows.length * SHARE_OF_USED,
  );
}

/** Whether each used column has a name, and each name stands once and is none of the things that rows hold. */
function isNamed(cells: readonly string[], used: readonly number[]): boolean {
  if (used.length < 2) return false;
  const names = cells.map((cell) => cell.trim());
  if (used.some((place) => (names[place] ?? '') === '')) return false;
  const filled = names.filter(Boolean);
  return new Set(filled).size === filled.length && filled.every(isLabel);
}

const LONGEST_LABEL = 200;

/** What stands in a cell for want of anything better. */
const PLACEHOLDER = /^(?:n\/?a|none|nil|null|unknown|tb[acd]|\?+|[-\u2013\u2014.]+)$/i;

/** Whether a cell may be a name: no number, date, address or placeholder, which rows hold. */
export function isLabel(cell: string): boolean {
  const text = cell.trim();
  if (text === '' || text.length > LONGEST_LABEL || PLACEHOLDER.test(text)) return false;
  return !(/^[\d\s.,+()%$€£-]+$/.test(text) || isDate(text) || isEmail(text) || isWebsite(text));
}

/** @param isSure the header is known by what is below it, so titles or group names may fill nearly all. */
function areTitles(above: readonly SampledRow[], width: number, isSure: boolean): boolean {
  return above.every(({ cells }) => {
    const count = cells.filter((cell) => cell.trim() !== '').length;
    return count <= 1 || count * 2 < width || (isSure && count < width);
  });
}

/**
 * The names of a header in two rows. A cell of the upper one over blank cells is the name of a group, and is needed only where
 * a name stands in several groups; any other belongs to what stands below it.
 */
export function joinedNames(upper: readonly string[], lower: readonly string[]): readonly string[] {
  const at = (cells: readonly string[], place: number): string => (cells[place] ?? '').trim();
  const groups: string[] = [];
  const names = Array.from({ length: Math.max(upper.length, lower.length) }, (_, place) => {
    const [above, own] = [at(upper, place), at(lower, place)];
    groups.push(above === '' ? (groups.at(-1) ?? '') : above);
    // The name of a group stands over blank cells, or once over each of its columns.
    const isAgain = upper.some((cell, other) => other !== place && cell.trim() === above);
    const isGroup = isAgain || (at(upper, place + 1) === '' && at(lower, place + 1) !== '');
    if (own === '') return above;
    return above === '' || isGroup ? own : `${above} ${own}`;
  });
  const isOnce = (name: string): boolean => names.indexOf(name) === names.lastIndexOf(name);
  return names.map((name, place) =>
    name === '' || isOnce(name) || groups[place] === '' || groups[place] === name
      ? name
      : `${groups[place]} ${name}`,
  );
}
