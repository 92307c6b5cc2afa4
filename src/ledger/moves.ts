import { type Each, each, type Sql } from './db.ts';
import type { BatchId } from './records.ts';

/**
 * A row moves in the commit of what it rests on: when its call is lost, when somebody decides about that, and when it is known what
 * became of it. Who knows how the row ends by that writes it in the same commit; else the row waits for a run.
 */

const CALL = { call: 'int' } as const;
type OfCall = Each<{ readonly call: number | null }>;

/** Also where the process ends before it can finish the row. */
export const ROW_DOUBTED: OfCall = each(CALL)(`
INSERT INTO rows (batch, row, state, call, reason)
SELECT c.batch, c.row, 'in_doubt', c.id, c.why FROM (SELECT max(c.id) AS id FROM v JOIN calls c ON c.id = v.call
  WHERE c.state IN ('doubt', 'lost') GROUP BY c.batch, c.row) d JOIN calls c ON c.id = d.id WHERE 1 = 1
ON CONFLICT (batch, row) DO UPDATE SET state = 'in_doubt', call = excluded.call, reason = excluded.reason
WHERE rows.state IN ('pending', 'in_doubt')`);

const ENDED = `c.state NOT IN ('open', 'doubt', 'retried', 'lost')`;

/** What was retried is in doubt again where its retry did not happen. */
const BACK: OfCall = each(CALL)(`
UPDATE rows SET call = p.id FROM v JOIN calls c ON c.id = v.call AND c.state IN ('unsold', 'released')
  JOIN calls p ON p.id = c.prior AND p.state = 'doubt'
WHERE rows.call = c.id AND rows.state = 'in_doubt'`);

/** A late answer of what was retried stands, and its retry is lost beside it. */
const TO_THE_LATE: OfCall = each(CALL)(`
UPDATE rows SET call = c.id FROM v JOIN calls c ON c.id = v.call AND c.state = 'answered'
  JOIN calls r ON r.prior = c.id AND r.kind IN ('retry', 'repeat') AND r.state = 'lost'
WHERE rows.call = r.id AND rows.state = 'in_doubt'`);

/** A row may wait for another one of the same person: then the call is the last one of its others. */
const WAITS = `rows.state = 'in_doubt' AND rows.call IS NULL AND (rows.others = '[' || c.id || ']' OR rows.others LIKE '%,' || c.id || ']')`;

const NOT_WAITING: OfCall = each(CALL)(`
UPDATE rows SET call = c.id, others = NULL FROM v JOIN calls c ON c.id = v.call AND c.state = 'released' WHERE ${WAITS}`);

/** It was planned from how the person was before. */
const PLANNED_BEFORE: OfCall = each(CALL)(`
UPDATE rows SET state = 'refused', reason = 'changed by batch ' || c.batch || ' since this was planned; run the list again to make a new plan'
FROM v JOIN calls c ON c.id = v.call AND c.charged IS NOT NULL WHERE ${WAITS}`);

/** The rows in doubt on a call of which it is known by now what became of it. */
const KNOWN = `v JOIN calls c ON c.id = v.call AND ${ENDED}
  JOIN rows w ON w.call = c.id AND w.state = 'in_doubt'`;

/** One of a lineage is open at a time: of several finished ones the newest goes on. */
const opensSql = (rows: string): string => `
UPDATE batches SET state = 'open' FROM ${rows}
WHERE batches.id = w.batch AND batches.state = 'finished' AND NOT EXISTS (SELECT 1 FROM batches o WHERE o.lineage = batches.lineage
  AND (o.state = 'open' OR (o.state = 'finished' AND o.number > batches.number AND o.id IN (SELECT w.batch FROM ${rows}))))`;

const waitsSql = (rows: string): string => `
UPDATE rows SET state = 'pending' FROM ${rows} JOIN batches b ON b.id = w.batch AND b.state = 'open'
WHERE rows.batch = w.batch AND rows.row = w.row`;

