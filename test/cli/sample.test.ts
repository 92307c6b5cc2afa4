/**
 * Goal: a sample costs what was said and no more, survives a kill without buying another row, says what the
 * rest will probably cost, and is part of the run that follows.
 * Method: the real command before the sandbox, whose book says what was bought; the forecast is compared with what the
 * rest then really brought.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { some } from '../support/combinations.ts';
import { validAbn } from '../values/abn-arbitrary.ts';
import { type Desk, lastCommand, openDesk } from './desk.ts';

const sampled = (size: number, ...more: readonly string[]): readonly string[] => [
  'run',
  'enrich-company',
  'list.csv',
  '-o',
  'out.csv',
  '--sample',
  String(size),
  ...more,
];

/** ABNs beside domains, so that the waterfall has two steps. */
async function writeTwoTiers(desk: Desk, count: number): Promise<void> {
  const abns = fc.sample(validAbn, { numRuns: count, seed: 1 });
  await desk.write(
    'list.csv',
    `ABN,Domain\n${abns.map((abn, at) => `${abn},company-${at}.example\n`).join('')}`,
  );
}

const finishedRows = (desk: Desk): readonly number[] =>
  desk.place.statuses().flatMap((status, at) => (status === 'pending' ? [] : [at]));

test('a sample buys so many rows, spread over the file, says what they found and what the rest will cost', async () => {
  // Which rows are drawn follows from the account, which has an id so that its port has no part in it.
  const desk = await openDesk({ matchRate: 0.7, concurrency: 8, account: { id: 'two tiers' } });
  await writeTwoTiers(desk, 400);
  const said = await desk.type(sampled(50, '--budget', '800'));
  expect(said.code).toBe(0);
  expect(finishedRows(desk)).toHaveLength(50);
  expect(Math.max(...finishedRows(desk)) - Math.min(...finishedRows(desk))).toBeGreaterThan(200);
  expect(said.stdout).toMatch(/^Sample {5}\d+ of 50 rows matched$/m);
  expect(said.stdout).toMatch(/^ {2}abn {5}\d+ of 50 found, \d+ %$/m);
  expect(said.stdout).toMatch(/^ {2}domain {2}\d+ of \d+ found, /m);
  expect(said.stdout).toMatch(/^Rest {7}350 rows to buy\n {2}credits {2}at most 350, probably \d+$/m);

  const before = await desk.place.vendor.book();
  const { sample, requests } = await desk.json(sampled(50, '--budget', '800'));
  expect(requests).toBe(0);
  expect(sample.identifiers).toEqual([
    { name: 'abn', asked: 50, found: expect.any(Number) },
    { name: 'domain', asked: expect.any(Number), found: expect.any(Number) },
  ]);
  const [byAbn, byDomain] = sample.identifiers;
  expect(byDomain.asked).toBe(50 - byAbn.found);
  expect(sample.matched).toBe(byAbn.found + byDomain.found);
  expect(sample.forecast).toMatchObject({ rows: 350, credits: { most: 350 } });
  const { found, credits, price } = sample.forecast.likely;
  expect(said.stdout).toContain(
    `  likely   ${found.least} to ${found.most} found for ${credits.least} to ${credits.most} credits, 1 for each`,
  );
  expect(price).toBe(1);
  expect(found.most - found.least).toBeLessThan(350 / 4);

  await desk.json(['run', 'enrich-company', 'list.csv', '-o', 'out.csv', '--budget', '800']);
  const after = await desk.place.vendor.book();
  const spent = after.credits - before.credits;
  // A match costs one credit, and a miss nothing.
  for (const range of [found, credits]) {
    expect(spent).toBeGreaterThanOrEqual(range.least);
    expect(spent).toBeLessThanOrEqual(range.most);
  }
  expect(Math.abs(spent - sample.forecast.credits.expected) / spent).toBeLessThan(0.1);
  expect(after.charged_twice).toEqual([]);
});

test('what cannot be asked is said at once, and is none of the rows that a sample leaves', async () => {
  const desk = await openDesk({ matchRate: 1 });
  const abns = ['123', '1234', '12345', ...fc.sample(validAbn, { numRuns: 10, seed: 1 })];
  await desk.write('list.csv', `ABN\n${abns.join('\n')}\n`);
  const words = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv'];
  const said = await desk.type([...words, '--sample', '4', '--budget', '9']);
  expect(said.code, 'the rows that were drawn need nobody').toBe(0);
  const { counts, goal } = await desk.json(['status', 'last']);
  expect(counts).toEqual({ matched: 4, invalid: 3 });
  expect(goal).toEqual({ rows: 13, settled: 7, unasked: 3 });
  expect(await desk.type([...words, '--budget', '99'])).toMatchObject({ code: 3 });
  expect(desk.place.statuses()).toEqual([...Array(3).fill('invalid'), ...Array(10).fill('matched')]);
  expect(await desk.requests()).toBe(10);
});

