/**
 * Goal: the figures of a month are right before anything is drawn: an axis with rounded steps, days that add up, no credits of two
 * accounts in one sum, and a forecast that anybody can do by hand.
 * Method: the functions of the page, over groups as `spend` gives them.
 */
import { describe, expect, test } from 'vitest';
import type { SpendGroupObject, SpentAtObject } from '../../src/web/api.ts';
import {
  amountIn,
  budgetIn,
  daysIn,
  forecastOf,
  marksTo,
  unitsOf,
  worthWords,
} from '../../src/web/page/views/money/month.ts';

const at = (
  account: string,
  spent: number,
  price?: readonly [amount: number, currency: string],
): SpentAtObject => ({
  account,
  spent,
  exact: true,
  requests: spent,
  ...(price && { cost: [{ amount: spent * price[0], currency: price[1] }] }),
});
const group = (name: string, accounts: SpentAtObject[], budget: number | null = null): SpendGroupObject => ({
  name,
  sandbox: false,
  spent: 0,
  for_misses: 0,
  exact: true,
  accounts,
  in_doubt: 0,
  saved: 0,
  requests: 0,
  batches: 0,
  budget,
});
const AUD = { currency: 'AUD' };
const data = (spent: number) => at('data', spent, [0.4, 'AUD']);
const hunter = (spent: number) => at('hunter', spent, [0.05, 'AUD']);
const other = (spent: number) => at('other', spent);

test.each([
  [214.66, [0, 50, 100, 150, 200, 250]],
  [400, [0, 100, 200, 300, 400]],
  [0.2, [0, 0.05, 0.1, 0.15, 0.2]],
  [7, [0, 2, 4, 6, 8]],
  [1_000, [0, 200, 400, 600, 800, 1_000]],
  [0.3, [0, 0.1, 0.2, 0.3]],
])('an axis up to %d has the marks %j', (most, marks) => {
  expect(marksTo(most)).toEqual(marks);
});

test('an axis of credits has no part of one', () => {
  expect(marksTo(2, 1)).toEqual([0, 1, 2]);
  expect(marksTo(1, 1)).toEqual([0, 1]);
});

describe('what is added up', () => {
  test('accounts of one currency are one sum, and each account without a price stands by itself', () => {
    const all = [other(12), data(10), hunter(20), at('euro', 2, [1, 'EUR']), at('idle', 0)];
    expect(unitsOf(all)).toEqual([AUD, { account: 'other' }, { currency: 'EUR' }]);
    expect(amountIn(AUD, all)).toEqual({ amount: 5, exact: true });
    expect(amountIn({ account: 'other' }, all)).toEqual({ amount: 12, exact: true });
    expect(worthWords(all)).toBe('A$5.00, €2.00 and 12 credits of other');
    expect(worthWords([other(1)])).toBe('1 credit of other');
  });

  test('a budget is that of all accounts of the sum, or none', () => {
    const spent = [
      group('data', [data(10)], 100),
      group('hunter', [hunter(20)], 400),
      group('other', [other(3)], 50),
    ];
    expect(budgetIn(AUD, spent)).toBe(60);
    expect(budgetIn({ account: 'other' }, spent)).toBe(50);
    expect(budgetIn(AUD, [...spent, group('more', [at('more', 1, [1, 'AUD'])])])).toBeUndefined();
  });
});

describe('a month', () => {
  const days = [group('2026-11-02', [data(5), other(9)]), group('2026-11-04', [data(10)])];

  test('its days add up, those without cost too, and end today', () => {
    const now = new Date('2026-11-05T23:59:00Z');
    expect(daysIn(AUD, '2026-11', days, now).map(({ amount, soFar }) => [amount, soFar])).toEqual([
      [0, 0],
      [2, 2],
      [0, 2],
      [4, 6],
      [0, 6],
    ]);
    expect(daysIn(AUD, '2026-10', [], now)).toHaveLength(31);
  });

  test('it comes to what it has cost a day, for all of its days; one that is over has no forecast', () => {
    const first = daysIn(AUD, '2026-11', days, new Date('2026-11-05T01:00:00Z'));
    expect(forecastOf(first, '2026-11')).toBe((6 / 5) * 30);
    const early = daysIn(AUD, '2026-11', days, new Date('2026-11-04T01:00:00Z'));
    expect(forecastOf(early, '2026-11'), 'in its first days').toBeUndefined();
    const last = daysIn(AUD, '2026-11', days, new Date('2026-11-30T01:00:00Z'));
    expect(forecastOf(last, '2026-11')).toBeUndefined();
    expect(forecastOf(daysIn(AUD, '2026-11', [], new Date('2026-11-05')), '2026-11')).toBeUndefined();
  });
});
