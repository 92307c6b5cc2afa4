/** A run that wants to send. There is one object a run, and all of its requests pass the same one. */
export interface Waiter {
  /** Fires when the run sends nothing more. */
  readonly signal: AbortSignal;
  /** The longest stretch in which nothing may settle before the run stops; undefined: the run waits for ever. */
  readonly maxPauseMs: number | undefined;
}

interface Waiting<T> {
  readonly waiter: Waiter;
  /** When the wait began, monotonic. */
  readonly sinceMs: number;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

/**
 * Waiters for the same thing, in the order in which they came. When a run ends, its waiters leave with the signal's
 * reason.
 */
export class Line<T> {
  readonly #waiting = new Set<Waiting<T>>();
  readonly #heeded = new WeakSet<Waiter>();
  readonly #onLeft: () => void;

  /** @param onLeft called when a waiter left without having got it. */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** @param nowMs monotonic time. */
  enter(waiter: Waiter, nowMs: number): Promise<T> {
    const { signal } = waiter;
    if (signal.aborted) return Promise.reject(signal.reason);
    // There is one listener for each run and not for each request, because a run sends millions.
    if (!this.#heeded.has(waiter)) {
      this.#heeded.add(waiter);
      signal.addEventListener('abort', () => this.#dismiss(waiter), { once: true });
    }
    return new Promise((resolve, reject) => this.#waiting.add({ waiter, sinceMs: nowMs, resolve, reject }));
  }

  /** Since when a run has had a waiter in this line without a break; undefined when it has none. */
  waitingSinceMs(waiter: Waiter): number | undefined {
    for (const each of this.#waiting) if (each.waiter === waiter) return each.sinceMs;
    return undefined;
  }

  /** Gives the value to the waiter that came first; there must be one. */
  serveFirst(value: T): void {
    for (const first of this.#waiting) {
      this.#waiting.delete(first);
      first.resolve(value);
      return;
    }
  }

  serveAll(value: T): void {
    for (const { resolve } of this.#waiting) resolve(value);
    this.#waiting.clear();
  }

  /** Removes every waiter for which there is a reason, and rejects its wait with that. */
  refuse(reasonFor: (waiter: Waiter) => unknown): void {
    for (const waiting of this.#waiting) {
      const reason = reasonFor(waiting.waiter);
      if (reason === undefined) continue;
      this.#waiting.delete(waiting);
      waiting.reject(reason);
    }
  }

  #dismiss(waiter: Waiter): void {
    this.refuse((each) => (each === waiter ? waiter.signal.reason : undefined));
    this.#onLeft();
  }
}
