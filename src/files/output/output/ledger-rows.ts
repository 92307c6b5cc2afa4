import type { RowNumber } from '../../../core/row.ts';
import type { BatchId, LedgerReader, RowRecord } from '../../../ledger/ledger.ts';

type Rows = Pick<LedgerReader, 'rows'>;

/** How many rows are asked for at once, so that a page of answers is some megabytes at most. */
export const PAGE_ROWS = {
  /** With answers of a kilobyte. */
  single: 1_000,
  /** With up to 20 answers each, every one a list of some 25 kilobytes. */
  lists: 20,
} as const;

/** All rows of a batch that have an outcome, in order. */
export async function* recordPages(
  ledger: Rows,
  batch: BatchId,
  pageRows: number,
): AsyncGenerator<readonly RowRecord[], void, undefined> {
  for (let from = 0; ; ) {
    const page = await ledger.rows(batch, from, pageRows);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return;
    from = last.row + 1;
  }
}

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