/** Where no run goes on with its batch. */
const skippedSql = (rows: string, known: string): string => `
UPDATE rows SET state = 'skipped', reason = ${known} || CASE WHEN b.state = 'finished'
  THEN ', and batch ' || (SELECT o.id FROM batches o WHERE o.lineage = b.lineage AND o.state = 'open') || ' goes on with this list'
  ELSE ', and its batch is ' || b.state END
FROM ${rows} JOIN batches b ON b.id = w.batch AND b.state <> 'open' WHERE rows.batch = w.batch AND rows.row = w.row`;

const movesOf = (rows: string, known: string): readonly string[] => [
  opensSql(rows),
  waitsSql(rows),
  skippedSql(rows, known),
];

/** What rests on calls that have ended, or were released. */
export const ROWS_KNOWN: readonly OfCall[] = [
  BACK,
  TO_THE_LATE,
  NOT_WAITING,
  PLANNED_BEFORE,
  ...movesOf(
    KNOWN,
    `CASE c.state WHEN 'released' THEN 'its call was not done' ELSE 'its call was answered' END`,
  ).map((sql): OfCall => each(CALL)(sql)),
];

// --------------------------------------------------------------------------------------- what was taken for an answer

/**
 * Rows in these states that used a call. Where it was not a row's last one, the row is found by the call, which names the first row
 * that used it.
 */
const usedSql = (states: string): string => `
SELECT w.batch, w.row, v.call, v.reason FROM v JOIN rows w ON w.call = v.call AND w.state IN (${states})
UNION SELECT w.batch, w.row, v.call, v.reason FROM v JOIN calls c ON c.id = v.call JOIN rows w ON w.batch = c.batch AND w.row = c.row
WHERE w.state IN (${states}) AND EXISTS (SELECT 1 FROM {list w.others} WHERE CAST(item.value AS {int}) = v.call)`;

const doubtedSql = (states: string, batches = "'open', 'finished', 'superseded', 'cancelled'"): string => `
UPDATE rows SET state = 'in_doubt', call = w.call, matched_by = NULL, reason = w.reason
FROM (${usedSql(states)}) w JOIN batches b ON b.id = w.batch AND b.state IN (${batches}) WHERE rows.batch = w.batch AND rows.row = w.row`;

const READ = { call: 'int', reason: 'text' } as const;

const READ_AS_NONE = each(READ)(doubtedSql(`'matched', 'no_match', 'refused'`));
const READ_AS_UNPROVEN = each(READ)(doubtedSql(`'applied'`));
const PROVEN = each(READ)(`
UPDATE rows SET state = 'applied', reason = v.reason FROM v WHERE rows.call = v.call AND rows.state = 'in_doubt'`);
const NOT_DONE = each(READ)(`
UPDATE rows SET state = 'refused', reason = v.reason FROM v WHERE rows.call = v.call AND rows.state = 'in_doubt'`);

interface OfRows {
  readonly call: number;
  /** What the rows say from now on. */
  readonly reason: string | null;
}

/** A newer dialect finds no answer in what came: its rows are in doubt until somebody agrees to buy it again. */
export const doubtReadRows = (sql: Sql, rows: OfRows) => sql.each(READ_AS_NONE, [rows]);

/** A newer dialect finds no proof in what came of a change that counted as done. */
export const doubtAppliedRows = (sql: Sql, rows: OfRows) => sql.each(READ_AS_UNPROVEN, [rows]);

/** The rows of a change that counted as done, and of which a newer dialect does not read that in what came. The call stays answered. */
const UNPROVEN = `rows w JOIN calls c ON c.id = w.call AND c.state = 'answered' AND c.subject IS NOT NULL AND w.state = 'in_doubt'`;

export const isUnproven = async (sql: Sql, call: number): Promise<boolean> =>
  (await sql.rows(`SELECT c.id FROM ${UNPROVEN} WHERE c.id = ?`, [call])).length > 0;

export const unprovenOf = async (sql: Pick<Sql, 'rows'>, batch: BatchId): Promise<ReadonlySet<number>> =>
  new Set(
    (await sql.rows<{ id: number }>(`SELECT c.id FROM ${UNPROVEN} WHERE w.batch = ?`, [batch])).map(
      ({ id }) => id,
    ),
  );

/** It is known again, or told, that it was done. */
export const applyRows = (sql: Sql, rows: OfRows) => sql.each(PROVEN, [rows]);

