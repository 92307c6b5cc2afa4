/**
 * Goal: every column has a name of its own, however many of a vendor's differ in their case alone.
 * Method: the steps that a set is asked are counted, at one size and at four times that.
 */
import { expect, test } from 'vitest';
import { FreeNames } from '../../../../src/files/output/output/added-columns.ts';

test('a name that is taken gets a prefix, then a number', () => {
  const names = new FreeNames(['Domain', 'found_name']);
  const taken = ['domain', 'DOMAIN', 'Domain', 'name', 'NAME', 'name', 'found_domain_2'];
  expect(taken.map((name) => names.take(name, 'found_'))).toEqual([
    'found_domain',
    'found_DOMAIN_2',
    'found_Domain_3',
    'name',
    'found_NAME_2',
    'found_name_3',
    'found_found_domain_2',
  ]);
});

/** So many spellings of one name, which differ in their case alone. */
function spellings(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) =>
    [...'abcdefghijklmnop']
      .map((letter, bit) => (number & (1 << bit) ? letter.toUpperCase() : letter))
      .join(''),
  );
}

function stepsFor(count: number): number {
  const names = new FreeNames([]);
  const asked = Set.prototype.has;
  let steps = 0;
  Set.prototype.has = function (value) {
    steps += 1;
    return asked.call(this, value);
  };
  try {
    const given = spellings(count).map((name) => names.take(name, 'found_').toLowerCase());
    Set.prototype.has = asked;
    expect(new Set(given).size).toBe(count);
  } finally {
    Set.prototype.has = asked;
  }
  return steps;
}

test('four times as many spellings of a name take four times as many steps', () => {
  expect(stepsFor(4_000) / stepsFor(1_000)).toBeLessThan(5);
});
