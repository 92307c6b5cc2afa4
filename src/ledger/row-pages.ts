import type { BatchId } from '../core/ids.ts';
import type { RowNumber } from '../core/row.ts';
import type { Batch, LedgerReader, PlannedRow, RowRecord } from './ledger.ts';

/** Reads the rows of a batch in rising order, page by page, so that memory does not grow with the batch. */

/** How many rows a page has, so that a page of answers is a few megabytes at most. */
export const PAGE_ROWS = {
  /** Rows with answers of about a kilobyte. */
  single: 1_000,
  /** Rows with up to 20 answers each, where every answer is a list of some 25 kilobytes. */
  lists: 20,
} as const;

type Pages<Row> = AsyncGenerator<readonly Row[], void, undefined>;

/** Every row of a batch that has an outcome. */
export function recordPages(
  ledger: Pick<LedgerReader, 'rows'>,
  batch: BatchId,
  pageRows: number = PAGE_ROWS.single,
): Pages<RowRecord> {
  return pages(pageRows, (from) => ledger.rows(batch, from, pageRows));
}

/** Every row of a batch that has an outcome, one by one. */
export async function* eachRecord(
  ledger: Pick<LedgerReader, 'rows'>,
  batch: BatchId,
): AsyncGenerator<RowRecord, void, undefined> {
  for await (const page of recordPages(ledger, batch)) yield* page;
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

async function* pages<Row extends { readonly row: RowNumber }>(
  pageRows: number,
  read: (from: RowNumber) => Promise<readonly Row[]>,
): Pages<Row> {
  for (let from = 0; ; ) {
    const page = await read(from);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return;
    from = last.row + 1;
  }
}

/** The planned rows that the file does not have, at the end of the plan. Most batches have none. */
export async function rowsBeyond(ledger: LedgerReader, batch: Batch): Promise<readonly PlannedRow[]> {
  const count = batch.rowsBeyond ?? 0;
  if (count === 0) return [];
  let last: readonly PlannedRow[] = [];
  for await (const page of plannedPages(ledger, batch.id)) last = [...last, ...page].slice(-count);
  return last;
}
