/**
 * Goal: a list is brought to the page as people bring things, and each list is one line with what became of it.
 * Method: a real Chromium before a real `rowonce serve`, with the embedded vendor.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import writeExcel from 'write-excel-file/node';
import { ask, brought, chooseFile, servedIn, useBrowser, worked } from './scene.ts';
import type { Served } from './served.ts';

const openTab = useBrowser();

const LEADS = join(import.meta.dirname, '..', '..', 'fixtures', 'leads.csv');

/** What a drag from the desktop or a paste from a sheet gives the page. */
const HAND = `({ kind, name, text }) => {
  const data = new DataTransfer();
  if (name === undefined) data.setData('text/plain', text);
  else data.items.add(new File([text], name));
  const how = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
  const event = kind === 'drop' ? new DragEvent('drop', how) : new ClipboardEvent('paste', how);
  document.querySelector('header').dispatchEvent(event);
}`;

interface Handed {
  readonly name?: string;
  readonly text: string;
}

async function hand(page: Page, kind: 'drop' | 'paste', what: Handed): Promise<void> {
  await page.getByRole('heading', { name: 'Drop a list here' }).waitFor();
  await page.evaluate(`(${HAND})(${JSON.stringify({ kind, ...what })})`);
}

const names = async (served: Served): Promise<string[]> =>
  (await ask(served, 'GET', '/lists')).lists.map(({ name }: { name: string }) => name);

/** Works on the list until it is done. */
async function run(served: Served, file: string, operation = 'enrich-company'): Promise<void> {
  const job = { operation, account: 'sandbox-provider' };
  const { id } = await ask(served, 'POST', '/plan', { file, job });
  await worked(served, 'run', { file, job, plan: id });
}

test('the place for a list says so while a file is held over the page', async () => {
  const page = await openTab(await servedIn(), '/');
  const place = page.getByRole('region', { name: 'Bring a list' });
  const colour = (): Promise<string> => place.evaluate((shown) => getComputedStyle(shown).backgroundColor);
  const before = await colour();
  await page.evaluate('document.body.dispatchEvent(new DragEvent("dragover", { bubbles: true }))');
  await expect.poll(colour).not.toBe(before);
  await page.evaluate('document.body.dispatchEvent(new DragEvent("dragleave", { bubbles: true }))');
  await expect.poll(colour).toBe(before);
});

test('a list that is dropped anywhere is brought; the same list edited stays one line', async () => {
  const served = await servedIn();
  const page = await openTab(served, '/');
  await hand(page, 'drop', { name: 'Renewals.csv', text: 'Website\na.example\n' });
  await page.waitForURL(/\/lists\/\w+$/);
  const first = page.url();
  await page.getByRole('link', { name: 'Lists' }).click();
  await hand(page, 'drop', { name: 'Renewals.csv', text: 'Website\na.example\nb.example\n' });
  await page.waitForURL(first);
  await page.getByRole('link', { name: 'Lists' }).click();
  const line = page.getByRole('listitem').filter({ hasText: 'Renewals.csv' });
  await line.getByText('not started').waitFor();
  expect(await line.count()).toBe(1);
});

test('a table that is copied in a sheet and pasted is a list; a word is none', async () => {
  const served = await servedIn();
  const page = await openTab(served, '/');
  await hand(page, 'paste', { text: 'a word' });
  await hand(page, 'paste', { text: 'Name\tWebsite\nAcme\tacme.example\n' });
  await page.waitForURL(/\/lists\/\w+$/);
  expect(await names(served)).toEqual([expect.stringMatching(/^Pasted \d+ \w+, \d\d\.\d\d\.tsv$/)]);
});

test('a file is chosen; one that is no list is refused with what to do', async () => {
  const served = await servedIn();
  const page = await openTab(served, '/');
  await hand(page, 'drop', { name: 'offer.pdf', text: '%PDF' });
  await page.getByText('offer.pdf ends in ".pdf", which cannot be read as a list.').waitFor();
  await page.getByText('Ask for the spreadsheet that it was made from').waitFor();
  const notices = page.getByRole('region', { name: 'Bring a list' }).getByRole('alert');
  for (const [name, says] of [
    ['photo.csv', 'photo.csv is no table: it holds bytes that no text has.'],
    ['cut.xlsx', 'cut.xlsx is not a readable Excel workbook:'],
  ] as const) {
    const file = join(served.folder, name);
    writeFileSync(file, Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * at * 7 + at) % 256)));
    await chooseFile(page, file);
    await notices.filter({ hasText: says }).waitFor();
  }
  await chooseFile(page, LEADS);
  await page.waitForURL(/\/lists\/\w+$/);
  expect(await names(served)).toEqual(['leads.csv']);
});

