import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { foreignName, foreignWords } from '../core/plain-text.ts';
import { type InputRow, OUTCOME_KINDS, type RowNumber, type RowStatus } from '../core/row.ts';
import { kindOfFilled } from '../files/columns/column-kind.ts';
import { conditions } from '../job/job-schema.ts';
import type { TableColumnObject, TableRowObject } from '../objects/batch-object.ts';
import { isFilled, saysSame } from '../values/kinds.ts';
import { leavingOut } from '../walk/filling.ts';

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
  /**
   * Values by columns. Several states may stand at `_status`, with commas between them, at `_action` what
   * was done with the person of a row, and at `_differs` that a row was found with another `abn`.
   */
  where: z.record(z.string(), z.string()).optional(),
  /** Conditions by columns, as a job has them: a row is shown that a start with them does not leave out. */
  only_if: conditions.optional(),
  unless: conditions.optional(),
  /** A column, and another one: only rows in which both are filled, and say something else. */
  differs: z.record(z.string(), z.string()).optional(),
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
export type SearchedRow = InputRow & Pick<TableRowObject, 'action' | 'other_abn'>;

/** The place of a column. */
type At = number;

export interface Query {
  readonly states: readonly RowStatus[];
  /** What was done with the person of a row; undefined: whatever it was. */
  readonly action: string | undefined;
  /** Whether only rows are wanted that were found with another ABN. */
  readonly hasOtherAbn: boolean;
  /** In small letters; blank: everything. */
  readonly search: string;
  readonly sort: At | undefined;
  readonly isTurned: boolean;
  readonly where: readonly (readonly [At, value: string])[];
  /** Whether a row with these cells is wanted by the conditions. */
  keeps(cells: InputRow['cells']): boolean;
  /** The columns with cells that decide. */
  readonly looksAt: readonly At[];
}

/** Whether all rows are wanted, in the order of the list. */
export const isEverything = ({ search, sort, action, hasOtherAbn, looksAt }: Query): boolean =>
  search === '' && sort === undefined && action === undefined && !hasOtherAbn && looksAt.length === 0;

/** @throws StopError `usage` for a column or a status that is not there. */
export function queryOf(table: Searched, order: TableOrder): Query {
  const { search = '', sort, where = {}, only_if = {}, unless = {}, differs = {} } = order;
  const { _status, _action, _differs, ...others } = where;
  const states = table.hasStates ? _status : undefined;
  const values = table.hasStates ? others : where;
  const isTurned = sort?.startsWith('-') === true && placeOf(table, sort) === -1;
  const wanted = Object.entries(values).map(([name, value]) => [knownPlace(table, name), value] as const);
  const conditioned = [only_if, unless].flatMap(Object.keys).map((name) => knownPlace(table, name));
  const pairs = Object.entries(differs).map(
    ([name, other]) => [knownPlace(table, name), knownPlace(table, other)] as const,
  );
  const names = table.columns.map(({ name }) => name);
  const leftOut = leavingOut({ only_if, unless }, names);
  const differ = pairs.map(([one, other]) => differing(names, one, other));
  return {
    states: states === undefined ? [] : states.split(',').map(statusOf),
    action: table.hasStates ? _action : undefined,
    hasOtherAbn: table.hasStates && _differs === 'abn',
    search: search.toLowerCase(),
    sort: sort === undefined ? undefined : knownPlace(table, isTurned ? sort.slice(1) : sort),
    isTurned,
    where: wanted,
    keeps: (cells) => leftOut(cells) === undefined && differ.every((each) => each(cells)),
    looksAt: [...wanted.map(([at]) => at), ...conditioned, ...pairs.flat()],
  };
}

