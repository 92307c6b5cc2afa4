/**
 * Goal: a running batch is followed in a browser: what is shown is what the ledger has, whatever happens to the network, to
 * the tab and to the vendor meanwhile.
 * Method: a real Chromium before a real `rowonce serve`, beside a run of the command line whose vendor answers when the test
 * says so.
 */
import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { text } from '../../src/web/page/text.ts';
import { proof } from '../combinations.ts';
import { openCable } from './cable.ts';
import { useBrowser } from './scene.ts';
import { underWay } from './under-way.ts';

const tabAt = useBrowser();

/** How many rows the tab shows as settled. */
async function finishedIn(tab: Page): Promise<number> {
  const label = await tab.locator('[aria-label$=" rows"]').first().getAttribute('aria-label');
  return Number(label?.split(' ')[0]);
}

proof(
  'a view that is answered more slowly than things change is shown all the same, and then as they are by now',
  async () => {
    const { served, batch, settle } = await underWay(8);
    const page = await tabAt(served, '/accounts');
    const held: Route[] = [];
    let isSlow = true;
    await page.route(`**/api/batches/${batch}`, (route) =>
      isSlow ? void held.push(route) : route.continue(),
    );
    await page.goto(`${served.url}/batches/${batch}`);
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await settle(2);
    isSlow = false;
    await held[0]?.continue();
    await page.getByRole('heading', { name: 'list.csv' }).waitFor();
    await expect.poll(() => finishedIn(page)).toBe(2);
    expect(held, 'one question at a time').toHaveLength(1);
  },
);

proof('the rows of a running batch follow it, and so do those of a filter', async () => {
  const { served, batch, gate, settle } = await underWay(8);
  const rows = `/batches/${batch}/rows`;
  const all = await tabAt(served, rows);
  const pending = await all.context().newPage();
  await pending.goto(`${served.url}${rows}?status=pending`);
  const matched = await all.context().newPage();
  await matched.goto(`${served.url}${rows}?status=matched`);
  await matched.getByText(text.rows.none).waitFor();

  await settle(2);
  await expect.poll(() => statesIn(all)).toEqual([...MATCHED_2, ...Array(6).fill('pending')]);
  await expect.poll(() => statesIn(matched)).toEqual(MATCHED_2);
  await expect.poll(() => statesIn(pending)).toEqual(Array(6).fill('pending'));

  gate.let();
  await expect.poll(() => statesIn(matched)).toHaveLength(8);
  await pending.getByRole('link', { name: `${text.rows.status.matched} 8` }).click();
  await expect.poll(() => statesIn(pending)).toEqual(Array(8).fill('matched'));
});

const MATCHED_2 = ['matched', 'matched'];

/** The status that the tab shows for each row. */
const statesIn = (tab: Page): Promise<readonly string[]> =>
  tab.locator('tbody .ended .tag').allTextContents();

proof(
  'two tabs show what the command line spends, and catch up after ten seconds without a network',
  async () => {
    const { desk, served, batch, gate, running, settle } = await underWay(12);
    const cable = await openCable();
    const one = await tabAt(served, '/', { proxy: cable.proxy });
    const { clock } = one.context();
    await clock.install();
    const two = await one.context().newPage();
    const tabs = [one, two];
    await one.getByText(text.batch.states.running, { exact: true }).waitFor();
    for (const tab of tabs) {
      await tab.goto(`${served.url}/batches/${batch}`);
      await tab.getByText(text.batch.states.running, { exact: true }).waitFor();
    }
    await settle(3);
    for (const tab of tabs) await expect.poll(() => finishedIn(tab)).toBe(3);

    cable.set(true);
    for (const tab of tabs) await tab.getByText(text.reconnecting).waitFor();
    gate.let();
    expect((await running).code).toBe(0);
    const now = (): Promise<number> => one.evaluate('Date.now()');
    for (const cut = await now(); (await now()) < cut + 10_000; ) await clock.runFor(250);
    expect(cable.count.refused, 'it is tried again and again').toBeGreaterThan(3);
    for (const tab of tabs) expect(await finishedIn(tab), 'what was known stays').toBe(3);

    cable.set(false);
    await clock.runFor(10_000);
    for (const tab of tabs) {
      await tab.getByText(text.batch.states.finished, { exact: true }).waitFor();
      await tab.getByText(text.reconnecting).waitFor({ state: 'detached' });
      expect(await finishedIn(tab)).toBe(12);
    }
    expect(await desk.requests()).toBe(12);
  },
);

proof('the pause that a vendor asks for is counted down, and the batch goes on after it', async () => {
  const { served, batch, gate, running, settle } = await underWay(4);
  const page = await tabAt(served, `/batches/${batch}`);
  await settle(2);
  gate.page = { status: 429, headers: { 'retry-after': '3' } };
  gate.let();
  const timer = page.getByRole('timer');
  const shown = new Set<string>();
  // The vendor asks for one pause after the other, until three of the page's seconds were seen.
  await expect.poll(async () => shown.add((await timer.textContent()) ?? '').size).toBeGreaterThan(2);
  for (const time of shown) expect(time).toMatch(/^\d+:\d\d$/);
  gate.page = undefined;
  expect((await running).code).toBe(0);
  await page.getByText(text.batch.states.finished, { exact: true }).waitFor();
  expect(await timer.count()).toBe(0);
});
