/**
 * Goal: a wrong accounts file never reaches a vendor, a key is never shown, and what an account is does not depend on
 * what it is called.
 * Method: real files with real modes in a temporary folder; real programs for `key_command`.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Account,
  type Accounts,
  chooseAccount,
  identityOf,
  loadAccounts,
  resolveKey,
} from '../../../src/client/account/account.ts';
import { describeKey } from '../../../src/client/account/account-key.ts';
import { temporaryFolder } from '../../ledger/stores/places.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const path = (): string => join(folder, 'accounts.yaml');

async function load(text: string, mode = 0o600): Promise<Accounts> {
  await writeFile(path(), text, { mode });
  await chmod(path(), mode);
  return loadAccounts(path());
}

async function loadOne(lines: string): Promise<Account> {
  const { configured } = await load(`accounts:\n  data: { ${lines} }\n`);
  const [account] = configured;
  if (account === undefined) throw new Error('no account was read');
  return account;
}

const PROVIDER = 'vendor: provider, base_url: https://api.example.com';

describe('what is refused', () => {
  const SPACE = '\n  space: { vendor: service, base_url: https://s.example, key: a }';
  const VIA = 'via: space, connected_account: acme, api_call_url: "https://s.example/call"';
  const via = (text: string): string => `data: { vendor: provider, ${text} }${SPACE}`;

  test.each<[lines: string, fact: RegExp, next?: string]>([
    [
      `data: { ${PROVIDER} }`,
      /accounts\.data: the key is missing$/,
      'Add key_env: with the name of an environment variable.',
    ],
    [`data: { ${PROVIDER}, key: a, key_env: B }`, /key and key_env both give a key$/, 'Keep one of them.'],
    [
      'data: { vendor: provider, base_url: api, key: a }',
      /this is not an address$/,
      'Write it as https://api.example.com.',
    ],
    [
      'data: { vendor: provider, base_url: "https://u:s3cr3t@api.example.com", key: a }',
      /must not contain a user name or a password$/,
      'Use key_env for the key.',
    ],
    [
      `data: { ${PROVIDER}, key: a, organization_id: o }`,
      /"organization_id" is not known here$/,
      'Use one of these: id, dialect, key_env, key_command, secrets, limits, budget, exclusive_key, retention, price, via, connected_account, api_call_url.',
    ],
    ['data: { vendor: servce, key: a }', /vendor cannot be "servce"$/, 'Did you mean service?'],
    [`data: { ${PROVIDER}, key: a, limits: { per_second: 0 } }`, /per_second is 0$/, 'Write at least 1.'],
    ...['500ms', '2h', 'soon'].map((timeout): [string, RegExp] => [
      `data: { ${PROVIDER}, key: a, limits: { timeout: ${timeout} } }`,
      /write a timeout as 30s or 2m, from 1s to 1h/,
    ]),
    [`data: { ${PROVIDER}, key_command: "pass s3cr3t | head -1" }`, /runs without a shell/],
    [
      via(VIA.replace('space', 'data')),
      /accounts\.data\.via: account data is not an account of the service$/,
      'Use one of these: space.',
    ],
    [
      via('via: space, connected_account: acme'),
      /accounts\.data: api_call_url is missing beside via$/,
      'Add a line that begins with api_call_url:.',
    ],
    [
      via(VIA.replace('https:', 'http:')),
      /accounts\.data\.api_call_url: the address must begin with https/,
      'Write it as https://s.example/call.',
    ],
  ])('%s: %o', async (lines, fact, next = 'Correct it.') => {
    const error = await load(`accounts:\n  ${lines}\n`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'account', exitCode: 2, message: expect.stringMatching(fact), next });
    expect(String(error)).not.toContain('s3cr3t');
    expect(String(error)).toContain(`${path()}:2:`);
  });

  test.each([
    [
      '{ webhook: "https://me:s3cr3t@hooks.example/T0" }',
      'a.webhook: it must not contain a user name or a password',
    ],
    ['{ webhook: "http://hooks.example/T0" }', 'a.webhook: a webhook begins with https://'],
    ['{ command: "tell | all" }', 'it runs without a shell'],
    ['{}', 'a: write a webhook or a command'],
  ])('a receiver of notices %s', async (receiver, fact) => {
    const error = await load(`notify: { a: ${receiver} }\n`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'account', message: expect.stringContaining(fact) });
    expect(String(error)).not.toContain('s3cr3t');
  });

  test('a plain address is taken where it stays on this machine, and not where it only looks like that', async () => {
    const at = (address: string) => loadOne(`vendor: provider, key: a, base_url: "${address}"`);
    for (const address of ['http://127.0.0.1:4810', 'http://localhost:1', 'http://[::1]:1'])
      expect((await at(address)).baseUrl?.href).toBe(`${address}/`);
    for (const address of ['http://127.evil.example', 'http://localhost.evil.example'])
      await expect(at(address)).rejects.toMatchObject({ code: 'account' });
  });
});

describe('identity: what was bought is found again by it, so these lines never change', () => {
  test.each([
    [
      { vendor: 'provider', baseUrl: 'https://api.example.com/v1' },
      '["provider","https://api.example.com",null,null]',
    ],
    [
      { vendor: 'service', baseUrl: 'https://au.example.com', organizationId: 'org-1' },
      '["service","https://au.example.com","org-1",null]',
    ],
    [{ vendor: 'provider', baseUrl: 'http://127.0.0.1:4810', id: 'acme' }, '["id","acme"]'],
    [
      { vendor: 'provider', baseUrl: 'https://au.example.com/latest/call', connectedAccount: 'acme-data' },
      '["provider","https://au.example.com",null,"acme-data"]',
    ],
    [
      {
        vendor: 'provider',
        baseUrl: 'https://au.example.com/latest/call',
        organizationId: 'org-1',
        connectedAccount: 'acme-data',
      },
      '["provider","https://au.example.com","org-1","acme-data"]',
    ],
  ] as const)('%j', ({ baseUrl, ...parts }, identity) => {
    const id = 'id' in parts ? parts.id : undefined;
    expect(identityOf('data', id, { ...parts, baseUrl: new URL(baseUrl) }).identity).toBe(identity);
  });

  test('renaming changes nothing, another address does', async () => {
    const accounts = `accounts:
  first: { ${PROVIDER}, key: a }
  renamed: { ${PROVIDER}, key: b }
  elsewhere: { vendor: provider, base_url: https://test.example.com, key: a }
`;
    const [first, renamed, elsewhere] = (await load(accounts)).configured;
    expect(renamed?.identity).toBe(first?.identity);
    expect(elsewhere?.identity).not.toBe(first?.identity);
  });
});

test('a choice without a name and without accounts: how to add one, and how to try it for nothing', () => {
  expect(() => chooseAccount({ path: path(), configured: [] }, 'provider')).toThrow(
    expect.objectContaining({
      code: 'account',
      next: 'Try it for free with --account sandbox-provider, or see how one is added.',
      nextCommand: 'npx rowonce accounts add --help',
    }),
  );
});

describe('the key', () => {
  test('the key from the file; and the account can be printed without showing it', async () => {
    const account = await loadOne(`${PROVIDER}, key: s3cr3t`);
    expect(await resolveKey(account)).toBe('s3cr3t');
    expect(`${inspect(account, { depth: 9 })} ${JSON.stringify(account)}`).not.toContain('s3cr3t');
  });

  test('the key from a program whose path, and what it reads, are meant from the folder of the accounts file', async () => {
    const account = await loadOne(`${PROVIDER}, key_command: [./bin/print-key, key.txt]`);
    const folder = account.key.kind === 'command' ? account.key.folder : '';
    await mkdir(join(folder, 'bin'), { recursive: true });
    await writeFile(join(folder, 'key.txt'), 's3cr3t\n');
    await writeFile(join(folder, 'bin/print-key'), '#!/bin/sh\ncat "$1"\n', { mode: 0o755 });
    expect(folder).not.toBe(process.cwd());
    expect(await resolveKey(account)).toBe('s3cr3t');
  });

  test('the key from a program that fails or does not exist: a stop that names it', async () => {
    const failing = await loadOne(
      `${PROVIDER}, key_command: ${JSON.stringify([process.execPath, '-e', 'process.exit(7)'])}`,
    );
    await expect(resolveKey(failing)).rejects.toMatchObject({
      code: 'account',
      message: expect.stringMatching(/ended with 7\.$/),
    });
    const absent = await loadOne(`${PROVIDER}, key_command: no-such-program show it`);
    await expect(resolveKey(absent)).rejects.toMatchObject({
      code: 'account',
      message: expect.stringMatching(/the program of key_command cannot be started \(ENOENT\)\.$/),
    });
  });

  test('the key is not shown where somebody has put it in the place of a name', async () => {
    for (const key of ['sk_live_9fQxZt0', 'AKIAIOSFODNN7EXAMPLE', 'B2C4D6F8A1']) {
      for (const place of [`key_env: ${key}`, `key_command: ${key}`, `key_command: [${key}, show]`]) {
        const account = await loadOne(`${PROVIDER}, ${place}`);
        expect(describeKey(account.key)).not.toContain(key);
        await expect(resolveKey(account, {})).rejects.toMatchObject({
          message: expect.not.stringContaining(key),
          next: expect.not.stringContaining(key),
        });
      }
    }
    const { key } = await loadOne(`${PROVIDER}, key_env: DATA_KEY2`);
    expect(describeKey(key)).toBe('environment variable DATA_KEY2');
  });

  test('the key is not quoted from a wrong line of the accounts file', async () => {
    const key = 'sk_live_9fQxZt0aaaabbbbccccdddd';
    for (const line of [
      `data: { vendor: ${key} }`,
      `data: { ${PROVIDER}, ${key}: 1 }`,
      `data: { ${PROVIDER}, key: ${key}, key_env: [${key}] }`,
      `data: { ${PROVIDER}, key: "${key} }`,
      `data: { ${PROVIDER}, key: [${key}] }`,
      `data: { ${PROVIDER}, key: *${key} }`,
      `data: { ${PROVIDER}, key: !${key} x }`,
    ]) {
      const error = await load(`accounts:\n  ${line}\n`).catch((thrown: unknown) => thrown);
      expect(error, line).toMatchObject({
        code: 'account',
        message: expect.not.stringContaining(key),
        next: expect.not.stringContaining(key),
      });
    }
  });
});
