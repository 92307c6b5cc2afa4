/**
 * Goal: a dialect can be tried for the price of one call. Nothing leaves before somebody agreed, what leaves and how its
 * answer is read is shown, and it is a batch like any other: known answers are not bought, a lost one is in doubt.
 * Method: the real command, typed in this process, over vendors that keep their own log.
 */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { type Script, ScriptedVendor } from '../faults/scripted-vendor.ts';
import { Workplace } from '../faults/workplace.ts';
import { deskBefore, type JsonResult, objectIn } from './desk.ts';
import { typed } from './typed.ts';

let place: Workplace;
beforeAll(async () => {
  place = await Workplace.open({ concurrency: 1 });
  vi.stubEnv('ROWONCE_CONFIG', place.path('config'));
  vi.stubEnv('ROWONCE_STORE', place.path('store'));
});
afterAll(() => place[Symbol.asyncDispose]());

async function json(...words: readonly string[]): Promise<JsonResult & { readonly code: number }> {
  const { code, stdout } = await typed([...words, '--json']);
  return { code, ...objectIn(stdout) };
}

const sent = (): number => place.vendor.requests().length;

/** The account `data` at a vendor of this test alone, with a store of its own. */
async function vendorThat(script: Script, account: object = {}): Promise<ScriptedVendor> {
  const vendor = await ScriptedVendor.start(script);
  place.writeAccount(vendor.url, account);
  vi.stubEnv('ROWONCE_STORE', place.path(`store-${vendor.url.split(':').at(-1)}`));
  onTestFinished(async () => {
    place.writeAccount(place.vendor.url);
    vi.stubEnv('ROWONCE_STORE', place.path('store'));
    await vendor[Symbol.asyncDispose]();
  });
  return vendor;
}

test('the request is shown without its key and asked about, and without a yes nothing leaves', async () => {
  const words = ['try', 'enrich-company', 'domain=first.example'];
  const unasked = await typed(words);
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toContain(
    'This would send one request, for at most 1 credit, and you have not agreed.',
  );
  const no = await typed(words, { answer: 'n' });
  expect(no.code).toBe(2);
  expect(no.stderr).toContain('Send this request, for at most 1 credit? [y/N]');
  expect(no.stderr).toMatch(
    /You did not agree, so nothing was sent\.\nRun the same command again to be asked again\.\n$/,
  );
  expect(no.stdout).toContain(`POST ${place.vendor.url}/enrich/company\n  authorization: Bearer [key]\n`);
  expect(no.stdout).toContain('{"domain":"first.example"}');
  expect(sent()).toBe(0);
});

