import { type AnswerPlace, bytesOf, merged, objectWith, readBody, valueAt } from '../core/answer-body.ts';
import { isObject, present } from '../core/objects.ts';
import type { JsonObject, JsonValue, Method } from '../core/operation.ts';
import type { RawReply } from '../ledger/ledger.ts';
import type { Dialect, Envelope, Through } from './dialect.ts';

/**
 * The "API Call" step of a service: a request to another vendor travels in a request to the service, and the vendor's
 * answer comes back in the service's. The names are in the dialect, because the service publishes none of them.
 */

/** A request as it would go to the vendor itself. */
export interface InnerRequest {
  readonly method: Method;
  /** Path and query. */
  readonly endpoint: string;
  readonly body: JsonObject | undefined;
}

/** The body of the outer request. */
export function envelopeBody(
  { envelope, connectedAccount }: Through,
  { method, endpoint, body }: InnerRequest,
): JsonObject {
  const { request } = envelope;
  const members = [
    objectWith(request.account, connectedAccount),
    objectWith(request.method, method),
    objectWith(request.endpoint, endpoint),
    ...(body === undefined ? [] : [objectWith(request.body, body)]),
  ];
  return members.reduce(merged, {});
}

/**
 * The vendor's own answer: the reply itself, or the answer inside the reply of the service that it came through.
 * Undefined when the service's reply holds none, so that the service itself is answering.
 */
export function vendorReply(raw: RawReply, { through }: Pick<Dialect, 'through'>): RawReply | undefined {
  return through === undefined ? raw : replyIn(raw, through.envelope.answer);
}

function replyIn(raw: RawReply, answer: Envelope['answer']): RawReply | undefined {
  const outer = readBody(raw.body);
  if (Math.floor(raw.status / 100) !== 2 || outer.kind !== 'json') return undefined;
  const status = answer.status === undefined ? raw.status : statusIn(valueAt(outer.value, answer.status));
  const body = valueAt(outer.value, answer.body);
  // A status without a body is an answer, such as 204. Without either of them there is no answer.
  if (status === undefined || (body === undefined && answer.status === undefined)) return undefined;
  const headers = answer.headers === undefined ? undefined : valueAt(outer.value, answer.headers);
  return { ...raw, status, headers: { ...dateOf(raw), ...headersIn(headers) }, body: bytesOf(body) };
}

function statusIn(value: JsonValue | undefined): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && Number.isInteger(status) ? status : undefined;
}

/** When the service does not pass on the vendor's date, its own date serves to measure the vendor's times. */
function dateOf({ headers: { date } }: RawReply): Record<string, string> {
  return present({ date });
}

function headersIn(value: JsonValue | undefined): Record<string, string> {
  if (!isObject(value)) return {};
  const entries = Object.entries(value).flatMap(([name, text]) =>
    text === null || isObject(text) ? [] : [[name.toLowerCase(), String(text)] as const],
  );
  return Object.fromEntries(entries);
}

/** Wraps an answer that was learnt in another way, in the form in which the service would have passed it on. */
export function asReceived(reply: RawReply, { through }: Pick<Dialect, 'through'>): RawReply {
  if (through === undefined) return reply;
  const { answer } = through.envelope;
  const own = readBody(reply.body);
  const body = own.kind === 'json' ? own.value : reply.body.toString('utf8');
  const members = [
    objectWith(answer.body, body),
    ...(answer.status === undefined ? [] : [objectWith(answer.status, reply.status)]),
  ];
  return { ...reply, status: 200, body: bytesOf(members.reduce(merged, {})) };
}

/**
 * Where a dialect says that an answer's fields and results stand. `core/answer-body.ts` reads them, also without a
 * dialect.
 * @param operation the one whose answers hold lists; without it lists are not read.
 */
export function answerPlaceOf(
  { through, fields_at: fields, operations }: Dialect,
  operation?: string,
): AnswerPlace {
  const results = operation === undefined ? undefined : operations[operation]?.results;
  return {
    ...(through === undefined ? {} : { envelope: through.envelope.answer.body }),
    ...present({ fields, results }),
    ...(operation === 'api-call' && results === undefined ? { objects: true } : {}),
  };
}
