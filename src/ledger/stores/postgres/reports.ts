import { credits, type Ledger } from '../../ledger.ts';
import { DAY_MS, type SpentRow, spentFrom } from '../../rules/spent.ts';
import { recordsBy } from './attempt-records.ts';
import { oneCell, type Sql } from './connection.ts';
import type { Session } from './session.ts';

export const reports = ({ database }: Session) =>
  ({
    async attemptsAbout(values, after, most) {
      const { end, next } = await pageOf(database, CALLS, after, most);
      if (end === null) return { attempts: [] };
      // What a call asks is JSON, so a whole value in it stands in quotes.
      const quoted = values.map((value) => JSON.stringify(value));
      const attempts = await recordsBy(database, ABOUT, [after, end, quoted]);
      return { attempts, ...next };
    },
    async logged({ batch, changes = false }, before = Number.MAX_SAFE_INTEGER, most) {
      const { end, next } = await pageOf(database, LOWEST, before, most);
      if (end === null) return { attempts: [] };
      const attempts = await recordsBy(database, LOGGED, [end, before, batch ?? null, changes]);
      return { attempts, ...next };
    },
    async spentBetween(fromMs, untilMs, after, most) {
      const { end, next } = await pageOf(database, HIGHEST, after, most);
      if (end === null) return { parts: [] };
      const rows = await database.rows<SpentRow>(SPENT, [fromMs, untilMs, after, end]);
      return { parts: rows.map((row) => spentFrom(row, (batch) => batch)), ...next };
    },
    async saved(batch, fromRow, most) {
      const part = await database.row<{ count: number; last: number; saved: number }>(SAVED, [
        batch,
        fromRow,
        most,
      ]);
      const { count = 0, last = 0, saved = 0 } = part ?? {};
      return { credits: credits(saved), ...(count < most ? {} : { next: last + 1 }) };
    },
    async sent(batch, fromRow, rows) {
      const values = [batch, fromRow, fromRow + rows];
      const sent = await database.rows<{ atMs: number; endedAtMs: number; credits: number }>(SENT, values);
      const later = 'SELECT min(row) FROM entries WHERE id = of AND batch = $1 AND row >= $2';
      const next = await oneCell<number>(database, later, [batch, fromRow + rows]);
      return next === undefined ? { sent } : { sent, next };
    },
  }) satisfies Partial<Ledger>;

interface Page {
  readonly end: number | null;
  readonly next: { readonly next?: number };
}

async function pageOf(sql: Sql, text: string, after: number, most: number): Promise<Page> {
  const found = await sql.row<{ end: number | null; isLast: boolean }>(text, [after, most]);
  const end = found?.end ?? null;
  return { end, next: end === null || found?.isLast !== false ? {} : { next: end } };
}

const CALLS = `
SELECT max(id) AS "end", NOT EXISTS (SELECT FROM calls WHERE id > max(page.id)) AS "isLast"
  FROM (SELECT id FROM calls WHERE id > $1 ORDER BY id LIMIT $2) page`;

const ABOUT = `
SELECT a.of AS attempt FROM calls c JOIN entries a ON a.call = c.id AND a.id = a.of
 WHERE c.id > $1 AND c.id <= $2 AND EXISTS (
   SELECT FROM unnest($3::text[]) v (value) WHERE strpos(c.parameters::text, v.value) > 0 OR strpos(c.terms::text, v.value) > 0)
 ORDER BY a.of`;

const LOWEST = `
SELECT min(id) AS "end", NOT EXISTS (SELECT FROM entries WHERE id = of AND id < min(page.id)) AS "isLast"
  FROM (SELECT id FROM entries WHERE id = of AND id < $1 ORDER BY of DESC LIMIT $2) page`;

const HIGHEST = `
SELECT max(id) AS "end", NOT EXISTS (SELECT FROM entries WHERE id = of AND id > max(page.id)) AS "isLast"
  FROM (SELECT id FROM entries WHERE id = of AND of > $1 ORDER BY of LIMIT $2) page`;

const LOGGED = `
SELECT e.id AS attempt FROM entries e
 WHERE e.id = e.of AND e.of >= $1 AND e.of < $2 AND ($3::text IS NULL OR e.batch = $3)
   AND (NOT $4 OR EXISTS (SELECT FROM calls c WHERE c.id = e.call AND c.terms -> 'change' IS NOT NULL)) ORDER BY e.of DESC`;

const OPERATOR =
  '(SELECT t.operator FROM acts t WHERE t.batch = i.batch AND t.after < i.id ORDER BY t.id DESC LIMIT 1)';

/** What entries spend is booked on the day of the attempt that pays, and what they hold on that of their own. */
const SPENT = `
SELECT i.batch, i.at / ${DAY_MS} AS day, ${OPERATOR} AS operator, sum(m.spent) AS spent, sum(m.held) AS held, sum(m.requests) AS requests
  FROM (
    SELECT coalesce(pays, of) AS payer, spent, 0 AS held, 0 AS requests FROM entries WHERE of > $3 AND of <= $4 AND spent <> 0
    UNION ALL SELECT of, 0, held, 0 FROM entries WHERE of > $3 AND of <= $4 AND held <> 0
    UNION ALL SELECT of, 0, 0, 1 FROM entries WHERE of > $3 AND of <= $4
      AND kind IN ('answered', 'lost', 'lost_beside', 'unsold') AND said IS DISTINCT FROM 'not_sent') m
  JOIN entries i ON i.of = m.payer AND i.id = m.payer
 WHERE i.at >= $1 AND i.at < $2
 GROUP BY 1, 2, 3`;

/** As `tally.ts` counts it: the row that pays for an answer saves nothing. */
const SAVED = `
WITH part AS (SELECT row, answers FROM rows WHERE batch = $1 AND row >= $2 ORDER BY row LIMIT $3)
SELECT (SELECT count(*) FROM part) AS count, coalesce((SELECT max(row) FROM part), 0) AS last, coalesce((
  SELECT sum((SELECT coalesce(sum(e.spent), 0) FROM entries e WHERE e.of = a.id))
    FROM part p CROSS JOIN unnest(p.answers) u (attempt) JOIN entries a ON a.of = u.attempt AND a.id = u.attempt
   WHERE a.batch <> $1 OR coalesce((SELECT min(y.row) FROM payers y WHERE y.attempt = a.id), a.row) <> p.row), 0) AS saved`;

const SENT = `
SELECT a.at AS "atMs", e.at AS "endedAtMs", e.spent AS credits
  FROM entries a JOIN entries e ON e.of = a.id AND e.kind IN ('answered', 'lost', 'lost_beside', 'unsold')
 WHERE a.id = a.of AND a.batch = $1 AND a.row >= $2 AND a.row < $3 AND e.said IS DISTINCT FROM 'not_sent'`;
