import type { RowNumber } from '../../../core/row.ts';
import type { BatchId, LedgerReader, RowRecord } from '../../../ledger/ledger.ts';

type Rows = Pick<LedgerReader, 'rows'>;

/** Rows of a batch, asked for in rising order and fetched in pages. */
export class LedgerRows {
  readonly #ledger: Rows;
  readonly #batch: BatchId;
  readonly #pageRows: number;
  /** The page in use and the one before, because a reader may ask for a few rows at a time side by side. */
  #pages = new Map<number, Promise<ReadonlyMap<RowNumber, RowRecord>>>();

  constructor(ledger: Rows, batch: BatchId, pageRows: number) {
    this.#ledger = ledger;
    this.#batch = batch;
    this.#pageRows = pageRows;
  }

  /** Undefined for a row that has no outcome yet. */
  async at(row: RowNumber): Promise<RowRecord | undefined> {
    const number = Math.floor(row / this.#pageRows);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = this.#fetch(number * this.#pageRows);
      this.#pages.set(number, page);
      this.#pages.delete(number - 2);
    }
    return (await page).get(row);
  }

  async #fetch(first: RowNumber): Promise<ReadonlyMap<RowNumber, RowRecord>> {
    const records = await this.#ledger.rows(this.#batch, first, this.#pageRows);
    return new Map(records.map((record) => [record.row, record]));
  }
}
