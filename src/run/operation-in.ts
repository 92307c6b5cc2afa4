import { fieldsIn, ownBodyIn, resultsIn, valueAt } from '../core/answer-body.ts';
import { stop } from '../core/errors.ts';
import { type Answer, type Call, end, type JsonValue, type Operation, type Step } from '../core/operation.ts';
import { changeFields } from '../vendor/changes.ts';
import type { Dialect, DialectOperation } from '../vendor/dialect.ts';
import { answerPlaceOf } from '../vendor/envelope.ts';
import { requireSendable, unaskable, unfitForPath } from '../vendor/request.ts';

/**
 * An operation as a vendor of this dialect can be asked: what the vendor has no field for is not asked by, and what an
 * answer says is read where it stands: fields, results and the next page of a read, and of a change what is remembered of
 * it. The operation itself knows neither.
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
 * A plan meets what the dialect lacks before a batch begins, and a run that makes no plan before anything is sent.
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

/** What a found answer says, read where this dialect has it. */
function read(dialect: Dialect, call: Call, answer: Answer | undefined): Answer | undefined {
  if (answer?.kind !== 'found') return answer;
  const entry = dialect.operations[call.operation];
  // The dialect of today may lack what another one was asked for: nobody knows how to read the answer then.
  if (entry === undefined) return { kind: 'found', fields: null };
  const place = answerPlaceOf(dialect, call.operation);
  const fields = fieldsIn(answer.fields, place);
  if (call.change !== undefined) return { kind: 'found', fields: changeFields(entry, fields) };
  const results = resultsIn(answer.fields, place);
  const more = entry.paging && pageAfter(call, entry.paging, ownBodyIn(answer.fields, place), results);
  return { kind: 'found', fields: fields ?? null, results, more };
}

/** Vendors that put the list into `data` put the word for the next page there as well, under the same name. */
const PAGING_PLACES = ['', 'data.', 'data.pagination.', 'pagination.'] as const;

/** A dialect that has no other word for it speaks of a page's number, which some call so in an object of its own. */
const PAGE_NUMBER = 'next_page';
const PAGE_NUMBER_PLACES = ['pagination.next', 'data.pagination.next'] as const;

function nextIn(body: JsonValue | undefined, path: string): JsonValue | undefined {
  const named = PAGING_PLACES.map((at) => valueAt(body, at + path)).find((value) => value !== undefined);
  if (named !== undefined || path !== PAGE_NUMBER) return named;
  // Anything but a number may be an address, or a mark that goes by another name.
  return PAGE_NUMBER_PLACES.map((at) => valueAt(body, at)).find(Number.isSafeInteger);
}

/** What the dialect says of the page after this one; undefined when there is none. */
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
