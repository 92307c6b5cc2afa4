/** Holds work to so many places. Who finds none free waits in line for one. */
export class Places {
  readonly #all: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(all: number) {
    this.#all = all;
    this.#free = all;
  }

  /** @returns undefined where one was free, because each wait takes time. */
  take(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    return undefined;
  }

  /** The place goes to whoever waits longest. */
  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }

  /** Waits until all work has ended, and lets no other begin. */
  async takeAll(): Promise<void> {
    for (let taken = 0; taken < this.#all; taken += 1) await this.take();
  }
}
