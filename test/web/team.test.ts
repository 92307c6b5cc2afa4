/**
 * Goal: an administrator sees what her team list would change, person by person; mends what is wrong where it stands; allows
 * on purpose what goes far; agrees by typing before anybody loses access; and can take it back.
 * Method: the page in a real browser over sheets of people, before the embedded service.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { emailsOf, type TeamOptions, TeamWorkplace } from '../faults/team-workplace.ts';
import { ask, brought, PERSON, servedIn, TERMINAL, useBrowser, worked } from './scene.ts';
import type { Served } from './served.ts';

const tabAt = useBrowser();

const TEAM = readFileSync(join(import.meta.dirname, '../../fixtures/team.csv'), 'utf8');

/** The page of a team's list, which is about to be changed. */
async function teamAt(served: Served, name: string, body: string, job: object = {}) {
  const id = await brought(served, name, body);
  const chosen = { operation: 'onboard', account: 'sandbox-service', ...job };
  await ask(served, 'PUT', `/lists/${id}/job`, chosen);
  return { id, page: await tabAt(served, `/lists/${id}`) };
}

const rowOf = (page: Page, words: string | RegExp) => page.getByRole('row').filter({ hasText: words });
const change = (page: Page) => page.getByRole('button', { name: /^Make \d+ changes?$/ });
const sheet = (...people: readonly string[]): string => `Email,Project,Role\n${people.join('\n')}\n`;
const KNOWN = { projects: { Care: 'proj-care' } };

test('a sheet of people is planned as a team as soon as it is brought', async () => {
  const served = await servedIn();
  const people = ['ann', 'bob', 'cid'].map((name) => `${name}@team.example,Care,viewer`);
  const mistyped = ['dev@gmial.com,Care,viewer', 'eve@taem.example,Care,viewer'];
  const id = await brought(served, 'people.csv', sheet(...people, ...mistyped));
  const page = await tabAt(served, `/lists/${id}`);
  await page.getByText('There is nothing to change, and 5 rows need attention.').waitFor();
  await page.getByLabel(/^Care /).fill('proj-care');
  await page.getByLabel(/^Care /).press('Enter');
  await rowOf(page, 'ann@team.example').getByText('is invited to Care as viewer', { exact: true }).waitFor();

  // A stranger may have such an address. It is told, and she decides.
  await page.getByText('2 addresses may be mistyped: dev@gmial.com and 1 more').waitFor();
  expect(await change(page).textContent()).toBe('Make 5 changes');
  await page.getByRole('button', { name: 'Show them: 2 addresses may be mistyped' }).click();
  const field = page.getByRole('textbox', { name: 'Email of row 5' });
  await field.fill('dev@gmail.com');
  await field.press('Enter');
  await page.getByText('1 address may be mistyped: eve@taem.example').waitFor();
});

test('a team leads to the services that can be added for it, which are found by its word', async () => {
  const served = await servedIn();
  const { page } = await teamAt(served, 'team.csv', sheet('ann@team.example,Care,viewer'), KNOWN);
  await page.getByRole('link', { name: 'Add your account' }).click();
  expect(await page.getByRole('searchbox', { name: 'Search vendors' }).inputValue()).toBe('team');
  const offered = page.getByRole('group', { name: 'Vendors' }).getByRole('radio');
  await page.getByRole('radio', { name: /^Another service, by its address/ }).waitFor();
  for (const each of await offered.all())
    expect(await each.locator('..').innerText()).toMatch(/invites, roles/);
});

