/**
 * Goal: accounts can be kept without a text editor; a key is never an argument, never shown and never readable by
 * others; looking whether an account works spends nothing.
 * Method: the real command, typed in this process but for those with pipes, with a configuration folder of its own and real
 * listening sockets.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { openDesk } from './desk.ts';
import type { Ended } from './rowonce.ts';
import { typedAt } from './typed.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rowonce-accounts-'));
});
afterEach(() => rm(folder, { recursive: true }));

const file = (): string => join(folder, 'config', 'accounts.yaml');

/** By which an editor finds what may stand in the file. */
function schemaLine(): string {
  const schema = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'schemas', 'accounts.json');
  return `# yaml-language-server: $schema=${relative(join(folder, 'config'), schema)}\n`;
}

function accounts(
  args: readonly string[],
  more: { stdin?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  const env = { ROWONCE_CONFIG: join(folder, 'config'), ...more.env };
  return typedAt(['accounts', ...args], { ...more, env });
}

const ADD = ['add', '--name', 'data', '--vendor', 'provider', '--base-url', 'https://api.example.com'];

test('add writes what was said into a file that only the user can read', async () => {
  const limits = '--per-second 20 --concurrency 4 --budget-per-day 2000 --price'.split(' ');
  const added = await accounts([...ADD, ...limits, '0.04 AUD', '--key-env', 'DATA_KEY']);
  expect(added).toMatchObject({ code: 0, stdout: `Added account data to ${file()}.\n` });
  expect(await readFile(file(), 'utf8')).toBe(`${schemaLine()}accounts:
  data:
    vendor: provider
    base_url: https://api.example.com
    key_env: DATA_KEY
    price: 0.04 AUD
    limits:
      per_second: 20
      concurrency: 4
    budget:
      per_day: 2000
`);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'config'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(folder, 'config'))).toEqual(['accounts.yaml']);
});

test('the key comes from standard input, and no command ever shows it', async () => {
  const runs = [
    await accounts([...ADD, '--key-stdin'], { stdin: 's3cr3t\n' }),
    await accounts(['list']),
    await accounts(['list', '--json']),
    await accounts(['remove', 'data']),
  ];
  for (const { code, stdout, stderr } of runs) {
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('s3cr3t');
  }
});

test('the list says what each account can be asked for, by its dialect', async () => {
  await accounts([...ADD, '--key-env', 'A']);
  const finder = ['--name', 'finder', '--vendor', 'provider', '--base-url', 'https://api.example.org'];
  await accounts(['add', ...finder, '--dialect', 'hunter', '--key-env', 'B']);
  const { accounts: listed } = JSON.parse((await accounts(['list', '--json'])).stdout);
  const operationsOf = (wanted: string): readonly string[] =>
    listed.find(({ name }: { readonly name: string }) => name === wanted).operations;
  expect(operationsOf('data')).toContain('enrich-company');
  expect(operationsOf('data')).not.toContain('find-email');
  expect(operationsOf('finder')).toEqual(expect.arrayContaining(['find-email', 'check-email']));
  expect(operationsOf('sandbox-service')).toContain('create-project');
});

test('the list says which vendors come with the program, what each can be asked for, and where', async () => {
  type Asked = { readonly name: string; readonly word: string; readonly operations: readonly string[] };
  const files = await readdir(join(import.meta.dirname, '..', '..', 'fixtures', 'dialects'));
  const own = files.map((file) => file.replace('.yaml', '')).toSorted();
  const slots: Readonly<Record<string, string>> = { tomba: 'secret', twilio: 'user' };
  for (const word of own) {
    const secret = slots[word] === undefined ? [] : ['--secret-env', `${slots[word]}=B`];
    await accounts([...ADD.toSpliced(2, 1, word), '--dialect', word, '--key-env', 'A', ...secret]);
  }
  const { vendors, accounts: listed } = JSON.parse((await accounts(['list', '--json'])).stdout);
  expect(vendors.map(({ word }: Asked) => word).toSorted()).toEqual(own);
  for (const { word, operations } of vendors) {
    expect(operations.length, word).toBeGreaterThan(0);
    const account = listed.find(({ name }: Asked) => name === word);
    expect(account.operations, word).toEqual(expect.arrayContaining(operations));
  }
  // As the vendors write them, also where the word of the dialect is another.
  const named = ({ word, name }: Asked): string => `${word}: ${name}`;
  const written = ['hunter: Hunter', 'pdl: People Data Labs', 'fullenrich: FullEnrich', 'snov: Snov.io'];
  expect(vendors.map(named)).toEqual(expect.arrayContaining(written));
  for (const { word, name } of vendors)
    expect(listed.find((account: Asked) => account.name === word).title, word).toBe(name);
  expect((await accounts(['list'])).stdout).toMatch(/^pdl \(provider\)\n +vendor +People Data Labs\n/m);
  expect(vendors).toContainEqual({
    word: 'surfe',
    name: 'Surfe',
    operations: ['find-email', 'find-phone'],
    address: 'https://api.surfe.com',
  });
});

