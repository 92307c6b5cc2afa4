import type { Rate } from '../core/rate.ts';

/**
 * The rate limit of every key: a request passes when fewer passed within the window that ends now. Refused requests do not count, so a
 * client that waits as told always gets through.
 */
export class RateLimit {
  readonly #rate: Rate;
  /** Times of the last passed requests of each key, in a ring that never holds more than the limit. */
  readonly #passed = new Map<string, { readonly timesMs: number[]; next: number }>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** How long it takes until a request of that key passes; 0 when this one passes, which counts it. */
  waitMs(key: string, nowMs: number): number {
    const { requests, windowMs } = this.#rate;
    const passed = this.#passed.get(key) ?? { timesMs: [], next: 0 };
    this.#passed.set(key, passed);
    const oldestMs = passed.timesMs[passed.next] ?? Number.NEGATIVE_INFINITY;
    if (oldestMs + windowMs > nowMs) return oldestMs + windowMs - nowMs;
    passed.timesMs[passed.next] = nowMs;
    passed.next = (passed.next + 1) % requests;
    return 0;
  }
}
