import { hash } from 'node:crypto';
import {
  type Body,
  type KeptBody,
  ownBodyIn,
  parsedFieldsOf,
  parsedResultsOf,
  readBody,
  readBodyOnce,
  valueAt,
  WHOLE_BODY,
} from '../../core/answer-body.ts';
import { isObject } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { foreignWords, plainText } from '../../core/plain-text.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import { answerPlaceOf, type Dialect, vendorReply } from '../dialect.ts';
import { Question } from './asked.ts';
import { Heard } from './heard.ts';
import { holdsData, isField } from './holding.ts';
import { isFilled, isPlain, membersOf, type NameKind, nameOf, type Plain } from './names.ts';
import { is2xx } from './rules.ts';
import { LONGEST_TEXT, plainWords } from './words.ts';

/** What answers have in common, and what to write into a dialect so that those which it misreads are read. */

const hashOf = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'hex');

// -------------------------------------------------------------------------------------------- matches

/** Stands for all matches that have no field, or no list, where the dialect expects it. */
export const NO_FACTS = 'nothing';

/**
 * Equal for matches that show the same facts, whatever was asked: what repeats the question, and what speaks of the answer itself, is
 * none. Undefined for an answer to a change or to a question of one's own, and where nothing is shown but yes and no.
 */
export function factsShape(bytes: KeptBody, dialect: Dialect, call: Call): string | undefined {
  const question = new Question(dialect, call);
  if (call.change !== undefined || question.isOwn) return undefined;
  const place = answerPlaceOf(dialect, call.operation);
  const body = jsonIn(bytes);
  const value = place.results === undefined ? parsedFieldsOf(body, place) : parsedResultsOf(body, place);
  const facts = value === undefined ? [] : factsIn(value as JsonValue, '', '', question);
  if (place.results === undefined ? facts.length === 0 : value === undefined) return NO_FACTS;
  if (facts.every((fact) => fact.endsWith(':true'))) return undefined;
  return hashOf([call.operation, facts.sort()]);
}

function jsonIn(bytes: KeptBody): JsonValue | undefined {
  const read = typeof bytes === 'string' ? readBody(bytes) : readBodyOnce(bytes);
  return read.kind === 'json' ? read.value : undefined;
}

function factsIn(value: JsonValue, name: string, path: string, reading: Question): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => factsIn(each, name, path, reading));
  if (isPlain(value)) return holdsData(value, reading, name) ? [`${path}:${String(value)}`] : [];
  return membersOf(value).flatMap(([each, inner]) =>
    isField(each, inner, reading) ? factsIn(inner, each, `${path}.${each}`, reading) : [],
  );
}

/** What to do in the dialect about matches without facts. */
export function placeAdvice(raw: RawReply, dialect: Dialect, call: Call): string {
  const place = answerPlaceOf(dialect, call.operation);
  if (place.results !== undefined)
    return `Say in the dialect where it is, as operations.${call.operation}.results`;
  const own = ownBodyIn(jsonIn(raw.body), place) ?? null;
  const reading = new Question(dialect, call);
  const meant = membersOf(own).find(([, value]) => !isPlain(value) && holdsData(value, reading));
  return meant === undefined
    ? 'Say in the dialect where the fields are, as `fields_at`, or take that out'
    : `Say \`fields_at: ${plainText(meant[0])}\` in the dialect, if that is it`;
}

/** For a success of a service that has none of the vendor's answer where the dialect says; undefined for any other reply. */
export function envelopeAdvice(raw: RawReply, dialect: Dialect): string | undefined {
  const { through } = dialect;
  const body = jsonIn(raw.body);
  if (through === undefined || !is2xx(raw.status) || body === undefined) return undefined;
  if (vendorReply(raw, dialect) !== undefined) return undefined;
  const { answer } = through.envelope;
  const isStatusMissing = answer.status !== undefined && valueAt(body, answer.body) !== undefined;
  const missing = isStatusMissing ? 'status' : 'body';
  const names = membersOf(body)
    .slice(0, 8)
    .map(([name]) => foreignWords(name));
  return [
    `An answer from the service has no vendor's answer at \`${answer[missing]}\`, where api_call.answer.${missing} of its dialect says; it has ${names.join(', ') || 'no names'}.`,
    `Write under api_call in the dialect of the service account where it is, as \`answer: { body: NAME, status: NAME }\`: the body is \`${WHOLE_BODY}\` where all of it is the vendor's answer, and the status null where it names none.`,
    'The next run then reads lookups in doubt from the ledger, and does not buy them again.',
  ].join(' ');
}