test('what the user wrote into the file stays, comments included, and a linked file stays linked', async () => {
  await accounts([...ADD, '--key-env', 'A']);
  const real = join(folder, 'dotfiles.yaml');
  const own =
    '# mine\naccounts:\n  # the first\n  old:\n    vendor: provider\n    base_url: https://a.example # test\n    key_env: A\n';
  await writeFile(real, own, { mode: 0o600 });
  await rm(file());
  await symlink(real, file());
  expect((await accounts([...ADD, '--key-env', 'DATA_KEY'])).code).toBe(0);
  expect((await readFile(real, 'utf8')).startsWith(own)).toBe(true);
  expect(await readFile(real, 'utf8')).toContain('\n  data:\n');
  expect((await accounts(['remove', 'data'])).code).toBe(0);
  expect(await readFile(real, 'utf8')).toBe(own);
});

const SERVICE = ['--vendor', 'service', '--base-url', 'https://au.example.com', '--key-env', 'K'];
const STEP = ['--connected-account', 'acme-data', '--api-call-url', 'https://au.example.com/latest/call'];
const VIA = ['add', '--name', 'through', '--vendor', 'provider', '--via', 'workspace', ...STEP];

test('a provider that is reached through a service is added without an address and without a key', async () => {
  await accounts(['add', '--name', 'workspace', ...SERVICE, '--organization', 'org-1']);
  const added = await accounts([...VIA, '--exclusive-key', '--per-second', '5']);
  expect(added).toMatchObject({ code: 0, stdout: `Added account through to ${file()}.\n` });
  expect(await readFile(file(), 'utf8')).toContain(`
  through:
    vendor: provider
    via: workspace
    connected_account: acme-data
    api_call_url: https://au.example.com/latest/call
    exclusive_key: true
    limits:
      per_second: 5
`);
  expect((await accounts(['list'])).stdout).toContain(`through (provider)
  address        https://au.example.com/latest/call
  organization   org-1
  via            workspace, as acme-data
  limits         5 per second, 8 at once
  key            environment variable K
`);
  const { accounts: shown } = JSON.parse((await accounts(['list', '--json'])).stdout);
  expect(shown[1]).toMatchObject({ via: 'workspace', connected_account: 'acme-data', dialect: null });
});

test.each<[string, readonly string[], string | RegExp]>([
  [
    'nothing is known and nobody can be asked',
    ['add'],
    '--name is missing.\nGive it with --name, or answer on a terminal.\n',
  ],
  [
    'the key is missing',
    ADD,
    'The key is missing.\nGive it with --key-env NAME or --key-stdin, or answer on a terminal.\n',
  ],
  [
    'plain http',
    ['add', '--name', 'x', '--vendor', 'provider', '--base-url', 'http://api.example.com'],
    '--base-url: the address must begin with https://, because the key is sent to it.\nWrite it as https://api.example.com.\nnpx rowonce accounts add --name x --vendor provider --base-url https://api.example.com\n',
  ],
  [
    'the price is none, of which no line of the file tells, because it was not written',
    [...ADD, '--key-env', 'K', '--price', 'cheap'],
    'accounts.data.price: write the price of a credit as 0.04 AUD.\nCorrect it.\n',
  ],
  [
    'two keys',
    [...ADD, '--key-env', 'A', '--key-stdin'],
    '--key-env and --key-stdin both give a key.\nGive one of them.\n',
  ],
  [
    'the service account is missing',
    VIA,
    'accounts.through.via: there is no account "workspace".\nAdd the service account, with vendor: service.\n',
  ],
  [
    'nobody says what the service calls the account',
    VIA.filter((word) => word !== '--connected-account' && word !== 'acme-data'),
    /^--connected-account is missing\.\n/,
  ],
])('add refuses, and writes nothing, when %s', async (_what, args, stderr) => {
  const refused = await accounts(args);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  if (typeof stderr === 'string') expect(refused.stderr).toBe(stderr);
  else expect(refused.stderr).toMatch(stderr);
  expect(await readdir(folder)).toEqual([]);
});

