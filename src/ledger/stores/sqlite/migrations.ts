import { StopError, stop } from '../../../core/errors.ts';
import { type Connection, explained } from './connection.ts';
import { SCHEMA_1 } from './schema.ts';
import { SCHEMA_2 } from './schema-2.ts';
import { SCHEMA_3 } from './schema-3.ts';
import { SCHEMA_4 } from './schema-4.ts';
import { SCHEMA_5 } from './schema-5.ts';
import { sumUpEverything } from './table-sums.ts';

/** "RoWo" in ASCII, in the header of every ledger: another program's SQLite file is never taken for one. */
export const APPLICATION_ID = 0x526f576f;

/** The script at index n brings a ledger from schema n to n + 1. Scripts are never edited after their release. */
export const MIGRATIONS: readonly string[] = [SCHEMA_1, SCHEMA_2, SCHEMA_3, SCHEMA_4, SCHEMA_5];

/** The schema that gave every row which is believed a checksum. */
const SUMMED = 4;

/** What kind of file it is, before anything is written to it. */
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

/** @throws StopError `store_version` when a newer Rowonce made it. */
export function refuseNewer(schema: number, folder: string): void {
  if (schema <= MIGRATIONS.length) return;
  throw stop(
    'store_version',
    `The store ${folder} was made by a newer Rowonce (schema ${schema}, this one knows ${MIGRATIONS.length}).`,
    'Use the newer Rowonce, or name another folder with --store.',
  );
}

/**
 * Brings a ledger to the newest schema, each step in one transaction with its number: a crash leaves a whole step or
 * none, and the next start goes on there.
 */
export function migrate(connection: Connection, from: number, folder: string): void {
  for (const [index, script] of MIGRATIONS.entries()) {
    if (index < from) continue;
    try {
      connection.script(`BEGIN IMMEDIATE;${script}`);
      if (index + 1 >= SUMMED) sumUpEverything(connection);
      connection.script(`PRAGMA application_id = ${APPLICATION_ID};
        PRAGMA user_version = ${index + 1};
        COMMIT;`);
    } catch (error) {
      if (connection.inTransaction) connection.script('ROLLBACK');
      throw migrationFailed(explained(error, folder), index + 1, folder);
    }
  }
}

function migrationFailed(error: unknown, schema: number, folder: string): unknown {
  if (error instanceof StopError) return error;
  return new Error(`Rowonce has a bug: ${folder} cannot be brought to schema ${schema}`, { cause: error });
}
