import type { CallKey } from '../../call-key.ts';
import type { Position } from '../../format.ts';
import {
  type AccountCaps,
  type AnswerRecord,
  type AttemptId,
  type Batch,
  type BatchId,
  type Closure,
  type Credits,
  credits,
  type Decision,
  type Doubt,
  type Intent,
  type Money,
  type RawReply,
  type SettledRow,
} from '../../ledger.ts';
import type { Call } from '../../operation.ts';
import type { RowNumber } from '../../row.ts';

/** What a ledger holds, as lists. Everything that can be added up is added up when it is asked for. */

export interface KeptAccount {
  caps: AccountCaps;
  pausedUntilMs: number | undefined;
  answers: number;
  answersNot404: number;
}

export interface KeptBatch {
  batch: Batch;
  budget: Credits | undefined;
  extraCredits: Credits | undefined;
  readonly rows: Map<RowNumber, SettledRow>;
  readonly marks: Position[];
}

export interface KeptCall {
  readonly key: CallKey;
  readonly accountIdentity: string;
  readonly call: Call;
  answer: KeptAttempt | undefined;
  doubt: KeptAttempt | undefined;
  repeats: number;
}

export interface KeptAttempt {
  readonly id: AttemptId;
  readonly intent: Intent;
  readonly call: KeptCall;
  readonly decision: Decision | undefined;
  reply: RawReply | undefined;
  closure: (Closure & { readonly closedAtMs: number }) | undefined;
  told: { readonly decision: Decision; readonly reply: RawReply } | undefined;
  retracted: boolean;
  paidRow: RowNumber;
}

export interface KeptDecision {
  readonly decision: Decision;
  /** The loss that it is about. */
  readonly doubt: KeptAttempt;
}

export class MemoryBook {
  /** The command of whoever spends from it. */
  spender: string | undefined;
  readonly accounts = new Map<string, KeptAccount>();
  readonly batches: KeptBatch[] = [];
  readonly calls = new Map<CallKey, KeptCall>();
  readonly attempts: KeptAttempt[] = [];
  readonly decisions: KeptDecision[] = [];

  account(identity: string): KeptAccount {
    const known = this.accounts.get(identity);
    if (known !== undefined) return known;
    const account = { caps: {}, pausedUntilMs: undefined, answers: 0, answersNot404: 0 };
    this.accounts.set(identity, account);
    return account;
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
    for (const attempt of this.attempts.filter(picked)) {
      const { closure, told, intent } = attempt;
      if (closure === undefined) sums.reserved += intent.reserve;
      else if (closure.kind === 'settled') sums.spent += closure.charged;
      else if (closure.kind === 'in_doubt' && told === undefined) sums.inDoubt += intent.reserve;
      else if (closure.kind === 'in_doubt') sums.spent += intent.reserve;
    }
    const { spent, reserved, inDoubt } = sums;
    return {
      ...(cap === undefined ? {} : { cap }),
      spent: credits(spent),
      reserved: credits(reserved),
      inDoubt: credits(inDoubt),
    };
  }

  /** Of the account in the day or month (UTC) of a time. */
  periodMoney(identity: string, scope: 'day' | 'month', atMs: number): Money {
    const caps = this.accounts.get(identity)?.caps;
    const cap = scope === 'day' ? caps?.perDay : caps?.perMonth;
    const period = periodOf(scope, atMs);
    return this.money(
      cap,
      ({ intent }) => intent.accountIdentity === identity && periodOf(scope, intent.atMs) === period,
    );
  }
}

function periodOf(scope: 'day' | 'month', atMs: number): string {
  return new Date(atMs).toISOString().slice(0, scope === 'day' ? 10 : 7);
}

/** An attempt that may have been charged uses its decision up; one that never left gives it back. */
export function usesDecision(attempt: KeptAttempt): boolean {
  return attempt.closure === undefined || ['settled', 'in_doubt'].includes(attempt.closure.kind);
}

/** The answer that an attempt brought, or that a person told about it. */
export function answerOf(attempt: KeptAttempt): AnswerRecord | undefined {
  const { id, intent, told, closure, reply, paidRow } = attempt;
  const common = { attempt: id, batch: intent.batch, call: intent.call, paidRow };
  if (told !== undefined) {
    const { status, body, receivedAtMs: answeredAtMs } = told.reply;
    const { why } = told.decision;
    return { ...common, kind: 'found', why, charged: intent.reserve, status, body, answeredAtMs };
  }
  if (closure?.kind !== 'settled' || reply === undefined) return undefined;
  const { answer: kind, why, charged } = closure;
  return {
    ...common,
    kind,
    why,
    charged,
    status: reply.status,
    body: reply.body,
    answeredAtMs: reply.receivedAtMs,
  };
}

export function doubtOf(call: KeptCall, attempt: KeptAttempt): Doubt {
  const { id, intent, closure } = attempt;
  return {
    key: call.key,
    call: call.call,
    attempt: id,
    batch: intent.batch,
    row: intent.row,
    atRisk: intent.reserve,
    why: closure?.why ?? '',
    sentAtMs: intent.atMs,
    repeats: call.repeats,
  };
}
