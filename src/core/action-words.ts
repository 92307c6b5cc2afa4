import { PLANNED_ACTIONS, type PlannedAction } from './operation.ts';
import { counted } from './plain-text.ts';

const NOUNS: Readonly<Record<PlannedAction, string>> = {
  create_project: 'new project',
  invite: 'invite',
  change_role: 'role',
  remove: 'removal',
  call: 'call',
};

type Counts = Readonly<Partial<Record<PlannedAction, number>>>;

/** @param behind the words behind the count of an action, such as ` in Sales`; left out: none. */
export function countedActions(counts: Counts, behind: (action: PlannedAction) => string = () => ''): string {
  const some = PLANNED_ACTIONS.filter((action) => (counts[action] ?? 0) > 0);
  return some.map((action) => counted(counts[action] ?? 0, NOUNS[action]) + behind(action)).join(', ');
}

/**
 * The words for changes that were done as far as anybody can tell, although the service's answers do not
 * mention them.
 */
export function withoutWordWords(count: number): string {
  return `${counted(count, 'change')} confirmed without details: the service said yes and nothing more`;
}
