/**
 * Goal: a list at work says in one word how it is, is paused, goes on and is ended on its page; then it says what came of it, opens a
 * row beside the table, and lets a person decide about lost answers, a wrong name and a team to take back.
 * Method: a real page in a real browser, before the sandbox as a vendor; its book says what was asked.
 */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Desk, deskBefore, type JsonResult, openDesk } from '../cli/desk.ts';
import {
  AT_WORK,
  ask,
  brought,
  endOf,
  lastWork,
  servedIn,
  started as startedThere,
  useBrowser,
  worked,
} from './scene.ts';
import type { Served } from './served.ts';
import { answerOf, FIND, openThree, peopleOf, runOf } from './three.ts';

const tabAt = useBrowser();

const JOB = { operation: 'enrich-company', account: 'data', add: { Found: 'name' } };

interface Started {
  readonly served: Served;
  readonly list: string;
  readonly page: Page;
  readonly work: string;
}

/** A list that was brought to a page, started with a budget that is enough, and shown. */
async function started(desk: Desk, job: object = JOB, body?: string, how?: object): Promise<Started> {
  const served = await servedIn(desk.place.folder, desk.environment());
  const list = await brought(served, 'Renewals Q4.csv', body ?? (await desk.read('list.csv')));
  const { id: plan } = await ask(served, 'POST', '/plan', { file: list, job });
  const { work }: JsonResult = await ask(served, 'POST', '/run', {
    file: list,
    job,
    plan,
    budget: 100,
    ...how,
  });
  return { served, list, work: work.id, page: await tabAt(served, `/lists/${list}`) };
}

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).first().click();

const sees = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

/** Opens the row with this cell as a keyboard does. */
async function openRow(page: Page, cell: string): Promise<void> {
  await page.getByRole('gridcell', { name: cell }).first().click();
  await page.keyboard.press('Enter');
}

/** Waits until the state of the list is this one word. */
const isNow = (page: Page, word: string): Promise<void> =>
  page.locator('.state strong', { hasText: new RegExp(`^\\W*${word}`) }).waitFor();

test('a list that is about to go on is paused at once, and nothing of it is in doubt', async () => {
  const desk = await openDesk({ latencyMs: 500, concurrency: 1 });
  desk.list(60);
  const { served, page, work } = await started(desk);
  await isNow(page, 'Running');
  await press(page, 'Pause');
  await isNow(page, 'Paused');
  await endOf(served, work);
  await press(page, 'Go on');
  await press(page, 'Pause');
  await isNow(page, 'Paused');
  const { work: all } = await ask(served, 'GET', '/tasks');
  for (const { id } of all) await endOf(served, id);
  const { batches } = await ask(served, 'GET', '/batches');
  expect(batches[0]).toMatchObject({ state: 'open', running: false, held_since: expect.any(String) });
  expect(batches[0].credits.in_doubt).toBe(0);
  expect(await desk.requests()).toBeLessThan(60);
});

test('while some rows are tried first, it says so, and not how long all of them would take', async () => {
  let held = Promise.withResolvers<void>();
  const { desk } = await deskBefore(async (_, nth) => {
    await held.promise;
    return { name: `Acme of a long name ${nth}` };
  });
  desk.list(30);
  const served = await servedIn(desk.place.folder, desk.environment());
  const list = await brought(served, 'Renewals Q4.csv', await desk.read('list.csv'));
  const page = await tabAt(served, `/lists/${list}`);
  await press(page, 'Try 20 first, 20 credits');
  await expect.poll(() => page.locator('.state').innerText()).toMatch(/Trying 20\s+0 of 20/);
  held.resolve();
  await sees(page, '20 of 20 found, ');
  const found = page.getByRole('columnheader', { name: 'Name found' });
  await page
    .getByRole('gridcell', { name: /^Acme of a long name/ })
    .first()
    .waitFor();
  const { width } = (await found.boundingBox()) ?? {};
  held = Promise.withResolvers();
  await press(page, 'Start the other 10');
  await isNow(page, 'Running');
  expect((await found.boundingBox())?.width, 'a start moves no column').toBe(width);
  held.resolve();
});

