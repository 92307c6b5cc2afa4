import type { BatchId, LedgerReader, RowRecord } from '../ledger.ts';
import type { RowNumber } from '../row.ts';

/** Rows of a batch, asked for in rising order and fetched in pages. */
export class LedgerRows {
  readonly #ledger: Pick<LedgerReader, 'rows'>;
  readonly #batch: BatchId;
  /** The page in use and the one before, because a reader may ask for a few rows at a time side by side. */
  #pages = new Map<number, Promise<ReadonlyMap<RowNumber, RowRecord>>>();

  constructor(ledger: Pick<LedgerReader, 'rows'>, batch: BatchId) {
    this.#ledger = ledger;
    this.#batch = batch;
  }

  /** Undefined for a row that has no outcome yet. */
  async at(row: RowNumber): Promise<RowRecord | undefined> {
    const number = Math.floor(row / PAGE_ROWS);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = this.#fetch(number * PAGE_ROWS);
      this.#pages.set(number, page);
      this.#pages.delete(number - 2);
    }
    return (await page).get(row);
  }

  async #fetch(first: RowNumber): Promise<ReadonlyMap<RowNumber, RowRecord>> {
    const records = await this.#ledger.rows(this.#batch, first, PAGE_ROWS);
    return new Map(records.map((record) => [record.row, record]));
  }
}

/** A page of answers of a kilobyte each is a megabyte. */
const PAGE_ROWS = 1_000;
