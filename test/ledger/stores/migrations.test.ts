import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { BatchId, Ledger } from '../../../src/ledger/ledger.ts';
import { APPLICATION_ID, MIGRATIONS } from '../../../src/ledger/stores/sqlite/migrations.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import {
  ACCOUNT,
  admit,
  answered,
  batchNamed,
  batchSpec,
  DAY_MS,
  decide,
  lost,
  NOON_MS,
  released,
  requestUnder,
  stateOf,
} from './book.ts';
import { admitChange, changed, changeOf, INVITED, known } from './changes.ts';
import { freshLedger, openStore, temporaryFolder } from './places.ts';

/**
 * Goal: a store that was made by an older Rowonce keeps everything that was paid for, and today's rules hold in it.
 * Method: stores as schemas 1 and 2 made them, by those schemas' own scripts and the entries that a Rowonce of that time
 * wrote (`schema-1.sql`, `schema-2.sql`): calls that ended in every way or were left open, and no orderly end.
 */
const BATCH = '240eaae6' as BatchId;
const [BATCH_2, LATE_2] = ['f2d0d1ed' as BatchId, 'fb13ec90' as BatchId];

const storeOfSchema1 = (): string => storeOf(1, '0000000000000021\n');
const storeOfSchema2 = (): string => storeOf(2, '0000000000000046\n');

