/**
 * Goal: trouble is met by waiting as long as the vendor asks, or longer and longer, and never by asking more.
 * Method: what goes wrong is told at virtual times, and the wait that follows is read.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Backoff, type Pause } from '../../../src/client/limits/limits.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

let clock: VirtualClock;
let pauses: Pause[];
let backoff: Backoff;
beforeEach(() => {
  clock = new VirtualClock();
  pauses = [];
  backoff = new Backoff(clock, (pause) => pauses.push(pause));
  // The longest that full jitter may choose, so that waits can be predicted.
  vi.spyOn(Math, 'random').mockReturnValue(1);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** How long nothing may be sent; then it is waited out. */
function waitOut(): number {
  const waitMs = backoff.waitMs(clock.nowMs);
  clock.pass(waitMs);
  return waitMs;
}

describe('pauses', () => {
  test('pauses without a time grow, up to half a minute, and are our own', () => {
    const waits: number[] = [];
    for (let count = 0; count < 9; count += 1) {
      backoff.pause({}, clock.nowMs, 'too fast');
      waits.push(waitOut());
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(pauses.every(({ asked }) => !asked)).toBe(true);
    expect(pauses[3]?.why).toBe(
      'the vendor says that requests come too fast (too fast), but gives no time; Rowonce waits 4 s',
    );
  });

  test('a probe whose answer is lost ends no limit without a time: the next one comes a minute later', () => {
    for (let count = 0; count < 10; count += 1) {
      waitOut();
      backoff.pause({}, clock.nowMs, 'too fast');
    }
    expect(waitOut()).toBe(60_000);
    backoff.doubted(clock.nowMs, 'lost');
    expect([backoff.isLimited, waitOut()]).toEqual([true, 60_000]);
    backoff.pause({}, clock.nowMs, 'too fast');
    expect(waitOut()).toBe(120_000);
    backoff.settled();
    expect([backoff.isLimited, waitOut()]).toEqual([false, 0]);
  });

  test('eight requests that were refused together are one pause', () => {
    const sentAtMs = clock.nowMs;
    clock.pass(40);
    const isNew = Array.from({ length: 8 }, () => backoff.pause({}, sentAtMs, 'too fast'));
    expect(isNew).toEqual([true, ...Array(7).fill(false)]);
    expect(waitOut()).toBe(500);
    expect(backoff.pause({}, clock.nowMs, 'too fast')).toBe(true);
    expect(waitOut()).toBe(1_000);
  });

  test.each<[string, () => void]>([
    ['an answer', () => backoff.settled()],
    ['a lost answer, which is not "too fast"', () => backoff.doubted(clock.nowMs, 'lost')],
  ])('%s ends the growing', (_, answer) => {
    for (let count = 0; count < 5; count += 1) backoff.pause({}, clock.nowMs + count, 'too fast');
    waitOut();
    answer();
    backoff.pause({}, clock.nowMs, 'too fast');
    expect(waitOut()).toBe(500);
  });

  test('an answer of a request that left earlier does not cut one short', () => {
    backoff.pause({ pauseMs: 7_000 }, clock.nowMs, 'too fast');
    backoff.settled();
    expect(waitOut()).toBe(7_000);
  });
});

describe('the doubt breaker', () => {
  function doubts(count: number): void {
    for (let each = 0; each < count; each += 1) backoff.doubted(clock.nowMs, 'answers get lost');
  }

  test('four lost answers in a row may be an accident, and an answer among them begins the count again', () => {
    doubts(4);
    backoff.settled();
    doubts(4);
    expect(waitOut()).toBe(0);
    expect(backoff.isProbing).toBe(false);
  });

  test('after five there is one probe, and a longer and longer wait before the next, up to ten minutes', () => {
    doubts(4);
    const waits: number[] = [];
    for (let count = 0; count < 7; count += 1) {
      backoff.doubted(clock.nowMs, 'answers get lost');
      expect(backoff.isProbing).toBe(true);
      waits.push(waitOut());
    }
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
  });
});
