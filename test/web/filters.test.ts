/**
 * Goal: what shall be left out is said in the table, by a cell or by its column, and kept with the start, whose price follows. What is in
 * view is taken with two clicks. Rows are asked again by their price, and the last mend is taken back, by the mouse and by the keys alone.
 * Method: a real `rowonce serve` before an account that is not play money, and a real Chromium; the vendor's own book says what was bought.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from '../cli/desk.ts';
import { ask, brought, endOf, lastWork, servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const open = useBrowser();

const STATES = ['Customer', 'Prospect', 'Former'];
const ROWS = Array.from({ length: 9 }, (_, at) => `C${at},c${at}.example,${STATES[at % 3]}`);
const LIST = ['Company,Domain,Status', ...ROWS].join('\n');

const JOB = { operation: 'enrich-company', account: 'data', add: { Employees: 'employee_count' } };

const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true }).first();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const item = (page: Page, name: string | RegExp) => page.getByRole('menuitem', { name });
const focused = (page: Page): Promise<string> =>
  page.evaluate(
    'document.activeElement.innerText.trim() || document.activeElement.getAttribute("aria-label")',
  );
const rowsShown = (page: Page) => page.getByRole('grid').getByRole('rowheader').count();

async function listBefore(desk: Desk, path = '', job: object = JOB) {
  const served = await servedIn(desk.place.folder, desk.environment());
  const id = await brought(served, 'renewals.csv', LIST);
  await ask(served, 'PUT', `/lists/${id}/job`, job);
  const page = await open(served, `/lists/${id}${path}`, { viewport: { width: 1280, height: 800 } });
  await expect.poll(() => rowsShown(page)).toBe(9);
  return { served, id, page };
}

async function listDone(desk: Desk) {
  const served = await servedIn(desk.place.folder, desk.environment());
  const id = await brought(served, 'renewals.csv', LIST);
  await ask(served, 'PUT', `/lists/${id}/job`, JOB);
  const { id: plan } = await ask(served, 'POST', '/plan', { file: id, job: JOB });
  const { work } = await ask(served, 'POST', '/run', { file: id, job: JOB, plan, budget: 100 });
  await endOf(served, work.id);
  const page = await open(served, `/lists/${id}`, { viewport: { width: 1280, height: 800 } });
  await button(page, 'Download as ▾').waitFor();
  await expect.poll(() => rowsShown(page)).toBe(9);
  return { served, id, page };
}

const jobOf = async (served: Served, id: string) => (await ask(served, 'GET', `/lists/${id}`)).job;

test('customers are left out with three clicks, and only the others are looked up', async () => {
  const desk = await openDesk({ matchRate: 1 });
  const { served, id, page } = await listBefore(desk);
  await page.getByText('9 credits at most').waitFor();
  await cell(page, 'Customer').click({ button: 'right' });
  await item(page, 'Leave out “Customer”').click();
  await expect.poll(() => rowsShown(page)).toBe(6);
  await page.getByText('Includes 3 rows that you do not see').waitFor();
  await page.getByLabel('Look up only these').click();
  await page.getByText('6 credits at most').waitFor();
  await page.getByText('that you do not see').waitFor({ state: 'detached' });
  expect(await jobOf(served, id)).toMatchObject({ unless: { Status: 'Customer' } });
  await button(page, /^Start/).click();
  await expect.poll(async () => (await desk.place.vendor.book()).requests).toBe(6);
  expect(await lastWork(served)).toMatchObject({ stopped: null });
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 6, credits: 6 });
});

test('what the table shows changes nothing of what is bought: that is taken away beside the price alone', async () => {
  const desk = await openDesk();
  const { served, id, page } = await listBefore(desk);
  const rule = { only_if: { Status: ['Former', 'Prospect'] } };
  await ask(served, 'PUT', `/lists/${id}/job`, { ...JOB, ...rule });
  await page.reload();
  await page.getByText('6 credits at most').waitFor();
  await expect.poll(() => rowsShown(page)).toBe(9);
  const leftOut = page.getByRole('gridcell', { name: /^left out: .*Status/ });
  await expect.poll(() => leftOut.count()).toBe(3);
  // Another filter, the same one, and none: the start is as it was.
  await cell(page, 'Former').click({ button: 'right' });
  await item(page, 'Leave out “Former”').click();
  await page.getByText('Includes 3 rows that you do not see').waitFor();
  await button(page, 'Status is not Former').click();
  await page.getByRole('checkbox', { name: 'Customer 3' }).click();
  await page.getByRole('checkbox', { name: 'Former 3' }).click();
  await expect.poll(() => rowsShown(page)).toBe(6);
  await page.keyboard.press('Escape');
  await button(page, 'Take away: Status is not Customer').click();
  await expect.poll(() => rowsShown(page)).toBe(9);
  await page.getByText('6 credits at most').waitFor();
  expect(await jobOf(served, id)).toMatchObject(rule);
  await button(page, 'Look up also the others: Status is Former or Prospect').click();
  await page.getByText('9 credits at most').waitFor();
  expect(await jobOf(served, id)).not.toHaveProperty('only_if');
});

test('who is left out after a start keeps what was found before, says so, and is not asked', async () => {
  const desk = await openDesk({ matchRate: 1 });
  const { served, id, page } = await listDone(desk);
  const first = page.getByRole('row').filter({ hasText: 'c0.example' });
  const [staff = ''] = /\b\d{2,}\b/.exec(await first.innerText()) ?? [];
  expect(staff, 'the number of employees').not.toBe('');
  const job = { ...JOB, unless: { Status: 'Customer' } };
  await ask(served, 'PUT', `/lists/${id}/job`, job);
  const ahead = await ask(served, 'POST', `/lists/${id}/rows`, { job, limit: 1 });
  expect(ahead.rows[0].cells, 'before the start').toContain(staff);
  const { id: plan } = await ask(served, 'POST', '/plan', { file: id, job });
  const { work } = await ask(served, 'POST', '/run', { file: id, job, plan, budget: 100 });
  await endOf(served, work.id);
  await page.reload();
  await first.getByText('left out: "Status" is "Customer"').waitFor();
  expect((await first.innerText()).split(/\s+/)).toContain(staff);
  await page.getByRole('button', { name: /^3 left out/ }).click();
  await expect.poll(() => rowsShown(page)).toBe(3);
  expect((await desk.place.vendor.book()).requests).toBe(9);
});

test('what is in view is a CSV file with two clicks', async () => {
  const desk = await openDesk({ matchRate: 1 });
  const { page } = await listDone(desk);
  await cell(page, 'Former').click({ button: 'right' });
  await item(page, 'Show only “Former”').click();
  await expect.poll(() => rowsShown(page)).toBe(3);
  const downloading = page.waitForEvent('download');
  await button(page, 'Download as ▾').click();
  await button(page, 'CSV in view').click();
  const lines = parse(readFileSync(await (await downloading).path()), { bom: true });
  expect(lines.map((cells: readonly string[]) => cells.at(-1))).toEqual([
    'Status',
    'Former',
    'Former',
    'Former',
  ]);
  expect(lines[0]).toEqual(['Company', 'Domain', 'Employees', 'Status']);
});

test('a row, and the rows that she selected, are asked again by the price on the button, and no others', async () => {
  const desk = await openDesk({ matchRate: 1 });
  const { served, page } = await listDone(desk);
  await cell(page, 'C1').click({ button: 'right' });
  const again = item(page, /^Ask again: this row 1 credit/);
  await again.click();
  // It was paid for already, so a click asks first.
  await page.getByText('1 row has an answer already. Ask again for 1 credit?').waitFor();
  expect((await desk.place.vendor.book()).requests).toBe(9);
  await button(page, 'Ask again, 1 credit').click();
  await expect.poll(async () => (await desk.place.vendor.book()).requests).toBe(10);
  expect(await lastWork(served)).toMatchObject({ stopped: null, exit_code: 0 });
  await expect.poll(() => button(page, 'Download as ▾').isVisible()).toBe(true);
  for (const row of [4, 6, 8]) await page.getByRole('rowheader', { name: String(row), exact: true }).click();
  await button(page, 'Ask again, 3 credits').click();
  await page
    .getByRole('dialog', { name: '3 rows have an answer already.' })
    .getByRole('button')
    .first()
    .click();
  await expect.poll(async () => (await desk.place.vendor.book()).requests).toBe(13);
  await lastWork(served);
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 13, credits: 13 });
  await page.getByText('9 of 9 companies found').first().waitFor();
  await page.getByText('3 rows were asked again: none came back different.').waitFor();
});

test('selected rows are started alone: the table shows these, and of one that is known it offers to ask again', async () => {
  const desk = await openDesk({ matchRate: 1 });
  const served = await servedIn(desk.place.folder, desk.environment());
  const id = await brought(served, 'renewals.csv', LIST);
  await ask(served, 'PUT', `/lists/${id}/job`, JOB);
  const part = { file: id, job: JOB, only: '2-4' };
  const { id: plan } = await ask(served, 'POST', '/plan', part);
  const { work } = await ask(served, 'POST', '/run', { ...part, plan, budget: 3 });
  await endOf(served, work.id);
  const page = await open(served, `/lists/${id}`, { viewport: { width: 1280, height: 800 } });
  await expect.poll(() => rowsShown(page)).toBe(9);
  const select = (row: number) => page.getByRole('rowheader', { name: String(row), exact: true }).click();
  await select(3);
  await button(page, 'Start only these').click();
  await expect.poll(() => rowsShown(page)).toBe(1);
  await page.getByText('It is known already, and free.').waitFor();
  await page.locator('aside').getByRole('button', { name: 'Ask again, 1 credit' }).waitFor();
  expect(await page.locator('aside .go').count(), 'no green button that does nothing').toBe(0);
  expect(await page.locator('aside').innerText()).not.toContain('at most');
  await button(page, 'None').click();
  await expect.poll(() => rowsShown(page)).toBe(9);
  // While she selects, the table stays as it is.
  await page.getByText('6 credits at most').waitFor();
  for (const row of [3, 6, 8]) await select(row);
  await page.getByText('2 credits at most').waitFor();
  await button(page, 'Ask 2 of the 3 selected').waitFor();
  expect(await rowsShown(page)).toBe(9);
});

test('by the keys alone the menu of a cell opens, is gone through, and gives the keys back', async () => {
  const desk = await openDesk();
  const { page } = await listBefore(desk);
  await page.getByRole('grid').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+F10');
  await item(page, 'Show only “Prospect”').waitFor();
  await expect.poll(() => focused(page)).toMatch(/^Open this row/);
  await page.keyboard.press('ArrowUp');
  expect(await focused(page)).toBe('Leave out “Prospect”');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect.poll(() => rowsShown(page)).toBe(3);
  await expect.poll(() => focused(page)).toContain('Prospect');
  await page.keyboard.press('ContextMenu');
  await item(page, /^Copy/).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('menu').count()).toBe(0);
  expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('grid');
  // A popover gives the keys back to its button.
  await button(page, 'Columns').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('checkbox', { name: 'Status' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('Columns');
});

test('Ctrl+Z takes back the mend that was made last, and says so', async () => {
  const desk = await openDesk();
  const { served, id, page } = await listBefore(desk);
  const mends = async () => (await ask(served, 'GET', `/lists/${id}`)).mends;
  for (const [row, value] of [
    [2, 'first.example'],
    [3, 'second.example'],
  ] as const) {
    await ask(served, 'PUT', `/lists/${id}/mends`, { mends: [{ row, column: 'Domain', value }] });
    await expect.poll(async () => (await mends()).length).toBe(row - 1);
  }
  await page.getByRole('gridcell', { name: 'second.example' }).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+z');
  await page.getByRole('status').filter({ hasText: 'Taken back: row 3, Domain.' }).waitFor();
  await expect.poll(mends).toMatchObject([{ row: 2, value: 'first.example' }]);
  await cell(page, 'c1.example').waitFor();
  // In a field the same keys take back what was typed there.
  await page.getByRole('searchbox').fill('x');
  await page.keyboard.press('Control+z');
  expect(await mends()).toHaveLength(1);
});
