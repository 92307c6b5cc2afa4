import type { Clock } from '../../src/core/clock.ts';

interface Sleeper {
  readonly untilMs: number;
  wake(): void;
}

/** Time that passes only when everybody waits, so that hours are tested in milliseconds and nothing is left to luck. */
export class VirtualClock implements Clock {
  /** Monotonic. The calendar starts at a time of its own, so that a mix-up of the two shows. */
  nowMs = 1_000;
  readonly #wallOffsetMs: number;
  #sleepers: Sleeper[] = [];

  constructor(wallMs = Date.UTC(2026, 10, 20)) {
    this.#wallOffsetMs = wallMs - this.nowMs;
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  wallMs(): number {
    return this.nowMs + this.#wallOffsetMs;
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { untilMs: this.nowMs + durationMs, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        reject(signal.reason);
      });
    });
  }

  /** Lets everything happen that needs no time. */
  async calm(): Promise<void> {
    // One turn of the event loop runs every promise that is ready, and those that become ready by it.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets time pass until the promise is settled. Throws when no one waits for time and it is not. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    promise.then(mark, mark);
    for (;;) {
      await this.calm();
      if (settled) return promise;
      this.toNext();
    }
  }

  /** Goes on to the time for which somebody waits next. */
  protected toNext(): void {
    const [first] = this.#sleepers.sort((a, b) => a.untilMs - b.untilMs);
    if (first === undefined) throw new Error('nothing will ever happen');
    this.pass(Math.max(first.untilMs - this.nowMs, 0));
  }

  /** Time passes, and whoever slept as long wakes up. */
  pass(durationMs: number): void {
    this.nowMs += durationMs;
    const awake = this.#sleepers.filter(({ untilMs }) => untilMs <= this.nowMs);
    this.#sleepers = this.#sleepers.filter(({ untilMs }) => untilMs > this.nowMs);
    for (const sleeper of awake) sleeper.wake();
  }
}
