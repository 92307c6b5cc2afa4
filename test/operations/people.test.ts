/**
 * Goal: an administrator knows from what a sheet says and what is known of a person what will be sent, and how the row ends whatever the
 * service answers. A person comes into the project that the sheet means and into no other, and only people who were in the sheet can be
 * missing from it. Nothing is sent for what is so already, and no one is mailed, changed or removed on a guess; a project is made once at most.
 * Method: every combination of what is known and what is wanted; then every answer to every step of the saga; rows with names and ids of
 * projects, right and wrong; and teams of which a list has one person left.
 */

import { describe, expect, test } from 'vitest';
import { sayAll } from '../../src/core/finding-words.ts';
import { type KnownSubject, Team } from '../../src/core/membership.ts';
import { present } from '../../src/core/objects.ts';
import type { IdleRow, OperationOptions, RowInput } from '../../src/core/operation.ts';
import { reasonOf } from '../../src/core/outcome.ts';
import changeRole from '../../src/operations/change-role.ts';
import createProject from '../../src/operations/create-project.ts';
import deleteInvite from '../../src/operations/delete-invite.ts';
import inviteUser from '../../src/operations/invite-user.ts';
import onboard from '../../src/operations/onboard.ts';
import removeUser from '../../src/operations/remove-user.ts';
import { told } from '../support/told.ts';
import {
  DOUBT,
  done,
  GONE,
  invited,
  known,
  OPTIONS,
  PROJECT,
  planned,
  refusal,
  shown,
  walk,
} from './team.ts';

// ------------------------------------------------------------------------------------------------ onboard: one person

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
  reinvite_due: [known(JO, { state: 'reinvite_due', email: JO }, { sequence: 2 })],
  gone: [known(JO, { state: 'gone', email: JO, userId: 'u1' }, { sequence: 2 })],
  accepted_or_deleted: [
    known(JO, { state: 'accepted_or_deleted', email: JO, inviteCode: 'c1' }, { sequence: 2 }),
  ],
} as const satisfies Record<string, readonly KnownSubject[]>;

const EDITOR: Readonly<Record<keyof typeof STATES, readonly string[] | RegExp>> = {
  unknown: ['create-invite@0 editor jo@x.org'],
  'refused before': ['create-invite@1 editor jo@x.org'],
  'invited as editor': /^unchanged: jo@x\.org is invited as editor already$/,
  'invited as viewer': ['delete-invite@1 c1', 'create-invite@2 editor jo@x.org'],
  'member as editor': /^unchanged: jo@x\.org is in the project as editor already$/,
  'member as viewer': ['update-user@1 u1 editor'],
  'member without id': /^refused: .*has accepted.* Give the user_id$/,
  reinvite_due: ['create-invite@2 editor jo@x.org'],
  gone: ['create-invite@2 editor jo@x.org'],
  accepted_or_deleted:
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
  reinvite_due: ['update-user@2 u1 editor'],
  // It was this very user who was removed, so there is no one to update.
  gone: ['create-invite@2 editor jo@x.org'],
  accepted_or_deleted: ['update-user@2 u1 editor'],
};

const NONE: typeof EDITOR = {
  unknown: /^unchanged: jo@x\.org is not in the project, as far as is known$/,
  'refused before': /^unchanged: /,
  'invited as editor': ['delete-invite@1 c1'],
  'invited as viewer': ['delete-invite@1 c1'],
  'member as editor': ['remove-user@1 u1'],
  'member as viewer': ['remove-user@1 u1'],
  'member without id': /^refused: .*the user_id is not known\. Run remove-user with it$/,
  reinvite_due: /^unchanged: /,
  gone: /^unchanged: /,
  accepted_or_deleted:
    /^refused: .*Run remove-user with the user_id if it was accepted; otherwise nothing is left to do$/,
};

