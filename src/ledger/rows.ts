import { UNASKED_KINDS } from '../core/counts.ts';
import { findingsIn, keptFindings } from '../core/findings.ts';
import {
  erasedRow,
  type InputRow,
  type OutcomeKind,
  type RowNumber,
  type RowRange,
  type RowStatus,
} from '../core/row.ts';
import { flat, parts } from '../lib/parts.ts';
import {
  type AnswerRecord,
  type EndedRow,
  hasEnded,
  isAnswer,
  type ReadAs,
  type RowAnswer,
  type RowRecord,
} from './call-records.ts';
import { answersOf } from './calls.ts';
import { type Context, callFrom, type KeptCall, oneRow, type WriteContext, withoutNulls } from './context.ts';
import { type Cell, each, eachWhole, insertSql, type Sql } from './db.ts';
import type {
  AskedOfAccount,
  AttemptId,
  BatchId,
  FinishedRow,
  PlannedRow,
  RowFills,
  RowLeft,
  RowSpan,
  SubmittedRow,
} from './records.ts';
import { AN_ANSWER, hasSold, takes } from './schema.ts';
import { type Resting, type RestingRow, ROW_COLUMNS, type Row, type Use, writeUses } from './transitions.ts';

/**
 * The rows of lists, from their submit on, with the attempts that they rest on. A pending row has no outcome
 * yet.
 */

export function rowOf({ batch, row, outcome, answers, fills, waitsFor }: FinishedRow): RestingRow {
  const state = outcome.kind;
  const attempts = waitsFor === undefined ? answers : [...answers, waitsFor];
  const isOfOne = attempts.length <= 1 && fills === undefined && waitsFor === undefined;
  return {
    batch,
    row,
    state,
    matched_by: outcome.matchedBy ?? null,
    findings: keptFindings(outcome.findings),
    // A row that waits for another one's stands on no attempt.
    attempt: waitsFor === undefined ? (answers.at(-1) ?? null) : null,
    has_fills: fills === undefined ? 0 : 1,
    uses: isOfOne ? NO_USES : usesOf({ batch, row, state }, attempts, fills, waitsFor),
  };
}

export function filledOf({ batch, row, answers, fills }: RowFills): Resting {
  const pending = { batch, row, state: 'pending' };
  return { ...pending, uses: usesOf(pending, answers, fills) };
}

const NO_USES: readonly Use[] = [];

const usesOf = (
  row: Pick<Row, 'batch' | 'row' | 'state'>,
  attempts: readonly AttemptId[],
  fills: readonly AttemptId[] = [],
  waitsFor?: AttemptId,
): readonly Use[] =>
  [...new Set(attempts)].map((attempt, nth) => ({
    ...row,
    nth,
    attempt,
    is_filling: fills.includes(attempt) ? 1 : 0,
    waits: attempt === waitsFor ? 1 : 0,
  }));

// --------------------------------------------------------------------------------------- what became of them

interface KeptRow extends Pick<Row, 'row' | 'matched_by' | 'findings' | 'has_fills'> {
  readonly state: RowStatus;
  readonly attempt: AttemptId | null;
  /** JSON; null where it rests on the attempt alone. */
  readonly uses: string | null;
}

/** What was paid or changed for a row that has no cells yet. */
const PAID = `FROM attempts att WHERE att.batch = row.batch AND att.row = row.row
  AND (att.charged > 0 OR att.subject IS NOT NULL AND att.state = 'answered')`;
const OF_ROW = 'FROM uses use WHERE use.batch = row.batch AND use.row = row.row';
const IS_BLANK = `row.state = 'pending' AND (SELECT count(*) ${OF_ROW} AND use.is_filling = 1) = 0`;

const useSql = (attempt: string, isFilling: string): string =>
  `{json_object}('attempt', ${attempt}, 'fills', ${isFilling})`;

const KEPT = `row.row, row.state, row.matched_by, row.findings, row.attempt, row.has_fills,
  CASE WHEN ${IS_BLANK} THEN (SELECT CAST({json_list}(${useSql('att.id', '0')}) AS TEXT) ${PAID})
    ELSE (SELECT CAST({json_list}(${useSql('use.attempt', 'use.is_filling')}
      ORDER BY use.nth) AS TEXT) ${OF_ROW})
  END AS uses`;

