import type { Outcome, OutcomeKind, RowNumber } from '../core/row.ts';
import { type AnswerRecord, isAnswer, type ReadAs, type RowAnswer, type RowRecord } from './call-records.ts';
import { answersOf } from './calls.ts';
import { type Context, oneRow } from './context.ts';
import { type Cell, each, type Sql } from './db.ts';
import type { Row } from './group.ts';
import type {
  AttemptId,
  BatchId,
  FinishedInput,
  FinishedRow,
  FreshSince,
  PlannedRow,
  RowKind,
  RowPlace,
  WaitingRow,
} from './records.ts';

/** Rows with what they rest on. One that is pending has no outcome yet, so it is not among them. */

export const rowOf = ({ batch, row, outcome, answers, waitsFor, input }: FinishedRow): Row => ({
  ...{ batch, row, state: outcome.kind, input: input ?? null },
  matched_by: outcome.kind === 'matched' ? outcome.matchedBy : null,
  reason: outcome.reason ?? null,
  // Without a call of its own it waits for the last one of the others.
  ...(waitsFor === undefined
    ? { call: answers.at(-1) ?? null, others: listOf(answers.slice(0, -1)) }
    : { call: null, others: listOf([...answers, waitsFor]) }),
});

const listOf = (calls: readonly AttemptId[]): string | null =>
  calls.length === 0 ? null : JSON.stringify(calls);

interface Kept {
  readonly row: number;
  readonly state: OutcomeKind;
  readonly matched_by: string | null;
  readonly reason: string | null;
  readonly input: number | null;
  readonly call: AttemptId | null;
  readonly others: string | null;
}

const ROWS = `SELECT w.row, w.state, w.matched_by, w.reason, w.input, w.call, w.others FROM rows w
WHERE w.batch = ? AND w.row >= ? AND w.state <> 'pending'`;

/** The calls that a row rests on, in EXISTS over `u`. */
const USED = '(SELECT w.call AS id UNION ALL SELECT CAST(item.value AS {int}) FROM {list w.others}) u';

const ANSWERS = `('found', 'no_match', 'refused')`;

const READ_OTHERWISE = `
EXISTS (SELECT 1 FROM ${USED} JOIN calls c ON c.id = u.id WHERE c.charged IS NOT NULL AND (c.said NOT IN ${ANSWERS}
  OR (c.dialect IS DISTINCT FROM CAST(? AS {int}) AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.call = c.id AND n.kind = 'told'))))`;

/** Those that are in doubt, and those that were to be sent again by what was decided about it. */
const RESTING_ON = `
SELECT batch, row FROM rows WHERE call = ? AND state = 'in_doubt'
UNION SELECT w.batch, w.row FROM notes n JOIN rows w ON w.batch = n.batch AND w.state IN ('pending', 'skipped') AND w.call = n.call
WHERE n.call = ? AND n.kind = 'decided'`;

const WAITING = `
SELECT w.row, coalesce(w.reason, '') AS reason FROM rows w WHERE w.batch = ? AND w.state = 'in_doubt'
  AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.id = w.call AND c.state IN ('doubt', 'retried', 'lost', 'answered'))
ORDER BY w.row LIMIT CAST(? AS {int})`;

/** What was taken for their answer is none. */
const UNANSWERED = `
SELECT count(*) AS n FROM rows w JOIN calls c ON c.id = w.call AND c.state = 'retracted' WHERE w.batch = ? AND w.state = 'in_doubt'`;

/** What turned out to be no answer is too old only where every answer would be. */
const CUT_OFF = `CASE WHEN c.said = 'found' THEN v.found WHEN c.said IN ${ANSWERS} THEN v.no_match ELSE v.neither END`;

const OLDER = each({ batch: 'text', found: 'int', no_match: 'int', neither: 'int' })<{ row: number }>(`
SELECT w.row FROM v JOIN rows w ON w.batch = v.batch WHERE w.state <> 'pending'
  AND EXISTS (SELECT 1 FROM ${USED} JOIN calls c ON c.id = u.id JOIN replies r ON r.call = c.id
    WHERE c.charged IS NOT NULL AND r.at < ${CUT_OFF}
      AND NOT EXISTS (SELECT 1 FROM calls l WHERE l.prior = c.id AND l.kind = 'refresh' AND l.state IN ('doubt', 'retried', 'lost')
        AND l.sent_at >= ${CUT_OFF}))
LIMIT 1`);

