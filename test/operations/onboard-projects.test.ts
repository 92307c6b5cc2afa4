/**
 * Goal: a person comes into the project that the sheet means and into no other, a project is made once at most, and only
 * people who were in the sheet can be missing from it.
 * Method: rows with names and ids of projects, right and wrong; and teams of which a list has one person left.
 */
import { describe, expect, test } from 'vitest';
import { type KnownSubject, Team } from '../../src/core/membership.ts';
import { present } from '../../src/core/objects.ts';
import type { InvalidRow, OperationOptions, RowInput } from '../../src/core/operation.ts';
import onboard from '../../src/operations/onboard.ts';
import { done, invited, known, OPTIONS, PROJECT, planned, refusal, shown, walk } from './team.ts';

const JO = 'jo@x.org';
const ROW = { email: JO, role: 'editor' };

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
    return outcome.kind === 'invalid' ? outcome.reason : outcome.kind;
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
    [{ project: 'Alpa' }, 'project "Alpa" is not among the job\'s `projects`. Did you mean Alpha?'],
    [{ project: '' }, 'project: blank'],
    [
      { project: 'Alpha', project_id: 'p-b' },
      'project "Alpha" has the id p-a, but the row says "p-b". Correct one of them',
    ],
    [{ project_id: 'p:1' }, 'project_id "p:1" cannot be part of a header'],
    [{ project_id: 'p 1\r\nx: y' }, 'project_id "p 1 x: y" cannot be part of a header'],
  ])('%j is invalid: %s', (cells, reason) => {
    expect(problemOf({ ...ROW, ...cells }, MAPPED)).toBe(reason);
  });

  test('a cell with several is invalid where one is unknown, also where the job makes projects: they could not be deleted again', () => {
    const making = jobWith({ create_projects: true, projects: { Alpha: 'p-a', 'Sales, APAC': 'p-s' } });
    const several = ['Alpha; Gamma', 'Gamma | Beta', 'Alpha, Gamma'];
    for (const project of several)
      expect(problemOf({ ...ROW, project }, making)).toMatch(
        /names several projects, and "(Gamma|Beta)" is not among/,
      );
    const reason = expect.stringMatching(/names several projects\. Give the person a row for each$/);
    for (const id of ['p-1;p-2', 'p-1,p-2'])
      expect(problemOf({ ...ROW, project_id: id }, making)).toEqual(reason);
    expect(projectOf({ ...ROW, project: 'Sales, APAC' }, making)).toBe('p-s');
    const [made] = done(onboard, { ...ROW, project: 'Data, NZ' }, [], [], making).calls;
    expect(made?.parameters.name).toBe('Data, NZ');
  });

  test('the project is missing where neither the list nor the account has one', () => {
    expect(problemOf(ROW, {})).toMatch(/^project: the list has no column for it/);
    expect(problemOf({ ...ROW, project: 'Alpha' }, OPTIONS)).toMatch(/ Name it there with its id\.$/);
  });

  describe('that is made first', () => {
    const MAKING = jobWith({ create_projects: true, projects: { Alpha: 'p-a' } });
    const row = { ...ROW, project: 'Gamma' };

    test('the new project needs the organization', () => {
      const { outcome } = done(onboard, row, [], [], { settings: { create_projects: true } });
      expect(outcome).toEqual({
        kind: 'invalid',
        reason: 'the project "Gamma" has to be created, but the account has no organization_id. Give it one',
      });
    });

    test('a new project that is refused, or has no id that can be used: nobody is invited', () => {
      for (const [answer, reason] of [
        [refusal('status 400'), 'the service refused to create the project "Gamma" (status 400)'],
        [{ kind: 'found', fields: {} }, /was created, but the answer has no usable project_id/],
        [{ kind: 'found', fields: { project_id: 'a\r\nx: y' } }, /no usable project_id/],
      ] as const) {
        const { calls, outcome } = done(onboard, row, [], [answer], MAKING);
        expect(calls).toHaveLength(1);
        expect(outcome.kind).toBe('refused');
        expect(outcome.reason).toMatch(reason);
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

  function missing(options: OperationOptions, invalid: readonly InvalidRow[] = []) {
    const work = planned(onboard, ROW, team, options);
    if (work.kind === 'invalid') throw new Error(work.reason);
    const works = onboard.change?.missing?.([work.input as never], new Team(team), options, invalid) ?? [];
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
    expect(found[2]?.outcome).toMatchObject({
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
    ['has a wrong address: anybody', { ...FINE, email: 'far@@x.org' }, [FAR, ANN, BOB, ZOE]],
    [
      'has one person by address and another by id: both',
      { ...FINE, email: ZOE, user_id: 'u-ann', role: '' },
      [ANN, ZOE],
    ],
  ])('people who left the list are held back by a row that %s', (_, cells, held) => {
    const found = missing(REMOVING, [{ row: 17, ...present({ cells }) }]);
    const heldBack = found.filter(({ outcome }) => outcome?.reason?.includes('because row 17 is invalid'));
    expect(heldBack.map(({ work }) => work.email)).toEqual(held);
    expect(heldBack.flatMap(({ calls }) => calls)).toEqual([]);
    expect(found).toHaveLength(4);
  });
});
