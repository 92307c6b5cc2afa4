import type { KeptBody } from '../core/answer-body.ts';
import type { CallKey } from '../core/call-key.ts';
import { invariant } from '../core/errors.ts';
import type { Findings } from '../core/findings.ts';
import type { KnownSubject, SubjectFacts } from '../core/membership.ts';
import type { Call, Method } from '../core/operation.ts';
import type { Outcome, RowNumber } from '../core/row.ts';
import type { AttemptId, BatchId, BudgetScope, Credits, DecisionId, Money } from './records.ts';

/** The durable note that a request is about to be sent. */
export interface Intent {
  readonly key: CallKey;
  readonly accountIdentity: string;
  readonly call: Call;
  readonly batch: BatchId;
  /** The row that asked first. */
  readonly row: RowNumber;
  /** The most that the answer may cost. */
  readonly reserve: Credits;
  /** Its day and month pay. */
  readonly atMs: number;
  /** The decision that allows a call in doubt to be sent again. */
  readonly decision?: DecisionId | undefined;
  /** The answer that is bought again, because it is too old for the batch or by its newest reading none. */
  readonly replaces?: AttemptId | undefined;
  /**
   * Kept when the vendor honours idempotency keys. For a call in doubt: exactly what was kept with the
   * doubt.
   */
  readonly request?: KeyedRequest | undefined;
  /**
   * An answer to the call, or a doubt about it, makes its admission `known`: the sender has not looked at it
   * again.
   */
  readonly ifUnknown?: true | undefined;
  /**
   * Its answer is to show a price that is not known: where many spend it `wait`s while another attempt of its
   * operation is open for the account.
   */
  readonly isUnpriced?: true | undefined;
  /** How long after it was handed over its exchange is over, at the latest. Without it `DEADLINE_MS`. */
  readonly deadlineMs?: number | undefined;
}

/**
 * A request that may be sent again to the byte under the same idempotency key, for which a vendor that
 * honours such keys acts and charges once. Headers are not kept, because one of them is the account's key.
 */
export interface KeyedRequest {
  readonly idempotencyKey: string;
  readonly method: Method;
  /** The path with its query. */
  readonly path: string;
  readonly body?: string;
  /**
   * When the key was first used, by the vendor's clock; 0: not known. The vendor counts from then how long it
   * honours the key.
   */
  readonly firstSentAtMs: number;
}

/**
 * A committed intent. Its holder may send its request once. Only a store that has committed an intent may
 * make this.
 */
export class AdmittedAttempt {
  readonly kind = 'admitted';
  readonly attempt: AttemptId;
  /** The requested amount, or the highest price that was seen if that is more. */
  readonly reserved: Credits;
  #isUsed = false;

  constructor(attempt: AttemptId, reserved: Credits) {
    this.attempt = attempt;
    this.reserved = reserved;
  }

