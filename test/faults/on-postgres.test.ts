import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { some } from '../support/combinations.ts';
import { openHost } from './database-host.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: a ledger in a database of PostgreSQL keeps what one in a folder keeps: nothing is bought twice, whatever is killed, and the
 * same command typed again ends the work. Processes that spend from it at once share one limit of an account. A list that is left to
 * workers, which have neither the list nor its job, comes to what a run with a folder writes. What they do when the database ends is the
 * matter of `npm run faults -- --machines 4`.
 * Method: the real command over a real server, a database for each test. What was bought is read from the vendor's book.
 */

const ROWS = 24;
const DOMAINS = domainsOf('database', ROWS);
const LIMITS = { per_second: 2_000, concurrency: 4 };

async function hostWithList() {
  const host = await openHost({ latencyMs: 25, account: { limits: LIMITS } });
  host.place.writeList(DOMAINS);
  return host;
}

test.each(some(['after-send:6', 'before-finish', 'after-intent:3', 'after-end:5', 'after-keep:4'], 1))(
  'a run killed at %s: the same command typed again ends the work',
  async (crashAt) => {
    const { place, store, server } = await hostWithList();
    expect((await place.run({ store, crashAt })).signal).toBe('SIGKILL');
    await server.passTime(store);
    const { report, stderr } = await place.runHere({ store });
    const { matched = 0, in_doubt: doubts = 0 } = report?.counts ?? {};
    expect(matched + doubts, stderr).toBe(ROWS);
    expect(doubts, 'at most what was on its way').toBeLessThanOrEqual(place.concurrency);
    const { credits, charged_twice: twice, requests } = await place.vendor.book();
    expect(twice).toEqual([]);
    expect(credits).toBeGreaterThanOrEqual(matched);
    expect(credits).toBeLessThanOrEqual(ROWS);
    await place.runHere({ store });
    expect((await place.vendor.book()).requests, 'a third time asks for nothing').toBe(requests);
  },
);

test('settle after a kill claims nothing before the time of the requests is over, and then says what is in doubt', async () => {
  const { place, store, server } = await hostWithList();
  await place.run({ store, crashAt: 'after-send' });
  const settle = () => place.typeHere(['settle', 'last', '--store', store]);
  expect(await settle()).toMatchObject({
    stderr: '',
    stdout: expect.stringMatching(
      / is in doubt: \d+ requests? ha(?:s|ve) no answer yet; if no run is at work, /,
    ),
  });
  await server.passTime(store);
  expect(await settle()).toMatchObject({
    stderr: expect.stringMatching(/^\d+ requests? (?:was|were) open when the program ended; /),
    stdout: expect.stringMatching(/ in doubt, \d+ credits? at risk\.\n$/),
  });
});

test('two runs of lists that overlap share the limit of the account, and each company is bought once', async () => {
  const limits = { concurrency: 8, per_second: 10 };
  const { place, store, expectAskedOnce } = await openHost({ ownProcess: true, account: { limits } });
  const shared = domainsOf('both', 20);
  const orders = ['one', 'two'].map((name) => {
    place.writeList([...shared, ...domainsOf(name, 30)], `${name}.csv`);
    return { input: `${name}.csv`, output: `${name}-out.csv`, store };
  });
  for (const { code, stderr } of await Promise.all(orders.map((order) => place.run(order))))
    expect(code, stderr).toBe(0);
  await expectAskedOnce([...shared, ...domainsOf('one', 30), ...domainsOf('two', 30)]);
  // Arrivals bunch on a busy machine, so all of them are looked at. Two that share nothing are done in 3.5 seconds.
  const times = place.vendor.requests().map(({ at }) => Date.parse(at));
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(5_000);
});

