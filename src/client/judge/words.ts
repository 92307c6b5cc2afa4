import { wordsIn } from '../../core/plain-text.ts';
import type { Words } from '../dialect.ts';
import { OWN_WORDS } from '../usual-words.ts';

/** Reads a vendor's words about the result of a request, sentence by sentence. */

/**
 * The senses of a sentence or a code, in the order of precedence. `day_used_up`: a limit of a day or
 * longer is reached.
 */
const SENSES = wordsIn(`
  credits_used_up day_used_up rate_limited key_dead project_refused plan gone temporary no_match refused
  working pending done
`) as readonly Sense[];

type AllWords = Words & { readonly [Name in keyof typeof OWN_WORDS]: readonly string[] };

/**
 * `plan`: the account's plan lacks what was asked. `gone`: nothing is at the address any more. `temporary`: a
 * server has failed that may work again.
 */
export type Sense = Exclude<keyof AllWords, Part | 'limit_reached'> | 'day_used_up';

/** Words that mean something only together with others in their sentence, in any order. */
type Part =
  | ('limit' | 'within_an_hour' | 'of_a_day' | 'of_a_month' | 'credits' | 'used_up')
  | ('key' | 'no_key' | 'dead' | 'label')
  | ('route' | 'ended' | 'none' | 'at_hand' | 'of_request')
  | SoBefore;

/** Words of a refusal to invite: the person is a member, or has an invite from before. */
export type SoBefore = 'is_member' | 'is_invited';

/** Phrases that name the result of a request by themselves. */
type Phrase = Exclude<keyof AllWords, Part>;

/** `quota`: an allowance that is bought for a month or longer is used up. */
type Said = Phrase | 'quota';

type LimitEnds = 'soon' | 'with the day' | 'unknown';

/** Whether a sense does not refuse the request, because the result is still to come. */
export const isLater = (sense: Sense): boolean =>
  ['rate_limited', 'day_used_up', 'working', 'pending'].includes(sense);

/** Longer than any message to a person. A text is cut to this length before it is read. */
export const LONGEST_TEXT = 2_000;

/** Vendors repeat the same texts. This many are kept, and none that is longer. */
const MOST_KEPT = 1_000;
const LONGEST_KEPT = 200;

/** The senses of a text, and its words that are in no phrase. */
interface WordReading {
  readonly senses: readonly Sense[];
  readonly rest: string;
}

/** Matches any of the phrases as whole words. */
function anyOf(phrases: readonly string[]): RegExp {
  // The longest phrase comes first: "could not be found" is not "could not".
  const plain = phrases.map((each) => plainWords(each) + (each.endsWith('*') ? '[^ ]*' : ''));
  const sorted = plain.sort((one, other) => other.length - one.length);
  return new RegExp(`(?<![^ ])(?:${sorted.join('|') || '(?!)'})(?![^ ])`, 'gu');
}

/** Reads the words of one dialect. */
export class Vocabulary {
  readonly #senses = new Map<string, Phrase>();
  readonly #phrases: RegExp;
  readonly #parts: Readonly<Record<string, RegExp>>;
  readonly #known = new Map<string, WordReading>();

