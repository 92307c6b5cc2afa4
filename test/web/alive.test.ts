/**
 * Goal: a list that runs is never a riddle. A start keeps the place that she looked at; a wait says why, with a try at once where nobody
 * has named the time; a tab whose server has ended says whether the work goes on; and a browser tells her of the end if she asked for it.
 * Method: a real `rowonce serve` and the embedded vendors before a real Chromium. What no vendor does within a test, such as a wait of a
 * minute, is put into what the server says.
 */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { WorkView } from '../../src/web/api.ts';
import { openDesk } from '../cli/desk.ts';
import { startRowonce } from '../cli/rowonce.ts';
import { ask, brought, lastWork, servedIn, useBrowser } from './scene.ts';
import { environmentIn, type Served } from './served.ts';

const tabAt = useBrowser();

const JOB = { operation: 'enrich-company', account: 'sandbox-provider' };

const companies = (count: number): string =>
  `Website\n${Array.from({ length: count }, (_, at) => `company-${1000 + at}.example\n`).join('')}`;

/** A list that runs for longer than any machine needs to look, or to its end at this rate. */
async function running(rows: number, rate: string, options: BrowserContextOptions = {}) {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: `--rate ${rate} --match-rate 1` });
  const list = await brought(served, 'firms.csv', companies(rows));
  const { id: plan } = await ask(served, 'POST', '/plan', { file: list, job: JOB });
  const begun = await ask(served, 'POST', '/run', { file: list, job: JOB, plan });
  expect(begun.status, JSON.stringify(begun)).toBe(200);
  const page = await tabAt(served, '/', options);
  return { served, list, page, look: () => page.goto(`${served.url}/lists/${list}`) };
}

/** Puts more into what the server says of the batch. */
async function saying(served: Served, page: Page, more: () => object): Promise<void> {
  await page.route('**/api/lists/*/known', async (route) => {
    const { pathname } = new URL(route.request().url());
    const { batch, ...known } = await ask(served, 'GET', pathname.replace('/api', ''));
    await route
      .fulfill({ json: { ...known, batch: batch && { ...batch, ...(batch.running && more()) } } })
      .catch(() => {});
  });
  onTestFinished(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
}

const inAMinute = (): string => new Date(Date.now() + 60_000).toISOString();

test('where nobody has named the time of a wait, she tries at once, and the list goes on', async () => {
  const { served, page, look } = await running(500, '1/s');
  let isOver = false;
  const why = 'the vendor does not answer (HTTP 503). Look at its status page';
  await saying(served, page, () =>
    isOver ? {} : { paused_until: inAMinute(), paused_why: why, paused_asked: false, may_try_now: true },
  );
  await look();
  await page
    .getByText(/^The vendor does not answer\. The next try is in [56]\d s; nothing is sent meanwhile\.$/)
    .waitFor();
  await page.getByRole('button', { name: 'Try now' }).click();
  isOver = true;
  const works = async (): Promise<readonly WorkView[]> => (await ask(served, 'GET', '/tasks')).work;
  await expect.poll(async () => (await works()).map(({ state }) => state)).toEqual(['ended', 'working']);
  await page.getByRole('status').getByText('Running').waitFor();
});

test('a time that the vendor has named is said, and no button would cut it short', async () => {
  const { served, page, look } = await running(500, '1/s');
  const asked = { paused_why: 'the vendor asked to wait', paused_asked: true, may_try_now: false };
  await saying(served, page, () => ({ paused_until: inAMinute(), ...asked }));
  await look();
  await page
    .getByText(/^The vendor asked to wait\. It goes on by itself in [56]\d s; an earlier request/)
    .waitFor();
  expect(await page.getByRole('button', { name: 'Try now' }).count()).toBe(0);
});

test('a start keeps the place of the table, at every moment', async () => {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: '--rate 1/s' });
  const list = await brought(served, 'firms.csv', companies(400));
  const page = await tabAt(served, `/lists/${list}`);
  const start = page.getByRole('button', { name: 'Start all' });
  await start.waitFor();
  const row = page.getByRole('gridcell', { name: 'company-1300.example' });
  await page.getByRole('gridcell', { name: 'company-1003.example' }).waitFor();
  await page.evaluate("document.querySelector('.sheet').scrollTop = 9_700");
  await row.waitFor();
  await page.evaluate(`
    globalThis.places = [];
    globalThis.gone = 0;
    const watch = () => {
      places.push(document.querySelector('.sheet').scrollTop);
      if (!document.querySelector('.sheet').innerText.includes('company-1300.example')) gone += 1;
      requestAnimationFrame(watch);
    };
    watch();
  `);
  await start.click();
  await page.getByRole('complementary', { name: 'So far' }).getByText('0 credits').waitFor();
  await page.getByRole('status').getByText('Running').waitFor();
  await row.waitFor();
  expect(await page.evaluate('[...new Set(places)]')).toEqual([9_700]);
  expect(await page.evaluate('gone')).toBe(0);
});

