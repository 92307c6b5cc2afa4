import { isoTime } from '../../../core/clock.ts';
import { type StopError, stop } from '../../../core/errors.ts';
import type { Spender, StoreOptions } from '../../store.ts';
import type { Database, Kept, Sql } from './connection.ts';

/**
 * One spender per database, for the life of a connection: PostgreSQL frees the lock when the process ends, however it ends, and
 * keeps it while the process is merely stopped. A process whose connection breaks admits nothing any more: somebody else may be
 * spending by then.
 */
export interface SpenderLock {
  /** Why nothing may be admitted any more. */
  refusal(): StopError | undefined;
  release(): Promise<void>;
}

/** Any two numbers that nobody else takes. */
const LOCK = [8_260_029, 1] as const;

/** Short compared to any run, and rare enough that waiting costs nothing. */
const RETRY_MS = 200;

/** Who holds the lock is written beside it, for people. No decision depends on it: a crash leaves the row behind. */
export const SPENDER = `
CREATE TABLE spender (
  place smallint PRIMARY KEY DEFAULT 1 CHECK (place = 1),
  pid bigint NOT NULL,
  since text NOT NULL,
  command text NOT NULL
);
`;

const TAKE = 'SELECT pg_try_advisory_lock($1, $2) AS taken';

const SAY = `
INSERT INTO spender (pid, since, command) VALUES ($1, $2, $3)
  ON CONFLICT (place) DO UPDATE SET pid = excluded.pid, since = excluded.since, command = excluded.command`;

/** @throws StopError `busy` when the lock is not free within `waitForLockMs`. */
export async function takeLock(database: Database, options: StoreOptions): Promise<SpenderLock> {
  const { clock, waitForLockMs, command } = options;
  const deadlineMs = clock.monotonicMs() + waitForLockMs;
  const kept = await database.keep();
  try {
    while ((await kept.sql.row<{ taken: boolean }>(TAKE, LOCK))?.taken !== true) {
      const leftMs = deadlineMs - clock.monotonicMs();
      if (leftMs <= 0) throw busy(database.shown, await spenderOf(database));
      await clock.sleep(Math.min(RETRY_MS, leftMs));
    }
    await kept.sql.rows(SAY, [process.pid, isoTime(clock.wallMs()), command]);
  } catch (error) {
    kept.end();
    throw error;
  }
  return {
    refusal: () => (kept.isBroken() ? lost(database.shown) : undefined),
    release: () => released(kept),
  };
}

async function released(kept: Kept): Promise<void> {
  try {
    // The lock would be free a moment after the connection has ended; whoever waits for it is to get it at once.
    if (!kept.isBroken()) await kept.sql.rows('SELECT pg_advisory_unlock($1, $2)', LOCK);
  } catch {
    // The connection is gone, and the lock with it.
  } finally {
    kept.end();
  }
}

/** Whoever holds the lock. It is freed with its connection, so nobody is named who has ended. */
export function spenderOf(sql: Sql): Promise<Spender | undefined> {
  return sql.row<Spender>(HOLDER, LOCK);
}

const HOLDER = `
SELECT pid, since, command FROM spender
 WHERE EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
                WHERE l.locktype = 'advisory' AND l.classid = $1::bigint AND l.objid = $2::bigint AND l.granted)`;

function busy(shown: string, spender: Spender | undefined): StopError {
  const who = spender && `process ${spender.pid}, "${spender.command}", since ${spender.since}`;
  return stop(
    'busy',
    `Another process is spending from the store ${shown}${who === undefined ? '' : `; the last to say so was ${who}`}.`,
    'Let it end, or wait for it with --wait 2h.',
  );
}

function lost(shown: string): StopError {
  return stop(
    'store',
    `The connection to ${shown} broke, and with it the right to spend from that store.`,
    'Run the same command again when the database can be reached: it goes on from what is kept.',
  );
}
