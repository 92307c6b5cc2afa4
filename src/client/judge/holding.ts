import { parsedResultsOf, valueAt } from '../../core/answer-body.ts';
import { isObject, present } from '../../core/objects.ts';
import type { JsonValue } from '../../core/operation.ts';
import type { Question, Sent } from './asked.ts';
import { CONTAINERS, ID, isBlank, isPlain, membersOf, nameOf } from './names.ts';

/** What an answer to a lookup holds of what was asked for. */

/** `empty`: the place for it is there, and nothing in it. `ids`: nothing but ids. `nothing`: neither. */
export type Holding = 'data' | 'empty' | 'ids' | 'nothing';

/** What an operation looks for, by the names that answers give it. */
const OWN_THINGS: Readonly<Record<string, RegExp>> = {
  'enrich-person': /^(?:person|people|profiles?|contacts?)$/,
  'enrich-company': /^(?:compan(?:y|ies)|organi[sz]ations?)$/,
};

export function holdingOf(body: JsonValue, places: readonly JsonValue[], question: Question): Holding {
  const { dialect, operation, call } = question;
  const { credits, results } = operation;
  const findsLists = results !== undefined || credits.per_result !== undefined;
  const listed = findsLists
    ? parsedResultsOf(body, present({ fields: dialect.fields_at, results }))
    : undefined;
  if (listed !== undefined) return holdingOfList(listed, question);
  const names = dialect.fields_at === undefined ? OWN_THINGS[call?.operation ?? ''] : undefined;
  const things = ([body, ...containersIn(body)].flat() as JsonValue[])
    .flatMap((each) => thingsIn(each, (name) => names?.test(nameOf(name).plain) === true))
    .filter((value) => value === null || !isPlain(value));
  // Whatever stands beside the thing itself is of something else.
  if (things.length > 0 && things.every((value) => isKnown(value, question))) return 'empty';
  const isEmpty = places.every(isBlank) || places.some(lacksThing);
  const isData = places.some((each) => !isPlain(each) && holdsData(each, question));
  if (isData && !(isEmpty && isScant(places, question))) return 'data';
  if (isEmpty) return 'empty';
  return membersOf(body).some(([name, value]) => ID.test(name) && !isBlank(value)) ? 'ids' : 'nothing';
}

/** Members with nothing in them are no results, and a word alone may be the answer's own. */
function holdingOfList(listed: readonly JsonValue[], question: Question): Holding {
  if (listed.every(isBlank)) return 'empty';
  return listed.some((each) => (isPlain(each) ? holdsData(each, question) : !isBlank(each)))
    ? 'data'
    : 'nothing';
}

/** Where what was asked for may stand. Where an answer has such a place, what is beside it is ignored. */
export function placesIn(body: JsonValue, fields: string | undefined): readonly JsonValue[] {
  const named = fields === undefined ? undefined : valueAt(body, fields);
  const places = named === undefined ? containersIn(body) : [named];
  return places.length > 0 ? places : [body];
}

/** A word there, such as "no_match", is the answer's own. */
function containersIn(body: JsonValue): readonly JsonValue[] {
  const values = CONTAINERS.map((name) => valueAt(body, name));
  return values.filter((value) => value !== undefined && (value === null || !isPlain(value))) as JsonValue[];
}

const thingsIn = (value: JsonValue, isThing: (name: string) => boolean): readonly JsonValue[] =>
  isObject(value)
    ? Object.keys(value).flatMap((name) => (isThing(name) ? [value[name] as JsonValue] : []))
    : [];

/** Whether there is nothing in it but what was asked. */
function isKnown(value: JsonValue, question: Question): boolean {
  if (value === null || value === '') return true;
  if (!isPlain(value))
    return Object.values(value as object).every((each) => isKnown(each as JsonValue, question));
  return typeof value !== 'boolean' && question.repeats(value);
}

/** Where a thing is there and blank, nothing was found; so it is where each member of a list lacks it. */
function lacksThing(body: JsonValue): boolean {
  if (Array.isArray(body)) return body.length > 0 && body.every(lacksThing);
  return thingsIn(body, (name) => nameOf(name).isThing).some(isBlank);
}

/** A record has more than so many fields, or one that is a record's alone. */
const MOST_DETAILS = 2;

/** Fields that no answer has of itself. An e-mail address may be that of the support, and a website or a profile may repeat the question. */
const OF_RECORDS =
  /name$|^(?:employee|founded|(?:about|bio|sector)$)|(?:(?:phone|mobile)(?:s|numbers?)?|industry|headcount|revenue|jobtitle)$/;

