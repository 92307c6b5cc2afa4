import { setImmediate } from 'node:timers/promises';
import { DAY_MS } from '../core/clock.ts';
import { NOTE_PERSON } from '../core/membership.ts';
import type { RowNumber } from '../core/row.ts';
import { parts } from '../lib/parts.ts';
import type { AttemptRecord } from './call-records.ts';
import { recordsOf } from './calls.ts';
import { type Context, known, oneRow } from './context.ts';
import { partsOf } from './db.ts';
import { type AttemptId, type BatchId, type Credits, credits, type Spent } from './records.ts';

/**
 * Reports over many attempts and rows, which are read in parts, so that nobody else of the process waits for
 * long.
 */

/** Of one read: some milliseconds. */
const ATTEMPTS_AT_ONCE = 20_000;
const ROWS_AT_ONCE = 2_000;
const RECORDS_AT_ONCE = 500;

export const readReports = ({ db }: Context) => ({
  /**
   * Attempts, oldest first, of calls that have one of these texts as a value in what they ask or in what
   * they change.
   */
  async *attemptsAbout(values: readonly string[]): AsyncGenerator<readonly AttemptRecord[]> {
    const sql = 'SELECT id, asked FROM attempts WHERE id > ? ORDER BY id';
    type Asked = { readonly id: AttemptId; readonly asked: string };
    // What a call asks is JSON, so a whole value in it stands in quotes.
    const quoted = values.map((value) => JSON.stringify(value));
    for await (const part of partsOf<Asked>(db, sql, ['id'], [0], ATTEMPTS_AT_ONCE)) {
      const about = part.filter(({ asked }) => quoted.some((value) => asked.includes(value)));
      yield await recordsOf(db, idsOf(about));
      await setImmediate();
    }
  },

  /** Attempts of one batch, or of all, newest first. */
  async *logged(batch: BatchId | null = null): AsyncGenerator<readonly AttemptRecord[]> {
    type Sent = { readonly id: AttemptId; readonly at: number };
    const accounts = await db.rows<{ id: number; since: number }>(ACCOUNTS, [batch, batch]);
    const read = async ({ id, at }: Sent): Promise<readonly Sent[]> => {
      const found = accounts.map((of) =>
        db.rows<Sent>(LOGGED, [of.id, of.since, at, at, id, batch, RECORDS_AT_ONCE]),
      );
      const newest = (await Promise.all(found)).flat().sort((a, b) => b.at - a.at || b.id - a.id);
      return newest.slice(0, RECORDS_AT_ONCE);
    };
    const latest = { id: 0 as AttemptId, at: Number.MAX_SAFE_INTEGER };
    for await (const part of parts(RECORDS_AT_ONCE, latest, read, (last) => last)) {
      yield await recordsOf(db, idsOf(part));
      await setImmediate();
    }
  },

  /** What attempts dated from `fromMs` on and before `untilMs` have cost by now, in parts that add up. */
  async *spentBetween(fromMs: number, untilMs: number): AsyncGenerator<Spent> {
    const sql = 'SELECT id FROM attempts WHERE id > ? ORDER BY id';
    for await (const part of partsOf<{ readonly id: number }>(db, sql, ['id'], [0], ATTEMPTS_AT_ONCE)) {
      const within = [part[0]?.id ?? 0, part.at(-1)?.id ?? 0];
      for (const { batch, day, operator, spent, held, requests } of await db.rows<KeptSpent>(SPENT, [
        ...[...within, ...within, fromMs, untilMs],
      ]))
        yield {
          ...{ batch, dayMs: day * DAY_MS, ...known({ operator }) },
          ...{ spent: credits(spent), inDoubt: credits(held), requests },
        };
      await setImmediate();
    }
  },

  /**
   * What the answers of a batch's rows would have cost if every row had bought its own, without what they did
   * cost.
   */
  async saved(batch: BatchId): Promise<Credits> {
    let sum = 0;
    const read = (from: RowNumber) => db.rows<{ row: RowNumber }>(ENDED_ROWS, [batch, from, ROWS_AT_ONCE]);
    for await (const part of parts(ROWS_AT_ONCE, 0, read, ({ row }) => row + 1)) {
      const within = [part[0]?.row ?? 0, part.at(-1)?.row ?? 0];
      sum += (await oneRow<{ saved: number }>(db, SAVED, [batch, ...within, batch])).saved;
      await setImmediate();
    }
    return credits(sum);
  },
});

const idsOf = (found: readonly { readonly id: AttemptId }[]): readonly AttemptId[] =>
  found.map(({ id }) => id);

/** In whose attempts a log looks, and since when: a batch has one account. */
const ACCOUNTS = `
SELECT account AS id, created_at - ${DAY_MS} AS since FROM batches WHERE id = CAST(? AS TEXT)
UNION ALL SELECT id, 0 FROM accounts WHERE CAST(? AS TEXT) IS NULL`;

const LOGGED = `
SELECT id, sent_at AS at FROM attempts WHERE account = ? AND sent_at >= ? AND sent_at <= ? AND (sent_at, id) < (CAST(? AS {int}), CAST(? AS {int}))
  AND batch = coalesce(CAST(? AS TEXT), batch)
ORDER BY sent_at DESC, id DESC LIMIT CAST(? AS {int})`;

interface KeptSpent {
  readonly batch: BatchId;
  readonly day: number;
  readonly operator: string | null;
  readonly spent: number;
  readonly held: number;
  readonly requests: number;
}

/**
 * What an attempt cost is booked on the day of the one that pays for it; what it holds, and that it was sent,
 * on its own.
 */
const SPENT = `
SELECT p.batch, p.day, w.operator, sum(m.spent) AS spent, sum(m.held) AS held, sum(m.requests) AS requests
FROM (
  SELECT coalesce(payer, id) AS id, charged AS spent, 0 AS held, 0 AS requests FROM attempts WHERE id >= ? AND id <= ? AND charged > 0
  UNION ALL SELECT id, 0, CASE WHEN state IN ('doubt', 'retried', 'doubt_beside') THEN reserved ELSE 0 END,
    CASE WHEN state <> 'open' AND said IS DISTINCT FROM 'not_sent' THEN 1 ELSE 0 END
  FROM attempts WHERE id >= ? AND id <= ? AND operation <> '${NOTE_PERSON}') m
JOIN attempts p ON p.id = m.id LEFT JOIN workers w ON w.id = p.worker
WHERE p.sent_at >= ? AND p.sent_at < ? GROUP BY p.batch, p.day, w.operator`;

const ENDED_ROWS = `
SELECT row FROM rows WHERE batch = ? AND row >= ? AND state <> 'pending' ORDER BY row LIMIT CAST(? AS {int})`;

/** The row that pays for an answer saves nothing. */
const SAVED = `
WITH page AS (SELECT row, attempt, others FROM rows WHERE batch = ? AND row >= ? AND row <= ?),
used AS (SELECT row, attempt FROM page
  UNION ALL SELECT row, CAST(item.value AS {int}) FROM page CROSS JOIN {list page.others} WHERE others IS NOT NULL)
SELECT coalesce(sum(c.charged), 0) AS saved FROM used u
  JOIN attempts c ON c.id = u.attempt WHERE c.charged > 0 AND (c.batch <> ? OR c.row <> u.row)`;
