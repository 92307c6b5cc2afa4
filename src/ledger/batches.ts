import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { invariant } from '../core/errors.ts';
import { NO_FINDINGS } from '../core/finding.ts';
import { present } from '../core/objects.ts';
import type { JsonObject } from '../core/operation.ts';
import type { RowNumber } from '../core/row.ts';
import { stepNames } from '../core/steps.ts';
import {
  type Context,
  changeFacts,
  ensureAccount,
  oneRow,
  type StoredRow,
  type WriteContext,
  withoutNulls,
} from './context.ts';
import { type Cell, each, eachOf, type Sql } from './db.ts';
import { lastFirst, startedMs } from './lists.ts';
import { type BudgetName, budgetName, isBudget, moneyOf, OF_BATCH, setCap } from './money.ts';
import { ACT_KINDS, actsWhere, noteAct, noteFile } from './notes.ts';
import type {
  Act,
  Batch,
  BatchChange,
  BatchFacts,
  BatchId,
  BatchSpec,
  BatchStart,
  BatchState,
  Credits,
  FreshSince,
  Money,
  PlannedRow,
} from './records.ts';
import { keepPlan } from './rows.ts';
import { isAnswered, isCurrent, isHolding } from './schema.ts';
import { moveRows, resumeForRetry } from './transitions.ts';

type BatchColumns = FreshSince &
  Pick<Batch, 'id' | 'key' | 'generation' | 'lineage' | 'operation' | 'state' | 'accountIdentity'> &
  Pick<Batch, 'createdAtMs' | 'pausedSinceMs'>;

interface BatchRow extends StoredRow<BatchColumns> {
  readonly is_sandbox: 0 | 1;
  /** JSON. */
  readonly accounts: string;
  /** JSON: all of a batch by which nothing is looked up. */
  readonly facts: string;
}

const BATCHES = `
SELECT bat.id, bat.key, bat.generation, bat.lineage, bat.operation, bat.state,
  bat.created_at AS "createdAtMs", bat.fresh_found AS "foundMs", bat.fresh_no_match AS "noMatchMs",
  bat.is_sandbox, bat.facts,
  (SELECT CAST({json_list}({json_object}('identity', acc_of.identity, 'name', share.name)
    ORDER BY share.place) AS TEXT)
    FROM batch_accounts share
      JOIN accounts acc_of ON acc_of.id = share.account WHERE share.batch = bat.id) AS accounts,
  acc.identity AS "accountIdentity", CASE WHEN bat.state = 'open' THEN bat.paused_since END AS "pausedSinceMs"
FROM batches bat JOIN accounts acc ON acc.id = bat.account`;

async function batchesWhere(sql: Sql, where: string, params: readonly Cell[] = []) {
  return (await sql.rows<BatchRow>(`${BATCHES} ${where}`, params)).map(batchFrom);
}

function batchFrom(row: BatchRow): Batch {
  const { pausedSinceMs, foundMs, noMatchMs, is_sandbox, accounts, facts, ...batch } = row;
  const freshSince = withoutNulls({ foundMs, noMatchMs });
  return {
    ...batch,
    sandbox: is_sandbox === 1,
    accounts: JSON.parse(accounts),
    ...withoutNulls({ pausedSinceMs }),
    ...(Object.keys(freshSince).length === 0 ? {} : { freshSince }),
    ...JSON.parse(facts),
  };
}

async function existingBatch(sql: Sql, id: BatchId): Promise<Batch> {
  const [batch] = await batchesWhere(sql, 'WHERE bat.id = ?', [id]);
  invariant(batch !== undefined, `the ledger has no batch ${id}`);
  return batch;
}

