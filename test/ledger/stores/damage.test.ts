import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { type Ledger, recordLook, recordReply } from '../../../src/ledger/ledger.ts';
import { APPLICATION_ID, SCHEMA } from '../../../src/ledger/stores/sqlite/identity.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import {
  admitted,
  answered,
  batchNamed,
  batchSpec,
  DAY_MS,
  decide,
  keyNamed,
  lookAt,
  lost,
  NOON_MS,
  replyWith,
  requestUnder,
} from './book.ts';
import { changed, changeOf, INVITED, known, LEE, lostChange, MEMBER } from './changes.ts';
import { freshLedger, freshPlace, openStore, temporaryFolder } from './places.ts';
import { startSpender } from './processes.ts';

// Goal: what was altered in a table stops whoever reads it. Method: rows changed by hand, past the guards.

const DAMAGED = { code: 'store_damaged', exitCode: 2 };

/** A batch with a plan, a person who was changed twice, and one whose change was lost. */
async function useChanges(ledger: Ledger): Promise<void> {
  const plan = [2, 3].map((row) => ({ row, kind: 'work', work: { to: 'viewer' } }) as const);
  const { batch } = await ledger.beginBatch(batchSpec({ key: 'key-team', lineage: 'team' }), false, plan);
  await changed(ledger, batch.id, changeOf('create-invite', 0), { left: INVITED });
  await changed(ledger, batch.id, changeOf('update-user', 1), { left: MEMBER });
  await lostChange(ledger, batch.id, changeOf('create-invite', 0, LEE));
}

/** So few that SQLite does not fold the log into the database meanwhile: what is cut off the log is its newest commits. */
const BOUGHT = 25;

/** A store whose spender was killed, with its newest commits in the log only. */
async function killedStore(): Promise<string> {
  const place = freshPlace(sqlite);
  const spender = startSpender(place, 'some', { ROWS: String(BOUGHT) });
  expect(await spender.line()).toBe('open');
  for (let row = 1; row <= BOUGHT; row += 1) await spender.line();
  await spender.kill();
  expect(statSync(join(place, 'ledger.db-wal')).size).toBeGreaterThan(100_000);
  return place;
}

function alter(place: string, sql: string): void {
  const database = new Database(join(place, 'ledger.db'));
  database.pragma('foreign_keys = OFF');
  database.exec(sql);
  database.close();
}

test('a store whose spender was killed opens with everything that it had', async () => {
  const place = await killedStore();
  const reader = await sqlite.look(place);
  const [seen] = await reader.batches();
  expect(seen && (await reader.counts(seen.id)).matched).toBe(BOUGHT);
  await reader.close();
  const killed = await freshLedger(sqlite, place);
  const [batch] = await killed.batches();
  expect(batch && (await killed.counts(batch.id)).matched).toBe(BOUGHT);
});

