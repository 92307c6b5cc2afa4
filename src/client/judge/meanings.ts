import { valueAt } from '../../core/answer-body.ts';
import { valuesAt } from '../../core/answer-path.ts';
import type { FactsOf } from '../../core/findings.ts';
import { verdictIn, wantedOf } from '../../core/given.ts';
import { isObject } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { is2xx, is3xx, is4xx, isReadable } from '../answer-rules.ts';
import type { Dialect, DialectOperation, Meaning } from '../dialect.ts';
import { type GivenValue, givenIn } from '../given-values.ts';
import { asksLater } from '../rate-hints.ts';
import { publishedId, publishedIdIn } from './change-fields.ts';
import { type Content, contentOf, showsOwn } from './content.ts';
import { JudgedCall } from './judged-call.ts';
import { isFilled, isPlain, type Leaf, leavesOf, pathOf } from './names.ts';
import type { ParsedReply } from './reply.ts';
import { ChangeStatements, Statements } from './statements.ts';
import type { Sense } from './words.ts';

/**
 * The table that says what an answer means where no rule of the dialect does. The first row that fits
 * decides.
 */

export type PlainMeaning = Exclude<Meaning, 'as_stated'>;

/** The status of a request that was accepted and is not done yet. */
const ACCEPTED = 202;
const CREATED = 201;

/** An answer as the table looks at it. */
function answerOf(parsed: ParsedReply, judgedCall: JudgedCall) {
  const { raw, body } = parsed;
  const { call } = judgedCall;
  const value = jsonIn(parsed);
  const isJson = value !== undefined;
  const isAsked = call !== undefined && is2xx(raw.status);
  const given = isAsked ? givenIn(value, judgedCall.operation, call.operation) : undefined;
  const leaves = leavesBeside(given, value, judgedCall);
  /** The statements about a change; undefined for a lookup and for a free request. */
  const change =
    call?.change === undefined ? undefined : new ChangeStatements(judgedCall, call).listen(leaves);
  const isLookup = call !== undefined && change === undefined;
  const content = isLookup && isAsked ? contentGiven(given, value, leaves, judgedCall) : 'nothing';
  const { statements, holds } = change
    ? { statements: change, holds: false }
    : statementsBeside(content, leaves, raw.status, judgedCall);
  /** Whether the id came that a change has to show; `none`: the change has to show none. */
  const published = change && publishedIdIn(judgedCall, value, raw.status !== ACCEPTED);
  /** Whether the answer says that a change was made. */
  const isProved = !!change?.yes || published === 'came';
  /** The HTTP status, or the status that a 2xx states which does not show the data. */
  const isUnclear = is2xx(raw.status) && !holds && !isProved;
  const by = isUnclear ? (statements.status ?? raw.status) : raw.status;
  return {
    judgedCall,
    parsed,
    isJson,
    value,
    leaves,
    content,
    given,
    holds,
    statements,
    change,
    isLookup,
    published,
    isProved,
    by,
    http: raw.status,
    /** Whether the answer names an error, or says that a change was not made. */
    isNo: statements.no || statements.trouble || (isProved && statements.status !== undefined),
    isBlank: value === undefined ? body.kind === 'blank' : isNothing(value),
  };
}

type Answer = ReturnType<typeof answerOf>;

/**
 * Where the dialect says what is looked for, all else is no data. Nothing but an id is an answer to come,
 * unless the place of what is looked for is there as well.
 */
function contentGiven(
  given: GivenValue | undefined,
  value: JsonValue | undefined,
  leaves: readonly Leaf[],
  judgedCall: JudgedCall,
): Content {
  if (given === 'filled' || given === 'other') return 'data';
  if (given === 'odd') return 'nothing';
  const shown = contentOf(value ?? null, leaves, judgedCall);
  return given === undefined || (given === 'absent' && shown === 'ids') ? shown : 'empty';
}

/**
 * A verdict is about the address, so that "invalid" is no statement of the answer about itself. That the
 * vendor is at work is one.
 */
function leavesBeside(
  given: GivenValue | undefined,
  value: JsonValue | undefined,
  judgedCall: JudgedCall,
): readonly Leaf[] {
  const leaves = leavesOf(value ?? null);
  const at = given === undefined || given === 'odd' ? undefined : judgedCall.operation.gives?.verdict;
  if (at === undefined) return leaves;
  const verdicts = valuesAt(value, at).map((each) => each.at);
  const isVerdict = (leaf: Leaf): boolean =>
    verdicts.includes(pathOf(leaf)) && judgedCall.vocabulary.justOf(String(leaf.value)) !== 'working';
  return leaves.filter((leaf) => !isVerdict(leaf));
}

