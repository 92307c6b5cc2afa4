import type { CallKey } from './call-key.ts';
import type { Position } from './format.ts';
import type { Call, JsonObject, Vendor } from './operation.ts';
import type { Outcome, OutcomeKind, RowNumber } from './row.ts';

/**
 * The contract of the ledger: the durable book of intents and answers. Every store in `stores/` keeps it, and one
 * conformance suite (`test/stores/`) runs over all of them. `docs/adding-a-store.md` says what a new one owes.
 *
 * A promise of a writing method resolves when what was written would survive a loss of power. How many writes share
 * one commit is the store's business: callers write one at a time, many at once, and await.
 */

declare const brand: unique symbol;
type Branded<T, Name> = T & { readonly [brand]: Name };

/** Eight hex digits that a user can type. */
export type BatchId = Branded<string, 'BatchId'>;
/** Grows with every attempt of the store. */
export type AttemptId = Branded<number, 'AttemptId'>;
export type DecisionId = Branded<number, 'DecisionId'>;
/** Whole credits, never negative. */
export type Credits = Branded<number, 'Credits'>;

export const credits = (amount: number): Credits => amount as Credits;

// ---------------------------------------------------------------------------------------------------- batches

export type BatchState = 'open' | 'finished' | 'superseded' | 'cancelled';

export interface BatchSpec {
  /** SHA-256 of account identity, operation, columns, waterfall and the input's bytes: what makes it this batch. */
  readonly key: string;
  /** SHA-256 of account identity, operation and input path: another key of the same lineage supersedes. */
  readonly lineage: string;
  readonly accountIdentity: string;
  readonly accountName: string;
  readonly sandbox: boolean;
  readonly vendor: Vendor;
  readonly operation: string;
  readonly inputPath: string;
  readonly inputSha256: string;
  /** Rows of the input that are not blank. */
  readonly inputRows: number;
  /** What else is needed to write the output again: columns, waterfall, `add`. zod reads it back. */
  readonly settings: JsonObject;
  readonly createdAtMs: number;
}

export interface Batch extends BatchSpec {
  readonly id: BatchId;
  /** 1 for the first batch of its key. */
  readonly generation: number;
  readonly state: BatchState;
  readonly outputPath?: string;
  /** SHA-256 of the output as we last wrote it, to notice that somebody changed it since. */
  readonly outputSha256?: string;
  /** The words that go on with this batch, ready to be typed. */
  readonly command?: string;
}

export interface BatchStart {
  readonly batch: Batch;
  /** `new`, `resumed` (it was open) or `finished` (nothing left but what is in doubt). */
  readonly start: 'new' | 'resumed' | 'finished';
  /** Open batches of the same lineage over other content, which this one ended. */
  readonly superseded: readonly BatchId[];
}

/** What may be changed on a batch at any time, because it is not part of what the batch is. */
export interface BatchChange {
  readonly state?: 'open' | 'finished' | 'cancelled';
  /** `null`: no cap. */
  readonly budget?: Credits | null;
  /** Most credits that retries of calls in doubt may reserve in this batch. */
  readonly extraCredits?: Credits;
  readonly settings?: JsonObject;
  readonly outputPath?: string;
  readonly outputSha256?: string;
  readonly command?: string;
}

// ---------------------------------------------------------------------------------------------------- money

/** What a budget's scope holds. At admission `spent + reserved + inDoubt + the intent's reserve ≤ cap`. */
export interface Money {
  readonly cap?: Credits;
  /** Confirmed by answers. */
  readonly spent: Credits;
  /** Held by open attempts; released when they close. */
  readonly reserved: Credits;
  /** Held by calls in doubt: may have been charged. */
  readonly inDoubt: Credits;
}

/** `extra`: what a batch may spend on sending calls in doubt again. */
export type BudgetScope = 'batch' | 'day' | 'month' | 'extra';

/** Caps of an account, over all its batches. Days and months are UTC. */
export interface AccountCaps {
  readonly perDay?: Credits;
  readonly perMonth?: Credits;
}

export interface AccountState {
  /** Answers of any kind that this account ever gave. */
  readonly answers: number;
  /** Those of them that were not status 404. Zero of many means that the address is wrong. */
  readonly answersNot404: number;
  /** Until when the vendor asked us to wait, ms since 1970. */
  readonly pausedUntilMs?: number;
}