describe('an altered entry', () => {
  test.each([
    ['call', 'calls_unchanged', "calls SET operation = 'x'", true],
    ['attempt', 'attempts_no_update', 'attempts SET reserved = 9', true],
    ['end', 'ends_no_update', 'ends SET spent = 0', true],
    ['words of an end', 'ends_no_update', "ends SET words = 'x'", true],
    ['time of a reply', 'replies_no_update', 'replies SET at = at - 1', true],
    ['what was told', 'notes_no_update', 'notes SET at = at - 1', true],
    ['words of what was told', 'notes_no_update', "notes SET words = 'x'", true],
    ['body that was told', 'notes_no_update', "notes SET body = x'00'", true],
    ['body of a reply', 'replies_no_update', "replies SET body = x'00'", false],
  ])(
    'is noticed before a row ends by it, but for what came, which is looked at when it is read: %s',
    async (what, guard, change, isNoticed) => {
      const place = freshPlace(sqlite);
      const ledger = await openStore(sqlite, place);
      const batch = await batchNamed(ledger, 'a');
      if (what.includes('told')) {
        await lost(ledger, batch, 'acme');
        await decide(ledger, batch, 'acme', 'told', replyWith('told'));
      } else await answered(ledger, batch, 'acme');
      await ledger.close();
      const reader = await freshLedger(sqlite, place);
      alter(place, `DROP TRIGGER ${guard}; UPDATE ${change}`);
      const ending = reader.find([keyNamed('acme')], { detail: 'checked' });
      if (isNoticed) await expect(ending).rejects.toMatchObject(DAMAGED);
      else expect(await ending).toMatchObject([{ kind: 'answered', answer: { kind: 'found' } }]);
      await expect(reader.find([keyNamed('acme')])).rejects.toMatchObject(DAMAGED);
    },
  );

  test.each([
    ['request', 'requests', "path = '/v2'", 'the request of attempt'],
    ['word of a vendor', 'notes', "said = 'not_happened'", '(look) was altered'],
  ])('of a doubt is noticed before anything follows from it: %s', async (_what, table, change, message) => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const batch = await batchNamed(ledger, 'a');
    const attempt = await lost(ledger, batch, 'acme', { request: requestUnder('key-1') });
    await recordLook(ledger, lookAt(attempt, 'happened'));
    await ledger.close();
    const reader = await freshLedger(sqlite, place);
    alter(place, `DROP TRIGGER ${table}_no_update; UPDATE ${table} SET ${change}`);
    const damage = { ...DAMAGED, message: expect.stringContaining(message) };
    await expect(reader.history(batch, 2)).rejects.toMatchObject(damage);
    if (table === 'requests') await expect(reader.doubts(batch)).rejects.toMatchObject(damage);
  });

  test('keeps nobody from reading the other attempts at the same question', async () => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const first = await answered(ledger, await batchNamed(ledger, 'a'), 'acme');
    const late = await batchNamed(ledger, 'late', { freshSince: { foundMs: NOON_MS + DAY_MS } });
    const next = await answered(ledger, late, 'acme', { replaces: first, receivedAtMs: NOON_MS + DAY_MS });
    await ledger.close();
    const reader = await freshLedger(sqlite, place);
    alter(place, `DROP TRIGGER replies_no_update; UPDATE replies SET body = x'00' WHERE of = ${first}`);
    expect(await reader.attempts([next])).toMatchObject([{ attempt: next, replaces: first }]);
    await expect(reader.attempts([first])).rejects.toMatchObject(DAMAGED);
  });

  test('of an earlier reply hides no doubt, on which money hangs', async () => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const batch = await batchNamed(ledger, 'a');
    const first = await lost(ledger, batch, 'acme');
    await recordReply(ledger, first, replyWith('late'));
    const decision = await decide(ledger, batch, 'acme', 'retry');
    const attempt = await lost(ledger, batch, 'acme', { decision });
    await ledger.close();
    const reader = await freshLedger(sqlite, place);
    alter(place, "DROP TRIGGER replies_no_update; UPDATE replies SET body = x'00'");
    expect(await reader.doubts(batch)).toMatchObject([{ attempt, atRisk: 2 }]);
    await expect(reader.attempts([first])).rejects.toMatchObject(DAMAGED);
  });

  test('by which a question was sent again is missed by whoever reads of it', async () => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const batch = await batchNamed(ledger, 'a');
    await lost(ledger, batch, 'acme');
    const decision = await decide(ledger, batch, 'acme', 'retry');
    const again = await answered(ledger, batch, 'acme', { decision });
    await ledger.close();
    const reader = await freshLedger(sqlite, place);
    alter(place, `DROP TRIGGER notes_no_delete; DELETE FROM notes WHERE id = ${decision}`);
    const message = expect.stringContaining(`note ${decision} is missing`);
    await expect(reader.attempts([again])).rejects.toMatchObject({ ...DAMAGED, message });
  });

  test('of what is under way that is gone stops whoever would end it', async () => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    const attempt = await admitted(ledger, await batchNamed(ledger, 'a'), 'acme');
    await ledger.close();
    const later = await freshLedger(sqlite, place);
    expect(await later.openAttempts()).toMatchObject([{ attempt }]);
    alter(place, 'DROP TRIGGER attempts_no_delete; DELETE FROM attempts');
    const message = expect.stringContaining(`attempt ${attempt} is missing`);
    await expect(later.openAttempts()).rejects.toMatchObject({ ...DAMAGED, message });
  });

  test.each([
    ['subject', 'subjects_unchanged', "UPDATE subjects SET name = name || 'x'"],
    ['change', 'changes_no_update', "UPDATE changes SET role = 'viewer'"],
    ['change that is missing', 'changes_no_delete', 'DELETE FROM changes WHERE sequence = 2'],
    ['planned row', 'planned_no_update', "UPDATE planned SET planned = '{}'"],
  ])('of what changes left is noticed before anything is planned on it: %s', async (_what, guard, sql) => {
    const place = freshPlace(sqlite);
    const ledger = await openStore(sqlite, place);
    await useChanges(ledger);
    await ledger.close();
    const reader = await freshLedger(sqlite, place);
    alter(place, `DROP TRIGGER ${guard}; ${sql}`);
    const team = await firstBatch(reader);
    const read = () => (guard.startsWith('planned') ? reader.plannedRows(team.id, 0, 9) : known(reader));
    await expect(read()).rejects.toMatchObject(DAMAGED);
  });
});

