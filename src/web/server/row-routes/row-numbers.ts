import { ATTENTION_KINDS, OUTCOME_KINDS, type RowNumber, type RowStatus } from '../../../core/row.ts';
import type { Batch, LedgerReader, RowPlace } from '../../../ledger/ledger.ts';
import type { RowFilter, RowPage } from '../../api.ts';

export interface PageWish {
  readonly place: RowPlace;
  readonly limit: number;
  readonly status: RowFilter | undefined;
}

/** Which rows a page has, and where the pages beside it begin. */
export async function rowsOfPage(
  ledger: LedgerReader,
  { id }: Batch,
  { place, limit, status }: PageWish,
): Promise<{ readonly rows: readonly RowNumber[] } & Pick<RowPage, 'prev' | 'next'>> {
  const read = async (at: RowPlace, most: number): Promise<readonly RowNumber[]> =>
    (await ledger.rowKinds(id, at, most, statesOf(status))).map(({ row }) => row);
  const found = await read(place, limit);
  // Behind the last row that one is shown, and before the first one the first.
  const isBeyond = found.length === 0;
  const rows = isBeyond
    ? await read('from' in place ? { before: place.from } : { from: place.before }, 1)
    : found;
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return { rows, prev: null, next: null };
  const [before, behind] = [{ before: first }, { from: last + 1 }];
  return {
    rows,
    prev: (await read(before, 1)).length > 0 ? before : null,
    next: (await read(behind, 1)).length > 0 ? behind : null,
  };
}

function statesOf(filter: RowFilter | undefined): readonly RowStatus[] {
  if (filter === undefined) return [];
  if (filter === 'finished') return OUTCOME_KINDS;
  return filter === 'attention' ? [...ATTENTION_KINDS] : [filter];
}
