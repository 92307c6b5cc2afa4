import type { Clock } from '../../../core/clock.ts';

/** One wait at a time, which may end early. */
export class Sleep {
  readonly #clock: Clock;
  #present: { readonly untilMs: number; readonly waking: AbortController } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Monotonic, infinite for a wait that only `end` ends; undefined while there is none. */
  get untilMs(): number | undefined {
    return this.#present?.untilMs;
  }

  async lasting(durationMs: number): Promise<void> {
    const waking = new AbortController();
    this.#present = { untilMs: this.#clock.monotonicMs() + durationMs, waking };
    const woken = new Promise<void>((resolve) => waking.signal.addEventListener('abort', () => resolve()));
    const isEndless = durationMs === Number.POSITIVE_INFINITY;
    await (isEndless ? woken : this.#clock.sleep(durationMs, waking.signal)).catch(() => {});
    this.#present = undefined;
  }

  end(): void {
    this.#present?.waking.abort();
  }
}
