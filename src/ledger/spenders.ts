import { type StopDetail, type StopError, stop } from '../core/errors.ts';
import { counted } from '../core/plain-text.ts';
import { formatDuration } from '../lib/duration.ts';
import type { AccountCaps, AccountState, BatchId } from './records.ts';

/**
 * What workers, the processes that spend from one ledger, tell each other: once a second each says by one statement how it stands with
 * all its accounts, and hears what the others said. Only stores with `manySpend` have it. All times are durations, because the
 * clocks of hosts differ.
 */

/** How often a worker beats. */
export const BEAT_EVERY_MS = 1_000;

/** Who has not beaten for so long is not at work. */
export const THERE_MS = 4_000;

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

/** What an account may do: its limits, and its budgets of a day and a month. It is one for all workers of a ledger. */
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

export interface NamedAccount {
  readonly identity: string;
  readonly name: string;
}

/** What a worker says of itself. An account that it names no more is left, as by `isLeaving` with nothing known of its sends. */
export interface Beat {
  readonly accounts: readonly AccountSaid[];
}

export interface AccountSaid {
  readonly account: string;
  readonly inFlight: number;
  /** The open batches of it that this worker works on. */
  readonly batches: readonly BatchId[];
  /** What the vendor asked for. It is said once, or as often as one likes: the longest is kept. */
  readonly pause?: SaidPause;
  /** Why nobody may ask with this account any more: `key`, `vendor_credits`, or an address that gives 404 alone. It is said once. */
  readonly end?: AccountEnd;
  /** Nothing is sent by it any more. */
  readonly isLeaving?: true;
}

export interface SaidPause {
  /** How long from now. */
  readonly leftMs: number;
  readonly why: string;
  readonly asked: boolean;
}

export type AccountEnd = Pick<StopDetail, 'code' | 'message' | 'next'>;

export interface Heard {
  /** Its number in this ledger, which no other worker ever has. */
  readonly worker: number;
  readonly accounts: readonly AccountHeard[];
}

export interface AccountHeard {
  readonly account: string;
  /** A pause that lasts, whoever told of it. */
  readonly pause?: SaidPause;
  /** Told by any worker, and not taken back by `goOn` since. */
  readonly end?: AccountEnd;
  /** Those of its batches that a person has paused. */
  readonly held: readonly BatchId[];
  /** Those of its batches that are superseded or cancelled: nothing is admitted for them. */
  readonly over: readonly BatchId[];
  /** What is known of its answers, by those of all workers: as `account` says it. */
  readonly known: Pick<AccountState, 'answers' | 'answersNot404' | 'found' | 'misses'>;
}

export interface Worker {
  readonly worker: number;
  readonly host: string;
  readonly pid: number;
  readonly command: string;
  /** How long ago it opened the ledger, and beat last. Without a beat it has said nothing yet. */
  readonly sinceMs: number;
  readonly beatAgoMs?: number;
  readonly accounts: readonly WorkerAccount[];
}

export interface WorkerAccount {
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
  /**
   * Resolves when a place was taken, which is some time before it is due.
   * @throws StopError `account` while others are at work by another limit; `store` when the database does not answer.
   */
  turn(): Promise<Turn>;
  /** How long there is no place as far as it is known. */
  readonly waitMs: number;
  /** The vendor saw requests closer together than their places are. @returns false when no margin helps any more. */
  widen(): boolean;
  close(): void;
}

/** What any process may read beside them. */
export interface SpendersReader {
  /** Who has the ledger open to spend and has beaten lately, or has not begun to. Only in stores from which many spend. */
  workers?(): Promise<readonly Worker[]>;
}

export interface Spenders {
  /**
   * Says how this worker stands, and hears of the others. Where several are under way, an answer to one that began before another that
   * was answered counts for nothing: whoever asked goes by the later one.
   * @throws StopError `store_lost` when the database does not know what it had acknowledged; `store` when it does not answer.
   */
  beat(said: Beat): Promise<Heard>;
  /** Of an account whose plan has one window or more. */
  line(account: string, windows: readonly SharedWindow[]): Promise<AccountLine>;
  /** A person began anew with an account: an end that was told before counts no more. */
  goOn(account: string): Promise<void>;
  /** What the first worker said holds for all. @throws StopError `account` when something else was said here. */
  agreeOn(account: NamedAccount, said: AccountTerms): Promise<void>;
  /** @returns what held before, if a worker used the account. @throws StopError `busy` while one sends otherwise. */
  holdTo(account: NamedAccount, said: AccountTerms): Promise<AccountTerms | undefined>;
}

/** The stop of a run whose batch was ended by another worker, as it is heard by a beat or with the first intent that is refused. */
export function batchOver(batch: BatchId): StopError {
  return stop(
    'input',
    `Batch ${batch} has ended: another run began a batch over a changed version of its list.`,
    'Run the same command again to work on the list as it is now.',
  );
}
