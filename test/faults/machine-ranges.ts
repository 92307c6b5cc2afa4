import type { Program } from './program.ts';

type Worker = Pick<Program, 'stderr'>;

/** What a worker says of a range. */
const SAID = /^(batch \w+, rows \d+ to \d+) (taken|done|handed back|failed)/gm;

const READY = /^ready, /m;

/**
 * How long the ranges of killed workers wait until another one has taken them, by what all of them say. The time counts in which a
 * worker has nothing to do: where each has a range of its own, nobody could go on with another.
 */
export class Ranges {
  readonly waitsMs: number[] = [];
  /** How far each was listened to. */
  readonly #heard = new Map<Worker, number>();
  readonly #holders = new Map<string, Set<Worker>>();
  /** Since when a range waits, in the time that counts. */
  readonly #waiting = new Map<string, number>();
  #countedMs = 0;
  #listenedMs = performance.now();
  #isAway = false;

  /** To be called often, with those that are alive and not stopped. */
  listen(workers: readonly Worker[]): void {
    for (const worker of workers) this.#hear(worker);
    const nowMs = performance.now();
    const busy = new Set([...this.#holders.values()].flatMap((holders) => [...holders]));
    const isWaitedFor = workers.some((worker) => READY.test(worker.stderr) && !busy.has(worker));
    if (isWaitedFor && !this.#isAway) this.#countedMs += nowMs - this.#listenedMs;
    this.#listenedMs = nowMs;
  }

  /** It was killed, and has said all that it will. */
  killed(worker: Worker): void {
    this.#hear(worker);
    for (const [range, holders] of this.#holders)
      if (holders.delete(worker) && holders.size === 0 && !this.#waiting.has(range))
        this.#waiting.set(range, this.#countedMs);
  }

  /** The time does not count in which the database can do nothing. */
  async uncounted(away: () => Promise<void>): Promise<void> {
    this.#isAway = true;
    try {
      await away();
    } finally {
      this.#isAway = false;
    }
  }

  #hear(worker: Worker): void {
    const from = this.#heard.get(worker) ?? 0;
    const before = worker.stderr.lastIndexOf('\n') + 1;
    this.#heard.set(worker, before);
    for (const [, range = '', what] of worker.stderr.slice(from, before).matchAll(SAID)) {
      const holders = this.#holders.get(range) ?? new Set();
      this.#holders.set(range, holders);
      if (what === 'taken') {
        holders.add(worker);
        this.#taken(range);
      } else holders.delete(worker);
    }
  }

  #taken(range: string): void {
    const sinceMs = this.#waiting.get(range);
    if (sinceMs === undefined) return;
    this.waitsMs.push(this.#countedMs - sinceMs);
    this.#waiting.delete(range);
  }
}