/**
 * The statements of an answer beside its data, and whether it holds data. A plain value or two may only be
 * details of a statement.
 */
function statementsBeside(
  content: Content,
  leaves: readonly Leaf[],
  http: number,
  judgedCall: JudgedCall,
): { readonly statements: Statements; readonly holds: boolean } {
  const holds = content === 'data' || content === 'details';
  // What was only accepted, or made, may be shown before anything was found out about it.
  const isEarly = [CREATED, ACCEPTED].includes(http);
  const isFree = judgedCall.call === undefined && is2xx(http);
  const statements = new Statements(judgedCall).listen(leaves, !isFree && (!holds || isEarly));
  if (content !== 'details' || !speaksOfItself(statements, http, leaves, judgedCall))
    return { statements, holds };
  return { statements: new Statements(judgedCall).listen(leaves, true), holds: false };
}

const isNothing = (value: JsonValue): boolean =>
  isPlain(value) ? !isFilled(value) : Object.keys(value as object).length === 0;

/** The JSON of a reply; undefined where it has none. A number is JSON only by chance. */
function jsonIn({ raw, body }: ParsedReply): JsonValue | undefined {
  return body.kind === 'json' && (is2xx(raw.status) || isReadable(body)) ? body.value : undefined;
}

/** Whether a server says that it has nothing at the path. */
function isOfRoute(it: Answer): boolean {
  const { value, by, parsed, isLookup } = it;
  const isOfServer = isObject(value) && 'path' in value && 'timestamp' in value;
  if (is4xx(by) && ((isOfServer && by === 404) || namesRoute(parsed.raw.body))) return true;
  return by !== 401 && (is4xx(by) || isLookup) && says(it, 'gone');
}

/**
 * Whether the person is there already, or has the role. That a user exists says nothing about the project.
 */
function isSoAlready({ judgedCall, http, by, statements, change }: Answer): boolean {
  const state = judgedCall.call?.change?.leaves.state;
  const isOfPeople = (state === 'invited' || state === 'member') && (is2xx(http) || is4xx(by));
  if (change?.other || statements.yes) return false;
  const { vocabulary } = judgedCall;
  return (
    isOfPeople &&
    statements.stated.some(({ value }) => SO_BEFORE.some((how) => vocabulary.wasSoBefore(String(value), how)))
  );
}

const SO_BEFORE = ['is_member', 'is_invited'] as const;

/** A call that is sent again may cost again. */
const isPaid = ({ change, judgedCall }: Answer): boolean =>
  change !== undefined && judgedCall.operation.credits.most > 0;

/** A service has projects, which may refuse a key. */
const isOfService = ({ judgedCall, parsed, isJson }: Answer): boolean =>
  judgedCall.dialect.vendor === 'service' && !parsed.isOuter && isJson;

/** The subject of an api-call of the job may have been denied something itself. */
const isOfKey = (it: Answer): boolean =>
  isFreeNo(it) &&
  (is2xx(it.by)
    ? !it.judgedCall.isOwn || it.statements.codes.has('key_dead')
    : is4xx(it.by) && !isUnfinished(it.by) && it.by !== 429);

/** What a 402 says of a key or a server is no matter of credits. */
const isOutOfCredits = (it: Answer): boolean =>
  it.by === 402
    ? says(it, 'credits_used_up') || !(says(it, 'key_dead') || says(it, 'temporary'))
    : says(it, 'credits_used_up') && isFreeNo(it);

/** A gateway in front of the vendor may have lost an answer that was charged, and tells of a time as well. */
const isBusy = ({ by, http, isLookup, isJson, isBlank, parsed }: Answer): boolean =>
  isLookup && by === 503 && http === 503 && !parsed.isOuter && (isJson || isBlank) && asksLater(parsed.raw);

/** With these statuses a service says that it has no such step. */
const isWithoutStep = ({ parsed, by }: Answer): boolean => parsed.isOuter && [404, 405, 410].includes(by);

const saysNo = (it: Answer): boolean => says(it, 'refused') || says(it, 'temporary');

const isEmptyPlace = ({ content, statements }: Answer): boolean =>
  content === 'empty' || statements.countedNone;

