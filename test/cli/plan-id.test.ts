/**
 * Goal: what a person agreed to by the id of its plan is what is begun: while nothing moved it runs, again and again in the
 * same batch; once anything moved nothing is sent, and it is said what.
 * Method: real commands before a vendor that keeps a book.
 */
import { expect, test } from 'vitest';
import { TeamWorkplace } from '../faults/team-workplace.ts';
import { type Desk, objectIn, openDesk } from './desk.ts';
import { typedAt } from './typed.ts';

const PLAN = ['plan', 'enrich-company', 'list.csv'];

async function idOf(desk: Desk): Promise<string> {
  return (await desk.json(PLAN)).id;
}

async function deskWithList(): Promise<Desk> {
  const desk = await openDesk();
  desk.list(5);
  return desk;
}

test('a run of the id begins, goes on after a budget, and ends in one batch; a plan that is the same has the same id', async () => {
  const desk = await deskWithList();
  const id = await idOf(desk);
  expect(id).toMatch(/^[\w-]+$/);
  expect(await idOf(desk)).toBe(id);

  const first = await desk.json(desk.run('--plan', id, '--budget', '2'));
  expect(first.stopped).toMatchObject({ code: 'budget' });
  const second = await desk.json(desk.run('--plan', id));
  const third = await desk.json(desk.run('--plan', id));
  expect([second.batch, third.batch]).toEqual([first.batch, first.batch]);
  expect(second.stopped).toBeNull();
  expect(await desk.requests()).toBe(5);
});

test('once a part was bought elsewhere nothing starts, and the figures say by how much it moved', async () => {
  const desk = await deskWithList();
  const id = await idOf(desk);
  desk.list(2, 'other.csv');
  await desk.write('other.csv', (await desk.read('list.csv')).split('\n').slice(0, 3).join('\n'));
  await desk.json(['run', 'enrich-company', 'other.csv', '--budget', '9']);

  const { code, stdout } = await desk.type([...desk.run('--plan', id), '--json']);
  const { stopped } = objectIn(stdout);
  expect(code).toBe(2);
  expect(stopped).toMatchObject({ code: 'plan', plan: await idOf(desk) });
  expect(stopped.message).toBe(
    'The plan has changed, so nothing was started: rows bought before 0 → 2; rows to buy 5 → 3; credits at most 5 → 3.',
  );
  expect(await desk.requests()).toBe(2);
});

test('a plan without --json ends with its id, and what is no such id starts nothing', async () => {
  const desk = await deskWithList();
  const id = await idOf(desk);
  expect((await desk.type(PLAN)).stdout).toContain(`  id             ${id}\n`);
  await desk.write('plan.json', (await desk.type([...PLAN, '--json'])).stdout);
  for (const given of ['plan.json', '17', '']) {
    const { code, stderr } = await desk.type(desk.run('--plan', given));
    expect(code).toBe(2);
    expect(stderr).toContain(`--plan ${given} is not the id of a plan.`);
  }
  expect(await desk.requests()).toBe(0);
});

/** Types commands in the team's folder, and writes the list of those who are to be in it. */
function administratorOf(team: TeamWorkplace) {
  const env = { ROWONCE_CONFIG: team.place.path('config'), ROWONCE_STORE: team.place.path('store') };
  return {
    type: async (...words: readonly string[]) =>
      objectIn((await typedAt([...words, '--json'], { cwd: team.place.folder, env })).stdout),
    list: (...people: readonly string[]): void =>
      team.writeSheet(people.map((name) => ({ email: `${name}@acme.example`, role: 'viewer' }))),
  };
}

test('for a team, whoever was changed meanwhile moves the plan, though its figures are the same', async () => {
  await using team = await TeamWorkplace.open();
  const { type, list } = administratorOf(team);

  list('jo', 'al');
  const { id } = await type('plan', 'team.yaml', 'team.csv');
  list('jo', 'bo');
  const other = await type('run', 'team.yaml', 'team.csv', '--yes');
  expect(other.stopped).toBeNull();
  list('jo', 'al');
  const { stopped } = await type('run', 'team.yaml', 'team.csv', '--yes', '--plan', id);
  expect(stopped.message).toContain('the changes in the service are not the same');
  const now = await type('plan', 'team.yaml', 'team.csv');
  expect((await type('run', 'team.yaml', 'team.csv', '--yes', '--plan', now.id)).stopped).toBeNull();
  expect(now.id).toBe(stopped.plan);
});
