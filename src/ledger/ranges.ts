import type { JsonObject } from '../core/operation.ts';
import type { RowNumber } from '../core/row.ts';
import type { Context } from './context.ts';
import type { BatchId } from './records.ts';

/**
 * Lists that are given to workers, in ranges of rows. Any process can work on a range from what is kept here,
 * without reading the list again.
 */

/**
 * What a process needs to work on a batch without its job file and its dialect file. There is no key in it.
 */
export interface WorkOrder {
  readonly job: JsonObject;
  readonly dialect: JsonObject;
  /** The dialects of the other accounts of the batch, in their order. Left out: it has one account. */
  readonly further?: readonly JsonObject[];
  readonly rangeRows: number;
}

/** The rows of a batch from `fromRow` on, and before `beforeRow`, that one worker takes at a time. */
export interface BatchRange {
  readonly batch: BatchId;
  readonly fromRow: RowNumber;
  readonly beforeRow: RowNumber;
}

export interface RangeLeft extends BatchRange {
  readonly accountIdentity: string;
  readonly left: number;
}

/** How many ranges of a batch wait, are worked on, and were set aside. */
export interface RangeCounts {
  readonly waiting: number;
  readonly running: number;
  readonly setAside: number;
}

/**
 * The schema of the queue that hands ranges to workers, beside the ledger's schema. pg-boss keeps its jobs
 * there.
 */
export const QUEUE_SCHEMA = 'rowonce_queue';

/** The ranges of a batch that still have rows in these states. */
const leftIn = (states: string): string => `
SELECT a.identity AS "accountIdentity", 2 + (r.row - 2) / CAST(? AS {int}) * CAST(? AS {int}) AS "fromRow",
  count(*) AS "left"
FROM batches b JOIN accounts a ON a.id = b.account JOIN rows r ON r.batch = b.id AND r.state IN (${states})
WHERE b.id = ? GROUP BY 1, 2 ORDER BY 2`;

export const readRanges = ({ db }: Context) => ({
  /**
   * The ranges that have rows which nobody has looked at yet, in batches that may go on, in the order of
   * their rows.
   * @param only of that batch alone, and those with rows in doubt as well.
   */
  async rangesLeft(only?: BatchId): Promise<readonly RangeLeft[]> {
    const orders = await db.rows<{ id: BatchId; work_order: string }>(
      `SELECT id, work_order FROM batches WHERE state = 'open' AND paused_since IS NULL
        AND work_order IS NOT NULL AND id = coalesce(CAST(? AS TEXT), id) ORDER BY id`,
      [only ?? null],
    );
    const sql = leftIn(only === undefined ? `'pending'` : `'pending', 'in_doubt'`);
    const left: RangeLeft[] = [];
    for (const { id: batch, work_order } of orders) {
      const { rangeRows }: WorkOrder = JSON.parse(work_order);
      const found = await db.rows<Omit<RangeLeft, 'batch' | 'beforeRow'>>(sql, [rangeRows, rangeRows, batch]);
      left.push(...found.map((each) => ({ ...each, batch, beforeRow: each.fromRow + rangeRows })));
    }
    return left;
  },
});
