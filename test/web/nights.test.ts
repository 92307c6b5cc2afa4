/**
 * Goal: a night is made on the page from what a list did, and what is written is what `rowonce nightly` runs: it buys what is new, once,
 * and never more for a file than was said. The page leads the program to no folder but its own and those of the accounts file.
 * Method: a real page over an account that is not play money; the written line of a crontab by a real shell; the vendor's book.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from '../cli/desk.ts';
import { rowonce } from '../cli/rowonce.ts';
import { domainsOf } from '../faults/workplace.ts';
import { ask, brought, endOf, servedIn, useBrowser, worked } from './scene.ts';
import type { Served } from './served.ts';
import { answerOf, FIND, openThree, peopleOf } from './three.ts';

const openTab = useBrowser();

const listOf = (name: string, count: number): string =>
  `Name,Domain\n${domainsOf(name, count)
    .map((domain) => `Of ${domain},${domain}\n`)
    .join('')}`;

const JOB = { operation: 'enrich-company', account: 'data', add: { Employees: 'employee_count' } };

/** A list of three companies that was bought on the page. @returns its id. */
async function boughtOn(page: Served, name = 'Renewals Q4.csv'): Promise<string> {
  const list = await brought(page, name, listOf('known', 3));
  await ask(page, 'PUT', `/lists/${list}/job`, JOB);
  const { id: plan } = await ask(page, 'POST', '/plan', { file: list, job: JOB });
  await worked(page, 'run', { file: list, job: JOB, plan, budget: 10 });
  return list;
}

const pageAt = (desk: Desk): Promise<Served> => servedIn(desk.place.folder, desk.environment());

/** Makes a night as the page does: looks at the draft, and has exactly that written. */
async function made(page: Served, wish: object) {
  const { id: draft } = await ask(page, 'POST', '/nights', wish);
  return ask(page, 'POST', '/nights', { ...wish, draft });
}

/** Puts a list into an inbox, an hour ago. */
function drop(folder: string, name: string, content: string): void {
  const path = join(folder, name);
  writeFileSync(path, content);
  const at = new Date(Date.now() - 3_600_000);
  utimesSync(path, at, at);
}

/** Runs a line of a crontab as cron does: by a shell that knows nothing of the user's. */
function asCron(
  line: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; said: string }> {
  const command = line.split(' ').slice(5).join(' ').replaceAll('\\%', '%');
  return new Promise((resolve) => {
    const own = { PATH: '/usr/bin:/bin', ...env };
    execFile('/bin/sh', ['-c', command], { env: own, cwd: '/' }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    );
  });
}

test('what is shown is written, and runs by the line that is named: new files once, none above its limit', async () => {
  const desk = await openDesk({ account: { price: '0.04 AUD' } });
  const page = await pageAt(desk);
  const list = await boughtOn(page);
  expect(await desk.requests()).toBe(3);
  const wish = { list, at: '02:30', credits: 2 };
  const shown = await ask(page, 'POST', '/nights', wish);
  expect(shown).toMatchObject({ status: 200, made: false, job: 'renewals-q4' });
  expect(existsSync(shown.path)).toBe(false);
  expect(shown.text).toBe(`operation: enrich-company
account: data
columns:
  domain: Domain
add:
  Employees: employee_count
budget:
  credits: 2
inbox: ./renewals-q4
schedule: 30 2 * * *
`);

  const written = await ask(page, 'POST', '/nights', { ...wish, draft: shown.id });
  expect(written).toMatchObject({ status: 200, made: true, path: shown.path, text: shown.text });
  expect(readFileSync(shown.path, 'utf8')).toBe(shown.text);
  expect(shown.folder).toBe(join(dirname(shown.path), 'renewals-q4'));
  expect((await ask(page, 'GET', '/nights')).nights).toMatchObject([
    { job: 'renewals-q4', made: true, problem: null, budget: 2, next_run: expect.stringMatching(/Z$/) },
  ]);

  drop(shown.folder, 'again.csv', listOf('known', 3));
  drop(shown.folder, 'large.csv', listOf('large', 5));
  drop(shown.folder, 'new.csv', listOf('new', 2));
  const night = await asCron(written.cron, { HOME: desk.place.folder });
  expect(night).toMatchObject({ code: 4, said: expect.stringContaining('2 lists done; 1 not: ') });
  expect(await desk.requests()).toBe(3 + 2 + 2);
  expect(readdirSync(join(shown.folder, 'done'))).toEqual(
    expect.arrayContaining(['again.csv', 'again.enriched.csv', 'new.csv', 'new.enriched.csv']),
  );
  expect((await asCron(written.cron, { HOME: desk.place.folder })).code).toBe(4);
  expect(await desk.requests()).toBe(7);
  // The page tells of nights that it did not begin, also by a job that it does not have.
  await desk.write(
    'crm.yaml',
    'operation: enrich-company\naccount: data\ninbox: ./crm\nbudget: { credits: 9 }\n',
  );
  mkdirSync(desk.place.path('crm'));
  drop(desk.place.path('crm'), 'crm.csv', listOf('crm', 1));
  expect(await desk.type(['nightly', 'crm.yaml'])).toMatchObject({ code: 0 });
  const { nights, ended } = await ask(page, 'GET', '/nights');
  expect(nights[0].ended).toMatchObject([
    { exit_code: 4 },
    { exit_code: 4, sweep: { counts: { matched: 7 } } },
  ]);
  expect(ended).toMatchObject([{ jobs: [desk.place.path('crm.yaml')], exit_code: 0 }, {}, {}]);
  const tab = await openTab(page, '/nights');
  const last = tab.getByRole('region', { name: 'The last nights' }).getByRole('listitem');
  await last.filter({ hasText: 'crm' }).getByRole('link', { name: '1 file, 1 row' }).waitFor();
  expect(await last.filter({ hasText: 'renewals-q4' }).count()).toBe(2);
});

