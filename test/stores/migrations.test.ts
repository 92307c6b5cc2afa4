import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { BatchId, Ledger } from '../../src/ledger.ts';
import { APPLICATION_ID, MIGRATIONS } from '../../src/stores/sqlite/migrations.ts';
import sqlite from '../../src/stores/sqlite.ts';
import {
  ACCOUNT,
  admit,
  answered,
  batchNamed,
  DAY_MS,
  decide,
  lost,
  NOON_MS,
  released,
  requestUnder,
  stateOf,
} from './book.ts';
import { freshLedger, openStore, temporaryFolder } from './places.ts';

/**
 * Goal: a store that was made by an older Rowonce keeps everything that was paid for, and today's rules hold in it.
 * Method: a store as schema 1 made it, by that schema's own script and the entries that a Rowonce of that time wrote
 * (`schema-1.sql`): calls that were found, missed, lost, lost twice, told and left open, and no orderly end.
 */
const BATCH = '240eaae6' as BatchId;
const COMMITS = '0000000000000021\n';

function storeOfSchema1(): string {
  const place = temporaryFolder();
  const database = new Database(join(place, 'ledger.db'));
  database.exec(MIGRATIONS[0] ?? '');
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma('user_version = 1');
  database.exec(readFileSync(join(import.meta.dirname, 'schema-1.sql'), 'utf8'));
  database.close();
  writeFileSync(join(place, 'watermark'), COMMITS, { mode: 0o600 });
  return place;
}

test('a script that was released is never edited: there are stores that were made by it', () => {
  const hashes = MIGRATIONS.map((script) => createHash('sha256').update(script).digest('hex'));
  expect(hashes[0]).toBe('32ccea0a1c630e2b82a9264d427898a254aca042667864b101eae903e7ceaf6c');
});

test('a store of schema 1 opens, stands the full check, and has all that it had', async () => {
  const ledger = await freshLedger(sqlite, storeOfSchema1());
  const batch = await ledger.batch(BATCH);
  expect(batch).toMatchObject({ generation: 1, state: 'open', outputPath: '/home/user/leads.enriched.csv' });
  expect(batch).not.toHaveProperty('freshSince');
  expect(await ledger.batchMoney(BATCH)).toEqual({ cap: 50, spent: 3, reserved: 1, inDoubt: 5 });
  expect(await ledger.accountMoney(ACCOUNT, 'ever', NOON_MS)).toEqual({ spent: 3, reserved: 1, inDoubt: 5 });
  expect(await ledger.traffic(BATCH)).toEqual({ requests: 6, calls: 3 });
  expect(await ledger.counts(BATCH)).toEqual({ matched: 1 });
  expect(await stateOf(ledger, 'bought')).toMatchObject({
    answer: { charged: 2, body: Buffer.from('bought') },
  });
  expect(await stateOf(ledger, 'missed')).toMatchObject({ answer: { kind: 'no_match' } });
  expect(await stateOf(ledger, 'told')).toMatchObject({ answer: { kind: 'found', why: 'somebody said so' } });
  expect(await stateOf(ledger, 'lost', BATCH)).toMatchObject({
    doubt: { atRisk: 3 },
    decision: { kind: 'hold' },
  });
  expect(await stateOf(ledger, 'twice')).toMatchObject({ doubt: { atRisk: 2 } });
  expect(await ledger.openAttempts()).toMatchObject([{ row: 2, reserved: 1 }]);
  for (const record of await ledger.history(BATCH, 2)) {
    expect(record.looks).toEqual([]);
    for (const key of ['released', 'request', 'replaces']) expect(record).not.toHaveProperty(key);
  }
});

test("what schema 1 kept comes under today's rules: it is released, told about and bought anew", async () => {
  const place = storeOfSchema1();
  const ledger = await openStore(sqlite, place);
  const [open] = await ledger.openAttempts();
  if (open === undefined) throw new Error('the attempt that was open is gone');
  await ledger.closeAttempt(open.attempt, { kind: 'in_doubt', why: 'the program ended' }, NOON_MS);
  await released(ledger, open.attempt);
  await answered(ledger, BATCH, 'open');
  await releaseNewest(ledger, 'twice');
  await releaseNewest(ledger, 'twice');
  expect(await stateOf(ledger, 'twice')).toEqual({ kind: 'unknown' });
  await decide(ledger, BATCH, 'lost', 'retry');
  await expect(admit(ledger, BATCH, 'lost')).rejects.toThrow();
  const late = await batchNamed(ledger, 'late', { freshSince: { foundMs: NOON_MS + DAY_MS } });
  const state = await stateOf(ledger, 'bought');
  if (state.kind !== 'answered') throw new Error('what was bought is gone');
  await answered(ledger, late, 'bought', {
    replaces: state.answer.attempt,
    receivedAtMs: NOON_MS + DAY_MS,
  });
  await lost(ledger, late, 'keyed', { request: requestUnder('key-1') });
  expect(await ledger.batchMoney(BATCH)).toEqual({ cap: 50, spent: 4, reserved: 0, inDoubt: 3 });
  await ledger.close();
  markUnclean(place);
  await (await openStore(sqlite, place)).close();
});

test('whoever only looks waits for a run to bring the store up to date', async () => {
  const place = storeOfSchema1();
  const older = { code: 'store_version', message: expect.stringContaining('(schema 1, this one needs 2)') };
  await expect(sqlite.look(place)).rejects.toMatchObject(older);
  await (await openStore(sqlite, place)).close();
  const reader = await sqlite.look(place);
  onTestFinished(() => reader.close());
  expect(await reader.counts(BATCH)).toEqual({ matched: 1 });
});

async function releaseNewest(ledger: Ledger, word: string): Promise<void> {
  const state = await stateOf(ledger, word);
  if (state.kind !== 'in_doubt') throw new Error(`${word} is not in doubt`);
  await released(ledger, state.doubt.attempt);
}

function markUnclean(place: string): void {
  const database = new Database(join(place, 'ledger.db'));
  database.exec('UPDATE ledger SET clean = 0');
  database.close();
}
