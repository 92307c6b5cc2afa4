import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { beforeAll, expect, test } from 'vitest';
import type { BatchId } from '../../src/ledger/ledger.ts';
import postgres from '../../src/ledger/stores/postgres.ts';
import { workersOf } from '../../src/run/tasks/workers.ts';
import { proof } from '../combinations.ts';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import { layOutOn, WORKER } from './laid-out.ts';
import type { Program } from './program.ts';
import { domainsOf, Workplace, type WorkplaceOptions } from './workplace.ts';

/*
 * Goal: a list that one process submits is worked on by others that have neither the list nor its job, whatever is killed, cut off or
 * typed again: each company is asked about once, and the output is the one that a run with a folder writes.
 * Method: the real command in processes of their own over a real server. What was bought is read from the vendor's book, what is kept
 * from the database.
 */

const LAID_OUT = 'workers';

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
  await layOutOn(server, LAID_OUT);
});

let databases = 0;

interface Host extends AsyncDisposable {
  readonly place: Workplace;
  readonly store: string;
  readonly database: string;
}

/** A place with a database that was laid out. */
async function openHost(options: WorkplaceOptions = {}): Promise<Host> {
  databases += 1;
  const database = `workers_${databases}`;
  await server.createDatabase(database, LAID_OUT);
  const place = await Workplace.open(options);
  return {
    place,
    database,
    store: server.url(database, WORKER),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

const DETACHED = ['--detach'];

/** Starts a worker. It has ended when its place is gone. */
function startWorker({ place, store }: Host, ...more: readonly string[]): Program {
  return place.type(['worker', '--store', store, '--json', ...more]);
}

async function detach({ place, store }: Host, order: object = {}): Promise<string> {
  const { code, stderr, report } = await place.runHere({ store, more: DETACHED, ...order });
  expect(code, stderr).toBe(0);
  return report?.batch ?? '';
}

const rowsOf = async ({ database }: Host, sql: string): Promise<readonly Record<string, unknown>[]> =>
  server.query(database, `SET search_path = rowonce_ledger; ${sql}`);

/** Resolves when so many rows have ended. */
async function ended(host: Host, rows: number): Promise<void> {
  const count = async (): Promise<unknown> =>
    (await rowsOf(host, "SELECT count(*)::int AS count FROM rows WHERE state <> 'pending'"))[0]?.count;
  await expect.poll(count, { interval: 100 }).toBe(rows);
}

/** Each of these companies was asked about once. */
async function expectAskedOnce({ place }: Host, domains: readonly string[]): Promise<void> {
  const asked = place.vendor.requests().map(({ body }) => body.domain);
  expect(asked.toSorted()).toEqual([...new Set(domains)].toSorted());
  expect((await place.vendor.book()).charged_twice).toEqual([]);
}

/** A list in which the same domains come again and again. */
const repeated = (domains: readonly string[], rows: number): readonly string[] =>
  Array.from({ length: rows }, (_, at) => domains[at % domains.length] ?? '');

/** An output without the times of its answers. */
const outputOf = (place: Workplace, name: string): string =>
  readFileSync(place.path(name), 'utf8').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

test('a list that is left to workers is finished by another process, and its output is that of a run with a folder, to the byte', async () => {
  await using host = await openHost();
  const { place, store } = host;
  const domains = domainsOf('left', 120);
  const list = [...domains, ...domains.slice(0, 20), 'no domain at all', ''];
  place.writeList(list);
  const submitted = await place.runHere({ store, more: DETACHED });
  expect(submitted.code, submitted.stderr).toBe(0);
  expect(submitted.report).toMatchObject({ counts: {}, output: null, stopped: null });
  const batch = submitted.report?.batch ?? '';
  expect(submitted.stderr).toContain(`status ${batch} --store ${store}`);
  expect(place.vendor.requests()).toEqual([]);
  // The worker has another folder, and no list.
  mkdirSync(place.path('elsewhere'));
  const worker = place.type(['worker', '--store', store, '--json'], { HOME: place.path('elsewhere') });
  await ended(host, list.length);
  expect(await rowsOf(host, 'SELECT cells FROM cells'), 'cells are gone once their rows have ended').toEqual(
    [],
  );
  worker.signal('SIGTERM');
  const { code, stderr } = await worker.ended;
  expect(code, stderr).toBe(143);
  await expectAskedOnce(host, domains);
  const exported = await place.typeHere([
    'export',
    batch,
    '--store',
    store,
    '-o',
    place.path('exported.csv'),
  ]);
  expect(exported.code, exported.stderr).toBe(0);
  const finished = await place.runHere({ store });
  expect(finished.code, finished.stderr).toBe(3);
  expect(finished.report?.counts).toMatchObject({ matched: 140, invalid: 2 });
  await expectAskedOnce(host, domains);
  await using other = await Workplace.open();
  other.writeList(list);
  await other.runHere();
  expect(outputOf(place, 'out.csv')).toBe(outputOf(other, 'out.csv'));
  expect(outputOf(place, 'exported.csv')).toBe(outputOf(other, 'out.csv'));
});

test('the range of a worker that is killed goes on with another one, and nothing is bought twice', async () => {
  await using host = await openHost({ latencyMs: 100, concurrency: 4 });
  const { place } = host;
  const domains = domainsOf('killed', 150);
  place.writeList(domains);
  await detach(host);
  const workers = [startWorker(host), startWorker(host)];
  for (const worker of workers) await worker.said(/ready, /);
  const asked = (): number => place.vendor.requests().length;
  await expect.poll(asked, { interval: 10 }).toBeGreaterThan(20);
  await workers.find(({ stderr }) => / taken$/m.test(stderr))?.kill();
  await server.passTime(host.store);
  const before = asked();
  expect(before).toBeLessThan(domains.length);
  await expect.poll(asked).toBeGreaterThan(before);
  await ended(host, domains.length);
  const doubts = await rowsOf(host, `SELECT row FROM rows WHERE state = 'in_doubt'`);
  expect(doubts.length, 'at most what was on its way').toBeLessThanOrEqual(place.concurrency);
  // An intent is in doubt also where its request had not left yet.
  const inDoubt = new Set(doubts.map(({ row }) => domains[Number(row) - 2] ?? ''));
  const sent = new Set(place.vendor.requests().map(({ body }) => String(body.domain)));
  await expectAskedOnce(
    host,
    domains.filter((domain) => sent.has(domain) || !inDoubt.has(domain)),
  );
});

proof('a run and two workers work on one list at once, and meet', async () => {
  // A range is 900 rows: what the account does in half a minute.
  await using host = await openHost({ account: { limits: { per_second: 30, concurrency: 4 } } });
  const { place, store } = host;
  const [first, last] = [domainsOf('first', 120), domainsOf('last', 120)];
  const list = [...repeated(first, 900), ...repeated(last, 850)];
  place.writeList(list);
  const workers = [startWorker(host), startWorker(host)];
  for (const worker of workers) await worker.said(/ready, /);
  const { code, stderr, report } = await place.run({ store });
  expect(code, stderr).toBe(0);
  expect(report?.counts).toEqual({ matched: list.length });
  await expectAskedOnce(host, [...first, ...last]);
  for (const worker of workers) worker.signal('SIGTERM');
  const shares = await Promise.all(workers.map(async ({ ended }) => (await ended).stderr));
  expect(shares.join(''), 'the run had not all of it').toMatch(/ done, [1-9]\d* rows? finished here/);
  await using other = await Workplace.open();
  other.writeList(list);
  await other.runHere();
  expect(outputOf(place, 'out.csv')).toBe(outputOf(other, 'out.csv'));
});

proof(
  'a worker that is told to stop finishes what is on its way, and another one goes on at once',
  async () => {
    await using host = await openHost({ latencyMs: 50, concurrency: 4 });
    const { place } = host;
    const domains = domainsOf('told', 100);
    place.writeList(domains);
    await detach(host);
    const first = startWorker(host);
    const asked = (): number => place.vendor.requests().length;
    await expect.poll(asked, { interval: 10 }).toBeGreaterThan(20);
    first.signal('SIGINT');
    const { code, stderr } = await first.ended;
    expect(code, stderr).toBe(130);
    expect(asked()).toBeLessThan(domains.length);
    const left = `SELECT state FROM rowonce_queue.job WHERE name LIKE 'account-%' AND state <= 'active'`;
    expect(await rowsOf(host, left), 'nobody waits until it is thought dead').toEqual([{ state: 'created' }]);
    startWorker(host);
    await ended(host, domains.length);
    await expectAskedOnce(host, domains);
    expect(await rowsOf(host, `SELECT row FROM rows WHERE state <> 'matched'`)).toEqual([]);
  },
);

proof('a submit that was killed in the middle is typed again, and no row is missing', async () => {
  await using host = await openHost();
  const { place, store, database } = host;
  const domains = domainsOf('half', 30);
  const list = repeated(domains, 6_000);
  place.writeList(list);
  // One of the last rows waits in the database, for ever.
  await rowsOf(
    host,
    `CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END';
     CREATE TRIGGER hangs BEFORE INSERT ON cells FOR EACH ROW WHEN (NEW.row = 5500) EXECUTE FUNCTION hang()`,
  );
  const program = place.start({ store, more: DETACHED });
  const hanging = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = '${database}'`;
  await expect.poll(() => rowsOf(host, hanging)).toHaveLength(1);
  await program.kill();
  await server.cutOff(database);
  const kept =
    'SELECT (SELECT count(*)::int FROM cells) AS rows, (SELECT count(work_order)::int FROM batches) AS orders';
  const [{ rows, orders } = {}] = await rowsOf(host, kept);
  expect(rows).toBeGreaterThan(0);
  expect(rows).toBeLessThan(5_500);
  expect(orders, 'so that nobody takes it for whole').toBe(0);
  await rowsOf(host, 'DROP TRIGGER hangs ON cells');
  await detach(host);
  expect(await rowsOf(host, kept)).toEqual([{ rows: list.length, orders: 1 }]);
  await detach(host);
  startWorker(host);
  await ended(host, list.length);
  await expectAskedOnce(host, domains);
  expect(await rowsOf(host, kept)).toEqual([{ rows: 0, orders: 1 }]);
});

proof('the lists of one account take turns, range by range', async () => {
  // Without a limit a slot does 75 rows in half a minute.
  await using host = await openHost({ concurrency: 1, account: { limits: { concurrency: 1 } } });
  const { place } = host;
  const batches: string[] = [];
  for (const name of ['one', 'other']) {
    place.writeList(repeated(domainsOf(name, 5), 220), `${name}.csv`);
    batches.push(await detach(host, { input: `${name}.csv`, output: `${name}.out.csv` }));
  }
  const worker = startWorker(host);
  await ended(host, 440);
  worker.signal('SIGTERM');
  const { stderr } = await worker.ended;
  const order = [...stderr.matchAll(/^batch (\w+), rows \d+ to \d+ taken$/gm)].map(([, batch]) => batch);
  expect(order).toEqual([...batches, ...batches, ...batches]);
});

proof(
  'what the queue has lost is found by who has nothing to do, and what was set aside is left to a person',
  async () => {
    await using host = await openHost({ concurrency: 1, account: { limits: { concurrency: 1 } } });
    const { place, store } = host;
    const domains = domainsOf('lost', 5);
    place.writeList(repeated(domains, 200));
    const batch = (await detach(host)) as BatchId;
    await rowsOf(host, 'DELETE FROM rowonce_queue.job');
    const queue = await postgres.queue?.(store);
    const range = { batch, accountIdentity: '', fromRow: 2, beforeRow: 77, left: 75 };
    const [{ account } = {}] = await rowsOf(
      host,
      'SELECT a.identity AS account FROM batches b JOIN accounts a ON a.id = b.account',
    );
    await queue?.send([{ ...range, accountIdentity: String(account) }], 'person');
    for (let deaths = 0; deaths < 5; deaths += 1) await (await queue?.take(String(account)))?.failed('a bug');
    await queue?.close();
    const worker = startWorker(host);
    await ended(host, 125);
    worker.signal('SIGTERM');
    await worker.ended;
    expect(await rowsOf(host, "SELECT min(row)::int AS first FROM rows WHERE state <> 'pending'")).toEqual([
      { first: 77 },
    ]);
    const { code, stderr } = await place.runHere({ store });
    expect(code, stderr).toBe(0);
    await expectAskedOnce(host, domains);
  },
);

/** A worker of another host, which has the account and neither the dialect file nor the agreement. */
async function refusing(
  host: Host,
): Promise<{ readonly agreement: string; readonly env: { readonly ROWONCE_CONFIG: string } }> {
  const { place, store } = host;
  await detach(host);
  const accounts = JSON.parse(readFileSync(place.path('config/accounts.yaml'), 'utf8'));
  delete accounts.accounts.data.dialect;
  mkdirSync(place.path('other'));
  writeFileSync(place.path('other/accounts.yaml'), JSON.stringify(accounts), { mode: 0o600 });
  const env = { ROWONCE_CONFIG: place.path('other') };
  const worker = place.type(['worker', '--store', store, '--json'], env);
  await worker.said(/handed back: .*Nobody has agreed to that yet/);
  worker.signal('SIGTERM');
  const { stderr } = await worker.ended;
  expect(place.vendor.requests()).toEqual([]);
  const [agreement = ''] = /dialect:[0-9a-f]{32}/.exec(stderr) ?? [];
  return { agreement, env };
}

proof('a worker takes what is of a dialect once somebody on its host has agreed', async () => {
  await using host = await openHost({ way: 'keyed' });
  const { place, store } = host;
  const domains = domainsOf('foreign', 30);
  place.writeList(domains);
  const { agreement, env } = await refusing(host);
  place.type(['worker', '--store', store, '--json', '--accept', agreement], env);
  await ended(host, domains.length);
  await expectAskedOnce(host, domains);
});

test.each([
  ['reads by a DELETE', `jsonb_set(work_order::jsonb -> 'job', '{settings,method}', '"DELETE"')`],
  [
    'reads by a PUT, in a word of its own',
    `jsonb_set(work_order::jsonb -> 'job', '{settings}', '{"kind":"READ","method":"PUT","endpoint":"/x"}')`,
  ],
  ['changes something', `jsonb_set(work_order::jsonb -> 'job', '{settings,kind}', '"change"')`],
])('a worker sends nothing of a job that another host submitted and that %s', async (_, order) => {
  await using host = await openHost();
  const { place } = host;
  place.writeList(domainsOf('tag', 3));
  const job = {
    operation: 'api-call',
    method: 'POST',
    endpoint: '/tags',
    kind: 'read',
    body: { domain: '{{Domain}}' },
  };
  writeFileSync(place.path('tag.yaml'), JSON.stringify(job));
  await detach(host, { job: 'tag.yaml', more: [...DETACHED, '--yes'] });
  // As a host hands it over that runs another program, or whose password somebody has.
  await rowsOf(
    host,
    `UPDATE batches SET work_order = jsonb_set(work_order::jsonb, '{job}', ${order}::jsonb)::text`,
  );
  const worker = startWorker(host);
  await worker.said(/handed back: |done: /);
  worker.signal('SIGTERM');
  const { stderr } = await worker.ended;
  expect(stderr).toMatch(/handed back: .*(a read is a GET or a POST|workers send only what reads)/);
  expect(place.vendor.requests()).toEqual([]);
});

proof(
  'a worker whose batch has reached its budget says so, and buys on when a person has raised it',
  async () => {
    await using host = await openHost();
    const { place, store } = host;
    place.writeList(domainsOf('dear', 40));
    await detach(host, { budget: 10 });
    const worker = startWorker(host);
    await worker.said(/handed back: .*budget/);
    worker.signal('SIGTERM');
    await worker.ended;
    expect((await place.vendor.book()).credits).toBe(10);
    const { code, stderr } = await place.runHere({ store, budget: 40 });
    expect(code, stderr).toBe(0);
    await expectAskedOnce(host, domainsOf('dear', 40));
  },
);

proof('status and a program see who works, what each has on its way, and which ranges are left', async () => {
  await using host = await openHost({
    latencyMs: 200,
    account: { limits: { per_second: 20, concurrency: 4 } },
  });
  const { place, store } = host;
  place.writeList(domainsOf('seen', 700));
  const batch = await detach(host);
  const show = async (...words: readonly string[]): Promise<string> =>
    (await place.typeHere(['status', ...words, '--store', store])).stdout;
  expect(await show(batch)).toMatch(/^Ranges +2 waiting, 0 running$/m);
  const workers = [startWorker(host), startWorker(host)];
  const accountsOf = async (): Promise<readonly string[]> =>
    (await workersOf({ store })).flatMap(({ accounts }) => accounts.map(({ account }) => account));
  await expect.poll(accountsOf).toEqual(['data', 'data']);
  const [one] = await workersOf({ store });
  expect(workers.map(({ pid }) => pid)).toContain(one?.pid);
  expect(one).toMatchObject({ host: hostname(), accounts: [{ account: 'data' }] });
  const lines = await show();
  expect(
    lines.match(
      /^Worker .+, process \d+, begun .+ ago, last beat \d+\.\ds ago; data: \d in flight; .* worker .*$/gm,
    ),
  ).toHaveLength(2);
  const list = JSON.parse((await place.typeHere(['status', '--store', store, '--json'])).stdout);
  expect(list.workers).toHaveLength(2);
  expect(list.workers[0].accounts).toEqual([{ account: 'data', in_flight: expect.any(Number) }]);
  const shown = JSON.parse((await place.typeHere(['status', batch, '--store', store, '--json'])).stdout);
  expect(shown.ranges).toEqual({ waiting: 0, running: 2, set_aside: 0 });
  for (const worker of workers) worker.signal('SIGTERM');
  await Promise.all(workers.map(({ ended }) => ended));
  expect(await workersOf({ store })).toEqual([]);
});

test('a worker says whether it lives', async () => {
  await using host = await openHost();
  const worker = startWorker(host, '--health', '0');
  let port = '';
  await worker.until(() => {
    port = /healthz?: http:\/\/127\.0\.0\.1:(\d+)/.exec(worker.stderr)?.[1] ?? '';
    return port !== '';
  });
  const ask = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  await expect.poll(() => ask('/healthz')).toBe(200);
  expect(await ask('/')).toBe(404);
});

test.each([
  ['a part of a list', ['--limit', '5'], 'a part of the list'],
  ['a sample', ['--sample', '5'], 'a part of the list'],
  [
    'a vendor that no other process reaches',
    ['--account', 'sandbox-provider'],
    'no address that other hosts can reach',
  ],
])('%s is not left to workers, and nothing is begun', async (_, more, fact) => {
  await using host = await openHost();
  const { place, store } = host;
  place.writeList(domainsOf('part', 10));
  const { code, stderr } = await place.runHere({ store, more: [...DETACHED, ...more] });
  expect(code).toBe(2);
  expect(stderr).toContain(fact);
  expect(await rowsOf(host, 'SELECT id FROM batches')).toEqual([]);
});

test('a folder has no workers', async () => {
  await using place = await Workplace.open();
  place.writeList(domainsOf('folder', 3));
  const { code, stderr } = await place.runHere({ more: DETACHED });
  expect([code, stderr]).toEqual([2, expect.stringContaining('The store has no workers')]);
  const worker = await place.typeHere(['worker', '--store', place.path('store')]);
  expect([worker.code, worker.stderr]).toEqual([2, expect.stringContaining('has no workers')]);
});

test('refusals that say the same of every row end no row of a worker either; once the account is mended all are asked', async () => {
  const concurrency = 2;
  await using host = await openHost({ concurrency, faults: '400:1' });
  const { place, store } = host;
  const domains = domainsOf('refused', 60);
  place.writeList(domains);
  const batch = await detach(host);
  const worker = startWorker(host);
  await worker.said(/refusals of one shape/);
  worker.signal('SIGTERM');
  await worker.ended;
  expect(place.vendor.requests().length).toBeLessThanOrEqual(5 + concurrency - 1);
  expect(await rowsOf(host, `SELECT row FROM rows WHERE batch = '${batch}' AND state <> 'pending'`)).toEqual(
    [],
  );
  await place.vendor.setFaults();
  expect(await place.runHere({ store })).toMatchObject({ code: 0, report: { counts: { matched: 60 } } });
});
