/**
 * Goal: a list has the same figures wherever somebody looks: on its page, in its table, in the report, in `--json` and in what is
 * downloaded, after every kind of ending and decision.
 * Method: real commands before the sandbox as a vendor that loses answers, and a real page in a real browser beside them. After each
 * step all faces are asked, and held against the rows that the download has.
 */
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { ChangesObject, FiguresObject } from '../../src/web/api.ts';
import { type Desk, deskBefore, type JsonResult, openDesk, SERVICE } from '../cli/desk.ts';
import type { Ended } from '../cli/rowonce.ts';
import { some } from '../support/combinations.ts';
import { Gateway, type Weather } from './gateway.ts';
import { ask, brought, endOf, servedIn, started, useBrowser } from './scene.ts';
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
  // The tiles add up to the first one; changes stand apart from people.
  const parts = async (): Promise<readonly number[]> => {
    const looks = await page.locator('.tile').evaluateAll((all) => all.map(({ className }) => className));
    const apart = looks.findIndex((look) => look.includes('apart'));
    const counts = (await page.locator('.tile b').allInnerTexts()).map((text) =>
      Number(text.replace(',', '')),
    );
    return apart === -1 ? counts : counts.slice(0, apart);
  };
  const all = json.changes === undefined ? rows : json.changes.people.all;
  await expect.poll(async () => (await parts()).slice(1).reduce((sum, part) => sum + part, 0)).toBe(all);
  expect((await parts())[0]).toBe(all);
  const said = await page.locator('main').innerText();
  if (json.changes !== undefined) expectTeam(json.changes, { said, body, headline });
  else expectAsked(json, figures, body);
  const listed = async () => (await page.locator('aside .step > b').allInnerTexts()).map(Number);
  const needing = async () => (await listed()).reduce((sum, part) => sum + part, 0);
  await expect.poll(needing, { message: 'beside the table' }).toBe(attention);
  // The bar above every view counts what was done last over each list.
  const [newest] = (await ask(served, 'GET', '/batches?newest=true')).batches;
  if (newest.batch !== batch || newest.state !== 'finished') return;
  const told = attention === 0 ? [] : ['▲ 1 list needs attention'];
  await expect.poll(() => page.locator('header a.need').allInnerTexts()).toEqual(told);
}

const sum = (counts: Figures): number => Object.values(counts).reduce((all, count) => all + count, 0);

const noun = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

/** People and changes are two words, and each face has both. */
function expectTeam(
  { people, planned, done }: ChangesObject,
  { said, body, headline }: Readonly<Record<'said' | 'body' | 'headline', string>>,
): void {
  const { all, ...ends } = people;
  expect(sum(ends)).toBe(all);
  const words = `${noun(all, 'person', 'people')}, ${planned === 0 ? 'nothing to change' : noun(planned, 'change')}`;
  expect(headline.startsWith(words), headline).toBe(true);
  // In the title as in the panel.
  expect(said.split(words).length, said).toBeGreaterThan(2);
  expect(body).toContain(words);
  expect(sum(done)).toBeLessThanOrEqual(planned);
}

/** A start says of so many rows that it asked for them as it has asked, whatever was known before. */
function expectAsked(json: JsonResult, figures: FiguresObject, body: string): void {
  const { asked, known, twice, filled_before: filled, usable, found, found_free: free } = figures;
  expect(asked + known + twice + filled).toBeLessThanOrEqual(usable);
  expect(asked).toBeLessThanOrEqual(json.requests);
  expect(free).toBeLessThanOrEqual(found);
  // What an earlier start of the list has paid for is neither free nor known from elsewhere.
  const all = figures.in_all ?? figures;
  expect(all.found_free).toBeLessThanOrEqual(free);
  expect(reportMeter(body, 'Looked up')).toBe(all.asked);
  expect(reportMeter(body, 'Known before')).toBe(all.known);
  expect(body).toContain(noun(json.requests, 'request'));
}

