/**
 * Goal: who asks for some rows again, or for one step of them, pays for these alone. Every other row and step keeps what it has,
 * also what is old, and buys nothing; the list stays whole, and what it would buy is said before.
 * Method: the real command before vendors that count what they are asked, with an account that is not play money.
 */
import { expect, test } from 'vitest';
import { type Desk, deskBefore, openDesk } from './desk.ts';

const AGAIN = ['--refresh', '--only', '3,5'];

async function done(desk: Desk, rows = 6): Promise<void> {
  desk.list(rows);
  expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
}

test('two rows are asked again: two are charged, and the others keep their answers in the same list', async () => {
  const desk = await openDesk({ matchRate: 1 });
  await done(desk);
  const before = desk.place.rows();
  const plan = await desk.json(['plan', 'enrich-company', 'list.csv', ...AGAIN]);
  expect(plan).toMatchObject({ rows: 2, to_buy: 2, too_old: 2, credits: { most: 2 } });
  const words = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv', '--budget', '2', ...AGAIN];
  const run = await desk.json([...words, '--plan', plan.id]);
  expect(run).toMatchObject({ rows: 6, counts: { matched: 6 }, credits: { spent: 2 }, stopped: null });
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 8, credits: 8 });
  expect(await desk.json(['status', 'last'])).toMatchObject({ state: 'finished' });
  const after = desk.place.rows();
  const changed = after.flatMap((row, at) => (row._as_of === before[at]?._as_of ? [] : [at + 2]));
  expect(changed).toEqual([3, 5]);
  expect(after.map((row) => row._credits)).toEqual(['0', '1', '0', '1', '0', '0']);
  // The same plan is agreed to once.
  const again = await desk.json([...words, '--plan', plan.id]);
  expect(again.stopped).toMatchObject({ code: 'plan' });
  expect(await desk.requests()).toBe(8);
});

test('a run of some rows again that was killed goes on by the words that it prints, and pays nothing twice', async () => {
  const desk = await openDesk({ matchRate: 1, concurrency: 1 });
  await done(desk);
  const words = desk.run('--refresh', '--only', '3-5');
  const killed = await desk.type(words, { env: { ROWONCE_CRASH_AT: 'before-intent:2' } });
  expect(killed.code).toBeNull();
  const status = await desk.type(['status', 'last']);
  expect(status.stderr).toContain('--only 3-5');
  expect(await desk.type(words)).toMatchObject({ code: 0 });
  expect(await desk.requests()).toBe(9);
  expect(await desk.json(['status', 'last'])).toMatchObject({ state: 'finished', counts: { matched: 6 } });
});

test('rows that were never asked stay so, whatever is asked again beside them', async () => {
  const desk = await openDesk({ matchRate: 1 });
  desk.list(6);
  await desk.type(desk.run('--only', '2-4'));
  expect(await desk.requests()).toBe(3);
  expect(await desk.json(['plan', 'enrich-company', 'list.csv', '--refresh', '--only', '3'])).toMatchObject({
    to_buy: 1,
    credits: { most: 1 },
  });
  expect(await desk.type(desk.run('--refresh', '--only', '3'))).toMatchObject({ code: 0 });
  expect(await desk.requests()).toBe(4);
  expect(desk.place.statuses()).toEqual([...Array(3).fill('matched'), ...Array(3).fill('pending')]);
  // The rest is bought by who wants it, and what was asked is not bought once more.
  expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
  expect(await desk.requests()).toBe(7);
});

test('of two steps one is asked again, and the other keeps what it has', async () => {
  const { desk, asked } = await deskBefore(({ path, input }, nth) =>
    path.includes('company')
      ? { name: `Company ${input.domain} ${nth}` }
      : { full_name: `Person ${input.email} ${nth}` },
  );
  const rows = Array.from({ length: 3 }, (_, at) => `c${at}.example,jo@c${at}.example\n`);
  await desk.write('list.csv', `domain,email\n${rows.join('')}`);
  const steps = ['enrich-company,enrich-person', 'list.csv'];
  await desk.type(['run', ...steps, '--budget', '99', '-o', 'out.csv']);
  const first = asked.length;
  expect(first).toBe(6);
  const again = ['--refresh', '--only', '3', '--step', 'enrich-company'];
  const plan = await desk.json(['plan', ...steps, ...again]);
  expect(plan).toMatchObject({ to_buy: 1, credits: { most: 1 } });
  await desk.type(['run', ...steps, '--budget', '1', '-o', 'out.csv', ...again]);
  expect(asked.slice(first).map(({ path }) => path)).toEqual([expect.stringContaining('company')]);
  const cells = desk.place.rows();
  expect(cells.map((row) => row._status)).toEqual(['matched', 'matched', 'matched']);
  expect(cells[1]?.name).toBe('Company c1.example 7');
});

test('a step that the job does not have is refused before anything is read', async () => {
  const desk = await openDesk();
  await done(desk);
  const wrong = await desk.json(desk.run('--refresh', '--step', 'enrich-person'));
  expect(wrong.stopped).toMatchObject({ code: 'usage' });
  expect(wrong.stopped.message).toContain('enrich-person');
  expect(await desk.requests()).toBe(6);
});

test('a row in doubt stays in doubt while another one is asked again', async () => {
  const { desk, ...vendor } = await deskBefore(({ input }) =>
    input.domain === 'c1.example' ? undefined : { name: `of ${input.domain}` },
  );
  await desk.write('list.csv', `domain\n${[0, 1, 2].map((at) => `c${at}.example\n`).join('')}`);
  await desk.type(desk.run());
  const first = vendor.asked.length;
  const statuses = desk.place.statuses();
  expect(statuses).toEqual(['matched', 'in_doubt', 'matched']);
  await desk.type(desk.run('--refresh', '--only', '4'));
  expect(vendor.asked.slice(first).map(({ input }) => input.domain)).toEqual(['c2.example']);
  expect(desk.place.statuses()).toEqual(statuses);
});
