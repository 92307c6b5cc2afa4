import type { AttemptId, BatchId, Ledger } from '../../ledger.ts';
import { oneColumn, onlyOne, type Sql } from './connection.ts';
import { json, type Session } from './session.ts';

/** The answers that may only speak of the account: those of status 404, and refusals. */

export const misses = ({ database }: Session) =>
  ({
    retractMisses: (accountIdentity) => database.write((sql) => retractMisses(sql, accountIdentity)),
    retractRefusals: (accountIdentity, answers) =>
      database.write((sql) => retractRefusals(sql, accountIdentity, answers)),
    async markMisses(accountIdentity, { place, kept }) {
      await database.rows(MARK, [accountIdentity, json(place), kept]);
    },
  }) satisfies Partial<Ledger>;

/**
 * What an account `p` answered, and how many misses came since the newest other answer had ended. The call of each is looked up, because
 * the planner, which cannot know how few are that new, would read all calls.
 */
export const ANSWERED = `
SELECT o.*, (SELECT count(*) FROM entries e
              WHERE e.kind = 'answered' AND e.status = 404 AND e.id > greatest(o.ended, p.misses_forgotten)
                AND (SELECT c.account FROM calls c WHERE c.id = e.call) = p.identity) AS misses
  FROM (SELECT coalesce(sum(answers), 0) AS answers, coalesce(sum(others), 0) AS others, coalesce(sum(found), 0) AS found,
               coalesce(max(other_ended), 0) AS ended, coalesce(max(other_sent), 0) AS sent
          FROM tallies WHERE account = p.identity) o`;

/** If another answer has ended them meanwhile, there is nothing to mark. */
const MARK = `
UPDATE accounts p SET misses_place = $2, misses_kept = $3, misses_after = t.ended
  FROM accounts q CROSS JOIN LATERAL (${ANSWERED.replaceAll('p.', 'q.')}) t
 WHERE p.identity = $1 AND q.identity = p.identity AND t.misses > 0`;

async function retractMisses(sql: Sql, accountIdentity: string): Promise<number> {
  await onlyOne(sql, 'deciding');
  const calls = await oneColumn<number>(sql, MISSED, [accountIdentity]);
  const retracted = await retract(sql, RETRACT_MISSES, accountIdentity, calls);
  // Misses that cannot be taken back count no more: the user has read of them.
  const forget = `UPDATE accounts SET misses_forgotten = nextval('numbers'), misses_place = NULL, misses_kept = false WHERE identity = $1`;
  await sql.rows(forget, [accountIdentity]);
  return retracted;
}

async function retractRefusals(
  sql: Sql,
  accountIdentity: string,
  answers: readonly AttemptId[],
): Promise<number> {
  await onlyOne(sql, 'deciding');
  return retract(sql, RETRACT_REFUSALS, accountIdentity, answers);
}

async function retract(
  sql: Sql,
  statement: string,
  accountIdentity: string,
  among: readonly number[],
): Promise<number> {
  const retracted: number[] = [];
  // Under an answer that was bought again is an older one, which becomes its call's answer again and may be taken back too.
  for (;;) {
    const found = await oneColumn<number>(sql, statement, [accountIdentity, among]);
    if (found.length === 0) break;
    retracted.push(...found);
  }
  if (retracted.length > 0) await reopen(sql, accountIdentity, retracted);
  return retracted.length;
}

/** Few calls of a large ledger: an index has its misses, and the planner cannot know how many are that new. */
const MISSED = `
SELECT DISTINCT call FROM entries WHERE kind = 'answered' AND status = 404
   AND id > (SELECT coalesce(max(other_sent), 0) FROM tallies WHERE account = $1)`;

/** The free answers to take back of an account, each with the answer that it had replaced. @param which of them `$2` names. */
const retraction = (said: 'no_match' | 'refused', which: string): string => `
WITH miss AS (
  SELECT c.id AS call, c.stands AS of, (
      SELECT max(b.id) FROM entries b JOIN entries a ON a.of = b.id AND a.kind IN ('answered', 'told', 'read')
       WHERE b.call = c.id AND b.id = b.of AND b.id <> c.stands
         AND NOT EXISTS (SELECT FROM entries x WHERE x.of = b.id AND x.kind = 'retracted')) AS sees
    FROM calls c JOIN entries k ON k.of = c.stands
   WHERE ${which} AND c.account = $1 AND c.state = 'answered' AND k.kind = 'answered' AND k.said = '${said}' AND k.spent = 0
     AND NOT EXISTS (SELECT FROM entries e WHERE e.of = k.of AND e.kind = 'reading' AND (e.said <> '${said}' OR e.spent > 0))
   ORDER BY c.id FOR UPDATE OF c
), moved AS (
  UPDATE calls c SET state = CASE WHEN m.sees IS NULL THEN 'free' ELSE 'answered' END, stands = m.sees,
      kind = 'retracted', of = m.of
    FROM miss m WHERE c.id = m.call RETURNING c.head AS id, m.*
)
INSERT INTO entries (id, of, call, kind, sees, at)
  SELECT id, of, call, 'retracted', sees, (SELECT at FROM entries WHERE id = of ORDER BY of DESC LIMIT 1) FROM moved RETURNING of`;

/** Those that were answered after the last other answer had been asked for. */
const RETRACT_MISSES = retraction(
  'no_match',
  `c.id = ANY ($2) AND k.status = 404 AND k.id > (SELECT coalesce(max(other_sent), 0) FROM tallies WHERE account = $1)`,
);

const RETRACT_REFUSALS = retraction(
  'refused',
  'c.id IN (SELECT call FROM entries WHERE id = ANY ($2)) AND c.stands = ANY ($2)',
);

/** Makes rows that a retracted answer had finished pending again, and reopens their batch unless it was replaced. */
async function reopen(sql: Sql, accountIdentity: string, retracted: readonly number[]): Promise<void> {
  const emptied = await oneColumn<BatchId>(sql, 'SELECT reopen_rows($1, $2)', [accountIdentity, retracted]);
  await sql.rows(
    `UPDATE batches b SET state = CASE WHEN EXISTS (
         SELECT FROM batches n WHERE n.lineage = b.lineage AND n.ordinal > b.ordinal) THEN 'superseded' ELSE 'open' END
      WHERE id = ANY ($1) AND state = 'finished'`,
    [[...new Set(emptied)]],
  );
}
