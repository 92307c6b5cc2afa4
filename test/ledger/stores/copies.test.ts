import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { leaveTo } from '../../../src/ledger/copy.ts';
import { keptTables } from '../../../src/ledger/schema.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { ACCOUNT, answered, batchNamed, invited, MATCHED, NOON_MS, settle } from './book.ts';
import { freshPlace, openStore } from './places.ts';

/*
 * Goal: whatever a ledger holds, its copy in another store holds as well, and stands the full check there. Exports and runs on a copy:
 * `faults/store-copies.test.ts`.
 * Method: a ledger with something in every table, of which each row is looked for in the copy.
 */

const options = { clock: systemClock, waitForLockMs: 0, command: 'store copy' };

/** Copies what is at a place to a place of its own. */
async function copyAt(at: string): Promise<string> {
  const place = freshPlace(sqlite);
  await sqlite.copyFrom(at, options, async (source) => {
    const target = await sqlite.copyTo(place, options);
    const identity = randomBytes(16).toString('hex');
    await target.take(source, identity);
    await leaveTo(source, { identity, location: target.location, atMs: NOON_MS });
    await target.arrive(identity);
    await target.close();
  });
  return place;
}

test('every row of every table is in the copy, as it was', async () => {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place, true, { operator: 'ann' });
  const batch = await batchNamed(ledger, 'a');
  const rows = [2, 3, 4].map((row) => ({ row, cells: [`row-${row}.example`] }));
  await ledger.submitRows(batch, [...rows, { row: 5, cells: ['"'], unreadable: 'a stray quote' }]);
  await ledger.keepOrder(batch, { job: { name: 'j' }, dialect: { name: 'd' }, rangeRows: 2 });
  const answers = [await answered(ledger, batch, 'one'), await answered(ledger, batch, 'two')];
  await settle(ledger, batch, 2, MATCHED, answers);
  await invited(ledger, batch);
  await ledger.keepMarks(ACCOUNT, { name: 'data', address: ACCOUNT });
  await ledger.notices.keep({ id: 'n1', kind: 'end', target: '{}', body: '{}', atMs: NOON_MS });
  await ledger.noteWritten('/lists/out.csv', ['a'.repeat(64)], batch);
  await ledger.close();
  const tablesAt = (at: string) => {
    const database = new Database(join(at, 'ledger.db'), { readonly: true });
    onTestFinished(() => void database.close());
    // What is said of the place, and of who copies it.
    const only: Readonly<Record<string, string>> = {
      meta: `name NOT IN ('identity', 'copied_to', 'formerly')`,
      workers: `operator = 'ann'`,
    };
    return keptTables().map(({ table }) => {
      const rows = database.prepare(`SELECT * FROM ${table} WHERE ${only[table] ?? '1 = 1'}`).all();
      return [table, rows.map((row) => JSON.stringify(row)).sort()] as const;
    });
  };
  const there = await copyAt(place);
  const was = tablesAt(place);
  const empty = was.filter(([, rows]) => rows.length === 0).map(([table]) => table);
  expect(empty).toEqual(['prices']);
  expect(tablesAt(there)).toEqual(was);
  expect(await sqlite.check(there)).toMatchObject({ broken: [], wrong: [] });
});