test('a dialect is found from where it is typed, shown, and read by test; a wrong one is not added', async () => {
  const dialect = join(folder, 'mine.yaml');
  await writeFile(dialect, 'operations: { enrich-compny: { path: /c } }\n');
  const refused = await accounts([...ADD, '--key-env', 'K', '--dialect', dialect]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    `${dialect}:1:15: the provider has no operation "enrich-compny".\nDid you mean enrich-company? Correct it there`,
  );
  expect(await readdir(folder)).toEqual(['mine.yaml']);

  await writeFile(dialect, 'name: acme\noperations: { enrich-company: { path: /c } }\n');
  expect((await accounts([...ADD, '--key-env', 'K', '--dialect', dialect])).code).toBe(0);
  expect((await accounts(['list'])).stdout).toContain(`  dialect        ${dialect}\n`);
  const { accounts: shown } = JSON.parse((await accounts(['list', '--json'])).stdout);
  expect(shown[0]).toMatchObject({ dialect, via: null });

  await writeFile(dialect, 'operations: { enrich-company: { path: c } }\n');
  const tested = await accounts(['test', 'data'], { env: { K: 'abc' } });
  expect(tested.code).toBe(2);
  expect(tested.stderr).toMatch(/operations\.enrich-company\.path: a path must begin with "\/"/);
});

test('a name that is taken is not overwritten', async () => {
  await accounts([...ADD, '--key-env', 'A']);
  const before = await readFile(file(), 'utf8');
  const again = await accounts([...ADD, '--key-env', 'B']);
  expect(again.stderr).toMatch(/^There is already an account data\.\n/);
  expect(await readFile(file(), 'utf8')).toBe(before);
});

test('the name of an account that is there and a key give that account another key, and nothing else', async () => {
  await accounts([...ADD, '--key-stdin', '--price', '0.04 AUD'], { stdin: 'first\n' });
  const changed = await accounts(['add', '--name', 'data', '--key-stdin'], { stdin: 's3cr3t\n' });
  expect(changed).toMatchObject({ code: 0, stdout: 'Account data has a new key.\n' });
  const written = await readFile(file(), 'utf8');
  expect(written).toContain('s3cr3t');
  expect(written).not.toContain('first');
  expect(written).toContain('price: 0.04 AUD');
});

test("list shows each region of the service with its API reference, and an account's by its region alone", async () => {
  await mkdir(join(folder, 'config'));
  const regions = ['AU', 'EU', 'US'].map(
    (region) => `${region}: https://${region.toLowerCase()}.example.com/api/`,
  );
  await writeFile(
    file(),
    `regions: { ${regions.join(', ')} }\naccounts:\n  here: { vendor: service, region: EU, key_env: K }\n`,
    { mode: 0o600 },
  );
  const added = ['add', '--name', 'there', '--vendor', 'service', '--region', 'US', '--key-env', 'K'];
  expect((await accounts(added)).code).toBe(0);
  const { stdout } = await accounts(['list']);
  for (const [title, region] of [
    ['here (service, EU)', 'eu'],
    ['there (service, US)', 'us'],
    ['region AU', 'au'],
    ['region EU', 'eu'],
    ['region US', 'us'],
  ]) {
    expect(stdout).toContain(`${title}
  address        https://${region}.example.com/api/
  documentation  https://${region}.example.com/api/latest/documentation
`);
  }
});

