/**
 * Goal: before a start a person sees what shall be done, with whom, by what and at which price; she changes each of it where it
 * stands, tries a few rows first, and nothing costs more than she allowed.
 * Method: a real Chromium before a real `rowonce serve` and the embedded vendors. What was asked and booked is read from the vendor's
 * book and from the API, as a program would.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { rowonce } from '../cli/rowonce.ts';
import { ask, brought, servedIn, useBrowser } from './scene.ts';
import { environmentIn, type Served } from './served.ts';

const tabAt = useBrowser();

const FAST = { ROWONCE_SANDBOX: '--rate 200/s --match-rate 1' };

const companies = (count: number): string =>
  `Website\n${Array.from({ length: count }, (_, at) => `company-${at}.example\n`).join('')}`;

async function listOf(
  name: string,
  body: string,
  env = FAST,
): Promise<{ readonly served: Served; readonly page: Page }> {
  const served = await servedIn(undefined, env);
  const page = await tabAt(served, `/lists/${await brought(served, name, body)}`);
  page.setDefaultTimeout(30_000);
  return { served, page };
}

/** What spends has its price behind its name. */
const pill = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).or(page.getByRole('button', { name: `${name}, ` }));
/** One of the things that can be done with a list. */
const choice = (page: Page, name: string) => page.getByRole('radio', { name: new RegExp(`^${name}`) });

/** Adds a second thing to what is done. */
async function also(page: Page, name: string): Promise<void> {
  await pill(page, '+ Something else').click();
  await page.getByRole('checkbox', { name: `Also ${name}` }).check();
  await page.keyboard.press('Escape');
}

const aside = (page: Page) => page.locator('aside');
const newest = async (served: Served) => (await ask(served, 'GET', '/batches')).batches[0];

/** The parts of the list above its table, in the words that they have. */
const partsOf = async (page: Page): Promise<readonly string[]> => {
  const texts = await page.locator('.tile').allInnerTexts();
  return texts.map((text) => text.trim().replaceAll(/\s+/g, ' '));
};

test('the first time, what fits her columns best is chosen, and its price stands there', async () => {
  const { page } = await listOf('firms.csv', companies(3));
  await aside(page).getByText('3 credits at most').waitFor();
  await aside(page).getByText('by Website', { exact: true }).waitFor();
  expect(await choice(page, 'Find companies').isChecked()).toBe(true);
  expect(await choice(page, 'Find people').isChecked()).toBe(false);
  await aside(page).getByText('it is play money').waitFor();
});

test('contacts with damaged addresses are looked up as people, by the column whose name says that it has them', async () => {
  const people = Array.from(
    { length: 9 },
    (_, at) => `Al,P${at},${at < 5 ? `c${at}.example` : ''},p${at}@c${at}.example`,
  );
  const rows = ['First Nm,SURNAME,Web,E-mail addr', ...people, 'Jo,Lee,,jo at lee.example'];
  const { page } = await listOf('contacts.csv', rows.join('\n'));
  await aside(page).getByText('18 credits at most').waitFor();
  expect(await choice(page, 'Find people').isChecked()).toBe(true);
  await page.getByText('1 is not an e-mail').waitFor();
});

test('a list that was opened before the first account is asked with that one', async () => {
  const { served, page } = await listOf('firms.csv', companies(3));
  await aside(page).getByText('it is play money').waitFor();
  const ours = { name: 'ours', vendor: 'provider', base_url: 'https://data.example', key: 'any-key' };
  expect(await ask(served, 'POST', '/accounts/add', ours)).toMatchObject({ status: 200 });
  await page.reload();
  const chosen = aside(page).getByRole('combobox', { name: 'with', exact: true });
  await expect.poll(() => chosen.inputValue()).toBe('ours');
  expect(await aside(page).getByText('it is play money').count()).toBe(0);
});

