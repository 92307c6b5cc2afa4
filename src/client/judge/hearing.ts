import { isObject } from '../../core/objects.ts';
import type { JsonValue } from '../../core/operation.ts';
import { wordsIn } from '../../core/plain-text.ts';
import { type Asked, withoutValues } from './asked.ts';
import { CONTAINERS, nameOf, SPEAKING, STATUS_NAMES, THINGS } from './names.ts';
import { isFilled, textsIn, truthOf } from './values.ts';
import { LONGEST_TEXT, type Sense, type Vocabulary } from './vocabulary.ts';

/** What an answer says of itself: by codes, by sentences, and by marks such as `success: false`. */
export interface Heard {
  /** What codes, sentences and the names of what is true say. */
  readonly says: ReadonlySet<Sense>;
  /** What a code says, and nothing else with it: `"status": "no_match"`. */
  readonly codes: ReadonlySet<Sense>;
  /** `success` or `ok` is false. */
  readonly no: boolean;
  /** An `error`, `errors` or `failed` is filled. */
  readonly trouble: boolean;
  /** One is filled with more than how many have failed. */
  readonly isError: boolean;
  /** A code, or a text, says no to the request as a whole. */
  readonly codeSaysNo: boolean;
  readonly proseSaysNo: boolean;
  /** `found` is false. */
  readonly foundNone: boolean;
  /** A count of what was found is 0. */
  readonly countedNone: boolean;
  /** A status of HTTP from 400 to 599 that stands as a code. */
  readonly status: number | undefined;
  /** Texts and codes as they stand in the answer. */
  readonly texts: readonly string[];
}

export interface Hearing {
  readonly asked: Asked;
  readonly vocabulary: Vocabulary;
  /** Nothing that was asked for is in the answer, so what stands where it would be speaks as well. */
  readonly isAlone: boolean;
}

/** Deeper than that nothing speaks of the answer, and more members of a list say nothing more. */
const DEEPEST = 3;
const MOST_LISTED = 20;

/** What says no to the request as a whole. */
const NO_SENSES: ReadonlySet<Sense> = new Set<Sense>([
  ...(['refused', 'project_refused', 'no_match', 'key_dead', 'credits_used_up', 'rate_limited'] as const),
]);
const OF_THING: ReadonlySet<string> = new Set(['title', 'description']);
/** Under these a number is one of errors, and not that of an error. */
const COUNTED: ReadonlySet<string> = new Set(
  wordsIn('failed failures errors failedcount failurecount errorcount'),
);

/** Codes that say nothing: no error, and the status of a success. */
const NO_CODE = /^(?:0+|[23]\d\d|none|null)?$/i;
const FAILURE_STATUS = /^[45]\d\d$/;
/** Codes of failure, whatever their number. */
const NEGATIVE = /^-\d+$/;

export function hear(body: JsonValue, hearing: Hearing): Heard {
  const ear = new Ear(hearing);
  if (isObject(body)) ear.members(body, DEEPEST);
  else if (hearing.isAlone || typeof body === 'string') ear.value(body, DEEPEST);
  return ear;
}

class Ear implements Heard {
  readonly says = new Set<Sense>();
  readonly codes = new Set<Sense>();
  no = false;
  trouble = false;
  isError = false;
  codeSaysNo = false;
  proseSaysNo = false;
  foundNone = false;
  countedNone = false;
  status: number | undefined;
  readonly texts: string[] = [];
  readonly #hearing: Hearing;

  constructor(hearing: Hearing) {
    this.#hearing = hearing;
  }

  /** @param inTrouble whether they tell what went wrong, where every name and value may. */
  members(members: Readonly<Record<string, unknown>>, deepest: number, inTrouble = false): void {
    const { asked, isAlone } = this.#hearing;
    for (const [key, value] of Object.entries(members) as [string, JsonValue][]) {
      const { kind, plain } = nameOf(key);
      // What was sent by that name is a field of what was asked about.
      if (asked.names.has(plain)) continue;
      const opens = SPEAKING.has(plain) || (isAlone && (CONTAINERS.has(plain) || THINGS.has(plain)));
      if (kind !== 'trouble' && (opens || inTrouble) && typeof value === 'object')
        this.value(value, deepest - 1, inTrouble);
      else this.#member(key, value, deepest, inTrouble);
    }
  }

