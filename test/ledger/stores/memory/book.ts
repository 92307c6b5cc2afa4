import type { CallKey } from '../../../../src/core/call-key.ts';
import type { Digests } from '../../../../src/core/format.ts';
import { type Subject, type SubjectFacts, subjectText } from '../../../../src/core/membership.ts';
import type { Call } from '../../../../src/core/operation.ts';
import type { RowNumber } from '../../../../src/core/row.ts';
import {
  type AccountCaps,
  type Act,
  type Agreement,
  type AnswerRecord,
  type AttemptId,
  type Batch,
  type BatchId,
  type BootMoment,
  CHARGED_ONCE,
  type Closure,
  type Credits,
  credits,
  type Decision,
  type Doubt,
  type FinishedRow,
  type Intent,
  isAnswer,
  type LearnedRate,
  type Look,
  type Misses,
  type Money,
  type PauseRecord,
  type PlannedRow,
  type RawReply,
  type ReadAs,
  type Reading,
  type TimeMark,
  type UsageMark,
} from '../../../../src/ledger/ledger.ts';
import type { KeptNotice } from './notices.ts';

/** What a ledger holds, as lists. Everything that can be added up is added up when it is asked for. */

export interface KeptAccount {
  caps: AccountCaps;
  pausedUntilMs: number | undefined;
  answers: number;
  answersNot404: number;
  /** The newest attempt that was answered with anything but a 404; 0 before the first. */
  lastOther: number;
  misses: Misses;
  learned: LearnedRate | undefined;
  usage: UsageMark | undefined;
  pauses: PauseRecord[];
}

export const NO_MISSES: Misses = { count: 0, kept: false };

/** `readTo`: how many readings there were when it was settled, of which it knows no later ones. */
export type KeptRow = FinishedRow & { readonly readTo: number };

export interface KeptBatch {
  batch: Batch;
  budget: Credits | undefined;
  extraCredits: Credits | undefined;
  readonly rows: Map<RowNumber, KeptRow>;
  readonly digests: Digests[];
  /** In the order of the rows. */
  readonly plan: readonly PlannedRow[];
}

export interface KeptBoot {
  readonly id: string;
  seen: TimeMark;
  confirmed: TimeMark | undefined;
  isRefuted: boolean;
}

export interface KeptCall {
  readonly key: CallKey;
  readonly accountIdentity: string;
  readonly call: Call;
  /** Of a change. */
  readonly subject: KeptSubject | undefined;
  answer: KeptAttempt | undefined;
  doubt: KeptAttempt | undefined;
  repeats: number;
}

export interface KeptAttempt {
  readonly id: AttemptId;
  readonly intent: Intent;
  /** In which it was made; undefined: unknown. */
  readonly boot: KeptBoot | undefined;
  readonly call: KeptCall;
  readonly decision: Decision | undefined;
  reply: RawReply | undefined;
  closure: (Closure & { readonly closedAtMs: number }) | undefined;
  told: { readonly decision: Decision; readonly reply: RawReply } | undefined;
  /** It was in doubt, and its reply is the call's answer as it was read since. */
  read: boolean;
  /** Of the attempts that were told about together, the one that became the answer. */
  toldAsAnswer: boolean;
  retracted: boolean;
  /** Of one that was answered with a 404: the newest attempt by then. */
  newest: number | undefined;
  readonly looks: Look[];
  released: { readonly why: string; readonly atMs: number } | undefined;
  /** The attempt whose release or answer gave back what this one held. */
  freedBy: KeptAttempt | undefined;
  paidRow: RowNumber;
}

export interface KeptDecision {
  readonly decision: Decision;
  /** The loss that it is about. */
  readonly doubt: KeptAttempt;
}

/** Whom or what changes alter. Its sequence is the length of its log. */
export interface KeptSubject {
  readonly accountIdentity: string;
  readonly subject: Subject;
  readonly changes: KeptChange[];
}

/** A settled change, and how it left its subject. */
export interface KeptChange {
  readonly attempt: KeptAttempt;
  readonly facts: SubjectFacts | undefined;
  readonly atMs: number;
}

export class MemoryBook {
  /** The command of whoever spends from it. */
  spender: string | undefined;
  readonly accounts = new Map<string, KeptAccount>();
  readonly batches: KeptBatch[] = [];
  readonly calls = new Map<CallKey, KeptCall>();
  readonly attempts: KeptAttempt[] = [];
  readonly decisions: KeptDecision[] = [];
  readonly readings: Reading[] = [];
  readonly boots: KeptBoot[] = [];
  /** What was last written at a path. */
  readonly files = new Map<string, readonly string[]>();
  readonly agreements = new Map<string, Agreement>();
  readonly notices = new Map<string, KeptNotice>();
  readonly acts: (Act & { readonly batch: BatchId })[] = [];
  /** Since when batches are paused. */
  readonly holds = new Map<BatchId, number>();
  /** The highest price that was shown, by account, operation and `creditsMost`. */
  readonly prices = new Map<string, Credits>();
  /** By account and subject. */
  readonly subjects = new Map<string, KeptSubject>();
  /** Batches whose spent credits are the most that was charged. */
  readonly estimates = new Set<BatchId>();

