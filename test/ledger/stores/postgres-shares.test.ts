import { expect, test } from 'vitest';
import type {
  AccountHeard,
  AccountSaid,
  BatchId,
  SharedWindow,
  Spenders,
} from '../../../src/ledger/ledger.ts';
import { SHARE_HOLDS_MS } from '../../../src/ledger/ledger.ts';
import type { Database } from '../../../src/ledger/stores/postgres/connection.ts';
import type { Session } from '../../../src/ledger/stores/postgres/session.ts';
import { newWorker, spenders } from '../../../src/ledger/stores/postgres/spenders.ts';
import { some } from '../../combinations.ts';
import { ACCOUNT, answered, batchNamed } from './book.ts';
import { twoWorkers, type Workplace, workplace } from './postgres-workers.ts';

// Goal: in no window do all workers together send more than the limit of their account, whatever becomes of them and of their beats.
// Method: workers that send as much as they may, over the real database, whose clock moves by the test alone.

const LIMIT = { requests: 7, windowMs: 1_000 };
const QUOTA = { requests: 60, windowMs: 70_000 };

const saying = (more: Partial<AccountSaid> = {}): AccountSaid => ({
  ...{
    account: ACCOUNT,
    limit: LIMIT,
    quotas: [],
    wants: true,
    inFlight: 0,
    sends: 0,
    batches: [] as BatchId[],
  },
  ...more,
});

/** Numbers that look random, and are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A worker that sends whatever its share allows, and of which some beats are never answered. */
class Greedy {
  readonly #place: Workplace;
  readonly #id: number;
  readonly #limiter: { share: number; most: number; untilMs: number } = { share: 0, most: 0, untilMs: 0 };
  readonly sent: number[] = [];
  #heard = 0;
  #waiting: { told: number; at: AccountHeard; askedMs: number } | undefined;
  wants = true;
  /** Its beats arrive, and no answer to them. */
  isDeaf = false;

  readonly #quotas: readonly SharedWindow[];

  constructor(place: Workplace, id: number, quotas: readonly SharedWindow[]) {
    this.#place = place;
    this.#quotas = quotas;
    this.#id = id;
  }

