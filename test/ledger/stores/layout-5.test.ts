/**
 * Goal: a ledger of layout 5, where a batch had one account, goes on by the tables of several accounts: nothing of it is bought
 * again, its money is the same, and it is held by the same rules as a new one.
 * Method: what the program of layout 5 left is kept as SQL of either database, and the stores open it.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { LAYOUT_STEPS, type LayoutStep, layoutNow } from '../../../src/ledger/layouts.ts';
import type { BatchId, Ledger } from '../../../src/ledger/ledger.ts';
import type { Store } from '../../../src/ledger/store.ts';
import postgres from '../../../src/ledger/stores/postgres.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { ACCOUNT, admit, answered, batchSpec, keyNamed } from './book.ts';
import { openStore, temporaryFolder } from './places.ts';
import { postgresServer, type Server } from './postgres-server.ts';

let server: Server;
beforeAll(async () => {
  server = await postgresServer();
});

/** Each time with another name, so that no ledger of these tests is taken for another one that was put back. */
const leftBy = (name: Store['name']): string =>
  readFileSync(new URL(`layout-5.${name}.sql`, import.meta.url), 'utf8').replace(
    /(?<='identity', ')[0-9a-f]{32}/,
    randomBytes(16).toString('hex'),
  );

interface Place {
  readonly store: Store;
  readonly location: string;
  query(text: string): Promise<readonly Record<string, unknown>[]>;
}

/** @param script what is there. */
function folderWith(script: string): Place {
  const location = join(temporaryFolder(), 'store');
  mkdirSync(location, { mode: 0o700 });
  const inFile = <T>(work: (database: Database.Database) => T): T => {
    const database = new Database(join(location, 'ledger.db'));
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  if (script !== '') inFile((database) => database.exec(script));
  const query = async (text: string) =>
    inFile((database) => database.prepare<[], Record<string, unknown>>(text).all());
  return { store: sqlite, location, query };
}

let databases = 0;

async function databaseWith(script: string): Promise<Place> {
  databases += 1;
  const name = `layout_5_${process.pid}_${databases}`;
  await server.createDatabase(name);
  if (script !== '') await server.query(name, script);
  const query = (text: string) => server.query(name, `SET search_path = rowonce_ledger; ${text}`);
  return { store: postgres, location: server.url(name), query };
}

const PLACES = [
  ['a folder', sqlite, folderWith, 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2'],
  [
    'a database',
    postgres,
    databaseWith,
    `SELECT 'column' AS is, table_name || '.' || column_name AS of, data_type || is_nullable || ordinal_position AS says
      FROM information_schema.columns WHERE table_schema = 'rowonce_ledger'
    UNION ALL SELECT 'constraint', conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid)
      FROM pg_constraint WHERE connamespace = 'rowonce_ledger'::regnamespace
    UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = 'rowonce_ledger'
    UNION ALL SELECT 'rule', tgname, pg_get_triggerdef(oid) FROM pg_trigger
      WHERE NOT tgisinternal AND tgrelid::regclass::text NOT LIKE 'rowonce_queue%' ORDER BY 1, 2, 3`,
  ],
] as const;

async function bringOn({ store, location }: Place): Promise<void> {
  if (store.name === 'postgres') await store.init(location);
  else await (await openStore(store, location)).close();
}

/** Who spends from a folder goes on with what it has brought on. */
async function opened({ store, location }: Place): Promise<Ledger> {
  if (store.name === 'postgres') await store.init(location);
  const ledger = await openStore(store, location);
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Its batches. */
const [ONE, CANCELLED] = ['2eee41df' as BatchId, '9b05b3ba' as BatchId];
const OTHER = 'provider other.example';
const BUDGETS = `SELECT scope, ${['cap', 'closed', 'spent', 'held', 'overrun']
  .map((column) => `CAST(${column} AS INTEGER) AS ${column}`)
  .join(', ')} FROM budgets ORDER BY scope`;

describe.each(PLACES)('a ledger of layout 5 in %s', (_, { name }, place, tables) => {
  test('a ledger of layout 5 buys nothing again that it bought, asked or doubts', async () => {
    const left = await place(leftBy(name));
    const ledger = await opened(left);
    const known = ['acme', 'miss', 'lost', 'again', 'keyed', 'open'];
    for (const word of known) expect(await admit(ledger, ONE, word)).not.toMatchObject({ kind: 'admitted' });
    expect(await admit(ledger, ONE, 'acme', { account: OTHER })).not.toMatchObject({ kind: 'admitted' });
    expect((await ledger.find(known.map((word) => keyNamed(word)))).map(({ kind }) => kind)).toEqual([
      'answered',
      'answered',
      'in_doubt',
      'in_doubt',
      'answered',
      'in_flight',
    ]);
  });

  test('a ledger of layout 5 has the money that it had, and in it the share of the account of each batch', async () => {
    const left = await place(leftBy(name));
    const before = await left.query(BUDGETS);
    await bringOn(left);
    const after = await left.query(BUDGETS);
    expect(after.filter(({ scope }) => !String(scope).startsWith('share:'))).toEqual(before);
    expect(after.filter(({ scope }) => String(scope).startsWith('share:'))).toEqual([
      { scope: `share:${ONE}:1`, cap: null, closed: 0, spent: 6, held: 8, overrun: 0 },
      { scope: `share:${CANCELLED}:2`, cap: null, closed: 1, spent: 1, held: 0, overrun: 0 },
    ]);
    expect(await left.store.check(left.location)).toMatchObject({ broken: [], budgets: 10, wrong: [] });
    const ledger = await opened(left);
    expect(await ledger.shareMoney(ONE, ACCOUNT)).toEqual({ spent: 6, reserved: 1, inDoubt: 7 });
  });

  test('a ledger of layout 5 goes on with its batches, each at its one account, whose name it keeps', async () => {
    const left = await place(leftBy(name));
    const ledger = await opened(left);
    expect((await ledger.batch(ONE))?.accounts).toEqual([{ identity: ACCOUNT, name: 'hunter' }]);
    expect((await ledger.batch(CANCELLED))?.accounts).toEqual([{ identity: OTHER, name: 'prospeo' }]);
    const spec = batchSpec({ key: 'key-a', lineage: 'lineage-a', accountName: 'renamed' });
    const { batch, start } = await ledger.beginBatch(spec);
    expect([batch.id, start]).toEqual([ONE, 'resumed']);
    expect(batch.accounts).toEqual([{ identity: ACCOUNT, name: 'renamed' }]);
    await answered(ledger, ONE, 'next', { row: 8 });
    expect(await ledger.batchMoney(ONE)).toMatchObject({ cap: 20, spent: 7 });
    expect(await ledger.shareMoney(ONE, ACCOUNT)).toMatchObject({ spent: 7 });
  });

  test('a ledger of layout 5 is held by the tables and rules of a new one', async () => {
    const [left, fresh] = [await place(leftBy(name)), await place('')];
    await bringOn(left);
    await bringOn(fresh);
    const laidOut = async (at: Place) =>
      // A column that is added to a table of SQLite stands on its line.
      (await at.query(tables)).map((each) =>
        JSON.stringify(each)
          .replaceAll(/\\n|\s+/g, ' ')
          .replaceAll(/ +/g, ' '),
      );
    expect(await laidOut(left)).toEqual(await laidOut(fresh));
  });

  test('a ledger of layout 5 whose next step fails stays as it was', async () => {
    const left = await place(leftBy(name));
    const before = await left.query(tables);
    const steps = LAYOUT_STEPS as LayoutStep[];
    steps.push(() => 'UPDATE batches SET hue = 1;');
    onTestFinished(() => void steps.pop());
    await expect(bringOn(left)).rejects.toThrow('hue');
    expect(await left.query(tables)).toEqual(before);
    expect(await left.query('SELECT number FROM steps')).toEqual([{ number: 5 }]);
    expect(layoutNow()).toBeGreaterThan(5);
  });
});

test('the roles of a ledger of layout 5 may do with the new table what they may with batches', async () => {
  const left = await databaseWith(leftBy('postgres'));
  await left.query('GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA rowonce_ledger TO rowonce_worker');
  await left.query('GRANT SELECT ON ALL TABLES IN SCHEMA rowonce_ledger TO rowonce_reader');
  await bringOn(left);
  const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
  const may = (role: string) =>
    left.query(
      rights
        .map((right) => `SELECT has_table_privilege('${role}', 'batch_accounts', '${right}') AS may`)
        .join(' UNION ALL '),
    );
  expect(await may('rowonce_worker')).toEqual([true, true, true, false].map((each) => ({ may: each })));
  expect(await may('rowonce_reader')).toEqual([true, false, false, false].map((each) => ({ may: each })));
});