/** A figure of the report; 0 where it has no line. */
function reportMeter(body: string, name: string): number {
  const says = new RegExp(`>${name}<[\\s\\S]*?class="soft">([\\d,]+)`).exec(body)?.[1] ?? '0';
  return Number(says.replace(',', ''));
}

/** What Home and Money say of the list. */
async function expectElsewhere({ served, batch }: Faces, tab: Page): Promise<void> {
  const { batches } = await ask(served, 'GET', '/batches?newest=true');
  const [line] = batches;
  const month = new Date().toISOString().slice(0, 7);
  await tab.goto(`${served.url}/`);
  const home = tab.getByRole('listitem').first();
  await home.waitFor();
  const report = await ask(served, 'GET', `/batches/${batch}/report`);
  if (line.changes !== undefined) {
    const { all } = line.changes.people;
    expect(line.changes.people).toEqual(report.changes.people);
    await expect.poll(() => home.innerText()).toContain(noun(all, 'person', 'people'));
    await expect.poll(() => home.innerText()).toContain(noun(line.changes.planned, 'change'));
    return;
  }
  const { spent } = line.in_all.credits;
  expect(report.figures.in_all?.credits.spent ?? report.credits.spent).toBe(spent);
  await expect.poll(() => home.innerText()).toContain(noun(spent, 'credit'));
  const { groups } = await ask(served, 'POST', '/spend', { month, by: 'list' });
  expect(groups.map((group: { readonly spent: number }) => group.spent)).toEqual([spent]);
  await tab.goto(`${served.url}/money`);
  await expect.poll(() => tab.locator('main').innerText()).toMatch(new RegExp(`\\b${spent}\\b`));
}

async function expectAlike(faces: Faces, expected: Figures, when: string): Promise<void> {
  for (const [face, figures] of Object.entries(await countsOf(faces)))
    expect(figures, `${face}, ${when}`).toEqual(expected);
  await expectSaid(faces, expected);
}

test('a list of companies has the same figures in each face: stopped, killed, left out, started again, edited', async () => {
  const desk = await openDesk({ concurrency: 1 });
  const domain = (at: number): string => `a-${at}.example`;
  const rows = (...more: readonly string[]): string =>
    `Domain\n${[...Array.from({ length: 6 }, (_, at) => domain(at)), domain(0), 'no address', ...more].join('\n')}\n`;
  await desk.write('list.csv', rows());
  const run = (budget: number) => [
    'run',
    'enrich-company',
    'list.csv',
    '-o',
    'out.csv',
    '--budget',
    `${budget}`,
  ];
  expect((await desk.type(run(2))).code).toBe(4);
  let { batch } = await desk.json(['status', 'last']);
  let faces = await facesOf(desk, batch);
  const tab = await tabAt(faces.served, '/');
  const alike = async (expected: Figures, when: string): Promise<void> => {
    await expectAlike(faces, expected, when);
    await expectElsewhere(faces, tab);
  };
  await alike({ matched: 3, pending: 4, invalid: 1 }, 'at its budget');
  const env = { ROWONCE_TEST_HOOKS: '1', ROWONCE_CRASH_AT: 'after-send' };
  expect((await desk.start(run(9), { env })).code).not.toBe(0);
  await alike({ matched: 3, pending: 4, invalid: 1 }, 'killed');
  await desk.type(run(9));
  await alike({ matched: 6, in_doubt: 1, invalid: 1 }, 'gone on');
  await desk.type(['settle', batch, '4', '--skip']);
  await alike({ matched: 6, skipped: 1, invalid: 1 }, 'with a doubt left out');
  // Another version asks for its new row alone.
  await desk.write('list.csv', rows(domain(7)));
  await desk.type(run(9));
  ({ batch } = await desk.json(['status', 'last']));
  faces = { ...faces, batch, page: await tabAt(faces.served, `/files/${batch}`) };
  await alike({ matched: 7, skipped: 1, invalid: 1 }, 'another version');
  const { figures } = await ask(faces.served, 'GET', `/batches/${batch}/report`);
  expect(figures).toMatchObject({ asked: 1, known: 6, twice: 0, found: 7, found_free: 6 });
  await desk.type(run(9));
  await alike({ matched: 7, skipped: 1, invalid: 1 }, 'started a second time');
});

