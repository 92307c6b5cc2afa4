import { linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isoTime } from '../../core/clock.ts';
import { StopError, stop } from '../../core/errors.ts';
import { AGAIN, byFlag, phrase } from '../../core/phrase.ts';
import { moveWithoutReplacing, outputProblem } from '../../lib/atomic-file.ts';
import { testHook } from '../../lib/faults.ts';
import type { Tell } from '../../lib/postgres-server.ts';
import { FILE_MODE, makePrivateFile, sizeOf, syncFile, syncFolder } from '../../lib/private-file.ts';
import type { ProcessLock } from '../../lib/process-lock.ts';
import { oneRow } from '../context.ts';
import { copyTables } from '../copy.ts';
import { Connection, explainedError, isDiskFull, sqliteDb } from '../db/sqlite.ts';
import type { Db } from '../db.ts';
import { finishErasures } from '../erase.ts';
import type { CommitGuard } from '../gather.ts';
import type { LedgerReader } from '../ledger.ts';
import { ledgerOver } from '../open-ledger.ts';
import {
  checkBudgets,
  closedByFailure,
  contextOf,
  keepNote,
  ledgerNow,
  metaOf,
  missingAt,
  nothingThere,
  readerAt,
  realPathOf,
  refuseOther,
  refuseUncopied,
  requireAccepted,
  type Site,
  setMeta,
  sourceIn,
  takeLedger,
} from '../site.ts';
import { beginWorker, endWorker } from '../spenders.ts';
import {
  ensureReserve,
  hasLedger,
  livingSpender,
  preparePrivateFolder,
  RESERVE_BYTES,
  refuseForeign,
  type StoreFolder,
  storeFolder,
  takeLock,
} from '../sqlite/folder.ts';
import type {
  AloneOptions,
  CopySource,
  CopyTarget,
  SoleAccess,
  Store,
  StoreCheck,
  StoreOptions,
} from '../store.ts';

/** The store of one machine: a folder with an SQLite database, a lock and a reserve of room. */
const sqliteStore: Store = {
  name: 'sqlite',
  manySpend: false,
  open: (location, options) => explaining(location, async (folder) => (await open(folder, options)).ledger),
  look: (location, tell) => explaining(location, (folder) => look(folder, tell)),
  prepare: (location) => explaining(location, async (folder) => prepare(folder)),
  async init(location) {
    const next =
      'The first run makes it; a store for several hosts is named postgres://USER@HOST:PORT/DATABASE.';
    throw stop('usage', `The store ${location} does not need to be set up.`, next);
  },
  spender: async (location) => livingSpender(storeFolder(location)),
  bytes: (location) =>
    readingFolder(location, async (_, { ledger }) => (sizeOf(ledger) ?? 0) + (sizeOf(`${ledger}-wal`) ?? 0)),
  check: (location) => readingFolder(location, checkLedger),
  backUp: (location, file) => readingFolder(location, (db) => backUp(db, file)),
  alone: (location, options, work) =>
    explaining(location, async (folder) => {
      const alone = await open(folder, { create: false, ...options, mayBeCopied: true });
      return work(alone).finally(alone.ledger.close);
    }),
  copyFrom: (location, options, work) =>
    explaining(location, (folder) => copyFromFolder(folder, options, work)),
  copyTo: (location, options) => explaining(location, (folder) => copyIntoFolder(folder, options)),
};

export default sqliteStore;

async function explaining<T>(location: string, work: (folder: StoreFolder) => Promise<T>): Promise<T> {
  const folder = storeFolder(location);
  try {
    return await work(folder);
  } catch (error) {
    throw explainedError(error, folder.path);
  }
}

const siteOfFolder = ({ path }: StoreFolder): Site => ({ shown: path, at: realPathOf(path) });

const noStore = (folder: StoreFolder, tell?: Tell): StopError =>
  nothingThere(siteOfFolder(folder), 'the first run makes a new one.', tell);

/** Makes the folder, or takes the one that is there. */
function prepare(folder: StoreFolder, acceptOutdated?: boolean): void {
  // This comes before anything is made, so that the mount point of an unmounted disk stays as it is.
  if (!hasLedger(folder)) requireAccepted(missingAt(siteOfFolder(folder)), { acceptOutdated });
  preparePrivateFolder(folder);
}

// -------------------------------------------------------------------------------------------- what a file is

