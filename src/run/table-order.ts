import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { foreignName, foreignWords } from '../core/plain-text.ts';
import { type InputRow, OUTCOME_KINDS, type RowNumber, type RowStatus } from '../core/row.ts';
import type { TableColumnObject } from '../objects/batch-object.ts';

/**
 * Which rows of a table are shown, and in which order. What searches or sorts reads the table in parts, and
 * keeps no more than a page.
 */

/** More rows are no page for the eye. */
export const MOST_ROWS = 500;
export const USUAL_ROWS = 50;

export const TableOrder = z.strictObject({
  /** The row with which the page begins, in the order that is asked for; left out: the first one. */
  from: z.int().min(0).optional(),
  limit: z.int().min(1).max(MOST_ROWS).optional(),
  search: z.string().optional(),
  /** A column; with a `-` before its name the order is turned. */
  sort: z.string().optional(),
  /** Values by columns. Several states may stand at `_status`, with commas between them. */
  where: z.record(z.string(), z.string()).optional(),
});
export type TableOrder = z.output<typeof TableOrder>;

/** A table that is read from a row on. */
export interface Searched {
  /** What it is called in an error. */
  readonly name: string;
  readonly columns: readonly TableColumnObject[];
  /** Whether `_status` says how a row stands, and is no column of the list. */
  readonly hasStates: boolean;
  /** Whether a search looks into this column. */
  isSearched(at: At): boolean;
  /** Rows with their cells, part by part. What cannot be wanted by the query may be left out. */
  parts(query: Query, from: RowNumber, most?: number): AsyncIterable<readonly SearchedRow[]>;
}

/** Its cells are those of the columns, at least of those that the query looks at. */
export type SearchedRow = InputRow;

/** The place of a column. */
type At = number;

export interface Query {
  readonly states: readonly RowStatus[];
  /** In small letters; blank: everything. */
  readonly search: string;
  readonly sort: At | undefined;
  readonly isTurned: boolean;
  readonly where: readonly (readonly [At, value: string])[];
}

/** @throws StopError `usage` for a column or a status that is not there. */
export function queryOf(table: Searched, { search = '', sort, where = {} }: TableOrder): Query {
  const { _status, ...others } = where;
  const states = table.hasStates ? _status : undefined;
  const values = table.hasStates ? others : where;
  const isTurned = sort?.startsWith('-') === true && placeOf(table, sort) === -1;
  return {
    states: states === undefined ? [] : states.split(',').map(statusOf),
    search: search.toLowerCase(),
    sort: sort === undefined ? undefined : knownPlace(table, isTurned ? sort.slice(1) : sort),
    isTurned,
    where: Object.entries(values).map(([name, value]) => [knownPlace(table, name), value]),
  };
}

/**
 * Whether rows that are written as this JSON may be wanted: to read all of them takes time.
 * @param isOwn whether the cells of this column stand there.
 */
export function mayBeIn({ search, where }: Query, isOwn: (at: At) => boolean): (json: string) => boolean {
  const values = where.flatMap(([at, value]) => (isOwn(at) ? [value] : []));
  const texts = [search, ...values]
    .filter((text) => text !== '')
    .map((text) => JSON.stringify(text).slice(1, -1).toLowerCase());
  return (json) => {
    const low = texts.length === 0 ? '' : json.toLowerCase();
    return texts.every((text) => low.includes(text));
  };
}

const placeOf = ({ columns }: Searched, wanted: string): At =>
  columns.findIndex(({ name }) => name === wanted);

function knownPlace(table: Searched, wanted: string): At {
  const at = placeOf(table, wanted);
  if (at !== -1) return at;
  const has = foreignWords(table.columns.map(({ name }) => name).join(', '), LONGEST_LIST);
  const fact = `${table.name} has no column ${foreignName(wanted)}; it has ${has}.`;
  throw stop('usage', fact, 'Name one of these.');
}

const LONGEST_LIST = 2_000;

function statusOf(word: string): RowStatus {
  const known = [...OUTCOME_KINDS, 'pending'] as const;
  const status = known.find((each) => each === word.trim());
  if (status !== undefined) return status;
  const fact = `There is no status ${foreignName(word)}; there are ${known.join(', ')}.`;
  throw stop('usage', fact, 'Name one of these.');
}

/** The first rows that the query wants, in its order, from a row on. */
export async function firstOf(
  table: Searched,
  query: Query,
  from: RowNumber | undefined,
  most: number,
): Promise<readonly SearchedRow[]> {
  const { isTurned, sort } = query;
  const inOrder = (one: Place, other: Place): number => compared(one, other, isTurned);
  const first = sort === undefined || from === undefined ? undefined : await placeIn(table, query, from);
  const found: Place[] = [];
  for await (const part of placesIn(table, query, sort === undefined ? from : undefined)) {
    const last = found[most - 1];
    const isNearer = (place: Place): boolean =>
      (first === undefined || inOrder(place, first) >= 0) && (last === undefined || inOrder(place, last) < 0);
    found.push(...part.filter(isNearer));
    found.sort(inOrder).splice(most);
    if (sort === undefined && found.length === most) break;
  }
  return found.map(({ of }) => of);
}

/** Where the row stands in the order of the query; undefined of a row that is not there. */
async function placeIn(table: Searched, query: Query, row: RowNumber): Promise<Place | undefined> {
  const all = { ...query, states: [], search: '', where: [] };
  for await (const [place] of placesIn(table, all, row, 1)) return place?.of.row === row ? place : undefined;
  return undefined;
}

/** The places of the rows that the query wants, part by part. */
async function* placesIn(
  table: Searched,
  query: Query,
  from: RowNumber = 0,
  most?: number,
): AsyncGenerator<readonly Place[]> {
  const { search, sort, where } = query;
  for await (const part of table.parts(query, from, most))
    yield part.flatMap((of) => {
      const { cells } = of;
      const isWanted =
        where.every(([at, value]) => cells[at] === value) &&
        (search === '' ||
          cells.some((cell, at) => table.isSearched(at) && cell.toLowerCase().includes(search)));
      return isWanted ? [placeOfRow(of, sort === undefined ? '' : (cells[sort] ?? ''))] : [];
    });
}

// ----------------------------------------------------------------------------------------------- the order

/** A row, with what it is sorted by. */
interface Place {
  readonly of: SearchedRow;
  readonly text: string;
  /** NaN of a text that is none. */
  readonly number: number;
  /** Numbers come before words, and blank cells last, whichever way the column is sorted. */
  readonly rank: 0 | 1 | 2;
}

function placeOfRow(of: SearchedRow, cell: string): Place {
  const text = cell.trim();
  const number = Number(text);
  return { of, text, number, rank: text === '' ? 2 : Number.isNaN(number) ? 1 : 0 };
}

/** Made by the first that sorts: what it needs of Node takes a start up to ten milliseconds. */
let byWords: Intl.Collator | undefined;

function compared(one: Place, other: Place, isTurned: boolean): number {
  if (one.rank !== other.rank) return one.rank - other.rank;
  byWords ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  const byCell = one.number - other.number || byWords.compare(one.text, other.text);
  return (isTurned ? -byCell : byCell) || one.of.row - other.of.row;
}
