import { readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { stop } from '../../../core/errors.ts';
import { type Connection, withFile } from './connection.ts';
import { schema } from './schema.ts';

/** "RowL" in ASCII, in the header of every ledger, so that no other program's SQLite file counts as one. */
export const APPLICATION_ID = 0x526f774c;

/** What was in the header of ledgers before the first release. */
const BEFORE_RELEASE = 0x526f576f;

/** Grows by one with each change of the tables: the stores of an earlier number are refused. */
export const SCHEMA = 2;

/**
 * Refuses a ledger of another form by its header, which is read as bytes: SQLite itself would leave a log beside the file,
 * or move one into it. Only the header in the file counts, and that of a ledger is written when it is laid out.
 * @throws StopError `store_version`.
 */
export function refuseOther(path: string, folder: string): void {
  const { id, schemaNumber } = headerOf(path);
  refuseSchema(id, schemaNumber, folder);
}

const HEADER_BYTES = 72;

function headerOf(path: string): { readonly id: number; readonly schemaNumber: number } {
  const header = Buffer.alloc(HEADER_BYTES);
  withFile(path, (file) => readSync(file, header, 0, HEADER_BYTES, 0));
  return { id: header.readUInt32BE(68), schemaNumber: header.readUInt32BE(60) };
}

function refuseSchema(id: number, schemaNumber: number, folder: string): void {
  if (id === BEFORE_RELEASE || (id === APPLICATION_ID && schemaNumber < SCHEMA)) throw before(folder);
  if (id === APPLICATION_ID && schemaNumber > SCHEMA) throw later(folder, schemaNumber);
}

/** What a file is, found before anything is written to it. */
export type Identity = 'empty' | 'ledger' | 'foreign';

/** @throws StopError `store_version` for a ledger with another schema than this Rowonce has. */
export function identify(connection: Connection, folder: string): Identity {
  const id = Number(connection.pragma('application_id'));
  refuseSchema(id, Number(connection.pragma('user_version')), folder);
  if (id === APPLICATION_ID) return 'ledger';
  const tables = connection.get<{ n: number }>('SELECT count(*) AS n FROM sqlite_schema')?.n;
  return tables === 0 ? 'empty' : 'foreign';
}

const before = (folder: string) =>
  stop(
    'store_version',
    `The store ${folder} was made by an earlier Rowonce, which kept the ledger in another form. Nothing in it was changed.`,
    'Finish its batches and export its answers with the version that made it, or name another folder with --store.',
  );

const later = (folder: string, number: number) =>
  stop(
    'store_version',
    `The store ${folder} was made by a newer Rowonce (schema ${number}; this one knows ${SCHEMA}). Nothing in it was changed.`,
    'Use the newer Rowonce, or name another folder with --store.',
  );

/** In one transaction: a crash leaves all of it or nothing, and the next start begins again. */
export function layOut(connection: Connection): void {
  connection.script(`BEGIN IMMEDIATE;
    ${schema()}
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${SCHEMA};
    COMMIT;`);
}

/** A table, index, view or trigger, as SQLite keeps it. */
export interface Definition {
  readonly type: string;
  readonly name: string;
  readonly of: string;
  readonly sql: string;
}

export const DEFINITIONS =
  "SELECT type, name, tbl_name AS of, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!'";

let definitions: readonly Definition[] | undefined;

/** What SQLite keeps of the schema, which takes milliseconds: it is the same for every store of a process. */
export function definitionsOfSchema(): readonly Definition[] {
  definitions ??= definedBy(schema());
  return definitions;
}

function definedBy(script: string): readonly Definition[] {
  const empty = new Database(':memory:');
  try {
    empty.exec(script);
    return empty.prepare<[], Definition>(DEFINITIONS).all();
  } finally {
    empty.close();
  }
}
