import type { AttemptRecord } from './call-records.ts';
import type { BatchId, Credits } from './records.ts';

/** What is told of many attempts, as the methods of the ledger take and return it. */

/** Of which attempts a log tells: those of one batch, or of all; with `changes` only those that altered the service. */
export interface LoggedOf {
  readonly batch?: BatchId | undefined;
  readonly changes?: boolean | undefined;
}

/** A part of a log. */
export interface LoggedPart {
  readonly attempts: readonly AttemptRecord[];
  /** The number before which the log goes on. */
  readonly next?: number;
}

/** What a part of the attempts cost, added up by batch, day and the act by which they were made. */
export interface SpentPart {
  readonly parts: readonly Spent[];
  /** The number after which it goes on. */
  readonly next?: number;
}

export interface Spent {
  readonly batch: BatchId;
  /** The day on whose budget it is, UTC, in ms since 1970. */
  readonly dayMs: number;
  /** Who was at work; absent where nobody is known. */
  readonly operator?: string;
  readonly spent: Credits;
  /** What lost requests may have cost. */
  readonly inDoubt: Credits;
  readonly requests: number;
}
