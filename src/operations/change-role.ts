import { unoffered } from '../core/described.ts';
import { finding } from '../core/finding.ts';
import type { Findings } from '../core/findings.ts';
import { type PersonInProject, refuse, roleAction, whoIs } from './team/change-action.ts';
import {
  EMAIL,
  optionalCell,
  PROJECT_ID,
  ROLE,
  readEmail,
  readProjectId,
  readRowRole,
  readUserId,
  rowOfCells,
  USER_ID,
  withRoles,
} from './team/change-inputs.ts';
import {
  CREATE_INVITE,
  DELETE_INVITE,
  namingSomebody,
  personOperation,
  UPDATE_USER,
} from './team/change-steps.ts';

/**
 * No one is invited who was not invited before: an invite is another operation, because it sends a mail to a
 * new person.
 */
const notInvited = (person: PersonInProject): Findings =>
  finding(person.facts === undefined ? 'invite_unknown' : 'no_invite', {
    ...whoIs(person),
    to: 'change_role',
  });

export default withRoles(
  personOperation({
    name: 'change-role',
    summary: 'Change the role of users by user id, or of pending invites by e-mail address.',
    described: unoffered('roles', { ...UPDATE_USER, ...DELETE_INVITE, ...CREATE_INVITE }),
    inputs: [USER_ID, EMAIL, ROLE, PROJECT_ID],
    readsAnswers: true,
    prepare: (row, options) =>
      namingSomebody(
        'user_id',
        rowOfCells({
          userId: optionalCell(row.user_id, readUserId),
          email: optionalCell(row.email, readEmail),
          role: readRowRole(row, options),
          project: readProjectId(row, options),
        }),
      ),
    actionOf: (person, { role }) => roleAction(person, role) ?? refuse(notInvited(person)),
  }),
);
