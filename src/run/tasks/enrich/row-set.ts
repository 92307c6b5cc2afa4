import type { RowNumber } from '../../../core/row.ts';

/** A set of row numbers with one bit for each, so that a million rows take 125 KB. */
export class RowSet {
  #bits = new Uint8Array(1024);

  add(row: RowNumber): void {
    const byte = row >>> 3;
    if (byte >= this.#bits.length) this.#grow(byte);
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (row & 7));
  }

  has(row: RowNumber): boolean {
    return ((this.#bits[row >>> 3] ?? 0) & (1 << (row & 7))) !== 0;
  }

  #grow(byte: number): void {
    const larger = new Uint8Array(Math.max(byte + 1, this.#bits.length * 2));
    larger.set(this.#bits);
    this.#bits = larger;
  }
}
