/**
 * Goal: her table is the page. It shows her columns and what is found behind the one by which it is asked, fills while it runs,
 * finds, sorts and filters rows, and takes mended cells, by the mouse, by the keys and on a telephone.
 * Method: a real `rowonce serve` with the embedded vendors, and a real Chromium that looks for what a person sees.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { WorkAnswer } from '../../src/web/api.ts';
import { ask, brought, lastWork, servedIn, useBrowser, worked } from './scene.ts';
import type { Served } from './served.ts';

const open = useBrowser();

const LIST = [
  'Renewals Q4,,',
  'Exported today,,',
  'Website,Company,City',
  'one.example,One Ltd,Perth',
  'two.example,Two Ltd,Hobart',
  'not a website,Three Ltd,Perth',
  'four.example,Four Ltd,Cairns',
].join('\n');

const JOB = {
  operation: 'enrich-company',
  account: 'sandbox-provider',
  add: { Employees: 'employee_count', Industry: 'industry', Its: 'website' },
};

/** @returns what was started. Its batch may begin a moment later. */
async function begun(served: Served, id: string): Promise<WorkAnswer> {
  await ask(served, 'PUT', `/lists/${id}/job`, JOB);
  const plan = await ask(served, 'POST', '/plan', { file: id, job: JOB });
  return (await ask(served, 'POST', '/run', { file: id, job: JOB, plan: plan.id })) as unknown as WorkAnswer;
}

async function finished(served: Served, rows = LIST): Promise<string> {
  const id = await brought(served, 'renewals.csv', rows);
  await begun(served, id);
  await lastWork(served);
  return id;
}

const heads = (page: Page): Promise<readonly string[]> => page.getByRole('columnheader').allInnerTexts();
const lineOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const part = (page: Page, says: string) =>
  page.getByRole('group', { name: 'Show' }).getByRole('button', { name: says });

const placeOf = (shown: Locator) => shown.evaluate((element) => element.getBoundingClientRect().toJSON());

const isCut = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }: Element): boolean =>
  scrollWidth > clientWidth || scrollHeight > clientHeight;

test('before the start the name of each row comes first, then what it is asked by and what will be added, blank', async () => {
  const served = await servedIn();
  const id = await brought(served, 'renewals.csv', LIST);
  await ask(served, 'PUT', `/lists/${id}/job`, JOB);
  const page = await open(served, `/lists/${id}`, { viewport: { width: 1280, height: 800 } });
  await expect
    .poll(() => heads(page))
    .toEqual([
      'Row',
      expect.stringMatching(/^Company$/),
      expect.stringMatching(/^Website\s+asked by: website/),
      expect.stringMatching(/^Employees\s+will be added/),
      expect.stringMatching(/^Industry\s+will be added/),
      expect.stringMatching(/^Its\s+will be added/),
      expect.stringMatching(/^City$/),
    ]);
  await page.emulateMedia({ media: 'print' });
  expect((await heads(page))[1], 'on paper, too').toMatch(/^Company/);
  await page.emulateMedia({ media: 'screen' });
  await lineOf(page, 'One Ltd').getByRole('rowheader', { name: '4' }).waitFor();
  await page.getByRole('button', { name: 'Names in row 3' }).click();
  await page.getByText('Renewals Q4').first().waitFor();
  await page.getByLabel('Your columns have no names').click();
  await page.getByRole('button', { name: 'No names' }).waitFor();
  await lineOf(page, 'Exported today').waitFor();
});

test('where nobody but her can say which row names the columns, she says it above the table', async () => {
  const served = await servedIn();
  const id = await brought(served, 'odd.csv', 'Foo,Bar\na,b\n');
  await ask(served, 'PUT', `/lists/${id}/job`, JOB);
  const page = await open(served, `/lists/${id}`);
  await page.getByText('it is not clear where the list begins').first().waitFor();
  await page.getByRole('button', { name: 'Row 1 (Foo, Bar) names the columns' }).click();
  await expect.poll(() => heads(page)).toContainEqual(expect.stringMatching(/^Foo\b/));
});