/** Pages of rows are in order: those from `fromRow` on, at most `limit`. */
export const readRows = ({ db }: Context) => ({
  /** Number of rows by outcome; rows without an outcome are not counted. */
  async counts(batch: BatchId): Promise<Readonly<Partial<Record<OutcomeKind, number>>>> {
    const sql = `SELECT state, count(*) AS n FROM rows WHERE batch = ? AND state <> 'pending' GROUP BY state ORDER BY state`;
    const found = await db.rows<{ state: OutcomeKind; n: number }>(sql, [batch]);
    return Object.fromEntries(found.map(({ state, n }) => [state, n]));
  },
  rows: (batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly RowRecord[]> =>
    recordsBy(db, `${ROWS} ORDER BY w.row LIMIT CAST(? AS {int})`, [batch, fromRow, limit]),
  /** Rows that have a final outcome, which is every outcome but `in_doubt`. */
  async finishedRows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly FinishedInput[]> {
    const found = await db.rows<{ row: number; input: number | null }>(
      `SELECT row, input FROM rows WHERE batch = ? AND row >= ? AND state NOT IN ('pending', 'in_doubt') ORDER BY row LIMIT CAST(? AS {int})`,
      [batch, fromRow, limit],
    );
    return found.map(({ row, input }): FinishedInput => (input === null ? { row } : { row, input }));
  },
  /** How rows ended, without their answers, which take time. */
  rowKinds: (batch: BatchId, fromRow: RowNumber, beforeRow: RowNumber): Promise<readonly RowKind[]> =>
    db.rows<RowKind>(
      `SELECT row, state AS kind FROM rows WHERE batch = ? AND row >= ? AND row < ? AND state <> 'pending' ORDER BY row`,
      [batch, fromRow, beforeRow],
    ),
  /**
   * Those that have a vendor's answer which another dialect than this one read last, or which turned out to be none. Answers that a
   * person told are not among them.
   */
  rowsReadOtherwise: (
    batch: BatchId,
    dialect: number,
    fromRow: RowNumber,
    limit: number,
  ): Promise<readonly RowRecord[]> =>
    recordsBy(db, `${ROWS} AND ${READ_OTHERWISE} ORDER BY w.row LIMIT CAST(? AS {int})`, [
      ...[batch, fromRow, dialect, limit],
    ]),
  /** The rows of any batch that wait for what becomes of this call. */
  rowsRestingOn: (call: AttemptId): Promise<readonly RowPlace[]> =>
    db.rows<RowPlace>(RESTING_ON, [call, call]),
  /** Rows in doubt about which there is nothing to decide here: they wait for another row, or for their next run. */
  rowsWaiting: (batch: BatchId, limit: number): Promise<readonly WaitingRow[]> =>
    db.rows<WaitingRow>(WAITING, [batch, limit]),
  /** How many rows are in doubt because what was taken for their answer is none. */
  rowsUnanswered: async (batch: BatchId): Promise<number> =>
    (await oneRow<{ n: number }>(db, UNANSWERED, [batch])).n,
  /**
   * Whether a row of the batch was finished by an answer that is older than that, whether or not a younger one exists by now. An answer
   * does not count when a later attempt to buy it again got lost, and one that was read as none only where it is older than both times.
   */
  async hasOlderThan(batch: BatchId, { foundMs, noMatchMs }: FreshSince): Promise<boolean> {
    const [found, no_match] = [foundMs ?? null, noMatchMs ?? null];
    if (found === null && no_match === null) return false;
    const neither = found === null || no_match === null ? null : Math.min(found, no_match);
    return (await db.each(OLDER, [{ batch, found, no_match, neither }])).length > 0;
  },
  /** Planned rows of a batch of changes. */
  async plannedRows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly PlannedRow[]> {
    const found = await db.rows<{ row: number; input: number | null; work: string }>(
      'SELECT row, input, work FROM rows WHERE batch = ? AND row >= ? AND work IS NOT NULL ORDER BY row LIMIT CAST(? AS {int})',
      [batch, fromRow, limit],
    );
    return found.map(
      ({ row, input, work }): PlannedRow => ({
        row,
        ...(input === null ? {} : { input }),
        ...JSON.parse(work),
      }),
    );
  },
});

async function recordsBy(sql: Sql, text: string, params: readonly Cell[]): Promise<readonly RowRecord[]> {
  const rows = await sql.rows<Kept>(text, params);
  const used = new Map(rows.map((kept) => [kept.row, usedBy(kept)]));
  const answers = await answersOf(sql, [...used.values()].flat());
  return rows.map((kept): RowRecord => {
    const { row, input } = kept;
    const own = (used.get(row) ?? []).map((id) => answers.get(id)).filter(isShown);
    return {
      row,
      outcome: outcomeOf(kept),
      answers: asItEnded(kept, own),
      ...(input === null ? {} : { input }),
    };
  });
}

const usedBy = ({ call, others }: Kept): readonly AttemptId[] => [
  ...(others === null ? [] : JSON.parse(others)),
  ...(call === null ? [] : [call]),
];

function outcomeOf({ state, matched_by, reason }: Kept): Outcome {
  const outcome: { kind: OutcomeKind; matchedBy?: string; reason?: string } = { kind: state };
  if (matched_by !== null) outcome.matchedBy = matched_by;
  if (reason !== null) outcome.reason = reason;
  return outcome as Outcome;
}

/** Of what is read as no answer any more nothing is shown. */
const isShown = (answer: AnswerRecord<ReadAs> | undefined): answer is AnswerRecord =>
  answer !== undefined && isAnswer(answer.kind);

/** A row that was matched shows by what, also where that answer means something else by now. */
function asItEnded({ state }: Kept, answers: readonly AnswerRecord[]): readonly RowAnswer[] {
  const last = answers.at(-1);
  if (state !== 'matched' || last === undefined || answers.some(({ kind }) => kind === 'found'))
    return answers;
  return [...answers.slice(0, -1), { ...last, kind: 'found' }];
}
