import type { Role } from '../core/membership.ts';
import { defineOperation } from '../core/operation.ts';
import type { PersonWork } from './team/change-action.ts';
import {
  type PersonAction,
  type PersonInProject,
  personIn,
  refuse,
  roleAction,
  whoIs,
  workOf,
} from './team/change-action.ts';
import {
  EMAIL,
  optional,
  PROJECT_ID,
  ROLE,
  readEmail,
  readProjectId,
  readRowRole,
  readUserId,
  together,
  USER_ID,
  withRoles,
} from './team/change-inputs.ts';
import { nextOfPerson } from './team/change-steps.ts';

interface RoleChange {
  readonly userId: string | undefined;
  readonly email: string | undefined;
  readonly role: Role;
  readonly project: string;
}

/** Nobody is invited who was not before: that is another operation, because it sends a mail to a new person. */
function actionOf(person: PersonInProject, role: Role): PersonAction {
  const fact =
    person.facts === undefined
      ? `no invite of ${whoIs(person)} to this project is known`
      : `${whoIs(person)} has no invite to this project`;
  const next = 'Give the user_id if it was accepted; else run invite-user';
  return roleAction(person, role) ?? refuse(`${fact}. ${next}`);
}

export default withRoles(
  defineOperation<RoleChange, PersonWork>({
    name: 'change-role',
    summary: 'Change the role of users by user id, or of invites that wait by e-mail address.',
    vendor: 'service',
    inputs: [USER_ID, EMAIL, ROLE, PROJECT_ID],
    tiers: [],
    readsAnswers: true,
    prepare(row, options) {
      const prepared = together({
        userId: optional(row.user_id, readUserId),
        email: optional(row.email, readEmail),
        role: readRowRole(row, options),
        project: readProjectId(row, options),
      });
      if (prepared.kind === 'invalid') return prepared;
      const { userId, email } = prepared.input;
      if (userId !== undefined || email !== undefined) return prepared;
      return { kind: 'invalid', reason: 'user_id: blank; e-mail: blank. Give one of the two' };
    },
    change: {
      isState: true,
      resolve({ userId, email, role, project }, team) {
        const person = personIn(team, project, { userId, email });
        return { kind: 'ready', input: workOf(person, role, actionOf(person, role)) };
      },
    },
    next: nextOfPerson,
  }),
);
