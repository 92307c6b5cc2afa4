import { readBody } from '../core/answer-body.ts';
import { type CallKey, callKeyOf } from '../core/call-key.ts';
import { invariant, unreachable } from '../core/errors.ts';
import type { Answer, Call, JsonValue, Operation } from '../core/operation.ts';
import type { Outcome } from '../core/row.ts';
import type { AnswerRecord, AttemptId, KnownAnswer } from '../ledger/ledger.ts';

/** No row needs more calls; an operation that asks for more would never end. */
const MOST_CALLS_A_ROW = 20;

/** Where a row got: to its end, or to a call that could not be answered, which is then described by `at`. */
export type Replayed<Halt> =
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly answers: readonly AttemptId[] }
  | { readonly kind: 'halted'; readonly at: Halt; readonly answers: readonly AttemptId[] };

export interface Answering {
  readonly kind: 'answered';
  readonly answer: AnswerRecord;
}

/**
 * Asks the operation for the next call, over and over, until it says how the row ended. Answers come from wherever
 * `answerTo` takes them: a plan only looks into the ledger, a run buys. Since an operation is pure, going through it
 * again after a crash arrives at the same place.
 */
export async function replay<Halt extends { readonly kind: string }>(
  operation: Operation,
  input: unknown,
  accountIdentity: string,
  answerTo: (call: Call, key: CallKey) => Promise<Answering | Halt>,
): Promise<Replayed<Halt>> {
  const answered = new Map<CallKey, AnswerRecord>();
  const keyOf = (call: Call): CallKey => callKeyOf(accountIdentity, call);
  const answers = (): AttemptId[] => [...answered.values()].map(({ attempt }) => attempt);
  for (let calls = 0; calls <= MOST_CALLS_A_ROW; calls += 1) {
    const step = operation.next(input, (call) => {
      const record = answered.get(keyOf(call));
      return record === undefined ? undefined : answerOf(record);
    });
    if (step.kind === 'end') return { kind: 'ended', outcome: step.outcome, answers: answers() };
    const key = keyOf(step.call);
    invariant(!answered.has(key), `${operation.name} asks again for what was answered`);
    const found = await answerTo(step.call, key);
    if (!isAnswer(found)) return { kind: 'halted', at: found, answers: answers() };
    answered.set(key, found.answer);
  }
  throw new Error(`Rowonce has a bug: ${operation.name} asked for more than ${MOST_CALLS_A_ROW} calls`);
}

function isAnswer(found: Answering | { readonly kind: string }): found is Answering {
  return found.kind === 'answered';
}

/** The ledger's answer as an operation sees it; the body is read only when the operation looks. */
export function answerOf(record: AnswerRecord): Answer {
  return answerWith(record, () => {
    const body = readBody(record.body);
    return body.kind === 'json' ? body.value : null;
  });
}

/** As `answerOf`. @param fields is called when the operation looks, which hardly any does. */
export function answerWith({ kind, why }: KnownAnswer, fields: () => JsonValue): Answer {
  switch (kind) {
    case 'found':
      return {
        kind: 'found',
        get fields() {
          return fields();
        },
      };
    case 'no_match':
      return { kind: 'no_match', words: why };
    case 'refused':
      return { kind: 'refused', words: why };
    default:
      return unreachable(kind);
  }
}
