import type { SettledRow } from '../../ledger.ts';
import { outcomeChecksum } from './checksums.ts';
import type { Connection } from './connection.ts';
import { batchNumber } from './records.ts';

/** Rows of a batch and how they end. */

export function settleRow(connection: Connection, { batch, row, outcome, answers, input }: SettledRow): void {
  const id = batchNumber(batch);
  const cells = {
    batch: id,
    row,
    kind: outcome.kind,
    matched_by: outcome.kind === 'matched' ? outcome.matchedBy : null,
    reason: outcome.reason ?? null,
    answers: JSON.stringify(answers),
    input: input ?? null,
  };
  connection.run(
    `INSERT INTO rows (batch, row, kind, matched_by, reason, answers, input, checksum)
       VALUES (:batch, :row, :kind, :matched_by, :reason, :answers, :input, :checksum)
       ON CONFLICT (batch, row) DO UPDATE
       SET kind = excluded.kind, matched_by = excluded.matched_by, reason = excluded.reason,
           answers = excluded.answers, input = excluded.input, checksum = excluded.checksum`,
    { ...cells, checksum: outcomeChecksum(cells) },
  );
  for (const answer of answers) {
    const sql =
      'UPDATE attempts SET paid_row = :row WHERE id = :answer AND batch = :batch AND paid_row > :row';
    connection.run(sql, { row, answer, batch: id });
  }
}

/** @returns how many answers were taken back. */
export function retractMisses(connection: Connection, accountIdentity: string): number {
  let retracted = 0;
  // Below a miss that was bought anew lies an older one, which is its call's answer again and goes the same way.
  for (let newest = retractNewest(connection, accountIdentity); newest > 0; ) {
    retracted += newest;
    newest = retractNewest(connection, accountIdentity);
  }
  if (retracted > 0) reopenRetracted(connection, accountIdentity);
  forgetMisses(connection, accountIdentity);
  return retracted;
}

function retractNewest(connection: Connection, accountIdentity: string): number {
  const { changes } = connection.run(
    `INSERT INTO retractions (attempt)
       SELECT c.answer FROM accounts p JOIN calls c ON c.account = p.id AND c.subject IS NULL
         JOIN attempts a ON a.id = c.answer AND a.newest >= p.last_other
         JOIN closures k ON k.attempt = c.answer AND k.answer = 'no_match' AND k.charged = 0
         JOIN replies r ON r.attempt = c.answer AND r.status = 404
        WHERE p.identity = ?`,
    accountIdentity,
  );
  return changes;
}

/** What of them cannot be taken back, such as the answer to a change, counts no more: whoever took back has read of it. */
function forgetMisses(connection: Connection, accountIdentity: string): void {
  const sql = 'UPDATE accounts SET misses = 0, misses_place = NULL, misses_kept = 0 WHERE identity = ?';
  connection.run(sql, accountIdentity);
}

/** Rows that ended by an answer which is taken back are pending again, and so is their batch, unless it was replaced. */
function reopenRetracted(connection: Connection, accountIdentity: string): void {
  const affected = connection.all<{ batch: number; row: number }>(
    `SELECT DISTINCT r.batch, r.row FROM accounts p JOIN batches b ON b.account = p.id
       JOIN rows r ON r.batch = b.id JOIN json_each(r.answers) j JOIN retractions x ON x.attempt = j.value
      WHERE p.identity = ?`,
    accountIdentity,
  );
  for (const { batch, row } of affected) {
    connection.run('DELETE FROM rows WHERE batch = ? AND row = ?', batch, row);
    connection.run(
      `UPDATE batches SET state = iif(EXISTS (
           SELECT 1 FROM batches n WHERE n.lineage = batches.lineage AND n.ordinal > batches.ordinal),
           'superseded', 'open')
        WHERE id = ? AND state = 'finished'`,
      batch,
    );
  }
}
