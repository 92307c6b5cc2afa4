import leven, { closestMatch } from 'leven';
import { foreignWords } from './plain-text.ts';

/** Further away than half of its letters, a word is another word and no slip of the hand: `hodl` is still `hold`. */
const SHARE_OF_SLIPS = 0.5;

/** The longest word that is compared. Comparing costs time for each pair of letters, and nobody types longer words. */
const LONGEST_WORD = 200;

/** The most characters of a list that are shown: nobody reads more. */
const LONGEST_LIST = 700;

/** The known word that was probably meant, in its own spelling; undefined when none is near. Case is ignored. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const typed = word.toLowerCase();
  const near = known.filter((each) => each.length <= LONGEST_WORD);
  const spellings = new Map(near.map((each) => [each.toLowerCase(), each]));
  const candidates = [...spellings.keys()].filter((each) => isNearByWords(typed, each));
  const match = closestMatch(typed, candidates, { maxDistance: mostSlips(typed) });
  return match === undefined ? undefined : spellings.get(match);
}

const mostSlips = (word: string): number => Math.max(1, Math.floor(word.length * SHARE_OF_SLIPS));

/** Each word for itself: "can view" shares most of its letters with "can edit", and means something else. */
function isNearByWords(typed: string, known: string): boolean {
  const [words, others] = [typed.split(' '), known.split(' ')];
  return (
    words.length !== others.length ||
    words.every((word, at) => leven(word, others[at] ?? '') <= mostSlips(word))
  );
}

/** "Did you mean X?" where one is near, else the whole list: one sentence on what to do. */
export function suggestion(word: string, known: readonly string[]): string {
  const match = nearest(word, known);
  if (match !== undefined) return `Did you mean ${foreignWords(match)}?`;
  return known.length === 0 ? 'Leave it out.' : `Known are: ${foreignWords(known.join(', '), LONGEST_LIST)}.`;
}
