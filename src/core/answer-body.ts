import { memberAt, valuesAt, withValueAt } from './answer-path.ts';
import type { VerdictWords } from './given.ts';
import { isObject, present } from './objects.ts';
import type { JsonObject, JsonValue } from './operation.ts';
import { wordsIn } from './plain-text.ts';

/**
 * Reads the bytes of an answer: as JSON where they are JSON, at a dotted path, and at the place of its
 * fields.
 */

/**
 * A body as far as it can be read: blank, JSON, text that is not JSON, or JSON that no one could look into.
 */
export type Body =
  | { readonly kind: 'blank' }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'unreadable'; readonly text: string; readonly why?: WhyUnreadable };

/** `no_json`: the sign stands in it. */
export type WhyUnreadable =
  | { readonly problem: 'too_deep' }
  | { readonly problem: 'no_json'; readonly sign: string };

/**
 * A body as it is kept: its bytes, or their text where they are plain UTF-8, because text is read in less
 * time.
 */
export type KeptBody = Buffer | string;

/** What was read last: rules and columns look into one answer in one turn. No one alters what was read. */
let last: { readonly keptBody: KeptBody; readonly body: Body } | undefined;

export function readBody(keptBody: KeptBody): Body {
  if (last?.keptBody !== keptBody) last = { keptBody, body: readText(textOf(keptBody)) };
  return last.body;
}

const textOf = (keptBody: KeptBody): string =>
  typeof keptBody === 'string' ? keptBody : keptBody.toString(isUtf16(keptBody) ? 'utf16le' : 'utf8');

function readText(decoded: string): Body {
  // A byte-order mark is no part of the text.
  const text = decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
  if (text === '') return { kind: 'blank' };
  try {
    const value = parseAnswerJson(SCRIPT.exec(text.trim())?.groups?.json ?? text);
    if (hasFewBrackets(text) || !isDeeper(value, MOST_LEVELS)) return { kind: 'json', value };
    return { kind: 'unreadable', text, why: { problem: 'too_deep' } };
  } catch {
    const no = NO_NUMBER.exec(text)?.[0];
    return no === undefined
      ? { kind: 'unreadable', text }
      : { kind: 'unreadable', text, why: { problem: 'no_json', sign: no } };
  }
}

/** Some languages write these for a number that is none, or beyond all numbers. */
const NO_NUMBER = /(?<=[[{:,]\s{0,9})-?(?:NaN|Infinity)(?=\s{0,9}[,\]}])/;

/** JSON as the call of a function, which some registers send to every caller: `callback({"Abn":"…"})`. */
const SCRIPT = /^[A-Za-z_$][\w$.]*\((?<json>.*)\);?$/s;

/** Bytes are UTF-8, unless their byte-order mark says otherwise. */
export function isUtf16(bytes: Buffer): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xfe;
}

/**
 * The value at a path, or undefined. Where it leads through a list by what stands there, the first that is
 * neither null nor blank.
 */
export function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  if (!path.includes('[')) return memberAt(value, path);
  const found = valuesAt(value, path).map((each) => each.value);
  return found.find((each) => each !== null && !(typeof each === 'string' && each.trim() === '')) ?? found[0];
}

/** The last list through which a path leads: that at `data` for `data.0.id`. */
export function listAround(value: JsonValue | undefined, path: string): readonly JsonValue[] | undefined {
  const names = path.split('.');
  const at = names.findLastIndex((name) => /^\d+$/.test(name));
  if (at < 0) return undefined;
  return asList(at === 0 ? value : valueAt(value, names.slice(0, at).join('.')));
}

