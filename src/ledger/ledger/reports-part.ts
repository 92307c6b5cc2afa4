import type { RowNumber } from '../../core/row.ts';
import type { AttemptRecord, AttemptsAbout, SentPart } from './call-records.ts';
import type { SavedPart } from './finished-rows.ts';
import type { BatchId, Credits } from './records.ts';

/** What is shown of many calls at once. What any process may read beside a running spender. */
export interface ReportsReader {
  /**
   * Attempts, oldest first, of calls that have one of these texts as a value in their question or in what they change. It
   * looks through the `most` calls after the one numbered `after`, in the order of their first attempts; `next` is where
   * the search goes on, and is absent at its end.
   */
  attemptsAbout(values: readonly string[], after: number, most: number): Promise<AttemptsAbout>;
  /** Newest first, of the `most` attempts before number `before`, or of the newest; `next` is absent at the end. */
  logged(of: LoggedOf, before: number | undefined, most: number): Promise<LoggedPart>;
  /**
   * What attempts dated from `fromMs` on and before `untilMs` have cost by now. It looks through the `most` attempts after the
   * one numbered `after`; the parts of several reads add up. `next` is absent at the end.
   */
  spentBetween(fromMs: number, untilMs: number, after: number, most: number): Promise<SpentPart>;
  /**
   * What the answers of rows would have cost if every row had bought its own, without what they did cost: of at most
   * `most` rows with a number of at least `fromRow`. `next` is the row to go on with, and is absent at the end.
   */
  saved(batch: BatchId, fromRow: RowNumber, most: number): Promise<SavedPart>;
  /** The batch's attempts that left and have ended, of `rows` rows from `fromRow` on. `next` is absent at the end. */
  sent(batch: BatchId, fromRow: RowNumber, rows: number): Promise<SentPart>;
}

/** Of which attempts a log tells: those of one batch, or of all; with `changes` only those that altered the service. */
export interface LoggedOf {
  readonly batch?: BatchId | undefined;
  readonly changes?: boolean | undefined;
}

export interface LoggedPart {
  readonly attempts: readonly AttemptRecord[];
  readonly next?: number;
}

/** What a part of the attempts cost, added up by batch, day and the act by which they were made. */
export interface SpentPart {
  readonly parts: readonly Spent[];
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
