import type { Words } from '../dialect.ts';

/** Reads the words by which a vendor says what became of a request, sentence by sentence. */

/** What a sentence or a code says, in the order of precedence: the first that a sentence has is what it says. */
const SENSES = [
  ...(['credits_used_up', 'rate_limited', 'key_dead', 'project_refused', 'no_match', 'refused'] as const),
  ...(['working', 'pending', 'done'] as const),
] satisfies readonly (keyof Words)[];

export type Sense = (typeof SENSES)[number];

/** None of these says that it was refused. */
export const isLater = (sense: Sense): boolean => ['rate_limited', 'working', 'pending'].includes(sense);

/** Longer than any message to a person: a text is cut before anything looks at it. */
export const LONGEST_TEXT = 2_000;

/** Vendors say the same again and again: so many texts are kept, and none that is longer. */
const MOST_KEPT = 1_000;
const LONGEST_KEPT = 200;

/** What a text says, and its words that are in no phrase. */
interface WordReading {
  readonly senses: readonly Sense[];
  readonly rest: string;
}

/** Reads the words of one dialect. */
export class Vocabulary {
  readonly #senses = new Map<string, keyof Words>();
  readonly #phrases: RegExp;
  readonly #known = new Map<string, WordReading>();

  constructor(words: Words) {
    for (const sense of [...SENSES, 'quota_used_up', 'within_a_day'] as const)
      for (const each of words[sense]) {
        const phrase = plainWords(each) + (each.endsWith('*') ? '*' : '');
        if (!this.#senses.has(phrase)) this.#senses.set(phrase, sense);
      }
    // The longest first: "could not be found" is not "could not".
    const phrases = [...this.#senses.keys()].sort((one, other) => other.length - one.length);
    this.#phrases = new RegExp(`(?<![^ ])(?:${phrases.join('|').replaceAll('*', '[^ ]*')})(?![^ ])`, 'gu');
  }

  /** A sentence without a known word says nothing. */
  read(text: string): WordReading {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const rest: string[] = [];
    const found = sentencesOf(text.slice(0, LONGEST_TEXT)).map((sentence) => {
      const senses = new Set<keyof Words>();
      rest.push(
        sentence.replace(this.#phrases, (phrase) => (senses.add(this.#senseOfPhrase(phrase)) ? '' : phrase)),
      );
      return senses;
    });
    const endsSoon = found.some((senses) => senses.has('within_a_day'));
    const read = {
      senses: found.flatMap((each) => senseOf(each, endsSoon) ?? []),
      rest: rest.join(' ').trim(),
    };
    if (text.length <= LONGEST_KEPT && this.#known.size < MOST_KEPT) this.#known.set(text, read);
    return read;
  }

  sensesOf(text: string): readonly Sense[] {
    return this.read(text).senses;
  }

  /** What a code says that is nothing but words of that sense: `USER_NOT_FOUND` also says who. */
  justOf(code: string): Sense | undefined {
    const { senses, rest } = this.read(code);
    return rest === '' ? senses[0] : undefined;
  }

  #senseOfPhrase(phrase: string): keyof Words {
    let found = this.#senses.get(phrase);
    for (let end = phrase.length; found === undefined && end > 0; end -= 1)
      found = this.#senses.get(`${phrase.slice(0, end)}*`);
    return found ?? 'done';
  }
}

/** A quota that is used up is one of credits, unless it is said to come back within a day. */
function senseOf(senses: ReadonlySet<keyof Words>, endsSoon: boolean): Sense | undefined {
  if (senses.has('quota_used_up') && !senses.has('credits_used_up'))
    return endsSoon || senses.has('rate_limited') ? 'rate_limited' : 'credits_used_up';
  return SENSES.find((each) => senses.has(each));
}

/** Sentences end with a mark and a blank: a dot within `v1.2` or `error.rate_limit` ends none. */
function sentencesOf(text: string): readonly string[] {
  return text.split(/[.!?]+(?=\s|$)|[;\n\r]+/u).map(plainWords);
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
