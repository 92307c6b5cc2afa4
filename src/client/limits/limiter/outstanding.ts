/** Permission to send one request. */
export interface Permit {
  /** Whether it may still be used, after what answers have said since it was given. */
  holds(): boolean;
  /** To be called when its headers leave. */
  sent(): void;
  /** To be called when its answer is there. */
  answered(): void;
  /** To be called when its attempt is over, with all consequences of its answer, or given up. */
  done(): void;
  /** To be called instead when nothing was admitted: then it frees nothing for which others wait. */
  giveBack(): void;
}

/** A request that is on its way, or answered: its monotonic time, and its number in the log of each window. */
interface Sent {
  readonly atMs: number;
  readonly numbers: readonly number[];
  isAnswered: boolean;
}

/** The permits that are out, each with its request once that is sent. */
export class Outstanding {
  readonly #permits = new Map<Permit, Sent | undefined>();
  #inHand = 0;
  #unapplied = 0;
  #untilApplied: (() => void)[] = [];

  get size(): number {
    return this.#permits.size;
  }

  /** Permits whose request has not been sent yet. */
  get inHand(): number {
    return this.#inHand;
  }

  /** Requests that are sent and not answered. */
  get inFlight(): number {
    return this.#permits.size - this.#inHand - this.#unapplied;
  }

  add(permit: Permit): void {
    this.#permits.set(permit, undefined);
    this.#inHand += 1;
  }

  isInHand(permit: Permit): boolean {
    return this.#permits.has(permit) && this.#permits.get(permit) === undefined;
  }

  sent(permit: Permit, atMs: number, numbers: readonly number[]): void {
    this.#permits.set(permit, { atMs, numbers, isAnswered: false });
    this.#inHand -= 1;
  }

  /** @returns the request that is answered. */
  answered(permit: Permit): Sent | undefined {
    const sent = this.#permits.get(permit);
    if (sent === undefined || sent.isAnswered) return undefined;
    sent.isAnswered = true;
    this.#unapplied += 1;
    return sent;
  }

  /** @returns whether the permit was out until now. */
  remove(permit: Permit): boolean {
    if (this.isInHand(permit)) this.#inHand -= 1;
    const isUnapplied = this.#permits.get(permit)?.isAnswered === true;
    const wasOut = this.#permits.delete(permit);
    if (isUnapplied) this.#oneApplied();
    return wasOut;
  }

  /** Resolves when every answer that has come has had its consequences; undefined when that is so now. */
  applied(): Promise<void> | undefined {
    if (this.#unapplied === 0) return undefined;
    return new Promise((resolve) => this.#untilApplied.push(resolve));
  }

  /** Requests that left after that monotonic time. */
  sentSince(atMs: number): number {
    let count = 0;
    for (const sent of this.#permits.values()) if (sent !== undefined && sent.atMs > atMs) count += 1;
    return count;
  }

  #oneApplied(): void {
    this.#unapplied -= 1;
    if (this.#unapplied > 0) return;
    for (const resolve of this.#untilApplied) resolve();
    this.#untilApplied = [];
  }
}
