/**
 * Goal: whatever stops a list stands above it in her words, with the button that goes on, and nothing is asked twice. When the page's
 * server is killed, what it had started records every answer that is on its way and sends nothing new. Nothing stays of a download.
 * Method: a real page in a real browser before vendors that stop for real: a small budget, a dead key, no credits, a long pause, odd
 * answers, a run in a terminal. The vendor's book says what was asked.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { type Desk, openDesk } from '../cli/desk.ts';
import { proof } from '../support/combinations.ts';
import { Gateway, type Weather } from './gateway.ts';
import { AT_WORK, ask, brought, endOf, servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const tabAt = useBrowser();

/** Many seconds, of which a run here sees the beginning; what is left then is asked for by many at once. */
const ROWS = 100;

const JOB = { operation: 'enrich-company', account: 'data' };

const pageAt = (desk: Desk): Promise<Served> => servedIn(desk.place.folder, desk.environment());

/** Starts the list of the desk. @returns the ids of the list and of its work. */
async function start(served: Served, desk: Desk, budget = 1_000, job: object = JOB) {
  const list = await brought(served, 'list.csv', await desk.read('list.csv'));
  const { id: plan } = await ask(served, 'POST', '/plan', { file: list, job });
  const { work } = await ask(served, 'POST', '/run', { file: list, job, plan, budget });
  return { list, work: String(work.id) };
}

interface Stopped {
  readonly desk: Desk;
  readonly served: Served;
  readonly gateway: Gateway;
  readonly page: Page;
}

/** A list of ten rows that has ended with what the vendor says in the place of its answers. */
async function stoppedBy(weather: Weather): Promise<Stopped> {
  const desk = await openDesk({ concurrency: 1 });
  desk.list(10);
  const gateway = await Gateway.before(desk.place.vendor.url, weather);
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  desk.place.writeAccount(gateway.url);
  const served = await pageAt(desk);
  const { list, work } = await start(served, desk);
  await endOf(served, work);
  return { desk, served, gateway, page: await tabAt(served, `/lists/${list}`) };
}

const says = (status: number, error: string) => ({
  status,
  body: JSON.stringify({ error }),
  headers: { 'content-type': 'application/json' },
});

const sees = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name }).first().click();

test('on a phone a list that has ended is one line above its cards, with its headline once', async () => {
  const desk = await openDesk();
  desk.list(3);
  const served = await pageAt(desk);
  const { list, work } = await start(served, desk);
  await endOf(served, work);
  const page = await tabAt(served, `/lists/${list}`, { viewport: { width: 390, height: 844 } });
  const line = page.getByRole('button', { name: /of 3 companies found.*More$/ });
  await line.waitFor();
  expect(await line.getAttribute('aria-expanded')).toBe('false');
  const first = await page.getByRole('list', { name: 'Rows' }).getByRole('listitem').first().boundingBox();
  expect(first?.y).toBeLessThan(500);
  await line.click();
  await press(page, 'Results Less');
  await line.waitFor();
});

test('a budget that is used is raised in its field, also after the page was closed in between', async () => {
  const desk = await openDesk({ concurrency: 1 });
  desk.list(8);
  const first = await pageAt(desk);
  const { list, work } = await start(first, desk, 3);
  await endOf(first, work);
  const told = 'The 3 credits that you allowed are used. 5 rows are left; they cost at most 5 credits more.';
  await sees(await tabAt(first, `/lists/${list}`), told);
  await first.stop();
  const second = await pageAt(desk);
  const page = await tabAt(second, `/lists/${list}`);
  await sees(page, told);
  // A click raises it by a little, and the rest of the list is a number that she types.
  const more = page.getByLabel('Credits more');
  expect(await more.inputValue()).toBe('1');
  await more.fill('3');
  await press(page, 'Go on');
  await sees(page, 'The 6 credits that you allowed are used. 2 rows are left');
  await expect.poll(() => more.inputValue()).toBe('2');
  await press(page, 'Go on');
  await sees(page, '8 of 8 companies found');
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 8, credits: 8 });
});

