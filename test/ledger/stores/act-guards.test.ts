import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchId } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { batchNamed } from './book.ts';
import { openStore, temporaryFolder } from './places.ts';
import { ELSEWHERE, expectRefusal, type Refusal, untested } from './refusals.ts';

/**
 * Goal: who did what stays as it was noted, whatever the code does; and a ledger from before that was kept is used on, and says
 * that nobody is known. Method: raw SQL on the file, around the code.
 */
let place: string;
let batch: BatchId;
let database: Database.Database;

beforeAll(async () => {
  place = temporaryFolder(afterAll);
  const ledger = await openStore(sqlite, place, true, { operator: 'ann' });
  batch = await batchNamed(ledger, 'a');
  await ledger.close();
  database = new Database(join(place, 'ledger.db'));
  afterAll(() => void database.close());
});

const REFUSED: readonly Refusal[] = [
  ['that somebody else did it', 'acts_no_update', "UPDATE acts SET operator = 'bob'"],
  ['that nobody did it', 'acts_no_delete', 'DELETE FROM acts'],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_, guard, sql) => expectRefusal(database, guard, sql));

  test('all of that by guards of this topic', () => {
    expect(untested(database, REFUSED, '', ELSEWHERE.acts)).toEqual([]);
  });
});

test('an act that was altered is noticed by whoever reads it', async () => {
  const reader = await sqlite.look(place);
  database.exec("DROP TRIGGER acts_no_update; UPDATE acts SET operator = 'bob'");
  await expect(reader.acts(batch)).rejects.toMatchObject({ code: 'store_damaged' });
  await reader.close();
});
