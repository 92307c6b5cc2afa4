import { attemptsOf } from './lookups.ts';

/** What is old enough to be erased, in SQL: dated before `:before`. */

/** Every batch with its list, which is no older than the batch: `isYoung` says that the batch is too young; NULL: of no age. */
export const BATCHES_OF_INPUTS = `
SELECT b.id, b.input_path AS path, b.state = 'open' OR (b.state = 'finished' AND EXISTS (
  SELECT 1 FROM tallies t WHERE t.batch = b.id AND t.name = 'row:in_doubt' AND t.count > 0)) AS goesOn,
  :before IS NOT NULL AND (
    b.created_at >= :before OR EXISTS (SELECT 1 FROM attempts a WHERE a.batch = b.id AND a.at >= :before)) AS isYoung
  FROM batches b`;

/**
 * What batches that go on would buy again. The ledger does not know what the rows of an open batch ask that are not finished
 * yet, so all answers to its operation count. Of a finished one, rows in doubt are worked through once more.
 */
const NEEDED_BY = `coalesce(
  (SELECT b.id FROM batches b WHERE b.state = 'open' AND b.account = c.account AND b.operation = c.operation LIMIT 1),
  (SELECT d.batch FROM doubtful d WHERE d.call = c.id))`;

const DOUBTFUL = `
doubtful AS MATERIALIZED (
  SELECT a.call, min(r.batch) AS batch
    FROM batches b JOIN rows r ON r.batch = b.id AND r.outcome = 'in_doubt', json_each(r.answers) j
    JOIN attempts a ON a.id = j.value
   WHERE b.state = 'finished' GROUP BY a.call)`;

/** Calls of the account `:account`, an identity; NULL: of all. */
export const OLD_CALLS = `
WITH ${DOUBTFUL}
SELECT c.id, ${NEEDED_BY} AS needed_by, l.batch, l.row, c.state = 'doubt' OR c.open IS NOT NULL AS unsettled
  FROM calls c JOIN accounts p ON p.id = c.account
  JOIN attempts l ON l.id = (SELECT max(a.id) FROM ${attemptsOf('c.id')} a)
 WHERE c.subject IS NULL AND c.terms ->> '$.erasedAtMs' IS NULL AND (:account IS NULL OR p.identity = :account)
   AND l.at < :before
   AND NOT EXISTS (
     SELECT 1 FROM ${attemptsOf('c.id')} a LEFT JOIN ends k ON k.of = a.id LEFT JOIN notes t ON t.of = a.id AND t.kind = 'told'
      WHERE max(coalesce(k.at, 0), coalesce(t.facts ->> '$.received_at', 0)) >= :before)`;

/** Rows of the calls `:calls`, and rows of old batches of the account that were never sent: their reason quotes their cells. */
export const OLD_ROWS = `
SELECT r.batch, r.row FROM rows r, json_each(r.answers) j JOIN attempts a ON a.id = j.value
 WHERE r.outcome <> 'in_doubt' AND a.call IN (SELECT value FROM json_each(:calls))
UNION SELECT r.batch, r.row FROM rows r JOIN batches b ON b.id = r.batch JOIN accounts p ON p.id = b.account
 WHERE b.vendor = 'provider' AND b.state <> 'open' AND b.created_at < :before AND r.outcome = 'invalid'
   AND (:account IS NULL OR p.identity = :account) AND r.reason NOT LIKE 'erased on ____-__-__'`;
