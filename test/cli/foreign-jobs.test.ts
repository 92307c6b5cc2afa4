/**
 * Goal: a job or a dialect from somebody else does not act unseen. What it sends is shown with method and address, and a
 * dialect that sends other requests is agreed to once for its content; nothing is sent before.
 * Method: the command typed in this process, with and without somebody at the terminal, before a vendor that keeps what it
 * was asked.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { version } from '../../src/core/families.ts';
import { run as called, type StopError } from '../../src/index.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { Workplace } from '../faults/workplace.ts';
import { objectIn } from './desk.ts';
import { typed } from './typed.ts';

let place: Workplace;
beforeAll(async () => {
  place = await Workplace.open();
  vi.stubEnv('ROWONCE_CONFIG', place.path('config'));
});
afterAll(() => place[Symbol.asyncDispose]());

let stores = 0;

/** A vendor below a path of its own, a store of its own, and a list of two companies. */
async function vendor(dialect?: object): Promise<ScriptedVendor> {
  const started = await ScriptedVendor.start((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"name":"Acme"}'),
  );
  onTestFinished(() => started[Symbol.asyncDispose]());
  stores += 1;
  // What an earlier test agreed to is not known.
  rmSync(place.path('config/agreed'), { recursive: true, force: true });
  vi.stubEnv('ROWONCE_STORE', place.path(`store-${stores}`));
  if (dialect !== undefined) place.writeDialect(dialect);
  place.writeAccount(`${started.url}/base`, dialect === undefined ? {} : { dialect: 'dialect.yaml' });
  place.writeList(['a.example', 'b.example']);
  return started;
}

const write = (name: string, content: object): string => {
  writeFileSync(place.path(name), JSON.stringify(content));
  return place.path(name);
};

const LIST = (): string => place.path('list.csv');
const run = (job: string, ...more: readonly string[]): readonly string[] => [
  ...['run', job, LIST(), '--budget', '100', '-o', place.path('out.csv')],
  ...more,
];

const POST = (more: object = {}): object => ({
  operation: 'api-call',
  endpoint: '/tags/apply',
  kind: 'read',
  body: { domain: '{{Domain}}' },
  ...more,
});

const OTHERWISE = {
  headers: { authorization: null, 'x-api-key': '{key}', 'user-agent': 'Acme/2' },
  operations: { 'enrich-company': { method: 'PUT', path: '/v2/firms', headers: { 'x-team': 'a' } } },
  usage: { method: 'GET', path: '/v2/usage', credits: 'used' },
  idempotency: { header: 'x-once', valid_for: '1d' },
};

const DIFFERENCES = [
  'headers.authorization: left out, built in is "Bearer {key}"',
  `headers.user-agent: "Acme/2" instead of "rowonce/${version()}"`,
  'headers.x-api-key: "{key}", which is not built in',
  'idempotency.header: "x-once", which is not built in',
  'operations.enrich-company.headers.x-team: "a", which is not built in',
  'operations.enrich-company.method: "PUT" instead of "POST"',
  'operations.enrich-company.path: "/v2/firms" instead of "/enrich/company"',
  'usage.method: "GET", which is not built in',
  'usage.path: "/v2/usage", which is not built in',
];

/** The hash that a stop names. */
const hashIn = (text: string): string => /--accept (dialect:[0-9a-f]{32})\b/.exec(text)?.[1] ?? '';

test('a dialect by which other requests are sent is shown in full and agreed to once, and --yes does not do', async () => {
  const { url, requests } = await vendor(OTHERWISE);
  const unasked = await typed(run('enrich-company', '--yes'));
  expect([unasked.code, requests.length]).toEqual([2, 0]);
  const fact = `The dialect dialect sends ${url} other requests than the built-in one`;
  expect(unasked.stderr).toContain(`${fact}: `);
  for (const each of DIFFERENCES) expect(unasked.stderr).toContain(each);
  const no = await typed(run('enrich-company'), { answer: 'n' });
  expect(no.stderr).toContain([`${fact}:`, ...DIFFERENCES].join('\n  '));
  expect(no.stderr).toContain('Is that what you want? You are asked only once. [y/N]');
  expect([no.code, requests.length, hashIn(no.stderr)]).toEqual([2, 0, hashIn(unasked.stderr)]);
  expect((await typed(run('enrich-company'), { answer: 'y' })).code).toBe(0);
  expect(requests).toHaveLength(2);
  // Neither another list, nor another store, nor a rule for answers, asks again.
  place.writeList(['c.example']);
  place.writeDialect({ ...OTHERWISE, fields_at: 'data', answers: [{ status: [500], means: 'no_match' }] });
  vi.stubEnv('ROWONCE_STORE', place.path('another-store'));
  const again = await typed(run('enrich-company'));
  expect([again.code, requests.length, again.stderr.includes('Is that meant')]).toEqual([0, 3, false]);
});