/** "RowX" in ASCII, in the header of every ledger, so that no other program's SQLite file counts as one. */
const APPLICATION_ID = 0x526f7758;

/**
 * Whether nothing is laid out there yet.
 * @param refuse throws for a ledger whose tables are not taken.
 * @throws StopError for a file that is no ledger, `store_version` for one of another Rowonce.
 */
async function isEmpty(db: Db, folder: StoreFolder, refuse = refuseOther): Promise<boolean> {
  const { application_id: application } = await oneRow<{ application_id: number }>(
    db,
    'PRAGMA application_id',
  );
  const tables = (await db.rows<{ name: string }>('SELECT name FROM sqlite_schema')).map(({ name }) => name);
  if (application !== APPLICATION_ID && tables.length > 0)
    throw stop(
      'store',
      `${folder.ledger} is not a ledger of Rowonce.`,
      phrase`Name another folder ${byFlag('--store')}.`,
    );
  if (tables.includes('steps')) await refuse(db, folder.path);
  return !tables.includes('meta') || (await metaOf(db, 'secret')) === undefined;
}

// --------------------------------------------------------------------------------------------- to spend

async function open(folder: StoreFolder, options: StoreOptions): Promise<SoleAccess> {
  if (!options.create && !hasLedger(folder)) throw noStore(folder);
  prepare(folder, options.acceptOutdated);
  const lock = await takeLock(folder, options);
  return closedByFailure({ close: () => lock.release() }, async () => {
    const writer = new Connection(folder.ledger, 'write');
    return closedByFailure(writer.raw, () => openLocked(folder, { lock, writer, options }));
  });
}

/** A crash anywhere in here leaves a store that the next start takes for new, or as it was. */
async function openLocked(
  folder: StoreFolder,
  { lock, writer, options }: { lock: ProcessLock; writer: Connection; options: StoreOptions },
): Promise<SoleAccess> {
  const isNew = await isEmpty(sqliteDb(writer), folder);
  // SQLite gives the log the mode of the database, so this comes before the log.
  makePrivateFile(folder.ledger);
  writer.pragma('journal_mode = WAL');
  if (isNew) writer.pragma(`application_id = ${APPLICATION_ID}`);
  const reader = new Connection(folder.ledger, 'read');
  return closedByFailure(reader.raw, async () => {
    const db = sqliteDb(writer, reader);
    await takeLedger(db, siteOfFolder(folder), options, !isNew);
    ensureReserve(folder.reserve);
    limitPages(writer);
    const worker = await db.transaction((sql) => beginWorker(sql, options));
    const guard = await guardOver(folder, writer, db);
    const ledger = await ledgerOver({ ...(await contextOf(db)), worker }, guard);
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      try {
        await ledger.close();
        await db.transaction((sql) => endWorker(sql, worker)).catch(() => {});
        await guard.end();
      } finally {
        await db.close();
        lock.release();
      }
    };
    const alone: SoleAccess = {
      db,
      worker,
      folder: folder.path,
      ledger: { ...ledger, close: () => (closing ??= close()) },
      async requireSame() {},
      clean: async () => cleanFolder(writer, folder.path),
    };
    // What an erasure could not overwrite when it was made.
    const isDue = await finishErasures(alone);
    if (isDue !== undefined) options.tell?.(isDue);
    return alone;
  });
}

/**
 * How often the note outside is brought up to date while there are commits. What a killed process bought
 * since is not known outside.
 */
const NOTE_EVERY_MS = 1000;

/**
 * Makes sure that the open ledger is the one that the next start will find. A process that goes on with a
 * file which no one else can reach would buy answers that no one will ever find. If another lock took the
 * place of ours, another process spends beside us.
 */
