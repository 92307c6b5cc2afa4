/** What the entries of a ledger add up to, stated again without the triggers that keep its totals and counts. */

/** Attempts by what came of them: what is counted of them, and what they moved but for what another one pays. */
export const HAPPENED = `happened AS MATERIALIZED (
  SELECT a.batch, c.account, c.operation, date(a.at / 1000, 'unixepoch') AS day, a.kind = 'retry' AS retried, k.kind, k.said,
         k.status IS NOT 404 AS other, count(*) AS n, sum(k.estimated) AS estimated, sum(iif(k.pays IS NULL, coalesce(k.spent, 0), 0)) AS spent,
         sum(iif(k.of IS NULL, a.reserved, 0)) AS reserved, sum(iif(k.kind = 'lost' OR k.kind = 'lost_beside', a.reserved, 0)) AS held
    FROM attempts a CROSS JOIN calls c ON c.id = a.call LEFT JOIN ends k ON k.of = a.id GROUP BY 1, 2, 3, 4, 5, 6, 7, 8)`;

/** The totals of what happened and of the notes, by scope. */
export const ADDED_TOTALS = `${HAPPENED},
moved AS MATERIALIZED (
  SELECT batch, account, day, retried, spent, reserved, held FROM happened
  UNION ALL
  SELECT p.batch, c.account, date(p.at / 1000, 'unixepoch'), p.kind = 'retry', m.spent, 0, m.held
    FROM (
      SELECT of AS payer, iif(pays IS NULL, spent, 0) AS spent, held FROM notes
      UNION ALL SELECT pays, spent, 0 FROM ends WHERE pays IS NOT NULL
      UNION ALL SELECT pays, spent, 0 FROM notes WHERE pays IS NOT NULL) m
    CROSS JOIN attempts p ON p.id = m.payer CROSS JOIN calls c ON c.id = p.call),
scopes AS (
  SELECT 'batch:' || batch AS scope, spent, reserved, held FROM moved
  UNION ALL SELECT 'day:' || account || ':' || day, spent, reserved, held FROM moved
  UNION ALL SELECT 'month:' || account || ':' || substr(day, 1, 7), spent, reserved, held FROM moved
  UNION ALL SELECT 'extra:' || batch, spent, reserved, held FROM moved WHERE retried),
added AS (
  SELECT scope, sum(spent) AS spent, sum(reserved) AS reserved, sum(held) AS held FROM scopes GROUP BY scope)`;
