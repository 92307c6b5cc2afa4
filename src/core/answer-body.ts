import { isTooDeep, MOST_LEVELS, parseJson } from './answer-body/json.ts';
import { isObject } from './objects.ts';
import type { JsonObject, JsonValue } from './operation.ts';

/** Reads the bytes of an answer: as JSON where they are, at a dotted path, and at the place where its fields stand. */

/** A body as far as it can be read: blank, JSON, or text that is not JSON, or JSON that nobody could look into. */
export type Body =
  | { readonly kind: 'blank' }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'unreadable'; readonly text: string; readonly why?: string };

export function readBody(bytes: Buffer): Body {
  const text = textOf(bytes);
  if (text === '') return { kind: 'blank' };
  if (isTooDeep(text)) {
    return { kind: 'unreadable', text, why: `its lists and objects are more than ${MOST_LEVELS} deep` };
  }
  try {
    return { kind: 'json', value: parseJson(text) };
  } catch {
    return { kind: 'unreadable', text };
  }
}

/** UTF-8, unless a byte-order mark says otherwise. The mark itself is no part of the text. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isUtf16(bytes) ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
}

/** Whether the bytes begin with the mark by which they are read in UTF-16. */
export function isUtf16(bytes: Buffer): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xfe;
}

/** The value at a dotted path (`location.state`, `emails.0`), or undefined. Own members only. */
export function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>((inside, name) => {
    if (inside === null || typeof inside !== 'object' || !Object.hasOwn(inside, name)) return undefined;
    return (inside as { readonly [name: string]: JsonValue })[name];
  }, value);
}

/** An object in which `value` stands at the dotted path, as `valueAt` finds it. */
export function objectWith(path: string, value: JsonValue): JsonObject {
  const [first = '', ...rest] = path.split('.');
  return { [first]: rest.length === 0 ? value : objectWith(rest.join('.'), value) };
}

/** Both objects' members; where both have one of a name, the two are merged as well. */
export function merged(one: JsonObject, other: JsonObject): JsonObject {
  const members = Object.entries(other).map(([name, value]) => {
    const earlier = Object.hasOwn(one, name) ? one[name] : undefined;
    return [name, isObject(earlier) && isObject(value) ? merged(earlier, value) : value] as const;
  });
  return { ...one, ...Object.fromEntries(members) };
}

/** The bytes of a body as they would have come by themselves; a value that is text is the body's own text. */
export function bytesOf(body: JsonValue | undefined): Buffer {
  if (body === undefined || body === null) return Buffer.alloc(0);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Where the fields of a found answer stand in what the ledger keeps. Kept with a batch, because an export has no dialect. */
export interface AnswerPlace {
  /** Path of the vendor's own body in the answer of the service that it came through. */
  readonly envelope?: string;
  /** Path of the fields in the vendor's own body. */
  readonly fields?: string;
  /** Path of the list of what was found in the vendor's own body; left out: the first list in the fields. */
  readonly results?: string;
  /** The list of results is one of objects: of an operation of the job's own, a list of plain values is a field. */
  readonly objects?: true;
}

/** The fields of an answer; undefined when there is nothing at their place, or nothing that can be read. */
export function fieldsOf(bytes: Buffer, place: AnswerPlace): JsonValue | undefined {
  return fieldsIn(jsonIn(bytes), place);
}

/** The same as `fieldsOf`, for a body that is parsed already. A body inside an envelope may be text there. */
export function fieldsIn(body: JsonValue | undefined, place: AnswerPlace): JsonValue | undefined {
  const own = ownBodyIn(body, place);
  return place.fields === undefined ? own : valueAt(own, place.fields);
}

/** The vendor's own body: the one that came, or the one in it. */
export function ownBodyIn(
  body: JsonValue | undefined,
  { envelope }: Pick<AnswerPlace, 'envelope'>,
): JsonValue | undefined {
  return envelope === undefined ? body : jsonIn(bytesOf(valueAt(body, envelope)));
}

/** The list of what was found; undefined when there is none where it should be. */
export function resultsOf(bytes: Buffer, place: AnswerPlace): readonly JsonValue[] | undefined {
  return resultsIn(jsonIn(bytes), place);
}

/** The same as `resultsOf`, for a body that is parsed already. */
export function resultsIn(body: JsonValue | undefined, place: AnswerPlace): readonly JsonValue[] | undefined {
  const own = ownBodyIn(body, place);
  if (place.results !== undefined) return asList(valueAt(own, place.results)) ?? usualList(own);
  const fields = place.fields === undefined ? own : valueAt(own, place.fields);
  if (fields === undefined || fields === null || typeof fields !== 'object') return undefined;
  return [fields, ...Object.values(fields)]
    .map(asList)
    .find((list) => list !== undefined && (place.objects !== true || list.some(isObject)));
}

/** Names under which a list of what was found usually stands, at the top of a body or in its `data`. */
const USUAL_LISTS = ['results', 'people', 'contacts', 'persons', 'profiles', 'data'] as const;

/** The list where most vendors have it, for one that is not where the dialect says: at the top, or under a usual name. */
function usualList(own: JsonValue | undefined): readonly JsonValue[] | undefined {
  const places = [own, ...['', 'data.'].flatMap((at) => USUAL_LISTS.map((name) => valueAt(own, at + name)))];
  return places.map(asList).find((list) => list !== undefined);
}

const asList = (value: JsonValue | undefined): readonly JsonValue[] | undefined =>
  Array.isArray(value) ? value : undefined;

/** A body in which these fields stand where `fieldsOf` finds them, for an answer that a person tells. */
export function bodyHolding(fields: JsonObject, place: AnswerPlace): Buffer {
  const own = place.fields === undefined ? fields : objectWith(place.fields, fields);
  return bytesOf(place.envelope === undefined ? own : objectWith(place.envelope, own));
}

function jsonIn(bytes: Buffer): JsonValue | undefined {
  const body = readBody(bytes);
  return body.kind === 'json' ? body.value : undefined;
}
