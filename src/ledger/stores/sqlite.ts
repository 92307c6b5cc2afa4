import { existsSync } from 'node:fs';
import { listsFolder } from '../../core/paths.ts';
import { checkBudgets } from '../check.ts';
import { accountsOf } from '../context.ts';
import { type CopySource, partsOf } from '../copy.ts';
import { type Connection, sqlite } from '../db/sqlite.ts';
import type { Db } from '../db.ts';
import { type Erasing, eraserOver, finishErasures, NOTHING_ERASABLE, type Room } from '../erase.ts';
import type { Eraser } from '../eraser.ts';
import type { Keeping } from '../gather.ts';
import type { Ledger, LedgerReader } from '../ledger.ts';
import { requireAccepted } from '../lost-stores.ts';
import { ledgerOver, readerOver } from '../open-ledger.ts';
import { refuseForeignNotes } from '../outside-notes.ts';
import { backUp } from '../sqlite/backup.ts';
import { clean, requireRoom } from '../sqlite/cleaning.ts';
import { copiedTo, copyTarget, refuseCopied } from '../sqlite/copies.ts';
import { explained } from '../sqlite/errors.ts';
import {
  hasLedger,
  makePrivateFile,
  preparePrivateFolder,
  refuseForeign,
  type StoreFolder,
  sizeOf,
  storeFolder,
} from '../sqlite/folder.ts';
import { connect, isEmpty, layOut, lossOfPlace, metaOf, nothingThere } from '../sqlite/layout.ts';
import { livingSpender, type SpenderLock, takeLock } from '../sqlite/lock.ts';
import { ensureReserve, freeReserve, limitPages, raiseLimit } from '../sqlite/reserve-file.ts';
import { lossOf, Watch } from '../sqlite/watch.ts';
import { isUrl, type Store, type StoreCheck, type StoreOptions, type Tell } from '../store.ts';
import { beginWorker, endWorker } from '../workers.ts';

/** The store of one machine: a folder with an SQLite database, a lock and a reserve of room. */
const store: Store = {
  name: 'sqlite',
  handles: (location) => !isUrl(location),

  open: (location, options) => explaining(location, async (folder) => (await open(folder, options)).ledger),

  look: (location, tell) => explaining(location, (folder) => look(folder, tell)),

  prepare: (location) => explaining(location, async (folder) => void prepare(folder, {})),

  spender: async (location) => livingSpender(storeFolder(location)),

  erasing: (location, options, work) =>
    explaining(location, async (folder) => {
      if (!hasLedger(folder) && existsSync(listsFolder(folder.path)))
        return erasingLists(folder, options, work);
      const opened = await open(folder, { ...options, create: false, mayBeCopied: true });
      try {
        return await work({ folder: folder.path, ledger: opened.ledger, find: eraserOver(opened) });
      } finally {
        await opened.ledger.close();
      }
    }),

  upkeep: {
    bytes: (location) =>
      reading(location, async (_, { ledger }) => (sizeOf(ledger) ?? 0) + (sizeOf(`${ledger}-wal`) ?? 0)),
    check: (location) => reading(location, checkLedger),
    backUp: (location, file) => reading(location, (connection) => backUp(connection, file)),
  },

  copying: {
    from: (location, options) =>
      explaining(location, (folder) => copySource(folder, { ...options, create: false })),
    to: (location, options) =>
      explaining(location, (folder) => {
        prepare(folder, {});
        return copyTarget(folder, { ...options, create: true });
      }),
  },
};

export default store;

async function explaining<T>(location: string, work: (folder: StoreFolder) => Promise<T>): Promise<T> {
  const folder = storeFolder(location);
  try {
    return await work(folder);
  } catch (error) {
    throw explained(error, folder.path);
  }
}

