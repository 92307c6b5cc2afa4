import { ownBodyIn, parsedFieldsOf, parsedResultsOf, partsNamed, valueAt } from '../../core/answer-body.ts';
import { stop } from '../../core/errors.ts';
import {
  type Answer,
  type Answered,
  type Call,
  end,
  type JsonValue,
  type Operation,
  type Step,
  send,
} from '../../core/operation.ts';
import type { Dialect, DialectOperation } from '../../vendor/dialect.ts';
import { answerPlaceOf } from '../../vendor/dialect.ts';
import { changeFields } from '../../vendor/judge.ts';
import { requireSendable, unfitForPath } from '../../vendor/request.ts';

/**
 * Asks an operation for its next step, in the dialect of the vendor that is asked. The operation itself knows nothing of the
 * dialect: it is given answers by our names for their parts, and what the dialect cannot send is refused here.
 */
export function stepIn(dialect: Dialect, operation: Operation, input: unknown, answered: Answered): Step {
  const step = operation.next(input, (call) => {
    const answer = answered(call);
    return operation.readsAnswers ? read(dialect, call, answer) : answer;
  });
  return step.kind === 'end' ? step : sendable(dialect, step.call);
}

/**
 * Checks that the dialect can ask the call. A plan makes this check before a batch begins, and every run before sending.
 * @throws StopError `unsupported`.
 */
function sendable(dialect: Dialect, call: Call): Step {
  const { operation } = call;
  if (!Object.hasOwn(dialect.operations, operation)) {
    const fact = `The dialect ${dialect.name} of the ${dialect.vendor} has no operation ${operation}.`;
    throw stop('unsupported', fact, `Add operations.${operation} to the dialect.`);
  }
  const unfit = unfitForPath(dialect, call);
  if (unfit !== undefined) return end({ kind: 'refused', reason: `${unfit} cannot be part of an address` });
  requireSendable(dialect, call);
  return send(call);
}

/** Reads a found answer in the places that this dialect names. */
function read(dialect: Dialect, call: Call, answer: Answer | undefined): Answer | undefined {
  if (answer?.kind !== 'found') return answer;
  const entry = dialect.operations[call.operation];
  // Today's dialect may lack an operation that an earlier one had. Then its answer cannot be read.
  if (entry === undefined) return { kind: 'found', fields: null };
  const place = answerPlaceOf(dialect, call.operation);
  const fields = parsedFieldsOf(answer.fields, place);
  if (call.change !== undefined) return { kind: 'found', fields: changeFields(entry, fields) };
  const results = parsedResultsOf(answer.fields, place);
  const own = ownBodyIn(answer.fields, place);
  const more = entry.paging && pageAfter(call, entry.paging, own, results);
  const parts = results === undefined ? partsNamed(own) : undefined;
  return { kind: 'found', fields: fields ?? null, results, parts, more };
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
