/**
 * Goal: rows come in order and in pages, and a ledger that reads in another thread reads the next page meanwhile.
 * Method: a ledger that is told when to answer, and says what it was asked.
 */
import { expect, test } from 'vitest';
import type { BatchId, RowRecord } from '../../src/ledger/ledger.ts';
import { recordPages } from '../../src/ledger/row-pages.ts';

const BATCH = 'b' as BatchId;

/** A ledger of rows 1 to `last` whose answers wait until they are let go. */
function slowLedger(last: number) {
  const asked: number[] = [];
  const answers: (() => void)[] = [];
  const rows = (_batch: BatchId, from: number, limit: number): Promise<readonly RowRecord[]> => {
    asked.push(from);
    const numbers = Array.from({ length: last }, (_, at) => at + 1).filter((row) => row >= from);
    const page = numbers.slice(0, limit).map((row) => ({ row, outcome: { kind: 'applied' }, answers: [] }));
    return new Promise((resolve) => answers.push(() => resolve(page as readonly RowRecord[])));
  };
  return { ledger: { rows }, asked, answer: () => answers.shift()?.() };
}

test('the next page is asked for before the present one is used up, and no other', async () => {
  const { ledger, asked, answer } = slowLedger(6);
  const pages = recordPages(ledger, BATCH, 2);
  const seen: number[][] = [];
  const asksAt: number[][] = [];
  for (let page = pages.next(); ; page = pages.next()) {
    answer();
    const { value, done } = await page;
    if (done === true) break;
    seen.push(value.map(({ row }) => row));
    asksAt.push([...asked]);
  }
  expect(seen).toEqual([[1, 2], [3, 4], [5, 6], []]);
  expect(asksAt).toEqual([
    [0, 3],
    [0, 3, 5],
    [0, 3, 5, 7],
    [0, 3, 5, 7],
  ]);
});

test('a page that is not full is the last, and nothing is asked for behind it', async () => {
  const { ledger, asked, answer } = slowLedger(3);
  const pages = recordPages(ledger, BATCH, 5, 2);
  const first = pages.next();
  answer();
  expect((await first).value?.map(({ row }) => row)).toEqual([2, 3]);
  expect((await pages.next()).done).toBe(true);
  expect(asked).toEqual([2]);
});

test('a page that cannot be read is told when it is due, and to nobody who has left before', async () => {
  const page = [1, 2].map((row) => ({ row, outcome: { kind: 'applied' }, answers: [] }) as const);
  const failing = {
    rows: async (_batch: BatchId, from: number) => {
      if (from > 0) throw new Error('the disk is gone');
      return page;
    },
  };
  const read = recordPages(failing, BATCH, 2);
  expect((await read.next()).value).toEqual(page);
  await expect(read.next()).rejects.toThrow('the disk is gone');
  const left = recordPages(failing, BATCH, 2);
  expect((await left.next()).value).toEqual(page);
  await left.return();
  // A rejection that nobody heard would be told here, and would end a run.
  await new Promise((resolve) => setImmediate(resolve));
});
