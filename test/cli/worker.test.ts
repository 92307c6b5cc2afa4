/**
 * Goal: a worker does what its own host has agreed to, whatever another host submitted (protocol, rule 20); it is seen while it lives,
 * and what workers cannot do is not left to them. What they buy: `faults/on-postgres.test.ts`.
 * Method: the real command in processes of their own over a real server.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { shippedDialect } from '../../src/core/families.ts';
import { workersAt } from '../../src/run/batches.ts';
import { type Host, openHost } from '../faults/database-host.ts';
import type { Program } from '../faults/program.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { domainsOf, Workplace } from '../faults/workplace.ts';
import { linesOf, sandbox } from '../sandbox/client.ts';
import { playedDialect } from '../sandbox/options.ts';

/** What it has said when it is told to end, which is not before it has said that. */
async function endedAfter(worker: Program, said: RegExp): Promise<string> {
  await worker.said(said);
  worker.signal('SIGTERM');
  const { code, stderr } = await worker.ended;
  expect(code, stderr).toBe(143);
  return stderr;
}

test('a worker takes what is of a dialect once somebody on its host has agreed', async () => {
  const host = await openHost({ way: 'keyed' });
  const { place } = host;
  const domains = domainsOf('foreign', 30);
  place.writeList(domains);
  await host.detach();
  // The other host has the account, and neither the dialect file nor the agreement.
  const accounts = JSON.parse(readFileSync(place.path('config/accounts.yaml'), 'utf8'));
  delete accounts.accounts.data.dialect;
  mkdirSync(place.path('other'));
  writeFileSync(place.path('other/accounts.yaml'), JSON.stringify(accounts), { mode: 0o600 });
  const env = { ROWONCE_CONFIG: place.path('other') };
  const refused = /handed back: .*You have not agreed to that yet/;
  const said = await endedAfter(host.startWorker([], env), refused);
  expect(place.vendor.requests()).toEqual([]);
  host.startWorker(['--accept', agreementIn(said)], env);
  await host.ended(domains.length);
  await host.expectAskedOnce(domains);
});

const agreementIn = (said: string): string => /dialect:[0-9a-f]{32}/.exec(said)?.[0] ?? '';

test('a worker takes a list of several accounts where it has all of them, and hands it on where it lacks one', async () => {
  const host = await openHost();
  const { place } = host;
  const domains = domainsOf('several', 8);
  place.writeList(domains);
  const { data } = JSON.parse(readFileSync(place.path('config/accounts.yaml'), 'utf8')).accounts;
  const one = { ...data, id: 'one' };
  place.writeAccounts({ data: one, more: { ...data, id: 'two' } });
  const job = { operation: 'enrich-company', account: ['data', 'more'] };
  writeFileSync(place.path('several.yaml'), JSON.stringify(job));
  await host.detach({ job: 'several.yaml', more: ['--account', 'data,more'] });
  mkdirSync(place.path('other'));
  writeFileSync(place.path('other/accounts.yaml'), JSON.stringify({ accounts: { data: one } }), {
    mode: 0o600,
  });
  const lacking = host.startWorker([], { ROWONCE_CONFIG: place.path('other') });
  await endedAfter(lacking, /handed back: .*also asks account "more", which this host does not have/);
  expect(place.vendor.requests()).toEqual([]);
  host.startWorker();
  await host.ended(domains.length);
  await host.expectAskedOnce(domains);
});