test('a column is given another meaning at its head', async () => {
  const served = await servedIn();
  const id = await brought(served, 'renewals.csv', 'Web,Company\none.example,One Ltd\n');
  await ask(served, 'PUT', `/lists/${id}/job`, { ...JOB, columns: { name: '' } });
  const page = await open(served, `/lists/${id}`);
  await page.getByRole('button', { name: /^Company/ }).click();
  await page.getByLabel('“Company” is').selectOption({ label: 'asked by: company name' });
  await page.getByRole('button', { name: /^Company\s+asked by: company name/ }).waitFor();
  const kept = async (): Promise<string> => (await ask(served, 'GET', `/lists/${id}`)).job.columns.name;
  await expect.poll(kept).toBe('Company');
});

test('cells fill while it runs, without a click', async () => {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: '--rate 2/s --match-rate 1' });
  // It goes on for longer than any machine needs to look.
  const rows = Array.from({ length: 500 }, (_, at) => `company-${at}.example,Company ${at}`).join('\n');
  const id = await brought(served, 'slow.csv', `Website,Name\n${rows}\n`);
  await begun(served, id);
  const page = await open(served, `/lists/${id}`);
  await part(page, 'to go').waitFor();
  const filled = (): Promise<number> => page.locator('td.ours').filter({ hasText: /\w/ }).count();
  await expect.poll(filled, { timeout: 30_000 }).toBeGreaterThan(0);
  const first = await filled();
  await expect.poll(filled, { timeout: 30_000 }).toBeGreaterThan(first);
  await part(page, 'to go').waitFor();
});

test('as long as no question was sent, it says that it begins', async () => {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: '--rate 1/s' });
  // It goes on for longer than any machine needs to look.
  const rows = Array.from({ length: 500 }, (_, at) => `slow-${at}.example\n`).join('');
  const id = await brought(served, 'slow.csv', `Website\n${rows}`);
  await begun(served, id);
  const page = await open(served, '/');
  await page.route('**/known', async (route) => {
    const { batch, ...known } = await ask(served, 'GET', `/lists/${id}/known`);
    const unsent = { open: 0, requests_last_minute: 0, settled: 0, running: true, state: 'open' };
    const asUnsent = batch && { ...batch, ...unsent, credits: { ...batch.credits, spent: 0 } };
    await route.fulfill({ json: { ...known, batch: asUnsent } });
  });
  await page.goto(`${served.url}/lists/${id}`);
  const beside = page.getByRole('complementary', { name: 'So far' });
  await beside.getByText('0 credits').waitFor();
  await beside.getByText('It begins.').waitFor();
  expect(await page.locator('main .state').last().innerText()).not.toContain('%');
  // An answer that is still under way would fail when the server ends.
  await page.unrouteAll({ behavior: 'wait' });
});

const LOST =
  'answers are being lost (HTTP 503), so only one request is sent at a time. If the vendor means "no match" ' +
  'by it, its dialect needs the rule `- status: 503`';

test('while it runs, the rows that need her are a click away, and a wait of a moment is no other state', async () => {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: '--rate 1/s' });
  // It goes on for longer than any machine needs to look.
  const rows = Array.from({ length: 500 }, (_, at) => (at === 400 ? 'no site\n' : `slow-${at}.example\n`));
  const id = await brought(served, 'slow.csv', `Website\n${rows.join('')}`);
  await begun(served, id);
  const page = await open(served, '/');
  let waitMs = 1_000;
  await page.route('**/known', async (route) => {
    const { batch, ...known } = await ask(served, 'GET', `/lists/${id}/known`);
    const until = new Date(Date.now() + waitMs).toISOString();
    const paused = { paused_until: until, paused_why: LOST };
    await route.fulfill({ json: { ...known, batch: batch && { ...batch, ...paused } } });
  });
  await page.goto(`${served.url}/lists/${id}`);
  const state = page.locator('.state').getByRole('status');
  await state.getByText('Running').waitFor();
  await page.getByRole('link', { name: '1 row needs attention' }).click();
  await lineOf(page, 'slow-0').waitFor({ state: 'detached' });
  await lineOf(page, 'no site').waitFor();
  waitMs = 60_000;
  await state.getByText('Waiting a moment').waitFor();
  await page
    .getByText(/request is sent at a time\. It goes on by itself in (?:[45]\d|60) s; nothing/)
    .waitFor();
  waitMs = 600_000;
  await state.getByText('Waiting until').waitFor();
  // An answer that is still under way would fail when the server ends.
  await page.unrouteAll({ behavior: 'wait' });
});

