/**
 * Goal: when the vendor says how much is left, no more than that is sent, and no less.
 * Method: words of answers at virtual times, and the wait that follows.
 */
import { expect, test } from 'vitest';
import { RemainingQuota } from '../../../../src/client/limits/limiter/guards.ts';

test('before an answer says anything there is nothing to wait for', () => {
  expect(new RemainingQuota().waitMs(0, 8)).toBe(0);
});

test('what is left may be sent, and then nothing until the window begins anew', () => {
  const remainingQuota = new RemainingQuota();
  remainingQuota.heard({ requests: 2, resetMs: 1_000 }, 0, 0, 100);
  expect(remainingQuota.waitMs(100, 0)).toBe(0);
  remainingQuota.sent();
  expect(remainingQuota.waitMs(200, 0)).toBe(0);
  remainingQuota.sent();
  expect(remainingQuota.waitMs(300, 0)).toBe(800);
  expect(remainingQuota.waitMs(1_100, 0)).toBe(0);
});

test('permits that are out may be used at any time, so they count', () => {
  const remainingQuota = new RemainingQuota();
  remainingQuota.heard({ requests: 2, resetMs: 1_000 }, 0, 0, 0);
  expect(remainingQuota.waitMs(0, 1)).toBe(0);
  expect(remainingQuota.waitMs(0, 2)).toBe(1_000);
});

test('requests that left after the answered one and are on their way count, because the vendor has not seen them', () => {
  const remainingQuota = new RemainingQuota();
  remainingQuota.heard({ requests: 3, resetMs: 1_000 }, 0, 3, 0);
  expect(remainingQuota.waitMs(0, 0)).toBe(1_000);
});

test('answers overtake each other: the word of the request that left last counts', () => {
  const remainingQuota = new RemainingQuota();
  remainingQuota.heard({ requests: 0, resetMs: 1_000 }, 20, 0, 100);
  remainingQuota.heard({ requests: 1, resetMs: 1_000 }, 10, 0, 110);
  expect(remainingQuota.waitMs(110, 0)).toBe(990);
  remainingQuota.heard({ requests: 5, resetMs: 1_000 }, 30, 0, 120);
  expect(remainingQuota.waitMs(120, 0)).toBe(0);
});
