import type { Client } from 'pg';
import { type StopError, stop } from '../../core/errors.ts';
import type { PostgresDb } from '../db/postgres.ts';
import { unreachable } from '../db/postgres-errors.ts';
import { addressOf } from '../db/server-address.ts';
import { SCHEMA, type Sql } from '../db.ts';
import type { StoreOptions } from '../store.ts';

/**
 * A ledger stands still while it is being copied or erased from: nobody begins to work on it, and who is at work keeps others from that.
 * A lock of a session holds it, which PostgreSQL frees when a process ends, however that ends.
 */
export interface Standing {
  end(): Promise<void>;
}

/** A number that nobody else takes. */
const LOCK = 7_271_829;
/** In a transaction of a worker: nothing stands still before it is over. */
export const IS_MOVING = `pg_try_advisory_xact_lock_shared(${LOCK})`;
const FREE = `SELECT pg_advisory_unlock(${LOCK})`;

/** Short compared to any copy or erasure, and rare enough that waiting costs nothing. */
const RETRY_MS = 200;

/** Who begins takes no longer. */
const LEAST_WAIT_MS = 5_000;

interface AtWork {
  readonly host: string;
  readonly pid: number;
  readonly command: string;
}

/** Who beats at least each second, or was stopped a moment ago. */
const AT_WORK = `
SELECT host, pid, command FROM ${SCHEMA}.workers WHERE ended_at IS NULL AND accounts <> '[]'
  AND seen_at > extract(epoch FROM clock_timestamp()) * 1000 - 5000 ORDER BY id LIMIT 1`;

/** Does what needs that nothing stands still, and keeps it so meanwhile. @throws StopError `busy`. */
export async function whileMoving<T>(
  db: PostgresDb,
  { clock, waitForLockMs }: Pick<StoreOptions, 'clock' | 'waitForLockMs'>,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const beganMs = clock.monotonicMs();
  for (;;) {
    const done = await db.transaction(async (sql) => {
      const [lock] = await sql.rows<{ is: boolean }>(`SELECT ${IS_MOVING} AS is`);
      return lock?.is === true ? { result: await work(sql) } : undefined;
    });
    if (done !== undefined) return done.result;
    const leftMs = beganMs + Math.max(waitForLockMs, LEAST_WAIT_MS) - clock.monotonicMs();
    if (leftMs <= 0) throw busy(db.shown, undefined);
    await clock.sleep(Math.min(RETRY_MS, leftMs));
  }
}

/** @throws StopError `busy` when a worker is at work, or it stands still already, for longer than `waitForLockMs`. */
export async function standStill(
  location: string,
  { clock, waitForLockMs }: Pick<StoreOptions, 'clock' | 'waitForLockMs'>,
): Promise<Standing> {
  const beganMs = clock.monotonicMs();
  const client = await connected(location);
  const atWork = async (): Promise<AtWork | undefined> => (await client.query<AtWork>(AT_WORK)).rows[0];
  const is = async (sql: string): Promise<boolean> => (await client.query(sql)).rows[0]?.is === true;
  try {
    for (;;) {
      let worker = await atWork();
      if (worker === undefined && (await is(`SELECT pg_try_advisory_lock(${LOCK}) AS is`))) {
        worker = await atWork();
        if (worker === undefined) break;
        await client.query(FREE);
      }
      const waitMs = worker === undefined ? Math.max(waitForLockMs, LEAST_WAIT_MS) : waitForLockMs;
      const leftMs = beganMs + waitMs - clock.monotonicMs();
      if (leftMs <= 0) throw busy(location, worker);
      await clock.sleep(Math.min(RETRY_MS, leftMs));
    }
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  // The lock would be free a moment after the connection has ended; who waits for it is to get it at once.
  return {
    end: async () => {
      await client.query(FREE).catch(() => {});
      await client.end().catch(() => {});
    },
  };
}

async function connected(location: string): Promise<Client> {
  const { default: pg } = await import('pg');
  const address = await addressOf(location);
  const client = new pg.Client({ ...address.to, application_name: 'rowonce' });
  client.on('error', () => {});
  await client.connect().catch((error: unknown) => {
    throw unreachable(error, address);
  });
  return client;
}

function busy(shown: string, worker: AtWork | undefined): StopError {
  const who =
    worker === undefined
      ? 'is being copied or erased from'
      : `is in use by process ${worker.pid} on ${worker.host}, "${worker.command}"`;
  return stop('busy', `The store ${shown} ${who}.`, 'Let it end, or wait for it with --wait 2h.');
}