test('the share that is done is one of the rows that are looked up, and of no row that is left out', async () => {
  const held = Promise.withResolvers<void>();
  const { desk } = await deskBefore(async (_, nth) => {
    if (nth > 1) await held.promise;
    return { name: `Acme ${nth}` };
  });
  const rows = ['a', 'b', 'c', 'd'].map((name) => `${name}.example,`);
  const others = ['e', 'f', 'g', 'h', 'i'].map((name) => `${name}.example,Customer`);
  const body = ['Website,Status', ...rows, ...others, 'no website,'].join('\n');
  const { page, served } = await started(desk, { ...JOB, unless: { Status: 'Customer' } }, body);
  await expect.poll(() => page.locator('.state').innerText()).toMatch(/Running\s+25.% of 4 rows/);
  await expect.poll(() => page.title()).toBe('1 of 4 · Renewals Q4.csv');
  const home = await tabAt(served, '/');
  await sees(home, /Running, 25.%/);
  held.resolve();
});

test('while chosen rows are asked, the page counts these, and the others are not to go', async () => {
  const held = Promise.withResolvers<void>();
  const { desk } = await deskBefore(async (_, nth) => {
    if (nth > 3) await held.promise;
    return { name: `Acme ${nth}` };
  });
  desk.list(30);
  const served = await servedIn(desk.place.folder, desk.environment());
  const file = await brought(served, 'Renewals Q4.csv', await desk.read('list.csv'));
  const asked = async (only: string) => {
    const { id: plan } = await ask(served, 'POST', '/plan', { file, job: JOB, only });
    return { file, job: JOB, only, plan, budget: 100 };
  };
  await worked(served, 'run', await asked('9'));
  await ask(served, 'POST', '/run', await asked('4-7,6,9'));
  const page = await tabAt(served, `/lists/${file}`);
  await expect.poll(() => page.locator('.state').innerText()).toMatch(/Running\s+60.% of 5 rows/);
  await expect.poll(() => page.title()).toBe('3 of 5 · Renewals Q4.csv');
  const parts = await page.locator('.tile').allInnerTexts();
  expect(parts.map((part) => part.trim())).toEqual(['30 rows', '3 found', '2 to go', '25 not chosen']);
  held.resolve();
  await sees(page, 'The rows that you chose are done. 25 rows are left.');
});

test('a list is paused where it is, by whom is said, it goes on from there, and is ended for good after a question', async () => {
  const desk = await openDesk({ latencyMs: 150, concurrency: 1 });
  desk.list(60);
  const { served, page, work } = await started(desk);
  await isNow(page, 'Running');
  await sees(page, 'You may close this tab');
  await sees(page, /of 100/);
  await press(page, 'Pause');
  await isNow(page, 'Paused');
  await endOf(served, work);
  const asked = await desk.requests();
  expect(asked).toBeLessThan(60);
  await sees(page, `It was paused by ${AT_WORK}.`);
  await sees(page, /\d+ rows are left/);
  await press(page, 'Go on');
  await isNow(page, 'Running');
  const question = page.getByRole('dialog', {
    name: /^Stop for good\? The other \d+ rows? will not be asked/,
  });
  await press(page, 'Stop for good…');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  await isNow(page, 'Running');
  await press(page, 'Stop for good…');
  await question.getByRole('button', { name: 'Stop for good', exact: true }).click();
  await page.getByText('for good', { exact: true }).waitFor();
  await sees(page, /^(?!So far).* \d+ rows not asked$/);
  expect(await page.locator('.tiles').innerText()).toContain('not asked');
  const { batches } = await ask(served, 'GET', '/batches');
  expect(batches[0]).toMatchObject({ state: 'cancelled', running: false });
});