test('she says what her projects and roles are, mends a cell, allows an admin, and the team is as her list says', async () => {
  const served = await servedIn();
  const { id, page } = await teamAt(served, 'team.csv', TEAM);
  for (const name of ['Platform', 'Research', 'Support']) {
    const field = page.getByLabel(new RegExp(`^${name} `));
    await field.fill(`proj-${name.toLowerCase()}`);
    await field.press('Enter');
    await page.getByLabel(`${name} is`, { exact: true }).waitFor();
  }
  await page.getByLabel('“owner” means').selectOption('admin');
  await rowOf(page, 'is as row 3').or(rowOf(page, 'the same as row 3')).waitFor();
  await rowOf(page, 'Zoe Chen')
    .getByText('project "Platfrom" is not known. Did you mean Platform?')
    .waitFor();
  await page.getByRole('button', { name: '“Platfrom” means Platform' }).click();
  await rowOf(page, 'Zoe Chen').getByText('is invited to Platform as ').waitFor();
  const wrong = rowOf(page, 'Nadia Haddad');
  await wrong.getByText('is not an e-mail address').waitFor();
  await page.getByLabel('Email of row 11').fill('nadia.haddad@banksia.example');
  await page.getByLabel('Email of row 11').press('Enter');
  await wrong.getByText('is invited').waitFor();

  // Two admins are more than anybody has allowed.
  await page.getByText('2 become admin: ').waitFor();
  expect(await change(page).isDisabled()).toBe(true);
  await page.getByText('Waits for one answer: 2 become admin', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await expect.poll(() => change(page).isEnabled()).toBe(true);
  expect(await change(page).textContent()).toBe('Make 15 changes');
  await change(page).click();
  await expect
    .poll(async () => (await ask(served, 'GET', `/batches?list=${id}`)).batches[0]?.state)
    .toBe('finished');
  const { batches } = await ask(served, 'GET', `/batches?list=${id}`);
  const { changes } = await ask(served, 'POST', '/status', { batch: batches[0].batch });
  expect(changes.done).toEqual({ invite: 15 });
});

/** A page over an account that is not play money: its vendor alone knows who was really changed. */
async function atService(options: TeamOptions = {}) {
  const team = await TeamWorkplace.open(options);
  onTestFinished(() => team[Symbol.asyncDispose]());
  return { team, served: await atServiceOf(team) };
}

/** Another page over the same. */
const atServiceOf = ({ place }: TeamWorkplace): Promise<Served> =>
  servedIn(place.folder, { ...place.environment, ROWONCE_STORE: place.path('store') });

/** The id of what was started over a list. */
const startOf = async (served: Served, list: string): Promise<string> =>
  (await ask(served, 'GET', `/lists/${list}/known`)).list.standing.batch;

const finished = (served: Served, file: string, count: number) =>
  expect
    .poll(async () => {
      const { batches } = await ask(served, 'GET', `/batches?list=${file}`);
      return batches.filter(({ state }: { state: string }) => state === 'finished').length;
    })
    .toBe(count);

test('an admin is allowed by name, in a project, for one start: the next person is asked about, on a phone as well', async () => {
  const { team, served } = await atService();
  const job = { account: 'data', projects: { Atlas: 'proj-1', Beacon: 'proj-12' } };
  const people = ['ann@t.example,Atlas,admin', 'ben@t.example,Beacon,editor'];
  const { id, page } = await teamAt(served, 'team.csv', sheet(...people), job);
  await page.getByText('1 becomes admin: ann@t.example in Atlas', { exact: true }).waitFor();
  const allow = page.getByRole('button', { name: 'Allow', exact: true });
  await allow.click();
  // Whom she allows stays in sight, and a second click takes it back.
  await page.getByText('1 becomes admin: ann@t.example in Atlas', { exact: true }).waitFor();
  await expect.poll(() => change(page).isEnabled()).toBe(true);
  await page.getByRole('button', { name: 'Allowed ✓' }).click();
  await expect.poll(() => change(page).isDisabled()).toBe(true);
  await allow.click();
  await change(page).click();
  await finished(served, id, 1);

  expect(await brought(served, 'team.csv', sheet(...people, 'ben@t.example,Atlas,admin'))).toBe(id);
  await page.reload();
  await page.getByText('1 becomes admin: ben@t.example in Atlas', { exact: true }).waitFor();
  expect(await change(page).isDisabled()).toBe(true);
  const phone = await tabAt(served, `/lists/${id}`, { viewport: { width: 390, height: 844 } });
  await phone.getByText('Waits for one answer: 1 becomes admin', { exact: true }).waitFor();
  expect(await change(phone).isDisabled()).toBe(true);
  const standing = async () => (await team.state()).standing('proj-1', 'ben@t.example');
  expect(await standing()).toBeUndefined();
  await phone.getByText('Change', { exact: true }).click();
  await phone.getByText('1 becomes admin: ben@t.example in Atlas', { exact: true }).waitFor();
  await phone.getByRole('button', { name: 'Allow', exact: true }).click();
  await phone.getByText('1 person gets an e-mail from data.', { exact: true }).waitFor();
  await change(phone).click();
  await finished(served, id, 2);
  expect(await standing()).toEqual({ as: 'invited', role: 'admin' });

  // Who loses access by an undo is typed as before a start.
  await page.reload();
  await page.getByRole('button', { name: 'Undo…' }).click();
  await page.getByText('1 loses access: ben@t.example in Atlas, an admin', { exact: true }).waitFor();
  const back = page.getByRole('button', { name: 'Take back 1 change' });
  await page.getByText('Waits for one answer: 1 loses access, type ben@t.example', { exact: true }).waitFor();
  expect(await back.isDisabled()).toBe(true);
  await page.getByLabel('Type ben@t.example to agree').fill('ben@t.example');
  await back.click();
  await page.locator('main .state').getByText('Taken back today').waitFor();
  expect(await standing()).toBeUndefined();

  // Who stays, and is no admin any more, loses no access.
  await brought(served, 'team.csv', sheet('ann@t.example,Atlas,editor', 'ben@t.example,Beacon,editor'));
  await page.goto(`${served.url}/lists/${id}`);
  await page
    .getByText('1 is no longer admin: ann@t.example in Atlas, editor instead', { exact: true })
    .waitFor();
});

test('a column that no guess knows is asked about before anybody goes to the project of the account', async () => {
  const { team, served } = await atService();
  const people = ['Ann Lee,ann@t.example,Atlas,Viewer', 'Bob Ray,bob@t.example,Beacon,Editor'];
  const body = ['Name,Work email,Squad,Access', ...people, ''].join('\n');
  const { id, page } = await teamAt(served, 'squad.csv', body, { account: 'data' });
  const where = page.getByLabel('The project is in');
  await page.getByText('Waits for one answer: which column is the project', { exact: true }).waitFor();
  await rowOf(page, 'ann@t.example').getByText('is invited to proj-1 as viewer', { exact: true }).waitFor();
  expect(await change(page).isDisabled()).toBe(true);
  await where.selectOption('Squad');
  await page.getByLabel(/^Atlas /).fill('proj-1a');
  await page.getByLabel(/^Atlas /).press('Enter');
  await page.getByLabel(/^Beacon /).fill('proj-1b');
  await page.getByLabel(/^Beacon /).press('Enter');
  await rowOf(page, 'bob@t.example').getByText('is invited to Beacon as editor', { exact: true }).waitFor();
  await change(page).click();
  await finished(served, id, 1);
  expect((await team.state()).roles()).toEqual({
    'proj-1a ann@t.example': 'viewer',
    'proj-1b bob@t.example': 'editor',
  });

  // Where she says that no column does, all go to the project that each row names.
  const { page: other } = await teamAt(served, 'all.csv', body, { account: 'data' });
  await other.getByLabel('The project is in').selectOption('none: all go to proj-1');
  await other.getByLabel('The project is in').waitFor({ state: 'detached' });
  await expect.poll(() => change(other).isEnabled()).toBe(true);
  await rowOf(other, 'bob@t.example').getByText('is invited to proj-1 as editor', { exact: true }).waitFor();
});

test('those that are no e-mails are shown alone and gone through by typing, and what is half typed is never kept', async () => {
  const served = await servedIn();
  const right = ['ann', 'bob', 'cid'].map((name) => `${name}@t.example,Care,viewer`);
  const wrong = ['dev@@t.example', 'elif at t.example', 'finn'].map((email) => `${email},Care,viewer`);
  const { id, page } = await teamAt(served, 'team.csv', sheet(...right, ...wrong), KNOWN);
  const lines = page.getByRole('grid').getByRole('rowheader');
  const field = (row: number) => page.getByRole('textbox', { name: `Email of row ${row}` });
  const typing = (row: number) => field(row).and(page.locator(':focus'));
  const mends = async (): Promise<readonly string[]> =>
    (await ask(served, 'GET', `/lists/${id}`)).mends.map(({ value }: { value: string }) => value);
  await rowOf(page, 'is invited').first().waitFor();
  await page.getByRole('button', { name: 'Show them: 3 are not e-mails, in Email' }).click();
  await expect.poll(() => lines.count()).toBe(3);
  await typing(5).waitFor();
  await page.keyboard.type('dev@t.example');
  await page.keyboard.press('Enter');
  await typing(6).waitFor();
  expect(await lines.count(), 'nothing jumps').toBe(3);
  await expect.poll(mends).toEqual(['dev@t.example']);
  // The rows with the new plan come while she types.
  await page.keyboard.type('elif@t.exam');
  await rowOf(page, 'is invited').waitFor();
  await typing(6).waitFor();
  expect(await field(6).inputValue()).toBe('elif@t.exam');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'need attention' }).click();
  await expect.poll(() => lines.count()).toBe(2);

  await field(6).fill('elif@t.example');
  await page.keyboard.press('Enter');
  await field(7).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('finn@');
  await page.getByRole('button', { name: 'needs attention' }).waitFor();
  await typing(7).waitFor();
  expect(await field(7).inputValue(), 'the row above it has left the view').toBe('finn@');
  expect(await mends()).toEqual(['dev@t.example', 'elif@t.example']);
  await page.keyboard.type('t.example');
  await page.keyboard.press('Tab');
  await expect.poll(mends).toEqual(['dev@t.example', 'elif@t.example', 'finn@t.example']);
});

