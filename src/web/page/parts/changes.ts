import type { ChangesView } from '../../api.ts';
import { text } from '../text.ts';

/** What was changed in a team: each person once, and not each row. */

const words = text.changes;

export function changeFigures({
  done,
  counts,
  without_a_word: withoutWord,
}: ChangesView): readonly (readonly [string, number])[] {
  const made = Object.entries(words.done).flatMap(([action, word]) => some(word, done[action]));
  return [
    ...made,
    ...some(words.withoutWord, withoutWord),
    [words.unchanged, counts.unchanged ?? 0],
    ...some(words.heldBack, counts.held_back),
  ];
}

const some = (name: string, count = 0): readonly (readonly [string, number])[] =>
  count === 0 ? [] : [[name, count]];