const ROWS = `SELECT ${KEPT} FROM rows row WHERE row.batch = ? AND row.row >= ?`;
const HAS_ENDED = "row.state <> 'pending'";
const IS_KNOWN = `(NOT (${IS_BLANK}) OR (SELECT count(*) ${PAID}) > 0)`;

const RECORDS_OF = eachWhole({ batch: 'text', row: 'int' })<KeptRow>(`SELECT ${KEPT} FROM v
  JOIN rows row ON row.batch = v.batch AND row.row = v.row WHERE ${IS_KNOWN}`);

/** The attempts that a row rests on, in EXISTS over `used`. */
export const USED = `(SELECT row.attempt AS id UNION ALL SELECT use.attempt ${OF_ROW}) used`;

const IN_RANGES = eachWhole({ batch: 'text', first: 'int', last: 'int' })<{
  all: number;
  ended: number;
  unasked: number;
}>(`
SELECT count(*) AS "all", count(CASE WHEN ${HAS_ENDED} THEN 1 END) AS ended,
  count(CASE WHEN row.state IN (${UNASKED_KINDS.map((kind) => `'${kind}'`).join()}) THEN 1 END) AS unasked
FROM v JOIN rows row ON row.batch = v.batch AND row.row BETWEEN v.first AND v.last`);

const READ_OTHERWISE = `
EXISTS (SELECT 1 FROM ${USED} JOIN attempts att ON att.id = used.id
  WHERE att.charged IS NOT NULL AND att.account = (SELECT id FROM accounts WHERE identity = ?)
  AND (att.said NOT IN ${AN_ANSWER} OR (att.dialect IS DISTINCT FROM CAST(? AS {int})
    AND NOT EXISTS (SELECT 1 FROM notes note WHERE note.attempt = att.id AND note.kind = 'told'))))`;

/** The rows that are in doubt on an attempt, and those with a batch that decided about that attempt. */
const RESTING_ON = `
SELECT batch, row FROM rows WHERE attempt = ? AND state = 'in_doubt'
UNION SELECT row.batch, row.row FROM notes note JOIN rows row ON row.batch = note.batch
  AND row.state IN ('pending', 'skipped') AND row.attempt = note.attempt
WHERE note.attempt = ? AND note.kind = 'decided'`;

/** A change that was answered is in doubt for a person alone. */
const ROWS_LEFT = `
SELECT row.row, row.work, cell.cells FROM rows row
  LEFT JOIN cells cell ON cell.batch = row.batch AND cell.row = row.row
WHERE row.batch = ? AND row.state = ? AND NOT EXISTS (SELECT 1 FROM attempts att
    WHERE row.state = 'in_doubt' AND att.id = row.attempt AND att.state = 'answered'
      AND att.subject IS NOT NULL)
  AND row.row >= ? AND row.row < ? ORDER BY row.row LIMIT CAST(? AS {int})`;

/** The rows of a batch with each attempt that they rest on, or that was answered for them. */
const RESTS = `(SELECT row.row, row.state, row.has_fills, row.attempt AS id, 0 AS is_filling
    FROM rows row WHERE row.batch = ?
  UNION ALL SELECT row.row, row.state, row.has_fills, use.attempt, use.is_filling
    FROM uses use JOIN rows row ON row.batch = use.batch AND row.row = use.row WHERE use.batch = ?
  UNION ALL SELECT row.row, row.state, row.has_fills, att.id, 0
    FROM attempts att JOIN rows row ON row.batch = att.batch AND row.row = att.row
      WHERE att.batch = ? AND att.state = 'answered') used`;

const countWhere = (counted: string, condition: string): string =>
  `count(DISTINCT CASE WHEN ${condition} THEN ${counted} END)`;

const OWN = 'att.batch = bat.id';
/** What takes a find is counted with the call that found it. */
const FIRST = `${OWN} AND NOT ${takes('att')}`;
const FOUND = "att.said = 'found'";
const FILLED = `${FOUND} AND (used.is_filling = 1 OR used.has_fills = 0 AND used.state <> 'pending')`;

