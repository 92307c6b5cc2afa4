import { ADDED_TOTALS } from './verify.ts';
import { COUNTS, happened } from './verify-counts.ts';

const HAPPENED = `happened AS MATERIALIZED (${happened('TRUE')})`;

/** What a ledger counts and adds up as it grows, made at once of the entries of a copy. */
export const COUNTED_ANEW: readonly string[] = [
  `INSERT INTO losses (attempt, call, holds, ended)
     SELECT e.of, e.call, a.reserved, (
         SELECT n.id FROM notes n WHERE n.of = e.of AND n.kind IN ('freed', 'released', 'told', 'counted', 'read'))
       FROM ends e JOIN attempts a ON a.id = e.of WHERE e.kind IN ('lost', 'lost_beside')`,
  `WITH ${HAPPENED}, ${ADDED_TOTALS} INSERT INTO totals (scope, spent, reserved, held) SELECT scope, spent, reserved, held FROM added`,
  `WITH ${HAPPENED}, ${COUNTS}
   INSERT INTO tallies (batch, name, count)
     SELECT batch, name, n FROM counted WHERE n > 0
     UNION ALL SELECT batch, 'estimated', sum(estimated) FROM ended GROUP BY 1 HAVING sum(estimated) > 0`,
  `WITH ${HAPPENED}, ${COUNTS} INSERT INTO match_rates (account, operation, found, answers) SELECT account, operation, found, n FROM rates`,
  `WITH ${HAPPENED}, ${COUNTS}
   UPDATE accounts SET answers = m.n, answers_not_404 = m.other FROM payers m WHERE m.account = accounts.id`,
  `UPDATE accounts SET last_other = m.newest FROM (
     SELECT c.account, max(k.of) AS newest FROM ends k JOIN calls c ON c.id = k.call
      WHERE k.kind = 'answered' AND k.status <> 404 GROUP BY 1) m WHERE m.account = accounts.id`,
];
