import { callKeyOf } from '../../src/core/call-key.ts';
import type { Call, JsonObject, Operation, RowInput } from '../../src/core/operation.ts';

/** Every call that a row would lead to if nothing were ever found, in order; none for an invalid row. */
export function callsAsked(
  operation: Operation,
  row: RowInput,
  waterfall?: readonly string[],
): readonly Call[] {
  const prepared = operation.prepare(row, waterfall === undefined ? {} : { waterfall });
  if (prepared.kind === 'invalid') return [];
  const asked: Call[] = [];
  for (;;) {
    const isAsked = (call: Call) => asked.some((each) => callKeyOf('a', each) === callKeyOf('a', call));
    const step = operation.next(prepared.input, (call) => (isAsked(call) ? { kind: 'no_match' } : undefined));
    if (step.kind === 'end') return asked;
    asked.push(step.call);
  }
}

/** What those calls send. */
export function parametersAsked(
  operation: Operation,
  row: RowInput,
  waterfall?: readonly string[],
): readonly JsonObject[] {
  return callsAsked(operation, row, waterfall).map(({ parameters }) => parameters);
}
