import { APART_MS } from '../core/clock.ts';
import { type FindingCode, type Findings, keptFindings } from '../core/findings.ts';
import type { End } from './call-records.ts';
import {
  type Db,
  type EachStatement,
  each,
  eachOf,
  eachWhole,
  eachWriting,
  type FilledRow,
  groupPart,
  insertSql,
  type RecordOf,
  type Sql,
} from './db.ts';
import { type BudgetName, budgetsOf, budgetText, hasRoom, isSameBudget } from './money.ts';
import type { BatchId } from './records.ts';
import {
  CURRENT,
  hasSteps,
  inStates,
  isAnswered,
  isBeside,
  isCurrent,
  isDoubted,
  isHolding,
  isPast,
  isTooOld,
  replyOf,
  unanswered,
} from './schema.ts';

/**
 * How attempts and rows move: the state machine of `ATTEMPT_MOVES` and `ROW_MOVES` in schema.ts, with one SQL
 * text for each verb. The comment above a text says which moves it performs. First come the texts of a group,
 * in sections; in which order they run, `writeGroup` says. Then come those for what a person or a newer
 * dialect decides.
 *
 * An attempt with money that a statement moves gets the number of its group in `moved`, and money is booked
 * by that number. Only a move that happened is booked, whatever the writer wanted. So an attempt that another
 * process has ended is not booked twice.
 */

/** Nothing else sets the state of an attempt together with whether it is then the current one of its key. */
export const movesTo = (state: string): string =>
  `state = ${state}, is_current = CASE ${state} ${CURRENT.map((each) => `WHEN '${each}' THEN 1`).join(' ')}
    ELSE 0 END`;

/** What stood before an attempt stands again. */
const STANDS_AGAIN = movesTo(`CASE attempts.state WHEN 'replaced' THEN 'answered' ELSE 'doubt' END`);

const MOVED_COLUMNS = { attempt: 'int', moved: 'int' } as const;
const ATTEMPT = { attempt: 'int' } as const;
type AttemptStatement = EachStatement<{ readonly attempt: number | null }>;
const ofAttempt: (sql: string) => AttemptStatement = eachWhole(ATTEMPT);

// ------------------------------------------------------------------------------ a group: 1. replies are kept

const REPLY_COLUMNS = {
  attempt: 'int',
  number: 'int',
  status: 'int',
  headers: 'text',
  body: 'bytes',
  at: 'int',
} as const;
export type ReplyRow = FilledRow<typeof REPLY_COLUMNS>;

/**
 * A reply is also kept for an attempt that another process has ended, and is read like any reply to a call in
 * doubt.
 */
const keepReplies = each(REPLY_COLUMNS)(`
${insertSql('replies', REPLY_COLUMNS)}
ON CONFLICT (attempt, number) DO UPDATE
SET status = excluded.status, headers = excluded.headers, body = excluded.body, at = excluded.at
WHERE replies.status = 0`);

// ---------------------------------------------------------------------------------- a group: 2. attempts end

const END_COLUMNS = {
  /**
   * Its number: its worker's and its own, given before it is written. So a group that is written again is the
   * same.
   */
  attempt: 'int',
  /** `answered`, `accepted`, `doubt`: it may have been charged, or `uncharged`: it cost nothing. */
  state: 'text',
  /**
   * An answer says `found`, `no_match` or `refused`; an uncharged end says `not_sent`, `paused`, `stopped` or
   * `not_served`.
   */
  said: 'text',
  charged: 'int',
  is_at_most: 'int',
  /** Findings, JSON. */
  why: 'text',
  dialect: 'int',
  at: 'int',
  /** What the answer says that such calls cost. */
  price: 'int',
  /** How a change left its subject, JSON; null: as before. */
  facts: 'text',
  /** The id by which the vendor answers later, and the path at which it is asked; null: as before. */
  vendor_id: 'text',
  later_path: 'text',
  /** Why an accepted attempt is in doubt where another call has the same id. */
  if_shared: 'text',
  moved: 'int',
} as const;

/** An end as it is written. Late answers end doubts as well. */
export type EndRow = Omit<
  FilledRow<
    typeof END_COLUMNS,
    'said' | 'charged' | 'why' | 'dialect' | 'price' | 'facts' | 'vendor_id' | 'later_path' | 'if_shared'
  >,
  'moved'
>;

/** Of an end that gives no id. */
export const NO_ID = { vendor_id: null, later_path: null, if_shared: null } as const;

export function endRow(attempt: number, end: End, atMs: number): EndRow {
  const { kind, why } = end;
  const none = { said: null, charged: null, is_at_most: 0, dialect: null, price: null, facts: null };
  const row = { attempt, why: keptFindings(why), at: Math.floor(atMs), ...NO_ID };
  if (kind === 'in_doubt') return { ...row, ...none, state: 'doubt' };
  if (kind === 'accepted') {
    const { vendorId, laterPath, ifShared } = end;
    const id = { vendor_id: vendorId, later_path: laterPath, if_shared: keptFindings(ifShared) };
    return { ...row, ...none, ...id, state: 'accepted' };
  }
  if (kind !== 'answered') return { ...row, ...none, state: 'uncharged', said: kind };
  const {
    answer: said,
    charged,
    isAtMost,
    dialect = null,
    showsPrice,
    leftFacts = null,
    vendorId = null,
  } = end;
  const answer = { said, charged, is_at_most: isAtMost && charged > 0 ? 1 : 0, dialect };
  const price = showsPrice ? charged : null;
  const facts = leftFacts && JSON.stringify(leftFacts);
  return { ...row, state: 'answered', ...answer, price, facts, vendor_id: vendorId };
}

/**
 * An attempt may be twice in a group, when a sweep ends it while its answer comes. Then the answer counts,
 * and without an answer the first end.
 */
function onePerAttempt(ends: readonly EndRow[]): readonly EndRow[] {
  const only = new Map<number, EndRow>();
  for (const end of ends) {
    const had = only.get(end.attempt);
    if (had === undefined || (had.state !== 'answered' && end.state === 'answered'))
      only.set(end.attempt, end);
  }
  return [...only.values()];
}

/**
 * Two attempts of an account are asked for by one id at one place. An operation has one place, until its
 * dialect is mended.
 */
const sameId = (one: string, other: string): string => `${other}.account = ${one}.account
  AND ${other}.vendor_id = ${one}.vendor_id
  AND (${other}.later_path = ${one}.later_path OR ${other}.operation = ${one}.operation)`;

/**
 * The attempts of a group that get an id, and those whose id is the same. Both are sharers. They are
 * looked for in this order, and before what is written: SQLite would else begin with all that hold money.
 */
const SHARERS = `(SELECT DISTINCT CASE each.n WHEN 1 THEN att.id ELSE att_other.id END AS id,
    v.if_shared, v.at
  FROM v CROSS JOIN attempts att CROSS JOIN attempts att_other
    CROSS JOIN (SELECT 1 AS n UNION ALL SELECT 2) each
  WHERE att.id = v.attempt AND ${isHolding('att')} AND ${sameId('att', 'att_other')}
    AND att_other.key <> att.key
    AND (att_other.shares_id = 1 OR ${isHolding('att_other')})) sharer`;

