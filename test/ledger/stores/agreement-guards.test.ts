import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { NOON_MS } from './book.ts';
import { openStore, temporaryFolder } from './places.ts';
import { ELSEWHERE, expectRefusal, type Refusal, untested } from './refusals.ts';

/**
 * Goal: what somebody agreed to stays as it was agreed to, whatever the code does, and an altered entry is damage.
 * Method: raw SQL on the file, around the code.
 */
const AGREED = { sha256: 'a'.repeat(64), shown: 'POST /tags', agreedAtMs: NOON_MS };

let place: string;
let database: Database.Database;

beforeAll(async () => {
  place = temporaryFolder(afterAll);
  const ledger = await openStore(sqlite, place);
  await ledger.noteAgreement(AGREED);
  await ledger.close();
  database = new Database(join(place, 'ledger.db'));
  afterAll(() => void database.close());
});

const OTHER = `'${'b'.repeat(64)}'`;

const REFUSED: readonly Refusal[] = [
  [
    'that it becomes one to something else',
    'agreements_no_update',
    `UPDATE agreements SET sha256 = ${OTHER}`,
  ],
  ['that it is taken back', 'agreements_no_delete', 'DELETE FROM agreements'],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_, guard, sql) => expectRefusal(database, guard, sql));

  test('all of that by guards of this topic', () => {
    expect(untested(database, REFUSED, '', ELSEWHERE.agreements)).toEqual([]);
  });
});

test('one that was altered is noticed by whoever reads it', async () => {
  const reader = await sqlite.look(place);
  database.exec(`DROP TRIGGER agreements_no_update; UPDATE agreements SET sha256 = ${OTHER}`);
  await expect(reader.agreement('b'.repeat(64))).rejects.toMatchObject({ code: 'store_damaged' });
  expect(await reader.agreement(AGREED.sha256)).toBeUndefined();
  await reader.close();
});