test('what came of a row stands whole in its cells, and the parts of the list add up to it and filter it', async () => {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: '--match-rate 1' });
  const id = await finished(served);
  const page = await open(served, `/lists/${id}`);
  await lineOf(page, 'Three Ltd').getByText('not a website').first().waitFor();
  await expect.poll(() => part(page, 'rows').innerText()).toMatch(/^4\s/);
  const found = lineOf(page, 'One Ltd').getByRole('gridcell');
  for (const cell of await found.all()) expect(await cell.evaluate(isCut)).toBe(false);
  expect(await part(page, 'found').innerText()).toMatch(/^3\s/);
  await part(page, 'needs attention').click();
  await expect.poll(() => lineOf(page, 'Ltd').allInnerTexts()).toHaveLength(1);
  await part(page, 'rows').click();
  await expect.poll(() => lineOf(page, 'Ltd').allInnerTexts()).toHaveLength(4);
});

test('the rows that need her are one click away, also in a list that is shown already, and back leads to all rows', async () => {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: '--match-rate 1' });
  const page = await open(served, `/lists/${await finished(served)}`);
  const shows = (rows: number): Promise<void> =>
    expect.poll(() => lineOf(page, 'Ltd').allInnerTexts()).toHaveLength(rows);
  const needs = page.getByRole('link', { name: '1 list needs attention' });
  const search = page.getByLabel('Search this list');
  await shows(4);
  await needs.click();
  await shows(1);
  expect(await part(page, 'needs attention').getAttribute('aria-pressed')).toBe('true');
  await part(page, 'rows').click();
  await search.fill('Perth');
  await shows(2);
  await needs.click();
  await shows(1);
  expect(await search.inputValue()).toBe('');
  await page.reload();
  await shows(1);
  await page.goBack();
  await shows(4);
});

test('rows are searched, sorted and filtered by a value, and each of these is taken back by a click', async () => {
  const served = await servedIn();
  const page = await open(served, `/lists/${await finished(served)}`);
  const companies = async (): Promise<readonly (string | undefined)[]> =>
    (await lineOf(page, 'Ltd').allInnerTexts()).map((text) => /\w+ Ltd/.exec(text)?.[0]);
  await page.getByRole('searchbox').fill('hob');
  await expect.poll(companies).toEqual(['Two Ltd']);
  await page.getByRole('searchbox').fill('');
  await expect.poll(companies).toEqual(['One Ltd', 'Two Ltd', 'Three Ltd', 'Four Ltd']);
  await page.getByRole('button', { name: /^Company/ }).click();
  await page.getByRole('button', { name: 'Sort A to Z' }).click();
  await expect.poll(companies).toEqual(['Four Ltd', 'One Ltd', 'Three Ltd', 'Two Ltd']);
  await page.getByRole('button', { name: /^City/ }).click();
  await page.getByRole('checkbox', { name: 'Perth 2' }).click();
  await expect.poll(companies).toEqual(['One Ltd', 'Three Ltd']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Take away: City is Perth' }).click();
  await page.getByRole('button', { name: 'sorted by Company ✕' }).click();
  await expect.poll(companies).toEqual(['One Ltd', 'Two Ltd', 'Three Ltd', 'Four Ltd']);
});

test('after a sort the head of its column stays in sight, however far to the right it is', async () => {
  const served = await servedIn();
  const wide = Array.from({ length: 12 }, (_, at) => at);
  const rows = [
    ['Website', ...wide.map((at) => `Column ${at}`)],
    ['one.example', ...wide.map(() => 'a')],
    ['two.example', ...wide.map(() => 'b')],
  ];
  const page = await open(served, `/lists/${await finished(served, rows.map(String).join('\n'))}`);
  const head = page.getByRole('button', { name: /^Column 11/ });
  await head.click();
  await page.getByRole('button', { name: 'Sort Z to A' }).click();
  await page.getByRole('row').nth(1).filter({ hasText: 'two.example' }).waitFor();
  const { left, right } = await placeOf(head);
  const sheet = await placeOf(page.locator('.sheet'));
  expect(left).toBeGreaterThan(sheet.left);
  expect(right).toBeLessThanOrEqual(sheet.right);
});

test('where she has chosen no fields, the first that were found stand beside hers, and a list has the others', async () => {
  const served = await servedIn();
  const id = await brought(served, 'renewals.csv', LIST);
  const job = { operation: 'enrich-company', account: 'sandbox-provider' };
  const plan = await ask(served, 'POST', '/plan', { file: id, job });
  await ask(served, 'POST', '/run', { file: id, job, plan: plan.id });
  await lastWork(served);
  const page = await open(served, `/lists/${id}`);
  const found = async () => (await heads(page)).filter((head) => /\sfound/.test(head)).length;
  await expect.poll(found).toBe(6);
  await page.getByRole('button', { name: /^Columns \(\d+ hidden\)/ }).click();
  await page.getByRole('checkbox', { checked: false }).first().check();
  expect(await found()).toBe(7);
  await page.reload();
  await expect.poll(found).toBe(7);
});

test('beside the search stands how many rows it has found, or how many have come so far', async () => {
  const served = await servedIn();
  const rows = Array.from({ length: 121 }, (_, at) => `c-${at}.example,${at === 60 ? 'Hobart' : 'Perth'}`);
  const id = await brought(served, 'cities.csv', `Website,City\n${rows.join('\n')}\n`);
  const page = await open(served, `/lists/${id}`);
  const finds = async (text: string, says: string): Promise<void> => {
    await page.getByLabel('Search this list').fill(text);
    await page.getByRole('status').getByText(says, { exact: true }).waitFor();
  };
  await finds('hobart', '1 row');
  await finds('perth', 'more than 100 rows');
  await page.getByRole('grid').press('Control+End');
  await page.getByText('120 rows', { exact: true }).waitFor();
  await finds('nowhere', 'No row matches.');
});

test('a cell is mended by the keys alone, says what it was, and is taken back', async () => {
  const served = await servedIn();
  const id = await finished(served);
  const page = await open(served, `/lists/${id}`);
  await lineOf(page, 'Three Ltd').waitFor();
  await page.getByRole('grid').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'F2']) await page.keyboard.press(key);
  const field = page.getByRole('textbox', { name: 'Website of row 6' });
  await field.fill('three.example');
  await field.press('Enter');
  await page.getByText('1 cell mended').waitFor();
  const cell = page.getByRole('gridcell', { name: /three\.example/ });
  expect(await cell.getAttribute('title')).toBe('was not a website');
  expect((await ask(served, 'GET', `/lists/${id}`)).mends).toMatchObject([
    { row: 6, column: 'Website', value: 'three.example' },
  ]);
  await cell.getByRole('button', { name: 'take back the mend of row 6, Website' }).click();
  await page.getByText('1 cell mended').waitFor({ state: 'detached' });
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Row 6' }).waitFor();
});

