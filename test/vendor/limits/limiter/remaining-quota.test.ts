/**
 * Goal: when the vendor says how much is left, no more than that is sent, and no less.
 * Method: words of answers at virtual times, and the wait that follows.
 */
import { expect, test } from 'vitest';
import { Allowance } from '../../../../src/vendor/limits/limiter/remaining-quota.ts';

test('before an answer says anything there is nothing to wait for', () => {
  expect(new Allowance().waitMs(0, 8)).toBe(0);
});

test('what is left may be sent, and then nothing until the window begins anew', () => {
  const allowance = new Allowance();
  allowance.heard({ requests: 2, resetMs: 1_000 }, 0, 0, 100);
  expect(allowance.waitMs(100, 0)).toBe(0);
  allowance.sent();
  expect(allowance.waitMs(200, 0)).toBe(0);
  allowance.sent();
  expect(allowance.waitMs(300, 0)).toBe(800);
  expect(allowance.waitMs(1_100, 0)).toBe(0);
});

test('permits that are out may be used at any time, so they count', () => {
  const allowance = new Allowance();
  allowance.heard({ requests: 2, resetMs: 1_000 }, 0, 0, 0);
  expect(allowance.waitMs(0, 1)).toBe(0);
  expect(allowance.waitMs(0, 2)).toBe(1_000);
});

test('requests that left after the answered one and are on their way count, because the vendor has not seen them', () => {
  const allowance = new Allowance();
  allowance.heard({ requests: 3, resetMs: 1_000 }, 0, 3, 0);
  expect(allowance.waitMs(0, 0)).toBe(1_000);
});

test('answers overtake each other: the word of the request that left last counts', () => {
  const allowance = new Allowance();
  allowance.heard({ requests: 0, resetMs: 1_000 }, 20, 0, 100);
  allowance.heard({ requests: 1, resetMs: 1_000 }, 10, 0, 110);
  expect(allowance.waitMs(110, 0)).toBe(990);
  allowance.heard({ requests: 5, resetMs: 1_000 }, 30, 0, 120);
  expect(allowance.waitMs(120, 0)).toBe(0);
});
