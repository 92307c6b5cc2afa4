import { valueAt } from '../../core/answer-body.ts';
import { isObject, present } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { SO_ALREADY, WITHOUT_A_WORD } from '../../core/row.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import type { AnswerRule, Dialect, DialectOperation, Meaning } from '../dialect.ts';
import { Question } from './asked.ts';
import { Heard } from './heard.ts';
import { type Holding, holdingOf, isScant, otherIn, placesIn } from './holding.ts';
import { isFilled, isPlain } from './names.ts';
import { publishedId, publishedIdIn } from './published.ts';
import { is2xx, is3xx, is4xx, isReadable } from './rules.ts';
import type { Said } from './said.ts';
import { plainWords, type Sense } from './words.ts';

/** The table that says what an answer means where no rule of the dialect does: the first row that fits decides. */

export type PlainMeaning = Exclude<Meaning, 'as_stated'>;

/** An answer as the table looks at it. */
class Answer {
  readonly question: Question;
  /** A service answers in front of the vendor, and its answer holds none of the vendor's. */
  readonly isOuter: boolean;
  readonly http: number;
  readonly isJson: boolean;
  readonly value: JsonValue;
  /** Where what was asked for may stand. */
  readonly places: readonly JsonValue[];
  readonly holding: Holding;
  readonly heard: Heard;
  /** Whether the id came that a change has to show; `none`: it has to show none. */
  readonly published: ReturnType<typeof publishedIdIn>;
  readonly #said: Said;

  constructor(said: Said, question: Question, isOuter: boolean) {
    const { raw, body } = said;
    this.#said = said;
    this.question = question;
    this.isOuter = isOuter;
    this.http = raw.status;
    // A number is JSON by chance.
    this.isJson = is2xx(raw.status) ? body.kind === 'json' : isReadable(body);
    this.value = this.isJson && body.kind === 'json' ? body.value : null;
    this.places = placesIn(this.value, question.dialect.fields_at);
    [this.heard, this.holding] = this.#heardAndHeld();
    const at = question.dialect.fields_at;
    const fields = at === undefined ? this.value : valueAt(this.value, at);
    this.published = this.isChange ? publishedIdIn(question.operation, fields) : 'none';
  }

