import PQueue from 'p-queue';

/** How many items are worked on side by side: enough rows to fill groups of commits, few enough to hold in memory. */
const AT_WORK = 256;

/** How many further items have been read before the reading waits. */
const AHEAD = 64;

/**
 * Works on the items of groups side by side, and takes groups no faster than their items are done, so that memory does not
 * grow with the file. Each job of the queue is a lane, which takes one item after the other for as long as there are any:
 * a job for each of them costs more than all else that is done to keep them in order.
 */
export class Lanes<Item> {
  readonly #queue = new PQueue({ concurrency: AT_WORK });
  readonly #work: (item: Item) => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #onError: (error: unknown) => void;
  #waiting: Item[] = [];
  #taken = 0;
  /** Lanes that will look for another item. The queue's own count still has those that just found none. */
  #open = 0;
  #room: (() => void) | undefined;

  /** @param signal fires when no further item is begun. @param onError is told what an item has failed with. */
  constructor(work: (item: Item) => Promise<void>, signal: AbortSignal, onError: (error: unknown) => void) {
    this.#work = work;
    this.#signal = signal;
    this.#onError = onError;
  }

  /** Resolves when further items are wanted. */
  async add(items: readonly Item[]): Promise<void> {
    this.#waiting = [...this.#waiting.slice(this.#taken), ...items];
    this.#taken = 0;
    for (let free = Math.min(AT_WORK - this.#open, items.length); free > 0; free -= 1) {
      this.#open += 1;
      void this.#queue.add(() => this.#lane());
    }
    if (this.#isFull && !this.#signal.aborted)
      await new Promise<void>((resolve) => {
        this.#room = resolve;
      });
  }

  /** Resolves when nothing is worked on any more. */
  async end(): Promise<void> {
    await this.#queue.onIdle();
  }

  async #lane(): Promise<void> {
    try {
      for (let item = this.#next(); item !== undefined; item = this.#next()) await this.#work(item);
    } catch (error) {
      this.#open -= 1;
      this.#onError(error);
    }
    // Whoever waits for room sees that nothing is begun any more, or adds to what is left.
    this.#room?.();
  }

  #next(): Item | undefined {
    const item = this.#signal.aborted ? undefined : this.#waiting[this.#taken];
    if (item === undefined) {
      this.#open -= 1;
      return undefined;
    }
    this.#taken += 1;
    if (!this.#isFull) this.#room?.();
    return item;
  }

  get #isFull(): boolean {
    return this.#waiting.length - this.#taken >= AHEAD;
  }
}