async function guardOver(
  folder: StoreFolder,
  writer: Connection,
  db: Db,
): Promise<CommitGuard & { end(): Promise<void> }> {
  const { path, ledger, lock, reserve } = folder;
  const site = siteOfFolder(folder);
  const opened = [ledger, lock].map((file) => ({ file, was: fileAt(file) }));
  let refusal: StopError | undefined;
  let timer: NodeJS.Timeout | undefined;
  const note = async (): Promise<void> => {
    timer = undefined;
    // The next one to use the ledger gets the error.
    await ledgerNow(db).then(
      (now) => keepNote(site, now),
      () => {},
    );
  };
  await note();
  return {
    refusal() {
      const gone =
        refusal === undefined && opened.find(({ file, was }) => was === undefined || fileAt(file) !== was);
      if (gone)
        refusal = stop(
          'store_lost',
          `${gone.file === lock ? lock : `The ledger of the store ${path}`} was deleted, moved, replaced or unmounted while it was in use; nothing new is sent.`,
          phrase`Put it back, then ${AGAIN}.`,
        );
      return refusal;
    },
    committed() {
      timer ??= setTimeout(note, NOTE_EVERY_MS).unref();
    },
    makeRoom() {
      const hadRoom = sizeOf(reserve) !== undefined;
      // Moving the log into the database would take that room for itself.
      writer.pragma('wal_autocheckpoint = 0');
      rmSync(reserve, { force: true });
      limitPages(writer, RESERVE_BYTES);
      return hadRoom;
    },
    async end() {
      clearTimeout(timer);
      await note();
    },
  };
}

/**
 * Undefined also for a file that cannot be reached, because the next start could not reach it either. It is
 * not opened, so no lock is given up.
 */
