import { answerPlaceOf, type Dialect } from '../../client/dialect.ts';
import { changeFields } from '../../client/judge.ts';
import { unfitForPath } from '../../client/request.ts';
import { parsedFieldsOf, parsedResultsOf } from '../../core/answer-body.ts';
import { stop } from '../../core/errors.ts';
import {
  type Answer,
  type Answered,
  type Call,
  end,
  type Operation,
  type Step,
} from '../../core/operation.ts';

/**
 * Asks an operation for its next step, in the dialect of the vendor that is asked. The operation itself knows nothing of the
 * dialect: it is given answers by our names for their parts, and what the dialect cannot send is refused here.
 */
export function stepIn(dialect: Dialect, operation: Operation, input: unknown, answered: Answered): Step {
  const inOurNames: Answered = (call) => read(dialect, call, answered(call));
  const step = operation.next(input, operation.readsAnswers ? inOurNames : answered);
  return step.kind === 'end' ? step : sendable(dialect, step);
}

/**
 * Checks that the dialect can ask the call. A plan makes this check before a batch begins, and every run before sending.
 * @throws StopError `unsupported`.
 */
function sendable(dialect: Dialect, step: Extract<Step, { readonly kind: 'send' }>): Step {
  const { call } = step;
  const { operation } = call;
  if (!Object.hasOwn(dialect.operations, operation)) {
    const fact = `The dialect ${dialect.name} of the ${dialect.vendor} has no operation ${operation}.`;
    throw stop('unsupported', fact, `Add operations.${operation} to the dialect.`);
  }
  const unfit = unfitForPath(dialect, call);
  if (unfit !== undefined) return end({ kind: 'refused', reason: `${unfit} cannot be part of an address` });
  return step;
}

function read(dialect: Dialect, call: Call, answer: Answer | undefined): Answer | undefined {
  if (answer?.kind !== 'found') return answer;
  const entry = dialect.operations[call.operation];
  // Today's dialect may lack an operation that an earlier one had. Then its answer cannot be read.
  if (entry === undefined) return { kind: 'found', fields: null };
  const place = answerPlaceOf(dialect, call.operation);
  const fields = parsedFieldsOf(answer.fields, place);
  if (call.change !== undefined) return { kind: 'found', fields: changeFields(entry, fields) };
  return { kind: 'found', fields: fields ?? null, results: parsedResultsOf(answer.fields, place) };
}