proof(
  'another key is typed where the vendor does not take the old one, and the list goes on with it',
  async () => {
    const { desk, gateway, page } = await stoppedBy((call) =>
      call > 4 ? says(401, 'no such key') : undefined,
    );
    await sees(page, 'The vendor refuses the key of data. Nothing was lost. 6 rows are left.');
    gateway.weather = () => undefined;
    await page.getByLabel('New key').fill('key-2');
    await press(page, 'Take it and go on');
    await sees(page, '10 of 10 companies found');
    expect(await desk.read('config/accounts.yaml')).toContain('key-2');
  },
);

test('of two accounts, the one whose key is dead is named, and it takes the new key', async () => {
  const desk = await openDesk({ matchRate: 0 });
  desk.list(3);
  const gateway = await Gateway.before(desk.place.vendor.url, () => says(401, 'no such key'));
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  const limits = { per_second: 2_000 };
  const account = (url: string) => ({ vendor: 'provider', base_url: url, key: 'key-1', limits });
  desk.place.writeAccounts({ data: account(desk.place.vendor.url), spare: account(gateway.url) });
  const served = await pageAt(desk);
  const job = { operations: { 'enrich-company': { account: ['data', 'spare'] } } };
  const { list, work } = await start(served, desk, 100, job);
  await endOf(served, work);
  const page = await tabAt(served, `/lists/${list}`);
  await sees(page, 'The vendor refuses the key of spare. Nothing was lost. 3 rows are left.');
  gateway.weather = () => undefined;
  await page.getByLabel('New key').fill('key-2');
  await press(page, 'Take it and go on');
  await sees(page, /^0 of 3 companies found/);
  expect(await desk.read('config/accounts.yaml')).toMatch(/data[\s\S]*key-1[\s\S]*spare[\s\S]*key-2/);
});

test('an account has a limit of its own: the next one is asked for the rest, or it is raised where it was set', async () => {
  const desk = await openDesk();
  desk.list(3);
  const gateway = await Gateway.before(desk.place.vendor.url);
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  const account = (url: string) => ({ vendor: 'provider', base_url: url, key: 'key-1' });
  desk.place.writeAccounts({ data: account(desk.place.vendor.url), spare: account(gateway.url) });
  const served = await pageAt(desk);
  const list = await brought(served, 'list.csv', await desk.read('list.csv'));
  const job = { operations: { 'enrich-company': { account: ['data', 'spare'] } } };
  await ask(served, 'PUT', `/lists/${list}/job`, job);
  const page = await tabAt(served, `/lists/${list}`);
  for (const name of ['data', 'spare']) {
    await page.getByLabel(`Most credits at ${name}`).fill('1');
    await page.getByLabel(`Most credits at ${name}`).blur();
  }
  const kept = async () => (await ask(served, 'GET', `/lists/${list}`)).job.budget?.accounts;
  await expect.poll(kept).toEqual({ data: 1, spare: 1 });
  await page.getByRole('button', { name: /^Start, / }).click();
  await sees(page, /^The budget of this list at the account \w+ is used\. 1 row is left\./);
  expect(await desk.requests()).toBe(2);
  await press(page, 'Change its limit');
  await page.getByLabel('Most credits at spare').fill('');
  await page.getByLabel('Most credits at spare').blur();
  await expect.poll(kept).toEqual({ data: 1 });
  await page.getByRole('button', { name: /^Start, / }).click();
  await sees(page, '3 of 3 companies found');
  expect(await desk.requests()).toBe(3);
});

proof('credits that were bought meanwhile are used', async () => {
  const { gateway, page } = await stoppedBy((call) => (call > 4 ? says(402, 'no credits left') : undefined));
  await sees(page, 'The account data has no credits left at the vendor. Nothing was lost. 6 rows are left.');
  gateway.weather = () => undefined;
  await press(page, 'I have bought more: go on');
  await sees(page, '10 of 10 companies found');
});

test('a list whose vendor asks to wait for long says when it can go on', async () => {
  const { page } = await stoppedBy((call) =>
    call > 4 ? { ...says(429, 'slow down'), headers: { 'retry-after': '5000' } } : undefined,
  );
  await sees(page, /It can go on .*\d\d:\d\d\. 6 rows are left\./);
  await page.getByRole('button', { name: 'Try now' }).waitFor();
});

