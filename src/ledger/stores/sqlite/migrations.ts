import { StopError, stop } from '../../../core/errors.ts';
import { type Connection, explained } from './connection.ts';
import { HOLDS, SCHEMA } from './schema.ts';
import { sumUp } from './table-sums.ts';

/** "RoWo" in ASCII, in the header of every ledger, so that no other program's SQLite file counts as one. */
export const APPLICATION_ID = 0x526f576f;

/** The number of the oldest schema that can be opened. Earlier ones were never released, and are not migrated. */
const FIRST = 5;

/**
 * The first script makes schema 5 in an empty ledger, and each later one adds one to the number. A script is never
 * edited after its release: another one is added. A script that adds a column to batches or accounts removes their
 * checksums, and they get new ones.
 */
export const MIGRATIONS: readonly string[] = [SCHEMA, HOLDS];

/** The number of the schema after the last script. */
export const newestSchema = (): number => FIRST + MIGRATIONS.length - 1;

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
 * Migrates a ledger to the newest schema. Each step and its number are one transaction: a crash leaves a whole step or
 * none, and the next start continues there.
 * @param from the number of its schema; 0 for an empty ledger.
 */
export function migrate(connection: Connection, from: number, folder: string): void {
  for (const [index, script] of MIGRATIONS.entries()) {
    const schema = FIRST + index;
    if (schema <= from) continue;
    try {
      connection.script(`BEGIN IMMEDIATE;${script}`);
      sumUp(connection);
      connection.script(`PRAGMA application_id = ${APPLICATION_ID};
        PRAGMA user_version = ${schema};
        COMMIT;`);
    } catch (error) {
      if (connection.inTransaction) connection.script('ROLLBACK');
      throw migrationFailed(explained(error, folder), schema, folder);
    }
  }
}

function migrationFailed(error: unknown, schema: number, folder: string): unknown {
  if (error instanceof StopError) return error;
  return new Error(`Rowonce has a bug: ${folder} cannot be brought to schema ${schema}`, { cause: error });
}
