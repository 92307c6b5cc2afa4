import { unoffered } from '../core/described.ts';
import { finding } from '../core/finding.ts';
import { withoutTextMark } from '../values/cell-text.ts';
import {
  deleteAction,
  missingInvite,
  type PersonAction,
  type PersonInProject,
  refuse,
  unchanged,
  whoIs,
} from './team/change-action.ts';
import {
  EMAIL,
  INVITE_CODE,
  optionalCell,
  PROJECT_ID,
  readEmail,
  readProjectId,
  readText,
  rowOfCells,
} from './team/change-inputs.ts';
import { DELETE_INVITE, namingSomebody, personOperation } from './team/change-steps.ts';

/**
 * The service knows invites by their codes alone, so an invite that the ledger does not remember cannot be
 * deleted by e-mail.
 */
function actionByEmail(person: PersonInProject): PersonAction {
  switch (person.facts?.state) {
    case 'invited':
      return deleteAction(person);
    case 'member':
      return refuse(finding('has_accepted', { ...whoIs(person), to: 'delete_invite' }));
    case 'accepted_or_deleted':
      return refuse(missingInvite(person, 'remove'));
    case 'reinvite_due':
    case 'gone':
      return unchanged(finding('no_invite', whoIs(person)));
    default:
      return refuse(finding('invite_unknown', { ...whoIs(person), to: 'delete_invite' }));
  }
}

function actionByCode(person: PersonInProject, inviteCode: string): PersonAction {
  const { facts } = person;
  const known = facts?.state === 'invited' ? facts.inviteCode : undefined;
  if (known !== undefined && known !== inviteCode) {
    const slip = { known, input: 'invite_code', cell: inviteCode };
    return refuse(finding('other_invite_code', { ...whoIs(person), ...slip }));
  }
  const isGone = facts?.state === 'gone' && facts.inviteCode === inviteCode;
  return isGone
    ? unchanged(finding('invite_deleted_before', { invite_code: inviteCode }))
    : { kind: 'delete', inviteCode };
}

export default personOperation({
  name: 'delete-invite',
  summary: 'Delete pending invites by code, or by e-mail address where the ledger knows the code.',
  described: unoffered('invitations taken back', DELETE_INVITE),
  inputs: [INVITE_CODE, EMAIL, PROJECT_ID],
  prepare: (row, options) =>
    namingSomebody(
      'invite_code',
      rowOfCells({
        inviteCode: optionalCell(row.invite_code, (cell) => readText('invite_code', withoutTextMark(cell))),
        email: optionalCell(row.email, readEmail),
        project: readProjectId(row, options),
      }),
    ),
  actionOf: (person, { inviteCode }) =>
    inviteCode === undefined ? actionByEmail(person) : actionByCode(person, inviteCode),
});