test('a list on the page has the same figures after a try, after rows asked again, and after another version', async () => {
  const desk = await openDesk({ matchRate: 1, concurrency: 1 });
  const served = await servedIn(desk.place.folder, desk.environment());
  const csv = (...more: readonly string[]): string => {
    const sites = Array.from({ length: 8 }, (_, at) => `a-${at}.example,${at < 6 ? 'Prospect' : 'Customer'}`);
    return ['Domain,Status', ...sites, ',Prospect', 'no address,Prospect', ...more, ''].join('\n');
  };
  const id = await brought(served, 'Targets.csv', csv());
  const job = {
    operation: 'enrich-company',
    account: 'data',
    add: { Staff: 'employee_count' },
    unless: { Status: 'Customer' },
  };
  await ask(served, 'PUT', `/lists/${id}/job`, job);
  await started({ served, list: id }, job, { sample: 3 });
  const tiles = async (page: Page): Promise<string> =>
    (await page.locator('.tile').allInnerTexts()).join(', ').replaceAll('\n', ' ');
  const report = await tabAt(served, '/');
  /** The report, as the page shows it and as it is downloaded. */
  const reported = async (batch: string): Promise<readonly string[]> => {
    await report.goto(`${served.url}/reports/${batch}`);
    await report.getByRole('heading', { name: 'Cost' }).waitFor();
    const { body } = await served.tool(`/api/batches/${batch}/files/report`);
    const meters = await report.locator('.meters > span:nth-child(3n + 1)').allInnerTexts();
    const says = await report.locator('.meters > .soft').allInnerTexts();
    for (const text of says) expect(body.replaceAll('&quot;', '"')).toContain(text);
    const cost = await report.locator('section', { hasText: 'Cost' }).locator('dl').first().innerText();
    return [...meters.map((name, at) => `${name} ${says[at]}`), cost.replaceAll(/\s+/g, ' ')];
  };
  let { batch } = await desk.json(['status', 'last']);
  const page = await tabAt(served, `/lists/${id}`);
  await expect.poll(() => tiles(page)).toBe('10 rows, 3 to look up, 3 tried, 2 left out, 2 need attention');
  expect(await reported(batch)).toEqual([
    ...['Rows 10', 'Looked up 3', 'Left out 2, "Status" is "Customer"', 'Not asked 3', 'Cannot be used 2'],
    ...['Found 3', 'Need attention 2'],
    'Credits 3 Never more than 1,000 credits',
  ]);
  await started({ served, list: id }, job);
  const { id: plan } = await ask(served, 'POST', `/batches/${batch}/again`, { only: '2-5' });
  const { work } = await ask(served, 'POST', '/tasks', { batch, again: { only: '2-5', plan }, budget: 4 });
  await endOf(served, work.id);
  ({ batch } = await desk.json(['status', 'last']));
  expect(await desk.place.vendor.book()).toMatchObject({ credits: 10 });
  await expect.poll(() => tiles(page)).toBe('10 rows, 6 found, 2 left out, 2 need attention');
  // What was paid for minutes before is no gift of the last start.
  expect(await reported(batch)).toEqual([
    ...['Rows 10', 'Looked up 6', 'Left out 2, "Status" is "Customer"', 'Cannot be used 2'],
    ...['Found 6', 'Need attention 2'],
    'Credits 10 The last start, as in _credits 4 credits, never more than 4 credits',
  ]);
  const credits = async (): Promise<number> => {
    const { body } = await served.tool(`/api/batches/${batch}/files/output`);
    const rows: Record<string, string>[] = parse(body, { columns: true });
    return rows.reduce((sum, row) => sum + Number(row._credits), 0);
  };
  expect(await credits()).toBe(4);
  // Another version, in which each row has another number, asks for its new one.
  const [head = '', ...lines] = csv('new.example,Prospect').trim().split('\n');
  const next = [head, ...lines.toReversed(), ''].join('\n');
  expect((await ask(served, 'PUT', `/lists?name=Targets.csv&as=${id}`, next)).status).toBe(201);
  await started({ served, list: id }, job);
  ({ batch } = await desk.json(['status', 'last']));
  expect(await reported(batch)).toEqual([
    ...['Rows 11', 'Looked up 7', 'Left out 2, "Status" is "Customer"', 'Cannot be used 2'],
    ...['Found 7', 'Need attention 2'],
    'Credits 11 The last start, as in _credits 1 credit, never more than 1,000 credits',
  ]);
  expect(await credits()).toBe(1);
});

