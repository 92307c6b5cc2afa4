/**
 * Goal: a clock that is wrong, this machine's or the vendor's, opens no budget twice, makes nothing old, and stops no one for ever.
 * Method: the time of an account over a real ledger with a budget of ten credits a day, bought from by the hour. The machine's clock is
 * set, stopped with the machine, or goes on; the vendor says what time it is there with each answer, and when a run asks before it buys.
 */
import { describe, expect, test } from 'vitest';
import { AccountTime } from '../../src/client/time.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { type BatchId, credits, type Ledger } from '../../src/ledger/ledger.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import { type AccountRun, asksTimeFirst, tellTime } from '../../src/run/session.ts';
import { ACCOUNT, answered, batchNamed, DAY_MS } from '../ledger/stores/book.ts';
import { freshLedger } from '../ledger/stores/places.ts';

const HOUR_MS = 3_600_000;
const NINE_MS = Date.UTC(2026, 10, 26, 9);
const PER_DAY = 10;

class World {
  readonly ledger: Ledger;
  readonly batch: BatchId;
  nowMs = NINE_MS;
  #monotonicMs = 0;
  #setMs = 0;
  #vendorMs: number | null = 0;
  #bought = 0;
  readonly notes: string[] = [];
  time!: AccountTime;

  private constructor(ledger: Ledger, batch: BatchId) {
    this.ledger = ledger;
    this.batch = batch;
  }

  static async begin(): Promise<World> {
    const ledger = await freshLedger(sqlite);
    await ledger.setAccountCaps(ACCOUNT, { perDay: credits(PER_DAY) });
    return new World(ledger, await batchNamed(ledger, 'a'));
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.#monotonicMs += ms;
  }

  /** The machine sleeps, and its monotonic clock with it. */
  sleep(ms: number): void {
    this.nowMs += ms;
  }

  /** How far this machine's clock is ahead; negative: behind. */
  set(ms: number): void {
    this.#setMs = ms;
  }

  /** How far the vendor's clock is ahead; null: it says no time. */
  vendor(ms: number | null): void {
    this.#vendorMs = ms;
  }

  /** A run begins, in a process of its own, and buys up to so many. @returns how many it bought. */
  async run(most: number, before: Partial<AccountRun> = {}): Promise<number> {
    const clock: Clock = {
      wallMs: () => this.nowMs + this.#setMs,
      monotonicMs: () => this.#monotonicMs,
      sleep: async () => {},
    };
    this.time = await AccountTime.of(clock, this.ledger, ACCOUNT);
    await this.ask(before);
    return this.buy(most);
  }

  /** The vendor says what time it is, where a run asks before it buys. */
  async ask(before: Partial<AccountRun> = {}): Promise<void> {
    const client = { askTime: async () => this.hear(), dialect: {} };
    const account = { sandbox: false, budget: { perDay: credits(PER_DAY) } };
    const session = { account, clock: this.time, client };
    const run = { ...before, session } as unknown as AccountRun;
    if (!asksTimeFirst(run)) return;
    await tellTime(run).catch((error) => expect(error).toMatchObject({ code: 'clock' }));
  }

  /** The run goes on. */
  async buy(most: number): Promise<number> {
    for (let bought = 0; bought < most; bought += 1) {
      if (this.time.apart !== undefined) return bought;
      const atMs = this.time.wallMs();
      const { spent } = await this.ledger.accountMoney(ACCOUNT, 'day', atMs);
      if (spent >= PER_DAY) return bought;
      this.#bought += 1;
      await answered(this.ledger, this.batch, `call-${this.#bought}`, { atMs, endedAtMs: atMs });
      this.hear();
    }
    return most;
  }

  hear(headers: Record<string, string> = {}, askedMs = this.time.machine.wallMs()): void {
    const date = this.#vendorMs === null ? {} : { date: new Date(this.nowMs + this.#vendorMs).toUTCString() };
    const news = this.time.readDate({ ...date, ...headers }, askedMs);
    if (news !== undefined) this.notes.push(news);
  }

