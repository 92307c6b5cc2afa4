import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isoTime } from '../../core/clock.ts';
import { type StopError, stop } from '../../core/errors.ts';
import { asCommand, byFlag, faces, LET_IT_END, phrase, typing } from '../../core/phrase.ts';
import { isAlive } from '../../lib/alive.ts';
import { shellWord } from '../../lib/command-line.ts';
import { distrustOfFolder, ownedByAnother } from '../../lib/file-trust.ts';
import { hearsPauses, PAUSE_SIGNAL } from '../../lib/pause-signal.ts';
import { FILE_MODE, HAS_MODES, NETWORK_FILE_SYSTEMS, sizeOf, syncFolder } from '../../lib/private-file.ts';
import { type ProcessLock, tryLock } from '../../lib/process-lock.ts';
import type { Spender, StoreOptions } from '../store.ts';

/**
 * The folder that is an SQLite store: its names, who may read it, its lock and its reserve of room.
 * `ledger.db` and `lock.db` are opened by SQLite and by nothing else in the process: closing any other file
 * descriptor of theirs would silently drop the locks (POSIX). Asking for their size and changing their mode
 * is harmless.
 */
export type StoreFolder = Readonly<ReturnType<typeof storeFolder>>;

export function storeFolder(location: string) {
  const path = resolve(location);
  return {
    path,
    ledger: join(path, 'ledger.db'),
    lock: join(path, 'lock.db'),
    reserve: join(path, 'reserve'),
    spender: join(path, 'spender.json'),
  };
}

export function hasLedger(folder: StoreFolder): boolean {
  return sizeOf(folder.ledger) !== undefined;
}

// ---------------------------------------------------------------------------------------- for its user alone

/** Only the user may read what was bought and for which person. */
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;
/**
 * Refuses a folder that another user owns or can write to: they could make us believe that something was
 * bought, or make us write where their links lead.
 * @throws StopError `store`.
 */
export function refuseForeign({ path }: StoreFolder): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return;
  // An empty one is closed to others before anything is made in it.
  const distrust = readdirSync(path).length === 0 ? ownedByAnother(path, found) : distrustOfFolder(path);
  if (distrust !== undefined)
    throw stop('store', `The store was not opened: ${distrust.fact}.`, distrust.next);
}

/**
 * What is kept beside the ledger, maybe before there is one: the page's files, and standard input and lists
 * that were saved.
 */
const FILES_BESIDE: ReadonlySet<string> = new Set([
  ...['open.html', 'serve.json', 'serve.lock', 'serve.lock-journal', 'tabs.json'],
  ...['spool', 'lists', 'columns', 'jobs', 'downloads'],
]);

/**
 * Makes the folder, or takes one that is there, and closes it to others. One with other files is refused,
 * because closing it would take those files from them.
 */
export function preparePrivateFolder(folder: StoreFolder): void {
  const { path } = folder;
  if (mkdirSync(path, { recursive: true, mode: FOLDER_MODE }) !== undefined) syncFolder(dirname(path));
  refuseForeign(folder);
  if (process.platform === 'linux' && NETWORK_FILE_SYSTEMS.has(statfsSync(path).type))
    throw stop(
      'store',
      `The folder ${path} is on a network file system, where two machines could spend at once.`,
      phrase`Name a folder on a local disk ${byFlag('--store')}.`,
    );
  if (!HAS_MODES || (statSync(path).mode & OTHERS) === 0) return;
  const command = `chmod 700 ${shellWord(path)}`;
  if (!hasLedger(folder) && readdirSync(path).some((name) => !FILES_BESIDE.has(name)))
    throw stop(
      'store',
      `The folder ${path} has other files and is open to other users, so it was not made a store.`,
      phrase`Name an empty folder ${byFlag('--store')}, or close this one${typing`: ${asCommand(command)}`}`,
    );
  chmodSync(path, FOLDER_MODE);
}

// ------------------------------------------------------------------------------------------ one spender

/** Short compared to any run, and rare enough that waiting costs nothing. */
const LOCK_RETRY_MS = 200;

/**
 * Takes the lock for the life of the process. The process that has the lock is written beside it, for people:
 * no decision depends on that, and a crash leaves it behind.
 * @throws StopError `busy` when it is not free within `waitForLockMs`.
 */
export async function takeLock(
  folder: StoreFolder,
  { clock, waitForLockMs, command }: Pick<StoreOptions, 'clock' | 'waitForLockMs' | 'command'>,
): Promise<ProcessLock> {
  const deadlineMs = clock.monotonicMs() + waitForLockMs;
  let lock = tryLock(folder.lock);
  for (; lock === undefined; lock = tryLock(folder.lock)) {
    const leftMs = deadlineMs - clock.monotonicMs();
    if (leftMs <= 0) throw busy(folder);
    await clock.sleep(Math.min(LOCK_RETRY_MS, leftMs));
  }
  const taken = lock;
  const words: Spender = {
    pid: process.pid,
    since: isoTime(clock.wallMs()),
    command,
    ...(hearsPauses() ? { pausedBy: PAUSE_SIGNAL } : {}),
  };
  writeFileSync(folder.spender, `${JSON.stringify(words)}\n`, { mode: FILE_MODE });
  return {
    release() {
      try {
        rmSync(folder.spender, { force: true });
      } catch {
        // On a disk that accepts no writes any more the file stays, as after a crash.
      }
      taken.release();
    },
  };
}

const ANOTHER_LIST = 'Another list is being worked on.';

function busy(folder: StoreFolder): StopError {
  const last = lastSpender(folder);
  const who = last
    ? `; the last to say so was process ${last.pid}, "${last.command}", since ${last.since}`
    : '';
  return stop(
    'busy',
    faces(`Another process is spending from the store ${folder.path}${who}.`, ANOTHER_LIST),
    LET_IT_END,
  );
}

/** The process that last claimed to spend, if it still lives. */
export function livingSpender(folder: StoreFolder): Spender | undefined {
  const last = lastSpender(folder);
  return last !== undefined && isAlive(last.pid) ? last : undefined;
}

function lastSpender({ spender }: StoreFolder): Spender | undefined {
  try {
    const { pid, since, command, pausedBy } = JSON.parse(readFileSync(spender, 'utf8'));
    // A signal to a number below 2 would reach other processes than a spender.
    if (!Number.isInteger(pid) || pid < 2) return undefined;
    return { pid, since, command, ...(pausedBy === PAUSE_SIGNAL ? { pausedBy } : {}) };
  } catch {
    // The file is missing, or is being written at this moment.
    return undefined;
  }
}

// ------------------------------------------------------------------------------------------ room

/**
 * Room that is set aside while there is some: on a full disk the file is removed, so that answers to requests
 * in flight, which may have been charged, can still be written. It holds the answers to a thousand, at a
 * kilobyte each.
 */
export const RESERVE_BYTES = 1024 * 1024;

/** @throws the disk's error when it is full already; then nothing is sent. */
export function ensureReserve(path: string): void {
  if (sizeOf(path) === RESERVE_BYTES) return;
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, FILE_MODE);
  try {
    // File systems that compress, or keep zeros as holes, would reserve nothing for others.
    writeSync(file, randomBytes(RESERVE_BYTES));
    // With delayed allocation a lack of room would show only later.
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
