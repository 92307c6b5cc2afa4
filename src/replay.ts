import { type CallKey, callKeyOf } from './call-key.ts';
import { invariant, unreachable } from './errors.ts';
import { readBody } from './judge.ts';
import type { AnswerRecord, AttemptId } from './ledger.ts';
import type { Answer, Call, Operation } from './operation.ts';
import type { Outcome } from './row.ts';

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
    const step = operation.next(input, (call) => answerOf(answered.get(keyOf(call))));
    if (step.kind === 'end') return { kind: 'ended', outcome: step.outcome, answers: answers() };
    const key = keyOf(step.call);
    invariant(!answered.has(key), `${operation.name} asks again for what was answered`);
    const found = await answerTo(step.call, key);
    if (!isAnswer(found)) return { kind: 'halted', at: found, answers: answers() };
    answered.set(key, found.answer);
  }
  throw new Error(`Rowonce has a bug: ${operation.name} asked for more than ${MOST_CALLS_A_ROW} calls`);
}

/** Every call that a row makes when nothing matches: what it costs at worst, and what makes two rows equal. */
export function callsAtWorst(operation: Operation, input: unknown, accountIdentity: string): readonly Call[] {
  const missed = new Map<CallKey, Answer>();
  const calls: Call[] = [];
  while (calls.length < MOST_CALLS_A_ROW) {
    const step = operation.next(input, (call) => missed.get(callKeyOf(accountIdentity, call)));
    if (step.kind === 'end') break;
    calls.push(step.call);
    missed.set(callKeyOf(accountIdentity, step.call), { kind: 'no_match' });
  }
  return calls;
}

function isAnswer(found: Answering | { readonly kind: string }): found is Answering {
  return found.kind === 'answered';
}

/** The ledger's answer as an operation sees it; the body is read only when the operation looks. */
function answerOf(record: AnswerRecord | undefined): Answer | undefined {
  if (record === undefined) return undefined;
  switch (record.kind) {
    case 'found':
      return {
        kind: 'found',
        get fields() {
          const body = readBody(record.body);
          return body.kind === 'json' ? body.value : null;
        },
      };
    case 'no_match':
      return { kind: 'no_match' };
    case 'refused':
      return { kind: 'refused', words: record.why };
    default:
      return unreachable(record.kind);
  }
}
