import Database from 'better-sqlite3';
import { messageOf, StopError, stop } from '../../../core/errors.ts';
import { type Connection, damagedStore, explained, sqliteCode } from './connection.ts';
import { ADDED, GONE, REDEFINED, schema } from './schema.ts';
import { sumUp } from './table-sums.ts';

/** "RoWo" in ASCII, in the header of every ledger, so that no other program's SQLite file counts as one. */
export const APPLICATION_ID = 0x526f576f;

/** The number of the oldest schema that can be opened. Earlier ones were never released, and are not migrated. */
const FIRST = 5;

/** The number of the schema after the last script. */
export const newestSchema = (): number => FIRST + ADDED.length;

/** The kind of a file, found before anything is written to it. */
export type Kind =
  | { readonly kind: 'empty' }
  | { readonly kind: 'ledger'; readonly schema: number }
  | { readonly kind: 'foreign' };

export function identify(connection: Connection): Kind {
  if (connection.pragma('application_id') === APPLICATION_ID) {
    return { kind: 'ledger', schema: Number(connection.pragma('user_version')) };
  }
  const tables = connection.get<{ n: number }>('SELECT count(*) AS n FROM sqlite_schema')?.n;
  return { kind: tables === 0 ? 'empty' : 'foreign' };
}

/** @throws StopError `store_version` when this Rowonce does not know the schema of a ledger. */
export function refuseUnknown(schema: number, folder: string): void {
  if (schema > newestSchema()) {
    throw stop(
      'store_version',
      `The store ${folder} was made by a newer Rowonce (schema ${schema}, this one knows ${newestSchema()}).`,
      'Use the newer Rowonce, or name another folder with --store.',
    );
  }
  if (schema < FIRST) {
    throw stop(
      'store_version',
      `The store ${folder} was made by a Rowonce before 0.1.0 (schema ${schema}, this one opens ${FIRST} and later). Nothing in it was changed.`,
      'Finish its batches and export its answers with the version that made it, or name another folder with --store.',
    );
  }
}

/**
 * Migrates a ledger to the newest schema in one transaction: a crash leaves all of it or nothing, and the next start begins
 * again. Triggers and views hold no data, so an older ledger loses its own and gets those of the newest schema.
 * @param from the number of its schema; 0 for an empty ledger.
 */
export function migrate(connection: Connection, from: number, folder: string): void {
  const newest = newestSchema();
  if (from === newest) return;
  try {
    // A table that is made anew is dropped while others point to it. Inside of a transaction the pragma does nothing.
    connection.pragma('foreign_keys = OFF');
    // A view of the user's that looks into such a table would forbid that another takes its name.
    connection.pragma('legacy_alter_table = ON');
    connection.script('BEGIN IMMEDIATE');
    if (from === 0) connection.script(schema());
    else renew(connection, from);
    sumUp(connection);
    connection.script(`PRAGMA application_id = ${APPLICATION_ID};
      PRAGMA user_version = ${newest};
      COMMIT;`);
  } catch (error) {
    if (connection.inTransaction) connection.script('ROLLBACK');
    // A script takes every entry that was ever written.
    if (from > 0 && sqliteCode(error)?.startsWith('SQLITE_CONSTRAINT'))
      throw damagedStore(folder, `SQLite says "${messageOf(error)}"`, error);
    throw migrationFailed(explained(error, folder), newest, folder);
  } finally {
    connection.pragma('legacy_alter_table = OFF');
    connection.pragma('foreign_keys = ON');
  }
}

function renew(connection: Connection, from: number): void {
  const definitions = newestDefinitions();
  const guards = definitions.filter(({ type }) => type === 'trigger' || type === 'view');
  for (const name of [...guards.map(({ name }) => name), ...GONE])
    connection.script(`DROP TRIGGER IF EXISTS ${name}; DROP VIEW IF EXISTS ${name};`);
  for (const script of ADDED.slice(from - FIRST)) connection.script(script);
  connection.redefine(definitions.filter(({ name }) => REDEFINED.includes(name)));
  for (const { sql } of guards) connection.script(sql);
}

/** A table, index, view or trigger, as SQLite keeps it. */
export interface Definition {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

export const DEFINITIONS =
  "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!'";

/** What SQLite keeps of a schema that was laid out, which takes milliseconds: it is the same for every store of a process. */
const laidOut = new Map<string, readonly Definition[]>();

/** What SQLite keeps of the newest schema. */
export function newestDefinitions(): readonly Definition[] {
  const script = schema();
  const definitions = laidOut.get(script) ?? layOut(script);
  laidOut.set(script, definitions);
  return definitions;
}

function layOut(script: string): readonly Definition[] {
  const empty = new Database(':memory:');
  try {
    empty.exec(script);
    return empty.prepare<[], Definition>(DEFINITIONS).all();
  } finally {
    empty.close();
  }
}

function migrationFailed(error: unknown, schema: number, folder: string): unknown {
  if (error instanceof StopError) return error;
  return new Error(`Rowonce has a bug: ${folder} cannot be brought to schema ${schema}`, { cause: error });
}
