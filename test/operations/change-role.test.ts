/**
 * Goal: a role is changed in the one way that the service has for the person, and nobody is invited who was not before.
 * Method: rows that name somebody by user id, by e-mail address, or by both, against what may be known of them.
 */
import { describe, expect, test } from 'vitest';
import changeRole from '../../src/operations/change-role.ts';
import { done, known, PROJECT, type planned, shown } from './team.ts';

const JO = 'jo@x.org';
describe('by user id', () => {
  test('is set, also for somebody who is not known yet, and remembered by that id', () => {
    const walked = done(changeRole, { user_id: 'u1', role: 'editor' });
    expect(shown(walked)).toEqual(['update-user@0 u1 editor']);
    expect(walked.calls[0]).toMatchObject({
      ifLost: { repeat: 'a role that is set twice is the same role' },
      change: {
        subject: { project: PROJECT, name: 'user:u1' },
        leaves: { state: 'member', role: 'editor', userId: 'u1' },
      },
    });
    expect(walked.outcome).toEqual({ kind: 'applied', reason: 'role set to editor' });
  });
});

describe('by e-mail address', () => {
  const change = (...team: Parameters<typeof planned>[2] & {}) =>
    done(changeRole, { email: JO, role: 'editor' }, team);

  test.each([
    [[], /^no invite of jo@x\.org to this project is known\. Give the user_id/],
    [
      [known(JO, { state: 'gone', email: JO })],
      /^jo@x\.org has no invite to this project\. .*otherwise run invite-user$/,
    ],
    [[known(JO, { state: 'between', email: JO })], /has no invite/],
    [[known(JO, { state: 'unsure', email: JO })], /is not there any more/],
    [[known(JO, { state: 'member', role: 'viewer', email: JO })], /Give the user_id$/],
  ] as const)('nobody is invited: %j', (team, reason) => {
    const { calls, outcome } = change(...team);
    expect(calls).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringMatching(reason) });
  });
});

test('a row that names nobody is invalid', () => {
  expect(changeRole.prepare({ user_id: ' ', email: '', role: 'editor' }, { projectId: 'p' })).toEqual({
    kind: 'invalid',
    reason: 'user_id: blank; e-mail: blank. Give one of the two',
  });
});
