/**
 * Goal: workers that share an account never pass its limit, in no stretch of the window's length, whatever they tell late or never.
 * Method: places of the line in a real database, taken and told of by workers that the test plays; the times are those that the line gives.
 * `npm run faults -- --machines 4 --minutes 1` shows the same by processes and a vendor that counts.
 */
import { beforeAll, expect, test } from 'vitest';
import { Line } from '../../../src/client/limits/line.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { openPostgres, type PostgresDb } from '../../../src/ledger/db/postgres.ts';
import { SCHEMA } from '../../../src/ledger/db.ts';
import { layAll } from '../../../src/ledger/schema.ts';
import { placesIn, type SharedWindow } from '../../../src/ledger/spenders.ts';
import { randomFrom } from '../../../src/sandbox/random.ts';
import { postgresServer } from '../stores/postgres-server.ts';

let db: PostgresDb;
let accounts = 0;

beforeAll(async () => {
  const server = await postgresServer();
  await server.createDatabase('lines');
  db = await openPostgres(server.url('lines'));
  await db.script(`CREATE SCHEMA ${SCHEMA};`);
  await layAll(db);
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

interface Taken {
  readonly place: number;
  readonly places: number;
  readonly due_us: number;
  readonly now_us: number;
  readonly stepUs: number;
}

const SECOND_US = 1_000_000;
const LATEST_US = 35_000;
/** Much sooner than the limit, so that the guard is all that holds it. */
const STEP_US = 10_000;

interface Asked {
  readonly windows: readonly { readonly requests: number; readonly us: number }[];
  readonly wanted: number;
  readonly stepUs?: number;
  readonly aheadUs?: number;
  readonly told?: readonly Told[];
}

async function take(account: number, asked: Asked): Promise<Taken> {
  const { windows, wanted, stepUs = STEP_US, aheadUs = 100 * SECOND_US, told = [] } = asked;
  const said = [account, wanted, JSON.stringify(windows), stepUs, aheadUs, LATEST_US, JSON.stringify(told)];
  const [taken] = await db.rows<Taken>('SELECT * FROM take_places(?, ?, ?, ?, ?, ?, CAST(? AS JSON))', said);
  if (taken === undefined) throw new Error('the line answers');
  return { ...taken, stepUs };
}

interface Told {
  readonly place: number;
  /** When its request was at the vendor at the latest; null: it was not used. */
  readonly at: number | null;
}

interface Sent {
  readonly leavesUs: number;
  readonly comesUs: number;
}

interface Done {
  readonly sent: readonly Sent[];
  readonly tells: readonly Told[];
}

const timesOf = ({ places, due_us, stepUs }: Taken): readonly number[] =>
  Array.from({ length: places }, (_, at) => due_us + at * stepUs);

function worksWith(taken: Taken, any: () => number): Done {
  const sent: Sent[] = [];
  const tells = timesOf(taken).map((leavesUs, at): Told => {
    const isUsed = any() < 0.8;
    const comesUs = leavesUs + Math.floor(any() * LATEST_US);
    if (isUsed) sent.push({ leavesUs, comesUs });
    return { place: taken.place + at, at: isUsed ? comesUs : null };
  });
  return { sent, tells };
}

/** It may have sent all, each as late as it can be, and says nothing. */
const diesWith = (taken: Taken): Done => ({
  sent: timesOf(taken).map((leavesUs) => ({ leavesUs, comesUs: leavesUs + LATEST_US })),
  tells: [],
});

const SECOND = { requests: 20, us: SECOND_US };
const TEN_SECONDS = { requests: 150, us: 10 * SECOND_US };

test.for([
  ['one window', [SECOND]],
  ['two windows', [SECOND, TEN_SECONDS]],
] as const)(
  'no stretch of %s has more requests than the limit, however late they come and whoever tells of them',
  async ([, windows]) => {
    const account = await newAccount();
    const any = randomFrom('limits').fraction;
    const requests: Sent[] = [];
    let told: Told[] = [];
    for (let takes = 0; takes < 200; takes += 1) {
      const isTold = any() < 0.5;
      // Of who has just begun with another limit.
      const stepUs = any() < 0.5 ? STEP_US : 3 * STEP_US;
      const wanted = 1 + Math.floor(any() * 8);
      const taken = await take(account, { windows, wanted, stepUs, told: isTold ? told : [] });
      const { sent, tells } = any() < 0.1 ? diesWith(taken) : worksWith(taken, any);
      requests.push(...sent);
      told = [...(isTold ? [] : told), ...tells];
    }
    expect(requests.length).toBeGreaterThan(600);
    for (const { requests: most, us } of windows) {
      const close = requests.filter(
        ({ leavesUs }, at) => leavesUs < (requests[at - most]?.comesUs ?? -us) + us,
      );
      expect(close).toEqual([]);
    }
  },
);

test('a worker that dies costs the others nothing but its places', async () => {
  const account = await newAccount();
  const windows = [SECOND];
  const dead = await take(account, { windows, wanted: 5 });
  const next = await take(account, { windows, wanted: 15 });
  expect(next.due_us).toBe(dead.due_us + 5 * STEP_US);
  const after = await take(account, { windows, wanted: 1 });
  expect(after.due_us).toBe(dead.due_us + LATEST_US + SECOND_US);
});

test('places that were not used are free again, of a second and of an hour', async () => {
  const account = await newAccount();
  const windows = [SECOND, { requests: 30, us: 3_600 * SECOND_US }];
  const first = await take(account, { windows, wanted: 20 });
  const told = Array.from({ length: 18 }, (_, at) => ({ place: first.place + 2 + at, at: null }));
  const next = await take(account, { windows, wanted: 18, told });
  expect(next).toMatchObject({ places: 18, due_us: first.due_us + 20 * STEP_US });
  expect(await take(account, { windows, wanted: 20 })).toMatchObject({ places: 10 });
  const none = await take(account, { windows, wanted: 20 });
  expect(none.places).toBe(0);
  expect(none.due_us).toBeGreaterThan(none.now_us);
});

test('nobody gets a place before a pause of the account is over, or that is due much later', async () => {
  const later = Date.now() + 3_600_000;
  const account = await newAccount(later);
  const windows = [SECOND];
  expect(await take(account, { windows, wanted: 1 })).toMatchObject({ places: 0, due_us: later * 1_000 });
  const other = await newAccount();
  const ahead = { windows, wanted: 20, aheadUs: SECOND_US / 2 };
  expect(await take(other, ahead)).toMatchObject({ places: 20 });
  expect(await take(other, ahead)).toMatchObject({ places: 0 });
});

const lineOf = (account: number, windows: readonly SharedWindow[], through = db): Line =>
  new Line(placesIn(through, account), windows, systemClock);

const patient = (): number => systemClock.monotonicMs() + 60_000;

test('a request that leaves late, as by a new connection, keeps the one a window later as far from it', async () => {
  const account = await newAccount();
  const line = lineOf(account, [{ requests: 1, windowMs: 1_000 }]);
  const turn = await line.turn();
  await turn.untilDue(patient());
  await systemClock.sleep(300);
  expect(turn.mayLeave()).toBe(true);
  turn.sent();
  await line.turn();
  const [first, second] = await db.rows<{ at_us: number }>(
    'SELECT at_us FROM places WHERE account = ? ORDER BY place',
    [account],
  );
  expect((second?.at_us ?? 0) - (first?.at_us ?? 0)).toBeGreaterThanOrEqual(1_000_000);
});
