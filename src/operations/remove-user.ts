import { defineOperation } from '../core/operation.ts';
import {
  type PersonAction,
  type PersonInProject,
  type PersonWork,
  personIn,
  unchanged,
  whoIs,
  workOf,
} from './team/change-action.ts';
import { PROJECT_ID, readProjectId, readUserId, together, USER_ID } from './team/change-inputs.ts';
import { nextOfPerson } from './team/change-steps.ts';

interface Removal {
  readonly userId: string;
  readonly project: string;
}

function actionOf(person: PersonInProject, userId: string): PersonAction {
  if (person.facts?.state === 'gone')
    return unchanged(`${whoIs(person)} is not in the project, as far as is known`);
  return { kind: 'remove', userId };
}

export default defineOperation<Removal, PersonWork>({
  name: 'remove-user',
  summary: 'Remove users who have accepted from a project.',
  vendor: 'service',
  inputs: [{ ...USER_ID, required: true }, PROJECT_ID],
  tiers: [],
  prepare: (row, options) =>
    together({ userId: readUserId(row.user_id), project: readProjectId(row, options) }),
  change: {
    isState: true,
    resolve({ userId, project }, team) {
      const person = personIn(team, project, { userId });
      return { kind: 'ready', input: workOf(person, 'none', actionOf(person, userId)) };
    },
  },
  next: nextOfPerson,
});