test('who does not see the page hears each state of the list once, and which cells are still to come', async () => {
  const desk = await openDesk({ latencyMs: 150, concurrency: 1 });
  desk.list(60);
  const { page } = await started(desk);
  const region = page.locator('.state').getByRole('status');
  await isNow(page, 'Running');
  const element = await region.elementHandle();
  await page.locator('.state', { hasText: /\d\s%/ }).waitFor();
  expect(await region.ariaSnapshot()).toBe('- status:\n  - strong: Running');
  await page.getByRole('gridcell', { name: 'still to come' }).first().waitFor();
  await press(page, 'Pause');
  await isNow(page, 'Paused');
  // Readers are sure to hear what changes in an element only where that was there before.
  expect(await element?.textContent()).toContain('Paused since');
});

test('it says what came of it and what each one found cost; a row opens beside it, and closes by Escape', async () => {
  const desk = await openDesk({ account: { price: '0.40 AUD' } });
  const list = 'Company,Domain\nBanksia Care,banksia.example\nOther,\n';
  const { page } = await started(desk, JOB, list);
  await sees(page, '1 of 2 companies found');
  await sees(page, 'It cost 1 credit (A$0.40). That is 1 credit (A$0.40) for each one found.');
  await isNow(page, 'Needs attention');
  await page.reload();
  await page.getByRole('columnheader', { name: /^Domain asked by: web domain/ }).waitFor();
  const beside = page.getByRole('complementary');
  await beside.getByText('What it was found by').waitFor();
  await beside.getByText('web domain: all 1').waitFor();
  await beside.getByRole('button', { name: 'row 3' }).click();
  await page.getByRole('heading', { name: 'Row 3' }).waitFor();
  await page.keyboard.press('Escape');
  await beside.getByText('What it was found by').waitFor();
  const download = page.waitForEvent('download');
  await press(page, 'Download as ▾');
  await press(page, 'CSV');
  expect((await download).suggestedFilename()).toBe('Renewals Q4.enriched.csv');
  const needing = page.waitForEvent('download');
  await press(page, 'Download as ▾');
  await press(page, 'The rows that need attention');
  expect((await needing).suggestedFilename()).toContain('needs-attention');
});

test('of companies and people both are said of a row, and who found them stands beside the table in her words', async () => {
  const desk = await openDesk();
  const job = {
    operations: {
      'enrich-company': { add: { Found: 'name' } },
      'enrich-person': { add: { Who: 'full_name' } },
    },
    account: 'data',
  };
  const list =
    'Note,Domain,E-mail\nthe first,banksia.example,jo@banksia.example\nthe second,wattle.example,\n';
  const { served, page, work } = await started(desk, job, list);
  const { batch } = await endOf(served, work);
  const { columns, rows } = await ask(served, 'POST', '/status', { batch, limit: 1 });
  const cellOf = (name: string): string =>
    rows[0].cells[columns.findIndex((column: { readonly name: string }) => column.name === name)];
  const beside = page.getByRole('complementary');
  await beside.getByText('web domain (companies)').waitFor();
  await beside.getByText('e-mail (people)').waitFor();
  const who = beside.getByRole('listitem').filter({ hasText: 'data: companies' });
  for (const says of ['2 of 2', '2 credits']) await who.getByText(says).first().waitFor();
  for (const says of ['Found: all 2', 'Who: all 1']) await beside.getByText(says, { exact: true }).waitFor();
  const isTooWide = await beside.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
  expect(isTooWide).toBe(false);
  await openRow(page, 'banksia.example');
  await beside
    .getByRole('definition')
    .filter({ hasText: `${cellOf('Found')} and ${cellOf('Who')}` })
    .waitFor();
  await sees(page, 'Asked by web domain');
  await sees(await tabAt(served, '/'), '2 of 2 rows');
});