test('what would change something at the service is refused before anything is asked, and at its plan already', async () => {
  const { place, store } = await openHost();
  place.writePeople(['ada@acme.example']);
  const more = ['--account', 'sandbox-service'];
  const planning = ['plan', 'invite-user', place.path('list.csv'), '--store', store, ...more];
  const ran = await place.runHere({ store, job: 'invite-user', more });
  for (const { code, stderr } of [ran, await place.typeHere(planning)]) {
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('takes only jobs that look things up');
  }
  expect((await place.vendor.book()).requests).toBe(0);
});

test('a server that forgets what it committed is refused', async () => {
  const { place, store, server } = await hostWithList();
  await server.setting('fsync', 'off');
  try {
    const { code, stderr } = await place.runHere({ store });
    expect({ code, requests: (await place.vendor.book()).requests }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toContain('has fsync=off');
  } finally {
    await server.setting('fsync', 'on');
  }
});

// ------------------------------------------------------------------------------------------------ workers

/** An output without the times of its answers. */
const outputOf = (place: Workplace, name: string): string =>
  readFileSync(place.path(name), 'utf8').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

test('a list that is left to workers is finished by another process, and its output is that of a run with a folder, to the byte', async () => {
  const host = await openHost();
  const { place, store } = host;
  const domains = domainsOf('left', 120);
  const list = [...domains, ...domains.slice(0, 20), 'no domain at all', ''];
  place.writeList(list);
  const submitted = await place.runHere({ store, more: ['--detach'] });
  expect(submitted, submitted.stderr).toMatchObject({
    code: 0,
    report: { counts: {}, output: null, stopped: null },
  });
  const { batch = '' } = submitted.report ?? {};
  expect(submitted.stderr).toContain(`status ${batch} --store ${store}`);
  expect(place.vendor.requests()).toEqual([]);
  // The worker has another folder, and no list.
  mkdirSync(place.path('elsewhere'));
  const worker = host.startWorker([], { HOME: place.path('elsewhere') });
  await host.ended(list.length);
  worker.signal('SIGTERM');
  expect((await worker.ended).code).toBe(143);
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
  await host.detach();
  const workers = [host.startWorker(), host.startWorker()];
  await host.ended(domains.length);
  for (const worker of workers) worker.signal('SIGTERM');
  for (const { stderr } of await Promise.all(workers.map(({ ended }) => ended)))
    expect(stderr).not.toMatch(/fail|bug/i);
  expect(await host.query('SET statement_timeout = 0; SELECT DISTINCT state FROM rows')).toEqual([
    { state: 'matched' },
  ]);
  await host.expectAskedOnce(domains);
});

test('the range of a worker that is killed goes on with another one, and no step of its rows is bought twice', async () => {
  const host = await openHost({ latencyMs: 100, concurrency: 4 });
  const { place, store } = host;
  const rows = Array.from({ length: 60 }, (_, at) => `c${at % 20}.example,p${at}@c${at % 20}.example`);
  writeFileSync(place.path('list.csv'), `Domain,Email\n${rows.join('\n')}\n`);
  const order = { job: 'enrich-company,enrich-person' };
  await host.detach(order);
  const workers = [host.startWorker(), host.startWorker()];
  for (const worker of workers) await worker.said(/ready, /);
  const asked = (): number => place.vendor.requests().length;
  await expect.poll(asked, { interval: 10 }).toBeGreaterThan(20);
  await workers.find(({ stderr }) => / taken$/m.test(stderr))?.kill();
  await host.server.passTime(store);
  const before = asked();
  await expect.poll(asked).toBeGreaterThan(before);
  await host.ended(rows.length);
  expect((await place.vendor.book()).charged_twice).toEqual([]);
  const doubts = await host.query(`SELECT id FROM attempts WHERE state = 'doubt'`);
  expect(doubts.length, 'at most what was on its way').toBeLessThanOrEqual(place.concurrency);
  const finished = await place.runHere({ store, ...order });
  const { matched = 0, in_doubt: inDoubt = 0 } = finished.report?.counts ?? {};
  expect(matched + inDoubt).toBe(rows.length);
});