const isEmptySuccess = ({ by, isBlank, published }: Answer): boolean =>
  is2xx(by) && by !== ACCEPTED && isBlank && published === 'none';

const isDone = ({ change }: Answer): boolean => change !== undefined && (change.yes || change.role);

const isOfOwn = ({ change }: Answer): boolean => !!change?.isAny && !change.countedNone;
const isThingOfOwn = ({ change }: Answer): boolean => !!change?.isAny && change.thing && !change.yes;

/**
 * Whether the plain values in an answer may be details of its own statement: that it failed, or is not there
 * yet.
 */
function speaksOfItself(
  { isError, codes, says, no, trouble, status }: Statements,
  http: number,
  leaves: readonly Leaf[],
  judgedCall: JudgedCall,
): boolean {
  if (isError || http === ACCEPTED || codes.has('refused')) return true;
  // The subject of an api-call of the job may say no, and count failures.
  if (judgedCall.isOwn) return false;
  if (no || trouble || status !== undefined) return true;
  return [...says].some((each) => each !== 'done') && !showsOwn(leaves, judgedCall);
}

export type So = FactsOf<'answer'>['so'];

interface Row {
  /** The words for a person: `the status is 429`. */
  readonly name: string;
  readonly means: PlainMeaning;
  readonly fits: (answer: Answer) => boolean;
  /** The kind of answers to which the row applies. */
  readonly of: string;
  /** Why the call is in doubt, that the answer does not say so, or that it was so before. */
  readonly so: So | undefined;
}

const row = (name: string, means: PlainMeaning, fits: Row['fits'], so?: So): Row => ({
  name,
  means,
  fits,
  so,
  of: '',
});
/** Rows that apply to one kind of answers only. */
const of = (name: string, isOf: Row['fits'], rows: readonly Row[]): readonly Row[] =>
  rows.map((each) => ({ ...each, of: name, fits: (it) => isOf(it) && each.fits(it) }));

/** Beside data only a code counts. */
const says = ({ holds, statements }: Answer, sense: Sense): boolean =>
  (holds ? statements.codes : statements.says).has(sense);
/**
 * Whether a code says that the vendor is still at work, or that what it has accepted is. A verdict that is
 * unknown may still come.
 */
function isAtWork({ judgedCall: { isOwn, operation }, http, value, statements: { codes } }: Answer): boolean {
  if (isOwn) return false;
  if (codes.has('working')) return true;
  if (!codes.has('pending')) return false;
  const verdict = valueAt(value, operation.gives?.verdict ?? '') ?? null;
  return [CREATED, ACCEPTED].includes(http) || verdictIn(verdict, operation.verdicts ?? {}) === 'unknown';
}
const isNotYet = (it: Answer): boolean => says(it, 'working') || says(it, 'pending');

/**
 * Whether the value without which nothing is found stands at its place, whatever else the answer says. Beside
 * a mark of failure only a verdict counts.
 */
const hasWanted = ({ given, judgedCall, statements }: Answer): boolean => {
  const wanted = wantedOf(judgedCall.call?.operation ?? '');
  return given === 'filled' && wanted !== undefined && (wanted === 'verdict' || !statements.no);
};

/** Vendors answer so to a question whose answer is still to come. */
const isRefusedAtWork = (it: Answer): boolean => [400, 404, 409].includes(it.by) && says(it, 'working');

/** The request did not come in whole, or in time. */
const UNFINISHED: readonly number[] = [408, 425, 499];
/** These are about whether the call may be made. */
const OF_ASKING: readonly number[] = [401, 403, 407, 420, 429];

/** Whether the status says nothing about the call. */
const isUnfinished = (by: number): boolean =>
  UNFINISHED.includes(by) || !(is2xx(by) || is3xx(by) || is4xx(by));
/** Whether the status is about the subject of the call. */
const isOfWhatWasAsked = (by: number): boolean => !isUnfinished(by) && !is3xx(by) && !OF_ASKING.includes(by);
/** Whether a "no" was free. The answer to a paid change may have cost something, also where it says no. */
const isFreeNo = (it: Answer): boolean => !it.isProved && !(isPaid(it) && is2xx(it.http));

/** The row of a limit that lasts long. */
export const A_DAY = 'it says that a limit of a day or longer is reached';
/** The row of a lookup that the vendor says it has not served. Such a call is sent again once. */
export const BUSY = 'the status is 503 to a lookup, with a time to ask again';
export const IS_EMPTY = 'the place of what was asked for is empty';
/** The row of an answer that was sold, and has a word or a mask in the place of what was asked for. */
export const IS_OTHER = 'it holds something else in the place of what was asked for';
export const SAYS_NONE = 'it says that nothing was found';

