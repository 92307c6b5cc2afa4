import { APART_MS } from './context.ts';
import { type Db, each, eachWhole, eachWriting, type FilledRow, step } from './db.ts';
import {
  BOOK_END,
  BOOK_FREED,
  END_FIRST,
  ENDING,
  type EndRow,
  MOVED_COLUMNS,
  onePerAttempt,
  PRICE,
  perScope,
  SETTLED,
} from './ends.ts';
import { ROW_COLUMNS, ROW_DOUBTED, ROWS_FOLLOW, ROWS_KNOWN, type Row } from './moves.ts';
import { isCurrent, isPast, isTooOld } from './schema.ts';

/**
 * What is written most: replies, ends of attempts, rows and intents, as one transaction without a wait in between, so that over a network
 * it is one message. Money is booked from what the group moved, by its number in `moved`, and never from what somebody wanted: an attempt
 * that another process had ended already books nothing.
 */

/** Neither a change nor in the place of another attempt. */
export const isFresh = ({ prior, subject }: IntentRow): boolean => prior === null && subject === null;

export interface Group {
  readonly replies: readonly ReplyRow[];
  readonly ends: readonly EndRow[];
  readonly rows: readonly Row[];
  readonly intents: readonly IntentRow[];
}

// --------------------------------------------------------------------------------------------- replies

const REPLY_COLUMNS = { attempt: 'int', status: 'int', headers: 'text', body: 'bytes', at: 'int' } as const;
export type ReplyRow = FilledRow<typeof REPLY_COLUMNS>;

/** Also of an attempt that others have ended: it is read like any reply to a call in doubt. */
const REPLY = each(REPLY_COLUMNS)(`
INSERT INTO replies (attempt, status, headers, body, at) SELECT v.attempt, v.status, v.headers, v.body, v.at FROM v WHERE 1 = 1
ON CONFLICT (attempt) DO UPDATE SET status = excluded.status, headers = excluded.headers, body = excluded.body, at = excluded.at
WHERE replies.status = 0`);

// --------------------------------------------------------------------------------------------- rows

/**
 * Who finishes a row otherwise than it has ended is refused: it gets a state that no row has. What a person decided about a doubt meanwhile
 * stays.
 */
const ENDED_OTHERWISE = `rows.state NOT IN ('pending', 'in_doubt') AND ((rows.state, rows.reason, rows.others)
  IS DISTINCT FROM (excluded.state, excluded.reason, excluded.others))`;

/** An answer that another process has taken back meanwhile ends no row. */
const ROW = each(ROW_COLUMNS)(`
INSERT INTO rows (batch, row, state, matched_by, reason, attempt, others)
SELECT v.batch, v.row, v.state, v.matched_by, v.reason, v.attempt, v.others FROM v
WHERE v.state NOT IN ('no_match', 'refused') OR NOT EXISTS (SELECT 1 FROM attempts c WHERE c.id = v.attempt AND c.state = 'retracted')
ON CONFLICT (batch, row) DO UPDATE SET state = CASE WHEN ${ENDED_OTHERWISE} THEN 'ended otherwise' ELSE excluded.state END,
  matched_by = excluded.matched_by, reason = excluded.reason,
  attempt = excluded.attempt, others = excluded.others
WHERE excluded.state <> 'in_doubt' OR rows.state IN ('pending', 'in_doubt')`);

/** The lowest row of the batch that used an answer counts as having paid for it. */
const paysSql = (used: string): string => `
UPDATE attempts SET row = d.row FROM (SELECT ${used} AS id, v.batch AS batch, min(v.row) AS row FROM v`;
const PAYING = `WHERE v.state <> 'in_doubt' GROUP BY 1, 2) d WHERE attempts.id = d.id AND attempts.batch = d.batch AND attempts.row > d.row`;

