import type { CallKey } from '../core/call-key.ts';
import type { BootTime } from '../core/clock.ts';
import type { Position } from '../core/format.ts';
import type { SubjectFacts } from '../core/membership.ts';
import type { Call } from '../core/operation.ts';
import type { OutcomeKind, RowNumber } from '../core/row.ts';
import type {
  Admission,
  AttemptRecord,
  CallState,
  Closure,
  DecisionSpec,
  Doubt,
  FoundReply,
  Intent,
  KnownCall,
  KnownSubject,
  Look,
  OpenAttempt,
  RawReply,
  Reading,
  RowRecord,
  SettledInput,
  SettledRow,
} from './ledger/call-records.ts';
import type {
  AccountCaps,
  AccountState,
  Activity,
  Agreement,
  AttemptId,
  Batch,
  BatchChange,
  BatchId,
  BatchSpec,
  BatchStart,
  Credits,
  DecisionId,
  FreshSince,
  KeptTime,
  LearnedRate,
  MissesMark,
  Money,
  PauseRecord,
  PlannedRow,
  TimeMark,
  UsageMark,
} from './ledger/records.ts';

export * from './ledger/call-records.ts';
export * from './ledger/records.ts';

/**
 * The contract of the ledger: the durable book of intents and answers. Every store in `stores/` keeps it, and one
 * conformance suite (`test/ledger/stores/`) runs over all of them. `docs/adding-a-store.md` says what a new one owes.
 *
 * A promise of a writing method resolves when what was written would survive a loss of power. How many writes share
 * one commit is the store's business: callers write one at a time, many at once, and await.
 */