const NONE_BY_ID: typeof EDITOR = {
  ...NONE,
  unknown: ['remove-user@0 u1'],
  'refused before': ['remove-user@1 u1'],
  'invited as editor': ['remove-user@1 u1'],
  'invited as viewer': ['remove-user@1 u1'],
  'member without id': ['remove-user@1 u1'],
  reinvite_due: ['remove-user@2 u1'],
  accepted_or_deleted: ['remove-user@2 u1'],
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
      expect(`${walked.outcome.kind}: ${reasonOf(walked.outcome)}`).toMatch(want);
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
    expect(told(outcome)).toEqual({
      kind: 'refused',
      reason:
        'the invite of jo@x.org is not there any more (status 404): it was accepted, or another person deleted it. Give the user_id if it was accepted; otherwise run invite-user',
    });
    expect(calls[0]?.change?.missing).toEqual({ state: 'accepted_or_deleted', email: JO, inviteCode: 'c1' });
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
    [{ email: 'jo' }, /^e-mail jo: is not an e-mail address$/],
    [{ email: '' }, /^e-mail: blank$/],
    [{ email: '', user_id: '..' }, /^user_id \.\.: cannot be part of an address$/],
    [{ email: 'jo', role: '' }, /^e-mail jo: is not an e-mail address; role: blank$/],
  ])('%j is invalid, and says why', (cells, reason) => {
    expect(told(onboard.preparer(OPTIONS)({ ...ROW, ...cells }))).toMatchObject({
      kind: 'invalid',
      reason: expect.stringMatching(reason),
    });
  });
});

// ------------------------------------------------------------------------------------------------ onboard: projects, and people who are missing

describe('the project', () => {
  const jobWith = (settings: NonNullable<OperationOptions['settings']>): OperationOptions => ({
    ...OPTIONS,
    settings,
  });
  const MAPPED = jobWith({ projects: { Alpha: 'p-a', beta: 'p-b' } });
  const projectOf = (row: RowInput, options: OperationOptions) =>
    done(onboard, row, [], [], options).calls[0]?.project;
  const problemOf = (row: RowInput, options: OperationOptions) => {
    const { outcome } = done(onboard, row, [], [], options);
    return outcome.kind === 'invalid' ? reasonOf(outcome) : outcome.kind;
  };

  test.each([
    [{ project: 'Alpha' }, 'p-a'],
    [{ project: ' ALPHA ' }, 'p-a'],
    [{ project: 'Beta' }, 'p-b'],
    [{ project_id: 'p-9' }, 'p-9'],
    [{ project: 'Alpha', project_id: 'p-a' }, 'p-a'],
    [{ project: 'Of my own', project_id: 'p-9' }, 'p-9'],
    [{}, PROJECT],
  ])('%j is %s', (cells, id) => {
    expect(projectOf({ ...ROW, ...cells }, MAPPED)).toBe(id);
  });

  test.each([
    [{ project: 'Alpa' }, 'project "Alpa" is not known. Did you mean Alpha?'],
    [{ project: '' }, 'project: blank'],
    [
      { project: 'Alpha', project_id: 'p-b' },
      'project "Alpha" has the id p-a, but the row says "p-b". Correct one of them',
    ],
    [{ project_id: 'p:1' }, 'project_id p:1: cannot be part of a header'],
    [{ project_id: 'p 1\r\nx: y' }, 'project_id p 1 x: y: cannot be part of a header'],
  ])('%j is invalid: %s', (cells, reason) => {
    expect(problemOf({ ...ROW, ...cells }, MAPPED)).toBe(reason);
  });

  describe('that is made first', () => {
    const MAKING = jobWith({ create_projects: true, projects: { Alpha: 'p-a' } });
    const row = { ...ROW, project: 'Gamma' };

    test('a new project that is refused, or has no id that can be used: nobody is invited', () => {
      for (const [answer, reason] of [
        [refusal(400), 'the service refused to create the project "Gamma" (status 400)'],
        [{ kind: 'found', fields: {} }, /was created, but the answer has no usable project_id/],
        [{ kind: 'found', fields: { project_id: 'a\r\nx: y' } }, /no usable project_id/],
      ] as const) {
        const { calls, outcome } = done(onboard, row, [], [answer], MAKING);
        expect(calls).toHaveLength(1);
        expect(outcome.kind).toBe('refused');
        expect(reasonOf(outcome)).toMatch(reason);
      }
    });
  });
});

