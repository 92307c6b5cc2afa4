import type { BatchId } from '../core/ids.ts';
import type { RowNumber } from '../core/row.ts';
import type { FinishedInput, LedgerReader, PlannedRow, RowRecord } from './ledger.ts';

/** Reads the rows of a batch in rising order, page by page, so that memory does not grow with the batch. */

/** How many rows a page has, so that two pages of answers are a few megabytes at most. Fewer are read no slower. */
export const PAGE_ROWS = {
  /** Rows with answers of about a kilobyte. */
  single: 250,
  /** Rows with up to 20 answers each, where every answer is a list of some 25 kilobytes. */
  lists: 20,
  /** Rows without answers: some milliseconds of the event loop, and 80 KB. */
  inputs: 10_000,
} as const;

type Pages<Row> = AsyncGenerator<readonly Row[], void, undefined>;

/** Every row of a batch that has an outcome. @param first left out: from its first row on. */
export function recordPages(
  ledger: Pick<LedgerReader, 'rows'>,
  batch: BatchId,
  pageRows: number = PAGE_ROWS.single,
  first: RowNumber = 0,
): Pages<RowRecord> {
  return pages(pageRows, (from) => ledger.rows(batch, from, pageRows), first);
}

/** Every row of a batch that has a final outcome. */
export function finishedPages(
  ledger: Pick<LedgerReader, 'finishedRows'>,
  batch: BatchId,
  first: RowNumber = 0,
): Pages<FinishedInput> {
  const { inputs } = PAGE_ROWS;
  return pages(inputs, (from) => ledger.finishedRows(batch, from, inputs), first);
}

/** Every row of a batch with an answer which another dialect than this one read, or which turned out to be none. */
export async function* eachReadOtherwise(
  ledger: Pick<LedgerReader, 'rowsReadOtherwise'>,
  batch: BatchId,
  dialect: number,
): AsyncGenerator<RowRecord, void, undefined> {
  const { single } = PAGE_ROWS;
  const read = (from: RowNumber) => ledger.rowsReadOtherwise(batch, dialect, from, single);
  for await (const page of pages(single, read)) yield* page;
}

/** Every row of the plan that a batch of changes keeps. */
export function plannedPages(ledger: Pick<LedgerReader, 'plannedRows'>, batch: BatchId): Pages<PlannedRow> {
  return pages(PAGE_ROWS.single, (from) => ledger.plannedRows(batch, from, PAGE_ROWS.single));
}

/** Every row of the plan of a batch of changes, with its record; a row without an outcome has no record yet. */
export async function* plannedRecords(
  ledger: Pick<LedgerReader, 'plannedRows' | 'rows'>,
  batch: BatchId,
): AsyncGenerator<{ readonly planned: PlannedRow; readonly record: RowRecord | undefined }, void, undefined> {
  for await (const page of plannedPages(ledger, batch)) {
    const records = await ledger.rows(batch, page[0]?.row ?? 0, page.length);
    const byRow = new Map(records.map((record) => [record.row, record]));
    for (const planned of page) yield { planned, record: byRow.get(planned.row) };
  }
}

/**
 * The next page is asked for before this one is handed out: the ledger may read it while this one is worked through, and two
 * pages are in memory at most. What goes wrong with it is told when it is due.
 */
async function* pages<Row extends { readonly row: RowNumber }>(
  pageRows: number,
  read: (from: RowNumber) => Promise<readonly Row[]>,
  first: RowNumber = 0,
): Pages<Row> {
  let next: Promise<readonly Row[]> | undefined = read(first);
  while (next !== undefined) {
    const page: readonly Row[] = await next;
    const last = page.at(-1);
    next = last === undefined || page.length < pageRows ? undefined : read(last.row + 1);
    // A reader that leaves early never asks for that page, nor for its error.
    next?.catch(() => {});
    yield page;
  }
}
