import { type Act, type Agreement, type BatchId, GOES_ON, type LedgerReader } from '../../ledger.ts';
import type { Connection, Reads } from './connection.ts';
import { checkedRows } from './lookups.ts';
import { ACTS_TABLE, AGREEMENTS_TABLE, batchNumber, HOLDS_TABLE, nextNumber, wholeMs } from './tables.ts';

function actsWhere(connection: Connection, where: string, ...values: readonly number[]): readonly Act[] {
  return checkedRows(connection, ACTS_TABLE, `${where} ORDER BY id`, ...values).map(
    ({ kind, operator, at, after }) => ({ kind: kind as Act['kind'], operator, atMs: at, after }),
  );
}

export const PEOPLE_READS = {
  agreement(connection, sha256) {
    const [row] = checkedRows(connection, AGREEMENTS_TABLE, 'sha256 = ?', sha256);
    return row && { sha256, shown: row.shown, agreedAtMs: row.agreed_at };
  },
  heldSince(connection, batch) {
    const newest = 'batch = ? ORDER BY id DESC LIMIT 1';
    const [hold] = checkedRows(connection, HOLDS_TABLE, newest, batchNumber(batch));
    return hold?.held === 1 ? hold.at : undefined;
  },
  acts: (connection, batch) => actsWhere(connection, "of = ? AND kind <> 'erased'", batchNumber(batch)),
  erasures: (connection) => actsWhere(connection, "kind = 'erased'"),
} satisfies Partial<Reads<LedgerReader>>;

export function noteAgreement(connection: Connection, { sha256, shown, agreedAtMs }: Agreement): void {
  if (PEOPLE_READS.agreement(connection, sha256) !== undefined) return;
  AGREEMENTS_TABLE.insert(connection, { sha256, shown, agreed_at: wholeMs(agreedAtMs) });
}

/** Adds an entry, unless the batch is held, or not held, already. @returns whether it did. */
export function noteHold(connection: Connection, batch: BatchId, held: boolean, atMs: number): boolean {
  if ((PEOPLE_READS.heldSince(connection, batch) !== undefined) === held) return false;
  const [id, at] = [nextNumber(connection, 'holds'), wholeMs(atMs)];
  HOLDS_TABLE.insert(connection, { id, batch: batchNumber(batch), held: held ? 1 : 0, at });
  return true;
}

type By = Pick<Act, 'operator' | 'atMs'>;

export function noteAct(
  connection: Connection,
  kind: Exclude<Act['kind'], 'erased'>,
  batch: BatchId,
  by: By,
): void {
  const newest = PEOPLE_READS.acts(connection, batch).at(-1);
  if (GOES_ON.includes(kind) && newest?.operator === by.operator) return;
  insertAct(connection, kind, batchNumber(batch), by);
}

export function insertAct(
  connection: Connection,
  kind: Act['kind'],
  of: number,
  { operator, atMs }: By,
): void {
  const after = nextNumber(connection, 'entries', 0) - 1;
  const id = nextNumber(connection, 'acts');
  ACTS_TABLE.insert(connection, { id, kind, of, after, at: wholeMs(atMs), operator });
}
