import type { CallKey } from '../../core/call-key.ts';
import type { KnownSubject } from '../../core/membership.ts';
import type { Call, Method } from '../../core/operation.ts';
import type { Outcome, RowNumber } from '../../core/row.ts';
import type { AttemptId, BatchId, BootMoment, BudgetScope, Credits, DecisionId, Money } from './records.ts';

/** Calls, what became of them, and rows, as the methods of the book take and give them. */

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
  readonly method: Method;
  /** With the query. */
  readonly path: string;
  readonly body?: Buffer;
  /** When the key was first used, from which on the vendor counts how long it is honoured. */
  readonly firstSentAtMs: number;
}

declare const committed: unique symbol;

/** An intent that is committed: whoever has one may send its request, once. */
export interface Admitted {
  readonly kind: 'admitted';
  readonly attempt: AttemptId;
  /** What was asked for, or the highest price that was seen, if that is more. */
  readonly reserved: Credits;
  /** Nothing has such a member: only `admitted` gives the type. */
  readonly [committed]: true;
}

/** Called by a store that has committed the intent, and by nobody else. */
export function admitted(attempt: AttemptId, reserved: Credits): Admitted {
  const admission: Omit<Admitted, typeof committed> = { kind: 'admitted', attempt, reserved };
  return admission as Admitted;
}

export type Admission =
  | Admitted
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
      /** Of the dialect that says so, see `dialectMark`. Not read back but with the answer. */
      readonly dialect?: number;
    }
  | { readonly kind: 'not_sent'; readonly why: string }
  /** The vendor said "too fast"; not charged. */
  | { readonly kind: 'paused'; readonly why: string }
  /** The vendor refused the key, the credits or the address; not charged. */
  | { readonly kind: 'stopped'; readonly why: string }
  | { readonly kind: 'in_doubt'; readonly why: string };

/** What an answer means by a later dialect than the one that it was settled by. */
export interface Reading {
  readonly attempt: AttemptId;
  readonly answer: AnswerKind;
  /** By this dialect. What is kept is never less than what the answer was booked at before. */
  readonly charged: Credits;
  readonly why: string;
  readonly dialect: number;
  readonly atMs: number;
  readonly showsPrice?: true;
}

/** `kind` and `why` are those of the newest reading that whoever asks may know, `charged` of the newest of all. */
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
  /** When it was erased, with what was asked; its body is blank. */
  readonly erasedAtMs?: number;
  /** The lowest row of `batch` that used this answer: the one that counts as having paid. */
  readonly paidRow: RowNumber;
  /** By which it is read so; absent for what was told, and for what an older Rowonce settled. */
  readonly dialect?: number;
}

/** What a call was answered with, as it came. */
export interface FoundReply {
  readonly call: Call;
  readonly reply: RawReply;
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

export interface KnownAnswer
  extends Pick<AnswerRecord, 'attempt' | 'batch' | 'kind' | 'why' | 'dialect' | 'erasedAtMs'> {
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
  /** Oldest first. */
  readonly readings: readonly Reading[];
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
