/** An exchange that ends at its deadline, whatever it is doing then. */
export interface Expiring {
  expire(): void;
}

/** Deadlines this close together expire at once, so that none of them takes a connection that another must give up. */
const COARSE_MS = 10;

/**
 * The deadlines of the exchanges of one transport. All have the same time, so the oldest is always the next to end, and
 * one timer does for all of them: a timer for each was measured to cost a fifth of the speed.
 *
 * The times are the machine's own and not those of an injected clock, because sockets know no other.
 */
export class Deadlines {
  readonly #timeoutMs: number;
  /** The time at which each expires, in the order of sending. */
  readonly #dueMs = new Map<Expiring, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  begin(expiring: Expiring): void {
    this.#dueMs.set(expiring, performance.now() + this.#timeoutMs);
    if (this.#timer === undefined) this.#arm(this.#timeoutMs);
  }

  end(expiring: Expiring): void {
    this.#dueMs.delete(expiring);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #arm(inMs: number): void {
    // After a process was stopped and continued, sockets are read first: answers may have come meanwhile.
    this.#timer = setTimeout(() => setImmediate(() => this.#expire()), inMs);
    this.#timer.unref();
  }

  #expire(): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    for (const [expiring, dueMs] of this.#dueMs) {
      if (dueMs > nowMs + COARSE_MS) {
        this.#arm(dueMs - nowMs);
        return;
      }
      this.#dueMs.delete(expiring);
      expiring.expire();
    }
  }
}
