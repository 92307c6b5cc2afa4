import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { type BatchId, credits, type Ledger } from '../../../src/ledger/ledger.ts';
import { APPLICATION_ID, newestSchema } from '../../../src/ledger/stores/sqlite/migrations.ts';
import { ADDED, TOPICS } from '../../../src/ledger/stores/sqlite/schema.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import {
  ACCOUNT,
  answered,
  batchNamed,
  batchSpec,
  DAY_MS,
  NOON_MS,
  released,
  requestUnder,
  stateOf,
} from './book.ts';
import { admitChange, changed, changeOf, INVITED, known } from './changes.ts';
import { freshLedger, openStore, temporaryFolder } from './places.ts';

/**
 * Goal: a store of schema 5 to 11 is brought to schema 12 with all that it had, one of an older schema is refused by its
 * number, and a later schema is reached whole or not at all.
 * Method: `schema-5.sql` is what SQLite kept of the schema in a store that five scripts had made, one after the other,
 * and `entries-5.sql` what that store had when it was made by schema 2, filled by a Rowonce of that time, and brought to
 * schema 5: calls that ended in every way or were left open, and no orderly end. `schema-6.sql` to `schema-12.sql` are what
 * those schemas add to the definitions, or have otherwise. The later schema is made up.
 */
const [BATCH, LATE] = ['f2d0d1ed' as BatchId, 'fb13ec90' as BatchId];
const [ENTRIES, WATERMARK] = [textOf('entries-5.sql'), '0000000000000046\n'];

