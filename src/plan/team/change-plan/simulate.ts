import { hash } from 'node:crypto';
import { merged, objectWith } from '../../../core/answer-body.ts';
import { questionOf } from '../../../core/call-key.ts';
import type { Call, JsonObject, JsonValue, Operation } from '../../../core/operation.ts';
import type { Outcome } from '../../../core/row.ts';
import type { Dialect } from '../../../vendor/dialect.ts';
import { answerPlaceOf } from '../../../vendor/envelope.ts';
import { RowWalk } from '../../row-walk.ts';

/** The calls that a row makes, in their order, and how it ends, when the vendor does all that it is asked. */
export interface Way {
  readonly calls: readonly Call[];
  readonly outcome: Outcome;
}

/**
 * Stands for an id that the vendor has yet to give, the same for equal calls. It is never sent: a run walks the row anew
 * with real answers.
 */
function idToCome(call: Call): string {
  return `to-come-${hash('sha256', questionOf(call), 'hex').slice(0, 16)}`;
}

/** Each call is answered with success, so that an operation needs no words of its own for what it is about to do. */
export function wayOf(operation: Operation, work: unknown, dialect: Dialect): Way {
  const { calls, outcome } = new RowWalk(operation, work).ahead((call) => ({
    kind: 'found',
    fields: successOf(call, dialect),
  }));
  return { calls: calls.map(({ call }) => call), outcome };
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