const PAYS = eachWhole(ROW_COLUMNS)(`${paysSql('v.attempt')} ${PAYING}`);
const OTHERS_PAY = eachWhole(ROW_COLUMNS)(
  `${paysSql('CAST(item.value AS {int})')} CROSS JOIN {list v.others} ${PAYING}`,
);

// --------------------------------------------------------------------------------------------- intents

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
  /** The most that it may cost. Never less than the highest price that was seen is reserved, but for what is paid elsewhere. */
  reserve: 'int',
  at: 'int',
  /** How long after it was admitted it is over for everybody, ms. */
  lasts: 'int',
  request: 'text',
  /** Whose place it takes: the answer or the doubt that stands. */
  prior: 'int',
  payer: 'int',
  /** An answer that turned out to be none, in whose place it is bought. */
  replaces: 'int',
  decision: 'int',
  /** The subject of a change is named by its project and name; else null, as `after`. */
  project: 'text',
  subject: 'text',
  after: 'int',
  /** 1: it waits while another attempt of its operation is open, because nobody knows a price yet. */
  is_unpriced: 'int',
} as const;
export type IntentRow = FilledRow<
  typeof INTENT_COLUMNS,
  ('request' | 'prior' | 'payer' | 'replaces') | ('decision' | 'project' | 'subject' | 'after')
>;

/** With what those before it in its group reserve of the same budgets, and the number of that. */
const IN_GROUP = {
  ...INTENT_COLUMNS,
  before_batch: 'int',
  before_day: 'int',
  before_month: 'int',
  before_extra: 'int',
  moved: 'int',
} as const;

/** Budgets of days and months begin with the first intent of them. */
const NEW_SCOPES = eachWhole({ account: 'int', day: 'int', month: 'int' })(`
INSERT INTO budgets (scope, cap)
SELECT DISTINCT CASE k.n WHEN 1 THEN 'day:' || v.account || ':' || v.day ELSE 'month:' || v.account || ':' || v.month END,
  CASE k.n WHEN 1 THEN a.cap_day ELSE a.cap_month END
FROM v JOIN accounts a ON a.id = v.account CROSS JOIN (SELECT 1 AS n UNION ALL SELECT 2) k WHERE 1 = 1
ON CONFLICT (scope) DO NOTHING`);

const NEW_SUBJECT = each(IN_GROUP)(`
INSERT INTO subjects (account, project, name) SELECT DISTINCT v.account, v.project, v.subject FROM v WHERE v.subject IS NOT NULL
ON CONFLICT (account, project, name) DO NOTHING`);

/** \`before_…\`: what those before it in the group reserve of the same budgets. */
const FITS = `
NOT EXISTS (SELECT 1 FROM budgets b WHERE b.scope = 'batch:' || v.batch AND (b.closed = 1 OR b.spent + b.held + v.before_batch + v.reserve > b.cap))
AND NOT EXISTS (SELECT 1 FROM budgets b WHERE b.scope = 'day:' || v.account || ':' || v.day AND b.spent + b.held + v.before_day + v.reserve > b.cap)
AND NOT EXISTS (SELECT 1 FROM budgets b WHERE b.scope = 'month:' || v.account || ':' || v.month AND b.spent + b.held + v.before_month + v.reserve > b.cap)
AND (v.is_unpriced = 0 OR NOT EXISTS (SELECT 1 FROM attempts o WHERE o.state = 'open' AND o.account = v.account AND o.operation = v.operation))`;

const RESERVES_PRICE = `NOT EXISTS (SELECT 1 FROM prices p
  WHERE p.account = v.account AND p.operation = v.operation AND p.credits_max = v.credits_max AND p.highest > v.reserve)`;

/** A batch that began in the future would take everything as too old. */
const IS_OLD = `EXISTS (SELECT 1 FROM batches b JOIN attempts c ON c.id = attempts.id JOIN replies r ON r.attempt = c.id
  WHERE b.id = v.batch AND b.created_at - v.at <= ${APART_MS} AND ${isTooOld({ id: 'b.id', found: 'b.fresh_found', noMatch: 'b.fresh_no_match' })})`;

