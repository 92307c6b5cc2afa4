import { hostname } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { DAY_MS } from '../core/clock.ts';
import { findingsIn } from '../core/findings.ts';
import type { InputRow, RowNumber } from '../core/row.ts';
import { parts } from '../lib/parts.ts';
import { rowsAbout } from './accounts.ts';
import { QUEUE_SCHEMA, type RangeCounts, type WorkOrder } from './batches.ts';
import type { AttemptRecord } from './call-records.ts';
import { recordsOf } from './calls.ts';
import { type Context, forgottenMark, recordFrom, type StoredRow } from './context.ts';
import { each, partsOf, type Sql } from './db.ts';
import { actsWhere } from './notes.ts';
import {
  type Act,
  ASKED_OFTEN_ENOUGH,
  type AttemptId,
  type BatchId,
  type FreshSince,
  type Saved,
  type Sought,
  type Spent,
  type WaitingRow,
} from './records.ts';
import { listedFrom, USED } from './rows.ts';
import {
  AN_ANSWER,
  hasSold,
  isAnswered,
  isCurrent,
  isDoubted,
  isTooOld,
  oneOf,
  replyOf,
  takes,
} from './schema.ts';

/**
 * What one place alone asks of a ledger. Reports over many attempts and rows are read in parts, so that no
 * one else of the process waits for long.
 */

/** The size of one read, which takes some milliseconds. */
const ATTEMPTS_AT_ONCE = 20_000;
const ROWS_AT_ONCE = 2_000;
const RECORDS_AT_ONCE = 500;

/** What is read in parts. */
export const readReports = ({ db }: Context) => ({
  /**
   * Attempts, oldest first, of calls that have one of these texts as a value in what they ask or change.
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
      const sums = await db.rows<StoredRow<Spent>>(SPENT, [...within, ...within, fromMs, untilMs]);
      for (const sum of sums) yield recordFrom<Spent>(sum);
      await setImmediate();
    }
  },

  /**
   * What the answers of a batch's rows would have cost if every row had bought its own, less their real cost,
   * in parts that add up.
   * @param earlier the earlier starts of its list.
   */
  async *saved(batch: BatchId, earlier: readonly BatchId[] = []): AsyncGenerator<Saved> {
    const read = (from: RowNumber) => db.rows<{ row: RowNumber }>(ENDED_ROWS, [batch, from, ROWS_AT_ONCE]);
    for await (const part of parts(ROWS_AT_ONCE, 0, read, ({ row }) => row + 1)) {
      const within = [part[0]?.row ?? 0, part.at(-1)?.row ?? 0];
      yield* await db.rows<Saved>(SAVED, [JSON.stringify(earlier), batch, ...within, batch]);
      await setImmediate();
    }
  },

  /**
   * The rows of a batch as they stand in the list, in parts of so many, from a row on. What is surely not
   * sought is left out.
   */
  async *listed(
    batch: BatchId,
    first: RowNumber,
    most: number,
    { states, mayBe, answerText }: Sought,
  ): AsyncGenerator<readonly InputRow[]> {
    const where = states.length === 0 ? '' : `AND ${oneOf('row.state', states)}`;
    const sql = `${LISTED} ${where} ORDER BY row.row LIMIT CAST(? AS {int})`;
    const read = (from: RowNumber) => db.rows<Parameters<typeof listedFrom>[0]>(sql, [batch, from, most]);
    for await (const part of parts(most, first, read, ({ row }) => row + 1)) {
      const saying = answerText === undefined ? undefined : await rowsSaying(db, batch, part, answerText);
      yield part.filter(({ row, cells }) => mayBe(cells ?? '') || saying?.has(row)).map(listedFrom);
      await setImmediate();
    }
  },
});

