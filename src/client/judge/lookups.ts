import { parsedResultsOf, valueAt } from '../../core/answer-body.ts';
import { isObject, present } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { Dialect, DialectOperation } from '../dialect.ts';
import { Asked } from './asked.ts';
import { Heard } from './heard.ts';
import { otherIn } from './identity.ts';
import { CONTAINERS, ID, isBlank, isPlain, membersOf, nameOf } from './names.ts';
import {
  ACCEPTED,
  BY_STATUS,
  type Conclusion,
  firstOf,
  is2xx,
  is4xx,
  isUnfinished,
  namesRoute,
  type Row,
  row,
} from './table.ts';
import { type Sense, type Vocabulary, vocabularyOf } from './words.ts';

/** What an answer to a lookup means by its status, by what it says of itself, and by what it holds. */

interface LookupAnswer {
  readonly heard: Heard;
  readonly says: ReadonlySet<Sense>;
  readonly holding: Holding;
  readonly holds: boolean;
  /** The status of HTTP, or the one that a 2xx without data states. */
  readonly by: number;
  readonly http: number;
  readonly isOwn: boolean;
  /** What holds the data is apart from what speaks. */
  readonly isApart: boolean;
  readonly isOfRoute: boolean;
}

const FAILED_WITH_DATA = 'which says that it failed, but holds data';
const code = (sense: Sense) => (it: LookupAnswer) => it.holds && it.heard.codes.has(sense);

/** What a code says of the request beats what stands beside it. */
const WITH_DATA: readonly Row<LookupAnswer>[] = [
  row('it holds data, and its code says too fast', 'rate_limited', code('rate_limited')),
  row('it holds data, and its code says out of credits', 'credits_used_up', code('credits_used_up')),
  row('it holds data, and its code says at work', 'pending', (it) => code('working')(it) && !it.isOwn),
  row('it holds data, and its code says not found', 'no_match', code('no_match')),
  row('it holds data, and says no', 'in_doubt', (it) => it.holds && it.heard.no, FAILED_WITH_DATA),
  row(
    'it holds data, and its code says no',
    'in_doubt',
    (it) => it.isApart && !it.isOwn && code('refused')(it),
    FAILED_WITH_DATA,
  ),
  row('it holds what was asked for', 'found', (it) => it.holds),
];

export const LOOKUPS: readonly Row<LookupAnswer>[] = [
  ...WITH_DATA,
  row('it says out of credits', 'credits_used_up', (it) => it.says.has('credits_used_up') || it.by === 402),
  row('it says too fast', 'rate_limited', (it) => it.says.has('rate_limited')),
  row('it is about its path', 'wrong_address', (it) => is4xx(it.by) && it.isOfRoute),
  row(
    'it says that the key is dead',
    'key_dead',
    (it) => it.says.has('key_dead') && (is2xx(it.by) || it.by === 400),
  ),
  row(
    'it says that nothing was found',
    'no_match',
    (it) => (it.heard.foundNone || it.says.has('no_match')) && isOfQuestion(it.by),
  ),
  ...BY_STATUS,
  row(
    'it is not yet done',
    'pending',
    (it) => it.says.has('working') || it.says.has('pending') || it.http === ACCEPTED,
  ),
  row('it says no', 'in_doubt', (it) => it.heard.no || it.heard.trouble, 'which names an error'),
  row(
    'the place of what was asked for is empty',
    'no_match',
    (it) => (it.holding === 'empty' || it.heard.countedNone) && !it.says.has('refused'),
  ),
  row('it has nothing but an id', 'pending', (it) => it.holding === 'ids'),
  row('nobody can read it', 'in_doubt', () => true, 'which does not say whether anything was found'),
];

/** Whether an answer with that status may say that there is nothing, and not only that it cannot be asked. */
const isOfQuestion = (by: number): boolean =>
  is2xx(by) || (is4xx(by) && !isUnfinished(by) && ![401, 403, 407, 420, 429].includes(by));

export interface Question {
  readonly dialect: Dialect;
  readonly operation: DialectOperation;
  readonly call: Call;
  readonly asked: Asked;
  readonly vocabulary: Vocabulary;
}

/** What of a question is needed to tell news from what was asked. */
export type Reading = Pick<Question, 'asked' | 'vocabulary'>;