  #heardAndHeld(): readonly [Heard, Holding] {
    const { value, http, question, places, isChange } = this;
    const hear = (isAlone: boolean): Heard => new Heard(question, isAlone).listen(value);
    if (!this.isLookup) return [hear(isChange || !is2xx(http)), 'nothing'];
    const held = is2xx(http) ? holdingOf(value, places, question) : 'nothing';
    if (held !== 'data') return [hear(true), held];
    const heard = hear(false);
    const isDetails = speaksOfItself(heard, this) && isScant(places, question);
    return [heard, isDetails ? 'nothing' : 'data'];
  }

  get isChange(): boolean {
    return this.question.call?.change !== undefined;
  }

  /** Sent again, it may cost again. */
  get isPaidChange(): boolean {
    return this.isChange && this.question.operation.credits.most > 0;
  }

  get isLookup(): boolean {
    return this.question.call !== undefined && !this.isChange;
  }

  get holds(): boolean {
    return this.holding === 'data';
  }

  /** The status of HTTP, or the one that a 2xx states which does not show what was asked for. */
  get by(): number {
    const states = is2xx(this.http) && !this.holds && !this.isProved;
    return states ? (this.heard.status ?? this.http) : this.http;
  }

  /** It says that a change was made. */
  get isProved(): boolean {
    return this.isChange && (this.heard.yes || this.published === 'came');
  }

  /** It names an error, or says that a change was not made. */
  get isNo(): boolean {
    return this.heard.no || this.heard.trouble || (this.isProved && this.heard.status !== undefined);
  }

  get isOfRoute(): boolean {
    const isOfServer = isObject(this.value) && 'path' in this.value && 'timestamp' in this.value;
    return !this.holds && (isOfServer || namesRoute(this.#said.raw.body));
  }

  get isBlank(): boolean {
    const { value } = this;
    if (!this.isJson) return this.#said.body.kind === 'blank';
    return !isFilled(value) && (isPlain(value) || Object.keys(value as object).length === 0);
  }

  get isCutOff(): boolean {
    return this.#said.body.kind === 'unreadable' && this.#said.body.why !== undefined;
  }

  /** A service has projects, which may refuse a key. */
  get isService(): boolean {
    return this.question.dialect.vendor === 'service' && !this.isOuter;
  }

  /** It says that somebody is there already, or has the role. That a user exists says nothing of the project. */
  get isSoAlready(): boolean {
    const { leaves } = this.question.call?.change ?? {};
    if (![200, 400, 409, 422].includes(this.http) || !['invited', 'member'].includes(leaves?.state ?? ''))
      return false;
    return this.heard.texts
      .map(plainWords)
      .some((text) => ALREADY.test(text) && !/\b(?:an)?other\b/.test(text));
  }
}

const ALREADY =
  /\b(?:already (?:(?:an? |the )?member|an? user of (?:the |this )?project|in |part of |(?:been )?invited|assigned|has (?:this|that|the|an?)? ?role)|(?:member|invite|invitation) already (?:exists?|sent))/;

/** Whether a plain value or two may be details of what the answer says: that it failed, or is not there yet. */
function speaksOfItself(heard: Heard, { http, question }: Answer): boolean {
  if (heard.isError || heard.noes > 1 || http === ACCEPTED) return true;
  // What a call of one's own asks about may say no, and count what has failed.
  const says = [...heard.says].some((each) => each !== 'done');
  return !question.isOwn && (heard.no || heard.trouble || heard.status !== undefined || says);
}

interface Row {
  /** As a person is told it: `the status is 429`. */
  readonly name: string;
  readonly means: PlainMeaning;
  readonly fits: (answer: Answer) => boolean;
  /** Of which answers it is. */
  readonly of?: string;
  /** Why it is in doubt, as a clause behind the vendor's words. */
  readonly because?: string | undefined;
  /** Behind the vendor's words of what is settled: that they do not say so, or that it was so before. */
  readonly remark?: string;
}

/** What the table says of an answer. */
export interface Conclusion {
  /** The row that decided. */
  readonly row: Row;
  /** A match that says of itself that a part is missing. */
  readonly isPartial?: boolean;
  /** A match that shows another identifier than was asked for, such as `the domain acme.example`. */
  readonly shows?: string;
  /** The answer's texts and codes, as they stand in it. */
  readonly texts: readonly string[];
}

/** An answer and what it means. */
export interface Meant {
  /** The vendor's answer; undefined when the service in front of it answered. */
  readonly own: RawReply | undefined;
  readonly said: Said;
  readonly means: PlainMeaning;
  /** The dialect's rules that may read it, in their order. */
  readonly rules: readonly AnswerRule[];
  /** The one that does. Where none does, the table does. */
  readonly rule: AnswerRule | undefined;
  readonly table: Conclusion | undefined;
}

const row = (name: string, means: PlainMeaning, fits: Row['fits'], because?: string): Row => ({
  ...{ name, means, fits, because },
});
/** What counts as done although the answer does not say so. */
const wordless = (name: string, fits: Row['fits']): Row => ({
  ...row(name, 'found', fits),
  remark: WITHOUT_A_WORD,
});

/** The status of a request that was accepted, of which nothing is done yet. */
const ACCEPTED = 202;
/** So a service says that it has no such step. */
const NO_STEP: readonly number[] = [404, 405, 410];

/** It says nothing of the question: the request did not come in whole, or in time. */
const isUnfinished = (by: number): boolean =>
  [408, 425, 499].includes(by) || !(is2xx(by) || is3xx(by) || is4xx(by));

/** Whether an answer with that status may say that there is nothing, and not only that it cannot be asked. */
const isOfQuestion = (by: number): boolean =>
  is2xx(by) || (is4xx(by) && !isUnfinished(by) && ![401, 403, 407, 420, 429].includes(by));

const says =
  (...senses: readonly Sense[]) =>
  ({ heard }: Answer) =>
    senses.some((sense) => heard.says.has(sense));
/** What a code says of the request beats what stands beside it. */
const code = (sense: Sense) => (it: Answer) => it.holds && it.heard.codes.has(sense);

const FAILED_WITH_DATA = 'which says that it failed, but holds data';
const NOT_SAID = 'which does not say whether it was done';
/** Rows of some answers alone. */
const of = (name: string, isOf: Row['fits'], rows: readonly Row[]): readonly Row[] =>
  rows.map((each) => ({ ...each, of: name, fits: (it) => isOf(it) && each.fits(it) }));

export const TABLE: readonly Row[] = [
  ...of('a lookup with data', (it) => it.holds, [
    row('its code says too fast', 'rate_limited', code('rate_limited')),
    row('its code says out of credits', 'credits_used_up', code('credits_used_up')),
    row('its code says at work', 'pending', (it) => code('working')(it) && !it.question.isOwn),
    row('its code says not found', 'no_match', code('no_match')),
    row('it says no', 'in_doubt', ({ heard }) => heard.no, FAILED_WITH_DATA),
    row(
      'its code says no',
      'in_doubt',
      // Unless what holds the data is what speaks.
      (it) => code('refused')(it) && !it.question.isOwn && !it.places.includes(it.value),
      FAILED_WITH_DATA,
    ),
    row('it holds what was asked for', 'found', () => true),
  ]),
  ...of('any', () => true, [
    row(
      'it says out of credits',
      'credits_used_up',
      (it) => (says('credits_used_up')(it) && !it.isChange) || it.by === 402,
    ),
    row('it says too fast', 'rate_limited', (it) => says('rate_limited')(it) && !it.heard.yes),
    row('it is about its path', 'wrong_address', (it) => is4xx(it.by) && it.isOfRoute),
    row(
      'it says that the key is dead',
      'key_dead',
      (it) =>
        says('key_dead')(it) &&
        !it.isProved &&
        ([400, 403].includes(it.by) || (is2xx(it.by) && !it.isPaidChange)),
    ),
    row(
      'it says that nothing was found',
      'no_match',
      (it) => it.isLookup && says('no_match')(it) && isOfQuestion(it.by),
    ),
    {
      ...row(
        'it says that it was so before',
        'refused',
        (it) => it.isSoAlready && !it.heard.other && !it.heard.yes,
      ),
      remark: SO_ALREADY,
    },
    row('the service has no such step', 'wrong_address', (it) => it.isOuter && NO_STEP.includes(it.by)),
    row('it is a redirect', 'wrong_address', ({ by }) => is3xx(by) || by === 407),
    row('the status is 429', 'rate_limited', ({ by, isJson }) => by === 429 || (by === 420 && isJson)),
    row('the status is 401', 'key_dead', ({ by }) => by === 401),
    row(
      'the status is 403, and it is no word of a service',
      'key_dead',
      ({ by, isService, isJson }) => by === 403 && !(isService && isJson),
    ),
  ]),
  // It is not the vendor's own word: a proxy may have sent it after the vendor had charged.
  ...of('without JSON', (it) => !it.isJson, [
    row('the status is 204', 'no_match', (it) => it.isLookup && it.isBlank && it.by === 204),
    wordless(
      'it is empty, and nothing is published of it',
      (it) => is2xx(it.by) && it.by !== ACCEPTED && it.isBlank && it.isChange && it.published === 'none',
    ),
    row('it is too deep', 'in_doubt', (it) => it.isCutOff),
    row('it has no body', 'in_doubt', (it) => it.isBlank && is2xx(it.by), 'without a body'),
    row('it is not JSON', 'in_doubt', (it) => is2xx(it.by), 'which is not JSON'),
    row('it is no word of the vendor', 'in_doubt', () => true),
  ]),
  ...of('with JSON', () => true, [
    row('the status is 403, of a service', 'project_refused', ({ by }) => by === 403),
    row('the status is 404', 'no_match', ({ by }) => by === 404),
    row('it broke off, or something behind did', 'in_doubt', ({ by }) => isUnfinished(by)),
    row('the status is a 4xx', 'refused', ({ by }) => is4xx(by)),
  ]),
  ...of('a lookup', (it) => it.isLookup, [
    row('it is not yet done', 'pending', (it) => says('working', 'pending')(it) || it.http === ACCEPTED),
    row('it says no', 'in_doubt', (it) => it.isNo, 'which names an error'),
    row(
      'the place of what was asked for is empty',
      'no_match',
      (it) => (it.holding === 'empty' || it.heard.countedNone) && !says('refused')(it),
    ),
    row('it has nothing but an id', 'pending', (it) => it.holding === 'ids'),
    row('nobody can read it', 'in_doubt', () => true, 'which does not say whether anything was found'),
  ]),
  // A list of what counts as done, and not of what counts as failed.
  ...of('a change', (it) => it.isChange, [
    row(
      'it shows something else',
      'in_doubt',
      (it) => it.heard.other,
      'which shows something different from what was asked for',
    ),
    row('it has the id that is published for it', 'found', (it) => !it.isNo && it.published === 'came'),
    row(
      'it was accepted at once, as is published',
      'found',
      (it) => !it.isNo && it.published === 'accepted' && it.http !== ACCEPTED,
    ),
    row('an id is published for it', 'in_doubt', (it) => it.published !== 'none'),
    row('it says yes and no', 'in_doubt', (it) => (it.heard.yes || it.heard.role) && it.isNo),
    row('it says no to what may have cost', 'in_doubt', (it) => it.isNo && it.isPaidChange),
    row('it says out of credits', 'credits_used_up', says('credits_used_up')),
    row('it says that the key has no right', 'project_refused', says('project_refused')),
    row('it says that nobody is there', 'no_match', says('no_match')),
    row('it says no', 'refused', (it) => it.isNo),
    row('it says that it is not yet done', 'pending', says('pending', 'working')),
    row('it was accepted, or names a task', 'pending', (it) => it.by === ACCEPTED || it.heard.work),
    row('it shows the thing with the role', 'found', ({ heard }) => heard.thing && heard.role),
    wordless(
      "it shows the thing of a call of one's own",
      ({ heard }) => heard.isAny && heard.thing && !heard.yes,
    ),
    row("it says that a call of one's own was done", 'found', ({ heard }) => heard.isAny && heard.yes),
    row('there is something in it that nobody knows', 'in_doubt', ({ heard }) => heard.odd, NOT_SAID),
    row('it says that it was done', 'found', ({ heard }) => heard.yes || heard.role),
    wordless('it is empty', (it) => it.isBlank),
    wordless("it is a call of one's own", ({ heard }) => heard.isAny),
    row('it does not say', 'in_doubt', () => true, NOT_SAID),
  ]),
  // A free question has no answer of a certain shape, and a service without the vendor's answer says nothing of it.
  ...of('a free question, or a service in front of the vendor', () => true, [
    row('the service has no answer of the vendor', 'in_doubt', (it) => it.isOuter),
    row('it says no', 'in_doubt', ({ heard }) => heard.no || heard.isError, 'which names an error'),
    row('it was accepted', 'in_doubt', (it) => it.by === ACCEPTED, 'which is no answer yet'),
    row('it is an answer', 'found', () => true),
  ]),
];

/**
 * @param call undefined for a free question, which is about no call.
 * @param isOuter a service answers in front of the vendor, and its answer holds none of the vendor's.
 */
export function concluded(
  said: Said,
  dialect: Dialect,
  operation: DialectOperation,
  call: Call | undefined,
  isOuter: boolean,
): Conclusion {
  const question = new Question(dialect, isOuter ? undefined : call, operation);
  const answer = new Answer(said, question, isOuter);
  const { heard, published, isJson, isLookup, places } = answer;
  const found = TABLE.find(({ fits }) => fits(answer)) as Row;
  const isMissing = found.means === 'in_doubt' && isJson && published === 'missing' && !heard.other;
  const because = isMissing ? `without ${JSON.stringify(publishedId(operation))}` : found.because;
  const shown = { row: { ...found, because }, texts: heard.texts };
  if (found.means !== 'found' || !isLookup) return shown;
  return heard.trouble
    ? { ...shown, isPartial: true }
    : { ...shown, ...present({ shows: otherIn(places, question) }) };
}

const LOOKED_AT_BYTES = 2_000;
const wordsOf = (body: Buffer): string => body.toString('utf8', 0, LOOKED_AT_BYTES);

/** Words of a server that has nothing at a path. The URL of a profile that is not found is no such word. */
const NAMES_ROUTE =
  /\b(?:no such|unknown|invalid|no) (?:path|route|endpoint)\b(?! param)|\b(?:path|route|endpoint)\b[^"]{0,80}(?:not found|not exist)|\bcannot (?:get|post|put|patch|delete) \//i;

export const namesRoute = (body: Buffer): boolean => NAMES_ROUTE.test(wordsOf(body));

/** Whether an answer is about a project that is not there, and about nobody in it. */
export function namesProject(body: Buffer): boolean {
  const words = wordsOf(body);
  const isOf = /\b(?:no such|unknown|invalid) project\b|\bproject[^"]{0,80}(?:not.found|not exist)/i.test(
    words,
  );
  return isOf && !/user|member|person|invit/i.test(words);
}
