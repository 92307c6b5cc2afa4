/**
 * Goal: what the page has guessed of a workbook is said in words that its reader knows, and a click says otherwise; a file that
 * cannot be read says what to do with it.
 * Method: a real Chromium before a real `rowonce serve`, with a workbook as people make it.
 */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { text } from '../../src/web/page/text.ts';
import { proof } from '../combinations.ts';
import { bookOf, textRow } from '../files/formats/workbook-file.ts';
import { servedIn, useBrowser } from './scene.ts';

const open = useBrowser();

/** A tab that takes a list. */
async function tab(): Promise<Page> {
  const page = await open(await servedIn(), '/new');
  await page.getByRole('button', { name: text.bring.choose }).waitFor();
  return page;
}

const RENEWALS = bookOf({
  rows: [
    textRow(1, 'Renewals'),
    textRow(3, 'Company', 'Mail'),
    textRow(4, 'Acme', 'a@acme.com'),
    textRow(5, 'Beta', 'b@beta.com'),
    textRow(6, 'Grand total', '2'),
    textRow(8, 'Region', 'State'),
    textRow(9, 'North', 'good'),
  ].join(''),
});

/** Lets a file go above the page, as a person does who has dragged it there. */
async function drop(page: Page, name: string, content: Buffer): Promise<void> {
  const script = `(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(content.toString('base64'))}), (c) => c.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], ${JSON.stringify(name)}));
    for (const kind of ['dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
  })()`;
  await page.evaluate(script);
}

const guesses = (page: Page): Promise<readonly string[]> => page.locator('.guesses li').allTextContents();

proof(
  'a workbook that is dropped is read as a person sees it, and each guess is undone by a click',
  async () => {
    const page = await tab();
    await drop(page, 'renewals.xlsx', RENEWALS);
    await page.getByText('2 rows · 2 columns').waitFor();
    expect(await guesses(page)).toEqual([
      expect.stringMatching(/^The column names come from row 3\./),
      'Left out: row 6, a line of totals (Grand total, 2). Include it',
      'Left out: rows 8 to 9, below the table (Region, State). Include them',
    ]);
    await page.getByRole('button', { name: text.list.takeIn(false), exact: true }).click();
    await page.getByText('3 rows · 2 columns').waitFor();
    expect(await guesses(page)).toContain('Only rows 4 to 6 are used. Use what looks like the list');
    await page.reload();
    await page.getByText('3 rows · 2 columns').waitFor();
    await page.getByRole('button', { name: text.list.lookAgain }).click();
    await page.getByText('2 rows · 2 columns').waitFor();
    await page.getByLabel(text.list.namesRow).selectOption('4');
    await page.getByText('Acme', { exact: true }).first().waitFor();
    await page.getByText('4 rows · 2 columns').waitFor();
  },
);

proof('where only a person knows which row has the names, the page asks, and there may be none', async () => {
  const page = await tab();
  await drop(page, 'towns.csv', Buffer.from('Acme,Sydney\nBeta,Perth\n'));
  const question = page.getByRole('alert').filter({ hasText: text.list.start });
  await question.getByRole('button', { name: 'Row 1 (Acme, Sydney) names the columns' }).waitFor();
  expect(await page.getByRole('link', { name: text.list.next }).count(), 'nothing goes on before').toBe(0);
  await question.getByRole('button', { name: 'No row names the columns' }).click();
  await page.getByText('2 rows · 2 columns').waitFor();
  expect(await question.count()).toBe(0);
  await page.getByLabel(text.list.namesRow).selectOption('1');
  await page.getByText('1 row · 2 columns').waitFor();
});

proof('telephone numbers have no country until its two letters are said, which the list keeps', async () => {
  const page = await tab();
  await drop(page, 'phones.csv', Buffer.from('ABN,Phone\n51824753556,412345678\n33051775556,412345679\n'));
  await page.getByText(text.list.wrong).click();
  await page.getByLabel(text.list.country).fill('au');
  await page.getByLabel(text.list.country).blur();
  await page.getByText('0412345678').first().waitFor();
  await page.reload();
  await page.getByText('0412345678').first().waitFor();
  expect(await page.getByLabel(text.list.country).inputValue()).toBe('AU');
});

proof('a file that no format reads says what to do with it', async () => {
  const page = await tab();
  await drop(page, 'leads.xls', Buffer.from('anything'));
  await page.getByRole('alert').getByText('save it as .xlsx').waitFor();
  await drop(page, 'leads.csv.gz', Buffer.from('anything'));
  await page.getByRole('alert').getByText('gunzip -c FILE | rowonce run JOB - -o OUT').waitFor();
});
