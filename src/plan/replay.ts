import { readBody } from '../core/answer-body.ts';
import type { CallKey } from '../core/call-key.ts';
import { unreachable } from '../core/errors.ts';
import type { Answer, Call, Operation } from '../core/operation.ts';
import type { Outcome } from '../core/row.ts';
import type { AnswerRecord, AttemptId, KnownAnswer } from '../ledger/ledger.ts';
import { RowWalk } from './row-walk.ts';

/** How far a row got: to its end, or to a call without an answer, which `at` describes. */
export type Replayed<Halt> =
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly answers: readonly AttemptId[] }
  | { readonly kind: 'halted'; readonly at: Halt; readonly answers: readonly AttemptId[] };

export interface Answering {
  readonly kind: 'answered';
  readonly answer: AnswerRecord;
}

/**
 * Walks a row to its end and gets an answer for each of its calls on the way. An operation is pure, so the same walk after
 * a crash arrives at the same place.
 */
export async function replay<Halt extends { readonly kind: string }>(
  operation: Operation,
  input: unknown,
  accountIdentity: string,
  answerTo: (call: Call, key: CallKey) => Promise<Answering | Halt>,
): Promise<Replayed<Halt>> {
  const walk = new RowWalk(operation, input);
  const answers: AttemptId[] = [];
  for (;;) {
    const step = walk.step();
    if (step.kind === 'end') return { kind: 'ended', outcome: step.outcome, answers };
    const found = await answerTo(step.met.call, step.met.keyFor(accountIdentity));
    if (!isAnswer(found)) return { kind: 'halted', at: found, answers };
    walk.tell(step.met, answerOf(found.answer, operation));
    answers.push(found.answer.attempt);
  }
}

function isAnswer(found: Answering | { readonly kind: string }): found is Answering {
  return found.kind === 'answered';
}

/** The ledger's answer in the form that an operation takes. The body is read only for an operation that looks into it. */
export function answerOf(
  answer: KnownAnswer | AnswerRecord,
  { readsAnswers }: Pick<Operation, 'readsAnswers'>,
): Answer {
  const { kind, why } = answer;
  switch (kind) {
    case 'found': {
      const body = readsAnswers && 'body' in answer ? readBody(answer.body) : undefined;
      return { kind: 'found', fields: body?.kind === 'json' ? body.value : null };
    }
    case 'no_match':
      return { kind: 'no_match', words: why };
    case 'refused':
      return { kind: 'refused', words: why };
    default:
      return unreachable(kind);
  }
}
