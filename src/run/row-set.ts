import type { RowNumber } from '../core/row.ts';
import type { BatchId, LedgerReader } from '../ledger/ledger.ts';
import { finishedPages } from '../ledger/row-pages.ts';

/** A set of row numbers with one bit for each, so that a million rows take 125 KB. */
export class RowSet {
  #bits = new Uint8Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(row: RowNumber): void {
    if (this.has(row)) return;
    const byte = row >>> 3;
    if (byte >= this.#bits.length) this.#grow(byte);
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (row & 7));
    this.#size += 1;
  }

  has(row: RowNumber): boolean {
    return ((this.#bits[row >>> 3] ?? 0) & (1 << (row & 7))) !== 0;
  }

  lowestMissing(first: RowNumber): RowNumber {
    let row = first;
    while (this.has(row)) row += 1;
    return row;
  }

  #grow(byte: number): void {
    const larger = new Uint8Array(Math.max(byte + 1, this.#bits.length * 2));
    larger.set(this.#bits);
    this.#bits = larger;
  }
}

export async function finishedRows(
  ledger: Pick<LedgerReader, 'finishedRows'>,
  batch: BatchId,
): Promise<RowSet> {
  const finished = new RowSet();
  for await (const page of finishedPages(ledger, batch)) for (const { row } of page) finished.add(row);
  return finished;
}