/** What stands steps aside for its successor: an answer that is too old, or a doubt that somebody decided about. */
const STEPS_ASIDE = each(IN_GROUP)(`
UPDATE attempts SET state = CASE v.kind WHEN 'refresh' THEN 'replaced' ELSE 'retried' END, is_current = 0 FROM v WHERE attempts.id = v.prior AND attempts.key = v.key AND attempts.state = CASE v.kind WHEN 'refresh' THEN 'answered' ELSE 'doubt' END
  AND (v.kind <> 'refresh' OR ${IS_OLD}) AND (v.payer IS NULL OR attempts.request = v.request)`);

/** What was taken for an answer and is none is bought again by whoever names it, and by nobody else. */
export const UNANSWERED = `
SELECT x.id FROM attempts x WHERE x.key = v.key AND ${isPast('x')} AND x.state = 'retracted' AND x.said NOT IN ('found', 'no_match', 'refused')
  AND x.sent_at > coalesce((SELECT n.sent_at FROM attempts n WHERE n.id = v.replaces), -1)`;

/** @param place its kind, prior, payer, decision, subject and after. */
const intentSql = (place: string, from: string, when: string): string => `
INSERT INTO attempts (id, worker, key, state, is_current, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at,
  request, moved, kind, prior, payer, decision, subject, after)
SELECT v.id, v.worker, v.key, 'open', 1, v.account, v.operation, v.asked, v.credits_max, v.batch, v.row, v.day, v.month, v.reserve, v.at,
  {now} + v.lasts, v.request, v.moved, ${place} FROM ${from} WHERE ${when}
ON CONFLICT DO NOTHING`;

const ADMITTED = 'SELECT c.id FROM v JOIN attempts c ON c.id = v.id';

/** Of a call of which nothing is known. */
const INTENT = eachWriting(IN_GROUP, 'id')(
  intentSql(
    `'first', NULL, NULL, NULL, NULL, NULL`,
    'v',
    `${FITS} AND ${RESERVES_PRICE} AND NOT EXISTS (${UNANSWERED})`,
  ),
  ADMITTED,
);

/** A change, or what is sent in the place of what has stepped aside for it. */
const INTENT_IN_PLACE = eachWriting(IN_GROUP, 'id')(
  intentSql(
    'v.kind, v.prior, v.payer, v.decision, s.id, v.after',
    'v LEFT JOIN subjects s ON s.account = v.account AND s.project = v.project AND s.name = v.subject',
    `(v.subject IS NULL OR s.seq = v.after)
    AND (v.prior IS NULL OR EXISTS (SELECT 1 FROM attempts p WHERE p.id = v.prior AND p.state IN ('replaced', 'retried')))
    AND ${FITS} AND (v.payer IS NOT NULL OR ${RESERVES_PRICE}) AND (v.kind <> 'retry' OR NOT EXISTS (
      SELECT 1 FROM budgets b WHERE b.scope = 'extra:' || v.batch AND b.spent + b.held + v.before_extra + v.reserve > b.cap))`,
  ),
  ADMITTED,
);

/** What stepped aside for an attempt that was not admitted stands again. */
const STANDS_AGAIN = each(IN_GROUP)(`
UPDATE attempts SET state = CASE attempts.state WHEN 'replaced' THEN 'answered' ELSE 'doubt' END, is_current = 1 FROM v
WHERE attempts.id = v.prior AND attempts.state IN ('replaced', 'retried') AND NOT EXISTS (SELECT 1 FROM attempts c WHERE c.id = v.id)
  AND NOT EXISTS (SELECT 1 FROM attempts o WHERE o.key = attempts.key AND ${isCurrent('o')})`);

