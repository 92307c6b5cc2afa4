import { type EachStatement, each, eachWhole, type FilledRow, type Sql } from './db.ts';
import type { BatchId } from './records.ts';
import { isCurrent, isPast } from './schema.ts';

/**
 * A row moves in the commit of what it rests on: when its attempt is lost, when somebody decides about that, and when it is known what
 * became of it. Who knows how the row ends by that writes it in the same commit; else the row waits for a run.
 */

export const ROW_COLUMNS = {
  batch: 'text',
  row: 'int',
  state: 'text',
  matched_by: 'text',
  reason: 'text',
  attempt: 'int',
  others: 'text',
} as const;
export type Row = FilledRow<typeof ROW_COLUMNS, 'matched_by' | 'reason' | 'attempt' | 'others'>;

const ATTEMPT = { attempt: 'int' } as const;
type AttemptStatement = EachStatement<{ readonly attempt: number | null }>;
const ofAttempt: (sql: string) => AttemptStatement = eachWhole(ATTEMPT);

/** A batch is called by the names of its steps. */
const isOfSteps = (table: string): string => `${table}.operation LIKE '%,%'`;

/** Also where the process ends before it can finish the row. One of several steps is pending until all of them have ended. */
export const ROW_DOUBTED: AttemptStatement = each(ATTEMPT)(`
INSERT INTO rows (batch, row, state, attempt, reason)
SELECT c.batch, c.row, 'in_doubt', c.id, c.why FROM (SELECT max(c.id) AS id FROM v JOIN attempts c ON c.id = v.attempt
  JOIN batches b ON b.id = c.batch AND NOT ${isOfSteps('b')}
  WHERE c.state IN ('doubt', 'doubt_beside') GROUP BY c.batch, c.row) d JOIN attempts c ON c.id = d.id WHERE 1 = 1
ON CONFLICT (batch, row) DO UPDATE SET state = 'in_doubt', attempt = excluded.attempt, reason = excluded.reason
WHERE rows.state IN ('pending', 'in_doubt')`);

/**
 * Rows in doubt rest on what stands of their call: what was sent in its place, what was in doubt before that, or a late answer. A
 * lost refresh is in doubt beside the answer that stands.
 */
export const ROWS_FOLLOW = ofAttempt(`
UPDATE rows SET attempt = o.id FROM v JOIN attempts c ON c.id = v.attempt JOIN attempts o ON o.key = c.key AND ${isCurrent('o')}
  JOIN attempts x ON x.key = c.key AND ${isPast('x')} AND NOT (x.state = 'doubt_beside' AND x.kind = 'refresh')
WHERE rows.attempt = x.id AND rows.state = 'in_doubt'`);

/**
 * A row may wait for a change of the same person: then an attempt `x` at that is the last one of its others, and what counts is what stands
 * of its call. They are looked for in the batches of its account, in this order, because an index finds the rows in doubt of a batch.
 */
const WAITING = `(SELECT DISTINCT w.batch, w.row, c.id, o.state, o.batch AS by
  FROM v JOIN attempts c ON c.id = v.attempt JOIN attempts x ON x.subject = c.subject AND x.after = c.after AND x.key = c.key
    LEFT JOIN attempts o ON o.key = c.key AND ${isCurrent('o')} CROSS JOIN batches b CROSS JOIN rows w
  WHERE b.account = c.account AND w.batch = b.id AND w.state = 'in_doubt' AND w.attempt IS NULL
    AND (w.others = '[' || x.id || ']' OR w.others LIKE '%,' || x.id || ']')) d WHERE rows.batch = d.batch AND rows.row = d.row`;

const NOT_WAITING = ofAttempt(
  `UPDATE rows SET attempt = d.id, others = NULL FROM ${WAITING} AND d.state IS NULL`,
);

