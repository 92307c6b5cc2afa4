import { hash } from 'node:crypto';
import {
  type Body,
  jsonIn,
  type KeptBody,
  parsedResultsOf,
  readBody,
  valueAt,
  WHOLE_BODY,
} from '../../core/answer-body.ts';
import { isCheck } from '../../core/given.ts';
import { isObject, present } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { Reply } from '../../ledger/ledger.ts';
import { parsedSaidIn } from '../../values/answer-fields.ts';
import { is2xx } from '../answer-rules.ts';
import { answerPlaceOf, type Dialect, type Meaning, vendorReply } from '../dialect.ts';
import { oddVerdictIn } from '../given-values.ts';
import { isData } from './content.ts';
import { JudgedCall } from './judged-call.ts';
import { type Leaf, leavesOf, pathOf } from './names.ts';
import { ChangeStatements, Statements } from './statements.ts';
import { isLater, LONGEST_TEXT, plainWords } from './words.ts';

/** Finds answers that are alike, and writes the rule for a dialect that misreads them. */

const hashOf = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'hex');

// -------------------------------------------------------------------------------------------- matches

/** The shape of all matches without a field, or without a list, where the dialect expects it. */
export const NO_FACTS = 'nothing';

/**
 * A hash that is equal for matches that show the same facts, whatever was asked. An echo of the request and
 * a statement of the answer about itself are not facts. Undefined for an answer to a change or to an api-call
 * of the job, and where the facts are only yes and no, or a verdict: one word for many addresses is normal.
 * @param isCompared false: undefined for all matches that show anything, which takes less time.
 */
export function factsShape(
  bytes: KeptBody,
  dialect: Dialect,
  call: Call,
  isCompared = true,
): string | undefined {
  const judgedCall = new JudgedCall(dialect, call);
  if (call.change !== undefined || judgedCall.isOwn || isCheck(call.operation)) return undefined;
  // An answer that leads to another one shows nothing but an id.
  if (judgedCall.operation.then !== undefined) return undefined;
  const place = answerPlaceOf(dialect, call.operation);
  const body = jsonIn(bytes);
  const answerFields = parsedSaidIn(body, place);
  const value = place.results === undefined ? answerFields.vendors : parsedResultsOf(body, place);
  const isFact = (leaf: Leaf): boolean => isData(leaf, 0, judgedCall);
  const vendors = leavesOf((value ?? null) as JsonValue);
  const isShown =
    place.results === undefined
      ? vendors.some(isFact) || leavesOf(answerFields.ours).some(isFact)
      : value !== undefined;
  if (!isShown) return NO_FACTS;
  if (!isCompared) return undefined;
  const facts = [...leavesOf(answerFields.ours), ...vendors]
    .filter(isFact)
    .map((leaf) => `${namesOf(leaf)}:${leaf.value}`);
  return facts.every((fact) => fact.endsWith(':true')) ? undefined : hashOf([call.operation, facts.sort()]);
}

const namesOf = ({ under, name }: Leaf): string => [...under, name].map(({ plain }) => plain).join('.');

/**
 * Advice for a success of a service that has no vendor's answer where the dialect expects it; undefined for
 * any other reply.
 */
export function envelopeAdvice(raw: Reply, dialect: Dialect): string | undefined {
  const { through } = dialect;
  const body = jsonIn(raw.body);
  if (through === undefined || !is2xx(raw.status) || body === undefined) return undefined;
  if (vendorReply(raw, dialect) !== undefined) return undefined;
  const { answer } = through.envelope;
  const missing = answer.status !== undefined && valueAt(body, answer.body) !== undefined ? 'status' : 'body';
  const names = Object.keys(isObject(body) ? body : {}).map((name) => foreignWords(name));
  return [
    `An answer from the service has no vendor's answer at \`${answer[missing]}\`, ` +
      `where api_call.answer.${missing} of its dialect says; ` +
      `it has ${names.slice(0, 8).join(', ') || 'no names'}.`,
    'Write under api_call in the dialect of the service account where it is, as `answer: { body: ' +
      `NAME, status: NAME }\`: the body is \`${WHOLE_BODY}\` where all of it is the vendor's answer, ` +
      'and the status null where it names none.',
    'The next run then reads lookups in doubt from the ledger, and does not buy them again.',
  ].join(' ');
}

