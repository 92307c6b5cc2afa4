/**
 * Goal: what is shown as spent is what the vendor charged; where no one says what that was, it is shown as the most. What the vendor itself
 * has counted stands beside our books, wherever these are shown; it costs nothing, and changes no budget.
 * Method: the real commands before the sandbox, whose book is the judge, and before a vendor whose balance falls by what it charges.
 */

import { expect, test } from 'vitest';
import { type Desk, type DeskBefore, deskBefore, openDesk } from './desk.ts';

const EMAILS = Array.from({ length: 20 }, (_, at) => `person-${at}@acme.example`);

function creditsInRows(desk: Desk): number {
  return desk.place.rows().reduce((sum, { _credits }) => sum + Number(_credits), 0);
}

test('where nobody says what a person cost, run, status and report say "at most"; the cells stay numbers', async () => {
  const desk = await openDesk();
  desk.place.writePeople(EMAILS);
  const words = ['run', 'enrich-person', 'list.csv', '--budget', '100', '-o', 'out.csv'];
  const { stdout } = await desk.type(words);
  const { credits } = await desk.json(['status', 'last']);
  expect(credits).toMatchObject({ exact: false });
  expect(credits.spent).toBeGreaterThan((await desk.place.vendor.book()).credits);
  expect(stdout).toContain(`Credits    at most ${credits.spent} spent`);
  expect((await desk.type(['status', 'last'])).stdout).toContain(`at most ${credits.spent} spent`);
  expect((await desk.type(['status'])).stdout).toContain(`at most ${credits.spent} credits`);
  const row = desk.place.rows().findIndex(({ _credits }) => _credits === '2') + 2;
  expect((await desk.type(['status', 'last', String(row)])).stdout).toContain('found, at most 2 credits at');
  expect(await desk.read('out.report.html')).toContain('It cost at most ');
  expect(creditsInRows(desk)).toBe(credits.spent);
});

test('a dialect names where answers say what they cost, also through a service', async () => {
  const desk = await openDesk({ way: 'via' });
  desk.place.writeDialect({ credits_charged: { header: 'x-credits-charged' } });
  desk.place.writeAccount(desk.place.vendor.url, { dialect: 'dialect.yaml' });
  desk.place.writePeople(EMAILS);
  const words = 'run enrich-person list.csv --account data --budget 100 -o out.csv';
  const { credits } = await desk.json(words.split(' '));
  expect(credits).toMatchObject({ exact: true, spent: (await desk.place.vendor.book()).credits });
});

test('a part of a credit is booked as a whole one, which is the most', async () => {
  const { desk, speak } = await deskBefore(() => ({ name: 'Kauri', cost: 0.5 }));
  speak({ credits_charged: { path: 'cost' } });
  desk.list(2);
  expect((await desk.json(desk.run())).credits).toMatchObject({ spent: 2, exact: false });
});

// ------------------------------------------------------------------------------------------------ what the vendor has counted

/** One whose key is ours alone: it charges one credit a person, where no one states a price. */
async function countingDesk(account: object): Promise<DeskBefore & { readonly books: { left: number } }> {
  const books = { left: 1000 };
  const before = await deskBefore(({ path }) => {
    if (path === '/left') return { credits_left: books.left };
    books.left -= 1;
    return { name: 'Jo' };
  }, account);
  const at = Object.assign(before, { books });
  at.speak({ balance: { method: 'GET', path: '/left', credits: 'credits_left' } });
  await at.desk.write('list.csv', 'Email\njo@one.example\nflo@two.example\nkim@three.example\n');
  return at;
}

const PEOPLE_RUN = ['run', 'enrich-person', 'list.csv', '--budget', '9', '-o', 'out.csv'];

test('the vendor’s own count stands beside ours in spend, report and accounts test, over several runs of a list', async () => {
  const at = await countingDesk({ exclusive_key: true });
  const { desk } = at;
  await desk.type([...PEOPLE_RUN, '--limit', '1']);
  // Somebody adds credits between two runs: that is none of the count.
  at.books.left += 500;
  const { figures } = await desk.json(PEOPLE_RUN);
  expect(figures).toMatchObject({ vendor_counted: 3 });
  expect((await desk.type(['spend'])).stdout).toContain('at most 6 credits; the vendor counted 3, ');
  expect((await desk.json(['spend', '--by', 'batch'])).groups).toMatchObject([
    { spent: 6, vendor_counted: 3 },
  ]);
  expect(await desk.read('out.report.html')).toContain('It cost at most 6 credits; the vendor counted 3.');
  const tested = (await desk.type(['accounts', 'test'])).stdout;
  expect(tested).toContain('1,497 credits are left; our books have 6 spent; the vendor counted 3.\n');
  const { credits } = await desk.json(['status', 'last']);
  expect(credits).toMatchObject({ spent: 6, budget: 9 });
});