  async agreedMs(): Promise<number | undefined> {
    // What was told is written in turn.
    await this.ledger.changeAccount(ACCOUNT, {});
    return (await this.ledger.account(ACCOUNT)).agreedMs;
  }
}

type Scenario = readonly [what: string, happens: (world: World) => Promise<unknown>, comes: unknown];

/** What each of several moments has bought. */
const SCENARIOS: readonly Scenario[] = [
  [
    'three days ahead: nothing is bought',
    async (world) => [await world.run(20), world.set(3 * DAY_MS), await world.run(20), await world.run(20)],
    [10, undefined, 0, 0],
  ],
  [
    'that leaps ahead in the middle of a run: no budget of tomorrow, and none of next week',
    async (world) => [
      await world.run(10),
      world.set(20 * HOUR_MS),
      await world.buy(5),
      world.set(9 * DAY_MS),
      await world.buy(5),
    ],
    [10, undefined, 0, undefined, 0],
  ],
  [
    'set back into yesterday: no budget of yesterday',
    async (world) => [await world.run(10), world.set(-10 * HOUR_MS), await world.run(10)],
    [10, undefined, 0],
  ],
  [
    'of a vendor that says 2030 once: nothing more is bought then, and the next day is as ever',
    async (world) => [
      await world.run(3),
      world.vendor(1_200 * DAY_MS),
      await world.buy(1),
      await world.buy(1),
      world.vendor(0),
      world.pass(DAY_MS),
      await world.run(20),
    ],
    [3, undefined, 1, 0, undefined, undefined, 10],
  ],
  [
    'a year ahead: a run that buys anew what is old asks first, and buys nothing',
    async (world) => [
      await world.run(1),
      world.set(365 * DAY_MS),
      await world.run(5, { begunMs: world.nowMs + 365 * DAY_MS }),
    ],
    [1, undefined, 0],
  ],
];

describe('a wrong clock', () => {
  test.each(SCENARIOS)('%s', async (_what, happens, comes) => {
    const world = await World.begin();
    expect(await happens(world)).toEqual(comes);
  });
});

test('rows that begin together ask for the time once, also where the row that asks is stopped', async () => {
  const { ledger } = await World.begin();
  const time = await AccountTime.of(systemClock, ledger, ACCOUNT);
  let asked = 0;
  const ask = async (): Promise<void> => {
    asked += 1;
    await new Promise((resolve) => setImmediate(resolve));
    if (asked === 1) throw new Error('stopped');
    time.readDate({ date: new Date().toUTCString() }, Date.now());
  };
  const ended = await Promise.allSettled(Array.from({ length: 40 }, () => time.askedBy(ask)));
  expect([asked, ended.filter(({ status }) => status === 'rejected').length]).toEqual([2, 1]);
});

describe('the Date of an answer', () => {
  test('the Date of an answer that a cache has kept is no witness, and one of this second is', async () => {
    const world = await World.begin();
    world.vendor(null);
    await world.run(0);
    const date = new Date(NINE_MS).toUTCString();
    world.hear({ date, age: '60' });
    expect([world.time.isSure, await world.agreedMs()], 'the vendor says none').toEqual([true, undefined]);
    world.hear({ date, age: '0' });
    expect(await world.agreedMs()).toBe(NINE_MS);
  });

  test('the Date of an answer makes a key no younger: of two clocks the later one says how long the vendor has had it', async () => {
    const world = await World.begin();
    world.set(-10 * HOUR_MS);
    await world.run(1);
    expect([world.time.wallMs(), world.time.latestMs()]).toEqual([NINE_MS - 10 * HOUR_MS, NINE_MS + 1_000]);
    world.vendor(-10 * HOUR_MS);
    world.set(0);
    await world.run(1);
    expect(world.time.latestMs()).toBe(NINE_MS);
    expect(world.time.earliestMs(), 'its first use is dated by the vendor alone').toBe(
      NINE_MS - 10 * HOUR_MS,
    );
    world.vendor(null);
    await world.run(1);
    expect([world.time.earliestMs(), world.time.latestMs()]).toEqual([0, Number.POSITIVE_INFINITY]);
  });
});