// ---------------------------------------------------------------------------------------------------- calls

/** The durable note that a request is about to leave. */
export interface Intent {
  readonly key: CallKey;
  readonly accountIdentity: string;
  readonly call: Call;
  readonly batch: BatchId;
  /** The row that asked first. */
  readonly row: RowNumber;
  /** The most that the answer may cost. */
  readonly reserve: Credits;
  readonly atMs: number;
  /** The decision that allows a call in doubt to be sent again. */
  readonly decision?: DecisionId;
}

export type Admission =
  | { readonly kind: 'admitted'; readonly attempt: AttemptId }
  | { readonly kind: 'over_budget'; readonly scope: BudgetScope; readonly money: Money };

/** What came back, before anybody looked into it. */
export interface RawReply {
  readonly status: number;
  /** Lower-case names; only those that matter later. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly receivedAtMs: number;
}

export type AnswerKind = 'found' | 'no_match' | 'refused';

/** How an attempt ended. An attempt is closed once. `why` is a clause for the user. */
export type Closure =
  | { readonly kind: 'settled'; readonly answer: AnswerKind; readonly charged: Credits; readonly why: string }
  | { readonly kind: 'not_sent'; readonly why: string }
  /** The vendor said "too fast"; not charged. */
  | { readonly kind: 'paused'; readonly why: string }
  /** The vendor refused the key, the credits or the address; not charged. */
  | { readonly kind: 'stopped'; readonly why: string }
  | { readonly kind: 'in_doubt'; readonly why: string };

export interface AnswerRecord {
  readonly attempt: AttemptId;
  readonly batch: BatchId;
  readonly kind: AnswerKind;
  readonly why: string;
  readonly call: Call;
  readonly charged: Credits;
  readonly status: number;
  readonly body: Buffer;
  readonly answeredAtMs: number;
  /** The lowest row of `batch` that used this answer: the one that counts as having paid. */
  readonly paidRow: RowNumber;
}

export interface Doubt {
  readonly key: CallKey;
  readonly call: Call;
  /** The attempt whose answer was lost, and the batch that made it. */
  readonly attempt: AttemptId;
  readonly batch: BatchId;
  readonly row: RowNumber;
  readonly atRisk: Credits;
  readonly why: string;
  readonly sentAtMs: number;
  /** How often a rule has already sent this call again without an answer. */
  readonly repeats: number;
}

export type CallState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'answered'; readonly answer: AnswerRecord }
  /** `decision`: the asking batch's last decision about it, if any attempt has not used it up. */
  | { readonly kind: 'in_doubt'; readonly doubt: Doubt; readonly decision?: Decision };

/** What is done about a call in doubt. `told`: a person said what happened; the answer is theirs. */
export type DecisionKind = 'repeat' | 'retry' | 'skip' | 'told' | 'hold';

export interface DecisionSpec {
  readonly key: CallKey;
  readonly batch: BatchId;
  readonly kind: DecisionKind;
  /** `rule` (the call is harmless to repeat), `job` (its policy) or `person` (the settle command). */
  readonly by: 'rule' | 'job' | 'person';
  readonly why: string;
  readonly atMs: number;
}

export interface Decision extends DecisionSpec {
  readonly id: DecisionId;
}

/** An attempt with all that is known about it, for `status BATCH ROW`. */
export interface AttemptRecord {
  readonly attempt: AttemptId;
  readonly batch: BatchId;
  readonly row: RowNumber;
  readonly call: Call;
  readonly reserved: Credits;
  readonly intentAtMs: number;
  readonly reply?: RawReply;
  readonly closure?: Closure & { readonly closedAtMs: number };
  readonly decision?: Decision;
}

/** An attempt that an earlier run left open: with a reply that was recorded and not judged, or without. */
export interface OpenAttempt {
  readonly attempt: AttemptId;
  readonly key: CallKey;
  readonly accountIdentity: string;
  readonly call: Call;
  readonly batch: BatchId;
  readonly row: RowNumber;
  readonly reserved: Credits;
  readonly reply?: RawReply;
}

// ---------------------------------------------------------------------------------------------------- rows

/** A row's checkpoint. `answers` are the attempts whose answers led to the outcome, in the order of asking. */
export interface SettledRow {
  readonly batch: BatchId;
  readonly row: RowNumber;
  readonly outcome: Outcome;
  readonly answers: readonly AttemptId[];
}

