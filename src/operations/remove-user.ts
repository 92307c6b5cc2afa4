import { unoffered } from '../core/described.ts';
import { finding } from '../core/finding.ts';
import { unchanged, whoIs } from './team/change-action.ts';
import { PROJECT_ID, readProjectId, readUserId, rowOfCells, USER_ID } from './team/change-inputs.ts';
import { personOperation, REMOVE_USER } from './team/change-steps.ts';

export default personOperation({
  name: 'remove-user',
  summary: 'Remove users who have accepted from a project.',
  described: unoffered('removals', REMOVE_USER),
  inputs: [{ ...USER_ID, required: true }, PROJECT_ID],
  prepare: (row, options) =>
    rowOfCells({ userId: readUserId(row.user_id), project: readProjectId(row, options) }),
  actionOf: (person, { userId }) =>
    person.facts?.state === 'gone'
      ? unchanged(finding('not_in_project', whoIs(person)))
      : { kind: 'remove', userId },
});
