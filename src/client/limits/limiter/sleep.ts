import type { Clock } from '../../../core/clock.ts';

/** A timer knows no less, so nobody is woken for it. */
const LEAST_GAIN_MS = 1;

/** One wait at a time, which may end early. */
export class Sleep {
  readonly #clock: Clock;
  #present: { readonly untilMs: number; readonly waking: AbortController } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOn(): boolean {
    return this.#present !== undefined;
  }

  /** @param durationMs infinite for a wait that only `shorten` ends. */
  async lasting(durationMs: number): Promise<void> {
    const waking = new AbortController();
    this.#present = { untilMs: this.#clock.monotonicMs() + durationMs, waking };
    const woken = new Promise<void>((resolve) => waking.signal.addEventListener('abort', () => resolve()));
    const isEndless = durationMs === Number.POSITIVE_INFINITY;
    await (isEndless ? woken : this.#clock.sleep(durationMs, waking.signal)).catch(() => {});
    this.#present = undefined;
  }

  /** Ends it when it would go on for longer than that. */
  shorten(durationMs: number): void {
    const untilMs = this.#clock.monotonicMs() + durationMs;
    if (this.#present !== undefined && untilMs < this.#present.untilMs - LEAST_GAIN_MS)
      this.#present.waking.abort();
  }
}