export const TABLE: readonly Row[] = [
  ...of('a lookup in a success', ({ isLookup, http }) => isLookup && is2xx(http), [
    row('its code says at work', 'pending', isAtWork),
    row('what it looks for stands at its place', 'found', hasWanted),
  ]),
  ...of('any', () => true, [
    row('it says out of credits', 'credits_used_up', isOutOfCredits),
    row(A_DAY, 'rate_limited', (it) => says(it, 'day_used_up') && !it.isProved),
    row('it says too fast', 'rate_limited', (it) => says(it, 'rate_limited') && !it.isProved),
    row('it says that the plan lacks it', 'credits_used_up', (it) => it.isLookup && says(it, 'plan')),
    row('it says that the key is dead', 'key_dead', (it) => says(it, 'key_dead') && isOfKey(it)),
    row('it is about its path', 'wrong_address', isOfRoute),
    row('it says that a server failed', 'in_doubt', (it) => it.by === 402 && says(it, 'temporary')),
    row(SAYS_NONE, 'no_match', (it) => it.isLookup && says(it, 'no_match') && isOfWhatWasAsked(it.by)),
    row('it says that it was so before', 'refused', isSoAlready, 'already'),
    row('the service has no such step', 'wrong_address', isWithoutStep),
    row('it is a redirect', 'wrong_address', ({ by }) => is3xx(by) || by === 407),
    row('the status is 429', 'rate_limited', ({ by, isJson }) => by === 429 || (by === 420 && isJson)),
    row(BUSY, 'rate_limited', isBusy),
    row('the status is 401', 'key_dead', ({ by }) => by === 401),
    row('the status is 403, of a service', 'project_refused', (it) => it.by === 403 && isOfService(it)),
    row('the status is 403', 'key_dead', ({ by }) => by === 403),
  ]),
  // The answer is not the vendor's own statement: a proxy may have sent it after the vendor had charged.
  ...of('without JSON', (it) => !it.isJson, [
    row('the status is 204', 'no_match', (it) => it.isLookup && it.isBlank && it.by === 204),
    row('it is empty, and nothing is published of it', 'found', isEmptySuccess, 'without_a_word'),
    row('it has no body', 'in_doubt', ({ isBlank, by }) => isBlank && is2xx(by), 'without_a_body'),
    row('its bytes cannot be read', 'in_doubt', ({ parsed }) => 'why' in parsed.body),
    row('it is not JSON', 'in_doubt', ({ by }) => is2xx(by), 'not_json'),
    row('it is no word of the vendor', 'in_doubt', () => true),
  ]),
  ...of('with JSON', () => true, [
    row('it says that it is at work', 'pending', isRefusedAtWork),
    row('the status is 404', 'no_match', ({ by }) => by === 404),
    row('it broke off, or something behind did', 'in_doubt', ({ by }) => isUnfinished(by)),
    row('the status is a 4xx', 'refused', ({ by }) => is4xx(by)),
  ]),
  ...of('a lookup with data', ({ holds }) => holds, [
    row('it says no', 'in_doubt', (it) => it.statements.no, 'failed_but_holds_data'),
    row(IS_OTHER, 'no_match', ({ given }) => given === 'other'),
    row('it holds what was asked for', 'found', () => true),
  ]),
  ...of('a lookup', ({ isLookup }) => isLookup, [
    row('it is not yet done', 'pending', (it) => isNotYet(it) || it.http === ACCEPTED),
    row('it says no', 'in_doubt', (it) => it.isNo || saysNo(it), 'names_an_error'),
    row(IS_EMPTY, 'no_match', isEmptyPlace),
    row('it has nothing but an id', 'pending', ({ content }) => content === 'ids'),
    row('nothing in it is known', 'in_doubt', () => true, 'not_found_out'),
  ]),
  // A list of answers that count as done. All others do not.
  ...of('a change', ({ change }) => change !== undefined, [
    row('it shows something else', 'in_doubt', ({ change }) => change?.other === true, 'shows_another'),
    row('it has what is published for it', 'found', (it) => !it.isNo && it.published === 'came'),
    row('an id is published for it', 'in_doubt', ({ published }) => published !== 'none'),
    row('it says yes and no', 'in_doubt', (it) => isDone(it) && it.isNo),
    row('it says no to what may have cost', 'in_doubt', (it) => it.isNo && isPaid(it)),
    row('it says that the key has no right', 'project_refused', (it) => says(it, 'project_refused')),
    row('it says that there is no such person', 'no_match', (it) => says(it, 'no_match')),
    row('it says no', 'refused', ({ isNo }) => isNo),
    row('it says that it is not yet done', 'pending', isNotYet),
    row('it was accepted, or names a task', 'pending', ({ by, change }) => by === ACCEPTED || !!change?.work),
    row('it shows the thing with the role', 'found', ({ change }) => !!change?.thing && change.role),
    row("it shows the thing of a call of one's own", 'found', isThingOfOwn, 'without_a_word'),
    row("it says that a call of one's own was done", 'found', ({ change }) => !!change?.isAny && change.yes),
    row('it holds something unknown', 'in_doubt', ({ change }) => !!change?.odd, 'not_said'),
    row('it says that it was done', 'found', isDone),
    row('it is empty', 'found', ({ isBlank }) => isBlank, 'without_a_word'),
    row("it is a call of one's own", 'found', isOfOwn, 'without_a_word'),
    row('it does not say', 'in_doubt', () => true, 'not_said'),
  ]),
  // A free request has no answer of a certain shape, and a service without the vendor's answer says nothing
  // about the call.
  ...of('a free request, or a service in front of the vendor', () => true, [
    row('the service has no answer of the vendor', 'in_doubt', ({ parsed }) => parsed.isOuter),
    row('it says no', 'in_doubt', ({ statements }) => statements.no || statements.isError, 'names_an_error'),
    row('it was accepted', 'in_doubt', ({ by }) => by === ACCEPTED, 'no_answer_yet'),
    row('it is an answer', 'found', () => true),
  ]),
];

