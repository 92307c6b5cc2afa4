/**
 * Goal: a limit that nobody told is found within a minute, used to two thirds and more, and seldom exceeded, whatever way the vendor
 * counts; and a vendor without a limit is asked as fast as the rows can use it.
 * Method: simulated vendors of three kinds in simulated time, over limits, latencies and seeds; arbitrary calls.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LearnedRate } from '../../../src/client/limits/limits.ts';
import { type Admits, KINDS, play, reach, refused, shareOf, vendor } from './learned-rate-simulation.ts';

const always = (): boolean => true;
const usual = { latencyMs: 80, concurrency: 32 } as const;

describe.each(KINDS)('an unknown limit, counted as a %s', (kind) => {
  test.each([2, 5, 20, 100, 500])('of %i a second is found and kept to', (limit) => {
    for (const latencyMs of [20, 80, 400])
      for (const seed of [1, 2, 3]) {
        const admits = vendor(kind, { requests: limit, windowMs: 1000 }, (seed * 7919) % 1000);
        const concurrency = 64;
        const arrivals = play({
          rate: new LearnedRate(),
          admits,
          seconds: 240,
          latencyMs,
          concurrency,
          seed,
        });
        const perSecond = Math.min(limit, reach(concurrency, latencyMs));
        const where = `${latencyMs} ms, seed ${seed}`;
        expect(shareOf(arrivals, 60, 240, { perSecond }), where).toBeGreaterThanOrEqual(0.66);
        expect(refused(arrivals) / arrivals.length, where).toBeLessThan(0.035);
      }
  });

  test('of 60 a minute is used, though a second says nothing of it', () => {
    const admits = vendor(kind, { requests: 60, windowMs: 60_000 });
    const arrivals = play({ ...usual, rate: new LearnedRate(), admits, seconds: 600 });
    expect(shareOf(arrivals, 60, 600, { perSecond: 1 })).toBeGreaterThanOrEqual(0.66);
  });
});

test('a vendor without a limit is asked as fast as the concurrency lets it within a quarter of a minute', () => {
  const arrivals = play({ ...usual, rate: new LearnedRate(), admits: always, seconds: 60 });
  expect(shareOf(arrivals, 0, 1, { perSecond: 4 })).toBeLessThanOrEqual(1);
  expect(shareOf(arrivals, 15, 60, { perSecond: reach(32, 80) })).toBeGreaterThan(0.9);
});

describe('a refusal', () => {
  test('counts once, with all that left before it was known', () => {
    const rate = new LearnedRate(100);
    for (let at = 40; at < 50; at += 1) rate.limited(at * 10, 600);
    expect(rate.perSecond).toBe(70);
  });

  test('of a vendor that refuses all for ten minutes says nothing of the speed', () => {
    const admits: Admits = (atMs) => atMs < 30_000 || atMs > 630_000;
    const rate = new LearnedRate(20);
    const arrivals = play({ ...usual, rate, admits, seconds: 660 });
    expect(rate.perSecond).toBeGreaterThan(14);
    expect(shareOf(arrivals, 640, 660, { perSecond: 14 })).toBeGreaterThan(0.9);
  });
});

test('a speed that the rows cannot use is not taken for allowed', () => {
  const rate = new LearnedRate();
  rate.heldBack(0);
  for (let second = 0; second < 60; second += 1) rate.accepted(second * 1000 + 80);
  expect(rate.perSecond).toBeLessThan(8);
});

test('whatever happens in whatever order, the speed is at least one a minute', () => {
  const call = fc.record({
    what: fc.constantFrom('heldBack', 'accepted', 'limited'),
    afterMs: fc.nat(100_000),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 200 }), (calls) => {
      const rate = new LearnedRate();
      let nowMs = 0;
      for (const { what, afterMs } of calls) {
        nowMs += afterMs;
        if (what === 'limited') rate.limited(nowMs - 50, nowMs);
        else rate[what as 'heldBack' | 'accepted'](nowMs);
        expect(rate.perSecond).toBeGreaterThanOrEqual(1 / 60);
      }
    }),
  );
});
