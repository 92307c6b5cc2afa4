import type { CallKey } from '../call-key.ts';
import type { KnownSubject } from '../membership.ts';
import type { Call, JsonObject, Vendor } from '../operation.ts';
import type { Outcome, RowNumber } from '../row.ts';

/** What the book is about: batches, money, calls and rows, as its methods take and give them. */

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

/**
 * Answers that are older count as none for a batch, so they are bought anew; what the batch itself bought is always
 * fresh. Fixed when the batch begins, so that a resumed run cannot find its own answers too old. Ms since 1970.
 */
export interface FreshSince {
  /** For answers that were found; absent: of any age. */
  readonly foundMs?: number;
  /** For all others. */
  readonly noMatchMs?: number;
}

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
  readonly freshSince?: FreshSince;
  /** Planned rows that the input does not have: people who are removed because it does not name them any more. */
  readonly rowsBeyond?: number;
}

/**
 * A row of a batch of changes as it was planned. `rows` beyond those of the input are numbered on after its last one.
 * `work` is what the operation's `next` is given; a row that needs none has its outcome from the plan. `input`: what of
 * the file it was planned from, as `SettledRow` has it.
 */
export type PlannedRow = { readonly row: RowNumber; readonly input?: number } & (
  | { readonly kind: 'work'; readonly work: JsonObject }
  | { readonly kind: 'end'; readonly outcome: Outcome }
);

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
  /** `superseded`: its rows turned out to be another content's. */
  readonly state?: 'open' | 'finished' | 'cancelled' | 'superseded';
  /** `null`: no cap. */
  readonly budget?: Credits | null;
  /** Most credits that retries of calls in doubt may reserve in this batch. */
  readonly extraCredits?: Credits;
  readonly settings?: JsonObject;
  readonly outputPath?: string;
  readonly outputSha256?: string;
  readonly command?: string;
  /** Where the input was moved to after it had been worked through. */
  readonly inputPath?: string;
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
  /** Those of them that found something. */
  readonly found: number;
  readonly misses: Misses;
  /** Until when the vendor asked us to wait, ms since 1970. */
  readonly pausedUntilMs?: number;
  /** The speed that was found out from answers, as far as it is known. */
  readonly learned?: LearnedRate;
  /** What the vendor's own count of credits last was, when nothing of ours was open or in doubt. */
  readonly usage?: UsageMark;
}

/** The answers of status 404 that an account gave last, with no other in between. */
export interface Misses extends MissesMark {
  readonly count: number;
}

/** What is kept of a series of misses until another answer ends it. */
export interface MissesMark {
  /** Where they were asked, when a run was stopped for them. */
  readonly place?: string;
  /** Whether a person lets them stand. */
  readonly kept: boolean;
}

/** How fast an account may be asked, as its answers taught us. */
export interface LearnedRate {
  /** Requests a second on average; may be below 1. */
  readonly perSecond: number;
  readonly atMs: number;
}

/** Two counts of the same moment: any later difference between how far they grew is what calls in doubt cost. */
export interface UsageMark {
  /** Credits by the vendor's count. */
  readonly counted: number;
  /** Credits by ours: all that the account ever spent. */
  readonly spent: Credits;
  readonly atMs: number;
}

/** A stretch in which nothing was sent. `asked`: by the vendor, so that it holds for later runs too. */
export interface PauseRecord {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly why: string;
  readonly asked: boolean;
}

/** What a batch sent and spent over time, for a picture of it; empty for a batch that sent nothing. */
export interface Activity {
  readonly fromMs: number;
  readonly bucketMs: number;
  readonly buckets: readonly { readonly requests: number; readonly credits: number }[];
}

// ---------------------------------------------------------------------------------------------------- time

/** A time of the calendar, and the uptime of the machine at that moment. */
export interface TimeMark {
  readonly atMs: number;
  readonly uptimeMs: number;
}

/** What the ledger knows of the time, in the present boot of the machine. */
export interface KeptTime {
  /** What the calendar said when the boot was first seen, or the less of two times that contradicted each other. */
  readonly seen: TimeMark;
  /** The last time that an answer's `Date` and the calendar agreed on in this boot. */
  readonly confirmed?: TimeMark;
  /** The latest time that was ever confirmed, in whatever boot: it has passed for certain. */
  readonly floorMs?: number;
}

