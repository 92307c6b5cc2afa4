/**
 * Goal: an administrator sees what her team list would change, person by person; mends what is wrong where it stands; allows
 * on purpose what goes far; agrees by typing before anybody loses access; and can take it back.
 * Method: the page in a real browser over sheets of people, before the embedded service.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { ask, brought, servedIn, TERMINAL, useBrowser, worked } from './scene.ts';
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
const change = (page: Page) => page.getByRole('button', { name: /^Change \d+ / });
const sheet = (...people: readonly string[]): string => `Email,Project,Role\n${people.join('\n')}\n`;
const KNOWN = { projects: { Care: 'proj-care' } };

test('a sheet of people is planned as a team as soon as it is brought', async () => {
  const served = await servedIn();
  const id = await brought(served, 'people.csv', sheet('ann@team.example,Care,viewer'));
  const page = await tabAt(served, `/lists/${id}`);
  await page.getByText('There is nothing to change, and 1 row needs you.').waitFor();
  await page.getByLabel(/^Care /).fill('proj-care');
  await page.getByLabel(/^Care /).press('Enter');
  await rowOf(page, 'ann@team.example').getByText('is invited').waitFor();
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
  await page.getByLabel('Project of row 14').fill('Platform');
  await page.getByLabel('Project of row 14').press('Enter');
  await rowOf(page, 'Zoe Chen').getByText('is invited').waitFor();
  const wrong = rowOf(page, 'Nadia Haddad');
  await wrong.getByText('is not an e-mail address').waitFor();
  await page.getByLabel('Email of row 11').fill('nadia.haddad@banksia.example');
  await page.getByLabel('Email of row 11').press('Enter');
  await wrong.getByText('is invited').waitFor();

  // Two admins are more than anybody has allowed.
  await page.getByText('This would make 2 people admin').waitFor();
  expect(await change(page).isDisabled()).toBe(true);
  await page.getByLabel('Allow it').check();
  await page.getByText('This would make').waitFor({ state: 'detached' });
  await page.getByLabel('People may become admin').click();
  await page.getByText('This would make 2 people admin').waitFor();
  await page.getByLabel('Allow it').check();
  await page.getByText('This would make').waitFor({ state: 'detached' });
  await expect.poll(() => change(page).isEnabled()).toBe(true);
  expect(await change(page).textContent()).toBe('Change 14 people');
  await change(page).click();
  await expect
    .poll(async () => (await ask(served, 'GET', `/batches?list=${id}`)).batches[0]?.state)
    .toBe('finished');
  const { batches } = await ask(served, 'GET', `/batches?list=${id}`);
  const { changes } = await ask(served, 'POST', '/status', { batch: batches[0].batch });
  expect(changes.done).toEqual({ invite: 15 });
});

test('a list with a row of another length leads to how it is read, where she has its blanks filled up', async () => {
  const served = await servedIn();
  const { page } = await teamAt(
    served,
    'ragged.csv',
    sheet('ann@t.example,Care,viewer', 'bob@t.example,Care'),
    { ...KNOWN, role: 'viewer' },
  );
  const list = page.getByRole('region', { name: 'The list' });
  await list.getByRole('alert').getByText('2 cells, but the header has 3 columns').waitFor();
  await page.getByText('How the list is read · it cannot be read like this').waitFor();
  await page.getByLabel('A row with too few cells gets blank ones').check();
  await rowOf(page, 'bob@t.example').getByText('is invited').waitFor();
});

test('who is no longer on the list loses access only after she has typed so, and an undo gives the others their roles back', async () => {
  const served = await servedIn();
  const people = ['ann@t.example,Care,viewer', 'bob@t.example,Care,viewer', 'cid@t.example,Care,admin'];
  const job = { ...KNOWN, guards: { admins: 'allow' } };
  const before = await brought(served, 'spring.csv', sheet(...people));
  const first = { operation: 'onboard', account: 'sandbox-service', ...job };
  const { id: plan } = await ask(served, 'POST', '/plan', { file: before, job: first });
  await worked(served, 'run', { file: before, job: first, plan });

  const { id, page } = await teamAt(
    served,
    'autumn.csv',
    sheet('ann@t.example,Care,editor', 'bob@t.example,Care,viewer'),
    job,
  );
  await rowOf(page, 'ann@t.example').getByText('viewer → editor').waitFor();
  await rowOf(page, 'bob@t.example').getByText('is as the list says').waitFor();
  await rowOf(page, 'cid@t.example').getByText('stays, and is not on the list').waitFor();
  await page.getByLabel('Remove who is no longer on the list').check();
  await rowOf(page, 'cid@t.example').getByText('is removed: no longer on the list').waitFor();
  await page.getByLabel('Allow it').check();
  const agreement = page.getByLabel('To agree, type cid@t.example');
  await agreement.waitFor();
  await page.getByText('1 of 3 known').waitFor();
  await page.getByText('who is removed has to be invited again').waitFor();
  expect(await change(page).isDisabled()).toBe(true);
  await agreement.fill('Cid@t.example');
  await expect.poll(() => change(page).isEnabled()).toBe(true);
  expect(await change(page).textContent()).toBe('Change 2 people');
  await change(page).click();
  await expect
    .poll(async () => (await ask(served, 'GET', `/batches?list=${id}`)).batches[0]?.state)
    .toBe('finished');
  // After as before the run a changed role has its own sign and colour, and only who was removed has that of a removal.
  const signOf = (sign: string, who: string) => rowOf(page, who).and(page.locator(`tr.${sign}`));
  await signOf('change_role', 'ann@t.example').getByText('invite deleted and created again').waitFor();
  await signOf('remove', 'cid@t.example').getByText('invite deleted').waitFor();
  await rowOf(page, /^~ *2 *ann@t.example/).waitFor();
  const { batches } = await ask(served, 'GET', `/batches?list=${id}`);
  const report = await ask(served, 'GET', `/batches/${batches[0].batch}/report`);
  expect(report.changes.people).toMatchObject([
    { who: 'ann@t.example', action: 'change_role' },
    { who: 'cid@t.example', action: 'remove' },
  ]);
  await page.getByRole('button', { name: 'Undo…' }).click();
  await page.getByRole('button', { name: 'Take back 1 of them' }).click();
  const state = page.locator('main > fieldset > header .state');
  await state.getByText('Taken back today').waitFor();
  await rowOf(page, 'cid@t.example').getByText('invite deleted').waitFor();
  // Who was removed stays removed, and the other row says that it is as before.
  await rowOf(page, /^= 2 *ann@t.example/)
    .getByText('taken back: ')
    .waitFor();
  expect(await rowOf(page, 'cid@t.example').innerText()).not.toContain('taken back');
  await page.getByRole('button', { name: '2 changed, 1 taken back' }).click();
  await rowOf(page, 'bob@t.example').waitFor({ state: 'detached' });
  await rowOf(page, 'ann@t.example').waitFor();
  await page.getByRole('link', { name: 'What came of the undo' }).click();
  await page.getByText(/^undone · begun/).waitFor();
  await page.getByRole('link', { name: 'Lists' }).click();
  const taken = page.getByRole('listitem').filter({ hasText: 'taken back: a team' });
  await taken.getByRole('link', { name: 'autumn.csv' }).waitFor();
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
  await page.getByLabel('Make the projects that nobody knows').check();
  await rowOf(page, 'ann@t.example').getByText('is invited, once the project is made').waitFor();
  await page.getByText('new projects stay').waitFor();
  await page.getByRole('button', { name: /invited/ }).click();
  await rowOf(page, 'ann@t.example').waitFor();
  await page.getByRole('button', { name: /need you/ }).click();
  await rowOf(page, 'ann@t.example').waitFor({ state: 'detached' });
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
  const tick = page.getByLabel('Make the projects that nobody knows');
  await tick.check();
  // A misspelled one is seen before it is made for good.
  await page.getByText('Will be made: Platform, Research, Support and Platfrom', { exact: true }).waitFor();
  await page.getByLabel('Allow it').check();
  await expect.poll(() => change(page).isEnabled()).toBe(true);
  await change(page).click();
  await page.getByText(/^\d+ changed, 2 need you$/).waitFor();
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
  await page.getByText('rowonce serve').waitFor();
  expect(await said()).not.toMatch(TERMINAL);
});

test('what happens to each person, and what came of it, stands whole in the table', async () => {
  const served = await servedIn();
  const people = ['amira.haddad@team.example', 'bob@t.example', 'dev.patel@team.example'];
  const lines = people.map((person) => `${person},Care,viewer`);
  const before = await brought(served, 'spring.csv', sheet(...lines));
  const job = { operation: 'onboard', account: 'sandbox-service', ...KNOWN };
  const { id: plan } = await ask(served, 'POST', '/plan', { file: before, job });
  await worked(served, 'run', { file: before, job, plan });
  const staying = [...lines.slice(0, 2), 'elif.kaya.of.the.harbour.office@team,Care,viewer'];
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
  await rowOf(page, 'dev.patel@team.example').getByText('was not removed from Care').waitFor();
  const heads = async () => (await page.locator('.sheet thead b').allInnerTexts()).slice(0, 4);
  expect(await heads()).toEqual(['Email', 'Project', 'Role', 'What happens']);
  expect(await cut()).toEqual([]);
  await page.goto(`${served.url}/lists/${before}`);
  await page.getByRole('columnheader', { name: 'Invite code' }).waitFor();
  expect(await heads()).toEqual(['Email', 'Project', 'Role', 'What came of it']);
  await rowOf(page, /^\+ 2 *amira/)
    .getByText('invited as viewer')
    .waitFor();
  expect(await cut()).toEqual([]);
});

test('a sentence that is longer than its cell is read whole where the keys are, and beside the table', async () => {
  const served = await servedIn();
  const project = 'Care of the elderly and of their families in the harbour region and on all of its islands';
  const job = { projects: { [project]: 'proj-care' } };
  const people = (...emails: readonly string[]): string =>
    sheet(...emails.map((email) => `${email},"${project}",viewer`));
  const before = await brought(served, 'spring.csv', people('ann@t.example', 'bob@t.example'));
  const first = { operation: 'onboard', account: 'sandbox-service', ...job };
  const { id: plan } = await ask(served, 'POST', '/plan', { file: before, job: first });
  await worked(served, 'run', { file: before, job: first, plan });
  const autumn = people('ann@t.example', 'elif@t');
  const { page } = await teamAt(served, 'autumn.csv', autumn, { ...job, remove_missing: true });
  const last = rowOf(page, 'bob@t.example was not removed').getByRole('gridcell').last();
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
  await beside.getByText('e-mail elif@t: is not an e-mail address').waitFor();
});
