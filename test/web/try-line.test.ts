/**
 * Goal: a vendor that nobody has described is added from the page: a line of curl, the key in its own field, two answers with
 * what was found in them, and one click. The key is in no answer, no argument and no file but that of the accounts.
 * Method: a real `rowonce serve` and a real Chromium, before a vendor on a real socket.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { ask, servedIn, useBrowser } from './scene.ts';

const openTab = useBrowser();

const KEY = 'key-that-nobody-sees';

test('she pastes a line, sees both answers with what was found, and says that it is right', async () => {
  const vendor = await ScriptedVendor.start(({ body }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: body.includes('"Mia"') ? { email: 'mia.tran@acme.com.au' } : null }));
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  const served = await servedIn();
  const page = await openTab(served, '/accounts');
  await page.getByRole('link', { name: 'Another vendor: try it with two rows' }).click();
  await page
    .getByLabel('A line of curl')
    .fill(
      `curl ${vendor.url}/find \\\n -H 'x-key: YOUR_KEY' --json '{"first_name":"Mia","last_name":"Tran","domain":"acme.com.au"}'`,
    );
  await page.getByLabel('Your name for it').fill('acme');
  await page.getByLabel('Key', { exact: true }).fill(KEY);
  await page.getByRole('button', { name: 'Ask for both' }).click();
  const read = page.getByRole('region', { name: 'What is read in them' }).getByRole('listitem');
  await read.filter({ hasText: 'mia.tran@acme.com.au' }).getByText('at data.email').waitFor();
  expect(await page.locator('mark').allTextContents()).toEqual(['mia.tran@acme.com.au']);
  expect(vendor.requests.map(({ headers }) => headers['x-key'])).toEqual([KEY, KEY]);
  await page.getByRole('button', { name: 'This is right' }).click();
  await page.waitForURL('**/accounts');
  await page.getByRole('list', { name: 'Your accounts' }).getByText('acme').waitFor();
  const kept = join(served.folder, 'config');
  expect(existsSync(join(kept, 'acme.yaml'))).toBe(true);
  expect(readFileSync(join(kept, 'accounts.yaml'), 'utf8')).toContain(`key: ${KEY}`);
  expect(readFileSync(join(kept, 'acme.yaml'), 'utf8')).not.toContain(KEY);
  expect(vendor.requests).toHaveLength(2);
  expect(JSON.stringify(await ask(served, 'GET', '/tasks'))).not.toContain(KEY);
  await page.goto(served.url);
  await page.getByRole('link', { name: 'A trial', exact: true }).nth(1).waitFor();
});