/** A vendor that tells whose key it is, to `good` alone. */
async function openVendor(): Promise<{ readonly url: string; readonly asked: readonly string[] }> {
  const vendor = await ScriptedVendor.start(({ headers }, response) => {
    if (headers.authorization === 'Bearer :shy') response.writeHead(404).end();
    else if (headers.authorization !== 'Bearer :good') response.writeHead(401).end('{"error":"unknown key"}');
    else response.end('{"user_id":"u-1","email":"jo@team.example"}');
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  return {
    url: vendor.url,
    get asked() {
      return vendor.requests.map(({ method, path, headers }) => `${method} ${path} ${headers.authorization}`);
    },
  };
}

test('test of a service tries the key with the question that its dialect names, and with nothing else', async () => {
  const vendor = await openVendor();
  const { url } = vendor;
  const dialect = join(folder, 'mine.yaml');
  await writeFile(dialect, 'whoami: { method: GET, path: /me, user_id: user_id, email: email }\n');
  const service = ['--vendor', 'service', '--base-url', url, '--key-env', 'K'];
  await accounts(['add', '--name', 'workspace', ...service, '--dialect', dialect]);

  const good = await accounts(['test', 'workspace'], { env: { K: 'good' } });
  expect(good.code).toBe(0);
  expect(good.stdout).toContain('workspace: the key works; it belongs to u-1, jo@team.example.\n');
  expect(good.stdout).toContain(`workspace: its API reference is at ${url}/latest/documentation.\n`);
  expect(vendor.asked).toEqual(['GET /me Bearer :good']);

  const json = JSON.parse((await accounts(['test', '--json'], { env: { K: 'good' } })).stdout);
  expect(json.accounts).toMatchObject([
    { key_tried: true, user: { user_id: 'u-1', email: 'jo@team.example' } },
  ]);
  const dead = await accounts(['test'], { env: { K: 'bad' } });
  expect(dead.code).toBe(77);
  expect(dead.stderr).toMatch(
    /^The service refused the key: status 401, "unknown key", read by the table: the status is 401\.\n/m,
  );
  const shy = await accounts(['test'], { env: { K: 'shy' } });
  expect(shy.code).toBe(0);
  expect(shy.stdout).toContain(
    'the vendor does not name the owner of the key (status 404), so the key itself was not tried',
  );
});

test('test notices a missing key, a name that does not resolve, and that nobody listens', async () => {
  await accounts([...ADD.slice(0, -1), 'https://nowhere.invalid', '--key-env', 'K']);
  expect((await accounts(['test', 'data'])).stderr).toMatch(/environment variable K is not set\.\n/);
  const unresolved = await accounts(['test', 'data'], { env: { K: 'abc' } });
  expect(unresolved.code).toBe(2);
  expect(unresolved.stderr).toMatch(/cannot be reached: .*nowhere\.invalid/);
  await writeFile(
    file(),
    (await readFile(file(), 'utf8')).replace('https://nowhere.invalid', 'http://127.0.0.1:1'),
  );
  const gone = await accounts(['test', '--json'], { env: { K: 'abc' } });
  expect(JSON.parse(gone.stdout).stopped).toMatchObject({
    code: 'address',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('an account that is there gets another budget or price, which holds from then on; nothing else of it changes', async () => {
  const desk = await openDesk({ account: { budget: { per_month: 100 } } });
  const before = await desk.read('config/accounts.yaml');
  const changed = await desk.type(['accounts', 'add', '--name', 'data', '--budget-per-month', '3']);
  expect(changed).toMatchObject({ code: 0, stdout: 'Account data has a new budget.\n' });
  const [one, other] = [before, await desk.read('config/accounts.yaml')].map(
    (text) => parse(text).accounts.data,
  );
  expect(other).toEqual({ ...one, budget: { per_month: 3 } });
  desk.list(5);
  expect((await desk.type(desk.run())).code).toBe(4);
  expect(await desk.requests()).toBe(3);
  const more = ['accounts', 'add', '--name', 'data', '--budget-per-month', '9'];
  expect((await desk.type([...more, '--id', 'another'])).code).toBe(2);
  expect(parse(await desk.read('config/accounts.yaml')).accounts.data).toEqual(other);
  const priced = await desk.type([...more, '--price', '1 AUD']);
  expect(priced).toMatchObject({ code: 0, stdout: 'Account data has a new budget and a new price.\n' });
  const terms = { budget: { per_month: 9 }, price: '1 AUD' };
  expect(parse(await desk.read('config/accounts.yaml')).accounts.data).toEqual({ ...one, ...terms });
});
