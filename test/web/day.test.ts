/**
 * Goal: the days of people who use the page stay as short as they are said to be: an analyst has her list of people, with the size of
 * their companies, by five clicks, of which the start of an unknown workbook takes four at most.
 * Method: a real Chromium before a real `rowonce serve` and the embedded vendors. The browser itself counts the clicks that a person
 * makes; the downloaded workbook is opened by another reader than ours.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { readSheet } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import writeExcel from 'write-excel-file/node';
import { chooseFile, servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const tabAt = useBrowser();

async function downloaded(
  page: Page,
  button: string,
): Promise<{ readonly name: string; readonly path: string }> {
  const downloads = page.waitForEvent('download');
  await press(page, button);
  const download = await downloads;
  return { name: download.suggestedFilename(), path: await download.path() };
}

/** Clicks of a person, who also clicks by the keyboard: what a program presses is not counted. */
const COUNTER = `
  globalThis.clicks = 0;
  document.addEventListener('click', (event) => { if (event.isTrusted) globalThis.clicks += 1; }, true);
`;

async function desk(): Promise<{ readonly served: Served; readonly page: Page }> {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: '--rate 200/s --match-rate 1' });
  const page = await tabAt(served, '/');
  await page.evaluate(COUNTER);
  return { served, page };
}

const clicks = (page: Page): Promise<number> => page.evaluate('globalThis.clicks');

async function press(page: Page, name: string): Promise<void> {
  await page
    .getByRole('button', { name, exact: true })
    .or(page.getByRole('button', { name: `${name}, ` }))
    .or(page.getByRole('link', { name, exact: true }))
    .and(page.locator(':not([disabled])'))
    .first()
    .click();
}

test('an analyst has people and the size of their companies, in her own workbook, by five clicks', async () => {
  const { served, page } = await desk();
  const people = Array.from({ length: 8 }, (_, at) => [
    `jo${at}@company-${at}.example`,
    `company-${at}.example`,
  ]);
  const file = join(served.folder, 'contacts.xlsx');
  const data = [['E-mail', 'Website'], ...people];
  writeFileSync(file, await writeExcel([{ sheet: 'Contacts', data }]).toBuffer());

  await chooseFile(page, file);
  await page.getByText('it is play money').waitFor();
  await press(page, '+ Something else');
  await page.getByRole('checkbox', { name: 'Also find companies' }).check();
  await page.keyboard.press('Escape');
  await press(page, 'Start');
  expect(await clicks(page)).toBeLessThanOrEqual(4);

  const { name, path } = await downloaded(page, 'Download');
  expect(await clicks(page)).toBeLessThanOrEqual(5);
  expect(name).toBe('contacts.sandbox.xlsx');
  const [header = [], ...rows] = await readSheet(readFileSync(path), 'Contacts');
  expect(rows.map((row) => row.slice(0, 2))).toEqual(people);
  for (const column of ['Employee count', 'Job title']) expect(header, column).toContain(column);
  const matched = rows.map((row) => [row[header.indexOf('_status')], row[header.indexOf('_matched_by')]]);
  expect(matched).toEqual(people.map(() => ['matched', 'email; domain']));
  const book = readFileSync(join(served.folder, 'store', 'book.jsonl'), 'utf8')
    .trim()
    .split('\n');
  expect(book.filter((line) => JSON.parse(line).credits > 0)).toHaveLength(16);
});
