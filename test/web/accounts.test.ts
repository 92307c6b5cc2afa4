/**
 * Goal: accounts are kept from the page; a key goes in once and never comes out, and the page can name neither a program nor
 * a file of this machine.
 * Method: raw requests to a real `rowonce serve`; the accounts file judges.
 */
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PLAYED_VENDORS } from '../../src/core/played-vendors.ts';
import type { AccountList } from '../../src/web/api.ts';
import { type Answer, Served } from './served.ts';

let served: Served;
beforeAll(async () => {
  served = await Served.start();
});
afterAll(() => served[Symbol.asyncDispose]());

const KEY = 'a-key-that-nobody-sees';
const DATA = { name: 'data', vendor: 'provider', base_url: 'https://api.example.com', key: KEY };

const file = (): string => readFileSync(join(served.folder, 'config', 'accounts.yaml'), 'utf8');

function ask(method: string, path: string, body?: object): Promise<Answer> {
  return served.tool(`/api/accounts${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

test('before the first account there are the built-in ones, which cannot be changed', async () => {
  const { status, body } = await ask('GET', '');
  expect(status).toBe(200);
  const { accounts } = JSON.parse(body) as AccountList;
  expect(accounts.map(({ name, sandbox }) => [name, sandbox])).toEqual([
    ['sandbox-provider', true],
    ['sandbox-service', true],
    ...PLAYED_VENDORS.map((vendor) => [`sandbox-${vendor}`, true]),
  ]);
  expect((await ask('DELETE', '/sandbox-provider')).status).toBe(400);
});

test('an account is added; its key is in the file and in no answer', async () => {
  const added = await ask('POST', '', DATA);
  const listed = await ask('GET', '');
  for (const answer of [added, listed]) {
    expect(answer.status).toBe(200);
    expect(answer.body).not.toContain(KEY);
  }
  expect((JSON.parse(listed.body) as AccountList).accounts[0]).toMatchObject({
    name: 'data',
    address: 'https://api.example.com/',
    key: 'in the accounts file',
    today: { spent: 0, in_doubt: 0 },
  });
  expect(file()).toContain(`key: ${KEY}`);
});

test.for([
  [{ key_command: 'cat /etc/passwd' }],
  [{ dialect: '/etc/passwd' }],
  [{ key_env: 'HOME' }],
  [{ via: 'data', connected_account: 'x', api_call_url: 'https://evil.example' }],
])('%j can be set in the file alone', async ([more]) => {
  const before = file();
  expect((await ask('POST', '', { ...DATA, name: 'other', ...more })).status).toBe(400);
  expect(file()).toBe(before);
});

test('no value becomes a flag of the command', async () => {
  const before = file();
  expect((await ask('POST', '', { ...DATA, name: '--key-env' })).status).toBe(400);
  const sly = { ...DATA, name: 'sly', vendor: 'service', organization: '--dialect=/etc/passwd' };
  expect((await ask('POST', '', sly)).status).toBe(200);
  expect(file()).toContain('organization_id: --dialect=/etc/passwd');
  expect((await ask('DELETE', '/sly')).status).toBe(200);
  expect(file()).toBe(before);
  expect((await ask('DELETE', '/--help')).status).toBe(404);
});

test('a file that others can read is refused in words', async () => {
  const path = join(served.folder, 'config', 'accounts.yaml');
  chmodSync(path, 0o644);
  const answer = await ask('GET', '');
  chmodSync(path, 0o600);
  expect([answer.status, JSON.parse(answer.body).error.next]).toEqual([
    400,
    expect.stringMatching(/^Run chmod 600 /),
  ]);
});
