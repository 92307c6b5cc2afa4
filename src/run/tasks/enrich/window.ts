import type { RowNumber } from '../../../core/row.ts';
import type { Pace } from '../../../plan/context.ts';
import { RowSet } from '../../row-set.ts';

/**
 * What stands between a run and who reads its rows in their order: the run begins no row that is too far ahead of the reader, and
 * the reader waits for the row that comes next.
 */
export class Window implements Pace {
  readonly #ahead: number;
  readonly #finished = new RowSet();
  #taken: RowNumber = 0;
  #isOpen = false;
  #isOver = false;
  /** Called whenever something has changed. */
  #waiting: (() => void)[] = [];

  /** @param ahead how many rows may be begun beyond the one that was taken last. */
  constructor(ahead: number) {
    this.#ahead = ahead;
  }

  async upTo(row: RowNumber): Promise<RowNumber> {
    while (!this.#isOpen && row > this.#taken + this.#ahead) await this.#change();
    return this.#isOpen ? Number.POSITIVE_INFINITY : this.#taken + this.#ahead;
  }

  /** Resolves once the row is finished, or nothing more will be. */
  async until(row: RowNumber): Promise<void> {
    // A row between two that are read is none of the list, so what comes before this one is out of the way.
    this.take(row - 1);
    while (!(this.#isOver || this.#finished.has(row))) await this.#change();
  }

  finished(row: RowNumber): void {
    this.#finished.add(row);
    this.#tell();
  }

  /** The reader has the row, and all before it. */
  take(row: RowNumber): void {
    if (row <= this.#taken) return;
    this.#taken = row;
    this.#tell();
  }

  /** The run stops, so it need not wait for the reader any more. */
  open(): void {
    this.#isOpen = true;
    this.#tell();
  }

  /** The run is over. */
  end(): void {
    this.#isOver = true;
    this.#tell();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  #tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