test('what a mend has asked again is said where she mended, with its price, and its button starts it', async () => {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: '--match-rate 1' });
  const id = await finished(served);
  const page = await open(served, `/lists/${id}`);
  await part(page, 'needs attention').click();
  await expect.poll(() => lineOf(page, 'Ltd').allInnerTexts()).toHaveLength(1);
  await lineOf(page, 'Three Ltd').getByRole('gridcell', { name: 'not a website' }).first().dblclick();
  const field = page.getByRole('textbox', { name: 'Website of row 6' });
  await field.fill('three.example');
  await field.press('Enter');
  const said = page.getByText('1 row is asked again, 1 credit at most; everything else is free.');
  await said.getByText('1 cell mended:').waitFor();
  await page.getByRole('button', { name: 'Start the changed row, 1 credit' }).click();
  await page.getByText('4 of 4 companies found').waitFor();
  await said.waitFor({ state: 'detached' });
  // No row needs her any more, and the table is not left blank by that.
  await expect.poll(() => lineOf(page, 'Ltd').allInnerTexts()).toHaveLength(4);
  // What she paid for the list before is no saving.
  const cost = 'In all, the list has cost 4 credits; this start cost 1 credit; this is play money.';
  await page.getByText(`${cost} That is 1 credit for each one found.`, { exact: false }).waitFor();
  const { batches } = await ask(served, 'GET', '/batches');
  expect(batches.map(({ credits }: { readonly credits: object }) => credits)).toMatchObject([
    { spent: 1 },
    { spent: 3 },
  ]);
  await lineOf(page, 'Three Ltd')
    .getByRole('button', { name: 'take back the mend of row 6, Website' })
    .click();
  // It is the list of the first start again, of which nothing has to be asked.
  await page.getByText('3 of 4 companies found').waitFor();
  await page.getByRole('link', { name: 'Lists' }).click();
  await page.getByText('4 credits play money').waitFor();
});

