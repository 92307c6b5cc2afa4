import type { BatchId, LedgerReader } from '../../ledger.ts';
import type { Connection, Reads } from './connection.ts';
import { checkedRows } from './lookups.ts';
import { batchNumber, HOLDS_TABLE, nextNumber, wholeMs } from './tables.ts';

/** The batches that a person has paused. */

export const HOLD_READS = {
  heldSince(connection, batch) {
    const [newest] = checkedRows(
      connection,
      HOLDS_TABLE,
      'batch = ? ORDER BY id DESC LIMIT 1',
      batchNumber(batch),
    );
    return newest?.held === 1 ? newest.at : undefined;
  },
} satisfies Partial<Reads<LedgerReader>>;

/** Adds an entry, unless the batch is held, or not held, already. @returns whether it did. */
export function insertHold(connection: Connection, batch: BatchId, held: boolean, atMs: number): boolean {
  if ((HOLD_READS.heldSince(connection, batch) !== undefined) === held) return false;
  HOLDS_TABLE.insert(connection, {
    id: nextNumber(connection, 'holds'),
    batch: batchNumber(batch),
    held: held ? 1 : 0,
    at: wholeMs(atMs),
  });
  return true;
}
