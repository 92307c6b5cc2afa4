import type { Words } from '../dialect.ts';

/** Reads the words by which a vendor says what became of a request, sentence by sentence. A text is cut before anything looks at it. */

/** What a sentence or a code says, in the order of precedence: the first that a sentence has is what it says. */
const SENSES = [
  ...(['credits_used_up', 'rate_limited', 'key_dead', 'project_refused', 'no_match', 'refused'] as const),
  ...(['working', 'pending', 'done'] as const),
] satisfies readonly (keyof Words)[];

export type Sense = (typeof SENSES)[number];

/** Longer than any message to a person. */
export const LONGEST_TEXT = 2_000;

/** Vendors say the same again and again: so many sentences are kept, and none that is longer. */
const MOST_KEPT = 1_000;
const LONGEST_KEPT = 200;

/** Scripts without blanks between words, in which a phrase stands anywhere. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** What was found in a sentence. */
interface Found {
  readonly senses: ReadonlySet<keyof Words>;
  /** The phrases are all that there is. */
  readonly isAll: boolean;
}

/** Reads the words of one dialect. */
export class Vocabulary {
  readonly #senses = new Map<string, keyof Words>();
  readonly #phrases: RegExp;
  readonly #known = new Map<string, Found>();

  constructor(words: Words) {
    for (const sense of [...SENSES, 'quota_used_up', 'within_a_day'] as const)
      for (const each of words[sense]) {
        const phrase = plainWords(each) + (each.endsWith('*') ? '*' : '');
        if (!this.#senses.has(phrase)) this.#senses.set(phrase, sense);
      }
    // The longest first: "could not be found" is not "could not".
    const phrases = [...this.#senses.keys()].sort((one, other) => other.length - one.length);
    const anywhere = phrases.filter((each) => WITHOUT_BLANKS.test(each));
    const among = phrases.filter((each) => !WITHOUT_BLANKS.test(each));
    const either = (of: readonly string[]): string => of.join('|').replaceAll('*', '[^ ]*');
    this.#phrases = new RegExp([`(?<![^ ])(?:${either(among)})(?![^ ])`, ...anywhere].join('|'), 'gu');
  }

  /** What the sentences of a text say; a sentence without a known word says nothing. */
  sensesOf(text: string): readonly Sense[] {
    const found = sentencesOf(text.slice(0, LONGEST_TEXT)).map((each) => this.#find(each).senses);
    const endsSoon = found.some((senses) => senses.has('within_a_day'));
    return found.flatMap((senses) => senseOf(senses, endsSoon) ?? []);
  }

  /** What a code or a status says, such as `USER_NOT_FOUND` or `rateLimitExceeded`: it is one sentence. */
  senseOfCode(code: string): Sense | undefined {
    return senseOf(this.#code(code).senses);
  }

  /** What a code says that is nothing but words of that sense. */
  justOf(code: string): Sense | undefined {
    return this.#code(code).isAll ? this.senseOfCode(code) : undefined;
  }

  /** The words of a text that are none of success. */
  besidePraise(text: string): readonly string[] {
    const left = this.#without(plainWords(text.slice(0, LONGEST_TEXT)), (sense) => sense === 'done');
    return left.split(' ').filter((word) => word !== '');
  }

  #code = (code: string): Found => this.#find(plainWords(code.slice(0, LONGEST_TEXT)));

  #find(sentence: string): Found {
    const known = this.#known.get(sentence);
    if (known !== undefined) return known;
    const senses = new Set<keyof Words>();
    const left = this.#without(sentence, (sense) => senses.add(sense) !== undefined);
    const found = { senses, isAll: left.trim() === '' };
    if (sentence.length <= LONGEST_KEPT && this.#known.size < MOST_KEPT) this.#known.set(sentence, found);
    return found;
  }

  #without(sentence: string, isTaken: (sense: keyof Words) => boolean): string {
    return sentence.replace(this.#phrases, (phrase) => (isTaken(this.#senseOfPhrase(phrase)) ? '' : phrase));
  }

  #senseOfPhrase(phrase: string): keyof Words {
    let found = this.#senses.get(phrase);
    for (let end = phrase.length; found === undefined && end > 0; end -= 1)
      found = this.#senses.get(`${phrase.slice(0, end)}*`);
    return found ?? 'done';
  }
}

/** A quota that is used up is one of credits, unless it is said to come back within a day. */
function senseOf(senses: ReadonlySet<keyof Words>, endsSoon = senses.has('within_a_day')): Sense | undefined {
  if (senses.has('quota_used_up') && !senses.has('credits_used_up'))
    return endsSoon || senses.has('rate_limited') ? 'rate_limited' : 'credits_used_up';
  return SENSES.find((each) => senses.has(each));
}

/** Sentences end with a mark and a blank: a dot within `v1.2` or `error.rate_limit` ends none. */
function sentencesOf(text: string): readonly string[] {
  return text.split(/[.!?]+(?=\s|$)|[;\n\r。！？]+/u).map(plainWords);
}

/** Lower-case words with single blanks between them, however they were joined: `rateLimit`, `RATE_LIMIT`, `rate-limit`. */
export function plainWords(text: string): string {
  return text
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .toLowerCase()
    .replace(/[’`´]/gu, "'")
    .replace(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
    .trim();
}

const VOCABULARIES = new WeakMap<Words, Vocabulary>();

export function vocabularyOf(words: Words): Vocabulary {
  const known = VOCABULARIES.get(words) ?? new Vocabulary(words);
  VOCABULARIES.set(words, known);
  return known;
}
