/**
 * Goal: before a start, what is wrong stands where it is: in its cell with a sentence, and above its column with the repair.
 * What is sure is mended in two clicks, seen as pairs, and taken back in one; the first other cell is ready to be typed over after one.
 * Method: a real `rowonce serve` with an account that costs, and a real Chromium that looks for what a person sees.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { ask, brought, servedIn, useBrowser, worked } from './scene.ts';
import type { Served } from './served.ts';

const open = useBrowser();

/** Three cells have lost a digit for which one alone fits, and one for which three do; two are no ABNs. */
const LIST = [
  'Company,ABN,Website,E-mail',
  'One Ltd,51 824 753 556,one.example,one@one.example',
  'Two Ltd,8310001676,two.example,',
  'Three Ltd,9010079190,,three at home',
  'Four Ltd,1310005028,,',
  'Five Ltd,2910150461,five.example,',
  'Six Ltd,123,,',
  'Seven Ltd,34100166,seven.example,',
  'Eight Ltd,,eight.example,',
  'Nine Ltd,51824753556,one.example,',
].join('\n');

const JOB = { operation: 'enrich-company', account: 'data', columns: { abn: 'ABN', website: 'Website' } };

async function shown(list = LIST): Promise<{ page: Page; served: Served; id: string }> {
  const desk = await openDesk();
  const served = await servedIn(desk.place.folder, desk.environment(), ['--store', desk.place.path('store')]);
  const id = await brought(served, 'renewals.csv', list);
  await ask(served, 'PUT', `/lists/${id}/job`, JOB);
  const page = await open(served, `/lists/${id}`, { viewport: { width: 1280, height: 800 } });
  return { page, served, id };
}

const lineOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const abnOf = (page: Page, text: string) =>
  lineOf(page, text).getByRole('gridcell').filter({ hasText: /\d/ });
const red = (page: Page) => page.locator('td.bad', { hasText: 'of 11' });
const part = (page: Page, says: string) =>
  page.getByRole('group', { name: 'Show' }).getByRole('button', { name: says });
const mendsOf = async (served: Served, id: string): Promise<Readonly<Record<number, string>>> => {
  const { mends } = await ask(served, 'GET', `/lists/${id}`);
  return Object.fromEntries(mends.map(({ row, value }: { row: number; value: string }) => [row, value]));
};

test('each damaged cell is red with its sentence, and each tile filters the rows that it counts', async () => {
  const { page } = await shown();
  await expect.poll(() => red(page).count()).toBe(6);
  await expect
    .poll(() => abnOf(page, 'Two Ltd').first().innerText())
    .toMatch(/^! 8310001676 10 digits of 11$/);
  await page.locator('td.bad', { hasText: 'is not an e-mail address' }).waitFor();
  await page.getByText('1 is not an e-mail').waitFor();
  await expect.poll(() => part(page, 'to look up').innerText()).toMatch(/^5\s/);
  await part(page, 'need attention').click();
  await expect.poll(() => lineOf(page, 'Ltd').count()).toBe(3);
  await lineOf(page, 'Six Ltd').waitFor();
  await part(page, 'duplicate').click();
  await expect.poll(() => lineOf(page, 'Ltd').count()).toBe(1);
  await lineOf(page, 'Nine Ltd').getByText('the same as a row above: free').waitFor();
  await part(page, 'rows').click();
  await expect.poll(() => lineOf(page, 'Ltd').count()).toBe(9);
});

test('the blank cells by which a row should be asked are red, where no cell of it says what is wrong', async () => {
  const { page } = await shown('Company,ABN,Website\nOne Ltd,,one.example\nTwo Ltd,,\nThree Ltd,123,\n');
  const redIn = (text: string) => lineOf(page, text).locator('td.bad').allInnerTexts();
  await expect.poll(() => redIn('Two Ltd')).toEqual(['', 'ABN: blank; website: blank', '']);
  expect(await redIn('One Ltd')).toEqual([]);
  expect(await redIn('Three Ltd')).toEqual(['! 123 3 digits of 11', expect.any(String)]);
});

test('what is sure is mended in two clicks, as pairs that she saw, and one click takes all of it back', async () => {
  const { page, served, id } = await shown();
  await page.getByText('4 lost a digit').waitFor();
  await page.getByRole('button', { name: 'Mend all' }).click();
  const pairs = page.getByRole('dialog', { name: 'ABN: 4 lost a digit' });
  await pairs.getByText('→ 83100031676').waitFor();
  const texts = await pairs.getByRole('listitem').allInnerTexts();
  expect(texts).toHaveLength(4);
  expect(texts[0], 'whose cell it is').toMatch(/^Two Ltd\srow\s3/);
  await pairs.getByRole('button', { name: 'Mend 3 cells of ABN' }).click();
  await page.getByText('3 mended').waitFor();
  const sure = { 3: '83100031676', 4: '90100079190', 6: '29100150461' };
  expect(await mendsOf(served, id)).toEqual(sure);
  await page.getByText('1 lost a digit').waitFor();
  await expect.poll(() => red(page).count()).toBe(3);
  await expect.poll(() => part(page, 'to look up').innerText()).toMatch(/^6\s/);
  await page.getByRole('button', { name: 'Undo the last mend of ABN' }).click();
  await page.getByText('4 lost a digit').waitFor();
  expect(await mendsOf(served, id)).toEqual({});
  await expect.poll(() => red(page).count()).toBe(6);
});