interface Definition {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

const DEFINITIONS_5 = definitionsIn('schema-5.sql');
const DEFINITIONS_6 = [...DEFINITIONS_5, ...definitionsIn('schema-6.sql')];
const DEFINITIONS_7 = replaced(DEFINITIONS_6, 'schema-7.sql', 'attempt_scopes');
const DEFINITIONS_8 = replaced(DEFINITIONS_7, 'schema-8.sql', 'attempts_call');
const DEFINITIONS_9 = replaced(DEFINITIONS_8, 'schema-9.sql');
const DEFINITIONS_10 = replaced(DEFINITIONS_9, 'schema-10.sql');
const DEFINITIONS_11 = replaced(DEFINITIONS_10, 'schema-11.sql');
/** All definitions of schema 12, in the order of their names. */
const DEFINITIONS = replaced(DEFINITIONS_11, 'schema-12.sql').sort((a, b) => (a.name < b.name ? -1 : 1));

/** @param gone what the newer schema does not have any more. */
function replaced(older: readonly Definition[], file: string, ...gone: string[]): Definition[] {
  const newer = definitionsIn(file);
  const names = [...newer.map(({ name }) => name), ...gone];
  return [...older.filter(({ name }) => !names.includes(name)), ...newer];
}

/** Each definition stands below its type and its name. */
function definitionsIn(file: string): readonly Definition[] {
  return textOf(file)
    .split(/^(?=-- (?:table|index|view|trigger) \w+$)/m)
    .map((part) => {
      const {
        type = '',
        name = '',
        sql = '',
      } = /^-- (?<type>\w+) (?<name>\w+)\n(?<sql>.*);\n+$/s.exec(part)?.groups ?? {};
      return { type, name, sql };
    });
}

function textOf(file: string): string {
  return readFileSync(join(import.meta.dirname, file), 'utf8');
}

/** Triggers come last, because they would look at the entries. The name is new: no two stores have the same. */
function storeMadeByFiveScripts(schema: 5 | 6 | 7 = 5): string {
  const definitions = { 5: DEFINITIONS_5, 6: DEFINITIONS_6, 7: DEFINITIONS_7 }[schema];
  const place = temporaryFolder();
  const database = new Database(join(place, 'ledger.db'));
  database.exec('PRAGMA foreign_keys = OFF; BEGIN');
  const define = (wanted: string): void => {
    for (const { type, sql } of definitions) if (type === wanted) database.exec(sql);
  };
  define('table');
  database.exec(`${ENTRIES} UPDATE ledger SET identity = lower(hex(randomblob(16)))`);
  for (const type of ['index', 'view', 'trigger']) define(type);
  database.exec(`COMMIT; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${schema}`);
  database.close();
  writeFileSync(join(place, 'watermark'), WATERMARK, { mode: 0o600 });
  return place;
}

/** Gives a store the definitions of schema 8. What it holds stands in both as it does in the other. */
function backToSchema8(place: string): void {
  withoutTables(place, 'schema-10.sql');
  inDatabase(place, (database) => {
    const newer = ['schema-9.sql', 'schema-11.sql', 'schema-12.sql'].flatMap(definitionsIn);
    const older = DEFINITIONS_8.filter(({ name }) => newer.some((each) => each.name === name));
    for (const { type, name } of newer) if (type !== 'table') database.exec(`DROP ${type} ${name}`);
    for (const { type, sql } of older) if (type !== 'table') database.exec(sql);
    database.exec(
      'DROP TABLE reads; ALTER TABLE boots DROP COLUMN told_by; ALTER TABLE boots DROP COLUMN refuted_at',
    );
    database.unsafeMode(true);
    database.pragma('writable_schema = ON');
    const redefine = database.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?');
    for (const { type, name, sql } of older) if (type === 'table') redefine.run(sql, name);
    database.pragma('user_version = 8');
  });
}

function withoutTables(place: string, schema: string): void {
  inDatabase(place, (database) => {
    for (const { type, name } of definitionsIn(schema))
      if (type === 'table') database.exec(`DROP TABLE ${name}`);
  });
}

function inDatabase<T>(place: string, work: (database: Database.Database) => T): T {
  const database = new Database(join(place, 'ledger.db'));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const schemaIn = (place: string): readonly Definition[] =>
  inDatabase(place, (database) =>
    database
      .prepare<[], Definition>(
        'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name',
      )
      .all(),
  );

const numberIn = (place: string): unknown =>
  inDatabase(place, (database) => database.pragma('user_version', { simple: true }));

describe('a store', () => {
  test('that is made today has, to the letter, the definitions of schema 5 and what 6 to 12 changed', async () => {
    const place = temporaryFolder();
    await (await openStore(sqlite, place)).close();
    expect(newestSchema()).toBe(12);
    expect(DEFINITIONS.length).toBeGreaterThan(150);
    expect(schemaIn(place)).toEqual(DEFINITIONS);
  });

  test.each([5, 6, 7] as const)(
    'of schema %i is brought to schema 12, stands the full check, and has all that it had',
    async (schema) => {
      const place = storeMadeByFiveScripts(schema);
      const ledger = await freshLedger(sqlite, place);
      expect(schemaIn(place)).toEqual(DEFINITIONS);
      expect(inDatabase(place, (database) => database.pragma('foreign_key_check'))).toEqual([]);
      for (const id of [BATCH, LATE]) {
        expect(await ledger.batch(id)).not.toHaveProperty('rowsBeyond');
        expect(await ledger.plannedRows(id, 0, 9)).toEqual([]);
      }
      expect(await ledger.heldSince(LATE)).toBeUndefined();
      expect(await ledger.subjects(ACCOUNT)).toEqual([]);
      expect(await ledger.batch(LATE)).toMatchObject({ freshSince: { foundMs: NOON_MS + DAY_MS } });
      expect(await ledger.batchMoney(BATCH)).toEqual({ cap: 50, spent: 4, reserved: 1, inDoubt: 4 });
      expect(await ledger.batchMoney(LATE)).toEqual({ spent: 1, reserved: 0, inDoubt: 0 });
      expect(await ledger.isSpentAtMost({ batch: LATE })).toBe(true);
      expect(await ledger.metrics(BATCH)).toEqual({ requests: 7, calls: 3 });
      expect(await ledger.counts(BATCH)).toEqual({ in_doubt: 1, matched: 1, no_match: 1 });
      expect(await stateOf(ledger, 'bought')).toMatchObject({
        answer: { batch: LATE, body: Buffer.from('anew') },
      });
      expect(await stateOf(ledger, 'repeated')).toMatchObject({ answer: { batch: LATE } });
      expect(await stateOf(ledger, 'released')).toEqual({ kind: 'unknown' });
      expect(await stateOf(ledger, 'lost', BATCH)).toMatchObject({ decision: { kind: 'hold' } });
      expect(await stateOf(ledger, 'keyed')).toMatchObject({ doubt: { request: requestUnder('key-2') } });
      expect(await ledger.history(BATCH, 8)).toMatchObject([{ looks: [{ said: 'unclear' }] }]);
      expect(await ledger.account(ACCOUNT)).toMatchObject({
        learned: { perSecond: 2.5 },
        usage: { counted: 7 },
        misses: { count: 0, kept: false },
      });
      expect(await ledger.openAttempts()).toMatchObject([{ row: 9, reserved: 1 }]);
      // Where rows start was noted of another reading of the file, and what they were settled from was not.
      expect(await ledger.positionBefore(BATCH, 9)).toBeUndefined();
      for (const row of await ledger.rows(BATCH, 0, 9)) expect(row).not.toHaveProperty('input');
    },
  );

  test('of an older schema can be erased from, because its rows stand as they would be written today', async () => {
    const place = storeMadeByFiveScripts(7);
    const brought = await openStore(sqlite, place);
    for (const { id } of await brought.batches()) await brought.changeBatch(id, { state: 'finished' });
    await brought.close();
    const order = { kind: 'day', beforeMs: NOON_MS + 365 * DAY_MS } as const;
    const options = { waitForLockMs: 0, clock: systemClock, create: false, command: 'test', dryRun: false };
    expect(await sqlite.erase?.(place, order, options)).toMatchObject({ rows: 2 });
    inDatabase(place, (database) => database.exec('UPDATE ledger SET clean = 0'));
    const ledger = await freshLedger(sqlite, place);
    expect(await ledger.counts(BATCH)).toEqual({ in_doubt: 1, matched: 1, no_match: 1 });
  });

  test("of an older schema may have a view of the user's, who reads the same in it afterwards", async () => {
    const place = storeMadeByFiveScripts(7);
    const view =
      'CREATE VIEW mine AS SELECT c.call, a.paid_row FROM calls c JOIN attempts a ON a.call = c.id';
    const read = () => inDatabase(place, (database) => database.prepare('SELECT * FROM mine').all());
    inDatabase(place, (database) => database.exec(view));
    const before = read();
    await (await openStore(sqlite, place)).close();
    expect(numberIn(place)).toBe(12);
    expect(read()).toEqual(before);
  });

  test('of an older schema that is damaged is refused before a table of it is made anew', async () => {
    const place = storeMadeByFiveScripts(7);
    const root = inDatabase(place, (database) =>
      database.prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'rows'").pluck().get(),
    );
    // The page says that it has a row less, which SQLite then neither reads nor misses.
    const at = ((root ?? 0) - 1) * 4096 + 3;
    const bytes = readFileSync(join(place, 'ledger.db'));
    bytes.writeUInt16BE(bytes.readUInt16BE(at) - 1, at);
    writeFileSync(join(place, 'ledger.db'), bytes);
    await expect(openStore(sqlite, place)).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining('SQLite says'),
    });
    expect(numberIn(place)).toBe(7);
  });

  test('of an older schema with a word that no ledger has is damaged, which is not a bug', async () => {
    const place = storeMadeByFiveScripts(7);
    inDatabase(place, (database) =>
      database.exec(`PRAGMA ignore_check_constraints = ON; DROP TRIGGER closures_no_update;
        UPDATE closures SET kind = 'settlee' WHERE attempt = 1`),
    );
    await expect(openStore(sqlite, place)).rejects.toMatchObject({ code: 'store_damaged' });
    expect(numberIn(place)).toBe(7);
  });

  test('of schema 8 may have answers that turn out to be none', async () => {
    const place = temporaryFolder();
    const ledger = await openStore(sqlite, place);
    const attempt = await answered(ledger, await batchNamed(ledger, 'a'), 'acme');
    await ledger.close();
    backToSchema8(place);
    const again = await freshLedger(sqlite, place);
    expect(schemaIn(place)).toEqual(DEFINITIONS);
    const reading = {
      attempt,
      answer: 'paused',
      charged: credits(0),
      why: 'x',
      dialect: 7,
      atMs: NOON_MS,
    } as const;
    await again.addReading(reading);
    expect(await stateOf(again, 'acme')).toMatchObject({ kind: 'unanswered' });
  });

  test("that five scripts made takes changes, plans and today's rules beside what it kept", async () => {
    const place = storeMadeByFiveScripts();
    const ledger = await openStore(sqlite, place);
    const [open] = await ledger.openAttempts();
    if (open === undefined) throw new Error('the attempt that was open is gone');
    await ledger.closeAttempt(open.attempt, { kind: 'in_doubt', why: 'the program ended' }, NOON_MS);
    const spec = batchSpec({ key: 'key-team', lineage: 'lineage-team', rowsBeyond: 1 });
    const plan = [{ row: 2, kind: 'work', work: { to: 'viewer' } }] as const;
    const { batch } = await ledger.beginBatch(spec, false, plan);
    await changed(ledger, batch.id, changeOf('create-invite', 0), { left: INVITED });
    expect(await admitChange(ledger, BATCH, changeOf('update-user', 0))).toMatchObject({ kind: 'moved' });
    await releaseNewest(ledger, 'keyed');
    await ledger.noteHold(BATCH, true, NOON_MS);
    await ledger.close();
    inDatabase(place, (database) => database.exec('UPDATE ledger SET clean = 0'));
    const again = await freshLedger(sqlite, place);
    expect(await again.heldSince(BATCH)).toBe(NOON_MS);
    expect(await again.plannedRows(batch.id, 0, 9)).toEqual(plan);
    expect(await known(again)).toMatchObject({ sequence: 1, facts: INVITED });
  });
});

