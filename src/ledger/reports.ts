import { setImmediate } from 'node:timers/promises';
import { present } from '../core/objects.ts';
import type { RowNumber } from '../core/row.ts';
import type { AttemptsAbout, LoggedPart, SentPart } from './call-records.ts';
import { othersIn, recordsOf } from './calls.ts';
import type { Context } from './context.ts';
import { type Db, each } from './db.ts';
import {
  type Activity,
  type AttemptId,
  type BatchId,
  credits,
  type LoggedOf,
  type SavedPart,
  type Spent,
  type SpentPart,
} from './records.ts';

/** Reports over many calls and rows, which are read in parts, so that nobody else of the process waits for long. */

const DAY_MS = 86_400_000;

export const readReports = ({ db }: Context) => ({
  /**
   * Attempts, oldest first, of calls that have one of these texts as a value in their question or in what they change. It
   * looks through the `most` calls after the one numbered `after`, in the order of their first attempts; `next` is where
   * the search goes on, and is absent at its end.
   */
  async attemptsAbout(values: readonly string[], after: number, most: number): Promise<AttemptsAbout> {
    const sql = 'SELECT id, asked FROM calls WHERE id > ? ORDER BY id LIMIT CAST(? AS {int})';
    const { part, next } = lastOfPart(
      await db.rows<{ id: AttemptId; asked: string }>(sql, [after, most + 1]),
      most,
    );
    // What a call asks is JSON, so a whole value in it stands in quotes.
    const quoted = values.map((value) => JSON.stringify(value));
    const about = part.filter(({ asked }) => quoted.some((value) => asked.includes(value)));
    const attempts = await recordsOf(db, numbersOf(about));
    return { attempts, ...present({ next }) };
  },

  /** Newest first, of the `most` attempts before number `before`, or of the newest; `next` is absent at the end. */
  async logged(
    { batch, changes = false }: LoggedOf,
    before: number | undefined,
    most: number,
  ): Promise<LoggedPart> {
    const until = before ?? Number.MAX_SAFE_INTEGER;
    const accounts = await accountsOf(db, batch);
    const times = await Promise.all(
      accounts.map(({ account, sinceMs }) =>
        db.rows<{ at: number }>(NEWEST_TIMES, [account, sinceMs, until, most]),
      ),
    );
    const newest = times
      .flat()
      .map(({ at }) => at)
      .sort((a, b) => b - a);
    const next = newest[most - 1];
    const found = await Promise.all(
      accounts.map(({ account, sinceMs }) =>
        db.rows<{ id: AttemptId }>(LOGGED, [
          ...[account, next ?? sinceMs, until, batch ?? null, batch ?? null, changes ? 1 : 0],
        ]),
      ),
    );
    const attempts = await recordsOf(db, numbersOf(found.flat()));
    const newestFirst = attempts.toSorted((a, b) => b.intentAtMs - a.intentAtMs || b.attempt - a.attempt);
    return { attempts: newestFirst, ...present({ next }) };
  },

  /**
   * What attempts dated from `fromMs` on and before `untilMs` have cost by now. It looks through the `most` attempts after the
   * one numbered `after`; the parts of several reads add up. `next` is absent at the end.
   */
  async spentBetween(fromMs: number, untilMs: number, after: number, most: number): Promise<SpentPart> {
    const [page] = await db.rows<{ last: number | null; n: number }>(PAGE, [after, most]);
    if (page === undefined || page.last === null) return { parts: [] };
    const found = await db.rows<KeptSpent>(SPENT, [...[after, page.last, after, page.last, fromMs, untilMs]]);
    const parts = found.map(
      ({ batch, day, operator, spent, held, requests }): Spent => ({
        ...{ batch, dayMs: day * DAY_MS, ...present({ operator: operator ?? undefined }) },
        ...{ spent: credits(spent), inDoubt: credits(held), requests },
      }),
    );
    return { parts, ...present({ next: page.n < most ? undefined : page.last }) };
  },

  /**
   * What the answers of rows would have cost if every row had bought its own, without what they did cost: of at most
   * `most` rows with a number of at least `fromRow`. `next` is the row to go on with, and is absent at the end.
   */
  async saved(batch: BatchId, fromRow: RowNumber, most: number): Promise<SavedPart> {
    const rows = await db.rows<KeptUse>(USES, [batch, fromRow, most]);
    const uses = rows.flatMap(({ row, call, others }) =>
      [...othersIn(others), ...(call === null ? [] : [call])].map((id) => ({ row, id })),
    );
    const ids = [...new Set(uses.map(({ id }) => id))].map((id) => ({ id }));
    const costs = new Map((await db.each(COSTS, ids)).map((cost) => [cost.id, cost]));
    let saved = 0;
    for (const { row, id } of uses) {
      const cost = costs.get(id);
      // The row that pays for an answer saves nothing.
      if (cost !== undefined && (cost.batch !== batch || cost.row !== row)) saved += cost.charged;
    }
    const last = rows.length < most ? undefined : rows.at(-1)?.row;
    return { credits: credits(saved), ...present({ next: last === undefined ? undefined : last + 1 }) };
  },

  /** The batch's attempts that left and have ended, of `rows` rows from `fromRow` on. `next` is absent at the end. */
  async sent(batch: BatchId, fromRow: RowNumber, rows: number): Promise<SentPart> {
    const before = fromRow + rows;
    const sent = await db.rows<SentPart['sent'][number]>(SENT, [batch, fromRow, before]);
    const later = 'SELECT min(row) AS row FROM calls WHERE batch = ? AND row >= ?';
    const [next] = await db.rows<{ row: number | null }>(later, [batch, before]);
    return { sent, ...present({ next: next?.row ?? undefined }) };
  },
});

