/**
 * Goal: a list mails, changes and removes exactly the people on it, each once, and nobody on a guess.
 * Method: the same row against everything that may be known of the person.
 */
import { describe, expect, test } from 'vitest';
import changeRole from '../../src/operations/change-role.ts';
import deleteInvite from '../../src/operations/delete-invite.ts';
import inviteUser from '../../src/operations/invite-user.ts';
import removeUser from '../../src/operations/remove-user.ts';
import { DOUBT, done, invited, known, PROJECT, shown } from './team.ts';

const JO = 'jo@x.org';
const ROW = { email: JO, role: 'editor', project_id: PROJECT };

describe('an invite', () => {
  test.each([
    ['nothing', [], 0],
    ['an invite that was deleted', [known(JO, { state: 'gone', email: JO }, { sequence: 2 })], 2],
    ['one that was to be created anew', [known(JO, { state: 'between', email: JO }, { sequence: 3 })], 3],
    ['one that the service lost', [known(JO, { state: 'unsure', email: JO }, { sequence: 4 })], 4],
    ['the same in another project', [{ ...invited(JO, 'editor'), subject: { project: 'p-2', name: JO } }], 0],
  ] as const)('known: %s → is mailed', (_, team, after) => {
    const walked = done(inviteUser, ROW, team);
    expect(shown(walked)).toEqual([`create-invite@${after} editor ${JO}`]);
    expect(walked.calls[0]).toMatchObject({ project: PROJECT, ifLost: 'hold' });
    expect(walked.outcome).toEqual({ kind: 'applied', reason: 'invited as editor' });
  });

  test.each([
    ['invited', 'editor', 'unchanged', /^jo@x\.org is invited as editor already$/],
    ['member', 'editor', 'unchanged', /^jo@x\.org is in the project as editor already$/],
    ['invited', 'viewer', 'refused', /as viewer\. Use change-role or onboard$/],
    ['member', 'viewer', 'refused', /as viewer\. Use change-role or onboard$/],
  ] as const)('known: %s as %s → is not mailed', (state, role, kind, reason) => {
    const { calls, outcome } = done(inviteUser, ROW, [known(JO, { state, role, email: JO })]);
    expect(calls).toEqual([]);
    expect(outcome).toMatchObject({ kind, reason: expect.stringMatching(reason) });
  });

  test('an invite is for the project of the row, else of the account; without either the row is invalid', () => {
    const { project_id: _, ...row } = ROW;
    expect(done(inviteUser, row, [], [], { projectId: 'p-own' }).calls[0]?.project).toBe('p-own');
    expect(done(inviteUser, { ...row, project_id: ' p-7 ' }).calls[0]?.project).toBe('p-7');
    expect(done(inviteUser, row, [], [], {}).outcome).toEqual({
      kind: 'invalid',
      reason: 'project_id: blank, and the account has none. Give the row or the account one',
    });
  });
});

describe('a role', () => {
  test('a role is set by user id, also for somebody who is not known yet', () => {
    const walked = done(changeRole, { user_id: 'u1', role: 'editor' });
    expect(shown(walked)).toEqual(['update-user@0 u1 editor']);
    expect(walked.outcome).toEqual({ kind: 'applied', reason: 'role set to editor' });
  });

  test.each([
    [[], /^no invite of jo@x\.org to this project is known\. Give the user_id/],
    [[known(JO, { state: 'gone', email: JO })], /has no invite to this project\. .*run invite-user$/],
    [[known(JO, { state: 'unsure', email: JO })], /is not there any more/],
    [[known(JO, { state: 'member', role: 'viewer', email: JO })], /Give the user_id$/],
  ] as const)('invites nobody: %j', (team, reason) => {
    const { calls, outcome } = done(changeRole, { email: JO, role: 'editor' }, team);
    expect(calls).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringMatching(reason) });
  });
});

describe('a deletion', () => {
  test('a deletion is by the code of the row, and not made again', () => {
    const walked = done(deleteInvite, { invite_code: ' c1 ' });
    expect(shown(walked)).toEqual(['delete-invite@0 c1']);
    expect(walked.outcome).toEqual({ kind: 'applied', reason: 'invite deleted' });
    const gone = known('invite:c1', { state: 'gone', inviteCode: 'c1' });
    expect(done(deleteInvite, { invite_code: 'c1' }, [gone])).toEqual({
      calls: [],
      outcome: { kind: 'unchanged', reason: 'the invite c1 was deleted already' },
    });
  });

  test('a deletion is by the address whose code is known, and by neither of two codes', () => {
    const team = [invited(JO, 'viewer', 'c1')];
    expect(shown(done(deleteInvite, { email: 'JO@x.org' }, team))).toEqual(['delete-invite@1 c1']);
    const { calls, outcome } = done(deleteInvite, { invite_code: 'c2', email: JO }, team);
    expect(calls).toEqual([]);
    expect(outcome.reason).toMatch(/has the code c1, but the row says c2\. Leave out the wrong one$/);
  });

  test.each([
    ['nothing', [], 'refused', /^no invite of jo@x\.org to this project is known\. Give its invite_code$/],
    ['accepted', [known(JO, { state: 'member', email: JO })], 'refused', /Run remove-user with the user_id$/],
    ['unsure', [known(JO, { state: 'unsure', email: JO })], 'refused', /is not there any more/],
    ['gone', [known(JO, { state: 'gone', email: JO })], 'unchanged', /has no invite, as far as is known$/],
    [
      'gone, in doubt',
      [known(JO, { state: 'gone', email: JO }, { doubt: DOUBT })],
      'refused',
      /^the result of an earlier/,
    ],
  ] as const)('known: %s → nothing is sent', (_, team, kind, reason) => {
    const { calls, outcome } = done(deleteInvite, { email: JO }, team);
    expect(calls).toEqual([]);
    expect(outcome).toMatchObject({ kind, reason: expect.stringMatching(reason) });
  });
});

test('a user is removed by id, also one who is not known yet, and not again', () => {
  const walked = done(removeUser, { user_id: 'u1' });
  expect(shown(walked)).toEqual(['remove-user@0 u1']);
  expect(walked.outcome).toEqual({ kind: 'applied', reason: 'removed from the project' });
  const team = [known(JO, { state: 'member', role: 'viewer', email: JO, userId: 'u1' }, { sequence: 3 })];
  expect(done(removeUser, { user_id: 'u1' }, team).calls[0]).toMatchObject({
    after: 3,
    change: { subject: { name: JO }, leaves: { state: 'gone', email: JO } },
  });
  expect(done(removeUser, { user_id: 'u1' }, [known('user:u1', { state: 'gone', userId: 'u1' })])).toEqual({
    calls: [],
    outcome: { kind: 'unchanged', reason: 'user u1 is not in the project, as far as is known' },
  });
});

test.each([
  [changeRole, { user_id: ' ', email: '', role: 'editor' }, /^user_id: blank; e-mail: blank\. Give one/],
  [deleteInvite, { invite_code: '', email: '' }, /^invite_code: blank; e-mail: blank\. Give one of the two$/],
  [deleteInvite, { invite_code: 'c\n1' }, /^invite_code "c 1" has a line break or another character/],
])('a row that names nobody is invalid: %#', (operation, row, reason) => {
  expect(operation.prepare(row, { projectId: 'p' })).toMatchObject({
    kind: 'invalid',
    reason: expect.stringMatching(reason),
  });
});
