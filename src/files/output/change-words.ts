import { countedActions } from '../../core/action-words.ts';
import type { PlannedAction } from '../../core/operation.ts';
import { counted } from '../../core/plain-text.ts';
import type { ChangesObject } from '../../objects/batch-object.ts';
import type { ChangeEnd } from './report-object.ts';

/** `7 invites to Platform, 6 removals from Research; 115 stay as they were, 1 held back`. */
export function changesSentence({ done, counts, projects }: ChangesObject): string {
  const made = countedActions(done, (action) => placeOf(action, projects));
  const rest = restWords(counts);
  return [made === '' ? 'nothing was changed' : made, ...(rest === '' ? [] : [rest])].join('; ');
}

const PREPOSITIONS: Readonly<Partial<Record<PlannedAction, string>>> = {
  invite: 'to',
  change_role: 'in',
  remove: 'from',
};

function placeOf(action: PlannedAction, groups: ChangesObject['projects']): string {
  const preposition = PREPOSITIONS[action];
  const places = new Set(
    groups.flatMap(({ done, project }) => (done[action] === undefined ? [] : (project ?? []))),
  );
  const [only] = places;
  if (preposition === undefined || only === undefined) return '';
  return ` ${preposition} ${places.size === 1 ? only : counted(places.size, 'project')}`;
}

/** How a change ended: its kind, in words, and their meaning. */
export const END_WORDS: readonly (readonly [ChangeEnd, string, string])[] = [
  ['applied', 'applied', 'changed as asked'],
  ['unchanged', 'unchanged', 'already so'],
  ['held_back', 'held back', 'not in the list, and not removed, for the reason given'],
  ['refused', 'refused', 'not done, for the reason given'],
  ['in_doubt', 'in doubt', 'an answer was lost or cannot be read; it may have been done'],
  ['skipped', 'left out', 'left out while in doubt'],
  ['invalid', 'invalid', 'cannot be used, so nothing was sent'],
  ['pending', 'pending', 'not worked on yet'],
];

function restWords({ applied: _, unchanged = 0, ...counts }: ChangesObject['counts']): string {
  const stay = unchanged === 1 ? '1 stays as it was' : `${unchanged} stay as they were`;
  const others = END_WORDS.flatMap(([end, word]) => {
    const count = counts[end];
    return count === undefined ? [] : [`${count} ${word}`];
  });
  return [...(unchanged === 0 ? [] : [stay]), ...others].join(', ');
}