test.each([
  ['asks for hours of rest', 429, { error: 'slow down' }],
  ['has a dead key', 401, { error: 'invalid api key' }],
])(
  'where a further account %s, a worker leaves alone that account, and not the first',
  async (_, status, said) => {
    const host = await openHost({ matchRate: 0 });
    const { place } = host;
    await using further = await ScriptedVendor.start((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '21600' });
      response.end(JSON.stringify(said));
    });
    const { data } = JSON.parse(readFileSync(place.path('config/accounts.yaml'), 'utf8')).accounts;
    place.writeAccounts({
      data,
      more: { ...data, base_url: further.url, limits: { per_second: 2_000, concurrency: 1 } },
    });
    place.writeList(domainsOf('several', 3));
    const job = { operation: 'enrich-company', account: ['data', 'more'] };
    writeFileSync(place.path('several.yaml'), JSON.stringify(job));
    await host.detach({ job: 'several.yaml', more: ['--account', 'data,more'] });
    const worker = host.startWorker();
    await worker.said(/handed back: /);
    place.writeList(domainsOf('alone', 5), 'alone.csv');
    await host.detach({ input: 'alone.csv' });
    const ended = "SELECT count(*)::int AS rows FROM rows WHERE state <> 'pending'";
    await expect.poll(() => host.query(ended), { timeout: 15_000 }).toEqual([{ rows: 5 }]);
    expect(further.requests).toHaveLength(1);
    expect(worker.stderr.match(/handed back: /g)?.length).toBeLessThan(20);
  },
);

/** A list that was left to workers, with a job that reads by a POST of its own. */
async function detachedCalls(): Promise<Host> {
  const host = await openHost();
  host.place.writeList(domainsOf('called', 3));
  const request = { method: 'POST', endpoint: '/tags', kind: 'read', body: { domain: '{{Domain}}' } };
  writeFileSync(host.place.path('tag.yaml'), JSON.stringify({ operation: 'api-call', ...request }));
  await host.detach({ job: 'tag.yaml', more: ['--yes'] });
  return host;
}

test('a worker sends an api-call once somebody on its host has agreed to method, endpoint and body', async () => {
  const host = await detachedCalls();
  const refused = /handed back: .*POST \/tags; with {"domain":"{{Domain}}"}. You have not agreed to that yet/;
  const said = await endedAfter(host.startWorker(), refused);
  expect(host.place.vendor.requests()).toEqual([]);
  host.startWorker(['--accept', agreementIn(said)]);
  await expect.poll(() => host.place.vendor.requests().length).toBeGreaterThan(0);
});

test.each([
  ['reads by a DELETE', `jsonb_set(work_order::jsonb -> 'job', '{settings,method}', '"DELETE"')`],
  [
    'reads by a PUT, in a word of its own',
    `jsonb_set(work_order::jsonb -> 'job', '{settings}', '{"kind":"READ","method":"PUT","endpoint":"/x"}')`,
  ],
  ['posts elsewhere', `jsonb_set(work_order::jsonb -> 'job', '{settings,endpoint}', '"/users"')`],
  ['changes something', `jsonb_set(work_order::jsonb -> 'job', '{settings,kind}', '"change"')`],
])('a worker sends nothing of a job that another host submitted and that %s', async (_, job) => {
  const host = await detachedCalls();
  // As a host hands it over that runs another program, or whose password somebody has.
  await host.query(
    `UPDATE batches SET work_order = jsonb_set(work_order::jsonb, '{job}', ${job}::jsonb)::text`,
  );
  expect(await endedAfter(host.startWorker(), /handed back: |done: /)).toMatch(
    /handed back: .*(a read is a GET or a POST|You have not agreed to that yet|workers send only what reads|this one cannot read it)/,
  );
  expect(host.place.vendor.requests()).toEqual([]);
});