proof('answers that look wrong are agreed to by a button', async () => {
  const { page } = await stoppedBy(() => says(422, 'not supported'));
  await sees(page, 'Many answers in a row look wrong.');
  await press(page, 'They are right: leave such rows out');
  await sees(page, '0 of 10 companies found');
});

test('an account that is at another address is agreed to before anything is sent, and the plan that it makes is looked at again', async () => {
  const desk = await openDesk();
  desk.list(2, 'first.csv');
  expect((await desk.type(['run', 'enrich-company', 'first.csv', '--budget', '9'])).code).toBe(0);
  desk.list(3);
  const gateway = await Gateway.before(desk.place.vendor.url);
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  const served = await pageAt(desk);
  desk.place.writeAccount(gateway.url);
  const { list, work } = await start(served, desk);
  await endOf(served, work);
  const page = await tabAt(served, `/lists/${list}`);
  await sees(page, 'An account of this name was at another address before.');
  expect(await desk.requests()).toBe(2);
  await press(page, 'It is the same account');
  await sees(page, 'The plan has changed since it was shown. Nothing was sent.');
  await press(page, 'Look at it again');
  await page.getByRole('button', { name: /^Start, / }).click();
  await sees(page, '3 of 3 companies found');
  expect(await desk.requests()).toBe(5);
});

test('a list does not wait for itself where the page hears late that it has begun', async () => {
  const desk = await openDesk({ latencyMs: 200, concurrency: 1 });
  desk.list(ROWS);
  const served = await pageAt(desk);
  const list = await brought(served, 'list.csv', await desk.read('list.csv'));
  const page = await tabAt(served, `/lists/${list}`);
  const { list: unstarted } = await ask(served, 'GET', `/lists/${list}/known`);
  await page.route('**/known', async (route) => {
    const { work } = await ask(served, 'GET', '/tasks');
    await route.fulfill({ json: { list: unstarted, batches: [], work } });
  });
  const { work } = await start(served, desk);
  await expect.poll(() => desk.requests(), { interval: 20 }).toBeGreaterThan(1);
  await sees(page, 'You may close this tab: it goes on.');
  await page.waitForResponse(/\/api\/batches$/);
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await page.getByText('Yours comes next.').count()).toBe(0);
  await page.unrouteAll({ behavior: 'wait' });
  await ask(served, 'POST', `/tasks/${work}/stop`);
});

test('behind a list that a terminal works on, the one of the page comes next, or is not started', async () => {
  const desk = await openDesk({ latencyMs: 200, concurrency: 1 });
  desk.list(60);
  const served = await pageAt(desk);
  await desk.write('other.csv', 'Domain\nother.example\n');
  const list = await brought(served, 'other.csv', await desk.read('other.csv'));
  const page = await tabAt(served, `/lists/${list}`);
  const terminal = desk.start(desk.run());
  await expect.poll(() => desk.requests(), { interval: 20 }).toBeGreaterThan(1);
  const { id: plan } = await ask(served, 'POST', '/plan', { file: list, job: JOB });
  const order = { file: list, job: JOB, plan, budget: 5 };
  const { work } = await ask(served, 'POST', '/run', order);
  const who = AT_WORK;
  await sees(
    page,
    new RegExp(`“list.csv” is being worked on by ${who}, \\d+\\s% of \\d+ rows done. Yours comes next.`),
  );
  await press(page, 'Do not start it');
  await endOf(served, work.id);
  await ask(served, 'POST', '/run', order);
  await sees(page, '1 of 1 company found');
  await page.getByRole('button', { name: /^1 row(?!s)/ }).waitFor();
  expect((await terminal).code).toBe(0);
  expect(await desk.requests()).toBe(61);
});