export function questionOf(dialect: Dialect, operation: DialectOperation, call: Call): Question {
  return {
    dialect,
    operation,
    call,
    asked: new Asked(call, operation),
    vocabulary: vocabularyOf(dialect.words),
  };
}

export function judgeLookup(body: JsonValue, raw: RawReply, question: Question): Conclusion {
  const { asked, vocabulary } = question;
  const http = raw.status;
  const { isOwn } = asked;
  const places = placesIn(body, question.dialect.fields_at);
  const outside = new Heard(asked, vocabulary, false).listen(body);
  const held = is2xx(http) ? holdingOf(body, places, question) : 'nothing';
  const isDetails =
    held === 'data' && speaksOfItself(outside, http, isOwn) && isScant(places.flat(), question);
  const holding = isDetails ? 'nothing' : held;
  const heard = held === 'data' ? outside : new Heard(asked, vocabulary, true).listen(body);
  const holds = holding === 'data';
  const found = firstOf(LOOKUPS, {
    ...{ heard, says: heard.says, holding, holds, isOwn, http, isApart: !places.includes(body) },
    by: holds || !is2xx(http) ? http : (heard.status ?? http),
    isOfRoute: !holds && (namesRoute(raw.body) || (isObject(body) && 'path' in body && 'timestamp' in body)),
  });
  const of = { row: found, texts: heard.texts };
  if (found.means !== 'found') return of;
  return heard.trouble
    ? { ...of, isPartial: true }
    : { ...of, ...present({ shows: otherIn(places, asked) }) };
}

/** Whether a plain value or two may be details of what the answer says: that it failed, or is not there yet. */
function speaksOfItself(
  { says, status: stated, noes, no, trouble, isError }: Heard,
  status: number,
  isOwn: boolean,
): boolean {
  if (isError || noes > 1 || status === ACCEPTED) return true;
  // What a call of one's own asks about may say no, and count what has failed.
  return !isOwn && (no || trouble || stated !== undefined || [...says].some((each) => each !== 'done'));
}

// -------------------------------------------------------------------------------------------- what it holds

/**
 * What an answer holds of what was asked for. `empty`: the place for it is there, and nothing in it. `ids`: nothing but ids. `nothing`:
 * neither.
 */
type Holding = 'data' | 'empty' | 'ids' | 'nothing';

/** What an operation looks for, by the names that answers give it. */
const OWN_THINGS: Readonly<Record<string, RegExp>> = {
  'enrich-person': /^(?:person|people|profiles?|contacts?)$/,
  'enrich-company': /^(?:compan(?:y|ies)|organi[sz]ations?)$/,
};

function holdingOf(body: JsonValue, places: readonly JsonValue[], question: Question): Holding {
  const { dialect, operation, call } = question;
  const { credits, results } = operation;
  const place = present({ fields: dialect.fields_at, results });
  const findsLists = results !== undefined || credits.per_result !== undefined;
  const listed = findsLists ? parsedResultsOf(body, place) : undefined;
  if (listed !== undefined) return holdingOfList(listed, question);
  const names = dialect.fields_at === undefined ? OWN_THINGS[call.operation] : undefined;
  const things = [body, ...containersIn(body)]
    .flatMap((each) => [each].flat().flatMap((one) => membersOf(one as JsonValue)))
    .filter(
      ([name, value]) => names?.test(nameOf(name).plain) === true && (value === null || !isPlain(value)),
    );
  // Whatever stands beside the thing itself is of something else.
  if (things.length > 0 && things.every(([, value]) => isKnown(value, question))) return 'empty';
  const isEmpty = places.every(isBlank) || places.some(lacksThing);
  const isData = places.some((each) => !isPlain(each) && holdsData(each, question));
  if (isData && !(isEmpty && isScant(places.flat(), question))) return 'data';
  if (isEmpty) return 'empty';
  return membersOf(body).some(([name, value]) => ID.test(name) && !isBlank(value)) ? 'ids' : 'nothing';
}

/** Members with nothing in them are no results, and a word alone may be the answer's own. */
function holdingOfList(listed: readonly JsonValue[], question: Reading): Holding {
  if (listed.every(isBlank)) return 'empty';
  const isData = listed.some((each) => (isPlain(each) ? holdsData(each, question) : !isBlank(each)));
  return isData ? 'data' : 'nothing';
}

