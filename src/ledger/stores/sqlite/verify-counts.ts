import { OUTCOME_KINDS } from '../../../core/row.ts';

/**
 * Counts that are kept so that nobody has to count entries, stated again without the triggers that keep them: how rows
 * ended, how many requests were sent, how many were found, and which row paid.
 */
export type Wrong = readonly [sql: string, problem: (id: number) => string];

export const ATTEMPTED = 'attempts a CROSS JOIN calls c ON c.id = a.call LEFT JOIN ends k ON k.of = a.id';

/**
 * What came of attempts, added up: what is counted of them, and what they moved but for what another one pays. @param also further
 * sums.
 */
export const happened = (where: string, also = ''): string => `
SELECT a.batch, c.account, c.operation, date(a.at / 1000, 'unixepoch') AS day, a.kind = 'retry' AS retried, k.kind, k.said,
       k.status IS NOT 404 AS other, count(*) AS n, sum(k.estimated) AS estimated, sum(iif(k.pays IS NULL, coalesce(k.spent, 0), 0)) AS spent,
       sum(iif(k.of IS NULL, a.reserved, 0)) AS reserved, sum(iif(k.kind = 'lost' OR k.kind = 'lost_beside', a.reserved, 0)) AS held${also}
  FROM ${ATTEMPTED} WHERE ${where} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`;

/** Everything that is counted of entries. */
const COUNTED = `
ended AS MATERIALIZED (
  SELECT batch, account, operation, kind, said, other, n, estimated FROM happened WHERE kind IS NOT NULL
  UNION ALL
  SELECT a.batch, c.account, c.operation, k.kind, k.said, FALSE, count(*), sum(k.estimated)
    FROM notes k CROSS JOIN attempts a ON a.id = k.of CROSS JOIN calls c ON c.id = k.call GROUP BY 1, 2, 3, 4, 5)`;

/** Rows are added up as they stand, because sorting them by their outcomes takes three times as long. */
export const COUNTS = `${COUNTED},
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

const WRONG_COUNTS = `
WITH ${COUNTS}
SELECT b.ordinal AS id
  FROM counted w FULL JOIN (SELECT * FROM tallies WHERE name <> 'estimated') t ON t.batch = w.batch AND t.name = w.name
  LEFT JOIN batches b ON b.id = coalesce(t.batch, w.batch)
 WHERE coalesce(w.n, 0) IS NOT coalesce(t.count, 0)
UNION ALL
SELECT coalesce(w.account, m.account)
  FROM rates w FULL JOIN match_rates m ON m.account = w.account AND m.operation = w.operation
 WHERE (coalesce(w.found, 0), coalesce(w.n, 0)) IS NOT (coalesce(m.found, 0), coalesce(m.answers, 0))
UNION ALL
SELECT p.id
  FROM accounts p LEFT JOIN payers w ON w.account = p.id
 WHERE (p.answers, p.answers_not_404) IS NOT (coalesce(w.n, 0), coalesce(w.other, 0))
 LIMIT 1`;

/** A row is open again when any of its answers was taken back, and until it has settled no row names what else it has paid for. */
const WRONG_PAYER = `
SELECT y.attempt AS id
  FROM payers y LEFT JOIN attempts a ON a.id = y.attempt
 WHERE a.row IS NULL OR y.row >= a.row
    OR (NOT EXISTS (SELECT 1 FROM erasures)
      AND NOT EXISTS (SELECT 1 FROM notes WHERE kind = 'retracted')
      AND NOT EXISTS (
        SELECT 1 FROM rows r JOIN json_each(r.answers) j WHERE r.batch = a.batch AND r.row = y.row AND j.value = a.id))
UNION ALL
SELECT a.id
  FROM rows r CROSS JOIN json_each(r.answers) j CROSS JOIN attempts a ON a.id = j.value
  LEFT JOIN payers y ON y.attempt = a.id
 WHERE r.outcome <> 'in_doubt' AND +a.batch = r.batch AND coalesce(y.row, a.row) > r.row
 LIMIT 1`;

export const WRONG_COUNTED: readonly Wrong[] = [
  [
    WRONG_COUNTS,
    (id) => `what is counted of batch or account number ${id} is not what its entries add up to`,
  ],
  [WRONG_PAYER, (attempt) => `attempt ${attempt} names another row as its payer than the rows do`],
];