// ---------------------------------------------------------------------------------------------------------- missing

describe('people whom the list does not have any more', () => {
  const team: readonly KnownSubject[] = [
    invited(JO, 'editor'),
    invited('zoe@x.org', 'viewer', 'c-zoe'),
    known(
      'ann@x.org',
      { state: 'member', role: 'viewer', email: 'ann@x.org', userId: 'u-ann' },
      { sequence: 4 },
    ),
    known('bob@x.org', { state: 'member', role: 'viewer', email: 'bob@x.org' }),
    known('gone@x.org', { state: 'gone', email: 'gone@x.org' }),
    known('user:u-7', { state: 'member', role: 'viewer', userId: 'u-7' }),
    { ...invited('else@x.org', 'viewer'), subject: { project: 'p-else', name: 'else@x.org' } },
    { ...invited('far@x.org', 'viewer', 'c-far'), subject: { project: 'p-far', name: 'far@x.org' } },
  ];
  const REMOVING: OperationOptions = {
    ...OPTIONS,
    settings: { remove_missing: true, projects: { Far: 'p-far' } },
  };

  function missing(options: OperationOptions, idle: readonly IdleRow[] = []) {
    const work = planned(onboard, ROW, team, options);
    if (work.kind === 'invalid') throw new Error(sayAll(work.findings, 'file'));
    const works = onboard.change?.missing?.([work.input as never], new Team(team), options, idle) ?? [];
    return works.map((each) => ({ work: each, ...walk(onboard, JSON.parse(JSON.stringify(each))) }));
  }

  test('people who left the list leave the projects that the list or the job names, each as they stand; others are not looked at', () => {
    const found = missing(REMOVING);
    expect(found.map(({ work, ...walked }) => [work.email, work.project, work.to, ...shown(walked)])).toEqual(
      [
        ['far@x.org', 'Far', 'none', 'delete-invite@1 c-far'],
        ['ann@x.org', PROJECT, 'none', 'remove-user@4 u-ann'],
        ['bob@x.org', PROJECT, 'none'],
        ['zoe@x.org', PROJECT, 'none', 'delete-invite@1 c-zoe'],
      ],
    );
    expect(found[2] && told(found[2].outcome)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('bob@x.org has accepted'),
    });
  });

  const [FAR, ANN, BOB, ZOE] = ['far@x.org', 'ann@x.org', 'bob@x.org', 'zoe@x.org'];
  const FINE = { role: 'viewer', project_id: PROJECT };
  test.each<readonly [string, Record<string, string> | undefined, readonly string[]]>([
    ['cannot be read at all: anybody', undefined, [FAR, ANN, BOB, ZOE]],
    [
      'has a misspelt project: that person, wherever',
      { ...FINE, email: 'Zoe@x.org', project_id: '', project: 'Fra' },
      [ZOE],
    ],
    [
      'has a misspelt project and somebody unknown: nobody',
      { email: 'new@x.org', role: 'viewer', project: 'Fra' },
      [],
    ],
    ['has a wrong role: that person', { ...FINE, email: ZOE, role: 'owner' }, [ZOE]],
    ['has a damaged address: whom it may mean', { ...FINE, email: 'far@@x.org' }, [FAR]],
    ['has a name in place of an address: anybody', { ...FINE, email: 'Zoe Li' }, [FAR, ANN, BOB, ZOE]],
    ['has no address: anybody', { ...FINE, email: '' }, [FAR, ANN, BOB, ZOE]],
    [
      'has one person by address and another by id: both',
      { ...FINE, email: ZOE, user_id: 'u-ann', role: '' },
      [ANN, ZOE],
    ],
  ])('people who left the list are held back by a row that %s', (_, cells, held) => {
    const found = missing(REMOVING, [{ row: 17, ...present({ cells }) }]);
    const heldBack = found.filter(({ outcome }) =>
      outcome?.findings.some(({ code, facts }) => code === 'held_back' && facts.row === 17),
    );
    expect(heldBack.map(({ work }) => work.email)).toEqual(held);
    expect(heldBack.flatMap(({ calls }) => calls)).toEqual([]);
    expect(found).toHaveLength(4);
  });
});

