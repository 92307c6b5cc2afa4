import { hash } from 'node:crypto';
import type { ConstructorOptions, JobInsert, PgBoss } from 'pg-boss';
import { openPostgres } from '../ledger/db/postgres.ts';
import { type BatchRange, QUEUE_SCHEMA, type RangeLeft } from '../ledger/ledger.ts';
import { isUrl } from '../ledger/store.ts';
import {
  addressOf,
  isAway,
  refusalOf,
  SESSION,
  unansweredStop,
  unreachableStop,
} from '../lib/postgres-server.ts';
import type { RangeQueue } from '../plan/context.ts';

/**
 * A queue hands ranges of submitted batches to workers, each at least once. A range that it forgets is sent
 * again, and a range that it hands out twice is bought once, because the ledger says so: nothing about money
 * depends on the queue. The queue is pg-boss, in a schema of its own beside the ledger. Nothing of it is
 * loaded before it is used.
 */

/**
 * A range that a worker has. When its process dies, another worker gets it within some seconds. After five
 * deaths in which no row of it was finished it is set aside, so that the rest of the batch goes on.
 */
export interface TakenRange extends BatchRange {
  /** Nothing of it is left to do for now. */
  done(): Promise<void>;
  /** Another worker may take it, after so long. It counts as no death. */
  handBack(afterMs: number): Promise<void>;
  /** It ended by a bug of ours, which counts as a death. */
  failed(why: string): Promise<void>;
}

/** What goes into a job. `left` is how many rows of it were left when it was sent. */
interface QueuedRange extends BatchRange {
  readonly left: number;
}

/** A range with a worker that says nothing for so long goes to another one. pg-boss takes no less. */
const HEARTBEAT_SECONDS = 10;
const HEARTBEAT_EVERY_MS = 3_000;

/** How often the queue looks for workers that say nothing any more. */
const WATCH_SECONDS = 2;

const OF_AN_ACCOUNT = {
  // A range that waits or is worked on is there once.
  policy: 'exclusive',
  heartbeatSeconds: HEARTBEAT_SECONDS,
  // Five deaths.
  retryLimit: 4,
  // A range may wait for the vendor for hours: whether its worker lives is what the heartbeat says.
  expireInSeconds: 20 * 60 * 60,
  deleteAfterSeconds: 60 * 60,
};

const SET_ASIDE = 'set-aside';

const QUEUE_CONNECTIONS = 2;

/**
 * A connection may be cut without notice. A worker that waits for an answer on it would never take a range
 * again.
 */
const QUEUE_TIMEOUT_MS = 5_000;

async function hasQueue(location: string): Promise<boolean> {
  const db = await openPostgres(location, { isReader: true });
  try {
    const laidOut = `SELECT to_regclass('${QUEUE_SCHEMA}.version') IS NOT NULL AS has`;
    return (await db.rows<{ has: boolean }>(laidOut))[0]?.has === true;
  } finally {
    await db.close();
  }
}

/** Lays out the tables of the queue, or brings them to the version of this program. */
export async function layOutQueue(location: string): Promise<void> {
  const boss = await started(location, { migrate: true, supervise: false });
  try {
    await boss.createQueue(SET_ASIDE);
  } finally {
    await boss.stop({ graceful: false });
  }
}

/**
 * Opens the queue for a process that may alter no schema. Undefined for a folder, and where no one has laid
 * out the queue.
 */
export async function openQueue(location: string): Promise<WorkQueue | undefined> {
  if (!isUrl(location) || !(await hasQueue(location))) return undefined;
  // pg-boss hands on to `pg` what it does not know.
  const timeout = { query_timeout: QUEUE_TIMEOUT_MS };
  return new WorkQueue(
    location,
    await started(location, { migrate: false, createSchema: false, ...timeout }),
  );
}

async function started(location: string, options: ConstructorOptions): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss');
  const address = await addressOf(location);
  const boss = new PgBoss({
    ...address.to,
    options: SESSION,
    schema: QUEUE_SCHEMA,
    max: QUEUE_CONNECTIONS,
    application_name: 'rowonce',
    superviseIntervalSeconds: WATCH_SECONDS,
    monitorIntervalSeconds: WATCH_SECONDS,
    schedule: false,
    reindex: false,
    monitorVacuum: false,
    ...options,
  });
  // Work that fails in the background is tried again. A call that this program makes reports its own error.
  boss.on('error', () => {});
  try {
    await boss.start();
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw isAway(error) ? unreachableStop(error, address) : refusalOf(error, address);
  }
}

