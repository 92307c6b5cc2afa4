/**
 * Goal: what is added is what the job says, or the whole answers; a column of the user's is never lost
 * or overwritten unless the job says so.
 * Method: headers and answers against what should come of them, and arbitrary headers for what must always hold.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAttention, isOutput, ourNamesBeside } from '../../../src/core/our-columns.ts';
import { OUR_COLUMNS } from '../../../src/core/row.ts';
import {
  type Addition,
  addedCells,
  additionOf,
  automaticAddition,
  textCells,
} from '../../../src/files/output/added-columns.ts';
import { safeCell } from '../../../src/lib/formulas.ts';

/** As a run without `formulas` writes. */
const CELLS = () => textCells(safeCell);

const BATCH = { accounts: [{ identity: 'one', name: 'hunter' }] };

/** An answer of that account, whose dialect does not say where its fields stand. */
const shown = (fields: object) => ({
  body: Buffer.from(JSON.stringify(fields)),
  place: {},
  from: [{ accountIdentity: 'one' }],
});

const names = ({ columns }: Addition): readonly string[] => columns.map(({ name }) => name);

describe('the columns of a job in an earlier output', () => {
  const header = ['Domain', 'size', ...OUR_COLUMNS];
  const [dropped, row] = [['size', ...OUR_COLUMNS].sort(), { row: 2, cells: ['a.example', '12'] }];
  test.each([
    ['refuse', ['50'], 'it must be ours, because one of the user’s would have been refused'],
    ['replace', ['50'], 'whosever it is'],
    ['fill', ['12', 'list'], 'because it may be the user’s'],
    ['keep', ['12'], 'because it may be the user’s'],
  ] as const)('%s: %j, %s', (onExisting, expected, _why) => {
    const addition = additionOf(header, { size: 'employee_count' }, onExisting);
    expect([...addition.dropped].sort()).toEqual(dropped);
    const answer = shown({ employee_count: 50 });
    expect(addedCells(addition.columns, row, answer, BATCH, CELLS())).toEqual(expected);
  });
});

test.each([
  ['', ['50', 'hunter'], ['', '']],
  [' NULL', ['50', 'hunter'], [' NULL', '']],
  ['n/a', ['50', 'hunter'], ['n/a', '']],
  ['-', ['50', 'hunter'], ['-', '']],
  ['0', ['0', 'list'], ['0', 'list']],
  ['nothing', ['nothing', 'list'], ['nothing', 'list']],
])(
  'fill: the cell %j becomes %j, beside what filled it, and %j where nothing was found',
  (cell, filled, unfilled) => {
    const { columns } = additionOf(['Domain', 'size'], { size: 'employee_count' }, 'fill');
    const cellsFor = (fields: object | undefined) =>
      addedCells(columns, { row: 2, cells: ['a.example', cell] }, fields && shown(fields), BATCH, CELLS());
    expect(columns.map(({ name }) => name)).toEqual(['size', 'size_source']);
    expect(cellsFor({ employee_count: 50 })).toEqual(filled);
    expect(cellsFor(undefined)).toEqual(unfilled);
  },
);

test('no column of another job in an earlier output is replaced unasked', () => {
  const header = ['Domain', 'size', 'city', ...OUR_COLUMNS];
  const add = { title: 'job_title', city: 'location.city' };
  expect(() => additionOf(header, add, 'refuse')).toThrow('The input already has a column "city"');
  expect(names(additionOf(header, { title: 'job_title', home: 'location.city' }, 'refuse'))).toEqual([
    'title',
    'home',
  ]);
});

