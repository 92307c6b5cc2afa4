/**
 * Goal: what the calendar, the boot clock and answers say makes a time that may be believed, and bounds of how long ago
 * something was: a witness may forbid and never permits.
 * Method: clocks that a test sets, and a store, which keeps what is known from one process to the next.
 */
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import { APART_MS, BelievedTime, type Moment, type Witness } from '../../src/time/believed-time.ts';
import { ACCOUNT, admit, batchNamed, lost, NOON_MS, stateOf } from '../ledger/stores/book.ts';
import { freshLedger } from '../ledger/stores/places.ts';

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** A machine whose clocks are set one by one. Time itself passes with `pass`. */
class Machine implements Clock {
  id = 'first';
  wall = NOON_MS;
  up = 5_000;
  mono = 100;

  wallMs = (): number => this.wall;
  monotonicMs = (): number => this.mono;
  /** As where it is read from a file that is renewed a hundred times a second. */
  boot = () => ({ id: this.id, uptimeMs: Math.floor(this.up / 10) * 10 });
  sleep = async (): Promise<void> => {};

  pass(ms: number): void {
    this.wall += ms;
    this.up += ms;
    this.mono += ms;
  }

  restart(id: string): void {
    Object.assign(this, { id, up: 1_000, mono: 10 });
  }
}

interface Place {
  readonly machine: Machine;
  readonly ledger: Ledger;
  /** A process that begins now. */
  open(): Promise<BelievedTime>;
}

async function place(): Promise<Place> {
  const machine = new Machine();
  const ledger = await freshLedger(sqlite);
  // What an answer told is written in the next commit.
  for (const name of ['atBoot', 'keptTime', 'confirmedTime'] as const) {
    const read = ledger[name].bind(ledger) as (...asked: readonly unknown[]) => Promise<unknown>;
    const value = async (...asked: readonly unknown[]) => {
      await ledger.setAccountCaps(ACCOUNT, {});
      return read(...asked);
    };
    Object.defineProperty(ledger, name, { value });
  }
  return { machine, ledger, open: () => BelievedTime.over(machine, ledger) };
}

/** An answer with these headers comes to a request that has just left. */
function hear(
  time: BelievedTime,
  headers: Record<string, string>,
  { askedMs = time.machine.wallMs(), witness = VENDOR }: { askedMs?: number; witness?: Witness } = {},
): void {
  const raw = { status: 200, headers, body: Buffer.alloc(0), receivedAtMs: 0 };
  time.heard({ kind: 'answered', raw }, askedMs, witness);
}

const VENDOR: Witness = { identity: ACCOUNT, sandbox: false };
const SANDBOX: Witness = { identity: 'sandbox-provider', sandbox: true };

const dated = (ms: number): Record<string, string> => ({ date: new Date(ms).toUTCString() });

/** As the ledger would keep this moment. */
function momentIn(time: BelievedTime): Moment {
  const { id, uptimeMs } = time.boot();
  return { atMs: time.wallMs(), boot: { id, uptimeMs, isConfirmed: time.isConfirmed } };
}

