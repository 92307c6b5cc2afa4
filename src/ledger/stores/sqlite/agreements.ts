import type { Agreement, LedgerReader } from '../../ledger.ts';
import type { Connection, Reads } from './connection.ts';
import { checkedRows } from './lookups.ts';
import { AGREEMENTS_TABLE, wholeMs } from './tables.ts';

/** The requests of jobs and dialects to which a person agreed. */

export const AGREEMENT_READS = {
  agreement(connection, sha256) {
    const [row] = checkedRows(connection, AGREEMENTS_TABLE, 'sha256 = ?', sha256);
    return row && { sha256, shown: row.shown, agreedAtMs: row.agreed_at };
  },
} satisfies Partial<Reads<LedgerReader>>;

/** Keeps an agreement; an earlier one for the same content stays. */
export function insertAgreement(connection: Connection, { sha256, shown, agreedAtMs }: Agreement): void {
  if (AGREEMENT_READS.agreement(connection, sha256) !== undefined) return;
  AGREEMENTS_TABLE.insert(connection, { sha256, shown, agreed_at: wholeMs(agreedAtMs) });
}