/** Makes the folder, or takes the one that is there, before anything is written to it. @returns whether it has a ledger. */
function prepare(folder: StoreFolder, options: Pick<StoreOptions, 'acceptLost' | 'tell'>): boolean {
  refuseForeignNotes();
  const wasThere = hasLedger(folder);
  // This comes before anything is made, so that the mount point of an unmounted disk stays as it is.
  if (!wasThere) requireAccepted(lossOfPlace(folder), options);
  preparePrivateFolder(folder);
  return wasThere;
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

async function copySource(folder: StoreFolder, options: StoreOptions): Promise<CopySource> {
  const { ledger, db, connection } = await open(folder, { ...options, mayBeCopied: true });
  return {
    ledger,
    place: folder.path,
    copied: copiedTo(connection),
    parts: () => partsOf(db),
    leave: (copied) =>
      db.transaction(async (sql) => {
        await sql.rows(`INSERT INTO meta (name, value) VALUES ('copied_to', ?)`, [JSON.stringify(copied)]);
      }),
    close: () => ledger.close(),
  };
}

// --------------------------------------------------------------------------------------------- to spend

/** An open store, for those who erase from it or copy it as well. */
interface Opened extends Erasing {
  readonly ledger: Ledger;
  readonly connection: Connection;
}

async function open(folder: StoreFolder, options: StoreOptions): Promise<Opened> {
  if (!options.create && !hasLedger(folder)) throw nothingThere(folder);
  const wasThere = prepare(folder, options);
  const lock = await takeLock(folder, options);
  try {
    return await openLocked(folder, lock, { ...options, wasThere });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A crash anywhere in here leaves a store that the next start takes for new, or as it was. */
async function openLocked(
  folder: StoreFolder,
  lock: SpenderLock,
  options: StoreOptions & { readonly wasThere: boolean },
): Promise<Opened> {
  const writer = connect(folder, 'write');
  let reader: Connection | undefined;
  try {
    const isNew = isEmpty(writer, folder);
    // A file that something emptied is no new store.
    if (isNew && options.wasThere) requireAccepted(lossOfPlace(folder), options);
    // SQLite gives the log the mode of the database, so this comes before the log.
    makePrivateFile(folder.ledger);
    writer.pragma('journal_mode = WAL');
    reader = connect(folder, 'read');
    const db = sqlite(writer, reader);
    await layOut(db, writer);
    if (options.mayBeCopied !== true) refuseCopied(writer, folder);
    if (!isNew) requireNewest(folder, writer, options);
    ensureReserve(folder.reserve);
    limitPages(writer);
    const opened = await spending(folder, lock, { db, writer, reader, options });
    // What an erasure could not overwrite when it was made.
    const cleaning = await finishErasures(db, opened.room);
    if (cleaning.isDue) options.tell?.(cleaning.why);
    return opened;
  } catch (error) {
    reader?.raw.close();
    writer.raw.close();
    throw error;
  }
}

/** An accepted ledger gets a new identity, so that the lost one is still missed when it comes back. */
function requireNewest(folder: StoreFolder, writer: Connection, options: StoreOptions): void {
  const loss = lossOf(folder.path, writer);
  requireAccepted(loss, options);
  if (loss !== undefined)
    writer.rows("UPDATE meta SET value = lower(hex(randomblob(16))) WHERE name = 'identity'");
}

interface Spending {
  readonly db: Db;
  readonly writer: Connection;
  readonly reader: Connection;
  readonly options: StoreOptions;
}

async function spending(
  folder: StoreFolder,
  lock: SpenderLock,
  { db, writer, reader, options }: Spending,
): Promise<Opened> {
  const worker = await db.transaction((sql) => beginWorker(sql, options));
  const watch = new Watch(folder, reader);
  const ledger = ledgerOver({ ...contextOf(db, writer), worker }, keepingOf(folder, writer, watch));
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    try {
      await ledger.close();
      await endWorker(db, worker);
    } finally {
      watch.end();
      await db.close();
      lock.release();
    }
  };
  const room: Room = {
    requireRoom: () => requireRoom(writer, folder.path),
    begin: () => void writer.pragma('secure_delete = ON'),
    clean: async () => clean(writer, folder.path),
  };
  return { db, connection: writer, worker, room, ledger: { ...ledger, close: () => (closing ??= close()) } };
}

function keepingOf(folder: StoreFolder, writer: Connection, watch: Watch): Keeping {
  return {
    refusal: () => watch.refusal(),
    committed: () => watch.committed(),
    makeRoom() {
      const hadRoom = sizeOf(folder.reserve) !== undefined;
      // Moving the log into the database would take that room for itself.
      writer.pragma('wal_autocheckpoint = 0');
      freeReserve(folder.reserve);
      raiseLimit(writer);
      return hadRoom;
    },
  };
}

// --------------------------------------------------------------------------------------------- to read

/** Opens a store to read it, also beside a running spender. */
async function look(folder: StoreFolder, tell: Tell = () => {}): Promise<LedgerReader> {
  refuseForeignNotes();
  const connection = openToRead(folder, tell);
  try {
    const loss = lossOf(folder.path, connection);
    if (loss !== undefined) tell(`${loss} Nothing is bought from it in this state.`);
    const db = sqlite(connection, connection);
    return { ...readerOver(contextOf(db, connection)), close: () => db.close() };
  } catch (error) {
    connection.raw.close();
    throw error;
  }
}

function contextOf(db: Db, connection: Connection) {
  return { db, secret: metaOf(connection, 'secret') ?? '', account: accountsOf(db) };
}

/** @param tell hears of a ledger that is gone. @throws StopError `store` where there is none. */
function openToRead(folder: StoreFolder, tell: Tell = () => {}): Connection {
  refuseForeign(folder);
  const connection = hasLedger(folder) ? connect(folder, 'read') : undefined;
  try {
    if (connection !== undefined && !isEmpty(connection, folder)) return connection;
    const loss = lossOfPlace(folder);
    if (loss !== undefined) tell(loss);
    throw nothingThere(folder);
  } catch (error) {
    connection?.raw.close();
    throw error;
  }
}

/** Reads a ledger as it is, also one that nothing is bought from. */
function reading<T>(
  location: string,
  work: (connection: Connection, folder: StoreFolder) => Promise<T>,
): Promise<T> {
  return explaining(location, async (folder) => {
    const connection = openToRead(folder);
    try {
      return await work(connection, folder);
    } finally {
      connection.raw.close();
    }
  });
}

/** SQLite's own check, and each budget added up anew from the calls. It sees one state of the ledger. */
async function checkLedger(connection: Connection): Promise<StoreCheck> {
  const db = sqlite(connection, connection);
  connection.rows('BEGIN');
  try {
    const said = connection.rows('PRAGMA integrity_check') as { readonly integrity_check: string }[];
    const broken = said.map(({ integrity_check: words }) => words).filter((words) => words !== 'ok');
    // On broken pages anything may be found.
    if (broken.length > 0) return { broken, budgets: 0, wrong: [] };
    return { broken, ...(await checkBudgets(db)) };
  } finally {
    connection.rows('COMMIT');
  }
}
