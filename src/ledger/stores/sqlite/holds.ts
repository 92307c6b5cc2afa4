import type { BatchId } from '../../ledger.ts';
import type { Connection } from './connection.ts';
import type { ReadRow } from './table.ts';
import { batchNumber, HOLDS_TABLE, nextNumber, wholeMs } from './tables.ts';

/** The batches that a person has paused. */

/** Finds out since when the batch is paused; undefined when it may go on. */
export function heldSince(connection: Connection, batch: BatchId): number | undefined {
  const row = connection.get<ReadRow<typeof HOLDS_TABLE>>(
    'SELECT * FROM holds WHERE batch = ? ORDER BY id DESC LIMIT 1',
    batchNumber(batch),
  );
  if (row === undefined) return undefined;
  const { held, at } = HOLDS_TABLE.checked(row);
  return held === 1 ? at : undefined;
}

/** Adds an entry, unless the batch is held, or not held, already. */
export function insertHold(connection: Connection, batch: BatchId, held: boolean, atMs: number): void {
  if ((heldSince(connection, batch) !== undefined) === held) return;
  HOLDS_TABLE.insert(connection, {
    id: nextNumber(connection, 'holds'),
    batch: batchNumber(batch),
    held: held ? 1 : 0,
    at: wholeMs(atMs),
  });
}
