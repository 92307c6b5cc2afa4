/**
 * Goal: never more requests in any stretch of a window than the plan allows, however late permits are used.
 * Method: arbitrary sequences of waiting, taking, sending late and giving back; every stretch is counted afterwards.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SlidingLog } from '../../../../src/client/limits/limiter/guards.ts';

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