test('a dialect that sends something else later is agreed to anew by its hash', async () => {
  const { requests } = await vendor(OTHERWISE);
  const first = hashIn((await typed(run('enrich-company'))).stderr);
  const other = await typed(run('enrich-company', '--accept', `dialect:${'0'.repeat(32)}`));
  expect([other.code, requests.length]).toEqual([2, 0]);
  expect((await typed(run('enrich-company', '--accept', first))).code).toBe(0);
  place.writeDialect({ ...OTHERWISE, headers: { ...OTHERWISE.headers, 'x-more': '1' } });
  const stopped = await typed(run('enrich-company', '--accept', first, '--refresh'));
  expect([stopped.code, requests.length]).toEqual([2, 2]);
  expect(hashIn(stopped.stderr)).not.toBe(first);
  expect((await typed(run('enrich-company', '--accept', hashIn(stopped.stderr), '--refresh'))).code).toBe(0);
  expect(requests).toHaveLength(4);
});

/** Three companies behind one host that no list knows, and one with a host of its own. */
function writePortal(): void {
  const rows = ['Blue Dental,portal.example/1', 'Papa Bakery,portal.example/2', 'Oldmill,portal.example/3'];
  writeFileSync(LIST(), ['Company,Website', ...rows, 'Acme,acme.example', ''].join('\n'));
}

test.each([false, true])('one command answers several stops, in any order (turned: %s)', async (isTurned) => {
  const { requests } = await vendor(OTHERWISE);
  writePortal();
  const hash = hashIn((await typed(run('enrich-company'))).stderr);
  const taken = ['--accept', 'shared-host'];
  const planned = await typed(['plan', 'enrich-company', LIST(), '--json', ...taken]);
  expect(objectIn(planned.stdout)).toMatchObject({ to_buy: 2, to_agree: { agreement: hash } });
  const agreed = ['--accept', hash];
  const both = isTurned ? [...agreed, ...taken] : [...taken, ...agreed];
  expect((await typed(run('enrich-company', ...both))).code).toBe(0);
  expect(requests.map(({ body }) => body)).toEqual([
    '{"domain":"portal.example"}',
    '{"domain":"acme.example"}',
  ]);
});

test('a program gives several answers as a list, and one as a text', async () => {
  const { requests } = await vendor(OTHERWISE);
  writePortal();
  const asked = { job: 'enrich-company', file: LIST(), budget: 100 };
  const hash = await called(asked).then(String, ({ answers }: StopError) => String(answers?.[0]));
  const silent = { output: false } as const;
  const one = await called({ ...asked, accept: hash }, silent);
  expect(one.counts).toMatchObject({ matched: 1, invalid: 3 });
  rmSync(place.path('config/agreed'), { recursive: true });
  const all = await called({ ...asked, accept: ['shared-host', hash] }, silent);
  expect(all.counts).toMatchObject({ matched: 4 });
  expect(requests).toHaveLength(2);
});

test('of several answers that one is named which no stop takes', async () => {
  await vendor();
  const wrong = ['--accept', 'shared-host', '--accept', 'shared-hosts'];
  const { code, stderr } = await typed(run('enrich-company', ...wrong));
  expect([code, stderr]).toEqual([2, expect.stringContaining('--accept shared-hosts is not an answer')]);
});

