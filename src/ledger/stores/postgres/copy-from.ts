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

const QUERIES: Partial<Record<keyof CopiedTables, string>> = {
  accounts: `SELECT p.identity, p.per_day, p.per_month, t.misses,
      CASE WHEN p.misses_after = t.ended THEN p.misses_place END AS misses_place,
      coalesce(p.misses_after = t.ended AND p.misses_kept, false) AS misses_kept, p.paused_until, p.learned, p.usage, p.told
    FROM accounts p CROSS JOIN LATERAL (${ANSWERED}) t`,
  batches: `SELECT ${namesOf('batches').replace('ordinal', 'row_number() OVER (ORDER BY ordinal) - 1 AS ordinal')}
    FROM batches ORDER BY ordinal`,
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
