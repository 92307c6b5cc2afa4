/**
 * Goal: never more requests in any stretch of a window than the plan allows, however late permits are used.
 * Method: arbitrary sequences of waiting, taking, sending late and giving back; every stretch is counted afterwards.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PlanGuards, SlidingLog } from '../../../../src/client/limits/limiter/guards.ts';
import { marginMs } from '../../../../src/client/limits/windows.ts';
import { VirtualClock } from '../../../virtual-clock.ts';

type Deed = 'take' | 'send' | 'give back';

const deeds = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 90, max: 120 })),
    deed: fc.constantFrom<Deed[]>('take', 'take', 'send', 'send', 'give back'),
  }),
  { maxLength: 200 },
);

/** Sends of an earlier run. */
const earlier = fc.uniqueArray(fc.integer({ min: -99, max: 0 })).map((times) => times.sort((a, b) => a - b));

const WINDOW_MS = 100;

/** Plays the deeds that are possible at their time. @returns when requests were sent. */
function played(log: SlidingLog, all: readonly { waitMs: number; deed: Deed }[]): number[] {
  const sends: number[] = [];
  let nowMs = 0;
  let inHand = 0;
  for (const { waitMs, deed } of all) {
    nowMs += waitMs;
    const possible = deed === 'take' ? log.waitMs(nowMs) === 0 : inHand > 0;
    if (!possible) continue;
    inHand += deed === 'take' ? 1 : -1;
    if (deed === 'take') log.take();
    else if (deed === 'give back') log.giveBack();
    else {
      log.sent(nowMs);
      sends.push(nowMs);
    }
  }
  return sends;
}

test('any stretch of the window holds at most as many sends as allowed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), earlier, deeds, (most, times, all) => {
      const log = new SlidingLog({ requests: most, windowMs: WINDOW_MS }, 0);
      const seeds = times.slice(-most);
      for (const sentMs of seeds) log.seed(sentMs);
      const sends = [...seeds, ...played(log, all)];
      for (const from of sends) {
        const inWindow = sends.filter((sentMs) => sentMs >= from && sentMs < from + WINDOW_MS);
        expect(inWindow.length).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns: 2000 },
  );
});

test('a free place is not withheld: the wait ends exactly when the oldest send leaves the window', () => {
  const log = new SlidingLog({ requests: 2, windowMs: WINDOW_MS }, 0);
  expect(log.waitMs(0)).toBe(0);
  for (const sentMs of [0, 40]) {
    log.take();
    log.sent(sentMs);
  }
  expect(log.waitMs(40)).toBe(60);
  expect(log.waitMs(99)).toBe(1);
  expect(log.waitMs(100)).toBe(0);
});

test('a permit that is out may be used at any time, so its place is taken until it is', () => {
  const log = new SlidingLog({ requests: 1, windowMs: WINDOW_MS }, 0);
  log.take();
  expect(log.waitMs(1_000_000)).toBe(Number.POSITIVE_INFINITY);
  log.giveBack();
  expect(log.waitMs(1_000_000)).toBe(0);
  log.take();
  log.sent(1_000_000);
  expect(log.waitMs(1_000_001)).toBe(99);
});

describe('the margin for jitter', () => {
  /** Of 5,000 a second, with a margin of 10 ms. */
  const FAST = { requests: 1_000, windowMs: 200 };

  /** Uses the window up. @returns the number of the first send. */
  function sendAll(log: SlidingLog, atMs: number): number {
    const numbers = Array.from({ length: FAST.requests }, () => {
      log.take();
      return log.sent(atMs);
    });
    return numbers[0] ?? 0;
  }

  /** By how much longer than the window the wait after a send is. */
  function marginOf(log: SlidingLog, windowMs: number): number {
    log.take();
    log.sent(0);
    return log.waitMs(0) - windowMs;
  }

  test.each([
    [5, 1_000, 5],
    [500, 1_000, 5],
    [5_000, 1_000, 20],
    [100_000, 1_000, 50],
    [50_000, 86_400_000, 1_000],
  ])('of %i requests in %i ms is %i ms', (requests, windowMs, expected) => {
    expect(marginMs({ requests, windowMs })).toBeCloseTo(expected, 6);
  });

  test('doubles when the vendor refuses what the plan allows, up to a twentieth of the window', () => {
    const log = new SlidingLog({ requests: 1, windowMs: 1_000 });
    const margins: number[] = [];
    do margins.push(marginOf(log, 1_000));
    while (log.widen());
    expect(margins).toEqual([5, 10, 20, 40, 50]);
  });

  test('is as wide for every send as for one of which nothing is told, and then doubles once, where it is wide from the start', () => {
    const log = new SlidingLog({ requests: 12_500, windowMs: 1_000 });
    expect([log.widen(), log.widen(), log.widen()]).toEqual([true, true, false]);
  });

  test('is narrow for a send of which it is told how late it came, until the vendor refuses what the plan allows', () => {
    const log = new SlidingLog(FAST);
    const first = sendAll(log, 0);
    expect(log.waitMs(0)).toBe(210);
    log.late(first, 3);
    expect(log.waitMs(0), 'it may have been later').toBe(213);
    log.late(first + 1, 3, true);
    log.take();
    expect(log.waitMs(0), 'it was no later').toBe(208);
    log.sent(1_000);
    const second = sendAll(log, 1_000);
    log.widen();
    log.late(second, 3, true);
    expect(log.waitMs(1_000)).toBe(218);
  });

  test('stays wide until so many answers came that the fastest one says what a request takes', () => {
    const guards = new PlanGuards([FAST], new VirtualClock());
    const waits = Array.from({ length: 7 }, (_, round) => {
      const atMs = round * 1_000;
      for (let send = 0; send < FAST.requests; send += 1) {
        guards.take();
        guards.answered(guards.sent(atMs), 1);
      }
      return guards.waitMs(atMs);
    });
    expect(waits).toEqual([210, 210, 210, 210, 210, 205, 205]);
  });

  test('grows to twenty times as much, however long the window is', () => {
    const log = new SlidingLog({ requests: 1, windowMs: 86_400_000 });
    while (log.widen());
    expect(marginOf(log, 86_400_000)).toBe(20_000);
  });
});

describe('a send that may have reached the vendor later than others', () => {
  test('leaves the window as much later', () => {
    const log = new SlidingLog({ requests: 2, windowMs: WINDOW_MS }, 0);
    log.take();
    log.take();
    const first = log.sent(0);
    const second = log.sent(10);
    log.late(first, 7);
    expect(log.waitMs(20)).toBe(87);
    log.late(second, 5);
    log.take();
    expect(log.waitMs(20), 'the other place').toBe(95);
  });

  test('is of no account when it has left the window already', () => {
    const log = new SlidingLog({ requests: 1, windowMs: WINDOW_MS }, 0);
    log.take();
    const old = log.sent(0);
    log.take();
    log.sent(100);
    log.late(old, 1_000);
    expect(log.waitMs(100)).toBe(100);
  });
});

test('a window without a place or without a length is a bug', () => {
  expect(() => new SlidingLog({ requests: 0, windowMs: WINDOW_MS })).toThrow('a window of 0 requests');
  expect(() => new SlidingLog({ requests: 1, windowMs: 0 })).toThrow('in 0 ms');
});
