import type { RowNumber } from '../core/row.ts';
import { settingsKept } from '../job/job-settings.ts';
import {
  type Batch,
  type BatchId,
  type EndedRow,
  hasEnded,
  type LedgerReader,
  type PlannedRow,
  type RowRecord,
} from '../ledger/ledger.ts';
import { parts } from '../lib/parts.ts';

/** The rows of a batch as the ledger has them, in rising order. */

/** How many rows a part has: with answers a part is a few megabytes at most. Fewer are read no slower. */
export const PART_ROWS = {
  /** Rows with answers of about a kilobyte. */
  single: 250,
  /** Rows with up to 20 answers each, where every answer is a list of some 25 kilobytes. */
  lists: 20,
} as const;

export const rowParts = <Row extends { readonly row: RowNumber }>(
  most: number,
  read: (from: RowNumber) => Promise<readonly Row[]>,
  first: RowNumber = 0,
) => parts(most, first, read, ({ row }) => row + 1);

/** Every row of a batch that has an outcome, cells that were found so far, or a price that was paid. */
export const recordParts = (
  ledger: Pick<LedgerReader, 'rows'>,
  batch: BatchId,
  most: number = PART_ROWS.single,
) => rowParts<RowRecord>(most, (from) => ledger.rows(batch, from, most));

/** Whether a row may have found many people or companies, in answers that are lists. */
export const hasLists = ({ settings }: Batch): boolean =>
  settingsKept(settings).operation.resultsFile !== undefined;

/**
 * Makes something of each row and its record, if there is one. Few answers that are lists are read at once.
 * @param meets is shown the records of rows before these are made.
 */
export function rowMaker<Row extends { readonly row: RowNumber }, Made>(
  ledger: Pick<LedgerReader, 'recordsOf'>,
  batch: Batch,
  make: (row: Row, record: RowRecord | undefined) => Made,
  meets?: (records: readonly RowRecord[]) => Promise<void>,
): (rows: readonly Row[]) => Promise<readonly Made[]> {
  const most = hasLists(batch) ? PART_ROWS.lists : Number.POSITIVE_INFINITY;
  return async (rows) => {
    const made: Made[] = [];
    for (let from = 0; from < rows.length; from += most) {
      const part = rows.slice(from, from + most);
      const numbers = part.map(({ row }) => row);
      const records = await ledger.recordsOf(batch.id, numbers);
      await meets?.([...records.values()]);
      for (const row of part) made.push(make(row, records.get(row.row)));
    }
    return made;
  };
}

/** Every row of the plan that a batch of changes keeps. */
export const plannedParts = (ledger: Pick<LedgerReader, 'plannedRows'>, batch: BatchId) =>
  rowParts<PlannedRow>(PART_ROWS.single, (from) => ledger.plannedRows(batch, from, PART_ROWS.single));

interface PlannedRecord {
  readonly planned: PlannedRow;
  /** Undefined for a row without an outcome. */
  readonly record: EndedRow | undefined;
  /** The row without an outcome, although a change was made already, such as the first of two. */
  readonly begun?: RowRecord | undefined;
}

/** Every row of the plan of a batch of changes, with what the ledger has of it. */
export async function* plannedRecords(
  ledger: Pick<LedgerReader, 'plannedRows' | 'rows'>,
  batch: BatchId,
): AsyncGenerator<PlannedRecord, void, undefined> {
  for await (const part of plannedParts(ledger, batch)) {
    const records = await ledger.rows(batch, part[0]?.row ?? 0, part.length);
    const byRow = new Map(records.map((record) => [record.row, record]));
    for (const planned of part) {
      const known = byRow.get(planned.row);
      if (known === undefined || hasEnded(known)) yield { planned, record: known };
      else yield { planned, record: undefined, begun: known };
    }
  }
}
