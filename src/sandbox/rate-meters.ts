/** The three ways in which vendors count requests for a rate limit. */

export interface Meter {
  /** How long it takes until a request passes; 0 when one passes now. */
  waitMs(nowMs: number): number;
  /** Counts a request that passes. */
  pass(nowMs: number): void;
  /** How many more requests pass now, and how long it takes until the whole limit is free again. */
  left(nowMs: number): { readonly requests: number; readonly resetMs: number };
}

/** A request passes when fewer than `most` passed within the window that ends now. */
export class SandboxSlidingLog implements Meter {
  readonly #most: number;
  readonly #windowMs: number;
  /** Times of the last passed requests, in a ring that never holds more than the limit. */
  readonly #timesMs: number[] = [];
  #next = 0;

  constructor(most: number, windowMs: number) {
    this.#most = most;
    this.#windowMs = windowMs;
  }

  waitMs(nowMs: number): number {
    const oldestMs = this.#timesMs.length < this.#most ? undefined : this.#timesMs[this.#next];
    return oldestMs === undefined ? 0 : Math.max(oldestMs + this.#windowMs - nowMs, 0);
  }

  pass(nowMs: number): void {
    this.#timesMs[this.#next] = nowMs;
    this.#next = (this.#next + 1) % this.#most;
  }

  left(nowMs: number): { readonly requests: number; readonly resetMs: number } {
    const recentMs = this.#timesMs.filter((atMs) => atMs + this.#windowMs > nowMs);
    const newestMs = recentMs.reduce((newest, atMs) => Math.max(newest, atMs), nowMs - this.#windowMs);
    return { requests: this.#most - recentMs.length, resetMs: newestMs + this.#windowMs - nowMs };
  }
}

/** Each window allows `most` requests. Windows begin at whole multiples of their length since 1970. */
export class FixedWindow implements Meter {
  readonly #most: number;
  readonly #windowMs: number;
  #window = Number.NEGATIVE_INFINITY;
  #passed = 0;

  constructor(most: number, windowMs: number) {
    this.#most = most;
    this.#windowMs = windowMs;
  }

  waitMs(nowMs: number): number {
    const { requests, resetMs } = this.left(nowMs);
    return requests > 0 ? 0 : resetMs;
  }

  pass(nowMs: number): void {
    const window = Math.floor(nowMs / this.#windowMs);
    this.#passed = window === this.#window ? this.#passed + 1 : 1;
    this.#window = window;
  }

  left(nowMs: number): { readonly requests: number; readonly resetMs: number } {
    const window = Math.floor(nowMs / this.#windowMs);
    const passed = window === this.#window ? this.#passed : 0;
    return { requests: this.#most - passed, resetMs: (window + 1) * this.#windowMs - nowMs };
  }
}

/** A bucket that holds `most` tokens and is full at the start; one token drips in every `windowMs / most`. */
export class TokenBucket implements Meter {
  readonly #most: number;
  readonly #dripMs: number;
  #tokens: number;
  #atMs: number;

  constructor(most: number, windowMs: number, nowMs: number) {
    this.#most = most;
    this.#dripMs = windowMs / most;
    this.#tokens = most;
    this.#atMs = nowMs;
  }

  waitMs(nowMs: number): number {
    this.#drip(nowMs);
    // Sums of fractions may miss a whole token by a rounding error.
    return this.#tokens >= 1 - 1e-9 ? 0 : (1 - this.#tokens) * this.#dripMs;
  }

  pass(nowMs: number): void {
    this.#drip(nowMs);
    this.#tokens -= 1;
  }

  left(nowMs: number): { readonly requests: number; readonly resetMs: number } {
    this.#drip(nowMs);
    const requests = Math.max(Math.floor(this.#tokens + 1e-9), 0);
    return { requests, resetMs: (this.#most - this.#tokens) * this.#dripMs };
  }

  #drip(nowMs: number): void {
    this.#tokens = Math.min(this.#tokens + (nowMs - this.#atMs) / this.#dripMs, this.#most);
    this.#atMs = nowMs;
  }
}
