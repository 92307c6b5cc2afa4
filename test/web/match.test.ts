/**
 * Goal: an answer about another company is said on the page, in its row and beside the table, and she decides there whether it stays.
 * Method: a real page in a real browser, before a vendor that answers one row with another company.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { deskBefore } from '../cli/desk.ts';
import { ask, brought, endOf, servedIn, started, useBrowser } from './scene.ts';

const tabAt = useBrowser();

const JOB = {
  operation: 'enrich-company',
  account: 'data',
  columns: { abn: 'ABN' },
  add: { Staff: 'staff' },
};

const sees = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name }).first().click();

test('she keeps what was found for another company, or leaves it blank', async () => {
  const { desk, asked } = await deskBefore(({ input }) => ({
    abn: input.abn === '33051775556' ? '53004085616' : input.abn,
    staff: 70 + asked.length,
  }));
  const served = await servedIn(desk.place.folder, desk.environment());
  const file = await brought(served, 'list.csv', 'ABN\n51824753556\n33051775556\n');
  await ask(served, 'PUT', `/lists/${file}/job`, JOB);
  const { id: plan } = await ask(served, 'POST', '/plan', { file, job: JOB });
  const { work } = await ask(served, 'POST', '/run', { file, job: JOB, plan, budget: 9 });
  await endOf(served, String(work.id));
  const page = await tabAt(served, `/lists/${file}`);
  const cell = page.getByRole('row').filter({ hasText: '33051775556' });
  await sees(page, 'Answers about another company or person');
  await sees(page, 'ABN differs');
  await expect.poll(() => cell.innerText()).toContain('72');

  const shown = page.getByRole('grid').getByRole('rowheader');
  await press(page, '1 with another ABN');
  await expect.poll(() => shown.allInnerTexts()).toEqual(['3']);
  await press(page, 'row 3');
  await sees(page, 'ABN differs: 53 004 085 616. Is it the right one?');
  await press(page, 'No, leave it blank');
  await expect.poll(() => cell.innerText()).not.toContain('72');
  await press(page, 'Yes, keep it');
  await expect.poll(() => cell.innerText()).toContain('72');
  await press(page, 'Close row 3');
  await expect.poll(() => page.getByText('Answers about another company or person').count()).toBe(0);
  await expect.poll(() => page.getByText('with another ABN').count()).toBe(0);
  await expect.poll(() => shown.allInnerTexts()).toEqual(['2', '3']);
  expect(asked).toHaveLength(2);
});

test('a try says which of its answers are about another company, before the others are started', async () => {
  const { desk } = await deskBefore(() => ({ abn: '53004085616', staff: 70 }));
  const served = await servedIn(desk.place.folder, desk.environment());
  const file = await brought(served, 'list.csv', 'ABN\n51824753556\n33051775556\n');
  await ask(served, 'PUT', `/lists/${file}/job`, JOB);
  await started({ served, list: file }, JOB, { sample: 1 });
  const page = await tabAt(served, `/lists/${file}`);
  await sees(page, '1 row was found with another ABN than yours.');
  await page.locator('td.doubt').waitFor();
  await sees(page, 'Start the other 1');
});