test('of a workbook that opens with a cover and has two lists, she chooses which it is, and can start', async () => {
  const served = await servedIn();
  const page = await openTab(served, '/');
  const file = join(served.folder, 'Members.xlsx');
  const sheets = [
    { sheet: 'Notes', data: [['Read me first'], ['Who is asked stands on the next sheet.']] },
    { sheet: 'Contacts', data: [['Website'], ['a.example']] },
    { sheet: 'Archive', data: [['Website'], ['b.example'], ['c.example']] },
  ];
  writeFileSync(file, await writeExcel(sheets).toBuffer());
  await chooseFile(page, file);
  await page.getByText('the sheet "Notes" is no list').waitFor();
  await page.getByRole('button', { name: 'The sheet "Archive" is the list' }).click();
  await page.getByText('2 credits at most').waitFor();
  await expect.poll(() => page.getByText('is no list').count()).toBe(0);
  await page.getByRole('button', { name: 'Sheet Archive' }).click();
  await page.getByRole('radio', { name: 'Notes' }).click();
  await page.getByRole('button', { name: 'Another sheet' }).click();
  await page.getByRole('button', { name: 'The sheet "Contacts" is the list' }).click();
  await page.getByText('1 credit at most').waitFor();
});

test('the sample list is tried with play money, by one button', async () => {
  const served = await servedIn();
  const page = await openTab(served, '/');
  await page.getByRole('button', { name: 'Try the sample list' }).click();
  await page.waitForURL(/\/lists\/\w+$/);
  const [list] = (await ask(served, 'GET', '/lists')).lists;
  expect([list.name, list.job]).toEqual([
    'Sample list.csv',
    { operation: 'enrich-company', account: 'sandbox-provider' },
  ]);
  const { rows } = await ask(served, 'POST', `/lists/${list.id}/rows`, {});
  expect(rows).toHaveLength(20);
});

test('each list is one line: what was found, what it cost, and who is needed', async () => {
  const served = await servedIn();
  const id = await brought(served, 'Renewals.csv', 'Website\na.example\nb.example\nnone\n');
  await run(served, id);
  await run(served, id);
  await brought(served, 'Later.csv', 'Website\na.example\n');
  const page = await openTab(served, '/');
  const [batch] = (await ask(served, 'GET', '/batches')).batches;
  const line = page.getByRole('listitem').filter({ hasText: 'Renewals.csv' });
  const says = [
    `${batch.counts.matched ?? 0} of 3`,
    'companies',
    'today',
    'play money',
    '1 row needs attention',
  ];
  for (const words of says) await line.getByText(words).waitFor();
  expect(await page.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringContaining('Later.csv'),
    expect.stringContaining('Renewals.csv'),
  ]);
  await page.getByRole('link', { name: '1 list needs attention' }).click();
  await page.waitForURL(new RegExp(`/lists/${id}\\?needs$`));
});

test('a list is removed after one question; what was found for it stays known', async () => {
  const served = await servedIn();
  const id = await brought(served, 'Renewals.csv', readFileSync(LEADS, 'utf8'));
  await run(served, id);
  const page = await openTab(served, '/');
  const remove = page.getByRole('button', { name: 'Remove Renewals.csv' });
  const asked = page.getByRole('dialog', { name: 'Remove “Renewals.csv” from this page?' });
  await remove.click();
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await asked.waitFor({ state: 'hidden' });
  expect(await names(served)).toEqual(['Renewals.csv']);
  await remove.click();
  await asked.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Renewals.csv').first().waitFor({ state: 'detached' });
  expect(await names(served)).toEqual([]);
  expect((await ask(served, 'GET', '/batches')).total).toBe(1);
});

test('the report is one page with what was found, what it cost and what needs her, and three downloads', async () => {
  const served = await servedIn();
  const id = await brought(served, 'Renewals.csv', 'Website\na.example\nb.example\nnone\n');
  await run(served, id);
  const [{ batch, counts }] = (await ask(served, 'GET', `/batches?list=${id}`)).batches;
  const page = await openTab(served, `/reports/${batch}`);
  await page.getByRole('heading', { name: `${counts.matched ?? 0} of 3 companies found` }).waitFor();
  await page.getByRole('heading', { name: /^What came back, of / }).waitFor();
  await page.getByText('this is play money').waitFor();
  const needs = page.getByRole('listitem').filter({ hasText: 'website: counts as blank' });
  expect(await needs.innerText()).toMatch(/^Row 4\s+none\s+website/);
  for (const [name, ending] of [
    ['Download the list', '.csv'],
    ['The rows that need attention', '.csv'],
    ['Download the report', '.html'],
  ] as const) {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name }).click();
    expect((await download).suggestedFilename()).toMatch(new RegExp(`^Renewals\\..*\\${ending}$`));
  }
});