test('one thing is chosen at first, each says how many rows it would look up, and a second one is added by her', async () => {
  const { served, page } = await listOf(
    'firms.csv',
    'ABN,Website,E-mail\n51 824 753 556,a.example,jo@a.example\n,b.example,\n,c.example,\n',
  );
  await aside(page).getByText('3 credits at most').waitFor();
  await page.getByRole('radio', { name: 'Find companies 3 rows', exact: true, checked: true }).waitFor();
  await page.getByRole('radio', { name: 'Find people up to 1 row', exact: true }).waitFor();
  await page.getByRole('radio', { name: 'Invite a team no column for it', exact: true }).waitFor();
  await also(page, 'find people');
  await aside(page).getByText('5 credits at most').waitFor();
  const asked = await aside(page).locator('dl').first().innerText();
  expect(asked.split('\n').filter(Boolean)).toEqual(['Will be asked', '3', 'companies', '3', 'people', '1']);
  await expect.poll(() => partsOf(page)).toEqual(['3 rows', '3 to look up: 3 companies, 1 person']);
  await pill(page, 'Start').click();
  await expect.poll(async () => (await newest(served))?.state).toBe('finished');
  await expect.poll(() => partsOf(page)).toEqual(['3 rows', '3 found: 3 companies, 1 person']);
  const { operation, credits } = await newest(served);
  expect(operation).toBe('enrich-company,enrich-person');
  expect([4, 5]).toContain(credits.spent);
});

