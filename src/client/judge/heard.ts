import type { JsonValue } from '../../core/operation.ts';
import type { Asked } from './asked.ts';
import {
  CONTAINERS,
  isFilled,
  isPlain,
  membersOf,
  nameOf,
  SPEAKING,
  STATUS_NAMES,
  truthOf,
} from './names.ts';
import { LONGEST_TEXT, type Sense, type Vocabulary } from './words.ts';

/** Deeper than that no answer speaks of itself. */
const DEEPEST = 6;

/** Codes that say nothing: no error, and the status of a success. */
const NO_CODE = /^(?:0*|[123]\d\d|null|none|no|n)$/i;
const FAILURE_STATUS = /^[45]\d\d$/;
/** Codes of failure, whatever their number. */
const NEGATIVE = /^-\d+$/;

/** What says no to the request as a whole. */
const NO: readonly Sense[] = [
  ...(['refused', 'project_refused', 'no_match', 'key_dead', 'credits_used_up', 'rate_limited'] as const),
];

/** Where a member stands. */
export interface Place {
  /** The plain name of what it is in. */
  readonly under: string;
  readonly deepest: number;
  /** It tells what went wrong, where every name and value may. */
  readonly inTrouble: boolean;
}

const TOP: Place = { under: '', deepest: DEEPEST, inTrouble: false };

/** What an answer says of itself: by codes, by sentences, and by marks such as `success: false`. */
export class Heard {
  /** What codes, sentences and the names of what is true say. */
  readonly says = new Set<Sense>();
  /** What a code says, and nothing else with it: `"status": "no_match"`. */
  readonly codes = new Set<Sense>();
  /** How many codes and sentences say no. */
  noes = 0;
  /** `success` or `ok` is false. */
  no = false;
  /** An `error`, `errors` or `failed` is filled. */
  trouble = false;
  /** One is filled with more than how many have failed. */
  isError = false;
  foundNone = false;
  countedNone = false;
  /** A status of HTTP from 400 to 599 that stands as a code. */
  status: number | undefined;
  /** Texts and codes as they stand in the answer. */
  readonly texts: string[] = [];
  protected readonly asked: Asked;
  protected readonly vocabulary: Vocabulary;
  readonly #isAlone: boolean;

  /** @param isAlone nothing that was asked for is in the answer, so what stands where it would be speaks as well. */
  constructor(asked: Asked, vocabulary: Vocabulary, isAlone: boolean) {
    this.asked = asked;
    this.vocabulary = vocabulary;
    this.#isAlone = isAlone;
  }

  listen(body: JsonValue): this {
    if (this.#isAlone || !Array.isArray(body)) this.inside(body, TOP);
    return this;
  }

  protected inside(value: JsonValue, place: Place): void {
    if (place.deepest < 0) return;
    if (typeof value === 'string') this.say(value, false);
    else if (typeof value === 'boolean') this.truth(value);
    else if (Array.isArray(value)) for (const each of value) this.inside(each, place);
    else for (const [name, each] of membersOf(value)) this.member(name, each, place);
  }

  protected member(name: string, value: JsonValue, { deepest, inTrouble }: Place): void {
    const { kind, plain, isThing } = nameOf(name);
    // What was sent by that name is a field of what was asked about.
    if (this.asked.names.has(plain)) return;
    const isDataPlace = (CONTAINERS as readonly string[]).includes(plain) || isThing;
    const opens = inTrouble || SPEAKING.test(plain) || (this.#isAlone && isDataPlace);
    if (kind === 'trouble') this.#trouble(value, deepest);
    else if (opens && !isPlain(value)) this.inside(value, { under: plain, deepest: deepest - 1, inTrouble });
    else if (inTrouble && kind === 'field' && typeof value === 'string') this.say(value, false);
    else this.#byKind(name, value, inTrouble);
  }

  #byKind(name: string, value: JsonValue, inTrouble: boolean): void {
    const { kind, plain } = nameOf(name);
    if (kind === 'machine') this.code(plain, value);
    else if (kind === 'success') this.truth(value);
    else if (kind === 'found') this.foundNone ||= truthOf(value) === false;
    else if (kind === 'total') this.countedNone ||= value === 0;
    else if (kind === 'prose' || kind === 'described') this.#texts(plain, value, inTrouble);
    else if (kind === 'field' && value === true) this.#named(name);
  }

  #trouble(value: JsonValue, deepest: number): void {
    if (!isFilled(value)) return;
    this.trouble = true;
    this.isError ||= typeof value !== 'number';
    if (isPlain(value)) this.code('errorcode', value);
    else this.inside(value, { under: 'error', deepest: deepest - 1, inTrouble: true });
  }

  protected truth(value: JsonValue): void {
    this.no ||= truthOf(value) === false;
    if (typeof value === 'string' && truthOf(value) === undefined) this.code('status', value);
  }

  protected code(plain: string, value: JsonValue): void {
    const isStatus = STATUS_NAMES.test(plain);
    if (typeof value === 'boolean' && isStatus && plain !== 'errorcode') this.truth(value);
    if (typeof value !== 'string' && typeof value !== 'number') return;
    const code = String(value).trim();
    if (NO_CODE.test(code)) return;
    if (FAILURE_STATUS.test(code)) this.status ??= Number(code);
    else if (NEGATIVE.test(code)) this.no ||= isStatus && !this.asked.isOwn;
    else this.say(code, !/\s/.test(code));
    const just = isStatus ? this.vocabulary.justOf(code) : undefined;
    if (just !== undefined) this.codes.add(just);
  }

  /** A title and a description may be those of the thing itself. */
  #texts(plain: string, value: JsonValue, inTrouble: boolean): void {
    if ((plain === 'title' || plain === 'description') && !this.#isAlone && !inTrouble) return;
    for (const each of [value].flat() as JsonValue[]) if (typeof each === 'string') this.say(each, false);
  }

  /** `{"queued": true}` says so by its name; `errorReporting` is a setting. */
  #named(name: string): void {
    const sense = this.vocabulary.justOf(name);
    if (sense !== undefined) this.says.add(sense);
  }

  /** @param isCode it is one word, and no sentence. @returns what it says. */
  protected say(text: string, isCode: boolean): readonly Sense[] {
    this.texts.push(text);
    const own = this.asked.without(text.slice(0, LONGEST_TEXT));
    const senses = isCode ? [this.vocabulary.senseOfCode(own) ?? []].flat() : this.vocabulary.sensesOf(own);
    for (const sense of senses) {
      this.says.add(sense);
      if (NO.includes(sense)) this.noes += 1;
    }
    return senses;
  }
}
