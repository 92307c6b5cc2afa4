import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { NOON_MS } from './book.ts';
import { openStore, temporaryFolder } from './places.ts';
import { ELSEWHERE, expectRefusal, type Refusal, untested } from './refusals.ts';

/**
 * Goal: what a job tells outside is never another thing than was told.
 * Method: raw SQL on the file of a real store, around the code.
 */
let place: string;
let database: Database.Database;

const told = { id: 'n1', kind: 'end', target: '{}', body: '{"rows":1}', atMs: NOON_MS } as const;

beforeAll(async () => {
  place = temporaryFolder(afterAll);
  const ledger = await openStore(sqlite, place);
  await ledger.notices.keep(told);
  await ledger.close();
  database = new Database(join(place, 'ledger.db'));
  afterAll(() => void database.close());
});

const REFUSED: readonly Refusal[] = [
  ['that something else was told', 'notices_no_update', "UPDATE notices SET body = '{}'"],
  ['that it goes elsewhere', 'notices_no_update', "UPDATE notices SET target = '[]'"],
  ['that a notice is forgotten', 'notices_no_delete', 'DELETE FROM notices'],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_, guard, sql) => expectRefusal(database, guard, sql));

  test('all of that by guards of this topic', () => {
    expect(untested(database, REFUSED, '', ELSEWHERE.notices)).toEqual([]);
  });
});