test('twenty are tried first; then the fields are chosen and named, and the others are started', async () => {
  const { served, page } = await listOf('firms.csv', companies(50));
  await pill(page, 'Try 20 first, 20 credits').click();
  await aside(page).getByText('20 of 20 found, 20 credits').waitFor();
  await aside(page)
    .getByText(/^The other 30: likely 2\d to 30 credits, at most 30\. In all 4\d to 50 of 50 rows found\.$/)
    .waitFor();
  // What was spent stands once: the limit is about what the button spends.
  expect(await aside(page).innerText()).not.toMatch(/so far|Known already/);
  expect((await newest(served)).credits.spent).toBe(20);

  await page.getByRole('checkbox', { name: 'Industry' }).uncheck();
  expect(await aside(page).locator('li input:not([type=checkbox])').count()).toBe(0);
  await page.getByRole('button', { name: 'Rename columns' }).click();
  await page.getByLabel('Name of the column for Employee count').fill('Staff');
  await pill(page, 'Start the other 30').click();
  await expect.poll(async () => (await newest(served)).state).toBe('finished');
  const { batch, credits } = await newest(served);
  expect(credits.spent).toBe(50);
  const { columns } = await ask(served, 'POST', '/status', { batch, from: 1, limit: 1 });
  const names = columns.map(({ name }: { readonly name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['Website', 'Staff', 'Name']));
  expect(names).not.toEqual(expect.arrayContaining(['Industry']));
});

test('what a try promises counts the rows that are on the list twice, and their credits once', async () => {
  const firms = companies(25);
  const { page } = await listOf('firms.csv', `${firms}${firms.slice(firms.indexOf('\n') + 1)}`);
  await pill(page, 'Try 20 first, 20 credits').click();
  await aside(page)
    .getByText(/The other 5: likely \d to 5 credits, at most 5\. In all 4\d to 50 of 50 rows found\./)
    .waitFor();
});

test('after a try the list has the tiles and marks of before it, and its columns have the names of the workbook', async () => {
  const { served, page } = await listOf(
    'firms.csv',
    `Website,INDUSTRY\n${Array.from({ length: 50 }, (_, at) => `company-${at}.example,\n`).join('')},no site\n`,
    { ROWONCE_SANDBOX: '--rate 200/s --match-rate 0.5' },
  );
  await pill(page, 'Try 20 first, 20 credits').waitFor();
  // What her columns are may be known last.
  const { promise: isPlanned, resolve: planned } = Promise.withResolvers<void>();
  await page.route('**/api/plan', async (route) => {
    if (!('job' in route.request().postDataJSON())) await isPlanned;
    await route.continue();
  });
  await Promise.all([page.waitForResponse('**/api/run'), pill(page, 'Try 20 first, 20 credits').click()]);
  await page.reload();
  await aside(page)
    .getByText(/^\d+ of 20 found, \d+ credits?$/)
    .waitFor();
  await expect
    .poll(() => partsOf(page))
    .toEqual(['51 rows', '30 to look up', '20 tried', '1 needs attention']);
  const tile = (name: string) => page.getByRole('group', { name: 'Show' }).getByRole('button', { name });
  await tile('1 needs attention').click();
  await page.locator('td.bad', { hasText: 'website: blank' }).waitFor();
  expect(await page.locator('.state').getByText('to go').count(), 'the parts say what is to go').toBe(0);
  expect(await aside(page).innerText(), 'what it costs is promised once').not.toContain('most likely');
  planned();
  await page.unrouteAll({ behavior: 'wait' });
  await tile('20 tried').click();
  await expect.poll(() => page.getByRole('grid').getByRole('rowheader').count()).toBe(20);
  await page.getByRole('gridcell', { name: 'nothing found' }).first().waitFor();
  await tile('51 rows').click();
  const head = (name: string) => page.getByRole('columnheader', { name: `${name} found` });
  await head('Employee count').waitFor();
  expect(await aside(page).locator('li input:not([type=checkbox])').count()).toBe(0);
  await page.getByRole('button', { name: 'Rename columns' }).click();
  await page.getByLabel('Name of the column for Employee count').fill('Staff');
  await head('Staff').waitFor();
  // Her own column has that name already, also where that was chosen before.
  await page.getByLabel('Name of the column for Company industry').fill('Industry');
  await page.getByText('“Industry” is a column of yours.').waitFor();
  const kept = async () => (await ask(served, 'GET', '/lists')).lists[0];
  await expect.poll(async () => (await kept()).job.add).toHaveProperty('Staff');
  const { id, job } = await kept();
  await ask(served, 'PUT', `/lists/${id}/job`, { ...job, add: { ...job.add, INDUSTRY: 'industry' } });
  await page.getByRole('alert').filter({ hasText: 'already has a column "INDUSTRY"' }).waitFor();
  await page.getByRole('checkbox', { name: 'Company industry' }).uncheck();
  await head('Company industry').waitFor({ state: 'detached' });
  await pill(page, 'Start the other 30').click();
  await expect.poll(async () => (await newest(served)).state).toBe('finished');
  await head('Staff').waitFor();
  expect(await head('Name').count()).toBe(1);
});

test('what is started without a try has the columns of a try: the same words in table, report and download', async () => {
  const { served, page } = await listOf('firms.csv', companies(25));
  await pill(page, 'Start all').click();
  await expect.poll(async () => (await newest(served))?.state).toBe('finished');
  await page.getByRole('columnheader', { name: 'Employee count found' }).waitFor();
  const { batch } = await newest(served);
  const header = async (): Promise<string> =>
    (await served.tool(`/api/batches/${batch}/files/output`)).body.split('\n', 1).join();
  // By an identifier that was found nothing is asked.
  expect(await header()).toMatch(/^Website,Name,Employee count,Industry,Found ABN,Found domain,.*,City,/);
  await page
    .getByRole('button', { name: 'Report' })
    .or(page.getByRole('link', { name: 'Report' }))
    .click();
  await page.getByText('Name, Employee count, Industry').waitFor();
});

test('a run spends no more than she allows; left alone, that is what it costs at most', async () => {
  const desk = await openDesk({ matchRate: 1 });
  desk.list(12);
  const served = await servedIn(desk.place.folder, desk.environment());
  const page = await tabAt(
    served,
    `/lists/${await brought(served, 'list.csv', await desk.read('list.csv'))}`,
  );
  const most = page.getByRole('spinbutton', { name: /Never more than/ });
  await expect.poll(() => most.inputValue()).toBe('12');
  await most.fill('5');
  await pill(page, 'Start about 5 of 12').click();
  await expect.poll(async () => (await newest(served))?.credits).toMatchObject({ budget: 5, spent: 5 });
  expect((await desk.place.vendor.book()).credits).toBe(5);
});

test('in a low window the price, that it is play money and the button are in sight, however long the choices are', async () => {
  const { page } = await listOf(
    'firms.csv',
    'Website,E-mail\na.example,jo@a.example\nb.example,\nc.example,\n',
  );
  await page.setViewportSize({ width: 1280, height: 600 });
  await also(page, 'find people');
  const price = aside(page).getByText('5 credits at most');
  await price.waitFor();
  const isSeen = (element: Element) => {
    const { left, top } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + 2, top + 2));
  };
  const together = [price, aside(page).getByText('invented'), pill(page, 'Start')];
  for (const each of together) expect(await each.evaluate(isSeen)).toBe(true);
});

