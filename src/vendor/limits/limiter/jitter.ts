/** The delay that may be given up on average: a fifth of a percent of a window of a second. */
const AFFORDABLE_MS = 2;

/** The average covers about this time, and at least this many answers; the fastest answer is forgotten as slowly. */
const REMEMBERED_SECONDS = 10;
const LEAST_ANSWERS = 50;

/**
 * How late requests may have reached the vendor, whose clock counts, measured by how much longer their answers took
 * than the fastest one. That is an upper bound, because the time may have passed on the way back, or while the vendor
 * worked. When a vendor's answers vary much the bound says nothing, and would cost more than it is worth.
 */
export class Jitter {
  /** The weight of one answer in the average. */
  readonly #weight: number;
  #fastestMs = Number.POSITIVE_INFINITY;
  #meanMs = 0;

  constructor(answersPerSecond: number) {
    this.#weight = 1 / Math.max(answersPerSecond * REMEMBERED_SECONDS, LEAST_ANSWERS);
  }

  /** @returns how much later than others this request may have arrived; 0 when that cannot be told. */
  lateMs(roundTripMs: number): number {
    this.#fastestMs = Math.min(this.#fastestMs * (1 + this.#weight), roundTripMs);
    const lateMs = roundTripMs - this.#fastestMs;
    this.#meanMs += (lateMs - this.#meanMs) * this.#weight;
    return this.#meanMs > AFFORDABLE_MS ? 0 : lateMs;
  }
}
