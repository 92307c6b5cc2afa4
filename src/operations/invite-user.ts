import { unoffered } from '../core/described.ts';
import type { Role } from '../core/membership.ts';
import { type PersonAction, type PersonInProject, refuse, unchanged, whoIs } from './team/change-action.ts';
import {
  EMAIL,
  PROJECT_ID,
  ROLE,
  readEmail,
  readProjectId,
  readRowRole,
  together,
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
  const now = facts.state === 'invited' ? 'is invited' : 'is in the project';
  if (facts.role === role) return unchanged(`${whoIs(person)} ${now} as ${role} already`);
  if (facts.role === undefined) return unchanged(`${whoIs(person)} ${now} already, as what is not known`);
  return refuse(`${whoIs(person)} ${now} as ${facts.role}. Use change-role or onboard`);
}

export default withRoles(
  personOperation<Invitation>({
    name: 'invite-user',
    summary: 'Invite people to a project.',
    described: unoffered('invitations', CREATE_INVITE),
    inputs: [{ ...EMAIL, required: true }, ROLE, PROJECT_ID],
    readsAnswers: true,
    prepare: (row, options) =>
      together({
        email: readEmail(row.email),
        role: readRowRole(row, options),
        project: readProjectId(row, options),
      }),
    actionOf: inviteFor,
  }),
);
