import { type StopError, stop } from '../core/errors.ts';
import { counted } from '../core/plain-text.ts';
import { formatDuration } from '../lib/duration.ts';
import type { AccountCaps, BatchId } from './records.ts';

/**
 * Workers are the processes that spend from one ledger; only stores with `manySpend` have several. Once a second each says that it is there.
 * What they tell each other stands in the ledger: why an account was stopped, until when it waits, and which batches a person has paused.
 */

/** A request that has not left by then, from before its intent was asked for, never leaves. */
export const SENT_WITHIN_MS = 5_000;

/** What is beyond `SENT_WITHIN_MS` and the deadline of an attempt until everybody takes it for over. */
export const OVER_AFTER_MS = 5_000;

/** The deadline of an intent that names none. */
export const DEADLINE_MS = 60_000;

/** So many requests in any stretch of that length. */
export interface SharedWindow {
  readonly requests: number;
  readonly windowMs: number;
}

/** What an account may do: its limits, and its budgets of a day and a month. They are the same for all workers of a ledger. */
export interface AccountTerms {
  readonly windows: readonly SharedWindow[];
  readonly caps: AccountCaps;
}

export function termsWords({ windows, caps: { perDay, perMonth } }: AccountTerms): string {
  const limits = windows.map(
    ({ requests, windowMs }) => `${counted(requests, 'request')} in ${formatDuration(windowMs)}`,
  );
  const budgets = [
    ...(perDay === undefined ? [] : [`${counted(perDay, 'credit')} a day`]),
    ...(perMonth === undefined ? [] : [`${counted(perMonth, 'credit')} a month`]),
  ];
  return [
    ...(limits.length === 0 ? ['no limit'] : limits),
    ...(budgets.length === 0 ? ['no budget'] : budgets),
  ].join(' and ');
}

/** A process that spends, a worker or a run, as it has last said of itself. */
export interface WorkerView {
  readonly host: string;
  readonly pid: number;
  /** What was typed. */
  readonly command: string;
  /** How long ago it began. */
  readonly sinceMs: number;
  /** How long ago it said so last; absent when it has not yet. */
  readonly beatAgoMs?: number;
  readonly accounts: readonly WorkerAccount[];
}

export interface WorkerAccount {
  /** Its identity; where it is shown, the name by which the newest batch knows it. */
  readonly account: string;
  readonly inFlight: number;
}

/** A request that stands in the line of its account. */
export interface Turn {
  /**
   * Resolves when it may leave, which it then does at once, or at `latestMs`, monotonic. Where its time was missed meanwhile it gets
   * another place.
   */
  untilDue(latestMs: number): Promise<void>;
  /** Whether it may leave in this very turn of the event loop. */
  mayLeave(): boolean;
  left(): void;
  answered(): void;
  /** Says nothing of a request that has left. */
  giveBack(): void;
}

/** The line in which all workers that share an account stand: `limits.ts`. */
export interface AccountLine {
  /** Resolves when a place was taken, which is some time before it is due. @throws StopError `store` when the database does not answer. */
  turn(): Promise<Turn>;
  /** How long there is no place as far as it is known. */
  readonly waitMs: number;
  /** The vendor saw requests closer together than their places are. @returns false when no margin helps any more. */
  widen(): boolean;
  close(): void;
}

/** An account as its file says it. */
export interface SaidAccount {
  readonly identity: string;
  readonly name: string;
  readonly limits: { readonly windows: readonly SharedWindow[] };
  readonly budget: AccountCaps;
}

/** What only processes do that spend from one ledger at once. */
export interface Spenders {
  /** Says that this worker is there, and with which accounts. @throws StopError `store_lost`; `store` when the database does not answer. */
  beat(accounts: readonly WorkerAccount[]): Promise<void>;
  /** Of an account that was agreed on, whose plan has one window or more. */
  line(identity: string, windows: readonly SharedWindow[]): Promise<AccountLine>;
  /** What the first worker said holds for all hosts. @throws StopError `account` when the accounts file here says something else. */
  agreeOn(account: SaidAccount): Promise<void>;
  /**
   * Has the accounts file here hold for all hosts.
   * @returns what held before, if a worker used the account. @throws StopError `busy` while one sends by other limits.
   */
  holdTo(account: SaidAccount): Promise<AccountTerms | undefined>;
}

/** What any process may read beside them: who has the ledger open to spend. Only in stores from which many spend. */
export interface SpendersReader {
  workers?(): Promise<readonly WorkerView[]>;
}

/** The stop of a run whose batch was ended by another worker, as it is heard by a beat or with the first intent that is refused. */
export function batchOver(batch: BatchId): StopError {
  return stop(
    'input',
    `Batch ${batch} has ended: another run began a batch over a changed version of its list.`,
    'Run the same command again to work on the list as it is now.',
  );
}
