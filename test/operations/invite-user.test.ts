/**
 * Goal: a list of invites mails everybody on it once, and nobody who has an invite or is in the project already.
 * Method: the same row against everything that may be known of the person.
 */
import { expect, test } from 'vitest';
import inviteUser from '../../src/operations/invite-user.ts';
import { done, invited, known, shown } from './team.ts';

const JO = 'jo@x.org';
const ROW = { email: JO, role: 'editor', project_id: 'proj-1' };

test.each([
  ['nothing', [], 0],
  [
    'an invite that was deleted',
    [known(JO, { state: 'gone', email: JO, inviteCode: 'c1' }, { sequence: 2 })],
    2,
  ],
  ['one that was to be created anew', [known(JO, { state: 'between', email: JO }, { sequence: 3 })], 3],
  [
    'one that the service did not have any more',
    [known(JO, { state: 'unsure', email: JO }, { sequence: 4 })],
    4,
  ],
  ['the same in another project', [{ ...invited(JO, 'editor'), subject: { project: 'p-2', name: JO } }], 0],
] as const)('known: %s → is invited', (_, team, after) => {
  const walked = done(inviteUser, ROW, team);
  expect(shown(walked)).toEqual([`create-invite@${after} editor ${JO}`]);
  expect(walked.calls[0]).toMatchObject({
    project: 'proj-1',
    ifLost: 'hold',
    change: {
      subject: { project: 'proj-1', name: JO },
      leaves: { state: 'invited', role: 'editor', email: JO },
    },
  });
  expect(walked.outcome).toEqual({ kind: 'applied', reason: 'invited as editor' });
});

test.each([
  ['invited', { kind: 'unchanged', reason: 'jo@x.org is invited as editor already' }],
  ['member', { kind: 'unchanged', reason: 'jo@x.org is in the project as editor already' }],
] as const)('known: %s with the same role → nothing is sent', (state, outcome) => {
  const team = [known(JO, { state, role: 'editor', email: JO, inviteCode: 'c1' })];
  expect(done(inviteUser, ROW, team)).toEqual({ calls: [], outcome });
});

test.each(['invited', 'member'] as const)(
  'known: %s with another role → nothing is sent, and what to do',
  (state) => {
    const { calls, outcome } = done(inviteUser, ROW, [known(JO, { state, role: 'viewer', email: JO })]);
    expect(calls).toEqual([]);
    expect(outcome).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/as viewer\. Use change-role or onboard$/),
    });
  },
);

test('the project is the row’s, else the account’s; without either the row is invalid', () => {
  const { project_id: _, ...row } = ROW;
  expect(done(inviteUser, row, [], [], { projectId: 'p-own' }).calls[0]?.project).toBe('p-own');
  expect(done(inviteUser, { ...row, project_id: ' p-7 ' }).calls[0]?.project).toBe('p-7');
  expect(done(inviteUser, row, [], [], {}).outcome).toEqual({
    kind: 'invalid',
    reason: 'project_id: blank, and the account has none. Give the row or the account one',
  });
});