const numbersOf = (found: readonly { readonly id: AttemptId }[]): readonly AttemptId[] =>
  found.map(({ id }) => id);

/** @param found one more than the part has, where there are more. */
function lastOfPart<Row extends { readonly id: number }>(found: readonly Row[], most: number) {
  const part = found.slice(0, most);
  return { part, next: found.length > most ? part.at(-1)?.id : undefined };
}

/** The accounts in whose calls a log looks, and since when. */
const accountsOf = (db: Db, batch: BatchId | undefined) =>
  db.rows<{ account: number; sinceMs: number }>(
    batch === undefined
      ? 'SELECT id AS account, 0 AS "sinceMs" FROM accounts'
      : `SELECT account, created_at - ${DAY_MS} AS "sinceMs" FROM batches WHERE id = ?`,
    batch === undefined ? [] : [batch],
  );

/** Calls of many workers are in order by their times alone, and those of one millisecond are told together. */
const NEWEST_TIMES = `
SELECT sent_at AS at FROM calls WHERE account = ? AND sent_at >= ? AND sent_at < ? ORDER BY sent_at DESC LIMIT CAST(? AS {int})`;

const LOGGED = `
SELECT id FROM calls WHERE account = ? AND sent_at >= ? AND sent_at < ? AND (CAST(? AS TEXT) IS NULL OR batch = CAST(? AS TEXT))
  AND (CAST(? AS {int}) = 0 OR subject IS NOT NULL)`;

const PAGE = `
SELECT max(id) AS last, count(*) AS n FROM (SELECT id FROM calls WHERE id > ? ORDER BY id LIMIT CAST(? AS {int})) AS page`;

interface KeptSpent {
  readonly batch: BatchId;
  readonly day: number;
  readonly operator: string | null;
  readonly spent: number;
  readonly held: number;
  readonly requests: number;
}

/** What a call cost is booked on the day of the one that pays for it; what it holds, and that it was sent, on its own. */
const SPENT = `
SELECT p.batch, p.day, w.operator, sum(m.spent) AS spent, sum(m.held) AS held, sum(m.requests) AS requests
FROM (
  SELECT coalesce(payer, id) AS id, charged AS spent, 0 AS held, 0 AS requests FROM calls WHERE id > ? AND id <= ? AND charged > 0
  UNION ALL SELECT id, 0, CASE WHEN state IN ('doubt', 'retried', 'lost') THEN reserved ELSE 0 END,
    CASE WHEN state <> 'open' AND said IS DISTINCT FROM 'not_sent' THEN 1 ELSE 0 END FROM calls WHERE id > ? AND id <= ?) m
JOIN calls p ON p.id = m.id LEFT JOIN workers w ON w.id = p.id / 4294967296
WHERE p.sent_at >= ? AND p.sent_at < ? GROUP BY p.batch, p.day, w.operator`;

interface KeptUse {
  readonly row: RowNumber;
  readonly call: AttemptId | null;
  readonly others: string | null;
}

const USES = `
SELECT row, call, others FROM rows WHERE batch = ? AND row >= ? AND state <> 'pending' ORDER BY row LIMIT CAST(? AS {int})`;

const COSTS = each({ id: 'int' })<{ id: number; batch: BatchId; row: RowNumber; charged: number }>(
  'SELECT c.id, c.batch, c.row, c.charged FROM v JOIN calls c ON c.id = v.id WHERE c.charged > 0',
);

const SENT = `
SELECT sent_at AS "atMs", ended_at AS "endedAtMs", coalesce(charged, 0) AS credits FROM calls
WHERE batch = ? AND row >= ? AND row < ? AND ended_at IS NOT NULL AND said IS DISTINCT FROM 'not_sent'`;

/** A part takes some milliseconds. */
const ROWS_AT_ONCE = 10_000;

type Sends = Pick<ReturnType<typeof readReports>, 'sent'>;

async function* sentIn(ledger: Sends, batch: BatchId): AsyncGenerator<SentPart['sent']> {
  for (let from: RowNumber | undefined = 0; from !== undefined; ) {
    const part: SentPart = await ledger.sent(batch, from, ROWS_AT_ONCE);
    yield part.sent;
    from = part.next;
    await setImmediate();
  }
}

/** By the dates of its intents, and of ends for what it spent. @param unitMs a bucket is a multiple of this long. */
export async function activityOf(ledger: Sends, batch: BatchId, most: number, unitMs = 1): Promise<Activity> {
  let [fromMs, untilMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for await (const sent of sentIn(ledger, batch)) {
    for (const { atMs, endedAtMs } of sent) {
      fromMs = Math.min(fromMs, atMs);
      untilMs = Math.max(untilMs, atMs, endedAtMs);
    }
  }
  if (untilMs < fromMs) return { fromMs: 0, bucketMs: 1, buckets: [] };
  const durationMs = untilMs - fromMs + 1;
  const bucketMs = Math.ceil(durationMs / (most * unitMs)) * unitMs;
  const length = Math.ceil(durationMs / bucketMs);
  const buckets = Array.from({ length }, () => ({ requests: 0, credits: 0 }));
  // If the clock was set back, an attempt may have ended before the first one began.
  const bucketAt = (ms: number) => buckets[Math.max(0, Math.floor((ms - fromMs) / bucketMs))];
  for await (const sent of sentIn(ledger, batch)) {
    for (const { atMs, endedAtMs, credits } of sent) {
      const [begun, ended] = [bucketAt(atMs), bucketAt(endedAtMs)];
      if (begun !== undefined) begun.requests += 1;
      if (ended !== undefined) ended.credits += credits;
    }
  }
  return { fromMs, bucketMs, buckets };
}
