import type { BatchId } from './ids.ts';
import type { OutcomeKind, RowNumber } from './row.ts';

/**
 * What happens during a run, for the code that shows it. It has no personal data: rows are named by number.
 */
export type RunEvent =
  | {
      readonly kind: 'batch';
      readonly batch: BatchId;
      /** Those of the file. */
      readonly rows: number;
      /** Those that a plan has added, which are settled as well. */
      readonly rowsBeyond?: number;
      /** It changes the service, and finds nothing. */
      readonly isChange?: true;
      /** Rows that have a final outcome from earlier runs. */
      readonly settled: number;
      /** Rows that earlier runs have left in doubt. */
      readonly inDoubt: number;
      readonly resumed: boolean;
      /** Credits that the batch may still spend, at most; left out where it has no budget. */
      readonly budgetLeft?: number;
    }
  | { readonly kind: 'note'; readonly message: string }
  | ({ readonly kind: 'sent' } & CallEventPart)
  /** What came of a request that was sent is on the disk. */
  | ({ readonly kind: 'closed' } & CallEventPart)
  | ({ readonly kind: 'answered'; readonly found: boolean; readonly credits: number } & CallEventPart)
  | ({ readonly kind: 'in_doubt'; readonly credits: number } & CallEventPart)
  | { readonly kind: 'paused'; readonly untilMs: number; readonly why: string; readonly asked: boolean }
  /** What the vendor was found to allow, on average. */
  | { readonly kind: 'learned'; readonly requestsPerSecond: number }
  /** What the vendor said when it was asked about a call in doubt. */
  | { readonly kind: 'looked'; readonly said: 'happened' | 'not_happened' | 'unclear' }
  | { readonly kind: 'row'; readonly row: RowNumber; readonly outcome: OutcomeKind }
  | { readonly kind: 'stopping'; readonly inFlight: number }
  | { readonly kind: 'writing' };

/**
 * Which call an event is about, and the row for which it was asked first. Other rows that ask the same share
 * it.
 */
export interface CallEventPart {
  readonly row: RowNumber;
  /** The call's key: a hash, by which the events of one call are known. */
  readonly call: string;
}

/** Writes a line of a service's log. @param more what a program reads beside the message. */
export type Log = (level: 'info' | 'warn', message: string, more?: object) => void;

export type Listener = (event: RunEvent) => void;