test('blanks are filled by vendors in her order, which the keyboard moves, and checked by another one', async () => {
  const { served, page } = await listOf(
    'fair.csv',
    'First,Last,Website,Email\nMia,Tran,a.example,\nJo,Keller,b.example,jo@b.example\n',
  );
  await choice(page, 'Fill blanks').click();
  await aside(page).getByText('1, free').waitFor();
  await page.getByLabel('+ add a vendor').selectOption('sandbox-pdl');
  await page.getByRole('button', { name: 'Ask People Data Labs (play) earlier' }).press('Enter');
  await page.getByLabel('Checked by').selectOption('sandbox-leadmagic');
  await page.getByRole('checkbox', { name: 'accept-all' }).check();
  const kept = async () => (await ask(served, 'GET', '/lists')).lists[0].job;
  await expect.poll(kept).toMatchObject({
    on_existing: 'fill',
    operations: {
      'find-email': {
        account: ['sandbox-pdl', 'sandbox-hunter'],
        add: { Email: 'email' },
        check: { account: 'sandbox-leadmagic', accept: ['valid', 'accept_all'] },
      },
    },
  });
  // An address that is checked is no other row.
  await aside(page).getByText('addresses checked').waitFor();
  expect((await partsOf(page))[1]).toBe('1 to look up');
});

test('her own columns are filled, which have other names, and a word for nothing is a blank cell of them', async () => {
  const { served, page } = await listOf(
    'fair.csv',
    'First name,Last name,Website,E-mail consent,Private e-mail,E-mail,Mobile\n' +
      'Mia,Tran,a.example,yes,,mia@a.example,\nJo,Keller,b.example,no,,n/a,\n' +
      'Ann,Lee,c.example,yes,,-,\nBo,Ray,d.example,no,,none,\n',
  );
  await choice(page, 'Fill blanks').click();
  await also(page, 'phone numbers');
  const kept = async () => (await ask(served, 'GET', '/lists')).lists[0].job.operations;
  await expect.poll(kept).toMatchObject({
    'find-email': { add: { 'E-mail': 'email' } },
    'find-phone': { add: { Mobile: 'phone' } },
  });
  await expect
    .poll(() => aside(page).locator('dl').first().innerText())
    .toMatch(/addresses\s+3\s+phone numbers\s+4/);
});

test('what is asked by is put into her order, and the first of it that finds something is all that is paid', async () => {
  const { served, page } = await listOf(
    'firms.csv',
    'ABN,Website\n51 824 753 556,a.example\n33 051 775 556,b.example\n',
  );
  await aside(page).getByText('by ABN, then by Website', { exact: true }).click();
  await page.getByRole('button', { name: 'Ask by Website earlier' }).press('Enter');
  await aside(page).getByText('by Website, then by ABN', { exact: true }).waitFor();
  await pill(page, 'Start').click();
  await expect.poll(async () => (await newest(served))?.state).toBe('finished');
  const { batch, credits } = await newest(served);
  const { columns, rows } = await ask(served, 'POST', '/status', { batch, from: 2, limit: 2 });
  const by = columns.findIndex(({ name }: { readonly name: string }) => name === '_matched_by');
  expect(rows.map(({ cells }: { readonly cells: string[] }) => cells[by])).toEqual(['domain', 'domain']);
  expect(credits.spent).toBe(2);
});

