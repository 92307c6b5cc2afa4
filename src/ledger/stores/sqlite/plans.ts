import type { RowNumber } from '../../../core/row.ts';
import type { BatchId, PlannedRow } from '../../ledger.ts';
import { type PlannedCells, plannedChecksum } from './checksums.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { batchNumber } from './records.ts';

/** Plans of batches of changes: written with their batch, and never altered. */

/** Writes the plan. This comes before the batch itself, which completes the plan (`schema/changes.ts`). */
export function insertPlan(connection: Connection, batch: number, plan: readonly PlannedRow[]): void {
  const sql = 'INSERT INTO planned (batch, row, planned, checksum) VALUES (?, ?, ?, ?)';
  for (const { row, ...rest } of plan) {
    const planned = JSON.stringify(rest);
    connection.run(sql, batch, row, planned, plannedChecksum({ batch, row, planned }));
  }
}

export function plannedRows(
  connection: Connection,
  batch: BatchId,
  fromRow: RowNumber,
  limit: number,
): readonly PlannedRow[] {
  return connection
    .all<PlannedCells & { readonly checksum: number }>(
      'SELECT * FROM planned WHERE batch = ? AND row >= ? ORDER BY row LIMIT ?',
      batchNumber(batch),
      fromRow,
      limit,
    )
    .map(plannedRowOf);
}

function plannedRowOf(row: PlannedCells & { readonly checksum: number }): PlannedRow {
  if (row.checksum !== plannedChecksum(row)) throw new AlteredRow(`planned row ${row.row} was altered`);
  return { row: row.row, ...JSON.parse(row.planned) };
}
