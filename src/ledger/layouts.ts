import type { AnyRecord, Cell, Db } from './db.ts';

/**
 * The tables of earlier Rowonces. Nothing changes a ledger where it stands: `copy.ts` makes another one of
 * it, and this file says how a row of an earlier table becomes one of today's.
 */

/**
 * The number of the tables in `schema.ts`. The database holds the number, so that a program that knows other
 * tables leaves the database alone.
 */
export const LAYOUT = 8;

/** The first layout of which a copy can be made. */
export const FIRST_COPIED = 6;

export async function layoutOf(db: Pick<Db, 'rows'>): Promise<number | undefined> {
  const [last] = await db.rows<{ layout: number | null }>('SELECT max(number) AS layout FROM steps');
  return last?.layout ?? undefined;
}

/** Makes a row of today's table out of one of the ledger that is copied. */
export type Conversion = (table: string, row: AnyRecord) => AnyRecord;

/** @param from a ledger of a layout that a copy can be made of. */
export async function conversionOf(from: Db): Promise<Conversion> {
  const layout = await layoutOf(from);
  return layout === 6 ? withOwnIds(from) : (_, row) => row;
}

// --------------------------------------------------------------------------------------- up to layout 6

const MAY_COST = `('accepted', 'doubt', 'retried', 'doubt_beside')`;

/** The attempts whose id of the vendor also stands for another call of their account. */
const SHARING = `
WITH taken AS (
  SELECT vendor_id, account, operation FROM attempts WHERE vendor_id IS NOT NULL AND state IN ${MAY_COST}
  GROUP BY vendor_id, account, operation HAVING count(DISTINCT key) > 1),
sharing AS (
  SELECT a.id, a.batch, a.row, a.state, a.prior FROM attempts a
    JOIN taken t ON t.vendor_id = a.vendor_id AND t.account = a.account AND t.operation = a.operation
   WHERE a.state IN ${MAY_COST})`;

const SHARING_ATTEMPTS = `${SHARING}
SELECT s.id, s.state, p.id AS prior, p.state AS before FROM sharing s LEFT JOIN attempts p ON p.id = s.prior`;

/** A row of several steps is held by its walk, which comes with the next run. */
const THEIR_ROWS = `${SHARING}
SELECT r.batch, r.row, max(s.id) AS attempt FROM sharing s JOIN rows r ON r.batch = s.batch AND r.row = s.row
  JOIN batches b ON b.id = r.batch AND b.operation NOT LIKE '%,%'
 WHERE r.state = 'pending' AND s.state <> 'retried' GROUP BY r.batch, r.row`;

const SHARES_ID = 'not yet: the vendor gave its id to another call, too, so nobody knows whose answer it is';

/**
 * Since layout 7 an id of an account leads to the answer of one call. Where two calls of an operation have
 * the same one, both are in doubt in the copy, and so are the rows that asked for them.
 */
async function withOwnIds(from: Db): Promise<Conversion> {
  const attempts = new Map<Cell, AnyRecord>();
  for (const { id, state, prior, before } of await from.rows<AnyRecord>(SHARING_ATTEMPTS)) {
    const isBeside = before === 'replaced';
    const doubt = {
      state: isBeside ? 'doubt_beside' : 'doubt',
      is_current: isBeside ? 0 : 1,
      why: SHARES_ID,
    };
    attempts.set(id ?? null, { shares_id: 1, ...(state === 'accepted' ? doubt : {}) });
    if (state === 'accepted' && isBeside) attempts.set(prior ?? null, { state: 'answered', is_current: 1 });
  }
  const rows = new Map<string, AnyRecord>();
  for (const { batch, row, attempt } of await from.rows<AnyRecord>(THEIR_ROWS))
    rows.set(`${batch} ${row}`, { state: 'in_doubt', attempt: attempt ?? null, reason: SHARES_ID });
  return (table, row) => {
    if (table === 'rows') return { ...row, ...rows.get(`${row.batch} ${row.row}`) };
    if (table !== 'attempts') return row;
    const { vendor_id: id = null, operation = null } = row;
    // Until then a later answer was asked for by the entry of the dialect that is called as the operation.
    return {
      ...row,
      later_path: id === null ? null : operation,
      shares_id: 0,
      ...attempts.get(row.id ?? null),
    };
  };
}