/** When an attempt began, on the boot clock. `isConfirmed`: an answer has told the time in that boot. */
export interface BootMoment {
  readonly id: string;
  readonly uptimeMs: number;
  readonly isConfirmed: boolean;
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
  /** In the boot that was noted last; left out: unknown. */
  readonly uptimeMs?: number;
  /** The decision that allows a call in doubt to be sent again. */
  readonly decision?: DecisionId;
  /** The answer that is too old for the batch and is bought anew. */
  readonly replaces?: AttemptId;
  /** Kept when the vendor honours idempotency keys. For a call in doubt: exactly what was kept with the lost attempt. */
  readonly request?: KeyedRequest;
}

/**
 * A request that may be sent again to the byte under the same idempotency key, for which a vendor that honours such keys
 * acts and charges once. Headers are not kept, because one of them is the account's key.
 */
export interface KeyedRequest {
  readonly idempotencyKey: string;
  readonly method: 'GET' | 'POST';
  /** With the query. */
  readonly path: string;
  readonly body?: Buffer;
  /** When the key was first used, from which on the vendor counts how long it is honoured. */
  readonly firstSentAtMs: number;
}

export type Admission =
  /** `reserved`: what was asked for, or the highest price that was seen, if that is more. */
  | { readonly kind: 'admitted'; readonly attempt: AttemptId; readonly reserved: Credits }
  | { readonly kind: 'over_budget'; readonly scope: BudgetScope; readonly money: Money }
  /** Of a change: another change of its subject was settled since it was planned, by that batch last. */
  | { readonly kind: 'moved'; readonly by: BatchId }
  /** Of a change: another change of its subject is under way, or its answer was lost. */
  | { readonly kind: 'subject_in_doubt'; readonly by: BatchId; readonly row: RowNumber };

export type { KnownSubject };

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
  | {
      readonly kind: 'settled';
      readonly answer: AnswerKind;
      readonly charged: Credits;
      readonly why: string;
      /** The vendor says what answers cost, and this one was for money: its price is remembered. Not read back. */
      readonly showsPrice?: true;
    }
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
  /** The same moment on the boot clock; absent for one that an older Rowonce noted. */
  readonly sentBoot?: BootMoment;
  /** The beginning of the first attempt under the idempotency key of `request`, likewise. */
  readonly firstBoot?: BootMoment;
  /** How often a rule has already sent this call again without an answer. */
  readonly repeats: number;
  readonly request?: KeyedRequest;
}

/** What the vendor said when it was asked, without cost, about an attempt in doubt; or what a person saw there. */
export interface Look {
  readonly attempt: AttemptId;
  /** `read_back`: about this call. `usage`: how many credits it has counted in all. */
  readonly kind: 'read_back' | 'usage';
  readonly said: 'happened' | 'not_happened' | 'unclear';
  /** A clause for the user. */
  readonly why: string;
  readonly status: number;
  readonly body: Buffer;
  readonly atMs: number;
}

export type CallState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'answered'; readonly answer: AnswerRecord }
  /** `decision`: the asking batch's last decision about it, if any attempt has not used it up. */
  | { readonly kind: 'in_doubt'; readonly doubt: Doubt; readonly decision?: Decision };

/**
 * Of `CallState` what a plan needs, which asks for a million of them: nothing that is large, and nothing that is checked.
 * Good for counting; whoever spends or shows an answer takes `CallState`.
 */
export type KnownCall =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'answered'; readonly answer: KnownAnswer }
  | { readonly kind: 'in_doubt'; readonly doubt: Pick<Doubt, 'attempt' | 'batch'> };

export interface KnownAnswer extends Pick<AnswerRecord, 'attempt' | 'batch' | 'kind' | 'why'> {
  /** Where it was asked for: it stands beside the body, so that reading it costs half of all the rest. */
  readonly answeredAtMs?: number;
}

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
  readonly replaces?: AttemptId;
  readonly request?: KeyedRequest;
  /** Oldest first. */
  readonly looks: readonly Look[];
  /** Why the money at risk was given back, when it was. */
  readonly released?: { readonly why: string; readonly atMs: number };
}

/** Why the money of a lost attempt was given back when a later one was answered under its idempotency key. */
export const CHARGED_ONCE = 'answered later under the same idempotency key, which is charged once';

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
  /** 48 bits over the cells that it was settled from; absent for a row that is not of the file. */
  readonly input?: number;
}

/** A row that has a final outcome, and what it was settled from, if that was kept. */
export type SettledInput = Pick<SettledRow, 'row' | 'input'>;

export interface RowRecord {
  readonly row: RowNumber;
  readonly outcome: Outcome;
  readonly answers: readonly AnswerRecord[];
  /** As it was settled. */
  readonly input?: number;
}