// ---------------------------------------------------------------------------------- odd answers and refusals

/**
 * Answers that came whole and that cannot be read. Answers with the same names and words have one shape: one
 * rule of the dialect would read all of them, and one decision of a person is about all of them.
 */
export interface OddAnswer {
  /** Equal for answers of one shape. */
  readonly shape: string;
  /** The rule that would read the answer; undefined where none is offered. */
  readonly rule: string | undefined;
  /** The word that the dialect's `verdicts` lack, where nothing else keeps the answer from being read. */
  readonly verdict?: string;
}

/** @returns undefined for a reply that is no success, because then the vendor may be broken. */
export function oddAnswerIn(raw: Reply, dialect: Dialect, call: Call): OddAnswer | undefined {
  const vendorsReply = vendorReply(raw, dialect);
  if (!is2xx((vendorsReply ?? raw).status) || !Object.hasOwn(dialect.operations, call.operation))
    return undefined;
  const shape = hashOf(shapeOf(raw, dialect, call));
  const verdict =
    vendorsReply &&
    oddVerdictIn(jsonIn(vendorsReply.body), new JudgedCall(dialect, call).operation, call.operation);
  return { shape, rule: vendorsReply && ruleThatReads(vendorsReply, dialect, call), ...present({ verdict }) };
}

/**
 * Equal for refusals of one shape. Undefined for a refusal that quotes a value of its own request, such as
 * "jane@ is not an e-mail address": it speaks of its row, and not of the account.
 */
export function refusalShape(raw: Reply, dialect: Dialect, call: Call): string | undefined {
  const shape = shapeOf(raw, dialect, call);
  return JSON.stringify(shape).includes(QUOTED) ? undefined : hashOf(shape);
}

/**
 * Stands in a shape for a value of the row: a letter that no vendor writes. Values that all rows of an
 * account may share do not count.
 */
const QUOTED = 'ꙮ';
const SHARED: readonly string[] = ['project_id', 'organization_id', 'role'];

/** The parts that differ from answer to answer: ids, and every word with a digit. */
const IDS = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\S*\d\S*/gi;

/** The names at the top of the vendor's answer, or of the first member of its list. */
export function namesAtTop(raw: Reply, dialect: Dialect): string {
  const body = jsonIn((vendorReply(raw, dialect) ?? raw).body);
  const top = Array.isArray(body) ? body[0] : body;
  return Object.keys(isObject(top) ? top : {})
    .sort()
    .join(' ');
}

/** The names of an answer, and its statements, without the parts that differ from row to row. */
function shapeOf(raw: Reply, dialect: Dialect, call: Call): readonly unknown[] {
  const vendorsReply = vendorReply(raw, dialect);
  const judgedCall = new JudgedCall(dialect, call);
  const body = readBody((vendorsReply ?? raw).body);
  const parsed = statementsOf((vendorsReply ?? raw).status, body, judgedCall).stated.map(({ value }) => {
    if (typeof value !== 'string') return value;
    const text = judgedCall.without(value.slice(0, LONGEST_TEXT), ({ name }) =>
      SHARED.includes(name) ? ' ' : QUOTED,
    );
    return plainWords(text.replaceAll(IDS, ' '));
  });
  const names = leavesIn(body).map((leaf) => {
    const { value } = leaf;
    return `${namesOf(leaf)}:${typeof value === 'boolean' ? value : typeof value}`;
  });
  const parts = [call.operation, vendorsReply === undefined, (vendorsReply ?? raw).status, body.kind];
  return [...parts, [...new Set(names)].sort(), [...new Set(parsed)].sort()];
}

const leavesIn = (body: Body): readonly Leaf[] => (body.kind === 'json' ? leavesOf(body.value) : []);

