/**
 * Goal: `--only` asks the rows that a person names and no others, at the price that was said; the list's other rows stay
 * pending for a later run, and nothing is bought twice.
 * Method: the real command before the sandbox, whose book says what was bought.
 */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { enrich } from '../../src/index.ts';
import { openHost } from '../faults/database-host.ts';
import { domainsOf } from '../faults/workplace.ts';
import { type Desk, lastCommand, openDesk } from './desk.ts';
import { openTeam } from './team.ts';

const RUN = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv'];

const planned = (desk: Desk, ...more: readonly string[]) =>
  desk.json(['plan', 'enrich-company', 'list.csv', ...more]);

test('the named rows alone are asked; a later run without the flag does the rest, and nothing is bought again', async () => {
  const desk = await openDesk();
  desk.list(6);
  expect(await desk.type(desk.run('--only', '5-6, 3'))).toMatchObject({ code: 0 });
  expect(desk.place.statuses()).toEqual(['pending', 'matched', 'pending', 'matched', 'matched', 'pending']);
  expect(await desk.requests()).toBe(3);
  expect(await desk.json(['status', 'last'])).toMatchObject({ state: 'open' });
  expect(await desk.type(desk.run('--only', '6,7'))).toMatchObject({ code: 0 });
  expect(await desk.requests()).toBe(4);
  expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
  expect(desk.place.statuses()).toEqual(Array(6).fill('matched'));
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 6, charged_twice: [] });
  expect(await desk.json(['status', 'last'])).toMatchObject({ state: 'finished' });
});

test('a sample is drawn from the named rows', async () => {
  const desk = await openDesk();
  desk.list(8);
  const { sample } = await desk.json(desk.run('--only', '3-6', '--sample', '2'));
  expect(sample.forecast).toMatchObject({ rows: 2 });
  const statuses = desk.place.statuses();
  expect(statuses.filter((status) => status === 'matched')).toHaveLength(2);
  expect([...statuses.slice(0, 1), ...statuses.slice(5)]).toEqual(Array(4).fill('pending'));
});

describe('a plan', () => {
  test('a plan of some rows says their price; a named row that repeats another one is bought, and both have the answer', async () => {
    const desk = await openDesk();
    await desk.write('list.csv', 'Domain\na.example\nb.example\na.example\nc.example\n');
    const plan = await planned(desk, '--only', '4');
    expect(plan).toMatchObject({ rows: 1, duplicates: 0, to_buy: 1, credits: { most: 1, expected: 1 } });
    const asked = await desk.type([...RUN, '--only', '4']);
    expect(lastCommand(asked.stderr)).toEqual(expect.arrayContaining(['--only', '4', '--budget', '1']));
    expect(await desk.type(lastCommand(asked.stderr))).toMatchObject({ code: 0 });
    expect(desk.place.statuses()).toEqual(['pending', 'pending', 'matched', 'pending']);
    expect(await planned(desk)).toMatchObject({ rows: 4, to_buy: 2 });
    await desk.type(desk.run());
    expect(desk.place.statuses()).toEqual(Array(4).fill('matched'));
    expect(await desk.place.vendor.book()).toMatchObject({ requests: 3, charged_twice: [] });
  });

  test('whoever agrees to the plan of some rows agrees to no others', async () => {
    const desk = await openDesk();
    desk.list(5);
    const { id: whole } = await planned(desk);
    const { id } = await planned(desk, '--only', '3,5');
    expect(id).not.toBe(whole);
    const other = await desk.json([...RUN, '--yes', '--only', '3', '--plan', id]);
    expect(other.stopped).toMatchObject({ code: 'plan' });
    expect(other.stopped.message).toContain('other rows are asked');
    const agreed = [...RUN, '--yes', '--only', '3,5', '--plan', id];
    const killed = await desk.type(agreed, { env: { ROWONCE_CRASH_AT: 'after-end' } });
    expect(killed.code).toBeNull();
    const refused = await desk.json([...RUN, '--yes', '--plan', id]);
    expect(refused.stopped).toMatchObject({ code: 'plan' });
    const { batch } = await desk.json(agreed);
    expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 2, budget: 2 });
    expect(await desk.json(agreed)).toMatchObject({ batch, stopped: null });
    expect(await desk.requests()).toBe(2);

    const rest = await desk.type(RUN);
    expect(rest.stderr).toContain('This run could spend up to 3 credits');
    expect(await desk.type([...RUN, '--yes'])).toMatchObject({ code: 0 });
    expect(await desk.place.vendor.book()).toMatchObject({ requests: 5, charged_twice: [] });
  });
});

