import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ESTIMATES } from '../../../src/ledger/stores/sqlite/schema/estimates.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { batchNamed } from './book.ts';
import { openStore, temporaryFolder } from './places.ts';
import { expectRefusal, type Refusal, untested } from './refusals.ts';

/**
 * Goal: once it is noted that a batch may have spent less, nothing makes its sum look exact again.
 * Method: raw SQL on the file, around the code.
 */
let database: Database.Database;

beforeAll(async () => {
  const place = temporaryFolder(afterAll);
  const ledger = await openStore(sqlite, place);
  await batchNamed(ledger, 'a');
  await ledger.close();
  database = new Database(join(place, 'ledger.db'));
  database.exec('INSERT INTO estimates (batch) SELECT id FROM batches');
  afterAll(() => void database.close());
});

const REFUSED: readonly Refusal[] = [
  ['that the note goes to another batch', 'estimates_no_update', 'UPDATE estimates SET batch = batch'],
  ['that the note is forgotten', 'estimates_no_delete', 'DELETE FROM estimates'],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_, guard, sql) => expectRefusal(database, guard, sql));

  test('all of that by guards of this topic', () => {
    expect(untested(database, ESTIMATES, REFUSED)).toEqual([]);
  });
});