/** What everybody may do beside a running spender. Never waits for it. */
export interface LedgerReader {
  /** Newest first. */
  batches(): Promise<readonly Batch[]>;
  batch(id: BatchId): Promise<Batch | undefined>;
  /** Open or finished, of the newest generation. */
  batchByKey(key: string): Promise<Batch | undefined>;
  batchMoney(batch: BatchId): Promise<Money>;
  /** `ever`: all that the account's batches spent, hold and risk; it has no cap. */
  accountMoney(accountIdentity: string, scope: 'day' | 'month' | 'ever', atMs: number): Promise<Money>;
  account(accountIdentity: string): Promise<AccountState>;
  /** Rows by outcome; rows without one are not counted. */
  counts(batch: BatchId): Promise<Readonly<Partial<Record<OutcomeKind, number>>>>;
  /** Attempts of the batch that were sent, and distinct calls that were settled by it. */
  metrics(batch: BatchId): Promise<{ readonly requests: number; readonly calls: number }>;
  /** Attempts of the batch that nobody has closed yet: of a run that goes on, or of one that ended in the middle. */
  openRequests(batch: BatchId): Promise<number>;
  /** Rows with a number of at least `fromRow`, in order, at most `limit`. */
  rows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly RowRecord[]>;
  /** The rows that have a final outcome, which is every outcome but `in_doubt`; in order, in pages. */
  settledRows(batch: BatchId, fromRow?: RowNumber): AsyncIterable<readonly SettledInput[]>;
  /** In the order of the keys. Reads only; decisions are those of `batch`. */
  find(keys: readonly CallKey[], batch?: BatchId): Promise<readonly CallState[]>;
  /** As `find`, in a fraction of the time: in the order of the keys, without bodies and decisions, and unchecked. */
  known(keys: readonly CallKey[], options: { readonly withAges: boolean }): Promise<readonly KnownCall[]>;
  /** Calls in doubt that rows of this batch wait for. */
  doubts(batch: BatchId): Promise<readonly Doubt[]>;
  /** Every attempt of the calls that this row used, oldest first. */
  history(batch: BatchId, row: RowNumber): Promise<readonly AttemptRecord[]>;
  /** In the order of the numbers. */
  attempts(ids: readonly AttemptId[]): Promise<readonly AttemptRecord[]>;
  /**
   * As `rows`, but only those that were settled by an answer to a question which another dialect than this one read,
   * whatever was read of it since. What was told is none.
   */
  rowsReadOtherwise(
    batch: BatchId,
    dialect: number,
    fromRow: RowNumber,
    limit: number,
  ): Promise<readonly RowRecord[]>;
  /**
   * The highest price that an answer of the account has shown for the operation, apart for each `creditsMost` of its calls;
   * undefined before the first.
   */
  price(accountIdentity: string, call: Pick<Call, 'operation' | 'creditsMost'>): Promise<Credits | undefined>;
  /** Share of answers that were `found`, by logical operation; undefined before the first answer. */
  matchRate(accountIdentity: string, operation: string): Promise<number | undefined>;
  /**
   * The account's newest answers that were found, newest first, at most `most`; of very many attempts of other accounts or
   * other endings in between only the newest are looked through.
   */
  newestFound(accountIdentity: string, most: number): Promise<readonly FoundReply[]>;
  /** Wall-clock times of the account's sends since then, oldest first, at most `limit`, the newest kept. */
  sendTimes(accountIdentity: string, sinceMs: number, limit: number): Promise<readonly number[]>;
  /**
   * Whether a row of the batch was settled by an answer that is older than that, whether or not a younger one is there
   * by now. An answer that was tried to be bought anew since, and whose attempt got lost, is not.
   */
  hasOlderThan(batch: BatchId, freshSince: FreshSince): Promise<boolean>;
  /** When the last attempt to buy this answer anew got lost; undefined when none did. */
  lostRefresh(answer: AttemptId): Promise<number | undefined>;
  /** Pauses of the account that touch the stretch, oldest first. */
  pauses(accountIdentity: string, fromMs: number, untilMs: number): Promise<readonly PauseRecord[]>;
  /** In at most `most` buckets of equal length, which is a multiple of `unitMs`; left out: of a millisecond. */
  activity(batch: BatchId, most: number, unitMs?: number): Promise<Activity>;
  /** All that is known of whom and what the account's changes ever altered, also of those whose answers were lost. */
  subjects(accountIdentity: string): Promise<readonly KnownSubject[]>;
  /** Planned rows of a batch of changes with a number of at least `fromRow`, in order, at most `limit`. */
  plannedRows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly PlannedRow[]>;
  /** The latest time that an answer's `Date` ever confirmed; undefined before the first. */
  confirmedTime(): Promise<number | undefined>;
  /** SHA-256 of what we last wrote at that path; two while it is being replaced. */
  written(path: string): Promise<readonly string[]>;
  /** Undefined: nobody has agreed to requests of that content. */
  agreement(sha256: string): Promise<Agreement | undefined>;
  close(): Promise<void>;
}

/** What the one spender may do besides. */
export interface Ledger extends LedgerReader {
  /**
   * Resumes the open batch of this key, returns the finished one, or makes a new one and supersedes its lineage.
   * @param renew a finished one is followed by a new generation instead.
   * @param plan of a batch of changes: kept in the same transaction when a new one is made, else ignored.
   */
  beginBatch(spec: BatchSpec, renew?: boolean, plan?: readonly PlannedRow[]): Promise<BatchStart>;
  changeBatch(batch: BatchId, change: BatchChange): Promise<void>;
  /** What may stand at a path from now on as our own, in the place of what was noted of it before. */
  noteWritten(path: string, sha256s: readonly string[]): Promise<void>;
  /** Kept for good, as it was the first time. */
  noteAgreement(agreement: Agreement): Promise<void>;
  setAccountCaps(accountIdentity: string, caps: AccountCaps): Promise<void>;
  /** One that the vendor asked for also becomes the account's `pausedUntilMs`. Forgets what ended 90 days before it. */
  notePause(accountIdentity: string, pause: PauseRecord): Promise<void>;
  /** Undefined: what was learned does not hold any more. */
  setLearnedRate(accountIdentity: string, learned: LearnedRate | undefined): Promise<void>;
  setUsage(accountIdentity: string, usage: UsageMark | undefined): Promise<void>;
  /**
   * Intents are of this boot of the machine from now on. @param atMs what the calendar says; it is kept with a boot that
   * is new to the ledger.
   */
  atBoot(boot: BootTime, atMs: number): Promise<KeptTime>;
  /**
   * Moves what is known of the time in the present boot. A confirmed time never goes back, and from then on no intent is
   * dated before it, nor in this boot more than five minutes after it and the uptime since: the database refuses both.
   */
  keepTime(kind: 'seen' | 'confirmed', mark: TimeMark): Promise<void>;

