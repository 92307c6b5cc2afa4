import { expect, test } from 'vitest';
import { MergedCells } from '../../../src/files/merging/merged-cells.ts';

/**
 * Goal: no cell that somebody has edited is lost, and an answer that is newer than the one in the file takes its place.
 * Method: the rule alone, over one row of each file.
 */

const COLUMNS = {
  isOutput: true,
  added: ['phone', '_status', '_as_of'],
  replaced: new Set(['phone', '_status', '_as_of']),
  shared: ['Note'],
  answered: new Set<string>(),
  identifiers: [{ column: 'ABN', kind: 'abn' }],
} as const;

type Row = Readonly<Record<string, string>>;

function merged(
  into: Row,
  result: Row,
  isAsWritten = false,
): { cells: readonly string[]; kept: unknown[]; mended: unknown[] } {
  const cells = new MergedCells(COLUMNS, isAsWritten);
  const of = (row: Row) => (column: string) => row[column] ?? '';
  const unknown = { before: undefined, isDoubtful: false, isAsSent: undefined, resultJson: undefined };
  const pair = { row: 2, into: of(into), result: of(result), ...unknown };
  cells.takeShared(pair);
  const texts = cells.added(pair).map((side, at) => pair[side](COLUMNS.added[at] ?? ''));
  return { cells: texts, kept: cells.kept, mended: cells.corrections };
}

const OLD = { phone: '1', _status: 'matched', _as_of: 'monday' };

test('a phone that was edited in the file is kept and shown, until another answer comes', () => {
  const edited = { ...OLD, phone: 'her own' };
  expect(merged(edited, OLD)).toEqual({
    cells: ['her own', 'matched', 'monday'],
    kept: [{ row: 2, column: 'phone', kept: 'her own', result: '1' }],
    mended: [],
  });
  const newer = { ...OLD, phone: '2', _as_of: 'tuesday' };
  expect(merged(edited, newer)).toEqual({ cells: ['2', 'matched', 'tuesday'], kept: [], mended: [] });
  expect(merged({ ...OLD, phone: '' }, OLD).cells[0]).toBe('1');
});

test('a cell of hers that differs is kept in silence where the result is as we wrote it, and shown where nobody knows', () => {
  const [into, result] = [{ Note: 'mine' }, { Note: 'other' }];
  expect(merged(into, result, true)).toMatchObject({ kept: [], mended: [] });
  expect(merged(into, result)).toMatchObject({ kept: [{ column: 'Note', kept: 'mine' }], mended: [] });
  expect(merged({}, result)).toMatchObject({ kept: [], mended: [{ column: 'Note', value: 'other' }] });
  expect(merged(into, {})).toMatchObject({ kept: [], mended: [] });
});

test('an answer without a value empties no cell of hers in a column that the job was to replace: it is kept and shown', () => {
  const cells = new MergedCells({ ...COLUMNS, shared: ['size'], answered: new Set(['size']) }, true);
  const of = (row: Row) => (column: string) => row[column] ?? '';
  const known = { before: of({ size: '6' }), isDoubtful: false, isAsSent: undefined, resultJson: undefined };
  cells.takeShared({ row: 2, into: of({ size: '6' }), result: of({}), ...known });
  expect([cells.kept, cells.corrections]).toEqual([[{ row: 2, column: 'size', kept: '6', result: '' }], []]);
});
