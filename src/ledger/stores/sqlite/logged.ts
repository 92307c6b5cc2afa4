import { type BatchId, credits, type LedgerReader, type Spent } from '../../ledger.ts';
import { recordOf } from './attempt-records.ts';
import type { Connection, Reads } from './connection.ts';
import { isThere } from './later-tables.ts';
import { ACTS_TABLE, batchId, batchNumber } from './tables.ts';

/** What is told of many attempts, and added up: each read looks through so many of them. */

const DAY_MS = 86_400_000;

/** The attempts of one batch have an index of their own. */
const LOGGED = `
SELECT a.id FROM attempts a JOIN calls c ON c.id = a.call
 WHERE a.id >= :from AND a.id < :before AND (:batch IS NULL OR a.batch = :batch)
   AND (:changes = 0 OR c.subject IS NOT NULL) ORDER BY a.id DESC`;

/** The lowest of the `most` attempts before a number. */
const LOWEST = 'SELECT min(id) AS id FROM (SELECT id FROM attempts WHERE id < ? ORDER BY id DESC LIMIT ?)';
const HIGHEST = 'SELECT max(id) AS id FROM (SELECT id FROM attempts WHERE id > ? ORDER BY id LIMIT ?)';

const boundOf = (connection: Connection, sql: string, of: number, most: number): number | undefined =>
  connection.get<{ id: number | null }>(sql, of, most)?.id ?? undefined;

/** Who was at work when attempt `i` began, where that was kept. */
const OPERATOR = `(SELECT t.operator FROM acts t WHERE t.of = i.batch AND t.kind <> 'erased' AND t.after < i.id ORDER BY t.id DESC LIMIT 1)`;

/** Every entry is about an attempt, and booked on the day of the attempt that pays; every loss that is not over holds something. */
const spentSql = (operator: string): string => `
SELECT i.batch, i.at / ${DAY_MS} AS day, ${operator} AS operator, sum(m.spent) AS spent, sum(m.held) AS held, sum(m.requests) AS requests
  FROM (
    SELECT coalesce(pays, of) AS payer, spent, 0 AS held, 0 AS requests FROM ends
     WHERE of > :after AND of <= :last AND spent <> 0
    UNION ALL SELECT coalesce(pays, of), spent, 0, 0 FROM notes WHERE of > :after AND of <= :last AND spent <> 0
    UNION ALL SELECT attempt, 0, holds, 0 FROM losses WHERE attempt > :after AND attempt <= :last AND ended IS NULL
    UNION ALL SELECT of, 0, 0, 1 FROM ends WHERE of > :after AND of <= :last AND said IS NOT 'not_sent') m
  CROSS JOIN attempts i ON i.id = m.payer
 WHERE i.at >= :from AND i.at < :until
 GROUP BY 1, 2, 3`;

interface SpentRow {
  readonly batch: number;
  readonly day: number;
  readonly operator: string | null;
  readonly spent: number;
  readonly held: number;
  readonly requests: number;
}

const spentOf = ({ batch, day, operator, spent, held, requests }: SpentRow): Spent => ({
  ...{ batch: batchId(batch), dayMs: day * DAY_MS, ...(operator === null ? {} : { operator }) },
  ...{ spent: credits(spent), inDoubt: credits(held), requests },
});

export const LOG_READS = {
  logged(connection, { batch, changes = false }, before = Number.MAX_SAFE_INTEGER, most) {
    const from = boundOf(connection, LOWEST, before, most);
    if (from === undefined) return { attempts: [] };
    const values = { from, before, batch: batchOrNull(batch), changes: changes ? 1 : 0 };
    const found = connection.all<{ id: number }>(LOGGED, values);
    const attempts = found.map(({ id }) => recordOf(connection, id));
    const isLast = connection.get('SELECT 1 FROM attempts WHERE id < ? LIMIT 1', from) === undefined;
    return isLast ? { attempts } : { attempts, next: from };
  },
  spentBetween(connection, fromMs, untilMs, after, most) {
    const last = boundOf(connection, HIGHEST, after, most);
    if (last === undefined) return { parts: [] };
    const sql = spentSql(isThere(connection, ACTS_TABLE.name) ? OPERATOR : 'NULL');
    const rows = connection.all<SpentRow>(sql, { after, last, from: fromMs, until: untilMs });
    const isLast = connection.get('SELECT 1 FROM attempts WHERE id > ? LIMIT 1', last) === undefined;
    const parts = rows.map(spentOf);
    return isLast ? { parts } : { parts, next: last };
  },
} satisfies Partial<Reads<LedgerReader>>;

const batchOrNull = (batch: BatchId | undefined): number | null =>
  batch === undefined ? null : batchNumber(batch);
