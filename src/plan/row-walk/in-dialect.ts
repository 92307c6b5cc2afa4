import { answerPlaceOf, type Dialect, type DialectOperation } from '../../client/dialect.ts';
import { changeFields } from '../../client/judge.ts';
import { unfitForPath } from '../../client/request.ts';
import { ownBodyIn, parsedFieldsOf, parsedResultsOf, valueAt } from '../../core/answer-body.ts';
import { stop } from '../../core/errors.ts';
import { PAGING_PLACES, saysMore } from '../../core/more-pages.ts';
import { isObject } from '../../core/objects.ts';
import {
  type Answer,
  type Answered,
  type Call,
  end,
  type JsonValue,
  type Operation,
  type Step,
} from '../../core/operation.ts';
import { foreignName, foreignWords } from '../../core/plain-text.ts';

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
  const results = parsedResultsOf(answer.fields, place);
  const own = ownBodyIn(answer.fields, place);
  const next = entry.paging === undefined ? {} : nextPage(call, entry.paging, { body: own, results });
  return { kind: 'found', fields: fields ?? null, results, ...next };
}

/**
 * Reads out of a page of results how the next one is asked for. Only a value for the dialect's own parameter is taken: an
 * address that the vendor names is never followed.
 */

type Paging = NonNullable<DialectOperation['paging']>;

interface PageRead {
  readonly body: JsonValue | undefined;
  readonly results: readonly JsonValue[] | undefined;
}

type Next = Pick<Extract<Answer, { readonly kind: 'found' }>, 'more' | 'whyNoMore'>;

const LAST: Next = {};

export function nextPage({ parameters }: Call, paging: Paging, { body, results }: PageRead): Next {
  const isMore = saysMore(body);
  if (isMore === false) return LAST;
  if ('next' in paging) return nextNamed(nextIn(body, paging), paging.parameter);
  const { size } = paging;
  const isFull = size === undefined || (results?.length ?? 0) >= size.results;
  if (results === undefined || results.length === 0 || !(isFull || isMore)) return LAST;
  // A vendor that gives fewer or more results than were asked for still goes on where it stopped.
  const [first, step] = 'from' in paging ? [paging.from, 1] : [paging.offset, results.length];
  const { page = first } = parameters;
  return typeof page === 'number' ? { more: page + step } : LAST;
}

// ------------------------------------------------------------------------------------------------ what an answer says

/** The name of the next page's number, for a dialect that names nothing else. */
const PAGE_NUMBER = 'next_page';
const PAGE_NUMBER_PLACES = [
  'pagination.next',
  'data.pagination.next',
  'links.next',
  'data.links.next',
] as const;

function nextIn(
  body: JsonValue | undefined,
  { next, parameter }: Extract<Paging, { readonly next: string }>,
): JsonValue | undefined {
  const named = PAGING_PLACES.map((at) => valueAt(body, at + next)).find((value) => value !== undefined);
  if (named !== undefined || next !== PAGE_NUMBER) return named;
  // Any other value than a number may be a cursor, which is sent under another name.
  const numbers = PAGE_NUMBER_PLACES.map((at) => nextNamed(valueAt(body, at), parameter).more);
  return numbers.find(Number.isSafeInteger);
}

// ------------------------------------------------------------------------------------------------ what is asked for

function nextNamed(value: JsonValue | undefined, parameter: string): Next {
  if (value === undefined || isNothing(value)) return LAST;
  const query = typeof value === 'string' ? queryOf(value) : undefined;
  if (query === undefined) return { more: value };
  const taken = query.get(parameter) ?? '';
  if (taken !== '') return { more: /^[1-9]\d{0,14}$/.test(taken) ? Number(taken) : taken };
  const why = `the next page is named by the address ${foreignWords(String(value))}, which has no ${foreignName(parameter)}`;
  return { whyNoMore: why };
}

/** Whether it is what a vendor writes where no page follows. No page that follows another one is the number 0. */
function isNothing(value: JsonValue): boolean {
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value) || isObject(value)) return Object.keys(value).length === 0;
  return value === null || value === 0 || typeof value === 'boolean';
}

/** The query of an address, also of a relative one; undefined for any other text, such as a cursor. */
function queryOf(text: string): URLSearchParams | undefined {
  const isWhole = /^https?:\/\//i.test(text);
  if (!isWhole && !/^[/?.][^?]*\?|^\?/.test(text)) return undefined;
  const [, query = ''] = /\?([^#]*)/.exec(text) ?? [];
  return new URLSearchParams(query);
}
