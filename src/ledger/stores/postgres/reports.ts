import { credits, type Ledger } from '../../ledger.ts';
import { recordsOf } from './attempt-records.ts';
import type { Session } from './session.ts';

/** What is shown of many calls at once. */
type Part = Pick<Ledger, 'attemptsAbout' | 'saved' | 'sent'>;

export const reports = ({ database }: Session): Part => ({
  async attemptsAbout(values, after, most) {
    const pages = await database.row<{ last: number | null; next: boolean }>(CALLS, [after, most]);
    const { last = null, next = false } = pages ?? {};
    if (last === null) return { attempts: [] };
    // What a call asks is JSON, so a whole value in it stands in quotes.
    const quoted = values.map((value) => JSON.stringify(value));
    const found = await database.rows<{ attempt: number }>(ABOUT, [after, last, quoted]);
    const attempts = await recordsOf(
      database,
      found.map(({ attempt }) => attempt),
    );
    return next ? { attempts, next: last } : { attempts };
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
    const later = 'SELECT min(row) AS next FROM entries WHERE id = of AND batch = $1 AND row >= $2';
    const { next = null } =
      (await database.row<{ next: number | null }>(later, [batch, fromRow + rows])) ?? {};
    return next === null ? { sent } : { sent, next };
  },
});

const CALLS = `
SELECT max(id) AS last, EXISTS (SELECT FROM calls WHERE id > max(page.id)) AS next
  FROM (SELECT id FROM calls WHERE id > $1 ORDER BY id LIMIT $2) page`;

const ABOUT = `
SELECT a.of AS attempt FROM calls c JOIN entries a ON a.call = c.id AND a.id = a.of
 WHERE c.id > $1 AND c.id <= $2 AND EXISTS (
   SELECT FROM unnest($3::text[]) v (value) WHERE strpos(c.parameters::text, v.value) > 0 OR strpos(c.terms::text, v.value) > 0)
 ORDER BY a.of`;

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
