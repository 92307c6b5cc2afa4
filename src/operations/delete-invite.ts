import { unoffered } from '../core/described.ts';
import { withoutTextMark } from '../values/cell-text.ts';
import {
  deleteAction,
  missingInviteWords,
  type PersonAction,
  type PersonInProject,
  REMOVE_IF_ACCEPTED,
  refuse,
  unchanged,
  whoIs,
} from './team/change-action.ts';
import {
  EMAIL,
  INVITE_CODE,
  optional,
  PROJECT_ID,
  readEmail,
  readProjectId,
  readText,
  together,
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
      return refuse(`${whoIs(person)} has accepted the invite. Run remove-user with the user_id`);
    case 'accepted_or_deleted':
      return refuse(missingInviteWords(person, REMOVE_IF_ACCEPTED));
    case 'reinvite_due':
    case 'gone':
      return unchanged(`${whoIs(person)} has no invite, as far as is known`);
    default:
      return refuse(`no invite of ${whoIs(person)} to this project is known. Give its invite_code`);
  }
}

function actionByCode(person: PersonInProject, inviteCode: string): PersonAction {
  const { facts } = person;
  const known = facts?.state === 'invited' ? facts.inviteCode : undefined;
  if (known !== undefined && known !== inviteCode) {
    const fact = `the pending invite of ${whoIs(person)} has the code ${known}, but the row says ${inviteCode}`;
    return refuse(`${fact}. Leave out the wrong one`);
  }
  const isGone = facts?.state === 'gone' && facts.inviteCode === inviteCode;
  return isGone ? unchanged(`the invite ${inviteCode} was deleted already`) : { kind: 'delete', inviteCode };
}

export default personOperation({
  name: 'delete-invite',
  summary: 'Delete pending invites by code, or by e-mail address where the ledger knows the code.',
  described: unoffered('invitations taken back', DELETE_INVITE),
  inputs: [INVITE_CODE, EMAIL, PROJECT_ID],
  prepare: (row, options) =>
    namingSomebody(
      'invite_code',
      together({
        inviteCode: optional(row.invite_code, (cell) => readText('invite_code', withoutTextMark(cell))),
        email: optional(row.email, readEmail),
        project: readProjectId(row, options),
      }),
    ),
  actionOf: (person, { inviteCode }) =>
    inviteCode === undefined ? actionByEmail(person) : actionByCode(person, inviteCode),
});