/** The same, once they are marked. */
const SHARING = `v JOIN attempts att_own ON att_own.id = v.attempt AND att_own.shares_id = 1
  JOIN attempts att ON att.shares_id = 1 AND ${sameId('att_own', 'att')}`;

/** The attempt that this one was to replace has an answer, so the doubt stays beside that answer. */
const IS_BESIDE = `(SELECT att_prior.state FROM attempts att_prior
  WHERE att_prior.id = attempts.prior) = 'replaced'`;
const DOUBTS_AS = `CASE WHEN ${IS_BESIDE} THEN 'doubt_beside' ELSE 'doubt' END`;

/** The ids stand in the table. Then the statement looks up which attempts they belong to. */
const noteIds = eachWhole(END_COLUMNS)(`
UPDATE attempts SET vendor_id = v.vendor_id, later_path = v.later_path FROM v
WHERE attempts.id = v.attempt AND (attempts.state = 'open' OR ${isDoubted('attempts')})`);

/**
 * accepted → doubt, doubt_beside: what has the same id as an attempt that ends, of another call. The mark
 * stays, whatever comes of either.
 */
const shareIds = eachWhole(END_COLUMNS)(`
UPDATE attempts SET shares_id = 1,
  ${movesTo(`CASE attempts.state WHEN 'accepted' THEN ${DOUBTS_AS} ELSE attempts.state END`)},
  why = CASE attempts.state WHEN 'accepted' THEN sharer.if_shared ELSE attempts.why END,
  ended_at = CASE attempts.state WHEN 'accepted' THEN sharer.at ELSE attempts.ended_at END
FROM ${SHARERS} WHERE attempts.id = sharer.id`);

/** An id that several calls have answers none of them. */
const leadsTo = (table: string): string => `(v.vendor_id IS NULL OR ${table}.shares_id = 0)`; // rule 9g

/**
 * doubt → doubt_beside: a retry in doubt gives way to the late answer of what it retried, and stays held
 * beside that answer.
 */
const suspendRetries = eachWhole(END_COLUMNS)(`
UPDATE attempts SET ${movesTo("'doubt_beside'")} FROM v JOIN attempts att_late ON att_late.id = v.attempt
WHERE v.state = 'answered' AND att_late.state = 'retried' AND ${leadsTo('att_late')}
  AND attempts.prior = att_late.id AND attempts.kind IN ('retry', 'repeat') AND attempts.state = 'doubt'`);

/**
 * answered → replaced: an answer gives way to the late answer of what was in doubt beside it: of the refresh
 * that was to replace it, or of its own retry.
 */
const replaceAnswers = eachWhole(END_COLUMNS)(`
UPDATE attempts SET ${movesTo("'replaced'")} FROM v JOIN attempts att_late ON att_late.id = v.attempt
WHERE v.state = 'answered' AND att_late.state = 'doubt_beside' AND ${leadsTo('att_late')}
  AND att_late.prior = attempts.id AND attempts.state = 'answered'`);

/** The last reply of an attempt answers it. Only one that is, or was, accepted may have two. */
const answerNumber = (end: string): string =>
  `CASE WHEN coalesce(${end}.vendor_id, attempts.vendor_id) IS NULL THEN 0
  ELSE (SELECT max(rep.number) FROM replies rep WHERE rep.attempt = ${end}.attempt) END`;

/** The end leaves the money held. */
const holdsOn = (end: string): string => `(${end}.state = 'doubt' OR ${end}.state = 'accepted')`;

/** One finding as the ledger keeps it. @param facts SQL for each of its facts: an id, or a word of ours. */
const one = (code: FindingCode, facts: Readonly<Record<string, string>> = {}): string => {
  const members = Object.entries(facts).map(([name, sql]) => `"${name}":"' || ${sql} || '"`);
  return `'{"code":"${code}","facts":{${members.join(',')}}}'`;
};

/** The only finding of a row or an attempt. */
const findingsSql = (code: FindingCode, facts?: Readonly<Record<string, string>>): string =>
  `'[' || ${one(code, facts)} || ']'`;

/** @param end what the ends are called. @param moves how the attempts move. */
const endSql = (end: 'v' | 'ending', moves: string, charged: string): string => `
UPDATE attempts SET ${moves}, said = ${end}.said, charged = ${charged}, is_at_most = ${end}.is_at_most,
  why = CASE WHEN ${end}.state = 'accepted' AND attempts.shares_id = 1 THEN ${end}.if_shared
    ELSE ${end}.why END,
  dialect = ${end}.dialect, ended_at = ${end}.at, vendor_id = coalesce(${end}.vendor_id, attempts.vendor_id),
  reply = CASE WHEN ${end}.state = 'answered' THEN ${answerNumber(end)} END,
  moved = CASE WHEN ${holdsOn(end)} THEN attempts.moved ELSE ${end}.moved END`;

/**
 * Which attempts this group ended. One that holds its money on keeps the number of the group that admitted
 * it.
 */
const ENDED = `
SELECT att.id FROM v JOIN attempts att ON att.id = v.attempt
WHERE att.moved = v.moved OR (${holdsOn('v')} AND att.state <> 'open' AND att.ended_at = v.at)`;

/**
 * open → answered, doubt, of a first attempt that this process has under way: the attempt stays
 * the current one of its key, so the index of keys is not written. A writer whose attempt was ended by
 * another process reads it again.
 */
const endFirstAttempts = eachWriting(END_COLUMNS, 'attempt')(
  `${endSql('v', 'state = v.state', 'v.charged')}
FROM v WHERE attempts.id = v.attempt AND attempts.state = 'open'`,
  ENDED,
);

/** Which attempts of this group were accepted by an id that is not theirs alone. */
const SHARED = eachWhole(END_COLUMNS)<{ readonly id: number; readonly is_shared: 1 }>(`
SELECT att.id, 1 AS is_shared FROM v JOIN attempts att ON att.id = v.attempt
WHERE att.shares_id = 1 AND ${isDoubted('att')}`);

/** Another attempt of the key stands: this one cannot take its place. */
const HAS_SUCCESSOR = `EXISTS (SELECT 1 FROM attempts att_other
  WHERE att_other.key = attempts.key AND att_other.id <> attempts.id AND ${isCurrent('att_other')})`;

const ENDS_AS = `CASE WHEN ending.state = 'answered' AND ${HAS_SUCCESSOR} THEN 'replaced'
  WHEN ending.state = 'doubt' OR (ending.state = 'accepted' AND attempts.shares_id = 1) THEN ${DOUBTS_AS}
  ELSE ending.state END`;

/**
 * open → doubt, doubt_beside: a vendor that says twice of one call that it has not served it may have served
 * it. The attempt is ended before `endAttempts` would free it, so its writer reads the call again.
 */
const doubtSecond = eachWhole(END_COLUMNS)(`
UPDATE attempts SET ${movesTo(DOUBTS_AS)}, why = v.why, ended_at = v.at
FROM v WHERE attempts.id = v.attempt AND attempts.state = 'open' AND v.said = 'not_served'
  AND EXISTS (SELECT 1 FROM attempts att_other
    WHERE att_other.key = attempts.key AND att_other.said = 'not_served')`);

const isPaidBy = (column: string): string => `EXISTS (SELECT 1 FROM attempts att_paid
  WHERE ${column} = coalesce(attempts.payer, attempts.id) AND att_paid.id <> attempts.id
    AND att_paid.charged > 0)`;

