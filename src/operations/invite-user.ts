import { unoffered } from '../core/described.ts';
import { finding } from '../core/finding.ts';
import type { Role } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import { type PersonAction, type PersonInProject, refuse, unchanged, whoIs } from './team/change-action.ts';
import {
  EMAIL,
  PROJECT_ID,
  ROLE,
  readEmail,
  readProjectId,
  readRowRole,
  rowOfCells,
  withRoles,
} from './team/change-inputs.ts';
import { CREATE_INVITE, personOperation } from './team/change-steps.ts';

interface Invitation {
  readonly email: string;
  readonly role: Role;
  readonly project: string;
}

/** A person who is already invited keeps that invite, because two invites are two mails. */
function inviteFor(person: PersonInProject, { email, role }: Invitation): PersonAction {
  const { facts } = person;
  if (facts?.state !== 'invited' && facts?.state !== 'member') return { kind: 'invite', email, role };
  const { state: is, role: now } = facts;
  if (now === role || now === undefined) {
    const who = { ...whoIs(person), ...present({ role: now }) };
    return unchanged(finding(is === 'invited' ? 'already_invited' : 'already_member', who));
  }
  return refuse(finding('has_other_role', { ...whoIs(person), role: now, is }));
}

export default withRoles(
  personOperation<Invitation>({
    name: 'invite-user',
    summary: 'Invite people to a project.',
    described: unoffered('invitations', CREATE_INVITE),
    inputs: [{ ...EMAIL, required: true }, ROLE, PROJECT_ID],
    readsAnswers: true,
    prepare: (row, options) =>
      rowOfCells({
        email: readEmail(row.email),
        role: readRowRole(row, options),
        project: readProjectId(row, options),
      }),
    actionOf: inviteFor,
  }),
);