/** What is read of one batch at once. */
export const readBatchFacts = ({ db }: Context) => ({
  /**
   * Rows in doubt about which there is nothing to decide here: they wait for another row, or for their next
   * run.
   */
  async rowsWaiting(batch: BatchId, limit: number): Promise<readonly WaitingRow[]> {
    type Kept = { readonly row: RowNumber; readonly findings: string | null };
    const waitingRows = await db.rows<Kept>(ROWS_WAITING, [batch, limit]);
    return waitingRows.map(({ row, findings }) => ({ row, findings: findingsIn(findings) }));
  },

  /**
   * Whether a row of the batch was finished by an answer that is too old for a new one, whether or not a
   * younger one exists by now. What was read as none is no answer of any age.
   */
  async hasOlderThan(batch: BatchId, { foundMs, noMatchMs }: FreshSince): Promise<boolean> {
    const older = { batch, found: foundMs ?? null, no_match: noMatchMs ?? null };
    return (await db.each(OLDER, [older])).length > 0;
  },

  /** Whether a call that a row of the batch has left out has an answer by now. */
  async hasAnsweredSince(batch: BatchId): Promise<boolean> {
    const answered = `SELECT 1 AS found FROM rows row JOIN attempts att ON att.id = row.attempt
      JOIN attempts att_now ON att_now.key = att.key AND ${isCurrent('att_now')}
        AND att_now.state = 'answered'
      WHERE row.batch = ? AND row.state = 'skipped' LIMIT 1`;
    return (await db.rows(answered, [batch])).length > 0;
  },

  /** What workers need to work on the batch; undefined where no worker works on it. */
  async workOrder(batch: BatchId): Promise<WorkOrder | undefined> {
    const sql = 'SELECT work_order FROM batches WHERE id = ? AND work_order IS NOT NULL';
    const [batchRow] = await db.rows<{ work_order: string }>(sql, [batch]);
    return batchRow && JSON.parse(batchRow.work_order);
  },

  /** Undefined where no queue hands out ranges. */
  async rangeCounts(batch: BatchId): Promise<RangeCounts | undefined> {
    if (db.name !== 'postgres') return undefined;
    const laidOut = `SELECT 1 AS found FROM pg_tables
      WHERE schemaname = '${QUEUE_SCHEMA}' AND tablename = 'job'`;
    if ((await db.rows(laidOut)).length === 0) return undefined;
    return (await db.rows<RangeCounts>(RANGE_COUNTS, [batch]))[0];
  },
});

/** What is read at once of an account, of people and of files. */
export const readFacts = ({ db, secret, account }: Context) => ({
  /** The erasures, oldest first, each with the person who ordered it. */
  erasures: (): Promise<readonly Act[]> => actsWhere(db, `note.kind = 'erased' AND note.batch IS NULL`, []),

  /** The batches that wrote a file of that content, or wrote last at that path. */
  writers: (path: string, sha256: string) =>
    db.rows<{ readonly batch: BatchId; readonly sha256: string }>(
      `SELECT batch, sha256 FROM files WHERE kind = 'written' AND batch IS NOT NULL
        AND (sha256 = ? OR (path = ? AND host = ?))`,
      [sha256, path, hostname()],
    ),

  /**
   * The newest word on a series of answers, by the hash that names the series; undefined where no one has
   * said one.
   */
  async agreement(sha256: string): Promise<string | undefined> {
    const sql = `SELECT words FROM notes WHERE kind = 'agreed' AND said = ? ORDER BY id DESC LIMIT 1`;
    return (await db.rows<{ words: string }>(sql, [sha256]))[0]?.words;
  },

  /** Whether a series ever stopped a run of any account. */
  async hasStopped(): Promise<boolean> {
    const sql = `SELECT 1 AS n FROM notes WHERE kind = 'agreed' AND words LIKE 'stopped:%' LIMIT 1`;
    return (await db.rows<{ n: number }>(sql)).length > 0;
  },

  /** Share of an operation's answers that were `found`; undefined before twenty answers. */
  async matchRate(identity: string, operation: string): Promise<number | undefined> {
    const [rate] = await rowsAbout<{ rate: number | null }>({ db, account }, identity, MATCHED, [operation]);
    return rate?.rate ?? undefined;
  },

  /**
   * The newest attempts that are answered, or in doubt with a reply, in the order in which they ended. Among
   * very many other attempts only the newest are searched.
   */
  async newestHeard(identity: string): Promise<readonly AttemptId[]> {
    return idsOf(await rowsAbout<{ id: AttemptId }>({ db, account }, identity, HEARD)).toReversed();
  },

  /**
   * The accounts in which answers about people who were forgotten are known by their calls alone. An erasure
   * notes them.
   */
  async forgettingAccounts(): Promise<readonly string[]> {
    const sql = `SELECT DISTINCT acc.identity FROM notes note JOIN accounts acc ON acc.id = note.account
      WHERE note.kind = 'forgot'`;
    return (await db.rows<{ identity: string }>(sql)).map(({ identity }) => identity);
  },

  /**
   * Tells when the person with an e-mail address was forgotten; undefined for a person who was not forgotten.
   */
  async forgottenPeople(): Promise<(email: string) => number | undefined> {
    const sql = `SELECT words, max(at) AS at FROM notes WHERE kind = 'forgot' AND account IS NULL
      GROUP BY words`;
    const notes = await db.rows<{ words: string; at: number }>(sql);
    const times = new Map(notes.map(({ words, at }) => [words, at]));
    return (email) => (times.size === 0 ? undefined : times.get(forgottenMark(secret, email)));
  },

  /** When the account last changed something in each project where it ever did. */
  async changedProjects(accountIdentity: string): Promise<ReadonlyMap<string, number>> {
    const changed = await db.rows<{ project: string; at: number }>(CHANGED, [accountIdentity]);
    return new Map(changed.map(({ project, at }) => [project, at]));
  },
});

