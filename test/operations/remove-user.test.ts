/**
 * Goal: exactly the users of the list are removed, once, and no id can turn the address into that of something else.
 * Method: ids against what may be known of them.
 */
import { expect, test } from 'vitest';
import removeUser from '../../src/operations/remove-user.ts';
import { done, known, PROJECT, shown } from './team.ts';

const JO = 'jo@x.org';

test('a user is removed, also one who is not known yet', () => {
  const walked = done(removeUser, { user_id: 'u1' });
  expect(shown(walked)).toEqual(['remove-user@0 u1']);
  expect(walked.calls[0]).toMatchObject({
    project: PROJECT,
    ifLost: { repeat: 'a user can be removed only once' },
    change: {
      subject: { name: 'user:u1' },
      leaves: { state: 'gone', userId: 'u1' },
      missing: { state: 'gone' },
    },
  });
  expect(walked.outcome).toEqual({ kind: 'applied', reason: 'removed from the project' });
});

test('the person whose id it is leaves the project', () => {
  const team = [known(JO, { state: 'member', role: 'viewer', email: JO, userId: 'u1' }, { sequence: 3 })];
  const { calls } = done(removeUser, { user_id: 'u1' }, team);
  expect(calls[0]).toMatchObject({
    after: 3,
    change: { subject: { name: JO }, leaves: { state: 'gone', email: JO } },
  });
});

test('somebody who was removed before is left', () => {
  expect(done(removeUser, { user_id: 'u1' }, [known('user:u1', { state: 'gone', userId: 'u1' })])).toEqual({
    calls: [],
    outcome: { kind: 'unchanged', reason: 'user u1 is not in the project, as far as is known' },
  });
});
