import { fieldsIn, ownBodyIn, resultsIn, valueAt } from '../core/answer-body.ts';
import { stop } from '../core/errors.ts';
import { type Answer, type Call, end, type JsonValue, type Operation, type Step } from '../core/operation.ts';
import { changeFields } from '../vendor/changes.ts';
import type { Dialect, DialectOperation } from '../vendor/dialect.ts';
import { answerPlaceOf } from '../vendor/envelope.ts';
import { requireSendable, unaskable, unfitForPath } from '../vendor/request.ts';

/**
 * Adapts an operation to a vendor's dialect. The result asks by no identifier for which the vendor has no field, and reads
 * answers in the places that the dialect names: the fields, results and next page of a read, and what has to be remembered
 * of a change. The operation itself knows nothing of the dialect.
 */
export function operationIn(dialect: Dialect, operation: Operation): Operation {
  const cannotAsk = unaskable(dialect, operation.name);
  return {
    ...operation,
    prepare: (row, options) => operation.prepare(row, { ...options, unaskable: cannotAsk }),
    next: (input, answered) =>
      askable(
        dialect,
        operation.next(input, (call) => {
          const answer = answered(call);
          return operation.readsAnswers ? read(dialect, call, answer) : answer;
        }),
      ),
  };
}

/**
 * Checks that the dialect can ask the call. A plan makes this check before a batch begins, and every run before sending.
 * @throws StopError `unsupported`.
 */
function askable(dialect: Dialect, step: Step): Step {
  if (step.kind === 'end') return step;
  if (Object.hasOwn(dialect.operations, step.call.operation)) {
    const unfit = unfitForPath(dialect, step.call);
    if (unfit !== undefined) return end({ kind: 'refused', reason: `${unfit} cannot be part of an address` });
    requireSendable(dialect, step.call);
    return step;
  }
  const { operation } = step.call;
  const fact = `The dialect ${dialect.name} of the ${dialect.vendor} has no operation ${operation}.`;
  throw stop('unsupported', fact, `Add operations.${operation} to the dialect.`);
}

/** Reads a found answer in the places that this dialect names. */
function read(dialect: Dialect, call: Call, answer: Answer | undefined): Answer | undefined {
  if (answer?.kind !== 'found') return answer;
  const entry = dialect.operations[call.operation];
  // Today's dialect may lack an operation that an earlier one had. Then its answer cannot be read.
  if (entry === undefined) return { kind: 'found', fields: null };
  const place = answerPlaceOf(dialect, call.operation);
  const fields = fieldsIn(answer.fields, place);
  if (call.change !== undefined) return { kind: 'found', fields: changeFields(entry, fields) };
  const results = resultsIn(answer.fields, place);
  const more = entry.paging && pageAfter(call, entry.paging, ownBodyIn(answer.fields, place), results);
  return { kind: 'found', fields: fields ?? null, results, more };
}

/** The objects that may hold the next page. Vendors that put the list into `data` put the next page there as well. */
const PAGING_PLACES = ['', 'data.', 'data.pagination.', 'pagination.'] as const;

/** The name of the next page's number, for a dialect that names nothing else. */
const PAGE_NUMBER = 'next_page';
const PAGE_NUMBER_PLACES = ['pagination.next', 'data.pagination.next'] as const;

function nextIn(body: JsonValue | undefined, path: string): JsonValue | undefined {
  const named = PAGING_PLACES.map((at) => valueAt(body, at + path)).find((value) => value !== undefined);
  if (named !== undefined || path !== PAGE_NUMBER) return named;
  // Any other value than a number may be an address or a cursor, which is sent under another name.
  return PAGE_NUMBER_PLACES.map((at) => valueAt(body, at)).find(Number.isSafeInteger);
}

/** The next page, as the dialect reads it; undefined when there is none. */
function pageAfter(
  { parameters }: Call,
  paging: NonNullable<DialectOperation['paging']>,
  body: JsonValue | undefined,
  results: readonly JsonValue[] | undefined,
): JsonValue | undefined {
  if ('next' in paging) {
    const next = nextIn(body, paging.next);
    return next === null || next === '' || next === false ? undefined : next;
  }
  if (results === undefined || results.length === 0) return undefined;
  const { page = paging.from } = parameters;
  return typeof page === 'number' ? page + 1 : undefined;
}
