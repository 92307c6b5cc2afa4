import type { AttemptId, BatchId, FinishedRow } from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { book } from './money.ts';
import { hasReadings, insertNotes } from './notes.ts';
import { batchNumber, ROWS_TABLE } from './tables.ts';

/** Inserts outcomes of rows of one batch. @param lower those that may count as having paid for an answer of a higher row. */
export function insertOutcomes(
  connection: Connection,
  batch: BatchId,
  rows: readonly FinishedRow[],
  lower: readonly FinishedRow[],
): void {
  const id = batchNumber(batch);
  const read = newestReadings(connection, rows);
  ROWS_TABLE.insertAll(
    connection,
    rows.map(({ row, outcome, answers, input }) => ({
      batch: id,
      row,
      outcome: outcome.kind,
      matched_by: outcome.kind === 'matched' ? outcome.matchedBy : null,
      reason: outcome.reason ?? null,
      answers: JSON.stringify(answers),
      input: input ?? null,
      read_to: read?.get(row) ?? null,
    })),
  );
  if (lower.length === 0) return;
  // A list that buys nothing has no payers, and one that does has none below the last row that asked.
  const last = connection.get<{ row: number }>(LAST_ASKING, id)?.row ?? 0;
  const paying = lower.filter(({ row }) => row < last);
  if (paying.length > 0) connection.run(LOWEST_ROWS, { used: usedBy(paying), batch: id });
}

const LAST_ASKING = 'SELECT row FROM attempts WHERE batch = +? ORDER BY row DESC LIMIT 1';

/** The newest reading of the answers of each row; undefined when no answer was ever read again. */
function newestReadings(
  connection: Connection,
  rows: readonly FinishedRow[],
): ReadonlyMap<number, number> | undefined {
  if (!hasReadings(connection)) return undefined;
  const newest = connection.all<{ row: number; id: number }>(NEWEST_READINGS, usedBy(rows));
  return new Map(newest.map(({ row, id }) => [row, id]));
}

const usedBy = (rows: readonly FinishedRow[]): string =>
  JSON.stringify(rows.map(({ row, answers }) => [row, answers]));

const NEWEST_READINGS = `
SELECT r.value ->> 0 AS row, max(e.id) AS id
  FROM json_each(?) r CROSS JOIN json_each(r.value, '$[1]') j
  CROSS JOIN notes e ON e.of = j.value AND (e.kind = 'reading' OR e.kind = 'read') GROUP BY 1`;

const LOWEST_ROWS = `
INSERT INTO payers (attempt, row)
  SELECT u.answer, u.row
    FROM (SELECT j.value AS answer, min(r.value ->> 0) AS row
            FROM json_each(:used) r CROSS JOIN json_each(r.value, '$[1]') j GROUP BY 1) u
    CROSS JOIN attempts a ON a.id = u.answer AND a.batch = :batch LEFT JOIN payers p ON p.attempt = a.id
   WHERE coalesce(p.row, a.row) > u.row
  ON CONFLICT (attempt) DO UPDATE SET row = excluded.row`;

export function retractMisses(connection: Connection, accountIdentity: string): number {
  const retracted = retract(connection, accountIdentity, FREE_MISSES, accountIdentity);
  forgetMisses(connection, accountIdentity);
  return retracted;
}

/** @returns how many of the answers were free refusals, and were taken back. */
export function retractRefusals(
  connection: Connection,
  accountIdentity: string,
  answers: readonly AttemptId[],
): number {
  return retract(connection, accountIdentity, FREE_REFUSALS, JSON.stringify(answers), accountIdentity);
}

/** @param standing selects what is taken back of the answers that stand. */
function retract(
  connection: Connection,
  accountIdentity: string,
  standing: string,
  ...values: readonly string[]
): number {
  book(connection);
  const at =
    connection.get<{ at: number | null }>(
      'SELECT max(at) AS at FROM (SELECT at FROM attempts ORDER BY id DESC LIMIT 1)',
    )?.at ?? 0;
  let retracted = 0;
  // Under an answer that was bought again is an older one, which becomes its call's answer again and may be taken back too.
  for (;;) {
    const taken = connection.all<{ call: number; of: number; sees: number | null }>(standing, ...values);
    if (taken.length === 0) break;
    insertNotes(
      connection,
      taken.map((each) => ({ ...each, kind: 'retracted' as const, at })),
    );
    retracted += taken.length;
  }
  if (retracted > 0) reopenRetracted(connection, accountIdentity);
  return retracted;
}

const STANDING = `
SELECT c.id AS call, c.stands AS "of",
       (SELECT max(g.attempt) FROM standing_answers g WHERE g.call = c.id AND g.attempt <> c.stands) AS sees`;

const FREE_MISSES = `${STANDING}
  FROM accounts p JOIN calls c ON c.account = p.id AND c.subject IS NULL AND c.state = 'answered'
  JOIN ends k ON k.of = c.stands AND k.kind = 'answered' AND k.said = 'no_match' AND k.spent = 0
   AND k.status = 404 AND p.last_other < k.id
 WHERE p.identity = ? AND NOT EXISTS (
   SELECT 1 FROM notes e WHERE e.of = c.stands AND e.kind = 'reading' AND (e.said <> 'no_match' OR e.spent > 0))`;

const FREE_REFUSALS = `${STANDING}
  FROM accounts p CROSS JOIN json_each(?) j CROSS JOIN attempts a ON a.id = j.value
  CROSS JOIN calls c ON c.id = a.call AND c.stands = a.id AND c.account = p.id AND c.subject IS NULL AND c.state = 'answered'
  CROSS JOIN ends k ON k.of = c.stands AND k.kind = 'answered' AND k.said = 'refused' AND k.spent = 0
 WHERE p.identity = ? AND NOT EXISTS (
   SELECT 1 FROM notes e WHERE e.of = c.stands AND e.kind = 'reading' AND (e.said <> 'refused' OR e.spent > 0))`;

/** Resets the count of misses that cannot be taken back, such as answers to changes: the user has read of them. */
function forgetMisses(connection: Connection, accountIdentity: string): void {
  const sql = 'UPDATE accounts SET misses = 0, misses_place = NULL, misses_kept = 0 WHERE identity = ?';
  connection.run(sql, accountIdentity);
}

/** Makes rows that a retracted answer had settled pending again, and reopens their batch unless it was replaced. */
function reopenRetracted(connection: Connection, accountIdentity: string): void {
  const affected = connection.all<{ batch: number; row: number }>(
    `SELECT DISTINCT r.batch, r.row FROM accounts p JOIN batches b ON b.account = p.id
       JOIN rows r ON r.batch = b.id JOIN json_each(r.answers) j
       JOIN notes x ON x.of = j.value AND x.kind = 'retracted'
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