export const readBatches = ({ db }: Context) => ({
  /** All batches, the one that was started last first. */
  batches: async (): Promise<readonly Batch[]> =>
    (await batchesWhere(db, 'ORDER BY bat.number DESC')).toSorted(lastFirst),
  batch: async (id: BatchId): Promise<Batch | undefined> =>
    (await batchesWhere(db, 'WHERE bat.id = ?', [id]))[0],
  /** The batch of that key, open or finished, of the newest generation. */
  async batchByKey(key: string): Promise<Batch | undefined> {
    const newest = `WHERE bat.key = ? AND bat.state IN ('open', 'finished')
      ORDER BY bat.generation DESC LIMIT 1`;
    return (await batchesWhere(db, newest, [key]))[0];
  },
  /** With `extra`, only the money of its retries of calls in doubt. Their cap is the extra credits. */
  batchMoney: (batch: BatchId, scope: 'batch' | 'extra' = 'batch'): Promise<Money> =>
    moneyOf(db, budgetName(scope, { batch })),
  /** What a batch has spent at each of its accounts. */
  spentByAccount: (batch: BatchId) =>
    db.rows<{ readonly accountIdentity: string; readonly spent: Credits }>(SPENT_BY_ACCOUNT, [batch]),
  /** The people who worked on the batch, oldest first. */
  acts: (batch: BatchId): Promise<readonly Act[]> =>
    actsWhere(db, `note.kind IN (${ACT_KINDS}) AND note.batch = ?`, [batch]),
  /** When runs of the batch came to no end, and when another went on with its rows, oldest first. */
  async interruptions(batch: BatchId): Promise<readonly Interruption[]> {
    const runs = await db.rows<RunOfBatch>(RUNS, [batch]);
    return runs.flatMap(({ isEnded, seenMs, lastMs }, at) => {
      const next = runs[at + 1];
      // A sweep that has ended may have worked on other lists after this one.
      const atMs = isEnded === 1 ? lastMs : Math.max(seenMs, lastMs);
      // Workers that share a list do not go on with what another one has left.
      if (next === undefined || next.sinceMs < atMs) return [];
      return [{ atMs, goneOnMs: next.firstMs, isKilled: isEnded === 0 }];
    });
  },
  /** How many attempts of the batch were sent, and how many distinct calls it settled. */
  metrics: (batch: BatchId): Promise<{ readonly requests: number; readonly calls: number }> =>
    oneRow(db, METRICS, [batch]),
  /** Number of the batch's attempts that are open: their run is still at work, or ended in the middle. */
  async openRequests(batch: BatchId): Promise<number> {
    const sql = `SELECT count(*) AS n FROM attempts WHERE state = 'open' AND ${OF_BATCH}`;
    return (await oneRow<{ n: number }>(db, sql, [batch, batch])).n;
  },
});

/** The budget of an account's share. */
async function shareOf(sql: Pick<Sql, 'rows'>, batch: BatchId, identity: string): Promise<BudgetName> {
  const ofBatch = `SELECT share.account FROM batch_accounts share JOIN accounts acc ON acc.id = share.account
    WHERE share.batch = ? AND acc.identity = ?`;
  const [ownAccount] = await sql.rows<{ account: number }>(ofBatch, [batch, identity]);
  invariant(ownAccount !== undefined, `batch ${batch} has the account ${identity}`);
  return budgetName('share', { batch, account: ownAccount.account });
}

const SPENT_BY_ACCOUNT = `
SELECT acc.identity AS "accountIdentity", bud.spent FROM batch_accounts share
  JOIN accounts acc ON acc.id = share.account JOIN budgets bud ON ${isBudget('bud', 'share', 'share')}
WHERE share.batch = ? ORDER BY share.place`;

/** The processes that asked for rows of a batch. One that was killed has not noted its end. */
const RUNS = `
SELECT CASE WHEN worker.ended_at IS NULL THEN 0 ELSE 1 END AS "isEnded", worker.since AS "sinceMs",
  worker.seen_at AS "seenMs", min(att.sent_at) AS "firstMs", max(att.sent_at) AS "lastMs"
FROM attempts att JOIN workers worker ON worker.id = att.worker
WHERE att.batch = ? AND att.kind IN ('first', 'refresh') GROUP BY worker.id ORDER BY worker.id`;