/**
 * A vendor charges once under one key, so only one answer was paid: the earlier one, or the first one of the
 * group.
 */
const IS_PAID = `(ending.nth > 1 OR ${isPaidBy('att_paid.id')} OR ${isPaidBy('att_paid.payer')})`;
const CHARGED = `CASE WHEN ending.charged > 0 AND ${IS_PAID} THEN 0 ELSE ending.charged END`;

/**
 * The attempts that end, each with its number among those that the group charges under the same key of the
 * vendor.
 */
const ENDING_ATTEMPTS = `(SELECT v.*,
    row_number() OVER (PARTITION BY coalesce(att.payer, att.id), v.charged > 0 ORDER BY v.attempt) AS nth
  FROM v JOIN attempts att ON att.id = v.attempt
  WHERE att.state = 'open' OR (att.state = 'accepted' AND v.state IN ('answered', 'doubt'))
    OR (v.state = 'answered' AND ${isDoubted('att')} AND ${leadsTo('att')})) ending`;

/**
 * open → accepted, answered, doubt, doubt_beside, uncharged. accepted → answered, doubt, doubt_beside.
 * doubt, retried, doubt_beside → answered, or replaced where another attempt of the key stands. Both
 * databases run it once for the whole group, like the statements around it, because two attempts of a group
 * may be of one call.
 */
const endAttempts = {
  ...eachWriting(END_COLUMNS, 'attempt')(
    `${endSql('ending', movesTo(ENDS_AS), CHARGED)}
FROM ${ENDING_ATTEMPTS} WHERE attempts.id = ending.attempt`,
    ENDED,
  ),
  whole: true,
} as const;

/**
 * retried → released: a doubt that was sent again under the same key of the vendor costs nothing of its own,
 * once a later attempt is answered, or released.
 */
const freeRepeats = eachWhole({ attempt: 'int', moved: 'int', at: 'int' })(`
UPDATE attempts SET ${movesTo("'released'")}, moved = v.moved, ended_at = v.at,
  why = CASE att.state WHEN 'released' THEN att.why ELSE ${findingsSql('charged_once')} END
FROM v JOIN attempts att ON att.id = v.attempt
WHERE att.moved = v.moved AND (att.charged IS NOT NULL OR att.state = 'released') AND att.payer IS NOT NULL
  AND attempts.state = 'retried' AND (attempts.id = att.payer OR attempts.payer = att.payer)`);

/**
 * replaced → answered, retried → doubt: what stood before an attempt that brought nothing stands again,
 * unless another attempt of the key does. Before one that was taken back an older answer stands again.
 */
const restoreSql = (attempts: string): string => `
UPDATE attempts SET ${STANDS_AGAIN}
FROM ${attempts}
WHERE attempts.id = att.prior
  AND (att.state IN ('uncharged', 'doubt_beside', 'released') AND attempts.state = 'retried'
    OR att.state IN ('uncharged', 'doubt_beside', 'released', 'retracted') AND attempts.state = 'replaced')
  AND NOT ${HAS_SUCCESSOR}`;
const restorePrior = eachWhole(ATTEMPT)(restoreSql('v JOIN attempts att ON att.id = v.attempt'));
const restoreShared = eachWhole(ATTEMPT)(restoreSql(SHARING));

// ------------------------------------------------------------------------------- a group: 3. money is booked

/** What attempts `att` spent and begin or cease to hold, in sums by the budgets of their payers. */
function perBudget(attempts: string, spent: string, held: string): string {
  const { names, beside, when } = budgetsOf('att_payer');
  return `SELECT ${names}, sum(att_payer.spent) AS spent, sum(att_payer.held) AS held FROM (
  SELECT att_payer.batch, att_payer.account, att_payer.day, att_payer.month, att_payer.kind,
    sum(${spent}) AS spent, sum(${held}) AS held
  FROM ${attempts} JOIN attempts att_payer ON att_payer.id = coalesce(att.payer, att.id)
  GROUP BY 1, 2, 3, 4, 5) att_payer ${beside} WHERE ${when} GROUP BY 1, 2, 3, 4`;
}

/** An attempt that ended is booked in any case. What goes above a cap is an overrun. */
const bookSql = (attempts: string, spent = 'coalesce(att.charged, 0)', held = 'att.reserved'): string => `
UPDATE budgets SET spent = budgets.spent + sums.spent, held = budgets.held - sums.held,
  overrun = CASE WHEN budgets.spent + sums.spent + budgets.held - sums.held > budgets.cap + budgets.overrun
    THEN budgets.spent + sums.spent + budgets.held - sums.held - budgets.cap ELSE budgets.overrun END
FROM (${perBudget(attempts, spent, held)}) sums WHERE ${isSameBudget('budgets', 'sums')}`;

/** What a group has moved. */
const OF_GROUP = 'v JOIN attempts att ON att.id = v.attempt AND att.moved = v.moved';

const bookEnds = eachWhole(MOVED_COLUMNS)(bookSql(OF_GROUP));

/** By one index after the other: with an OR of both PostgreSQL reads every attempt. */
const freedBy = (column: string): string => `SELECT att.id, att.payer, att.charged, att.reserved
  FROM repeats JOIN attempts att
    ON ${column} = repeats.payer AND att.state = 'released' AND att.moved = repeats.moved`;

const bookFreed = eachWhole(MOVED_COLUMNS)(`
WITH repeats AS (SELECT att.payer, att.moved FROM v JOIN attempts att
  ON att.id = v.attempt AND att.payer IS NOT NULL AND att.moved = v.moved),
freed AS (${freedBy('att.id')} UNION ${freedBy('att.payer')})${bookSql('freed att')}`);

/** How the answer of a change leaves its subject, where the answer says so. */
const LEFT_AS = 'coalesce(v.facts, subjects.facts)';
/** A change of a subject is settled. */
export const advances = (batch: string): string => `seq = subjects.seq + 1, facts = ${LEFT_AS},
  batch = CASE WHEN ${LEFT_AS} IS DISTINCT FROM subjects.facts THEN ${batch} ELSE subjects.batch END,
  changed_at = CASE WHEN ${LEFT_AS} IS DISTINCT FROM subjects.facts THEN v.at ELSE subjects.changed_at END`;

const advanceSubjects = eachWhole(END_COLUMNS)(`
UPDATE subjects SET ${advances('att.batch')}
FROM v JOIN attempts att ON att.id = v.attempt
WHERE att.moved = v.moved AND att.charged IS NOT NULL AND subjects.id = att.subject
  AND subjects.seq = att.after`);

const raisePrices = each({ attempt: 'int', price: 'int', moved: 'int' })(`
INSERT INTO prices (account, operation, credits_max, highest)
SELECT att.account, att.operation, att.credits_max, max(v.price) FROM v
  JOIN attempts att ON att.id = v.attempt
WHERE v.price IS NOT NULL AND att.moved = v.moved GROUP BY 1, 2, 3
ON CONFLICT (account, operation, credits_max) DO UPDATE SET highest = excluded.highest
WHERE prices.highest < excluded.highest`);

// ----------------------------------------------------------------- a group: 4. rows follow what they rest on

