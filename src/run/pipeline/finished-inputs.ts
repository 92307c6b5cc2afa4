import type { RowNumber } from '../../core/row.ts';
import type { BatchId, FinishedInput, LedgerReader } from '../../ledger/ledger.ts';
import { finishedPages } from '../../ledger/row-pages.ts';

/** The input fingerprints of finished rows. Callers ask in rising order of the rows, because one page is held at a time. */
export class FinishedInputs {
  readonly #pages: AsyncIterator<readonly FinishedInput[]>;
  #page: readonly FinishedInput[] = [];
  #next = 0;

  constructor(ledger: Pick<LedgerReader, 'finishedRows'>, batch: BatchId, fromRow: RowNumber) {
    this.#pages = finishedPages(ledger, batch, fromRow);
  }

  /** The fingerprint of a row; undefined for a row that is not finished. */
  async of(row: RowNumber): Promise<number | undefined> {
    for (;;) {
      for (; this.#next < this.#page.length; this.#next += 1) {
        const settled = this.#page[this.#next];
        if (settled !== undefined && settled.row >= row)
          return settled.row === row ? settled.input : undefined;
      }
      const { value, done } = await this.#pages.next();
      if (done) return undefined;
      this.#page = value;
      this.#next = 0;
    }
  }
}