test('lost answers are decided at once, with the credits under each choice, also once a cell is mended', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x3', concurrency: 1 });
  desk.list(5);
  const { served, list, page } = await started(desk);
  await sees(page, 'No answer came for 3 rows. They may have cost 3 credits.');
  await ask(served, 'PUT', `/lists/${list}/mends`, {
    mends: [{ row: 6, column: 'Domain', value: 'mended.example' }],
  });
  await press(page, 'row 2');
  const beside = page.getByRole('complementary');
  await beside.getByText('perhaps 1 credit').waitFor();
  await beside.getByText('No answer came. It may have cost 1 credit.').waitFor();
  await beside.getByRole('button', { name: 'Leave it out' }).click();
  await page.keyboard.press('Escape');
  await sees(page, 'No answer came for 2 rows. They may have cost 2 credits.');
  await press(page, 'Ask again (2 more credits)');
  await isNow(page, 'Done');
  await sees(page, '4 of 4 companies found, 100 %; 1 row left out');
  expect(await desk.requests()).toBe(7);
});

test('a try whose lost answers are asked again stays a try, and nothing else is asked', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x4', concurrency: 1 });
  desk.list(30);
  // All that she allows is held already: what is asked again has the price on its button.
  const { page } = await started(desk, JOB, undefined, { sample: 20, budget: 20 });
  await sees(page, '16 of 20 found, ');
  await page.getByRole('button', { name: 'Leave it at 20' }).waitFor();
  await openRow(page, 'no answer came');
  await page.getByRole('complementary').getByRole('button', { name: 'Leave it out' }).click();
  await page.keyboard.press('Escape');
  await press(page, 'Ask again (3 more credits)');
  await sees(page, '19 of 20 found, ');
  await expect.poll(() => page.locator('.tile b').allTextContents()).toEqual(['30', '10', '19', '1']);
  expect(await desk.requests()).toBe(23);
  await press(page, 'Start the other 10');
  await isNow(page, 'Done');
  expect(await desk.requests()).toBe(33);
});

test('of lost answers it is said how many rows wait for them, as a list may ask one thing twice', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x2', concurrency: 1 });
  const domains = ['a', 'b', 'a', 'b', 'c'].map((name) => `${name}.example\n`);
  const { page, served } = await started(desk, JOB, `Domain\n${domains.join('')}`);
  await sees(page, 'No answer came to 2 questions; 4 rows wait for them. They may have cost 2 credits.');
  const { stdout } = await desk.type(['settle', 'last']);
  expect(stdout).toContain('\n2 in doubt for 4 rows, 2 credits at risk.\n');
  // The report counts rows and requests apart, so that a reader can add them up.
  const { batch } = await desk.json(['status', 'last']);
  const report = await tabAt(served, `/reports/${batch}`);
  await sees(report, '5, by 3 requests');
  // Another list that waits for the same has none of its credits.
  const other = await brought(served, 'Other.csv', 'Domain\na.example\n');
  await startedThere({ served, list: other }, JOB);
  await page.goto(`${served.url}/lists/${other}`);
  await sees(page, 'No answer came. It may have cost 1 credit, counted in Renewals Q4.csv.');
});

test('what a person knows of lost answers is taken: an answer for one row, that nothing was found for all', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x4', concurrency: 1 });
  desk.list(5);
  const { page } = await started(desk);
  await press(page, 'row 2');
  const beside = page.getByRole('complementary');
  await beside.getByRole('button', { name: 'I know the answer…' }).click();
  await beside
    .getByRole('combobox', { name: 'What happened' })
    .selectOption('It was answered, and I have the answer');
  await beside.getByRole('textbox', { name: 'The answer' }).fill('name = Acme');
  await beside.getByRole('button', { name: 'Confirm' }).click();
  await sees(page, 'No answer came for 3 rows.');
  await page.keyboard.press('Escape');
  await press(page, 'row 3');
  await beside.getByRole('button', { name: 'I know the answer…' }).click();
  await beside
    .getByRole('combobox', { name: 'What happened' })
    .selectOption('It was not done, and cost nothing');
  await beside.getByRole('button', { name: 'Confirm. Ask again (1 more credit)' }).click();
  await sees(page, 'No answer came for 2 rows.');
  await page.keyboard.press('Escape');
  await press(page, 'I know the answer…');
  const known = page.getByRole('combobox', { name: 'What happened' });
  expect(await known.innerText()).not.toContain('I have the answer');
  await known.selectOption('It was asked, and nothing was found');
  await press(page, 'Confirm');
  await isNow(page, 'Done');
  await sees(page, '3 of 5 companies found');
  expect(await desk.requests()).toBe(6);
});

