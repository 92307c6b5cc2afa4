import { countedActions } from '../../../core/action-words.ts';
import type { PlannedAction } from '../../../core/operation.ts';
import { counted } from '../../../core/plain-text.ts';
import type { ChangeEnd, ChangeFigures, ChangeGroup, EndCounts } from './figures.ts';

/** `7 invites to Platform, 6 removals from Research; 115 stay as they were, 1 held back`. */
export function changesSentence({
  done,
  counts,
  groups,
}: ChangeFigures & { readonly groups: readonly ChangeGroup[] }): string {
  const made = countedActions(done, (action) => placeOf(action, groups));
  const rest = restWords(counts);
  return [made === '' ? 'nothing was changed' : made, ...(rest === '' ? [] : [rest])].join('; ');
}

const PREPOSITIONS: Readonly<Partial<Record<PlannedAction, string>>> = {
  invite: 'to',
  change_role: 'in',
  remove: 'from',
};

function placeOf(action: PlannedAction, groups: readonly ChangeGroup[]): string {
  const preposition = PREPOSITIONS[action];
  const places = new Set(
    groups.flatMap(({ done, project }) => (done[action] === undefined ? [] : (project ?? []))),
  );
  const [only] = places;
  if (preposition === undefined || only === undefined) return '';
  return ` ${preposition} ${places.size === 1 ? only : counted(places.size, 'project')}`;
}

const END_WORDS: readonly (readonly [ChangeEnd, string])[] = [
  ['held_back', 'held back'],
  ['refused', 'refused'],
  ['in_doubt', 'in doubt'],
  ['skipped', 'left out'],
  ['invalid', 'invalid'],
  ['pending', 'to do'],
];

function restWords(counts: EndCounts): string {
  const { unchanged = 0 } = counts;
  const stay = unchanged === 1 ? '1 stays as it was' : `${unchanged} stay as they were`;
  const others = END_WORDS.filter(([end]) => counts[end] !== undefined);
  return [
    ...(unchanged === 0 ? [] : [stay]),
    ...others.map(([end, words]) => `${counts[end]} ${words}`),
  ].join(', ');
}