  /** What it was answered before, and has not heard yet, is heard first, or never. */
  async beat(nowMs: number, isHeard: boolean): Promise<void> {
    if (isHeard) this.hear();
    this.#waiting = undefined;
    const askedMs = nowMs;
    const said = [saying({ quotas: this.#quotas, wants: this.wants, sends: this.sent.length })];
    const answer = await this.#place.database.row<{ heard: { told: number; accounts: AccountHeard[] } }>(
      'SELECT beat($1, $2, 1, $2, $3, $4) AS heard',
      [this.#id, 'host', this.#heard, JSON.stringify(said)],
    );
    const at = answer?.heard.accounts[0];
    if (at !== undefined) this.#waiting = { told: answer?.heard.told ?? 0, at, askedMs };
  }

  hear(): void {
    if (this.#waiting === undefined || this.isDeaf) return;
    const { told, at, askedMs } = this.#waiting;
    this.#heard = told;
    Object.assign(this.#limiter, {
      share: at.share,
      most: at.mostSends ?? Infinity,
      untilMs: askedMs + SHARE_HOLDS_MS,
    });
    this.#waiting = undefined;
  }

  send(nowMs: number): void {
    const { share, most, untilMs } = this.#limiter;
    const recent = this.sent.filter((at) => at > nowMs - LIMIT.windowMs).length;
    for (let left = share - recent; left > 0 && nowMs < untilMs && this.sent.length < most; left -= 1)
      this.sent.push(nowMs);
  }
}

/** The most that was sent in any stretch of that length. */
function mostIn(sent: readonly number[], windowMs: number): number {
  const sorted = sent.toSorted((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((at) => sorted.filter((other) => other >= at && other < at + windowMs).length),
  );
}

/** What a worker does between two moments, as chance has it. */
async function act(worker: Greedy, nowMs: number, random: () => number): Promise<void> {
  if (random() < 0.3) worker.hear();
  worker.send(nowMs);
  if (random() < 0.55) await worker.beat(nowMs, random() < 0.8);
  if (random() < 0.04) worker.wants = !worker.wants;
  if (random() < 0.06) worker.isDeaf = !worker.isDeaf;
  worker.send(nowMs);
}

test.each(
  some(
    [1, 2, 3, 4].flatMap((seed) => [
      { seed, quotas: [] },
      { seed, quotas: [QUOTA] },
    ]),
    1,
  ),
)(
  'workers that come, go, hang and miss answers keep to the limit and quotas: %o',
  async ({ seed, quotas }) => {
    const place = await workplace();
    const random = numbers(seed);
    const all: Greedy[] = [];
    const born = (): Greedy => {
      all.push(new Greedy(place, all.length + 1, quotas));
      return all.at(-1) as Greedy;
    };
    let live = [born(), born()];
    for (let step = 0, nowMs = 0; step < 400; step += 1) {
      const waitMs = Math.floor(random() * 400) + 1;
      nowMs += waitMs;
      await place.later(waitMs);
      for (const worker of live) await act(worker, nowMs, random);
      if (random() < 0.03) live = live.slice(live.length > 1 ? 1 : 0);
      if (random() < 0.06 && live.length < 4) live = [...live, born()];
      // A process that was held and goes on sends by what it knew.
      for (const worker of all) worker.send(nowMs);
    }
    const sent = all.flatMap((worker) => worker.sent);
    expect(mostIn(sent, LIMIT.windowMs)).toBeLessThanOrEqual(LIMIT.requests);
    for (const { requests, windowMs } of quotas) expect(mostIn(sent, windowMs)).toBeLessThanOrEqual(requests);
    expect(sent.length, 'and they do send').toBeGreaterThan(40);
  },
);

test('one worker has the whole limit, two have a half each some beats later, and a worker that wants nothing has none', async () => {
  const [place, one, other] = await twoWorkers();
  const beat = async (ledger: typeof one, more: Partial<AccountSaid> = {}) =>
    (await ledger.spenders?.beat({ accounts: [saying(more)] }))?.accounts[0]?.share;
  await place.later(0);
  expect(await beat(one)).toBe(7);
  expect(await beat(other), 'all of it may have been sent').toBe(0);
  for (let second = 0; second < 3; second += 1) {
    await place.later(1_001);
    await Promise.all([beat(one), beat(other)]);
  }
  expect([await beat(one), await beat(other)]).toEqual([4, 3]);
  await beat(one, { wants: false });
  await place.later(1_001);
  await beat(one, { wants: false });
  await place.later(1_001);
  expect([await beat(one, { wants: false }), await beat(other)]).toEqual([0, 7]);
});

test('an answer that is overtaken by a later one is not taken for heard: what it takes away goes to nobody while it may be used', async () => {
  const [place, , other] = await twoWorkers();
  const stuck = Promise.withResolvers<void>();
  // The second beat waits for a connection, as where the server has none left, and the third finds one.
  const ways = [undefined, stuck.promise];
  const database: Database = Object.create(place.database, {
    atOnce: { get: () => database },
    row: {
      value: async (text: string, values: readonly unknown[]) => {
        await ways.shift();
        return place.database.row(text, values);
      },
    },
  });
  const worker = await newWorker(place.database, 'run the tests');
  const one = spenders({ database, worker, command: 'run the tests', seen: undefined } as Session);
  const shareOf = async ({ beat }: Pick<Spenders, 'beat'>): Promise<number | undefined> =>
    (await beat({ accounts: [saying()] })).accounts[0]?.share;
  const others = other.spenders as Spenders;
  await place.later(0);
  expect(await shareOf(one)).toBe(7);
  const overtaken = shareOf(one);
  expect(await shareOf(one), 'which it goes by').toBe(7);
  expect(await shareOf(others)).toBe(0);
  stuck.resolve();
  await overtaken;
  expect(await shareOf(one), 'until here all of it may have been sent').toBe(3);
  await place.later(1_001);
  expect(await shareOf(others)).toBe(0);
  expect(await shareOf(one)).toBe(3);
  await place.later(1_001);
  expect(await shareOf(others)).toBe(4);
});

test('workers that begin at once have no more together than the limit', async () => {
  const [, one, other] = await twoWorkers();
  for (let round = 0; round < 20; round += 1) {
    const account = `account ${round}`;
    await one.spenders?.beat({ accounts: [saying({ account, wants: false })] });
    const accounts = [saying({ account })];
    const heard = await Promise.all([one, other].map((ledger) => ledger.spenders?.beat({ accounts })));
    const shares = heard.map((each) => each?.accounts[0]?.share ?? 0);
    expect((shares[0] ?? 0) + (shares[1] ?? 0)).toBe(7);
  }
});

test('what a worker had that is heard of no more goes to the others a window after its last possible send', async () => {
  const [place, one, other] = await twoWorkers();
  const beat = async (ledger: typeof one) =>
    (await ledger.spenders?.beat({ accounts: [saying()] }))?.accounts[0]?.share;
  await place.later(0);
  await beat(one);
  await place.later(SHARE_HOLDS_MS + LIMIT.windowMs);
  expect(await beat(other)).toBe(0);
  await place.later(1);
  expect(await beat(other)).toBe(7);
});

test('a worker that vanished with a part of a quota counts as having sent it, until that is a window ago', async () => {
  const [place, gone, other] = await twoWorkers();
  const quotas = [{ requests: 2, windowMs: 70_000 }];
  const beat = async (ledger: typeof gone, sends: number) =>
    (await ledger.spenders?.beat({ accounts: [saying({ quotas, sends })] }))?.accounts[0]?.mostSends;
  await place.later(0);
  expect(await beat(gone, 0)).toBe(1);
  await place.later(SHARE_HOLDS_MS + LIMIT.windowMs + 1);
  expect([await beat(other, 0), await beat(other, 1)], 'the other half').toEqual([1, 1]);
  await place.later(70_700);
  expect(await beat(other, 1)).toBe(2);
});

test('a limiter that begins anew in the same process has nothing before what the former one has sent is a window old', async () => {
  const [place, one] = await twoWorkers();
  const beat = async (sends: number) =>
    (await one.spenders?.beat({ accounts: [saying({ sends })] }))?.accounts[0]?.share;
  await place.later(0);
  expect([await beat(0), await beat(7)]).toEqual([7, 7]);
  expect(await beat(0)).toBe(0);
  await place.later(SHARE_HOLDS_MS + LIMIT.windowMs + 1);
  expect(await beat(0)).toBe(7);
});

test('of workers that probe one has a share of one, and without a known limit each goes by what it learns', async () => {
  const [place, one, other] = await twoWorkers();
  await place.later(0);
  const beat = async (ledger: typeof one, more: Partial<AccountSaid>) =>
    (await ledger.spenders?.beat({ accounts: [saying(more)] }))?.accounts[0]?.share;
  expect(await beat(one, { isProbing: true })).toBe(1);
  expect(await beat(other, { isProbing: true })).toBe(0);
  expect(await beat(other, {}), 'whose answers come').toBe(6);
  const unknown = { account: 'another account', limit: undefined } as unknown as Partial<AccountSaid>;
  expect([await beat(one, unknown), await beat(other, unknown)]).toEqual([Infinity, Infinity]);
});

test('what one is told, the others hear: a pause, an end until a person goes on, a batch that is paused or over, misses', async () => {
  const [place, one, other] = await twoWorkers();
  await place.later(0);
  const [held, over, goesOn] = [
    await batchNamed(one, 'held'),
    await batchNamed(one, 'over'),
    await batchNamed(one, 'on'),
  ];
  await one.noteHold(held, true, 0);
  await one.changeBatch(over, { state: 'cancelled' });
  await answered(one, goesOn, 'missed', { kind: 'no_match', charged: 0, status: 404 });
  const pause = { leftMs: 3_000, why: 'too fast', asked: true };
  const end = { code: 'key', message: 'The key is dead.', next: 'Put a new one in.' } as const;
  await one.spenders?.beat({ accounts: [saying({ pause, end })] });
  await place.later(1_000);
  const accounts = [saying({ batches: [held, over, goesOn], pause: { ...pause, leftMs: 10 } })];
  const heard = await other.spenders?.beat({ accounts });
  expect(heard?.accounts[0]).toMatchObject({
    ...{ pause: { ...pause, leftMs: 2_000 }, end, held: [held], over: [over] },
    known: { answers: 1, answersNot404: 0, found: 0, misses: { count: 1, kept: false } },
  });
  await other.spenders?.goOn(ACCOUNT);
  await place.later(2_001);
  const again = await one.spenders?.beat({ accounts: [saying()] });
  expect(again?.accounts[0]?.end).toBeUndefined();
  expect(again?.accounts[0]?.pause).toBeUndefined();
});

test('a worker that goes by another limit than one at work has no share, and hears who says what', async () => {
  const [place, one, other] = await twoWorkers();
  await place.later(0);
  await one.spenders?.beat({ accounts: [saying()] });
  const changed = { accounts: [saying({ limit: { requests: 9, windowMs: 1_000 } })] };
  const refused = (await other.spenders?.beat(changed))?.accounts[0];
  expect(refused).toMatchObject({ share: 0, end: { code: 'account' } });
  expect(refused?.end?.message).toMatch(
    /9 requests in 1000 ms; in that of process \d+ on .+, which is at work, 7 requests in 1000 ms/,
  );
  await place.later(SHARE_HOLDS_MS + 1_001);
  expect((await other.spenders?.beat(changed))?.accounts[0]?.share).toBe(9);
});

test('workers are shown with what they said last, for as long as they say anything', async () => {
  const [place, one, other] = await twoWorkers();
  await place.later(0);
  await one.spenders?.beat({ accounts: [saying({ inFlight: 3 })] });
  await place.later(2_000);
  const shown = await other.workers?.();
  expect(shown).toMatchObject([
    {
      pid: process.pid,
      command: 'run the tests',
      beatAgoMs: 2_000,
      accounts: [{ account: ACCOUNT, inFlight: 3, share: 7 }],
    },
    { pid: process.pid, accounts: [] },
  ]);
  expect(shown?.[1]).not.toHaveProperty('beatAgoMs');
  await one.close();
  expect(await other.workers?.()).toHaveLength(1);
});