test('a wrong company is corrected where it was asked, that row alone is asked anew, and the first start stands behind one word', async () => {
  const desk = await openDesk();
  const list = 'Company,Domain\nBanksia Care,banksia.example\nHarbour,harbour.example\n';
  const { served, list: id, page, work } = await started(desk, JOB, list);
  await endOf(served, work);
  await isNow(page, 'Done');
  await openRow(page, 'Banksia Care');
  await page.getByRole('heading', { name: 'Row 2' }).waitFor();
  await ask(served, 'PUT', `/lists/${id}/job`, JOB);
  await page.reload();
  await openRow(page, 'Banksia Care');
  const aside = page.getByRole('complementary', { name: 'Row 2' });
  for (const says of ['Yours', 'Found', 'Banksia Care'])
    await aside.getByText(says, { exact: true }).first().waitFor();
  await page.getByText('The whole answer').click();
  await sees(page, '"name":');
  const mends = async () => (await ask(served, 'GET', `/lists/${id}`)).mends;
  await press(page, 'This is wrong');
  const field = page.getByLabel('Domain should be');
  await field.fill('half');
  await press(page, 'Cancel');
  await press(page, 'This is wrong');
  expect(await field.inputValue()).toBe('banksia.example');
  await field.fill('banksia-care.example');
  expect(await mends(), 'nothing is kept but by the button').toEqual([]);
  await press(page, 'Save and ask again, 1 credit');
  await expect.poll(() => desk.requests()).toBe(3);
  expect(await mends()).toMatchObject([{ row: 2, value: 'banksia-care.example' }]);
  await isNow(page, 'Done');
  await page.getByRole('button', { name: 'Versions' }).click();
  await sees(page, 'companies, 2 of 2 rows, 2 credits');
  await page.keyboard.press('Escape');
  await press(page, 'Close row 2');
  await sees(page, 'In all, the list has cost 3 credits; this start cost 1 credit.');
  await sees(page, 'That is 1 credit for each one bought.');
});

test('what was changed in a team is shown before it is taken back, with what cannot be', async () => {
  const desk = await openDesk();
  const body = 'Email,Project,Role\njo@acme.example,Harbour,viewer\nal@acme.example,Harbour,editor\n';
  const job = { operation: 'onboard', account: 'sandbox-service', create_projects: true };
  const { served, page } = await started(desk, job, body);
  await sees(page, '1 new project, 2 invites to');
  await press(page, 'Undo…');
  await sees(page, '− jo@acme.example: is removed from Harbour');
  await sees(page, '1 change cannot be taken back');
  // It is over before the tab looks again at what is being done.
  const isOver = Promise.withResolvers<void>();
  await page.route('**/known', (route) => isOver.promise.then(() => route.continue()));
  await page.getByLabel('Type 2 to agree').fill('2');
  await press(page, 'Take back 2 changes');
  await expect.poll(async () => (await ask(served, 'GET', '/tasks')).work.length).toBe(2);
  await lastWork(served);
  isOver.resolve();
  await sees(page, 'It was taken back.');
  await sees(page, /2 taken back/);
  await page.getByRole('link', { name: 'Result of the undo' }).click();
  await sees(page, /^undone · 2 people, 2 changes/);
});

