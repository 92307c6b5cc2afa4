/**
 * Goal: a list has the same figures wherever somebody looks: on its page, in its table, in the report, in `--json` and in what is
 * downloaded, after every kind of ending and decision.
 * Method: real commands before the sandbox as a vendor that loses answers, and a real page in a real browser beside them. After each
 * step all faces are asked, and held against the rows that the download has.
 */
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { FiguresObject } from '../../src/web/api.ts';
import { type Desk, deskBefore, type JsonResult, openDesk, SERVICE } from '../cli/desk.ts';
import type { Ended } from '../cli/rowonce.ts';
import { some } from '../support/combinations.ts';
import { Gateway, type Weather } from './gateway.ts';
import { ask, servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const tabAt = useBrowser();

type Figures = Readonly<Record<string, number>>;

function countedIn(statuses: readonly (string | undefined)[]): Figures {
  const counts: Record<string, number> = {};
  for (const status of statuses) if (status !== undefined) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** With the rows that have no end yet. */
function whole({ counts, rows }: { readonly counts: Figures; readonly rows: number }): Figures {
  const pending = rows - Object.values(counts).reduce((sum, count) => sum + count, 0);
  return pending === 0 ? counts : { ...counts, pending };
}

/** A list that commands have worked on, and a tab that shows it. */
interface Faces {
  readonly desk: Desk;
  readonly served: Served;
  readonly page: Page;
  readonly batch: string;
}

async function facesOf(desk: Desk, batch: string): Promise<Faces> {
  const served = await servedIn(desk.place.folder, desk.environment());
  return { desk, served, batch, page: await tabAt(served, `/files/${batch}`) };
}

/** How many rows end in each way, by every face that has it. */
async function countsOf({ desk, served, batch }: Faces): Promise<Readonly<Record<string, Figures>>> {
  const json = await desk.json(['status', batch]);
  const { batches }: JsonResult = await ask(served, 'GET', '/batches');
  const shown: JsonResult = await ask(served, 'POST', '/status', { batch, limit: 500 });
  const at = shown.columns.findIndex(({ name }: { readonly name: string }) => name === '_status');
  const { body } = await served.tool(`/api/batches/${batch}/files/output`);
  const rows: Record<string, string>[] = parse(body, { columns: true });
  return {
    'status --json': whole(json),
    'the lists of the page': whole(batches.find((each: { readonly batch: string }) => each.batch === batch)),
    'the table of the page': countedIn(
      shown.rows.map(({ cells }: { readonly cells: string[] }) => cells[at]),
    ),
    'the download': countedIn(rows.map(({ _status }) => _status)),
    ...(json.changes === undefined ? {} : { 'its changes': json.changes.counts }),
  };
}

/** What the page says beside what the report has, which is what the download's report is written from. */
async function expectSaid({ desk, served, batch, page }: Faces, expected: Figures): Promise<void> {
  const { words, figures }: JsonResult = await ask(served, 'GET', `/batches/${batch}/report`);
  const { headline, cost } = words;
  await page.getByText([headline, cost].filter(Boolean).join(' ')).waitFor();
  const { attention, rows, found } = figures as FiguresObject;
  const { invalid = 0, refused = 0, in_doubt: inDoubt = 0, matched = 0 } = expected;
  expect(attention).toBe(invalid + refused + inDoubt);
  expect(rows).toBe(Object.values(expected).reduce((sum, count) => sum + count, 0));
  const json = await desk.json(['status', batch]);
  if (json.has_costs)
    expect([found, headline]).toEqual([matched, expect.stringMatching(new RegExp(`\\b${matched} of `))]);
  const { body } = await served.tool(`/api/batches/${batch}/files/report`);
  expect(body).toContain(headline);
  const parts = async () => (await page.locator('.funnel b').allInnerTexts()).map(Number);
  await expect.poll(async () => (await parts()).slice(1).reduce((sum, part) => sum + part, 0)).toBe(rows);
  expect((await parts())[0]).toBe(rows);
  const listed = async () => (await page.locator('aside td.n').allInnerTexts()).map(Number);
  const needing = async () => (await listed()).reduce((sum, part) => sum + part, 0);
  await expect.poll(needing, { message: 'beside the table' }).toBe(attention);
  // The bar above every view counts what was done last over each list.
  const [newest] = (await ask(served, 'GET', '/batches?newest=true')).batches;
  if (newest.batch !== batch || newest.state !== 'finished') return;
  const told = attention === 0 ? [] : [attention === 1 ? '1 row needs you' : `${attention} rows need you`];
  await expect.poll(() => page.locator('header a.need').allInnerTexts()).toEqual(told);
}

async function expectAlike(faces: Faces, expected: Figures, when: string): Promise<void> {
  for (const [face, figures] of Object.entries(await countsOf(faces)))
    expect(figures, `${face}, ${when}`).toEqual(expected);
  await expectSaid(faces, expected);
}

test('figures of lost answers: held, answered, found nothing, skipped, named again, not done, and sent again', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x4', concurrency: 1 });
  desk.list(5);
  await desk.type(desk.run());
  const { batch } = await desk.json(['status', 'last']);
  const faces = await facesOf(desk, batch);
  await expectAlike(faces, { in_doubt: 4, matched: 1 }, 'after the run');
  const settle = async (row: string, ...words: readonly string[]) =>
    expect((await desk.type(['settle', batch, row, ...words])).code, `${row} ${words}`).toBe(0);
  await settle('2', '--answer', 'name=Acme');
  await settle('3', '--answer', 'no_match');
  await settle('4', '--skip');
  await expectAlike(faces, { in_doubt: 1, matched: 2, no_match: 1, skipped: 1 }, 'told, and skipped');
  await settle('4', '--not-done');
  await settle('5', '--retry', '--extra-credits', '1');
  await expectAlike(
    faces,
    { matched: 2, no_match: 1, pending: 2 },
    'named again, not done, and to be sent again',
  );
  await desk.type(desk.run());
  await expectAlike(faces, { matched: 4, no_match: 1 }, 'after the next run');
});

test('figures of a list that has stopped: by its budget, for good, and with rows that nobody can ask for', async () => {
  const desk = await openDesk({ concurrency: 1 });
  await desk.write(
    'list.csv',
    `Domain\n${[1, 2, 3, 4].map((at) => `a-${at}.example\n`).join('')}no address\n`,
  );
  const run = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv', '--budget'];
  expect((await desk.type([...run, '2'])).code).toBe(4);
  const { batch } = await desk.json(['status', 'last']);
  const faces = await facesOf(desk, batch);
  await expectAlike(faces, { matched: 2, pending: 2, invalid: 1 }, 'at its budget');
  await desk.type([...run, '3']);
  await expectAlike(faces, { matched: 3, pending: 1, invalid: 1 }, 'at a larger one');
  await desk.type(['cancel', batch]);
  await expectAlike(faces, { matched: 3, pending: 1, invalid: 1 }, 'ended for good');
});

test('figures of changes: lost, refused, told, skipped, and no longer read as done', async () => {
  const { desk, speak } = await deskBefore((_, nth) => {
    if (nth === 2 || nth === 3) return undefined;
    if (nth === 4) return new Response('{"error":{"message":"no seats"}}', { status: 422 });
    return { invite_code: `invite-${nth}`, ...(nth === 5 ? { note: 'odd' } : {}) };
  }, SERVICE);
  const rule = { status: [200], body: { path: 'note', equals: 'odd' } };
  const readsAs = (means: string): void =>
    speak({ vendor: 'service', operations: { 'create-invite': { answers: [{ ...rule, means }] } } });
  readsAs('found');
  const people = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@team.example,viewer\n`).join('');
  await desk.write('list.csv', `Email,Role\n${people}`);
  const run = ['run', 'invite-user', 'list.csv', '-o', 'out.csv', '--yes'];
  const { batch } = await desk.json(run);
  const faces = await facesOf(desk, batch);
  await expectAlike(faces, { applied: 2, in_doubt: 2, refused: 1 }, 'after the run');
  await desk.type(['settle', batch, '3', '--answer', 'invite_code=invite-9']);
  await expectAlike(faces, { applied: 3, in_doubt: 1, refused: 1 }, 'told');
  await desk.type(['settle', batch, '4', '--skip']);
  await expectAlike(faces, { applied: 3, skipped: 1, refused: 1 }, 'skipped');
  readsAs('in_doubt');
  await desk.type(run);
  await expectAlike(faces, { applied: 2, in_doubt: 1, skipped: 1, refused: 1 }, 'read anew');
  await desk.type(['settle', batch, '6', '--not-done']);
  await expectAlike(faces, { applied: 2, skipped: 1, refused: 2 }, 'not done');
});

interface Ending {
  readonly by: string;
  readonly code: number;
  readonly expected: Figures;
  readonly rows?: number;
  /** What stands in the place of the vendor's answers. */
  readonly weather?: Weather;
  readonly account?: object;
  /** Further words of the run. */
  readonly more?: readonly string[];
  /** What happens after the run, which ends it so. */
  readonly then?: (desk: Desk, batch: string, gateway: Gateway) => Promise<Ended>;
}

const says = (status: number, error: string, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  body: JSON.stringify({ error }),
  headers: { 'content-type': 'application/json', ...headers },
});

const afterTwo =
  (...page: Parameters<typeof says>): Weather =>
  (call) =>
    call > 2 ? says(...page) : undefined;

const TWO_OF_FIVE = { matched: 2, pending: 3 };
const FOR_TWO = ['--budget', '2'];

const ENDINGS: readonly Ending[] = [
  { by: 'itself', code: 0, expected: { matched: 5 } },
  { by: 'its key', code: 77, expected: TWO_OF_FIVE, weather: afterTwo(401, 'no such key') },
  { by: 'the vendor’s credits', code: 4, expected: TWO_OF_FIVE, weather: afterTwo(402, 'no credits left') },
  {
    by: 'a pause for which the vendor asks',
    code: 75,
    expected: TWO_OF_FIVE,
    weather: afterTwo(429, 'slow down', { 'retry-after': '5000' }),
  },
  {
    by: 'a vendor that is away',
    code: 75,
    expected: TWO_OF_FIVE,
    more: FOR_TWO,
    then: async (desk, _, gateway) => {
      await gateway[Symbol.asyncDispose]();
      return desk.type(desk.run('--max-pause', '1s'));
    },
  },
  { by: 'the limit of a day', code: 75, expected: TWO_OF_FIVE, account: { limits: { per_day: 2 } } },
  { by: 'the budget of its account', code: 4, expected: TWO_OF_FIVE, account: { budget: { per_month: 2 } } },
  {
    by: 'answers that nobody can read',
    code: 75,
    rows: 10,
    expected: { in_doubt: 5, matched: 2, pending: 3 },
    weather: (call) => (call > 2 ? { ...says(200, ''), body: '[' } : undefined),
  },
  {
    by: 'a series of refusals',
    code: 2,
    rows: 10,
    expected: { pending: 10 },
    weather: () => says(422, 'not supported'),
  },
  {
    by: 'a wrong address',
    code: 2,
    rows: 20,
    expected: { pending: 20 },
    weather: () => says(404, 'Not Found'),
  },
  {
    by: 'an account that was moved',
    code: 2,
    expected: TWO_OF_FIVE,
    more: FOR_TWO,
    then: async (desk) => {
      desk.place.writeAccount(desk.place.vendor.url);
      return desk.type(desk.run());
    },
  },
  {
    by: 'a person who pauses it',
    code: 0,
    expected: TWO_OF_FIVE,
    more: FOR_TWO,
    then: (desk, batch) => desk.type(['pause', batch]),
  },
  {
    by: 'itself, with play money',
    code: 0,
    expected: { matched: 2, no_match: 3 },
    more: ['--account', 'sandbox-provider'],
  },
];

test.for(some(ENDINGS, 5))('figures of a list that was ended by $by', async (ending) => {
  const { by, code, expected, rows = 5, weather, account, more = [], then } = ending;
  const desk = await openDesk({ concurrency: 1 });
  desk.list(rows);
  const gateway = await Gateway.before(desk.place.vendor.url, weather);
  onTestFinished(() => gateway[Symbol.asyncDispose]().catch(() => {}));
  desk.place.writeAccount(gateway.url, account);
  const ran = await desk.type(desk.run(...more));
  const { batch } = await desk.json(['status', 'last']);
  const ended = (await then?.(desk, batch, gateway)) ?? ran;
  expect(ended.code, ended.stderr).toBe(code);
  await expectAlike(await facesOf(desk, batch), expected, by);
});

test('rows that had it already are not counted among those of which some were found', async () => {
  const desk = await openDesk({ concurrency: 1 });
  await desk.write(
    'list.csv',
    'Domain,Size\na.example,5\nb.example,\nc.example,7\nd.example,\nno address,\n',
  );
  const add = { Size: 'employee_count' };
  const job = { operation: 'enrich-company', account: 'data', add, on_existing: 'fill' };
  await desk.write('job.yaml', JSON.stringify(job));
  await desk.type(['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '9']);
  const faces = await facesOf(desk, (await desk.json(['status', 'last'])).batch);
  await expectAlike(faces, { matched: 2, skipped: 2, invalid: 1 }, 'filled');
  const { page } = faces;
  await page.getByText('2 of 3 companies found, 67 %; 2 rows had it already').waitFor();
  await page.getByRole('link', { name: 'Report' }).click();
  await page.getByText('2 had it already').waitFor();
  await page.getByRole('link', { name: 'Rowonce' }).click();
  await page.getByText('2 of 3', { exact: true }).waitFor();
});

test('figures of a team whose next list its guards hold back', async () => {
  const desk = await openDesk();
  const run = ['run', 'onboard', 'team.csv', '--account', 'sandbox-service', '--create-projects', '--yes'];
  const team = 'Email,Project,Role\njo@team.example,Harbour,viewer\nal@team.example,Harbour,editor\n';
  await desk.write('team.csv', team);
  const { batch } = await desk.json(run);
  await desk.write('team.csv', team.replace('editor', 'admin'));
  expect((await desk.type(run)).code).toBe(2);
  const expected = { applied: 2 };
  await expectAlike(await facesOf(desk, batch), expected, 'held back');
});

test('what is bought for a row is in its cells before the row has ended, and every face counts it', async () => {
  const said = ({ path }: { readonly path: string }) =>
    path.includes('company') ? { name: 'Acme' } : { full_name: 'Jo Lee' };
  const at = await deskBefore(said);
  const { desk } = at;
  const rows = ['a', 'b', 'c'].map((name) => `${name}.example,jo@${name}.example\n`);
  await desk.write('list.csv', `Domain,E-mail\n${rows.join('')}`);
  const run = ['run', 'enrich-company,enrich-person', 'list.csv', '--budget', '50', '-o', 'out.csv'];
  expect(await desk.type([...run, '--limit', '1'])).toMatchObject({ code: 0 });
  const held = Promise.withResolvers<void>();
  at.answer = async (asked) => {
    if (asked.path.includes('company')) return said(asked);
    await held.promise;
    return Response.json({}, { status: 402 });
  };
  const faces = await facesOf(desk, (await desk.json(['status', 'last'])).batch);
  const { page, served, batch } = faces;
  await page.getByRole('button', { name: 'Go on' }).click();
  const asked = (what: string): number => at.asked.filter(({ path }) => path.includes(what)).length;
  await expect.poll(() => asked('person')).toBe(2);
  const cells = page.getByRole('gridcell', { name: 'Acme' });
  await expect.poll(() => cells.count()).toBeGreaterThan(1);
  held.resolve();
  await page.getByText('2 rows to go').waitFor();
  const bought = asked('company');
  await page
    .getByText(`So far ${bought} of ${bought} companies and 1 of 1 person found; 2 rows to go`)
    .waitFor();
  const funnel = page.locator('.funnel button', { hasText: 'found' });
  await expect.poll(() => funnel.innerText()).toMatch(/^1 found$/);
  // What the other rows have cost is no price of the one that was found.
  expect(await page.locator('main').innerText()).not.toContain('for each one');
  await expect.poll(() => cells.count()).toBe(bought);
  const { body } = await served.tool(`/api/batches/${batch}/files/output`);
  const downloaded: Record<string, string>[] = parse(body, { columns: true });
  expect(downloaded.filter(({ name }) => name === 'Acme').length).toBe(bought);
  const searched: JsonResult = await ask(served, 'POST', '/status', { batch, search: 'acme' });
  expect(searched.rows.length).toBe(bought);
  expect(await page.locator('aside h2').allInnerTexts()).toEqual([
    'What it was found by, in finished rows',
    'What came back, in finished rows',
    'Who found it',
  ]);
  expect(await page.getByText('for each one').count()).toBe(0);
  await expectAlike(faces, { matched: 1, pending: 2 }, 'between a company and its person');
});

test('what was bought can be downloaded also before any row has ended', async () => {
  const { desk } = await deskBefore(({ path }) =>
    path.includes('company') ? { name: 'Acme' } : Response.json({}, { status: 402 }),
  );
  await desk.write('list.csv', 'Domain,E-mail\na.example,jo@a.example\n');
  await desk.type(['run', 'enrich-company,enrich-person', 'list.csv', '--budget', '50', '-o', 'out.csv']);
  const faces = await facesOf(desk, (await desk.json(['status', 'last'])).batch);
  await faces.page.getByRole('button', { name: 'Download the list' }).waitFor();
  await expectAlike(faces, { pending: 1 }, 'before any row has ended');
});

test('a row that goes on says what was paid for it, also where nothing was found yet', async () => {
  const { desk, speak } = await deskBefore(({ path }) =>
    path.includes('company')
      ? Response.json({ error: 'No match' }, { status: 404 })
      : Response.json({}, { status: 402 }),
  );
  speak({ operations: { 'enrich-company': { credits: { most: 1, found: 1, miss: 1 } } } });
  await desk.write('list.csv', 'Domain,E-mail\na.example,jo@a.example\n');
  await desk.type(['run', 'enrich-company,enrich-person', 'list.csv', '--budget', '50', '-o', 'out.csv']);
  const faces = await facesOf(desk, (await desk.json(['status', 'last'])).batch);
  const { page, served, batch } = faces;
  await expectAlike(faces, { pending: 1 }, 'after a miss');
  const { body } = await served.tool(`/api/batches/${batch}/files/output`);
  expect(parse(body, { columns: true })).toMatchObject([{ _status: 'pending', _credits: '1' }]);
  await page.getByRole('gridcell', { name: 'a.example', exact: true }).click();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /^Row 2/ }).waitFor();
  await page.getByText('1 credit', { exact: true }).waitFor();
  expect(await page.getByText('It was not asked yet').count()).toBe(0);
});
