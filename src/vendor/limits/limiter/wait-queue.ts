/** Who wants to send. One a run, and the same object with every request of it. */
export interface Waiter {
  /** Fires when the run sends nothing more. */
  readonly signal: AbortSignal;
  /** The longest stretch in which nothing may settle before the run stops; undefined: the run waits for ever. */
  readonly maxPauseMs: number | undefined;
}

interface Waiting<T> {
  readonly waiter: Waiter;
  /** Monotonic. */
  readonly sinceMs: number;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

/** Those who wait for the same thing, in the order of asking. Whose run ends, leaves with the signal's reason. */
export class Line<T> {
  readonly #waiting = new Set<Waiting<T>>();
  readonly #heeded = new WeakSet<Waiter>();
  readonly #onLeft: () => void;

  /** @param onLeft somebody left without having got it. */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** @param nowMs monotonic. */
  enter(waiter: Waiter, nowMs: number): Promise<T> {
    const { signal } = waiter;
    if (signal.aborted) return Promise.reject(signal.reason);
    // One listener a run and not one a request, because a run sends millions.
    if (!this.#heeded.has(waiter)) {
      this.#heeded.add(waiter);
      signal.addEventListener('abort', () => this.#dismiss(waiter), { once: true });
    }
    return new Promise((resolve, reject) => this.#waiting.add({ waiter, sinceMs: nowMs, resolve, reject }));
  }

  /** Since when a run has had somebody in this line without a break; undefined when it has nobody there. */
  waitingSinceMs(waiter: Waiter): number | undefined {
    for (const each of this.#waiting) if (each.waiter === waiter) return each.sinceMs;
    return undefined;
  }

  /** Gives it to whoever has waited longest; somebody must be waiting. */
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

  /** Sends away everybody for whom there is a reason. */
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
