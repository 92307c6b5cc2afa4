import { stop } from '../../core/errors.ts';
import { Connection, sqlite } from '../db/sqlite.ts';
import { lossAt, type Place, realPlaceOf } from '../outside-notes.ts';
import { earlier, metaOf, refuseNewer } from '../place.ts';
import { damagedStore, sqliteCode } from './errors.ts';
import type { StoreFolder } from './folder.ts';

/** "RowX" in ASCII, in the header of every ledger, so that no other program's SQLite file counts as one. */
export const APPLICATION_ID = 0x526f7758;

/** What was in the header of ledgers that had other tables, before the first release: "RowL", "RoWo". */
const FORMER = [0x526f774c, 0x526f576f];

export const placeOf = ({ path }: StoreFolder): Place => ({ shown: path, at: realPlaceOf(path) });

export function connect(folder: StoreFolder, use: 'read' | 'write'): Connection {
  try {
    return new Connection(folder.ledger, use);
  } catch (error) {
    if (sqliteCode(error) !== 'SQLITE_NOTADB') throw error;
    if (lossAt(placeOf(folder)) === undefined) throw notALedger(folder);
    throw damagedStore(folder.path, 'ledger.db is no longer a ledger');
  }
}

/** Whether nothing is laid out there yet. @throws StopError for a file that is no ledger, `store_version` for one of another Rowonce. */
export async function isEmpty(connection: Connection, folder: StoreFolder): Promise<boolean> {
  const application = Number(connection.pragma('application_id'));
  if (FORMER.includes(application)) throw earlier(folder.path);
  const db = sqlite(connection, connection);
  const tables = (await db.rows<{ name: string }>('SELECT name FROM sqlite_schema')).map(({ name }) => name);
  if (application !== APPLICATION_ID && tables.length > 0) throw notALedger(folder);
  if (tables.includes('steps')) await refuseNewer(db, folder.path);
  return !tables.includes('meta') || (await metaOf(db, 'secret')) === undefined;
}

const notALedger = ({ ledger }: StoreFolder) =>
  stop('store', `${ledger} is not a ledger of Rowonce.`, 'Name another folder with --store.');