test('the keys of a sheet work: a letter begins a mend, Delete blanks, all is selected, and words are found in every row', async () => {
  const served = await servedIn();
  const id = await finished(served);
  const page = await open(served, `/lists/${id}`);
  await lineOf(page, 'Three Ltd').waitFor();
  await page.getByRole('grid').focus();
  for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  await page.keyboard.type('x.example');
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell', { name: / x\.example$/ }).waitFor();
  for (const key of ['ArrowDown', 'Delete', 'Enter']) await page.keyboard.press(key);
  const kept = async () => (await ask(served, 'GET', `/lists/${id}`)).mends;
  await expect.poll(kept).toMatchObject([
    { row: 5, value: 'x.example' },
    { row: 6, value: '' },
  ]);
  await page.keyboard.press('Control+a');
  await page.getByText('4 selected').waitFor();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('cairns');
  await expect.poll(() => lineOf(page, 'Ltd').allInnerTexts()).toHaveLength(1);
});

test('a lost answer says in its cell what it may have cost, and what of several things was not found says so', async () => {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: '--match-rate 1 --faults charged-reset:x1' });
  const page = await open(served, `/lists/${await finished(served)}`);
  const lost = page.getByRole('gridcell', { name: 'no answer came; it may have cost 1 credit' });
  await lost.waitFor();
  // As in the table of a list of which one thing alone is wanted.
  for (const name of ['Industry', 'Its']) {
    await page.getByRole('button', { name: new RegExp(`^${name}\\s+found`) }).click();
    await page.getByRole('button', { name: 'Hide this column' }).click();
  }
  await expect.poll(() => lost.evaluate(isCut)).toBe(false);

  const list = 'Website,Email\none.example,jo@one.example\nno site,not an address\ntwo.example,nobody\n';
  const id = await brought(served, 'both.csv', list);
  const job = {
    operations: { 'enrich-company': { add: JOB.add }, 'enrich-person': { add: { Title: 'job_title' } } },
    account: JOB.account,
  };
  const { id: plan } = await ask(served, 'POST', '/plan', { file: id, job });
  await worked(served, 'run', { file: id, job, plan });
  await page.goto(`${served.url}/lists/${id}`);
  await lineOf(page, 'two.example').getByText('is not an e-mail address').waitFor();
  // The row is done by its company alone, and says so to the one who can mend its other cell.
  const damaged = page.locator('aside section', { hasText: 'Damaged cells of rows that are done' });
  await damaged.getByText('e-mail: is not an e-mail address', { exact: true }).waitFor();
  await damaged.getByRole('button', { name: 'row 4' }).click();
  await page
    .getByRole('complementary', { name: 'Row 4' })
    .getByText(/^people: e-mail nobody: .*, so correct it/)
    .waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('rowheader', { name: '3', exact: true }).click();
  await page.keyboard.press('Enter');
  await page
    .getByRole('complementary', { name: 'Row 3' })
    .getByText(/^companies: website no site: .*; people: e-mail not an address: is not an e-mail address$/)
    .waitFor();
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 390, height: 800 });
  const card = page.getByRole('listitem').filter({ hasText: 'no site' });
  await card.getByText(/^website no site: .*; e-mail not an address: is not an e-mail address$/).waitFor();
});

test('a blank that no vendor fills says so in its cell, and the parts of the list say who filled the others', async () => {
  const served = await servedIn();
  const list = readFileSync(join(import.meta.dirname, '../../fixtures/contacts-to-fill.csv'), 'utf8');
  const id = await brought(served, 'contacts.csv', `${list},,,Nobody Pty,AU,,,\n`);
  const find = {
    account: ['sandbox-hunter', 'sandbox-prospeo'],
    add: { Email: 'email' },
    check: { account: 'sandbox-hunter' },
  };
  const job = { operations: { 'find-email': find }, on_existing: 'fill' };
  const { id: plan } = await ask(served, 'POST', '/plan', { file: id, job });
  await worked(served, 'run', { file: id, job, plan });
  const page = await open(served, `/lists/${id}`);
  await lineOf(page, 'lyrebird-care.example').getByText('nothing found', { exact: true }).waitFor();
  await part(page, 'still blank').waitFor();
  const parts = await page.locator('.tile').allInnerTexts();
  const counted = parts.map((text) => [text.replace(/^\d+\s+/, ''), Number.parseInt(text, 10)] as const);
  const [[, rows] = [], ...shares] = counted;
  const names = ['Hunter (play)', 'Prospeo (play)'];
  expect(shares.map(([name]) => name)).toEqual(expect.arrayContaining(names));
  expect(shares.reduce((sum, [, share]) => sum + share, 0)).toBe(rows);
  await part(page, 'needs attention').click();
  await lineOf(page, 'Nobody Pty').getByRole('rowheader').click();
  await page.keyboard.press('Enter');
  const beside = page.getByRole('complementary', { name: /^Row / });
  const why = 'e-mail addresses: none of first name + last name + web domain, ';
  await beside.getByText(why).getByText('profile name: no column; first name: blank').waitFor();
});