test('in her order a site by which nothing is found is not asked about once more', async () => {
  const { served, page } = await listOf('firms.csv', 'ABN,Website\n51 824 753 556,a.example\n', {
    ROWONCE_SANDBOX: '--rate 200/s --match-rate 0',
  });
  await aside(page).getByText('by ABN, then by Website', { exact: true }).click();
  await page.getByRole('button', { name: 'Ask by Website earlier' }).press('Enter');
  await aside(page).getByText('by Website, then by ABN', { exact: true }).waitFor();
  await pill(page, 'Start').click();
  await expect.poll(async () => (await newest(served))?.state).toBe('finished');
  const { attempts } = await ask(served, 'POST', '/status', { batch: (await newest(served)).batch, row: 2 });
  const askedBy = attempts.map(({ parameters }: { readonly parameters: object }) => Object.keys(parameters));
  expect(askedBy).toEqual([['domain'], ['abn']]);
});

test('columns that nobody recognises are chosen by her', async () => {
  const { page } = await listOf('odd.csv', 'Caller,Clan,Where\nMia,Tran,a.example\nJo,Keller,b.example\n');
  await choice(page, 'Fill blanks').click();
  await page.getByRole('alert').first().waitFor();
  await page.getByLabel(/^first name/).selectOption('Caller');
  await page.getByLabel(/^last name/).selectOption('Clan');
  await page.getByLabel(/^web domain/).selectOption('Where');
  await aside(page).getByText('2 credits at most').waitFor();
  await aside(page).getByText('by Caller, Clan, Where', { exact: true }).waitFor();
});

test('a list of companies under other names is one click from the people at them, and the file of these', async () => {
  const body = readFileSync(join(import.meta.dirname, '../../fixtures/accounts-to-find.csv'), 'utf8');
  const { page } = await listOf('accounts.csv', body);
  const guess = aside(page).getByRole('button', { name: 'Find people at these companies: ' });
  await expect.poll(() => guess.allInnerTexts()).toEqual(['“Account” is the company’s name?']);
  // The head of a column leads on as well, before anything is chosen.
  await page.getByRole('columnheader', { name: 'Wanted Position' }).getByRole('button').click();
  await page.getByLabel('“Wanted Position” is').selectOption('Find people at these companies: position');
  await aside(page).getByText('by Wanted Position, then by Department').waitFor();
  await choice(page, 'Find people(?! at)').click();
  const grey = aside(page).getByRole('button', { name: 'Start' });
  const why = page.getByText('No column is recognized as e-mail, profile page or profile name.');
  await why.waitFor();
  expect(await grey.isDisabled()).toBe(true);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(async () => [await why.isVisible(), await grey.isVisible()]).toEqual([true, true]);
  await page.setViewportSize({ width: 1280, height: 800 });

  await guess.click();
  await aside(page).getByText('by Account, then by Wanted Position, then by Department').waitFor();
  expect(await choice(page, 'Find people at these companies').isChecked()).toBe(true);
  await pill(page, 'Start').click();
  await page.getByRole('button', { name: '11 found' }).waitFor();
  await pill(page, 'Download as ▾').click();
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'All people that were found' }).click();
  const found = await (await coming).path();
  expect(readFileSync(found, 'utf8').split('\n')[1]).toMatch(/^2,.*,Banksia Care,/);
});

test('what is filled beside it is asked by the columns that she has named, and by those that are recognised', async () => {
  const { page } = await listOf(
    'odd.csv',
    'Caller,Clan,Where,ABN,Email\nMia,Tran,a.example,51 824 753 556,\nJo,Keller,b.example,33 051 775 556,\n',
  );
  await choice(page, 'Fill blanks').click();
  await page.getByLabel(/^first name/).selectOption('Caller');
  await page.getByLabel(/^last name/).selectOption('Clan');
  await page.getByLabel(/^web domain/).selectOption('Where');
  const asked = (names: string) => aside(page).getByText(`by ${names}`, { exact: true });
  await asked('Caller, Clan, Where').waitFor();
  await also(page, 'phone numbers');
  await expect.poll(() => asked('Caller, Clan, Where').count()).toBe(2);
  await also(page, 'companies');
  const rows = aside(page).locator('dl').first();
  await expect.poll(() => rows.innerText()).toMatch(/addresses\s+2\s+phone numbers\s+2\s+companies\s+2/);
  await asked('ABN, then by Where').click();
  await page
    .getByLabel(/^web domain/)
    .last()
    .selectOption('in none');
  await asked('ABN').waitFor();
  expect(await asked('Caller, Clan, Where').count()).toBe(2);
});