// A row moves in the commit of the attempt on which the row rests. It moves when that attempt is in doubt,
// when a person decides about the doubt, and when it is known what came of it. A writer that then knows how
// the row ends writes the end in the same commit; else the row waits for a run.

export const ROW_COLUMNS = {
  batch: 'text',
  row: 'int',
  state: 'text',
  matched_by: 'text',
  findings: 'text',
  attempt: 'int',
  has_fills: 'int',
} as const;
export type Row = FilledRow<typeof ROW_COLUMNS, 'matched_by' | 'findings' | 'attempt'>;

/** An attempt on which a row rests, where `rows.attempt` alone does not say that. */
const USE_COLUMNS = {
  batch: 'text',
  row: 'int',
  /** The row's. */
  state: 'text',
  nth: 'int',
  attempt: 'int',
  is_filling: 'int',
  waits: 'int',
} as const;
export type Use = FilledRow<typeof USE_COLUMNS>;

/** A row, and all that it rests on where that is not its `attempt` alone. */
export interface Resting extends Pick<Row, 'batch' | 'row' | 'state'> {
  readonly uses: readonly Use[];
}
export type RestingRow = Row & Resting;

/**
 * – , pending → in_doubt, also where the process ends before it can finish the row. A row of several steps is
 * pending until all of them have ended.
 */
const doubtSql = (attempts: string): string => `
INSERT INTO rows (batch, row, state, attempt, findings)
SELECT att.batch, att.row, 'in_doubt', att.id, att.why
FROM (SELECT max(att.id) AS id FROM ${attempts}
    JOIN batches bat ON bat.id = att.batch AND NOT ${hasSteps('bat')}
    WHERE att.state IN ('doubt', 'doubt_beside') GROUP BY att.batch, att.row) newest
  JOIN attempts att ON att.id = newest.id WHERE 1 = 1
ON CONFLICT (batch, row) DO UPDATE
SET state = 'in_doubt', attempt = excluded.attempt, findings = excluded.findings
WHERE rows.state IN ('pending', 'in_doubt')`;
const doubtRows: AttemptStatement = each(ATTEMPT)(doubtSql('v JOIN attempts att ON att.id = v.attempt'));
const doubtSharing: AttemptStatement = each(ATTEMPT)(doubtSql(SHARING));

/** The current attempt `att_now` of a call, and those `att_past` that it has replaced. */
const STANDING = `v JOIN attempts att ON att.id = v.attempt
  JOIN attempts att_now ON att_now.key = att.key AND ${isCurrent('att_now')}
  JOIN attempts att_past ON att_past.key = att.key AND ${isPast('att_past')}
    AND NOT (att_past.state = 'doubt_beside' AND att_past.kind = 'refresh')`;

/**
 * Rows in doubt rest on the current attempt of their call: on the attempt that was sent in its place, on the
 * attempt that was in doubt before that, or on a late answer. A refresh that is in doubt beside an answer
 * keeps its rows.
 */
const followStanding = [
  `UPDATE uses SET attempt = att_now.id FROM ${STANDING}
    JOIN rows row ON row.attempt = att_past.id AND row.state = 'in_doubt'
  WHERE uses.batch = row.batch AND uses.row = row.row AND uses.attempt = att_past.id`,
  `UPDATE rows SET attempt = att_now.id FROM ${STANDING}
    WHERE rows.attempt = att_past.id AND rows.state = 'in_doubt'`,
].map(ofAttempt);

/**
 * A row in doubt that rests on no attempt waits for a change of the same person, by its attempt `att_waited`.
 * The current attempt of that call counts.
 */
const WAITING = `(SELECT DISTINCT row.batch, row.row, att.id, att_now.state, att_now.batch AS by
  FROM v JOIN attempts att ON att.id = v.attempt
    JOIN attempts att_waited ON att_waited.subject = att.subject AND att_waited.after = att.after
      AND att_waited.key = att.key
    JOIN uses use ON use.attempt = att_waited.id AND use.waits = 1
    JOIN rows row ON row.batch = use.batch AND row.row = use.row AND row.state = 'in_doubt'
      AND row.attempt IS NULL
    LEFT JOIN attempts att_now ON att_now.key = att.key AND ${isCurrent('att_now')}) waiting
WHERE rows.batch = waiting.batch AND rows.row = waiting.row`;

/**
 * The change that a row waited for was never made: the row rests on the attempt of that change, and goes on.
 */
const stopWaiting = ofAttempt(
  `UPDATE rows SET attempt = waiting.id FROM ${WAITING} AND waiting.state IS NULL`,
);

/** in_doubt → refused: the row was planned from how the person was before. */
const refuseOutdated = ofAttempt(`
UPDATE rows SET state = 'refused',
  findings = ${findingsSql('changed_since_planned', { batch: 'waiting.by' })}
FROM ${WAITING} AND waiting.state = 'answered'`);

/**
 * in_doubt → pending: rows wait for a run, and their batch is open again. One batch of a lineage is open at a
 * time, so of several finished ones the newest goes on. in_doubt → skipped, where no run goes on with the
 * batch.
 * @param rows the rows `row`, all at once.
 * @param known what is known of them.
 */
const resumeSql = (rows: string, known: string): readonly string[] => [
  `UPDATE batches SET state = 'open'
  FROM (SELECT bat.id, row_number() OVER (PARTITION BY bat.lineage ORDER BY bat.number DESC) AS nth
    FROM ${rows} JOIN batches bat ON bat.id = row.batch AND bat.state = 'finished') finished
  WHERE batches.id = finished.id AND finished.nth = 1
    AND NOT EXISTS (SELECT 1 FROM batches bat_other
      WHERE bat_other.lineage = batches.lineage AND bat_other.state = 'open')`,
  `UPDATE rows SET state = 'pending' FROM ${rows}
    JOIN batches bat ON bat.id = row.batch AND bat.state = 'open'
  WHERE rows.batch = row.batch AND rows.row = row.row`,
  `UPDATE rows SET state = 'skipped', findings = '[' || ${known} || ',' || CASE bat.state
    WHEN 'finished' THEN ${one('goes_on_in', {
      batch: `(SELECT bat_other.id FROM batches bat_other
        WHERE bat_other.lineage = bat.lineage AND bat_other.state = 'open')`,
    })}
    ELSE ${one('batch_is_over', { state: 'bat.state' })} END || ']'
  FROM ${rows} JOIN batches bat ON bat.id = row.batch AND bat.state <> 'open'
  WHERE rows.batch = row.batch AND rows.row = row.row`,
];

/** Rows whose attempt is in doubt no more: the attempt that ended, or the one that stands in its place. */
const resumeKnown = resumeSql(
  `v JOIN attempts att_ended ON att_ended.id = v.attempt JOIN attempts att
      ON att.id IN (att_ended.id, (SELECT att_now.id FROM attempts att_now
        WHERE att_now.key = att_ended.key AND ${isCurrent('att_now')}))
      AND (att.state = 'accepted' OR NOT ${isHolding('att')})
    JOIN rows row ON row.attempt = att.id AND row.state = 'in_doubt'`,
  `CASE att.state WHEN 'released' THEN ${one('call_not_done')}
    WHEN 'retracted' THEN ${one('answer_taken_back')}
    WHEN 'accepted' THEN ${one('vendor_answers_later')} ELSE ${one('call_answered')} END`,
).map(ofAttempt);

