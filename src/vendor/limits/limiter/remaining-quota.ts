/** The remaining requests of the plan, as an answer stated them. */
export interface Left {
  readonly requests: number;
  readonly resetMs: number;
}

/**
 * The guard of the vendor's own count: when an answer says how many requests are left, no more are sent until its
 * window begins again. The answer to the request that was sent last counts, because answers overtake each other.
 */
export class RemainingQuota {
  #left = Number.POSITIVE_INFINITY;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #untilMs = Number.NEGATIVE_INFINITY;

  /**
   * @param sentAtMs when the answered request left.
   * @param sentSince requests that left after it and are not answered yet: the vendor has not counted them.
   */
  heard({ requests, resetMs }: Left, sentAtMs: number, sentSince: number, nowMs: number): void {
    if (sentAtMs < this.#sentAtMs) return;
    this.#sentAtMs = sentAtMs;
    this.#left = requests - sentSince;
    this.#untilMs = nowMs + resetMs;
  }

  sent(): void {
    this.#left -= 1;
  }

  /** @param inHand permits that are out and have not been sent yet. */
  waitMs(nowMs: number, inHand: number): number {
    return this.#left > inHand ? 0 : Math.max(this.#untilMs - nowMs, 0);
  }
}