/** Whether there is no record, but a plain value or two, such as a path or a source. */
export function isScant(places: readonly JsonValue[], question: Question): boolean {
  const records = places.flat() as JsonValue[];
  const held = records.flatMap((each) => membersOf(each).filter((member) => isHeld(member, question)));
  return (
    records.every((each) => isObject(each) || isBlank(each)) &&
    held.length <= MOST_DETAILS &&
    held.every(([name, value]) => isPlain(value) && !OF_RECORDS.test(nameOf(name).plain))
  );
}

/** What some write where they have nothing. */
const NOTHING = /^(?:n\/a|null|nil|none|undefined|-+)?$/i;

/** Whether a value holds something of what was asked about: nothing that speaks of the answer, no id, no echo of the question. */
export function holdsData(value: JsonValue | undefined, question: Question, name = ''): boolean {
  if (value === undefined || value === null || value === false || value === 0) return false;
  if (value === true) return true;
  if (typeof value === 'number') return !question.repeats(value, name);
  if (Array.isArray(value)) return value.some((each) => holdsData(each, question, name));
  if (typeof value !== 'string') return membersOf(value).some((each) => isHeld(each, question));
  if (NOTHING.test(value.trim()) || question.repeats(value, name)) return false;
  // A text without a name is the answer's own where it says no: `["No company found"]`. So is a sentence that nothing was found.
  if (name === '') return question.vocabulary.sensesOf(value).every((sense) => sense === 'done');
  if (question.isOwn || !/\s/.test(value) || OF_RECORDS.test(nameOf(name).plain)) return true;
  return !question.vocabulary.sensesOf(value).includes('no_match');
}

const isHeld = ([name, value]: readonly [string, JsonValue], question: Question): boolean =>
  isField(name, value, question) && holdsData(value, question, name);

/** Names of objects with fields in them are those of a company as well: `{"result":{"name":"Acme"}}`. */
export function isField(name: string, value: JsonValue, { vocabulary }: Question): boolean {
  const { kind, plain } = nameOf(name);
  if (kind === 'field') return value !== true || vocabulary.senseOfCode(name) === undefined;
  if (kind === 'effect') return typeof value !== 'boolean';
  return (
    !isPlain(value) &&
    (kind === 'described' || kind === 'found' || (kind === 'machine' && plain !== 'status'))
  );
}

// --------------------------------------------------------------------------------------- another one than was asked for

/** By our names of what was sent. Slugs and addresses of profiles have too many spellings to be held against each other. */
const LABELS: Readonly<Record<string, string>> = {
  abn: 'ABN',
  email: 'e-mail address',
  domain: 'domain',
  website: 'website',
};

/** Digits in groups are one number. */
const digitsJoined = (text: string): string => text.replaceAll(/(?<=\d)[\s.-]+(?=\d)/g, '');

/**
 * An identifier of the kind that was asked by, which is another one, such as `the domain acme.example`. Where the record shows the one
 * that was asked by anywhere, it is the record: many have several addresses. It is a match all the same: companies and people are
 * renamed and merged, and who was found is the vendor's to say.
 * @param places where the record may stand. A list of several is about no single one.
 */
export function otherIn(places: readonly JsonValue[], { names, sent }: Question): string | undefined {
  const [record, ...more] = places.flat() as JsonValue[];
  if (record === undefined || !isObject(record) || more.length > 0) return undefined;
  // What is alone in an object is wrapped in it: `{"company":{…}}`.
  const inner = Object.values(record);
  const own = (inner.length === 1 && isObject(inner[0]) ? inner[0] : record) as JsonValue;
  for (const [name, value] of membersOf(own)) {
    const by = names.get(nameOf(name).plain);
    const label = LABELS[by?.name ?? ''];
    if (label === undefined || !isPlain(value) || isBlank(value) || value === by?.text) continue;
    return sent.some((each) => isShownIn(own, each)) ? undefined : `the ${label} ${String(value).trim()}`;
  }
  return undefined;
}

/** Whether a record shows what was asked by, as its own or in an address: `jo@acme.example` shows `acme.example`. */
function isShownIn(record: JsonValue, { name, text }: Sent): boolean {
  if (LABELS[name] === undefined) return false;
  const wanted = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^www\.|\/.*$/g, '');
  const shown = JSON.stringify(record).toLowerCase();
  const pattern = digitsJoined(wanted).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![\\w-])${pattern}(?![\\w-])`).test(digitsJoined(shown));
}
