import type { Standstill } from './standstill.ts';
import { Line, type Waiter } from './wait-queue.ts';

/** A fixed number of slots; a caller that finds none free waits in line. */
export class Slots {
  readonly #most: number;
  readonly #standstill: Standstill;
  readonly #line = new Line<void>(() => {});
  #taken = 0;

  constructor(most: number, standstill: Standstill) {
    this.#most = most;
    this.#standstill = standstill;
  }

  get isIdle(): boolean {
    return this.#taken === 0;
  }

  /** @throws what ends the wait for a slot. A caller that has one gives it back with `leave`. */
  async enter(waiter: Waiter): Promise<void> {
    if (this.#taken < this.#most) this.#taken += 1;
    else await this.#standstill.wait(this.#line, waiter);
  }

  leave(): void {
    if (this.#line.size > 0) this.#line.serveFirst();
    else this.#taken -= 1;
  }
}
