/**
 * Goal: a limit that nobody told is found within a minute, used to nine tenths and more, and hardly ever exceeded,
 * whatever way the vendor counts; what the vendor does say is believed, until it proves wrong.
 * Method: simulated vendors of three kinds in simulated time, over limits, latencies and seeds; arbitrary calls.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RateLearner } from '../../../../src/client/limits/limiter/learned-rate.ts';
import { perSecondOf, type Window } from '../../../../src/client/limits/windows.ts';
import { some, times } from '../../../combinations.ts';
import {
  type Admits,
  between,
  changing,
  KINDS,
  type Kind,
  play,
  reach,
  refused,
  type Scene,
  shareOf,
  vendor,
} from './learned-rate-simulation.ts';

const SEEDS = [1, 2, 3, 4];

const always = (): boolean => true;

/** Fixed windows begin at another time for each seed. */
const phaseMs = (seed: number, windowMs: number): number => (seed * 7919) % windowMs;

const usual = { latencyMs: 80, concurrency: 32, seconds: 120 } as const;

function perSecondVendor(kind: Kind, requests: number, seed = 1) {
  return vendor(kind, { requests, windowMs: 1000 }, phaseMs(seed, 1000));
}

describe.each(KINDS)('an unknown limit, counted as a %s', (kind) => {
  test.each(some([2, 5, 20, 100, 500], 1))(
    'of %i a second: used to nine tenths after a minute, fewer than one in a hundred refused',
    (limit) => {
      for (const latencyMs of [20, 80, 400]) {
        for (const concurrency of [8, 64]) {
          const perSecond = Math.min(limit, reach(concurrency, latencyMs));
          for (const seed of concurrency === 8 ? SEEDS : [1, 2]) {
            const scene = { rate: new RateLearner(), admits: perSecondVendor(kind, limit, seed) };
            const arrivals = play({ ...scene, seconds: 120, latencyMs, concurrency, seed });
            const where = `${latencyMs} ms, ${concurrency} at once, seed ${seed}`;
            expect(shareOf(arrivals, 60, 120, { perSecond }), where).toBeGreaterThanOrEqual(0.9);
            expect(refused(arrivals) / arrivals.length, where).toBeLessThan(0.01);
          }
        }
      }
    },
  );

  test('that is halved meanwhile is followed within a minute', () => {
    for (const limit of [20, 100]) {
      const admits = changing(perSecondVendor(kind, limit), 120_000, perSecondVendor(kind, limit / 2));
      const arrivals = play({ ...usual, rate: new RateLearner(), admits, seconds: 240 });
      expect(shareOf(arrivals, 180, 240, { perSecond: limit / 2 })).toBeGreaterThan(0.85);
      expect(refused(between(arrivals, 120, 240)) / between(arrivals, 120, 240).length).toBeLessThan(0.01);
    }
  });

  test('that is doubled meanwhile is found within a minute and a half', () => {
    for (const limit of [20, 100]) {
      const admits = changing(perSecondVendor(kind, limit), 120_000, perSecondVendor(kind, limit * 2));
      const arrivals = play({ ...usual, rate: new RateLearner(), admits, seconds: 270 });
      expect(shareOf(arrivals, 210, 270, { perSecond: limit * 2 })).toBeGreaterThan(0.9);
      expect(refused(arrivals) / arrivals.length).toBeLessThan(0.01);
    }
  });

  test('of 600 a minute is used to nine tenths from the third minute on', () => {
    for (const seed of SEEDS) {
      const admits = vendor(kind, { requests: 600, windowMs: 60_000 }, phaseMs(seed, 60_000));
      const arrivals = play({
        ...usual,
        concurrency: 8,
        rate: new RateLearner(),
        admits,
        seconds: 300,
        seed,
      });
      expect(shareOf(arrivals, 120, 300, { perSecond: 10 })).toBeGreaterThan(0.9);
      expect(refused(between(arrivals, 120, 300)) / between(arrivals, 120, 300).length).toBeLessThan(0.01);
      expect(refused(between(arrivals, 0, 120)) / between(arrivals, 0, 120).length).toBeLessThan(0.02);
    }
  });

  test('that an earlier run has learned is used from the first second on', () => {
    for (const limit of [5, 100]) {
      const rate = new RateLearner({ perSecond: 0.95 * limit });
      expect(rate.perSecond).toBeCloseTo(0.95 * limit);
      const arrivals = play({ ...usual, rate, admits: perSecondVendor(kind, limit), seconds: 20 });
      expect(shareOf(arrivals, 0, 20, { perSecond: limit })).toBeGreaterThan(0.9);
      expect(refused(arrivals)).toBeLessThanOrEqual(1);
    }
  });
});

