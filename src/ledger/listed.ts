import { present } from '../core/objects.ts';
import type { Outcome, RowNumber } from '../core/row.ts';
import type { Context, Writing } from './context.ts';
import { oneRow } from './context.ts';
import { each } from './db.ts';
import type { BatchId, RangeCounts, RangeLeft, RowLeft, SubmittedRow, WorkOrder } from './records.ts';
import { rowOf } from './rows.ts';

/** The rows of lists from their submit on, with the cells of those that have not ended, and by what they are worked on. */

const SUBMIT = each({
  ...({ batch: 'text', row: 'int', state: 'text', matched_by: 'text', reason: 'text' } as const),
  ...({ input: 'int', call: 'int', others: 'text' } as const),
})(`
INSERT INTO rows (batch, row, state, matched_by, reason, input, call, others)
SELECT v.batch, v.row, v.state, v.matched_by, v.reason, v.input, v.call, v.others FROM v WHERE 1 = 1 ON CONFLICT DO NOTHING`);

// What has ended needs none.
const KEEP_CELLS = each({ batch: 'text', row: 'int', cells: 'text' })(`
INSERT INTO cells (batch, row, cells) SELECT v.batch, v.row, v.cells FROM v
  JOIN rows r ON r.batch = v.batch AND r.row = v.row AND r.state IN ('pending', 'in_doubt')
  JOIN batches b ON b.id = v.batch AND b.state IN ('open', 'finished') WHERE 1 = 1
ON CONFLICT DO NOTHING`);

const submitted = (batch: BatchId, { row, input, end }: SubmittedRow) => ({
  ...{ batch, row, input, state: 'pending', matched_by: null, reason: null, call: null, others: null },
  ...(end === undefined ? {} : rowOf({ batch, row, input, ...end })),
});

/**
 * Each state is read by the index on it, in the order of the rows, and no further than it is asked for. A change that was answered is
 * in doubt for a person alone.
 */
const leftIn = (state: string): string => `
SELECT * FROM (SELECT r.row, r.input, r.work, c.cells FROM rows r LEFT JOIN cells c ON c.batch = r.batch AND c.row = r.row
  WHERE r.batch = ? AND r.state = '${state}'
    AND NOT EXISTS (SELECT 1 FROM calls a WHERE r.state = 'in_doubt' AND a.id = r.call AND a.state = 'answered') AND r.row >= ? AND r.row < ? ORDER BY r.row LIMIT CAST(? AS {int})) AS ${state}`;
const ROWS_LEFT = `${leftIn('pending')} UNION ALL ${leftIn('in_doubt')} ORDER BY row LIMIT CAST(? AS {int})`;

interface KeptLeft {
  readonly row: number;
  readonly input: number | null;
  readonly work: string | null;
  readonly cells: string | null;
}

const isFinal = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined && outcome.kind !== 'in_doubt';

function leftFrom({ row, input, work, cells }: KeptLeft): RowLeft {
  if (work !== null) return { row, ...present({ input: input ?? undefined }), ...JSON.parse(work) };
  if (cells === null || input === null) return { row };
  const kept = JSON.parse(cells);
  return typeof kept === 'string' ? { row, input, unreadable: kept } : { row, input, cells: kept };
}

/** What of a list is left; the rows in doubt are, where a person asks for a batch. */
const LEFT = `
SELECT a.identity AS "accountIdentity", 2 + (r.row - 2) / CAST(? AS {int}) * CAST(? AS {int}) AS "fromRow", count(*) AS "left"
FROM batches b JOIN accounts a ON a.id = b.account JOIN rows r ON r.batch = b.id AND r.state IN (STATES)
WHERE b.id = ? GROUP BY 1, 2 ORDER BY 2`;

