/**
 * Goal: accounts are kept from the page; a key goes in once and never comes out, and the page can name neither a program nor
 * a file of this machine.
 * Method: requests to a real `rowonce serve`, and a real Chromium before it; the accounts file and the vendor's book judge.
 */
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PLAYED_VENDORS } from '../../src/core/played-vendors.ts';
import { openDesk } from '../cli/desk.ts';
import { ask, servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const openTab = useBrowser();

const KEY = 'a-key-that-nobody-sees';
const DATA = { name: 'data', vendor: 'provider', base_url: 'https://api.example.com', key: KEY };

const file = ({ folder }: Served): string => join(folder, 'config', 'accounts.yaml');
const kept = (served: Served): string => (existsSync(file(served)) ? readFileSync(file(served), 'utf8') : '');

const command = (served: Served, name: string, input: object = {}) =>
  ask(served, 'POST', `/accounts/${name}`, input);

/** The words with which every process of this machine was started, as far as any user may read them. */
function typedNow(): string {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .join('\n');
}

test('before the first account there are the built-in ones, which cannot be removed', async () => {
  const served = await servedIn();
  const { accounts, vendors } = await command(served, 'list');
  expect(accounts.map(({ name, sandbox }: { name: string; sandbox: boolean }) => [name, sandbox])).toEqual([
    ['sandbox-provider', true],
    ['sandbox-service', true],
    ...PLAYED_VENDORS.map((vendor) => [`sandbox-${vendor}`, true]),
  ]);
  expect(vendors.length).toBeGreaterThan(30);
  expect((await command(served, 'remove', { name: 'sandbox-provider' })).status).toBe(400);
});

test('an account is added and its key changed; a key is in the file, in no answer and in no argument', async () => {
  const served = await servedIn();
  const answers = [];
  let typed = '';
  for (const key of [KEY, 'another-secret']) {
    const asking = command(served, 'add', key === KEY ? DATA : { name: 'data', key });
    const watching = setInterval(() => (typed += typedNow()), 5);
    answers.push(await asking);
    clearInterval(watching);
    expect(kept(served)).toContain(`key: ${key}`);
  }
  expect(kept(served)).not.toContain(KEY);
  answers.push(await command(served, 'list'));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(JSON.stringify(answers)).not.toMatch(/nobody-sees|another-secret/);
  expect(typed).toContain('accounts');
  expect(typed).not.toMatch(/nobody-sees|another-secret/);
  expect(answers[2]?.accounts[0]).toMatchObject({
    name: 'data',
    address: 'https://api.example.com/',
    key: 'in the accounts file',
  });
});

test.for([
  [{ key_command: 'cat /etc/passwd' }],
  [{ dialect: '/etc/passwd' }],
  [{ key_env: 'HOME' }],
  [{ via: 'data', connected_account: 'x', api_call_url: 'https://evil.example' }],
])('%j can be set in the file alone', async ([more]) => {
  const served = await servedIn();
  expect((await command(served, 'add', { ...DATA, name: 'other', ...more })).status).toBe(400);
  expect(kept(served)).toBe('');
});

test('no value becomes a flag of the command', async () => {
  const served = await servedIn();
  await command(served, 'add', DATA);
  const before = kept(served);
  expect((await command(served, 'add', { ...DATA, name: '--key-env' })).status).toBe(400);
  const sly = { ...DATA, name: 'sly', vendor: 'service', organization: '--dialect=/etc/passwd' };
  expect((await command(served, 'add', sly)).status).toBe(200);
  expect(kept(served)).toContain('organization_id: --dialect=/etc/passwd');
  expect((await command(served, 'remove', { name: 'sly' })).status).toBe(200);
  expect(kept(served)).toBe(before);
  expect((await command(served, 'remove', { name: '--help' })).status).toBe(400);
});

test('a file that others can read is refused in words', async () => {
  const served = await servedIn();
  await command(served, 'add', DATA);
  chmodSync(file(served), 0o644);
  const { status, error } = await command(served, 'list');
  expect([status, error.next]).toEqual([400, expect.stringMatching(/^Run chmod 600 /)]);
});

test('she chooses a vendor by its name, gives its key, changes the key, and removes the account', async () => {
  const served = await servedIn();
  const page = await openTab(served, '/accounts');
  await page.getByRole('searchbox', { name: 'Search vendors' }).fill('phone sur');
  expect(await page.getByRole('radio').count(), 'by its name and by what it finds').toBe(1);
  await page.getByLabel('Key', { exact: true }).fill(KEY);
  expect(await page.getByLabel('Key', { exact: true }).getAttribute('type')).toBe('password');
  await page.getByText('Name, price and limit').click();
  expect(await page.getByLabel('Web address').inputValue()).toBe('https://api.surfe.com');
  await page.getByLabel('What a credit costs').fill('forty cents');
  await page.getByLabel('Credits a month, at most').fill('2000');
  await page.getByRole('button', { name: 'Add and test, free' }).click();
  await page.getByRole('alert').getByText('Write the price of a credit as 0.04 AUD.').waitFor();
  await page.getByLabel('What a credit costs').fill('0.40 AUD');
  await page.getByRole('button', { name: 'Add and test, free' }).click();
  // Its name is the vendor's; the id is the word.
  const line = page.getByRole('list', { name: 'Your accounts' }).getByRole('listitem');
  const card = line.filter({ hasText: 'Surfe' });
  await card.getByText('e-mail addresses, phone numbers').waitFor();
  await card.getByText('0 of 2,000 credits this month').waitFor();
  await card.getByText('A$0.40 · misses free').waitFor();
  await page.getByText('Surfe was added.').waitFor();
  await page.getByRole('searchbox', { name: 'Search vendors' }).fill('surfe');
  await page.locator('label', { hasText: 'Surfe' }).getByText('have it').waitFor();
  expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('');
  expect(kept(served)).toContain(`key: ${KEY}`);
  await card.getByRole('button', { name: 'More for Surfe' }).click();
  await card.getByRole('spinbutton', { name: 'A credit costs' }).fill('0.5');
  await card.getByRole('button', { name: 'Save the price' }).click();
  await card.getByText('A$0.50 · misses free').waitFor();
  await card.getByRole('button', { name: 'More for Surfe' }).click();
  await card.getByLabel('New key').fill('the-next-one');
  await card.getByRole('button', { name: 'Save the key' }).click();
  await card.getByLabel('New key').waitFor({ state: 'detached' });
  expect(kept(served)).toContain('key: the-next-one');
  expect(await page.content()).not.toMatch(/the-next-one|nobody-sees/);
  await card.getByRole('button', { name: 'More for Surfe' }).click();
  await card.getByRole('button', { name: 'Remove Surfe' }).click();
  const asked = page.getByRole('dialog', { name: 'Remove the account Surfe' });
  await asked.getByRole('button', { name: 'Remove Surfe' }).click();
  await card.waitFor({ state: 'detached' });
  expect(kept(served)).not.toContain('surfe');
});

test('one is tried for its price: what was sent, what came back, and what it cost', async () => {
  const desk = await openDesk();
  const served = await servedIn(desk.place.folder, desk.environment());
  const page = await openTab(served, '/accounts');
  const line = page.getByRole('list', { name: 'Your accounts' }).getByRole('listitem');
  const card = line.filter({ hasText: 'data' });
  await card.getByRole('button', { name: 'Test, free' }).click();
  await card.getByText('It answers.').waitFor();
  expect(await desk.requests()).toBe(0);
  await card.getByRole('button', { name: 'More for data' }).click();
  await card.getByLabel('Web domain').fill('list.csv-1.example');
  await card.getByLabel('Never more credits than').fill('0');
  await card.getByRole('button', { name: 'Ask for this one' }).click();
  await card.getByRole('alert').waitFor();
  expect(await desk.requests()).toBe(0);
  await card.getByLabel('Never more credits than').fill('1');
  await card.getByRole('button', { name: 'Ask for this one' }).click();
  await card.getByRole('heading', { name: 'What came back' }).waitFor();
  expect((await desk.place.vendor.book()).credits).toBeLessThanOrEqual(1);
  expect(await desk.requests()).toBe(1);
  await card.getByText('list.csv-1.example').first().waitFor();
  await card.getByText(/^1 (?:of \S+ )?credits? this month$/).waitFor();
});
