import { isObject } from '../../core/objects.ts';
import type { JsonValue } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';
import { type Asked, withoutValues } from './asked.ts';
import {
  EFFECT_WORDS,
  type NameKind,
  nameOf,
  SPEAKING,
  STATUS_NAMES,
  WARNINGS,
  WORK,
  WRAPPERS,
} from './names.ts';
import { effectOf, isFilled, isMoment, textsIn, truthOf } from './values.ts';
import { LONGEST_TEXT, plainWords, type Sense, type Vocabulary } from './vocabulary.ts';

/** How an answer is heard. */
interface Hearing {
  readonly asked: Asked;
  readonly vocabulary: Vocabulary;
  /** Names under which the answer to a change says whether it was made; undefined for a lookup. */
  readonly effects: ReadonlySet<string> | 'any' | undefined;
  /** Whether what stands in a list and in one wrapper speaks as well, because it is not the data. */
  readonly hearsInside: boolean;
  /** Whether it answers a free question, of which some count what has failed so far. */
  readonly isFree: boolean;
}

/** More texts than these say nothing more. */
const MOST_TEXTS = 50;

/** An answer to one change that lists more results than these is about something else. */
const MOST_LISTED = 100;

/** Codes that say nothing: no error, and the status of a success. */
const NO_CODE = /^(?:0+|[23]\d\d|none|null)?$/i;
const FAILURE_STATUS = /^[45]\d\d$/;

/** Names under which any change says that it was made. */
const ANY_EFFECT =
  /^(?:done|count|affected|rowsaffected|affectedrows|applied|processed|processedcount|successcount|succeededcount)$/;

/**
 * What an answer says of itself, at its top and in `error`, `errors`, `meta`, `status` and `response`; the answer to a change
 * also in one wrapper.
 */
export class Statement {
  /** True under `success` or `ok`; in the answer to a change also under `done`, a count, or what was done: `removed`. */
  yes = false;
  /** False, 0 or "false" there. */
  no = false;
  /** It says so of another kind of change. */
  otherNo = false;
  /** A code or a list says what was done, and that takes it away, or is to somebody else. */
  ofOther = false;
  /** There is work, such as a job with an id, by which the change is made later unless the answer says that it has ended. */
  isLater = false;
  /** A code, a sentence or a truth says that the change was made, and not only that the request was in order. */
  hasEnded = false;
  /** An `error`, `errors` or `failed` is filled. */
  trouble = false;
  /** It is filled with more than how many have failed. */
  isError = false;
  /** A status of HTTP from 400 to 599 that stands as a code. */
  status: number | undefined;
  /** There is a code of which no word is known. */
  unknownCode = false;
  /** There is a text of which no word is known. */
  unknownProse = false;
  /** A code, a message or the name of what is true says no or not yet. A title and a description may be those of the thing itself. */
  saysOtherwise = false;
  /** A code says that it was not done, or that nothing was found; a text says so. */
  codeSaysNo = false;
  proseSaysNo = false;
  /** `found` is false. */
  foundNobody = false;
  /** A count of what was found is 0. */
  countedNone = false;
  /** The texts and codes as they stand in the answer. */
  texts: readonly string[] = [];
  #senses: ReadonlySet<Sense> = NOTHING;
  #exactly: ReadonlySet<Sense> = NOTHING;
  readonly #hearing: Hearing;

  constructor(body: JsonValue, hearing: Hearing) {
    this.#hearing = hearing;
    if (typeof body === 'string') this.#hearProse(body);
    else if (Array.isArray(body)) this.#hearListed(hearing.hearsInside ? body : []);
    else if (isObject(body)) this.#hearObject(body, hearing.hearsInside);
    else this.#hearScalar(body);
  }

  /** Whether a code or a sentence says so. */
  says(sense: Sense): boolean {
    return this.#senses.has(sense);
  }

  /** Whether a status or code is nothing but words of that sense. */
  isJust(sense: Sense): boolean {
    return this.#exactly.has(sense);
  }

