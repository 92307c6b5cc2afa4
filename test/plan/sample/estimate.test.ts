/**
 * Goal: the interval of a forecast holds the truth in about 95 of 100 samples, whatever the true rate, and never claims
 * more than a few rows can prove.
 * Method: populations whose truth is known are made by a seeded generator, sampled a thousand times, and what was
 * left out is compared with what was forecast for it.
 */
import { describe, expect, test } from 'vitest';
import { type Estimate, shareEstimate, sumEstimate } from '../../../src/plan/sample/estimate.ts';

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SAMPLES = 1_000;
const RATES = [0.05, 0.2, 0.35, 0.5, 0.7, 0.9, 0.97];
const sum = (amounts: readonly number[]): number => amounts.reduce((total, each) => total + each, 0);
const holds = ({ low, high }: Estimate, truth: number): boolean => low <= truth && truth <= high;

/**
 * In how many of the samples the forecast of the rest held what the rest really was.
 * @param amountOf a row's amount by a random number. @param forecast by the amounts of the sample and the rows left.
 */
function coverage(
  rows: { readonly all: number; readonly sampled: number },
  amountOf: (random: () => number) => number,
  forecast: (sampled: readonly number[], rest: number) => Estimate,
  truthOf: (amount: number, rest: number) => number,
): number {
  const random = randomFrom(20261120);
  const rest = rows.all - rows.sampled;
  let held = 0;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    // Every row is drawn like every other, so which of them are the sample does not matter.
    const sampled = Array.from({ length: rows.sampled }, () => amountOf(random));
    let amount = 0;
    for (let row = 0; row < rest; row += 1) amount += amountOf(random);
    if (holds(forecast(sampled, rest), truthOf(amount, rest))) held += 1;
  }
  return held / SAMPLES;
}

describe.each([
  ['fifty of a thousand', { all: 1_000, sampled: 50 }],
  ['fifty of a hundred and twenty', { all: 120, sampled: 50 }],
  ['two hundred of a thousand', { all: 1_000, sampled: 200 }],
])('%s', (_, rows) => {
  test.each(RATES)('the match rate of the rest lies in its interval, true rate %d', (rate) => {
    const share = coverage(
      rows,
      (random) => (random() < rate ? 1 : 0),
      (sampled, rest) => shareEstimate(sum(sampled), sampled.length, rest),
      (amount, rest) => amount / rest,
    );
    expect(share).toBeGreaterThanOrEqual(0.92);
    expect(share).toBeLessThanOrEqual(0.98);
  });

  test.each(RATES)('so do the credits where a match costs 2, true rate %d', (rate) => {
    const share = coverage(
      rows,
      (random) => (random() < rate ? 2 : 0),
      (sampled, rest) => sumEstimate(sampled, rest, 2),
      (amount) => amount,
    );
    expect(share).toBeGreaterThanOrEqual(0.92);
    expect(share).toBeLessThanOrEqual(0.98);
  });

  test.each(RATES)('and where a match costs 1 or 2, true rate %d', (rate) => {
    const share = coverage(
      rows,
      (random) => (random() < rate ? 1 + Math.floor(random() * 2) : 0),
      (sampled, rest) => sumEstimate(sampled, rest, 2),
      (amount) => amount,
    );
    expect(share).toBeGreaterThanOrEqual(0.92);
    expect(share).toBeLessThanOrEqual(0.99);
  });
});

test('the interval narrows with the sample, and widens when few rows are left', () => {
  const width = ({ low, high }: Estimate): number => high - low;
  expect(width(shareEstimate(140, 200, 10_000))).toBeLessThan(width(shareEstimate(35, 50, 10_000)) / 1.8);
  expect(width(shareEstimate(35, 50, 10))).toBeGreaterThan(width(shareEstimate(35, 50, 10_000)) * 1.5);
});

test('a sample that found all or nothing proves neither', () => {
  expect(shareEstimate(0, 50, 10_000)).toMatchObject({ low: 0, expected: 0, high: expect.closeTo(0.071, 2) });
  expect(shareEstimate(50, 50, 10_000)).toMatchObject({
    low: expect.closeTo(0.929, 2),
    expected: 1,
    high: 1,
  });
  expect(sumEstimate([0, 0, 0], 100, 2).high).toBeGreaterThan(100);
});
