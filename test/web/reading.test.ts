/**
 * Goal: a list stands there before its last byte is read. Its first rows are shown while the others are on their way, it is chosen and
 * priced by what they say, and a few rows can be tried while the price of all is counted.
 * Method: a real `rowonce serve`, a real Chromium whose request with the file is held, and the process that plans the list, which is
 * stopped in the middle of it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Beginning, Reading } from '../../src/web/api.ts';
import { ask, brought, chooseFile, lastWork, servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const tabAt = useBrowser();

const companies = (count: number): string =>
  `Website,Remark\n${Array.from({ length: count }, (_, at) => `company-${10_000 + at}.example,as told\n`).join('')}`;

test('the first rows stand while the rest of the file is on its way, and she can still say no', async () => {
  const served = await servedIn();
  const page = await tabAt(served, '/');
  const file = join(served.folder, 'firms.csv');
  await writeFile(file, companies(20_000));
  const isOnItsWay = Promise.withResolvers<void>();
  await page.route('**/api/lists?*', (route) =>
    isOnItsWay.promise.then(() => route.continue().catch(() => {})),
  );
  await chooseFile(page, file);
  await page.getByText('Reading, about 20,000 rows').waitFor();
  await page.getByText('company-10003.example').waitFor();
  await page.getByRole('heading', { name: 'firms.csv' }).waitFor();
  expect((await ask(served, 'GET', '/lists')).lists).toEqual([]);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'Drop a list here' }).waitFor();
  await chooseFile(page, file);
  await page.getByText('company-10003.example').waitFor();
  isOnItsWay.resolve();
  await page.waitForURL('**/lists/*');
  await page.getByText('company-10003.example').first().waitFor();
  expect((await ask(served, 'GET', '/lists')).lists).toMatchObject([{ name: 'firms.csv' }]);
});

/** Stops the process that plans a list, as soon as it has told how far it is. @returns what lets it go on. */
async function stoppedPlan(served: Served, list: string): Promise<() => void> {
  const told = async (): Promise<Reading | null> => (await ask(served, 'GET', `/lists/${list}`)).reading;
  await expect.poll(told, { interval: 10, timeout: 120_000 }).not.toBe(null);
  const { pid } = served.child;
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g)?.map(Number) ?? [];
  expect(pids).toHaveLength(1);
  for (const each of pids) process.kill(each, 'SIGSTOP');
  const goOn = (): void => {
    for (const each of pids.splice(0)) process.kill(each, 'SIGCONT');
  };
  onTestFinished(goOn);
  return goOn;
}

test('a few rows are tried while a long list is read for its price, and “Start all” says why it waits', async () => {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: '--rate 200/s --match-rate 1' });
  const list = await brought(served, 'firms.csv', companies(40_000));
  const page = await tabAt(served, `/lists/${list}`);
  const goOn = await stoppedPlan(served, list);
  const start = page.locator('aside');
  await start.getByText(/^(?:Counting what it costs…|Price in about \d+ (?:s|min))$/).waitFor();
  await start.getByText('“Start all” waits until every row is read.').waitFor();
  expect(await start.getByRole('button', { name: 'Start all' }).isDisabled()).toBe(true);
  await page.getByText(/^Reading, about 40,000 rows$/).waitFor();
  await page.getByRole('group', { name: 'Show' }).getByText('rows so far').waitFor();
  await page.getByRole('gridcell', { name: 'company-10003.example' }).waitFor();
  await start.getByRole('button', { name: 'Try 20 first' }).click();
  await expect.poll(async () => (await ask(served, 'GET', '/tasks')).work.length).toBe(1);
  expect(await lastWork(served)).toMatchObject({ stopped: null, sample: { rows: 20 } });
  goOn();
  await start.getByRole('button', { name: 'Start the other 39,980' }).waitFor();
});

test('nothing but a try is started without a plan that was seen', async () => {
  const served = await servedIn();
  const list = await brought(served, 'firms.csv', companies(30));
  const given = { file: list, job: { operation: 'enrich-company', account: 'sandbox-provider' } };
  expect(await ask(served, 'POST', '/run', given)).toMatchObject({ status: 400, error: { code: 'usage' } });
  expect(await ask(served, 'POST', '/run', { ...given, sample: 3 })).toMatchObject({ status: 200 });
  expect(await lastWork(served)).toMatchObject({ sample: { rows: 3 } });
});

test('the beginning of a file is told in its own encoding, and is not kept; a workbook has none', async () => {
  const served = await servedIn();
  const whole = Buffer.from(`\ufeff${companies(1_000)}`, 'utf16le');
  const beginning = (name: string, body: Buffer) =>
    served
      .tool(`/api/lists/beginning?name=${name}&size=${whole.length}`, { method: 'POST', body })
      .then(({ body: told }): Beginning => JSON.parse(told));
  // The last line is cut in the middle of a letter.
  const { columns, first, rows } = await beginning('firms.csv', whole.subarray(0, 10_001));
  expect(columns.map(({ name }) => name)).toEqual(['Website', 'Remark']);
  expect(first[0]).toEqual({ row: 2, cells: ['company-10000.example', 'as told'] });
  expect(first).toHaveLength(100);
  expect(Math.abs((rows ?? 0) - 1_000)).toBeLessThan(50);
  expect(await beginning('book.xlsx', Buffer.from('PK\u0003\u0004 and so on'))).toMatchObject({
    first: [],
    rows: null,
  });
  expect(readdirSync(join(served.folder, 'store', 'lists'))).toEqual([]);
});
