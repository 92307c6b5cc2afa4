import type { Agreement } from '../../ledger.ts';
import { type AgreementRow, agreementChecksum } from './checksums.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { wholeMs } from './entries.ts';

/** The requests of jobs and dialects to which a person agreed. */

export function agreementTo(connection: Connection, sha256: string): Agreement | undefined {
  const sql = 'SELECT * FROM agreements WHERE sha256 = ?';
  const row = connection.get<AgreementRow & { readonly checksum: number }>(sql, sha256);
  if (row === undefined) return undefined;
  if (row.checksum !== agreementChecksum(row)) throw new AlteredRow('an agreement was altered');
  return { sha256, shown: row.shown, agreedAtMs: row.agreed_at };
}

/** Keeps an agreement; an earlier one for the same content stays. */
export function insertAgreement(connection: Connection, { sha256, shown, agreedAtMs }: Agreement): void {
  if (agreementTo(connection, sha256) !== undefined) return;
  const row = { sha256, shown, agreed_at: wholeMs(agreedAtMs) };
  connection.run(
    `INSERT INTO agreements (sha256, shown, agreed_at, checksum)
       VALUES (:sha256, :shown, :agreed_at, :checksum)`,
    { ...row, checksum: agreementChecksum(row) },
  );
}