// -------------------------------------------------------------------------------------------- odd answers and refusals

/**
 * Answers that came whole and that nobody can read. Those that have the same names and words are of one shape: one rule of the
 * dialect would read all of them, and one decision of a person is about all of them.
 */
export interface OddAnswer {
  /** Equal for answers of one shape. */
  readonly shape: string;
  /** The rule that would read it; undefined where none is offered. */
  readonly rule: string | undefined;
  /** A service gave it in front of the vendor, and it holds none of the vendor's. */
  readonly isOuter: boolean;
}

/** @returns undefined for a reply that is no success, because then the vendor may be broken. */
export function oddAnswerIn(raw: RawReply, dialect: Dialect, call: Call): OddAnswer | undefined {
  const own = vendorReply(raw, dialect);
  const { status, body: bytes } = own ?? raw;
  if (!is2xx(status) || !Object.hasOwn(dialect.operations, call.operation)) return undefined;
  const question = new Question(dialect, call);
  const body = readBodyOnce(bytes);
  const shape = hashOf([call.operation, own === undefined, status, shapeOfBody(body, question)]);
  return { shape, rule: own && ruleFor(status, body, question), isOuter: own === undefined };
}

/**
 * Equal for refusals of one shape; undefined for one that quotes a value of its own question, such as "jane@ is not an e-mail
 * address": it speaks of its row, and not of the account.
 */
export function refusalShape(raw: RawReply, dialect: Dialect, call: Call): string | undefined {
  const own = vendorReply(raw, dialect);
  const asked = new Question(dialect, call);
  const shape = shapeOfBody(readBodyOnce((own ?? raw).body), asked);
  if (JSON.stringify(shape).includes(QUOTED)) return undefined;
  return hashOf([call.operation, own === undefined, (own ?? raw).status, shape]);
}

/** A page has times and numbers of its own, so all pages are of one shape. */
function shapeOfBody(body: Body, asked: Question): unknown {
  if (body.kind === 'json') return shapeOf(body.value, '', asked, typeof body.value === 'string');
  return body.kind === 'unreadable' && body.text.trimStart().startsWith('<') ? 'page' : body.kind;
}

const SPEAKING: readonly NameKind[] = ['machine', 'prose', 'described', 'success', 'effect', 'trouble'];
const speaks = (name: string): boolean => SPEAKING.includes(nameOf(name).kind);

/** More members of a list say nothing more. */
const MEMBERS_LOOKED_AT = 3;

/** Stands in a shape for a value of the row. What all rows of an account may share is none. */
const QUOTED = "''''";
const SHARED: readonly string[] = ['project_id', 'organization_id', 'role'];

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;

/** The names and words of an answer, without numbers and ids. @param isSaid it tells what went wrong. */
function shapeOf(value: JsonValue, name: string, asked: Question, isSaid: boolean): unknown {
  const { kind, plain } = nameOf(name);
  const says = isSaid || kind === 'trouble' || /^(?:detail|message)s?$/.test(plain);
  if (Array.isArray(value)) {
    const members = (value as JsonValue[]).slice(0, MEMBERS_LOOKED_AT);
    return [...new Set(members.map((each) => JSON.stringify(shapeOf(each, name, asked, says))))].sort();
  }
  if (isObject(value))
    return membersOf(value)
      .map(([each, inner]) => [each, shapeOf(inner, each, asked, says)])
      .sort();
  if (typeof value !== 'string') return typeof value === 'number' && !speaks(name) ? 'number' : value;
  if (!says && !speaks(name)) return value.trim() === '' ? '' : 'text';
  const text = value.slice(0, LONGEST_TEXT).replaceAll(UUID, ' ');
  const own = asked.without(text, (sent) => (SHARED.includes(sent.name) ? ' ' : QUOTED));
  return plainWords(own).replaceAll(/\S*\d\S*/g, '');
}

// -------------------------------------------------------------------------------------------- the rule for one

