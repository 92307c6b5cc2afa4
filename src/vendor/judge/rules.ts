import { type Body, valueAt } from '../../core/answer-body.ts';
import type { JsonValue } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { AnswerRule } from '../dialect.ts';

/** Whether the rules of a dialect fit an answer. */

/** A test of an answer; what the rule says besides is for the caller. */
type AnswerTest = Pick<AnswerRule, 'status' | 'body' | 'header'>;

/**
 * The first rule of which every part holds.
 * @param fieldsAt where the fields stand: an answer without anything there counts as empty.
 */
export function firstFitting<Rule extends AnswerTest>(
  rules: readonly Rule[],
  raw: RawReply,
  body: Body,
  fieldsAt?: string,
): Rule | undefined {
  return rules.find(
    (rule) =>
      rule.status.some((pattern) => statusMatches(pattern, raw.status)) &&
      headersMatch(rule.header, raw) &&
      (rule.body === undefined || bodyMatches(rule.body, body, fieldsAt)),
  );
}

/** Dialects have some dozens of patterns, and every answer is held against most of them. */
const COMPILED = new Map<string, RegExp>();

/** @throws SyntaxError for what is no pattern. */
function compiled(pattern: string): RegExp {
  const known = COMPILED.get(pattern) ?? new RegExp(pattern, 'i');
  COMPILED.set(pattern, known);
  return known;
}

function statusMatches(pattern: number | string, status: number): boolean {
  return typeof pattern === 'number' ? pattern === status : Number(pattern[0]) === Math.floor(status / 100);
}

function headersMatch(wanted: AnswerRule['header'], raw: RawReply): boolean {
  return (
    wanted === undefined ||
    Object.entries(wanted).every(([name, pattern]) => compiled(pattern).test(headerOf(raw, name) ?? ''))
  );
}

/** Whether a body passes the test of a dialect. */
export function bodyMatches(test: NonNullable<AnswerRule['body']>, body: Body, fieldsAt?: string): boolean {
  if (test.is === 'blank' || test.is === 'unreadable') return body.kind === test.is;
  if (test.is === 'readable' && !isReadable(body)) return false;
  if (body.kind !== 'json')
    return test.matches !== undefined && test.path === undefined && matches(test.matches, body);
  const value = test.path === undefined ? body.value : valueAt(body.value, test.path);
  if (test.is === 'empty' && !isEmpty(test.path === undefined ? fieldsIn(body.value, fieldsAt) : value))
    return false;
  if (test.equals !== undefined && value !== test.equals) return false;
  return test.matches === undefined || compiled(test.matches).test(valueText(value));
}

/** Only own members count, because the dialect chooses the name, and every object also has a `constructor`. */
export function headerOf({ headers }: RawReply, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}

/**
 * Whether a body can be the vendor's own word: all vendors speak JSON here, and what stands between, such as a proxy,
 * sends an HTML page or nothing. A bare number such as `404` is plain text as well, so it does not count as JSON.
 */
export function isReadable(body: Body): boolean {
  if (body.kind !== 'json') return false;
  return typeof body.value === 'string' || (typeof body.value === 'object' && body.value !== null);
}

function matches(pattern: string, body: Body): boolean {
  return body.kind === 'unreadable' && compiled(pattern).test(body.text);
}

/**
 * The value at the place of the fields; the whole body when that place is missing, so that it does not count as empty.
 */
function fieldsIn(value: JsonValue, fieldsAt: string | undefined): JsonValue {
  const fields = fieldsAt === undefined ? undefined : valueAt(value, fieldsAt);
  return fields === undefined ? value : fields;
}

/** Whether a value holds only blanks, zeros and booleans at any depth: `{"count":0,"results":[]}` is empty. */
function isEmpty(value: JsonValue | undefined): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true;
  if (typeof value === 'object') return Object.values(value).every(isEmpty);
  return value === 0 || value === '';
}

export function valueText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
