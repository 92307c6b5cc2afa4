import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { anotherServer, postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import { layOutOn, WORKER } from './laid-out.ts';
import type { Ended } from './program.ts';
import type { LoggedRequest } from './vendor.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/*
 * Goal: processes that spend from one database at once share one limit and one budget of an account, and buy nothing twice, whatever
 * happens to one of them or to the database.
 * Method: real commands side by side over a real server. The judge is the vendor, a process of its own: its book says what was
 * bought, and its log when each request came.
 */

/** Laid out once: a copy of it takes a fraction of laying one out. */
const LAID_OUT = 'many_laid_out';

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
  await layOutOn(server, LAID_OUT);
});

/** Requests of one process that may be on their way at once. */
const CONCURRENCY = 8;

let databases = 0;

async function freshStore(on: Server = server): Promise<string> {
  databases += 1;
  const name = `many_${databases}`;
  if (on !== server) {
    await on.createDatabase(name);
    return on.url(name);
  }
  await on.createDatabase(name, LAID_OUT);
  return on.url(name, WORKER);
}

interface PlaceOptions {
  readonly latencyMs?: number;
  readonly limits?: object;
  readonly account?: object;
  readonly flags?: readonly string[];
}

async function openPlace({
  latencyMs = 50,
  limits,
  account,
  flags = [],
}: PlaceOptions = {}): Promise<Workplace> {
  return Workplace.open({
    ...{ latencyMs, flags, ownProcess: true },
    account: {
      ...(limits === undefined ? {} : { limits: { concurrency: CONCURRENCY, ...limits } }),
      ...account,
    },
  });
}

/** The orders of two runs whose lists have some companies in common. */
function overlapping(
  place: Workplace,
  store: string,
  { both, own }: { both: number; own: number },
): readonly [Order, Order] {
  const shared = domainsOf('both', both);
  const order = (name: string): Order => {
    place.writeList([...shared, ...domainsOf(name, own)], `${name}.csv`);
    return { input: `${name}.csv`, output: `${name}-out.csv`, store };
  };
  return [order('one'), order('two')];
}

/** No company was asked about twice, and none was charged twice. */
async function expectBoughtOnce(place: Workplace, companies: number): Promise<void> {
  const asked = place.vendor.requests().map(({ body }) => body.domain);
  expect(asked.toSorted(), 'each company is asked about once').toEqual([...new Set(asked)].toSorted());
  expect(asked).toHaveLength(companies);
  const { charged_twice: twice } = await place.vendor.book();
  expect(twice).toEqual([]);
}

/** The most requests that came in any second. */
function mostInASecond(requests: readonly LoggedRequest[]): number {
  const times = requests.map(({ at }) => Date.parse(at)).sort((a, b) => a - b);
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}

const words = ({ code, stderr }: Ended): string => `${code}: ${stderr}`;

test('two runs of lists that overlap share the limit of the account, and each company is bought once', async () => {
  await using place = await openPlace({ limits: { per_second: 10 } });
  const orders = overlapping(place, await freshStore(), { both: 20, own: 30 });
  const ended = await Promise.all(orders.map((order) => place.run(order)));
  for (const each of ended) expect(each.code, words(each)).toBe(0);
  await expectBoughtOnce(place, 80);
  // Arrivals bunch on a busy machine, so all of them are looked at. Two that share nothing are done in 3.5 seconds.
  const times = place.vendor.requests().map(({ at }) => Date.parse(at));
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(5_000);
});

proof('what all of them spend and may have spent passes no budget of the account', async () => {
  const budget = { per_day: 40 };
  await using place = await openPlace({ limits: { per_second: 200 }, account: { budget } });
  const orders = overlapping(place, await freshStore(), { both: 20, own: 40 });
  const ended = await Promise.all(orders.map((order) => place.run(order)));
  for (const each of ended) expect(each.code, words(each)).toBe(4);
  const { credits } = await place.vendor.book();
  expect(credits).toBe(40);
});

proof(
  'when one is killed the other sends what it had of the limit as well, and only what was on its way is in doubt',
  async () => {
    await using place = await openPlace({ limits: { per_second: 40 } });
    const store = await freshStore();
    const [first, second] = overlapping(place, store, { both: 0, own: 240 });
    const [killed, other] = [place.start(first), place.start(second)];
    const asked = (name: string): readonly LoggedRequest[] =>
      place.vendor.requests().filter(({ body }) => body.domain?.startsWith(name));
    await other.until(() => asked('one').length >= 20 && asked('two').length >= 20);
    await killed.kill();
    const ended = await other.ended;
    expect(ended.code, words(ended)).toBe(0);
    expect(place.statuses('two-out.csv')).toEqual(new Array(240).fill('matched'));
    expect(mostInASecond(asked('two')), 'more than its half').toBeGreaterThan(20);
    await server.passTime(store);
    const again = await place.run(first);
    const doubts = place.statuses('one-out.csv').filter((status) => status === 'in_doubt').length;
    expect(doubts).toBeLessThanOrEqual(CONCURRENCY);
    expect(again.code, words(again)).toBe(doubts === 0 ? 0 : 3);
    await expectBoughtOnce(place, 480);
  },
);

