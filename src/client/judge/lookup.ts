import { parsedResultsOf, valueAt } from '../../core/answer-body.ts';
import { saysMore, saysTotal } from '../../core/more-pages.ts';
import { isObject, present } from '../../core/objects.ts';
import type { Call, JsonObject, JsonValue } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { Dialect, DialectOperation } from '../dialect.ts';
import { type Asked, isNaming } from './asked.ts';
import { type Heard, hear } from './hearing.ts';
import { otherIn } from './identity.ts';
import { CONTAINERS, nameOf, THINGS } from './names.ts';
import { plainName } from './plain.ts';
import { namesRoute } from './routes.ts';
import { firstOf, is2xx, is3xx, is4xx, isUnfinished, type Row, row } from './table.ts';
import { ACCEPTED } from './values.ts';
import { type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** What an answer to a lookup means by its status, by what it says of itself, and by what it holds. */

/** Where the answers of an operation hold what was asked for. */
interface DataPlace {
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
type Holding = 'data' | 'details' | 'empty' | 'ids' | 'nothing';

function holdingOf(body: JsonValue, place: DataPlace, beside: Beside): Holding {
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
  const found = [body, ...containersIn(body)].flat().flatMap((each) =>
    isObject(each)
      ? Object.keys(each).flatMap((name) => {
          const value = (each[name] ?? null) as JsonValue;
          return names.test(plainName(name)) && (value === null || !isPlain(value)) ? [value] : [];
        })
      : [],
  );
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

// ------------------------------------------------------------------------------------------------------ the table

interface LookupAnswer {
  readonly heard: Heard;
  readonly holding: Holding;
  /** The status of HTTP, or the one that a 2xx without data states. */
  readonly by: number;
  readonly status: number;
  readonly isOwn: boolean;
  /** What holds the data is apart from what speaks. */
  readonly isApart: boolean;
  readonly namesRoute: boolean;
  /** It has none of the results that it counts. */
  readonly isCutShort: boolean;
}

const holds = ({ holding }: LookupAnswer): boolean => holding === 'data';
const saysTooFast = ({ heard: { says }, by }: LookupAnswer): boolean =>
  says.has('rate_limited') || by === 429 || by === 420;
const FAILED_WITH_DATA = 'which says that it failed, but holds data';

/** A message that something was not found may be about a part of a small record. */
const saysNone = ({ heard, holding }: LookupAnswer): boolean =>
  heard.foundNone ||
  (heard.says.has('no_match') && (heard.codeSaysNo || heard.trouble || holding !== 'details'));

export const LOOKUPS: readonly Row<LookupAnswer>[] = [
  row('it is a redirect', 'wrong_address', ({ status }) => is3xx(status) || status === 407),
  // What a code says of the request beats what stands beside it.
  row(
    'its code says too fast',
    'rate_limited',
    (each) =>
      holds(each) &&
      (each.heard.codes.has('rate_limited') ||
        (each.heard.says.has('rate_limited') && each.heard.status === 429)),
  ),
  row(
    'its code says that the credits are used up',
    'credits_used_up',
    (each) => holds(each) && each.heard.codes.has('credits_used_up'),
  ),
  row(
    'its code says that it is at work',
    'pending',
    (each) => holds(each) && each.heard.codes.has('working') && !each.isOwn,
  ),
  row(
    'its code says that nothing was found',
    'no_match',
    (each) => holds(each) && (each.heard.codes.has('no_match') || each.heard.foundNone),
  ),
  row(
    'it says no and holds data',
    'in_doubt',
    (each) =>
      holds(each) && (each.heard.no || (each.isApart && !each.isOwn && each.heard.codes.has('refused'))),
    { because: FAILED_WITH_DATA },
  ),
  row('it holds what was asked for', 'found', holds),
  // From here on it holds nothing.
  row(
    'it says that the credits are used up',
    'credits_used_up',
    ({ heard: { says }, by }) => says.has('credits_used_up') || by === 402,
  ),
  row('it says too fast', 'rate_limited', saysTooFast),
  row('it is about its path', 'wrong_address', ({ by, namesRoute: isOfRoute }) => is4xx(by) && isOfRoute),
  row(
    'it says that the key is dead',
    'key_dead',
    ({ heard: { says }, by }) => says.has('key_dead') && (is2xx(by) || [400, 401, 403].includes(by)),
  ),
  row('the status refuses the key', 'key_dead', ({ by }) => by === 401 || by === 403),
  row(
    'it says that nothing was found',
    'no_match',
    (each) => saysNone(each) && (is2xx(each.by) || is4xx(each.by)) && !isUnfinished(each.by),
  ),
  row('the status is 404', 'no_match', ({ by }) => by === 404),
  row('it broke off, or something behind did', 'in_doubt', ({ by }) => isUnfinished(by)),
  row('the status is a 4xx', 'refused', ({ by }) => is4xx(by)),
  row(
    'it is not yet done',
    'pending',
    ({ heard: { says }, status }) => says.has('working') || says.has('pending') || status === ACCEPTED,
  ),
  row('it says no', 'in_doubt', ({ heard: { no, trouble } }) => no || trouble, {
    because: 'which names an error',
  }),
  row(
    'its list is cut short',
    'in_doubt',
    ({ isCutShort, holding, heard: { countedNone } }) => isCutShort && (holding === 'empty' || countedNone),
    { because: 'which has none of the results that it counts' },
  ),
  row(
    'the place of what was asked for is empty',
    'no_match',
    ({ holding, heard: { says, countedNone } }) =>
      (holding === 'empty' || countedNone) && !says.has('refused') && !says.has('project_refused'),
  ),
  row('it has nothing but an id', 'pending', ({ holding }) => holding === 'ids'),
  row('nobody can read it', 'in_doubt', () => true, {
    because: 'which does not say whether anything was found',
  }),
];

export interface LookupConclusion {
  readonly row: Row<never>;
  readonly heard: Heard;
  /** A match that says of itself that a part is missing. */
  readonly isPartial?: true;
  /** A match that shows another identifier than was asked for, such as `the domain acme.example`. */
  readonly shows?: string;
}

interface LookupQuestion {
  readonly dialect: Dialect;
  readonly operation: DialectOperation;
  readonly call: Call;
  readonly asked: Asked;
}

export function judgeLookup(
  body: JsonValue,
  { status, body: bytes }: Pick<RawReply, 'status' | 'body'>,
  question: LookupQuestion,
): LookupConclusion {
  const { dialect, operation, call, asked } = question;
  const vocabulary = vocabularyOf(dialect.words);
  const beside = besideData(dialect, asked);
  const { credits, results } = operation;
  const place = present({ fields: dialect.fields_at, results });
  const findsLists = results !== undefined || credits.per_result !== undefined;
  const list = findsLists ? parsedResultsOf(body, place) : undefined;
  const dataPlace = { fields: dialect.fields_at, list, operation: call.operation };
  const held = is2xx(status) ? holdingOf(body, dataPlace, beside) : 'nothing';
  const outside = hear(body, { asked, vocabulary, isAlone: false });
  const isApart = !placesIn(body, dialect.fields_at).includes(body);
  const isDetails =
    held === 'data' &&
    leavesDetails(outside, { isApart, status, isOwn: asked.isOwn }) &&
    isScant(body, dialect.fields_at, beside);
  const holding = isDetails ? 'details' : held;
  const heard = held === 'data' ? outside : hear(body, { asked, vocabulary, isAlone: true });
  const row = firstOf(LOOKUPS, {
    ...{ heard, holding, status, isApart, isOwn: asked.isOwn },
    by: holding === 'data' || !is2xx(status) ? status : (heard.status ?? status),
    namesRoute: namesRoute(bytes) || namesPath(body),
    isCutShort: isCutShort(body, findsLists, call),
  });
  const isMatch = row.means === 'found';
  return {
    ...{ row, heard },
    ...(isMatch && heard.trouble ? { isPartial: true } : {}),
    ...present({ shows: isMatch && !heard.trouble ? otherIn(body, dialect, asked) : undefined }),
  };
}

/** Some servers say it by these two beside each other. */
const namesPath = (body: JsonValue): boolean => isObject(body) && 'path' in body && 'timestamp' in body;

/** An empty first page of a list that is said to have members, or to go on. */
function isCutShort(body: JsonValue, findsLists: boolean, { parameters }: Call): boolean {
  if (!findsLists || parameters.page !== undefined) return false;
  return (saysTotal(body) ?? 0) > 0 || saysMore(body) === true;
}

/** Whether a plain value or two are details of what the answer says: that it failed, or is not there yet. */
function leavesDetails(
  { says, codes, codeSaysNo, proseSaysNo, trouble, isError, status: stated }: Heard,
  { isApart, status, isOwn }: Pick<LookupAnswer, 'isApart' | 'status' | 'isOwn'>,
): boolean {
  const isCode = stated !== undefined || codeSaysNo;
  if (says.has('rate_limited') || (isCode && (proseSaysNo || trouble))) return true;
  if (isApart) return codes.has('working') || codes.has('pending');
  if (status === ACCEPTED || isError) return true;
  // What a call of one's own asks about may also count what has failed.
  return !isOwn && (trouble || stated !== undefined || [...says].some((each) => each !== 'done'));
}