  constructor(words: AllWords) {
    const senses: readonly string[] = [...SENSES, 'limit_reached'];
    for (const [sense, phrases] of Object.entries(words))
      for (const each of senses.includes(sense) ? phrases : []) {
        const phrase = plainWords(each) + (each.endsWith('*') ? '*' : '');
        if (!this.#senses.has(phrase)) this.#senses.set(phrase, sense as Phrase);
      }
    this.#phrases = anyOf([...this.#senses.keys()]);
    this.#parts = Object.fromEntries(Object.entries(words).map(([part, each]) => [part, anyOf(each)]));
  }

  /** A sentence without a known word says nothing. */
  read(text: string): WordReading {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const sentences = sentencesOf(text.slice(0, LONGEST_TEXT));
    const all = sentences.join(' ');
    const isOfDay = this.#has(all, 'of_a_day');
    const ends = this.#has(all, 'within_an_hour') ? 'soon' : isOfDay ? 'with the day' : 'unknown';
    const isLong = isOfDay || this.#has(all, 'of_a_month');
    const found = sentences.map((sentence) => this.#readSentence(sentence, ends, isLong));
    const read = {
      senses: found.flatMap(({ sense }) => sense ?? []),
      rest: found
        .map(({ rest }) => rest)
        .join(' ')
        .trim(),
    };
    if (text.length <= LONGEST_KEPT && this.#known.size < MOST_KEPT) this.#known.set(text, read);
    return read;
  }

  /**
   * @param ends the statement of the whole text about when a limit ends.
   * @param isLong whether the text speaks of a day or longer.
   */
  #readSentence(sentence: string, ends: LimitEnds, isLong: boolean) {
    const senses = new Set<Said>();
    let rest = sentence.replace(this.#phrases, (phrase) => {
      senses.add(this.#senseOfPhrase(phrase));
      return '';
    });
    const join = (sense: Said, ...parts: readonly Part[]): void => {
      // A noun at the beginning counts as if it stood behind "the".
      if (!parts.every((part) => this.#has(`the ${sentence}`, part))) return;
      senses.add(sense);
      rest = parts.reduce((remainingText, part) => remainingText.replace(this.#parts[part] ?? '', ''), rest);
    };
    join('quota', 'credits', 'used_up');
    if (senses.has('limit_reached')) join('quota', 'credits');
    if (ends !== 'unknown') join('limit_reached', 'limit');
    if (!this.#has(sentence, 'no_key')) join('key_dead', 'key', 'dead');
    join('gone', 'route', 'ended');
    if (!this.#has(sentence, 'of_request')) join('no_match', 'none', 'at_hand');
    return { sense: senseOf(senses, ends, isLong), rest };
  }

  #has(sentence: string, part: Part): boolean {
    return sentence.search(this.#parts[part] ?? /(?!)/) >= 0;
  }

  /** Whether a text says so, and of no other place than the one that was asked about. */
  wasSoBefore(text: string, how: SoBefore): boolean {
    const words = plainWords(text);
    return !/\b(?:an)?other\b/.test(words) && this.#has(words, how);
  }

  /** The sense of a code that has no other words besides: `USER_NOT_FOUND` also names a user. */
  justOf(code: string): Sense | undefined {
    const { senses, rest } = this.read(code);
    return rest.trim() === '' ? senses[0] : undefined;
  }

  /** Whether a text is a code, or only names a kind of error. */
  isLabel(text: string): boolean {
    const rest = plainWords(text).replace(this.#parts.label ?? '', '');
    return rest.trim() === '' || !/\s/.test(text.trim());
  }

  #senseOfPhrase(phrase: string): Phrase {
    let found = this.#senses.get(phrase);
    for (let end = phrase.length; found === undefined && end > 0; end -= 1)
      found = this.#senses.get(`${phrase.slice(0, end)}*`);
    return found ?? 'done';
  }
}

/** Used-up credits and quotas have to be bought, unless the text says that they come back within a day. */
function senseOf(phrases: ReadonlySet<Said>, ends: LimitEnds, isLong: boolean): Sense | undefined {
  const isOfTime = phrases.has('rate_limited') || ends !== 'unknown';
  if (phrases.has('credits_used_up') || (phrases.has('quota') && !isOfTime)) return 'credits_used_up';
  if (phrases.has('quota') || phrases.has('rate_limited') || phrases.has('limit_reached'))
    return isLong && ends !== 'soon' ? 'day_used_up' : 'rate_limited';
  return SENSES.find((each) => phrases.has(each as Phrase));
}

/** A sentence ends with a mark and a blank. A dot within `v1.2` or `error.rate_limit` ends none. */
function sentencesOf(text: string): readonly string[] {
  return text.split(/[.!?]+(?=\s|$)|[;\n\r]+/u).map(plainWords);
}

/**
 * Lower-case words with single blanks between them, however they were joined: `rateLimit`, `RATE_LIMIT`,
 * `rate-limit`.
 */
export function plainWords(text: string): string {
  return text
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .toLowerCase()
    .replace(/[’`´]/gu, "'")
    .replace(/[^\p{L}\p{M}\p{N}']+|(?<!\p{L})'|'(?!\p{L})/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
}

const VOCABULARIES = new WeakMap<Words, Vocabulary>();

export function vocabularyOf(words: Words): Vocabulary {
  const known = VOCABULARIES.get(words) ?? new Vocabulary({ ...words, ...OWN_WORDS });
  VOCABULARIES.set(words, known);
  return known;
}