test('a night runs now, is paused, goes on and is removed; its files stay, and no crontab runs it then', async () => {
  const desk = await openDesk({ account: { price: '0.04 AUD' } });
  const page = await pageAt(desk);
  const list = await boughtOn(page);
  const { add: _, ...whole } = JOB;
  await ask(page, 'PUT', `/lists/${list}/job`, whole);
  const { folder, path } = await made(page, { list, at: '02:00', credits: 9 });
  drop(folder, 'new.csv', listOf('new', 2));
  // A file that is put in by the page stands beside those of its name, in that folder, and can be read.
  const put = (name: string, content: string) =>
    ask(page, 'PUT', `/nights/renewals-q4/files?name=${encodeURIComponent(name)}`, content);
  expect(await put('../new.csv', listOf('new', 1))).toMatchObject({ status: 201, name: 'new (2).csv' });
  expect(await put('notes.pdf', 'no list')).toMatchObject({ status: 400 });
  expect(await put('.hidden', 'no list')).toMatchObject({ status: 400 });
  expect(readdirSync(folder).toSorted()).toEqual(['new (2).csv', 'new.csv']);
  const { work } = await ask(page, 'POST', '/nightly', { jobs: ['renewals-q4'] });
  await endOf(page, work.id);
  const [night] = (await ask(page, 'GET', '/nights')).nights;
  const cost = [{ amount: 0.08, currency: 'AUD' }];
  expect(night.ended).toMatchObject([{ exit_code: 0, sweep: { rows: 3, counts: { matched: 3 }, cost } }]);
  // Its columns are called as those of a list on the page, and not as in an answer.
  const [head = ''] = readFileSync(join(folder, 'done', 'new.enriched.csv'), 'utf8').split('\n');
  expect(head.split(',')).toEqual(expect.arrayContaining(['Employee count', 'City']));

  expect((await ask(page, 'PUT', '/nights/renewals-q4', { paused: true })).nights).toMatchObject([
    { paused: true, next_run: null },
  ]);
  const again = await made(page, { list, at: '03:00', credits: 9 });
  expect(again).toMatchObject({ job: 'renewals-q4-2', made: true });

  expect((await ask(page, 'DELETE', '/nights/renewals-q4')).nights).toMatchObject([{ job: 'renewals-q4-2' }]);
  expect(readdirSync(join(folder, 'done'))).toContain('new.enriched.csv');
  expect(await rowonce(['nightly', path], { cwd: desk.place.folder, env: desk.environment() })).toMatchObject(
    {
      code: 2,
      stderr: expect.stringContaining('has no inbox.'),
    },
  );
  expect(await ask(page, 'DELETE', '/nights/renewals-q4')).toMatchObject({ status: 404 });
  // A new one of that name takes its place and its folder.
  expect(await made(page, { list, at: '04:00', credits: 9 })).toMatchObject({ job: 'renewals-q4', folder });
});