/** The text at the path, if it is not blank. Ids are numbers at some vendors. */
export function textAt(item: JsonValue, path: string | undefined): string | undefined {
  const value = path === undefined ? undefined : valueAt(item, path);
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

/** Whether a dotted path is the other one, or leads into it: `query.abn` leads into `query`. */
export function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`);
}

/** A dot leads into an object, and `.0` into a list of one. */
export function objectWith(path: string, value: JsonValue): JsonObject {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return { [first]: value };
  const inside = objectWith(rest.join('.'), value);
  return { [first]: rest[0] === '0' ? Object.values(inside) : inside };
}

export function mergedObjects(one: JsonObject, other: JsonObject): JsonObject {
  const members = Object.entries(other).map(([name, value]) => {
    const earlier = Object.hasOwn(one, name) ? one[name] : undefined;
    return [name, mergedValue(earlier, value)] as const;
  });
  return { ...one, ...Object.fromEntries(members) };
}

/** The second value, with what else the first one holds. Members of a list are merged by their numbers. */
export function mergedValue(one: JsonValue | undefined, other: JsonValue): JsonValue {
  if (!hasMembers(one) || !hasMembers(other)) return other;
  const isList = Array.isArray(one);
  if (isList && !Object.keys(other).every((name) => /^\d+$/.test(name))) return other;
  const both = mergedObjects(one, other);
  return isList ? Object.values(both) : both;
}

/** A list has members as well, by their numbers. */
const hasMembers = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null;

/** The bytes of a body as they would have come by themselves; a text value is the body's own text. */
export function bytesOf(body: JsonValue | undefined): Buffer {
  if (body === undefined || body === null) return Buffer.alloc(0);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The path of a body as a whole, for a dialect that takes all of the reply for the vendor's own body. */
export const WHOLE_BODY = '.';

/**
 * The places of a found answer's fields in the bytes that the ledger keeps. A batch keeps them, because an
 * export has no dialect.
 */
export interface AnswerPlace {
  /** The path of the vendor's own body in the answer of the service through which it came. */
  readonly envelope?: string;
  /** The path of the fields in the vendor's own body. */
  readonly fields?: string;
  /** The path of the list of results in the vendor's own body; left out: the first list in the fields. */
  readonly results?: string;
  /** The paths of values in the vendor's own body, by our names for them. */
  readonly gives?: Readonly<Record<string, string>>;
  readonly verdicts?: VerdictWords;
  /**
   * Whether the values of `gives` are read by their kinds. Earlier batches show what stands there, as they
   * were finished by it.
   */
  readonly byKind?: true;
  /**
   * The places for an operation of several steps, by the names of the steps. The fields of each step are
   * shown under its name, and the other places here are not used.
   */
  readonly steps?: Readonly<Record<string, AnswerPlace>>;
  /**
   * The places by the identities of the accounts, where several are asked for the step. The other places here
   * are used for none of these.
   */
  readonly accounts?: Readonly<Record<string, AnswerPlace>>;
  /**
   * The list of results is a list of objects. For an operation of the job's own, a list of plain values is a
   * field.
   */
  readonly objects?: true;
}

/** The place in an answer to one operation, by the account that answered. */
export function placeOfAnswer(place: AnswerPlace, operation: string, accountIdentity: string): AnswerPlace {
  const step = place.steps?.[operation] ?? place;
  return step.accounts?.[accountIdentity] ?? step;
}

/** The place for a batch with cells that show what stands there, whatever kind it is of. */
export function withoutKinds({ byKind: _, steps, accounts, ...place }: AnswerPlace): AnswerPlace {
  const each = (places: AnswerPlace['steps']) =>
    places && Object.fromEntries(Object.entries(places).map(([name, at]) => [name, withoutKinds(at)]));
  return { ...place, ...present({ steps: each(steps), accounts: each(accounts) }) };
}

/** Whether several accounts are asked for a step. */
export function hasAccounts(place: AnswerPlace): boolean {
  return [place, ...Object.values(place.steps ?? {})].some(({ accounts }) => accounts !== undefined);
}

/**
 * The fields of an answer whose body is parsed; undefined when there is nothing at their place, or nothing
 * that can be read. A body inside an envelope may be text there.
 */
export function parsedFieldsOf(body: JsonValue | undefined, place: AnswerPlace): JsonValue | undefined {
  const ownBody = ownBodyIn(body, place);
  return place.fields === undefined ? ownBody : valueAt(ownBody, place.fields);
}

/** The vendor's own body: the body that came, or the one inside it. */
export function ownBodyIn(
  body: JsonValue | undefined,
  { envelope }: Pick<AnswerPlace, 'envelope'>,
): JsonValue | undefined {
  return envelope === undefined ? body : jsonIn(bytesOf(valueAt(body, envelope)));
}

/** The list of results; undefined when there is none in its place. */
export function parsedResultsOf(
  body: JsonValue | undefined,
  place: AnswerPlace,
): readonly JsonValue[] | undefined {
  const ownBody = ownBodyIn(body, place);
  if (place.results !== undefined) return asList(valueAt(ownBody, place.results)) ?? usualList(ownBody);
  const fields = place.fields === undefined ? ownBody : valueAt(ownBody, place.fields);
  if (fields === undefined || fields === null || typeof fields !== 'object') return undefined;
  return [fields, ...Object.values(fields)]
    .map(asList)
    .find((list) => list !== undefined && (place.objects !== true || list.some(isObject)));
}

/** The usual names of a list of results, and of the objects around it, from the top of a body. */
const USUAL_LISTS = wordsIn(
  'results people contacts persons profiles data records items hits result matches',
);
const USUAL_OBJECTS = ['', 'data.', 'result.', 'results.', 'response.', 'hits.'];

/**
 * The list at the usual place, for an answer whose list is not where the dialect says: at the top, or under a
 * usual name.
 */
function usualList(ownBody: JsonValue | undefined): readonly JsonValue[] | undefined {
  const paths = USUAL_OBJECTS.flatMap((at) => USUAL_LISTS.map((name) => at + name));
  return [ownBody, ...paths.map((path) => valueAt(ownBody, path))]
    .map(asList)
    .find((list) => list !== undefined);
}

const asList = (value: JsonValue | undefined): readonly JsonValue[] | undefined =>
  Array.isArray(value) ? value : undefined;

/** A body with these fields where `parsedFieldsOf` finds them, for an answer that a person tells. */
export function bodyHolding(fields: JsonObject, place: AnswerPlace): Buffer {
  let content: JsonValue = {};
  for (const [path, value] of Object.entries(fields)) {
    const at = place.fields === undefined ? path : `${place.fields}.${path}`;
    content = withValueAt(content, place.gives?.[path] ?? at, value);
  }
  return bytesOf(place.envelope === undefined ? content : objectWith(place.envelope, content));
}

export function jsonIn(body: KeptBody): JsonValue | undefined {
  const read = readBody(body);
  return read.kind === 'json' ? read.value : undefined;
}

/**
 * Reads JSON so that a user sees the vendor's own digits. A number that a double cannot hold comes back as
 * its text, digit for digit: rounded, an identifier of twenty digits would belong to another company, and
 * `1e999` would be no number at all.
 */

/**
 * Finds possible numbers of that kind; a match within a string only costs time. An answer without a match is
 * read in half the time.
 */
const MAYBE_INEXACT = /\d(?:[\d.]{15}|[eE][+-]?\d|\.0{6})/;

/** @throws SyntaxError when the text is not JSON. */
export function parseAnswerJson(text: string): JsonValue {
  if (!MAYBE_INEXACT.test(text)) return JSON.parse(text) as JsonValue;
  return JSON.parse(text, textOfInexact) as JsonValue;
}

function textOfInexact(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  return holdsAsWritten(value, source) ? value : source;
}

/**
 * A double holds fifteen digits of any number, except of one that is infinite, or so small that it is zero.
 */
function holdsAsWritten(value: number, source: string): boolean {
  if (String(value) === source) return true;
  const [mantissa = ''] = source.split(/e/i);
  const isLost = !Number.isFinite(value) || (value === 0 && /[1-9]/.test(mantissa));
  const isShownOtherwise = String(value).includes('e') && !/e/i.test(source);
  return !isLost && !isShownOtherwise && mantissa.replaceAll(/\D/g, '').length <= 15;
}

/** Answers have three or four levels. The limit lets all code recurse into a value level by level. */
export const MOST_LEVELS = 100;

/** Whether a text cannot have so many levels. Nearly all are such, which is seen without a look into them. */
function hasFewBrackets(text: string): boolean {
  let levels = 0;
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) levels += 1;
  return levels <= MOST_LEVELS;
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  const members = value as { readonly [name: string]: JsonValue };
  for (const name in members) if (isDeeper(members[name] as JsonValue, levels - 1)) return true;
  return false;
}
