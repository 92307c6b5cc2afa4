/**
 * Goal: what a row was settled from is told apart from other cells, by every later version in the same way.
 * Method: frozen vectors, with the hashed text beside each, so that anybody can check one with `sha256sum`.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { rowInputOf } from '../../src/files/input.ts';

const HEADER = ['No', 'ABN', 'Website'];

/** Never edit a vector: every row that was settled would be taken for another. */
const FROZEN = [
  {
    columns: { website: 'Website', abn: 'ABN' },
    cells: ['1', ' 51 824 753 556', 'x.example'],
    text: '[["abn"," 51 824 753 556"],["website","x.example"]]',
    input: 0x20d4_7294_8d4b,
  },
  { columns: { abn: 'ABN' }, cells: ['2', '', 'ü "'], text: '[["abn",""]]', input: 0x6997_e8a5_c476 },
  {
    columns: { website: 'Website' },
    cells: ['3', '', 'ü "'],
    text: '[["website","ü \\""]]',
    input: 0xb779_f51d_8c09,
  },
] as const;

test.for(FROZEN)('$text', ({ columns, cells, text, input }) => {
  expect(createHash('sha256').update(text).digest().readUIntBE(0, 6)).toBe(input);
  expect(rowInputOf(columns, HEADER)({ cells })).toBe(input);
});

/** Never edit it either. */
test('of a row that cannot be read every cell counts, because any may be a column’s', () => {
  const inputOf = rowInputOf({ abn: 'ABN' }, HEADER);
  const unreadable = 'line 3 cannot be read';
  const text = '["1","2","3","ü \\""]';
  const input = inputOf({ cells: ['1', '2', '3', 'ü "'], unreadable });
  expect(createHash('sha256').update(text).digest().readUIntBE(0, 6)).toBe(input);
  expect(inputOf({ cells: ['1', '2', '3', 'ü'], unreadable })).not.toBe(input);
});
