/** So much may be given up on average: a fifth of a percent of a window of a second. */
const AFFORDABLE_MS = 2;

/** The average is one over about so long, and at least over so many answers; the fastest one is forgotten as slowly. */
const REMEMBERED_SECONDS = 10;
const LEAST_ANSWERS = 50;

/**
 * How late requests may have reached the vendor, whose clock counts, by how much longer than the fastest their answers
 * took. That is an upper bound, because the time may have passed on the way back, or while the vendor worked. With a
 * vendor whose answers take now longer and now shorter the bound says nothing, and would cost more than it is worth.
 */
export class Jitter {
  /** What one answer counts in the average. */
  readonly #weight: number;
  #fastestMs = Number.POSITIVE_INFINITY;
  #meanMs = 0;

  constructor(answersPerSecond: number) {
    this.#weight = 1 / Math.max(answersPerSecond * REMEMBERED_SECONDS, LEAST_ANSWERS);
  }

  /** @returns by how much later than others this request may have arrived; 0 when that cannot be told. */
  lateMs(roundTripMs: number): number {
    this.#fastestMs = Math.min(this.#fastestMs * (1 + this.#weight), roundTripMs);
    const lateMs = roundTripMs - this.#fastestMs;
    this.#meanMs += (lateMs - this.#meanMs) * this.#weight;
    return this.#meanMs > AFFORDABLE_MS ? 0 : lateMs;
  }
}
