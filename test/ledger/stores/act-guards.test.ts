import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { BatchId } from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { answered, batchNamed } from './book.ts';
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

describe('a ledger from before it kept who is at work', () => {
  test('is read as it is: nobody is known, and nothing is added to it', async () => {
    const { folder, old } = await oldLedger();
    const reader = await sqlite.look(folder);
    onTestFinished(() => reader.close());
    expect(await reader.acts(old)).toEqual([]);
    expect(await reader.erasures()).toEqual([]);
    expect(await reader.logged({}, undefined, 10)).toMatchObject({ attempts: [{ batch: old }] });
    const { parts } = await reader.spentBetween(0, Number.MAX_SAFE_INTEGER, 0, 10);
    expect(parts).toEqual([expect.not.objectContaining({ operator: expect.anything() })]);
  });

  test('gets what it lacks from the next spender, who is the first that is known', async () => {
    const { folder, old } = await oldLedger();
    const ledger = await openStore(sqlite, folder, false, { operator: 'bob' });
    await batchNamed(ledger, 'a');
    await answered(ledger, old, 'later');
    await ledger.close();
    // It is a ledger like any other by now: whole, guarded and checked.
    const again = await openStore(sqlite, folder, false);
    onTestFinished(() => again.close());
    expect(await again.acts(old)).toMatchObject([{ kind: 'gone_on', operator: 'bob' }]);
    const { parts } = await again.spentBetween(0, Number.MAX_SAFE_INTEGER, 0, 10);
    expect(parts.map(({ operator, spent }) => [operator, spent])).toEqual([
      [undefined, 1],
      ['bob', 1],
    ]);
    const file = new Database(join(folder, 'ledger.db'));
    onTestFinished(() => void file.close());
    for (const [, guard, sql] of REFUSED) expectRefusal(file, guard, sql);
  });
});

/** As the schema was laid out before, also before ledgers were copied. */
async function oldLedger() {
  const folder = temporaryFolder();
  const ledger = await openStore(sqlite, folder);
  const old = await batchNamed(ledger, 'a');
  await answered(ledger, old, 'acme');
  await ledger.close();
  const file = new Database(join(folder, 'ledger.db'));
  file.exec('DROP TABLE acts; DROP TABLE copies');
  file.close();
  return { folder, old };
}
