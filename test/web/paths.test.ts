/**
 * Goal: what people do with the page, from a list to its output, works in their browser by hand, and pays for each row once
 * whatever happens to the page on the way.
 * Method: a real Chromium before a real `rowonce serve` and the embedded vendors, whose book says what was charged.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { readSheet } from 'read-excel-file/node';
import { expect } from 'vitest';
import writeExcel from 'write-excel-file/node';
import type { BatchDetail, BatchList } from '../../src/web/api.ts';
import { text } from '../../src/web/page/text.ts';
import { proof } from '../combinations.ts';
import { ask, chooseFile, servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const QUICK = { ROWONCE_SANDBOX: '--rate 200/s --match-rate 1' };
/** A list of thirty rows takes far longer than it takes to kill the page. */
const SLOW = { ROWONCE_SANDBOX: '--rate 2/s --match-rate 1' };

const tabAt = useBrowser();

const domains = (rows: number): readonly string[] =>
  Array.from({ length: rows }, (_, at) => `company-${at}.example`);

const csvOf = (rows: number): string => `Domain\n${domains(rows).join('\n')}\n`;

/** Presses a button or follows a link, by its words. */
async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).or(page.getByRole('link', { name })).first().click();
}

interface Entry {
  readonly credits: number;
  readonly parameters: unknown;
  readonly change?: { readonly kind: string };
}

/** The vendor's own book of what it charged and changed. */
function entries(served: Served, book: string): readonly Entry[] {
  const lines = readFileSync(join(served.folder, 'store', book), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line));
}

function expectEachOnce(served: Served, rows: number): void {
  const paid = entries(served, 'book.jsonl').filter(({ credits }) => credits > 0);
  const charged = paid.map(({ parameters }) => JSON.stringify(parameters));
  expect(charged).toHaveLength(rows);
  expect(new Set(charged).size, 'nothing is charged twice').toBe(rows);
}

proof(
  'a workbook with two sheets becomes a batch by five clicks and its choice of a sheet, and its output is the list with our columns',
  async () => {
    const served = await servedIn(undefined, QUICK);
    const rows = domains(12).map((domain, at) => [at + 1, domain]);
    const sheets = [
      { sheet: 'About', data: [['Exported for the page']] },
      { sheet: 'Leads', data: [['No', 'Domain'], ...rows] },
    ];
    const file = join(served.folder, 'leads.xlsx');
    writeFileSync(file, await writeExcel(sheets).toBuffer());
    const page = await tabAt(served, '/new');
    // Five clicks start a list: "Choose a file", "What to do", "Choose", "See what it costs", "Start". A drop saves the first;
    // a sheet that is not the first of its workbook takes one more.
    await chooseFile(page, file);
    await page.getByLabel(text.list.sheet).selectOption('Leads');
    await page.getByText('12 rows').waitFor();
    await press(page, text.list.next);

    // The rest is done by the keyboard alone.
    const way = text.todo.operations['enrich-company'];
    await page.getByRole('button', { name: `${way}: ${text.todo.go}` }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(`12 of 12 rows ${text.columns.usable}`).waitFor();
    await tabTo(page, text.columns.go);
    await page.keyboard.press('Enter');
    await tabTo(page, text.plan.startPlay);
    expect(existsSync(join(served.folder, 'store', 'book.jsonl')), 'a plan buys nothing').toBe(false);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/batches\/\w+$/);
    await page.getByText(text.batch.states.finished, { exact: true }).waitFor();
    await page.getByText(text.playMoney).first().waitFor();

    const downloads = page.waitForEvent('download');
    await tabTo(page, text.batch.downloads.ownWorkbook);
    await page.keyboard.press('Enter');
    const download = await downloads;
    const [header = [], ...cells] = await readSheet(readFileSync(await download.path()), 'Leads');
    expect(download.suggestedFilename()).toBe('leads.sandbox.xlsx');
    expect(header).toEqual(expect.arrayContaining(['No', 'Domain', '_status', '_credits']));
    expect(cells.map((row) => row.slice(0, 2))).toEqual(rows);
    expect(new Set(cells.map((row) => row[header.indexOf('_status')]))).toEqual(new Set(['matched']));
    expectEachOnce(served, 12);
    await press(page, text.batch.rows('12'));
    await page.getByText('leads.xlsx', { exact: true }).waitFor();
  },
);