test('where only the rows that she chose were asked, nothing was stopped, and a button leads to the price of the others', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
  desk.list(5);
  const served = await pageAt(desk);
  const file = await brought(served, 'list.csv', await desk.read('list.csv'));
  const { id: plan } = await ask(served, 'POST', '/plan', { file, job: JOB, only: '2-3' });
  const { work } = await ask(served, 'POST', '/run', { file, job: JOB, plan, only: '2-3', budget: 9 });
  await endOf(served, work.id);
  const before = await tabAt(served, `/lists/${file}`);
  await sees(before, 'The rows that you chose are done. 3 rows are left.');
  expect((await served.stop()).code).toBe(0);
  const page = await tabAt(await pageAt(desk), `/lists/${file}`);
  await sees(page, 'The rows that you chose are done. 3 rows are left.');
  expect(await page.locator('.state').innerText()).not.toContain('Stopped');
  await press(page, 'Ask again (1 more credit)');
  await sees(page, '2 of 5 companies found');
  await sees(page, 'The rows that you chose are done. 3 rows are left.');
  expect(await desk.requests()).toBe(3);
  await press(page, 'Go on with the others');
  await sees(page, '3 credits at most');
  await page.getByRole('rowheader', { name: '3' }).click();
  await page.getByRole('rowheader', { name: '4' }).click();
  await page.getByRole('button', { name: 'Ask 1 of the 2 selected' }).waitFor();
  await press(page, 'None');
  await page.getByRole('button', { name: /^Start, / }).click();
  await sees(page, '5 of 5 companies found');
});

test('play money says that it is, and what is real is found by one click with an account of hers', async () => {
  const desk = await openDesk();
  desk.list(60);
  const served = await pageAt(desk);
  const play = { ...JOB, account: 'sandbox-provider' };
  const { list } = await start(served, desk, 60, play);
  await ask(served, 'PUT', `/lists/${list}/job`, play);
  const page = await tabAt(served, `/lists/${list}`);
  await sees(page, 'These answers are invented: it is play money.');
  await page.getByRole('button', { name: 'Use data in place of play money' }).click();
  await sees(page, '60 credits at most');
  expect((await ask(served, 'GET', '/lists')).lists[0].job).toMatchObject({ ...JOB, account: 'data' });
});

test('a page that is killed leaves no doubt, and the next one goes on', async () => {
  const desk = await openDesk({ latencyMs: 300 });
  desk.list(ROWS);
  const page = await pageAt(desk);
  const { list } = await start(page, desk);
  const tab = await tabAt(page, `/lists/${list}`);
  await expect.poll(() => tab.title()).toMatch(/^\d+ of 100 · list.csv$/);
  await expect.poll(() => desk.requests(), { interval: 20 }).toBeGreaterThan(4);

  await page.stop('SIGKILL');
  await sees(tab, 'Rowonce was closed at');
  // It says who it is as long as it holds the store.
  await expect.poll(() => existsSync(desk.place.path('store/spender.json'))).toBe(false);
  const { open, inDoubt, spent } = desk.place.ledger();
  const { requests, credits } = await desk.place.vendor.book();
  expect({ open, inDoubt, spent }).toEqual({ open: [], inDoubt: 0, spent: credits });
  expect(requests, 'stopped on its way').toBeLessThan(ROWS);
  desk.place.hurry();
  const next = await tabAt(await pageAt(desk), `/lists/${list}`);
  await sees(next, /The list was stopped\. \d+ rows are left\./);
  await press(next, 'Go on');
  await sees(next, new RegExp(`^\\d+ of ${ROWS} companies found`));
  expect((await desk.place.vendor.book()).requests, 'nothing was asked twice').toBe(ROWS);
});

test('of a download no copy is left, by its end or by a kill', async () => {
  const desk = await openDesk();
  desk.list(3);
  const { batch } = await desk.json(desk.run());
  const copies = desk.place.path('store/downloads');
  mkdirSync(join(copies, 'copy-of-a-killed-page'), { recursive: true });
  const page = await pageAt(desk);
  expect(existsSync(copies)).toBe(false);
  const path = `/api/batches/${batch}/files/output`;
  expect((await page.ask(path)).status).toBe(401);
  const { status, headers, body } = await page.tool(path);
  expect([status, body]).toEqual([200, await desk.read('out.csv')]);
  expect(headers).toMatchObject({
    'content-disposition': expect.stringMatching(/^attachment; /),
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  });
  expect(readdirSync(copies)).toEqual([]);
});