function storeOf(schema: number, watermark: string): string {
  const place = temporaryFolder();
  const database = new Database(join(place, 'ledger.db'));
  for (const script of MIGRATIONS.slice(0, schema)) database.exec(script);
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${schema}`);
  database.exec(readFileSync(join(import.meta.dirname, `schema-${schema}.sql`), 'utf8'));
  database.close();
  writeFileSync(join(place, 'watermark'), watermark, { mode: 0o600 });
  return place;
}

test('a script that was released is never edited: there are stores that were made by it', () => {
  const hashes = MIGRATIONS.slice(0, 4).map((script) => createHash('sha256').update(script).digest('hex'));
  expect(hashes).toEqual([
    '32ccea0a1c630e2b82a9264d427898a254aca042667864b101eae903e7ceaf6c',
    '1129960999f6d43c9615fe0030980648947700177578035bf577b5f52f692519',
    '86e343062c82f766e85e74c005c049f93c9794f61b76c25ddaaadd6f1fa503fc',
    '43bea86acc68785465950c6263602e494b16cb6514cac777b329b41a7e194073',
  ]);
});

test('what an older Rowonce wrote is still known as ours, also where a crash left which of two it is open', async () => {
  const place = storeOfSchema1();
  const [now, before] = ['a'.repeat(64), 'b'.repeat(64)];
  const database = new Database(join(place, 'ledger.db'));
  database
    .prepare('UPDATE batches SET output_path = ?, output_sha256 = ?')
    .run('/out.csv', `${now} ${before}`);
  database.close();
  const ledger = await freshLedger(sqlite, place);
  expect(await ledger.written('/out.csv')).toEqual([now, before]);
});

test('a store of schema 1 opens, stands the full check, and has all that it had', async () => {
  const ledger = await freshLedger(sqlite, storeOfSchema1());
  const batch = await ledger.batch(BATCH);
  expect(batch).toMatchObject({ generation: 1, state: 'open', outputPath: '/home/user/leads.enriched.csv' });
  expect(batch).not.toHaveProperty('freshSince');
  expect(await ledger.batchMoney(BATCH)).toEqual({ cap: 50, spent: 3, reserved: 1, inDoubt: 5 });
  expect(await ledger.accountMoney(ACCOUNT, 'ever', NOON_MS)).toEqual({ spent: 3, reserved: 1, inDoubt: 5 });
  expect(await ledger.metrics(BATCH)).toEqual({ requests: 6, calls: 3 });
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

test.each([
  ['schema 1, whose last answer was one', storeOfSchema1, 1],
  ['schema 2, which found something after its own', storeOfSchema2, 0],
])('misses after which an account answered nothing else can be taken back: %s', async (_, store, misses) => {
  const ledger = await freshLedger(sqlite, store());
  expect((await ledger.account(ACCOUNT)).misses).toEqual({ count: misses, kept: false });
  expect(await ledger.retractMisses(ACCOUNT)).toBe(misses);
});

test('a store of schema 2 opens, stands the full check, and has all that it had', async () => {
  const ledger = await freshLedger(sqlite, storeOfSchema2());
  for (const id of [BATCH_2, LATE_2]) {
    expect(await ledger.batch(id)).not.toHaveProperty('rowsBeyond');
    expect(await ledger.plannedRows(id, 0, 9)).toEqual([]);
  }
  expect(await ledger.subjects(ACCOUNT)).toEqual([]);
  expect(await ledger.batch(LATE_2)).toMatchObject({ freshSince: { foundMs: NOON_MS + DAY_MS } });
  expect(await ledger.batchMoney(BATCH_2)).toEqual({ cap: 50, spent: 4, reserved: 1, inDoubt: 4 });
  expect(await ledger.batchMoney(LATE_2)).toEqual({ spent: 1, reserved: 0, inDoubt: 0 });
  expect(await ledger.metrics(BATCH_2)).toEqual({ requests: 7, calls: 3 });
  expect(await ledger.counts(BATCH_2)).toEqual({ in_doubt: 1, matched: 1, no_match: 1 });
  expect(await stateOf(ledger, 'bought')).toMatchObject({
    answer: { batch: LATE_2, body: Buffer.from('anew') },
  });
  expect(await stateOf(ledger, 'repeated')).toMatchObject({ answer: { batch: LATE_2 } });
  expect(await stateOf(ledger, 'released')).toEqual({ kind: 'unknown' });
  expect(await stateOf(ledger, 'lost', BATCH_2)).toMatchObject({ decision: { kind: 'hold' } });
  expect(await stateOf(ledger, 'keyed')).toMatchObject({ doubt: { request: requestUnder('key-2') } });
  expect(await ledger.history(BATCH_2, 8)).toMatchObject([{ looks: [{ said: 'unclear' }] }]);
  expect(await ledger.account(ACCOUNT)).toMatchObject({ learned: { perSecond: 2.5 }, usage: { counted: 7 } });
  expect(await ledger.openAttempts()).toMatchObject([{ row: 9, reserved: 1 }]);
  // Where rows start was noted of another reading of the file, and what they were settled from was not.
  expect(await ledger.positionBefore(BATCH_2, 9)).toBeUndefined();
  for (const row of await ledger.rows(BATCH_2, 0, 9)) expect(row).not.toHaveProperty('input');
});

test("a store of schema 2 takes changes, plans and today's rules beside what it kept", async () => {
  const place = storeOfSchema2();
  const ledger = await openStore(sqlite, place);
  const [open] = await ledger.openAttempts();
  if (open === undefined) throw new Error('the attempt that was open is gone');
  await ledger.closeAttempt(open.attempt, { kind: 'in_doubt', why: 'the program ended' }, NOON_MS);
  const spec = batchSpec({ key: 'key-team', lineage: 'lineage-team', rowsBeyond: 1 });
  const plan = [{ row: 2, kind: 'work', work: { to: 'viewer' } }] as const;
  const { batch } = await ledger.beginBatch(spec, false, plan);
  await changed(ledger, batch.id, changeOf('create-invite', 0), { left: INVITED });
  expect(await admitChange(ledger, BATCH_2, changeOf('update-user', 0))).toMatchObject({ kind: 'moved' });
  await releaseNewest(ledger, 'keyed');
  await ledger.close();
  markUnclean(place);
  const again = await freshLedger(sqlite, place);
  expect(await again.plannedRows(batch.id, 0, 9)).toEqual(plan);
  expect(await known(again)).toMatchObject({ sequence: 1, facts: INVITED });
});

test('requests that an older store kept are there, and beside them those of every method may be kept', async () => {
  const place = storeOfSchema2();
  const ledger = await openStore(sqlite, place);
  const lostBefore = { doubt: { request: requestUnder('key-2') } };
  expect(await stateOf(ledger, 'keyed')).toMatchObject(lostBefore);
  const request = { ...requestUnder('key-9'), method: 'PATCH' } as const;
  await lost(ledger, BATCH_2, 'patched', { request });
  expect(await stateOf(ledger, 'patched')).toMatchObject({ doubt: { request } });
  await ledger.close();
  const database = new Database(join(place, 'ledger.db'));
  onTestFinished(() => void database.close());
  const refused = (sql: string): string => {
    try {
      database.exec(sql);
      return 'let through';
    } catch (error) {
      return String(error);
    }
  };
  expect(refused("UPDATE requests SET path = '/elsewhere'")).toContain('money rule');
  expect(refused('DELETE FROM requests')).toContain('money rule');
  const again = 'INSERT INTO requests SELECT 999999, idempotency_key, method, path, first_sent_at, 0, body';
  expect(refused(`${again} FROM requests LIMIT 1`)).toContain('a request belongs to an open attempt');
  database.exec('DROP TRIGGER requests_keeping; PRAGMA foreign_keys = OFF');
  expect(refused(`${again.replace(' method', " 'TRACE'")} FROM requests LIMIT 1`)).toContain('CHECK');
  const plan = database.prepare("EXPLAIN QUERY PLAN SELECT * FROM requests WHERE idempotency_key = 'k'");
  expect(JSON.stringify(plan.all())).toContain('requests_key');
});

test('whoever only looks waits for a run to bring the store up to date', async () => {
  const place = storeOfSchema1();
  const older = {
    code: 'store_version',
    message: expect.stringContaining(`(schema 1, this one needs ${MIGRATIONS.length})`),
  };
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