/** It was planned from how the person was before. */
const PLANNED_BEFORE = ofAttempt(`
UPDATE rows SET state = 'refused', reason = 'changed by batch ' || d.by || ' since this was planned; run the list again to make a new plan'
FROM ${WAITING} AND d.state = 'answered'`);

/**
 * Rows in doubt wait for a run, and their batch is open again: one of a lineage is open at a time, so of several finished ones the
 * newest goes on. Where no run goes on with its batch, a row is skipped. It takes all rows at once. @param known what is known of them.
 */
const waitingSql = (rows: string, known: string): readonly string[] => [
  `UPDATE batches SET state = 'open' FROM (SELECT b.id, row_number() OVER (PARTITION BY b.lineage ORDER BY b.number DESC) AS place
    FROM ${rows} JOIN batches b ON b.id = w.batch AND b.state = 'finished') n
  WHERE batches.id = n.id AND n.place = 1
    AND NOT EXISTS (SELECT 1 FROM batches o WHERE o.lineage = batches.lineage AND o.state = 'open')`,
  `UPDATE rows SET state = 'pending' FROM ${rows} JOIN batches b ON b.id = w.batch AND b.state = 'open'
  WHERE rows.batch = w.batch AND rows.row = w.row`,
  `UPDATE rows SET state = 'skipped', reason = ${known} || CASE WHEN b.state = 'finished'
    THEN ', and batch ' || (SELECT o.id FROM batches o WHERE o.lineage = b.lineage AND o.state = 'open') || ' goes on with this list'
    ELSE ', and its batch is ' || b.state END
  FROM ${rows} JOIN batches b ON b.id = w.batch AND b.state <> 'open' WHERE rows.batch = w.batch AND rows.row = w.row`,
];

/** What rests on attempts of which it is known by now what became of them. */
export const ROWS_KNOWN: readonly AttemptStatement[] = [
  ROWS_FOLLOW,
  NOT_WAITING,
  PLANNED_BEFORE,
  ...waitingSql(
    `v JOIN attempts c ON c.id = v.attempt AND c.state NOT IN ('open', 'doubt', 'retried', 'doubt_beside')
      JOIN rows w ON w.attempt = c.id AND w.state = 'in_doubt'`,
    `CASE c.state WHEN 'released' THEN 'its call was not done' WHEN 'retracted' THEN 'its answer was taken back'
      ELSE 'its call was answered' END`,
  ).map(ofAttempt),
];

// --------------------------------------------------------------------------------------- what was taken for an answer

const USES = 'EXISTS (SELECT 1 FROM {list w.others} WHERE CAST(item.value AS {int}) = v.attempt)';

/**
 * Rows in these states that used an attempt. Where it was not a row's last one, the row is found by the attempt, which names the first row
 * that used it. Rows of several steps share an earlier answer as often as not, so all of theirs are looked through.
 * @param shared the batches `s` of which all rows are looked through.
 */
const usedSql = (states: string, reason: string, shared: string): string => `
SELECT w.batch, w.row, v.attempt, ${reason} AS reason FROM v JOIN rows w ON w.attempt = v.attempt AND w.state IN (${states})
UNION SELECT w.batch, w.row, v.attempt, ${reason} FROM v JOIN attempts c ON c.id = v.attempt JOIN rows w ON w.batch = c.batch AND w.row = c.row
WHERE w.state IN (${states}) AND ${USES}
UNION SELECT w.batch, w.row, v.attempt, ${reason} FROM v JOIN batches s ON ${shared} JOIN rows w ON w.batch = s.id
WHERE w.state IN (${states}) AND w.others LIKE '%' || v.attempt || '%' AND ${USES}`;

const doubtedSql = (
  states: string,
  reason = 'v.reason',
  batches = '1 = 1',
  shared = isOfSteps('s'),
): string => `
UPDATE rows SET state = 'in_doubt', attempt = w.attempt, matched_by = NULL, reason = w.reason
FROM (${usedSql(states, reason, shared)}) w JOIN batches b ON b.id = w.batch AND ${batches} WHERE rows.batch = w.batch AND rows.row = w.row`;

