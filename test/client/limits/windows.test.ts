/**
 * Goal: never more requests in any stretch of a window than the plan allows, however late permits are used.
 * Method: arbitrary sequences of waiting, taking, sending late and giving back; every stretch is counted afterwards.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateWindows } from '../../../src/client/limits/limits.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

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

/** Plays the deeds that are possible at their time. @returns when requests were sent. */
function played(
  plan: RateWindows,
  clock: VirtualClock,
  all: readonly { waitMs: number; deed: Deed }[],
): number[] {
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
      const plan = new RateWindows([{ requests: most, windowMs: WINDOW_MS }]);
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
