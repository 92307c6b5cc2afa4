/**
 * Goal: the pages of a long list come from a thread of their own, and say just what the ledger would say itself: what is known, what was
 * committed a moment ago, and what was altered.
 * Method: a store with more rows than are read without a thread. What this process itself reads of them is counted.
 */
import { renameSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { AttemptId, BatchId, Ledger, RowRecord } from '../../../src/ledger/ledger.ts';
import { recordPages } from '../../../src/ledger/row-pages.ts';
import { PageThread } from '../../../src/ledger/stores/sqlite/pages-beside.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { answered, batchNamed, MATCHED, settle } from './book.ts';
import { freshLedger, freshPlace, openStore } from './places.ts';
import { pastGuards } from './refusals.ts';
import { rowsRead } from './rows-read.ts';

const ROWS = 6_000;

/** A ledger that buys nothing, of a list whose rows were bought before. Some of them have two answers, and some none. */
async function longList(
  place = freshPlace(sqlite),
): Promise<{ ledger: Ledger; batch: BatchId; last: AttemptId }> {
  const buying = await openStore(sqlite, place);
  const list = await listOf(buying);
  await buying.close();
  return { ...list, ledger: await freshLedger(sqlite, place) };
}

async function listOf(ledger: Ledger): Promise<{ readonly batch: BatchId; readonly last: AttemptId }> {
  const batch = await batchNamed(ledger, 'long');
  const answers: AttemptId[] = [];
  for (let number = 0; number < 30; number += 1)
    answers.push(await answered(ledger, batch, `call${number}`, { row: 2 }));
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const own = answers[at % answers.length] as AttemptId;
    const outcome = at % 7 === 0 ? ({ kind: 'invalid', reason: 'no domain' } as const) : MATCHED;
    const used = at % 7 === 0 ? [] : at % 5 === 0 ? [answers[0] as AttemptId, own] : [own];
    return { batch, row: at + 2, outcome, answers: used, input: at };
  });
  await ledger.finishRows(rows);
  return { batch, last: answers.at(-1) as AttemptId };
}

async function allRows(ledger: Ledger, batch: BatchId): Promise<readonly RowRecord[]> {
  const rows: RowRecord[] = [];
  for await (const page of recordPages(ledger, batch)) rows.push(...page);
  return rows;
}

test('a long list comes from a thread as it would come from the ledger itself', async () => {
  const { ledger, batch } = await longList();
  const read = rowsRead();
  const first = await allRows(ledger, batch);
  expect(read()).toBeGreaterThanOrEqual(4_000);
  expect(read()).toBeLessThan(ROWS);
  const readBefore = read();
  const again = await allRows(ledger, batch);
  expect(read()).toBe(readBefore);
  expect(again).toHaveLength(ROWS);
  // Of the first reading, most rows are as this process read them.
  expect(again).toEqual(first);
});

test('a process that has bought reads its pages itself, because it is large already', async () => {
  const ledger = await freshLedger(sqlite);
  const { batch } = await listOf(ledger);
  const read = rowsRead();
  await allRows(ledger, batch);
  await allRows(ledger, batch);
  expect(read()).toBe(2 * ROWS);
});

test('a row that was finished a moment ago is in the page that is asked for next', async () => {
  const { ledger, batch, last } = await longList();
  await allRows(ledger, batch);
  await settle(ledger, batch, ROWS + 2, MATCHED, [last]);
  expect((await ledger.rows(batch, ROWS + 2, 10)).map(({ row }) => row)).toEqual([ROWS + 2]);
});

test('a row that is finished while the pages before it are worked on is read as it is then', async () => {
  const { ledger, batch, last } = await longList();
  const doubted = ROWS + 2 + 500;
  const rows = Array.from({ length: 1_000 }, (_, at) => ROWS + 2 + at);
  await ledger.finishRows(
    rows.map((row) => ({
      ...{ batch, row, answers: [last], input: row },
      outcome: row === doubted ? { kind: 'in_doubt', reason: 'no reply came' } : MATCHED,
    })),
  );
  await allRows(ledger, batch);
  const kindsFrom = async (row: number): Promise<readonly string[]> =>
    (await ledger.rows(batch, row, 250)).map(({ outcome }) => outcome.kind);
  const first = ROWS + 2;
  await kindsFrom(first);
  await kindsFrom(first + 250);
  await settle(ledger, batch, doubted, MATCHED, [last]);
  expect(await kindsFrom(first + 500)).toEqual(Array.from({ length: 250 }, () => 'matched'));
});

test.each([
  [
    'an answer',
    'replies_no_update',
    "UPDATE replies SET body = x'7b7d' WHERE of = (SELECT max(of) FROM replies)",
    'the reply to attempt',
  ],
  ['a row', 'rows_final', 'UPDATE rows SET input = 7 WHERE row = 5000', 'row 5000 of batch'],
])('%s that was altered meanwhile stops whoever reads the list', async (_, guard, sql, what) => {
  const place = freshPlace(sqlite);
  const { ledger, batch } = await longList(place);
  await allRows(ledger, batch);
  const database = new Database(`${place}/ledger.db`);
  pastGuards(database, [guard], sql);
  database.close();
  const read = rowsRead();
  await expect(allRows(ledger, batch)).rejects.toMatchObject({
    code: 'store_damaged',
    message: expect.stringContaining(what),
  });
  expect(read()).toBe(0);
});

test('a thread that cannot open the ledger says why in words for a person', async () => {
  const place = freshPlace(sqlite);
  const { ledger, batch } = await longList(place);
  await ledger.rows(batch, 0, ROWS);
  renameSync(`${place}/ledger.db`, `${place}/away.db`);
  await expect(ledger.rows(batch, 0, 10)).rejects.toMatchObject({ code: 'store' });
  renameSync(`${place}/away.db`, `${place}/ledger.db`);
  expect(await ledger.rows(batch, 0, 10)).toHaveLength(10);
});

test('nobody waits for a thread that has ended', async () => {
  const place = freshPlace(sqlite);
  const { batch } = await longList(place);
  const thread = PageThread.start({ path: `${place}/ledger.db`, folder: place });
  const wanted = { batch, fromRow: 0, limit: 10, commits: 0 };
  expect((await thread?.page(wanted))?.rows).toHaveLength(10);
  await thread?.end();
  await expect(thread?.page(wanted)).rejects.toThrow('has ended');
});
