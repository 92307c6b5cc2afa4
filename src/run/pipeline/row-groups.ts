import PQueue from 'p-queue';

/** A job of the queue works on so many items at once: a job for each would cost more than all else that keeps them in order. */
const GROUP_SIZE = 4;

/** How many groups may wait for something else than a slot, such as the time to ask again, before they hold up the others. */
const SPARE_GROUPS = 16;

/** So many groups wait at most when further rows are read. */
const GROUPS_AHEAD = 8;

/**
 * Works on items side by side, and takes them no faster than they are done, so that memory does not grow with the file. A group
 * is done when the slowest of its items is, so there are more groups than the account has slots: however long each slot waits
 * for its answer, there are groups that go on.
 */
export class RowGroups<Item> {
  readonly #queue: PQueue;
  readonly #work: (item: Item) => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #onError: (error: unknown) => void;

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
    this.#queue = new PQueue({ concurrency: slots + SPARE_GROUPS });
    this.#work = work;
    this.#signal = signal;
    this.#onError = onError;
  }

  /** Resolves when further items are wanted. The items of one call wait in memory together. */
  async add(items: readonly Item[]): Promise<void> {
    for (let from = 0; from < items.length; from += GROUP_SIZE)
      void this.#queue.add(() => this.#workOn(items.slice(from, from + GROUP_SIZE)));
    // Asked once for all of them, because what the queue does to answer costs as much as a row.
    await this.#queue.onSizeLessThan(GROUPS_AHEAD);
  }

  /** Resolves when nothing is worked on any more. */
  end(): Promise<void> {
    return this.#queue.onIdle();
  }

  /** Never rejects, and ends with the last of its items: answers to what is in flight are recorded, whatever fails beside them. */
  async #workOn(items: readonly Item[]): Promise<void> {
    if (this.#signal.aborted) return;
    await Promise.all(items.map((item) => this.#work(item).catch(this.#onError)));
  }
}