test('a dialect that reads answers otherwise or prices them otherwise is not asked about', async () => {
  const { requests } = await vendor({
    operations: { 'enrich-company': { credits: { most: 3 } } },
    answers: [{ status: [500], means: 'no_match' }],
    headers: { accept: 'application/json' },
    rate_hints: { remaining: 'x-left', reset: 'x-again' },
  });
  expect((await typed(run('enrich-company'))).code).toBe(0);
  expect(requests).toHaveLength(2);
});

test('a sweep is refused before it looks at a file, as are a trial with --yes and the questions of a plan', async () => {
  const { requests } = await vendor(OTHERWISE);
  const job = write('sweep.yaml', { operation: 'enrich-company', inbox: './in', budget: { credits: 9 } });
  mkdirSync(place.path('in'), { recursive: true });
  const swept = await typed(['nightly', job]);
  expect([swept.code, hashIn(swept.stderr).length]).toEqual([2, 40]);
  const tried = await typed(['try', 'enrich-company', 'domain=t.example', '--yes']);
  expect([tried.code, requests.length]).toEqual([2, 0]);
  // Any of them takes the agreement, and all of them know it then.
  expect((await typed(['plan', 'enrich-company', LIST(), '--accept', hashIn(tried.stderr)])).code).toBe(0);
  expect((await typed(['try', 'enrich-company', 'domain=t.example', '--yes'])).code).toBe(0);
  expect((await typed(['nightly', job])).code).toBe(0);
  expect(requests).toHaveLength(1);
});

test('an inbox that is not below its job is swept only where the accounts file names it', async () => {
  const { requests } = await vendor();
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'rowonce-elsewhere-')));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  writeFileSync(join(elsewhere, 'private.csv'), 'Domain\np.example\n');
  const sweep = (inbox: string) =>
    typed(['nightly', write('sweep.yaml', { operation: 'enrich-company', inbox, budget: { credits: 9 } })]);
  // Nor by a link in the folder of the job, nor by a way up.
  symlinkSync(elsewhere, place.path('mine'));
  mkdirSync(join(elsewhere, 'deep'));
  for (const inbox of [elsewhere, './mine/deep', './mine/../..']) {
    const { code, stderr } = await sweep(inbox);
    expect(code).toBe(2);
    expect(stderr).toContain(' is not below the folder of the job.\nIf that is right, name it in ');
  }
  expect([requests.length, readdirSync(elsewhere).sort()]).toEqual([0, ['deep', 'private.csv']]);
  place.writeNames({ inboxes: { crm: elsewhere } });
  expect((await sweep('crm')).code).toBe(0);
  expect([requests.length, readdirSync(elsewhere).sort()]).toEqual([1, ['deep', 'done']]);
});

test('the plan and the run show method and address of a job, and of a dialect file', async () => {
  const { url, requests } = await vendor(OTHERWISE);
  const planned = await typed(['plan', 'enrich-company', LIST()]);
  expect(planned.stdout).toContain(`  request        PUT ${url}/base/v2/firms (enrich-company)\n`);
  expect(planned.stdout).toContain(`  to agree       The dialect dialect sends ${url} other requests than`);
  expect(planned.stdout).toContain(`                 ${DIFFERENCES[0]}\n`);
  const { stdout } = await typed(['plan', write('job.yaml', POST()), LIST(), '--json']);
  expect(objectIn(stdout).to_agree.details).toEqual(DIFFERENCES);
  expect(objectIn(stdout).requests).toContainEqual({
    name: 'api-call',
    method: 'POST',
    url: `${url}/base/tags/apply`,
  });
  const agreed = ['--accept', objectIn(stdout).to_agree.agreement];
  const asked = await typed(['run', 'enrich-company', LIST(), ...agreed], { answer: 'n' });
  expect(asked.stderr).toContain(`Sends PUT ${url}/base/v2/firms (enrich-company).\n`);
  expect(asked.stderr).toContain('Spend at most 2 credits? [y/N]');
  expect(asked.stderr).toMatch(/You did not agree, so nothing was sent\.\n.*\n$/);
  expect((await typed(['plan', 'enrich-company', LIST()])).stdout).not.toContain('to agree');
  expect(requests).toHaveLength(0);
});
