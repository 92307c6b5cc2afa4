import { existsSync } from 'node:fs';
import { type Clock, systemClock } from '../../core/clock.ts';
import { type StopError, stop } from '../../core/errors.ts';
import { listsFolder } from '../../core/paths.ts';
import type { Eraser } from '../eraser.ts';
import type { LedgerReader } from '../ledger.ts';
import { requireAccepted } from '../lost-stores.ts';
import { refuseForeignNotes } from '../outside-notes.ts';
import { isUrl, type Store, type StoreOptions, type Tell } from '../store.ts';
import { checkedOnce } from './sqlite/checks.ts';
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
import { addLaterTables } from './sqlite/later-tables.ts';
import { SqliteLedger } from './sqlite/ledger.ts';
import { livingSpender, type SpenderLock, takeLock } from './sqlite/lock.ts';
import { SqliteReader } from './sqlite/reader.ts';
import { ensureReserve, freeReserve, limitPages, raiseLimit } from './sqlite/reserve-file.ts';
import { RunningSeal } from './sqlite/running-seal.ts';
import { type Seal, type Summed, sumsOf, unbrokenSeal } from './sqlite/seal.ts';
import { verify } from './sqlite/verify.ts';
import { lossAt, lossOf, Watch } from './sqlite/watch.ts';
import { readWatermark, Watermark } from './sqlite/watermark.ts';

/**
 * The store of one machine: a folder with an SQLite database, a lock, a watermark and a reserve of room. Opening is strict,
 * because anything that is missing from the ledger would be bought again: nothing is sent before everything has been
 * checked. Each file in `sqlite/` has one concern.
 */
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
        return await work({ folder: folder.path, time: ledger, find });
      } finally {
        await ledger.close();
      }
    }),

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

/** The lock keeps a first run from beginning with one of the lists meanwhile. */
async function erasingLists<T>(
  folder: StoreFolder,
  options: StoreOptions,
  work: (eraser: Eraser) => Promise<T>,
): Promise<T> {
  refuseForeign(folder);
  const lock = await takeLock(folder, options);
  try {
    return await work({ folder: folder.path, time: undefined, find: async () => NOTHING_ERASABLE });
  } finally {
    lock.release();
  }
}

/** Does something with a store, and says what an error of SQLite or of the disk means to a user. */
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
  if (!wasThere) requireAccepted(lossAt(folder.path), options);
  preparePrivateFolder(folder);
  return wasThere;
}

