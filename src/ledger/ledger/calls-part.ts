import type { CallKey } from '../../core/call-key.ts';
import type { SubjectFacts } from '../../core/membership.ts';
import type { RowNumber } from '../../core/row.ts';
import type {
  Admission,
  AttemptRecord,
  CallState,
  Closure,
  DecisionSpec,
  Detail,
  Doubt,
  Intent,
  Look,
  OpenAttempt,
  RawReply,
  Reading,
} from './call-records.ts';
import type { AttemptId, BatchId, DecisionId } from './records.ts';

/** Calls, their attempts, and what became of each. What any process may read beside a running spender. */
export interface CallsReader {
  /** The states of calls, in the order of the keys and `whole` where nothing else is asked for; decisions are those of `batch`. */
  find<Level extends Detail = 'whole'>(
    keys: readonly CallKey[],
    options?: { readonly detail?: Level; readonly batch?: BatchId | undefined },
  ): Promise<readonly CallState<Level>[]>;
  /** Calls in doubt that rows of this batch wait for; `withSkipped`: or for which they were to wait no longer. */
  doubts(batch: BatchId, options?: { readonly withSkipped: boolean }): Promise<readonly Doubt[]>;
  /** Every attempt of the calls that this row used, oldest first. */
  history(batch: BatchId, row: RowNumber): Promise<readonly AttemptRecord[]>;
  /** The attempts with these numbers, in the order of the numbers. */
  attempts(ids: readonly AttemptId[]): Promise<readonly AttemptRecord[]>;
  /** When the last attempt to buy this answer again got lost; undefined when none did. */
  lostRefresh(answer: AttemptId): Promise<number | undefined>;
}

/** What only the one spender writes of them. */
export interface Calls extends CallsReader {
  /**
   * Checks the budget and writes the intent in one transaction. It reserves at least the highest price that was seen.
   * For a change it also checks that the subject is still as it was planned, and that no other change of it is open or
   * in doubt. The database itself refuses, and this throws because it is a bug of ours: a second open attempt of a
   * call, an attempt of a call that is answered, one of a call in doubt without a decision, one above a cap, and one
   * that replaces an answer which is fresh enough for its batch and was not read as none. An attempt that repeats a lost one under its
   * idempotency key reserves nothing: the lost one still holds the money for both.
   */
  admit(intent: Intent): Promise<Admission>;
  /** Keeps the raw reply, before it is judged. */
  record(attempt: AttemptId, reply: RawReply): Promise<void>;
  /**
   * Ends the attempt, moves its money, and makes it the call's answer or doubt. It always commits. An answer under an
   * idempotency key also releases what the lost attempts with the same key hold: the vendor charged once at most, and
   * the cost is booked where the first of them had risked it, so that a repeat exceeds no cap. Every settled change
   * advances its subject's sequence number by one. A lost attempt leaves the answer that it was to replace in place, but one
   * that was read as none: then its call is in doubt, and a release brings back what it was. Purchases that are closed until the next commit may be closed all of them or
   * none: those that stay open have their reply, and the next run judges it.
   * @param left how a change left its subject; without it the subject is as it was before.
   */
  closeAttempt(attempt: AttemptId, closure: Closure, atMs: number, left?: SubjectFacts): Promise<void>;
  /**
   * Adds what a settled answer means by another dialect. Later calls use it, and finished rows stay as they are. If it
   * costs more than it was booked at, the difference is spent in the same budgets. If it is none, its call is `unanswered`
   * and may be bought again in its place. The database refuses answers that a person told, and answers to changes.
   */
  addReading(reading: Reading): Promise<void>;
  /** Attempts of all accounts that were open when the store was opened and still are. */
  openAttempts(): Promise<readonly OpenAttempt[]>;
  /** Keeps what the vendor said about a call in doubt. */
  recordLook(look: Look): Promise<void>;
  /**
   * Ends the doubt of a call that was not charged: its money is free again, and the call may be bought like any other.
   * The database refuses it unless a look at that attempt said `not_happened`.
   */
  release(attempt: AttemptId, why: string, atMs: number): Promise<void>;
  /**
   * Records a decision about a call in doubt. `told` settles the call at once: `reply` becomes its answer and the money
   * at risk counts as spent. A person decides so, or the vendor's own read-back (`rule`). A change advances its subject
   * as in `closeAttempt`.
   */
  decide(decision: DecisionSpec, told?: RawReply, left?: SubjectFacts): Promise<DecisionId>;
}
