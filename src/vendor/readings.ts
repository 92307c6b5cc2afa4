import { hash } from 'node:crypto';
import { unreachable } from '../core/errors.ts';
import type {
  AnswerRecord,
  AttemptId,
  AttemptRecord,
  CallState,
  Closure,
  KnownAnswer,
  KnownCall,
  LedgerReader,
} from '../ledger/ledger.ts';
import type { Dialect } from './dialect.ts';
import { judge } from './judge.ts';
import { operationFor } from './request.ts';

/**
 * What a kept answer means by the dialect of today. The raw reply is kept so that a dialect that was wrong is corrected
 * without another request: whoever uses an answer that another dialect read judges its reply again. What was told by a
 * person, and what changed the service, stays as it was settled.
 */

/** Raised when the program itself comes to judge replies otherwise. */
const JUDGED_SINCE = 1;

/** 48 bits, which a number holds exactly. */
const HEX_DIGITS = 12;

const MARKS = new WeakMap<Dialect, number>();

/** What a dialect is known by in the ledger: a hash over all that answers are judged by, and not over how to ask. */
export function dialectMark(dialect: Dialect): number {
  const known = MARKS.get(dialect);
  if (known !== undefined) return known;
  const { answers, fields_at, credits_charged, operations, through } = dialect;
  const judged = Object.entries(operations).map(
    ([name, { answers, repeated, credits, results, redirect }]) =>
      [name, { answers, repeated, credits, results, redirect }] as const,
  );
  const { answer, answers: outer } = through?.envelope ?? {};
  const parts = [JUDGED_SINCE, answers, fields_at, credits_charged, judged, answer, outer];
  const text = JSON.stringify(parts, (_, value: unknown) => (isObject(value) ? sorted(value) : value));
  const mark = Number.parseInt(hash('sha256', text, 'hex').slice(0, HEX_DIGITS), 16);
  MARKS.set(dialect, mark);
  return mark;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** As it would be settled today; undefined when the dialect of today would not settle it, or does not know what was asked. */
export type Judged = Closure & { readonly kind: 'settled' };

/** No redirect is followed to where a kept reply came from. */
const NOWHERE = { origin: 'https://kept.invalid', path: '/' };

/** What the reply of any attempt means today, whether or not that is ever applied. */
export function judgedToday(record: AttemptRecord, dialect: Dialect): Judged | undefined {
  const { reply, call, decision, request } = record;
  if (reply === undefined || !Object.hasOwn(dialect.operations, call.operation)) return undefined;
  // What is left of an answer that was erased is blank, which some dialects take for a word.
  if (call.erasedAtMs !== undefined) return undefined;
  const operation = operationFor(dialect, call, {
    isRepeated: decision !== undefined && decision.kind !== 'told',
    underKey: request !== undefined && decision?.kind === 'repeat',
  });
  const verdict = judge({ kind: 'answered', raw: reply }, dialect, operation, NOWHERE);
  return verdict.kind === 'settle' ? verdict.closure : undefined;
}

/**
 * Whether a reading of it is ever applied: it is the vendor's own answer to a question, or a reply to one that is in doubt.
 * One that repeats a lost request is left in doubt, because the money for both is held by the first.
 */
export function isReadAgain({ closure, call, reply, decision }: AttemptRecord): boolean {
  if (call.change !== undefined || closure === undefined || reply === undefined) return false;
  if (decision?.kind === 'told' || decision?.kind === 'repeat') return closure.kind === 'settled';
  return closure.kind === 'settled' || closure.kind === 'in_doubt';
}

/** An answer that another dialect read, and what it means by that of today. */
export interface ReadAgain {
  readonly record: AttemptRecord;
  readonly judged: Judged;
}

/**
 * The states as the dialect of today reads them, in their order. A call that is in doubt about a reply which it can read
 * is answered.
 * @param keep is awaited for each answer that was read again, before any state of it is used.
 */
export async function asReadToday<State extends KnownCall | CallState>(
  states: readonly State[],
  { ledger, dialect }: { readonly ledger: Pick<LedgerReader, 'attempts'>; readonly dialect: Dialect },
  keep: (read: ReadAgain) => Promise<void> = async () => {},
): Promise<readonly State[]> {
  const today = dialectMark(dialect);
  const others = states.flatMap((state) => attemptToRead(state, today) ?? []);
  if (others.length === 0) return states;
  const read = new Map<number, ReadAgain>();
  for (const record of await ledger.attempts([...new Set(others)])) {
    const judged = isReadAgain(record) ? judgedToday(record, dialect) : undefined;
    if (judged === undefined) continue;
    await keep({ record, judged });
    read.set(record.attempt, { record, judged });
  }
  return states.map((state) => readAs(state, read.get(attemptToRead(state, today) ?? 0)));
}

function attemptToRead(state: KnownCall | CallState, today: number): AttemptId | undefined {
  switch (state.kind) {
    case 'unknown':
      return undefined;
    case 'in_doubt':
      return state.doubt.attempt;
    case 'answered': {
      const answer: KnownAnswer = state.answer;
      return answer.dialect === today ? undefined : answer.attempt;
    }
    default:
      return unreachable(state);
  }
}

function readAs<State extends KnownCall | CallState>(state: State, read: ReadAgain | undefined): State {
  if (read === undefined || state.kind === 'unknown') return state;
  const { answer: kind, why, charged } = read.judged;
  if (state.kind === 'answered') return { ...state, answer: { ...state.answer, kind, why } };
  const { attempt, batch, row, call, reply } = read.record;
  if (reply === undefined) return state;
  const { status, body, receivedAtMs: answeredAtMs } = reply;
  const answer: AnswerRecord = {
    ...{ attempt, batch, kind, why, call, charged, status, body, answeredAtMs },
    paidRow: row,
  };
  const answered: CallState & KnownCall = { kind: 'answered', answer };
  return answered as State;
}
