/**
 * Goal: a vendor that wants more than a key is asked with what the user's own accounts file fills in, and what was filled in stands
 * nowhere else, whatever the vendor hands back. A slow operation has the time that its dialect says.
 * Method: the real command, an account that is not play money, and a vendor on a real socket that hands every header back.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Desk, deskBefore } from './desk.ts';

const KEY = 'key_7f9c-4b21-aa08';
const USER = 'user_Q3x~81/ZZ+0';
const TENANT = 'tenant_55d1-9e02';

const DIALECT = {
  auth: { basic: ['user', 'key'] },
  headers: { 'x-tenant': 'of {tenant}' },
  operations: { 'enrich-company': { method: 'GET', path: '/company' } },
};

const basic = (name: string, word: string): string => `Basic ${btoa(`${name}:${word}`)}`;

/** Every file of the desk but the accounts file, in which the user wrote them, and what was shown. */
function tracesIn({ place }: Desk, said: string): readonly string[] {
  const traces = [KEY, USER, TENANT].flatMap((each) => [
    each,
    encodeURIComponent(each),
    btoa(each).slice(0, -4),
  ]);
  const files = readdirSync(place.folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name !== 'accounts.yaml')
    .map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'));
  expect(files.length).toBeGreaterThan(2);
  return traces.filter((trace) => [said, ...files].some((text) => text.includes(trace)));
}

test('slots are filled by the accounts file from a variable, a program or as they stand, and stand nowhere else', async () => {
  const { desk, asked, speak } = await deskBefore(
    ({ headers, input }) =>
      input.domain === 'bad.example'
        ? new Response(JSON.stringify({ error: `no right for ${JSON.stringify(headers)}` }), { status: 422 })
        : { name: `Acme ${USER}`, echoed: headers, also: [KEY, TENANT, btoa(`${USER}:${KEY}`)] },
    {
      key: KEY,
      secrets: {
        user: { env: 'VENDOR_USER' },
        tenant: { command: ['node', '-e', `console.log('${TENANT}')`] },
      },
    },
  );
  speak({ ...DIALECT, idempotency: { header: 'idempotency-key', valid_for: '24h' } });
  const env = { VENDOR_USER: USER };
  await desk.write('list.csv', 'Domain\na.example\nbad.example\n');
  let said = '';
  const type = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await desk.type(words, { env });
    said += `${stdout}${stderr}`;
    return code;
  };
  expect(await type('try', 'enrich-company', 'domain=c.example', '--account', 'data', '--yes')).toBe(0);
  expect(said).toMatch(/authorization: Basic \[user\]:\[key\]/i);
  expect(said).toContain('of [tenant]');
  expect(await type(...desk.run())).toBe(3);
  await type('accounts', 'list', '--json');
  await type('status', 'last', '3', '--json');
  await type('settle', 'last');
  await type('log');
  expect(asked.map(({ headers }) => [headers.authorization, headers['x-tenant']])).toEqual(
    asked.map(() => [basic(USER, KEY), `of ${TENANT}`]),
  );
  expect(asked).toHaveLength(3);
  expect(desk.place.statuses()).toEqual(['matched', 'refused']);
  expect(await desk.read('out.csv')).toContain('[redacted]');
  expect(tracesIn(desk, said)).toEqual([]);

  // Another secret is no other question.
  const again = { env: { VENDOR_USER: 'user_of-somebody-else' } };
  expect((await desk.type(desk.run(), again)).code).toBe(3);
  expect(
    await desk.type(['try', 'enrich-company', 'domain=a.example', '--account', 'data'], again),
  ).toMatchObject({
    code: 0,
  });
  expect(asked.filter(({ input }) => input.domain !== 'bad.example')).toHaveLength(2);
});

