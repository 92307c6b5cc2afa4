import { hostname } from 'node:os';
import { type CopiedPart, type CopiedTables, columnsOf, TABLES } from '../../copying.ts';
import type { Database } from './connection.ts';
import { ANSWERED } from './misses.ts';
import { pagesOf } from './scanned.ts';

/** Tables whose rows are no more than their columns come in the order of these. */
const ORDERS: Partial<Record<keyof CopiedTables, string>> = {
  subjects: 'id',
  entries: 'id',
  calls: 'id',
  rows: 'batch, row',
  planned: 'batch, row',
};

/** A boot has a row for each process that worked in it; those of which it is least known how long ago they were come first. */
const BOOTS = `
SELECT row_number() OVER (ORDER BY is_unsure DESC, refuted_at IS NOT NULL, newest) AS id, boot, seen_at, seen_uptime, confirmed_at,
       confirmed_uptime, told_by, refuted_at, ids
  FROM (
    SELECT b.boot, max(b.id) AS newest, array_agg(b.id) AS ids, max(b.refuted_at) AS refuted_at,
           bool_or(EXISTS (SELECT FROM boots l WHERE l.id >= b.id AND l.refuted_at IS NOT NULL)) AS is_unsure
      FROM boots b GROUP BY b.boot) g
  CROSS JOIN LATERAL (SELECT seen_at, seen_uptime FROM boots s WHERE s.id = g.newest) s
  LEFT JOIN LATERAL (
    SELECT confirmed_at, confirmed_uptime, told_by FROM boots c WHERE c.boot = g.boot AND c.confirmed_at IS NOT NULL
     ORDER BY c.confirmed_at - c.confirmed_uptime DESC LIMIT 1) c ON true`;

const QUERIES: Partial<Record<keyof CopiedTables, string>> = {
  accounts: `SELECT p.identity, p.per_day, p.per_month, t.misses,
      CASE WHEN p.misses_after = t.ended THEN p.misses_place END AS misses_place,
      coalesce(p.misses_after = t.ended AND p.misses_kept, false) AS misses_kept, p.paused_until, p.learned, p.usage
    FROM accounts p CROSS JOIN LATERAL (${ANSWERED}) t`,
  boots: `SELECT id, boot, seen_at, seen_uptime, confirmed_at, confirmed_uptime, told_by, refuted_at FROM (${BOOTS}) b ORDER BY id`,
  batches: `SELECT ${namesOf('batches').replace('ordinal', 'row_number() OVER (ORDER BY ordinal) - 1 AS ordinal')}
    FROM batches ORDER BY ordinal`,
  entries: `SELECT ${namesOf('entries')
    .replace('boot', 'm.id AS boot')
    .replace(/\bid\b/, 'e.id')}
    FROM entries e LEFT JOIN (SELECT id, unnest(ids) AS each FROM (${BOOTS}) b) m ON m.each = e.boot ORDER BY e.id`,
  // The copy may number its next entries from the newest one on.
  acts: `SELECT ${namesOf('acts').replace('after', 'least(after, (SELECT coalesce(max(id), 0) FROM entries)) AS after')} FROM acts ORDER BY id`,
  payers: 'SELECT attempt, min(row) AS row FROM payers GROUP BY attempt',
  files: `SELECT path, sha256, batch FROM files WHERE host = '${hostname().replaceAll("'", "''")}'`,
  reads: `SELECT path, batch, is_list FROM reads WHERE host = '${hostname().replaceAll("'", "''")}'`,
};

function namesOf(table: keyof CopiedTables): string {
  return columnsOf(table)
    .map(([column]) => column)
    .join(', ');
}

function queryFor(table: keyof CopiedTables): string {
  const order = ORDERS[table];
  return (
    QUERIES[table] ??
    `SELECT ${namesOf(table)} FROM ${table}${order === undefined ? '' : ` ORDER BY ${order}`}`
  );
}

/** Nobody writes meanwhile: the caller has the lock. */
export async function* partsOf(database: Database): AsyncGenerator<CopiedPart> {
  const kept = await database.keep();
  try {
    await kept.sql.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    for (const table of TABLES)
      for await (const rows of pagesOf<never>(kept.sql, queryFor(table))) yield { table, rows };
    await kept.sql.script('COMMIT');
  } finally {
    kept.end();
  }
}
