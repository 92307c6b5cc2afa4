import type { Agreement } from '../../ledger.ts';
import type { Connection } from './connection.ts';
import type { ReadRow } from './table.ts';
import { AGREEMENTS_TABLE, wholeMs } from './tables.ts';

/** The requests of jobs and dialects to which a person agreed. */

export function agreementTo(connection: Connection, sha256: string): Agreement | undefined {
  const row = connection.get<ReadRow<typeof AGREEMENTS_TABLE>>(
    'SELECT * FROM agreements WHERE sha256 = ?',
    sha256,
  );
  if (row === undefined) return undefined;
  const { shown, agreed_at: agreedAtMs } = AGREEMENTS_TABLE.checked(row);
  return { sha256, shown, agreedAtMs };
}

/** Keeps an agreement; an earlier one for the same content stays. */
export function insertAgreement(connection: Connection, { sha256, shown, agreedAtMs }: Agreement): void {
  if (agreementTo(connection, sha256) !== undefined) return;
  AGREEMENTS_TABLE.insert(connection, { sha256, shown, agreed_at: wholeMs(agreedAtMs) });
}