describe('a file that is not ours', () => {
  /** A Rowonce of before its first release had another mark in the header, and numbers from 1 on. */
  const BEFORE = 0x526f576f;

  test.each([
    ['before the first release', BEFORE, 1],
    ['before the first release', BEFORE, 12],
    ['a Rowonce of which nothing is known, before the first release', BEFORE, SCHEMA + 98],
    ['an earlier Rowonce', APPLICATION_ID, SCHEMA - 1],
    ['a newer Rowonce', APPLICATION_ID, SCHEMA + 1],
  ])(
    'a ledger of %s (%i, schema %i) is refused in one sentence, and left as it is',
    async (_what, id, schema) => {
      const place = freshPlace(sqlite);
      await (await openStore(sqlite, place)).close();
      alter(place, `PRAGMA application_id = ${id}; PRAGMA user_version = ${schema}`);
      const before = filesIn(place);
      const fact =
        id === BEFORE || schema < SCHEMA
          ? 'was made by an earlier Rowonce, which kept the ledger in another form.'
          : `was made by a newer Rowonce (schema ${schema}; this one knows ${SCHEMA}).`;
      const refusal = {
        code: 'store_version',
        message: `The store ${place} ${fact} Nothing in it was changed.`,
      };
      await expect(openStore(sqlite, place)).rejects.toMatchObject(refusal);
      await expect(sqlite.look(place)).rejects.toMatchObject(refusal);
      expect(filesIn(place)).toEqual(before);
    },
  );

  test("another program's SQLite file, or no SQLite file, is refused and left as it is", async () => {
    const place = temporaryFolder();
    const file = join(place, 'ledger.db');
    const other = new Database(file);
    other.exec('CREATE TABLE ledger (id INTEGER); INSERT INTO ledger VALUES (1)');
    other.close();
    for (const content of [readFileSync(file), Buffer.from('name;email\n'.repeat(500))]) {
      writeFileSync(file, content);
      const refusal = { code: 'store', message: expect.stringContaining('is not a ledger of Rowonce') };
      await expect(openStore(sqlite, place)).rejects.toMatchObject(refusal);
      await expect(sqlite.look(place)).rejects.toMatchObject(refusal);
      expect(readFileSync(file)).toEqual(content);
    }
  });
});

/** The bytes of every file of a store. */
const filesIn = (place: string): Readonly<Record<string, Buffer>> =>
  Object.fromEntries(readdirSync(place).map((name) => [name, readFileSync(join(place, name))]));

async function firstBatch(ledger: Ledger) {
  const [batch] = await ledger.batches();
  if (batch === undefined) throw new Error('there is no batch');
  return batch;
}
