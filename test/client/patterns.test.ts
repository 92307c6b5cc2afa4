/**
 * Goal: no regular expression of a dialect can stop a run, whoever wrote it and whatever the vendor answers.
 * Method: the built-in patterns by their form, because no time of a native one can be promised; those of files by a long text.
 */
import { expect, test } from 'vitest';
import { makeLinear } from '../../src/client/dialect/linear-pattern.ts';
import provider from '../../src/client/dialects/provider.ts';
import service from '../../src/client/dialects/service.ts';
import { patternOf } from '../../src/client/patterns.ts';

/** Every text at `matches`, and every value of a `header` test, at any depth. */
function patternsIn(value: unknown, name = ''): readonly string[] {
  if (typeof value !== 'object' || value === null)
    return name === 'matches' || name === 'header' ? [String(value)] : [];
  return Object.entries(value).flatMap(([key, member]) =>
    patternsIn(member, name === 'header' && typeof member === 'string' ? name : key),
  );
}

test('the built-in patterns repeat nothing and choose between nothing, so each of them is linear', () => {
  const found = [...patternsIn(provider), ...patternsIn(service)];
  expect(found.length).toBeGreaterThan(1);
  for (const pattern of found) expect(pattern.replaceAll(/\\./g, '')).not.toMatch(/[*+?{|(]/);
});

test.each(['^(a+)+$', '(a|aa)+$', '^(a|a?)+$', '^(?<ms>.*a){9}$', '(.*)*x'])(
  'a pattern of a file comes to an end where the native engine would take 2 to the power of the length: %s',
  (text) => {
    expect(makeLinear(text)).toBeUndefined();
    expect(patternOf(text).test(`${'a'.repeat(8_000)}!`)).toBe(false);
  },
);