// ------------------------------------------------------------------------------------------------ lists of one change

const PERSON_ROW = { email: JO, role: 'editor', project_id: PROJECT };

describe('an invite', () => {
  test.each([
    ['nothing', [], 0],
    ['an invite that was deleted', [known(JO, { state: 'gone', email: JO }, { sequence: 2 })], 2],
    [
      'one that was to be created anew',
      [known(JO, { state: 'reinvite_due', email: JO }, { sequence: 3 })],
      3,
    ],
    [
      'one that the service lost',
      [known(JO, { state: 'accepted_or_deleted', email: JO }, { sequence: 4 })],
      4,
    ],
    ['the same in another project', [{ ...invited(JO, 'editor'), subject: { project: 'p-2', name: JO } }], 0],
  ] as const)('known: %s → is mailed', (_, team, after) => {
    const walked = done(inviteUser, PERSON_ROW, team);
    expect(shown(walked)).toEqual([`create-invite@${after} editor ${JO}`]);
    expect(walked.calls[0]).toMatchObject({ project: PROJECT, ifLost: 'hold' });
    expect(told(walked.outcome)).toEqual({ kind: 'applied', reason: 'invited as editor' });
  });

  test.each([
    ['invited', 'editor', 'unchanged', /^jo@x\.org is invited as editor already$/],
    ['member', 'editor', 'unchanged', /^jo@x\.org is in the project as editor already$/],
    ['invited', 'viewer', 'refused', /as viewer\. Use change-role or onboard$/],
    ['member', 'viewer', 'refused', /as viewer\. Use change-role or onboard$/],
  ] as const)('known: %s as %s → is not mailed', (state, role, kind, reason) => {
    const { calls, outcome } = done(inviteUser, PERSON_ROW, [known(JO, { state, role, email: JO })]);
    expect(calls).toEqual([]);
    expect(told(outcome)).toMatchObject({ kind, reason: expect.stringMatching(reason) });
  });
});

describe('a role', () => {
  test('a role is set by user id, also for somebody who is not known yet', () => {
    const walked = done(changeRole, { user_id: 'u1', role: 'editor' });
    expect(shown(walked)).toEqual(['update-user@0 u1 editor']);
    expect(told(walked.outcome)).toEqual({ kind: 'applied', reason: 'role set to editor' });
  });

  test.each([
    [[], /^no invite of jo@x\.org to this project is known\. Give the user_id/],
    [[known(JO, { state: 'gone', email: JO })], /has no invite to this project\. .*run invite-user$/],
    [[known(JO, { state: 'accepted_or_deleted', email: JO })], /is not there any more/],
    [[known(JO, { state: 'member', role: 'viewer', email: JO })], /Give the user_id$/],
  ] as const)('invites nobody: %j', (team, reason) => {
    const { calls, outcome } = done(changeRole, { email: JO, role: 'editor' }, team);
    expect(calls).toEqual([]);
    expect(told(outcome)).toMatchObject({ kind: 'refused', reason: expect.stringMatching(reason) });
  });
});

