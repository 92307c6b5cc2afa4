/**
 * Goal: an invite is deleted by its code, or by the e-mail address whose code the ledger knows, and by nothing else.
 * Method: rows with a code, an address or both, against what may be known of them.
 */
import { describe, expect, test } from 'vitest';
import deleteInvite from '../../src/operations/delete-invite.ts';
import { DOUBT, done, invited, known, PROJECT, shown } from './team.ts';

const JO = 'jo@x.org';

describe('by code', () => {
  test('is deleted and remembered by that code', () => {
    const walked = done(deleteInvite, { invite_code: ' c1 ' });
    expect(shown(walked)).toEqual(['delete-invite@0 c1']);
    expect(walked.calls[0]?.change).toEqual({
      subject: { project: PROJECT, name: 'invite:c1' },
      leaves: { state: 'gone', inviteCode: 'c1' },
      missing: { state: 'unsure', inviteCode: 'c1' },
    });
    expect(walked.outcome).toEqual({ kind: 'applied', reason: 'invite deleted' });
  });

  test.each([`invite:c1`, JO])('is not deleted again when it is gone: %s', (name) => {
    const facts = { state: 'gone', inviteCode: 'c1', ...(name === JO ? { email: JO } : {}) } as const;
    expect(done(deleteInvite, { invite_code: 'c1' }, [known(name, facts)])).toEqual({
      calls: [],
      outcome: { kind: 'unchanged', reason: 'the invite c1 was deleted already' },
    });
  });

  test('is nothing to choose by when the address has another', () => {
    const { calls, outcome } = done(deleteInvite, { invite_code: 'c2', email: JO }, [
      invited(JO, 'viewer', 'c1'),
    ]);
    expect(calls).toEqual([]);
    expect(outcome).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/has the code c1, but the row says c2/),
    });
  });
});

describe('by e-mail address', () => {
  test('is deleted where the ledger knows the code', () => {
    expect(shown(done(deleteInvite, { email: 'JO@x.org' }, [invited(JO, 'viewer', 'c1')]))).toEqual([
      'delete-invite@1 c1',
    ]);
  });

  test.each([
    ['nothing', [], 'refused', /^no invite of jo@x\.org to this project is known\. Give its invite_code$/],
    [
      'no code',
      [known(JO, { state: 'invited', role: 'viewer', email: JO })],
      'refused',
      /^the code .* is not known/,
    ],
    ['accepted', [known(JO, { state: 'member', email: JO })], 'refused', /Run remove-user with the user_id$/],
    ['unsure', [known(JO, { state: 'unsure', email: JO })], 'refused', /is not there any more/],
    ['gone', [known(JO, { state: 'gone', email: JO })], 'unchanged', /has no invite, as far as is known$/],
    ['between', [known(JO, { state: 'between', email: JO })], 'unchanged', /has no invite/],
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

test.each([
  [{ invite_code: '', email: '' }, /^invite_code: blank; e-mail: blank\. Give one of the two$/],
  [{ invite_code: 'c\n1' }, /^invite_code "c 1" has a line break or another character that cannot be sent$/],
])('%j is invalid', (row, reason) => {
  const prepared = deleteInvite.prepare(row, { projectId: 'p' });
  expect(prepared).toMatchObject({ kind: 'invalid', reason: expect.stringMatching(reason) });
});
