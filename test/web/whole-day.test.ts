/**
 * Goal: a whole day at the page goes well: a messy workbook is brought, started, mended and downloaded by the keyboard alone; two tabs
 * show the same; and a list whose server was killed goes on after a new start without being paid for twice.
 * Method: a real Chromium before a real `rowonce serve`, with the vendor whose book says what was asked. The downloaded workbook is
 * opened by another reader than ours.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { readSheet } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import writeExcel from 'write-excel-file/node';
import { type Desk, openDesk } from '../cli/desk.ts';
import { brought, servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const tabAt = useBrowser();

const ROWS = [
  ['Harbour Relief', 'harbour.example', 'jo@harbour.example', 12],
  ['Banksia Care', 'not a website', null, 9],
  ['Riverbend Arts', 'riverbend.example', 'al@riverbend.example', 4],
  [null, null, null, null],
  ['Kookaburra Legal', 'kookaburra.example', null, 31],
] as const;

/** Two titles of which one is merged, a blank row within, a formula, a line of totals, and a second sheet. */
async function messyWorkbook(desk: Desk): Promise<string> {
  const file = desk.place.path('Members 2026 (final) v3.xlsx');
  const contacts = [
    [{ value: 'Members 2026', columnSpan: 4 }, null, null, null],
    ['Exported 20/11/2026', null, null, null],
    ['Company', 'Website', 'E-mail', 'Staff'],
    ...ROWS.map((row) => [...row]),
    ['Total', null, null, { type: 'Formula', value: '=SUM(D4:D8)' }],
  ];
  const archive = [['Name'], ['old.example']];
  const sheets = [
    { sheet: 'Contacts', data: contacts },
    { sheet: 'Archive', data: archive },
  ];
  writeFileSync(file, await writeExcel(sheets as Parameters<typeof writeExcel>[0]).toBuffer());
  return file;
}

const pageAt = (desk: Desk): Promise<Served> => servedIn(desk.place.folder, desk.environment());

const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name }).first();
const sees = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

/** More than a view has to offer: what is not reached by then is not reached by the keyboard. */
const STOPS = 80;

