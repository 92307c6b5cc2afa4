import { isOfCall } from './lookups.ts';

/**
 * Counts that are kept so that nobody has to count entries, stated again without the triggers that keep them: how rows
 * ended, how many requests were sent, how many were found, which row paid, and how often a call was repeated.
 */
type Wrong = [sql: string, problem: (id: number) => string];

/** Closed attempts with everything that is counted of them. */
const CLOSED = `
closed AS MATERIALIZED (
  SELECT a.batch, b.account AS payer, c.account, q.operation, k.kind, k.answer,
         x.attempt IS NOT NULL AS retracted, r.status IS NOT 404 AS other, count(*) AS n
    FROM closures k
    CROSS JOIN attempts a ON a.id = k.attempt
    CROSS JOIN calls c ON c.id = a.call
    CROSS JOIN asked q ON q.call = c.id
    CROSS JOIN batches b ON b.id = a.batch
    LEFT JOIN retractions x ON x.attempt = k.attempt
    LEFT JOIN replies r ON r.attempt = k.attempt AND k.kind = 'settled'
   GROUP BY 1, 2, 3, 4, 5, 6, 7, 8)`;

/** A told or reread answer counts as settled by its batch, if it was the last loss of the call. */
const WRONG_COUNTS = `
WITH ${CLOSED},
counted AS (
  SELECT batch, 'row:' || kind AS name, count(*) AS n FROM rows GROUP BY 1, 2
  UNION ALL SELECT batch, 'requests', sum(n) FROM closed WHERE kind <> 'not_sent' GROUP BY 1
  UNION ALL SELECT batch, 'calls', sum(n) FROM (
    SELECT batch, n FROM closed WHERE kind = 'settled' AND NOT retracted
    UNION ALL
    SELECT a.batch, 1 FROM told t JOIN decisions d ON d.id = t.decision AND d.doubt = t.attempt
      JOIN attempts a ON a.id = t.attempt
    UNION ALL
    SELECT a.batch, 1 FROM (SELECT DISTINCT attempt FROM readings) e
      JOIN closures k ON k.attempt = e.attempt AND k.kind = 'in_doubt'
      JOIN attempts a ON a.id = e.attempt) GROUP BY 1),
settled AS (SELECT * FROM closed WHERE kind = 'settled'),
rates AS (
  SELECT account, operation, sum(iif(answer = 'found', n, 0)) AS found, sum(iif(retracted, 0, n)) AS n
    FROM settled GROUP BY 1, 2),
payers AS (
  SELECT payer AS account, sum(iif(retracted, 0, n)) AS n, sum(iif(other, n, 0)) AS other FROM settled GROUP BY 1)
SELECT b.ordinal AS id
  FROM counted w FULL JOIN tallies t ON t.batch = w.batch AND t.name = w.name
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

const WRONG_OPEN = `
SELECT a.id
  FROM attempts a LEFT JOIN closures k ON k.attempt = a.id
 WHERE a.open IS NOT (k.attempt IS NULL)
 LIMIT 1`;

/**
 * A row whose other answer was taken back is open again, and settles on the same payer. A row in doubt once
 * counted as a payer, and stayed the payer of a lost attempt, or of what was erased, when it was settled otherwise. CROSS JOIN keeps SQLite from searching all attempts of a batch for each of its rows.
 */
const WRONG_PAYER = `
SELECT a.id
  FROM attempts a
 WHERE a.paid_row <> a.row
   AND (a.paid_row > a.row
     OR (NOT EXISTS (SELECT 1 FROM retractions)
       AND NOT EXISTS (SELECT 1 FROM erasures)
       AND NOT EXISTS (SELECT 1 FROM closures WHERE attempt = a.id AND kind = 'in_doubt')
       AND NOT EXISTS (
         SELECT 1 FROM rows r JOIN json_each(r.answers) j
          WHERE r.batch = a.batch AND r.row = a.paid_row AND j.value = a.id)))
UNION ALL
SELECT a.id
  FROM rows r CROSS JOIN json_each(r.answers) j CROSS JOIN attempts a ON a.id = j.value
 WHERE r.kind <> 'in_doubt' AND +a.batch = r.batch AND a.paid_row > r.row
 LIMIT 1`;

const WRONG_REPEATS = `
SELECT c.id
  FROM calls c
 WHERE c.doubt IS NOT NULL AND c.repeats <> (
   SELECT count(*) FROM attempts a
     JOIN closures k ON k.attempt = a.id AND k.kind = 'in_doubt'
     JOIN decisions d ON d.id = a.decision AND d.kind = 'repeat'
    WHERE ${isOfCall('a.id', 'a.call', 'c.id')})
 LIMIT 1`;

export const WRONG_COUNTED: readonly Wrong[] = [
  [
    WRONG_COUNTS,
    (id) => `what is counted of batch or account number ${id} is not what its entries add up to`,
  ],
  [WRONG_OPEN, (attempt) => `attempt ${attempt} is open and closed`],
  [WRONG_PAYER, (attempt) => `attempt ${attempt} names another row as its payer than the rows do`],
  [WRONG_REPEATS, (call) => `call ${call} was not repeated as often as it says`],
];