test('status and a program see who works, what each has on its way, and which ranges are left', async () => {
  const host = await openHost({ latencyMs: 200, account: { limits: { per_second: 20, concurrency: 4 } } });
  const { place, store } = host;
  place.writeList(domainsOf('seen', 700));
  const batch = await host.detach();
  const show = async (...words: readonly string[]): Promise<string> =>
    (await place.typeHere(['status', ...words, '--store', store])).stdout;
  expect(await show(batch)).toMatch(/^Ranges +2 waiting, 0 running$/m);
  const workers = [host.startWorker(), host.startWorker()];
  await expect.poll(async () => (await workersAt(store))?.length).toBe(2);
  const [one] = (await workersAt(store)) ?? [];
  expect(workers.map(({ pid }) => pid)).toContain(one?.pid);
  expect(one?.host).toBe(hostname());
  await expect.poll(() => show(batch)).toMatch(/^Ranges +0 waiting, 2 running$/m);
  const beating = /^Worker .+, process \d+, .* last beat .*; data: \d in flight; /gm;
  await expect.poll(async () => (await show()).match(beating)).toHaveLength(2);
  for (const worker of workers) worker.signal('SIGTERM');
  await Promise.all(workers.map(({ ended }) => ended));
  expect(await workersAt(store)).toEqual([]);
});

test('a worker says whether it lives, and when it said so', async () => {
  const host = await openHost();
  host.place.writeList(domainsOf('told', 7));
  await host.detach();
  const worker = host.startWorker(['--health', '0', '--log', 'json']);
  let port = '';
  await worker.until(() => {
    port = /healthz?: http:\/\/127\.0\.0\.1:(\d+)/.exec(worker.stderr)?.[1] ?? '';
    return port !== '';
  });
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
  await expect.poll(async () => (await ask('/healthz')).status).toBe(200);
  expect(await (await ask('/healthz')).json()).toEqual({ alive: true });
  expect((await ask('/')).status).toBe(404);
  const [line = ''] = worker.stderr.split('\n');
  expect(JSON.parse(line)).toMatchObject({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    level: 'info',
    message: expect.stringContaining('/healthz'),
  });
});

test.each([
  [['--limit', '5'], 'a part of the list'],
  [['--only', '3-5'], 'a part of the list'],
  [['--sample', '5'], 'a part of the list'],
  [['--account', 'sandbox-provider'], 'no address that other hosts can reach'],
])('what workers cannot do is not left to them (%s), and nothing is begun', async (more, fact) => {
  const host = await openHost();
  const { place, store } = host;
  place.writeList(domainsOf('part', 10));
  expect(await place.runHere({ store, more: ['--detach', ...more] })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(fact),
  });
  expect(await host.query('SELECT id FROM batches')).toEqual([]);
});

test('a folder has no workers', async () => {
  await using place = await Workplace.open();
  place.writeList(domainsOf('folder', 3));
  for (const { code, stderr } of [
    await place.runHere({ more: ['--detach'] }),
    await place.typeHere(['worker', '--store', place.path('store')]),
  ])
    expect([code, stderr]).toEqual([2, expect.stringContaining('has no workers')]);
});

test('a worker asks by what belongs together, as the dialect of the batch says', async () => {
  const host = await openHost();
  const { place, store } = host;
  const bookPath = place.path('finder.jsonl');
  const finder = await sandbox({ played: await playedDialect('leadmagic'), matchRate: 1, bookPath });
  copyFileSync(shippedDialect('leadmagic') ?? '', place.path('config/dialect.yaml'));
  place.writeAccount(finder.url, { dialect: './dialect.yaml' });
  writeFileSync(place.path('list.csv'), 'First,Last,Website\nMia,Tran,acme.example\nLeo,,beta.example\n');
  writeFileSync(place.path('find.yaml'), 'operation: find-email\nadd: { Found: email }\n');
  await host.detach({ job: 'find.yaml' });
  host.startWorker();
  await host.ended(2);
  const mia = { first_name: 'Mia', last_name: 'Tran', domain: 'acme.example' };
  expect(linesOf(bookPath)).toMatchObject([{ operation: 'find-email', parameters: mia }]);
  await place.typeHere(['export', 'last', '-o', place.path('out.csv'), '--store', store]);
  expect(readFileSync(place.path('out.csv'), 'utf8')).toMatch(
    /^Mia,Tran,acme\.example,mia\.tran@acme\.example,valid,matched/m,
  );
});
