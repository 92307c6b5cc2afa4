/**
 * Goal: counting sends in bins never says less than there were, and never more than a bin's worth too many.
 * Method: arbitrary times, against a list of all of them.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentSends } from '../../../../../src/client/limits/limiter/learned-rate/recent-sends.ts';

const SPAN_MS = 1000;
const BIN_MS = 20;
const WINDOW_MS = 300;

/** Times in order, with leaps of all sizes. */
const times = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ max: 5000, min: 0 }),
    ),
  )
  .map((steps) => {
    let atMs = 0;
    return steps.map((step) => (atMs += step));
  });

function filled(all: readonly number[]): RecentSends {
  const sends = new RecentSends(SPAN_MS, BIN_MS);
  for (const atMs of all) sends.add(atMs);
  return sends;
}

const count = (all: readonly number[], fromMs: number, toMs: number): number =>
  all.filter((atMs) => atMs >= fromMs && atMs <= toMs).length;

test('a stretch holds what was sent in it, give or take a bin at its ends', () => {
  fc.assert(
    fc.property(times, (all) => {
      const nowMs = all.at(-1) ?? 0;
      const counted = filled(all).between(nowMs - WINDOW_MS, nowMs);
      expect(counted).toBeGreaterThanOrEqual(count(all, nowMs - WINDOW_MS, nowMs));
      expect(counted).toBeLessThanOrEqual(count(all, nowMs - WINDOW_MS - BIN_MS, nowMs));
    }),
  );
});

test('after the wait so few are left in the window, and not much earlier', () => {
  fc.assert(
    fc.property(times, fc.nat(5), (all, most) => {
      const nowMs = all.at(-1) ?? 0;
      const atMs = nowMs + filled(all).waitMs(most, WINDOW_MS, nowMs);
      expect(count(all, atMs - WINDOW_MS + 1e-6, atMs)).toBeLessThanOrEqual(most);
      if (atMs > nowMs) expect(count(all, atMs - 2 * BIN_MS - WINDOW_MS, atMs)).toBeGreaterThan(most);
    }),
  );
});

test('what is taken back is not counted, and nothing else is lost by it', () => {
  const sends = filled([0, 100, 100, 200]);
  sends.takeBack(100);
  sends.takeBack(700);
  expect(sends.between(0, 200)).toBe(3);
});

test('a copy counts the same in bins of its own', () => {
  fc.assert(
    fc.property(times, (all) => {
      const nowMs = all.at(-1) ?? 0;
      const copy = new RecentSends(SPAN_MS, 1);
      filled(all).copyTo(copy);
      expect(copy.between(nowMs - WINDOW_MS, nowMs + BIN_MS)).toBeGreaterThanOrEqual(
        count(all, nowMs - WINDOW_MS, nowMs),
      );
    }),
  );
});
