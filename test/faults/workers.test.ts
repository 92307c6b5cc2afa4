import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { workersAt } from '../../src/run/batches.ts';
import { type Host, openHost } from './database-host.ts';
import type { Program } from './program.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: a list that one process submits is worked on by others that have neither the list nor its job, whatever is killed, cut off or
 * typed again: each company is asked about once, and the output is the one that a run with a folder writes.
 * Method: the real command in processes of their own over a real server. What was bought is read from the vendor's book, what is kept
 * from the database.
 */

const DETACHED = ['--detach'];

/** Starts a worker. It has ended when its place is gone. */
function startWorker({ place, store }: Host, more: readonly string[] = [], env = {}): Program {
  return place.type(['worker', '--store', store, '--json', ...more], env);
}

/** What it has said when it is told to end, which is not before it has said that. */
async function endedAfter(worker: Program, said: RegExp): Promise<string> {
  await worker.said(said);
  worker.signal('SIGTERM');
  const { code, stderr } = await worker.ended;
  expect(code, stderr).toBe(143);
  return stderr;
}

async function detach({ place, store }: Host, order: object = {}): Promise<string> {
  const { code, stderr, report } = await place.runHere({ store, more: DETACHED, ...order });
  expect(code, stderr).toBe(0);
  return report?.batch ?? '';
}

/** Resolves when so many rows have ended. */
async function ended(host: Host, rows: number): Promise<void> {
  const count = async (): Promise<unknown> =>
    (await host.query("SELECT count(*)::int AS count FROM rows WHERE state <> 'pending'"))[0]?.count;
  await expect.poll(count, { interval: 100 }).toBe(rows);
}

/** An output without the times of its answers. */
const outputOf = (place: Workplace, name: string): string =>
  readFileSync(place.path(name), 'utf8').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

test('a list that is left to workers is finished by another process, and its output is that of a run with a folder, to the byte', async () => {
  const host = await openHost();
  const { place, store } = host;
  const domains = domainsOf('left', 120);
  const list = [...domains, ...domains.slice(0, 20), 'no domain at all', ''];
  place.writeList(list);
  const submitted = await place.runHere({ store, more: DETACHED });
  expect(submitted, submitted.stderr).toMatchObject({
    code: 0,
    report: { counts: {}, output: null, stopped: null },
  });
  const { batch = '' } = submitted.report ?? {};
  expect(submitted.stderr).toContain(`status ${batch} --store ${store}`);
  expect(place.vendor.requests()).toEqual([]);
  // The worker has another folder, and no list.
  mkdirSync(place.path('elsewhere'));
  const worker = startWorker(host, [], { HOME: place.path('elsewhere') });
  await ended(host, list.length);
  await endedAfter(worker, /./);
  await host.expectAskedOnce(domains);
  const exporting = ['export', batch, '--store', store, '-o', place.path('exported.csv')];
  const exported = await place.typeHere(exporting);
  expect(exported.code, exported.stderr).toBe(0);
  const finished = await place.runHere({ store });
  expect(finished.code, finished.stderr).toBe(3);
  expect(finished.report?.counts).toMatchObject({ matched: 140, invalid: 2 });
  await host.expectAskedOnce(domains);
  await using other = await Workplace.open();
  other.writeList(list);
  await other.runHere();
  expect(outputOf(place, 'out.csv')).toBe(outputOf(other, 'out.csv'));
  expect(outputOf(place, 'exported.csv')).toBe(outputOf(other, 'out.csv'));
});