const READ_COLUMNS = { attempt: 'int', reason: 'text' } as const;

/** A newer dialect finds no answer in what came: its rows are in doubt until somebody agrees to buy it again. */
export const READ_AS_NONE = each(READ_COLUMNS)(doubtedSql(`'matched', 'no_match', 'refused'`));

/** A newer dialect finds no proof in what came of a change that counted as done. */
export const READ_AS_UNPROVEN = each(READ_COLUMNS)(doubtedSql(`'applied'`));

/** Rows that were ended by answers which are none; what is known of these moves them on. */
export const TAKEN_BACK: AttemptStatement = each(ATTEMPT)(
  doubtedSql(
    `'matched', 'no_match', 'refused'`,
    'CAST(NULL AS TEXT)',
    `b.state IN ('open', 'finished')`,
    // A row that is there twice in a list may rest on a later answer, and share the earlier one that is taken back.
    's.account = (SELECT account FROM attempts WHERE id = v.attempt)',
  ),
);

/** The rows of a change that counted as done, and of which a newer dialect does not read that in what came. The call stays answered. */
const UNPROVEN = `SELECT c.id FROM rows w JOIN attempts c ON c.id = w.attempt AND c.state = 'answered' AND c.subject IS NOT NULL AND w.state = 'in_doubt'`;

export const isUnproven = async (sql: Sql, attempt: number): Promise<boolean> =>
  (await sql.rows(`${UNPROVEN} WHERE c.id = ?`, [attempt])).length > 0;

export async function unprovenOf(sql: Pick<Sql, 'rows'>, batch: BatchId): Promise<ReadonlySet<number>> {
  const found = await sql.rows<{ id: number }>(`${UNPROVEN} WHERE w.batch = ?`, [batch]);
  return new Set(found.map(({ id }) => id));
}

// ------------------------------------------------------------------------------------------ what a person decides

const MOVE = each({ batch: 'text', attempt: 'int', was: 'text', state: 'text', reason: 'text' })(`
UPDATE rows SET state = v.state, reason = v.reason FROM v
WHERE rows.attempt = v.attempt AND rows.state = v.was AND (v.batch IS NULL OR rows.batch = v.batch)`);

/** Rows that rest on an attempt, those of one batch where it is named. */
export const moveRows = (
  sql: Sql,
  of: { readonly attempt: number; readonly batch?: string | null },
  was: readonly string[],
  state: string,
  reason: string | null,
) =>
  sql.each(
    MOVE,
    was.map((each) => ({ attempt: of.attempt, batch: of.batch ?? null, was: each, state, reason })),
  );

const waitsIn = (known: string) =>
  waitingSql(
    `v JOIN rows w ON w.batch = v.batch AND w.attempt = v.attempt AND w.state = 'in_doubt'`,
    `'${known}'`,
  ).map((sql) => eachWhole({ batch: 'text', attempt: 'int' })(sql));

/** Rows of the batch that retries it. */
export const WAITS_FOR_RETRY = waitsIn('it may be sent again');

/** Rows of the batch that leaves it out, and of which another step is still to be asked. */
export const WAITS_FOR_STEP = waitsIn('skipped by the user');

const FINISH = each({ ...ROW_COLUMNS, rests_on: 'int' })(`
UPDATE rows SET state = v.state, matched_by = v.matched_by, reason = v.reason, attempt = v.attempt, others = v.others FROM v
WHERE rows.batch = v.batch AND rows.row = v.row AND rows.attempt = v.rests_on AND rows.state IN ('pending', 'in_doubt')`);

/** Writes how rows end that rest on an attempt. */
export async function finishRows(sql: Sql, attempt: number, rows: readonly Row[]): Promise<void> {
  await sql.each(
    FINISH,
    rows.map((row) => ({ ...row, rests_on: attempt })),
  );
}