  /**
   * Budget check and intent in one transaction, with no less reserved than the highest price that was seen; of a change also whether its subject is still as it was planned, and no
   * other change of it is open or in doubt. The database itself refuses (a bug of ours, so it throws): a second
   * open attempt of a call, an attempt of a call that is answered, one of a call in doubt without a decision, one
   * above a cap, and one that replaces an answer which is fresh enough for its batch. An attempt that repeats a lost one
   * under its idempotency key reserves nothing: the lost one still holds the money, for both.
   */
  admit(intent: Intent): Promise<Admission>;
  /** Keeps the raw reply, before it is judged. */
  record(attempt: AttemptId, reply: RawReply): Promise<void>;
  /**
   * Ends the attempt, moves its money, and makes it the call's answer or doubt. Always commits. An answer under an
   * idempotency key also releases what the lost attempts with the same key hold: it was charged once at most, and is
   * spent where the first of them had risked it, so that a repeat passes nobody's cap. A change that is settled, however
   * it is, moves its subject's sequence number on by one.
   * @param left of a change: how it left its subject; left out: as it was.
   */
  closeAttempt(attempt: AttemptId, closure: Closure, atMs: number, left?: SubjectFacts): Promise<void>;
  /**
   * Adds what a settled answer means by another dialect; later calls use it, and settled rows stay as they are. What it
   * costs more than it was booked at is spent where that is. The database refuses what was told, and answers to changes.
   */
  addReading(reading: Reading): Promise<void>;
  /** Attempts that were open when the store was opened and still are, of all accounts. */
  openAttempts(): Promise<readonly OpenAttempt[]>;
  /** Keeps what the vendor said about a doubt. */
  recordLook(look: Look): Promise<void>;
  /**
   * Ends the doubt of a call that was not charged: its money is free, and it may be bought like any other. The database
   * refuses it without a look at that attempt which said `not_happened`.
   */
  release(attempt: AttemptId, why: string, atMs: number): Promise<void>;
  /**
   * `told` settles the call at once: `reply` becomes its answer and the money at risk counts as spent. By a person, or
   * by the vendor's own read-back (`rule`). As with `closeAttempt`, a change moves its subject on.
   */
  decide(decision: DecisionSpec, told?: RawReply, left?: SubjectFacts): Promise<DecisionId>;
  /**
   * Takes back every free `no_match` of status 404 after which the account answered nothing else: no request that left
   * later was answered otherwise. The database refuses any other. The answer to a change stays. The count begins anew.
   */
  retractMisses(accountIdentity: string): Promise<number>;
  /** Notes a stop at the present series of misses, or that a person lets it stand; the next other answer forgets it. */
  markMisses(accountIdentity: string, mark: MissesMark): Promise<void>;

  /** A final outcome is never changed; settling such a row again is refused by the database. */
  settleRow(row: SettledRow): Promise<void>;
  /** Remembers where a row starts in the file. */
  mark(batch: BatchId, position: Position): Promise<void>;
  /** The last remembered position that is not past `row`. */
  positionBefore(batch: BatchId, row: RowNumber): Promise<Position | undefined>;
}
