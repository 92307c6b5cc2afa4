import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from '../ledger/stores/postgres-server.ts';

/** What is read of a database at once. */
interface Sample {
  readonly rows: number;
  readonly statements: number;
  readonly logBytes: number;
  readonly diskBytes: number;
  readonly seconds: number;
}

/** What workers and their database do for a list. The last moment of what is killed, or ends as by a crash, is not in it. */
export class Figures {
  readonly #ask: (text: string) => Promise<readonly Record<string, unknown>[]>;
  /** Seconds of the processor by worker. */
  readonly #ofWorkers = new Map<number, number>();
  /** The newest sample of each start of the database, by the process: a crash takes the counts away. */
  readonly #ofStarts = new Map<number, Sample>();
  #first: Sample | undefined;

  constructor(server: Server, database: string) {
    this.#ask = (text) => server.query(database, text);
  }

  sampleWorkers(pids: readonly number[]): void {
    for (const pid of pids) this.#ofWorkers.set(pid, statOf(pid)?.seconds ?? this.#ofWorkers.get(pid) ?? 0);
  }

  /** Rejects while the database is away. What the first one has is not of the list. @returns how many rows have ended. */
  async sampleDatabase(): Promise<number> {
    const [now = {}] = await this.#ask(COUNTED);
    const pid = Number(readFileSync(join(String(now.folder), 'postmaster.pid'), 'utf8').split('\n')[0]);
    const counted = (name: string): number => Number(now[name]);
    const sample = {
      ...{ rows: counted('rows'), statements: counted('statements') },
      ...{ logBytes: counted('log'), diskBytes: counted('disk'), seconds: secondsOfTree(pid) },
    };
    this.#first ??= sample;
    this.#ofStarts.set(pid, sample);
    return sample.rows;
  }

  /** For each row that has ended. */
  perRow() {
    const starts = [...this.#ofStarts.values()];
    const last = starts.at(-1);
    const rows = last?.rows ?? 0;
    const grown = (name: 'logBytes' | 'diskBytes') =>
      ((last?.[name] ?? 0) - (this.#first?.[name] ?? 0)) / rows;
    const total = (name: 'statements' | 'seconds') =>
      sum(starts.map((each) => each[name])) - (this.#first?.[name] ?? 0);
    return {
      statements: total('statements') / rows,
      workerMs: (sum([...this.#ofWorkers.values()]) * 1_000) / rows,
      databaseMs: (total('seconds') * 1_000) / rows,
      logBytes: grown('logBytes'),
      diskBytes: grown('diskBytes'),
    };
  }
}

const COUNTED = `
SELECT (SELECT count(*) FROM rowonce.rows) AS rows,
       (SELECT sum(calls) FROM pg_stat_statements JOIN pg_database d ON d.oid = dbid WHERE d.datname = current_database()) AS statements,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS log, pg_database_size(current_database()) AS disk, current_setting('data_directory') AS folder`;

/** When requests left, in milliseconds, oldest first. */
export function timesIn(path: string): readonly number[] {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  return lines.map((line) => Number(line) / 1_000).sort((a, b) => a - b);
}

/** How many there were a second between a fifth and four fifths of the time that they took. */
export function perSecondMidway(times: readonly number[]): number {
  const [begin = 0, end = 0] = [times[0], times.at(-1)];
  const fifth = (end - begin) / 5;
  return times.filter((time) => time >= begin + fifth && time < end - fifth).length / ((3 * fifth) / 1_000);
}

/** Seconds are counted in such parts of them, on every Linux that Node runs on. */
const TICKS = 100;

/** Undefined when there is no such process, or the kernel does not tell. */
function statOf(pid: number | string) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program may have spaces, so fields are counted from behind it: `ppid` is 4, and `utime` to `cstime` 14 to 17.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [seconds, endedSeconds] = [fields.slice(11, 13), fields.slice(13, 15)].map(
      (each) => sum(each) / TICKS,
    );
    return { parent: fields[1], seconds: seconds ?? 0, endedSeconds: endedSeconds ?? 0 };
  } catch {
    return undefined;
  }
}

/** Of a process, its children, and those of them that have ended. */
function secondsOfTree(pid: number): number {
  const { seconds = 0, endedSeconds = 0 } = statOf(pid) ?? {};
  const children = readdirSync('/proc').flatMap((each) => statOf(each) ?? []);
  return (
    seconds + endedSeconds + sum(children.filter(({ parent }) => parent === pid).map((each) => each.seconds))
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