export const refuseRows = (sql: Sql, rows: OfRows) => sql.each(NOT_DONE, [rows]);

const TAKEN_BACK = each(READ)(doubtedSql(`'no_match', 'refused'`, `'open', 'finished'`));
const ASKS_AGAIN = movesOf(
  `(SELECT CAST(item.value AS {int}) AS call FROM {list ?}) v JOIN rows w ON w.call = v.call AND w.state = 'in_doubt'`,
  `'its answer was taken back'`,
);

/** Rows that were ended by answers which are none ask again. It takes all at once: of several batches over a list the newest goes on. */
export async function askAgain(sql: Sql, calls: readonly number[]): Promise<void> {
  await sql.each(
    TAKEN_BACK,
    calls.map((call) => ({ call, reason: null })),
  );
  const list = JSON.stringify(calls);
  for (const text of ASKS_AGAIN)
    await sql.rows(
      text,
      text
        .split('?')
        .slice(1)
        .map(() => list),
    );
}

// ------------------------------------------------------------------------------------------ what a person decides

const OF_BATCH = { batch: 'text', call: 'int', reason: 'text' } as const;

/** The rows of one batch. */
const RESTING = `v JOIN rows w ON w.batch = v.batch AND w.call = v.call AND w.state = 'in_doubt'`;

const NAMED = each(OF_BATCH)(`
UPDATE rows SET state = 'in_doubt' FROM v WHERE rows.batch = v.batch AND rows.call = v.call AND rows.state = 'skipped'`);
const RETRIED = movesOf(RESTING, `'it may be sent again'`).map((sql) => each(OF_BATCH)(sql));
const SKIPPED = each(OF_BATCH)(`
UPDATE rows SET state = 'skipped', reason = v.reason FROM v
WHERE rows.batch = v.batch AND rows.call = v.call AND rows.state IN ('pending', 'in_doubt')`);

interface Decided {
  readonly batch: BatchId;
  readonly call: number;
}

/** A row that was skipped is in doubt again when a person names it. */
export async function nameAgain(sql: Sql, { batch, call }: Decided): Promise<void> {
  await sql.each(NAMED, [{ batch, call, reason: null }]);
}

export async function waitForRetry(sql: Sql, { batch, call }: Decided): Promise<void> {
  for (const statement of RETRIED) await sql.each(statement, [{ batch, call, reason: null }]);
}

const SKIPPED_GO = each(OF_BATCH)(`
DELETE FROM cells WHERE (batch, row) IN (SELECT r.batch, r.row FROM v JOIN rows r ON r.batch = v.batch AND r.call = v.call AND r.state = 'skipped')`);

export async function skipRows(sql: Sql, { batch, call }: Decided, reason: string): Promise<void> {
  for (const statement of [SKIPPED, SKIPPED_GO]) await sql.each(statement, [{ batch, call, reason }]);
}

const FINISHED = {
  batch: 'text',
  row: 'int',
  state: 'text',
  matched_by: 'text',
  reason: 'text',
  others: 'text',
  call: 'int',
  rests_on: 'int',
} as const;

const FINISH = each(FINISHED)(`
UPDATE rows SET state = v.state, matched_by = v.matched_by, reason = v.reason, call = v.call, others = v.others FROM v
WHERE rows.batch = v.batch AND rows.row = v.row AND rows.call = v.rests_on AND rows.state IN ('pending', 'in_doubt')`);

const FINISHED_GO = each(FINISHED)(`
DELETE FROM cells WHERE (batch, row) IN (SELECT r.batch, r.row FROM v JOIN rows r ON r.batch = v.batch AND r.row = v.row
  AND r.state NOT IN ('pending', 'in_doubt'))`);

interface RowEnd {
  readonly batch: string;
  readonly row: number;
  readonly state: string;
  readonly matched_by: string | null;
  readonly reason: string | null;
  readonly others: string | null;
  readonly call: number | null;
}

/** Writes how rows end that rest on a call. */
export async function finishRows(sql: Sql, call: number, rows: readonly RowEnd[]): Promise<void> {
  const records = rows.map((row) => ({ ...row, rests_on: call }));
  for (const statement of [FINISH, FINISHED_GO]) await sql.each(statement, records);
}
