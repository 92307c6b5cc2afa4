import { valueAt } from '../../core/answer-body.ts';
import { isObject } from '../../core/objects.ts';
import type { JsonObject, JsonValue } from '../../core/operation.ts';
import type { Dialect } from '../dialect.ts';
import { type Asked, isNaming } from './asked.ts';
import { CONTAINERS, nameOf, THINGS } from './names.ts';
import { plainName } from './plain.ts';
import { type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** What an answer holds of what was asked for. */

/** Where the answers of an operation hold what was asked for. */
export interface DataPlace {
  /** Dotted path of the fields, where the dialect names one. */
  readonly fields: string | undefined;
  /** The list of what was found, where the operation finds lists and the answer holds one. */
  readonly list: readonly JsonValue[] | undefined;
  readonly operation: string;
}

/**
 * What an answer holds of what was asked for. `empty`: the place for it is there, and nothing in it. `details`: a plain value or two of
 * what the answer says itself. `nothing`: neither. `ids`: nothing but ids.
 */
export type Holding = 'data' | 'details' | 'empty' | 'ids' | 'nothing';

export function holdingOf(body: JsonValue, place: DataPlace, beside: Beside): Holding {
  if (place.list !== undefined) return holdingOfList(place.list, beside);
  const own = ownThings(body, place);
  if (own?.every((each) => isKnown(each, beside)) === true) return 'empty';
  const looked = placesIn(body, place.fields);
  const isData = looked.some((each) => !isPlain(each) && holdsData(each, beside));
  // Where the place of the thing is blank, an industry may be what was looked for.
  if (isData && !(isScant(body, place.fields, beside, isNaming) && looked.some(lacksThing))) return 'data';
  if (looked.every(isBlank) || looked.some(lacksThing)) return 'empty';
  return holdsId(body) ? 'ids' : 'nothing';
}

/** What an operation looks for, by the names that answers give it. */
const OWN_THINGS: Readonly<Record<string, RegExp>> = {
  'enrich-person': /^(?:person|people|profiles?|contacts?)$/,
  'enrich-company': /^(?:compan(?:y|ies)|organi[sz]ations?)$/,
};

/** What stands under the name of the thing, also in one wrapper. Whatever else is there is of something else. */
function ownThings(body: JsonValue, { operation, fields }: DataPlace): readonly JsonValue[] | undefined {
  const names = OWN_THINGS[operation];
  if (names === undefined || fields !== undefined) return undefined;
  const found: JsonValue[] = [];
  for (const place of [body, ...containersIn(body)].flat()) {
    const members = isObject(place) ? (Object.entries(place) as [string, JsonValue][]) : [];
    for (const [name, value] of members)
      if (names.test(plainName(name)) && (value === null || !isPlain(value))) found.push(value);
  }
  return found.length === 0 ? undefined : found;
}

/** Whether there is nothing in it but what was asked. */
function isKnown(value: JsonValue, beside: Beside): boolean {
  if (value === null || value === '') return true;
  if (typeof value === 'object')
    return Object.values(value).every((each) => isKnown(each as JsonValue, beside));
  return typeof value !== 'boolean' && (beside.asked.repeats(value) || beside.asked.isInAddress(value));
}

const holdsId = (body: JsonValue): boolean =>
  isObject(body) &&
  Object.keys(body).some((name) => ID.test(name) && !isBlank((body[name] ?? null) as JsonValue));

const ID = /(?:^|[^a-z0-9])id$|[a-z0-9]I[dD]$/i;

/** Members with nothing in them are no results, and a word alone may be the answer's own. */
function holdingOfList(list: readonly JsonValue[], beside: Beside): Holding {
  if (list.every(isBlank)) return 'empty';
  const isData = list.some((each) => (isPlain(each) ? holdsData(each, beside) : !isBlank(each)));
  return isData ? 'data' : 'nothing';
}

/** Where what was asked for may stand. */
export function placesIn(body: JsonValue, fields: string | undefined): readonly JsonValue[] {
  const named = fields === undefined ? undefined : valueAt(body, fields);
  const places = named === undefined ? containersIn(body) : [named];
  return places.length > 0 ? places : [body];
}

/** A record has more than so many fields, or one that is a record's alone. */
const MOST_DETAILS = 2;

/** Fields that no answer has of itself. An e-mail address may be that of the support, and a website or a profile may repeat the question. */
const OF_RECORDS =
  /^(?:employee|founded|(?:about|bio|sector)$)|(?:(?:phone|mobile)(?:s|numbers?)?|industry|headcount|revenue|jobtitle)$/;

const isOfRecord = (name: string): boolean => isNaming(name) || OF_RECORDS.test(nameOf(name).plain);

/** Whether there is no record, but a plain value or two, such as a path or a source. @param isSure whether a name shows that it is one. */
export function isScant(
  body: JsonValue,
  fields: string | undefined,
  beside: Beside,
  isSure: (name: string) => boolean = isOfRecord,
): boolean {
  let held = 0;
  // Most records show at their first field that they are one.
  return placesIn(body, fields)
    .flat()
    .every((place) => {
      if (!isObject(place)) return isBlank(place as JsonValue);
      return Object.keys(place).every((name) => {
        const value = (place[name] ?? null) as JsonValue;
        if (!isField(name, value, beside) || !holdsData(value, beside, name)) return true;
        held += 1;
        return held <= MOST_DETAILS && isPlain(value) && !isSure(name);
      });
    });
}

/** Where a thing is there and blank, nothing was found; so it is where each member of a list lacks it. */
function lacksThing(body: JsonValue): boolean {
  if (Array.isArray(body)) return body.length > 0 && body.every(lacksThing);
  if (!isObject(body)) return false;
  for (const name in body) if (THINGS.has(nameOf(name).plain) && isBlank(body[name] ?? null)) return true;
  return false;
}

function containersIn(body: JsonValue): readonly JsonValue[] {
  if (!isObject(body)) return [];
  // Where an answer has one of them, what is beside it is ignored.
  return [...CONTAINERS].flatMap((name) => {
    const value = Object.hasOwn(body, name) ? (body[name] as JsonValue) : undefined;
    // A word there, such as "no_match", is the answer's own.
    return value === undefined || (value !== null && isPlain(value)) ? [] : [value];
  });
}

const isPlain = (value: JsonValue): boolean => value === null || typeof value !== 'object';

/** What stands beside the data: what we know already, and what the dialect names for something else. */
export interface Beside {
  readonly asked: Asked;
  /** Plain names at which the dialect reads a price or a page. */
  readonly named: ReadonlySet<string>;
  readonly vocabulary: Vocabulary;
}

/** Whether a value holds something of what was asked about: nothing that speaks of the answer, no id, no echo of the question. */
export function holdsData(value: JsonValue | undefined, beside: Beside, name = ''): boolean {
  if (value === undefined || value === null || value === false || value === 0) return false;
  if (value === true) return true;
  if (typeof value === 'number') return !beside.asked.repeats(value, name);
  if (typeof value === 'string') return holdsText(value, beside, name);
  if (Array.isArray(value)) return value.some((each) => holdsData(each, beside, name));
  const members = value as JsonObject;
  return Object.keys(members).some((each) => {
    const member = members[each] ?? null;
    return isField(each, member, beside) && holdsData(member, beside, each);
  });
}

/** What some write where they have nothing. */
const NOTHING = /^(?:n\/a|null|nil|none|undefined|-+)?$/i;

/** A text without a name is the answer's own where it says no: `["No company found"]`. A sentence is, where it says that nobody was found. */
function holdsText(text: string, { asked, vocabulary }: Beside, name: string): boolean {
  if (NOTHING.test(text.trim()) || asked.repeats(text, name)) return false;
  if (name === '') return !vocabulary.sensesOf(text).some((sense) => sense !== 'done');
  if (asked.isOwn || isOfRecord(name) || !/\s/.test(text)) return true;
  return !vocabulary.sensesOf(text).includes('no_match');
}

/** Names of objects with fields in them are those of a company as well: `{"result":{"name":"Acme"}}`. */
export function isField(name: string, value: JsonValue, { named, vocabulary }: Beside): boolean {
  const { kind, plain } = nameOf(name);
  if (kind === 'field')
    return !named.has(plain) && (value !== true || vocabulary.senseOfCode(name) === undefined);
  if (kind === 'effect') return typeof value !== 'boolean';
  return (
    !isPlain(value) &&
    (kind === 'described' || kind === 'found' || (kind === 'machine' && plain !== 'status'))
  );
}

const NAMED = new WeakMap<Dialect, ReadonlySet<string>>();

export function besideData(dialect: Dialect, asked: Asked): Beside {
  const named = NAMED.get(dialect) ?? namesIn(dialect);
  NAMED.set(dialect, named);
  return { asked, named, vocabulary: vocabularyOf(dialect.words) };
}

function namesIn({ credits_charged: charged, operations }: Dialect): ReadonlySet<string> {
  const next = Object.values(operations).map(({ paging }) =>
    paging && 'next' in paging ? paging.next : undefined,
  );
  const paths = [charged?.path, ...next].filter((path) => path !== undefined);
  return new Set(paths.map((path) => plainName(path.slice(path.lastIndexOf('.') + 1))));
}

/** Whether there is nothing in it at all. A 0 and a `false` say something. */
function isBlank(value: JsonValue): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isBlank);
}