test.each([
  [
    undefined,
    'The dialect ours has a slot {user}, and the account data has no such secret. ' +
      'Add secrets: { user: { env: NAME } } to the account, with the variable that holds it.',
  ],
  [
    { user: { env: 'NOT_SET' }, tenant: { value: TENANT } },
    'The secret user of the account data is missing: the environment variable NOT_SET is not set.',
  ],
  [
    { user: { value: 'two words' }, tenant: { value: TENANT } },
    'The secret user of the account data contains a space, a line break or a character that is not ASCII.',
  ],
  [
    { user: { command: 'false' }, tenant: { value: TENANT } },
    'The secret user of the account data is missing: the program of secrets.user.command ended with 1.',
  ],
  [{ user: { value: 'a', env: 'B' } }, 'accounts.data.secrets.user: write a value, an env or a command'],
  [{ key: { value: 'a' } }, 'a secret has a name of small letters, digits and "_", and another than `key`'],
])(
  'without what a slot needs nothing is sent, and the stop says what to write: %j',
  async (secrets, says) => {
    const { desk, asked, speak } = await deskBefore(() => ({ name: 'Acme' }), { key: KEY, secrets });
    speak(DIALECT);
    desk.list(1);
    const { code, stderr } = await desk.type(desk.run());
    expect(stderr.replaceAll('\n', ' ')).toContain(says);
    expect([code, asked.length]).toEqual([2, 0]);
  },
);

test('accounts add takes the variables of the slots, and says which is missing', async () => {
  const { desk, asked, speak } = await deskBefore(() => ({ name: 'Acme' }));
  speak(DIALECT);
  const base = await addressOf(desk);
  desk.place.writeAccounts({});
  const add = [
    'accounts',
    'add',
    '--name',
    'new',
    '--vendor',
    'provider',
    '--base-url',
    base,
    '--key-env',
    'K',
  ];
  const named = [
    ...add,
    '--dialect',
    desk.place.path('config/ours.yaml'),
    '--secret-env',
    'user=VENDOR_USER',
  ];
  const lacking = await desk.type(named);
  expect([lacking.code, lacking.stderr]).toEqual([
    2,
    expect.stringContaining('Give it with --secret-env tenant=VARIABLE'),
  ]);
  expect((await desk.type([...named, '--secret-env', 'tenant=VENDOR_TENANT'])).code).toBe(0);
  const env = { K: KEY, VENDOR_USER: USER, VENDOR_TENANT: TENANT };
  const { stdout } = await desk.type(['accounts', 'list']);
  expect(stdout).toContain('environment variable VENDOR_TENANT');
  await desk.type(['try', 'enrich-company', 'domain=a.example', '--account', 'new', '--yes'], { env });
  expect(asked.map(({ headers }) => headers.authorization)).toEqual([basic(USER, KEY)]);
});

test('an operation has the time that its dialect says, whatever the account has for the others', async () => {
  const never = new Promise<object>(() => {});
  const soon = async (): Promise<object> => {
    // As long as the account waits for an answer, and a little more.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    return { name: 'Acme' };
  };
  const at = await deskBefore(soon, { limits: { timeout: '1s', concurrency: 1 } });
  const { desk, speak } = at;
  const ask = (domain: string) =>
    desk.json(['try', 'enrich-company', `domain=${domain}`, '--account', 'data', '--yes']);
  expect(await ask('a.example')).toMatchObject({ answer: 'in_doubt' });
  speak({ operations: { 'enrich-company': { timeout: '1m' } } });
  expect(await ask('b.example')).toMatchObject({ answer: 'found', charged: 1 });

  at.answer = () => never;
  desk.place.writeAccount(await addressOf(desk), { dialect: 'ours.yaml' });
  speak({ operations: { 'enrich-company': { timeout: '1s' } } });
  expect(await ask('c.example')).toMatchObject({ answer: 'in_doubt' });
  expect((await desk.type(['status', 'last', '2'])).stdout).toContain('the timeout of 1 s passed');
});

async function addressOf(desk: Desk): Promise<string> {
  return JSON.parse(await desk.read('config/accounts.yaml')).accounts.data.base_url;
}