test('a team has the same people and changes in each face: killed, gone on, left out, edited, taken back', async () => {
  const answer = ({ path }: { readonly path: string }, nth: number) =>
    path.includes('delete') ? {} : { invite_code: `invite-${nth}` };
  const { desk } = await deskBefore(answer, SERVICE);
  const sheet = (...people: readonly string[]) =>
    desk.write('team.csv', ['Email,Project_ID,Role', ...people, ''].join('\n'));
  const run = ['run', 'onboard', 'team.csv', '-o', 'out.csv', '--yes'];
  const own = ['ann@t.example,p-1,viewer', 'ann@t.example,p-2,viewer', 'bob@t.example,p-1,viewer'];
  await sheet(...own, 'not an address,p-1,viewer');
  const env = { ROWONCE_TEST_HOOKS: '1', ROWONCE_CRASH_AT: 'after-send' };
  expect((await desk.start(run, { env })).code).not.toBe(0);
  let { batch } = await desk.json(['status', 'last']);
  let faces = await facesOf(desk, batch);
  const tab = await tabAt(faces.served, '/');
  const alike = async (expected: Figures, people: Figures, when: string): Promise<void> => {
    await expectAlike(faces, expected, when);
    const { changes } = await desk.json(['status', faces.batch]);
    const some = Object.entries(changes.people as Figures).filter(([, count]) => count > 0);
    expect(Object.fromEntries(some), when).toEqual(people);
    await expectElsewhere(faces, tab);
  };
  await alike({ pending: 3, invalid: 1 }, { all: 3, pending: 2, attention: 1 }, 'killed');
  await desk.type(run);
  await alike({ applied: 2, in_doubt: 1, invalid: 1 }, { all: 3, changed: 1, attention: 2 }, 'gone on');
  await desk.type(['settle', batch, '2', '--skip']);
  const left = { applied: 2, skipped: 1, invalid: 1 };
  await alike(left, { all: 3, changed: 2, attention: 1 }, 'with a doubt left out');
  await sheet(...own.slice(1), 'cid@t.example,p-1,viewer');
  await desk.type(run);
  ({ batch } = await desk.json(['status', 'last']));
  faces = { ...faces, batch, page: await tabAt(faces.served, `/files/${batch}`) };
  await alike({ applied: 1, unchanged: 2 }, { all: 3, changed: 1, unchanged: 2 }, 'another version');
  const undone = await desk.type(['undo', batch, '--yes']);
  expect(undone.code, undone.stdout + undone.stderr).toBe(0);
  faces = { ...faces, page: await tabAt(faces.served, `/files/${batch}`) };
  await alike({ applied: 1, unchanged: 2 }, { all: 3, taken_back: 1, unchanged: 2 }, 'taken back');
  await faces.page.locator('.tile').getByText('taken back').waitFor();
  await faces.page.getByText('1 change: all done, all taken back').waitFor();
});

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
  await page.getByText('Had it already', { exact: true }).waitFor();
  await page.getByText('2, free', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Rowonce' }).click();
  await page.getByText('2 of 3 found', { exact: true }).waitFor();
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
  const funnel = page.locator('button.tile', { hasText: 'found' });
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
  await faces.page.getByRole('button', { name: 'Download as ▾' }).waitFor();
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