  #member(key: string, value: JsonValue, deepest: number, inTrouble: boolean): void {
    const { kind, plain } = nameOf(key);
    // A title and a description may be those of the thing itself.
    const isOfThing = OF_THING.has(plain) && !this.#hearing.isAlone && !inTrouble;
    if (kind === 'trouble') this.#error(value, deepest, plain);
    else if (kind === 'machine') this.#code(value, plain);
    else if (kind === 'success') this.#truth(value);
    else if (kind === 'found') this.foundNone ||= truthOf(value) === false;
    else if (kind === 'total') this.countedNone ||= value === 0;
    else if (kind !== 'prose' && kind !== 'described') this.#field(key, value, deepest, inTrouble);
    else if (!isOfThing) this.#texts(value);
  }

  #field(key: string, value: JsonValue, deepest: number, inTrouble: boolean): void {
    if (inTrouble) this.value(value, deepest - 1, true);
    if (nameOf(key).kind === 'field' && (value === true || (inTrouble && isFilled(value)))) this.#name(key);
  }

  value(value: JsonValue, deepest: number, inTrouble = false): void {
    if (deepest < 0) return;
    if (typeof value === 'string') this.#prose(value);
    else if (Array.isArray(value))
      for (const each of value.slice(0, MOST_LISTED)) this.value(each, deepest, inTrouble);
    else if (isObject(value)) this.members(value, deepest, inTrouble);
  }

  #error(value: JsonValue, deepest: number, plain: string): void {
    if (!isFilled(value)) return;
    this.trouble = true;
    this.isError ||= !(typeof value === 'number' && COUNTED.has(plain));
    if (typeof value === 'object') this.value(value, deepest - 1, true);
    else if (typeof value === 'string' && /\s/.test(value.trim())) this.#prose(value);
    else this.#code(value, 'error');
  }

  #code(value: JsonValue, plain: string): void {
    const { vocabulary, asked } = this.#hearing;
    if (typeof value !== 'string' && typeof value !== 'number') return;
    const code = String(value).trim();
    if (NO_CODE.test(code)) return;
    this.texts.push(code);
    if (FAILURE_STATUS.test(code)) this.status ??= Number(code);
    else if (NEGATIVE.test(code)) this.no ||= STATUS_NAMES.has(plain) && !asked.isOwn;
    else if (/\s/.test(code)) this.#prose(code);
    else {
      const sense = vocabulary.senseOfCode(code);
      if (sense === undefined) return;
      this.says.add(sense);
      this.codeSaysNo ||= NO_SENSES.has(sense);
      if (STATUS_NAMES.has(plain) && vocabulary.isJust(code, sense)) this.codes.add(sense);
    }
  }

  #texts(value: JsonValue): void {
    if (!isObject(value)) for (const text of textsIn(value)) this.#prose(text);
  }

  #prose(text: string): void {
    const { vocabulary, asked } = this.#hearing;
    this.texts.push(text);
    for (const sense of vocabulary.sensesOf(withoutValues(text.slice(0, LONGEST_TEXT), asked))) {
      this.says.add(sense);
      this.proseSaysNo ||= NO_SENSES.has(sense);
    }
  }

  /** `{"queued": true}` says so by its name; `errorReporting` is a setting. */
  #name(key: string): void {
    const { vocabulary } = this.#hearing;
    const sense = vocabulary.senseOfCode(key);
    if (sense !== undefined && vocabulary.isJust(key, sense)) this.says.add(sense);
  }

  #truth(value: JsonValue): void {
    this.no ||= truthOf(value) === false;
    if (truthOf(value) === undefined && typeof value === 'string') this.#code(value, 'status');
  }
}
