/**
 * Goal: never more requests in any stretch of a window than the plan allows, however late permits are used.
 * Method: arbitrary sequences of waiting, taking, sending late and giving back; every stretch is counted afterwards.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Plan } from '../../../src/client/limits/limits.ts';
import { VirtualClock } from '../../virtual-clock.ts';

type Deed = 'take' | 'send' | 'give back';

const deeds = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 90, max: 120 })),
    deed: fc.constantFrom<Deed[]>('take', 'take', 'send', 'send', 'give back'),
  }),
  { maxLength: 200 },
);

/** Sends of an earlier run, in milliseconds from now. */
const earlier = fc.uniqueArray(fc.integer({ min: -99, max: 0 })).map((times) => times.sort((a, b) => a - b));

const WINDOW_MS = 100;
const MARGIN_MS = 5;

/** Plays the deeds that are possible at their time. @returns when requests were sent. */
function played(plan: Plan, clock: VirtualClock, all: readonly { waitMs: number; deed: Deed }[]): number[] {
  const sends: number[] = [];
  let inHand = 0;
  for (const { waitMs, deed } of all) {
    clock.pass(waitMs);
    const possible = deed === 'take' ? plan.waitMs(clock.nowMs, inHand) === 0 : inHand > 0;
    if (!possible) continue;
    inHand += deed === 'take' ? 1 : -1;
    if (deed !== 'send') continue;
    plan.sent(clock.nowMs);
    sends.push(clock.nowMs);
  }
  return sends;
}

test('any stretch of the window holds at most as many sends as allowed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), earlier, deeds, (most, times, all) => {
      const clock = new VirtualClock();
      const plan = new Plan([{ requests: most, windowMs: WINDOW_MS }]);
      const seeds = times.slice(-most).map((agoMs) => clock.nowMs + agoMs);
      plan.seed(
        times.slice(-most).map((agoMs) => clock.wallMs() + agoMs),
        clock,
      );
      const sends = [...seeds, ...played(plan, clock, all)];
      for (const from of sends) {
        const inWindow = sends.filter((sentMs) => sentMs >= from && sentMs < from + WINDOW_MS);
        expect(inWindow.length).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns: 2000 },
  );
});

test('a free place is not withheld: the wait ends when the oldest send leaves the window and its margin', () => {
  const plan = new Plan([{ requests: 2, windowMs: WINDOW_MS }]);
  expect(plan.waitMs(0, 0)).toBe(0);
  for (const sentMs of [0, 40]) plan.sent(sentMs);
  expect(plan.waitMs(40, 0)).toBe(60 + MARGIN_MS);
  expect(plan.waitMs(100 + MARGIN_MS, 0)).toBe(0);
});

test('a permit that is out may be used at any time, so its place is taken until it is', () => {
  const plan = new Plan([{ requests: 1, windowMs: WINDOW_MS }]);
  expect(plan.waitMs(1_000_000, 1)).toBe(Number.POSITIVE_INFINITY);
  expect(plan.waitMs(1_000_000, 0)).toBe(0);
});

test('where the vendor refuses what the plan allows, the margin grows three times, and then the plan is wrong', () => {
  const plan = new Plan([{ requests: 1, windowMs: WINDOW_MS }]);
  expect([plan.widen(), plan.widen(), plan.widen(), plan.widen()]).toEqual([true, true, true, false]);
  plan.sent(0);
  expect(plan.waitMs(0, 0)).toBe(WINDOW_MS + 8 * MARGIN_MS);
});