  get #isOfChange(): boolean {
    return this.#hearing.effects !== undefined;
  }

  /** A whole body may be the word whether a change was made. */
  #hearScalar(body: JsonValue): void {
    if (body === null) return;
    if (this.#isOfChange && (typeof body === 'boolean' || body === 1 || body === 0)) this.#hearTruth(body);
    else this.unknownCode = true;
  }

  /** @param mayBeWrapped whether what stands in a wrapper speaks as well. */
  #hearObject(members: Readonly<Record<string, unknown>>, mayBeWrapped: boolean): void {
    for (const key of Object.keys(members)) {
      const { kind, plain } = nameOf(key);
      const value = members[key] as JsonValue;
      // Nearly every answer to a lookup has fields alone, and none of them speaks but one such as `"queued": true`.
      if (kind === 'field' && !this.#isOfChange && value !== true) continue;
      // What was sent by that name is a field of what was asked about, such as the description of a project.
      if (this.#hearing.asked.names.has(plain)) continue;
      const mayHold = SPEAKING.has(plain) || (mayBeWrapped && WRAPPERS.has(plain));
      if (mayHold && typeof value === 'object') this.#hearListed([value].flat(), plain);
      else if (kind === 'field') this.#hearField(key, value);
      else this.#hearMember(kind, plain, value);
    }
  }

  #hearListed(list: readonly JsonValue[], plain = ''): void {
    for (const each of list.slice(0, MOST_LISTED)) {
      if (isObject(each)) this.#hearObject(each, false);
      // A word there is what somebody may do: `"operations":["read"]`.
      else if (typeof each === 'string' && plain !== 'operations') this.#hearProse(each);
      else if (typeof each === 'boolean') this.#hearTruth(each);
    }
  }

  #hearMember(kind: NameKind, plain: string, value: JsonValue): void {
    switch (kind) {
      case 'trouble':
        this.#hearTrouble(value, plain);
        break;
      case 'machine':
        this.no ||= STATUS_NAMES.has(plain) && NEGATIVE.test(String(value)) && !this.#hearing.asked.isOwn;
        this.#hearCode(value, plain);
        break;
      case 'prose':
        this.#hearTexts(value);
        break;
      case 'described':
        if (typeof value === 'boolean' && this.#isOfChange) this.#hearTruth(value);
        else if (!isObject(value)) this.#hearDescribed(value, plain);
        break;
      case 'success':
        this.#hearTruth(value);
        break;
      case 'found':
        if (truthOf(value) === false) this.#noteNobody();
        break;
      case 'effect':
        this.#hearEffect(value, plain);
        break;
      case 'total':
        if (!this.#isOfChange) this.countedNone ||= value === 0;
        else if (plain === 'count') this.#hearEffect(value, plain);
        break;
      case 'about':
        if (WARNINGS.has(plain)) this.#hearWarning(value);
        this.#hearWork(plain, value);
        break;
      case 'field':
        break;
    }
  }

  // -------------------------------------------------------------------------------------------- codes and texts

  #hearCode(value: JsonValue, plain: string): void {
    if (typeof value === 'boolean' && this.#isOfChange && STATUS_NAMES.has(plain)) this.#hearTruth(value);
    if (typeof value !== 'string' && typeof value !== 'number') return;
    const code = String(value).trim();
    if (NO_CODE.test(code)) return;
    this.#noteText(code);
    if (FAILURE_STATUS.test(code)) this.status ??= Number(code);
    else this.#hearWord(code, plain);
  }

  #hearWord(code: string, plain: string): void {
    const { vocabulary } = this.#hearing;
    const sense = vocabulary.senseOfCode(code);
    this.unknownCode ||= sense === undefined;
    if (sense === undefined) return;
    const heard = sense === 'done' ? this.#doneBy(code) : sense;
    this.#note(heard);
    this.ofOther ||= sense === 'done' && heard === 'unclear' && TAKEN_AWAY.test(plainWords(code));
    this.hasEnded ||= heard === 'done' && this.#saysEnd(code);
    this.codeSaysNo ||= isNo(sense);
    if (STATUS_NAMES.has(plain) && vocabulary.isJust(code, sense))
      this.#exactly = new Set([...this.#exactly, sense]);
  }

  #hearProse(text: string): void {
    const { vocabulary, asked } = this.#hearing;
    this.#noteText(text);
    const rest = withoutValues(text.slice(0, LONGEST_TEXT), asked);
    const senses = vocabulary.sensesOf(rest);
    for (const sense of senses) this.#note(sense === 'done' ? this.#doneBy(rest) : sense);
    this.hasEnded ||= senses.includes('done') && this.#saysEnd(rest);
    this.proseSaysNo ||= senses.some(isNo);
    this.unknownProse ||= senses.length === 0 && /\p{L}/u.test(rest);
  }

  #hearTexts(value: JsonValue): void {
    for (const text of textsIn(value)) this.#hearProse(text);
  }

  #hearDescribed(value: JsonValue, plain: string): void {
    const before = this.saysOtherwise;
    this.#hearTexts(value);
    if (OF_THING.has(plain)) this.saysOtherwise = before;
  }

  /** The name of what is true may be a word. A sentence in a field may say that a change was not made, and proves none. */
  #hearField(key: string, value: JsonValue): void {
    const { vocabulary, asked } = this.#hearing;
    this.#hearWork(nameOf(key).plain, value);
    const sense = this.#senseOfName(key, value);
    if (sense !== undefined)
      this.#note(sense === 'done' ? this.#doneBy(key) : sense, vocabulary.isJust(key, sense));
    if (!this.#isOfChange || typeof value !== 'string' || !/\s/.test(value.trim())) return;
    const senses = vocabulary.sensesOf(withoutValues(value.slice(0, LONGEST_TEXT), asked));
    if (senses.some((sense) => sense !== 'done')) this.#note('unclear');
  }

  /** What the name of a field says that is true or filled, or that names whom we sent, or how many were refused: `{"skipped": 1}`. */
  #senseOfName(key: string, value: JsonValue): Sense | undefined {
    const { vocabulary, asked } = this.#hearing;
    const sense = vocabulary.senseOfCode(key);
    if (sense === undefined) return undefined;
    // `errorReporting` is a setting, and `queued` an end.
    if (value === true || (this.#isOfChange && typeof value === 'object' && isFilled(value)))
      return sense !== 'refused' || vocabulary.isJust(key, sense) ? sense : undefined;
    const isCount = typeof value === 'number' && value > 0 && sense === 'refused';
    const isOurs = typeof value === 'string' && asked.includes(value);
    return this.#isOfChange && (isCount || isOurs) && vocabulary.isJust(key, sense) ? sense : undefined;
  }

  #hearWork(plain: string, value: JsonValue): void {
    if (!this.#isOfChange || !WORK.has(plain)) return;
    this.isLater ||= isObject(value) ? this.#isUnfinished(value) : isFilled(value) && isWorkId(plain, value);
  }

  /** Work has a state or an id; what a person does for a living has a title. */
  #isUnfinished(work: Readonly<Record<string, unknown>>): boolean {
    const names = Object.keys(work).map((key) => ({ ...nameOf(key), value: work[key] }));
    const states = names.flatMap(({ plain, value }) =>
      (STATUS_NAMES.has(plain) || plain === 'state') && typeof value === 'string' ? value : [],
    );
    if (states.length > 0) return !states.every((state) => this.#hearing.vocabulary.isJust(state, 'done'));
    if (names.some(({ plain }) => plain === 'title')) return false;
    const end = names.find(({ plain, value }) => ENDS.has(plain) && typeof value === 'boolean');
    if (end !== undefined) return end.value === false;
    return names.some(({ plain, value }) => /id$/.test(plain) && isFilled(value as JsonValue));
  }

  /** `ok` may be said of the request alone. */
  #saysEnd(text: string): boolean {
    const { effects } = this.#hearing;
    return plainWords(text)
      .split(' ')
      .some((word) => ENDS.has(word) || (effects !== 'any' && effects?.has(word) === true));
  }

  /** A warning proves nothing, but one that says the opposite leaves nothing proved. */
  #hearWarning(value: JsonValue): void {
    if (!this.#isOfChange) return;
    const { vocabulary, asked } = this.#hearing;
    for (const text of textsIn(value)) {
      const senses = vocabulary.sensesOf(withoutValues(text.slice(0, LONGEST_TEXT), asked));
      if (senses.some((sense) => DENYING.has(sense))) this.#note('unclear');
    }
  }

  /** A word for what another kind of change does is no word for this one. */
  #doneBy(text: string): Sense {
    const { effects } = this.#hearing;
    if (effects === undefined || effects === 'any') return 'done';
    const named = plainWords(text)
      .split(' ')
      .filter((word) => EFFECT_WORDS.has(word));
    return named.length > 0 && !named.some((word) => effects.has(word)) ? 'unclear' : 'done';
  }

  #hearTrouble(value: JsonValue, plain: string): void {
    if (!isFilled(value)) return;
    const isCount = typeof value === 'number' && COUNTED.has(plain);
    if (this.#hearing.isFree && isCount) return;
    this.trouble = true;
    this.isError ||= !isCount;
    if (typeof value === 'string' && /\s/.test(value.trim())) this.#hearProse(value);
    else if (Array.isArray(value)) for (const each of value) this.#hearTrouble(each, plain);
    else if (isObject(value)) this.#hearTroubles(value);
    else this.#hearCode(value, plain);
  }

  /** The names of what went wrong may be codes: `{"rate_limit": true}`. */
  #hearTroubles(members: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(members)) {
      const { kind, plain } = nameOf(key);
      if (kind === 'about' || !isFilled(value as JsonValue)) continue;
      const sense = kind === 'field' ? this.#hearing.vocabulary.senseOfCode(key) : undefined;
      if (sense !== undefined) this.#note(sense);
      this.#hearTrouble(value as JsonValue, plain);
    }
  }

  // -------------------------------------------------------------------------------------------- true and false

  #hearTruth(value: JsonValue): void {
    const truth = truthOf(value);
    this.yes ||= truth === true;
    this.no ||= truth === false;
    if (truth === undefined && typeof value === 'string' && value.trim() !== '') this.#hearWord(value, '');
  }

  #hearEffect(value: JsonValue, plain: string): void {
    const { effects, asked } = this.#hearing;
    if (effects === undefined) return;
    // When the thing was made or altered last, says every record.
    if (RECORDED.has(plain) && isMoment(value) && (effects === 'any' || !effects.has(plain))) return;
    const isOwn = effects === 'any' || ANY_EFFECT.test(plain) || effects.has(plain.replace(/count$/, ''));
    const truth = effectOf(value, asked);
    if (isOwn && truth === true) this.yes = true;
    this.hasEnded ||= truth === true && this.#saysEnd(plain);
    if (isOwn && truth === false) this.no = true;
    // To be told that the user was removed, or that nothing was updated, is no answer to a change of the role.
    if (truth === 'other' || (!isOwn && truth === true)) this.#note('unclear');
    // By whom and when the thing was made is nothing that was done to another.
    this.ofOther ||= truth === 'other' && !RECORDED.has(plain);
    this.otherNo ||= !isOwn && truth === false;
  }

  // -------------------------------------------------------------------------------------------- notes

  #noteNobody(): void {
    if (this.#isOfChange) this.#note('no_match');
    else this.foundNobody = true;
  }

  #noteText(text: string): void {
    if (this.texts.length < MOST_TEXTS && text.trim() !== '') this.texts = [...this.texts, text];
  }

  /** @param isClear whether it is not a name, such as `receivedFunding`, in which one word has that sense. */
  #note(sense: Sense, isClear = true): void {
    this.saysOtherwise ||= isClear && sense !== 'done' && sense !== 'unclear';
    if (!this.#senses.has(sense)) this.#senses = new Set([...this.#senses, sense]);
  }
}