proof('both go on by themselves when the database was stopped as by a crash and started again', async () => {
  const own = await anotherServer();
  try {
    await using place = await openPlace({ limits: { per_second: 40 } });
    const orders = overlapping(place, await freshStore(own), { both: 60, own: 60 });
    const programs = orders.map((order) => place.start(order));
    await programs[0]?.until(() => place.vendor.requests().length >= 40);
    await own.stopAtOnce();
    for (const program of programs) await program.said(/Nothing is sent until it can be reached again/);
    await own.startAgain();
    for (const each of await Promise.all(programs.map((program) => program.ended))) {
      expect(each.code, words(each)).toBe(0);
      expect(each.stderr).toMatch(/answers again after/);
    }
    await expectBoughtOnce(place, 180);
  } finally {
    await own.stopAtOnce();
  }
});

proof('what was admitted before a process was stopped for long is not sent when it goes on', async () => {
  await using place = await openPlace({ limits: { per_second: 40 } });
  const store = await freshStore();
  const [order] = overlapping(place, store, { both: 0, own: 60 });
  const program = place.start(order);
  await program.until(() => place.vendor.requests().length >= 20);
  const database = new URL(store).pathname.slice(1);
  // Intents are asked for, and are not committed before the process is stopped.
  const held = server
    .query(database, 'BEGIN; LOCK TABLE rowonce.calls IN SHARE MODE; SELECT pg_sleep(600)')
    .catch(() => {});
  const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = '${database}' AND wait_event_type = 'Lock'`;
  await expect.poll(() => server.query(database, waiting)).not.toEqual([]);
  program.signal('SIGSTOP');
  await server.query(
    database,
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND wait_event = 'PgSleep'`,
  );
  await held;
  const before = place.vendor.requests().length;
  // So old an intent may not be sent any more.
  await delay(6_000);
  expect(place.vendor.requests()).toHaveLength(before);
  program.signal('SIGCONT');
  const ended = await program.ended;
  expect(ended.code, words(ended)).toBe(0);
  const [unsent] = await server.query(database, UNSENT_FOR_AGE);
  expect(Number(unsent?.count)).toBeGreaterThan(0);
  await expectBoughtOnce(place, 60);
});

const UNSENT_FOR_AGE = `SELECT count(*) FROM rowonce.entries WHERE said = 'not_sent' AND words::text LIKE '%the intent was%ms old%'`;

proof('a pause for which the vendor asks one of them is kept by all', async () => {
  await using place = await openPlace({ limits: { per_second: 20 } });
  const [first, second] = overlapping(place, await freshStore(), { both: 0, own: 60 });
  await place.vendor.setFaults('429:1');
  const events = ['one.jsonl', 'two.jsonl'].map((name) => place.path(name));
  const programs = [first, second].map((order, at) =>
    place.start({ ...order, more: ['--events', events[at] ?? ''] }),
  );
  const isPaused = (path: string): boolean =>
    existsSync(path) && readFileSync(path, 'utf8').includes('"paused"');
  for (const [at, path] of events.entries()) await programs[at]?.until(() => isPaused(path));
  await place.vendor.setFaults();
  const ended = await Promise.all(programs.map((program) => program.ended));
  for (const each of ended) {
    expect(each.code, words(each)).toBe(0);
    expect(each.report?.pauses.count).toBeGreaterThanOrEqual(1);
  }
});

proof('a key that is dead to one of them is dead to all', async () => {
  await using place = await openPlace({ limits: { per_second: 4 } });
  const programs = overlapping(place, await freshStore(), { both: 0, own: 200 }).map((order) =>
    place.start(order),
  );
  await programs[0]?.until(() => place.vendor.requests().length >= 8);
  await place.vendor.setFaults('401:1');
  const refused = (): number => place.vendor.requests().filter(({ status }) => status === 401).length;
  await programs[0]?.until(() => refused() > 0);
  await place.vendor.setFaults();
  const ended = await Promise.all(programs.map((program) => program.ended));
  for (const each of ended) expect(each.code, words(each)).toBe(77);
  const told = ended.filter(({ stderr }) => stderr.includes('Another process that spends from this store'));
  expect(told, 'whoever was not refused itself').toHaveLength(programs.length - refused());
});

proof('the same list in two shells is one batch, and both write the same output', async () => {
  await using place = await openPlace({ limits: { per_second: 40 } });
  const [order] = overlapping(place, await freshStore(), { both: 0, own: 80 });
  const ended = await Promise.all([place.run(order), place.run({ ...order, output: 'again.csv' })]);
  for (const each of ended) expect(each.code, words(each)).toBe(0);
  expect(place.statuses('again.csv')).toEqual(new Array(80).fill('matched'));
  expect(place.rows('again.csv')).toEqual(place.rows('one-out.csv'));
  await expectBoughtOnce(place, 80);
});

proof('a run stops when another one has begun over other content of the same list', async () => {
  await using place = await openPlace({ limits: { per_second: 20 } });
  const [order] = overlapping(place, await freshStore(), { both: 0, own: 200 });
  const first = place.start(order);
  await first.until(() => place.vendor.requests().length >= 8);
  place.writeList(domainsOf('one', 30), order.input);
  const second = await place.run({ ...order, output: 'again.csv' });
  expect(second.code, words(second)).toBe(0);
  const ended = await first.ended;
  expect(ended.code, words(ended)).toBe(2);
  expect(ended.stderr).toContain('another run began a batch over a changed version of its list');
});