function fileAt(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

/**
 * Fault injection, like the crash points: `ROWONCE_FULL_AT_PAGES=N` lets the ledger grow to N pages, like a
 * full disk, and by the reserve more once that is given up. Without the variable there is no limit.
 */
const PAGES = Number(testHook('ROWONCE_FULL_AT_PAGES') ?? 0);
const PAGE_BYTES = 4096;

function limitPages(connection: Connection, moreBytes = 0): void {
  if (PAGES > 0) connection.pragma(`max_page_count = ${PAGES + moreBytes / PAGE_BYTES}`);
}

// --------------------------------------------------------------------------------------------- to read

/** Opens a store to read it, also beside a running spender. */
async function look(folder: StoreFolder, tell: Tell = () => {}): Promise<LedgerReader> {
  const db = await openToRead(folder, tell);
  return closedByFailure(db, () => readerAt(db, siteOfFolder(folder), tell));
}

/** @param tell hears of a ledger that is gone. @throws StopError `store` where there is none. */
async function openToRead(folder: StoreFolder, tell?: Tell): Promise<Db> {
  refuseForeign(folder);
  if (!hasLedger(folder)) throw noStore(folder, tell);
  const db = sqliteDb(new Connection(folder.ledger, 'read'));
  return closedByFailure(db, async () => {
    if (await isEmpty(db, folder)) throw noStore(folder, tell);
    return db;
  });
}

/** Reads a ledger as it is, also one that nothing is bought from. */
const readingFolder = <T>(location: string, work: (db: Db, folder: StoreFolder) => Promise<T>): Promise<T> =>
  explaining(location, async (folder) => {
    const db = await openToRead(folder);
    return work(db, folder).finally(db.close);
  });

/** SQLite's own check, and each budget added up anew from the attempts. */
async function checkLedger(db: Db): Promise<StoreCheck> {
  const checkLines = await db.rows<{ integrity_check: string }>('PRAGMA integrity_check');
  const broken = checkLines.map(({ integrity_check: words }) => words).filter((words) => words !== 'ok');
  // On broken pages anything may be found.
  return broken.length > 0 ? { broken, budgets: 0, wrong: [] } : { broken, ...(await checkBudgets(db)) };
}

// -------------------------------------------------------------------------------- to back up, copy and erase

/**
 * Copies a ledger into one file, also while others spend from it. The copy says that it is one, so that
 * nothing is bought from it before the person who puts it back has said so: whatever the ledger bought since
 * is unknown to it. A crash leaves `FILE.part`.
 * @throws StopError `output` when there is such a file already, or none can be written there.
 */
async function backUp(db: Db, file: string): Promise<void> {
  const path = resolve(file);
  const part = `${path}.part`;
  try {
    rmSync(part, { force: true });
    writeFileSync(part, '', { mode: FILE_MODE, flag: 'wx' });
    await db.rows('VACUUM INTO ?', [part]);
    await markBackup(sqliteDb(new Connection(part, 'write')));
    syncFile(part);
    if (!(await moveWithoutReplacing(part, path)))
      throw stop('output', `There is a file ${path} already.`, 'Name a new one.');
  } catch (error) {
    rmSync(part, { force: true });
    if (error instanceof StopError && error.code === 'disk_full')
      throw stop('output', `The disk of ${path} is full.`, 'Name a file on another one.');
    throw error instanceof Error && 'syscall' in error ? outputProblem(path, error, 'store backup') : error;
  }
}

async function markBackup(copy: Db): Promise<void> {
  try {
    const { newest } = await ledgerNow(copy);
    const since = newest === undefined ? 'since' : `after ${isoTime(newest.atMs)}`;
    const outdated = `The store is a backup that was put back. What was bought ${since} is not in it, and would be bought again.`;
    await copy.transaction((sql) => setMeta(sql, { outdated }));
  } finally {
    await copy.close();
  }
}

async function copyFromFolder<T>(
  folder: StoreFolder,
  options: AloneOptions,
  work: (from: CopySource) => Promise<T>,
): Promise<T> {
  if (!hasLedger(folder)) throw noStore(folder);
  prepare(folder);
  const lock = await takeLock(folder, options);
  const from = new Connection(folder.ledger, 'write');
  const db = sqliteDb(from);
  try {
    if (await isEmpty(db, folder, refuseUncopied)) throw noStore(folder);
    const source: CopySource = {
      ...(await sourceIn(db, siteOfFolder(folder))),
      async requireSame() {},
      async inItsPlace() {
        // From here on the file alone is the whole ledger. SQLite refuses that while another process has it
        // open.
        from.pragma('journal_mode = DELETE');
        const oldFile = freeName(`${folder.ledger}.layout-${source.layout}`);
        return {
          ...copyBeside(folder, () => linkSync(folder.ledger, oldFile)),
          location: folder.path,
          present: undefined,
          keptAt: oldFile,
          async close() {},
        };
      },
    };
    return await work(source);
  } finally {
    await db.close();
    lock.release();
  }
}

function freeName(path: string, number = 1): string {
  const name = number === 1 ? path : `${path}.${number}`;
  return sizeOf(name) === undefined ? name : freeName(path, number + 1);
}

async function copyIntoFolder(folder: StoreFolder, options: AloneOptions): Promise<CopyTarget> {
  prepare(folder);
  const lock = await takeLock(folder, options);
  return {
    ...copyBeside(folder),
    location: folder.path,
    present: hasLedger(folder)
      ? await identityIn(sqliteDb(new Connection(folder.ledger, 'read')))
      : undefined,
    async close() {
      lock.release();
    },
  };
}

/** A copy is a file that no store opens before it has its name. @param keep keeps what has that name. */
function copyBeside(folder: StoreFolder, keep = () => {}): Pick<CopyTarget, 'take' | 'arrive'> {
  const copy = `${folder.ledger}.copy`;
  return {
    async take(from, identity) {
      rmSync(copy, { force: true });
      const connection = new Connection(copy, 'write');
      try {
        makePrivateFile(copy);
        connection.pragma(`application_id = ${APPLICATION_ID}`);
        // It is on the disk as a whole before anybody takes it for a ledger.
        connection.pragma('synchronous = OFF');
        await copyTables(from, sqliteDb(connection), identity);
      } finally {
        connection.raw.close();
      }
      syncFile(copy);
      syncFolder(folder.path);
    },
    async arrive() {
      keep();
      renameSync(copy, folder.ledger);
      syncFolder(folder.path);
      syncFolder(dirname(folder.path));
    },
  };
}

/** The name of the ledger in a file; undefined where it has none. */
const identityIn = (db: Db): Promise<string | undefined> =>
  metaOf(db, 'identity')
    .catch(() => undefined)
    .finally(db.close);

/**
 * Overwrites what an erasure leaves. The whole ledger is written anew, because a page that is split leaves
 * copies between its entries, which `secure_delete` does not reach; then the log is cut.
 */
function cleanFolder(connection: Connection, folder: string): string | undefined {
  const isCut = (): boolean => connection.pragma('wal_checkpoint(TRUNCATE)') === 0;
  try {
    if (!isCut()) return LOG_HELD;
    connection.raw.exec('VACUUM');
    return isCut() ? undefined : LOG_HELD;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    // The room that it has taken is free again.
    isCut();
    const bytes = Number(connection.pragma('page_count')) * Number(connection.pragma('page_size'));
    return `The ledger in ${folder} must still be rewritten after an erasure, so that nothing is left between its entries. That needs ${((bytes * 1.1) / 1e6).toFixed(1)} MB of free space. Free some; the next command that writes does it.`;
  }
}

const LOG_HELD =
  'Another process is reading the ledger, so its log still has what was erased; opening the store next time overwrites it.';