/** The conclusion of the table about an answer. */
export interface Conclusion {
  /** The row that decided. */
  readonly row: Row;
  /** The row's, or that a part that is published does not stand in the answer. */
  readonly so: So | undefined;
  /** The name of that part. */
  readonly lacks: string | undefined;
  /** Whether a match says of itself that a part is missing. */
  readonly isPartial: boolean;
  /** The texts and codes of the answer, as they stand in it. */
  readonly texts: readonly string[];
}

/** @param call undefined for a free request, which is about no call. */
export function conclusionOf(
  parsed: ParsedReply,
  dialect: Dialect,
  operation: DialectOperation,
  call: Call | undefined,
): Conclusion {
  const answer = answerOf(parsed, new JudgedCall(dialect, parsed.isOuter ? undefined : call, operation));
  const { statements, published, isJson, isLookup, change, given } = answer;
  const found = TABLE.find(({ fits }) => fits(answer)) as Row;
  const isMissing = found.means === 'in_doubt' && isJson && published === 'missing' && !change?.other;
  const isOdd = found.means === 'in_doubt' && given === 'odd';
  return {
    row: found,
    so: isOdd ? 'odd_verdict' : isMissing ? 'lacks' : found.so,
    lacks: isMissing && !isOdd ? publishedId(operation) : undefined,
    isPartial: found.means === 'found' && isLookup && statements.trouble,
    texts: statements.stated.map(({ value }) => value).filter((value) => typeof value === 'string'),
  };
}

const LOOKED_AT_BYTES = 2_000;

/** Words of a server that has nothing at a path. The URL of a profile that is not found does not count. */
const NAMES_ROUTE =
  /\b(?:no such|unknown|invalid|no) (?:path|route|endpoint|function)\b(?! param)|\b(?:path|route|endpoint|function)\b[^"]{0,80}not (?:be )?(?:found|exist)|\bcannot (?:get|post|put|patch|delete) \//i;

/** Codes are read word by word: `RouteNotFound`. */
export const namesRoute = (body: Buffer): boolean =>
  NAMES_ROUTE.test(
    body
      .toString('utf8', 0, LOOKED_AT_BYTES)
      .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
      .replaceAll('_', ' '),
  );

/** Whether an answer is about a missing project, and not about a person in it. */
export function namesProject(body: Buffer): boolean {
  const words = body.toString('utf8', 0, LOOKED_AT_BYTES);
  const isOf = /\b(?:no such|unknown|invalid) project\b|\bproject[^"]{0,80}(?:not.found|not exist)/i.test(
    words,
  );
  return isOf && !/user|member|person|invit/i.test(words);
}