export class WorkQueue implements RangeQueue {
  readonly #shown: string;
  readonly #boss: PgBoss;
  readonly #queues = new Map<string, Promise<string>>();
  readonly #beating = new Set<NodeJS.Timeout>();

  constructor(shown: string, boss: PgBoss) {
    this.#shown = shown;
    this.#boss = boss;
  }

  async send(ranges: readonly RangeLeft[], sender: 'person' | 'worker'): Promise<void> {
    await this.#send(ranges, sender).catch((error: unknown) => {
      throw isAway(error) ? unansweredStop(error, this.#shown) : error;
    });
  }

  async #send(ranges: readonly RangeLeft[], sender: 'person' | 'worker'): Promise<void> {
    const aside = new Map(
      (await this.#boss.findJobs<QueuedRange>(SET_ASIDE)).map((job) => [keyOf(job.data), job]),
    );
    const sent = ranges.filter((range) => {
      const job = aside.get(keyOf(range));
      return job === undefined || sender === 'person' || range.left < job.data.left;
    });
    const again = sent.flatMap((range) => aside.get(keyOf(range))?.id ?? []);
    if (again.length > 0) await this.#boss.deleteJob(SET_ASIDE, again);
    for (const [account, accountRanges] of Map.groupBy(sent, (each) => each.accountIdentity)) {
      const batches = [...Map.groupBy(accountRanges, ({ batch }) => batch).values()];
      await this.#boss.insert(await this.#queueOf(account), batches.flatMap(jobsOf));
    }
  }

  /**
   * The next range of an account; undefined when none waits. Until its end is told, this process answers for
   * it.
   */
  async take(accountIdentity: string): Promise<TakenRange | undefined> {
    const queue = await this.#queueOf(accountIdentity);
    const [job] = await this.#boss.fetch<QueuedRange>(queue, { includeMetadata: true });
    if (job === undefined) return undefined;
    const { data, id, retryCount, priority } = job;
    const attempt = { id, retryCount };
    const beating = setInterval(() => {
      // If a heartbeat does not get through, another one follows.
      this.#boss.touch(queue, attempt).catch(() => {});
    }, HEARTBEAT_EVERY_MS);
    this.#beating.add(beating);
    const end = (): void => clearInterval(beating);
    const { batch, fromRow, beforeRow } = data;
    return {
      batch,
      fromRow,
      beforeRow,
      done: async () => {
        end();
        await this.#boss.complete(queue, attempt);
      },
      handBack: async (afterMs) => {
        end();
        // Between the two it is nowhere: the worker that looks for what is left sends it again.
        await this.#boss.complete(queue, attempt);
        const startAfter = Math.ceil(afterMs / 1000);
        await this.#boss.insert(queue, [{ data, priority, singletonKey: keyOf(data), startAfter }]);
      },
      failed: async (why) => {
        end();
        await this.#boss.fail(queue, attempt, { why });
      },
    };
  }

  /** Resolves when the database has answered. */
  async beat(): Promise<void> {
    await this.#boss.getDb().executeSql('SELECT 1');
  }

  async close(): Promise<void> {
    for (const beating of this.#beating) clearInterval(beating);
    await this.#boss.stop({ graceful: false });
  }

  #queueOf(accountIdentity: string): Promise<string> {
    const name = `account-${hash('sha256', accountIdentity, 'hex').slice(0, 32)}`;
    const made = async (): Promise<string> => {
      await this.#boss.createQueue(name, { ...OF_AN_ACCOUNT, deadLetter: SET_ASIDE });
      return name;
    };
    const known = this.#queues.get(name) ?? made();
    this.#queues.set(name, known);
    // What the database could not do now, it can do later.
    known.catch(() => this.#queues.delete(name));
    return known;
  }
}

/**
 * The ranges of one batch. The first to be taken of each batch have one priority, the second ones the next,
 * so that batches take turns. A run begins with the first row, and workers with the last range: they meet,
 * instead of doing the same.
 */
function jobsOf(ranges: readonly RangeLeft[]): readonly JobInsert<QueuedRange>[] {
  return ranges.map(({ accountIdentity: _, ...data }, at) => ({
    data,
    priority: at + 1 - ranges.length,
    singletonKey: keyOf(data),
  }));
}

const keyOf = ({ batch, fromRow }: Pick<BatchRange, 'batch' | 'fromRow'>): string => `${batch}:${fromRow}`;