/** Moves the rows that rest on attempts whose end is known by now. */
const moveRowsOn = [...followStanding, stopWaiting, refuseOutdated, ...resumeKnown];

// ----------------------------------------------------------------------------------- a group: 5. rows finish

/**
 * If a row has ended in another way than the writer says, it gets a state that no row may have, and the
 * database refuses the write. What a person decided about a doubt meanwhile stays.
 */
const ENDED_OTHERWISE = `rows.state NOT IN ('pending', 'in_doubt')
  AND ((rows.state, rows.findings) IS DISTINCT FROM (excluded.state, excluded.findings))`;

/** – , pending, in_doubt → any. An answer that another process has taken back meanwhile ends no row. */
const finishRows = each(ROW_COLUMNS)(`
${insertSql('rows', ROW_COLUMNS)} AND (v.state NOT IN ('no_match', 'refused')
  OR (SELECT att.state FROM attempts att WHERE att.id = v.attempt) IS DISTINCT FROM 'retracted')
ON CONFLICT (batch, row) DO UPDATE SET
  state = CASE WHEN ${ENDED_OTHERWISE} THEN 'ended otherwise' ELSE excluded.state END,
  matched_by = excluded.matched_by, findings = excluded.findings,
  attempt = excluded.attempt, has_fills = excluded.has_fills
WHERE excluded.state <> 'in_doubt' OR rows.state IN ('pending', 'in_doubt')`);

/** The row is as its writer says. With an end that was not kept, nothing is kept of what it rested on. */
// rule 18c
const IS_KEPT = 'JOIN rows row ON row.batch = v.batch AND row.row = v.row AND row.state = v.state';

const leaveUses = each({ batch: 'text', row: 'int', state: 'text' })(`
DELETE FROM uses WHERE (batch, row) IN (SELECT row.batch, row.row
  FROM v JOIN uses use ON use.batch = v.batch AND use.row = v.row ${IS_KEPT})`);

/**
 * What a row rests on, where that is not one attempt alone. What has filled steps of a pending row is seen
 * while its other steps are asked.
 */
const keepUses = each(USE_COLUMNS)(`
INSERT INTO uses (batch, row, nth, attempt, is_filling, waits)
SELECT v.batch, v.row, v.nth, v.attempt, v.is_filling, v.waits FROM v ${IS_KEPT}`);

const usesOfAll = (rows: readonly Resting[]): readonly Use[] => rows.flatMap(({ uses }) => uses);

/** Writes within a transaction what rows rest on. */
export async function writeUses(sql: Sql, rows: readonly Resting[]): Promise<void> {
  await sql.each(leaveUses, rows);
  await sql.each(keepUses, usesOfAll(rows));
}

const PAY_COLUMNS = { batch: 'text', row: 'int', state: 'text', attempt: 'int' } as const;

/** All that a row rests on. */
const attemptsOf = (row: RestingRow): readonly RecordOf<typeof PAY_COLUMNS>[] =>
  row.uses.length > 0 ? row.uses : [row];

/** The lowest row of the batch that used an answer counts as having paid for it. */
const payRows = eachWhole(PAY_COLUMNS)(`
UPDATE attempts SET row = paying.row FROM (SELECT v.attempt AS id, v.batch AS batch, min(v.row) AS row FROM v
  WHERE v.state <> 'in_doubt' GROUP BY 1, 2) paying
WHERE attempts.id = paying.id AND attempts.batch = paying.batch AND attempts.row > paying.row`);

// -------------------------------------------------------------------------- a group: 6. intents are admitted

/** A request that is about to leave. */
export const INTENT_COLUMNS = {
  id: 'int',
  /** The number of the process that sends it. */
  worker: 'int',
  key: 'bytes',
  /** `first`, `refresh`, `repeat` or `retry`. */
  kind: 'text',
  account: 'int',
  operation: 'text',
  asked: 'text',
  /** What the job says that it costs at most; -1 where it says nothing. */
  credits_max: 'int',
  batch: 'text',
  row: 'int',
  day: 'int',
  month: 'int',
  /**
   * The most that it may cost: the highest price that was seen, or more. What is paid elsewhere reserves
   * nothing.
   */
  reserve: 'int',
  at: 'int',
  /** How long after it was admitted it is over for everybody, ms. */
  lasts: 'int',
  request: 'text',
  /** What it replaces: the answer or the doubt that stands. */
  prior: 'int',
  payer: 'int',
  /** An answer that turned out to be none, which it replaces. An answer that stands is `prior`. */
  replaces: 'int',
  decision: 'int',
  /** The subject of a change is named by its project and name; else null, as `after`. */
  project: 'text',
  subject: 'text',
  after: 'int',
  /** 1: it waits while another attempt of its operation is open, because no one knows a price yet. */
  is_unpriced: 'int',
} as const;
export type IntentRow = FilledRow<
  typeof INTENT_COLUMNS,
  'request' | 'prior' | 'payer' | 'replaces' | 'decision' | 'project' | 'subject' | 'after'
>;

/** Neither a change nor in the place of another attempt. */
export const isPlain = ({ prior, subject }: IntentRow): boolean => prior === null && subject === null;

/** With what those before it in its group reserve of the same budgets, and the number of the group. */
const IN_GROUP = {
  ...INTENT_COLUMNS,
  before_batch: 'int',
  before_day: 'int',
  before_month: 'int',
  before_extra: 'int',
  before_share: 'int',
  moved: 'int',
} as const;

/** Budgets of days and months begin with the first intent of them. */
const addPeriods = eachWhole({ account: 'int', day: 'int', month: 'int' })(`
INSERT INTO budgets (kind, account, period, cap)
SELECT DISTINCT each.kind, acc.id, CASE each.kind WHEN 'day' THEN v.day ELSE v.month END,
  CASE each.kind WHEN 'day' THEN acc.cap_day ELSE acc.cap_month END
FROM v JOIN accounts acc ON acc.id = v.account
  CROSS JOIN (SELECT 'day' AS kind UNION ALL SELECT 'month') each WHERE 1 = 1
ON CONFLICT (kind, batch, account, period) DO NOTHING`);

export const addSubjects = each({ account: 'int', project: 'text', subject: 'text' })(`
INSERT INTO subjects (account, project, name)
SELECT DISTINCT v.account, v.project, v.subject FROM v WHERE v.subject IS NOT NULL
ON CONFLICT (account, project, name) DO NOTHING`);

/** A batch that began in the future would take everything as too old. */
const IS_OLD = `EXISTS (SELECT 1
  FROM batches bat JOIN attempts att ON att.id = attempts.id JOIN replies rep ON ${replyOf('rep', 'att')}
  WHERE bat.id = v.batch AND bat.created_at - v.at <= ${APART_MS}
    AND ${isTooOld({ id: 'bat.id', found: 'bat.fresh_found', noMatch: 'bat.fresh_no_match' })})`;

/**
 * answered → replaced, of an answer that is too old. doubt → retried, of a doubt that a decision sends again.
 */
