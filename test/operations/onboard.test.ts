/**
 * Goal: an administrator knows from what a sheet says and what is known of a person what will be sent, and how the row
 * ends whatever the service answers. Nothing is sent for what is so already, and nobody is invited or removed on a guess.
 * Method: every combination of what is known and what is wanted; then every answer to every step of the saga.
 */
import { describe, expect, test } from 'vitest';
import type { KnownSubject } from '../../src/core/membership.ts';
import type { OperationOptions } from '../../src/core/operation.ts';
import onboard from '../../src/operations/onboard.ts';
import { DOUBT, done, GONE, invited, known, OPTIONS, PROJECT, shown, type walk } from './team.ts';

const JO = 'jo@x.org';
const ROW = { email: JO, role: 'editor' };
const OURS: OperationOptions = { ...OPTIONS, isOurList: true };

const STATES = {
  unknown: [],
  'refused before': [{ subject: { project: PROJECT, name: JO }, sequence: 1, batch: 'b-1' }],
  'invited as editor': [invited(JO, 'editor', 'c1')],
  'invited as viewer': [invited(JO, 'viewer', 'c1')],
  'member as editor': [known(JO, { state: 'member', role: 'editor', email: JO, userId: 'u1' })],
  'member as viewer': [known(JO, { state: 'member', role: 'viewer', email: JO, userId: 'u1' })],
  'member without id': [known(JO, { state: 'member', role: 'viewer', email: JO })],
  between: [known(JO, { state: 'between', email: JO }, { sequence: 2 })],
  gone: [known(JO, { state: 'gone', email: JO, userId: 'u1' }, { sequence: 2 })],
  unsure: [known(JO, { state: 'unsure', email: JO, inviteCode: 'c1' }, { sequence: 2 })],
} as const satisfies Record<string, readonly KnownSubject[]>;

const EDITOR: Readonly<Record<keyof typeof STATES, readonly string[] | RegExp>> = {
  unknown: ['create-invite@0 editor jo@x.org'],
  'refused before': ['create-invite@1 editor jo@x.org'],
  'invited as editor': /^unchanged: jo@x\.org is invited as editor already$/,
  'invited as viewer': ['delete-invite@1 c1', 'create-invite@2 editor jo@x.org'],
  'member as editor': /^unchanged: jo@x\.org is editor already$/,
  'member as viewer': ['update-user@1 u1 editor'],
  'member without id': /^refused: .*has accepted.* Give the user_id$/,
  between: ['create-invite@2 editor jo@x.org'],
  gone: ['create-invite@2 editor jo@x.org'],
  unsure:
    /^refused: .*is not there any more.* Give the user_id if it was accepted; otherwise run invite-user$/,
};

const EDITOR_BY_ID: typeof EDITOR = {
  unknown: ['update-user@0 u1 editor'],
  'refused before': ['update-user@1 u1 editor'],
  'invited as editor': /^unchanged: /,
  'invited as viewer': ['update-user@1 u1 editor'],
  'member as editor': /^unchanged: /,
  'member as viewer': ['update-user@1 u1 editor'],
  'member without id': ['update-user@1 u1 editor'],
  between: ['update-user@2 u1 editor'],
  // It was this very user who was removed, so there is nobody to update.
  gone: ['create-invite@2 editor jo@x.org'],
  unsure: ['update-user@2 u1 editor'],
};

const NONE: typeof EDITOR = {
  unknown: /^unchanged: jo@x\.org is not in the project, as far as is known$/,
  'refused before': /^unchanged: /,
  'invited as editor': ['delete-invite@1 c1'],
  'invited as viewer': ['delete-invite@1 c1'],
  'member as editor': ['remove-user@1 u1'],
  'member as viewer': ['remove-user@1 u1'],
  'member without id': /^refused: .*the user_id is not known\. Run remove-user with it$/,
  between: /^unchanged: /,
  gone: /^unchanged: /,
  unsure: /^refused: .*Run remove-user with the user_id if it was accepted; otherwise nothing is left to do$/,
};

