import { closestMatch } from 'leven';
import { foreignWords } from './plain-text.ts';

/** Further away than half of its letters, a word is another word and no slip of the hand: `hodl` is still `hold`. */
const SHARE_OF_SLIPS = 0.5;

/** Each letter is held against each, so what nobody has typed is not compared. */
const LONGEST_WORD = 200;

/** As much of a list as somebody reads. */
const LONGEST_LIST = 700;

/**
 * The known word that was probably meant, in its own spelling; undefined when none is near. Case is ignored.
 * @param maxDistance letters by which they may differ; left out: half of them.
 */
export function nearest(
  word: string,
  known: readonly string[],
  maxDistance = Math.max(1, Math.floor(word.length * SHARE_OF_SLIPS)),
): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const near = known.filter((each) => each.length <= LONGEST_WORD);
  const spellings = new Map(near.map((each) => [each.toLowerCase(), each]));
  const match = closestMatch(word.toLowerCase(), [...spellings.keys()], { maxDistance });
  return match === undefined ? undefined : spellings.get(match);
}

/** "Did you mean X?" where one is near, else the whole list: one sentence on what to do. */
export function suggestion(word: string, known: readonly string[]): string {
  const match = nearest(word, known);
  if (match !== undefined) return `Did you mean ${foreignWords(match)}?`;
  return known.length === 0 ? 'Leave it out.' : `Known are: ${foreignWords(known.join(', '), LONGEST_LIST)}.`;
}
