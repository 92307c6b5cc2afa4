import type { OutcomeKind, RowNumber } from '../../core/row.ts';
import type {
  FinishedInput,
  FinishedRow,
  RowKind,
  RowPlace,
  RowRecord,
  WaitingRow,
} from './finished-rows.ts';
import type {
  Act,
  AttemptId,
  Batch,
  BatchChange,
  BatchId,
  BatchLine,
  BatchSpec,
  BatchStart,
  FreshSince,
  Money,
  PlannedRow,
} from './records.ts';

/** Batches with their rows, their plans and the pauses that a person asked for. What any process may read beside a running spender. */
export interface BatchesReader {
  /** All batches, newest first. */
  batches(): Promise<readonly Batch[]>;
  /** The same with no more than chooses among thousands of them: what is shown of one is read with the batch itself. */
  batchLines(): Promise<readonly BatchLine[]>;
  batch(id: BatchId): Promise<Batch | undefined>;
  /** The batch of that key, open or finished, of the newest generation. */
  batchByKey(key: string): Promise<Batch | undefined>;
  /** Money of the batch; with `extra` only that of its retries of calls in doubt, the cap of which is the extra credits. */
  batchMoney(batch: BatchId, scope?: 'batch' | 'extra'): Promise<Money>;
  /** Number of rows by outcome; rows without an outcome are not counted. */
  counts(batch: BatchId): Promise<Readonly<Partial<Record<OutcomeKind, number>>>>;
  /** How many attempts of the batch were sent, and how many distinct calls it settled. */
  metrics(batch: BatchId): Promise<{ readonly requests: number; readonly calls: number }>;
  /** Number of the batch's attempts that are not closed: their run is still at work, or ended in the middle. */
  openRequests(batch: BatchId): Promise<number>;
  /** Rows with a number of at least `fromRow`, in order, at most `limit`. */
  rows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly RowRecord[]>;
  /** Rows from `fromRow` on that have a final outcome, which is every outcome but `in_doubt`; in order, at most `limit`. */
  finishedRows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly FinishedInput[]>;
  /** How the rows from `fromRow` on, and before `beforeRow`, ended; in order, without their answers, which take time. */
  rowKinds(batch: BatchId, fromRow: RowNumber, beforeRow: RowNumber): Promise<readonly RowKind[]>;
  /**
   * Rows as `rows` gives them, but only those that have a vendor's answer which another dialect than this one read last, or which
   * turned out to be none. Answers that a person told are not among them.
   */
  rowsReadOtherwise(
    batch: BatchId,
    dialect: number,
    fromRow: RowNumber,
    limit: number,
  ): Promise<readonly RowRecord[]>;
  /** The rows of any batch that wait for what becomes of this call. */
  rowsRestingOn(call: AttemptId): Promise<readonly RowPlace[]>;
  /** Rows in doubt about which there is nothing to decide here: they wait for another row, or for their next run. In order, at most `limit`. */
  rowsWaiting(batch: BatchId, limit: number): Promise<readonly WaitingRow[]>;
  /** The rows in doubt that wait for a call whose answer turned out to be none, in order. */
  rowsUnanswered(batch: BatchId): Promise<readonly RowNumber[]>;
  /**
   * Whether a row of the batch was finished by an answer that is older than that, whether or not a younger one exists by
   * now. An answer does not count when a later attempt to buy it again got lost, and one that was read as none only where
   * it is older than both times.
   */
  hasOlderThan(batch: BatchId, freshSince: FreshSince): Promise<boolean>;
  /** Planned rows of a batch of changes with a number of at least `fromRow`, in order, at most `limit`. */
  plannedRows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly PlannedRow[]>;
  /** Since when a person has paused the batch, ms since 1970; undefined when it may go on. */
  heldSince(batch: BatchId): Promise<number | undefined>;
  /** Who worked on the batch, oldest first. Nobody is known of what was done before ledgers kept this. */
  acts(batch: BatchId): Promise<readonly Act[]>;
  /** The erasures, oldest first, each by whom it was ordered; one from before ledgers kept this is not among them. */
  erasures(): Promise<readonly Act[]>;
}

export interface Batches extends BatchesReader {
  /**
   * Resumes the open batch of this key, returns the finished one, or makes a new one and supersedes its lineage.
   * @param renew makes a new generation instead of returning the finished batch.
   * @param plan of a batch of changes is kept in the same transaction when a new batch is made, and ignored otherwise.
   */
  beginBatch(spec: BatchSpec, renew?: boolean, plan?: readonly PlannedRow[]): Promise<BatchStart>;
  changeBatch(batch: BatchId, change: BatchChange): Promise<void>;
  /** Keeps that a person pauses a batch, or resumes it. What is so already is not noted again. */
  noteHold(batch: BatchId, held: boolean, atMs: number): Promise<void>;
  /**
   * Finishes rows, all of them or none, and maybe with others that are finished until the next commit. A final outcome never
   * changes: the database refuses to finish such a row otherwise than it is.
   */
  finishRows(rows: readonly FinishedRow[]): Promise<void>;
}