/** Goes on by the Tab key until that button has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).and(page.locator(':enabled')).waitFor();
  const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
  for (let pressed = 0; (await focused()) !== name; pressed += 1) {
    expect(pressed, `the Tab key reaches "${name}"`).toBeLessThan(60);
    await page.keyboard.press('Tab');
  }
}

proof(
  'a list that cannot be read says why and offers no next step, until it is read in another way',
  async () => {
    const served = await servedIn(undefined, QUICK);
    const body = 'Exported today\n\nName,Site\nA,a.example\n';
    const { id } = await ask(served, 'PUT', '/lists?name=leads.csv', body);
    await ask(served, 'PUT', `/lists/${id}/reading`, { read: { header_row: '99' }, repair: false });
    const page = await tabAt(served, `/lists/${id}`);
    await page.getByRole('alert').getByText('nothing below its first 98 lines').waitFor();
    expect(await page.getByText(text.list.reading).count()).toBe(0);
    expect(await page.locator('main a.button').allTextContents()).toEqual([]);
    await page.getByLabel(text.list.namesRow).fill('3');
    await page.keyboard.press('Tab');
    await page.getByText('1 row · 2 columns').waitFor();
    await page.getByRole('link', { name: text.list.next }).waitFor();
  },
);

proof(
  'what cannot be worked on is counted, and each reason names its first rows, for a lookup and for a team',
  async () => {
    const served = await servedIn(undefined, QUICK);
    const said = async (name: string, way: string, find: RegExp): Promise<readonly string[]> => {
      const page = await tabAt(served, '/new');
      await chooseFile(page, join(FIXTURES, name));
      await press(page, text.list.next);
      await press(page, `${way}: ${text.todo.go}`);
      await page.getByText(find).waitFor();
      return page.locator('.check p, .check li').allTextContents();
    };
    const { operations } = text.todo;
    expect(await said('leads.csv', operations['enrich-company'], /can be worked on/)).toEqual([
      '53 of 63 rows can be worked on. 10 cannot:',
      'rows 37, 40, 43, 46, 48: no usable identifier: ABN: blank; website: blank',
      expect.stringMatching(/^row 16: .*the checksum fails/),
      ...[19, 22, 51, 54].map((row) => expect.stringMatching(`^row ${row}: no usable identifier`)),
    ]);
    expect(await said('team.csv', operations.onboard, /can be worked on/)).toEqual(
      expect.arrayContaining([
        '0 of 16 rows can be worked on. 16 cannot:',
        expect.stringMatching(/^rows 2, .*: project "Platform" is not among/),
      ]),
    );
  },
);

proof(
  'a page that is killed in the middle is started again, and "Continue" ends every row without a second charge',
  async () => {
    const first = await servedIn(undefined, SLOW);
    const batch = await started(first, 30);
    const watching = await tabAt(first, `/batches/${batch}`);
    await expect.poll(async () => (await detail(first, batch)).settled).toBeGreaterThan(0);
    await first.stop('SIGKILL');
    await watching.getByText(text.reconnecting).waitFor();

    const again = await servedIn(first.folder, QUICK);
    const page = await tabAt(again, `/batches/${batch}`);
    await press(page, text.batch.goOn);
    await page.getByText(text.batch.states.finished, { exact: true }).waitFor();
    const { counts, credits } = await detail(again, batch);
    expect([counts, credits.spent]).toEqual([{ matched: 30 }, 30]);
    expectEachOnce(again, 30);
  },
);

/** Begins a batch as the page does. @returns its id. */
async function started(served: Served, rows: number): Promise<string> {
  const { id: list } = await ask(served, 'PUT', '/lists?name=leads.csv', csvOf(rows));
  const choices = { what: { operation: 'enrich-company' }, account: 'sandbox-provider' };
  const { id: plan } = await ask(served, 'POST', '/plans', { list, choices });
  await ask(served, 'POST', '/starts', { plan });
  return batchOf(served);
}

async function detail(served: Served, batch: string): Promise<BatchDetail> {
  return JSON.parse((await served.tool(`/api/batches/${batch}`)).body);
}

/** The newest batch, as soon as it is there. */
async function batchOf(served: Served): Promise<string> {
  const newest = async (): Promise<string | undefined> =>
    (JSON.parse((await served.tool('/api/batches')).body) as BatchList).batches[0]?.batch;
  await expect.poll(newest).toBeDefined();
  return (await newest()) ?? '';
}

proof(
  'an administrator sees a team project by project, allows what is held back, and types what is removed',
  async () => {
    const served = await servedIn(undefined, QUICK);
    const page = await tabAt(served, '/new');
    await chooseFile(page, join(FIXTURES, 'team.csv'));
    await press(page, text.list.next);
    await press(page, `${text.todo.operations.onboard}: ${text.todo.go}`);
    const project = (name: string) => page.getByLabel(name, { exact: true });
    await project('Platform').waitFor();
    const ofProjects = page.locator('section', {
      has: page.getByRole('heading', { name: text.columns.projects }),
    });
    const projects = () => ofProjects.locator('.field').allTextContents();
    const asListed = await projects();
    await project('Platfrom').fill('proj-platform');
    await project('Platfrom').press('Tab');
    await page.getByText(`1 of 16 rows ${text.columns.usable}`).waitFor();
    expect(await projects(), 'no field moves when another is filled').toEqual(asListed);
    await project('Platfrom').fill('');
    await project('Platform').fill('proj-platform');
    await project('Research').pressSequentially('proj-research');
    await page.getByText(`5 of 16 rows ${text.columns.usable}`).waitFor();
    expect(await project('Research').inputValue(), 'a check meanwhile leaves what is typed').toBe(
      'proj-research',
    );
    await project('Support').fill('proj-support');
    await press(page, text.columns.go);
    const platform = page.locator('details', { has: page.getByText('Platform', { exact: true }) });
    await platform.getByText('priya.raman@banksia.example').waitFor();
    expect(await platform.getByText('sofia.rossi@banksia.example').count()).toBe(0);
    await press(page, text.plan.allow);
    await press(page, new RegExp(`^${text.plan.startChanges}`));
    await page.getByText(text.batch.states.attention, { exact: true }).waitFor();

    await page.goto(`${served.url}/new`);
    await chooseFile(page, join(FIXTURES, 'leavers.csv'));
    await press(page, text.list.next);
    await page.getByText(text.todo.more).click();
    await press(page, `${text.todo.operations['remove-user']}: ${text.todo.go}`);
    await press(page, text.columns.go);
    const start = page.getByRole('button', { name: new RegExp(`^${text.plan.startChanges}`) });
    const agreeing = page.getByLabel(text.plan.type);
    await agreeing.fill('remove');
    expect(await start.isDisabled()).toBe(true);
    await agreeing.fill((await page.locator('label code').textContent()) ?? '');
    await start.click();
    await page.getByText(text.batch.states.attention, { exact: true }).waitFor();
    const changes = entries(served, 'service-book.jsonl').map(({ change }) => change?.kind);
    expect(changes.filter((kind) => kind === 'user_removed')).toHaveLength(1);
    expect(new Set(changes)).toEqual(new Set(['invited', 'user_removed']));
  },
);