export interface RowRecord {
  readonly row: RowNumber;
  readonly outcome: Outcome;
  readonly answers: readonly AnswerRecord[];
}

// ---------------------------------------------------------------------------------------------------- the book

/** What everybody may do beside a running spender. Never waits for it. */
export interface LedgerReader {
  /** Newest first. */
  batches(): Promise<readonly Batch[]>;
  batch(id: BatchId): Promise<Batch | undefined>;
  /** Open or finished, of the newest generation. */
  batchByKey(key: string): Promise<Batch | undefined>;
  batchMoney(batch: BatchId): Promise<Money>;
  accountMoney(accountIdentity: string, scope: 'day' | 'month', atMs: number): Promise<Money>;
  account(accountIdentity: string): Promise<AccountState>;
  /** Rows by outcome; rows without one are not counted. */
  counts(batch: BatchId): Promise<Readonly<Partial<Record<OutcomeKind, number>>>>;
  /** Attempts of the batch that were sent, and distinct calls that were settled by it. */
  traffic(batch: BatchId): Promise<{ readonly requests: number; readonly calls: number }>;
  /** Rows with a number of at least `fromRow`, in order, at most `limit`. */
  rows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly RowRecord[]>;
  /** Numbers of the rows that have a final outcome, which is every outcome but `in_doubt`; in order, in pages. */
  settledRows(batch: BatchId): AsyncIterable<readonly RowNumber[]>;
  /** In the order of the keys. Reads only; decisions are those of `batch`. */
  find(keys: readonly CallKey[], batch?: BatchId): Promise<readonly CallState[]>;
  /** Calls in doubt that rows of this batch wait for. */
  doubts(batch: BatchId): Promise<readonly Doubt[]>;
  /** Every attempt of the calls that this row used, oldest first. */
  history(batch: BatchId, row: RowNumber): Promise<readonly AttemptRecord[]>;
  /** Share of answers that were `found`, by logical operation; undefined before the first answer. */
  matchRate(accountIdentity: string, operation: string): Promise<number | undefined>;
  /** Wall-clock times of the account's sends since then, oldest first, at most `limit`, the newest kept. */
  sendTimes(accountIdentity: string, sinceMs: number, limit: number): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** What the one spender may do besides. */
export interface Ledger extends LedgerReader {
  /** Resumes the open batch of this key, returns the finished one, or makes a new one and supersedes its lineage. */
  beginBatch(spec: BatchSpec): Promise<BatchStart>;
  changeBatch(batch: BatchId, change: BatchChange): Promise<void>;
  setAccountCaps(accountIdentity: string, caps: AccountCaps): Promise<void>;
  setAccountPause(accountIdentity: string, untilMs: number | undefined): Promise<void>;

  /**
   * Budget check and intent in one transaction. The database itself refuses (a bug of ours, so it throws): a second
   * open attempt of a call, an attempt of a call that is answered, one of a call in doubt without a decision, and
   * one above a cap.
   */
  admit(intent: Intent): Promise<Admission>;
  /** Keeps the raw reply, before it is judged. */
  record(attempt: AttemptId, reply: RawReply): Promise<void>;
  /** Ends the attempt, moves its money, and makes it the call's answer or doubt. Always commits. */
  closeAttempt(attempt: AttemptId, closure: Closure, atMs: number): Promise<void>;
  /** Attempts that an earlier run left open, of all accounts. */
  openAttempts(): Promise<readonly OpenAttempt[]>;
  /** `told` settles the call at once: `reply` becomes its answer and the money at risk counts as spent. */
  decide(decision: DecisionSpec, told?: RawReply): Promise<DecisionId>;
  /** Takes back every `no_match` that a 404 gave an account which never answered anything else; none was charged. */
  retractMisses(accountIdentity: string): Promise<number>;

  /** A final outcome is never changed; settling such a row again is refused by the database. */
  settleRow(row: SettledRow): Promise<void>;
  /** Remembers where a row starts in the file. */
  mark(batch: BatchId, position: Position): Promise<void>;
  /** The last remembered position that is not past `row`. */
  positionBefore(batch: BatchId, row: RowNumber): Promise<Position | undefined>;
}
