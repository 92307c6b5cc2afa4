import type { Ledger, ListedRow, ListedRows, RangeCounts, RangeLeft, WorkOrder } from '../../ledger.ts';
import { COUNTS, hasQueue } from './queue.ts';
import { json, type Session } from './session.ts';

/** The rows of lists, kept for processes that do not have the files, and by what they are worked on. */

export const listed = ({ database }: Session) =>
  ({
    listed: listedRows(database),
    async rangeCounts(batch) {
      return (await hasQueue(database)) ? database.row<RangeCounts>(COUNTS, [batch]) : undefined;
    },
  }) satisfies Partial<Ledger>;

interface Kept {
  readonly row: number;
  readonly input: number;
  readonly cells: Readonly<Record<string, string>> | string;
}

const listedRows = (database: Session['database']): ListedRows => ({
  async keepListed(batch, rows) {
    const values = [
      ...[batch, rows.map(({ row }) => row), rows.map(({ input }) => input)],
      rows.map((each) => json('cells' in each ? each.cells : each.unreadable)),
    ];
    await database.write(async (sql) => {
      await sql.rows(KEEP, values);
      // A statement of its own, because the first may have waited for one that finished a row, and does not see what that wrote.
      await sql.rows(ERASE, [batch, values[1]]);
    });
  },
  async tasksOf(batch, fromRow, beforeRow) {
    const found = await database.rows<Kept>(TASKS, [batch, fromRow, beforeRow]);
    return found.map(
      ({ row, input, cells }): ListedRow =>
        typeof cells === 'string' ? { row, input, unreadable: cells } : { row, input, cells },
    );
  },
  async keepOrder(batch, { job, dialect, rangeRows }) {
    await database.rows(ORDER, [batch, json(job), json(dialect), rangeRows]);
  },
  workOrder: (batch) =>
    database.row<WorkOrder>('SELECT job, dialect, range_rows AS "rangeRows" FROM orders WHERE batch = $1', [
      batch,
    ]),
  rangesLeft: (batch) => database.rows<RangeLeft>(LEFT, [batch ?? null]),
});

/** Looked up row by row, and never joined, which would read all rows of the batch for each. */
const IS_FINAL = `coalesce((SELECT r.outcome FROM rows r WHERE r.batch = l.batch AND r.row = l.row), 'in_doubt') <> 'in_doubt'`;

const KEEP = `
INSERT INTO listed (batch, row, input, cells)
  SELECT $1, row, input, cells::json FROM unnest($2::bigint[], $3::bigint[], $4::text[]) u (row, input, cells) ORDER BY row
  ON CONFLICT DO NOTHING`;

const ERASE = `DELETE FROM listed l WHERE l.batch = $1 AND l.row = ANY ($2::bigint[]) AND ${IS_FINAL}`;

const TASKS = `
SELECT l.row, l.input, l.cells FROM listed l
 WHERE l.batch = $1 AND l.row >= $2 AND l.row < $3 AND NOT ${IS_FINAL} ORDER BY l.row`;

const ORDER = `
INSERT INTO orders (batch, job, dialect, range_rows) VALUES ($1, $2, $3, $4)
  ON CONFLICT (batch) DO UPDATE SET job = excluded.job, dialect = excluded.dialect`;

const LEFT = `
SELECT batch, "accountIdentity", from_row AS "fromRow", from_row + range_rows AS "beforeRow", count(*) AS left
  FROM (SELECT l.batch, b.account AS "accountIdentity", o.range_rows, 2 + (l.row - 2) / o.range_rows * o.range_rows AS from_row
          FROM orders o JOIN batches b ON b.id = o.batch AND b.state = 'open' AND b.held_since IS NULL
          JOIN listed l ON l.batch = o.batch LEFT JOIN rows r ON r.batch = l.batch AND r.row = l.row
         WHERE r.row IS NULL AND $1::text IS NULL OR l.batch = $1 AND coalesce(r.outcome, 'in_doubt') = 'in_doubt') found
 GROUP BY 1, 2, 3, 4 ORDER BY 1, 3`;

/** Follows a change of a batch: one that ends for good has no more use for cells. */
export const ERASE_ENDED = `
DELETE FROM listed l USING changed c
 WHERE l.batch = c.id AND c.state <> 'open' AND (c.state <> 'finished' OR ${IS_FINAL})`;
