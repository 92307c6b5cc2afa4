import { attemptsOf } from './lookups.ts';

/**
 * What is old enough to be erased for its age, in SQL: made before `:before`. `isSure` says whether that has to be sure;
 * otherwise entries are as old as they are dated.
 */

/** Calls of the account `:account`, an identity; NULL: of all. */
export function oldCalls(isSure: boolean): string {
  return isSure ? `${OLD_CALLS} AND ${IS_SURELY_OLD}` : OLD_CALLS;
}

/** Rows of the calls `:calls`, and rows of old batches of the account that were never sent. */
export function oldRows(isSure: boolean): string {
  return isSure ? `WITH ${BOOTS}, ${MADE} ${OLD_ROWS} AND ${IS_BATCH_SURELY_OLD}` : OLD_ROWS;
}

/** Every batch with its list, which is no older than the batch: `isYoung` says that the batch may be too young. */
export function batchesOfInputs(isSure: boolean): string {
  return isSure
    ? `WITH ${BOOTS}, ${MADE} SELECT ${INPUT}, NOT (${IS_BATCH_SURELY_OLD}) AS isYoung FROM batches b`
    : `SELECT ${INPUT}, 0 AS isYoung FROM batches b`;
}

/**
 * When the boot clock of each boot began to count, by the last time that an answer confirmed in it; and the first time that
 * is certain in a later boot. Attempts without a boot were made before all of them.
 */
const BOOTS = `
begun AS MATERIALIZED (
  SELECT id, confirmed_at - confirmed_uptime AS at, seen_uptime FROM boots WHERE confirmed_at IS NOT NULL),
spans AS MATERIALIZED (
  SELECT b.id, (SELECT at FROM begun WHERE id = b.id) AS begun,
         (SELECT min(at + seen_uptime) FROM begun WHERE id > b.id) AS ended
    FROM (SELECT id FROM boots UNION ALL SELECT 0 AS id) b)`;

/**
 * A clock that was behind has dated entries too early. An attempt was made when the boot clock says, where answers of that
 * boot told the time, and otherwise before the next boot in which one did. Until there is one its age is not known.
 */
const LATEST = 'coalesce(s.begun + l.uptime, s.ended)';
const IS_SURELY_OLD = `${LATEST} < :before`;

/** Between what times the attempts of each batch were made; one whose age is not known, as late as can be. */
const MADE = `
made AS MATERIALIZED (
  SELECT l.batch, min(${LATEST}) AS first, max(coalesce(${LATEST}, 9e18)) AS last
    FROM attempts l JOIN spans s ON s.id = coalesce(l.boot, 0) GROUP BY l.batch)`;

/**
 * A batch has no boot. It began before every attempt of itself and of later batches, and its rows may be as young as its
 * last one.
 */
const IS_BATCH_SURELY_OLD = `
  b.ordinal <= (SELECT max(n.ordinal) FROM made m JOIN batches n ON n.id = m.batch WHERE m.first < :before)
  AND NOT EXISTS (SELECT 1 FROM made m WHERE m.batch = b.id AND m.last >= :before)`;

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

const OLD_CALLS = `
WITH ${BOOTS}, ${DOUBTFUL}
SELECT c.id, ${NEEDED_BY} AS needed_by, l.batch, l.row, c.state = 'doubt' OR c.open IS NOT NULL AS unsettled
  FROM calls c JOIN accounts p ON p.id = c.account
  JOIN attempts l ON l.id = (SELECT max(a.id) FROM ${attemptsOf('c.id')} a)
  JOIN spans s ON s.id = coalesce(l.boot, 0)
 WHERE c.subject IS NULL AND c.terms ->> '$.erasedAtMs' IS NULL AND (:account IS NULL OR p.identity = :account)
   AND l.at < :before
   AND NOT EXISTS (
     SELECT 1 FROM ${attemptsOf('c.id')} a LEFT JOIN ends k ON k.of = a.id LEFT JOIN notes t ON t.of = a.id AND t.kind = 'told'
      WHERE max(coalesce(k.at, 0), coalesce(t.facts ->> '$.received_at', 0)) >= :before)`;

/** The reason of a row that was never sent quotes its cells. */
const OLD_ROWS = `
SELECT r.batch, r.row FROM rows r, json_each(r.answers) j JOIN attempts a ON a.id = j.value
 WHERE r.outcome <> 'in_doubt' AND a.call IN (SELECT value FROM json_each(:calls))
UNION SELECT r.batch, r.row FROM rows r JOIN batches b ON b.id = r.batch JOIN accounts p ON p.id = b.account
 WHERE b.vendor = 'provider' AND b.state <> 'open' AND b.created_at < :before AND r.outcome = 'invalid'
   AND (:account IS NULL OR p.identity = :account) AND r.reason NOT LIKE 'erased on ____-__-__'`;

const INPUT = `
b.id, b.input_path AS path, b.state = 'open' OR (b.state = 'finished' AND EXISTS (
  SELECT 1 FROM tallies t WHERE t.batch = b.id AND t.name = 'row:in_doubt' AND t.count > 0)) AS goesOn`;