/** Only where there is room: the constraint of the table refuses what code let through. */
const BOOK_INTENT = eachWhole(MOVED_COLUMNS)(`
UPDATE budgets SET held = budgets.held + d.held
FROM (${perScope(`v JOIN attempts c ON c.id = v.attempt AND c.moved = v.moved`, '0', 'c.reserved')}) d
WHERE budgets.scope = d.scope`);

// --------------------------------------------------------------------------------------------- the group

/**
 * Writes a group. @param isFirst whether this process has it under way as a first attempt. @param moved the group's number.
 * @returns the attempts that it ended, and those that it admitted: the others are no part of it.
 */
export async function writeGroup(
  db: Db,
  { replies, ends, rows, intents }: Group,
  moved: number,
  isFirst: (attempt: number) => boolean,
): Promise<ReadonlySet<number>> {
  const numbered = onePerAttempt(ends).map((end) => ({ ...end, moved }));
  const [first, others] = partition(
    numbered,
    ({ attempt, state }) => state !== 'uncharged' && isFirst(attempt),
  );
  const last = onePer(rows, ({ batch, row }) => `${batch} ${row}`);
  const sorted = inOrder(intents, moved);
  const [fresh, placed] = partition(sorted, isFresh);
  const attemptOf = ({ id: attempt }: IntentRow) => ({ attempt, moved });
  const steps = [
    step([REPLY], replies),
    step([END_FIRST], first),
    step(ENDING, others),
    step([BOOK_END], numbered),
    step([BOOK_FREED], others),
    step([SETTLED], others),
    step(
      [ROW_DOUBTED],
      numbered.filter(({ state }) => state === 'doubt'),
    ),
    step(ROWS_KNOWN, others),
    step(
      [PRICE],
      numbered.filter(({ price }) => price !== null),
    ),
    step([ROW], last),
    step([PAYS], last),
    step(
      [OTHERS_PAY],
      last.filter(({ others }) => others !== null),
    ),
    step(
      [NEW_SCOPES],
      onePer(intents, ({ account, day }) => `${account} ${day}`),
    ),
    step([INTENT], fresh),
    step([NEW_SUBJECT, STEPS_ASIDE, INTENT_IN_PLACE, STANDS_AGAIN], placed),
    step(
      [ROWS_FOLLOW],
      sorted.filter(({ prior, replaces }) => prior !== null || replaces !== null).map(attemptOf),
    ),
    step([BOOK_INTENT], sorted.map(attemptOf)),
  ].filter(({ records }) => records.length > 0);
  const wrote = await db.write(steps, { isBought: replies.length > 0 || ends.length > 0 });
  return new Set((wrote.flat() as readonly { readonly id: number }[]).map(({ id }) => id));
}

function partition<T>(list: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []];
  for (const one of list) (test(one) ? yes : no).push(one);
  return [yes, no];
}

const onePer = <T>(list: readonly T[], nameOf: (one: T) => string): readonly T[] => [
  ...new Map(list.map((one) => [nameOf(one), one])).values(),
];

/**
 * Those that may cost least first, each with what those before it may cost of the same budgets. A price that is not known here yet is
 * known to the tables, whose constraint then refuses the group, and each is asked for alone.
 */
function inOrder(intents: readonly IntentRow[], moved: number) {
  const sums = new Map<string, number>();
  const before = (scope: string, reserve: number): number => {
    const sum = sums.get(scope) ?? 0;
    sums.set(scope, sum + reserve);
    return sum;
  };
  return intents
    .toSorted((one, other) => one.reserve - other.reserve || one.id - other.id)
    .map((intent) => {
      const { batch, account, day, month, reserve, kind } = intent;
      // Each has thirty members, so it is no copy.
      return Object.assign(intent, {
        before_batch: before(batch, reserve),
        before_day: before(`day:${account}:${day}`, reserve),
        before_month: before(`month:${account}:${month}`, reserve),
        before_extra: kind === 'retry' ? before(`extra:${batch}`, reserve) : 0,
        moved,
      });
    });
}