const NOTHING: ReadonlySet<Sense> = new Set();

/** Names under which a number is one of errors, and not that of an error. */
const COUNTED: ReadonlySet<string> = new Set(
  wordsIn('failed failures errors failedcount failurecount errorcount'),
);

const TAKEN_AWAY = /\b(?:removed|deleted|revoked|cancell?ed)\b/;

/** Codes of failure, whatever their number. */
const NEGATIVE = /^-\d+$/;

/** Under these a record of a person or a company has texts as well. */
const OF_THING: ReadonlySet<string> = new Set(['title', 'description']);

const ENDS: ReadonlySet<string> = new Set(wordsIn('done complete completed finished applied'));

/** A job in a word is a person's, and an id has a digit. */
function isWorkId(plain: string, value: JsonValue): boolean {
  return /id$/.test(plain) || /^\S*\d\S*$/.test(String(value).trim());
}

/** What was said against the request as a whole. */
const isNo = (sense: Sense): boolean => NO_SENSES.has(sense);
const NO_SENSES: ReadonlySet<Sense> = new Set<Sense>([
  ...(['refused', 'project_refused', 'no_match', 'key_dead', 'credits_used_up', 'rate_limited'] as const),
]);

/** What a warning says against the change; that a limit is near is none of it. */
const DENYING: ReadonlySet<Sense> = new Set<Sense>(['unclear', 'refused', 'project_refused', 'no_match']);

/** Under these a record says when it was made and altered. */
const RECORDED: ReadonlySet<string> = new Set(['created', 'updated', 'modified', 'changed']);
