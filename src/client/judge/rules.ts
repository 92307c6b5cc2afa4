import { type Body, valueAt } from '../../core/answer-body.ts';
import type { JsonValue } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { AnswerRule, BodyTest } from '../dialect.ts';
import { type Pattern, patternOf } from '../patterns.ts';

/** Whether the rules of a dialect fit an answer. */

/** A test of an answer; what the rule says besides is for the caller. */
type AnswerTest = Pick<AnswerRule, 'status' | 'body' | 'header'>;

/**
 * The first rule whose parts all hold.
 * @param fieldsAt where the fields stand: an answer without anything there counts as empty.
 * @param after the rule behind which to go on; without it, all are tried.
 */
export function firstFitting<Rule extends AnswerTest>(
  rules: readonly Rule[],
  raw: RawReply,
  body: Body,
  fieldsAt?: string,
  after?: Rule,
): Rule | undefined {
  const ready = readied(rules, raw.status);
  const from = after === undefined ? 0 : ready.findIndex(({ rule }) => rule === after) + 1;
  const fitting = ready.find(
    ({ header, tests }, index) =>
      index >= from && headersMatch(header, raw) && tests.every((test) => passes(test, body, fieldsAt)),
  );
  return fitting?.rule;
}

/**
 * A rule as it is held against an answer. Rules of a dialect have now these members and now those, and to look for what is
 * absent took longer than all else that judging does.
 */
interface Ready<Rule> {
  readonly rule: Rule;
  readonly header: AnswerRule['header'];
  readonly tests: readonly ReadyTest[];
}

interface ReadyTest {
  readonly is: BodyTest['is'];
  readonly path: string | undefined;
  readonly equals: BodyTest['equals'];
  readonly pattern: Pattern | undefined;
  /** Whether the test is passed where nothing is, which is where most rules look. */
  readonly passedByNothing: boolean;
}

/** @throws SyntaxError for what is no pattern. */
function readyTest({ is, path, equals, matches }: BodyTest): ReadyTest {
  const pattern = matches === undefined ? undefined : patternOf(matches);
  return { is, path, equals, pattern, passedByNothing: equals === undefined && pattern?.test('') !== false };
}

const READY = new WeakMap<object, Map<number, readonly Ready<AnswerTest>[]>>();

/** The rules that apply to a status. There are few lists of rules and few statuses, and very many answers. */
function readied<Rule extends AnswerTest>(rules: readonly Rule[], status: number): readonly Ready<Rule>[] {
  const byStatus = (READY.get(rules) ?? new Map()) as Map<number, readonly Ready<Rule>[]>;
  const known = byStatus.get(status);
  if (known !== undefined) return known;
  const ready = rules.flatMap((rule) => {
    const applies = rule.status.some((pattern) => statusMatches(pattern, status));
    return applies ? [{ rule, header: rule.header, tests: [rule.body ?? []].flat().map(readyTest) }] : [];
  });
  READY.set(rules, byStatus.set(status, ready));
  return ready;
}

function statusMatches(pattern: number | string, status: number): boolean {
  return typeof pattern === 'number' ? pattern === status : Number(pattern[0]) === Math.floor(status / 100);
}

function headersMatch(wanted: AnswerRule['header'], raw: RawReply): boolean {
  return (
    wanted === undefined ||
    Object.entries(wanted).every(([name, pattern]) => patternOf(pattern).test(headerOf(raw, name) ?? ''))
  );
}

/** Whether a body passes the test of a dialect. */
export function bodyMatches(test: BodyTest, body: Body): boolean {
  return passes(readyTest(test), body, undefined);
}

function passes(
  { is, path, equals, pattern, passedByNothing }: ReadyTest,
  body: Body,
  fieldsAt: string | undefined,
): boolean {
  if (is === 'blank' || is === 'unreadable') return body.kind === is;
  if (is === 'readable' && !isReadable(body)) return false;
  if (body.kind !== 'json')
    return (
      pattern !== undefined && path === undefined && body.kind === 'unreadable' && pattern.test(body.text)
    );
  const value = path === undefined ? body.value : valueAt(body.value, path);
  if (value === undefined) return passedByNothing;
  if (is === 'empty' && !isEmpty(path === undefined ? fieldsIn(body.value, fieldsAt) : value)) return false;
  if (equals !== undefined && value !== equals) return false;
  return pattern === undefined || pattern.test(valueText(value));
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
