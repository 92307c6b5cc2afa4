import type { Outcome, OutcomeKind, RowNumber } from '../../core/row.ts';
import type { AnswerRecord } from './call-records.ts';
import type { AttemptId, BatchId, Credits } from './records.ts';

/** A row's checkpoint. `answers` are the attempts whose answers led to the outcome, in the order of asking. */
export interface FinishedRow {
  readonly batch: BatchId;
  readonly row: RowNumber;
  readonly outcome: Outcome;
  readonly answers: readonly AttemptId[];
  /** The call of another row, of the same person, that it waits for. */
  readonly waitsFor?: AttemptId | undefined;
  /** A hash of 48 bits over the cells that the row was finished from; absent for a row that is not in the file. */
  readonly input?: number | undefined;
}

/** A row that has a final outcome, with the hash of its cells if that was kept. */
export type FinishedInput = Pick<FinishedRow, 'row' | 'input'>;

export type RowPlace = Pick<FinishedRow, 'batch' | 'row'>;

export interface WaitingRow {
  readonly row: RowNumber;
  readonly reason: string;
}

export interface RowKind {
  readonly row: RowNumber;
  readonly kind: OutcomeKind;
}

export type RowAnswer = Pick<
  AnswerRecord,
  'attempt' | 'batch' | 'kind' | 'why' | 'call' | 'charged' | 'answeredAtMs' | 'paidRow' | 'body'
>;

export interface RowRecord {
  readonly row: RowNumber;
  readonly outcome: Outcome;
  readonly answers: readonly RowAnswer[];
  readonly input?: number;
}

export interface SavedPart {
  readonly credits: Credits;
  readonly next?: RowNumber;
}
