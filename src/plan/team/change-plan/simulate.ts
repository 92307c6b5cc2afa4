import { hash } from 'node:crypto';
import { answerPlaceOf, type Dialect } from '../../../client/dialect.ts';
import { merged, objectWith } from '../../../core/answer-body.ts';
import { questionOf } from '../../../core/call-key.ts';
import type { Call, JsonObject, JsonValue, Operation, PlannedWork } from '../../../core/operation.ts';
import type { Outcome } from '../../../core/row.ts';
import { RowWalk } from '../../row-walk.ts';

/** The calls that a row makes, in their order, and its outcome, when the vendor accepts all of them. */
interface Simulated {
  readonly calls: readonly Call[];
  readonly outcome: Outcome;
}

/**
 * A placeholder for an id that the vendor has not given yet. Equal calls get the same one. It is never sent, because a run
 * walks the row again with real answers.
 */
function idToCome(call: Call): string {
  return `to-come-${hash('sha256', questionOf(call), 'hex').slice(0, 16)}`;
}

/** Answers each call with success, so that an operation needs no separate description of what it is about to do. */
export function simulate(operation: Operation, work: PlannedWork, dialect: Dialect): Simulated {
  const { calls, outcome } = new RowWalk(operation, dialect, { input: work, repaired: work.repaired }).ahead(
    (call) => ({
      kind: 'found',
      fields: successOf(call, dialect),
    }),
  );
  return { calls: calls.map(({ call }) => call), outcome };
}

/** A success body in this vendor's form, because an operation reads an answer by the dialect's names. */
function successOf(call: Call, dialect: Dialect): JsonValue {
  const paths = Object.values(dialect.operations[call.operation]?.answer_fields ?? {});
  let body: JsonObject = {};
  for (const path of paths) if (path !== undefined) body = merged(body, objectWith(path, idToCome(call)));
  const { fields, envelope } = answerPlaceOf(dialect);
  const own = fields === undefined ? body : objectWith(fields, body);
  return envelope === undefined ? own : objectWith(envelope, own);
}
