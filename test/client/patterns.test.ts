/**
 * Goal: no regular expression of a dialect can stop a run, whoever wrote it and whatever the vendor answers.
 * Method: the built-in patterns by their form, because no time of a native one can be promised; those of files by the
 * processor time that they take for a text and for one that is eight times as long.
 */
import { expect, test } from 'vitest';
import { makeLinear } from '../../src/client/dialect/linear-pattern.ts';
import provider from '../../src/client/dialects/provider.ts';
import service from '../../src/client/dialects/service.ts';
import { type Pattern, patternOf } from '../../src/client/patterns.ts';

/** Every text at `matches`, and every value of a `header` test, at any depth. */
function patternsIn(value: unknown, name = ''): readonly string[] {
  if (typeof value !== 'object' || value === null)
    return name === 'matches' || name === 'header' ? [String(value)] : [];
  return Object.entries(value).flatMap(([key, member]) =>
    patternsIn(member, name === 'header' && typeof member === 'string' ? name : key),
  );
}

function linear(text: string): Pattern {
  expect(makeLinear(text)).toBeUndefined();
  return patternOf(text);
}

test('the built-in patterns repeat nothing and choose between nothing, so each of them is linear', () => {
  const found = [...patternsIn(provider), ...patternsIn(service)];
  expect(found.length).toBeGreaterThan(1);
  for (const pattern of found) expect(pattern.replaceAll(/\\./g, '')).not.toMatch(/[*+?{|(]/);
});

/** Processor time in microseconds of the quickest of three. */
function timeOf(work: () => unknown): number {
  const spent = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    for (let round = 0; round < 20; round += 1) work();
    // The kernel counts the sum; how much of it is the user's, it guesses by the state at a few ticks.
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...spent);
}

test.each(['^(a+)+$', '(a|aa)+$', '(a|a?)+$', '^(?<ms>.*a){9}$', '(.*)*x'])(
  'a text that is eight times as long takes no thousand times as long: %s',
  (text) => {
    const pattern = linear(text);
    // The native engine would take 2 to the power of the length here.
    const [short, long] = [1_000, 8_000].map((length) => {
      const words = `${'a'.repeat(length)}!`;
      return timeOf(() => [pattern.test(words), pattern.exec(words)]);
    });
    expect((long ?? 0) / Math.max(short ?? 0, 100)).toBeLessThan(100);
  },
);