function statementsOf(status: number, body: Body, judgedCall: JudgedCall): Statements {
  const leaves = leavesIn(body);
  const { call } = judgedCall;
  if (call?.change !== undefined) return new ChangeStatements(judgedCall, call).listen(leaves);
  return new Statements(judgedCall).listen(
    leaves,
    !(is2xx(status) && leaves.some((leaf) => isData(leaf, 0, judgedCall))),
  );
}

// ------------------------------------------------------------------------------------------ the rule for one

const ruleFor = (status: number, test: string, means: string): string =>
  `- { status: [${status}], body: { ${test} }, means: ${means} }`;

/**
 * The rule that reads such answers, by their own words alone.
 * @param means left out: the meaning that the words suggest.
 * @returns undefined where nothing in the answer tells it from others, and where its content contradicts
 *   the change.
 */
export function ruleThatReads(
  vendorsReply: Reply,
  dialect: Dialect,
  call: Call,
  means?: Meaning,
): string | undefined {
  const judgedCall = new JudgedCall(dialect, call);
  const body = readBody(vendorsReply.body);
  const good = call.change === undefined ? 'no_match' : 'found';
  if (body.kind === 'blank') return ruleFor(vendorsReply.status, 'is: blank', means ?? good);
  // A page, or a text that is not JSON, is seldom the statement of the vendor.
  if (body.kind !== 'json') return undefined;
  // No rule reads a word that `verdicts` lacks.
  if (oddVerdictIn(body.value, judgedCall.operation, call.operation) !== undefined) return undefined;
  const statements = statementsOf(vendorsReply.status, body, judgedCall);
  if (statements instanceof ChangeStatements && statements.other) return undefined;
  // No rule is offered for an answer that is still to come.
  if (means === undefined && (statements.says.has('pending') || statements.says.has('working')))
    return undefined;
  const isNo =
    statements.no ||
    statements.trouble ||
    [...statements.says].some((sense) => sense !== 'done' && !isLater(sense));
  // A company may have a state and a type as well.
  const stated = statements.stated.filter(({ name }) => !/^(?:state|type)$/.test(name.plain));
  const test = stated.map((leaf) => testOf(leaf, judgedCall)).find((each) => each !== undefined);
  return test && ruleFor(vendorsReply.status, test, means ?? (isNo ? 'refused' : good));
}

/** The rule to write where a vendor means "no match" by an answer that cannot be used. */
export function ruleForLost(raw: Reply, dialect: Dialect): string {
  const vendorsReply = vendorReply(raw, dialect) ?? raw;
  const { kind } = readBody(vendorsReply.body);
  return ruleFor(vendorsReply.status, kind === 'json' ? 'path: …, matches: …' : `is: ${kind}`, 'no_match');
}

/** This many characters tell a text from another. */
const LONGEST_QUOTED = 60;

/** Stands for a part that differs from row to row. No text that is shown has this character. */
const ANYTHING = '\u0000';

/**
 * The test for the statement of an answer at a place; undefined where good answers say the same, or every
 * answer may.
 */
function testOf(leaf: Leaf, judgedCall: JudgedCall): string | undefined {
  const { value = null } = leaf;
  const path = pathOf(leaf);
  const where = path === '' ? '' : `path: ${JSON.stringify(path)}, `;
  if (typeof value !== 'string') return `${where}equals: ${value}`;
  const { senses } = judgedCall.vocabulary.read(value);
  if (senses.length > 0 && senses.every((sense) => sense === 'done')) return undefined;
  const fixed = judgedCall.without(value, () => ANYTHING).replaceAll(/\d+/g, ANYTHING);
  if (fixed === value && path !== '' && !/\s/.test(value.trim()))
    return `${where}equals: ${JSON.stringify(value)}`;
  const parts = fixed.slice(0, LONGEST_QUOTED).trim().split(ANYTHING);
  // A part without a letter of its own would fit every answer.
  if (!parts.some((part) => /\p{L}/u.test(part))) return undefined;
  const pattern = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*');
  return `${where}matches: ${JSON.stringify((/^\s/.test(value) ? '^\\s*' : '^') + pattern)}`;
}
