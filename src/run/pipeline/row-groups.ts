import PQueue from 'p-queue';

/** A job of the queue begins so many items: a job for each would cost more than all else that keeps them in order. */
const GROUP_SIZE = 32;

const GROUPS_AHEAD = 2;

/**
 * How many items are worked on for each slot: one has it, one has had its answer and waits until its end is on the disk, and one
 * waits for the slot.
 */
const ITEMS_PER_SLOT = 3;

/** How many more may wait for something else than a slot, such as the time to ask again, before they hold up the others. */
const SPARE_ITEMS = 16;

/**
 * Works on items side by side, and takes them no faster than they are done, so that memory does not grow with the file. The
 * queue begins one group after the other, and each item of it as soon as one before it is done, whichever that is.
 */
export class RowGroups<Item> {
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #most: number;
  readonly #work: (item: Item) => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #onError: (error: unknown) => void;
  #underWay = 0;
  /** Wakes the only one that waits until another of them is done: the queue, and behind its last group the end. */
  #wake = (): void => {};

  /**
   * @param slots how many requests the account may have in flight.
   * @param signal fires when no further item is begun.
   * @param onError is told what an item has failed with.
   */
  constructor(
    slots: number,
    work: (item: Item) => Promise<void>,
    signal: AbortSignal,
    onError: (error: unknown) => void,
  ) {
    this.#most = slots * ITEMS_PER_SLOT + SPARE_ITEMS;
    this.#work = work;
    this.#signal = signal;
    this.#onError = onError;
  }

  /** Resolves when further items are wanted. The items of one call wait in memory together. */
  async add(items: readonly Item[]): Promise<void> {
    for (let from = 0; from < items.length; from += GROUP_SIZE)
      void this.#queue.add(() => this.#begin(items.slice(from, from + GROUP_SIZE)));
    // Asked once for all of them, because what the queue does to answer costs as much as a row.
    await this.#queue.onSizeLessThan(GROUPS_AHEAD);
  }

  /** Resolves when nothing is worked on any more: answers to what is in flight are recorded, whatever fails beside them. */
  async end(): Promise<void> {
    await this.#queue.onIdle();
    while (this.#underWay > 0) await this.#oneDone();
  }

  async #begin(items: readonly Item[]): Promise<void> {
    for (const item of items) {
      while (this.#underWay >= this.#most) await this.#oneDone();
      if (this.#signal.aborted) return;
      this.#underWay += 1;
      void this.#work(item).then(this.#done, this.#failed);
    }
  }

  #oneDone(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly #done = (): void => {
    this.#underWay -= 1;
    this.#wake();
  };

  readonly #failed = (error: unknown): void => {
    this.#onError(error);
    this.#done();
  };
}