test('a column is filled from one step: for the other a new one is proposed, and her own name is refused in words', async () => {
  const { served, page } = await listOf('fair.csv', 'First,Last,Website,Email\nMia,Tran,a.example,\n');
  await choice(page, 'Fill blanks').click();
  await also(page, 'people');
  await page.getByRole('checkbox', { name: 'Person email' }).check();
  const kept = async () => (await ask(served, 'GET', '/lists')).lists[0].job.operations;
  const chosen = {
    'find-email': { add: { Email: 'email' } },
    'enrich-person': { add: { 'Job title': 'job_title', 'Person email': 'email' } },
  };
  await expect.poll(kept).toMatchObject(chosen);
  await page.getByLabel('Name of the column for Person email').fill('Email');
  await page.getByText('“Email” is filled from “e-mail addresses” already').waitFor();
  await page.getByRole('checkbox', { name: 'Email', exact: true }).click();
  await page.getByText('Something of “e-mail addresses” has to be wanted').waitFor();
  expect(await page.getByRole('checkbox', { name: 'Email', exact: true }).isChecked()).toBe(true);
  expect(await kept()).toMatchObject(chosen);
});

test('where its account is not there, the refusal leads to the accounts', async () => {
  const { served, page } = await listOf('firms.csv', companies(3));
  const [{ id }] = (await ask(served, 'GET', '/lists')).lists;
  await ask(served, 'PUT', `/lists/${id}/job`, { operation: 'enrich-company', account: 'gone' });
  await aside(page).getByText('No account is here for companies.').waitFor();
  await aside(page).getByRole('link', { name: 'Look at the accounts' }).click();
  await page.waitForURL('**/accounts');
});

test('a cell that is damaged is mended where that is sure, before anything is paid', async () => {
  const { served, page } = await listOf(
    'people.csv',
    'Email,Website\n"Jo <jo@a.example>",a.example\nal@b.example,b.example\n',
  );
  await page.getByText('1 with more than the address').waitFor();
  await pill(page, 'Mend it').click();
  await page.getByText('→ jo@a.example').waitFor();
  await page.getByRole('button', { name: 'Mend 1 cell of Email' }).click();
  await page.getByText('1 mended').waitFor();
  const [{ mends }] = (await ask(served, 'GET', '/lists')).lists;
  expect(mends).toMatchObject([{ row: 2, column: 'Email', value: 'jo@a.example' }]);
});

test('what needs her before a start is opened beside the table, which shows its row, where it is named', async () => {
  const { page } = await listOf('firms.csv', `ABN\n${'51 824 753 556\n'.repeat(60)}51 824 753 557\n`);
  await aside(page).getByText('1 row needs attention').click();
  const link = aside(page).getByRole('button', { name: 'row 62' });
  expect(await link.textContent(), 'no line ends within it').toBe('row\u00a062');
  await link.click();
  await aside(page).getByRole('heading', { name: 'Row 62' }).waitFor();
  await page.getByRole('rowheader', { name: '62' }).waitFor();
});

test('where the figures have changed since she saw them, nothing is started, and she is told to look again', async () => {
  const { served, page } = await listOf('firms.csv', companies(3));
  await aside(page).getByText('3 credits at most').waitFor();
  // A plan that is still under way could be read after the other run.
  await expect.poll(() => pill(page, 'Start').isEnabled()).toBe(true);
  const env = { ...environmentIn(served.folder), ...FAST };
  const other = join(served.folder, 'other.csv');
  await rowonce(['run', 'enrich-company', '-', '-o', other, '--account', 'sandbox-provider'], {
    cwd: served.folder,
    env,
    stdin: companies(2),
  });
  await pill(page, 'Start').click();
  await page.getByText('The plan has changed since it was shown. Nothing was sent.').waitFor();
  await aside(page).getByText('1 credit at most').waitFor();
  await pill(page, 'Start').click();
  await expect.poll(async () => (await newest(served))?.credits.spent).toBe(1);
});

