import type { BatchId } from './ids.ts';
import type { OutcomeKind, RowNumber } from './row.ts';
import type { StopCode } from './stops.ts';

/**
 * The events of a run, for the code that shows them. They have no personal data: rows are named by number.
 */
export type RunEvent =
  | {
      readonly kind: 'batch';
      readonly batch: BatchId;
      /** The rows of the file. */
      readonly rows: number;
      /** The rows that a plan has added, which are settled as well. */
      readonly rowsBeyond?: number;
      /** Whether the batch changes the service, and finds nothing. */
      readonly isChange?: true;
      /** Rows that have a final outcome from earlier runs. */
      readonly settled: number;
      /** Rows that earlier runs have left in doubt. */
      readonly inDoubt: number;
      readonly resumed: boolean;
    }
  /** `ended`: an account that takes no more calls in this run, while others go on. */
  | { readonly kind: 'note'; readonly message: string; readonly ended?: EndedAccount }
  | ({ readonly kind: 'sent' } & CallEventPart)
  /** The result of a request that was sent is on the disk. */
  | ({ readonly kind: 'closed' } & CallEventPart)
  | ({ readonly kind: 'answered'; readonly found: boolean; readonly credits: number } & CallEventPart)
  | ({ readonly kind: 'in_doubt'; readonly credits: number } & CallEventPart)
  | {
      readonly kind: 'paused';
      readonly untilMs: number;
      readonly why: string;
      readonly asked: boolean;
      /** When it is over one request asks whether the vendor's limit is over too. */
      readonly isProbed?: true;
    }
  | { readonly kind: 'row'; readonly row: RowNumber; readonly outcome: OutcomeKind }
  /** Nothing is left but to wait for what vendors answer later. `calls` is 0 when that is over. */
  | {
      readonly kind: 'waiting';
      readonly calls: number;
      readonly accounts: readonly string[];
      /** The end of the wait where nothing is answered; left out: there is none. */
      readonly untilMs?: number;
    }
  | { readonly kind: 'stopping'; readonly inFlight: number }
  | { readonly kind: 'writing' };

export interface EndedAccount {
  readonly account: string;
  readonly code: StopCode;
}

/** The call of an event, and the row for which it was asked first. Other rows that ask the same share it. */
export interface CallEventPart {
  readonly row: RowNumber;
  /** The call's key: a hash that all events of one call share. */
  readonly call: string;
}

/** Writes a line of a service's log. @param more the facts that a program reads beside the message. */
export type Log = (level: 'info' | 'warn', message: string, more?: object) => void;

export type Listener = (event: RunEvent) => void;