test('the people whom a row has found are rows below it, are found by their names, and count as no rows of hers', async () => {
  const served = await servedIn(undefined, { ROWONCE_SANDBOX: '--match-rate 1' });
  const id = await brought(served, 'accounts.csv', 'Company,Owner\nBanksia Care,Mia\nWattle & Sons,Jo\n');
  const job = { operation: 'search-people', account: 'sandbox-provider', columns: { company: 'Company' } };
  const { id: plan } = await ask(served, 'POST', '/plan', { file: id, job });
  await worked(served, 'run', { file: id, job, plan });
  const table = await ask(served, 'POST', '/status', { batch: 'last', limit: 9 });
  const [[{ results: own }, other], at] = [table.rows, table.result_columns.indexOf('full_name')];
  const names = own.map((person: readonly string[]) => person[at]);
  expect(names.length).toBeGreaterThan(1);

  const page = await open(served, `/lists/${id}`);
  await lineOf(page, 'Banksia Care').getByText(`${names.length} people`).waitFor();
  const shown = await page.getByRole('row').allInnerTexts();
  for (const [nth, name] of names.entries()) expect(shown[2 + nth]).toContain(name);
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+a');
  await page.getByText('2 selected').waitFor();
  expect(await part(page, 'rows').innerText()).toMatch(/^2\s/);
  const [stranger] = other.results
    .map((person: readonly string[]) => person[at])
    .filter((name: string) => !names.includes(name));
  await page.getByRole('searchbox').fill(stranger);
  // An invented person may be at a company of the same name.
  await page.getByRole('rowheader', { name: '2', exact: true }).waitFor({ state: 'detached' });
  await lineOf(page, stranger).first().waitFor();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('listitem').filter({ hasText: stranger }).first().waitFor();
});

test('each cell by which a row should be asked and that is wrong is marked, and mended where it stands', async () => {
  const served = await servedIn();
  const list = 'ABN,Company,Website\n51 824 753 557,Three Ltd,no site\n51 824 753 556,One Ltd,one.example\n';
  const page = await open(served, `/lists/${await finished(served, `${list},Two Ltd,nowhere\n`)}`);
  const colours = async (company: string) => {
    const cell = (name: string | RegExp) => lineOf(page, company).getByRole('gridcell', { name }).first();
    const cells = [cell(/^(51.*|)$/), cell(company), cell(/^(no site|nowhere|one.example)$/)];
    return Promise.all(
      cells.map((each) => each.evaluate((shown) => getComputedStyle(shown).backgroundColor)),
    );
  };
  await lineOf(page, 'Three Ltd').getByText('checksum').first().waitFor();
  const [right] = await colours('One Ltd');
  const [abn, own, site] = await colours('Three Ltd');
  expect(abn).not.toBe(right);
  expect([site, own]).toEqual([abn, (await colours('One Ltd'))[1]]);
  expect((await colours('Two Ltd'))[2], 'a blank is no wrong cell beside one').toBe(abn);
  expect((await colours('Two Ltd'))[0]).toBe(right);
  await page.setViewportSize({ width: 390, height: 844 });
  const card = page.getByRole('listitem').filter({ hasText: 'Three Ltd' });
  await card.getByRole('button', { name: 'Correct Website' }).click();
  await page.getByRole('textbox', { name: 'Website of row 2' }).fill('three.example');
  await page.keyboard.press('Enter');
  await page.getByText('1 cell mended').waitFor();
});

