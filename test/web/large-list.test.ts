/**
 * Goal: a list that unfolds to very much is asked about on the page before its rows are read to the end, and her yes holds for
 * whatever she does with it then.
 * Method: JSON lines of some megabytes, of which every row has a cell for each name of the first, in a real browser.
 */
import { expect, test } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { brought, servedIn, useBrowser } from './scene.ts';

const tabAt = useBrowser();

test('a person agrees to a large list once, with the button beside the stop', async () => {
  const desk = await openDesk();
  const names = Array.from({ length: 200 }, (_, at) => `"c${at}":""`).join();
  const rows = '{"domain":"acme.example"}\n'.repeat(100_000);
  const served = await servedIn(desk.place.folder, desk.environment());
  const list = await brought(served, 'list.jsonl', `{"domain":"first.example",${names}}\n${rows}`);
  const page = await tabAt(served, `/lists/${list}`);
  await page.getByText('unfolds to more than 20,000,000 cells').first().waitFor();
  await page.getByRole('button', { name: 'Work with all of it' }).click();
  await page
    .getByRole('gridcell', { name: 'first.example' })
    .or(page.getByText('first.example'))
    .first()
    .waitFor();
  expect(await page.getByText('unfolds to more than').count()).toBe(0);
});
