import { crc32 } from 'node:zlib';
import { PAGE_BYTES } from './log-frames.ts';

/** What nobody ever wrote in is full of zeros. */
const OF_ZEROS = crc32(Buffer.alloc(PAGE_BYTES));

/** How much room is made at once. */
const GROWTH = 1.25;

/** The CRC-32 of each page of a ledger, four bytes for each. Pages are numbered from zero. */
export class PageSums {
  #sums: Uint32Array<ArrayBuffer>;
  #length: number;

  constructor(sums = new Uint32Array()) {
    this.#sums = sums;
    this.#length = sums.length;
  }

  get length(): number {
    return this.#length;
  }

  of(page: number): number {
    return page < this.#length ? (this.#sums[page] ?? OF_ZEROS) : OF_ZEROS;
  }

  set(page: number, sum: number): void {
    if (page >= this.#sums.length) this.#grow(page + 1);
    this.#sums[page] = sum;
    this.#length = Math.max(this.#length, page + 1);
  }

  /** All of them as they stand in memory. */
  get bytes(): Buffer {
    return Buffer.from(this.#sums.buffer, 0, this.#length * this.#sums.BYTES_PER_ELEMENT);
  }

  #grow(least: number): void {
    const before = this.#sums.length;
    const room = Math.ceil(least * GROWTH);
    this.#sums = new Uint32Array(this.#sums.buffer.transfer(room * this.#sums.BYTES_PER_ELEMENT));
    this.#sums.fill(OF_ZEROS, before);
  }
}
