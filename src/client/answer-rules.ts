import { type Body, valueAt } from '../core/answer-body.ts';
import type { JsonValue } from '../core/operation.ts';
import type { Reply } from '../ledger/ledger.ts';
import type { AnswerRule, BodyTest } from './dialect.ts';
import { patternOf } from './patterns.ts';

/** The rules of a dialect about answers: which of them fits one, by its status, headers and body. */

/**
 * The first rule with parts that all hold.
 * @param fieldsAt the place of the fields: an answer with nothing there counts as empty.
 */
export function firstFitting<Rule extends Pick<AnswerRule, 'status' | 'body' | 'header'>>(
  rules: readonly Rule[],
  raw: Reply,
  body: Body,
  fieldsAt?: string,
): Rule | undefined {
  return rules.find(
    ({ status, header = {}, body: tests = [] }) =>
      status.some((each) => each === raw.status || each === `${Math.floor(raw.status / 100)}xx`) &&
      Object.entries(header).every(([name, pattern]) => patternOf(pattern).test(headerOf(raw, name) ?? '')) &&
      [tests].flat().every((test) => bodyMatches(test, body, fieldsAt)),
  );
}

/** Whether a body passes a test of the dialect. */
export function bodyMatches({ is, path, equals, matches }: BodyTest, body: Body, fieldsAt?: string): boolean {
  if (is === 'blank' || is === 'unreadable') return body.kind === is;
  if (is === 'readable' && !isReadable(body)) return false;
  const fits = (text: string): boolean => matches === undefined || patternOf(matches).test(text);
  if (body.kind !== 'json')
    return matches !== undefined && path === undefined && body.kind === 'unreadable' && fits(body.text);
  const value = path === undefined ? body.value : valueAt(body.value, path);
  // Where the place of the fields is missing, the whole body is tested, so that it does not count as empty.
  const fields = path === undefined && fieldsAt !== undefined ? valueAt(body.value, fieldsAt) : undefined;
  if (is === 'empty' && !isEmpty(fields === undefined ? value : fields)) return false;
  return (equals === undefined || value === equals) && fits(textOf(value));
}

/**
 * Only own members count, because the dialect chooses the name, and every object also has a `constructor`.
 */
export function headerOf({ headers }: Reply, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}

/**
 * Whether a body can be the vendor's own statement. All vendors speak JSON here, and a proxy between sends an
 * HTML page or nothing. A bare number such as `404` is plain text as well, so it does not count as JSON.
 */
export function isReadable(body: Body): boolean {
  if (body.kind !== 'json') return false;
  return typeof body.value === 'string' || (typeof body.value === 'object' && body.value !== null);
}

/**
 * Whether a value holds only blanks, zeros and booleans at any depth: `{"count":0,"results":[]}` is empty.
 */
function isEmpty(value: JsonValue | undefined): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true;
  if (typeof value === 'object') return Object.values(value).every(isEmpty);
  return value === 0 || value === '';
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const isOf = (hundreds: number) => (status: number) => Math.floor(status / 100) === hundreds;
export const is2xx = isOf(2);
export const is3xx = isOf(3);
export const is4xx = isOf(4);
