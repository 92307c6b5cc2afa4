/**
 * Goal: the price, its limit and the buttons below it say the same: what a few rows cost, for how many rows a limit is enough, and
 * which rows are started after a change; an account that was added while a list waits is taken by one click.
 * Method: a real Chromium before a real `rowonce serve`, an account that is no play money with a price, and the vendor's own book.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from '../cli/desk.ts';
import { ask, brought, servedIn, useBrowser, worked } from './scene.ts';
import type { Served } from './served.ts';

const open = useBrowser();

const JOB = { operation: 'enrich-company', account: 'data' };

const companies = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) => `company-${from + at}.example\n`).join('');

const listOf = (...parts: readonly string[]): string => `Domain\n${parts.join('')}`;

async function atDesk(): Promise<{ readonly desk: Desk; readonly served: Served }> {
  const desk = await openDesk({ matchRate: 1, account: { price: '0.40 AUD' } });
  return { desk, served: await servedIn(desk.place.folder, desk.environment()) };
}

async function done(served: Served, name: string, body: string): Promise<string> {
  const file = await brought(served, name, body);
  await ask(served, 'PUT', `/lists/${file}/job`, JOB);
  const { id: plan } = await ask(served, 'POST', '/plan', { file, job: JOB });
  await worked(served, 'run', { file, job: JOB, plan, budget: 1000 });
  return file;
}

const tabAt = async (...where: Parameters<typeof open>): Promise<Page> => {
  const page = await open(...where);
  page.setDefaultTimeout(30_000);
  return page;
};

const aside = (page: Page) => page.locator('aside');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const newest = async (served: Served) => (await ask(served, 'GET', '/batches')).batches[0];

test('a few are tried first also where some rows are known: twenty of those that are not, for the price on the button', async () => {
  const { desk, served } = await atDesk();
  await done(served, 'first.csv', listOf(companies(0, 10)));
  const page = await tabAt(served, `/lists/${await brought(served, 'second.csv', listOf(companies(0, 50)))}`);
  await aside(page).getByText('40 credits at most, A$16.00').waitFor();
  await button(page, 'Start all, A$16.00').waitFor();
  await button(page, 'Try 20 first, A$8.00').click();
  await aside(page).getByText('20 of 20 found, 20 credits (A$8.00)').waitFor();
  expect((await desk.place.vendor.book()).credits).toBe(30);
  await button(page, 'Start the other 20, A$8.00').waitFor();
  expect(await page.getByRole('button', { name: /^Try / }).count()).toBe(0);
});

test('a limit says for how many rows it is enough; price and button follow it at once, and no more is spent', async () => {
  const { desk, served } = await atDesk();
  const page = await tabAt(served, `/lists/${await brought(served, 'firms.csv', listOf(companies(0, 30)))}`);
  await aside(page).getByText('30 credits at most, A$12.00').waitFor();
  await page.getByRole('spinbutton', { name: 'Never more than' }).fill('12');
  await aside(page).getByText('Enough for about 12 of 30 rows').waitFor();
  await aside(page).getByText('12 credits at most, A$4.80').waitFor();
  expect(await page.getByRole('button', { name: /^Try / }).count(), 'twenty cost more').toBe(0);
  await page.getByRole('spinbutton', { name: 'Never more than' }).fill('0');
  await aside(page).getByText('Enough for none of 30 rows').waitFor();
  expect(await button(page, 'Start about 0 of 30').isDisabled()).toBe(true);
  await page.getByRole('spinbutton', { name: 'Never more than' }).fill('12');
  await button(page, 'Start about 12 of 30, A$4.80').click();
  await expect.poll(async () => (await newest(served))?.credits).toMatchObject({ budget: 12, spent: 12 });
  expect((await desk.place.vendor.book()).credits).toBe(12);
  desk.place.writeAccount(desk.place.vendor.url, { price: '0.40 AUD', budget: { per_day: 20 } });
  const other = await brought(served, 'others.csv', listOf(companies(30, 60)));
  await ask(served, 'PUT', `/lists/${other}/job`, JOB);
  await page.goto(`${served.url}/lists/${other}`);
  await aside(page).getByText('8 credits at most, A$3.20').waitFor();
  const left = 'data has 8 of 20 credits left today (UTC), enough for about 8 of 30 rows';
  await aside(page).getByText(left).waitFor();
  await page.getByRole('spinbutton', { name: 'Never more than' }).fill('5');
  await aside(page).getByText('Enough for about 5 of 30 rows').waitFor();
  await button(page, 'Start about 5 of 30, A$2.00').waitFor();
});

test('after a change the button names the rows that are started', async () => {
  const { desk, served } = await atDesk();
  const file = await done(served, 'firms.csv', listOf(companies(0, 30)));
  const mends = [2, 3].map((row) => ({ row, column: 'Domain', value: `mended-${row}.example` }));
  await ask(served, 'PUT', `/lists/${file}/mends`, { mends });
  const page = await tabAt(served, `/lists/${file}`);
  await button(page, 'Start the 2 changed rows, A$0.80').click();
  await expect.poll(async () => (await desk.place.vendor.book()).credits).toBe(32);
  await expect.poll(async () => (await newest(served)).state).toBe('finished');
  await brought(served, 'firms.csv', listOf(companies(0, 38)));
  await page.reload();
  await button(page, 'Start the 8 new rows, A$3.20').click();
  await expect.poll(async () => (await desk.place.vendor.book()).credits).toBe(40);
});

test('an account that is added while a list waits takes the place of play money by one click, and nothing else is chosen anew', async () => {
  const desk = await openDesk({ matchRate: 1, account: { price: '0.40 AUD' } });
  // Before the first account: the desk has a vendor, and this page has no account there yet.
  const served = await servedIn();
  const page = await tabAt(
    served,
    `/lists/${await brought(served, 'firms.csv', 'Name,Site,Other\na,a.example,b.example\n')}`,
  );
  const chosen = { operation: 'enrich-company', account: 'sandbox-provider', columns: { domain: 'Other' } };
  const [{ id }] = (await ask(served, 'GET', '/lists')).lists;
  await ask(served, 'PUT', `/lists/${id}/job`, chosen);
  await aside(page).getByText('it is play money').waitFor();
  await aside(page).getByRole('link', { name: 'Add your account' }).click();
  await page.getByRole('radio', { name: 'Another vendor, by its address' }).check();
  // Elsewhere a key travels encrypted or not at all; what stays on this machine needs no https.
  await page.getByLabel('Web address').fill('http://vendor.example');
  await page.getByLabel('Key', { exact: true }).fill('any-key');
  await page.getByLabel('What a credit costs').fill('0.40 AUD');
  await page.getByRole('button', { name: 'Add and test, free' }).click();
  await page.getByText('the address must begin with https://, because the key is sent to it').waitFor();
  await page.getByLabel('Web address').fill(desk.place.vendor.url);
  await page.getByRole('button', { name: 'Add and test, free' }).click();
  await page.getByText('Another vendor, by its address was added. It answers.').waitFor();
  await page.goBack();
  await button(page, 'Use data in place of play money').click();
  await aside(page).getByText('1 credit at most, A$0.40').waitFor();
  expect(await aside(page).getByText('play money').count()).toBe(0);
  const kept = async () => (await ask(served, 'GET', '/lists')).lists[0].job;
  await expect.poll(kept).toEqual({ ...chosen, account: 'data' });
});