interface RunOfBatch {
  readonly isEnded: 0 | 1;
  readonly sinceMs: number;
  readonly seenMs: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** A run of a batch was killed or has stopped, and another one went on with it. */
export interface Interruption {
  readonly atMs: number;
  readonly goneOnMs: number;
  readonly isKilled: boolean;
}

/** An answer that was taken back, or turned out to be none, does not count. */
const METRICS = `
SELECT count(*) FILTER (WHERE state <> 'open' AND (state <> 'uncharged' OR said <> 'not_sent')) AS requests,
  count(*) FILTER (WHERE ${isAnswered('attempts')} OR state = 'erased') AS calls
FROM attempts WHERE batch = ?`;

export const writeBatches = (context: WriteContext) => ({
  /**
   * Resumes the open batch of this key, returns the finished one, or makes a new one and supersedes its
   * lineage.
   * @param renew makes a new generation instead of returning the finished batch.
   * @param plan of a batch of changes is kept in the same transaction when a new batch is made, and ignored
   * otherwise.
   */
  beginBatch: (spec: BatchSpec, renew = false, plan: readonly PlannedRow[] = []): Promise<BatchStart> =>
    context.transaction(async (sql) => {
      const newestOfKey = 'WHERE bat.key = ? ORDER BY bat.generation DESC LIMIT 1';
      const [newest] = await batchesWhere(sql, newestOfKey, [spec.key]);
      const earlier = goesOn(newest, renew) ? newest : undefined;
      const superseded = await supersede(sql, spec.lineage, earlier?.id);
      const id = earlier?.id ?? (await insertBatch(sql, spec, (newest?.generation ?? 0) + 1, plan));
      const start = earlier === undefined ? 'new' : await startAgain(sql, earlier);
      // The same content may have been moved, and accounts renamed, since the last run: the newest names are
      // kept.
      const { lineage, inputPath, accountName } = spec;
      await sql.rows('UPDATE batches SET lineage = ? WHERE id = ?', [lineage, id]);
      const run = { worker: context.worker, pid: process.pid };
      await noteFacts(sql, id, { inputPath, accountName, run, startedAtMs: await nextStart(sql, spec) });
      await keepAccounts(sql, id, spec);
      await noteReads(sql, id, spec);
      await noteAct(sql, context, earlier === undefined ? 'begun' : 'gone_on', id);
      return { batch: await existingBatch(sql, id), start, superseded };
    }),
  changeBatch: (id: BatchId, change: BatchChange): Promise<void> =>
    context.transaction(async (sql) => {
      const { state, budget: _, extraCredits: __, shares: ___, ...facts } = change;
      const batch = await existingBatch(sql, id);
      await noteFacts(sql, id, facts);
      await setBatchCaps(sql, id, change);
      if (facts.inputPath !== undefined) await noteReads(sql, id, { ...batch, inputPath: facts.inputPath });
      if (state !== undefined && state !== batch.state) await setState(sql, context, batch, state);
    }),
  /** Keeps what workers need to work on the batch. */
  keepOrder: (batch: BatchId, order: WorkOrder): Promise<void> =>
    context.transaction(async (sql) => {
      await sql.rows('UPDATE batches SET work_order = ? WHERE id = ?', [JSON.stringify(order), batch]);
    }),
  /**
   * Keeps that a person pauses a batch, or resumes it. A batch that is paused already is not paused again.
   */
  setPaused: (id: BatchId, isPaused: boolean, atMs: number): Promise<void> =>
    context.transaction(async (sql) => {
      const changed = await sql.rows(
        `UPDATE batches SET paused_since = CAST(? AS {int})
         WHERE id = ? AND paused_since IS ${isPaused ? '' : 'NOT'} NULL RETURNING id`,
        [isPaused ? Math.floor(atMs) : null, id],
      );
      if (changed.length > 0) await noteAct(sql, context, isPaused ? 'paused' : 'resumed', id);
    }),
});

/** Sets those of the caps that a change names. */
async function setBatchCaps(sql: Sql, id: BatchId, change: BatchChange): Promise<void> {
  const { budget, extraCredits, shares = {} } = change;
  if (budget !== undefined) await setCap(sql, budgetName('batch', { batch: id }), budget);
  if (extraCredits !== undefined) await setCap(sql, budgetName('extra', { batch: id }), extraCredits);
  for (const [identity, cap] of Object.entries(shares))
    await setCap(sql, await shareOf(sql, id, identity), cap);
}

/** Rows whose call may be sent again, and that were left to another batch of their list. */
const LEFT = `SELECT DISTINCT row.batch, row.attempt FROM rows row JOIN attempts att ON att.id = row.attempt
  WHERE row.batch = ? AND row.state = 'skipped' AND (att.state IN ('released', 'retracted')
    OR (${isHolding('att')} AND att.state <> 'accepted' AND 'retry' = (SELECT note.said FROM notes note
      WHERE note.attempt = att.id AND note.batch = row.batch AND note.kind = 'decided'
        ORDER BY note.id DESC LIMIT 1)))
    AND NOT EXISTS (SELECT 1 FROM attempts att_now
      WHERE att_now.key = att.key AND ${isCurrent('att_now')} AND att_now.state = 'answered')`;

/** Rows that a finished batch has left to another one wait again, because its list is as it was. */
async function startAgain(sql: Sql, { id, state }: Batch): Promise<BatchStart['start']> {
  if (state === 'open') return 'resumed';
  const leftAttempts = await sql.rows<{ batch: BatchId; attempt: number }>(LEFT, [id]);
  for (const of of leftAttempts) await moveRows(sql, of, ['skipped'], 'in_doubt', NO_FINDINGS);
  await eachOf(sql, resumeForRetry, leftAttempts);
  return leftAttempts.length > 0 ? 'resumed' : 'finished';
}

/** A clock that is put back, or two starts of one moment, must not hide which start was the last one. */
async function nextStart(sql: Sql, { createdAtMs }: BatchSpec): Promise<number> {
  const [last] = (await batchesWhere(sql, 'ORDER BY bat.number DESC')).toSorted(lastFirst);
  return Math.max(Math.floor(createdAtMs), last === undefined ? 0 : startedMs(last) + 1);
}

const goesOn = (batch: Batch | undefined, renew: boolean): batch is Batch =>
  batch?.state === 'open' || (batch?.state === 'finished' && !renew);

async function setState(sql: Sql, context: WriteContext, batch: Batch, state: BatchState): Promise<void> {
  const { id, state: was } = batch;
  invariant(!isOver(was), `batch ${id} is ${was} and cannot become ${state}`);
  await sql.rows('UPDATE batches SET state = ? WHERE id = ?', [state, id]);
  if (isOver(state)) await close(sql, id);
  if (state === 'cancelled') await noteAct(sql, context, 'cancelled', id);
}

const isOver = (state: BatchState): boolean => state === 'superseded' || state === 'cancelled';

/** Ends what is open for the same file: it never resumes. @param but what goes on. */
async function supersede(sql: Sql, lineage: string, but?: BatchId): Promise<readonly BatchId[]> {
  const ended = await sql.rows<{ id: BatchId }>(
    `UPDATE batches SET state = 'superseded' WHERE lineage = ? AND state = 'open' AND id <> ? RETURNING id`,
    [lineage, but ?? ''],
  );
  for (const { id } of ended) await close(sql, id);
  return ended.map(({ id }) => id);
}

const CLOSE = each({ batch: 'text' });
const CLOSED = [
  CLOSE(
    `UPDATE budgets SET closed = 1 FROM v
WHERE budgets.kind IN ('batch', 'share') AND budgets.batch = v.batch`,
  ),
  // A retry was decided and no one sent it, or the retry is in doubt: the row is in doubt as before.
  CLOSE(`UPDATE rows SET state = 'in_doubt', attempt = att_held.id,
    findings = coalesce(rows.findings, att_held.why)
FROM v JOIN rows row ON row.batch = v.batch AND row.state = 'pending' AND row.attempt IS NOT NULL
  JOIN attempts att ON att.id = row.attempt
    JOIN attempts att_held ON att_held.id = CASE att.state WHEN 'retried' THEN
    (SELECT att_now.id FROM attempts att_now
      WHERE att_now.key = att.key AND ${isCurrent('att_now')}) ELSE att.id END
    AND ${isHolding('att_held')} AND att_held.state <> 'accepted'
WHERE rows.batch = row.batch AND rows.row = row.row`),
];

/** Nothing is sent for the batch any more. */
async function close(sql: Sql, batch: BatchId): Promise<void> {
  for (const statement of CLOSED) await sql.each(statement, [{ batch }]);
}

const noteFacts = (sql: Sql, id: BatchId, changed: BatchFacts): Promise<void> =>
  changeFacts(sql, 'batches', id, () => present(changed));

/** Another run may have read a copy of the list or of the job, and a person who is forgotten may be in it. */
async function noteReads(
  sql: Sql,
  batch: BatchId,
  { inputPath, inputSha256, settings: { job } }: Pick<BatchSpec, 'inputPath' | 'inputSha256' | 'settings'>,
): Promise<void> {
  await noteFile(sql, { path: inputPath, kind: 'list', sha256: inputSha256, batch });
  // An operation that was named instead of a job is no path.
  if (typeof job === 'string' && isAbsolute(job))
    await noteFile(sql, { path: job, kind: 'job', sha256: '', batch });
}

async function insertBatch(
  sql: Sql,
  spec: BatchSpec,
  generation: number,
  plan: readonly PlannedRow[],
): Promise<BatchId> {
  const { key, lineage, accountIdentity, accounts: _, operation, createdAtMs, ...rest } = spec;
  const { freshSince = {}, sandbox, ...facts } = rest;
  const id = await freeId(sql);
  const account = await ensureAccount(sql, accountIdentity);
  const plannedRows = plan.length === 0 ? undefined : plan.length;
  await sql.rows(
    `INSERT INTO batches (id, number, key, generation, lineage, account, operation, steps, state, created_at,
       fresh_found, fresh_no_match, is_sandbox, facts)
     VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM batches), ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?)`,
    [
      id,
      key,
      generation,
      lineage,
      account,
      operation,
      stepNames(operation).length,
      Math.floor(createdAtMs),
      cutOff(freshSince.foundMs),
      cutOff(freshSince.noMatchMs),
      sandbox ? 1 : 0,
      JSON.stringify({ ...facts, plannedRows }),
    ],
  );
  await sql.rows("INSERT INTO budgets (kind, batch) VALUES ('batch', ?), ('extra', ?)", [id, id]);
  await keepPlan(sql, id, plan);
  return id;
}

/** Keeps the accounts of a batch with their newest names. Their shares have no caps when the batch begins. */
async function keepAccounts(sql: Sql, batch: BatchId, spec: BatchSpec): Promise<void> {
  const { accountIdentity: identity, accountName: name, accounts = [{ identity, name }] } = spec;
  for (const [place, each] of accounts.entries()) {
    const account = await ensureAccount(sql, each.identity);
    await sql.rows(
      `INSERT INTO batch_accounts (batch, account, place, name) VALUES (?, ?, ?, ?)
       ON CONFLICT (batch, account) DO UPDATE SET name = excluded.name`,
      [batch, account, place, each.name],
    );
    await sql.rows(
      `INSERT INTO budgets (kind, batch, account) VALUES ('share', ?, ?)
       ON CONFLICT (kind, batch, account, period) DO NOTHING`,
      [batch, account],
    );
  }
}

const cutOff = (ms: number | undefined): number | null => (ms === undefined ? null : Math.floor(ms));

/** A random id, so that no one mistakes a batch of one store for a batch of another store. */
async function freeId(sql: Sql): Promise<BatchId> {
  for (;;) {
    const id = randomBytes(4).toString('hex') as BatchId;
    const [taken] = await sql.rows('SELECT id FROM batches WHERE id = ?', [id]);
    if (taken === undefined) return id;
  }
}

// ---------------------------------------------------------------------------------------------------- ranges

/**
 * Lists that are given to workers, in ranges of rows. Any process can work on a range from what is kept here,
 * without reading the list again.
 */

/**
 * What a process needs to work on a batch without its job file and its dialect file. There is no key in it.
 */
export interface WorkOrder {
  readonly job: JsonObject;
  readonly dialect: JsonObject;
  /** The dialects of the other accounts of the batch, in their order. Left out: it has one account. */
  readonly further?: readonly JsonObject[];
  readonly rangeRows: number;
}

/** The rows of a batch from `fromRow` on, and before `beforeRow`, that one worker takes at a time. */
export interface BatchRange {
  readonly batch: BatchId;
  readonly fromRow: RowNumber;
  readonly beforeRow: RowNumber;
}

export interface RangeLeft extends BatchRange {
  readonly accountIdentity: string;
  readonly left: number;
}

/** How many ranges of a batch wait, are worked on, and were set aside. */
export interface RangeCounts {
  readonly waiting: number;
  readonly running: number;
  readonly setAside: number;
}

/**
 * The schema of the queue that hands ranges to workers, beside the ledger's schema. pg-boss keeps its jobs
 * there.
 */
export const QUEUE_SCHEMA = 'rowonce_queue';

/** The ranges of a batch that still have rows in these states. */
const leftIn = (states: string): string => `
SELECT acc.identity AS "accountIdentity",
  2 + (row.row - 2) / CAST(? AS {int}) * CAST(? AS {int}) AS "fromRow",
  count(*) AS "left"
FROM batches bat JOIN accounts acc ON acc.id = bat.account
  JOIN rows row ON row.batch = bat.id AND row.state IN (${states})
WHERE bat.id = ? GROUP BY 1, 2 ORDER BY 2`;

export const readRanges = ({ db }: Context) => ({
  /**
   * The ranges that have rows which no one has looked at yet, in batches that may go on, in the order of
   * their rows.
   * @param only of that batch alone, and those with rows in doubt as well.
   */
  async rangesLeft(only?: BatchId): Promise<readonly RangeLeft[]> {
    const orders = await db.rows<{ id: BatchId; work_order: string }>(
      `SELECT id, work_order FROM batches WHERE state = 'open' AND paused_since IS NULL
        AND work_order IS NOT NULL AND id = coalesce(CAST(? AS TEXT), id) ORDER BY id`,
      [only ?? null],
    );
    const sql = leftIn(only === undefined ? `'pending'` : `'pending', 'in_doubt'`);
    const rangesLeft: RangeLeft[] = [];
    for (const { id: batch, work_order } of orders) {
      const { rangeRows }: WorkOrder = JSON.parse(work_order);
      const found = await db.rows<Omit<RangeLeft, 'batch' | 'beforeRow'>>(sql, [rangeRows, rangeRows, batch]);
      rangesLeft.push(...found.map((each) => ({ ...each, batch, beforeRow: each.fromRow + rangeRows })));
    }
    return rangesLeft;
  },
});
