/**
 * Goal: the lists of who was removed and who was not can be opened in a spreadsheet program, whatever people and projects are
 * called.
 * Method: people as a batch has them, and the text that is made of them.
 */
import { expect, test } from 'vitest';
import { missingCopy } from '../../../../src/files/output/output/beside-copies.ts';
import { CellSafety } from '../../../../src/lib/formulas.ts';

const PERSON = {
  row: 9,
  email: '+x@acme.example',
  userId: undefined,
  project: '=cmd()',
  role: 'viewer',
  ended: 'held_back',
  reason: '@SUM(1)',
} as const;

const textOf = (safety: CellSafety, mark = ''): string => [...missingCopy([PERSON], mark, safety)].join('');

const HEADER = 'email,user_id,project,role,_row,_status,_reason\n';

test('nothing in it becomes a formula, which is counted', () => {
  const safety = new CellSafety('safe');
  expect(textOf(safety)).toBe(`${HEADER}'+x@acme.example,,'=cmd(),viewer,9,held_back,'@SUM(1)\n`);
  expect(safety.marked).toBe(3);
});

test('begins with the byte-order mark where it is to have one', () => {
  expect(textOf(new CellSafety('raw'), '\uFEFF').startsWith(`\uFEFF${HEADER}`)).toBe(true);
});

test('raw: all is as it is known', () => {
  expect(textOf(new CellSafety('raw'))).toBe(`${HEADER}+x@acme.example,,=cmd(),viewer,9,held_back,@SUM(1)\n`);
});