describe('a vendor without a limit', () => {
  const perSecond = (second: number, scene: Partial<Scene> = {}): number => {
    const fast = { latencyMs: 100, concurrency: 256, seconds: 20 };
    const arrivals = play({ ...fast, rate: new RateLearner(), admits: always, ...scene });
    return between(arrivals, second, second + 1).length;
  };

  test('is asked carefully for seven seconds, then ever faster', () => {
    expect(perSecond(0)).toBeLessThanOrEqual(3);
    expect(perSecond(6)).toBeLessThanOrEqual(5);
    expect(perSecond(10)).toBeGreaterThanOrEqual(20);
    expect(perSecond(13)).toBeGreaterThanOrEqual(100);
    expect(perSecond(16)).toBeGreaterThanOrEqual(480);
  });

  test('is not held back once the concurrency is what limits', () => {
    expect(perSecond(21, { seconds: 22 })).toBeGreaterThan(0.98 * reach(256, 100));
  });
});

describe('a refusal', () => {
  test('that lasts is asked about ever more seldom, one request at a time', () => {
    const admits = vendor('fixed window', { requests: 1000, windowMs: 3_600_000 });
    const arrivals = play({ ...usual, rate: new RateLearner(), admits, seconds: 1800 });
    expect(refused(between(arrivals, 600, 1200))).toBeLessThanOrEqual(21);
    expect(refused(between(arrivals, 600, 1200))).toBeGreaterThanOrEqual(19);
  });

  test.each(some([0, 1, 4], 1))(
    'after %i accepted requests is no quota: the speed is back within two minutes',
    (accepted) => {
      for (const namedMs of [0, 1000]) {
        let asked = 0;
        const admits = (): boolean => {
          asked += 1;
          return asked <= accepted || asked > accepted + 10;
        };
        const scene = { rate: new RateLearner(), latencyMs: 20, concurrency: 2, seconds: 300, namedMs };
        const arrivals = play({ ...scene, admits });
        const backS = (arrivals.findLast(({ isAccepted }) => !isAccepted)?.atMs ?? 0) / 1000 + 120;
        expect(between(arrivals, backS, backS + 10).length, `${namedMs} ms`).toBeGreaterThan(20);
      }
    },
  );

  test('that lasted for longer than a minute says nothing about the speed', () => {
    const limit = perSecondVendor('sliding log', 50);
    const admits = (atMs: number): boolean => (atMs < 60_000 || atMs >= 360_000) && limit(atMs);
    const arrivals = play({ ...usual, rate: new RateLearner(), admits, seconds: 480 });
    expect(shareOf(arrivals, 400, 480, { perSecond: 50 })).toBeGreaterThan(0.85);
  });
});

describe.each(some(KINDS, 1))('a bad minute of a %s', (kind) => {
  const [FROM, TO] = [180, 240];

  test.each<[string, (window: Window) => Admits]>([
    ['refuses all', () => () => false],
    ['allows a tenth', ({ requests, windowMs }) => vendor(kind, { requests: requests / 10, windowMs })],
    ['refuses every second request, however slow', everySecond],
  ])('that %s is made up for within two minutes, and no speed to remember', (_, bad) => {
    for (const window of [
      { requests: 5, windowMs: 1000 },
      { requests: 20, windowMs: 1000 },
      { requests: 100, windowMs: 1000 },
      { requests: 600, windowMs: 60_000 },
    ]) {
      const [rate, perSecond, where] = [new RateLearner(), perSecondOf(window), JSON.stringify(window)];
      const usually = vendor(kind, window);
      const admits = changing(changing(usually, FROM * 1000, bad(window)), TO * 1000, usually);
      const remembered: number[] = [];
      const remembering = (atMs: number): boolean => {
        const learned = rate.takeNews();
        if (learned !== undefined && atMs >= FROM * 1000 && atMs < TO * 1000) remembered.push(learned);
        return admits(atMs);
      };
      const arrivals = play({ ...usual, rate, admits: remembering, seconds: TO + 180 });
      const after = between(arrivals, TO, TO + 180);
      expect(shareOf(arrivals, TO + 120, TO + 180, { perSecond }), where).toBeGreaterThan(0.85);
      expect(refused(after) / after.length, where).toBeLessThan(0.01);
      expect(Math.min(...remembered, perSecond), where).toBeGreaterThan(0.8 * perSecond);
    }
  });

  function everySecond(): Admits {
    let count = 0;
    return () => {
      count += 1;
      return count % 2 === 0;
    };
  }
});

