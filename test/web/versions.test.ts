/**
 * Goal: a list on the page is what its file says now. A mend that was taken back, a version that comes again and a row that was left
 * out are so at once, in table, figures and download, and none of them is bought once more.
 * Method: a real Chromium before a real `rowonce serve`, an account that is no play money, and the vendor's own book.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Desk, type JsonResult, openDesk } from '../cli/desk.ts';
import {
  ask,
  brought,
  chooseFile,
  endOf,
  lastWork,
  type OnPage,
  servedIn,
  started,
  useBrowser,
} from './scene.ts';

const tabAt = useBrowser();

const JOB = { operation: 'enrich-company', account: 'data', add: { Found: 'name' } };

async function onPage(desk: Desk, body: string, name = 'Renewals Q4.csv'): Promise<OnPage> {
  const served = await servedIn(desk.place.folder, desk.environment());
  const list = await brought(served, name, body);
  await ask(served, 'PUT', `/lists/${list}/job`, JOB);
  return { desk, served, list };
}

const listOf = (...domains: readonly string[]): string => `Domain\n${domains.join('\n')}\n`;

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).first().click();

const start = (page: Page): Promise<void> =>
  page
    .locator('aside')
    .getByRole('button', { name: /^Start/ })
    .click();

const sees = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

const isNow = (page: Page, word: string): Promise<void> =>
  page.locator('.state strong', { hasText: word }).waitFor();

const mend = ({ served, list }: OnPage, row: number, value: string | null): Promise<JsonResult> =>
  ask(served, 'PUT', `/lists/${list}/mends`, { mends: [{ row, column: 'Domain', value }] });

/** The file that the page's own button saves. */
async function downloaded(page: Page, name = /^CSV$/): Promise<string> {
  const saving = page.waitForEvent('download');
  await press(page, 'Download as ▾');
  await press(page, name);
  const stream = await (await saving).createReadStream();
  let text = '';
  for await (const part of stream) text += part;
  return text;
}

/** The table as it is shown, a row in each text. */
const rowsOf = (page: Page): Promise<readonly string[]> =>
  page.locator('[role=grid] tbody tr, [role=grid] [role=row]').allInnerTexts();

const mentions = async (page: Page, word: string): Promise<boolean> =>
  (await rowsOf(page)).some((row) => row.includes(word));

/** Holds a file over the page, and drops it. @returns whether the browser would stay at the page for both. */
const DROP = `async ({ name, text, atOnce }) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  const sent = (kind) => document.querySelector('[role=grid]').dispatchEvent(
    new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer }));
  const isHeld = !sent('dragover');
  while (!atOnce && !document.body.innerText.includes('Drop it')) await new Promise(requestAnimationFrame);
  return [isHeld, !sent('drop')];
}`;

test('the file of next week is dropped on its open list, or chosen for it under another name', async () => {
  const desk = await openDesk();
  const at = await onPage(desk, listOf('a.example', 'b.example'));
  await started(at, JOB);
  const page = await tabAt(at.served, `/lists/${at.list}`);
  await isNow(page, 'Done');
  const next = { name: 'Renewals Q4.csv', text: listOf('a.example', 'b.example', 'c.example') };
  expect(await page.evaluate(`(${DROP})(${JSON.stringify(next)})`)).toEqual([true, true]);
  await sees(page, /^1.new$/);
  await isNow(page, 'Changed');
  expect(page.url()).toContain(at.list);
  await page.reload();
  await isNow(page, 'Changed');
  const later = { ...next, text: listOf('a.example', 'b.example', 'c.example', 'd.example'), atOnce: true };
  expect(await page.evaluate(`(${DROP})(${JSON.stringify(later)})`)).toEqual([true, true]);
  await sees(page, /^2.new$/);
  await start(page);
  await isNow(page, 'Done');
  await press(page, '⋯');
  const choosing = page.waitForEvent('filechooser');
  await press(page, 'Bring a newer file…');
  const buffer = Buffer.from(listOf('a.example', 'd.example', 'e.example'));
  await (await choosing).setFiles({ name: 'export (7).tsv', mimeType: 'text/plain', buffer });
  await sees(page, 'The list is a file that ends in .csv. Save the newer one as .csv, too.');
  const choosingAgain = page.waitForEvent('filechooser');
  await press(page, 'Bring a newer file…');
  await (await choosingAgain).setFiles({ name: 'export (7).csv', mimeType: 'text/plain', buffer });
  await isNow(page, 'Changed');
  await page.getByRole('heading', { name: 'Renewals Q4.csv' }).waitFor();
  await sees(page, /^2.gone$/);
  expect((await ask(at.served, 'GET', '/lists')).lists).toHaveLength(1);
});

