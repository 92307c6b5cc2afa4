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
const TAKE = `SELECT pg_try_advisory_lock(${LOCK}) AS is`;
const FREE = `SELECT pg_advisory_unlock(${LOCK})`;

/** Short compared to any copy or erasure, and rare enough that waiting costs nothing. */
const RETRY_MS = 200;

/** Who begins takes no longer, and who was killed counts as at work for so long. */
const LEAST_WAIT_MS = 5_000;

type Waiting = Pick<StoreOptions, 'clock' | 'waitForLockMs'>;

/** @param attempt gives what is in the way. @throws StopError `busy` where that lasts. */
async function untilFree(
  { clock, waitForLockMs }: Waiting,
  attempt: () => Promise<StopError | undefined>,
): Promise<void> {
  const lastMs = clock.monotonicMs() + Math.max(waitForLockMs, LEAST_WAIT_MS);
  for (let busy = await attempt(); busy !== undefined; busy = await attempt()) {
    if (clock.monotonicMs() >= lastMs) throw busy;
    await clock.sleep(RETRY_MS);
  }
}

/** Does what needs that nothing stands still, and keeps it so meanwhile. @throws StopError `busy`. */
export async function whileMoving<T>(
  db: PostgresDb,
  waiting: Waiting,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  let done: T | undefined;
  await untilFree(waiting, () =>
    db.transaction(async (sql) => {
      const [lock] = await sql.rows<{ is: boolean }>(`SELECT ${IS_MOVING} AS is`);
      if (lock?.is !== true) return busy(db.shown);
      done = await work(sql);
      return undefined;
    }),
  );
  return done as T;
}

interface AtWork {
  readonly host: string;
  readonly pid: number;
  readonly command: string;
}

/** Who beats at least each second, or was stopped a moment ago. */
const AT_WORK = `
SELECT host, pid, command FROM ${SCHEMA}.workers WHERE ended_at IS NULL AND accounts <> '[]'
  AND seen_at > extract(epoch FROM clock_timestamp()) * 1000 - ${LEAST_WAIT_MS} ORDER BY id LIMIT 1`;

/** @throws StopError `busy` when a worker is at work, or it stands still already, for longer than `waitForLockMs`. */
export async function standStill(location: string, waiting: Waiting): Promise<Standing> {
  const { default: pg } = await import('pg');
  const address = await addressOf(location);
  const client = new pg.Client({ ...address.to, application_name: 'rowonce' });
  client.on('error', () => {});
  await client.connect().catch((error: unknown) => {
    throw unreachable(error, address);
  });
  const atWork = async (): Promise<StopError | undefined> => {
    const [worker] = (await client.query<AtWork>(AT_WORK)).rows;
    return worker && busy(location, worker);
  };
  // The lock would be free a moment after the connection has ended; who waits for it is to get it at once.
  const end = async (): Promise<void> => {
    await client.query(FREE).catch(() => {});
    await client.end().catch(() => {});
  };
  try {
    await untilFree(waiting, async () => {
      // It is not taken to look whether somebody is at work, whom it would hold up.
      const before = await atWork();
      if (before !== undefined) return before;
      if ((await client.query(TAKE)).rows[0]?.is !== true) return busy(location);
      const after = await atWork();
      if (after !== undefined) await client.query(FREE);
      return after;
    });
  } catch (error) {
    await end();
    throw error;
  }
  return { end };
}

function busy(shown: string, worker?: AtWork): StopError {
  const who =
    worker === undefined
      ? 'is being copied or erased from'
      : `is in use by process ${worker.pid} on ${worker.host}, "${worker.command}"`;
  return stop('busy', `The store ${shown} ${who}.`, 'Let it end, or wait for it with --wait 2h.');
}
