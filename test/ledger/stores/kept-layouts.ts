import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Store } from '../../../src/ledger/store.ts';
import postgres from '../../../src/ledger/stores/postgres.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { openStore, temporaryFolder } from './places.ts';
import { postgresServer } from './postgres-server.ts';

/** What programs of earlier layouts have left, kept as SQL of either database, in a place of the running test. */

/** Each time with another name, so that no ledger of these tests is taken for another one that was put back. */
export const leftBy = (layout: number, name: Store['name']): string =>
  readFileSync(new URL(`layout-${layout}.${name}.sql`, import.meta.url), 'utf8').replace(
    /(?<='identity', ')[0-9a-f]{32}/,
    randomBytes(16).toString('hex'),
  );

export interface Place {
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

export async function databaseWith(script: string): Promise<Place> {
  databases += 1;
  const server = await postgresServer();
  const name = `layout_${process.pid}_${databases}`;
  await server.createDatabase(name);
  if (script !== '') await server.query(name, script);
  const query = (text: string) => server.query(name, `SET search_path = rowonce_ledger; ${text}`);
  return { store: postgres, location: server.url(name), query };
}

/** Each with what says how its tables are laid out. */
export const PLACES = [
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

export async function bringOn({ store, location }: Place): Promise<void> {
  if (store.name === 'postgres') await store.init(location);
  else await (await openStore(store, location)).close();
}

/** Who spends from a folder goes on with what it has brought on. */
export async function opened({ store, location }: Place): Promise<Ledger> {
  if (store.name === 'postgres') await store.init(location);
  const ledger = await openStore(store, location);
  onTestFinished(() => ledger.close());
  return ledger;
}

export async function laidOut(at: Place, tables: string): Promise<readonly string[]> {
  // A column that is added to a table of SQLite stands on its line.
  return (await at.query(tables)).map((each) =>
    JSON.stringify(each)
      .replaceAll(/\\n|\s+/g, ' ')
      .replaceAll(/ +/g, ' '),
  );
}
