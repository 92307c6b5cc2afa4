/**
 * Goal: a person sees what a file is and what a job would buy in it before a credit is at stake; looking never sends, never makes a store
 * and never needs a key. What was agreed to by the id of a plan is what is begun: while nothing moved it runs, again and again in the same
 * batch; once anything moved nothing is sent, and it is said what.
 * Method: the real command before a vendor that is not there, or that keeps a book.
 */

import { existsSync, mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TeamWorkplace } from '../faults/team-workplace.ts';
import { type Desk, objectIn, openDesk } from './desk.ts';
import { typedAt } from './typed.ts';

/** A port of this machine at which nothing listens. */
const DEAD_ADDRESS = 'http://127.0.0.1:1';

const ROWS = `ABN,Website,Size
51 824 753 556,www.acme.example,12
51824753556,https://acme.example/about,twelve
51824753557,,15
,beta.example,20
`;

async function planned(...words: readonly string[]) {
  const desk = await openDesk();
  desk.place.writeAccount(DEAD_ADDRESS, { key: undefined, key_env: 'NOT_SET', limits: { per_second: 2 } });
  await desk.write('list.csv', ROWS);
  const ended = await desk.type(['plan', ...words]);
  expect(existsSync(desk.place.path('store'))).toBe(false);
  return { ...ended, folder: desk.place.folder };
}

test('a list is planned also where the first run was killed before its store had any table', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', ROWS);
  mkdirSync(desk.place.path('store'), { recursive: true, mode: 0o700 });
  await desk.write('store/ledger.db', '');
  const planned = ['plan', 'enrich-company', 'list.csv'];
  expect(await desk.json(planned)).toMatchObject({ rows: 4, to_buy: 2 });
  expect((await desk.type(['run', 'enrich-company', 'list.csv', '--yes'])).code).toBe(3);
});

test('with a job: what it would buy, at most and probably, how long that takes, and what is wrong with which row', async () => {
  const { code, stdout, stderr, folder } = await planned('enrich-company', 'list.csv');
  expect(code).toBe(0);
  expect(
    stdout.replace(/^( {2}id +)[\da-f-]+$/m, '$1ID'),
  ).toBe(`enrich-company over ${folder}/list.csv, with account data
  columns        abn ← ABN, website ← Website (by their names)
  looked up by   abn, then website
  rows           4
  invalid        1
  duplicates     1
  to buy         2
  credits        at most 2, probably 2
  time           about 2 s
  row 4: no usable identifier: ABN 51 824 753 557: the checksum fails; website: blank
  damage         ABN: 1 with a wrong checksum: row 4; such as 51824753557
  id             ID
`);
  expect(stderr).toContain('so nothing is known as bought.');
});

test('with --each it says what becomes of each row, and the rows of each figure add up to it', async () => {
  const { stdout } = await planned('enrich-company', 'list.csv', '--each');
  expect(stdout).toContain(`
  to buy         rows 2,5
  duplicates     rows 3
  invalid        rows 4: ABN 51 824 753 557: the checksum fails; website: blank
`);
  const desk = await openDesk();
  desk.list(6);
  await desk.type(desk.run('--limit', '2'));
  const { each, ...figures } = await desk.json(['plan', 'enrich-company', 'list.csv', '--each']);
  expect(figures).toMatchObject({ bought_before: 2, to_buy: 4 });
  expect(each).toEqual([
    { is: 'bought_before', rows: '2-3' },
    { is: 'to_buy', rows: '4-7' },
  ]);
});

test('what the ledger knows is bought before; the plan of a finished list costs nothing', async () => {
  const desk = await openDesk();
  desk.list(3);
  await desk.type(desk.run('--limit', '2'));
  expect(await desk.json(['plan', 'enrich-company', 'list.csv'])).toMatchObject({
    bought_before: 2,
    to_buy: 1,
  });
  await desk.type(desk.run());
  expect(await desk.json(['plan', 'enrich-company', 'list.csv'])).toMatchObject({
    bought_before: 3,
    to_buy: 0,
    credits: { most: 0, expected: 0 },
  });
  expect(await desk.requests()).toBe(3);
});

// ------------------------------------------------------------------------------------------------ by its id

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

test('a plan that the budget of its account does not cover says what is left of it', async () => {
  const desk = await openDesk({ account: { budget: { per_month: 6 } } });
  desk.list(3);
  expect(await desk.json(PLAN)).not.toHaveProperty('short_budgets');
  expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
  desk.list(7);
  expect((await desk.type(PLAN)).stdout).toContain(
    '  budget         data has 3 of 6 credits left this month (UTC), enough for about 3 of 4 rows\n',
  );
  expect(await desk.json(PLAN)).toMatchObject({
    short_budgets: [{ account: 'data', period: 'month', cap: 6, left: 3, rows: 3 }],
  });
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