const BY_ACCOUNT = `
SELECT counted.operation, acc.identity AS "accountIdentity", counted.reached, counted.asked, counted.found,
  counted.filled, counted.calls, counted.matches, counted.sold, counted.fillers,
  coalesce(paid.spent, 0) AS spent, coalesce(paid.for_misses, 0) AS "forMisses",
  coalesce(paid.at_most, 0) AS "atMost"
FROM (SELECT att.operation, att.account, count(DISTINCT used.row) AS reached,
    ${countWhere('used.row', OWN)} AS asked, ${countWhere('used.row', FOUND)} AS found,
    ${countWhere('used.row', FILLED)} AS filled,
    ${countWhere('att.id', FIRST)} AS calls,
    ${countWhere('att.id', `${FIRST} AND ${FOUND}`)} AS matches,
    ${countWhere('att.id', `${FIRST} AND ${hasSold('att')}`)} AS sold,
    ${countWhere('att.id', `${OWN} AND ${FILLED}`)} AS fillers
  FROM ${RESTS} JOIN attempts att ON att.id = used.id JOIN batches bat ON bat.id = ?
    WHERE used.state <> 'skipped' OR ${OWN} GROUP BY 1, 2) counted
JOIN accounts acc ON acc.id = counted.account
LEFT JOIN (SELECT operation, account, sum(charged) AS spent,
    sum(CASE WHEN ${hasSold('attempts')} THEN 0 ELSE charged END) AS for_misses, sum(charged * is_at_most) AS at_most
  FROM attempts WHERE batch = ? AND charged > 0 GROUP BY 1, 2) paid
  ON paid.operation = counted.operation AND paid.account = counted.account`;

/** What a batch has bought for its found rows, and found by it. */
const FINDS = `
SELECT row.row, CAST({json_list}(att.id) AS TEXT) AS attempts
FROM rows row JOIN attempts att ON att.batch = row.batch AND att.row = row.row AND ${FOUND}
WHERE row.batch = ? AND row.state = 'matched' AND row.row >= ?
  AND (row.has_fills = 0 OR EXISTS (SELECT 1 ${OF_ROW} AND use.attempt = att.id AND use.is_filling = 1))
GROUP BY row.row ORDER BY row.row LIMIT CAST(? AS {int})`;

/** The calls that were made for rows, with the cells of the rows. */
const CALLS_OF = `
SELECT DISTINCT used.row, att.id AS attempt, cell.cells, acc.identity AS "accountIdentity",
  att.operation, att.asked, att.credits_max, att.erased_at AS "erasedAtMs"
FROM ${RESTS} JOIN attempts att ON att.id = used.id JOIN accounts acc ON acc.id = att.account
  JOIN cells cell ON cell.batch = ? AND cell.row = used.row
WHERE used.row >= ? AND used.row < ? ORDER BY used.row, att.id`;

const FIRST_ROWS_ON = eachWhole({ batch: 'text', attempt: 'int' })<{ attempt: AttemptId; row: RowNumber }>(`
SELECT v.attempt, min(row.row) AS "row" FROM v
  JOIN rows row ON row.attempt = v.attempt AND row.batch = v.batch
GROUP BY v.attempt HAVING count(*) > 1`);

const CELLS_OF = eachWhole({ batch: 'text', row: 'int' })<{ row: RowNumber; cells: string }>(
  'SELECT cell.row, cell.cells FROM v JOIN cells cell ON cell.batch = v.batch AND cell.row = v.row',
);

export interface RowFinds {
  readonly row: RowNumber;
  readonly attempts: readonly AttemptId[];
}

interface CallOfRow extends KeptCall {
  readonly row: RowNumber;
  readonly attempt: AttemptId;
  readonly cells: string;
  readonly accountIdentity: string;
}

/** The number of rows that are read again at once: some hundred kilobytes of answers. */
const READ_AT_ONCE = 250;