test('the button of a start is as wide as its words, also with a price, in a panel and on a phone', async () => {
  const desk = await openDesk({ account: { price: '400 AUD' } });
  const named = (...rows: readonly string[]) => ['Domain,Name', ...rows, ''].join('\n');
  const at = await onPage(desk, named('a.example,Acme', 'b.example,Bee'));
  await started(at, JOB);
  const others = ['c', 'd', 'e', 'f'].map((name) => `${name}.example,${name}`);
  await brought(at.served, 'Renewals Q4.csv', named('a.example,Other', 'b.example,Bee', ...others));
  const page = await tabAt(at.served, `/lists/${at.list}`, { viewport: { width: 1280, height: 800 } });
  const go = page.locator('.foot .go');
  await go.getByText('new and changed, A$1,600.00').waitFor();
  for (const width of [1280, 1024, 390, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const room = await go.evaluate((button) => button.clientWidth - button.scrollWidth);
    expect(room, `at ${width}`).toBe(0);
  }
});

test('a mend that was taken back is gone from table and download, with the company that was bought for it', async () => {
  const desk = await openDesk();
  const at = await onPage(desk, listOf('a.example', 'b.example'));
  await started(at, JOB);
  await mend(at, 3, 'mended.example');
  await started(at, JOB);
  const page = await tabAt(at.served, `/lists/${at.list}`);
  await isNow(page, 'Done');
  expect(await downloaded(page)).toContain('mended.example');
  await press(page, 'take back the mend of row 3, Domain');
  await expect.poll(() => mentions(page, 'mended.example')).toBe(false);
  await expect.poll(() => mentions(page, 'b.example')).toBe(true);
  await isNow(page, 'Done');
  expect(await page.getByText('A mend was taken').count(), 'it is the list of before').toBe(0);
  const bytes = await downloaded(page);
  expect(bytes).toContain('b.example');
  expect(bytes).not.toContain('mended.example');
  // The list as it is now can be started again, which goes on with what was begun first.
  await started(at, JOB);
  await page.reload();
  await isNow(page, 'Done');
  expect(await mentions(page, 'mended.example')).toBe(false);
  expect(await downloaded(page)).not.toContain('mended.example');
  expect(await desk.requests()).toBe(3);
});

test('a mend follows its cell into the next version, whatever else of the row has changed, and a loss is told', async () => {
  const desk = await openDesk();
  const body = (...rows: readonly string[]): string => `Company,Domain\n${rows.join('\n')}\n`;
  const at = await onPage(desk, body('One,a.exampl', 'Two,b.exampl', 'Three,c.example'));
  await mend(at, 2, 'a.example');
  await mend(at, 3, 'b.example');
  const now = body('New,new.example', 'One Ltd,a.exampl', 'Two,b2.example', 'Three,c.example');
  expect(await brought(at.served, 'Renewals Q4.csv', now)).toBe(at.list);
  const { mends } = await ask(at.served, 'GET', `/lists/${at.list}`);
  expect(mends).toMatchObject([{ row: 3, column: 'Domain', value: 'a.example' }]);
  const page = await tabAt(at.served, `/lists/${at.list}`);
  await sees(page, 'your mend of Domain is not taken over: “b.example”');
  await expect
    .poll(async () => (await rowsOf(page)).find((row) => row.includes('One Ltd')))
    .toContain('a.example');
});

test('a mend that was started with the list and is taken back: its cell says what it was, and its answer is gone', async () => {
  const desk = await openDesk();
  const at = await onPage(desk, listOf('a.example', 'b.example'));
  await mend(at, 3, 'mended.example');
  await started(at, JOB);
  const page = await tabAt(at.served, `/lists/${at.list}`);
  await isNow(page, 'Done');
  await expect.poll(() => mentions(page, 'mended.example')).toBe(true);
  const bought = (await rowsOf(page)).find((row) => row.includes('mended.example')) ?? '';
  const company = bought.split('\t').at(-1)?.trim() ?? '';
  expect(company).not.toBe('');
  await press(page, 'take back the mend of row 3, Domain');
  await sees(page, 'A mend was taken away: 1 row is asked again, 1 credit at most');
  await expect.poll(() => mentions(page, 'mended.example')).toBe(false);
  expect(await mentions(page, 'b.example')).toBe(true);
  await press(page, 'Download as ▾');
  await sees(page, 'All 2 rows, as they were started');
  await page.keyboard.press('Escape');
  await press(page, 'Start the changed row, 1 credit');
  await sees(page, 'this start cost 1 credit');
  expect(await downloaded(page)).not.toContain('mended.example');
  expect(await desk.requests()).toBe(3);
});

test('an earlier version that is brought again is shown with all that was found for it, and is no change', async () => {
  const desk = await openDesk();
  const first = listOf('a.example', 'b.example');
  await desk.write('Renewals Q4.csv', first);
  const at = await onPage(desk, first);
  await started(at, JOB);
  await brought(at.served, 'Renewals Q4.csv', listOf('a.example', 'c.example'));
  await started(at, JOB);
  const home = await tabAt(at.served, '/');
  await chooseFile(home, desk.place.path('Renewals Q4.csv'));
  await isNow(home, 'Done');
  await sees(home, '2 of 2 companies found');
  await expect.poll(() => mentions(home, 'b.example')).toBe(true);
  expect(await mentions(home, 'c.example')).toBe(false);
  await press(home, 'Do something else');
  await start(home);
  await expect.poll(async () => (await ask(at.served, 'GET', '/tasks')).work.length).toBe(3);
  await lastWork(at.served);
  await isNow(home, 'Done');
  await expect.poll(async () => (await rowsOf(home)).length).toBeGreaterThan(1);
  expect(await mentions(home, 'b.example')).toBe(true);
  expect(await downloaded(home)).toContain('b.example');
  await sees(home, 'In all, the list has cost 3 credits');
  expect(await desk.requests()).toBe(3);
  await home.getByRole('link', { name: 'Lists' }).click();
  await home.getByText('Done', { exact: true }).waitFor();
  // What is typed about the last list means the one that was started last.
  const { batches } = await ask(at.served, 'GET', `/batches?list=${at.list}`);
  expect((await desk.json(['status', 'last'])).batch).toBe(batches[0].batch);
});

test('a row that was left out stays so at the next start and in the next version, and is never bought', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
  const at = await onPage(desk, listOf('a.example', 'b.example'));
  const page = await tabAt(at.served, `/lists/${at.list}`);
  await started(at, JOB);
  await sees(page, 'No answer came. It may have cost 1 credit.');
  await press(page, 'Leave it out');
  await isNow(page, 'Done');
  const requests = await desk.requests();
  await brought(at.served, 'Renewals Q4.csv', listOf('a.example', 'b.example', 'c.example'));
  const beside = page.getByRole('complementary');
  await beside.getByText('1 credit at most').waitFor();
  await start(page);
  await sees(page, /2 of 2 companies found.*1 row left out/);
  await isNow(page, 'Done');
  expect(await page.getByText('Ask again').count()).toBe(0);
  expect(await desk.requests()).toBe(requests + 1);
  // Another thing that is asked of the same list is another start of it.
  const people = { ...JOB, add: { Found: 'name', City: 'city' } };
  const { id: plan } = await ask(at.served, 'POST', '/plan', { file: at.list, job: people });
  const { work } = await ask(at.served, 'POST', '/run', { file: at.list, job: people, plan, budget: 9 });
  expect((await endOf(at.served, work.id)).counts).toEqual({ matched: 2, skipped: 1 });
  expect(await desk.requests()).toBe(requests + 1);
});
