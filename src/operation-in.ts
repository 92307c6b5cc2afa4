import { answerPlaceOf, fieldsIn } from './answer-body.ts';
import type { Dialect } from './dialect.ts';
import type { Answer, Operation } from './operation.ts';
import { unaskable } from './request.ts';

/**
 * An operation as a vendor of this dialect can be asked: what the vendor has no field for is not asked by, and the fields
 * of an answer are read where they stand. The operation itself knows neither.
 */
export function operationIn(dialect: Dialect, operation: Operation): Operation {
  const place = answerPlaceOf(dialect);
  const fieldsOf = (answer: Answer | undefined): Answer | undefined => {
    if (answer?.kind !== 'found') return answer;
    return {
      kind: 'found',
      get fields() {
        return fieldsIn(answer.fields, place) ?? null;
      },
    };
  };
  const cannotAsk = unaskable(dialect, operation.name);
  return {
    ...operation,
    prepare: (row, options) => operation.prepare(row, { ...options, unaskable: cannotAsk }),
    next: (input, answered) => operation.next(input, (call) => fieldsOf(answered(call))),
  };
}