test('no range fails, and no answer is in doubt, whatever a shared server has sessions begin with', async () => {
  const host = await openHost({ latencyMs: 5 });
  const domains = domainsOf('shared', 250);
  host.place.writeList(domains);
  // A transaction is refused as soon as another one is beside it, and whoever waits is given up.
  for (const words of [
    "default_transaction_isolation = 'serializable'",
    'lock_timeout = 1',
    'statement_timeout = 20',
  ])
    await host.setting(words);
  await detach(host);
  const workers = [startWorker(host), startWorker(host)];
  await ended(host, domains.length);
  for (const worker of workers) worker.signal('SIGTERM');
  for (const { stderr } of await Promise.all(workers.map(({ ended }) => ended)))
    expect(stderr).not.toMatch(/fail|bug/i);
  expect(await host.query('SELECT DISTINCT state FROM rows')).toEqual([{ state: 'matched' }]);
  await host.expectAskedOnce(domains);
});

test('the range of a worker that is killed goes on with another one, and no step of its rows is bought twice', async () => {
  const host = await openHost({ latencyMs: 100, concurrency: 4 });
  const { place, store } = host;
  const rows = Array.from({ length: 60 }, (_, at) => `c${at % 20}.example,p${at}@c${at % 20}.example`);
  writeFileSync(place.path('list.csv'), `Domain,Email\n${rows.join('\n')}\n`);
  const order = { job: 'enrich-company,enrich-person' };
  await detach(host, order);
  const workers = [startWorker(host), startWorker(host)];
  for (const worker of workers) await worker.said(/ready, /);
  const asked = (): number => place.vendor.requests().length;
  await expect.poll(asked, { interval: 10 }).toBeGreaterThan(20);
  await workers.find(({ stderr }) => / taken$/m.test(stderr))?.kill();
  await host.server.passTime(store);
  const before = asked();
  await expect.poll(asked).toBeGreaterThan(before);
  await ended(host, rows.length);
  expect((await place.vendor.book()).charged_twice).toEqual([]);
  const doubts = await host.query(`SELECT id FROM calls WHERE state = 'doubt'`);
  expect(doubts.length, 'at most what was on its way').toBeLessThanOrEqual(place.concurrency);
  const finished = await place.runHere({ store, ...order });
  const { matched = 0, in_doubt: inDoubt = 0 } = finished.report?.counts ?? {};
  expect(matched + inDoubt).toBe(rows.length);
});

test('a worker takes what is of a dialect once somebody on its host has agreed', async () => {
  const host = await openHost({ way: 'keyed' });
  const { place } = host;
  const domains = domainsOf('foreign', 30);
  place.writeList(domains);
  await detach(host);
  // The other host has the account, and neither the dialect file nor the agreement.
  const accounts = JSON.parse(readFileSync(place.path('config/accounts.yaml'), 'utf8'));
  delete accounts.accounts.data.dialect;
  mkdirSync(place.path('other'));
  writeFileSync(place.path('other/accounts.yaml'), JSON.stringify(accounts), { mode: 0o600 });
  const env = { ROWONCE_CONFIG: place.path('other') };
  const refused = /handed back: .*Nobody has agreed to that yet/;
  const said = await endedAfter(startWorker(host, [], env), refused);
  expect(place.vendor.requests()).toEqual([]);
  startWorker(host, ['--accept', agreementIn(said)], env);
  await ended(host, domains.length);
  await host.expectAskedOnce(domains);
});

const agreementIn = (said: string): string => /dialect:[0-9a-f]{32}/.exec(said)?.[0] ?? '';

/** A list that was left to workers, with a job that reads by a POST of its own. */
async function detachedCalls(): Promise<Host> {
  const host = await openHost();
  host.place.writeList(domainsOf('called', 3));
  const request = { method: 'POST', endpoint: '/tags', kind: 'read', body: { domain: '{{Domain}}' } };
  writeFileSync(host.place.path('tag.yaml'), JSON.stringify({ operation: 'api-call', ...request }));
  await detach(host, { job: 'tag.yaml', more: [...DETACHED, '--yes'] });
  return host;
}