test('who has left is left out by a column of the list, and the card of a person says what was done, by whom and when', async () => {
  const { team, served } = await atService();
  const job = { account: 'data', projects: { Care: 'proj-1c' } };
  const spring = await brought(served, 'spring.csv', sheet('cid@t.example,Care,admin'));
  const first = { operation: 'onboard', ...job };
  const { id: plan } = await ask(served, 'POST', '/plan', { file: spring, job: first });
  await worked(served, 'run', { file: spring, job: first, plan, accept: ['guards'], yes: true });
  const wrong = 'bob.of.the.harbour@@t.example';
  const people = [
    'ann@t.example,Care,admin,Active',
    `${wrong},Care,viewer,Active`,
    'cid@t.example,Care,,Leaver',
    'eve@t.example,Care,viewer,Leaver',
  ];
  const body = `Email,Project,Role,Status\n${people.join('\n')}\n`;
  const { id, page } = await teamAt(served, 'team.csv', body, job);
  // The cell beside it says which address is meant.
  await page.getByText('e-mail: has more than one @', { exact: true }).waitFor();
  await page.getByRole('columnheader', { name: 'Status' }).getByRole('button').click();
  await page.getByLabel('Leaver').check();
  const kept = 'left out: "Status" is "Leaver"; keeps access: admin in Care';
  await rowOf(page, 'cid@t.example').getByText(kept, { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  const keeping = '1 of the 2 who are left out has access now, and keeps it';
  // Beside the button, so that nobody has to scroll to it, on a phone as well.
  const beside = page.locator('.foot').getByText(`${keeping}: cid@t.example in Care.`);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await beside.waitFor();
  }
  await page.locator('.tile').filter({ hasText: '2 left out' }).waitFor();
  await page.getByLabel('Email of row 3').fill('bob@t.example');
  await page.getByLabel('Email of row 3').press('Enter');
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByRole('button', { name: 'Look up also the others: Status is not Leaver' }).waitFor();
  await change(page)
    .and(page.getByText('Make 2 changes', { exact: true }))
    .click();
  await page.getByRole('button', { name: '2 invited' }).waitFor();
  expect((await team.state()).roles()).toMatchObject({ 'proj-1c cid@t.example': 'admin' });
  await page.locator('.sheet tbody tr').first().click();
  await page.keyboard.press('Enter');
  const card = page.getByRole('complementary', { name: 'Row 2' });
  await card.getByText('ann@t.example in proj-1c').waitFor();
  const facts = async () => (await card.locator('dt').allInnerTexts()).slice(-6);
  await expect.poll(facts).toEqual(['Change', 'Role', 'When', 'By', 'Result', 'Account']);

  // The report names them, and what she decided, on the page as in its file.
  const { batches } = await ask(served, 'GET', `/batches?list=${id}`);
  await page.goto(`${served.url}/reports/${batches[0].batch}`);
  const report = page.getByRole('article');
  await report.getByText(`Of these people 2 changed, 2 left out. ${keeping}.`).waitFor();
  const file = await served.tool(`/api/batches/${batches[0].batch}/files/report`, { method: 'GET' });
  const told = ['Left out: 2 rows', 'eve@t.example', '"Status" is "Leaver"; keeps access: admin in Care'];
  const decided = ['Became admin', 'allowed by ', 'Mended before the start: 1 cell', 'bob@t.example'];
  for (const words of [...told, ...decided]) {
    expect(await report.innerText()).toContain(words);
    expect(file.body.replaceAll('&quot;', '"')).toContain(words);
  }
});

test('a column of which a plan cannot tell whether it is read is decided beside the button that waits for it', async () => {
  const served = await servedIn();
  const body = 'Email,Role,Team\nann@t.example,viewer,Atlas\n';
  const job = { columns: { email: 'Email', role: 'Role' }, projects: { Atlas: 'proj-1' } };
  const { page } = await teamAt(served, 'team.csv', body, job);
  await page.getByText('Nothing reads the column "Team", which says where a person goes.').waitFor();
  expect(await page.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true);
  expect(await page.getByText('What is found').count()).toBe(0);
  await page.getByRole('button', { name: 'It is the project' }).click();
  await rowOf(page, 'ann@t.example').getByText('is invited to Atlas as viewer', { exact: true }).waitFor();
  const { page: other } = await teamAt(served, 'all.csv', body, job);
  await other.getByRole('button', { name: 'Do not read it' }).click();
  await rowOf(other, 'ann@t.example').getByText('is invited to proj-sandbox as viewer').waitFor();
});

test('a list with a row of another length leads to how it is read, where she has its blanks filled up', async () => {
  const served = await servedIn();
  const { page } = await teamAt(
    served,
    'ragged.csv',
    sheet('ann@t.example,Care,viewer', 'bob@t.example,Care'),
    { ...KNOWN, role: 'viewer' },
  );
  await page.getByRole('alert').getByText('2 cells, but the header has 3 columns').waitFor();
  await page.getByText('How the list is read · it cannot be read like this').waitFor();
  await page.getByLabel('A row with too few cells gets blank ones').check();
  await rowOf(page, 'bob@t.example').getByText('is invited').waitFor();
});

test('a removal waits for a damaged address that may be the person, and for no other, and why is said where it is chosen', async () => {
  const served = await servedIn();
  const people = ['ann', 'cid', 'eve'].map((name) => `${name}@t.example,Care,viewer`);
  const before = await brought(served, 'spring.csv', sheet(...people));
  const first = { operation: 'onboard', account: 'sandbox-service', ...KNOWN };
  const { id: plan } = await ask(served, 'POST', '/plan', { file: before, job: first });
  await worked(served, 'run', { file: before, job: first, plan, accept: ['guards'] });
  const { page } = await teamAt(
    served,
    'autumn.csv',
    sheet('ann@t.example,Care,viewer', 'cid@@t.example,Care,viewer'),
    KNOWN,
  );
  await page.getByLabel('Remove who is no longer on the list').check();
  const why = 'row 3 ("cid@@t.example") may mean them; correct it first';
  await page.getByText(`1 removal waits: ${why}`, { exact: true }).waitFor();
  await rowOf(page, 'stays: ').getByText(`stays: ${why}`, { exact: true }).waitFor();
  await rowOf(page, 'eve@t.example').getByText('is removed from Care: no longer on the list').waitFor();
  // Whoever is meant by a blank cell is not known.
  await page.getByLabel('Email of row 3').fill('');
  await page.getByLabel('Email of row 3').press('Enter');
  const anybody = 'row 3 has no e-mail address and may mean anybody; correct it first';
  await page.getByText(`2 removals wait: ${anybody}`, { exact: true }).waitFor();
});

test('who is no longer on the list loses access only after she has typed so, and an undo gives the others their roles back', async () => {
  const served = await servedIn();
  const people = ['ann@t.example,Care,viewer', 'bob@t.example,Care,viewer', 'cid@t.example,Care,admin'];
  const job = KNOWN;
  const before = await brought(served, 'spring.csv', sheet(...people));
  const first = { operation: 'onboard', account: 'sandbox-service', ...job };
  const { id: plan } = await ask(served, 'POST', '/plan', { file: before, job: first });
  await worked(served, 'run', { file: before, job: first, plan, accept: ['guards'] });

  const { id, page } = await teamAt(
    served,
    'autumn.csv',
    sheet('ann@t.example,Care,editor', 'bob@t.example,Care,viewer'),
    job,
  );
  await rowOf(page, 'ann@t.example').getByText('viewer → editor in Care').waitFor();
  await rowOf(page, 'bob@t.example').getByText('is as the list says').waitFor();
  await rowOf(page, 'cid@t.example').getByText('stays in Care, and is not on the list').waitFor();
  await page.getByLabel('Remove who is no longer on the list').check();
  await rowOf(page, 'cid@t.example').getByText('is removed from Care: no longer on the list').waitFor();
  await page.getByText('Not on this list: 1 in Care; last changed by spring.csv.').waitFor();
  // Who loses access is named once.
  await page.getByText('1 removal of 3, and 10% are allowed', { exact: true }).waitFor();
  await page.getByText('Waits for two answers: ').waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  const agreement = page.getByLabel('Type cid@t.example to agree');
  await agreement.waitFor();
  await page.getByText('1 loses access: cid@t.example in Care, an admin').waitFor();
  await page.getByText('3 people, 2 changes', { exact: true }).waitFor();
  await page.getByText('who is removed has to be invited again').waitFor();
  expect(await change(page).isDisabled()).toBe(true);
  await agreement.fill('Cid@t.example');
  await expect.poll(() => change(page).isEnabled()).toBe(true);
  expect(await change(page).textContent()).toBe('Make 2 changes');
  await change(page).click();
  await expect
    .poll(async () => (await ask(served, 'GET', `/batches?list=${id}`)).batches[0]?.state)
    .toBe('finished');
  // After as before the run a changed role has its own sign and colour, and only who was removed has that of a removal.
  const signOf = (sign: string, who: string) => rowOf(page, who).and(page.locator(`tr[data-look=${sign}]`));
  await signOf('change_role', 'ann@t.example')
    .getByText('viewer → editor in Care, by a new invite')
    .waitFor();
  await signOf('remove', 'cid@t.example').getByText('removed from Care: the invite was deleted').waitFor();
  await rowOf(page, /^~ *2 *ann@t.example/).waitFor();
  const { batches } = await ask(served, 'GET', `/batches?list=${id}`);
  const report = await ask(served, 'GET', `/batches/${batches[0].batch}/report`);
  expect(report.changes.persons).toMatchObject([
    { who: 'ann@t.example', action: 'change_role' },
    { who: 'cid@t.example', action: 'remove' },
  ]);
  await page.getByRole('button', { name: 'Undo…' }).click();
  await page.getByRole('button', { name: 'Take back 1 change' }).click();
  const state = page.locator('main .state');
  await state.getByText('Taken back today').waitFor();
  await rowOf(page, 'cid@t.example').getByText('removed from Care: the invite was deleted').waitFor();
  // Who was removed stays removed, and the other row says that it is as before.
  await rowOf(page, /^= 2 *ann@t.example/)
    .getByText('taken back: ')
    .waitFor();
  expect(await rowOf(page, 'cid@t.example').innerText()).not.toContain('taken back');
  await page.getByRole('rowheader', { name: '2' }).click();
  await page.keyboard.press('Enter');
  const card = page.getByRole('complementary', { name: 'Row 2' });
  const history = card.getByRole('region', { name: 'History' });
  await history.waitFor();
  const lines = (await history.getByRole('listitem').allInnerTexts()).map((line) =>
    line.replace(/^.*?\d: /, ''),
  );
  const by = (list: string): string => ` · ${list}, ${PERSON}`;
  expect(lines).toEqual([
    `invited in proj-care as viewer${by('spring.csv')}`,
    `invite deleted in proj-care${by('autumn.csv')}`,
    `invited in proj-care as editor${by('autumn.csv')}`,
    `invite deleted in proj-care${by('undo of autumn.csv')}`,
    `invited in proj-care as viewer${by('undo of autumn.csv')}`,
  ]);
  expect(await card.evaluate((aside) => aside.scrollWidth > aside.clientWidth), 'nothing is clipped').toBe(
    false,
  );
  await page.keyboard.press('Escape');
  // What is left: who was removed.
  await state.getByText('1 removal stays').waitFor();
  const tiles = page.locator('.tile');
  const counted = async () => (await tiles.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  await expect.poll(counted).toEqual([...['3 people', '1 changed', '1 taken back', '1 stay'], '1 removed']);
  await tiles.filter({ hasText: 'removed' }).click();
  await rowOf(page, 'bob@t.example').waitFor({ state: 'detached' });
  await rowOf(page, 'cid@t.example').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('link', { name: 'Result of the undo' }).click();
  await page.getByText(/^undone · 1 person, 1 change · begun/).waitFor();
  await page.getByRole('link', { name: 'Lists' }).click();
  const taken = page.getByRole('listitem').filter({ hasText: 'taken back: a team' });
  await taken.getByRole('link', { name: 'autumn.csv' }).waitFor();
  await taken.getByText('Taken back', { exact: true }).waitFor();
  await taken.getByRole('button', { name: 'Remove autumn.csv' }).waitFor();
  expect(await page.getByRole('listitem').count()).toBe(2);
  const again = await ask(served, 'POST', '/plan', { file: before, job: first });
  // Nobody can bring back who was removed: that takes an invite.
  expect(again.changes.map(({ action }: { action: string }) => action)).toEqual([
    'unchanged',
    'unchanged',
    'invite',
  ]);
});

test('a list without roles gets one for all, and a project that nobody knows is made only where she ticks it', async () => {
  const served = await servedIn();
  const { id, page } = await teamAt(served, 'new.csv', 'Email,Project\nann@t.example,Atlas\n');
  await page.getByRole('alert').first().waitFor();
  await page.getByLabel('Their role').selectOption('viewer');
  await rowOf(page, 'ann@t.example').getByText('project "Atlas" is not known').waitFor();
  await page.getByText('Nothing can be sent: 1 project is not known').waitFor();
  expect(await page.getByRole('button', { name: 'Make changes' }).isDisabled()).toBe(true);
  await page.getByLabel('Create the projects that the service lacks').check();
  await rowOf(page, 'ann@t.example')
    .getByText('is invited to Atlas as viewer, once the project is made')
    .waitFor();
  await page.getByText('new projects stay').waitFor();
  await page.getByRole('button', { name: '1 invite', exact: true }).click();
  await rowOf(page, 'ann@t.example').waitFor();
  // The button goes away, and the keys go on in the table.
  await change(page).press('Enter');
  await page.locator('table:focus').waitFor({ timeout: 20_000 });
  const newest = async () => (await ask(served, 'GET', `/batches?list=${id}`)).batches[0]?.state;
  await expect.poll(newest).toBe('finished');
});

test('projects that would be made are named beside the tick, and nothing that is said has a flag or a path', async () => {
  // Outside of the folder of the tests nothing offers the program, so that it is started by its path.
  const folder = mkdtempSync(join(tmpdir(), '..', 'rowonce-by-path-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const served = await servedIn(folder);
  const { page } = await teamAt(served, 'team.csv', TEAM);
  const tick = page.getByLabel('Create the projects that the service lacks');
  await tick.check();
  // A misspelled one is seen before it is made for good.
  await page.getByText('Will be made: Platform, Research, Support and Platfrom', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('Waits for one answer: is “Platfrom” a new project', { exact: true }).waitFor();
  await page.getByRole('button', { name: '“Platfrom” means Platform' }).waitFor();
  await page.getByRole('button', { name: 'Create “Platfrom”' }).click();
  await expect.poll(() => change(page).isEnabled()).toBe(true);
  await change(page).click();
  await page.getByText(/people, \d+ changes: \w+ done$/).waitFor();
  const unknown = 'role "owner" is not known.';
  await rowOf(page, 'Jack Brennan').getByText(unknown, { exact: true }).waitFor();
  await page.getByRole('rowheader', { name: '13' }).click();
  await page.keyboard.press('Enter');
  const beside = page.getByRole('complementary', { name: 'Row 13' });
  await beside.getByText(unknown, { exact: true }).waitFor();
  const said = () => page.locator('body').innerText();
  expect(await said()).not.toMatch(TERMINAL);
  const { body } = await served.ask('/', { headers: { host: `127.0.0.1:${served.port}` } });
  expect(body).toBe('The page is not at this address. To open it, type: rowonce serve');
  await served.stop('SIGKILL');
  // The one line that is to be typed, which opens the same page again.
  const command = page.locator('.notices code');
  await command.getByText(/ serve$/).waitFor();
  expect((await said()).replace(await command.innerText(), '')).not.toMatch(TERMINAL);
});

test('a start of a team keeps its table and tiles in their places', async () => {
  const { served } = await atService();
  const people = 'Name,Email,Project,Role\nJo,ann@t.example,Care,viewer\nMo,bob@t.example,Care,viewer\n';
  const job = { account: 'data', projects: { Care: 'proj-1c' } };
  const { page } = await teamAt(served, 'team.csv', people, job);
  await page.getByRole('columnheader', { name: 'What happens' }).waitFor();
  await page.evaluate(() => {
    const textsOf = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].map(({ innerText }) => innerText);
    const seen = new Set<string>();
    Object.assign(window, { seen });
    new MutationObserver(() => {
      seen.add([textsOf('.sheet thead b').slice(0, 3), textsOf('.tile')[0]].flat().join(', '));
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  await change(page)
    .and(page.getByText('Make 2 changes', { exact: true }))
    .click();
  await page.getByRole('button', { name: '2 invited' }).waitFor();
  const seen = await page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
  expect(seen.map((each) => each.replaceAll('\n', ' '))).toEqual(['Email, Project, Role, 2 people']);
});

test('what happens to each person, and what came of it, stands whole in the table', async () => {
  const served = await servedIn();
  const people = ['amira.haddad@team.example', 'bob@t.example', 'dev.patel@team.example'];
  const lines = people.map((person) => `${person},Care,viewer`);
  const before = await brought(served, 'spring.csv', sheet(...lines));
  const job = { operation: 'onboard', account: 'sandbox-service', ...KNOWN };
  const { id: plan } = await ask(served, 'POST', '/plan', { file: before, job });
  await worked(served, 'run', { file: before, job, plan });
  const staying = [...lines.slice(0, 2), 'dev.patel.of.the.harbour.office@team,Care,viewer'];
  const autumn = ['Name,Email,Project,Role,User_ID', ...staying.map((line) => `Jo,${line},`)].join('\n');
  const { page } = await teamAt(served, 'autumn.csv', autumn, { ...KNOWN, remove_missing: true });
  const cut = () =>
    page
      .locator('.sheet :is(td, th b, th small)')
      .evaluateAll((all) =>
        all
          .filter((each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight)
          .map(({ textContent }) => textContent),
      );
  await rowOf(page, 'dev.patel@team.example')
    .getByText('stays: row 4 ("dev.patel.of.the…") may mean them; ')
    .waitFor();
  const heads = async () => (await page.locator('.sheet thead b').allInnerTexts()).slice(0, 4);
  expect(await heads()).toEqual(['Email', 'Project', 'Role', 'What happens']);
  expect(await cut()).toEqual([]);
  await page.goto(`${served.url}/lists/${before}`);
  await page.getByRole('columnheader', { name: 'Invite code' }).waitFor();
  expect(await heads()).toEqual(['Email', 'Project', 'Role', 'What happened']);
  await rowOf(page, /^\+ 2 *amira/)
    .getByText('invited to Care as viewer')
    .waitFor();
  expect(await cut()).toEqual([]);
});

test('a sentence that is longer than its cell is read whole where the keys are, and beside the table', async () => {
  const served = await servedIn();
  const project = 'Care of the elderly and of their families in the harbour region and on all of its islands';
  const people = sheet('ann@t.example,Care,viewer', `bob@t.example,"${project}",viewer`);
  const { page } = await teamAt(served, 'autumn.csv', people, KNOWN);
  const last = rowOf(page, 'is not known').getByRole('gridcell').last();
  await expect.poll(() => last.evaluate((cell) => cell.scrollWidth > cell.clientWidth)).toBe(true);
  await last.click();
  const isWhole = (): Promise<boolean> =>
    last.evaluate((cell) => {
      const [own, table] = [cell, cell.closest('.sheet')].map((each) => each?.getBoundingClientRect());
      const isInside = own && table && own.right <= table.right && own.bottom <= table.bottom;
      return isInside === true && cell.scrollHeight <= cell.clientHeight;
    });
  await expect.poll(isWhole).toBe(true);
  await page.getByRole('rowheader', { name: '3' }).click();
  await page.keyboard.press('Enter');
  const beside = page.getByRole('complementary', { name: 'Row 3' });
  await beside.getByText('is not known').waitFor();
});

test('after a kill, a person of whom one of two changes was made is in the table, the figures and the report', async () => {
  const projects = { Atlas: 'proj-1', Beacon: 'proj-12' };
  const columns = { email: 'Email', role: 'Role', project: 'Project' };
  const team = await TeamWorkplace.open({ concurrency: 1, job: { columns, projects } });
  onTestFinished(() => team[Symbol.asyncDispose]());
  const { place } = team;
  const both = { email: 'finn@t.example', role: 'viewer', project: 'Atlas; Beacon' };
  team.writeSheet([{ ...both, email: 'ann@t.example', project: 'Atlas' }, both]);
  expect((await team.run({ crashAt: 'after-intent:3' })).signal).toBe('SIGKILL');
  expect((await team.state()).roles()).toEqual({
    'proj-1 ann@t.example': 'viewer',
    'proj-1 finn@t.example': 'viewer',
  });
  const served = await servedIn(place.folder, { ...place.environment, ROWONCE_STORE: place.path('store') });
  const { batch, changes } = await ask(served, 'POST', '/status', { batch: 'last' });
  expect(changes).toMatchObject({ done: { invite: 2 }, planned: 3 });
  const page = await tabAt(served, `/files/${batch}`);
  const half = 'Atlas: invited to Atlas as viewer; Beacon: still to be done';
  await rowOf(page, 'finn@t.example').getByText(half, { exact: true }).waitFor();
  await page.getByText('2 invites to Atlas.').waitFor();
  // The vendor may have made it: that is known once the list goes on.
  await page.getByText('Still to do', { exact: true }).waitFor();
  await page.getByText('Half done').first().waitFor();
  const all = await tabAt(served, '/');
  await all.getByText('2 people, 3 changes: 2 done', { exact: true }).waitFor();
  await page.goto(`${served.url}/reports/${batch}`);
  await page.getByText(half, { exact: true }).waitFor();
  await page.getByText(/It has not come to its end yet\./).waitFor();
  await page.getByText(/ · service account data$/).waitFor();
  const { body } = await served.tool(`/api/batches/${batch}/files/output`, { method: 'GET' });
  expect(body).toMatch(/^finn@t\.example,.*,pending,.*Atlas: .*; Beacon: still to be done/m);
});

/** The lines above the sum, each with its figure. */
const linesIn = async (page: Page): Promise<readonly string[]> =>
  (await page.locator('dl.lines').first().innerText()).split(/\n+/).map((line) => line.trim());

test('a role that hangs between two invites is half done, and a lost invite perhaps made: neither is “none” nor “nothing”', async () => {
  const team = await TeamWorkplace.open({ concurrency: 1 });
  onTestFinished(() => team[Symbol.asyncDispose]());
  const [ann, bob, cid] = ['ann', 'bob', 'cid'].map((name) => `${name}@t.example`) as [
    string,
    string,
    string,
  ];
  await team.apply([ann, bob].map((email) => ({ email, role: 'viewer' })));
  team.writeSheet([ann, bob, cid].map((email) => ({ email, role: 'editor' })));
  expect((await team.run({ crashAt: 'after-end' })).signal).toBe('SIGKILL');
  const { stdout } = await team.type('status', 'last');
  expect(stdout).toContain('Changes    1 half done (0 of 3 changes)\n');
  const served = await atServiceOf(team);
  const { batch, changes } = await ask(served, 'POST', '/status', { batch: 'last' });
  expect(changes.not_made).toEqual({ half_done: 1, in_doubt: 0, pending: 2, others: 0 });
  const half = '3 people, 3 changes: 1 half done';
  const page = await tabAt(served, `/files/${batch}`);
  await page.getByText(half, { exact: true }).waitFor();
  expect(await linesIn(page)).toEqual(['Half done', '1', 'Still to do', '2', 'Changes', '3']);
  expect(await page.getByText('Nothing was changed').count()).toBe(0);
  await page.goto(served.url);
  await page.getByText(half, { exact: true }).waitFor();
  await page.goto(`${served.url}/reports/${batch}`);
  await page.getByRole('heading', { name: half }).waitFor();
  expect(await page.getByText('Nothing was changed').count()).toBe(0);
});

test('an invite with a lost answer is perhaps made, on its list as at home', async () => {
  const { team, served } = await atService({ faults: 'charged-reset:x1', concurrency: 1 });
  await team.apply([{ email: 'ann@t.example', role: 'viewer' }]);
  const { batch } = await ask(served, 'POST', '/status', { batch: 'last' });
  const page = await tabAt(served, `/files/${batch}`);
  await page.getByText('1 person, 1 change: 1 perhaps made', { exact: true }).waitFor();
  expect(await linesIn(page)).toEqual(['Perhaps made', '1', 'Changes', '1']);
  expect(await page.getByText('Nothing was changed').count()).toBe(0);
  await page.goto(served.url);
  await page.getByText('1 person, 1 change: 1 perhaps made', { exact: true }).waitFor();
});

test('an answer that is neither yes nor no came all the same, and the notice has its status', async () => {
  const { team, served } = await atService({ faults: 'charged-garbage:x1', concurrency: 1 });
  await team.apply([{ email: 'ann@t.example', role: 'viewer' }]);
  const { batch } = await ask(served, 'POST', '/status', { batch: 'last' });
  const page = await tabAt(served, `/files/${batch}`);
  const answered = 'What was answered for the invite of ann@t.example in proj-1 cannot be read as yes or no';
  await page.getByText(`${answered} (status 200). It may have been made or not.`, { exact: true }).waitFor({
    timeout: 20_000,
  });
  const cell = 'answered, neither yes nor no (status 200)';
  await page.getByText(cell, { exact: true }).first().waitFor({ timeout: 20_000 });
});

/** No button is wider than its place, or than its own words allow. */
async function fitsEverywhere(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const cut = await page.locator('main .button:visible').evaluateAll((buttons) =>
      buttons.flatMap((button) => {
        const { left, right } = button.getBoundingClientRect();
        const isInside = left >= 0 && right <= document.documentElement.clientWidth;
        return isInside && button.scrollWidth <= button.clientWidth + 1 ? [] : [button.textContent];
      }),
    );
    expect(cut).toEqual([]);
  }
}

test('an invite in doubt is settled in words of an invite: it is there, by its code or without, or it was not done', async () => {
  const { team, served } = await atService({ faults: 'charged-reset:x3', concurrency: 1 });
  const long = 'wrong.wanda.of.the.harbour.office@banksia.example';
  const emails = ['ann@t.example', 'bob@t.example', long];
  const job = { operation: 'onboard', account: 'data', projects: { Atlas: 'proj-1' } };
  const id = await brought(served, 'team.csv', sheet(...emails.map((email) => `${email},Atlas,viewer`)));
  const { id: plan } = await ask(served, 'POST', '/plan', { file: id, job });
  await worked(served, 'run', { file: id, job, plan, yes: true });
  const page = await tabAt(served, `/lists/${id}`);
  await page.getByText('No answer came for 3 rows. The change may have been made or not.').waitFor();
  const tell = async (row: number, word: string, code?: string): Promise<void> => {
    await page.getByRole('rowheader', { name: String(row) }).click();
    await page.keyboard.press('Enter');
    const beside = page.getByRole('complementary', { name: `Row ${row}` });
    await beside.getByRole('button', { name: 'I know the answer…' }).click();
    const what = beside.getByRole('combobox', { name: 'What happened' });
    await what.waitFor();
    await fitsEverywhere(page);
    expect(await what.locator('option').allInnerTexts()).toEqual([
      'It was not done',
      'The invite is there',
      'They have access already',
    ]);
    await what.selectOption(word);
    if (code !== undefined) await beside.getByLabel('Its code').fill(code);
    await beside.getByRole('button', { name: 'Confirm' }).click();
    await beside.getByRole('button', { name: 'I know the answer…' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  };
  const code = (await team.state()).inviteCode('proj-1', 'ann@t.example', 'viewer');
  await tell(2, 'The invite is there', code);
  await tell(3, 'The invite is there');
  const one = `No answer came for the invite of ${long} in proj-1. It may have been made or not.`;
  await page.getByText(one, { exact: true }).waitFor();
  const phone = await tabAt(served, `/lists/${id}`, { viewport: { width: 390, height: 844 } });
  await phone.getByText(one, { exact: true }).waitFor();
  await fitsEverywhere(phone);
  await phone.getByRole('button', { name: 'I know the answer…' }).click();
  await phone.getByRole('button', { name: 'Confirm. Send it again' }).waitFor();
  await fitsEverywhere(phone);
  await phone.keyboard.press('Escape');
  await tell(4, 'It was not done');
  await page.locator('main .state').getByText('Done', { exact: true }).waitFor();
  // What was told is known from then on, and only what was not done was sent again.
  const sent = team.vendor.requests().filter(({ operation }) => operation === 'create-invite');
  expect(sent).toHaveLength(4);
  const { counts } = await ask(served, 'POST', '/status', { batch: await startOf(served, id) });
  expect(counts).toEqual({ applied: 2, unchanged: 1 });
});

test('the field of an agreement does not cover its words', async () => {
  const served = await servedIn();
  const job = { operation: 'onboard', account: 'sandbox-service', ...KNOWN };
  const people = ['ann', 'bob', 'cid', 'dan'].map((name) => `${name}@t.example,Care,viewer`);
  const before = await brought(served, 'spring.csv', sheet(...people));
  const { id: plan } = await ask(served, 'POST', '/plan', { file: before, job });
  await worked(served, 'run', { file: before, job, plan });
  const { page } = await teamAt(served, 'autumn.csv', sheet('ann@t.example,Care,viewer'), {
    ...KNOWN,
    remove_missing: true,
  });
  const label = page.locator('label').filter({ hasText: 'Type 3 to agree' }).locator('span');
  await label.waitFor();
  expect(await label.evaluate((words) => words.scrollWidth - words.clientWidth)).toBe(0);
});

test('what an account charges for a team stands in the plan, with what it is for, and on the button; one that charges nothing says no credits', async () => {
  const { team, served } = await atService();
  const job = { account: 'data', projects: { Care: 'proj-1c' } };
  const people = ['ann@t.example,Care,viewer', 'bob@t.example,Care,editor', 'cid@@t.example,Care,viewer'];
  const { id, page } = await teamAt(served, 'team.csv', sheet(...people), job);
  await page.getByText('Account, and projects', { exact: true }).waitFor();
  await rowOf(page, 'ann@t.example').getByText('is invited to Care as viewer', { exact: true }).waitFor();
  expect(await page.locator('main').innerText()).not.toMatch(/credit|look up/i);

  writeFileSync(
    team.place.path('charging.yaml'),
    JSON.stringify({ operations: { 'create-invite': { credits: { most: 2, found: 2 } } } }),
  );
  team.writeAccount({ dialect: team.place.path('charging.yaml') });
  await page.reload();
  await page.getByText('4 credits at most: 4 for 2 × create invite.', { exact: true }).waitFor();
  const { charges } = await ask(served, 'POST', '/plan', {
    file: id,
    job: { operation: 'onboard', ...job },
  });
  expect(charges).toEqual([{ operation: 'create-invite', calls: 2, most: 4 }]);
  await page.getByRole('button', { name: 'Make 2 changes, 4 credits' }).click();
  await finished(served, id, 1);
  expect((await team.state()).roles()).toEqual({
    'proj-1c ann@t.example': 'viewer',
    'proj-1c bob@t.example': 'editor',
  });

  // What is mended behind the end is a change of one person, and no row that is asked.
  await page.getByRole('rowheader', { name: '4' }).click();
  await page.keyboard.press('F2');
  await page.getByLabel('Email of row 4').fill('cid@t.example');
  await page.keyboard.press('Enter');
  await page.getByText('1 cell mended: done with the next start.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Look at it' }).click();
  await page.getByRole('button', { name: 'Make 1 change, 2 credits' }).click();
  await finished(served, id, 2);
  expect((await team.state()).standing('proj-1c', 'cid@t.example')).toEqual({
    as: 'invited',
    role: 'viewer',
  });
});

test('a row of a project that is not known is corrected at its project, and a damaged address is said once, on a phone as well', async () => {
  const { served } = await atService();
  const long = 'dan.vale.of.the.harbour.office@@team.example';
  const people = ['ann@t.example,Care,viewer', 'fay@t.example,Crestline,viewer', `${long},Care,viewer`];
  const job = { account: 'data', projects: { Care: 'proj-1c' } };
  const { id, page } = await teamAt(served, 'team.csv', sheet(...people), job);
  const phone = await tabAt(served, `/lists/${id}`, { viewport: { width: 390, height: 844 } });
  const card = (words: string) => phone.getByRole('listitem').filter({ hasText: words });
  const stranger = card('Crestline');
  await stranger.getByText('project "Crestline" is not known').waitFor();
  expect(await stranger.getByRole('button', { name: 'Correct Email' }).count()).toBe(0);
  // The cell ends where the others of the card do.
  const field = stranger.getByRole('textbox', { name: 'Project of row 3' });
  const ends = () =>
    stranger.locator('dd').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().right));
  const { x, width } = (await field.boundingBox()) ?? { x: 0, width: 0 };
  for (const end of await ends()) expect(Math.abs(x + width - end)).toBeLessThanOrEqual(1);
  expect(await field.evaluate((input) => getComputedStyle(input).textAlign)).toBe('right');
  await stranger.getByRole('button', { name: 'Correct Project' }).click();
  expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
  await phone.keyboard.press('Escape');

  await change(page).click();
  await finished(served, id, 1);
  await phone.reload();
  await stranger.getByRole('button', { name: 'Correct Project' }).waitFor();
  expect(await stranger.getByRole('button', { name: 'Correct Email' }).count()).toBe(0);
  await card(long).getByText('e-mail: has more than one @', { exact: true }).waitFor();
  await rowOf(page, long).getByText('e-mail: has more than one @', { exact: true }).waitFor();
  await page.getByRole('rowheader', { name: '4' }).click();
  await page.keyboard.press('Enter');
  const beside = page.getByRole('complementary', { name: 'Row 4' });
  await beside.getByText('e-mail: has more than one @', { exact: true }).waitFor();
  // Its name, and the cell.
  expect((await beside.innerText()).split(long).length - 1).toBe(2);
});

test('an undo that ends in the middle says so on its list, at home and in its own view, and goes on from the list', async () => {
  const { team, served } = await atService({ latencyMs: 700, concurrency: 1 });
  const job = { operation: 'onboard', account: 'data', projects: { Atlas: 'proj-1' } };
  const people = emailsOf('undone', 9).map((email) => `${email},Atlas,viewer`);
  const id = await brought(served, 'Team May.csv', sheet(...people));
  const { id: plan } = await ask(served, 'POST', '/plan', { file: id, job });
  await worked(served, 'run', { file: id, job, plan, yes: true });
  const page = await tabAt(served, `/lists/${id}`);
  const state = page.locator('main .state');
  await page.getByRole('button', { name: 'Undo…' }).click();
  await page.getByLabel('Type 9 to agree').fill('9');
  await page.getByRole('button', { name: 'Take back 9 changes' }).click();
  await state.getByText(/^ ?Taking back/).waitFor();
  await state.getByText(/^[1-9] to go$/).waitFor();
  await page.getByText('It is being taken back.').waitFor();
  expect(await page.getByText('Yours comes next.').count()).toBe(0);
  expect((await served.stop('SIGKILL')).code).toBeNull();
  const left = /; at most [1-9] rows? (?:are|is) left, and waits? for “Go on”\./;
  await page.getByText(left).waitFor();
  await expect.poll(() => existsSync(team.place.path('store/spender.json'))).toBe(false);

  const next = await atServiceOf(team);
  const { undone_by: undo, changes } = await ask(next, 'POST', '/status', { batch: await startOf(next, id) });
  expect(undo).toMatchObject({ finished: false, running: false, left: expect.any(Number) });
  expect(undo.left).toBeGreaterThan(0);
  const back = 9 - undo.left;
  expect(changes).toMatchObject({ taken_back: back, taking_back: undo.left, stands: {} });
  const leftWords = `${undo.left} ${undo.left === 1 ? 'row is' : 'rows are'} left`;
  const list = await tabAt(next, `/lists/${id}`);
  await list.locator('main .state').getByText('Undo stopped', { exact: true }).waitFor();
  await list.getByText(`The undo was stopped. ${leftWords}.`, { exact: true }).waitFor();
  await list.getByRole('button', { name: 'Undo…' }).click();
  await list.getByText(`It was stopped. ${leftWords}.`).waitFor();
  expect(await list.getByText('It is being taken back.').count()).toBe(0);
  const home = await tabAt(next, '/');
  const line = home.getByRole('listitem').filter({ hasText: 'Team May.csv' });
  await line.getByText(`Undo stopped, ${undo.left} ${undo.left === 1 ? 'row' : 'rows'} left`).waitFor();
  await line.getByText(`: all done, ${back} taken back, ${undo.left} to take back`).waitFor();
  const own = await tabAt(next, `/files/${undo.batch}`);
  await own.getByRole('heading', { name: 'Undo of Team May.csv' }).waitFor();
  await own.getByText(`The undo was stopped. ${leftWords}.`, { exact: true }).waitFor();

  await list.getByRole('button', { name: 'Go on', exact: true }).first().click();
  await list.locator('main .state').getByText('Taken back today').waitFor();
  expect((await team.state()).roles()).toEqual({});
  const deleted = team.vendor.requests().filter(({ operation }) => operation === 'delete-invite');
  expect(deleted).toHaveLength(9);
  await line.getByText('all taken back').waitFor();
});

test('an undo that makes a person admin again waits until that is allowed by name, as a start does', async () => {
  const { team, served } = await atService();
  const job = { operation: 'onboard', account: 'data', projects: { Atlas: 'proj-1' } };
  const run = async (name: string, body: string) => {
    const file = await brought(served, name, body);
    const { id: plan } = await ask(served, 'POST', '/plan', { file, job });
    await worked(served, 'run', { file, job, plan, accept: ['guards'], yes: true });
    return file;
  };
  await run('spring.csv', sheet('ann@t.example,Atlas,admin', 'bob@t.example,Atlas,viewer'));
  const id = await run('autumn.csv', sheet('ann@t.example,Atlas,editor', 'bob@t.example,Atlas,viewer'));
  const standing = async () => (await team.state()).standing('proj-1', 'ann@t.example');
  expect(await standing()).toEqual({ as: 'invited', role: 'editor' });

  const page = await tabAt(served, `/lists/${id}`);
  await page.getByRole('button', { name: 'Undo…' }).click();
  await page.getByText('1 becomes admin: ann@t.example in Atlas', { exact: true }).waitFor();
  await page.getByText('Waits for one answer: 1 becomes admin', { exact: true }).waitFor();
  const back = page.getByRole('button', { name: 'Take back 1 change' });
  expect(await back.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await back.click();
  await page.locator('main .state').getByText('Taken back today').waitFor();
  expect(await standing()).toEqual({ as: 'invited', role: 'admin' });
});