/** Whether both cells of a row are filled, and say something else. */
function differing(names: readonly string[], one: At, other: At): Query['keeps'] {
  const kinds = [one, other].map((at) => kindOfFilled(names[at] ?? ''));
  return (cells) => {
    const [ownCell = '', others = ''] = [one, other].map((at) => cells[at] ?? '');
    const areFilled = isFilled(ownCell, kinds[0]) && isFilled(others, kinds[1]);
    return areFilled && !saysSame(others, ownCell, kinds[1] ?? kinds[0]);
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

/** So many rows are given at once that had to be sorted. */
const SORTED_AT_ONCE = 1_000;

/**
 * Every row that the query wants, in its order, part by part.
 * @param keepRow what stays in memory of each row, where they are sorted.
 */
export async function* allOf(
  table: Searched,
  query: Query,
  keepRow: (row: SearchedRow) => SearchedRow,
): AsyncGenerator<readonly SearchedRow[], void, undefined> {
  const sorted: Place[] = [];
  for await (const part of placesIn(table, query))
    if (query.sort === undefined) yield part.map(({ of }) => of);
    else for (const place of part) sorted.push({ ...place, of: keepRow(place.of) });
  sorted.sort((one, other) => compared(one, other, query.isTurned));
  for (let at = 0; at < sorted.length; at += SORTED_AT_ONCE)
    yield sorted.slice(at, at + SORTED_AT_ONCE).map(({ of }) => of);
}

/** Where the row stands in the order of the query; undefined of a row that is not there. */
async function placeIn(table: Searched, query: Query, row: RowNumber): Promise<Place | undefined> {
  const all: Query = {
    ...query,
    states: [],
    action: undefined,
    hasOtherAbn: false,
    search: '',
    where: [],
    keeps: () => true,
    looksAt: [],
  };
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
  const { search, sort, where, action, hasOtherAbn } = query;
  for await (const part of table.parts(query, from, most))
    yield part.flatMap((of) => {
      const { cells } = of;
      const isWanted =
        (action === undefined || of.action === action) &&
        (!hasOtherAbn || of.other_abn === true) &&
        where.every(([at, value]) => cells[at] === value) &&
        query.keeps(cells) &&
        (search === '' ||
          cells.some((cell, at) => table.isSearched(at) && cell.toLowerCase().includes(search)));
      return isWanted ? [placeOfRow(of, sort === undefined ? '' : (cells[sort] ?? ''))] : [];
    });
}

// ---------------------------------------------------------------------------------- what a column says

/** So many values are told. Others are found by a part of them. */
const MOST_VALUES = 100;
/** A column of so many values has names in it, by which no one filters. More of them are counted together. */
const MOST_COUNTED = 10_000;

export interface ColumnValues {
  values: { readonly value: string; rows: number }[];
  blank: number;
  others: number;
}

/**
 * Counts what the cells of a column say, as a condition compares them: in any case of letters.
 * @param search a part of the values that are told.
 * @throws StopError `usage` for a column that is not there.
 */
export async function columnValues(table: Searched, column: string, search: string): Promise<ColumnValues> {
  const at = knownPlace(table, column);
  const kind = kindOfFilled(column);
  const counts = new ValueCounts(search);
  let blank = 0;
  for await (const part of placesIn(table, { ...queryOf(table, {}), looksAt: [at] }))
    for (const { of } of part) {
      const cell = of.cells[at] ?? '';
      if (isFilled(cell, kind)) counts.add(cell.trim());
      else blank += 1;
    }
  return { ...counts.mostFrequent(), blank };
}

class ValueCounts {
  readonly #sought: string;
  /** By the value in small letters. */
  readonly #counted = new Map<string, ColumnValues['values'][number]>();
  #others = 0;

  constructor(search: string) {
    this.#sought = search.trim().toLowerCase();
  }

  add(value: string): void {
    const low = value.toLowerCase();
    const known = this.#counted.get(low);
    if (known !== undefined) known.rows += 1;
    else if (!low.includes(this.#sought) || this.#counted.size === MOST_COUNTED) this.#others += 1;
    else this.#counted.set(low, { value, rows: 1 });
  }

  mostFrequent(): Omit<ColumnValues, 'blank'> {
    const values = [...this.#counted.values()].sort((one, other) => other.rows - one.rows);
    const rest = values.splice(MOST_VALUES);
    return { values, others: rest.reduce((sum, { rows }) => sum + rows, this.#others) };
  }
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
