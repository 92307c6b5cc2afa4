import { countedActions, type PlannedAction } from '../../core/operation.ts';
import type { PeopleEnd } from '../../core/people.ts';
import { counted, grouped, linesOf, sentence } from '../../core/plain-text.ts';
import type { ChangesObject } from '../../objects/batch-view.ts';
import { changesDoneIn, teamWords } from './summary-words.ts';

/** Of a batch that changes people: what came of it, and what an undo has made of that since. */

/** `40 people, 50 changes: 46 done`, and since an undo `…, 43 taken back; 3 removals stay`. */
export function teamDoneWords(changes: ChangesObject): string {
  const { planned } = changes;
  const done = changesDoneIn(changes);
  if (planned === 0) return teamWords(changes);
  const parts = linesOf(done > 0 && `${grouped(done)} done`, betweenWords(changes));
  const made = done === planned ? 'all done' : parts.join(', ') || 'none done';
  return [`${teamWords(changes)}: ${made}`, ...backWords(changes)].join(', ');
}

/** `2 half done`, `1 perhaps made`: of these neither is true, that they were done or that they were not. */
export function betweenWords({ not_made: { half_done: half, in_doubt: lost } }: ChangesObject) {
  return linesOf(half > 0 && `${grouped(half)} half done`, lost > 0 && `${grouped(lost)} perhaps made`);
}

/** `43 taken back; 3 removals stay`, and while the undo is open `40 taken back, 3 to take back`. */
function backWords(changes: ChangesObject): readonly string[] {
  const { taken_back: back = 0, taking_back: left = 0 } = changes;
  const stays = stayWords(changes);
  if (left > 0) return linesOf(back > 0 && `${grouped(back)} taken back`, `${grouped(left)} to take back`);
  if (back === 0) return [];
  return [stays === '' ? 'all taken back' : `${grouped(back)} taken back; ${stays}`];
}

/** `3 removals, 1 new project stay`: what an undo has left; blank where that is nothing. */
export function stayWords({ stands = {} }: Pick<ChangesObject, 'stands'>): string {
  const count = changesDoneIn({ done: stands });
  return count === 0 ? '' : `${countedActions(stands)} ${count === 1 ? 'stays' : 'stay'}`;
}

/** `7 invites to Platform, 6 removals from Research.`; blank where something may have been changed. */
export function changesMade(changes: ChangesObject): string {
  const made = countedActions(changes.done, (action) => placeOf(action, changes.projects));
  if (made !== '') return sentence(made);
  return betweenWords(changes).length === 0 ? 'Nothing was changed.' : '';
}

/** What became of people, in the words behind their number. */
export const PEOPLE_WORDS: readonly (readonly [PeopleEnd, one: string, several: string])[] = [
  ['changed', 'changed', 'changed'],
  ['taken_back', 'taken back', 'taken back'],
  ['unchanged', 'stays as it was', 'stay as they were'],
  ['left_out', 'left out', 'left out'],
  ['pending', 'to go', 'to go'],
  ['attention', 'needs attention', 'need attention'],
];

/** `29 changed, 7 stay as they were, 4 need attention`; blank where it is about no one. */
export function peopleWords({ people }: Pick<ChangesObject, 'people'>): string {
  const shown = PEOPLE_WORDS.filter(([end]) => people[end] > 0);
  const parts = shown.map(
    ([end, one, several]) => `${grouped(people[end])} ${people[end] === 1 ? one : several}`,
  );
  return parts.join(', ');
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
