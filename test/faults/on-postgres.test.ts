import { beforeAll, describe, expect, test } from 'vitest';
import { proof, some } from '../combinations.ts';
import { postgresServer, type Server } from '../ledger/stores/postgres-server.ts';
import { layOutOn, WORKER } from './laid-out.ts';
import type { Ended } from './program.ts';
import { domainsOf, type Order, Workplace } from './workplace.ts';

/*
 * Goal: a ledger in a database of PostgreSQL keeps what one in a folder keeps: nothing is bought twice, whatever is killed or cut
 * off, and the same command typed again ends the work.
 * Method: the real command over a real server, a database for each test. What was bought is read from the vendor's book.
 */

const ROWS = 24;
const DOMAINS = domainsOf('database', ROWS);

/** Laid out once: a copy of it takes a fraction of laying one out. */
const LAID_OUT = 'run_laid_out';

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
  await layOutOn(server, LAID_OUT);
});

let databases = 0;

/** The URL of whoever works there, under the role for that. */
async function freshStore(as = LAID_OUT, role = WORKER): Promise<string> {
  databases += 1;
  const name = `run_${databases}`;
  await server.createDatabase(name, as);
  return server.url(name, role);
}

const LIMITS = { per_second: 2_000, concurrency: 4 };

async function openPlace(): Promise<Workplace> {
  const place = await Workplace.open({ latencyMs: 25, account: { limits: LIMITS } });
  place.writeList(DOMAINS);
  return place;
}

/** No company was asked about twice, and what the last run says was spent is what the vendor charged and told of. */
async function expectBoughtOnce(place: Workplace, ended: Ended): Promise<void> {
  const asked = place.vendor.requests().map(({ body }) => body.domain);
  expect(asked.toSorted(), 'each company is asked about once').toEqual([...new Set(asked)].toSorted());
  const { credits, charged_twice: twice } = await place.vendor.book();
  expect(twice).toEqual([]);
  const { spent = 0, in_doubt: inDoubt = 0 } = ended.report?.credits ?? {};
  expect(credits).toBeGreaterThanOrEqual(spent);
  expect(credits).toBeLessThanOrEqual(spent + inDoubt);
}

describe('killed at a named point, the same command typed again ends the work', () => {
  const visits = [
    'after-send:6',
    'before-finish',
    'after-intent:3',
    'after-close:5',
    'after-row:7',
    'after-record:4',
  ];
  test.concurrent.each(some(visits, 1))('%s', async (crashAt) => {
    await using place = await openPlace();
    const store = await freshStore();
    const order: Order = { store };
    expect((await place.run({ ...order, crashAt })).signal).toBe('SIGKILL');
    await server.passTime(store);
    const ended = await place.runHere(order);
    const doubts = place.statuses().filter((status) => status === 'in_doubt').length;
    expect(ended.code, ended.stderr).toBe(doubts === 0 ? 0 : 3);
    expect(doubts, 'at most what was on its way').toBeLessThanOrEqual(place.concurrency);
    expect(place.statuses().filter((status) => status === 'matched')).toHaveLength(ROWS - doubts);
    await expectBoughtOnce(place, ended);
    const { requests } = await place.vendor.book();
    await place.runHere(order);
    expect((await place.vendor.book()).requests, 'a third time asks for nothing').toBe(requests);
  });
});

test('what would change something at the service is refused before anything is asked, and at its plan already', async () => {
  await using place = await openPlace();
  place.writePeople(['ada@acme.example']);
  const [store, more] = [await freshStore(), ['--account', 'sandbox-service']];
  const planning = ['plan', 'invite-user', place.path('list.csv'), '--store', store, ...more];
  const ran = await place.runHere({ store, job: 'invite-user', more });
  for (const { code, stderr } of [ran, await place.typeHere(planning)]) {
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('takes only jobs that look things up');
  }
  expect((await place.vendor.book()).requests).toBe(0);
});

test.each([
  ['postgres://me:secret@127.0.0.1:1/name', 'came with a password', 'PGPASSFILE'],
  ['postgres://me@127.0.0.1:1/name', 'cannot be reached', 'Check that the server runs'],
])('%s is refused, and no password is shown', async (store, fact, advice) => {
  await using place = await openPlace();
  const { code, stderr } = await place.runHere({ store });
  expect(code).toBe(2);
  expect(stderr).toContain(fact);
  expect(stderr).toContain(advice);
  expect(stderr).not.toContain('secret');
});

test('a server that forgets what it committed is refused', async () => {
  await using place = await openPlace();
  const store = await freshStore();
  await server.setting('fsync', 'off');
  try {
    const { code, stderr } = await place.runHere({ store });
    expect({ code, requests: (await place.vendor.book()).requests }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toContain('has fsync=off');
  } finally {
    await server.setting('fsync', 'on');
  }
});

test('a database is checked by adding up its budgets, and backed up by its own means', async () => {
  await using place = await openPlace();
  const store = await freshStore();
  const type = (...words: readonly string[]) => place.typeHere(['store', ...words, '--store', store]);
  expect((await place.runHere({ store })).code).toBe(0);
  expect(await type('check')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('4 budgets added up'),
  });
  expect(await type('info')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/: \d+\.\d MB, 1 batch\.$/m),
  });
  expect((await place.typeHere(['doctor', '--store', store])).stdout).toMatch(
    /^ok {7}server .*PostgreSQL \d+.*, fsync on, synchronous_commit on/m,
  );
  const backup = await type('backup', 'kept.dump');
  expect(backup).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Back it up where it runs, by pg_dump'),
  });
  await server.query(
    `run_${databases}`,
    "UPDATE rowonce_ledger.budgets SET spent = spent - 1 WHERE scope LIKE 'batch:%'",
  );
  const wrong = await type('check');
  expect(wrong).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/^batch [0-9a-f]{8}: 23 spent and 0 held are booked/),
  });
  expect(wrong.stdout).toContain(`its entries add up to ${ROWS} spent`);
});

proof(
  'another accounts file than the ledger goes by is refused, until its limits and budgets are let hold for all',
  async () => {
    await using place = await openPlace();
    const store = await freshStore();
    expect((await place.runHere({ store })).code).toBe(0);
    place.writeAccount(place.vendor.url, { limits: LIMITS, budget: { per_day: 1_000 } });
    place.writeList(domainsOf('other', 2));
    const refused = await place.runHere({ store });
    expect(refused).toMatchObject({ code: 2, report: { stopped: { code: 'account' } } });
    expect((await place.vendor.book()).requests).toBe(ROWS);
    expect(refused.stderr).toContain('but 2000 requests in 1 s and 1000 credits a day in');
    expect(refused.stderr).toContain(`rowonce store caps ${store}`);
    const held = await place.typeHere(['store', 'caps', store]);
    expect(held).toMatchObject({
      code: 0,
      stdout:
        'data: 2000 requests in 1 s and 1000 credits a day; before, 2000 requests in 1 s and no budget.\n',
    });
    expect((await place.typeHere(['store', 'caps', store])).stdout).toMatch(/, as before\.\n$/);
    expect(await place.runHere({ store })).toMatchObject({ code: 0, report: { requests: 2 } });
    const folder = await place.typeHere(['store', 'caps', place.path('store')]);
    expect(folder).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('one process at a time spends'),
    });
  },
);