const suspendPrior = each(IN_GROUP)(`
UPDATE attempts SET ${movesTo("CASE v.kind WHEN 'refresh' THEN 'replaced' ELSE 'retried' END")}
FROM v WHERE attempts.id = v.prior AND attempts.key = v.key
  AND attempts.state = CASE v.kind WHEN 'refresh' THEN 'answered' ELSE 'doubt' END
  AND (v.kind <> 'refresh' OR ${IS_OLD}) AND (v.payer IS NULL OR attempts.request = v.request)`);

const FITS = `
${hasRoom('batch')} AND ${hasRoom('share')} AND ${hasRoom('day')} AND ${hasRoom('month')}
AND (v.is_unpriced = 0 OR NOT EXISTS (SELECT 1 FROM attempts att
  WHERE att.state = 'open' AND att.account = v.account AND att.operation = v.operation))`;

const RESERVES_PRICE = `NOT EXISTS (SELECT 1 FROM prices price WHERE price.account = v.account
  AND price.operation = v.operation AND price.credits_max = v.credits_max AND price.highest > v.reserve)`;

/** What was taken for an answer and is none is bought again by an intent that names it, and by no other. */
export const UNANSWERED = `${unanswered('v.key')}
  AND att_past.sent_at > coalesce((SELECT att_old.sent_at FROM attempts att_old
    WHERE att_old.id = v.replaces), -1)`;

/** @param way its kind, prior, payer, decision, subject and after. */
const admitSql = (way: string, from: string, when: string): string => `
INSERT INTO attempts (id, worker, key, state, account, operation, asked, credits_max,
  batch, row, day, month, reserved, sent_at, over_at, request, moved,
  kind, prior, payer, decision, subject, after)
SELECT v.id, v.worker, v.key, 'open', v.account, v.operation, v.asked, v.credits_max,
  v.batch, v.row, v.day, v.month, v.reserve, v.at, {now} + v.lasts, v.request, v.moved, ${way}
FROM ${from} WHERE ${when}
ON CONFLICT DO NOTHING`;

const ADMITTED = 'SELECT att.id FROM v JOIN attempts att ON att.id = v.id';

/** – → open, for a call that is not known. */
const admitFirst = eachWriting(IN_GROUP, 'id')(
  admitSql(
    `'first', NULL, NULL, NULL, NULL, NULL`,
    'v',
    `${FITS} AND ${RESERVES_PRICE} AND NOT EXISTS (${UNANSWERED})`,
  ),
  ADMITTED,
);

/** – → open, for a change, or in the place of an attempt that `suspendPrior` has moved. */
const admitInPlace = eachWriting(IN_GROUP, 'id')(
  admitSql(
    'v.kind, v.prior, v.payer, v.decision, sub.id, v.after',
    `v LEFT JOIN subjects sub
      ON sub.account = v.account AND sub.project = v.project AND sub.name = v.subject`,
    `(v.subject IS NULL OR sub.seq = v.after)
    AND (v.prior IS NULL
      OR (SELECT att_prior.state FROM attempts att_prior
        WHERE att_prior.id = v.prior) IN ('replaced', 'retried'))
    AND ${FITS} AND (v.payer IS NOT NULL OR ${RESERVES_PRICE})
    AND (v.kind <> 'retry' OR ${hasRoom('extra')})`,
  ),
  ADMITTED,
);

/**
 * replaced → answered, retried → doubt: what `suspendPrior` moved for an intent that was not admitted stands
 * again.
 */
const restoreUnadmitted = each(IN_GROUP)(`
UPDATE attempts SET ${STANDS_AGAIN} FROM v
WHERE attempts.id = v.prior AND attempts.state IN ('replaced', 'retried')
  AND NOT EXISTS (SELECT 1 FROM attempts att WHERE att.id = v.id) AND NOT ${HAS_SUCCESSOR}`);

/** The constraint of the table refuses a reserve that has no room. */
const holdReserves = eachWhole(MOVED_COLUMNS)(`
UPDATE budgets SET held = budgets.held + sums.held
FROM (${perBudget(OF_GROUP, '0', 'att.reserved')}) sums
WHERE ${isSameBudget('budgets', 'sums')}`);

/** Notes within a transaction the id that a newer dialect finds in the reply to a doubt. */
export const giveId = (sql: Sql, id: EndRow, moved: number): Promise<void> =>
  eachOf(sql, [noteIds, shareIds, restoreShared, doubtSharing], [{ ...id, moved }]);

// ------------------------------------------------------------------------------------------------- the group

/**
 * The most frequent writes, as one transaction. No statement needs the result of another one, so that a group
 * is one message over a network.
 */
export interface Group {
  readonly replies: readonly ReplyRow[];
  readonly ends: readonly EndRow[];
  readonly rows: readonly RestingRow[];
  /** Rows that are pending, with what has filled steps of theirs. */
  readonly fills: readonly Resting[];
  readonly intents: readonly IntentRow[];
}

/** The attempts that a group ended, and those that it admitted: the others are no part of it. */
export interface Written extends ReadonlySet<number> {
  /** Those of them that the vendor accepted by an id that another call has. They are in doubt. */
  readonly shared: ReadonlySet<number>;
}

/**
 * @param isFirst whether this process has the attempt under way, of a call that was not known.
 * @param moved the group's number.
 */
export async function writeGroup(
  db: Db,
  { replies, ends, rows, fills, intents }: Group,
  moved: number,
  isFirst: (attempt: number) => boolean,
): Promise<Written> {
  const numbered = onePerAttempt(ends).map((end) => ({ ...end, moved }));
  const isOfFirst = ({ attempt, state }: EndRow): boolean =>
    (state === 'answered' || state === 'doubt') && isFirst(attempt);
  const accepted = numbered.filter(({ state }) => state === 'accepted');
  const others = numbered.filter((end) => !isOfFirst(end));
  const doubts = numbered.filter(({ state }) => state === 'doubt');
  const unserved = numbered.filter(({ said }) => said === 'not_served');
  const priced = numbered.filter(({ price }) => price !== null);
  const last = newestOf(rows);
  const shown = newestOf(fills);
  const sorted = inOrder(intents, moved);
  const secondary = sorted.filter((intent) => !isPlain(intent));
  const attemptOf = ({ id: attempt }: IntentRow) => ({ attempt, moved });
  const inPlace = sorted.filter(({ prior, replaces }) => prior !== null || replaces !== null);
  const steps = [
    groupPart([keepReplies], replies),
    groupPart([endFirstAttempts], numbered.filter(isOfFirst)),
    groupPart([noteIds, shareIds], accepted), // rule 9f
    groupPart([doubtSecond], unserved), // rule 9b
    groupPart([suspendRetries, replaceAnswers, endAttempts], others),
    groupPart([restoreShared, SHARED], accepted),
    // Before others are freed: one of these may be among the ends, and gives back what it holds once.
    groupPart([bookEnds], numbered),
    groupPart([freeRepeats, restorePrior, bookFreed, advanceSubjects], others),
    groupPart([doubtRows], [...doubts, ...unserved]),
    groupPart([doubtSharing], accepted),
    groupPart(moveRowsOn, others),
    groupPart([raisePrices], priced),
    groupPart([finishRows], last),
    groupPart([payRows], last.flatMap(attemptsOf)),
    groupPart([leaveUses], [...shown, ...last]),
    groupPart([keepUses], usesOfAll([...shown, ...last])),
    groupPart(
      [addPeriods],
      onePer(intents, ({ account, day }) => `${account} ${day}`),
    ),
    groupPart([admitFirst], sorted.filter(isPlain)),
    groupPart([addSubjects, suspendPrior, admitInPlace, restoreUnadmitted], secondary),
    groupPart(followStanding, inPlace.map(attemptOf)),
    groupPart([holdReserves], sorted.map(attemptOf)),
  ].filter(({ records }) => records.length > 0);
  const wrote = await db.write(steps, { isBought: replies.length > 0 || ends.length > 0 });
  const found = wrote.flat() as readonly { readonly id: number; readonly is_shared?: 1 }[];
  const shared = found.flatMap(({ id, is_shared: isShared }) => (isShared === 1 ? [id] : []));
  return Object.assign(new Set(found.map(({ id }) => id)), { shared: new Set(shared) });
}

