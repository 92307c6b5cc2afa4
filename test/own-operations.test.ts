/**
 * Goal: a program's own operation and its own dialect are kept, paid for, judged and resumed as built-in ones are, and none
 * ever gets an answer that was bought for another one.
 * Method: the library's own entry in this process, with a real ledger; a vendor of the test that says what it was sent, and the sandbox.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as rowonce from '../src/index.ts';
import {
  defineDialect,
  defineOperation,
  type EnrichInput,
  enrich,
  type OwnOperation,
  plan,
  run,
} from '../src/index.ts';
import { type Desk, openDesk } from './cli/desk.ts';
import { ScriptedVendor } from './faults/scripted-vendor.ts';

const VERIFY: OwnOperation = {
  name: 'verify-email',
  version: 1,
  summary: 'Ask whether an e-mail address takes mail.',
  inputs: [{ name: 'email', about: 'one e-mail address', aliases: ['email'], required: true }],
  request: { method: 'POST', path: '/verify/email', credits: { most: 2, found: 2 } },
  prepare({ email = '' }) {
    const address = email.trim().toLowerCase();
    return address.includes('@') ? { parameters: { email: address } } : { invalid: 'e-mail: no address' };
  },
};

const ROWS = [{ email: 'Jo@a.example' }, { email: 'none' }, { email: 'jo@a.example ' }];

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const read: Row[] = [];
  for await (const row of rows) read.push(row);
  return read;
}

async function deskOf(
  body = '{"takes_mail":true}',
): Promise<{ desk: Desk; vendor: ScriptedVendor; options: EnrichInput }> {
  const desk = (await openDesk()).here();
  const vendor = await ScriptedVendor.start((_, response) => response.end(body));
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  desk.place.writeAccount(vendor.url);
  const options = {
    job: 'verify-email',
    store: desk.place.path('store'),
    budget: 9,
  };
  return { desk, vendor, options };
}

test('an own operation asks by its own rules, buys nothing twice, and another version or name asks anew', async () => {
  const { vendor, options } = await deskOf();
  const counted = async (own: OwnOperation) =>
    (await enrich(ROWS, { ...options, job: own.name }, { operations: [own] }).summary()).counts;

  const rows = await all(enrich(ROWS, options, { operations: [defineOperation(VERIFY)] }));
  expect(rows.map(({ status, reason, cells, credits: paid }) => [status, reason, cells, paid])).toEqual([
    ['matched', undefined, { takes_mail: true }, 2],
    ['invalid', 'e-mail: no address', {}, 0],
    ['matched', undefined, { takes_mail: true }, 0],
  ]);
  expect(vendor.requests.map(({ method, path, body }) => [method, path, String(body)])).toEqual([
    ['POST', '/verify/email', '{"email":"jo@a.example"}'],
  ]);
  expect(await counted(VERIFY)).toEqual({ matched: 2, invalid: 1 });
  expect(vendor.requests).toHaveLength(1);
  await counted({ ...VERIFY, version: 2 });
  await counted({ ...VERIFY, name: 'verify-mailbox' });
  expect(vendor.requests).toHaveLength(3);
  // What the version before bought is still known.
  expect(await counted(VERIFY)).toEqual({ matched: 2, invalid: 1 });
  expect(vendor.requests).toHaveLength(3);
});

test('a job file may name it, a plan and a try know it, and its output is written again without it', async () => {
  const { desk, vendor, options } = await deskOf();
  await desk.write('list.csv', 'E-Mail,Note\njo@a.example,x\nal@b.example,y\n');
  await desk.write(
    'verify.yaml',
    'operation: verify-email\ncolumns: { email: E-Mail }\nadd: { ok: takes_mail }\n',
  );
  const { store, budget } = options;
  const output = desk.place.path('out.csv');
  const list = { job: desk.place.path('verify.yaml'), file: desk.place.path('list.csv'), store };
  const operations = [VERIFY];

  await expect(run({ ...list, budget, output })).rejects.toMatchObject({
    code: 'job',
    message: expect.stringContaining('verify.yaml:1:12: there is no operation "verify-email"'),
  });
  expect(await plan(list, { operations })).toMatchObject({ to_buy: 2, credits: { most: 4 } });
  const { batch } = await run({ ...list, budget, output }, { operations });
  const written = await desk.read('out.csv');
  expect(written).toMatch(/^E-Mail,Note,ok,.*\njo@a\.example,x,true,matched,,email,,2,bought,/);
  expect((await rowonce.export({ batch, store, output: desk.place.path('again.csv') })).output).toMatch(
    /again\.csv$/,
  );
  expect(await desk.read('again.csv')).toBe(written);
  const tried = await rowonce.try(
    { job: 'verify-email@1', given: { email: 'al@b.example' }, store },
    { operations },
  );
  const other = rowonce.try(
    { job: 'verify-email@2', given: { email: 'al@b.example' }, store },
    { operations },
  );
  await expect(other).rejects.toThrow('"verify-email@2" is neither an operation nor a job file.');
  expect([tried.source, tried.fields, vendor.requests.length]).toEqual(['ledger', ['takes_mail'], 2]);
});

test.each([
  [{ name: 'enrich-company' }, /^There are two operations "enrich-company"\.$/],
  [{ version: 0 }, /^The operation verify-email \(version\): version is 0\.$/],
  [{ request: { ...VERIFY.request, path: 'verify' } }, /request\.path.*must begin with "\/"/],
  [{ inputs: [] }, /inputs is empty/],
])('what is wrong with an operation is said before anything is sent: %o', async (wrong, message) => {
  const { vendor, options } = await deskOf();
  const own = { ...VERIFY, ...wrong } as OwnOperation;
  await expect(
    enrich(ROWS, { ...options, job: own.name }, { operations: [own] }).summary(),
  ).rejects.toMatchObject({ code: 'job', message: expect.stringMatching(message) });
  expect(vendor.requests).toEqual([]);
});

test('a row for which its code fails, or makes nothing that can be sent, is invalid', async () => {
  const { vendor, options } = await deskOf();
  const made: Record<string, () => unknown> = {
    throws: () => {
      throw new Error('no such table');
    },
    nothing: () => undefined,
    blank: () => ({ parameters: {} }),
    elsewhere: () => ({ parameters: { email: 'x', id: '' } }),
  };
  const request = { ...VERIFY.request, path: '/verify/{id}' } as const;
  const own = { ...VERIFY, request, prepare: ({ email = '' }) => made[email]?.() } as OwnOperation;
  const rows = Object.keys(made).map((email) => ({ email }));
  const ended = await all(enrich(rows, options, { operations: [own] }));
  expect(ended.map(({ status, reason }) => `${status}: ${reason}`)).toEqual([
    'invalid: verify-email failed: no such table',
    'invalid: verify-email made no parameters from this row',
    'invalid: id: blank, and the path needs it',
    'invalid: id: blank, and the path needs it',
  ]);
  expect(vendor.requests).toEqual([]);
});

test('an own dialect stands in the place of the file of the account, and is checked as that', async () => {
  const { desk, vendor, options } = await deskOf();
  await desk.write('config/broken.yaml', 'operations: 7');
  desk.place.writeAccount(vendor.url, { dialect: 'broken.yaml' });
  const own = defineDialect({
    name: 'mine',
    vendor: 'provider',
    operations: {
      'enrich-person': { path: '/people', fields: { email: 'mail' }, credits: { found: 1, exact: true } },
    },
    answers: [{ status: [200], means: 'no_match', charged: true }],
  });
  const run = enrich([{ email: 'jo@a.example' }], { ...options, job: 'enrich-person' }, { dialects: [own] });
  expect(await run.summary()).toMatchObject({ counts: { no_match: 1 }, credits: { spent: 1 } });
  expect(vendor.requests.map(({ path, body }) => [path, String(body)])).toEqual([
    ['/people', '{"mail":"jo@a.example"}'],
  ]);

  const wrong = defineDialect({ ...own, fields_att: 'x' } as never);
  await expect(
    enrich([{ email: 'x@a.example' }], { ...options, job: 'enrich-person' }, { dialects: [wrong] }).summary(),
  ).rejects.toThrow('The dialect mine (fields_att): "fields_att" is not known here.');
  const twice = enrich(
    [{ email: 'x@a.example' }],
    { ...options, job: 'enrich-person' },
    { dialects: [own, own] },
  );
  await expect(twice.summary()).rejects.toThrow('Two dialects are for the same vendor.');
});

test('an answer that names a forgotten person is erased whole, because nobody else knows what it holds', async () => {
  const owners = [{ email: 'jo@a.example' }, { email: 'al@a.example' }];
  const { options } = await deskOf(JSON.stringify({ owners, first_was_born: '1970-02-01' }));
  const own: OwnOperation = {
    ...VERIFY,
    name: 'owners-of',
    inputs: [{ name: 'domain', about: 'a domain', aliases: ['domain'] }],
    prepare: ({ domain = '' }) => ({ parameters: { domain } }),
  };
  const { store = '' } = options;
  const asked = { ...options, job: 'owners-of' };
  await enrich([{ domain: 'a.example' }], asked, { operations: [own] }).summary();
  const { stores } = await rowonce.forget({ person: 'jo@a.example', store, yes: true });
  expect(stores).toMatchObject([{ requests: 1, cut: 0 }]);
  const files = await readdir(store, { withFileTypes: true, recursive: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  expect((await Promise.all(texts)).join()).not.toContain('1970-02-01');
});