const idsOf = (found: readonly { readonly id: AttemptId }[]): readonly AttemptId[] =>
  found.map(({ id }) => id);

/** The batches or accounts that a log reads, and since when. */
const ACCOUNTS = `
SELECT share.account AS id, bat.created_at - ${DAY_MS} AS since
FROM batches bat JOIN batch_accounts share ON share.batch = bat.id WHERE bat.id = CAST(? AS TEXT)
UNION ALL SELECT id, 0 FROM accounts WHERE CAST(? AS TEXT) IS NULL`;

const LOGGED = `
SELECT id, sent_at AS at FROM attempts WHERE account = ? AND sent_at >= ? AND sent_at <= ?
  AND (sent_at, id) < (CAST(? AS {int}), CAST(? AS {int})) AND batch = coalesce(CAST(? AS TEXT), batch)
ORDER BY sent_at DESC, id DESC LIMIT CAST(? AS {int})`;

/**
 * What an attempt cost is booked on the day of the one that pays for it; what it holds, and that it was sent,
 * on its own.
 */
const SPENT = `
SELECT att.batch, acc.identity AS "accountIdentity", att.day * ${DAY_MS} AS "dayMs", worker.operator,
  sum(moved.spent) AS spent, sum(moved.for_misses) AS "forMisses", sum(moved.at_most) AS "atMost",
  sum(moved.held) AS "inDoubt", sum(moved.requests) AS requests
FROM (
  SELECT coalesce(payer, id) AS id, charged AS spent,
    CASE WHEN ${hasSold('attempts')} THEN 0 ELSE charged END AS for_misses,
    charged * is_at_most AS at_most, 0 AS held, 0 AS requests
  FROM attempts WHERE id >= ? AND id <= ? AND charged > 0
  UNION ALL SELECT id, 0, 0, 0, CASE WHEN ${isDoubted('attempts')} THEN reserved ELSE 0 END,
    CASE WHEN state <> 'open' AND said IS DISTINCT FROM 'not_sent' THEN 1 ELSE 0 END
  FROM attempts WHERE id >= ? AND id <= ?) moved
JOIN attempts att ON att.id = moved.id JOIN accounts acc ON acc.id = att.account
  LEFT JOIN workers worker ON worker.id = att.worker
WHERE att.sent_at >= ? AND att.sent_at < ? GROUP BY att.batch, acc.identity, att.day, worker.operator`;

const ENDED_ROWS = `
SELECT row FROM rows WHERE batch = ? AND row >= ? AND state <> 'pending' ORDER BY row LIMIT CAST(? AS {int})`;

const LISTED = `SELECT row.row, cell.cells FROM rows row
  LEFT JOIN cells cell ON cell.batch = row.batch AND cell.row = row.row
WHERE row.batch = ? AND row.row >= ?`;

/** The rows with an answer that is like a text, or that a person told. */
const SAYING = `
SELECT DISTINCT used.row FROM (
    SELECT row, attempt AS id FROM rows WHERE batch = ? AND row BETWEEN ? AND ?
    UNION ALL SELECT row, attempt FROM uses WHERE batch = ? AND row BETWEEN ? AND ?) used
  JOIN attempts att ON att.id = used.id AND att.charged IS NOT NULL
    LEFT JOIN replies rep ON ${replyOf('rep', 'att')}
  LEFT JOIN notes note ON note.attempt = att.id AND note.kind = 'told' AND att.dialect IS NULL
WHERE note.facts IS NOT NULL OR lower({text rep.body}) LIKE CAST(? AS TEXT)`;

/** Those of these rows, which are in order, that may have an answer with this text. */
async function rowsSaying(
  db: Sql,
  batch: BatchId,
  rows: readonly { readonly row: RowNumber }[],
  text: string,
): Promise<ReadonlySet<RowNumber>> {
  const span = [batch, rows[0]?.row ?? 0, rows.at(-1)?.row ?? 0];
  // An answer may write any other sign in several ways, and the cell of a list joins what it has.
  const like = `%${text.toLowerCase().replaceAll(/[^a-z0-9@.-]+/g, '%')}%`;
  const found = await db.rows<{ row: RowNumber }>(SAYING, [...span, ...span, like]);
  return new Set(found.map(({ row }) => row));
}