describe('the time that is believed', () => {
  test('is what the calendar says, as long as nothing says otherwise', async () => {
    const { machine, open } = await place();
    const time = await open();
    expect(time.wallMs()).toBe(NOON_MS);
    machine.pass(HOUR_MS);
    expect(time.wallMs()).toBe(NOON_MS + HOUR_MS);
    hear(time, dated(NOON_MS + HOUR_MS));
    machine.pass(DAY_MS);
    machine.wall += MINUTE_MS;
    expect(time.wallMs()).toBe(NOON_MS + HOUR_MS + DAY_MS + MINUTE_MS);
    expect(time.takeNews()).toEqual([expect.stringMatching(/was set 1 min ahead/)]);
  });

  test.each([
    ['back', -DAY_MS],
    ['a year ahead', 365 * DAY_MS],
  ])('goes on by the boot clock when the calendar is set %s, and it is said', async (_, setMs) => {
    const { machine, open } = await place();
    const time = await open();
    hear(time, dated(NOON_MS));
    machine.pass(HOUR_MS);
    machine.wall += setMs;
    expect(time.wallMs()).toBe(NOON_MS + HOUR_MS);
    expect(time.takeNews()).toEqual([
      expect.stringMatching(/This machine's clock was set .* (back|ahead); it says/),
    ]);
    const next = await open();
    expect(next.wallMs()).toBe(NOON_MS + HOUR_MS);
    expect(next.takeNews()).toEqual([expect.stringMatching(/but a vendor.s answer says 2026-11-20T13:00/)]);
  });

  test('is never before what was confirmed, in whatever boot', async () => {
    const { machine, open } = await place();
    hear(await open(), dated(NOON_MS));
    machine.restart('second');
    machine.wall = Date.UTC(1970, 0, 1);
    const time = await open();
    expect(time.wallMs()).toBe(NOON_MS);
    machine.pass(MINUTE_MS);
    expect(time.wallMs()).toBe(NOON_MS + MINUTE_MS);
  });

  test('is not before what was confirmed either when the boot clock, which is coarse, reads a little less', async () => {
    const { machine, ledger, open } = await place();
    const time = await open();
    machine.pass(998);
    machine.wall = NOON_MS;
    hear(time, dated(NOON_MS));
    machine.wall -= 2_000;
    expect(time.dated().atMs).toBeGreaterThanOrEqual((await ledger.confirmedTime()) ?? 0);
  });

  test('is the calendar again, once it was wrong at the start of the machine and an answer agrees with it', async () => {
    const { machine, open } = await place();
    machine.wall = Date.UTC(1970, 0, 1);
    const time = await open();
    machine.wall = NOON_MS;
    machine.pass(2_000);
    expect(time.wallMs()).toBeLessThan(DAY_MS);
    hear(time, dated(NOON_MS + 2_000));
    expect(time.wallMs()).toBe(NOON_MS + 2_000);
  });

  test('follows an answer and the calendar when both say that the machine had stood still', async () => {
    const { machine, open } = await place();
    const time = await open();
    hear(time, dated(NOON_MS));
    machine.wall += 8 * HOUR_MS;
    expect(time.wallMs()).toBe(NOON_MS);
    hear(time, dated(NOON_MS + 8 * HOUR_MS));
    expect(time.wallMs()).toBe(NOON_MS + 8 * HOUR_MS);
    expect(time.apart).toBeUndefined();
  });
});

describe('the day that pays', () => {
  async function spent() {
    const { machine, ledger, open } = await place();
    const batch = await batchNamed(ledger, 'a');
    const time = await open();
    await lost(ledger, batch, 'bought', time.dated());
    return { machine, ledger, batch, time, open };
  }

  test('is not left for an earlier one that an answer or the calendar names, and that one has to allow it, too', async () => {
    const { machine, ledger, batch, time, open } = await spent();
    hear(time, dated(NOON_MS - 3 * DAY_MS));
    for (const each of [time, await open()]) {
      expect(each.dated()).toMatchObject({ atMs: NOON_MS, leastMs: NOON_MS - 3 * DAY_MS });
      expect(each.wallMs(), 'nothing grows old by it').toBe(NOON_MS - 3 * DAY_MS);
    }
    machine.pass(DAY_MS);
    machine.wall -= 10 * DAY_MS;
    const next = await open();
    hear(next, dated(NOON_MS + DAY_MS));
    expect(next.dated().atMs).toBe(NOON_MS + DAY_MS);
    await expect(admit(ledger, batch, 'earlier', { atMs: NOON_MS, uptimeMs: machine.up })).rejects.toThrow();
  });

  test('is the one on which calendar and answer agree, and in another boot what the calendar says', async () => {
    const ahead = await spent();
    ahead.machine.wall -= 2 * DAY_MS;
    hear(ahead.time, dated(NOON_MS - 3 * DAY_MS));
    expect(ahead.time.dated().atMs).toBe(NOON_MS);
    hear(ahead.time, dated(NOON_MS - 2 * DAY_MS));
    expect(ahead.time.dated()).toEqual({ atMs: NOON_MS - 2 * DAY_MS, uptimeMs: ahead.machine.up });

    const restarted = await spent();
    restarted.machine.restart('second');
    restarted.machine.wall -= DAY_MS;
    expect((await restarted.open()).dated()).toMatchObject({ atMs: NOON_MS - DAY_MS });
  });
});

describe('an answer', () => {
  test('confirms a time, which is kept for every later process', async () => {
    const { ledger, open } = await place();
    const time = await open();
    expect([time.isConfirmed, time.isTold, time.isUnsureDay]).toEqual([false, false, true]);
    hear(time, dated(NOON_MS + MINUTE_MS));
    expect([time.isConfirmed, time.isTold, time.isUnsureDay]).toEqual([true, true, false]);
    expect(await ledger.confirmedTime()).toBe(NOON_MS);
    expect((await open()).isConfirmed).toBe(true);
  });

  test.each([
    ['of a clock a year ahead', 365 * DAY_MS],
    ['of a clock a year behind', -365 * DAY_MS],
  ])('stops the run %s, and raises no floor', async (_, setMs) => {
    const { machine, ledger, open } = await place();
    machine.wall += setMs;
    const time = await open();
    hear(time, dated(NOON_MS));
    expect(time.apart).toMatchObject({
      code: 'clock',
      exitCode: 2,
      message: expect.stringMatching(
        /clock says 202[57].*answer says 2026-11-20T12:00:00.000Z: they are 365 d apart/,
      ),
    });
    expect(await ledger.confirmedTime()).toBeUndefined();
    expect(time.wallMs(), 'the less of both is believed').toBe(NOON_MS + Math.min(setMs, 0));
    // Somebody puts the clock right.
    machine.wall = NOON_MS;
    expect(time.apart).toBeUndefined();
    const next = await open();
    hear(next, dated(NOON_MS));
    expect([next.apart, next.wallMs()]).toEqual([undefined, NOON_MS]);
  });

  test('is not heard when a cache has kept it, and one without a Date is said aloud, once', async () => {
    const { open } = await place();
    const time = await open();
    hear(time, { ...dated(NOON_MS - DAY_MS), age: '86400' });
    expect([time.isTold, time.apart]).toEqual([false, undefined]);
    hear(time, {});
    hear(time, {});
    expect([time.isTold, time.isConfirmed]).toEqual([true, false]);
    expect(time.takeNews()).toEqual([expect.stringMatching(/answers have no Date/)]);
  });

  test('that has waited for a process which was stopped says nothing, and the next one tells the time', async () => {
    const { machine, open } = await place();
    const time = await open();
    machine.pass(10 * MINUTE_MS);
    hear(time, dated(NOON_MS + 1_000), { askedMs: NOON_MS });
    expect([time.isTold, time.apart]).toEqual([false, undefined]);
    hear(time, dated(NOON_MS + 10 * MINUTE_MS));
    expect([time.isConfirmed, time.apart]).toEqual([true, undefined]);
    // Of before its request it cannot be.
    hear(time, dated(NOON_MS), { askedMs: NOON_MS + 10 * MINUTE_MS });
    expect(time.apart).toMatchObject({ code: 'clock' });
  });

  test.each([APART_MS, -APART_MS])('may differ from the calendar by five minutes (%i ms)', async (byMs) => {
    const { open } = await place();
    const time = await open();
    hear(time, dated(NOON_MS + byMs));
    expect(time.apart).toBeUndefined();
    expect(time.isConfirmed).toBe(true);
  });
});

describe('a future that answers confirmed and that was false', () => {
  const AHEAD_MS = 60 * DAY_MS;

  test.each([
    ['in the same boot', () => {}],
    ['in another boot', (machine: Machine) => machine.restart('third')],
  ])(
    'is taken back %s by an answer that agrees with the calendar, for good, and it is said',
    async (_, start) => {
      const { machine, ledger, open } = await place();
      hear(await open(), dated(NOON_MS));
      machine.restart('second');
      machine.wall += AHEAD_MS;
      hear(await open(), dated(machine.wall));
      start(machine);
      machine.wall -= AHEAD_MS;
      machine.pass(MINUTE_MS);
      const time = await open();
      expect(time.wallMs()).toBeGreaterThan(NOON_MS + AHEAD_MS - 1);
      expect(time.bounds().dispute).toBeDefined();
      time.takeNews();
      hear(time, dated(machine.wall));
      expect(time.takeNews()).toEqual([
        expect.stringMatching(/^Earlier answers put the time at 2027-01-19.*vendor agree on 2026-11-20/),
      ]);
      for (const each of [time, await open()]) {
        expect(each.wallMs()).toBe(machine.wall);
        expect(each.bounds()).toEqual({ leastMs: machine.wall, greatestMs: machine.wall });
      }
      expect(await ledger.confirmedTime()).toBe(machine.wall);
    },
  );

  test('forbids all the same: how long ago a moment before it was is not known, and one after it is', async () => {
    const { machine, ledger, open } = await place();
    const batch = await batchNamed(ledger, 'a');
    const lostNow = async (word: string) => {
      const time = await open();
      hear(time, dated(machine.wall));
      await lost(ledger, batch, word, { ...time.dated() });
    };
    const sinceSent = async (time: BelievedTime, word: string) => {
      const state = await stateOf(ledger, word);
      if (state.kind !== 'in_doubt') expect.fail('not in doubt');
      return time.since({ atMs: state.doubt.sentAtMs, boot: state.doubt.sentBoot });
    };
    await lostNow('before');
    machine.restart('second');
    machine.wall += AHEAD_MS;
    await lostNow('meanwhile');
    machine.restart('third');
    machine.wall -= AHEAD_MS - HOUR_MS;
    await lostNow('after');
    machine.restart('fourth');
    machine.wall += HOUR_MS;
    const time = await open();
    hear(time, dated(machine.wall));
    const unknown = { leastMs: 0, greatestMs: Number.POSITIVE_INFINITY };
    expect(await sinceSent(time, 'before')).toEqual(unknown);
    expect(await sinceSent(time, 'meanwhile')).toEqual(unknown);
    expect(await sinceSent(time, 'after')).toMatchObject({ greatestMs: HOUR_MS + 2 * APART_MS });
  });

  test('is not seen in what clocks may differ', async () => {
    const { machine, open } = await place();
    machine.wall += APART_MS;
    hear(await open(), dated(NOON_MS + APART_MS));
    machine.wall -= 2 * APART_MS;
    const time = await open();
    hear(time, dated(NOON_MS - APART_MS));
    expect(time.takeNews().join()).not.toContain('Earlier answers');
  });
});

describe('a sandbox', () => {
  test('tells the time to a store that has bought from sandboxes alone, until money is spent', async () => {
    const { machine, ledger, open } = await place();
    const time = await open();
    machine.wall += 60 * DAY_MS;
    hear(time, dated(machine.wall), { witness: SANDBOX });
    expect([time.heeds(SANDBOX), time.isConfirmed, time.bounds().dispute]).toEqual([true, true, undefined]);
    time.heedMoney();
    expect([time.heeds(SANDBOX), time.isConfirmed]).toEqual([false, false]);
    expect([time.wallMs(), await ledger.confirmedTime()]).toEqual([NOON_MS, undefined]);
    await batchNamed(ledger, 'real');
    hear(time, dated(machine.wall), { witness: SANDBOX });
    for (const each of [time, await open()])
      expect([each.heeds(SANDBOX), each.isConfirmed, each.bounds().dispute?.code]).toEqual([
        false,
        false,
        'clock',
      ]);
    machine.wall -= 60 * DAY_MS;
    hear(time, dated(NOON_MS));
    expect(time.bounds()).toEqual({ leastMs: NOON_MS, greatestMs: NOON_MS });
  });
});

test('no intent is ever refused for its date, however the clocks are set and jitter', async () => {
  const machine = new Machine();
  const ledger = await freshLedger(sqlite);
  const batch = await batchNamed(ledger, 'a');
  const random = randomNumbers(20);
  let time = await BelievedTime.over(machine, ledger);
  let trueMs = NOON_MS;
  for (let step = 0; step < 600; step += 1) {
    const passedMs = random() ** 8 * 3 * HOUR_MS;
    trueMs += passedMs;
    machine.pass(passedMs);
    setCalendar(machine, trueMs, random);
    if (random() < 0.05) machine.restart(`boot ${step}`);
    if (machine.boot().id !== time.boot().id || random() < 0.1)
      time = await BelievedTime.over(machine, ledger);
    if (random() < 0.5) hear(time, dated(trueMs));
    if (random() < 0.03) hearFuture(time, machine);
    // A wait for the commit, or a calendar that is set, comes between the answer and the next intent.
    machine.pass(random() * 3);
    if (random() < 0.1) machine.wall -= 2_000 * random();
    const { atMs, uptimeMs } = time.dated();
    await expect(admit(ledger, batch, `call-${step}`, { atMs, uptimeMs })).resolves.toMatchObject({
      kind: 'admitted',
    });
  }
});

function setCalendar(machine: Machine, trueMs: number, random: () => number): void {
  if (random() < 0.1) machine.wall = trueMs + (random() - 0.5) * 20 * MINUTE_MS * random();
  if (random() < 0.05) machine.wall += 8 * HOUR_MS;
}

/** The vendor and the calendar are ahead by the same. */
function hearFuture(time: BelievedTime, machine: Machine): void {
  machine.wall += 40 * DAY_MS;
  hear(time, dated(machine.wall));
}

/** The same each time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe('how long ago something was', () => {
  test('is the same to all when the clocks agree', async () => {
    const { machine, open } = await place();
    const time = await open();
    const moment = momentIn(time);
    machine.pass(26_000);
    expect(time.since(moment)).toEqual({ leastMs: 26_000, greatestMs: 26_000 });
  });

  test.each([
    ['calendar was set back', -25_000, { leastMs: 26_000, greatestMs: 26_000 }],
    ['calendar was set ahead', 10 * MINUTE_MS, { leastMs: 26_000, greatestMs: 26_000 + 10 * MINUTE_MS }],
  ])('is at least the uptime, and at most whatever says most, when the %s', async (_, setMs, expected) => {
    const { machine, open } = await place();
    const moment = momentIn(await open());
    machine.pass(26_000);
    machine.wall += setMs;
    expect((await open()).since(moment)).toEqual(expected);
  });

  test('is at most what an answer says, when the machine had stood still', async () => {
    const { machine, open } = await place();
    const time = await open();
    hear(time, dated(NOON_MS));
    const moment = momentIn(time);
    machine.wall += DAY_MS;
    hear(time, dated(NOON_MS + DAY_MS));
    machine.wall -= DAY_MS;
    machine.pass(1_000);
    expect(time.since(moment)).toEqual({ leastMs: 1_000, greatestMs: DAY_MS + 1_000 });
  });

  test('is unknown over a new start of the machine, until an answer has told the time in both', async () => {
    const { machine, open } = await place();
    const first = await open();
    const [unconfirmed] = [momentIn(first)];
    hear(first, dated(NOON_MS));
    const moment = momentIn(first);
    machine.restart('second');
    machine.wall += HOUR_MS;
    const time = await open();
    machine.pass(30_000);
    const unknown = { leastMs: 30_000, greatestMs: Number.POSITIVE_INFINITY };
    expect(time.since(moment)).toEqual(unknown);
    hear(time, dated(machine.wall));
    expect(time.since(moment)).toEqual({
      leastMs: HOUR_MS + 30_000 - 2 * APART_MS,
      greatestMs: HOUR_MS + 30_000 + 2 * APART_MS,
    });
    expect(time.since(unconfirmed)).toEqual(unknown);
    expect(time.since({ atMs: NOON_MS, boot: undefined }), 'as an older Rowonce noted it').toEqual(unknown);
  });

  test('is unknown over processes on a machine that has no boot clock', async () => {
    const { machine, ledger } = await place();
    const { wallMs, monotonicMs, sleep } = machine;
    const open = () => BelievedTime.over({ wallMs, monotonicMs, sleep }, ledger);
    const first = await open();
    const moment = momentIn(first);
    machine.pass(2_000);
    expect(first.since(moment)).toEqual({ leastMs: 2_000, greatestMs: 2_000 });
    expect((await open()).since(moment)).toEqual({ leastMs: 0, greatestMs: Number.POSITIVE_INFINITY });
  });
});

describe('the least and the most that it may be now', () => {
  test('are what the calendar says and what answers told, within one boot and after the next start', async () => {
    const { machine, open } = await place();
    hear(await open(), dated(NOON_MS));
    machine.pass(40 * DAY_MS);
    expect((await open()).bounds()).toEqual({ leastMs: machine.wall, greatestMs: machine.wall });
    machine.wall += HOUR_MS;
    const least = { leastMs: machine.wall - HOUR_MS, greatestMs: machine.wall };
    expect((await open()).bounds()).toEqual(least);
    machine.wall -= 2 * HOUR_MS;
    expect((await open()).bounds()).toEqual({ leastMs: machine.wall, greatestMs: machine.wall + HOUR_MS });

    const next = await place();
    hear(await next.open(), dated(NOON_MS));
    next.machine.restart('second');
    next.machine.pass(HOUR_MS);
    // Nobody knows how long the machine was off.
    next.machine.wall += 20 * HOUR_MS;
    expect((await next.open()).bounds()).toEqual({
      leastMs: NOON_MS + HOUR_MS + 1_000,
      greatestMs: NOON_MS + 21 * HOUR_MS,
    });
  });

  test('are in dispute when they are more than a day apart, or when no answer has ever told the time', async () => {
    const { machine, open } = await place();
    const said = (time: BelievedTime): string => time.bounds().dispute?.message ?? 'no dispute';
    expect(said(await open())).toContain('no answer in the store has given the time yet');
    hear(await open(), dated(NOON_MS));
    for (const days of [60, -60]) {
      machine.wall = NOON_MS + days * DAY_MS;
      expect(said(await open())).toMatch(
        /clock says .*, and the vendors' answers put it at 2026-11-20T12:00/,
      );
    }
    machine.restart('second');
    machine.pass(3 * HOUR_MS);
    machine.wall = NOON_MS + 2 * DAY_MS;
    expect(said(await open())).toContain('the last one gave 2026-11-20T12:00');
    hear(await open(), dated(machine.wall));
    expect(said(await open())).toBe('no dispute');
  });

  test('are the same for one who only looks, and nothing is noted', async () => {
    const { machine, ledger, open } = await place();
    hear(await open(), dated(NOON_MS));
    machine.pass(DAY_MS);
    expect((await BelievedTime.beside(machine, ledger)).bounds()).toEqual((await open()).bounds());
    machine.restart('second');
    const beside = await BelievedTime.beside(machine, ledger);
    expect(beside.bounds().leastMs).toBe(NOON_MS + 1_000);
    machine.wall += HOUR_MS;
    expect((await ledger.atBoot(machine.boot(), machine.wall)).seen.atMs, 'seen first now').toBe(
      machine.wall,
    );
    expect((await BelievedTime.beside(machine)).bounds()).toMatchObject({
      dispute: { message: expect.stringContaining('has given the time yet') },
    });
  });
});