test('a cell that is mended while its list waits for its turn is new for the next start', async () => {
  const held = Promise.withResolvers<void>();
  const { desk } = await deskBefore(async ({ body }) => {
    if (body.includes('first')) await held.promise;
    return { name: 'Acme' };
  });
  const served = await servedIn(desk.place.folder, desk.environment());
  const start = async (name: string, body: string): Promise<JsonResult> => {
    const file = await brought(served, name, `Domain\n${body}\n`);
    await ask(served, 'PUT', `/lists/${file}/job`, JOB);
    const { id: plan } = await ask(served, 'POST', '/plan', { file, job: JOB });
    return { file, ...(await ask(served, 'POST', '/run', { file, job: JOB, plan, budget: 9 })) };
  };
  await start('first.csv', 'first.example');
  const { file, work } = await start('second.csv', 'second.example\nthird.example');
  const page = await tabAt(served, `/lists/${file}`);
  await sees(page, 'Yours comes next.');
  await ask(served, 'PUT', `/lists/${file}/mends`, {
    mends: [{ row: 2, column: 'Domain', value: 'mended.example' }],
  });
  held.resolve();
  await endOf(served, work.id);
  await sees(page, '2 of 2 companies found');
  await sees(page, '1 cell mended: 1 row is asked again');
});

test('a list that is done and was edited keeps its mends, and shows what will be asked with its start', async () => {
  const desk = await openDesk();
  const { served, list, page, work } = await started(desk, JOB, 'Domain\na.example\nb.example\n');
  await endOf(served, work);
  await isNow(page, 'Done');
  await ask(served, 'PUT', `/lists/${list}/job`, JOB);
  await ask(served, 'PUT', `/lists/${list}/mends`, {
    mends: [{ row: 3, column: 'Domain', value: 'mended.example' }],
  });
  await brought(served, 'Renewals Q4.csv', 'Domain\na.example\nc.example\nb.example\n');
  await isNow(page, 'Changed');
  await expect.poll(() => page.locator('.tiles').innerText()).toMatch(/1 new[\s\S]*2 as before/);
  const beside = page.getByRole('complementary');
  await beside.getByText('2 credits at most').waitFor();
  await beside.getByText('1, free').waitFor();
  await page.getByRole('button', { name: 'take back the mend of row 4, Domain' }).waitFor();
  await openRow(page, 'a.example');
  await beside.getByRole('term').filter({ hasText: 'Found' }).waitFor();
  await page.reload();
  await press(page, 'Start');
  await sees(page, '3 of 3 companies found');
  expect(await desk.requests()).toBe(4);
});

test('what can be corrected while a list runs is said no more once it is mended', async () => {
  const held = Promise.withResolvers<void>();
  const { desk } = await deskBefore(async () => {
    await held.promise;
    return { name: 'Acme' };
  });
  const { served, list, page, work } = await started(desk, JOB, 'Domain\na.example\nno domain\n');
  const said = page.getByText('Wrong cells can be corrected while it runs.');
  await said.waitFor();
  await ask(served, 'PUT', `/lists/${list}/mends`, {
    mends: [{ row: 3, column: 'Domain', value: 'b.example' }],
  });
  await sees(page, '1 cell mended');
  await sees(page, '1 row needs attention');
  expect(await said.count()).toBe(0);
  held.resolve();
  await endOf(served, work);
});

