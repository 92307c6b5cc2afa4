/**
 * Goal: a running batch is followed in a browser: what is shown is what the ledger has, whatever happens to the network, to
 * the tab and to the vendor meanwhile.
 * Method: a real Chromium before a real `rowonce serve`, beside a run of the command line whose vendor answers when the test
 * says so.
 */
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openTab } from './browser.ts';
import { openBrowser } from './chromium.ts';
import type { Served } from './served.ts';
import { underWay } from './under-way.ts';

const SOON = { timeout: 30_000 };

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser?.close());

async function tabAt(served: Served, path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await openTab(browser, served, { path, ...options });
  page.setDefaultTimeout(SOON.timeout);
  onTestFinished(() => page.context().close());
  return page;
}

/** How many rows the tab shows as settled. */
async function settledIn(tab: Page): Promise<number> {
  const label = await tab.locator('[aria-label$=" rows"]').first().getAttribute('aria-label');
  return Number(label?.split(' ')[0]);
}

test('a view that is answered more slowly than things change is shown all the same, and then as they are by now', async () => {
  const { served, batch, settle } = await underWay(8);
  const page = await tabAt(served, '/accounts');
  const held: Route[] = [];
  let isSlow = true;
  await page.route(`**/api/batches/${batch}`, (route) => (isSlow ? void held.push(route) : route.continue()));
  await page.goto(`${served.url}/batches/${batch}`);
  await expect.poll(() => held.length, SOON).toBeGreaterThan(0);
  await settle(2);
  isSlow = false;
  await held[0]?.continue();
  await page.getByRole('heading', { name: 'list.csv' }).waitFor();
  await expect.poll(() => settledIn(page), SOON).toBe(2);
  expect(held, 'one question at a time').toHaveLength(1);
});