test('a run of some rows that was killed goes on by the same words, which status prints', async () => {
  const desk = await openDesk({ concurrency: 1 });
  desk.list(6);
  const words = desk.run('--only', '3,5-7');
  expect(await desk.type(words, { env: { ROWONCE_CRASH_AT: 'before-intent:3' } })).toMatchObject({
    code: null,
  });
  expect((await desk.type(['status', 'last'])).stderr).toContain('--only 3,5-7');
  expect(await desk.type(words)).toMatchObject({ code: 0 });
  expect(desk.place.statuses()).toEqual(['pending', 'matched', 'pending', 'matched', 'matched', 'matched']);
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 4, charged_twice: [] });
});

test.each([
  [['--only', '3,99'], 'list.csv has no row 99: it has 4 rows, from 2 to 6.'],
  [['--only', '1'], 'list.csv has no row 1: it has 4 rows, from 2 to 6.'],
  [['--only', '4'], 'list.csv has no row 4: it has 4 rows, from 2 to 6.'],
  [['--only', '3-7'], 'list.csv has no row 7: it has 4 rows, from 2 to 6.'],
  [['--only', '5-'], '5,9,12-20'],
  [['--only', '9-3'], '5,9,12-20'],
  [['--only', '0'], '5,9,12-20'],
  [['--only', '3,,5'], '5,9,12-20'],
  [['--only', ''], '5,9,12-20'],
  [['--only', '3', '--limit', '2'], '--limit and --only'],
])('what names no rows of the list is refused before anything is bought: %j', async (more, fact) => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Domain\na.example\nb.example\n\nc.example\nd.example\n');
  for (const words of [desk.run(...more), ['plan', 'enrich-company', 'list.csv', ...more]]) {
    if (words[0] === 'plan' && more.includes('--limit')) continue;
    expect(await desk.type(words)).toMatchObject({ code: 2, stderr: expect.stringContaining(fact) });
  }
  expect(await desk.requests()).toBe(0);
  expect(existsSync(desk.place.path('out.csv'))).toBe(false);
});

test('rows between those that are named may be blank', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Domain\na.example\nb.example\n\nc.example\nd.example\n');
  expect(await desk.type(desk.run('--only', '3-5'))).toMatchObject({ code: 0 });
  expect(await desk.requests()).toBe(2);
});

test('of a team the named people alone are changed, and a later run changes the others', async () => {
  const job = { columns: { email: 'Email', role: 'Role', project: 'Project' }, create_projects: true };
  const team = await openTeam({ job });
  const people = ['jo', 'mo', 'al'].map((name) => `${name}@team.example`);
  const invited = async () => Object.keys((await team.state()).roles()).map((role) => role.split(' ')[1]);
  team.writeSheet(people.map((email) => ({ email, role: 'viewer', project: 'Atlas' })));
  const plan = await team.json('plan', 'team.yaml', 'team.csv', '--only', '3');
  expect(plan.id).not.toBe((await team.json('plan', 'team.yaml', 'team.csv')).id);
  const { stdout } = await team.type('plan', 'team.yaml', 'team.csv', '--only', '3');
  expect(stdout).toContain('With --only, a run works on 1 row, for at most 0 credits.\n');
  expect(plan.this_run).toEqual({ rows: 1, credits: 0 });
  expect(await team.runHere({ more: ['--only', '3'] })).toMatchObject({ code: 0 });
  expect(await invited()).toEqual([people[1]]);
  expect(await team.runHere()).toMatchObject({ code: 0 });
  expect((await invited()).toSorted()).toEqual(people.toSorted());
  // The project is made once.
  expect(await team.requests()).toBe(4);
});

test('over a database the named rows alone are asked, and then the rest', async () => {
  const { place, store } = await openHost();
  place.writeList(domainsOf('named', 4));
  expect(await place.runHere({ store, more: ['--only', '3,5'] })).toMatchObject({ code: 0 });
  expect(place.statuses()).toEqual(['pending', 'matched', 'pending', 'matched']);
  expect(await place.runHere({ store })).toMatchObject({ code: 0 });
  expect(place.statuses()).toEqual(Array(4).fill('matched'));
  expect(await place.vendor.book()).toMatchObject({ requests: 4, charged_twice: [] });
});

test('a program asks some of the rows that it gives, and is given those', async () => {
  const desk = (await openDesk()).here();
  const rows = ['a', 'b', 'c'].map((name) => ({ domain: `${name}.example` }));
  const options = { job: 'enrich-company', store: desk.place.path('store'), budget: 9 };
  const found: number[] = [];
  for await (const { row } of enrich(rows, { ...options, only: '1,3' })) found.push(row);
  expect(found).toEqual([1, 3]);
  expect(await desk.requests()).toBe(2);
  await expect(enrich(rows, { ...options, only: '4' }).summary()).rejects.toThrow('no row 4');
});
