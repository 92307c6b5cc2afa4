import type { CallKey } from '../../core/call-key.ts';
import type { RowNumber } from '../../core/row.ts';
import type { Appending } from './call-entries.ts';
import type { AttemptRecord, CallState, Detail, Doubt, KnownSubject, OpenAttempt } from './call-records.ts';
import type { AttemptId, BatchId } from './records.ts';

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

export interface Calls extends CallsReader, Appending {
  /**
   * Attempts of all accounts for which nobody waits any more. Where one process spends, its lock says which: those that were
   * open when the store was opened, and still are. Where many spend, their age says it: those that are older than
   * `SENT_WITHIN_MS`, their deadline and `OVER_AFTER_MS` together; and those of workers that have closed the ledger. What this
   * process has under way is not among them, and an attempt of its own of which it never heard that it was admitted, because a
   * connection broke, has ended as not sent.
   */
  openAttempts(): Promise<readonly OpenAttempt[]>;
}

/** What changes altered. A store may lack this part: then no operation that changes something runs on it. What any process may read beside a running spender. */
export interface SubjectsReader {
  /** Every person and thing that the account's changes altered or tried to, those with lost answers among them. */
  subjects(accountIdentity: string): Promise<readonly KnownSubject[]>;
}