test.each([1, 2, 3, 4])(
  'a store of schema %i is refused by its number, and stays as it is',
  async (schema) => {
    const place = storeMadeByFiveScripts();
    inDatabase(place, (database) => database.pragma(`user_version = ${schema}`));
    const before = readFileSync(join(place, 'ledger.db'));
    const refusal = {
      code: 'store_version',
      message: expect.stringContaining(`(schema ${schema}, this one opens 5 and later)`),
    };
    await expect(openStore(sqlite, place)).rejects.toMatchObject(refusal);
    await expect(sqlite.look(place)).rejects.toMatchObject(refusal);
    expect(readFileSync(join(place, 'ledger.db'))).toEqual(before);
  },
);

describe('a later schema', () => {
  const LATER = newestSchema() + 1;
  const LATER_SCRIPT = `
ALTER TABLE batches ADD COLUMN mood TEXT;
UPDATE batches SET checksum = NULL;
CREATE TABLE moods (id INTEGER PRIMARY KEY) STRICT;
`;

  /** Until the test ends, this Rowonce is a later one, which knows one schema more. */
  function withLaterSchema(script: string): void {
    for (const scripts of [ADDED, TOPICS] as string[][]) {
      scripts.push(script);
      onTestFinished(() => void scripts.pop());
    }
  }

  test('is reached by a run, and whoever only looks waits for that', async () => {
    const place = storeMadeByFiveScripts();
    withLaterSchema(LATER_SCRIPT);
    const older = {
      code: 'store_version',
      message: expect.stringContaining(`(schema 5, this one needs ${LATER})`),
    };
    await expect(sqlite.look(place)).rejects.toMatchObject(older);
    const ledger = await openStore(sqlite, place);
    expect(await ledger.batchMoney(BATCH)).toEqual({ cap: 50, spent: 4, reserved: 1, inDoubt: 4 });
    await ledger.close();
    expect(numberIn(place)).toBe(LATER);
    expect(schemaIn(place).map(({ name }) => name)).toContain('moods');
    const reader = await sqlite.look(place);
    onTestFinished(() => reader.close());
    expect(await reader.counts(BATCH)).toEqual({ in_doubt: 1, matched: 1, no_match: 1 });
  });

  test('is made in one go where there was no store', async () => {
    withLaterSchema(LATER_SCRIPT);
    const place = temporaryFolder();
    await (await openStore(sqlite, place)).close();
    expect(numberIn(place)).toBe(LATER);
    await (await openStore(sqlite, place)).close();
  });

  test('that cannot be reached leaves the store as it was', async () => {
    const place = storeMadeByFiveScripts();
    const schemaBefore = schemaIn(place);
    withLaterSchema(`${LATER_SCRIPT} CREATE NONSENSE;`);
    await expect(openStore(sqlite, place)).rejects.toThrow('NONSENSE');
    expect([numberIn(place), schemaIn(place)]).toEqual([5, schemaBefore]);
  });

  test('is refused by a Rowonce that does not know it', async () => {
    const place = storeMadeByFiveScripts();
    inDatabase(place, (database) => database.pragma(`user_version = ${LATER}`));
    const newer = {
      code: 'store_version',
      message: expect.stringContaining(`(schema ${LATER}, this one knows ${newestSchema()})`),
    };
    await expect(openStore(sqlite, place)).rejects.toMatchObject(newer);
    await expect(sqlite.look(place)).rejects.toMatchObject(newer);
  });
});

async function releaseNewest(ledger: Ledger, word: string): Promise<void> {
  const state = await stateOf(ledger, word);
  if (state.kind !== 'in_doubt') throw new Error(`${word} is not in doubt`);
  await released(ledger, state.doubt.attempt);
}