/** The rows of lists. They are worked on as they are here, by whatever process: nobody reads the list for it again. */
export const listedRows = (context: Writing) => ({
  /**
   * Keeps rows of a batch's list, all of them or none. One that is there stays as it is, so that a submit that was cut off is repeated.
   * Cells are kept of rows without a final outcome.
   */
  submitRows: (batch: BatchId, rows: readonly SubmittedRow[]): Promise<void> =>
    context.transaction(async (sql) => {
      await sql.each(
        SUBMIT,
        rows.map((each) => submitted(batch, each)),
      );
      const left = rows.filter(({ end }) => !isFinal(end?.outcome));
      await sql.each(
        KEEP_CELLS,
        left.map(({ row, ...rest }) => {
          return { batch, row, cells: JSON.stringify('cells' in rest ? rest.cells : rest.unreadable) };
        }),
      );
    }),
  /** The last row of the batch that is there; 0 where none is. */
  lastSubmitted: async (batch: BatchId): Promise<RowNumber> =>
    (
      await oneRow<{ last: number | null }>(context.db, 'SELECT max(row) AS last FROM rows WHERE batch = ?', [
        batch,
      ])
    ).last ?? 0,
  /**
   * Rows from `fromRow` on, and before `beforeRow`, that have no final outcome, in order, at most `limit`. The transaction that gives a
   * row its final outcome erases its cells; those of a row in doubt stay until its batch is superseded or cancelled.
   */
  async rowsLeft(
    batch: BatchId,
    fromRow: RowNumber,
    beforeRow: RowNumber,
    limit: number,
  ): Promise<readonly RowLeft[]> {
    const within = [batch, fromRow, beforeRow, limit];
    return (await context.db.rows<KeptLeft>(ROWS_LEFT, [...within, ...within, limit])).map(leftFrom);
  },
  /** Keeps by what the batch is worked on. Of a former one the ranges stay. */
  keepOrder: (batch: BatchId, order: WorkOrder): Promise<void> =>
    context.transaction(async (sql) => {
      const [former] = await sql.rows<{ work_order: string | null }>(WORK_ORDER, [batch]);
      const rangeRows = orderFrom(former)?.rangeRows ?? order.rangeRows;
      const kept = JSON.stringify({ ...order, rangeRows });
      await sql.rows('UPDATE batches SET work_order = ? WHERE id = ?', [kept, batch]);
    }),
  workOrder: async (batch: BatchId): Promise<WorkOrder | undefined> =>
    orderFrom((await context.db.rows<{ work_order: string | null }>(WORK_ORDER, [batch]))[0]),
  /**
   * The ranges that have rows which nobody has looked at yet, in batches that may go on, in the order of their rows.
   * @param only of that batch alone, and those with rows in doubt as well.
   */
  async rangesLeft(only?: BatchId): Promise<readonly RangeLeft[]> {
    const orders = await context.db.rows<{ id: BatchId; work_order: string }>(
      `SELECT id, work_order FROM batches WHERE state = 'open' AND held_since IS NULL AND work_order IS NOT NULL
        ${only === undefined ? '' : 'AND id = ?'} ORDER BY id`,
      only === undefined ? [] : [only],
    );
    const left: RangeLeft[] = [];
    for (const kept of orders) {
      const batch = kept.id;
      const rangeRows = orderFrom(kept)?.rangeRows ?? 1;
      const sql = LEFT.replace('STATES', only === undefined ? `'pending'` : `'pending', 'in_doubt'`);
      const found = await context.db.rows<Omit<RangeLeft, 'batch' | 'beforeRow'>>(sql, [
        rangeRows,
        rangeRows,
        batch,
      ]);
      left.push(...found.map((each) => ({ ...each, batch, beforeRow: each.fromRow + rangeRows })));
    }
    return left;
  },
});

const WORK_ORDER = 'SELECT work_order FROM batches WHERE id = ?';

const orderFrom = (kept: { readonly work_order: string | null } | undefined): WorkOrder | undefined =>
  kept?.work_order == null ? undefined : JSON.parse(kept.work_order);

/** pg-boss keeps its queues there. */
const COUNTS = `
SELECT count(*) FILTER (WHERE name <> 'set-aside' AND state < 'active') AS waiting,
  count(*) FILTER (WHERE name <> 'set-aside' AND state = 'active') AS running,
  count(*) FILTER (WHERE name = 'set-aside' AND state < 'active') AS "setAside"
FROM rowonce_queue.job WHERE data ->> 'batch' = ?`;

export const readListed = ({ db }: Context) => ({
  /** Undefined where no queue hands out ranges. */
  async rangeCounts(batch: BatchId): Promise<RangeCounts | undefined> {
    if (db.name !== 'postgres') return undefined;
    const laidOut = `SELECT 1 AS found FROM pg_tables WHERE schemaname = 'rowonce_queue' AND tablename = 'job'`;
    if ((await db.rows(laidOut)).length === 0) return undefined;
    return (await db.rows<RangeCounts>(COUNTS, [batch]))[0];
  },
});
