import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '../ledger/stores/postgres-server.ts';

/** What workers and their database do for a list, read each second: a kill or a stop takes what was done since then out of the sums. */
export class Figures {
  readonly #server: Server;
  readonly #database: string;
  readonly #folder: string;
  /** Seconds of the processor: of each worker, and of each start of the database. */
  readonly #ofWorkers = new Map<number, number>();
  readonly #ofStarts = new Map<number, number>();
  /** Of each start of the database, because a crash takes its counts away. */
  readonly #statements = new Map<number, Statements>();
  #secondsBefore = 0;
  #logAt = '';
  logBytes = 0;

  private constructor(server: Server, database: string, folder: string) {
    this.#server = server;
    this.#database = database;
    this.#folder = folder;
  }

  /** The server counts statements from now on. It is started again for that. */
  static async begin(server: Server, database: string): Promise<Figures> {
    await server.query('postgres', 'ALTER SYSTEM SET shared_preload_libraries = pg_stat_statements');
    const [{ folder = '' } = {}] = await server.query(
      'postgres',
      "SELECT current_setting('data_directory') AS folder",
    );
    await server.stopAtOnce();
    await server.startAgain();
    await server.query('postgres', 'CREATE EXTENSION pg_stat_statements');
    const figures = new Figures(server, database, String(folder));
    figures.#secondsBefore = secondsOfTree(figures.#postmaster);
    figures.#logAt = await figures.#logEnd();
    return figures;
  }

  get #postmaster(): number {
    const path = join(this.#folder, 'postmaster.pid');
    return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : 0;
  }

  async #logEnd(): Promise<string> {
    const [{ at = '' } = {}] = await this.#server.query(
      'postgres',
      'SELECT pg_current_wal_lsn()::text AS at',
    );
    return String(at);
  }

  sampleWorkers(pids: readonly number[]): void {
    for (const pid of pids) this.#ofWorkers.set(pid, statOf(pid)?.seconds ?? this.#ofWorkers.get(pid) ?? 0);
  }

  /** Rejects while the database is away. */
  async sampleDatabase(): Promise<void> {
    const postmaster = this.#postmaster;
    const [counted] = await this.#server.query(
      'postgres',
      `SELECT sum(calls)::int AS all, coalesce(sum(calls) FILTER (WHERE query LIKE '%rowonce_queue%'), 0)::int AS of_queue,
              pg_wal_lsn_diff(pg_current_wal_lsn(), '${this.#logAt}')::float8 AS bytes
         FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = '${this.#database}')`,
    );
    this.#ofStarts.set(postmaster, secondsOfTree(postmaster));
    this.#statements.set(postmaster, { all: Number(counted?.all), ofQueue: Number(counted?.of_queue) });
    this.logBytes = Number(counted?.bytes);
  }

  get statements(): Statements {
    const counted = [...this.#statements.values()];
    return { all: sum(counted.map(({ all }) => all)), ofQueue: sum(counted.map(({ ofQueue }) => ofQueue)) };
  }

  get workerSeconds(): number {
    return sum([...this.#ofWorkers.values()]);
  }

  get databaseSeconds(): number {
    return sum([...this.#ofStarts.values()]) - this.#secondsBefore;
  }
}

interface Statements {
  readonly all: number;
  /** Those of the queue's tables. */
  readonly ofQueue: number;
}

/** When requests left, in milliseconds, oldest first. */
export function timesIn(path: string): readonly number[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line) => (line === '' ? [] : Number(line) / 1_000)).sort((a, b) => a - b);
}

/** The most of them that lie in any window of that length. */
export function mostWithin(windowMs: number, times: readonly number[]): number {
  let first = 0;
  let most = 0;
  for (const [at, time] of times.entries()) {
    while ((times[first] ?? time) <= time - windowMs) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return most;
}

/** How many there were a second between a fifth and four fifths of the time that they took. */
export function perSecondMidway(times: readonly number[]): number {
  const [begin = 0, end = 0] = [times[0], times.at(-1)];
  const [from, to] = [begin + (end - begin) / 5, end - (end - begin) / 5];
  return times.filter((time) => time >= from && time < to).length / ((to - from) / 1_000);
}

// ---------------------------------------------------------------------------------------------------- processes

/** Seconds are counted in such parts of them, on every Linux that Node runs on. */
const TICKS = 100;

interface ProcessStat {
  readonly parent: number;
  readonly seconds: number;
  /** Of children that have ended. */
  readonly endedSeconds: number;
}

/** Undefined when there is no such process, or the kernel does not tell. */
function statOf(pid: number | string): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program may have spaces, so fields are counted from behind it: `ppid` is 4, and `utime` to `cstime` 14 to 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
    const [seconds, endedSeconds] = [(user + system) / TICKS, (endedUser + endedSystem) / TICKS];
    return { parent: Number(fields[1]), seconds, endedSeconds };
  } catch {
    return undefined;
  }
}

/** Of a process, its children, and those of them that have ended. */
function secondsOfTree(pid: number): number {
  const root = statOf(pid);
  if (root === undefined) return 0;
  const children = readdirSync('/proc').flatMap((each) => {
    const stat = /^\d+$/.test(each) ? statOf(each) : undefined;
    return stat?.parent === pid ? stat.seconds : [];
  });
  return root.seconds + root.endedSeconds + sum(children);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
