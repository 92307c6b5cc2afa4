import { stop } from '../core/errors.ts';
import { foreignName, foreignWords } from '../core/plain-text.ts';
import { type InputRow, OUR_COLUMNS, OUTCOME_KINDS, type RowNumber, type RowStatus } from '../core/row.ts';
import { stepNames } from '../core/steps.ts';
import { identifierNames } from '../files/columns/column-kind.ts';
import { PART_ROWS } from '../files/kept-rows.ts';
import {
  type Addition,
  addedCells,
  additionOf,
  automaticAddition,
  cellsOrWhy,
  ourCells,
  shownAnswer,
  surveyFields,
  textCells,
} from '../files/output/output.ts';
import { settingsKept } from '../job/job-settings.ts';
import type { Batch, LedgerReader, RowRecord } from '../ledger/ledger.ts';
import { CellSafety } from '../lib/formulas.ts';
import type { TableColumnObject, TableObject } from '../objects/table-object.ts';

/**
 * The table of a list: its own cells, and beside them those that an output would have, as soon as a row has
 * ended. A page of the list's order, or of some states, costs the same in a list of any length. What searches
 * or sorts reads the list in parts, and keeps no more than a page.
 */

export interface TableOrder {
  /** The row with which the page begins, in the order that is asked for; left out: the first one. */
  readonly from?: RowNumber | undefined;
  readonly limit: number;
  readonly search?: string | undefined;
  /** A column; with a `-` before its name the order is turned. */
  readonly sort?: string | undefined;
  /** Values by columns. Several states may stand at `_status`, with commas between them. */
  readonly where?: Readonly<Record<string, string>> | undefined;
}

export async function tableOf(ledger: LedgerReader, batch: Batch, order: TableOrder): Promise<TableObject> {
  const limit = Math.min(order.limit, rowsPerRead(batch, order.limit));
  const table = await tableIn(ledger, batch);
  const query = queryOf(table, order);
  const isPlain = query.search === '' && query.sort === undefined && query.where.length === 0;
  const found = isPlain
    ? await ledger.rowsAt(batch.id, { from: order.from ?? 0 }, limit + 1, query.states)
    : await firstOf(table, query, order.from, limit + 1);
  const rows = found.slice(0, limit).map(numberOf);
  const inputs = await ledger.cellsOf(batch.id, rows);
  const listed = rows.map((row) => inputs.get(row) ?? { row, cells: [] });
  const shown = await cellsIn(table, listed);
  return {
    batch: batch.id,
    operation: batch.operation,
    input: batch.inputPath,
    sandbox: batch.sandbox,
    columns: [...table.columns],
    more_columns: table.more,
    last: await ledger.lastSubmitted(batch.id),
    rows: rows.map((row, at) => ({ row, cells: [...(shown[at] ?? [])] })),
    next: found[limit]?.row ?? null,
  };
}

const numberOf = ({ row }: { readonly row: RowNumber }): RowNumber => row;

// --------------------------------------------------------------------------------------------- its columns

interface Table {
  readonly ledger: LedgerReader;
  readonly batch: Batch;
  readonly columns: readonly TableColumnObject[];
  /** The places in the list of its columns that are shown: an output has those of an earlier run once. */
  readonly kept: readonly number[];
  readonly added: Addition['columns'];
  readonly more: number;
}

/** The fields of so many answers become columns. Those of others are in the output. */
const ROWS_SURVEYED = 200;

/** The output has every column; a table for the eye has an end. */
export const MOST_ADDED = 40;

/** A page shows texts and runs no formula. */
const AS_IT_IS = new CellSafety('raw');
const CELLS = textCells(AS_IT_IS);

/** How many rows are read at once: answers that are lists are large, so fewer of them are. */
export function rowsPerRead(batch: Batch, usual: number): number {
  const hasLists = settingsKept(batch.settings).operation.resultsFile !== undefined;
  return hasLists ? Math.min(usual, PART_ROWS.lists) : usual;
}

async function tableIn(ledger: LedgerReader, batch: Batch): Promise<Table> {
  const { columns: all, dropped } = await additionIn(ledger, batch);
  const added = all.slice(0, MOST_ADDED);
  const kept = [...batch.header.keys()].filter((at) => !dropped.has(batch.header[at] ?? ''));
  const columns: readonly TableColumnObject[] = [
    ...kept.map((at) => ({ name: batch.header[at] ?? '', from: 'list' as const })),
    ...added.map(({ name }) => ({ name, from: 'bought' as const })),
    ...OUR_COLUMNS.map((name) => ({ name, from: 'ours' as const })),
  ];
  return { ledger, batch, columns, kept, added, more: all.length - added.length };
}

/** What is added to the list: the columns of the job, else the fields of the first answers. */
export async function additionIn(ledger: LedgerReader, batch: Batch): Promise<Addition> {
  const { add, on_existing: onExisting, ...kept } = settingsKept(batch.settings);
  const { answer_at: answerPlace, operation, input_of_other: isOfOther } = kept;
  if (add !== undefined) return additionOf(batch.header, add, onExisting, isOfOther, answerPlace);
  const most = rowsPerRead(batch, ROWS_SURVEYED);
  const answered = await ledger.rowsAt(batch.id, { from: 0 }, most, ['matched', 'applied']);
  const records = await ledger.recordsOf(batch.id, answered.map(numberOf));
  const first = { rows: async (_: string, from: number) => (from === 0 ? [...records.values()] : []) };
  const survey = await surveyFields(first, batch, answerPlace, most, operation.resultsFile !== undefined);
  const isIdentifier = await identifierNames();
  const steps = stepNames(batch.operation);
  return automaticAddition(batch.header, survey.names, AS_IT_IS, isIdentifier, isOfOther, steps);
}

