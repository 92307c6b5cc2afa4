import type { Context, Writing } from './context.ts';
import { eachWhole } from './db.ts';
import type {
  BatchId,
  ListedRow,
  ListedRows,
  ListedRowsReader,
  RangeCounts,
  RangeLeft,
  WorkOrder,
} from './ledger.ts';

/** The rows of lists with their cells, for processes without the files, and by what they are worked on. */

const LISTED = { batch: 'text', row: 'int', input: 'int', cells: 'text' } as const;

const KEEP = [
  eachWhole(LISTED)(`
INSERT INTO rows (batch, row, state, input) SELECT v.batch, v.row, 'pending', v.input FROM v WHERE 1 = 1 ON CONFLICT DO NOTHING`),
  // What has ended needs none.
  eachWhole(LISTED)(`
INSERT INTO cells (batch, row, cells) SELECT v.batch, v.row, v.cells FROM v
  JOIN rows r ON r.batch = v.batch AND r.row = v.row AND r.state IN ('pending', 'in_doubt')
  JOIN batches b ON b.id = v.batch AND b.state IN ('open', 'finished') WHERE 1 = 1
ON CONFLICT DO NOTHING`),
];

/** What of a list is left; the rows in doubt are, where a person asks for a batch. */
const LEFT = `
SELECT a.identity AS "accountIdentity", 2 + (r.row - 2) / CAST(? AS {int}) * CAST(? AS {int}) AS "fromRow", count(*) AS "left"
FROM batches b JOIN accounts a ON a.id = b.account JOIN rows r ON r.batch = b.id AND r.state IN (STATES)
WHERE b.id = ? GROUP BY 1, 2 ORDER BY 2`;

export const listedRows = (context: Writing): ListedRows => ({
  keepListed: (batch, rows) =>
    context.transaction(async (sql) => {
      const records = rows.map(({ row, input, ...rest }) => {
        return { batch, row, input, cells: JSON.stringify('cells' in rest ? rest.cells : rest.unreadable) };
      });
      for (const statement of KEEP) await sql.each(statement, records);
    }),
  async tasksOf(batch, fromRow, beforeRow) {
    const found = await context.db.rows<{ row: number; input: number; cells: string }>(
      `SELECT c.row, r.input, c.cells FROM cells c JOIN rows r ON r.batch = c.batch AND r.row = c.row AND r.state IN ('pending', 'in_doubt')
        WHERE c.batch = ? AND c.row >= ? AND c.row < ? ORDER BY c.row`,
      [batch, fromRow, beforeRow],
    );
    return found.map(({ row, input, cells }): ListedRow => {
      const kept = JSON.parse(cells);
      return typeof kept === 'string' ? { row, input, unreadable: kept } : { row, input, cells: kept };
    });
  },
  keepOrder: (batch, order) =>
    context.transaction(async (sql) => {
      const [former] = await sql.rows<{ work_order: string | null }>(WORK_ORDER, [batch]);
      const rangeRows = orderFrom(former)?.rangeRows ?? order.rangeRows;
      const kept = JSON.stringify({ ...order, rangeRows });
      await sql.rows('UPDATE batches SET work_order = ? WHERE id = ?', [kept, batch]);
    }),
  workOrder: async (batch) =>
    orderFrom((await context.db.rows<{ work_order: string | null }>(WORK_ORDER, [batch]))[0]),
  async rangesLeft(only) {
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

export const readListed = ({ db }: Context): ListedRowsReader => ({
  async rangeCounts(batch) {
    if (db.name !== 'postgres') return undefined;
    const laidOut = `SELECT 1 AS found FROM pg_tables WHERE schemaname = 'rowonce_queue' AND tablename = 'job'`;
    if ((await db.rows(laidOut)).length === 0) return undefined;
    return (await db.rows<RangeCounts>(COUNTS, [batch]))[0];
  },
});