  estimate({ intent }: KeptAttempt): void {
    this.estimates.add(intent.batch);
  }

  account(identity: string): KeptAccount {
    const known = this.accounts.get(identity);
    if (known !== undefined) return known;
    const account: KeptAccount = {
      caps: {},
      pausedUntilMs: undefined,
      answers: 0,
      answersNot404: 0,
      lastOther: 0,
      misses: NO_MISSES,
      learned: undefined,
      usage: undefined,
      pauses: [],
    };
    this.accounts.set(identity, account);
    return account;
  }

  /** The latest time that was ever confirmed, and not refuted. */
  confirmedTime(): number | undefined {
    const times = this.boots.flatMap(({ confirmed }) => confirmed?.atMs ?? []);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** Of the newest intent, if it was made in that boot and may have cost money. */
  newestDate(boot: KeptBoot): TimeMark | undefined {
    const newest = this.attempts.at(-1);
    const first = this.batches.findIndex(({ batch }) => !batch.sandbox);
    const uptimeMs = newest?.intent.uptimeMs;
    if (newest?.boot !== boot || uptimeMs === undefined || first < 0) return undefined;
    const isPlay = this.batches.findIndex(({ batch }) => batch.id === newest.intent.batch) < first;
    return isPlay ? undefined : { atMs: newest.intent.atMs, uptimeMs };
  }

  /** Whether all batches are of sandboxes. */
  isPlay(): boolean {
    return this.batches.every(({ batch }) => batch.sandbox);
  }

  /** One that is new is kept with the first attempt that is admitted for it. */
  subject(accountIdentity: string, subject: Subject): KeptSubject {
    const known = this.subjects.get(subjectKey(accountIdentity, subject));
    return known ?? { accountIdentity, subject, changes: [] };
  }

  keepSubject(subject: KeptSubject): void {
    this.subjects.set(subjectKey(subject.accountIdentity, subject.subject), subject);
  }

  batch(id: BatchId): KeptBatch | undefined {
    return this.batches.find(({ batch }) => batch.id === id);
  }

  attempt(id: AttemptId): KeptAttempt | undefined {
    return this.attempts[id - 1];
  }

  /** What the attempts that are picked add up to. */
  money(cap: Credits | undefined, picked: (attempt: KeptAttempt) => boolean): Money {
    const sums = { spent: 0, reserved: 0, inDoubt: 0 };
    for (const attempt of this.attempts) {
      const { closure, told, intent } = attempt;
      // An answer under an idempotency key is spent where the first request under it was risked.
      if ((closure?.kind === 'answered' || attempt.read) && picked(this.#payer(attempt)))
        sums.spent += this.booked(attempt);
      if (!picked(attempt)) continue;
      if (closure === undefined) sums.reserved += intent.reserve;
      if (told !== undefined) sums.spent += intent.reserve;
      if (holds(attempt)) sums.inDoubt += intent.reserve;
    }
    const { spent, reserved, inDoubt } = sums;
    return {
      ...(cap === undefined ? {} : { cap }),
      spent: credits(spent),
      reserved: credits(reserved),
      inDoubt: credits(inDoubt),
    };
  }

  /** What an answer is booked at: by its newest reading, which is never less than the one before. */
  booked({ id, closure, intent }: KeptAttempt): Credits {
    const newest = this.readings.findLast(({ attempt }) => attempt === id);
    return newest?.charged ?? (closure?.kind === 'answered' ? closure.charged : intent.reserve);
  }

  #payer(attempt: KeptAttempt): KeptAttempt {
    return this.attempts.find(({ freedBy }) => freedBy === attempt) ?? attempt;
  }

  /** Earlier attempts under the same idempotency key that still hold money: to the vendor they are one request. */
  repeated(attempt: KeptAttempt): readonly KeptAttempt[] {
    const key = attempt.intent.request?.idempotencyKey;
    if (key === undefined) return [];
    return this.attempts.filter(
      (other) => other.id < attempt.id && other.intent.request?.idempotencyKey === key && holds(other),
    );
  }

  /** Of the account in the day or month (UTC) of a time, or since it began. */
  periodMoney(identity: string, scope: 'day' | 'month' | 'ever', atMs: number, leastMs = atMs): Money {
    if (scope === 'ever') return this.money(undefined, ({ intent }) => intent.accountIdentity === identity);
    const caps = this.accounts.get(identity)?.caps;
    const cap = scope === 'day' ? caps?.perDay : caps?.perMonth;
    const periods = [atMs, leastMs].map((ms) => periodOf(scope, ms));
    return this.money(
      cap,
      ({ intent }) => intent.accountIdentity === identity && periods.includes(periodOf(scope, intent.atMs)),
    );
  }
}

export function priceKey(
  accountIdentity: string,
  { operation, creditsMost }: Pick<Call, 'operation' | 'creditsMost'>,
): string {
  return JSON.stringify([accountIdentity, operation, creditsMost]);
}

function subjectKey(accountIdentity: string, subject: Subject): string {
  return JSON.stringify([accountIdentity, subjectText(subject)]);
}

function periodOf(scope: 'day' | 'month', atMs: number): string {
  return new Date(atMs).toISOString().slice(0, scope === 'day' ? 10 : 7);
}

/** Whether it was lost, and nobody knows yet whether it was charged. */
export function holds({ closure, told, freedBy, read }: KeptAttempt): boolean {
  return closure?.kind === 'in_doubt' && told === undefined && freedBy === undefined && !read;
}

/** An attempt that may have been charged uses its decision up; one that was not gives it back. */
export function usesDecision(attempt: KeptAttempt): boolean {
  return attempt.closure === undefined || attempt.closure.kind === 'answered' || holds(attempt);
}

export function releaseOf({ freedBy }: KeptAttempt): KeptAttempt['released'] {
  if (freedBy?.closure === undefined) return undefined;
  return freedBy.released ?? { why: CHARGED_ONCE, atMs: freedBy.closure.closedAtMs };
}

export function lostRefreshes(book: MemoryBook, answer: AttemptId): readonly KeptAttempt[] {
  return book.attempts.filter(
    ({ intent, closure }) => intent.replaces === answer && closure?.kind === 'in_doubt',
  );
}

/**
 * The answer that an attempt brought, or that a person told about it.
 * @param readTo how many of the readings count; left out: all.
 */
export function answerOf(
  book: MemoryBook,
  attempt: KeptAttempt,
  readTo = book.readings.length,
): AnswerRecord<ReadAs> | undefined {
  const { id, intent, told, closure, reply, paidRow } = attempt;
  const common = { attempt: id, batch: intent.batch, call: intent.call, paidRow };
  if (told !== undefined) {
    const { status, body, receivedAtMs: answeredAtMs } = told.reply;
    const { why } = told.decision;
    return { ...common, kind: 'found', why, charged: intent.reserve, status, body, answeredAtMs };
  }
  const reading = book.readings.slice(0, readTo).findLast((each) => each.attempt === id);
  const taken = reading ?? (closure?.kind === 'answered' ? closure : undefined);
  if (taken === undefined || reply === undefined) return undefined;
  const { answer: kind, why, dialect } = taken;
  return {
    ...common,
    kind,
    why,
    charged: book.booked(attempt),
    ...(dialect === undefined ? {} : { dialect }),
    status: reply.status,
    headers: reply.headers,
    body: reply.body,
    answeredAtMs: reply.receivedAtMs,
  };
}

/** What was taken for the call's answer, and is none by its newest reading. */
export function isUnanswered(book: MemoryBook, { answer }: KeptCall): boolean {
  const read = answer && answerOf(book, answer);
  return read !== undefined && !isAnswer(read.kind);
}

/** The newest answer of the call that was not taken back, whatever it is read as. */
export function newestAnswer(book: MemoryBook, call: KeptCall): KeptAttempt | undefined {
  return book.attempts.findLast(
    (attempt) => attempt.call === call && !attempt.retracted && answerOf(book, attempt) !== undefined,
  );
}

export function doubtOf(book: MemoryBook, call: KeptCall, attempt: KeptAttempt): Doubt {
  const { id, intent, closure } = attempt;
  const held = book.attempts.filter((other) => other.call === call && holds(other));
  const key = intent.request?.idempotencyKey;
  const first = book.attempts.find(
    (other) => key !== undefined && other.intent.request?.idempotencyKey === key,
  );
  const [sentBoot, firstBoot] = [momentOf(book, attempt), momentOf(book, first ?? attempt)];
  return {
    key: call.key,
    call: call.call,
    attempt: id,
    batch: intent.batch,
    row: intent.row,
    atRisk: credits(held.reduce((sum, other) => sum + other.intent.reserve, 0)),
    why: closure?.why ?? '',
    sentAtMs: intent.atMs,
    ...(sentBoot === undefined ? {} : { sentBoot }),
    ...(firstBoot === undefined ? {} : { firstBoot }),
    repeats: call.repeats,
    ...(intent.request === undefined ? {} : { request: intent.request }),
  };
}

function momentOf(
  { boots }: MemoryBook,
  { boot, intent: { uptimeMs } }: KeptAttempt,
): BootMoment | undefined {
  if (boot === undefined || uptimeMs === undefined) return undefined;
  const isRefuted = boots.slice(boots.indexOf(boot)).some((each) => each.isRefuted);
  return { id: boot.id, uptimeMs, isConfirmed: boot.confirmed !== undefined && !isRefuted };
}
