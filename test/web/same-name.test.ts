/**
 * Goal: another list that comes under the name of one is never taken for that list in silence. She is asked once, before anything
 * runs, and a new list has nothing of the other one.
 * Method: a real Chromium before a real `rowonce serve`, an account that is no play money, and the vendor's own book.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from '../cli/desk.ts';
import { ask, brought, chooseFile, endOf, servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const tabAt = useBrowser();

const JOB = { operation: 'enrich-company', account: 'data', add: { Found: 'name' } };

const listOf = (name: string, from: number, to: number): string =>
  `Company,Domain\n${Array.from({ length: to - from }, (_, at) => `${name} ${from + at},${name}${from + at}.example\n`).join('')}`;

/** A page with `export.csv`, twelve firms that were found by an account that is no play money. */
async function withExport(desk: Desk): Promise<{ readonly served: Served; readonly list: string }> {
  const served = await servedIn(desk.place.folder, desk.environment());
  const file = await brought(served, 'export.csv', listOf('old', 0, 12));
  await ask(served, 'PUT', `/lists/${file}/job`, JOB);
  const { id: plan } = await ask(served, 'POST', '/plan', { file, job: JOB });
  const { work } = await ask(served, 'POST', '/run', { file, job: JOB, plan, budget: 100 });
  await endOf(served, work.id);
  return { served, list: file };
}

async function choose(page: Page, desk: Desk, body: string): Promise<void> {
  await desk.write('export.csv', body);
  await chooseFile(page, desk.place.path('export.csv'));
}

const sees = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const namesOf = async (served: Served): Promise<readonly string[]> =>
  (await ask(served, 'GET', '/lists')).lists.map(({ name }: { readonly name: string }) => name).toSorted();

test('another list under the name of one is asked about once, and becomes a list of its own with nothing of that one', async () => {
  const desk = await openDesk();
  const { served, list } = await withExport(desk);
  const page = await tabAt(served, '/');
  await choose(page, desk, listOf('new', 0, 6));
  await sees(page, '“export.csv” is here already, with other rows: 0 of 6 are in both.');
  expect(await namesOf(served), 'nothing is kept before she has said what it is').toEqual(['export.csv']);
  const answers = await page.locator('.notice').getByRole('button').allInnerTexts();
  expect(answers.slice(0, 2)).toEqual(['It is a new list', 'It is the same list, edited']);
  await button(page, 'It is a new list').click();
  await page.getByRole('heading', { name: 'export (2).csv' }).waitFor();
  await page.getByRole('gridcell', { name: 'new 0', exact: true }).first().waitFor();
  const aside = page.getByRole('complementary');
  await aside.getByText('6 credits at most').waitFor();
  expect(await page.getByText('found', { exact: true }).count(), 'no tile of the other list').toBe(0);
  expect(await page.getByRole('gridcell', { name: 'old 0', exact: true }).count()).toBe(0);
  expect(await namesOf(served)).toEqual(['export (2).csv', 'export.csv']);

  const other = await tabAt(served, `/lists/${list}`);
  await sees(other, '12 of 12 companies found');
  // The next export of either is known by what stands in it, and nobody is asked.
  await page.getByRole('link', { name: 'Lists' }).click();
  await choose(page, desk, listOf('new', 1, 8));
  await page.getByRole('heading', { name: 'export (2).csv' }).waitFor();
  expect(await namesOf(served)).toEqual(['export (2).csv', 'export.csv']);
  expect(await desk.requests()).toBe(12);
});

test('a list that shares less than half of its rows may be the same one, edited: then all that is known is free', async () => {
  const desk = await openDesk();
  const { served, list } = await withExport(desk);
  const page = await tabAt(served, '/');
  await choose(page, desk, listOf('old', 8, 18));
  await sees(page, '“export.csv” is here already, with other rows: 4 of 10 are in both.');
  const answers = await page.locator('.notice').getByRole('button').allInnerTexts();
  expect(answers[0]).toBe('It is the same list, edited');
  await button(page, 'It is the same list, edited').click();
  await page.getByRole('heading', { name: 'export.csv' }).waitFor();
  await page.locator('.tile', { hasText: '6 new' }).waitFor();
  await page.locator('.tile', { hasText: '8 gone' }).waitFor();
  const aside = page.getByRole('complementary');
  await aside.getByText('6 credits at most').waitFor();
  await aside.getByText('4, free').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/lists/${list}`);
  expect(await namesOf(served)).toEqual(['export.csv']);
});

test('identifiers are compared as values: written otherwise, in another order or with more columns it is the same list', async () => {
  const desk = await openDesk();
  const { served, list } = await withExport(desk);
  const lines = Array.from(
    { length: 12 },
    (_, at) => `https://www.OLD${11 - at}.example/,x,old ${11 - at}\n`,
  );
  const bring = (query: string, body: string) => ask(served, 'PUT', `/lists?${query}`, body);
  expect(await bring('name=export.csv', `Website,Note,Company\n${lines.join('')}`)).toMatchObject({
    id: list,
  });
  const asked = await bring('name=export.csv', listOf('new', 0, 6));
  expect(asked).toEqual({
    status: 200,
    other: { list, name: 'export.csv', shared: 0, of: 6, likely: 'new' },
  });
  expect(await bring(`name=export.csv&as=${'0'.repeat(16)}`, listOf('new', 0, 6))).toMatchObject({
    status: 404,
  });
  expect(await bring(`name=export.csv&as=${list}`, listOf('new', 0, 6))).toMatchObject({ id: list });
});
