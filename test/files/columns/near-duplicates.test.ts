/**
 * Goal: rows that say the same are found, however they are written, and rows that differ are not taken for the same.
 * Method: small sheets, a list of thousands, and finders that keep a few rows only.
 */
import { describe, expect, test } from 'vitest';
import { duplicateLines } from '../../../src/cli/render/cell-issues.ts';
import { NearDuplicateFinder } from '../../../src/files/columns/near-duplicates.ts';
import { DuplicatesObject } from '../../../src/objects/list-object.ts';

/** The first row of the file is row 2. */
function alike(rows: readonly (readonly string[])[], kept?: number): NearDuplicateFinder {
  const finder = new NearDuplicateFinder(kept);
  for (const [index, cells] of rows.entries()) finder.add({ row: index + 2, cells });
  return finder;
}

test('a row with the very cells of an earlier one is the same; of several, all but the first', () => {
  const { same, nearlySame } = alike([
    ['Acme', 'Perth'],
    ['Beta', 'Perth'],
    ['Acme', 'Perth'],
    ['Acme', 'Perth'],
  ]);
  expect(same).toEqual({ count: 2, firstRows: [4, 5] });
  expect(nearlySame.count).toBe(0);
});

test.each([
  ['ACME Pty. Ltd.', 'acme pty ltd'],
  ['51 824 753 556', '51824753556'],
  ['Acme\u00a0(Perth)', 'Acme Perth'],
  ['“Acme”', '“ACME” '],
  ['O-Brien', 'o brien'],
])('%j and %j are nearly the same', (one, other) => {
  expect(
    alike([
      [one, 'x'],
      [other, 'x'],
    ]),
  ).toMatchObject({
    same: { count: 0 },
    nearlySame: { count: 1, firstRows: [3] },
  });
});

test('a row that is nearly the same as one and the very same as another counts as the same', () => {
  const { same, nearlySame } = alike([['Acme'], ['ACME'], ['ACME']]);
  expect([same.firstRows, nearlySame.firstRows]).toEqual([[4], [3]]);
});

test.each([
  [['1.5'], ['15']],
  [['-5'], ['5']],
  [
    ['ab', 'c'],
    ['a', 'bc'],
  ],
  [
    ['a', ''],
    ['', 'a'],
  ],
  [['é'], ['e']],
  [
    ['Ab', 'ab'],
    ['ab', 'b'],
  ],
])('%j and %j are two rows', (one, other) => {
  const { same, nearlySame } = alike([one, other]);
  expect([same.count, nearlySame.count]).toEqual([0, 0]);
});

test('rows of nothing but commas are not duplicates of each other', () => {
  expect(
    alike([
      ['', ''],
      ['', ''],
      [' ', '-'],
    ]).same.count,
  ).toBe(0);
});

test('among thousands of different rows each duplicate is found, and the first rows are named', () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => [`Company ${index}`, String(index * 7)]);
  const { same, nearlySame } = alike([
    ...rows,
    ...rows.map(([name = '', id = '']) => [name.toUpperCase(), id]),
    ...rows,
  ]);
  expect(nearlySame).toEqual({ count: 5_000, firstRows: [5_002, 5_003, 5_004, 5_005, 5_006] });
  expect(same).toEqual({ count: 5_000, firstRows: [10_002, 10_003, 10_004, 10_005, 10_006] });
});

describe('a file with more different rows than are kept', () => {
  const sheet = [['Acme'], ['Beta'], ['Cole'], ['Dart'], ['Cole'], ['Acme'], ['BETA'], ['Acme']];

  test('still has the duplicates of those found, and says that there may be more', () => {
    const found = alike(sheet, 2);
    expect([found.same.firstRows, found.nearlySame.firstRows]).toEqual([[7, 9], [8]]);
    expect(duplicateLines(found)).toEqual([
      'duplicates 2 rows the same as an earlier row: row 7, 9',
      'duplicates 1 row the same as an earlier row but for case, spaces or punctuation: row 8',
      'duplicates are looked for among the first 2 different rows',
    ]);
    expect(DuplicatesObject.of(found)).toMatchObject({ same: { count: 2 }, compared_with: 2 });
  });

  test('is none that has exactly as many', () => {
    const found = alike(sheet.slice(0, 6), 4);
    expect([found.same.firstRows, found.comparedWith]).toEqual([[6, 7], undefined]);
    expect(DuplicatesObject.of(found)).not.toHaveProperty('compared_with');
  });
});