test('a person makes a night, sees what is written, gets it run, and removes it', async () => {
  const desk = await openDesk({ account: { price: '0.04 AUD', key: undefined, key_env: 'DATA_KEY' } });
  const page = await servedIn(desk.place.folder, { ...desk.environment(), DATA_KEY: 'key-1' });
  const list = await boughtOn(page);
  await ask(page, 'PUT', `/lists/${list}/mends`, { mends: [{ row: 2, column: 'Name', value: 'Acme' }] });
  const tab = await openTab(page, '/nights');
  const form = tab.getByRole('region', { name: 'A new night' });
  await form.getByLabel('Do the same as for').selectOption('Renewals Q4.csv, companies');
  // Before she makes it she knows what of hers it does not do.
  const left = '1 correction of its cells is not: a night takes the cells of a new file as they come.';
  await form.getByText(left).waitFor();
  await form.getByLabel('Every night at').fill('3:15');
  await form.getByLabel('Every night at').blur();
  await expect.poll(() => form.getByLabel('Every night at').inputValue()).toBe('03:15');
  await form.getByLabel('Most credits for each file').fill('7');
  await form.getByLabel('Most credits for each file').blur();
  // Nobody has to read a file to make a night.
  expect(await form.locator('pre').filter({ visible: true }).count()).toBe(0);
  await form.getByText('What is written').click();
  await form.getByText(/^operation: enrich-company\n.*credits: 7\n.*schedule: 15 3 \* \* \*\n$/s).waitFor();
  await form.getByText(/^15 3 \* \* \* .* nightly --store /).waitFor();
  await form.getByText('The key stands in DATA_KEY').waitFor();
  await form.getByText('The same for a timer of systemd').click();
  await form.getByText('OnCalendar=*-*-* 03:15').waitFor();
  expect((await ask(page, 'GET', '/nights')).nights).toEqual([]);
  await form.getByRole('button', { name: 'Make it' }).click();
  await form.getByText('renewals-q4 is made. Put new files into its folder: ').waitFor();
  // No other folder is named until she chooses something for another night.
  await expect.poll(() => form.getByText('renewals-q4-2').count()).toBe(0);
  expect(await form.getByText('What is written').count()).toBe(0);

  const [{ folder }] = (await ask(page, 'GET', '/nights')).nights;
  const buffer = Buffer.from(listOf('new', 2));
  await tab.getByLabel('Files for renewals-q4').setInputFiles({ name: 'new.csv', mimeType: '', buffer });
  await tab.getByText('new.csv will be taken by the next run.').waitFor();
  await tab.getByRole('button', { name: 'Run now: renewals-q4' }).click();
  const last = tab.getByRole('region', { name: 'The last nights' });
  for (const says of ['1 file, 2 rows', '2 found', 'A$0.08']) await last.getByText(says).waitFor();
  const [{ ended }] = (await ask(page, 'GET', '/nights')).nights;
  const own = `/files/${ended[0].sweep.files[0].batch}`;
  expect(await last.getByRole('link', { name: '1 file, 2 rows' }).getAttribute('href')).toBe(own);
  // As one of her lists it is corrected, renamed and deleted as others; what was found is known.
  const view = await openTab(page, own);
  await view.getByRole('button', { name: 'Add to my lists' }).click();
  await view.waitForURL(/\/lists\//);
  await view.getByRole('button', { name: /^2 known$/ }).waitFor();
  await view.getByRole('button', { name: '⋯' }).click();
  expect(await view.getByLabel('Name of the list').inputValue()).toBe('new.csv');
  expect(await desk.requests()).toBe(3 + 2);
  // At home it stays one line, with what the night has found, and goes with its list.
  await view.getByLabel('Name of the list').fill('March');
  await view.getByRole('button', { name: 'Rename' }).click();
  await view.getByRole('heading', { name: 'March.csv' }).waitFor();
  const lines = view.getByRole('region', { name: 'Your lists' }).getByRole('listitem');
  const line = (name: string) => lines.filter({ hasText: name });
  await view.goto(page.url);
  await line('March.csv').getByText('2 of 2 found').waitFor();
  expect(await line('new.csv').count()).toBe(0);
  await ask(page, 'PUT', '/nights/renewals-q4/files?name=later.csv', listOf('later', 1));
  await ask(page, 'POST', '/nightly', { jobs: ['renewals-q4'] });
  await line('later.csv').getByText('Done').waitFor();
  const remove = async (name: string): Promise<void> => {
    await view.getByRole('button', { name: `Remove ${name}` }).click();
    await view.getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(() => line(name).count()).toBe(0);
  };
  await remove('later.csv');
  // Nor does the file of the night come back for the moment until the page has heard all about the rest.
  const held = Promise.withResolvers<void>();
  await view.route('**/api/batches?**', async (route) => {
    await held.promise;
    await route.continue();
  });
  await remove('March.csv');
  expect(await lines.allInnerTexts()).toEqual([expect.stringContaining('Renewals')]);
  held.resolve();

  await form.getByLabel('Take new files of').selectOption('another folder');
  await form.getByText('inboxes: { crm: /srv/drop }').waitFor();
  await form.getByText(desk.place.path('config/accounts.yaml')).waitFor();
  expect(await form.getByRole('button', { name: 'Make it' }).isDisabled()).toBe(true);

  await tab.getByRole('button', { name: '⋯' }).click();
  await tab.getByRole('button', { name: 'Remove renewals-q4' }).click();
  await tab.getByRole('dialog', { name: 'Remove the night' }).getByRole('button', { name: 'Remove' }).click();
  await tab.getByText('No night is set up on this page.').waitFor();
  expect(readdirSync(join(folder, 'done'))).toContain('new.csv');
});

test('a night that was killed has a line that says so, the next one goes on, and its name is what she calls it', async () => {
  const desk = await openDesk();
  const page = await pageAt(desk);
  const list = await boughtOn(page);
  const { folder, path } = await made(page, { list, at: '02:00', credits: 9 });
  drop(folder, 'new.csv', listOf('new', 2));
  const killed = await desk.type(['nightly', path], { env: { ROWONCE_CRASH_AT: 'before-intent:2' } });
  expect(killed.code).toBeNull();
  const ends = async () => (await ask(page, 'GET', '/nights')).nights[0].ended;
  expect(await ends()).toMatchObject([{ exit_code: null, running: false, sweep: null }]);
  const tab = await openTab(page, '/nights');
  const last = tab.getByRole('region', { name: 'The last nights' }).getByRole('listitem');
  await last.filter({ hasText: 'did not end; the next run goes on' }).waitFor();
  expect(await desk.type(['nightly', path])).toMatchObject({ code: 0 });
  expect(await ends()).toMatchObject([{ exit_code: 0, sweep: { rows: 2 } }, { exit_code: null }]);

  const rename = async (from: string, to: string): Promise<void> => {
    await tab.getByRole('button', { name: '⋯' }).click();
    const box = tab.getByRole('dialog', { name: `More of ${from}` });
    await box.getByLabel('Name of the night').fill(to);
    await box.getByRole('button', { name: 'Rename' }).click();
    await box.waitFor({ state: 'hidden' });
    await tab.getByRole('listitem', { name: to || 'renewals-q4', exact: true }).waitFor();
  };
  await rename('renewals-q4', 'Leads of the fair');
  await desk.write(
    'crm.yaml',
    'operation: enrich-company\naccount: data\ninbox: ./crm\nbudget: { credits: 9 }\n',
  );
  mkdirSync(desk.place.path('crm'));
  await desk.type(['nightly', 'crm.yaml']);
  await last.filter({ hasText: 'Leads of the fair · 1 file, 2 rows' }).waitFor();
  // A crontab runs its file by the name that this has, and a new page knows the name.
  expect(existsSync(path)).toBe(true);
  await page.stop();
  const [again] = (await ask(await pageAt(desk), 'GET', '/nights')).nights;
  expect(again).toMatchObject({ job: 'renewals-q4', name: 'Leads of the fair', paused: false });
});

test('a night tells all that it has paid, by the price of today, with what is in doubt, also for files that wait', async () => {
  const { desk } = await openThree((account, asked) =>
    asked.input.first_name === 'hunter9' ? undefined : answerOf(account, asked),
  );
  const job = { ...FIND, inbox: './crm', schedule: '0 2 * * *', budget: { credits: 3 } };
  await desk.write('crm.yaml', JSON.stringify(job));
  mkdirSync(desk.place.path('crm'));
  const inbox = desk.place.path('crm');
  drop(inbox, 'whole.csv', peopleOf('hunter1', 'prospeo1', 'leadmagic1'));
  await desk.type(['nightly', 'crm.yaml']);
  drop(inbox, 'long.csv', peopleOf(...['2', '3', '4', '5', '6'].map((each) => `hunter${each}`)));
  drop(inbox, 'lost.csv', peopleOf('prospeo6', 'hunter9'));
  drop(inbox, 'other.csv', 'Colour,Size\nred,4\n');
  await desk.type(['nightly', 'crm.yaml']);
  const page = await servedIn(desk.place.folder, desk.environment(), ['crm.yaml']);
  const tab = await openTab(page, '/nights');
  // What waits says why, how far it is, and what she can do about it.
  for (const words of [
    'long.csv waits. 3 of its 5 rows are done; the others cost more than the 3 credits that a file may use.',
    'other.csv waits. Columns: first_name should come from "First", but the file has no such column.',
    'Use one of these: Colour, Size. The next run tries it again.',
  ])
    await tab.getByText(words).waitFor();
  const lines = tab.getByRole('region', { name: 'The last nights' }).getByRole('listitem');
  const [second, first] = [lines.nth(0), lines.nth(1)];
  const saysIn = async (line: Locator) => (await line.innerText()).split(/\s*\n\s*/).slice(1);
  await expect
    .poll(() => saysIn(first))
    .toEqual(['1 file, 3 rows', '3 found', 'at most A$0.04, US$0.10 and 1 credit of leadmagic']);
  // The file that has reached its limit is told with what was found for it.
  expect(await saysIn(second)).toEqual([
    ...['2 files, 7 rows', '4 found', 'at most A$0.12 and US$0.10; 1 credit in doubt', '▲ 2 files wait'],
  ]);
  await ask(page, 'POST', '/accounts/add', { name: 'hunter', price: '0.4 AUD' });
  await tab.reload();
  await expect.poll(() => saysIn(first)).toContain('at most A$0.40, US$0.10 and 1 credit of leadmagic');
  await tab.setViewportSize({ width: 390, height: 844 });
  expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  const files = first.getByRole('link', { name: '1 file, 3 rows' });
  expect((await files.boundingBox())?.height).toBeLessThan(30);
});

test('what is half typed stays, whatever the page draws meanwhile', async () => {
  const desk = await openDesk();
  const page = await pageAt(desk);
  await boughtOn(page);
  const tab = await openTab(page, '/');
  const held = Promise.withResolvers<void>();
  await tab.route('**/api/nights', async (route) => {
    if (route.request().method() === 'POST') await held.promise;
    await route.continue();
  });
  await tab.goto(`${page.url}/nights`);
  const form = tab.getByRole('region', { name: 'A new night' });
  const at = form.getByLabel('Every night at');
  await at.fill('3:1');
  held.resolve();
  await form.getByText('What is written').waitFor();
  expect(await at.inputValue()).toBe('3:1');
  // What is no other time when she leaves the field is shown as it holds.
  await at.fill('2:00');
  await at.blur();
  expect(await at.inputValue()).toBe('02:00');
});

test('nothing else is written than what was shown', async () => {
  const desk = await openDesk();
  const page = await pageAt(desk);
  const list = await boughtOn(page);
  const wish = { list, at: '02:00', credits: 9 };
  // What she left out, and how the file is read, are part of it.
  const choice = { unless: { Name: 'Customer' }, country: 'NZ', read: { header_row: '1' } };
  await ask(page, 'PUT', `/lists/${list}/job`, { ...JOB, ...choice });
  const { id: draft, path, text } = await ask(page, 'POST', '/nights', wish);
  for (const entry of ['unless:\n  Name: Customer', 'country: NZ', 'read:\n  header_row:'])
    expect(text).toContain(entry);
  await ask(page, 'PUT', `/lists/${list}/job`, { ...JOB, add: { Industry: 'industry' } });
  expect(await ask(page, 'POST', '/nights', { ...wish, draft })).toMatchObject({
    status: 409,
    error: { message: 'What would be written has changed since it was shown.' },
  });
  expect(existsSync(path)).toBe(false);
});

test('another folder is one of the accounts file, by its name there, and no page names a path', async () => {
  const desk = await openDesk();
  const page = await pageAt(desk);
  const list = await boughtOn(page);
  mkdirSync(desk.place.path('drop'));
  const wish = { list, at: '02:00', credits: 9 };
  for (const inbox of [desk.place.path('drop'), '../drop', './drop', 'crm', '/etc'])
    expect(await ask(page, 'POST', '/nights', { ...wish, inbox })).toMatchObject({
      status: 400,
      error: { message: expect.stringMatching(/^The accounts file has no folder .* under inboxes\.$/) },
    });
  expect(await ask(page, 'POST', '/nights', { ...wish, folder: '/etc' })).toMatchObject({ status: 400 });
  desk.place.writeNames({ inboxes: { crm: desk.place.path('drop') } });
  const named = await made(page, { ...wish, inbox: 'crm' });
  expect(named).toMatchObject({ made: true, folder: desk.place.path('drop') });
  expect(readFileSync(named.path, 'utf8')).toContain('\ninbox: crm\n');
  const { inboxes } = await ask(page, 'GET', '/nights');
  expect(inboxes).toEqual([{ name: 'crm', folder: desk.place.path('drop') }]);
  // Two nights would take each other's files away.
  const { id: draft } = await ask(page, 'POST', '/nights', { ...wish, inbox: 'crm' });
  expect(await ask(page, 'POST', '/nights', { ...wish, inbox: 'crm', draft })).toMatchObject({
    status: 400,
    error: { message: expect.stringContaining('have the same inbox') },
  });
});

test('a list that changes people, and one for which nothing was chosen, become no night', async () => {
  const desk = await openDesk();
  const page = await pageAt(desk);
  const team = await brought(page, 'team.csv', 'Email,Role,Project\njo@acme.example,viewer,Atlas\n');
  const wish = { list: team, at: '02:00', credits: 9 };
  expect(await ask(page, 'POST', '/nights', wish)).toMatchObject({ status: 400 });
  await ask(page, 'PUT', `/lists/${team}/job`, { operation: 'onboard', account: 'sandbox-service' });
  const list = await boughtOn(page);
  const { lists } = await ask(page, 'GET', '/nights');
  expect(lists).toEqual([{ list, name: 'Renewals Q4.csv', operation: 'enrich-company', mends: 0 }]);
});

test('a night outlives the page, and one whose account is gone says so and keeps no page from opening', async () => {
  const desk = await openDesk();
  const first = await pageAt(desk);
  const list = await boughtOn(first);
  await made(first, { list, at: '02:00', credits: 9 });
  await first.stop();
  const second = await pageAt(desk);
  expect((await ask(second, 'GET', '/nights')).nights).toMatchObject([{ job: 'renewals-q4', problem: null }]);
  await second.stop();
  desk.place.writeAccounts({});
  const third = await pageAt(desk);
  const [night] = (await ask(third, 'GET', '/nights')).nights;
  expect(night).toMatchObject({
    job: 'renewals-q4',
    next_run: null,
    problem: { message: expect.stringContaining('data') },
  });
  expect(JSON.stringify(night.problem)).not.toContain(desk.place.folder);
  expect((await ask(third, 'DELETE', '/nights/renewals-q4')).nights).toEqual([]);
});

test('who is forgotten is gone from the lists of an inbox, and no other list of it goes', async () => {
  const desk = await openDesk();
  const page = await pageAt(desk);
  const list = await boughtOn(page);
  const { add: _, ...whole } = JOB;
  await ask(page, 'PUT', `/lists/${list}/job`, whole);
  const { folder, path } = await made(page, { list, at: '02:00', credits: 9 });
  drop(folder, 'people.csv', 'Name,Domain\njo@acme.example,acme.example\n');
  drop(folder, 'others.csv', listOf('others', 2));
  const { code, stderr } = await desk.type(['forget', 'jo@acme.example', '--yes']);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  expect(readdirSync(folder)).toEqual(['others.csv']);
  expect(existsSync(path)).toBe(true);
});

test('what is old is gone from an inbox once it is done, and no file that waits for its night', async () => {
  const desk = await openDesk();
  const page = await pageAt(desk);
  const list = await boughtOn(page);
  const { folder } = await made(page, { list, at: '02:00', credits: 9 });
  const old = (...path: readonly string[]): void => {
    writeFileSync(join(folder, ...path), listOf('old', 1));
    utimesSync(join(folder, ...path), new Date(0), new Date(0));
  };
  mkdirSync(join(folder, 'done'));
  old('waits.csv');
  old('done', 'over.csv');
  const { code, stderr } = await desk.type(['store', 'purge', '--older-than', '1d', '--yes']);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  expect([readdirSync(folder), readdirSync(join(folder, 'done'))]).toEqual([['done', 'waits.csv'], []]);
});