describe('a deletion', () => {
  test('a deletion is by the code of the row, and not made again', () => {
    const walked = done(deleteInvite, { invite_code: ' c1 ' });
    expect(shown(walked)).toEqual(['delete-invite@0 c1']);
    expect(told(walked.outcome)).toEqual({ kind: 'applied', reason: 'invite deleted' });
    const gone = known('invite:c1', { state: 'gone', inviteCode: 'c1' });
    const again = done(deleteInvite, { invite_code: 'c1' }, [gone]);
    expect(again.calls).toEqual([]);
    expect(told(again.outcome)).toEqual({ kind: 'unchanged', reason: 'the invite c1 was deleted already' });
  });

  test('a deletion is by the address whose code is known, and by neither of two codes', () => {
    const team = [invited(JO, 'viewer', 'c1')];
    expect(shown(done(deleteInvite, { email: 'JO@x.org' }, team))).toEqual(['delete-invite@1 c1']);
    const { calls, outcome } = done(deleteInvite, { invite_code: 'c2', email: JO }, team);
    expect(calls).toEqual([]);
    expect(reasonOf(outcome)).toMatch(/has the code c1, but the row says c2\. Leave out the wrong one$/);
  });

  test.each([
    ['nothing', [], 'refused', /^no invite of jo@x\.org to this project is known\. Give its invite_code$/],
    ['accepted', [known(JO, { state: 'member', email: JO })], 'refused', /Run remove-user with the user_id$/],
    [
      'accepted_or_deleted',
      [known(JO, { state: 'accepted_or_deleted', email: JO })],
      'refused',
      /is not there any more/,
    ],
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
    expect(told(outcome)).toMatchObject({ kind, reason: expect.stringMatching(reason) });
  });
});

test('a user is removed by id, also one who is not known yet, and not again', () => {
  const walked = done(removeUser, { user_id: 'u1' });
  expect(shown(walked)).toEqual(['remove-user@0 u1']);
  expect(told(walked.outcome)).toEqual({ kind: 'applied', reason: 'removed from the project' });
  const team = [known(JO, { state: 'member', role: 'viewer', email: JO, userId: 'u1' }, { sequence: 3 })];
  expect(done(removeUser, { user_id: 'u1' }, team).calls[0]).toMatchObject({
    after: 3,
    change: { subject: { name: JO }, leaves: { state: 'gone', email: JO } },
  });
  const again = done(removeUser, { user_id: 'u1' }, [known('user:u1', { state: 'gone', userId: 'u1' })]);
  expect(again.calls).toEqual([]);
  expect(told(again.outcome)).toEqual({
    kind: 'unchanged',
    reason: 'user u1 is not in the project, as far as is known',
  });
});

// ------------------------------------------------------------------------------------------------ projects

const MADE_ID = { kind: 'found', fields: { project_id: 'p-1' } } as const;
const alpha = {
  subject: { name: 'project:alpha' },
  sequence: 1,
  facts: { state: 'done', projectId: 'p-1' },
} as const;

test('a project is made with its description, and the row says its id', () => {
  const walked = done(createProject, { name: ' Alpha ', description: 'Team A' }, [], [MADE_ID]);
  expect(shown(walked)).toEqual(['create-project@0 Alpha Team A org-1']);
  expect(walked.calls[0]).toMatchObject({
    ifLost: 'hold',
    change: { subject: { name: 'project:alpha' }, leaves: { state: 'done' } },
  });
  expect(told(walked.outcome)).toEqual({ kind: 'applied', reason: 'created: project_id p-1' });
});

test.each(['Alpha', 'ALPHA'])('one that was made before is not made again: %s', (name) => {
  const { calls, outcome } = done(createProject, { name }, [alpha]);
  expect(calls).toEqual([]);
  expect(told(outcome)).toEqual({
    kind: 'unchanged',
    reason: `the project "${name}" was created before: project_id p-1`,
  });
});

test('one of which an answer was lost is asked for by the call that waits', () => {
  expect(shown(done(createProject, { name: 'Alpha' }, [{ ...alpha, doubt: DOUBT }], [MADE_ID]))).toEqual([
    'create-project@1 Alpha  org-1',
  ]);
});
