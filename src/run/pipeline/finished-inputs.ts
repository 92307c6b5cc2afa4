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
        const finished = this.#page[this.#next];
        if (finished !== undefined && finished.row >= row)
          return finished.row === row ? finished.input : undefined;
      }
      const { value, done } = await this.#pages.next();
      if (done) return undefined;
      this.#page = value;
      this.#next = 0;
    }
  }
}