describe('what the vendor says', () => {
  const hundred = [{ requests: 100, windowMs: 1000 }];

  test.each(KINDS)('is believed at once: a %s that tells its limit refuses nobody', (kind) => {
    const rate = new RateLearner();
    const arrivals = play({ ...usual, rate, admits: perSecondVendor(kind, 100), seconds: 30, told: hundred });
    expect(refused(arrivals)).toBe(0);
    expect(shareOf(arrivals, 1, 30, { perSecond: 100 })).toBeGreaterThan(0.97);
    expect(rate.perSecond).toBeCloseTo(100, -1);
  });

  test.each(KINDS)(
    'is dropped by a %s that refuses all the same, though it says so again and again',
    (kind) => {
      const rate = new RateLearner();
      const arrivals = play({ ...usual, rate, admits: perSecondVendor(kind, 20), told: hundred });
      expect(shareOf(arrivals, 60, 120, { perSecond: 20 })).toBeGreaterThan(0.85);
      expect(refused(arrivals) / arrivals.length).toBeLessThan(0.02);
      expect(rate.perSecond).toBeLessThan(25);
    },
  );

  test.each([
    ['alone', []],
    ['though what was told about seconds proves wrong', hundred],
  ])('of an hour is kept beside what answers teach, %s', (_, more) => {
    const anHour = { requests: 1000, windowMs: 3_600_000 };
    const [second, hour] = [perSecondVendor('sliding log', 20), vendor('sliding log', anHour)];
    const admits = (atMs: number): boolean => second(atMs) && hour(atMs);
    const told = [...more, anHour];
    const arrivals = play({ ...usual, rate: new RateLearner(), admits, seconds: 3000, told });
    expect(arrivals.length - refused(arrivals)).toBeGreaterThan(980);
    expect(refused(between(arrivals, 120, 3000))).toBe(0);
    expect(refused(arrivals)).toBeLessThanOrEqual(15);
  });
});

test('whatever happens in whatever order, the wait is bounded and ends', () => {
  const HOUR_MS = 3_600_000;
  const time = fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 100_000 }));
  const window = fc.record({
    requests: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1e9 })),
    windowMs: fc.constantFrom(1, 1000, 60_000, HOUR_MS),
  });
  const deed = fc.oneof(
    fc.record({ kind: fc.constantFrom('sent' as const, 'accepted' as const), afterMs: time }),
    fc.record({ kind: fc.constant('limited' as const), afterMs: time, agoMs: time }),
    fc.record({ kind: fc.constant('hinted' as const), afterMs: time, windows: fc.array(window) }),
  );
  const earlier = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: undefined });
  fc.assert(
    fc.property(earlier, fc.array(deed, { maxLength: 60 }), fc.nat(10), (perSecond, deeds, inHand) => {
      const rate = new RateLearner(perSecond === undefined ? {} : { perSecond });
      let nowMs = 0;
      for (const each of deeds) {
        nowMs += each.afterMs;
        if (each.kind === 'hinted') rate.hinted(each.windows, nowMs);
        else if (each.kind === 'limited') rate.limited(nowMs - each.agoMs, nowMs);
        else rate[each.kind](nowMs);
        const waitMs = rate.waitMs(nowMs, inHand);
        expect(waitMs >= 0 && waitMs <= 20 * HOUR_MS, `${waitMs} ms`).toBe(true);
      }
      for (let naps = 0; rate.waitMs(nowMs) > 0; naps += 1) {
        expect(naps).toBeLessThan(5);
        nowMs += rate.waitMs(nowMs);
      }
    }),
    { numRuns: times(100, 500) },
  );
});
