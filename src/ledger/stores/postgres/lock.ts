import { type StopError, stop } from '../../../core/errors.ts';
import type { StoreOptions } from '../../store.ts';
import { type Database, type Kept, LOCKS, oneCell } from './connection.ts';
import { type AtWork, atWork } from './spenders.ts';

/**
 * A ledger stands still while it is being copied or erased from: every admission holds one lock together with the others until its
 * transaction ends, and who copies or erases holds it against all of them. PostgreSQL frees it when a process ends, however that ends.
 */
export interface Standing {
  end(): Promise<void>;
}

const LOCK = `${LOCKS.layingOut}, 1`;

/** Waits until nothing stands still. What is read by the next statement is true until the transaction ends. */
export const WHILE_MOVING = `pg_advisory_xact_lock_shared(${LOCK})`;

const TAKE = `SELECT pg_try_advisory_lock(${LOCK})`;
const FREE = `SELECT pg_advisory_unlock(${LOCK})`;

/** Short compared to any copy or erasure, and rare enough that waiting costs nothing. */
const RETRY_MS = 200;

/** An admission of nobody who beats takes no longer. */
const LEAST_WAIT_MS = 5_000;

/** @throws StopError `busy` when a worker is at work, or it stands still already, for longer than `waitForLockMs`. */
export async function standStill(database: Database, options: StoreOptions): Promise<Standing> {
  const { clock, waitForLockMs } = options;
  const beganMs = clock.monotonicMs();
  const kept = await database.keep();
  try {
    for (;;) {
      const worker = await atWork(database);
      if (worker === undefined && (await oneCell(kept.sql, TAKE)) === true) break;
      const waitMs = worker === undefined ? Math.max(waitForLockMs, LEAST_WAIT_MS) : waitForLockMs;
      const leftMs = beganMs + waitMs - clock.monotonicMs();
      if (leftMs <= 0) throw busy(database.shown, worker);
      await clock.sleep(Math.min(RETRY_MS, leftMs));
    }
  } catch (error) {
    kept.end();
    throw error;
  }
  return { end: () => ended(kept) };
}

async function ended(kept: Kept): Promise<void> {
  try {
    // The lock would be free a moment after the connection has ended; who waits for it is to get it at once.
    if (!kept.isBroken()) await kept.sql.rows(FREE);
  } catch {
    // The connection is gone, and the lock with it.
  } finally {
    kept.end();
  }
}

function busy(shown: string, worker: AtWork | undefined): StopError {
  const who =
    worker === undefined
      ? 'is being copied or erased from'
      : `is in use by process ${worker.pid} on ${worker.host}, "${worker.command}"`;
  return stop('busy', `The store ${shown} ${who}.`, 'Let it end, or wait for it with --wait 2h.');
}