test('selected rows are copied as a sheet takes them', async () => {
  const served = await servedIn();
  const page = await open(served, `/lists/${await finished(served)}`, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.getByRole('rowheader', { name: '4' }).click();
  await page.getByRole('rowheader', { name: '6' }).click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Copy' }).click();
  const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
  await expect.poll(async () => (await copied()).split('\n').length).toBe(4);
  expect((await copied()).split('\n')[3]?.split('\t')).toEqual([
    'Three Ltd',
    'not a website',
    ...['', '', ''],
    'Perth',
  ]);
});

test('the end of a long list is a key away, and the thumb of the scrollbar reaches any row', async () => {
  const served = await servedIn();
  const rows = Array.from({ length: 40_000 }, (_, at) => `company-${at}.example,Company ${at}`).join('\n');
  const id = await brought(served, 'long.csv', `Website,Name\n${rows}\n`);
  const page = await open(served, `/lists/${id}`);
  await lineOf(page, 'Company 7').first().waitFor();
  await page.getByRole('grid').focus();
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('40001');
  await page.keyboard.press('Control+End');
  await lineOf(page, 'Company 39999').waitFor();
  await page.locator('.sheet').evaluate((sheet) => {
    sheet.scrollTop = sheet.scrollHeight / 2;
  });
  await expect.poll(() => page.getByText(/^Company (?:19|20)\d{3}$/).count()).toBeGreaterThan(5);
});

test('on a telephone a row is a card with its fault below the field, rows are filtered, and nothing goes sideways', async () => {
  const served = await servedIn();
  const long = `${'averylongname'.repeat(4)}.example`;
  const page = await open(served, `/lists/${await finished(served, LIST.replace('four.example', long))}`, {
    viewport: { width: 390, height: 844 },
  });
  const card = page.getByRole('listitem').filter({ hasText: 'Three Ltd' });
  expect(await card.innerText()).toMatch(/^(?:Company)?\s*Three Ltd\s+Row 6\s+.*website/);
  const topOf = async (shown: Locator): Promise<number> => (await shown.boundingBox())?.y ?? 0;
  expect(await topOf(part(page, 'found'))).toBeLessThan(await topOf(card));
  // Her name for the row stays in sight, however far the table is scrolled.
  await page.setViewportSize({ width: 800, height: 844 });
  const name = lineOf(page, 'Three Ltd').getByRole('gridcell').first();
  const { left } = await placeOf(name);
  await page.locator('.sheet').evaluate((sheet) => sheet.scrollTo(9_999, 0));
  expect((await placeOf(name)).left).toBe(left);
  await page.setViewportSize({ width: 390, height: 844 });
  const { scrollWidth, clientWidth } = await page
    .locator('html')
    .evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
  expect(scrollWidth).toBe(clientWidth);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('dialog', { name: 'Another filter' }).getByRole('combobox').selectOption('City');
  await page.getByRole('button', { name: 'Sort A to Z' }).click();
  const first = page.getByRole('list', { name: 'Rows' }).getByRole('listitem').first();
  await first.filter({ hasText: 'Four Ltd' }).waitFor();
  await page.getByRole('checkbox', { name: 'Cairns 1' }).check();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('list', { name: 'Rows' }).getByRole('listitem').count()).toBe(1);
  // Beside the table, too, a value is read whole.
  await page.getByRole('button', { name: 'Row 7' }).click();
  await page.locator('details', { hasText: 'Your columns' }).click();
  await page.setViewportSize({ width: 1280, height: 800 });
  const beside = page.getByRole('complementary', { name: 'Row 7' });
  await beside.getByText(long).last().waitFor();
  expect(await beside.locator('.scroll').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
});

test('a row is opened before the eye and closed to where it was, also on a telephone, and the table says which keys it has', async () => {
  const served = await servedIn();
  const list = `/lists/${await finished(served)}`;
  const page = await open(served, list, { viewport: { width: 390, height: 844 } });
  await page.getByRole('button', { name: 'Row 5' }).press('Enter');
  await page.getByRole('heading', { name: 'Row 5' }).waitFor();
  const { top, bottom } = await placeOf(page.getByRole('complementary', { name: 'Row 5' }));
  expect(top).toBeGreaterThanOrEqual(0);
  expect(bottom, 'the whole row is seen without a scroll').toBeLessThan(844);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Row 5' }).and(page.locator(':focus')).waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  const keys = 'A click on its number or the space bar selects a row, with shift several; Enter opens it.';
  await expect.poll(() => page.getByRole('grid').evaluate(described)).toBe(keys);
});

/** What a reader of the screen says behind the name of an element. */
const described = (element: Element): string | null | undefined =>
  document.getElementById(element.getAttribute('aria-describedby') ?? '')?.textContent;
