import { invariant } from '../../../core/errors.ts';
import { marginMs, type Window } from './windows.ts';

/** When a margin of this share of the window is not enough, the vendor counts by another plan than ours. */
const LARGEST_MARGIN = 0.05;
/** A request is in flight for longer than others by at most this, except by accident. */
const LONGEST_MARGIN_MS = 100;

/**
 * The guard of one window: never more than `requests` sends in any stretch of it and its margin, whatever the vendor's
 * way of counting. It keeps the last `requests` send times. A permit that is out and has not been sent yet counts as
 * sent now.
 */
export class SlidingLog {
  readonly #window: Window;
  #marginMs: number;
  readonly #largestMarginMs: number;
  /** A ring of send times, monotonic milliseconds; empty places are long ago. */
  readonly #times: Float64Array;
  /** Sends in all. The last of them stand in the ring. */
  #count = 0;
  #inHand = 0;

  constructor(window: Window, margin = marginMs(window)) {
    const { requests, windowMs } = window;
    invariant(requests >= 1 && windowMs > 0, `a window of ${requests} requests in ${windowMs} ms`);
    this.#window = window;
    this.#marginMs = margin;
    // Fast plans already begin with a wide margin.
    this.#largestMarginMs = Math.max(Math.min(windowMs * LARGEST_MARGIN, LONGEST_MARGIN_MS), margin * 2);
    this.#times = new Float64Array(requests).fill(Number.NEGATIVE_INFINITY);
  }

  /** How long the next send must still wait; infinite while as many permits are out as the window has places. */
  waitMs(nowMs: number): number {
    const places = this.#times.length - this.#inHand;
    if (places <= 0) return Number.POSITIVE_INFINITY;
    return Math.max(this.#newest(places) + this.#window.windowMs + this.#marginMs - nowMs, 0);
  }

  take(): void {
    this.#inHand += 1;
  }

  /** @returns the number of this send, for `late`. */
  sent(atMs: number): number {
    this.#inHand -= 1;
    return this.seed(atMs);
  }

  giveBack(): void {
    this.#inHand -= 1;
  }

  /** Adds a send of an earlier run. */
  seed(atMs: number): number {
    this.#times[this.#count % this.#times.length] = atMs;
    this.#count += 1;
    return this.#count;
  }

  /** Notes that this send may have reached the vendor later than others. */
  late(send: number, byMs: number): void {
    const isForgotten = send <= this.#count - this.#times.length;
    const place = (send - 1) % this.#times.length;
    if (!isForgotten) this.#times[place] = (this.#times[place] ?? 0) + byMs;
  }

  /**
   * The vendor saw our sends closer together than we sent them: the jitter is larger than was assumed.
   * @returns false when that can no longer be the reason.
   */
  widen(): boolean {
    if (this.#marginMs >= this.#largestMarginMs) return false;
    this.#marginMs = Math.min(this.#marginMs * 2, this.#largestMarginMs);
    return true;
  }

  /** The n-th newest send, n from 1. */
  #newest(n: number): number {
    const place = (this.#count - n + this.#times.length) % this.#times.length;
    return this.#times[place] ?? Number.NEGATIVE_INFINITY;
  }
}