async function open(folder: StoreFolder, options: StoreOptions): Promise<SqliteLedger> {
  if (!options.create && !hasLedger(folder)) throw nothingThere(folder);
  const wasThere = prepare(folder, options);
  const lock = await takeLock(folder, options);
  const ledger = await openLocked(folder, lock, { ...options, wasThere }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
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

/** A crash anywhere in here leaves a store that the next start takes for new, or for one without an orderly end. */
async function openLocked(folder: StoreFolder, lock: SpenderLock, options: Opening): Promise<SqliteLedger> {
  refuseVanished(folder);
  const nowMs = options.clock.wallMs();
  const maySeal = mayBeSealed(folder);
  const connection = connect(folder, 'write');
  try {
    const isEmpty = emptyOrLedger(connection, folder) === 'empty';
    // SQLite gives the log the mode of the database, so this comes before the log.
    makePrivateFile(folder.ledger);
    connection.pragma('journal_mode = WAL');
    if (isEmpty) layOut(connection);
    // SQLite counts otherwise for a ledger that has no log yet.
    const isAlone = aloneFromNow(connection);
    const found = maySeal ? await unbrokenSeal(folder, connection, nowMs) : undefined;
    const { commits, clean, unmarked } = refuseBehind(connection, folder);
    if (unmarked !== undefined && options.sendsNothing !== true) throw unmarked;
    if (options.mayBeCopied !== true) refuseCopied(connection, folder);
    const loss = options.wasThere ? lossOf(folder.path, connection) : undefined;
    requireAccepted(loss, options);
    if (options.sendsNothing !== true) requireAccepted(lostErasureKey(connection, folder), options);
    const unbroken = isOf(found, commits) ? found : undefined;
    const { sums, place, checkedAtMs } = unbroken ?? {
      ...(await checkedSums(folder, connection, { isEmpty, clean })),
      checkedAtMs: nowMs,
    };
    const seal = new RunningSeal(folder, { sums, place, checkedAtMs, commits }, isAlone);
    if (!isAlone()) throw writtenBeside(folder);
    if (loss !== undefined) connection.run(NEW_IDENTITY);
    const hasMore = addLaterTables(connection);
    ensureReserve(folder.reserve);
    // A missing watermark stays missing: the next spender has to learn of it.
    const watermark = unmarked === undefined ? Watermark.open(folder.watermark) : { write() {}, close() {} };
    // After a kill it is so already, and SQLite commits nothing that stands there.
    const begun = connection.run('UPDATE book SET clean = 0 WHERE clean = 1');
    seal.uncounted(begun.changes + Number(loss !== undefined) + Number(hasMore));
    limitPages(connection);
    const { clock, operator } = options;
    return spenderOf(folder, { connection, watermark, lock, seal, clock, operator });
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The sums of a ledger without a seal that can be believed. @throws StopError `store_damaged`. */
async function checkedSums(
  folder: StoreFolder,
  connection: Connection,
  { isEmpty, clean }: { readonly isEmpty: boolean } & Pick<Checked, 'clean'>,
): Promise<Summed> {
  // What was laid out a moment ago has nothing to be compared with.
  if (!isEmpty) await verify(connection, folder.path, clean === 1);
  return sumsOf(folder);
}

/** What a journal has is taken back when the ledger is opened, whatever its pages were before. */
const mayBeSealed = ({ ledger, journal }: StoreFolder): boolean =>
  sizeOf(ledger) !== undefined && sizeOf(journal) === undefined;

/** @returns whether no other connection has written to the ledger since. */
function aloneFromNow(connection: Connection): () => boolean {
  const version = (): unknown => connection.pragma('data_version');
  const first = version();
  return () => version() === first;
}

function writtenBeside({ path }: StoreFolder): StopError {
  return stop(
    'busy',
    `Another program wrote in the ledger in ${path} while that was checked.`,
    'Close that program, then run the same command again.',
  );
}

/** Whether all that a ledger has was written by its spenders: what another program writes into the log is not counted. */
const isOf = (seal: Seal | undefined, commits: number): boolean =>
  seal !== undefined && (seal.commits ?? commits) === commits;

interface Opened {
  readonly connection: Connection;
  readonly watermark: Pick<Watermark, 'write' | 'close'>;
  readonly lock: SpenderLock;
  readonly seal: RunningSeal;
  readonly clock: Clock;
  readonly operator: string | undefined;
}

function spenderOf(
  folder: StoreFolder,
  { connection, watermark, lock, seal, clock, operator }: Opened,
): SqliteLedger {
  return new SqliteLedger({
    connection,
    watermark: {
      write(commits) {
        seal.committed(commits);
        watermark.write(commits);
      },
    },
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
    seal,
    release() {
      watermark.close();
      lock.release();
    },
  });
}

/**
 * Opens a store to read it. A store whose spender was killed is checked as for a spender, once. Beside a running spender
 * there is no check: that one has checked the store, and what is read has checksums.
 */
async function look(folder: StoreFolder, tell: Tell = () => {}): Promise<LedgerReader> {
  refuseForeignNotes();
  refuseForeign(folder);
  if (!hasLedger(folder)) {
    const loss = lossAt(folder.path);
    if (loss !== undefined) tell(loss);
    throw nothingThere(folder);
  }
  refuseVanished(folder);
  const maySeal = mayBeSealed(folder);
  const connection = connect(folder, 'read');
  try {
    if (emptyOrLedger(connection, folder) === 'empty') throw nothingThere(folder);
    const { commits, unmarked } = refuseBehind(connection, folder);
    const loss = unmarked?.message ?? lossOf(folder.path, connection) ?? lostErasureKey(connection, folder);
    if (loss !== undefined) tell(`${loss} Nothing is bought from it in this state.`);
    if (livingSpender(folder) === undefined)
      await checkedOnce(folder, async () => {
        if (maySeal && isOf(await unbrokenSeal(folder, connection, systemClock.wallMs()), commits)) return;
        // Most looks find a seal, and load nothing for a check.
        const { verifyBeside } = await import('./sqlite/verify-beside.ts');
        await verifyBeside(connection, folder.path);
      });
    return new SqliteReader(connection, folder.path, readErasureKey(folder.erasureKey));
  } catch (error) {
    connection.close();
    throw error;
  }
}

function connect(folder: StoreFolder, use: 'read' | 'write'): Connection {
  if (sizeOf(folder.ledger) !== undefined) refuseOther(folder.ledger, folder.path);
  try {
    return new Connection(folder.ledger, use);
  } catch (error) {
    if (sqliteCode(error) === 'SQLITE_NOTADB') throw notALedger(folder);
    throw error;
  }
}

/** @throws StopError for a file that is no ledger, for one of another schema, and for an empty one that had entries. */
function emptyOrLedger(connection: Connection, folder: StoreFolder): 'empty' | 'ledger' {
  const identity = identify(connection, folder.path);
  if (identity === 'foreign') throw notALedger(folder);
  if (identity === 'empty' && everCommitted(folder))
    throw damagedStore(folder.path, 'ledger.db is empty, although entries had been written to it');
  return identity;
}

function refuseVanished(folder: StoreFolder): void {
  if (sizeOf(folder.ledger) !== undefined || !everCommitted(folder)) return;
  throw damagedStore(folder.path, 'ledger.db is missing, although entries had been written to it');
}

/** Whether the watermark shows a commit, or is unreadable, which only damage causes. */
function everCommitted(folder: StoreFolder): boolean {
  const mark = readWatermark(folder.watermark);
  return mark === 'unreadable' || (mark ?? 0) > 0;
}

/**
 * A ledger with fewer commits than the watermark says has lost some; one with commits and without a watermark may have.
 * The watermark is read first, and once more when there is none: a running spender makes it before its first commit,
 * and raises it after each, so an intact ledger is never behind.
 */
function refuseBehind(connection: Connection, folder: StoreFolder): Checked {
  const mark = readWatermark(folder.watermark);
  const ledger = connection.get<{ commits: number; clean: number }>('SELECT commits, clean FROM book');
  if (ledger === undefined) throw damagedStore(folder.path, 'ledger.db has lost its count of commits');
  const { commits, clean } = ledger;
  if (mark === 'unreadable') throw damagedStore(folder.path, 'the watermark cannot be read');
  if (mark === undefined && commits > 0 && readWatermark(folder.watermark) === undefined) {
    const fact = `the watermark is missing, although the ledger has ${commits} commits`;
    return { commits, clean, unmarked: damagedStore(folder.path, fact) };
  }
  if (mark !== undefined && mark > commits) {
    throw damagedStore(
      folder.path,
      `${mark} commits were made, but the ledger knows only ${commits} of them`,
    );
  }
  return { commits, clean, unmarked: undefined };
}

interface Checked {
  readonly commits: number;
  readonly clean: number;
  /** A problem that stops a spender but no reader: it is unknown whether the newest commits are there. */
  readonly unmarked: StopError | undefined;
}

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
  if (everCommitted(folder)) return damagedStore(folder.path, 'ledger.db is no longer a ledger');
  return stop('store', `${folder.ledger} is not a ledger of Rowonce.`, 'Name another folder with --store.');
}
