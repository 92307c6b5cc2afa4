import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { NOON_MS } from './book.ts';
import { openStore, temporaryFolder } from './places.ts';
import { ELSEWHERE, expectRefusal, type Refusal, untested } from './refusals.ts';

/**
 * Goal: a ledger that was copied never spends again, whatever the code does.
 * Method: raw SQL on the file, around the code.
 */
let place: string;
let database: Database.Database;

beforeAll(async () => {
  place = temporaryFolder(afterAll);
  await (await openStore(sqlite, place)).close();
  const options = { clock: systemClock, waitForLockMs: 0, command: 'store copy' };
  const source = await sqlite.copying?.from(place, options);
  await source?.leave({ identity: 'a'.repeat(32), place: '/srv/other', atMs: NOON_MS });
  await source?.close();
  database = new Database(join(place, 'ledger.db'));
  afterAll(() => void database.close());
});

const REFUSED: readonly Refusal[] = [
  ['that another place becomes the copy', 'copies_no_update', "UPDATE copies SET place = '/srv/another'"],
  ['that the copy is forgotten', 'copies_no_delete', 'DELETE FROM copies'],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_, guard, sql) => expectRefusal(database, guard, sql));

  test('all of that by guards of this topic', () => {
    expect(untested(database, REFUSED, '', ELSEWHERE.copies)).toEqual([]);
  });
});

test('who wants to spend or decide hears where the copy is, and who reads it does not', async () => {
  const refused = {
    code: 'store',
    message: expect.stringContaining('was copied to /srv/other on 2026-11-20'),
  };
  await expect(openStore(sqlite, place)).rejects.toMatchObject(refused);
  await (await sqlite.look(place)).close();
  await expect(openStore(sqlite, place, false, { sendsNothing: true })).rejects.toMatchObject(refused);
  await (await openStore(sqlite, place, false, { mayBeCopied: true })).close();
});

test('a mark that was altered is noticed before a run', async () => {
  database.exec("DROP TRIGGER copies_no_update; UPDATE copies SET place = '/srv/another'");
  const damaged = {
    code: 'store_damaged',
    message: expect.stringContaining('to where this ledger was copied was altered'),
  };
  await expect(openStore(sqlite, place)).rejects.toMatchObject(damaged);
});
