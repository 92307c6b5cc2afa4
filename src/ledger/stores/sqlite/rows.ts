import type { AttemptId, SettledRow } from '../../ledger.ts';
import { type OutcomeRow, outcomeChecksum } from './checksums.ts';
import type { Connection } from './connection.ts';
import { batchNumber } from './records.ts';

/** Rows of a batch and their outcomes. */

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
    read_to: newestReading(connection, answers),
  };
  connection.run(
    `INSERT INTO rows (batch, row, kind, matched_by, reason, answers, input, read_to, checksum)
       VALUES (:batch, :row, :kind, :matched_by, :reason, :answers, :input, :read_to, :checksum)
       ON CONFLICT (batch, row) DO UPDATE
       SET kind = excluded.kind, matched_by = excluded.matched_by, reason = excluded.reason,
           answers = excluded.answers, input = excluded.input, read_to = excluded.read_to,
           checksum = excluded.checksum`,
    { ...cells, checksum: outcomeChecksum(cells) },
  );
  for (const answer of answers) {
    const sql =
      'UPDATE attempts SET paid_row = :row WHERE id = :answer AND batch = :batch AND paid_row > :row';
    connection.run(sql, { row, answer, batch: id });
  }
}

/** The reading that settled the row, whatever is read of its answers later. */
function newestReading(connection: Connection, answers: readonly AttemptId[]): number | null {
  const newest = answers.map((answer) => {
    const sql = 'SELECT max(id) AS id FROM readings WHERE attempt = ?';
    return connection.get<{ id: number | null }>(sql, answer)?.id ?? 0;
  });
  return Math.max(0, ...newest) || null;
}

/** Rows settled by an answer to a question that another dialect read, in order, at most `limit`. */
export function rowsReadOtherwise(
  connection: Connection,
  batch: number,
  { dialect, fromRow, limit }: { readonly dialect: number; readonly fromRow: number; readonly limit: number },
): readonly StoredOutcome[] {
  return connection.all<StoredOutcome>(
    `SELECT * FROM rows w
      WHERE w.batch = :batch AND w.row >= :fromRow AND EXISTS (
        SELECT 1 FROM json_each(w.answers) j
          CROSS JOIN closures k ON k.attempt = j.value
          CROSS JOIN attempts a ON a.id = k.attempt
          CROSS JOIN calls c ON c.id = a.call AND c.subject IS NULL
         WHERE (k.kind = 'settled' OR EXISTS (
             SELECT 1 FROM readings e WHERE e.attempt = k.attempt AND e.id <= coalesce(w.read_to, 0)))
           AND coalesce(
           (SELECT e.dialect FROM readings e
             WHERE e.attempt = k.attempt AND e.id <= coalesce(w.read_to, 0) ORDER BY e.id DESC LIMIT 1),
           k.dialect) IS NOT :dialect)
      ORDER BY w.row LIMIT :limit`,
    { batch, dialect, fromRow, limit },
  );
}

export type StoredOutcome = OutcomeRow & { readonly checksum: number | null };

/** @returns how many answers were taken back. */
export function retractMisses(connection: Connection, accountIdentity: string): number {
  let retracted = 0;
  // Under a miss that was bought again is an older one, which becomes its call's answer again and is taken back too.
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
        WHERE p.identity = ? AND NOT EXISTS (
          SELECT 1 FROM readings e WHERE e.attempt = c.answer AND (e.answer <> 'no_match' OR e.charged > 0))`,
    accountIdentity,
  );
  return changes;
}

/** Resets the count of misses that cannot be taken back, such as answers to changes: the user has read of them. */
function forgetMisses(connection: Connection, accountIdentity: string): void {
  const sql = 'UPDATE accounts SET misses = 0, misses_place = NULL, misses_kept = 0 WHERE identity = ?';
  connection.run(sql, accountIdentity);
}

/** Makes rows that a retracted answer had settled pending again, and reopens their batch unless it was replaced. */
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
