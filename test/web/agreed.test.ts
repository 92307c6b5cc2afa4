/**
 * Goal: what is asked only after a yes has its place on the page, beside the price: rows that are set aside for a host of several
 * companies, and rows that an earlier build has asked by another address.
 * Method: a real page in a real browser, before a vendor that keeps what arrives, at an account that is not play money.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { deskBefore } from '../cli/desk.ts';
import { asEarlierBuild } from '../support/earlier-build.ts';
import { ask, brought, endOf, servedIn, TERMINAL, useBrowser } from './scene.ts';

const tabAt = useBrowser();

const jobOf = (columns: Readonly<Record<string, string>>) => ({
  operation: 'enrich-company',
  account: 'data',
  add: { Found: 'name' },
  columns,
});

async function deskOf() {
  const at = await deskBefore(({ input }) => ({ name: `Company of ${input.domain}` }));
  return { ...at, served: await servedIn(at.desk.place.folder, at.desk.environment()) };
}

async function runAll(
  { served }: Awaited<ReturnType<typeof deskOf>>,
  file: string,
  job: object,
): Promise<void> {
  await ask(served, 'PUT', `/lists/${file}/job`, job);
  const { id: plan } = await ask(served, 'POST', '/plan', { file, job });
  const { work } = await ask(served, 'POST', '/run', { file, job, plan, budget: 9 });
  await endOf(served, String(work.id));
}

const start = (page: Page): Promise<void> =>
  page
    .getByRole('button', { name: /^Start/ })
    .first()
    .click();

test('rows that are set aside for a shared host are asked after a click, and no others are asked again', async () => {
  const at = await deskOf();
  const rows = [
    'Blue Dental,portal.example/1',
    'Papa Bakery,portal.example/2',
    'Oldmill Motors,portal.example/3',
  ];
  const list = ['Company,Website', ...rows, 'Acme,acme.example', ''].join('\n');
  const file = await brought(at.served, 'list.csv', list);
  const job = jobOf({ website: 'Website' });
  await ask(at.served, 'PUT', `/lists/${file}/job`, job);
  const page = await tabAt(at.served, `/lists/${file}`);
  const price = page.getByText(/credits? at most/).first();
  await expect.poll(() => price.innerText()).toContain('1 credit at most');
  await page.getByText('3 rows need attention').click();
  const why = page.getByText('portal.example is the website of 3 companies of this list').first();
  expect(await why.innerText()).not.toMatch(TERMINAL);
  await page.getByLabel('Ask them all the same').check();
  await expect.poll(() => price.innerText()).toContain('2 credits at most');
  await page.getByLabel('Ask them all the same').uncheck();
  await expect.poll(() => price.innerText()).toContain('1 credit at most');
  await page.getByLabel('Ask them all the same').check();
  await expect.poll(() => price.innerText()).toContain('2 credits at most');
  await start(page);
  await expect
    .poll(() => at.asked.map(({ input }) => input.domain).toSorted())
    .toEqual(['acme.example', 'portal.example']);
  await page.getByText('Company of portal.example').first().waitFor();
});

test('a dialect is allowed, and rows that are set aside are asked: one answer replaces no other', async () => {
  const at = await deskOf();
  at.speak({ headers: { 'x-team': 'a' } });
  const rows = ['Blue Dental,portal.example/1', 'Papa Bakery,portal.example/2', 'Oldmill,portal.example/3'];
  const list = ['Company,Website', ...rows, 'Acme,acme.example', ''].join('\n');
  const file = await brought(at.served, 'list.csv', list);
  await ask(at.served, 'PUT', `/lists/${file}/job`, jobOf({ website: 'Website' }));
  const page = await tabAt(at.served, `/lists/${file}`);
  await page.getByRole('button', { name: 'Allow it' }).click();
  await page.getByRole('button', { name: 'Allow it' }).waitFor({ state: 'detached' });
  await page.getByLabel('Ask them all the same').check();
  const price = page.getByText(/credits? at most/).first();
  await expect.poll(() => price.innerText()).toContain('2 credits at most');
});

test('rows that an earlier build has asked by another address are bought again after a tick alone', async () => {
  const at = await deskOf();
  const link = 'https://www.google.com/url?q=https%3A%2F%2Facme.example%2Fabout';
  const file = await brought(at.served, 'list.csv', `Website\n${link}\nhttps://beta.example\n`);
  const job = jobOf({ website: 'Website' });
  await runAll(at, file, job);
  expect(at.asked).toHaveLength(2);
  asEarlierBuild(at.desk.place.path('store/ledger.db'), 'acme.example', 'google.com');
  at.asked.length = 0;
  const page = await tabAt(at.served, `/lists/${file}`);
  await page.getByRole('button', { name: 'Do something else' }).click();
  await page.getByText('1 row is asked by another address or name than before.').waitFor();
  const go = page.getByRole('button', { name: /^Start/ });
  await expect.poll(() => go.isDisabled()).toBe(true);
  await page.getByLabel('Look at it again, for 1 credit at most').check();
  await go.click();
  await expect.poll(() => at.asked.map(({ input }) => input.domain)).toEqual(['acme.example']);
  await page.getByText('Company of acme.example').first().waitFor();
});
