import { readFileSync, rmSync } from 'node:fs';
import { isoTime } from '../../../core/clock.ts';
import { type StopError, stop } from '../../../core/errors.ts';
import type { Spender, StoreOptions } from '../../store.ts';
import { Connection, sqliteCode } from './connection.ts';
import { makePrivateFile, type StoreFolder, writeAnew } from './folder.ts';

/**
 * One spender per store, for the life of its process. The kernel holds the lock, by an exclusive transaction on a side
 * file: it refuses a second spender even while the first is suspended, and is free as soon as the first has ended in
 * any way. A file with a process id in it could do neither.
 */
export interface SpenderLock {
  release(): void;
}

/** Short compared to any run, and rare enough that waiting costs nothing. */
const RETRY_MS = 200;

/** @throws StopError `busy` when the lock is not free within `waitForLockMs`. */
export async function takeLock(folder: StoreFolder, options: StoreOptions): Promise<SpenderLock> {
  const { clock, waitForLockMs } = options;
  const deadlineMs = clock.monotonicMs() + waitForLockMs;
  for (;;) {
    const connection = tryLock(folder.lock);
    if (connection !== undefined) return announced(folder, connection, options);
    const leftMs = deadlineMs - clock.monotonicMs();
    if (leftMs <= 0) throw busy(folder);
    await clock.sleep(Math.min(RETRY_MS, leftMs));
  }
}

function tryLock(path: string): Connection | undefined {
  let connection: Connection | undefined;
  try {
    // There is no timeout: SQLite would wait by blocking the thread, and does not use our clock.
    connection = new Connection(path, { readonly: false, timeoutMs: 0 });
    // WAL would let a reader's lock survive; with the rollback journal the exclusive lock is one lock on one file.
    connection.pragma('journal_mode = DELETE');
    makePrivateFile(path);
    connection.run('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection?.close();
    if (sqliteCode(error)?.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
}

/** Writes who holds the lock beside it, for people. No decision depends on it: a crash leaves the file behind. */
function announced(folder: StoreFolder, connection: Connection, options: StoreOptions): SpenderLock {
  const words: Spender = {
    pid: process.pid,
    since: isoTime(options.clock.wallMs()),
    command: options.command,
  };
  writeAnew(folder.spender, `${JSON.stringify(words)}\n`);
  return {
    release() {
      try {
        rmSync(folder.spender, { force: true });
      } catch {
        // On a disk that accepts no writes any more the file stays, as after a crash.
      }
      connection.close();
    },
  };
}

function busy(folder: StoreFolder): StopError {
  const last = lastAnnounced(folder);
  const who = last && `process ${last.pid}, "${last.command}", since ${last.since}`;
  return stop(
    'busy',
    `Another process is spending from the store ${folder.path}${who === undefined ? '' : `; the last to say so was ${who}`}.`,
    'Let it end, or wait for it with --wait 2h.',
  );
}

/** The process that last claimed to spend, if it still lives. Another process may have got its number since. */
export function livingSpender(folder: StoreFolder): Spender | undefined {
  const last = lastAnnounced(folder);
  if (last === undefined) return undefined;
  try {
    process.kill(last.pid, 0);
    return last;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? last : undefined;
  }
}

function lastAnnounced({ spender }: StoreFolder): Spender | undefined {
  try {
    const { pid, since, command } = JSON.parse(readFileSync(spender, 'utf8'));
    // A signal to a number below 2 would reach other processes than a spender.
    return Number.isInteger(pid) && pid > 1 ? { pid, since, command } : undefined;
  } catch {
    // The file is missing, or is being written at this moment.
    return undefined;
  }
}
