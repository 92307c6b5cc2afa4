/**
 * Goal: the list of who was removed can be opened in a spreadsheet program, whatever people and projects are called.
 * Method: planned rows as a ledger keeps them, and the text that is made of them.
 */
import { expect, test } from 'vitest';
import { CellSafety } from '../../../../src/core/formulas.ts';
import { removedCopy } from '../../../../src/files/output/output/beside-copies.ts';
import type { Batch, PlannedRow, RowRecord } from '../../../../src/ledger/ledger.ts';

const WORK = {
  subject: { project: 'proj-1', name: '+x@acme.example' },
  to: 'none',
  from: 'viewer',
  email: '+x@acme.example',
  project: '=cmd()',
};

async function textOf(safety: CellSafety, mark = ''): Promise<string> {
  const planned: readonly PlannedRow[] = [{ row: 9, kind: 'work', work: WORK }];
  const outcome = { kind: 'refused', reason: '@SUM(1)' } as const;
  const ledger = { rows: async (): Promise<readonly RowRecord[]> => [{ row: 9, outcome, answers: [] }] };
  const chunks: Buffer[] = [];
  const copy = removedCopy(ledger, { id: 'b' } as Batch, planned, mark, safety);
  for await (const chunk of copy) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const HEADER = 'email,user_id,project,role,_row,_status,_reason\n';

test('nothing in it becomes a formula, which is counted', async () => {
  const safety = new CellSafety('safe');
  expect(await textOf(safety)).toBe(`${HEADER}'+x@acme.example,,'=cmd(),viewer,9,refused,'@SUM(1)\n`);
  expect(safety.marked).toBe(3);
});

test('begins with the byte-order mark where it is to have one', async () => {
  expect((await textOf(new CellSafety('raw'), '\uFEFF')).startsWith(`\uFEFF${HEADER}`)).toBe(true);
});

test('raw: all is as it is known', async () => {
  expect(await textOf(new CellSafety('raw'))).toBe(
    `${HEADER}+x@acme.example,,=cmd(),viewer,9,refused,@SUM(1)\n`,
  );
});
