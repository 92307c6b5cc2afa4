import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { type StopError, stop } from '../../core/errors.ts';
import { Connection } from '../db/sqlite.ts';
import type { Db } from '../db.ts';
import { lossAt } from '../lost-stores.ts';
import { realPlaceOf } from '../outside-notes.ts';
import { migrate, newestStep } from '../schema.ts';
import { damagedStore, sqliteCode } from './errors.ts';
import { hasLedger, type StoreFolder } from './folder.ts';

/** "RowX" in ASCII, in the header of every ledger, so that no other program's SQLite file counts as one. */
export const APPLICATION_ID = 0x526f7758;

/** What was in the header of ledgers that had other tables, before the first release: "RowL", "RoWo". */
const FORMER = [0x526f774c, 0x526f576f];

export function connect(folder: StoreFolder, use: 'read' | 'write'): Connection {
  if (hasLedger(folder)) refuseFormer(folder);
  try {
    const connection = new Connection(folder.ledger, use);
    looked.add(nameOf(folder.ledger));
    return connection;
  } catch (error) {
    if (sqliteCode(error) === 'SQLITE_NOTADB') throw notALedger(folder);
    throw error;
  }
}

/** The files whose header was looked at, by device and number. */
const looked = new Set<string>();

function nameOf(path: string): string {
  const { dev, ino } = statSync(path);
  return `${dev} ${ino}`;
}

/**
 * Looks at the header as bytes: SQLite itself would leave a log beside a file, or move one into it. Once in a process and before the
 * first connection, because POSIX drops all locks that a process has on a file when it closes any descriptor of it.
 * @throws StopError `store_version` for a ledger of before, which stays untouched.
 */
function refuseFormer({ ledger, path }: StoreFolder): void {
  if (looked.has(nameOf(ledger))) return;
  const header = Buffer.alloc(72);
  const file = openSync(ledger, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (!FORMER.includes(header.readUInt32BE(68))) return;
  throw stop(
    'store_version',
    `The store ${path} was made by an earlier Rowonce, which kept the ledger in another form. Nothing in it was changed.`,
    'Finish its batches and export its answers with the version that made it, or name another folder with --store; a new one buys again what that one has bought.',
  );
}

/** Whether nothing is laid out there yet. @throws StopError for a file that is no ledger, `store_version` for one of a newer Rowonce. */
export function isEmpty(connection: Connection, folder: StoreFolder): boolean {
  const tables = connection.rows('SELECT name FROM sqlite_schema') as { readonly name: string }[];
  const isOurs = Number(connection.pragma('application_id')) === APPLICATION_ID;
  if (!isOurs && tables.length > 0) throw notALedger(folder);
  if (tables.some(({ name }) => name === 'steps')) refuseNewer(connection, folder);
  return !tables.some(({ name }) => name === 'meta') || metaOf(connection, 'secret') === undefined;
}

function refuseNewer(connection: Connection, { path }: StoreFolder): void {
  const [last] = connection.rows('SELECT max(number) AS step FROM steps') as {
    readonly step: number | null;
  }[];
  const known = newestStep('sqlite');
  if ((last?.step ?? 0) <= known) return;
  throw stop(
    'store_version',
    `The store ${path} was made by a newer Rowonce (schema ${last?.step}; this one knows ${known}). Nothing in it was changed.`,
    'Use the newer Rowonce, or name another folder with --store.',
  );
}

/** Lays out what is not there yet. A crash leaves an empty ledger, or a whole one. */
export async function layOut(db: Db, connection: Connection): Promise<void> {
  connection.pragma(`application_id = ${APPLICATION_ID}`);
  await migrate(db);
  const names = { identity: randomBytes(16).toString('hex'), secret: randomBytes(32).toString('hex') };
  await db.transaction(async (sql) => {
    for (const [name, value] of Object.entries(names))
      await sql.rows('INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', [
        name,
        value,
      ]);
  });
}

/** What is kept of a ledger as a whole: `identity`, `secret` and, of one that was copied, `copied_to`. */
export function metaOf(connection: Connection, name: string): string | undefined {
  const [found] = connection.rows('SELECT value FROM meta WHERE name = ?', [name]) as {
    readonly value: string;
  }[];
  return found?.value;
}

export const lossOfPlace = ({ path }: StoreFolder): string | undefined => lossAt(path, realPlaceOf(path));

export function nothingThere({ path }: StoreFolder): StopError {
  return stop(
    'store',
    `There is no store in ${path}.`,
    'Name an existing store with --store; the first run makes a new one.',
  );
}

function notALedger(folder: StoreFolder): StopError {
  if (lossOfPlace(folder) !== undefined) return damagedStore(folder.path, 'ledger.db is no longer a ledger');
  return stop('store', `${folder.ledger} is not a ledger of Rowonce.`, 'Name another folder with --store.');
}
