import type { JsonObject } from '../../core/operation.ts';
import type { RowNumber } from '../../core/row.ts';
import type { BatchId, RowLeft, SubmittedRow } from './records.ts';

/** How many ranges of a batch wait, are worked on, and were set aside. */
export interface RangeCounts {
  readonly waiting: number;
  readonly running: number;
  readonly setAside: number;
}

export interface ListedRowsReader {
  /** Undefined where no queue hands out ranges. Only in stores from which many spend. */
  rangeCounts?(batch: BatchId): Promise<RangeCounts | undefined>;
}

/** The rows of lists. They are worked on as they are here, by whatever process: nobody reads the list for it again. */
export interface ListedRows {
  /**
   * Keeps rows of a batch's list, all of them or none. One that is there stays as it is, so that a submit that was cut off is repeated.
   * Cells are kept of rows without a final outcome.
   */
  submitRows(batch: BatchId, rows: readonly SubmittedRow[]): Promise<void>;
  /** The last row of the batch that is there; 0 where none is. */
  lastSubmitted(batch: BatchId): Promise<RowNumber>;
  /**
   * Rows from `fromRow` on, and before `beforeRow`, that have no final outcome, in order, at most `limit`. The transaction that gives a
   * row its final outcome erases its cells; those of a row in doubt stay until its batch is superseded or cancelled.
   */
  rowsLeft(
    batch: BatchId,
    fromRow: RowNumber,
    beforeRow: RowNumber,
    limit: number,
  ): Promise<readonly RowLeft[]>;
  /** Keeps by what the batch is worked on. Of a former one the ranges stay. */
  keepOrder(batch: BatchId, order: WorkOrder): Promise<void>;
  workOrder(batch: BatchId): Promise<WorkOrder | undefined>;
  /**
   * The ranges that have rows which nobody has looked at yet, in batches that may go on, in the order of their rows.
   * @param batch of that one alone, and those with rows in doubt as well.
   */
  rangesLeft(batch?: BatchId): Promise<readonly RangeLeft[]>;
}

/** What a process works by that has neither the job file nor the dialect file of a batch. No key is in it. */
export interface WorkOrder {
  readonly job: JsonObject;
  readonly dialect: JsonObject;
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