// ----------------------------------------------------------------------------------------------- its cells

/** The cells of rows, in the order of the columns. */
async function cellsIn(table: Table, rows: readonly InputRow[]): Promise<readonly (readonly string[])[]> {
  const { ledger, batch } = table;
  const records = await ledger.recordsOf(batch.id, rows.map(numberOf));
  return rows.map((row) => [...ownCells(table, row), ...cellsBeside(table, row, records.get(row.row))]);
}

const ownCells = ({ kept }: Table, { cells }: InputRow): readonly string[] =>
  kept.map((at) => cells[at] ?? '');

function cellsBeside(
  { batch, added }: Table,
  row: InputRow,
  record: RowRecord | undefined,
): readonly string[] {
  const { answer_at: answerPlace } = settingsKept(batch.settings);
  const shown = shownAnswer(record?.answers ?? [], answerPlace);
  const made = cellsOrWhy(added.length, () => addedCells(added, row, shown, batch, CELLS), shown);
  return [...made.cells, ...ourCells(batch, row, record, made.why, CELLS)];
}

// -------------------------------------------------------------------------------------------- which of them

/** The place of a column. */
type At = number;

interface Query {
  readonly states: readonly RowStatus[];
  /** In small letters; blank: everything. */
  readonly search: string;
  readonly sort: At | undefined;
  readonly isTurned: boolean;
  readonly where: readonly (readonly [At, value: string])[];
}

/** @throws StopError `usage` for a column or a status that is not there. */
function queryOf(table: Table, { search = '', sort, where = {} }: TableOrder): Query {
  const { _status: states, ...values } = where;
  const isTurned = sort?.startsWith('-') === true && placeOf(table, sort) === -1;
  return {
    states: states === undefined ? [] : states.split(',').map(statusOf),
    search: search.toLowerCase(),
    sort: sort === undefined ? undefined : knownPlace(table, isTurned ? sort.slice(1) : sort),
    isTurned,
    where: Object.entries(values).map(([name, value]) => [knownPlace(table, name), value]),
  };
}

const placeOf = ({ columns }: Table, wanted: string): At => columns.findIndex(({ name }) => name === wanted);

function knownPlace(table: Table, wanted: string): At {
  const at = placeOf(table, wanted);
  if (at !== -1) return at;
  const has = foreignWords(table.columns.map(({ name }) => name).join(', '), LONGEST_LIST);
  const fact = `Batch ${table.batch.id} has no column ${foreignName(wanted)}; it has ${has}.`;
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

/** So many rows of a list are looked at together, which takes some milliseconds. */
const LISTED_AT_ONCE = 2_000;

/** The first rows that the query wants, in its order, from a row on. */
async function firstOf(
  table: Table,
  query: Query,
  from: RowNumber | undefined,
  most: number,
): Promise<readonly Place[]> {
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
  return found;
}

/** Where the row stands in the order of the query; undefined of a row that is not there. */
async function placeIn(table: Table, query: Query, row: RowNumber): Promise<Place | undefined> {
  const all = { ...query, states: [], search: '', where: [] };
  for await (const [place] of placesIn(table, all, row, 1)) return place?.row === row ? place : undefined;
  return undefined;
}

/** The places of the rows that the query wants, part by part. */
async function* placesIn(
  table: Table,
  { states, search, sort, where }: Query,
  from: RowNumber = 0,
  most?: number,
): AsyncGenerator<readonly Place[]> {
  const { ledger, batch, kept } = table;
  // Only the list's own cells are searched, so that no answer is read for it.
  const isOfList = [...where.map(([at]) => at), sort ?? 0].every((at) => at < kept.length);
  const atOnce = most ?? (isOfList ? LISTED_AT_ONCE : rowsPerRead(batch, PART_ROWS.single));
  const texts = [search, ...where.flatMap(([at, value]) => (at < kept.length ? value : ''))]
    .filter((text) => text !== '')
    .map((text) => JSON.stringify(text).slice(1, -1).toLowerCase());
  const mayBe = (json: string): boolean => {
    const low = texts.length === 0 ? '' : json.toLowerCase();
    return texts.every((text) => low.includes(text));
  };
  for await (const part of ledger.listed(batch.id, from, atOnce, states, mayBe)) {
    const cells = isOfList ? part.map((row) => ownCells(table, row)) : await cellsIn(table, part);
    yield part.flatMap(({ row }, nth) => {
      const own = cells[nth] ?? [];
      const isWanted =
        where.every(([at, value]) => own[at] === value) &&
        (search === '' || own.slice(0, kept.length).some((cell) => cell.toLowerCase().includes(search)));
      return isWanted ? [placeOfRow(row, sort === undefined ? '' : (own[sort] ?? ''))] : [];
    });
  }
}

// ----------------------------------------------------------------------------------------------- the order

/** A row, with what it is sorted by. */
interface Place {
  readonly row: RowNumber;
  readonly text: string;
  /** NaN of a text that is none. */
  readonly number: number;
  /** Numbers come before words, and blank cells last, whichever way the column is sorted. */
  readonly rank: 0 | 1 | 2;
}

function placeOfRow(row: RowNumber, cell: string): Place {
  const text = cell.trim();
  const number = Number(text);
  return { row, text, number, rank: text === '' ? 2 : Number.isNaN(number) ? 1 : 0 };
}

const BY_WORDS = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function compared(one: Place, other: Place, isTurned: boolean): number {
  if (one.rank !== other.rank) return one.rank - other.rank;
  const byCell = one.number - other.number || BY_WORDS.compare(one.text, other.text);
  return (isTurned ? -byCell : byCell) || one.row - other.row;
}
