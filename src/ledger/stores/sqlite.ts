import { existsSync } from 'node:fs';
import { type StopError, stop } from '../../core/errors.ts';
import { listsFolder } from '../../core/paths.ts';
import type { Eraser } from '../eraser.ts';
import type { LedgerReader } from '../ledger.ts';
import { lossAt, requireAccepted } from '../lost-stores.ts';
import { realPlaceOf, refuseForeignNotes } from '../outside-notes.ts';
import { isUrl, type Store, type StoreOptions, type Tell } from '../store.ts';
import { backUp } from './sqlite/backup.ts';
import { Connection, damagedStore, explained, sqliteCode } from './sqlite/connection.ts';
import { copySource, copyTarget, refuseCopied } from './sqlite/copies.ts';
import { NOTHING_ERASABLE } from './sqlite/erasable.ts';
import { lostErasureKey, readErasureKey } from './sqlite/erasure-key.ts';
import {
  hasLedger,
  makePrivateFile,
  preparePrivateFolder,
  refuseForeign,
  type StoreFolder,
  sizeOf,
  storeFolder,
} from './sqlite/folder.ts';
import { identify, layOut, refuseOther } from './sqlite/identity.ts';
import { SqliteLedger } from './sqlite/ledger.ts';
import { checkLedger } from './sqlite/ledger-check.ts';
import { livingSpender, type SpenderLock, takeLock } from './sqlite/lock.ts';
import { SqliteReader } from './sqlite/reader.ts';
import { ensureReserve, freeReserve, limitPages, raiseLimit } from './sqlite/reserve-file.ts';
import { lossOf, Watch } from './sqlite/watch.ts';

/** The store of one machine: a folder with an SQLite database, a lock and a reserve of room. */
const sqlite: Store = {
  name: 'sqlite',
  handles: (location) => !isUrl(location),

  open: (location, options) => explaining(location, (folder) => open(folder, options)),

  look: (location, tell) => explaining(location, (folder) => look(folder, tell)),

  prepare: (location) => explaining(location, async (folder) => void prepare(folder, {})),

  spender: async (location) => livingSpender(storeFolder(location)),

  erasing: (location, options, work) =>
    explaining(location, async (folder) => {
      if (!hasLedger(folder) && existsSync(listsFolder(folder.path)))
        return erasingLists(folder, options, work);
      const ledger = await open(folder, { ...options, create: false, sendsNothing: true, mayBeCopied: true });
      try {
        const find: Eraser['find'] = (target) => ledger.erasable(target);
        return await work({ folder: folder.path, ledger, find });
      } finally {
        await ledger.close();
      }
    }),

  upkeep: {
    bytes: (location) =>
      reading(location, async ({ path }) => (sizeOf(path) ?? 0) + (sizeOf(`${path}-wal`) ?? 0)),
    check: (location) => reading(location, async (connection) => checkLedger(connection)),
    backUp: (location, file) => reading(location, (connection) => backUp(connection, file)),
  },

  copying: {
    from: (location, options) =>
      explaining(location, async (folder) =>
        copySource(await open(folder, { ...options, create: false, mayBeCopied: true }), folder),
      ),
    to: (location, options) =>
      explaining(location, (folder) =>
        copyTarget(folder, { ...options, create: true }, () => void prepare(folder, {})),
      ),
  },
};

/** Reads a ledger as it is, also one that nothing is bought from. */
function reading<T>(location: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  return explaining(location, async (folder) => {
    const connection = openToRead(folder);
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  });
}

/** The lock keeps a first run from beginning with one of the lists meanwhile. */
async function erasingLists<T>(
  folder: StoreFolder,
  options: StoreOptions,
  work: (eraser: Eraser) => Promise<T>,
): Promise<T> {
  refuseForeign(folder);
  const lock = await takeLock(folder, options);
  try {
    return await work({ folder: folder.path, ledger: undefined, find: async () => NOTHING_ERASABLE });
  } finally {
    lock.release();
  }
}

async function explaining<T>(location: string, work: (folder: StoreFolder) => Promise<T>): Promise<T> {
  const folder = storeFolder(location);
  try {
    return await work(folder);
  } catch (error) {
    throw explained(error, folder.path);
  }
}

export default sqlite;

type Accepted = Pick<StoreOptions, 'acceptLost' | 'tell'>;

/** Makes the folder, or takes the one that is there, before anything is written to it. @returns whether it has a ledger. */
function prepare(folder: StoreFolder, options: Accepted): boolean {
  refuseForeignNotes();
  const wasThere = hasLedger(folder);
  // This comes before anything is made, so that the mount point of an unmounted disk stays as it is.
  if (!wasThere) requireAccepted(lossOfPlace(folder), options);
  preparePrivateFolder(folder);
  return wasThere;
}

