/**
 * Goal: workers that share an account never pass its limit, in no stretch of the window's length, however late their requests leave.
 * Method: places of the line in a real database, taken by lines whose clock and lateness the test plays.
 * `npm run faults -- --machines 4 --minutes 1` shows the same by processes and a vendor that counts.
 */
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { type PostgresDb, postgres } from '../../../src/ledger/db/postgres.ts';
import { SCHEMA } from '../../../src/ledger/db.ts';
import { Line, type SharedWindow } from '../../../src/ledger/limits.ts';
import { migrate } from '../../../src/ledger/schema.ts';
import { postgresServer } from '../stores/postgres-server.ts';

let db: PostgresDb;
let accounts = 0;

beforeAll(async () => {
  const server = await postgresServer();
  await server.createDatabase('lines');
  db = await postgres(server.url('lines'));
  await db.script(`CREATE SCHEMA ${SCHEMA};`);
  await migrate(db);
  return () => db.close();
});

async function newAccount(pausedUntil: number | null = null): Promise<number> {
  accounts += 1;
  await db.rows('INSERT INTO accounts (id, identity, paused_until) VALUES (?, ?, ?)', [
    accounts,
    `account ${accounts}`,
    pausedUntil,
  ]);
  return accounts;
}

const lineOf = (account: number, windows: readonly SharedWindow[], from: Pick<PostgresDb, 'rows'> = db) =>
  new Line(from, account, windows, systemClock);

const patient = (): number => systemClock.monotonicMs() + 60_000;

/** Leaves `lateMs` after it was due. @returns when. */
async function sent(line: Line, lateMs = 0): Promise<number> {
  const turn = await line.turn();
  await turn.untilDue(patient());
  if (lateMs > 0) await systemClock.sleep(lateMs);
  expect(turn.mayLeave()).toBe(true);
  turn.left();
  return systemClock.monotonicMs();
}

const mostWithin = (times: readonly number[], spanMs: number): number =>
  Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + spanMs).length));

test.each([
  ['one window', [{ requests: 10, windowMs: 500 }]],
  [
    'two windows',
    [
      { requests: 10, windowMs: 500 },
      { requests: 15, windowMs: 1_000 },
    ],
  ],
] as const)(
  'no stretch of %s has more requests than the limit, also where some leave late',
  { timeout: 30_000 },
  async (_, windows) => {
    const account = await newAccount();
    const all = [0, 1].map(async (worker) => {
      const line = lineOf(account, windows);
      const times: Promise<number>[] = [];
      for (let at = 0; at < 25; at += 1) {
        const time = sent(line, at % 9 === worker ? 60 : 0);
        times.push(time);
        if (at % 3 === 2) await time;
      }
      return Promise.all(times);
    });
    const times = (await Promise.all(all)).flat();
    for (const { requests, windowMs } of windows)
      expect(mostWithin(times, windowMs)).toBeLessThanOrEqual(requests);
  },
);

test('a worker that dies costs the others nothing but its places', async () => {
  const account = await newAccount();
  const windows = [{ requests: 10, windowMs: 1_000 }];
  await Promise.all([lineOf(account, windows).turn(), lineOf(account, windows).turn()]);
  const [line] = await db.rows<{ place: number }>('SELECT place FROM lines WHERE account = ?', [account]);
  expect(line).toEqual({ place: 2 });
  await sent(lineOf(account, windows));
});

test('nobody gets a place before a pause of the account is over', async () => {
  const account = await newAccount(Date.now() + 3_600_000);
  const line = lineOf(account, [{ requests: 10, windowMs: 1_000 }]);
  const waiting = line.turn();
  await expect.poll(() => line.waitMs, { interval: 10 }).toBeGreaterThan(3_000_000);
  line.close();
  await expect(waiting).rejects.toThrow();
});

test('a quota of an hour is not spread, no worker passes it, and what was not used of it is free again', async () => {
  const account = await newAccount();
  const quota = [{ requests: 3, windowMs: 3_600_000 }];
  const [one, other] = [lineOf(account, quota), lineOf(account, quota)];
  const turns = await Promise.all([one.turn(), one.turn(), one.turn()]);
  for (const turn of turns.slice(0, 2)) {
    await turn.untilDue(patient());
    expect(turn.mayLeave()).toBe(true);
    turn.left();
  }
  const waiting = other.turn();
  await expect.poll(() => other.waitMs, { interval: 10 }).toBeGreaterThan(3_000_000);
  // It is missed, so its place is let go, and taken anew.
  await systemClock.sleep(300);
  await turns[2]?.untilDue(patient());
  expect(turns[2]?.mayLeave()).toBe(true);
  other.close();
  await expect(waiting).rejects.toThrow();
});

test('a worker that cannot ask sends nothing: its request is given up in time, and who waits is told', async () => {
  const account = await newAccount();
  let isAway = false;
  const away = {
    rows: (...said: Parameters<typeof db.rows>) => (isAway ? new Promise<never>(() => {}) : db.rows(...said)),
  };
  const line = lineOf(account, [{ requests: 10, windowMs: 1_000 }], away as typeof db);
  const turn = await line.turn();
  isAway = true;
  await systemClock.sleep(400);
  await turn.untilDue(systemClock.monotonicMs() + 100);
  expect(turn.mayLeave()).toBe(false);
});
