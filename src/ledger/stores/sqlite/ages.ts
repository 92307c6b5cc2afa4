import type { FreshSince } from '../../ledger.ts';
import type { Connection } from './connection.ts';

/** How old answers are, and what became of buying them again. The view `answer_ages` defines the age of an answer. */

/** Goes through the rows of the batch until it finds one, a million rows in about two seconds. */
export function hasOlderThan(connection: Connection, batch: number, freshSince: FreshSince): boolean {
  const { foundMs = null, noMatchMs = null } = freshSince;
  if (foundMs === null && noMatchMs === null) return false;
  const older = connection.get(
    `SELECT 1 FROM rows r JOIN json_each(r.answers) j
       JOIN answer_ages g ON g.attempt = j.value
      WHERE r.batch = :batch AND g.answered_at < iif(g.found, :foundMs, :noMatchMs)
        AND NOT EXISTS (
          SELECT 1 FROM attempts l JOIN closures k ON k.attempt = l.id AND k.kind = 'in_doubt'
           WHERE l.replaces = g.attempt AND l.intent_at >= iif(g.found, :foundMs, :noMatchMs))
      LIMIT 1`,
    { batch, foundMs, noMatchMs },
  );
  return older !== undefined;
}

export function lostRefresh(connection: Connection, answer: number): number | undefined {
  const row = connection.get<{ at: number | null }>(
    `SELECT max(l.intent_at) AS at FROM attempts l JOIN closures k ON k.attempt = l.id AND k.kind = 'in_doubt'
      WHERE l.replaces = +?`,
    answer,
  );
  return row?.at ?? undefined;
}