/** The rule by which an answer that is no success means "no match"; undefined where a service gave it in front of the vendor. */
export function ruleForLost(raw: RawReply, dialect: Dialect): string | undefined {
  const own = vendorReply(raw, dialect);
  if (own === undefined) return undefined;
  const { kind } = readBodyOnce(own.body);
  return ruleOf(own.status, kind === 'json' ? 'path: …, matches: …' : `is: ${kind}`, 'no_match');
}

const ruleOf = (status: number, test: string, means: string): string =>
  `- { status: [${status}], body: { ${test} }, means: ${means} }`;

/** @returns undefined where no test fits such answers and no others, and where what the answer shows speaks against the change. */
function ruleFor(status: number, body: Body, question: Question): string | undefined {
  const isChange = question.call?.change !== undefined;
  const good = isChange ? 'found' : 'no_match';
  if (body.kind === 'blank') return ruleOf(status, 'is: blank', good);
  // A page, or a text that is no JSON, is seldom the word of the vendor.
  if (body.kind !== 'json') return undefined;
  if (isChange && new Heard(question, true).listen(body.value).other) return undefined;
  const told = [...placesOf(body.value, '', '', DEEPEST)].find(
    (place) => testOf(...place, question) !== undefined,
  );
  if (told === undefined) return undefined;
  const [, name, value] = told;
  const senses = question.vocabulary.sensesOf(typeof value === 'string' ? value : '');
  // What has not happened yet is told by no rule.
  if (senses.includes('pending') || senses.includes('working')) return undefined;
  const isNo =
    typeof value === 'boolean' || nameOf(name).kind === 'trouble' || senses.some((sense) => sense !== 'done');
  return ruleOf(status, testOf(...told, question) ?? '', isNo ? 'refused' : good);
}

/** The test for what an answer says at a place; undefined where every answer may say so. */
function testOf(path: string, name: string, value: Plain, question: Question): string | undefined {
  const { kind } = nameOf(name);
  if (value === null || SAYS_NOTHING.test(String(value)) || (name !== '' && !speaks(name))) return undefined;
  if (typeof value !== 'string') {
    const says =
      kind === 'machine' ? typeof value === 'number' : kind === 'trouble' ? isFilled(value) : !value;
    return says ? `path: ${yaml(path)}, equals: ${value}` : undefined;
  }
  const isPraise = name !== '' && (kind === 'effect' || question.vocabulary.senseOfCode(value) === 'done');
  return isPraise ? undefined : textTest(path, value, question);
}

/** Deeper than that an answer does not speak of itself. */
const DEEPEST = 4;

/** What good answers have as well: that all is well, no code, a time. */
const SAYS_NOTHING = /^\s*(?:0*|[23]\d\d|\d{4}-\d\d-\d\d.*)\s*$/;

/** The path, the name and the value of all that is no object, from the top. */
function* placesOf(
  value: JsonValue,
  at: string,
  name: string,
  deepest: number,
): Generator<readonly [path: string, name: string, value: Plain]> {
  if (isPlain(value)) yield [at, name, value];
  else if (deepest > 0)
    // A path cannot lead to a name with a dot.
    for (const [each, inner] of Object.entries(value as object) as [string, JsonValue][])
      if (!each.includes('.')) yield* placesOf(inner, at === '' ? each : `${at}.${each}`, each, deepest - 1);
}

/** So much of a text tells it from another. */
const LONGEST_QUOTED = 60;

function textTest(path: string, text: string, question: Question): string | undefined {
  const where = path === '' ? '' : `path: ${yaml(path)}, `;
  const fixed = question.without(text, () => ANYTHING).replaceAll(/\d+/g, ANYTHING);
  if (fixed === text && path !== '' && !/\s/.test(text.trim())) return `${where}equals: ${yaml(text)}`;
  const parts = fixed.slice(0, LONGEST_QUOTED).trim().split(ANYTHING);
  // What has no letter of its own would fit every answer.
  if (!parts.some((part) => /\p{L}/u.test(part))) return undefined;
  const pattern = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*');
  return `${where}matches: ${yaml((/^\s/.test(text) ? '^\\s*' : '^') + pattern)}`;
}

/** Stands for what differs from row to row. No text that is shown has it. */
const ANYTHING = '\u0000';

/** A plain word, or the text between quotes. */
function yaml(text: string): string {
  return /^[a-z][\w.-]*$/i.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
