import type { Program } from './program.ts';

type Worker = Pick<Program, 'stderr'>;

/** What a worker says of a range. */
const SAID = /^(batch \w+, rows \d+ to \d+) (taken|done|handed back|failed)/gm;

/** How long the ranges of killed workers wait until another one has taken them, by what all of them say. */
export class Ranges {
  readonly waitsMs: number[] = [];
  /** How far each was listened to. */
  readonly #heard = new Map<Worker, number>();
  readonly #holders = new Map<string, Set<Worker>>();
  /** Since when a range waits. */
  readonly #waiting = new Map<string, number>();
  #awayMs = 0;
  #awaySinceMs: number | undefined;

  /** To be called often: what is said is dated by it. */
  hear(worker: Worker): void {
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

  /** It was killed, and has said all that it will. */
  killed(worker: Worker): void {
    this.hear(worker);
    for (const [range, holders] of this.#holders)
      if (holders.delete(worker) && holders.size === 0 && !this.#waiting.has(range))
        this.#waiting.set(range, this.#nowMs);
  }

  /** The time is not counted in which nobody can take a range. */
  async uncounted(away: () => Promise<void>): Promise<void> {
    this.#awaySinceMs = performance.now();
    try {
      await away();
    } finally {
      this.#awayMs += performance.now() - this.#awaySinceMs;
      this.#awaySinceMs = undefined;
    }
  }

  get #nowMs(): number {
    return (this.#awaySinceMs ?? performance.now()) - this.#awayMs;
  }

  #taken(range: string): void {
    const sinceMs = this.#waiting.get(range);
    if (sinceMs === undefined) return;
    this.waitsMs.push(this.#nowMs - sinceMs);
    this.#waiting.delete(range);
  }
}