/** A row that pays for an answer saves nothing, nor does a list that had the answer at an earlier start. */
const SAVED = `
WITH earlier AS MATERIALIZED (SELECT item.value AS id FROM {list ?}),
part AS (SELECT batch, row, attempt FROM rows
  WHERE batch = ? AND row >= ? AND row <= ? AND state <> 'pending'),
used AS (SELECT row, attempt FROM part
  UNION SELECT use.row, use.attempt FROM part JOIN uses use ON use.batch = part.batch AND use.row = part.row)
SELECT acc.identity AS "accountIdentity", sum(att.charged) AS saved FROM used
  JOIN attempts att ON att.id = used.attempt JOIN accounts acc ON acc.id = att.account
  WHERE att.charged > 0 AND (att.batch <> ? OR att.row <> used.row) AND NOT EXISTS (SELECT 1 FROM earlier
    WHERE earlier.id = att.batch OR EXISTS (SELECT 1 FROM rows row
      WHERE row.attempt = att.id AND row.batch = earlier.id)
      OR EXISTS (SELECT 1 FROM uses use
        WHERE use.attempt = att.id AND use.batch = earlier.id AND use.row = used.row))
  GROUP BY acc.identity`;

const ROWS_WAITING = `
SELECT row.row, row.findings FROM rows row WHERE row.batch = ? AND row.state = 'in_doubt'
  AND NOT EXISTS (SELECT 1 FROM attempts att WHERE att.id = row.attempt
    AND (${isDoubted('att')} OR att.state = 'answered'))
ORDER BY row.row LIMIT CAST(? AS {int})`;

const OLDER = each({ batch: 'text', found: 'int', no_match: 'int' })<{ row: number }>(`
SELECT row.row FROM v JOIN rows row ON row.batch = v.batch WHERE row.state <> 'pending'
  AND EXISTS (SELECT 1 FROM ${USED} JOIN attempts att ON att.id = used.id
    JOIN replies rep ON ${replyOf('rep', 'att')}
    WHERE att.charged IS NOT NULL AND att.said IN ${AN_ANSWER}
      AND ${isTooOld({ id: 'NULL', found: 'v.found', noMatch: 'v.no_match' })})
LIMIT 1`);

/** The newest answers of an operation are looked for among so many attempts. */
const NEWEST_ATTEMPTS = 10_000;

const MATCHED = `
SELECT CAST(avg(CASE WHEN att.said = 'found' THEN 1.0 ELSE 0.0 END) AS DOUBLE PRECISION) AS rate
FROM (SELECT operation, asked, said, state FROM attempts WHERE account = ?
  ORDER BY sent_at DESC LIMIT ${NEWEST_ATTEMPTS}) att
WHERE att.operation = ? AND ${isAnswered('att')}
  AND NOT ${takes('att')} HAVING count(*) >= ${ASKED_OFTEN_ENOUGH}`;

/** So many attempts tell how long a series of misses is; reading them takes a millisecond or two. */
const NEWEST_ANSWERS = 1_000;

/** The number of answers in the longest series, and on their way beside it. */
const NEWEST_HEARD = 100;

const HEARD = `
SELECT att.id FROM (SELECT * FROM attempts WHERE account = ?
  ORDER BY sent_at DESC, id DESC LIMIT ${NEWEST_ANSWERS}) att
WHERE (att.reply IS NOT NULL AND ${isAnswered('att')})
  OR (${isDoubted('att')} AND EXISTS (SELECT 1 FROM replies rep WHERE rep.attempt = att.id))
ORDER BY att.ended_at DESC, att.id DESC LIMIT ${NEWEST_HEARD}`;

const RANGE_COUNTS = `
SELECT count(*) FILTER (WHERE name <> 'set-aside' AND state < 'active') AS waiting,
  count(*) FILTER (WHERE name <> 'set-aside' AND state = 'active') AS running,
  count(*) FILTER (WHERE name = 'set-aside' AND state < 'active') AS "setAside"
FROM ${QUEUE_SCHEMA}.job WHERE data ->> 'batch' = ?`;

const CHANGED = `
SELECT sub.project, max(att.ended_at) AS at FROM accounts acc JOIN subjects sub ON sub.account = acc.id
  JOIN attempts att ON att.subject = sub.id AND att.subject IS NOT NULL
WHERE acc.identity = ? AND att.said = 'found' GROUP BY sub.project`;