const newestOf = <T extends Pick<Row, 'batch' | 'row'>>(rows: readonly T[]): readonly T[] =>
  onePer(rows, nameOf);
const nameOf = ({ batch, row }: Pick<Row, 'batch' | 'row'>): string => `${batch} ${row}`;

const onePer = <T>(list: readonly T[], nameOf: (one: T) => string): readonly T[] => [
  ...new Map(list.map((one) => [nameOf(one), one])).values(),
];

/**
 * The intents, those that may cost least first. Each has the sum that the intents before it reserve in the
 * same budgets. If the tables know a higher price than this process does, their constraint refuses the group,
 * and each intent is written alone.
 */
function inOrder(intents: readonly IntentRow[], moved: number) {
  const sums = new Map<string, number>();
  const before = (budget: string, reserve: number): number => {
    const sum = sums.get(budget) ?? 0;
    sums.set(budget, sum + reserve);
    return sum;
  };
  return intents
    .toSorted((one, other) => one.reserve - other.reserve || one.id - other.id)
    .map((intent) => {
      const { batch, account, day, month, reserve, kind } = intent;
      // Each has thirty members, so it is no copy.
      return Object.assign(intent, {
        before_batch: before(`batch ${batch}`, reserve),
        before_day: before(`day ${account} ${day}`, reserve),
        before_month: before(`month ${account} ${month}`, reserve),
        before_extra: kind === 'retry' ? before(`extra ${batch}`, reserve) : 0,
        before_share: before(`share ${batch} ${account}`, reserve),
        moved,
      });
    });
}

// ----------------------------------------------------------------------- what a person or a look says of one

/** Ends one attempt within a transaction. @returns whether no one had ended it before. */
export async function endAttempt(sql: Sql, end: EndRow, moved: number): Promise<boolean> {
  const records = [{ ...end, moved }];
  await eachOf(sql, [doubtSecond, suspendRetries, replaceAnswers], records);
  const ended = await sql.each(endAttempts, records);
  const after = [bookEnds, freeRepeats, restorePrior, bookFreed, advanceSubjects, raisePrices, ...moveRowsOn];
  await eachOf(sql, after, records);
  return ended.length > 0;
}

/**
 * accepted, doubt, doubt_beside → released: it did not happen. retried → released, beside an answer alone: an
 * attempt in its place may be charged for both, and what stood before that one is to stand again.
 */
const releaseDoubt = each({ attempt: 'int', why: 'text', at: 'int', moved: 'int' })<{ readonly id: number }>(`
UPDATE attempts SET ${movesTo("'released'")}, moved = v.moved, ended_at = v.at, why = v.why FROM v
WHERE attempts.id = v.attempt
  AND (attempts.state IN ('accepted', 'doubt', 'doubt_beside') OR ${isBeside('attempts')})
RETURNING attempts.id`);

/** Gives back what was held for a call that was not charged. @returns whether anything was. */
export async function releaseAttempt(
  sql: Sql,
  release: { readonly attempt: number; readonly why: Findings; readonly at: number },
  moved: number,
): Promise<boolean> {
  const records = [{ ...release, why: keptFindings(release.why), moved }];
  const released = await sql.each(releaseDoubt, records);
  await eachOf(sql, [bookEnds, freeRepeats, restorePrior, bookFreed, ...moveRowsOn], records);
  return released.length > 0;
}

const moveTo = each({ batch: 'text', attempt: 'int', was: 'text', state: 'text', findings: 'text' })(`
UPDATE rows SET state = v.state, findings = v.findings FROM v
WHERE rows.attempt = v.attempt AND rows.state = v.was AND (v.batch IS NULL OR rows.batch = v.batch)`);

/** Moves the rows that rest on an attempt, those of one batch where it is named. */
export const moveRows = (
  sql: Sql,
  of: { readonly attempt: number; readonly batch?: string | null },
  was: readonly string[],
  state: string,
  findings: Findings,
) =>
  sql.each(
    moveTo,
    was.map((each) => ({
      attempt: of.attempt,
      batch: of.batch ?? null,
      was: each,
      state,
      findings: keptFindings(findings),
    })),
  );

const resumeIn = (known: FindingCode) =>
  resumeSql(
    `v JOIN rows row ON row.batch = v.batch AND row.attempt = v.attempt AND row.state = 'in_doubt'`,
    one(known),
  ).map((sql) => eachWhole({ batch: 'text', attempt: 'int' })(sql));

/** Rows of the batch that retries an attempt. */
export const resumeForRetry = resumeIn('may_be_sent_again');

/** Rows of the batch that leaves an attempt out, with another step still to be asked. */
export const resumeForStep = resumeIn('left_out_by_user');

const finishResting = each({ ...ROW_COLUMNS, rests_on: 'int' })<Pick<Row, 'batch' | 'row'>>(`
UPDATE rows SET state = v.state, matched_by = v.matched_by, findings = v.findings,
  attempt = v.attempt, has_fills = v.has_fills
FROM v WHERE rows.batch = v.batch AND rows.row = v.row AND rows.attempt = v.rests_on
  AND rows.state IN ('pending', 'in_doubt')
RETURNING rows.batch, rows.row`);

/** Writes how rows end that rest on an attempt. */
export async function finishRowsOf(sql: Sql, attempt: number, rows: readonly RestingRow[]): Promise<void> {
  const resting = rows.map((row) => ({ ...row, rests_on: attempt }));
  const finished = new Set((await sql.each(finishResting, resting)).map(nameOf));
  await writeUses(
    sql,
    rows.filter((row) => finished.has(nameOf(row))),
  );
}

// ------------------------------------------------------------------------------ what was taken for an answer

/** answered, replaced → retracted. The charge stays, and nothing stands in the way of another request. */
const retractAnswers = each(ATTEMPT)(`
UPDATE attempts SET ${movesTo("'retracted'")} FROM v
WHERE attempts.id = v.attempt AND ${isAnswered('attempts')}`);

/** The attempt counted as answered, and was not. */
export const retractAttempt = (sql: Sql, attempt: number) => sql.each(retractAnswers, [{ attempt }]);

/** Rows in these states that used an attempt. */
const usedSql = (states: readonly string[], findings: string): string => `
SELECT row.batch, row.row, v.attempt, ${findings} AS findings
FROM v JOIN rows row ON row.attempt = v.attempt AND ${inStates('row', states)}
UNION SELECT row.batch, row.row, v.attempt, ${findings}
FROM v JOIN uses use ON use.attempt = v.attempt
  JOIN rows row ON row.batch = use.batch AND row.row = use.row AND ${inStates('row', states)}`;

