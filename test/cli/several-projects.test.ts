/**
 * Goal: a row that names several projects is one change in each, and comes back as one row that says how each of them went.
 * Method: real commands over sheets with `P1; P2` in the cell of a project, before a sandbox service, whose own state says who is where.
 */
import { expect, test } from 'vitest';
import type { TeamWorkplace } from '../faults/team-workplace.ts';
import { openTeam } from './team.ts';

const JO = 'jo@team.example';
const MO = 'mo@team.example';
const PROJECTS = { Atlas: 'proj-a', Borealis: 'proj-b', 'Research; Labs': 'proj-r' };

/** A job in which projects are known by their names. */
const jobOf = (more: object = {}) => ({
  columns: { email: 'Email', role: 'Role', project: 'Project' },
  projects: PROJECTS,
  ...more,
});

const person = (email: string, project: string, role = 'editor') => ({ email, role, project });

async function counts(team: TeamWorkplace): Promise<object> {
  return (await team.runHere()).report?.counts ?? {};
}

test('a cell with several projects is a change in each; one that is the whole name of a project is that one', async () => {
  const team = await openTeam({ job: jobOf({ create_projects: true }) });
  await team.apply([
    person(JO, 'Atlas; borealis'),
    person(MO, 'Research; Labs'),
    person(MO, 'Atlas | Boreals'),
    person('di@team.example', '"Atlas, Research; Labs"'),
    person(JO, 'Borealis', 'Editor'),
    person('al@team.example', 'Borealis;'),
  ]);
  const told = team.place.rows('out.csv').map(({ _status, _reason }) => [_status, _reason]);
  expect(told).toEqual([
    ['applied', 'Atlas: invited as editor; Borealis: invited as editor'],
    ['applied', 'invited as editor'],
    [
      'invalid',
      'project "Atlas | Boreals" names several projects, and "Boreals" is not known. Did you mean Borealis?',
    ],
    ['invalid', expect.stringContaining('names several projects, and "Atlas, Research" is not known')],
    ['unchanged', 'the same as row 2'],
    ['applied', 'invited as editor'],
  ]);
  const state = await team.state();
  const codes = ['proj-a', 'proj-b'].map((project) => state.inviteCode(project, JO, 'editor'));
  expect(team.row(JO).invite_code).toBe(codes.join('; '));
  expect(state.roles()).toEqual({
    [`proj-a ${JO}`]: 'editor',
    [`proj-b ${JO}`]: 'editor',
    [`proj-r ${MO}`]: 'editor',
    'proj-b al@team.example': 'editor',
  });
  expect(state.projects, 'none is made out of such a cell').toEqual([]);
  const { changes } = await team.json('status', 'last');
  expect(changes).toMatchObject({ done: { invite: 4 }, projects: [{ project: 'Atlas' }, {}, {}] });
});

test('the row is as its worst change is; what is in doubt is settled by the row, and the others stand', async () => {
  const team = await openTeam({ job: jobOf(), faults: 'charged-reset:x1' });
  await team.apply([person(JO, 'Atlas; Borealis'), person(MO, 'Atlas')]);
  const { batch, changes } = await team.json('status', 'last');
  expect(team.row(JO)).toMatchObject({
    _status: 'in_doubt',
    _reason: expect.stringMatching(/^Atlas: .*; Borealis: invited as editor$/),
  });
  expect(changes.projects).toMatchObject([
    { project: 'Atlas', counts: { in_doubt: 1, applied: 1 } },
    { project: 'Borealis', counts: { applied: 1 } },
  ]);
  const { stdout } = await team.type('status', batch, '2');
  expect(stdout).toContain(`planned: ${JO} in Atlas, editor\n  planned: ${JO} in Borealis, editor\n`);

  const code = (await team.state()).inviteCode('proj-a', JO, 'editor');
  expect((await team.type('settle', batch, '2', '--answer', `invite_code=${code}`)).code).toBe(0);
  expect(await counts(team)).toEqual({ applied: 2 });
  expect(team.row(JO)._reason).toBe('Atlas: invited as editor; Borealis: invited as editor');
  expect((await team.state()).invitedTwice()).toEqual([]);
});

test('a row in doubt by its own change and by that of another list is listed once, with the one that it rests on', async () => {
  const team = await openTeam({ job: jobOf(), faults: 'charged-reset:x2' });
  await team.apply([person(MO, 'Nowhere'), person(JO, 'Atlas')], { input: 'first.csv' });
  await team.apply([person(JO, 'Atlas; Borealis')]);
  const { batch } = await team.json('status', 'last');
  const { in_doubt: listed } = await team.json('settle', batch);
  expect(listed).toMatchObject([{ row: 2, project: 'proj-a', own: false }]);
  const state = await team.state();
  for (const project of ['proj-a', 'proj-b']) {
    const code = state.inviteCode(project, JO, 'editor');
    expect((await team.type('settle', batch, '2', '--answer', `invite_code=${code}`)).code).toBe(0);
  }
  await team.runHere();
  expect((await team.state()).invitedTwice()).toEqual([]);
});

test('once the first doubt of a row is left out, a word about the row is about the next one, as it is listed', async () => {
  const team = await openTeam({ job: jobOf(), faults: 'charged-reset:x2' });
  await team.apply([person(JO, 'Atlas; Borealis')]);
  const { batch } = await team.json('status', 'last');
  await team.type('settle', batch, '2', '--skip');
  const listed = async () => (await team.json('settle', batch)).in_doubt;
  expect(await listed()).toMatchObject([{ row: 2, project: 'proj-b' }]);
  const code = (await team.state()).inviteCode('proj-b', JO, 'editor');
  expect((await team.type('settle', batch, '2', '--answer', `invite_code=${code}`)).code).toBe(0);
  expect(await listed()).toEqual([]);
});