test('a row that was paid and brought no address says in its cell and beside the table what was sold', async () => {
  const { desk, speak } = await deskBefore(() => ({ person: { work_email: 'a***@acme.example' } }));
  const by = ['first_name+last_name+domain'];
  const finder = { method: 'POST', path: '/find', by, credits: { most: 1, found: 1, miss: 0 } };
  speak({ operations: { 'find-email': { ...finder, gives: { email: 'person.work_email' } } } });
  const job = { operation: 'find-email', account: 'data', add: { Email: 'email' } };
  await desk.write('job.yaml', JSON.stringify(job));
  await desk.write('list.csv', 'First name,Last name,Domain\nAnn,Lee,acme.example\n');
  await desk.type(['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '9']);
  const page = await tabAt(await servedIn(desk.place.folder, desk.environment()), '/');
  await page.getByRole('link', { name: 'list.csv' }).click();
  const why = /^no match by .+; in the place of the email stands "a\*\*\*@acme\.example"$/;
  const cell = page.getByRole('gridcell', { name: 'nothing found' });
  await expect.poll(() => cell.getAttribute('title')).toMatch(why);
  await openRow(page, 'acme.example');
  await page.getByRole('complementary').getByText(why).waitFor();
});

test('an account with a key that is refused is named while the list goes on with the others', async () => {
  const held = Promise.withResolvers<void>();
  const { desk } = await openThree(async (account, asked) => {
    if (account === 'hunter') return Response.json({ message: 'invalid api key' }, { status: 401 });
    await held.promise;
    return answerOf(account, asked);
  });
  const { page, served, work } = await started(desk, FIND, peopleOf('prospeo1', 'leadmagic1'));
  await sees(page, 'The vendor refuses the key of hunter. Nothing was lost. The others go on without it.');
  await isNow(page, 'Running');
  await page.getByRole('link', { name: 'Look at the accounts' }).waitFor();
  held.resolve();
  await endOf(served, work);
});

test('while a list runs, all that it has spent at several accounts stands in the panel, whole', async () => {
  const held = Promise.withResolvers<void>();
  const { desk } = await openThree(async (account, asked) => {
    if (asked.input.first_name === 'hunter2') await held.promise;
    return answerOf(account, asked);
  });
  await desk.write('list.csv', peopleOf('hunter1', 'prospeo1', 'leadmagic1', 'hunter2'));
  const running = desk.start(runOf('list'));
  const page = await tabAt(await servedIn(desk.place.folder, desk.environment()), '/');
  await page.getByRole('link', { name: 'list.csv' }).click();
  const panel = page.getByRole('complementary');
  const spent = panel.locator('.big');
  await spent
    .getByText('at most 1 credit of Hunter, 1 credit of Prospeo and 1 credit of LeadMagic')
    .waitFor();
  const edgeOf = async (of: Locator) => {
    const { x = 0, width = 0 } = (await of.boundingBox()) ?? {};
    return x + width;
  };
  expect(await edgeOf(spent)).toBeLessThan(await edgeOf(panel));
  held.resolve();
  expect((await running).code).toBe(0);
});

test('where a cell was mended since it stopped, it goes on with the mended list: no cell of before is asked', async () => {
  const asked: string[] = [];
  const { desk } = await deskBefore(({ body }) => {
    asked.push(body);
    return { name: 'Acme' };
  });
  const served = await servedIn(desk.place.folder, desk.environment());
  const list = await brought(served, 'Renewals Q4.csv', 'Domain\na.example\nb.example\nc.example\n');
  await ask(served, 'PUT', `/lists/${list}/job`, JOB);
  const { id: plan } = await ask(served, 'POST', '/plan', { file: list, job: JOB });
  const { work } = await ask(served, 'POST', '/run', { file: list, job: JOB, plan, budget: 1 });
  await endOf(served, work.id);
  await ask(served, 'PUT', `/lists/${list}/mends`, {
    mends: [{ row: 4, column: 'Domain', value: 'mended.example' }],
  });
  const page = await tabAt(served, `/lists/${list}`);
  await sees(page, 'The budget that you allowed is used. 2 rows are left.');
  await press(page, 'Go on with the list as it is now');
  const beside = page.getByRole('complementary');
  await beside.getByText('2 credits at most').waitFor();
  expect(await beside.getByLabel('Never more than').inputValue()).toBe('2');
  await press(page, 'Start');
  await sees(page, '3 of 3 companies found');
  expect(asked.toSorted().map((body) => /\w+\.example/.exec(body)?.[0])).toEqual([
    'a.example',
    'b.example',
    'mended.example',
  ]);
  await expect.poll(() => page.getByText('cell mended').count()).toBe(0);
});