test('a call shows its answer, the rule that decided, its price and the fields for add; a second time it is known', async () => {
  const words = ['try', 'enrich-company', 'domain=second.example'];
  const before = readdirSync(place.folder).sort();
  const first = await typed([...words, '--yes']);
  expect(first.code, first.stderr).toBe(0);
  expect(first.stdout).toMatch(/^Status {5}200$/m);
  expect(first.stdout).toMatch(/^ {2}\{"name":".*"domain":"second\.example"/m);
  expect(first.stdout).toMatch(/^Answer {5}found, 1 credit \(status 200\)$/m);
  expect(first.stdout).toMatch(/^Rule {7}the table: it holds what was asked for; it means found$/m);
  expect(first.stdout).toMatch(/^Fields {5}name, .*location\.city/m);
  expect(first.stdout).toMatch(/^Credits {4}1 spent, in batch \w+$/m);
  const again = await json(...words);
  expect(again).toMatchObject({ code: 0, source: 'ledger', answer: 'found', credits: { spent: 0 } });
  expect(sent()).toBe(1);
  const anew = await json(...words, '--refresh', '--yes');
  expect(anew).toMatchObject({ code: 0, source: 'bought', rule: { means: 'found' }, credits: { spent: 1 } });
  expect(sent()).toBe(2);
  const spent = (await json('spend', '--by', 'list')).groups;
  expect(spent).toMatchObject([{ name: 'a trial of enrich-company', spent: 2 }]);
  expect(
    readdirSync(place.folder)
      .filter((name) => !/^(store|vendor-)/.test(name))
      .sort(),
  ).toEqual(before.filter((name) => !/^(store|vendor-)/.test(name)));
});

test.each([
  [['enrich-company', 'abn=51824753557'], /ABN 51 824 753 557: the checksum fails/],
  [['enrich-company', 'abn=51824753557', 'domain=fine.example'], /the checksum fails/],
  [['enrich-company', 'dmain=x.example'], /enrich-company has no input "dmain"\.\nDid you mean domain\?/],
  [['enrich-company', 'x.example'], /x\.example is not a pair\.\nGive it as domain=example\.com/],
  [['enrich-company', 'domain=a.example', 'domain=b.example'], /domain=b\.example gives domain twice/],
  [['enrich-company'], /enrich-company has nothing to ask by/],
  [['invite-user', 'email=jo@x.example', '--account', 'sandbox-service'], /with plan.*with run/],
])('%j is refused before anything is sent', async (words, why) => {
  const before = sent();
  const { code, stderr } = await typed(['try', ...words, '--yes']);
  expect(code).toBe(2);
  expect(stderr).toMatch(why);
  expect(sent()).toBe(before);
});

test('--yes agrees to no more than a --budget beside it', async () => {
  const words = ['try', 'enrich-company', 'domain=budgeted.example', '--yes', '--budget'];
  const before = sent();
  expect(await typed([...words, '0'])).toMatchObject({
    code: 2,
    stderr:
      'This would send one request, for at most 1 credit, and you have not agreed.\nAgree on a terminal, or with --budget 1.\n',
  });
  expect(sent()).toBe(before);
  expect((await typed([...words, '1'])).code).toBe(0);
});

test('a lost answer is in doubt, ends with 3, and is settled by the command that it prints', async () => {
  const vendor = await vendorThat((_request, response) => response.destroy());
  const words = ['try', 'enrich-company', 'domain=lost.example'];
  const lost = await typed([...words, '--yes']);
  expect(lost.code).toBe(3);
  expect(lost.stdout).toMatch(/^Credits {4}0 spent, 1 in doubt, in batch \w+$/m);
  const [, batch = ''] = /What is in doubt: .*settle (\w+)/.exec(lost.stderr) ?? [];
  // It is not bought a second time by being typed again.
  expect((await typed(words)).code).toBe(3);
  expect(vendor.requests).toHaveLength(1);
  expect((await typed(['settle', batch, '--not-done'])).code).toBe(0);
  expect((await typed([...words, '--yes'])).code).toBe(3);
  expect(vendor.requests).toHaveLength(2);
});

test('--means proposes the rule for an answer, of its words alone, and with it the answer means that', async () => {
  const { desk, speak, asked } = await deskBefore(() =>
    Response.json({ id: 4711, message: 'Keine Angaben (4711) zu acme.example' }, { status: 422 }),
  );
  const words = ['try', 'enrich-company', 'domain=acme.example', '--yes', '--means', 'no_match'];
  const { stdout } = await desk.type(words);
  const [, rule = ''] = /^Proposed {3}- (.*)$/m.exec(stdout) ?? [];
  expect(rule).toBe(
    '{ status: [422], body: { path: "message", matches: "^Keine Angaben \\\\(.*\\\\) zu .*" }, means: no_match }',
  );
  expect(await desk.json(words)).toMatchObject({ answer: 'refused', proposed: `- ${rule}` });
  speak({ answers: [parse(rule)] });
  expect(await desk.json([...words, '--refresh'])).toMatchObject({ answer: 'no_match' });
  expect(asked).toHaveLength(2);
});

const FINDER = { method: 'POST', path: '/find', gives: { email: 'email' }, credits: { most: 1, found: 1 } };
const PERSON = { first_name: 'Ann', last_name: 'Lee', domain: 'a.example' };

test.each([
  ['find-email', PERSON, { 'find-email': { ...FINDER, by: ['full_name+domain'] } }, {}],
  [
    'find-email',
    PERSON,
    {
      'find-email': {
        ...FINDER,
        by: ['profile_slug+domain', 'full_name+domain'],
        fields: { first_name: null },
      },
    },
    {},
  ],
  ['find-email', PERSON, { 'find-email': { ...FINDER, by: ['first_name+domain', 'full_name+domain'] } }, {}],
  [
    'find-email',
    PERSON,
    { 'find-email': { ...FINDER, by: ['full_name+domain'] } },
    { waterfall: ['last_name+domain', 'full_name+domain'] },
  ],
  ['enrich-company', { abn: '51824753556', domain: 'a.example' }, {}, {}],
  ['enrich-company', { abn: '51824753556', domain: 'a.example' }, {}, { waterfall: ['domain', 'abn'] }],
  [
    'enrich-company',
    { abn: '51824753556', domain: 'a.example' },
    {},
    { waterfall: [{ all: ['domain', 'abn'] }] },
  ],
] as const)(
  'a trial of %s by %j sends what a run of that row sends first (%j, %j)',
  async (operation, row, operations, job) => {
    const { desk, speak, asked } = await deskBefore(() => ({ email: 'ann@a.example', name: 'A' }));
    speak({ operations });
    const columns = Object.fromEntries(Object.keys(row).map((name) => [name, name]));
    await desk.write('job.yaml', JSON.stringify({ operation, account: 'data', columns, ...job }));
    const given = Object.entries(row).map(([name, value]) => `${name}=${value}`);
    const tried = await desk.type(['try', 'job.yaml', ...given, '--yes']);
    expect(tried.code, tried.stderr).toBe(0);
    await desk.write('list.csv', `${Object.keys(row).join()}\n${Object.values(row).join()}\n`);
    const words = ['run', 'job.yaml', 'list.csv', '--budget', '9', '--yes', '-o', 'out.csv'];
    const ran = await desk.type([...words, '--store', desk.place.path('other')]);
    expect(ran.code, ran.stderr).toBe(0);
    const [first, second] = asked.map(({ method, path, body }) => ({ method, path, body }));
    expect(asked).toHaveLength(2);
    expect(first).toEqual(second);
    expect((await desk.json([...words, '--store', desk.place.path('store')])).requests, 'and buys it').toBe(
      0,
    );
  },
);

test('a trial says which of what was typed a run asks by later, or never', async () => {
  const { desk, speak } = await deskBefore(() => ({ email: 'ann@a.example', name: 'A' }));
  const company = await desk.type(['try', 'enrich-company', 'abn=51824753556', 'domain=a.example', '--yes']);
  expect(company.stdout).toContain('A run asks next by domain, if this finds nothing.');
  speak({ operations: { 'find-email': { ...FINDER, by: ['profile_url', 'full_name+domain'] } } });
  const words = ['try', 'find-email', 'profile_url=https://www.linkedin.com/in/ann', 'full_name=Ann Lee'];
  const person = await desk.type([...words, 'domain=a.example', '--yes']);
  expect(person.stdout).toContain('A run does not send full_name and domain.');
});
