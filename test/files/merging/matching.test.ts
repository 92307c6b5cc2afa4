import { expect, test } from 'vitest';
import { matchRows } from '../../../src/files/merging/matching.ts';

/**
 * Goal: a list of rows that are all alike holds nobody up. That each finds its own row is shown in `random-merges`.
 * Method: the rule alone.
 */

const result = (row: number, key: string, input = `${row}`, other = '') => ({
  ...{ row, key, input, other },
  answer: '',
});

test('a hundred thousand rows that are alike are matched as fast as others, however they are written by now', () => {
  const rows = (row: number, key: string, input: string) =>
    Array.from({ length: 100_000 }, (_, at) => result(row + at, key, input, `${at % 2}`));
  const sentAs = new Map(rows(2, '', 'sent').map(({ row, input }) => [row, input]));
  for (const [key, input] of [
    ['a', 'sent'],
    ['a', 'written otherwise'],
    ['', 'sent'],
  ] as const)
    expect(matchRows(rows(2, key, 'sent'), rows(7, key, input), sentAs).nowhere).toEqual([]);
});
