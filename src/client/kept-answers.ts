import {
  type AttemptId,
  type AttemptRecord,
  answeredCall,
  type CallState,
  credits,
  type Detail,
  isAnswer,
  type LedgerReader,
  type Reading,
} from '../ledger/ledger.ts';
import { type Dialect, dialectMark, laterOperationOf, operationFor } from './dialect.ts';
import { judge } from './judge.ts';

/**
 * Reads kept replies with the dialect of today, so that a wrong dialect is corrected without another request.
 */

/**
 * The meaning of a reply by today's dialect, and its cost by that meaning. A reply that is no answer costs
 * nothing.
 */
export type Judgment = Pick<Reading, 'answer' | 'charged' | 'why'>;

/**
 * The meaning of any attempt's reply today, whether or not it is ever applied; undefined when there is no
 * reply.
 */
export function judgedToday(record: AttemptRecord, dialect: Dialect): Judgment | undefined {
  const { reply, call, decision, request } = record;
  if (reply === undefined || !Object.hasOwn(dialect.operations, call.operation)) return undefined;
  // The rest of an erased answer is blank, which some dialects would read as an answer.
  if (call.erasedAtMs !== undefined) return undefined;
  const isLater = record.vendorId !== undefined && record.end?.kind === 'answered';
  const operation = isLater
    ? laterOperationOf(dialect, call)
    : operationFor(dialect, call, {
        isRepeated: decision !== undefined && decision.kind !== 'told',
        underKey: request !== undefined && decision?.kind === 'repeat',
      });
  const verdict = judge({ kind: 'answered', raw: reply }, dialect, operation, call);
  const { why } = verdict;
  if (verdict.kind === 'answered') return { answer: verdict.answer, charged: verdict.charged, why };
  return { answer: verdict.kind, charged: credits(0), why };
}

/** The meaning of the attempt today where it is applied; undefined for an attempt that stays as it ended. */
export function readToday(record: AttemptRecord, dialect: Dialect): Judgment | undefined {
  if (!isReadAgain(record)) return undefined;
  const judged = judgedToday(record, dialect);
  const wasAnswer = record.end?.kind === 'answered';
  return judged === undefined || wasAnswer || isAnswer(judged.answer) ? judged : undefined;
}

/**
 * Whether a new reading of the attempt is ever applied: it is the vendor's own answer to a call, or a
 * reply in doubt. An attempt that repeats a lost request stays in doubt, because the first attempt holds the
 * money for both.
 */
function isReadAgain({ end, call, reply, decision }: AttemptRecord): boolean {
  if (call.change !== undefined || end === undefined || reply === undefined) return false;
  if (decision?.kind === 'told' || decision?.kind === 'repeat') return end.kind === 'answered';
  return end.kind === 'answered' || end.kind === 'in_doubt';
}

/** An answer that another dialect read, and its meaning by today's dialect. */
export interface Rereading {
  readonly record: AttemptRecord;
  readonly judged: Judgment;
}

/**
 * The states as today's dialect reads them, in their order. A call in doubt is answered where today's dialect
 * can read the reply, and unanswered where the dialect takes the reply for no answer. The raw reply is kept
 * so that a wrong dialect is corrected without another request: an answer that another dialect read is judged
 * again from its reply before it is used. Answers that a person told, and answers to changes, stay as they
 * were settled.
 * @param dialectOf the dialect of the account that gave the state at that position.
 * @param keep is awaited for each answer that was read again, before any state with it is used.
 */
export async function asReadToday<State extends CallState<Detail>>(
  states: readonly State[],
  ledger: Pick<LedgerReader, 'attempts'>,
  dialectOf: (at: number) => Dialect,
  keep: (read: Rereading) => Promise<void> = async () => {},
): Promise<readonly State[]> {
  const others = new Map<AttemptId, Dialect>();
  const wanted = states.map((state, at) => {
    const dialect = dialectOf(at);
    const attempt = attemptToRead(state, dialectMark(dialect));
    if (attempt !== undefined) others.set(attempt, dialect);
    return attempt;
  });
  if (others.size === 0) return states;
  const read = new Map<AttemptId, Rereading>();
  for (const record of await ledger.attempts([...others.keys()])) {
    const dialect = others.get(record.attempt);
    const judged = dialect && readToday(record, dialect);
    if (judged === undefined) continue;
    await keep({ record, judged });
    read.set(record.attempt, { record, judged });
  }
  return states.map((state, at) => {
    const attempt = wanted[at];
    return attempt === undefined ? state : readAs(state, read.get(attempt));
  });
}

function attemptToRead(state: CallState<Detail>, today: number): AttemptId | undefined {
  switch (state.kind) {
    case 'unknown':
    case 'in_flight':
    case 'accepted':
      return undefined;
    case 'in_doubt':
      return state.doubt.attempt;
    case 'answered':
    case 'unanswered':
      return state.answer.dialect === today ? undefined : state.answer.attempt;
  }
}

function readAs<State extends CallState<Detail>>(state: State, read: Rereading | undefined): State {
  if (read === undefined || !('answer' in state || 'doubt' in state)) return state;
  const { answer: kind, why, charged } = read.judged;
  if (state.kind !== 'in_doubt') return answeredCall({ ...state.answer, kind, why }) as State;
  const { attempt, batch, row: paidRow, call, reply } = read.record;
  if (reply === undefined) return state;
  const { receivedAtMs: answeredAtMs, status, body } = reply;
  const answer = { attempt, batch, paidRow, kind, why, call, charged, status, body, answeredAtMs };
  return answeredCall(answer) as State;
}