async function open(folder: StoreFolder, options: StoreOptions): Promise<SqliteLedger> {
  if (!options.create && !hasLedger(folder)) throw nothingThere(folder);
  const wasThere = prepare(folder, options);
  const lock = await takeLock(folder, options);
  let ledger: SqliteLedger;
  try {
    ledger = openLocked(folder, lock, { ...options, wasThere });
  } catch (error) {
    lock.release();
    throw error;
  }
  try {
    // Finishes an erasure whose process ended before it had overwritten everything.
    const cleaning = await ledger.scrub();
    if (cleaning.isDue) options.tell?.(cleaning.why);
    return ledger;
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

interface Opening extends StoreOptions {
  /** False for a store that is new. */
  readonly wasThere: boolean;
}

/** A crash anywhere in here leaves a store that the next start takes for new, or as it was. */
function openLocked(folder: StoreFolder, lock: SpenderLock, options: Opening): SqliteLedger {
  const connection = connect(folder, 'write');
  try {
    const isEmpty = isEmptyLedger(connection, folder);
    // A file that something emptied is no new store.
    if (isEmpty && options.wasThere) requireAccepted(lossOfPlace(folder), options);
    // SQLite gives the log the mode of the database, so this comes before the log.
    makePrivateFile(folder.ledger);
    connection.pragma('journal_mode = WAL');
    if (isEmpty) layOut(connection);
    if (options.mayBeCopied !== true) refuseCopied(connection, folder);
    const loss = isEmpty ? undefined : lossOf(folder.path, connection);
    requireAccepted(loss, options);
    if (options.sendsNothing !== true) requireAccepted(lostErasureKey(connection, folder), options);
    if (loss !== undefined) connection.run(NEW_IDENTITY);
    ensureReserve(folder.reserve);
    limitPages(connection);
    return spenderOf(folder, connection, lock, options);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function spenderOf(
  folder: StoreFolder,
  connection: Connection,
  lock: SpenderLock,
  { clock, operator }: StoreOptions,
): SqliteLedger {
  return new SqliteLedger({
    connection,
    watch: new Watch(folder, connection),
    act: () => (operator === undefined ? undefined : { operator, atMs: clock.wallMs() }),
    folder: folder.path,
    makeRoom() {
      // Moving the log into the database would take that room for itself.
      connection.pragma('wal_autocheckpoint = 0');
      freeReserve(folder.reserve);
      raiseLimit(connection);
    },
    secret: readErasureKey(folder.erasureKey),
    erasureKey: folder.erasureKey,
    release: () => lock.release(),
  });
}

/** Opens a store to read it, also beside a running spender. */
async function look(folder: StoreFolder, tell: Tell = () => {}): Promise<LedgerReader> {
  refuseForeignNotes();
  const connection = openToRead(folder, tell);
  try {
    const loss = lossOf(folder.path, connection) ?? lostErasureKey(connection, folder);
    if (loss !== undefined) tell(`${loss} Nothing is bought from it in this state.`);
    return new SqliteReader(connection, folder.path, readErasureKey(folder.erasureKey));
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** @param tell hears of a ledger that is gone. @throws StopError `store` where there is none. */
function openToRead(folder: StoreFolder, tell: Tell = () => {}): Connection {
  refuseForeign(folder);
  const connection = hasLedger(folder) ? connect(folder, 'read') : undefined;
  try {
    if (connection !== undefined && !isEmptyLedger(connection, folder)) return connection;
    const loss = lossOfPlace(folder);
    if (loss !== undefined) tell(loss);
    throw nothingThere(folder);
  } catch (error) {
    connection?.close();
    throw error;
  }
}

function connect(folder: StoreFolder, use: 'read' | 'write'): Connection {
  if (hasLedger(folder)) refuseOther(folder.ledger, folder.path);
  try {
    return new Connection(folder.ledger, use);
  } catch (error) {
    if (sqliteCode(error) === 'SQLITE_NOTADB') throw notALedger(folder);
    throw error;
  }
}

/** @throws StopError for a file that is no ledger, and for one of another schema. */
function isEmptyLedger(connection: Connection, folder: StoreFolder): boolean {
  const identity = identify(connection, folder.path);
  if (identity === 'foreign') throw notALedger(folder);
  return identity === 'empty';
}

const lossOfPlace = ({ path }: StoreFolder): string | undefined => lossAt(path, realPlaceOf(path));

/** An accepted ledger gets a new identity, so that the lost one is still missed when it comes back. */
const NEW_IDENTITY = 'UPDATE book SET identity = lower(hex(randomblob(16)))';

function nothingThere(folder: StoreFolder): StopError {
  return stop(
    'store',
    `There is no store in ${folder.path}.`,
    'Name an existing store with --store; the first run makes a new one.',
  );
}

function notALedger(folder: StoreFolder): StopError {
  if (lossOfPlace(folder) !== undefined) return damagedStore(folder.path, 'ledger.db is no longer a ledger');
  return stop('store', `${folder.ledger} is not a ledger of Rowonce.`, 'Name another folder with --store.');
}