  /** To be called before its request is sent. */
  use(): void {
    invariant(!this.#isUsed, 'an admission sends one request');
    this.#isUsed = true;
  }
}

export type Admission =
  | AdmittedAttempt
  /** Above a cap; `wait`: as long as attempts that are open reserve what they do. */
  | { readonly kind: 'over_budget' | 'wait'; readonly scope: BudgetScope; readonly money: Money }
  /** Another attempt of the call is under way. */
  | InFlight
  /** The call has an answer, and not one that was to be replaced. */
  | { readonly kind: 'answered' }
  /**
   * Since a change was planned, another change of its subject was settled; `by` is the last batch that did
   * so.
   */
  | { readonly kind: 'moved'; readonly by: BatchId }
  /** Another change of the same subject is open or in doubt. */
  | {
      readonly kind: 'subject_in_doubt';
      readonly by: BatchId;
      readonly row: RowNumber;
      readonly attempt?: AttemptId;
    }
  /** The call stands otherwise than it was asked for: it was to be sent `ifUnknown`, or was overtaken. */
  | { readonly kind: 'known' };

export type { KnownSubject };

/** What came back, before it was judged. */
export interface Reply {
  readonly status: number;
  /** Headers by lower-case name; only those that are needed later. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly receivedAtMs: number;
}

/**
 * What an answer says:
 * - `found`: the vendor has found what was asked for, or made the change.
 * - `no_match`: the vendor has found nothing.
 * - `refused`: the vendor refused the request.
 */
export const ANSWER_KINDS = ['found', 'no_match', 'refused'] as const;

export type AnswerKind = (typeof ANSWER_KINDS)[number];

export type NoAnswerKind = Exclude<End['kind'], 'answered'>;

/** What a reply means by the newest dialect that read it. */
export type ReadAs = AnswerKind | NoAnswerKind;

export function isAnswer(kind: ReadAs): kind is AnswerKind {
  return (ANSWER_KINDS as readonly ReadAs[]).includes(kind);
}

/** How an attempt ended, and `why`. It ends once. */
export type End =
  /** The vendor has answered, and the answer can be used. */
  | {
      readonly kind: 'answered';
      readonly answer: AnswerKind;
      readonly charged: Credits;
      readonly why: Findings;
      /**
       * The answer states its cost and the call was for money, so the price is remembered. This is not read
       * back.
       */
      readonly showsPrice?: true;
      /** It may have cost less than `charged`: no one stated its price. This is not read back. */
      readonly isAtMost?: true;
      /** How a change left its subject; without it as before. This is not read back. */
      readonly leftFacts?: SubjectFacts;
      /** Mark of the dialect that judged it, see `dialectMark`. It is read back only with the answer. */
      readonly dialect?: number;
      /** The id by which the vendor was asked for it, of a call that it answered later. */
      readonly vendorId?: string;
    }
  /** The request surely never reached the vendor; not charged. */
  | { readonly kind: 'not_sent'; readonly why: Findings }
  /** The vendor said "too fast"; not charged. */
  | { readonly kind: 'paused'; readonly why: Findings }
  /**
   * The vendor says that it has not served a lookup, and when to ask again; not charged. A second such end of
   * a call is kept as one in doubt.
   */
  | { readonly kind: 'not_served'; readonly why: Findings }
  /** The vendor refused the key, the credits or the address; not charged. */
  | { readonly kind: 'stopped'; readonly why: Findings }
  /** The request may have reached the vendor, and no usable answer came. */
  | { readonly kind: 'in_doubt'; readonly why: Findings }
  /**
   * The vendor answers later, and is asked by its id at `laterPath` for the answer until then. Where another
   * call of the account has that id there, both are in doubt instead, and `ifShared` says why.
   */
  | {
      readonly kind: 'accepted';
      readonly vendorId: string;
      readonly laterPath: string;
      readonly why: Findings;
      readonly ifShared: Findings;
    };

/** What an answer means by a later dialect than the one that settled it; it may turn out to be none. */
export interface Reading {
  readonly attempt: AttemptId;
  readonly answer: ReadAs;
  /** The cost by this dialect. The stored cost is never less than the answer was booked at before. */
  readonly charged: Credits;
  readonly why: Findings;
  readonly dialect: number;
  readonly atMs: number;
  readonly showsPrice?: true;
  /** Of the rows that it puts in doubt; left out: `why`. */
  readonly findings?: Findings;
}

/** What an answer is. A plan reads a million of them. */
export interface KnownAnswer<Kind extends ReadAs = AnswerKind> {
  readonly attempt: AttemptId;
  readonly batch: BatchId;
  /** The kind by the newest reading that the reader may know. `why` is by the same reading. */
  readonly kind: Kind;
  readonly why: Findings;
  /** The batch that asks buys it anew. */
  readonly isTooOld?: true;
  /** When the answer and what was asked were erased; the body is blank then. */
  readonly erasedAtMs?: number;
  /** Mark of the dialect that read it; absent for a told answer. */
  readonly dialect?: number;
}

export interface AnswerRecord<Kind extends ReadAs = AnswerKind> extends KnownAnswer<Kind> {
  /** The account that was asked. */
  readonly accountIdentity: string;
  readonly call: Call;
  readonly answeredAtMs: number;
  /** The charge by the newest reading of all. */
  readonly charged: Credits;
  readonly status: number;
  /** It may come as its text, see `KeptBody`. */
  readonly body: KeptBody;
  /** The lowest row of `batch` that used this answer: that row counts as having paid. */
  readonly paidRow: RowNumber;
}

/** An answer that was just bought, or told. */
export type AnswerAtHand = KnownAnswer & Partial<Pick<AnswerRecord, 'body'>>;

/** An attempt without a known answer, or one about which a person may decide like about one. */
export interface Doubt extends AttemptRecord {
  readonly why: Findings;
  /** With all other doubts about its call. */
  readonly atRisk: Credits;
  /** How often a rule has already sent this call again without an answer. */
  readonly repeats: number;
  /**
   * A change that counted as done, and that a newer dialect does not read as done. It is never sent again.
   */
  readonly isUnproven?: boolean;
  /** No doubt yet: the vendor has accepted it, and answers later. */
  readonly isAccepted?: boolean;
  /** Its call was sent again, or bought anew, and no row waits for this attempt, which holds its credits. */
  readonly isBeside?: boolean;
}

/** The vendor's reply to a free request about an attempt in doubt, or the things that a person saw there. */
export interface Look {
  readonly attempt: AttemptId;
  /** `read_back` is about this call, `usage` the vendor's total count of credits; a `person` saw it there. */
  readonly kind: 'read_back' | 'usage' | 'person';
  /** `happened`: the vendor did it or charged for it. `not_happened`: neither. `unclear`: the doubt stays. */
  readonly said: 'happened' | 'not_happened' | 'unclear';
  /** A clause for the user. */
  readonly why: string;
  readonly status: number;
  readonly body: Buffer;
  readonly atMs: number;
}

/** A call that is being asked: by another run, or by a run that has ended since and left it open. */
export interface InFlight {
  readonly kind: 'in_flight';
}

/**
 * How much is read of a call's state: `kind` is what the answer is, `whole` all that is spent or shown.
 */
export type Detail = 'kind' | 'whole';

type AnswerOf<Kind extends ReadAs, Level> = Level extends 'whole' ? AnswerRecord<Kind> : KnownAnswer<Kind>;

export type CallState<Level extends Detail = 'whole'> =
  /** No attempt of the call was ever made. */
  | { readonly kind: 'unknown' }
  /** The first attempt of the call is under way. */
  | InFlight
  /** The call has an answer. */
  | { readonly kind: 'answered'; readonly answer: AnswerOf<AnswerKind, Level> }
  /** The vendor has accepted the call, and answers later. */
  | {
      readonly kind: 'accepted';
      readonly accepted: Level extends 'whole' ? AttemptRecord : Pick<AttemptRecord, 'attempt' | 'batch'>;
    }
  /** The answer is none by the newest reading, so the call may be bought again. */
  | {
      readonly kind: 'unanswered';
      readonly answer: AnswerOf<NoAnswerKind, Level>;
      /** A person has left it out of the asking batch. */
      readonly isSkipped?: boolean;
    }
  /** The call may have been charged, and has no usable answer. */
  | {
      readonly kind: 'in_doubt';
      readonly doubt: Level extends 'whole' ? Doubt : Pick<Doubt, 'attempt' | 'batch'>;
      /** The last decision of the asking batch about the call, unless an attempt has already used it. */
      readonly decision?: Decision;
      /** The attempt that sends it again, and is under way. */
      readonly sentAgainAs?: AttemptId;
    };

/**
 * What was decided about a call in doubt and no attempt has done yet. What a rule left unused is decided anew
 * by the next run.
 */
export function standingDecision(state: CallState): Decision | undefined {
  return state.kind === 'in_doubt' && state.decision?.kind !== 'repeat' ? state.decision : undefined;
}

/** A call that has an answer, or had one that turned out to be none. */
export function answeredCall<Found extends Pick<AnswerRecord<ReadAs>, 'kind'>>(
  answer: Found,
): SettledCall<Found> {
  const kind = isAnswer(answer.kind) ? 'answered' : 'unanswered';
  return { kind, answer } as SettledCall<Found>;
}

type SettledCall<Found> =
  | { readonly kind: 'answered'; readonly answer: Found & { readonly kind: AnswerKind } }
  | { readonly kind: 'unanswered'; readonly answer: Found & { readonly kind: NoAnswerKind } };

/**
 * The decision about a call in doubt:
 * - `repeat`: a rule sends the call again, because that is harmless.
 * - `retry`: the job or a person sends the call again, for extra credits of the batch.
 * - `skip`: a person leaves the rows of the call out of the batch.
 * - `told`: a person said what happened, and that is the answer.
 */
export type DecisionKind = 'repeat' | 'retry' | 'skip' | 'told';

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
  /** The person who made it, where one was named. */
  readonly operator?: string;
}

/** An end by the newest dialect that read the answer, which may say that it was none. */
export type ReadEnd =
  | Exclude<End, { readonly kind: 'answered' | 'accepted' }>
  | { readonly kind: 'accepted'; readonly why: Findings }
  | { readonly kind: 'answered'; readonly answer: ReadAs; readonly charged: Credits; readonly why: Findings };

/** An attempt with all that is known about it. */
export interface AttemptRecord {
  readonly attempt: AttemptId;
  /** The key of its call. It is another key than at its sending, once the call was erased. */
  readonly key: CallKey;
  readonly accountIdentity: string;
  readonly batch: BatchId;
  readonly row: RowNumber;
  readonly call: Call;
  /** The person who sent it, where one was named. */
  readonly operator?: string;
  readonly reserved: Credits;
  readonly sentAtMs: number;
  /** The reply that answered it, or the first one. */
  readonly reply?: Reply;
  /** The id by which the vendor answers, or was to answer, later. */
  readonly vendorId?: string;
  /** Another call has or had the same id, so no one is asked by it. */
  readonly sharesId?: true;
  readonly end?: ReadEnd & { readonly endedAtMs: number };
  /** What a person said that the vendor answered, where its end is a doubt. */
  readonly toldAnswer?: Pick<Extract<ReadEnd, { readonly kind: 'answered' }>, 'answer' | 'charged'>;
  readonly decision?: Decision;
  /** What was decided or told about it, oldest first. */
  readonly decisions: readonly Decision[];
  readonly replaces?: AttemptId;
  readonly request?: KeyedRequest;
  /** Looks at this attempt, oldest first. */
  readonly looks: readonly Look[];
  /** Why and when the money at risk was released; absent while it was not. */
  readonly released?: { readonly why: Findings; readonly atMs: number };
}

/** A request that left, and when its answer settled its call, if it did. Both are wall-clock times. */
export interface SentTimes {
  readonly atMs: number;
  readonly answeredAtMs?: number;
}

export interface RowAnswer
  extends Pick<
    AnswerRecord,
    | ('attempt' | 'batch' | 'kind' | 'why' | 'call' | 'accountIdentity')
    | ('charged' | 'answeredAtMs' | 'paidRow' | 'body')
  > {
  /** Whether it filled a step of the row; left out where the row was kept without `FinishedRow.fills`. */
  readonly fills?: boolean;
}

export interface RowRecord {
  readonly row: RowNumber;
  /** Undefined for a pending row: its answers are those so far. */
  readonly outcome: Outcome | undefined;
  readonly answers: readonly RowAnswer[];
}

export type EndedRow = RowRecord & { readonly outcome: Outcome };
export const hasEnded = (record: RowRecord): record is EndedRow => record.outcome !== undefined;