describe('without a job’s columns', () => {
  test('every field is added, and one that the file has gets another name', () => {
    const addition = automaticAddition(['ABN', 'Name'], ['name', 'abn', 'industry'], safeCell);
    expect(names(addition)).toEqual(['found_name', 'found_abn', 'industry']);
    expect([...addition.dropped]).toEqual([]);
  });

  test('what stands away from our columns is the user’s, whatever it is called', () => {
    const header = ['industry', 'ABN', 'found_industry', 'city', ...OUR_COLUMNS];
    const addition = automaticAddition(header, ['industry', 'city'], safeCell);
    expect(names(addition)).toEqual(['found_industry', 'city']);
    expect([...addition.dropped].sort()).toEqual(['found_industry', 'city', ...OUR_COLUMNS].sort());
  });

  test('what another operation has added stays beside what this one adds under the same name', () => {
    const company = ['ABN', 'Email', 'name', 'location.city', 'location.country', ...OUR_COLUMNS];
    const fields = ['full_name', 'location.city', 'location.country'];
    const first = automaticAddition(company, fields, safeCell);
    expect(names(first)).toEqual(['full_name', 'found_location.city', 'found_location.country']);
    expect([...first.dropped].sort()).toEqual([...OUR_COLUMNS].sort());
    // What it has added itself is replaced by it, and the first one's still stays.
    const both = [...company.slice(0, 5), ...names(first), ...OUR_COLUMNS];
    const again = automaticAddition(both, fields, safeCell);
    expect(names(again)).toEqual(names(first));
    expect([...again.dropped].sort()).toEqual([...names(first), ...OUR_COLUMNS].sort());
  });

  test('in words, a download that is brought again gets its columns once, and none of hers is taken for one of ours', () => {
    const naming = {
      inWords: true,
      operation: 'enrich-company',
      isIdentifier: (name: string) => /^abn$/i.test(name),
    };
    const fields = ['name', 'abn', 'location.city', 'emails.0', 'hq.city'];
    const hers = ['Website', 'City', 'Name'];
    const found = automaticAddition(hers, fields, safeCell, naming);
    expect(names(found)).toEqual([
      'Company name',
      'Found ABN',
      'Company location city',
      'Emails 0',
      'Company hq city',
    ]);
    const again = automaticAddition([...hers, ...names(found), ...OUR_COLUMNS], fields, safeCell, naming);
    expect(names(again)).toEqual(names(found));
    expect([...again.dropped].sort()).toEqual([...names(found), ...OUR_COLUMNS].sort());
    // Nothing was found before.
    const blank = automaticAddition([...hers, ...OUR_COLUMNS], fields, safeCell, naming);
    expect([...blank.dropped].sort()).toEqual([...OUR_COLUMNS].sort());
    const others = automaticAddition(
      [...hers, ...names(found).slice(0, 3), ...OUR_COLUMNS],
      fields,
      safeCell,
      naming,
    );
    expect([...others.dropped].sort()).toEqual([...names(found).slice(0, 3), ...OUR_COLUMNS].sort());
  });
});

test('one of our names alone is the user’s, and all of ours step aside with the same number, by which an output is known', () => {
  for (const header of [
    ['ABN', '_credits'],
    ['_reason', 'ABN'],
    ['ABN', '_as_of', '_row'],
    ['ABN', '_Status', 'note'],
    ['ABN', 'employees', '_status', '_reason'],
  ]) {
    expect([...additionOf(header, {}, 'refuse').dropped]).toEqual([]);
    const beside = OUR_COLUMNS.map((name) => `${name}_2`);
    expect(ourNamesBeside(header)).toEqual(beside);
    const output = [...header, ...beside];
    expect([...additionOf(output, {}, 'refuse').dropped]).toEqual(beside);
    expect(ourNamesBeside(output), 'the same names again').toEqual(beside);
  }
});

test('an output of a build with fewer columns of ours, or with more between them, is an output', () => {
  const more = OUR_COLUMNS.toSpliced(3, 0, '_checked' as never);
  for (const ours of [OUR_COLUMNS.slice(0, 3), ['_status', '_reason', '_as_of'], more])
    expect([...additionOf(['ABN', '_note', ...ours, '_mine'], {}, 'refuse').dropped]).toEqual([...ours]);
});

test('a column _row in an output is the user’s, who has it from a search, and stays; in a file of rows that need attention it is ours', () => {
  const droppedOf = (...header: readonly string[]) => [...additionOf(header, {}, 'refuse').dropped];
  expect(droppedOf('_row', 'ABN', ...OUR_COLUMNS)).toEqual([...OUR_COLUMNS]);
  expect(droppedOf('ABN', '_row', '_reason')).toEqual(['_row', '_reason']);
});

test('whatever the file has, no two columns of the output have one name, and no other column of the user’s is dropped', () => {
  const column = fc.constantFrom(
    'ABN',
    'name',
    'Name',
    'found_name',
    'industry',
    'city',
    '_row',
    '_Status',
    ' _as_of',
    ...OUR_COLUMNS,
  );
  const header = fc.uniqueArray(column, { minLength: 1, selector: (name) => name.trim().toLowerCase() });
  const fields = fc.uniqueArray(fc.constantFrom('name', 'abn', 'industry', 'city'));
  fc.assert(
    fc.property(header, fields, (columns, found) => {
      const addition: Addition = automaticAddition(columns, found, safeCell);
      const kept = columns.filter((name) => !addition.dropped.has(name));
      const all = [...kept, ...names(addition), ...ourNamesBeside(columns)].map((name) =>
        name.trim().toLowerCase(),
      );
      expect(new Set(all).size).toBe(all.length);
      expect(addition.columns.map(({ path }) => path)).toEqual(found);
      const theirs = columns.filter(
        (name) => !isAttention(columns) || (name !== '_row' && name !== '_reason'),
      );
      if (!isOutput(columns)) expect(kept).toEqual(theirs);
      else if (columns.includes('_row')) expect(kept).toContain('_row');
    }),
  );
});
