import type { RowNumber } from '../../core/row.ts';
import type { AttemptsAbout, SentPart } from './call-records.ts';
import type { SavedPart } from './finished-rows.ts';
import type { LoggedOf, LoggedPart, SpentPart } from './log-records.ts';
import type { BatchId } from './records.ts';

/** What is shown of many calls at once. What any process may read beside a running spender. */
export interface ReportsReader {
  /**
   * Attempts, oldest first, of calls that have one of these texts as a value in their question or in what they change. It
   * looks through the `most` calls after the one numbered `after`, in the order of their first attempts; `next` is where
   * the search goes on, and is absent at its end.
   */
  attemptsAbout(values: readonly string[], after: number, most: number): Promise<AttemptsAbout>;
  /**
   * Attempts, newest first. It looks through the `most` attempts before the one numbered `before`, or through the newest ones;
   * `next` is where the log goes on, and is absent at its end.
   */
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