/** Where what was asked for may stand. Where an answer has such a place, what is beside it is ignored. */
export function placesIn(body: JsonValue, fields: string | undefined): readonly JsonValue[] {
  const named = fields === undefined ? undefined : valueAt(body, fields);
  const places = named === undefined ? containersIn(body) : [named];
  return places.length > 0 ? places : [body];
}

function containersIn(body: JsonValue): readonly JsonValue[] {
  if (!isObject(body)) return [];
  return CONTAINERS.flatMap((name) => {
    const value = Object.hasOwn(body, name) ? (body[name] as JsonValue) : undefined;
    // A word there, such as "no_match", is the answer's own.
    return value === undefined || (value !== null && isPlain(value)) ? [] : [value];
  });
}

/** Whether there is nothing in it but what was asked. */
function isKnown(value: JsonValue, question: Reading): boolean {
  if (value === null || value === '') return true;
  if (typeof value === 'object')
    return Object.values(value).every((each) => isKnown(each as JsonValue, question));
  return typeof value !== 'boolean' && question.asked.knows(value);
}

/** Where a thing is there and blank, nothing was found; so it is where each member of a list lacks it. */
function lacksThing(body: JsonValue): boolean {
  if (Array.isArray(body)) return body.length > 0 && body.every(lacksThing);
  return membersOf(body).some(([name, value]) => nameOf(name).isThing && isBlank(value));
}

/** A record has more than so many fields, or one that is a record's alone. */
const MOST_DETAILS = 2;

/** Fields that no answer has of itself. An e-mail address may be that of the support, and a website or a profile may repeat the question. */
const OF_RECORDS =
  /name$|^(?:employee|founded|(?:about|bio|sector)$)|(?:(?:phone|mobile)(?:s|numbers?)?|industry|headcount|revenue|jobtitle)$/;

/** Whether there is no record, but a plain value or two, such as a path or a source. */
function isScant(places: readonly JsonValue[], question: Reading): boolean {
  if (!places.every((each) => isObject(each) || isBlank(each))) return false;
  const held = places.flatMap((place) => membersOf(place).filter((each) => isHeld(each, question)));
  return (
    held.length <= MOST_DETAILS &&
    held.every(([name, value]) => isPlain(value) && !OF_RECORDS.test(nameOf(name).plain))
  );
}

/** What some write where they have nothing. */
const NOTHING = /^(?:n\/a|null|nil|none|undefined|-+)?$/i;

/** Whether a value holds something of what was asked about: nothing that speaks of the answer, no id, no echo of the question. */
export function holdsData(value: JsonValue | undefined, question: Reading, name = ''): boolean {
  if (value === undefined || value === null || value === false || value === 0) return false;
  if (value === true) return true;
  if (typeof value === 'number') return !question.asked.repeats(value, name);
  if (Array.isArray(value)) return value.some((each) => holdsData(each, question, name));
  if (typeof value !== 'string') return membersOf(value).some((each) => isHeld(each, question));
  if (NOTHING.test(value.trim()) || question.asked.repeats(value, name)) return false;
  // A text without a name is the answer's own where it says no: `["No company found"]`. So is a sentence that nothing was found.
  if (name === '') return question.vocabulary.sensesOf(value).every((sense) => sense === 'done');
  if (question.asked.isOwn || !/\s/.test(value) || OF_RECORDS.test(nameOf(name).plain)) return true;
  return !question.vocabulary.sensesOf(value).includes('no_match');
}

const isHeld = ([name, value]: readonly [string, JsonValue], question: Reading): boolean =>
  isField(name, value, question) && holdsData(value, question, name);

/** Names of objects with fields in them are those of a company as well: `{"result":{"name":"Acme"}}`. */
export function isField(name: string, value: JsonValue, { vocabulary }: Reading): boolean {
  const { kind, plain } = nameOf(name);
  if (kind === 'field') return value !== true || vocabulary.senseOfCode(name) === undefined;
  if (kind === 'effect') return typeof value !== 'boolean';
  return (
    !isPlain(value) &&
    (kind === 'described' || kind === 'found' || (kind === 'machine' && plain !== 'status'))
  );
}
