import { parsedResultsOf } from '../../core/answer-body.ts';
import { saysMore, saysTotal } from '../../core/more-pages.ts';
import { isObject, present } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { Dialect, DialectOperation } from '../dialect.ts';
import type { Asked } from './asked.ts';
import { type Heard, hear } from './hearing.ts';
import { besideData, type Holding, holdingOf, isScant, placesIn } from './holding.ts';
import { otherIn } from './identity.ts';
import { namesRoute } from './routes.ts';
import { firstOf, is2xx, is3xx, is4xx, isUnfinished, type Row, row } from './table.ts';
import { ACCEPTED } from './values.ts';
import { vocabularyOf } from './vocabulary.ts';

/** What an answer to a lookup means by its status, by what it says of itself, and by what it holds. */

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