test('of companies and people that were tried, each field is chosen and named for itself', async () => {
  const rows = Array.from({ length: 30 }, (_, at) => `company-${at}.example,jo@company-${at}.example\n`);
  const { served, page } = await listOf('both.csv', `Website,E-mail\n${rows.join('')}`);
  await also(page, 'find people');
  await pill(page, 'Try 20 first, 60 credits').click();
  await aside(page)
    .getByText(/^20 of 20 found, \d+ credits$/)
    .waitFor();
  await aside(page)
    .getByText(/^\d+ more$/)
    .click();
  await page.getByRole('checkbox', { name: 'Job title' }).uncheck();
  await page.getByRole('checkbox', { name: 'Industry' }).uncheck();
  await page.getByRole('button', { name: 'Rename columns' }).click();
  await page.getByLabel('Name of the column for Person location city').fill('Where');
  await pill(page, 'Start the other 10').click();
  await expect.poll(async () => (await newest(served)).state).toBe('finished');
  const { batch } = await newest(served);
  const { columns } = await ask(served, 'POST', '/status', { batch, from: 1, limit: 1 });
  const names = columns.map(({ name }: { readonly name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['Name', 'City', 'Where']));
  expect(names.join()).not.toMatch(/industry|job.title/i);
});

test('a choice of another tab is shown in this one, and is never overwritten by a choice that did not see it', async () => {
  const { served, page } = await listOf('both.csv', 'Website,E-mail\na.example,jo@a.example\nb.example,\n');
  await aside(page).getByText('by Website', { exact: true }).waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await choice(other, 'Find people').click();
  await page.getByRole('radio', { name: 'Find people 1 row', exact: true }).waitFor();

  const [{ id, job }] = (await ask(served, 'GET', '/lists')).lists;
  // The list is looked at without an end: a tab that has not looked since is one whose answer never comes.
  await page.route(`**/api/lists/${id}/known`, () => {});
  await ask(served, 'PUT', `/lists/${id}/job`, { ...job, country: 'AU' });
  await choice(page, 'Find companies').click();
  await page.getByText('Another choice was made for both.csv meanwhile').waitFor();
  expect((await ask(served, 'GET', '/lists')).lists[0].job).toEqual({ ...job, country: 'AU' });
});

test('a choice of another tab that has come, and whose price does not stand there yet, is one that she has not seen', async () => {
  const { served, page } = await listOf('both.csv', 'Website,E-mail\na.example,jo@a.example\nb.example,\n');
  await aside(page).getByText('by Website', { exact: true }).waitFor();
  await choice(page, 'Find people').click();
  await page.getByRole('radio', { name: 'Find people 1 row', exact: true }).waitFor();
  await aside(page).getByText('How the list is read').click();
  const [{ id, job }] = (await ask(served, 'GET', '/lists')).lists;
  const held: Route[] = [];
  await page.route('**/api/plan', (route) => void held.push(route));
  const theirs = { ...job, country: 'AU' };
  await ask(served, 'PUT', `/lists/${id}/job`, theirs);
  await expect.poll(() => page.getByLabel('Country of phone numbers and postcodes').inputValue()).toBe('AU');
  await choice(page, 'Find companies').click();
  await page.getByText('Another choice was made for both.csv meanwhile').waitFor();
  expect((await ask(served, 'GET', '/lists')).lists[0].job).toEqual(theirs);
  // She was told, so that what she chooses now follows it.
  await page.unroute('**/api/plan');
  for (const route of held) await route.continue().catch(() => {});
  await choice(page, 'Find companies').click();
  await expect.poll(async () => (await ask(served, 'GET', '/lists')).lists[0].job).not.toEqual(theirs);
  expect((await ask(served, 'GET', '/lists')).lists[0].job.country).toBe('AU');
});