test('however many pairs there are, the button below them is in sight', async () => {
  const rows = Array.from({ length: 30 }, (_, at) => `Company ${at},8310001676,${at}.example`);
  const { page } = await shown(['Company,ABN,Website', ...rows].join('\n'));
  await page.getByRole('button', { name: 'Mend all' }).click();
  const mend = page.getByRole('button', { name: 'Mend 30 cells of ABN' });
  await mend.waitFor();
  for (const height of [800, 600]) {
    await page.setViewportSize({ width: 1280, height });
    await expect.poll(async () => (await mend.boundingBox())?.y).toBeLessThan(height - 32);
  }
});

test('where several numbers fit she chooses among them, or leaves the cell red', async () => {
  const { page, served, id } = await shown();
  await page.getByRole('button', { name: 'Mend all' }).click();
  const pairs = page.getByRole('dialog', { name: 'ABN: 4 lost a digit' });
  await pairs.getByLabel('Row 5, 1310005028').selectOption('13120005028');
  await pairs.getByRole('button', { name: 'Mend 4 cells of ABN' }).click();
  await page.getByText('4 mended').waitFor();
  expect(await mendsOf(served, id)).toMatchObject({ 5: '13120005028' });
  await page.getByText('lost a digit').waitFor({ state: 'detached' });
});

test('the others are gone through by typing: Enter keeps a cell and opens the next, and a mend is judged as the cell was', async () => {
  const { page, served, id } = await shown();
  await page.getByRole('button', { name: 'Show them: 2 are not ABNs, in ABN' }).click();
  await expect.poll(() => lineOf(page, 'Ltd').count()).toBe(2);
  const field = page.getByRole('textbox', { name: 'ABN of row 7' });
  await field.waitFor();
  await page.keyboard.type('456');
  expect(await field.inputValue(), 'what is typed takes the place of what was there').toBe('456');
  await page.keyboard.press('Enter');
  const next = page.getByRole('textbox', { name: 'ABN of row 8' });
  await next.waitFor();
  await page.keyboard.type('53 004 085 616');
  await page.keyboard.press('Enter');
  await next.waitFor({ state: 'detached' });
  await expect.poll(() => mendsOf(served, id)).toEqual({ 7: '456', 8: '53 004 085 616' });
  await expect.poll(() => abnOf(page, 'Six Ltd').first().innerText()).toContain('456 3 digits of 11');
  expect(await lineOf(page, 'Ltd').count(), 'nothing jumps').toBe(2);
  await page.getByRole('button', { name: 'wrong in ABN' }).click();
  await expect.poll(() => lineOf(page, 'Ltd').count()).toBe(9);
});

test('what is mended costs no more than its rows, and is sent as it stands in the cell', async () => {
  const { page, served, id } = await shown();
  await page.getByRole('button', { name: 'Mend all' }).click();
  await page.getByRole('button', { name: 'Mend 3 cells of ABN' }).click();
  await page.getByText('3 mended').waitFor();
  const { id: plan, to_buy: asked, credits } = await ask(served, 'POST', '/plan', { file: id, job: JOB });
  expect([asked, credits.most]).toEqual([6, 6]);
  const ended = await worked(served, 'run', { file: id, job: JOB, plan, budget: credits.most });
  expect(ended).toMatchObject({ counts: { invalid: 2 } });
});

test('what is wrong with rows that were not asked yet stays red in a list that was stopped', async () => {
  const desk = await openDesk();
  const served = await servedIn(desk.place.folder, desk.environment(), ['--store', desk.place.path('store')]);
  const rows = [
    'One,one.example,a@one.example',
    'Two,two.example,two at home',
    'Six,six.example,six at home',
  ];
  const file = await brought(served, 'renewals.csv', `Company,Website,E-mail\n${rows.join('\n')}\n`);
  const job = { operation: 'enrich-company', account: 'data', columns: { website: 'Website' } };
  await ask(served, 'PUT', `/lists/${file}/job`, job);
  const { id: plan } = await ask(served, 'POST', '/plan', { file, job });
  await worked(served, 'run', { file, job, plan, budget: 1 });
  const page = await open(served, `/lists/${file}`, { viewport: { width: 1280, height: 800 } });
  await page.getByText('2 rows are left').waitFor();
  await expect.poll(() => page.locator('td.bad', { hasText: 'is not an e-mail address' }).count()).toBe(2);
});
