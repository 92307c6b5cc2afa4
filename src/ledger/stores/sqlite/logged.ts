import type { LedgerReader } from '../../ledger.ts';
import { DAY_MS, type SpentRow, spentFrom } from '../../rules/spent.ts';
import { recordsBy } from './attempt-records.ts';
import type { Connection, Reads } from './connection.ts';
import { attemptsOf } from './lookups.ts';
import { batchId, batchNumber } from './tables.ts';

/** The attempts of one batch have an index of their own. */
const LOGGED = `
SELECT a.id FROM attempts a JOIN calls c ON c.id = a.call
 WHERE a.id >= :from AND a.id < :before AND (:batch IS NULL OR a.batch = :batch)
   AND (:changes = 0 OR c.subject IS NOT NULL) ORDER BY a.id DESC`;

const ABOUT = `
SELECT a.id FROM calls c CROSS JOIN attempts a ON a.id IN ${attemptsOf('c.id')}
 WHERE c.id > :after AND c.id <= :last
   AND EXISTS (SELECT 1 FROM json_each(:values) v WHERE instr(c.parameters, v.value) > 0 OR instr(c.terms, v.value) > 0) ORDER BY a.id`;

interface Page {
  readonly last: number;
  readonly next: { readonly next?: number };
}

/** So many numbers of a table after one, or before it; undefined where there is none. */
function pageOf(
  connection: Connection,
  of: 'attempts' | 'calls',
  from: { readonly after: number } | { readonly before: number },
  most: number,
): Page | undefined {
  const [number, than, order, end] =
    'after' in from ? [from.after, '>', 'ASC', 'max'] : [from.before, '<', 'DESC', 'min'];
  const page = `SELECT id FROM ${of} WHERE id ${than} ? ORDER BY id ${order} LIMIT ?`;
  const sql = `SELECT ${end}(id) AS id FROM (${page})`;
  const last = connection.get<{ id: number | null }>(sql, number, most)?.id ?? undefined;
  if (last === undefined) return undefined;
  return { last, next: connection.get(page, last, 1) === undefined ? {} : { next: last } };
}

/** Who was at work when attempt `i` began, where that was kept. */
const OPERATOR = `(SELECT t.operator FROM acts t WHERE t.of = i.batch AND t.kind <> 'erased' AND t.after < i.id ORDER BY t.id DESC LIMIT 1)`;

/** Every entry is about an attempt, and booked on the day of the attempt that pays; every loss that is not over holds something. */
const SPENT = `
SELECT i.batch, i.at / ${DAY_MS} AS day, ${OPERATOR} AS operator, sum(m.spent) AS spent, sum(m.held) AS held, sum(m.requests) AS requests
  FROM (
    SELECT coalesce(pays, of) AS payer, spent, 0 AS held, 0 AS requests FROM ends
     WHERE of > :after AND of <= :last AND spent <> 0
    UNION ALL SELECT coalesce(pays, of), spent, 0, 0 FROM notes WHERE of > :after AND of <= :last AND spent <> 0
    UNION ALL SELECT attempt, 0, holds, 0 FROM losses WHERE attempt > :after AND attempt <= :last AND ended IS NULL
    UNION ALL SELECT of, 0, 0, 1 FROM ends WHERE of > :after AND of <= :last AND said IS NOT 'not_sent') m
  CROSS JOIN attempts i ON i.id = m.payer
 WHERE i.at >= :from AND i.at < :until
 GROUP BY 1, 2, 3`;

export const LOG_READS = {
  attemptsAbout(connection, values, after, most) {
    const page = pageOf(connection, 'calls', { after }, most);
    if (page === undefined) return { attempts: [] };
    // What a call asks is JSON, so a whole value in it stands in quotes.
    const quoted = JSON.stringify(values.map((value) => JSON.stringify(value)));
    const attempts = recordsBy(connection, ABOUT, { after, last: page.last, values: quoted });
    return { attempts, ...page.next };
  },
  logged(connection, { batch, changes = false }, before = Number.MAX_SAFE_INTEGER, most) {
    const page = pageOf(connection, 'attempts', { before }, most);
    if (page === undefined) return { attempts: [] };
    const of = batch === undefined ? null : batchNumber(batch);
    const values = { from: page.last, before, batch: of, changes: changes ? 1 : 0 };
    return { attempts: recordsBy(connection, LOGGED, values), ...page.next };
  },
  spentBetween(connection, fromMs, untilMs, after, most) {
    const page = pageOf(connection, 'attempts', { after }, most);
    if (page === undefined) return { parts: [] };
    const values = { after, last: page.last, from: fromMs, until: untilMs };
    const rows = connection.all<SpentRow<number>>(SPENT, values);
    return { parts: rows.map((row) => spentFrom(row, batchId)), ...page.next };
  },
} satisfies Partial<Reads<LedgerReader>>;
