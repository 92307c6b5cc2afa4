import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchId } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { batchNamed, NOON_MS } from './book.ts';
import { openStore, temporaryFolder } from './places.ts';
import { ELSEWHERE, expectRefusal, type Refusal, untested } from './refusals.ts';

/**
 * Goal: a batch that a person has paused stays so until a person resumes it, whatever the code does.
 * Method: raw SQL on the file, around the code.
 */
let place: string;
let batch: BatchId;
let database: Database.Database;

beforeAll(async () => {
  place = temporaryFolder(afterAll);
  const ledger = await openStore(sqlite, place);
  batch = await batchNamed(ledger, 'a');
  await ledger.noteHold(batch, true, NOON_MS);
  await ledger.close();
  database = new Database(join(place, 'ledger.db'));
  afterAll(() => void database.close());
});

const REFUSED: readonly Refusal[] = [
  ['that a pause becomes leave to go on', 'holds_no_update', 'UPDATE holds SET held = 0'],
  ['that a pause is forgotten', 'holds_no_delete', 'DELETE FROM holds'],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_, guard, sql) => expectRefusal(database, guard, sql));

  test('all of that by guards of this topic', () => {
    expect(untested(database, REFUSED, '', ELSEWHERE.holds)).toEqual([]);
  });
});

test('one that was altered is noticed by whoever reads it', async () => {
  const reader = await sqlite.look(place);
  database.exec('DROP TRIGGER holds_no_update; UPDATE holds SET held = 0');
  await expect(reader.heldSince(batch)).rejects.toMatchObject({ code: 'store_damaged' });
  await reader.close();
});
