import type { CallKey } from '../core/call-key.ts';
import type { BootTime } from '../core/clock.ts';
import type { Position } from '../core/format.ts';
import type { SubjectFacts } from '../core/membership.ts';
import type { Call } from '../core/operation.ts';
import type { OutcomeKind, RowNumber } from '../core/row.ts';
import type {
  Admission,
  AttemptRecord,
  AttemptsAbout,
  CallState,
  Closure,
  DecisionSpec,
  Doubt,
  FinishedInput,
  FinishedRow,
  FoundReply,
  Intent,
  KnownCall,
  KnownSubject,
  Look,
  OpenAttempt,
  PlainAnswer,
  RawReply,
  Reading,
  RowKind,
  RowRecord,
  SavedPart,
  Sent,
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
  BatchLine,
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
 * The contract of the ledger: the durable book of intents and answers. Every store in `stores/` implements it, and one
 * conformance suite (`test/ledger/stores/`) runs over all of them. `docs/adding-a-store.md` says what a new store must
 * do.
 *
 * A promise of a writing method resolves when what was written would survive a loss of power. How many writes share
 * one commit is the store's business: callers write one at a time, many at once, and await.
 */

/** What any process may read beside a running spender. No method waits for the spender. */
export interface LedgerReader {
  /** All batches, newest first. */
  batches(): Promise<readonly Batch[]>;
  /** The same with no more than chooses among thousands of them: what is shown of one is read with the batch itself. */
  batchLines(): Promise<readonly BatchLine[]>;
  batch(id: BatchId): Promise<Batch | undefined>;
  /** The batch of that key, open or finished, of the newest generation. */
  batchByKey(key: string): Promise<Batch | undefined>;
  /** Money of the batch; with `extra` only that of its retries of calls in doubt, the cap of which is the extra credits. */
  batchMoney(batch: BatchId, scope?: 'batch' | 'extra'): Promise<Money>;
  /** Money of the account's batches in a day, a month or (`ever`) in all; `ever` has no cap. */
  accountMoney(accountIdentity: string, scope: 'day' | 'month' | 'ever', atMs: number): Promise<Money>;
  /**
   * Whether spent credits are the most that was charged: the price of one answer at least was stated neither by itself nor
   * by the dialect, a person told it, or it was settled at what a lost one had reserved. Of an account: in any of its batches.
   */
  isSpentAtMost(of: { readonly batch: BatchId } | { readonly account: string }): Promise<boolean>;
  account(accountIdentity: string): Promise<AccountState>;
  /** Number of rows by outcome; rows without an outcome are not counted. */
  counts(batch: BatchId): Promise<Readonly<Partial<Record<OutcomeKind, number>>>>;
  /** How many attempts of the batch were sent, and how many distinct calls it settled. */
  metrics(batch: BatchId): Promise<{ readonly requests: number; readonly calls: number }>;
  /** Number of the batch's attempts that are not closed: their run is still at work, or ended in the middle. */
  openRequests(batch: BatchId): Promise<number>;
  /** Rows with a number of at least `fromRow`, in order, at most `limit`. */
  rows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly RowRecord[]>;
  /** The rows that have a final outcome, which is every outcome but `in_doubt`; in order, in pages. */
  finishedRows(batch: BatchId, fromRow?: RowNumber): AsyncIterable<readonly FinishedInput[]>;
  /** How the rows from `fromRow` on, and before `beforeRow`, ended; in order, without their answers, which take time. */
  rowKinds(batch: BatchId, fromRow: RowNumber, beforeRow: RowNumber): Promise<readonly RowKind[]>;
  /** The last remembered position that is not after `row`. */
  positionBefore(batch: BatchId, row: RowNumber): Promise<Position | undefined>;
  /** The state of each call, in the order of the keys. It writes nothing; decisions are those of `batch`. */
  find(keys: readonly CallKey[], batch?: BatchId): Promise<readonly CallState[]>;
  /** The accounts in which answers about people who were forgotten are known by their calls alone. */
  forgettingAccounts(): Promise<readonly string[]>;
  /** What `find` says, in a fraction of the time: in the order of the keys, without bodies, decisions and checksums. */
  known(keys: readonly CallKey[], options: { readonly withAges: boolean }): Promise<readonly KnownCall[]>;
  /**
   * The answers to these calls, in the order of the keys, each checked as `find` checks it, as far as they are plain.
   * Thousands are found at once.
   */
  plainAnswers(keys: readonly CallKey[]): Promise<readonly PlainAnswer[]>;
  /** Calls in doubt that rows of this batch wait for; `withSkipped`: or for which they were to wait no longer. */
  doubts(batch: BatchId, options?: { readonly withSkipped: boolean }): Promise<readonly Doubt[]>;
  /** Every attempt of the calls that this row used, oldest first. */
  history(batch: BatchId, row: RowNumber): Promise<readonly AttemptRecord[]>;
  /** The attempts with these numbers, in the order of the numbers. */
  attempts(ids: readonly AttemptId[]): Promise<readonly AttemptRecord[]>;
  /**
   * Attempts, oldest first, of calls that have one of these texts as a value in their question or in what they change. It
   * looks through the `most` calls after the one numbered `after`, in the order of their first attempts; `next` is where
   * the search goes on, and is absent at its end.
   */
  attemptsAbout(values: readonly string[], after: number, most: number): Promise<AttemptsAbout>;
  /**
   * What the answers of rows would have cost if every row had bought its own, without what they did cost: of at most
   * `most` rows with a number of at least `fromRow`. `next` is the row to go on with, and is absent at the end.
   */
  saved(batch: BatchId, fromRow: RowNumber, most: number): Promise<SavedPart>;
  /**
   * Rows as `rows` gives them, but only those that have a vendor's answer which another dialect than this one read, even if
   * it was read again since, or which turned out to be none. Answers that a person told are not among them.
   */
  rowsReadOtherwise(
    batch: BatchId,
    dialect: number,
    fromRow: RowNumber,
    limit: number,
  ): Promise<readonly RowRecord[]>;
  /** The rows in doubt that wait for a call whose answer turned out to be none, in order. */
  rowsUnanswered(batch: BatchId): Promise<readonly RowNumber[]>;
  /**
   * The highest price that an answer of the account has shown for the operation, kept apart for each `creditsMost` of
   * its calls; undefined before the first such answer.
   */
  price(accountIdentity: string, call: Pick<Call, 'operation' | 'creditsMost'>): Promise<Credits | undefined>;
  /** Share of an operation's answers that were `found`; undefined before the first answer. */
  matchRate(accountIdentity: string, operation: string): Promise<number | undefined>;
  /**
   * The account's newest answers that were found, newest first, at most `most`. When very many other attempts lie in
   * between, only the newest attempts are searched.
   */
  newestFound(accountIdentity: string, most: number): Promise<readonly FoundReply[]>;
  /** The account's sends since `sinceMs`, oldest first, at most `limit`: the newest ones. */
  sends(accountIdentity: string, sinceMs: number, limit: number): Promise<readonly Sent[]>;
  /**
   * Whether a row of the batch was finished by an answer that is older than that, whether or not a younger one exists by
   * now. An answer does not count when a later attempt to buy it again got lost, and one that was read as none only where
   * it is older than both times.
   */
  hasOlderThan(batch: BatchId, freshSince: FreshSince): Promise<boolean>;
  /** When the last attempt to buy this answer again got lost; undefined when none did. */
  lostRefresh(answer: AttemptId): Promise<number | undefined>;
  /** Pauses of the account that overlap the given time, oldest first. */
  pauses(accountIdentity: string, fromMs: number, untilMs: number): Promise<readonly PauseRecord[]>;
  /** Sends and costs in at most `most` buckets of equal length, a multiple of `unitMs` (one millisecond without it). */
  activity(batch: BatchId, most: number, unitMs?: number): Promise<Activity>;
  /** Every person and thing that the account's changes altered or tried to, those with lost answers among them. */
  subjects(accountIdentity: string): Promise<readonly KnownSubject[]>;
  /** Planned rows of a batch of changes with a number of at least `fromRow`, in order, at most `limit`. */
  plannedRows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly PlannedRow[]>;
  /** The latest time that an answer's `Date` ever confirmed; undefined before the first one. */
  confirmedTime(): Promise<number | undefined>;
  /** As `Ledger.atBoot`, and nothing is noted. */
  keptTime(boot: BootTime, atMs: number): Promise<KeptTime>;
  /** SHA-256 of what we last wrote at that path; two of them while the file is being replaced. */
  written(path: string): Promise<readonly string[]>;
  /** The agreement to requests of that content; undefined when nobody has agreed. */
  agreement(sha256: string): Promise<Agreement | undefined>;
  /** Since when a person has paused the batch, ms since 1970; undefined when it may go on. */
  heldSince(batch: BatchId): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Money as it is shown: `isExact` says that just so much was spent, and not that it was the most. */
export interface ShownMoney extends Money {
  readonly isExact: boolean;
}

export async function shownMoney(
  ledger: Pick<LedgerReader, 'batchMoney' | 'isSpentAtMost'>,
  batch: BatchId,
): Promise<ShownMoney> {
  return { ...(await ledger.batchMoney(batch)), isExact: !(await ledger.isSpentAtMost({ batch })) };
}

/** What only the one spender may do. */
export interface Ledger extends LedgerReader {
  /**
   * Resumes the open batch of this key, returns the finished one, or makes a new one and supersedes its lineage.
   * @param renew makes a new generation instead of returning the finished batch.
   * @param plan of a batch of changes is kept in the same transaction when a new batch is made, and ignored otherwise.
   */
  beginBatch(spec: BatchSpec, renew?: boolean, plan?: readonly PlannedRow[]): Promise<BatchStart>;
  changeBatch(batch: BatchId, change: BatchChange): Promise<void>;
  /**
   * Replaces what is noted about a path: the hashes of the files of ours that may stand there from now on.
   * @param batch whose rows are in what is new there.
   */
  noteWritten(path: string, sha256s: readonly string[], batch?: BatchId): Promise<void>;
  /** Keeps an agreement for good. The first one for the same content stays. */
  noteAgreement(agreement: Agreement): Promise<void>;
  /** Keeps that a person pauses a batch, or lets it go on. What is so already is not noted again. */
  noteHold(batch: BatchId, held: boolean, atMs: number): Promise<void>;
  setAccountCaps(accountIdentity: string, caps: AccountCaps): Promise<void>;
  /**
   * Keeps a pause and deletes those that ended 90 days before. An `asked` pause also sets the account's
   * `pausedUntilMs`.
   */
  notePause(accountIdentity: string, pause: PauseRecord): Promise<void>;
  /** Keeps the learned speed of an account; undefined means that the old one is no longer valid. */
  setLearnedRate(accountIdentity: string, learned: LearnedRate | undefined): Promise<void>;
  setUsage(accountIdentity: string, usage: UsageMark | undefined): Promise<void>;
  /**
   * Assigns all later intents to this boot of the machine.
   * @param atMs the calendar's time; it is kept with a boot that is new to the ledger.
   */
  atBoot(boot: BootTime, atMs: number): Promise<KeptTime>;
  /** Keeps another time for the one that the calendar said when the present boot was first seen. */
  keepSeenTime(mark: TimeMark): Promise<void>;
  /**
   * Keeps a time that an answer of the account confirmed in the present boot. It never goes back, and from then on no
   * intent is dated before it, nor in this boot more than five minutes after it and the uptime since: the database
   * refuses both. It also refuses what a sandbox told, once a batch of any other account has begun.
   */
  keepConfirmedTime(mark: TimeMark, accountIdentity: string): Promise<void>;
  /**
   * Takes from the present boot its confirmed time, and from every other boot one that is later than `afterMs`. They are kept as refuted:
   * how long ago moments of these boots and of earlier ones were is unknown from then on. The database refuses the first batch
   * of an account that is no sandbox as long as a time is confirmed.
   */
  refuteTimes(afterMs: number): Promise<void>;

  /**
   * Checks the budget and writes the intent in one transaction. It reserves at least the highest price that was seen.
   * For a change it also checks that the subject is still as it was planned, and that no other change of it is open or
   * in doubt. The database itself refuses, and this throws because it is a bug of ours: a second open attempt of a
   * call, an attempt of a call that is answered, one of a call in doubt without a decision, one above a cap, and one
   * that replaces an answer which is fresh enough for its batch and was not read as none. An attempt that repeats a lost one under its
   * idempotency key reserves nothing: the lost one still holds the money for both.
   */
  admit(intent: Intent): Promise<Admission>;
  /** Keeps the raw reply, before it is judged. */
  record(attempt: AttemptId, reply: RawReply): Promise<void>;
  /**
   * Ends the attempt, moves its money, and makes it the call's answer or doubt. It always commits. An answer under an
   * idempotency key also releases what the lost attempts with the same key hold: the vendor charged once at most, and
   * the cost is booked where the first of them had risked it, so that a repeat exceeds no cap. Every settled change
   * advances its subject's sequence number by one. A lost attempt leaves the answer that it was to replace in place, but one
   * that was read as none: then its call is in doubt, and a release brings back what it was. Purchases that are closed until the next commit may be closed all of them or
   * none: those that stay open have their reply, and the next run judges it.
   * @param left how a change left its subject; without it the subject is as it was before.
   */
  closeAttempt(attempt: AttemptId, closure: Closure, atMs: number, left?: SubjectFacts): Promise<void>;
  /**
   * Adds what a settled answer means by another dialect. Later calls use it, and finished rows stay as they are. If it
   * costs more than it was booked at, the difference is spent in the same budgets. If it is none, its call is `unanswered`
   * and may be bought again in its place. The database refuses answers that a person told, and answers to changes.
   */
  addReading(reading: Reading): Promise<void>;
  /** Attempts of all accounts that were open when the store was opened and still are. */
  openAttempts(): Promise<readonly OpenAttempt[]>;
  /** Keeps what the vendor said about a call in doubt. */
  recordLook(look: Look): Promise<void>;
  /**
   * Ends the doubt of a call that was not charged: its money is free again, and the call may be bought like any other.
   * The database refuses it unless a look at that attempt said `not_happened`.
   */
  release(attempt: AttemptId, why: string, atMs: number): Promise<void>;
  /**
   * Records a decision about a call in doubt. `told` settles the call at once: `reply` becomes its answer and the money
   * at risk counts as spent. A person decides so, or the vendor's own read-back (`rule`). A change advances its subject
   * as in `closeAttempt`.
   */
  decide(decision: DecisionSpec, told?: RawReply, left?: SubjectFacts): Promise<DecisionId>;
  /**
   * Takes back every free `no_match` of status 404, if no request that was sent later was answered otherwise. The
   * database refuses to take back any other answer. The answer to a change stays. The count begins again at zero.
   */
  retractMisses(accountIdentity: string): Promise<number>;
  /**
   * Notes a stop because of the present misses, or that a person accepts them; the next other answer deletes the note.
   */
  markMisses(accountIdentity: string, mark: MissesMark): Promise<void>;

  /**
   * Finishes a row. Rows of a batch that are finished until the next commit may be finished all of them or none. A final outcome
   * never changes; the database refuses to settle such a row again.
   */
  finishRow(row: FinishedRow): Promise<void>;
  /** Settles rows of one batch, all of them or none. */
  finishRows(batch: BatchId, rows: readonly FinishedRow[]): Promise<void>;
  /** Remembers where a row starts in the file. */
  mark(batch: BatchId, position: Position): Promise<void>;
}
