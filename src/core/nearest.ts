import leven from 'leven';
import type { Advice } from './errors.ts';
import { foreignWords } from './plain-text.ts';

/**
 * A word that differs in more than half of its letters is another word and not a slip: `hodl` is still
 * `hold`.
 */
const SHARE_OF_SLIPS = 0.5;

/**
 * The longest word that is compared. Comparing costs time for each pair of letters, and nobody types longer
 * words.
 */
const LONGEST_WORD = 200;

/** The most characters of a list that are shown, because nobody reads more. */
const LONGEST_LIST = 700;

/**
 * The known word that was probably meant, in its own spelling; undefined when none is near. Case is ignored.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const slips = (each: string): number => leven(typed, each.toLowerCase());
  const near = known.filter(
    (each) => Math.max(word.length, each.length) <= LONGEST_WORD && isNear(typed, each.toLowerCase()),
  );
  return near.toSorted((a, b) => slips(a) - slips(b))[0];
}

const isSlip = (typed: string, known: string): boolean =>
  leven(typed, known) <= Math.max(1, Math.floor(typed.length * SHARE_OF_SLIPS));

/**
 * Each word is also compared by itself: "can view" shares most letters with "can edit", and means something
 * else.
 */
function isNear(typed: string, known: string): boolean {
  const words = typed.split(' ');
  const others = known.split(' ');
  const isByWords =
    words.length !== others.length || words.every((word, at) => isSlip(word, others[at] ?? ''));
  return isByWords && isSlip(typed, known);
}

/** The nearest known word, or else those that contain the word or are contained in it, such as `company`. */
export function meantBy(word: string, known: readonly string[]): readonly string[] {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const typed = letters(word);
  const isPart = (part: string, of: string): boolean => part.length > 2 && of.includes(part);
  const sorted = (text: string): string => [...text].toSorted().join('');
  // Two letters that changed places count as two slips, which is much in a short word.
  const mixed = known.find((each) => typed !== '' && sorted(letters(each)) === sorted(typed));
  const match = mixed ?? nearest(word, known);
  if (match !== undefined) return [match];
  return known.filter((each) => isPart(typed, letters(each)) || isPart(letters(each), typed));
}

const MOST_SUGGESTED = 3;

/** "Did you mean X?" where one is near, else the whole list: one sentence on what to do. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = meantBy(word, known).slice(0, MOST_SUGGESTED);
  if (meant.length > 0) return `Did you mean ${meant.map((each) => foreignWords(each)).join(' or ')}?`;
  return known.length === 0 ? 'Leave it out.' : `Known are: ${foreignWords(known.join(', '), LONGEST_LIST)}.`;
}

/** The same, for a word of the command line, which is then shown with the word that was meant. */
export function meantWord(typed: string, known: readonly string[]): Advice {
  const [meant] = meantBy(typed, known);
  const next = suggestion(typed, known);
  return meant === undefined ? next : { next, again: { typed, meant } };
}
