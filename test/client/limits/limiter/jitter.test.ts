/**
 * Goal: a request that was held up on its way counts as late, unless the vendor's answers vary so much that nothing can
 * be told from them.
 * Method: round trips as they might be measured.
 */
import { expect, test } from 'vitest';
import { Jitter } from '../../../../src/client/limits/limiter/guards.ts';

/** The lateness of each of these round trips, of twenty a second. */
const latenesses = (roundTripsMs: readonly number[], savedMs = 0): number[] => {
  const jitter = new Jitter(20, savedMs);
  return roundTripsMs.map((roundTripMs) => jitter.lateMs(roundTripMs) ?? UNTOLD);
};
const UNTOLD = -1;

test('as much later than the fastest is as late as a request can have been', () => {
  const late = latenesses([20, 20, 47, 20, 21]);
  expect(late.map(Math.round)).toEqual([0, 0, 27, 0, 1]);
});

test('a vendor whose answers take now longer and now shorter tells nothing', () => {
  const varying = Array.from({ length: 1_000 }, (_, count) => 100 + (count % 40) * 10);
  expect(latenesses(varying).slice(200)).toEqual(Array(800).fill(UNTOLD));
});

test('a vendor tells as long as what that saves of the margin is more than what it costs', () => {
  const varying = Array.from({ length: 2_000 }, (_, count) => 100 + (count % 20));
  expect(latenesses(varying, 0).slice(-20)).toEqual(Array(20).fill(UNTOLD));
  expect(latenesses(varying, 15).slice(-20)).not.toContain(UNTOLD);
});

test('a vendor that has become slower for good is not taken for late for ever', () => {
  const slower = [...Array(500).fill(20), ...Array(1_500).fill(60)];
  expect(latenesses(slower).at(-1)).toBe(0);
});

test('what is given up on average stays small, whatever the vendor does', () => {
  const now = latenesses(Array.from({ length: 5_000 }, (_, count) => (count % 97 === 0 ? 150 : 20)));
  const mean = now.reduce((sum, lateMs) => sum + Math.max(lateMs, 0), 0) / now.length;
  expect(mean).toBeGreaterThan(0.5);
  expect(mean).toBeLessThan(2);
});

test('a fast vendor that stalls for a moment is late, and not one that varies', () => {
  const jitter = new Jitter(5_000);
  for (let count = 0; count < 5_000; count += 1) jitter.lateMs(1);
  const stalled = Array.from({ length: 250 }, (_, count) => jitter.lateMs(51 - count / 10) ?? UNTOLD);
  expect(Math.min(...stalled)).toBeGreaterThan(1);
});
