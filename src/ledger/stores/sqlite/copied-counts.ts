import { OUTCOME_KINDS } from '../../../core/row.ts';
import { ADDED_TOTALS, HAPPENED } from './added-up.ts';

/** Rows are added up as they stand, because sorting them by their outcomes takes three times as long. */
const COUNTS = `${HAPPENED},
ended AS MATERIALIZED (
  SELECT batch, account, operation, kind, said, other, n, estimated FROM happened WHERE kind IS NOT NULL
  UNION ALL
  SELECT a.batch, c.account, c.operation, k.kind, k.said, FALSE, count(*), sum(k.estimated)
    FROM notes k CROSS JOIN attempts a ON a.id = k.of CROSS JOIN calls c ON c.id = k.call GROUP BY 1, 2, 3, 4, 5),
counted AS (
  SELECT w.batch, 'row:' || j.key AS name, j.value AS n FROM (
      SELECT batch, json_object(${OUTCOME_KINDS.map((outcome) => `'${outcome}', sum(outcome = '${outcome}')`).join(', ')}) AS ended
        FROM rows GROUP BY batch) w CROSS JOIN json_each(w.ended) j
  UNION ALL SELECT batch, 'requests', sum(n) FROM ended
   WHERE kind IN ('answered', 'lost', 'lost_beside') OR (kind = 'unsold' AND said <> 'not_sent') GROUP BY 1
  UNION ALL SELECT batch, 'calls', sum(iif(kind = 'retracted', -n, n)) FROM ended
   WHERE kind IN ('answered', 'told', 'read', 'retracted') GROUP BY 1),
settled AS (SELECT * FROM ended WHERE kind IN ('answered', 'retracted')),
rates AS (
  SELECT account, operation, sum(iif(kind = 'answered' AND said = 'found', n, 0)) AS found,
         sum(iif(kind = 'retracted', -n, n)) AS n
    FROM settled GROUP BY 1, 2),
payers AS (
  SELECT account, sum(iif(kind = 'retracted', -n, n)) AS n, sum(iif(kind = 'answered' AND other, n, 0)) AS other
    FROM settled GROUP BY 1)`;

/** What a ledger counts and adds up as it grows, made at once of the entries of a copy. */
export const COUNTED_ANEW: readonly string[] = [
  `INSERT INTO losses (attempt, call, holds, ended)
     SELECT e.of, e.call, a.reserved, (
         SELECT n.id FROM notes n WHERE n.of = e.of AND n.kind IN ('freed', 'released', 'told', 'counted', 'read'))
       FROM ends e JOIN attempts a ON a.id = e.of WHERE e.kind IN ('lost', 'lost_beside')`,
  `WITH ${ADDED_TOTALS} INSERT INTO totals (scope, spent, reserved, held) SELECT scope, spent, reserved, held FROM added`,
  `WITH ${COUNTS}
   INSERT INTO tallies (batch, name, count)
     SELECT batch, name, n FROM counted WHERE n > 0
     UNION ALL SELECT batch, 'estimated', sum(estimated) FROM ended GROUP BY 1 HAVING sum(estimated) > 0`,
  `WITH ${COUNTS} INSERT INTO match_rates (account, operation, found, answers) SELECT account, operation, found, n FROM rates`,
  `WITH ${COUNTS}
   UPDATE accounts SET answers = m.n, answers_not_404 = m.other FROM payers m WHERE m.account = accounts.id`,
  `UPDATE accounts SET last_other = m.newest FROM (
     SELECT c.account, max(k.of) AS newest FROM ends k JOIN calls c ON c.id = k.call
      WHERE k.kind = 'answered' AND k.status <> 404 GROUP BY 1) m WHERE m.account = accounts.id`,
];
