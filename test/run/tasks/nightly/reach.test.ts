/**
 * Goal: a sweep is reported by the worst that stopped it, and whatever is a person's business outranks what passes by
 * itself.
 * Method: stops of all kinds, two by two and all at once.
 */
import { expect, test } from 'vitest';
import { EXIT, STOP_CODES, type StopCode, stop } from '../../../../src/core/errors.ts';
import { worstOf } from '../../../../src/run/tasks/nightly.ts';

const CODES = Object.keys(STOP_CODES) as readonly StopCode[];
const exitOf = (...codes: readonly StopCode[]): number | undefined =>
  worstOf(codes.map((code) => stop(code, code, 'x')))?.exitCode;

test('nothing that was stopped is no stop', () => {
  expect(exitOf()).toBeUndefined();
});

test.each<[StopCode, StopCode]>([
  ['interrupted', 'key'],
  ['terminated', 'key'],
  ['key', 'input'],
  ['disk_full', 'budget'],
  ['input', 'vendor_credits'],
  ['account_budget', 'paused'],
  ['busy', 'paused'],
])('%s outranks %s, whichever came first', (worse, better) => {
  expect(exitOf(better, worse)).toBe(STOP_CODES[worse]);
  expect(exitOf(worse, better)).toBe(STOP_CODES[worse]);
});

test('of equally bad ones the first is reported, and every code has its place', () => {
  expect(worstOf([stop('job', 'first', 'x'), stop('input', 'second', 'x')])?.message).toBe('first');
  for (const code of CODES) {
    expect(exitOf('paused', code), code).toBe(code === 'paused' ? EXIT.paused : STOP_CODES[code]);
  }
});
