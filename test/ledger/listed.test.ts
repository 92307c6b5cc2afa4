/**
 * Goal: the rows of a list are kept for processes that do not have it, whole and once, however often a submit is repeated.
 * Ranges are offered while rows of them are left.
 * Method: a ledger over tables of its own; what is left in them is read beside it.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { InputRow } from '../../src/core/row.ts';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import {
  ACCOUNT,
  admit,
  batchNamed,
  begin,
  decide,
  IN_DOUBT,
  lost,
  MATCHED,
  NOON_MS,
  settle,
} from './stores/book.ts';
import { freshLedger, freshPlace } from './stores/places.ts';

const ORDER = { job: { operation: 'enrich-company' }, dialect: { name: 'acme' }, rangeRows: 10 };

async function openPlace() {
  const place = freshPlace(sqlite);
  const ledger = await freshLedger(sqlite, place);
  const inTables = <Row>(sql: string): readonly Row[] => {
    const database = new Database(join(place, 'ledger.db'));
    try {
      const statement = database.prepare<[], Row>(sql);
      if (statement.reader) return statement.all();
      statement.run();
      return [];
    } finally {
      database.close();
    }
  };
  /** All that is kept of cells, as text. */
  const kept = () =>
    inTables<{ cells: string }>('SELECT cells FROM cells ORDER BY batch, row')
      .map(({ cells }) => cells)
      .join('\n');
  return { place, ledger, lists: ledger, kept, inTables };
}

const rowNamed = (row: number): InputRow => ({
  row,
  cells: [`row-${row}.example`, 'a note'],
});
const rowsOf = (count: number): readonly InputRow[] =>
  Array.from({ length: count }, (_, at) => rowNamed(at + 2));

test('rows come back as they were kept, in order and by range, also odd ones', async () => {
  const { ledger, lists } = await openPlace();
  const batch = await batchNamed(ledger, 'a');
  const odd: readonly InputRow[] = [
    { row: 2, cells: ['a\u0000b "quoted" {x}', ''] },
    { row: 3, cells: [] },
    { row: 5, cells: ['a', 'b', 'c'], unreadable: 'line 5 has 3 cells, and the header has 2' },
  ];
  await lists.submitRows(batch, odd.toReversed());
  await lists.submitRows(await batchNamed(ledger, 'b'), rowsOf(3));
  expect(await ledger.rowsLeft(batch, 'pending', 0, 100, 100)).toEqual(odd);
  expect(await ledger.rowsLeft(batch, 'pending', 3, 5, 100)).toEqual([odd[1]]);
});

test.each(['cancelled', 'superseded'] as const)(
  'a batch that is %s takes back the retry that was not sent, leaves the one that was, and buys nothing more',
  async (state) => {
    const { place, ledger, inTables } = await openPlace();
    const batch = await batchNamed(ledger, 'a');
    for (const row of [2, 3]) {
      const word = `row-${row}`;
      await settle(ledger, batch, row, IN_DOUBT, [await lost(ledger, batch, word, { row })]);
    }
    const decision = await decide(ledger, batch, 'row-2', 'retry');
    expect(await admit(ledger, batch, 'row-2', { row: 2, decision })).toMatchObject({ kind: 'admitted' });
    await decide(ledger, batch, 'row-3', 'retry');
    await ledger.close();
    inTables(`UPDATE rows SET state = 'pending', reason = NULL`);
    const later = await freshLedger(sqlite, place);
    if (state === 'cancelled') await later.changeBatch(batch, { state });
    else await begin(later, { key: 'edited', lineage: 'lineage-a' });
    expect(inTables('SELECT row, state, reason FROM rows ORDER BY row')).toEqual([
      { row: 2, state: 'in_doubt', reason: null },
      { row: 3, state: 'in_doubt', reason: 'the connection was reset' },
    ]);
    await expect(admit(later, batch, 'another')).rejects.toThrow();
  },
);

test('ranges are offered of batches that are kept whole and may go on, as long as rows of them are left', async () => {
  const { ledger, lists } = await openPlace();
  const batch = await batchNamed(ledger, 'a');
  await lists.submitRows(batch, rowsOf(25));
  expect(await lists.rangesLeft(), 'the submit was cut off here').toEqual([]);
  await lists.keepOrder(batch, ORDER);
  const range = (fromRow: number, left: number) => ({
    ...{ batch, accountIdentity: ACCOUNT, fromRow, beforeRow: fromRow + 10, left },
  });
  expect(await lists.rangesLeft()).toEqual([range(2, 10), range(12, 10), range(22, 5)]);
  for (let row = 2; row < 12; row += 1) await settle(ledger, batch, row, MATCHED);
  await settle(ledger, batch, 12, IN_DOUBT, [await lost(ledger, batch, 'row-12', { row: 12 })]);
  expect(await lists.rangesLeft()).toEqual([range(12, 9), range(22, 5)]);
  for (let row = 13; row < 22; row += 1) await settle(ledger, batch, row, MATCHED);
  expect(await lists.rangesLeft(), 'nobody but a person sends a doubt again').toEqual([range(22, 5)]);
  expect(await lists.rangesLeft(batch)).toEqual([range(12, 1), range(22, 5)]);
  await ledger.setPaused(batch, true, NOON_MS);
  expect(await lists.rangesLeft()).toEqual([]);
  await ledger.setPaused(batch, false, NOON_MS);
  await ledger.changeBatch(batch, { state: 'finished' });
  expect(await lists.rangesLeft()).toEqual([]);
});