const unfinishSql = (states: readonly string[], findings = 'v.findings', batches = '1 = 1'): string => `
UPDATE rows SET state = 'in_doubt', attempt = used.attempt, matched_by = NULL, findings = used.findings
FROM (${usedSql(states, findings)}) used JOIN batches bat ON bat.id = used.batch AND ${batches}
WHERE rows.batch = used.batch AND rows.row = used.row`;

const READ_COLUMNS = { attempt: 'int', findings: 'text' } as const;
const LOOKED_UP = ['matched', 'no_match', 'refused'];

/**
 * matched, no_match, refused → in_doubt: a newer dialect finds no answer, and a person has to agree to buy
 * anew.
 */
export const doubtUnread = each(READ_COLUMNS)(unfinishSql(LOOKED_UP));

/** applied → in_doubt: a newer dialect finds no proof in what came of a change that counted as done. */
export const doubtUnproven = each(READ_COLUMNS)(unfinishSql(['applied']));

/**
 * matched, no_match, refused → in_doubt: answers are taken back, and what is known of them moves the rows on.
 */
const doubtTakenBack: AttemptStatement = each(ATTEMPT)(
  unfinishSql(LOOKED_UP, 'CAST(NULL AS TEXT)', `bat.state IN ('open', 'finished')`),
);

export const usedIn = each(ATTEMPT)<{ readonly batch: BatchId }>(
  `SELECT DISTINCT used.batch FROM (${usedSql(LOOKED_UP, 'NULL')}) used`,
);

/** pending → pending: nothing that was taken back is shown of a row. */
const emptyTakenBack: AttemptStatement = each(ATTEMPT)(`
DELETE FROM uses WHERE (batch, row) IN (SELECT row.batch, row.row FROM v
  JOIN uses use ON use.attempt = v.attempt AND use.is_filling = 1
  JOIN rows row ON row.batch = use.batch AND row.row = use.row AND row.state = 'pending')`);

/**
 * Takes back what a person had booked without an answer. The older answer that it was to replace stands
 * again.
 */
export async function retractBooked(sql: Sql, attempts: readonly number[]): Promise<void> {
  const records = attempts.map((attempt) => ({ attempt }));
  await eachOf(sql, [retractAnswers, restorePrior], records);
}

const skipWaiting = each({ attempt: 'int', findings: 'text' })(`
UPDATE rows SET state = 'skipped', attempt = att.id, findings = v.findings
FROM v JOIN attempts att ON att.id = v.attempt
WHERE rows.batch = att.batch AND rows.row = att.row AND rows.state = 'pending'`);

/** pending → skipped: the row waited for what the vendor had accepted. */
export const skipRowOf = (sql: Sql, attempt: number, findings: Findings) =>
  sql.each(skipWaiting, [{ attempt, findings: keptFindings(findings) }]);

/**
 * Takes back answers that said something about the account, and nothing about what was asked. The rows that
 * they ended wait.
 * @param free their calls are unknown again, or an older answer stands again, once no row is in doubt about
 * them.
 */
export async function takeBack(sql: Sql, all: readonly number[], free: readonly number[]): Promise<void> {
  const record = (attempt: number) => ({ attempt });
  await sql.each(retractAnswers, free.map(record));
  await eachOf(sql, [doubtTakenBack, ...moveRowsOn, emptyTakenBack], all.map(record));
  await sql.each(restorePrior, free.map(record));
}

/** answered → retracted, retracted → answered, or as it was: what an answer is read as by a newer dialect. */
const rereadAnswers = each(END_COLUMNS)(`
UPDATE attempts SET ${movesTo('v.state')}, said = v.said, why = v.why, dialect = v.dialect,
  charged = v.charged, is_at_most = v.is_at_most FROM v WHERE attempts.id = v.attempt`);

const bookMore = eachWhole({ attempt: 'int', more: 'int' })(
  bookSql('v JOIN attempts att ON att.id = v.attempt', 'v.more', '0'),
);

/**
 * Writes a new reading over the old one of an answer, and books what it costs more than before.
 * @param moved as the answer has it.
 */
export async function readAgain(sql: Sql, read: EndRow, more: number, moved: number): Promise<void> {
  const records = [{ ...read, moved }];
  await eachOf(sql, [rereadAnswers, raisePrices], records);
  if (more > 0) await sql.each(bookMore, [{ attempt: read.attempt, more }]);
}

/**
 * The rows of a change that counted as done, and for which a newer dialect finds no proof. The call stays
 * answered.
 */
const UNPROVEN = `SELECT att.id FROM rows row JOIN attempts att ON att.id = row.attempt
  AND att.state = 'answered' AND att.subject IS NOT NULL AND row.state = 'in_doubt'`;

export const isUnproven = async (sql: Sql, attempt: number): Promise<boolean> =>
  (await sql.rows(`${UNPROVEN} WHERE att.id = ?`, [attempt])).length > 0;

export async function unprovenOf(sql: Pick<Sql, 'rows'>, batch: BatchId): Promise<ReadonlySet<number>> {
  const found = await sql.rows<{ id: number }>(`${UNPROVEN} WHERE row.batch = ?`, [batch]);
  return new Set(found.map(({ id }) => id));
}

// ------------------------------------------------------------------------------------------------- the proof

export interface Difference {
  readonly scope: string;
  readonly booked: { readonly spent: number; readonly held: number };
  readonly added: { readonly spent: number; readonly held: number };
}

/** Adds every budget up anew from the attempts. @returns what differs, which is nothing. */
export async function recountBudgets(db: Pick<Db, 'rows'>): Promise<readonly Difference[]> {
  type Sums = BudgetName & Record<'spent' | 'held' | 'sum' | 'holds', number>;
  const { names, beside, when } = budgetsOf('att_payer');
  const found = await db.rows<Sums>(`
    WITH added AS (SELECT kind, batch, account, period, sum(charged) AS sum, sum(holds) AS holds FROM (
        SELECT ${names}, coalesce(att.charged, 0) AS charged,
          CASE WHEN ${isHolding('att')} THEN att.reserved ELSE 0 END AS holds
        FROM attempts att JOIN attempts att_payer ON att_payer.id = coalesce(att.payer, att.id) ${beside}
          WHERE ${when}) AS booked
      GROUP BY kind, batch, account, period)
    SELECT named.kind, named.batch, named.account, named.period, coalesce(bud.spent, 0) AS spent,
      coalesce(bud.held, 0) AS held,
      coalesce(added.sum, 0) AS sum, coalesce(added.holds, 0) AS holds
    FROM (SELECT kind, batch, account, period FROM budgets
      UNION SELECT kind, batch, account, period FROM added) named
    LEFT JOIN budgets bud ON ${isSameBudget('bud', 'named')}
    LEFT JOIN added ON ${isSameBudget('added', 'named')}
    WHERE coalesce(bud.spent, 0) <> coalesce(added.sum, 0)
      OR coalesce(bud.held, 0) <> coalesce(added.holds, 0)`);
  return found.map(({ spent, held, sum, holds, ...name }) => ({
    scope: budgetText(name),
    booked: { spent, held },
    added: { spent: sum, held: holds },
  }));
}