test('a tab whose server has ended says what is left, and that nothing is bought', async () => {
  const { served, page, look } = await running(500, '2/s');
  await look();
  // The list's own website, and not the one that is found for it.
  const row = page.getByRole('gridcell', { name: 'company-1003.example' }).first();
  await page.getByRole('status').getByText('Running').waitFor();
  await row.waitFor();
  await served.stop('SIGKILL');
  const away =
    /^Rowonce was closed at \d\d:\d\d\. Nothing is lost and nothing more is sent; at most \d{3} rows are left, and wait for “Go on”\. This tab works again/;
  await page.getByText(away).waitFor();
  // Nothing says that it goes on.
  await page.getByRole('status').getByText('Stopped Rowonce is closed').waitFor();
  await page.getByText('Start Rowonce again, then press “Go on”.').waitFor();
  expect(await page.locator('main').innerText()).not.toMatch(/Running|You may close this tab|last minute/);
  await row.waitFor();
});

test('a list that another process works on goes on by itself, and the tab says so', async () => {
  const desk = await openDesk();
  const { folder } = desk.place;
  const env = { ...environmentIn(folder), ROWONCE_SANDBOX: '--rate 1/s' };
  const served = await servedIn(folder, env);
  desk.list(500);
  const run = startRowonce(['run', 'enrich-company', 'list.csv', '--account', 'sandbox-provider'], {
    cwd: folder,
    env,
  });
  onTestFinished(() => void run.kill('SIGKILL'));
  const newest = async () => (await ask(served, 'GET', '/batches')).batches[0];
  await expect.poll(async () => (await newest())?.running).toBe(true);
  const page = await tabAt(served, `/files/${(await newest()).batch}`);
  await page.getByRole('status').getByText('Running').waitFor();
  await served.stop();
  await page
    .getByText(/^Rowonce was closed at \d\d:\d\d; the list goes on by itself in another window/)
    .waitFor();
});

/** What a browser would show, and a tab that says that it is hidden. */
const NOTICES = `
  globalThis.notices = [];
  globalThis.isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => globalThis.isHidden });
  globalThis.Notification = class {
    static permission = 'default';
    static asked = 0;
    static async requestPermission() {
      this.asked += 1;
      this.permission = 'granted';
      return 'granted';
    }
    constructor(title, { body }) {
      notices.push(title + ': ' + body);
    }
  };
`;

test('the browser tells of the end of a long list, only where she asked for it and looks elsewhere', async () => {
  const { served, page, look } = await running(30, '3/s');
  await page.addInitScript(NOTICES);
  await saying(served, page, () => ({ seconds_left: 600 }));
  await look();
  await page.getByRole('button', { name: 'Notify me when it is done' }).click();
  await page.getByText('You are notified when it is done.').waitFor();
  expect(await page.evaluate('Notification.asked')).toBe(1);
  await page.evaluate('globalThis.isHidden = true');
  await lastWork(served);
  await expect.poll(() => page.evaluate('notices')).toEqual(['firms.csv: Done: 30 of 30.']);
});

test('a list of less than a minute offers no notice, and nobody is asked', async () => {
  const { served, page, look } = await running(500, '2/s');
  await page.addInitScript(NOTICES);
  await saying(served, page, () => ({ seconds_left: 30, running_since: new Date().toISOString() }));
  await look();
  await page.getByText('You may close this tab').waitFor();
  expect(await page.getByRole('button', { name: 'Notify me' }).count()).toBe(0);
  expect(await page.evaluate('Notification.asked')).toBe(0);
});
