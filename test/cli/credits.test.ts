/**
 * Goal: what is shown as spent is what the vendor charged; where nobody says what that was, it is shown as the most.
 * Method: the sandbox, whose book is the judge: as the built-in account, which says what each answer cost, as a vendor
 * that says nothing, and through the "API Call" step with a dialect that names the place.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Desk, deskBefore, openDesk } from './desk.ts';

const EMAILS = Array.from({ length: 20 }, (_, at) => `person-${at}@acme.example`);

function creditsInRows(desk: Desk): number {
  return desk.place.rows().reduce((sum, { _credits }) => sum + Number(_credits), 0);
}

/** Credits in a book that a sandbox wrote. */
function creditsIn(path: string): number {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.reduce((sum, line) => sum + JSON.parse(line).credits, 0);
}

test.each([
  ['enrich-person', 'Email', EMAILS],
  ['search-people', 'Company', ['Banksia', 'Kauri', 'Rata', 'Wattle']],
])('a sandbox run of %s has spent what is in the book, to the credit', async (operation, header, cells) => {
  const desk = await openDesk();
  await desk.write('list.csv', `${header}\n${cells.join('\n')}\n`);
  const words = ['run', operation, 'list.csv', '--account', 'sandbox-provider', '-o', 'out.csv'];
  const ran = await desk.json(words, { env: { ROWONCE_SANDBOX: '--match-rate 0.9' } });
  expect(ran.credits).toMatchObject({ exact: true, in_doubt: 0 });
  expect(ran.credits.spent).toBe(creditsIn(desk.place.path('store/book.jsonl')));
  expect(creditsInRows(desk)).toBe(ran.credits.spent);
});

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

test.each(['direct', 'via'] as const)(
  'a dialect names where answers say what they cost (%s)',
  async (way) => {
    const desk = await openDesk({ way });
    desk.place.writeDialect({ credits_charged: { header: 'x-credits-charged' } });
    desk.place.writeAccount(desk.place.vendor.url, { dialect: 'dialect.yaml' });
    desk.place.writePeople(EMAILS);
    const words = [
      'run',
      'enrich-person',
      'list.csv',
      '--account',
      'data',
      '--budget',
      '100',
      '-o',
      'out.csv',
    ];
    const { credits } = await desk.json(words);
    expect(credits).toMatchObject({ exact: true, spent: (await desk.place.vendor.book()).credits });
  },
);

test('a part of a credit is booked as a whole one, which is the most', async () => {
  const { desk, speak } = await deskBefore(() => ({ name: 'Kauri', cost: 0.5 }));
  speak({ credits_charged: { path: 'cost' } });
  desk.list(2);
  expect((await desk.json(desk.run())).credits).toMatchObject({ spent: 2, exact: false });
});