test('a worker sends an api-call once somebody on its host has agreed to method, endpoint and body', async () => {
  const host = await detachedCalls();
  const refused = /handed back: .*POST \/tags; with {"domain":"{{Domain}}"}. Nobody has agreed to that yet/;
  const said = await endedAfter(startWorker(host), refused);
  expect(host.place.vendor.requests()).toEqual([]);
  startWorker(host, ['--accept', agreementIn(said)]);
  await expect.poll(() => host.place.vendor.requests().length).toBeGreaterThan(0);
});

test.each([
  ['reads by a DELETE', `jsonb_set(work_order::jsonb -> 'job', '{settings,method}', '"DELETE"')`],
  [
    'reads by a PUT, in a word of its own',
    `jsonb_set(work_order::jsonb -> 'job', '{settings}', '{"kind":"READ","method":"PUT","endpoint":"/x"}')`,
  ],
  ['changes something', `jsonb_set(work_order::jsonb -> 'job', '{settings,kind}', '"change"')`],
])('a worker sends nothing of a job that another host submitted and that %s', async (_, job) => {
  const host = await detachedCalls();
  // As a host hands it over that runs another program, or whose password somebody has.
  await host.query(
    `UPDATE batches SET work_order = jsonb_set(work_order::jsonb, '{job}', ${job}::jsonb)::text`,
  );
  expect(await endedAfter(startWorker(host), /handed back: |done: /)).toMatch(
    /handed back: .*(a read is a GET or a POST|workers send only what reads|this one cannot read it)/,
  );
  expect(host.place.vendor.requests()).toEqual([]);
});

test('status and a program see who works, what each has on its way, and which ranges are left', async () => {
  const host = await openHost({ latencyMs: 200, account: { limits: { per_second: 20, concurrency: 4 } } });
  const { place, store } = host;
  place.writeList(domainsOf('seen', 700));
  const batch = await detach(host);
  const show = async (...words: readonly string[]): Promise<string> =>
    (await place.typeHere(['status', ...words, '--store', store])).stdout;
  expect(await show(batch)).toMatch(/^Ranges +2 waiting, 0 running$/m);
  const workers = [startWorker(host), startWorker(host)];
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

test('a worker says whether it lives, what it has asked and spent, and when it said so', async () => {
  const host = await openHost();
  host.place.writeList(domainsOf('told', 7));
  await detach(host);
  const worker = startWorker(host, ['--health', '0', '--log', 'json']);
  let port = '';
  await worker.until(() => {
    port = /healthz?: http:\/\/127\.0\.0\.1:(\d+)/.exec(worker.stderr)?.[1] ?? '';
    return port !== '';
  });
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
  await expect.poll(async () => (await ask('/healthz')).status).toBe(200);
  expect(await (await ask('/healthz')).json()).toEqual({ alive: true });
  await expect.poll(async () => (await ask('/metrics')).text()).toMatch(/^rowonce_asked_total 7$/m);
  await expect.poll(async () => (await ask('/metrics')).text()).toMatch(/^rowonce_spent_credits_total 7$/m);
  expect(await (await ask('/metrics')).text()).not.toMatch(/example|list\.csv/);
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
  [['--sample', '5'], 'a part of the list'],
  [['--account', 'sandbox-provider'], 'no address that other hosts can reach'],
])('what workers cannot do is not left to them (%s), and nothing is begun', async (more, fact) => {
  const host = await openHost();
  const { place, store } = host;
  place.writeList(domainsOf('part', 10));
  expect(await place.runHere({ store, more: [...DETACHED, ...more] })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(fact),
  });
  expect(await host.query('SELECT id FROM batches')).toEqual([]);
});

test('a folder has no workers', async () => {
  await using place = await Workplace.open();
  place.writeList(domainsOf('folder', 3));
  for (const { code, stderr } of [
    await place.runHere({ more: DETACHED }),
    await place.typeHere(['worker', '--store', place.path('store')]),
  ])
    expect([code, stderr]).toEqual([2, expect.stringContaining('has no workers')]);
});
