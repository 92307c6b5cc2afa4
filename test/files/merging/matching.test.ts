import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchRows } from '../../../src/files/merging/matching.ts';

/**
 * Goal: each row of a result finds its row again, however its user has sorted and cut the file, and never another's.
 * Method: the rule alone, over rows written out and over arbitrary lists that were shuffled and cut.
 */

const result = (row: number, key: string, input = `${row}`, other = '') => ({
  ...{ row, key, input, other },
  answer: '',
});
const into = result;
const NOTHING_SENT = new Map<number, string>();

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

test('in whatever order a file is, each row gets a result with its own identifiers, and each result at most one row', () => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 12 });
  fc.assert(
    fc.property(keys, keys, (before, after) => {
      const results = before.map((key, at) => result(at + 2, key));
      const { byRow, nowhere } = matchRows(
        results,
        after.map((key, at) => into(at + 2, key)),
        NOTHING_SENT,
      );
      for (const [row, at] of byRow) expect(results[at]?.key).toBe(after[row - 2]);
      expect(new Set(byRow.values()).size).toBe(byRow.size);
      expect(byRow.size + nowhere.length).toBe(results.length);
      for (const key of ['a', 'b', 'c', 'd']) {
        const found = [...byRow].filter(([row]) => after[row - 2] === key).length;
        expect(found).toBe(
          Math.min(before.filter((each) => each === key).length, after.filter((each) => each === key).length),
        );
      }
    }),
    { numRuns: 50 },
  );
});

/** A row as it was sent, and what was made of it in the result and in her file. */
const ROW = fc.record({
  sent: fc.constantFrom('', 'acme', 'ACME', 'other'),
  other: fc.constantFrom('', 'foo', 'bar'),
  mended: fc.option(fc.constantFrom('acme', 'ACME', 'other', 'new'), { freq: 3 }),
  place: fc.integer({ max: 1_000 }),
  isCut: fc.boolean(),
  isListed: fc.boolean(),
});

test('whatever is sorted, cut and corrected, a row gets the corrections of none but its own, or of one that was all the same', () => {
  fc.assert(
    fc.property(fc.array(ROW, { maxLength: 8 }), (list) => {
      const numbered = list.map((each, at) => ({ ...each, row: at + 2 }));
      const line = (row: number, text: string, other: string) => result(row, text.toLowerCase(), text, other);
      const results = numbered.flatMap(({ row, sent, mended, other, isCut }) =>
        isCut ? [] : [line(row, mended ?? sent, other)],
      );
      const placed = numbered.filter(({ isListed }) => isListed).sort((a, b) => a.place - b.place);
      const { byRow, doubtful } = matchRows(
        results,
        placed.map(({ sent, other }, at) => line(at + 2, sent, other)),
        new Map(numbered.map(({ row, sent }) => [row, sent])),
      );
      for (const [row, at] of byRow) {
        const its = numbered.find((each) => each.row === results[at]?.row);
        const { sent, other } = placed[row - 2] ?? {};
        expect(its?.sent).toBe(sent);
        if (!doubtful.has(row)) expect(its?.other).toBe(other);
      }
    }),
    { numRuns: 300 },
  );
});
