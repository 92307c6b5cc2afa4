import { hash } from 'node:crypto';
import { objectWith } from '../../../core/answer-body.ts';
import { questionOf } from '../../../core/call-key.ts';
import { invariant } from '../../../core/errors.ts';
import type { Answer, Call, JsonObject, JsonValue, Operation } from '../../../core/operation.ts';
import type { Outcome } from '../../../core/row.ts';
import { answerPlaceOf } from '../../../vendor/answer-place.ts';
import type { Dialect } from '../../../vendor/dialect.ts';
import { merged } from '../../../vendor/envelope.ts';

/** The calls that a row makes, in their order, and how it ends, when the vendor does all that it is asked. */
export interface Way {
  readonly calls: readonly Call[];
  readonly outcome: Outcome;
}

/** No row needs more calls; an operation that asks for more would never end. */
const MOST_CALLS_A_ROW = 20;

/**
 * Stands for an id that the vendor has yet to give, the same for equal calls. It is never sent: a run walks the row anew
 * with real answers.
 */
function idToCome(call: Call): string {
  return `to-come-${hash('sha256', questionOf(call), 'hex').slice(0, 16)}`;
}

/**
 * Asks the operation for call after call and answers each with success, so that an operation needs no words of its own
 * for what it is about to do.
 */
export function wayOf(operation: Operation, work: unknown, dialect: Dialect): Way {
  const calls: Call[] = [];
  const answers = new Map<string, Answer>();
  for (;;) {
    const step = operation.next(work, (call) => answers.get(questionOf(call)));
    if (step.kind === 'end') return { calls, outcome: step.outcome };
    invariant(
      calls.length < MOST_CALLS_A_ROW,
      `${operation.name} asks for more than ${MOST_CALLS_A_ROW} calls`,
    );
    calls.push(step.call);
    answers.set(questionOf(step.call), { kind: 'found', fields: successOf(step.call, dialect) });
  }
}

/** A body as this vendor would write it, because an operation reads an answer by the dialect's names. */
function successOf(call: Call, dialect: Dialect): JsonValue {
  const paths = Object.values(dialect.operations[call.operation]?.answer_fields ?? {});
  let body: JsonObject = {};
  for (const path of paths) if (path !== undefined) body = merged(body, objectWith(path, idToCome(call)));
  const { fields, envelope } = answerPlaceOf(dialect);
  const own = fields === undefined ? body : objectWith(fields, body);
  return envelope === undefined ? own : objectWith(envelope, own);
}
