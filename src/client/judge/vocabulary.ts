import type { Words } from '../dialect.ts';

/**
 * Reads the words by which a vendor says what became of a request, sentence by sentence. All of it takes linear time: a text is cut before
 * anything looks at it.
 */

/** What a sentence or a code says, in the order of precedence: the first that a sentence has is what it says. */
const SENSES = [
  'credits_used_up',
  'rate_limited',
  'key_dead',
  'project_refused',
  'no_match',
  'refused',
  'working',
  'pending',
  'done',
] as const satisfies readonly (keyof Words)[];

export type Sense = (typeof SENSES)[number];

/** Longer than any message to a person. */
export const LONGEST_TEXT = 2_000;

/** Vendors say the same again and again: so many texts are kept, and none that is longer. */
const MOST_KEPT = 1_000;
const LONGEST_KEPT = 200;

interface Phrase {
  readonly words: readonly string[];
  /** Its last word may go on. */
  readonly isBeginning: boolean;
  readonly sense: keyof Words;
}

/** What was found in a sentence. */
interface Found {
  readonly senses: ReadonlySet<keyof Words>;
  /** The phrases are all that there is. */
  readonly isAll: boolean;
}

/** Reads the words of one dialect. */
export class Vocabulary {
  /** By the first word, the longest phrase first: "could not be found" is not "could not". */
  readonly #phrases = new Map<string, Phrase[]>();
  /** Single words that may go on. */
  readonly #beginnings: Phrase[] = [];
  /** Of languages that have no blanks between words, where a phrase stands anywhere. */
  readonly #anywhere: (readonly [string, keyof Words])[] = [];
  readonly #texts = new Map<string, readonly Sense[]>();
  readonly #codes = new Map<string, Found>();

  constructor(words: Words) {
    for (const sense of [...SENSES, 'quota_used_up', 'within_a_day'] as const)
      for (const each of words[sense]) this.#add(each, sense);
    for (const phrases of this.#phrases.values())
      phrases.sort((one, other) => other.words.length - one.words.length);
  }

  #add(text: string, sense: keyof Words): void {
    const plain = plainWords(text);
    if (WITHOUT_BLANKS.test(plain)) {
      this.#anywhere.push([plain, sense]);
      return;
    }
    const words = plain.split(' ');
    const [first = ''] = words;
    const phrase = { words, isBeginning: text.endsWith('*'), sense };
    if (phrase.isBeginning && words.length === 1) this.#beginnings.push(phrase);
    else this.#phrases.set(first, [...(this.#phrases.get(first) ?? []), phrase]);
  }

  /** What the sentences of a text say; a sentence without a known word says nothing. */
  sensesOf(text: string): readonly Sense[] {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const found = sentencesOf(text.slice(0, LONGEST_TEXT)).map((each) => this.#find(each));
    const endsSoon = found.some(({ senses }) => senses.has('within_a_day'));
    const senses = found.flatMap((each) => senseOf(each, endsSoon) ?? []);
    keep(this.#texts, text, senses);
    return senses;
  }

  /** What a code or a status says, such as `USER_NOT_FOUND` or `rateLimitExceeded`: it is one sentence. */
  senseOfCode(code: string): Sense | undefined {
    return senseOf(this.#findCode(code));
  }

  /** Whether a text has a word by which vendors say no. */
  soundsLikeNo(text: string): boolean {
    const { senses } = this.#find(plainWords(text.slice(0, LONGEST_TEXT)));
    return NO.some((each) => senses.has(each));
  }

  /** A text without the words of these senses. */
  without(text: string, senses: readonly Sense[]): string {
    const left: string[] = [];
    const words = plainWords(text.slice(0, LONGEST_TEXT)).split(' ');
    for (let at = 0; at < words.length; ) {
      const phrase = this.#phraseAt(words, at);
      const isOne = phrase !== undefined && (senses as readonly string[]).includes(phrase.sense);
      if (!isOne) left.push(...words.slice(at, at + (phrase?.words.length ?? 1)));
      at += phrase?.words.length ?? 1;
    }
    return left.join(' ');
  }

  /** Whether a code is nothing but words of that sense. */
  isJust(code: string, sense: Sense): boolean {
    const { senses, isAll } = this.#findCode(code);
    return isAll && senseOf({ senses }) === sense;
  }

  #findCode(code: string): Found {
    const known = this.#codes.get(code);
    if (known !== undefined) return known;
    const found = this.#find(plainWords(code.slice(0, LONGEST_TEXT)));
    keep(this.#codes, code, found);
    return found;
  }

  #find(sentence: string): Found {
    const words = sentence.split(' ');
    const senses = new Set<keyof Words>();
    let isAll = true;
    for (let at = 0; at < words.length; ) {
      const phrase = this.#phraseAt(words, at);
      if (phrase === undefined) isAll = false;
      else senses.add(phrase.sense);
      at += phrase?.words.length ?? 1;
    }
    if (WITHOUT_BLANKS.test(sentence))
      for (const [phrase, sense] of this.#anywhere) if (sentence.includes(phrase)) senses.add(sense);
    return { senses, isAll };
  }

  #phraseAt(words: readonly string[], at: number): Phrase | undefined {
    const word = words[at] ?? '';
    const phrase = this.#phrases.get(word)?.find((each) =>
      each.words.every((wanted, index) => {
        const said = words[at + index] ?? '';
        return each.isBeginning && index === each.words.length - 1
          ? said.startsWith(wanted)
          : said === wanted;
      }),
    );
    return phrase ?? this.#beginnings.find(({ words: [beginning = ''] }) => word.startsWith(beginning));
  }
}

const NO = ['refused', 'project_refused', 'no_match'] as const;

/** A quota that is used up is one of credits, unless it is said to come back within a day. */
function senseOf(
  { senses }: Pick<Found, 'senses'>,
  endsSoon = senses.has('within_a_day'),
): Sense | undefined {
  if (senses.has('quota_used_up') && !senses.has('credits_used_up'))
    return endsSoon || senses.has('rate_limited') ? 'rate_limited' : 'credits_used_up';
  return SENSES.find((each) => senses.has(each));
}

function keep<Value>(known: Map<string, Value>, text: string, value: Value): void {
  if (text.length <= LONGEST_KEPT && known.size < MOST_KEPT) known.set(text, value);
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

/** Scripts without blanks between words. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

const VOCABULARIES = new WeakMap<Words, Vocabulary>();

export function vocabularyOf(words: Words): Vocabulary {
  const known = VOCABULARIES.get(words) ?? new Vocabulary(words);
  VOCABULARIES.set(words, known);
  return known;
}