test('what the job leaves out is none of the rows that a sample leaves, as soon as it is begun', async () => {
  const desk = await openDesk({ matchRate: 1 });
  const rows = Array.from({ length: 12 }, (_, at) => `c${at}.example,${at % 3 === 0 ? 'Customer' : ''}\n`);
  await desk.write('list.csv', `Domain,Status\n${rows.join('')}`);
  await desk.write('job.yaml', 'operation: enrich-company\nunless: { Status: Customer }\n');
  const words = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv'];
  await desk.type([...words, '--sample', '3', '--budget', '9']);
  const { counts, goal } = await desk.json(['status', 'last']);
  expect(counts).toEqual({ matched: 3, skipped: 4 });
  expect(goal).toEqual({ rows: 12, settled: 7, unasked: 4 });
  await desk.type([...words, '--budget', '99']);
  expect((await desk.json(['status', 'last'])).counts).toEqual({ matched: 8, skipped: 4 });
  expect(await desk.requests()).toBe(8);
});

test('an answer that rows of a sample share is counted once in what each one found has cost', async () => {
  const desk = await openDesk({ matchRate: 1 });
  const people = Array.from({ length: 40 }, (_, at) => `acme.example,person-${at}@acme.example\n`);
  await desk.write('list.csv', `Domain,Email\n${people.join('')}`);
  const words = ['run', 'enrich-company,enrich-person', 'list.csv', '-o', 'out.csv', '--sample', '20'];
  const { sample, credits } = await desk.json([...words, '--budget', '200']);
  const { price, credits: rest } = sample.forecast.likely;
  expect(sample.matched).toBe(20);
  expect(price).toBe(Math.round((100 * credits.spent) / 20) / 100);
  expect(rest.least).toBeLessThanOrEqual(rest.most);
});

test('after a kill the same command goes on with the same rows and buys no other', async () => {
  const desk = await openDesk({ matchRate: 0.5, concurrency: 1 });
  await writeTwoTiers(desk, 100);
  const words = sampled(20, '--budget', '300', '--json');
  const killed = await desk.type(words, { env: { ROWONCE_CRASH_AT: 'before-intent:10' } });
  expect(killed.code).toBeNull();
  expect(await desk.type(words)).toMatchObject({ code: 0 });
  const rows = finishedRows(desk);
  expect(rows).toHaveLength(20);
  const { requests } = await desk.place.vendor.book();

  // Another store knows nothing of all this: it buys what a sample that was never killed buys.
  expect(await desk.type([...words, '--store', 'other'])).toMatchObject({ code: 0 });
  expect(finishedRows(desk)).toEqual(rows);
  expect(await desk.requests()).toBe(2 * requests);
});

test('consent to a sample is none to the rest: the whole run asks about that instead of stopping at the price of the sample', async () => {
  const desk = await openDesk({ matchRate: 1 });
  desk.list(40);
  await desk.type(sampled(5, '--yes'));
  const words = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv'];
  const asked = await desk.type(words);
  expect(asked.code).toBe(2);
  expect(asked.stderr).toContain('This run could spend up to 35 credits');
  expect(asked.stderr).toContain('--budget 40');
  expect(await desk.type([...words, '--yes'])).toMatchObject({ code: 0 });
  expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 40, budget: 40 });
});

test('a plan says what a sample would cost, also of a list that came again: what it buys of the new rows', async () => {
  const desk = await openDesk({ matchRate: 1, account: { price: '0.40 AUD' } });
  desk.list(10);
  await desk.type(['run', 'enrich-company', 'list.csv', '-o', 'out.csv', '--budget', '10']);
  desk.list(40);
  const plan = ['plan', 'enrich-company', 'list.csv', '--sample', '5'];
  const part = { rows: 5, credits: 5, cost: [{ amount: 2, currency: 'AUD' }] };
  expect(await desk.json(plan)).toMatchObject({ to_buy: 30, bought_before: 10, this_run: part });
  expect((await desk.type(plan)).stdout).toMatch(/^ {2}this run +5 rows, at most 5 credits \(A\$2\.00\)$/m);
  await desk.type(sampled(5, '--budget', '5'));
  expect((await desk.place.vendor.book()).credits).toBe(15);
  // What is drawn is always the same, so that nothing of it is left.
  expect((await desk.json(plan)).this_run).toMatchObject({ rows: 0, credits: 0 });
});

const PARTS = [
  '--limit 5',
  '--sample 10',
  '--limit 5 --sample 3',
  '--limit 5 --sample 10',
  '--rows 3-12 --limit 4',
  '--rows 3-12 --sample 30',
];

const budgetIn = (words: readonly string[]): number => Number(words[words.indexOf('--budget') + 1]);

describe('the budget that is printed is what this part of the rows costs, and ends it', () => {
  const words = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv'];

  test.for(some(PARTS, 2))('the printed budget is this part’s price without a limit: %s', async (flags) => {
    const part = flags.split(' ');
    const desk = await openDesk({ matchRate: 1 });
    desk.list(40);
    const refused = await desk.type([...words, ...part]);
    const printed = lastCommand(refused.stderr);
    expect(refused.stderr).toContain(`Say how much it may spend with --budget ${budgetIn(printed)},`);
    expect(printed).toEqual(expect.arrayContaining([...part]));
    expect(await desk.type(printed)).toMatchObject({ code: 0 });
    expect(await desk.place.vendor.book()).toMatchObject({ credits: budgetIn(printed), charged_twice: [] });
  });
});
