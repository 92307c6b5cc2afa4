import { invariant } from '../errors.ts';

/**
 * The guard of one window: never more than `requests` sends in any `windowMs`, whatever the vendor's way of counting.
 * It keeps the last `requests` send times. A permit that is out and has not been sent yet counts as sent now.
 */
export class SlidingLog {
  readonly #windowMs: number;
  /** A ring of send times, monotonic milliseconds; empty places are long ago. */
  readonly #times: Float64Array;
  #next = 0;
  #inHand = 0;

  constructor(requests: number, windowMs: number) {
    invariant(requests >= 1 && windowMs > 0, `a window of ${requests} requests in ${windowMs} ms`);
    this.#windowMs = windowMs;
    this.#times = new Float64Array(requests).fill(Number.NEGATIVE_INFINITY);
  }

  /** How long the next send must still wait; infinite while as many permits are out as the window has places. */
  waitMs(nowMs: number): number {
    const places = this.#times.length - this.#inHand;
    if (places <= 0) return Number.POSITIVE_INFINITY;
    return Math.max(this.#newest(places) + this.#windowMs - nowMs, 0);
  }

  take(): void {
    this.#inHand += 1;
  }

  sent(atMs: number): void {
    this.#inHand -= 1;
    this.seed(atMs);
  }

  giveBack(): void {
    this.#inHand -= 1;
  }

  /** A send of an earlier run. */
  seed(atMs: number): void {
    this.#times[this.#next] = atMs;
    this.#next = (this.#next + 1) % this.#times.length;
  }

  /** The n-th newest send, n from 1. */
  #newest(n: number): number {
    const place = (this.#next - n + this.#times.length) % this.#times.length;
    return this.#times[place] ?? Number.NEGATIVE_INFINITY;
  }
}
