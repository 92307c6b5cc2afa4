import { readFileSync, rmSync } from 'node:fs';
import { isoTime } from '../../core/clock.ts';
import { type StopError, stop } from '../../core/errors.ts';
import { shellWord } from '../../lib/command-line.ts';
import { hearsPauses, PAUSE_SIGNAL } from '../../lib/pause-signal.ts';
import { type ProcessLock, tryLock } from '../../lib/process-lock.ts';
import type { Spender, StoreOptions } from '../store.ts';
import { hasLedger, type StoreFolder, sizeOf, writeAnew } from './folder.ts';

/** One spender per store, for the life of its process. Who holds the lock is written beside it, for people. */
export type SpenderLock = ProcessLock;

/** Short compared to any run, and rare enough that waiting costs nothing. */
const RETRY_MS = 200;

/** @throws StopError `busy` when the lock is not free within `waitForLockMs`. */
export async function takeLock(folder: StoreFolder, options: StoreOptions): Promise<SpenderLock> {
  const { clock, waitForLockMs } = options;
  const deadlineMs = clock.monotonicMs() + waitForLockMs;
  for (;;) {
    refuseWithoutLock(folder);
    const lock = tryLock(folder.lock);
    if (lock !== undefined) return announced(folder, lock, options);
    const leftMs = deadlineMs - clock.monotonicMs();
    if (leftMs <= 0) throw busy(folder);
    await clock.sleep(Math.min(RETRY_MS, leftMs));
  }
}

/** Writes who holds the lock beside it, for people. No decision depends on it: a crash leaves the file behind. */
function announced(folder: StoreFolder, lock: ProcessLock, options: StoreOptions): SpenderLock {
  const words: Spender = {
    pid: process.pid,
    since: isoTime(options.clock.wallMs()),
    command: options.command,
    ...(hearsPauses() ? { pausedBy: PAUSE_SIGNAL } : {}),
  };
  writeAnew(folder.spender, `${JSON.stringify(words)}\n`);
  return {
    release() {
      try {
        rmSync(folder.spender, { force: true });
      } catch {
        // On a disk that accepts no writes any more the file stays, as after a crash.
      }
      lock.release();
    },
  };
}

/**
 * A lock file that was deleted is still held, and a new one would let two processes spend. Nothing of ours deletes it, so whoever
 * says that it spends is believed.
 * @throws StopError `busy`.
 */
function refuseWithoutLock(folder: StoreFolder): void {
  if (sizeOf(folder.lock) !== undefined || !hasLedger(folder)) return;
  const living = livingSpender(folder);
  if (living === undefined) return;
  throw stop(
    'busy',
    `${folder.lock} was deleted, and process ${living.pid}, "${living.command}", may still spend from the store since ${living.since}.`,
    `Let that process end, then run the same command again. If it is not Rowonce, remove ${shellWord(folder.spender)} first.`,
  );
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
    const { pid, since, command, pausedBy } = JSON.parse(readFileSync(spender, 'utf8'));
    // A signal to a number below 2 would reach other processes than a spender.
    if (!Number.isInteger(pid) || pid < 2) return undefined;
    return { pid, since, command, ...(pausedBy === PAUSE_SIGNAL ? { pausedBy } : {}) };
  } catch {
    // The file is missing, or is being written at this moment.
    return undefined;
  }
}
