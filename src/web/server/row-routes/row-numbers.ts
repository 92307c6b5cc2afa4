import { setImmediate as turn } from 'node:timers/promises';
import { ATTENTION_KINDS, type RowNumber, type RowStatus } from '../../../core/row.ts';
import type { Batch, LedgerReader } from '../../../ledger/ledger.ts';
import type { PagePlace, RowFilter } from '../../api.ts';
import type { OpenList } from './list-files.ts';

/** Which rows a page has. A filter goes through the batch by short reads, and only so long: the page asks it to go on. */

interface PageRows {
  readonly rows: readonly RowNumber[];
  readonly prev: PagePlace | null;
  readonly next: PagePlace | null;
}

export interface PageWish {
  readonly place: PagePlace;
  readonly limit: number;
  readonly status: RowFilter | undefined;
}

/** Some milliseconds of the event loop. */
const ROWS_PER_READ = 10_000;

/** Longer, and a person would think that nothing happens. */
const LONGEST_MS = 300;

const FIRST_ROW = 2;

/** The number of the last row that is known. Blank lines count, so a row may stand beyond the number of rows. */
export async function lastRow(
  ledger: LedgerReader,
  batch: Batch,
  list: OpenList | undefined,
): Promise<RowNumber> {
  let last = batch.inputRows + (batch.rowsBeyond ?? 0) + 1;
  while ((await ledger.rows(batch.id, last + 1, 1)).length > 0) {
    const kinds = await ledger.rowKinds(batch.id, last + 1, last + 1 + ROWS_PER_READ);
    last = kinds.at(-1)?.row ?? last + ROWS_PER_READ;
  }
  return list === undefined ? last : list.lastRow(ledger, last);
}

/** All rows with the numbers of the page; the blank lines among them are no rows. */
export function everyRow({ place, limit }: PageWish, last: RowNumber): PageRows {
  const wanted = 'from' in place ? place.from : Math.min(place.before, last + 1) - limit;
  const from = Math.max(FIRST_ROW, Math.min(wanted, last));
  const end = 'from' in place ? from + limit : Math.max(place.before, from + 1);
  const before = Math.min(last + 1, end);
  return {
    rows: Array.from({ length: Math.max(0, before - from) }, (_, at) => from + at),
    prev: from > FIRST_ROW ? { before: from } : null,
    next: before <= last ? { from: before } : null,
  };
}

interface Walk {
  readonly ledger: LedgerReader;
  readonly batch: Batch;
  readonly list: OpenList | undefined;
  readonly last: RowNumber;
}

export function filteredRows(walk: Walk, wish: PageWish, status: RowFilter): Promise<PageRows> {
  const { place, limit } = wish;
  return 'from' in place
    ? rowsFrom(walk, status, limit, Math.max(FIRST_ROW, place.from))
    : rowsBefore(walk, status, limit, Math.min(place.before, walk.last + 1));
}

async function rowsFrom(walk: Walk, status: RowFilter, limit: number, start: RowNumber): Promise<PageRows> {
  const until = performance.now() + LONGEST_MS;
  const found: RowNumber[] = [];
  let at = start;
  do {
    found.push(...(await ofStatus(walk, status, at, Math.min(at + ROWS_PER_READ, walk.last + 1))));
    at += ROWS_PER_READ;
    await turn();
  } while (at <= walk.last && found.length < limit && performance.now() < until);
  const rows = found.slice(0, limit);
  const more = at <= walk.last ? { from: at } : null;
  return {
    rows,
    prev: start > FIRST_ROW ? { before: start } : null,
    next: found.length > limit ? { from: (rows.at(-1) ?? start) + 1 } : more,
  };
}

async function rowsBefore(walk: Walk, status: RowFilter, limit: number, start: RowNumber): Promise<PageRows> {
  const until = performance.now() + LONGEST_MS;
  const found: RowNumber[] = [];
  let at = start;
  do {
    const from = Math.max(FIRST_ROW, at - ROWS_PER_READ);
    found.unshift(...(await ofStatus(walk, status, from, at)));
    at = from;
    await turn();
  } while (at > FIRST_ROW && found.length < limit && performance.now() < until);
  const rows = found.slice(-limit);
  const more = at > FIRST_ROW ? { before: at } : null;
  return {
    rows,
    prev: found.length > limit ? { before: rows[0] ?? start } : more,
    next: start <= walk.last ? { from: start } : null,
  };
}

async function ofStatus(
  { ledger, batch, list }: Walk,
  status: RowFilter,
  from: RowNumber,
  before: RowNumber,
): Promise<readonly RowNumber[]> {
  const kinds = await ledger.rowKinds(batch.id, from, before);
  if (status !== 'pending') return kinds.filter(({ kind }) => isShown(status, kind)).map(({ row }) => row);
  if (kinds.length === before - from) return [];
  const settled = new Set(kinds.map(({ row }) => row));
  const all =
    list === undefined
      ? Array.from({ length: before - from }, (_, at) => from + at)
      : (await list.between(ledger, from, before)).map(({ row }) => row);
  return all.filter((row) => !settled.has(row));
}

function isShown(filter: RowFilter, status: RowStatus): boolean {
  if (filter === 'finished') return true;
  return filter === 'attention' ? ATTENTION_KINDS.has(status) : filter === status;
}
