/**
 * Goal: a planned change says in a word what it does, in the plan that is kept: nobody has to tell it from the names of its
 * calls.
 * Method: rows of the real operations as the ledger would keep them.
 */
import { describe, expect, test } from 'vitest';
import type { JsonObject, Operation } from '../../../src/core/operation.ts';
import changeRole from '../../../src/operations/change-role.ts';
import deleteInvite from '../../../src/operations/delete-invite.ts';
import inviteUser from '../../../src/operations/invite-user.ts';
import onboard from '../../../src/operations/onboard.ts';
import removeUser from '../../../src/operations/remove-user.ts';
import { keptWork } from '../../../src/operations/team/planned-work.ts';
import { invited, known, OPTIONS, planned } from '../team.ts';

const [JO, SAM] = ['jo@x.example', 'sam@x.example'];
const TEAM = [
  invited(JO, 'viewer'),
  known(SAM, { state: 'member', userId: 'u-1', email: SAM, role: 'viewer' }),
];
const EDITOR = { email: JO, role: 'editor' };

const CASES: readonly (readonly [string, Operation, Record<string, string>, string | undefined])[] = [
  ['an invite', inviteUser, { email: 'new@x.example', role: 'viewer' }, 'invite'],
  ['an invite that is made anew with another role', changeRole, EDITOR, 'change_role'],
  ['another role of somebody who has accepted', onboard, { email: SAM, role: 'editor' }, 'change_role'],
  ['an invite that is deleted', deleteInvite, { email: JO }, 'remove'],
  ['somebody who is removed', removeUser, { user_id: 'u-1' }, 'remove'],
  ['nothing to do', onboard, { email: JO, role: 'viewer' }, undefined],
];

function keep(operation: Operation, row: Record<string, string>, options = OPTIONS): JsonObject {
  const work = planned(operation, row, TEAM, options);
  if (work.kind === 'invalid') throw new Error(work.reason);
  return work.input as unknown as JsonObject;
}

const BOTH = { settings: { projects: { Sales: 'proj-1', Data: 'proj-2' } } };

describe('the action of a planned change', () => {
  test.each(CASES)('%s', (_name, operation, row, action) => {
    const work = keep(operation, row);
    expect(work.action).toBe(action);
    expect(keptWork(work).action).toBe(action);
  });

  test('a row about several projects has a word for each, and none for all', () => {
    const work = keep(onboard, { ...EDITOR, project: 'Sales; Data' }, BOTH);
    const kept = keptWork(work);
    expect(kept.action).toBeUndefined();
    expect(kept.parts?.map(({ action }) => action)).toEqual(['change_role', 'invite']);
  });
});