/** Rows are in order: those from `fromRow` on, at most `limit`. */
export const readRows = ({ db }: Context) => ({
  /** Number of rows by outcome; rows without an outcome are not counted. */
  async counts(batch: BatchId): Promise<Readonly<Partial<Record<OutcomeKind, number>>>> {
    const sql = `SELECT state, count(*) AS n FROM rows WHERE batch = ? AND state <> 'pending'
      GROUP BY state ORDER BY state`;
    const found = await db.rows<{ state: OutcomeKind; n: number }>(sql, [batch]);
    return Object.fromEntries(found.map(({ state, n }) => [state, n]));
  },
  /** The rows, counted by the operations and accounts by which their calls were asked. */
  byAccount: (batch: BatchId): Promise<readonly AskedOfAccount[]> =>
    db.rows<AskedOfAccount>(BY_ACCOUNT, [batch, batch, batch, batch, batch]),
  /** The found rows for which the batch has bought what was found, with these attempts. */
  async finds(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly RowFinds[]> {
    const found = await db.rows<{ row: RowNumber; attempts: string }>(FINDS, [batch, fromRow, limit]);
    return found.map(({ row, attempts }) => ({ row, attempts: JSON.parse(attempts) }));
  },
  rows: (batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly RowRecord[]> =>
    recordsBy(db, `${ROWS} AND ${IS_KNOWN} ORDER BY row.row LIMIT CAST(? AS {int})`, [batch, fromRow, limit]),
  /**
   * The rows with an answer of an account that was last read by another dialect than this one, or that turned
   * out to be none. Answers that a person told are not among them.
   */
  rowsReadOtherwise(batch: BatchId, account: string, dialect: number): AsyncGenerator<EndedRow> {
    const sql = `${ROWS} AND ${HAS_ENDED} AND ${READ_OTHERWISE} ORDER BY row.row LIMIT ${READ_AT_ONCE}`;
    const read = async (from: RowNumber) =>
      (await recordsBy(db, sql, [batch, from, account, dialect])).filter(hasEnded);
    return flat(parts(READ_AT_ONCE, 0, read, ({ row }) => row + 1));
  },
  /** The rows of any batch that wait for what becomes of this attempt. */
  rowsRestingOn: (id: AttemptId) => db.rows<Pick<FinishedRow, 'batch' | 'row'>>(RESTING_ON, [id, id]),
  /** Planned rows of a batch of changes. */
  async plannedRows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly PlannedRow[]> {
    const found = await db.rows<KeptLeft & { readonly work: string }>(
      `SELECT row, work FROM rows WHERE batch = ? AND row >= ? AND work IS NOT NULL
        ORDER BY row LIMIT CAST(? AS {int})`,
      [batch, fromRow, limit],
    );
    return found.map(plannedFrom);
  },
  /** The last row of the batch that is there; 0 where none is. */
  async lastSubmitted(batch: BatchId): Promise<RowNumber> {
    const sql = 'SELECT coalesce(max(row), 0) AS last FROM rows WHERE batch = ?';
    return (await oneRow<{ last: number }>(db, sql, [batch])).last;
  },
  /**
   * Rows from `fromRow` on, and before `beforeRow`, that are left in this state, in order, at most `limit`.
   */
  rowsLeft: async (
    batch: BatchId,
    state: 'in_doubt' | 'pending',
    fromRow: RowNumber,
    beforeRow: RowNumber,
    limit: number,
  ): Promise<readonly RowLeft[]> =>
    (await db.rows<KeptLeft>(ROWS_LEFT, [batch, state, fromRow, beforeRow, limit])).map(leftFrom),
});

/** Which rows of a batch there are, and what is known of some of them. */
export const readSomeRows = ({ db }: Context) => ({
  /**
   * Which rows there are, without their answers, which take time: those from a row on, or the last ones
   * before a row.
   * @param states only those in one of them.
   */
  async rowsAt(
    batch: BatchId,
    span: RowSpan,
    limit: number,
    states: readonly RowStatus[] = [],
  ): Promise<readonly Pick<RowRecord, 'row'>[]> {
    const [here, at, order] = 'from' in span ? ['>=', span.from, ''] : ['<', span.before, 'DESC'];
    const read = (where: string): Promise<readonly Pick<RowRecord, 'row'>[]> =>
      db.rows<Pick<RowRecord, 'row'>>(
        `SELECT row FROM rows WHERE batch = ? AND row ${here} ? ${where}
          ORDER BY row ${order} LIMIT CAST(? AS {int})`,
        [batch, at, limit],
      );
    // One state after the other, so that an index finds the rows of each.
    const wanted = states.length === 0 ? [''] : states.map((state) => `AND state = '${state}'`);
    const found = (await Promise.all(wanted.map(read))).flat().sort((one, other) => one.row - other.row);
    return 'from' in span ? found.slice(0, limit) : found.slice(-limit);
  },
  /** How many rows of these ranges there are, how many have ended, and how many of these were never asked. */
  async rowsIn(batch: BatchId, ranges: readonly RowRange[]) {
    const records = ranges.map(({ first, last }) => ({ batch, first, last }));
    const [found] = await db.each(IN_RANGES, records);
    return { rows: found?.all ?? 0, settled: found?.ended ?? 0, unasked: found?.unasked ?? 0 };
  },
  /** The first rows for which the batch has asked something. */
  rowsAsked: (batch: BatchId, limit: number): Promise<readonly Pick<RowRecord, 'row'>[]> =>
    db.rows('SELECT DISTINCT row FROM attempts WHERE batch = ? ORDER BY row LIMIT CAST(? AS {int})', [
      batch,
      limit,
    ]),
  /** These rows as they stand in the list; none of one that is not in it, or has erased cells. */
  async cellsOf(batch: BatchId, rows: readonly RowNumber[]): Promise<ReadonlyMap<RowNumber, InputRow>> {
    const rowKeys = rows.map((row) => ({ batch, row }));
    const found = await db.each(CELLS_OF, rowKeys);
    return new Map(found.map((each) => [each.row, listedFrom(each)]));
  },
  /** The calls on which these rows rest, or that were answered for them. Those without cells are left out. */
  async callsOf(batch: BatchId, { from, before }: { from: RowNumber; before: RowNumber }) {
    const found = await db.rows<CallOfRow>(CALLS_OF, [batch, batch, batch, batch, from, before]);
    return found.map(({ row, cells, attempt, accountIdentity, ...callColumns }) => ({
      listed: listedFrom({ row, cells }),
      attempt,
      accountIdentity,
      call: callFrom(callColumns),
    }));
  },
  /** The first row that rests on each of these answers, where several rows of the batch do. */
  async firstRowsOn(
    batch: BatchId,
    answers: Iterable<AttemptId>,
  ): Promise<ReadonlyMap<AttemptId, RowNumber>> {
    const attemptKeys = [...new Set(answers)].map((attempt) => ({ batch, attempt }));
    const found = attemptKeys.length === 0 ? [] : await db.each(FIRST_ROWS_ON, attemptKeys);
    return new Map(found.map(({ attempt, row }) => [attempt, row]));
  },
  /** Those of these rows that have an outcome, cells that were found so far, or a price that was paid. */
  async recordsOf(batch: BatchId, rows: readonly RowNumber[]): Promise<ReadonlyMap<RowNumber, RowRecord>> {
    const rowKeys = rows.map((row) => ({ batch, row }));
    const found = await recordsFrom(db, await db.each(RECORDS_OF, rowKeys));
    return new Map(found.map((record) => [record.row, record]));
  },
});

const recordsBy = async (sql: Sql, text: string, params: readonly Cell[]): Promise<readonly RowRecord[]> =>
  recordsFrom(sql, await sql.rows<KeptRow>(text, params));

async function recordsFrom(sql: Sql, rows: readonly KeptRow[]): Promise<readonly RowRecord[]> {
  const used = rows.map(usedBy);
  const answers = await answersOf(
    sql,
    used.flatMap((uses) => uses.map(({ attempt }) => attempt)),
  );
  return rows.map(({ row, state, matched_by, findings, has_fills }, at): RowRecord => {
    const rowAnswers = (used[at] ?? []).flatMap(({ attempt, fills }): RowAnswer | readonly [] => {
      const answer = answers.get(attempt);
      if (!isShown(answer)) return [];
      if (state !== 'pending') return has_fills === 1 ? { ...answer, fills: fills === 1 } : answer;
      // An answer that has filled a pending row may be read as no match by now.
      return { ...answer, fills: fills === 1 && answer.kind === 'found' };
    });
    if (state === 'pending') return { row, outcome: undefined, answers: rowAnswers };
    const outcome = {
      kind: state,
      ...withoutNulls({ matchedBy: matched_by }),
      findings: findingsIn(findings),
    };
    return { row, outcome, answers: asItEnded(state, rowAnswers) };
  });
}

interface KeptUse {
  readonly attempt: AttemptId;
  readonly fills: number;
}

function usedBy({ attempt, uses }: KeptRow): readonly KeptUse[] {
  const used: readonly KeptUse[] = uses === null ? [] : JSON.parse(uses);
  if (attempt === null || used.some((use) => use.attempt === attempt)) return used;
  return [...used, { attempt, fills: 0 }];
}

/** A reply that is read as no answer any more is not shown. */
const isShown = (answer: AnswerRecord<ReadAs> | undefined): answer is AnswerRecord =>
  answer !== undefined && isAnswer(answer.kind);

/** A matched row shows the answer that matched it, even if that answer means something else by now. */
function asItEnded(state: OutcomeKind, answers: readonly RowAnswer[]): readonly RowAnswer[] {
  const last = answers.at(-1);
  if (state !== 'matched' || last === undefined || answers.some(({ kind }) => kind === 'found'))
    return answers;
  return [...answers.slice(0, -1), { ...last, kind: 'found' }];
}

interface KeptLeft extends Pick<Row, 'row'> {
  readonly work: string | null;
  readonly cells: string | null;
}

const plannedFrom = ({ row, work }: Pick<Row, 'row'> & { readonly work: string }): PlannedRow => ({
  row,
  ...JSON.parse(work),
});

const leftFrom = (rowLeft: KeptLeft): RowLeft =>
  rowLeft.work === null ? listedFrom(rowLeft) : plannedFrom({ row: rowLeft.row, work: rowLeft.work });

/** Cells that were erased are not asked by. */
export const listedFrom = ({ row, cells }: Omit<KeptLeft, 'work'>): InputRow =>
  cells === null ? erasedRow(row) : { row, ...JSON.parse(cells) };

// ------------------------------------------------------------------------------------------ their submit

/** Most rows of a new list are pending. What these have in common is in the statement, and is not bound. */
const SUBMIT_PENDING = each({ batch: 'text', row: 'int' } as const)(`
INSERT INTO rows (batch, row, state) SELECT v.batch, v.row, 'pending' FROM v WHERE 1 = 1
ON CONFLICT DO NOTHING`);
const SUBMIT_ENDED = each(ROW_COLUMNS)(`${insertSql('rows', ROW_COLUMNS)} ON CONFLICT DO NOTHING`);

const CELL_COLUMNS = { batch: 'text', row: 'int', cells: 'text' } as const;
const KEEP_CELLS = each(CELL_COLUMNS)(`${insertSql('cells', CELL_COLUMNS)} ON CONFLICT DO NOTHING`);

const PLAN_COLUMNS = { ...ROW_COLUMNS, work: 'text' } as const;
const PLANNED = each(PLAN_COLUMNS)(insertSql('rows', PLAN_COLUMNS));

/** Keeps the planned rows of a batch of changes. A row that needs no request has its end already. */
export async function keepPlan(sql: Sql, batch: BatchId, plan: readonly PlannedRow[]): Promise<void> {
  const rows = plan.map(({ row, ...planned }) => {
    const resting =
      planned.kind === 'end'
        ? rowOf({ batch, row, outcome: planned.outcome, answers: [] })
        : { batch, row, state: 'pending', ...NO_END };
    return { ...resting, work: JSON.stringify(planned) };
  });
  await sql.each(PLANNED, rows);
}

const NO_END = { matched_by: null, findings: null, attempt: null, has_fills: 0, uses: NO_USES };

export const writeRows = (context: WriteContext) => ({
  /**
   * Keeps rows of a batch's list with their cells, all of them or none. One that is there stays as it is, so
   * that a submit that was cut off is repeated.
   * @param isPlanned the rows themselves are those of its plan.
   */
  submitRows: (batch: BatchId, rows: readonly SubmittedRow[], isPlanned = false): Promise<void> =>
    context.transaction(async (sql) => {
      if (!isPlanned) {
        const pending = rows.filter(({ end }) => end === undefined).map(({ row }) => ({ batch, row }));
        await sql.each(SUBMIT_PENDING, pending);
        const ended = rows.flatMap(({ row, end }) =>
          end === undefined ? [] : rowOf({ batch, row, ...end }),
        );
        await sql.each(SUBMIT_ENDED, ended);
        await writeUses(
          sql,
          ended.filter(({ uses }) => uses.length > 0),
        );
      }
      const cellRows = rows.map(({ row, cells, unreadable }) => ({
        batch,
        row,
        cells: JSON.stringify({ cells, unreadable }),
      }));
      await sql.each(KEEP_CELLS, cellRows);
    }),
});