const NONE_BY_ID: typeof EDITOR = {
  ...NONE,
  unknown: ['remove-user@0 u1'],
  'refused before': ['remove-user@1 u1'],
  'invited as editor': ['remove-user@1 u1'],
  'invited as viewer': ['remove-user@1 u1'],
  'member without id': ['remove-user@1 u1'],
  between: ['remove-user@2 u1'],
  unsure: ['remove-user@2 u1'],
};

const states = Object.keys(STATES) as (keyof typeof STATES)[];

describe.each([
  ['editor', ROW, EDITOR],
  ['editor, with the user_id', { ...ROW, user_id: 'u1' }, EDITOR_BY_ID],
  ['none', { ...ROW, role: 'none' }, NONE],
  ['none, with the user_id', { ...ROW, role: 'none', user_id: 'u1' }, NONE_BY_ID],
])('wanted: %s', (_, row, expected) => {
  test.each(states)('known: %s', (state) => {
    const walked = done(onboard, row, STATES[state], [], OURS);
    const want = expected[state];
    if (want instanceof RegExp) {
      expect(walked.calls).toEqual([]);
      expect(`${walked.outcome.kind}: ${walked.outcome.reason}`).toMatch(want);
    } else {
      expect(shown(walked)).toEqual(want);
      expect(walked.outcome.kind).toBe('applied');
    }
  });
});

describe('while an answer is lost', () => {
  test.each(states)('nobody who is %s is said to be unchanged', (state) => {
    const base = { subject: { project: PROJECT, name: JO }, sequence: 0 };
    const doubtful = [{ ...base, ...STATES[state][0], doubt: DOUBT }];
    for (const role of ['viewer', 'editor', 'none']) {
      const { calls, outcome } = done(onboard, { ...ROW, role }, doubtful, [], OURS);
      expect(outcome.kind).not.toBe('unchanged');
      if (calls.length === 0) expect(outcome.kind).toBe('refused');
    }
  });
});

// ---------------------------------------------------------------------------------------------------------- the saga

describe('the role of an invite that waits', () => {
  const saga = (...answers: Parameters<typeof walk>[2] & {}) =>
    done(onboard, ROW, STATES['invited as viewer'], answers);

  test('404 to the deletion: nothing is created, and nobody knows how the person stands', () => {
    const { calls, outcome } = saga(GONE);
    expect(calls.map(({ operation }) => operation)).toEqual(['delete-invite']);
    expect(outcome).toEqual({
      kind: 'refused',
      reason:
        'the invite of jo@x.org is not there any more (status 404): it was accepted, or another person deleted it. Give the user_id if it was accepted; otherwise run invite-user',
    });
    expect(calls[0]?.change?.missing).toEqual({ state: 'unsure', email: JO, inviteCode: 'c1' });
  });

  test('the role of an invite that waits cannot be changed without the code of the invite', () => {
    const { calls, outcome } = done(onboard, ROW, [
      known(JO, { state: 'invited', role: 'viewer', email: JO }),
    ]);
    expect(calls).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/Run delete-invite/) });
  });
});

// ------------------------------------------------------------------------------------------------------------- rows

describe('a row', () => {
  test.each([
    [
      { role: 'none' },
      /^role "none" is not known\. To remove people, use remove-user or `remove_missing`\.$/,
    ],
    [{ role: 'edtior' }, /^role "edtior" is not known\. Did you mean editor\?$/],
    [{ email: 'jo' }, /^e-mail "jo" is not an e-mail address$/],
    [{ email: '' }, /^e-mail: blank$/],
    [{ email: '', user_id: '..' }, /^user_id "\.\." cannot be part of an address$/],
    [{ email: 'jo', role: '' }, /^e-mail "jo" is not an e-mail address\. role: blank\.$/],
  ])('%j is invalid, and says why', (cells, reason) => {
    expect(onboard.prepare({ ...ROW, ...cells }, OPTIONS)).toMatchObject({
      kind: 'invalid',
      reason: expect.stringMatching(reason),
    });
  });
});