/** Goes on by Tab until this is where the keyboard is. */
async function tabTo(page: Page, where: Locator): Promise<void> {
  await where.waitFor();
  for (let stop = 0; stop < STOPS; stop += 1) {
    if (await where.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Not reached by the keyboard: ${where}`);
}

async function enterAt(page: Page, where: Locator): Promise<void> {
  await expect.poll(() => where.isEnabled()).toBe(true);
  await tabTo(page, where);
  await page.keyboard.press('Enter');
}

/** Her workbook, as a person gets it by the keyboard. */
async function downloaded(page: Page): Promise<Buffer> {
  const downloading = page.waitForEvent('download');
  await enterAt(page, button(page, 'Download as ▾'));
  await enterAt(page, button(page, 'Your workbook, filled'));
  return readFileSync(await (await downloading).path());
}

test('by the keyboard alone: a messy workbook has companies and people found, a wrong cell mended, and is downloaded', async () => {
  const desk = await openDesk({ matchRate: 1 });
  const file = await messyWorkbook(desk);
  const page = await tabAt(await pageAt(desk), '/');
  const choosing = page.waitForEvent('filechooser');
  await enterAt(page, button(page, 'Choose a file'));
  await (await choosing).setFiles(file);

  await sees(page, 'Names in row 3');
  await page.getByRole('radio', { name: /^Find companies/, checked: true }).waitFor();
  await enterAt(page, button(page, '+ Something else'));
  await page.getByRole('checkbox', { name: 'Also find people' }).waitFor();
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await button(page, 'Do not find people').waitFor();
  await enterAt(page, button(page, /^Start, /));
  await sees(page, 'not a website');
  await button(page, 'Download as ▾').waitFor();
  const { requests } = await desk.place.vendor.book();

  const grid = page.getByRole('grid');
  await tabTo(page, grid);
  const wrong = page.getByRole('gridcell', { name: 'not a website', exact: true });
  await page.keyboard.press('ArrowDown');
  for (let step = 0; step < 10 && !(await wrong.getAttribute('class'))?.includes(' at'); step += 1)
    await page.keyboard.press('ArrowRight');
  await page.keyboard.press('F2');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('banksia.example');
  await page.keyboard.press('Enter');
  await sees(page, '1 cell mended');
  const asFound = await downloaded(page);
  expect(await readSheet(asFound, 'Archive')).toEqual([['Name'], ['old.example']]);
  expect((await readSheet(asFound, 'Contacts')).flat()).toContain('not a website');
  await enterAt(page, button(page, 'Start the changed row'));
  await page.getByRole('row').filter({ hasText: 'banksia.example' }).getByText('Banksia Care').waitFor();
  await expect.poll(async () => (await desk.place.vendor.book()).requests).toBe(requests + 1);

  const mended = await downloaded(page);
  const table = page.waitForEvent('download');
  await enterAt(page, button(page, 'Download as ▾'));
  await enterAt(page, button(page, 'CSV'));
  expect((await table).suggestedFilename()).toBe('Members 2026 (final) v3.enriched.csv');
  expect(readFileSync(await (await table).path(), 'utf8')).toContain('Banksia Care,banksia.example,');
  expect(await readSheet(mended, 'Archive')).toEqual([['Name'], ['old.example']]);
  const rows = await readSheet(mended, 'Contacts');
  const names = rows.find((row) => row.includes('Website')) ?? [];
  const status = names.indexOf('_status');
  const of = (company: string) => rows.find(([name]) => name === company);
  expect(of('Banksia Care')?.[1]).toBe('banksia.example');
  expect(
    ['Harbour Relief', 'Banksia Care', 'Riverbend Arts', 'Kookaburra Legal'].map(
      (name) => of(name)?.[status],
    ),
  ).toEqual(Array.from({ length: 4 }, () => 'matched'));
  expect(await readSheet(readFileSync(file), 'Contacts')).toContainEqual(
    expect.arrayContaining(['not a website']),
  );
});

test('two tabs show the same, and the second follows what is done in the first', async () => {
  const desk = await openDesk({ matchRate: 1, latencyMs: 50, concurrency: 2 });
  desk.list(40);
  const served = await pageAt(desk);
  const list = await brought(served, 'list.csv', await desk.read('list.csv'));
  const first = await tabAt(served, `/lists/${list}`);
  const second = await first.context().newPage();
  await second.goto(`${served.url}/lists/${list}`);
  await sees(second, '40 credits at most');
  await button(first, /^Start all, /).click();
  await sees(second, 'You may close this tab');
  await sees(second, '40 of 40 companies found');
  const shown = async (page: Page) => [
    await page.locator('.tiles').innerText(),
    await page.getByRole('grid').innerText(),
  ];
  await first.bringToFront();
  await sees(first, '40 of 40 companies found');
  for (const tab of [first, second]) await button(tab, 'Columns (5 hidden)').waitFor();
  await expect.poll(() => shown(second)).toEqual(await shown(first));
  await first.getByRole('grid').focus();
  await first.keyboard.press('F2');
  const field = first.getByRole('textbox', { name: / of row 2$/ });
  await field.fill('another.example');
  await field.press('Enter');
  await sees(second, '1 cell mended');
  expect((await desk.place.vendor.book()).requests).toBe(40);
});

test('a tab says that its server is gone; after a new start it goes on with its list, and nothing is paid twice', async () => {
  const desk = await openDesk({ matchRate: 1, latencyMs: 100, concurrency: 2 });
  desk.list(60);
  const served = await pageAt(desk);
  const list = await brought(served, 'list.csv', await desk.read('list.csv'));
  const page = await tabAt(served, `/lists/${list}`);
  await button(page, /^Start all, /).click();
  await expect.poll(() => desk.requests(), { interval: 20 }).toBeGreaterThan(3);
  await served.stop('SIGKILL');
  await sees(page, 'Rowonce was closed at');

  await pageAt(desk);
  await sees(page, /The list was stopped\. \d+ rows are left\./);
  await button(page, 'Go on').click();
  await sees(page, '60 of 60 companies found');
  const { requests, charged_twice: twice } = await desk.place.vendor.book();
  expect({ requests, twice }).toEqual({ requests: 60, twice: [] });
});
