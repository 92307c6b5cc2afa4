import { type Db, type Each, each, eachWhole, eachWriting, type Step, step } from './db.ts';
import {
  BOOK_END,
  BOOK_FREED,
  type CallId,
  END_FIRST,
  ENDING,
  type End,
  endRecord,
  MOVED_COLUMNS,
  onePerCall,
  PRICE,
  perScope,
  SETTLED,
} from './ends.ts';
import { ROW_DOUBTED, ROWS_KNOWN } from './moves.ts';
import { isCurrent, isPast } from './schema.ts';

/**
 * What is written most: replies, ends of calls, rows and intents, as one transaction without a wait in between, so that over a network
 * it is one message. Money is booked from what the group moved, by its number in `moved`, and never from what somebody wanted: a call
 * that another process had ended already books nothing.
 */

export interface Reply {
  readonly call: CallId;
  readonly status: number;
  readonly headers: string;
  readonly body: Uint8Array;
  readonly at: number;
}

export interface Row {
  readonly batch: string;
  readonly row: number;
  readonly state: string;
  readonly matched_by: string | null;
  readonly reason: string | null;
  readonly input: number | null;
  readonly call: CallId | null;
  readonly others: string | null;
}

/** A request that is about to leave. The subject of a change is named by its project and name. */
export interface Intent {
  readonly id: CallId;
  readonly key: Uint8Array;
  readonly kind: 'first' | 'refresh' | 'repeat' | 'retry';
  readonly account: number;
  readonly operation: string;
  readonly asked: string;
  /** What the job says that it costs at most; -1 where it says nothing. */
  readonly credits_max: number;
  readonly batch: string;
  readonly row: number;
  readonly day: number;
  readonly month: number;
  /** The most that it may cost. Never less than the highest price that was seen is reserved, but for what is paid elsewhere. */
  readonly reserve: number;
  readonly at: number;
  /** How long after it was admitted it is over for everybody, ms. */
  readonly lasts: number;
  readonly request: string | null;
  readonly first_sent_at: number | null;
  /** Whose place it takes: the answer or the doubt that stands. */
  readonly prior: CallId | null;
  readonly payer: CallId | null;
  /** An answer that turned out to be none, in whose place it is bought. */
  readonly replaces: CallId | null;
  readonly decision: number | null;
  /** Of a change; else null. */
  readonly project: string | null;
  readonly subject: string | null;
  readonly after: number | null;
  /** 1: it waits while another call of its operation is open, because nobody knows a price yet. */
  readonly is_unpriced: number;
  /** What those before it in its group reserve of the same budgets, and the number of that; set when it is written. */
  before_batch: number;
  before_day: number;
  before_month: number;
  before_extra: number;
  moved: number;
}

/** Neither a change nor in the place of another call. */
export const isFresh = ({ prior, subject }: Intent): boolean => prior === null && subject === null;

export interface Group {
  readonly replies: readonly Reply[];
  readonly ends: readonly End[];
  readonly rows: readonly Row[];
  readonly intents: readonly Intent[];
}

/** What came of a group: those that were not so are no part of it. */
export interface Written {
  /** Replies to calls that others had ended: they are kept all the same. */
  readonly late: ReadonlySet<CallId>;
  readonly ended: ReadonlySet<CallId>;
  readonly admitted: ReadonlySet<CallId>;
}

// --------------------------------------------------------------------------------------------- replies

const REPLY = each({ call: 'int', status: 'int', headers: 'text', body: 'bytes', at: 'int' })(`
INSERT INTO replies (call, status, headers, body, at) SELECT v.call, v.status, v.headers, v.body, v.at FROM v WHERE 1 = 1
ON CONFLICT (call) DO UPDATE SET status = excluded.status, headers = excluded.headers, body = excluded.body, at = excluded.at
WHERE replies.status = 0`);

/** Those whose end comes in the same group are not late, also where it is read again after a COMMIT without an answer. */
const LATE = eachWhole({ call: 'int', moved: 'int' })<{ id: number }>(
  `SELECT c.id FROM v JOIN calls c ON c.id = v.call WHERE c.state <> 'open' AND c.moved <> v.moved`,
);

// --------------------------------------------------------------------------------------------- rows

const ROW_COLUMNS = {
  batch: 'text',
  row: 'int',
  state: 'text',
  matched_by: 'text',
  reason: 'text',
  input: 'int',
  call: 'int',
  others: 'text',
} as const;

/**
 * Who finishes a row otherwise than it has ended is refused: it gets a state that no row has. What a person decided about a doubt meanwhile
 * stays.
 */
const ENDED_OTHERWISE = `rows.state NOT IN ('pending', 'in_doubt') AND ((rows.state, rows.reason, rows.others)
  IS DISTINCT FROM (excluded.state, excluded.reason, excluded.others) OR rows.input <> excluded.input)`;

/** An answer that another process has taken back meanwhile ends no row. */
const ROW = each(ROW_COLUMNS)(`
INSERT INTO rows (batch, row, state, matched_by, reason, input, call, others)
SELECT v.batch, v.row, v.state, v.matched_by, v.reason, v.input, v.call, v.others FROM v
WHERE v.state NOT IN ('no_match', 'refused') OR NOT EXISTS (SELECT 1 FROM calls c WHERE c.id = v.call AND c.state = 'retracted')
ON CONFLICT (batch, row) DO UPDATE SET state = CASE WHEN ${ENDED_OTHERWISE} THEN 'ended otherwise' ELSE excluded.state END,
  matched_by = excluded.matched_by, reason = excluded.reason,
  input = coalesce(excluded.input, rows.input), call = excluded.call, others = excluded.others
WHERE excluded.state <> 'in_doubt' OR rows.state IN ('pending', 'in_doubt')`);

/** The lowest row of the batch that used an answer counts as having paid for it. */
const paysSql = (used: string): string => `
UPDATE calls SET row = d.row FROM (SELECT ${used} AS id, v.batch AS batch, min(v.row) AS row FROM v`;
const PAYING = `WHERE v.state <> 'in_doubt' GROUP BY 1, 2) d WHERE calls.id = d.id AND calls.batch = d.batch AND calls.row > d.row`;

const PAYS = eachWhole(ROW_COLUMNS)(`${paysSql('v.call')} ${PAYING}`);
const OTHERS_PAY = eachWhole(ROW_COLUMNS)(
  `${paysSql('CAST(item.value AS {int})')} CROSS JOIN {list v.others} ${PAYING}`,
);

const CELLS_GO = eachWhole(ROW_COLUMNS)(
  `DELETE FROM cells WHERE (batch, row) IN (SELECT v.batch, v.row FROM v WHERE v.state NOT IN ('pending', 'in_doubt'))`,
);

// --------------------------------------------------------------------------------------------- intents

const INTENT_COLUMNS = {
  id: 'int',
  key: 'bytes',
  kind: 'text',
  account: 'int',
  operation: 'text',
  asked: 'text',
  credits_max: 'int',
  batch: 'text',
  row: 'int',
  day: 'int',
  month: 'int',
  reserve: 'int',
  at: 'int',
  lasts: 'int',
  request: 'text',
  first_sent_at: 'int',
  prior: 'int',
  payer: 'int',
  replaces: 'int',
  decision: 'int',
  project: 'text',
  subject: 'text',
  after: 'int',
  is_unpriced: 'int',
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

const NEW_SUBJECT = each(INTENT_COLUMNS)(`
INSERT INTO subjects (account, project, name) SELECT DISTINCT v.account, v.project, v.subject FROM v WHERE v.subject IS NOT NULL
ON CONFLICT (account, project, name) DO NOTHING`);

/** \`before_…\`: what those before it in the group reserve of the same budgets. */
const FITS = `
NOT EXISTS (SELECT 1 FROM budgets b WHERE b.scope = 'batch:' || v.batch AND (b.closed = 1 OR b.spent + b.held + v.before_batch + v.reserve > b.cap))
AND NOT EXISTS (SELECT 1 FROM budgets b WHERE b.scope = 'day:' || v.account || ':' || v.day AND b.spent + b.held + v.before_day + v.reserve > b.cap)
AND NOT EXISTS (SELECT 1 FROM budgets b WHERE b.scope = 'month:' || v.account || ':' || v.month AND b.spent + b.held + v.before_month + v.reserve > b.cap)
AND (v.is_unpriced = 0 OR NOT EXISTS (SELECT 1 FROM calls o WHERE o.state = 'open' AND o.account = v.account AND o.operation = v.operation))`;

const RESERVES_PRICE = `NOT EXISTS (SELECT 1 FROM prices p
  WHERE p.account = v.account AND p.operation = v.operation AND p.credits_max = v.credits_max AND p.highest > v.reserve)`;

const FITS_IN_PLACE = `${FITS} AND (v.payer IS NOT NULL OR ${RESERVES_PRICE})
AND (v.kind <> 'retry' OR NOT EXISTS (SELECT 1 FROM budgets b WHERE b.scope = 'extra:' || v.batch AND b.spent + b.held + v.before_extra + v.reserve > b.cap))`;

/** By so much two clocks may differ. A batch that began in the future would take everything as too old. */
const APART_MS = 300_000;

/** What the batch itself bought is always fresh, and a refresh that got lost since the cut-off is not tried again: it may have been paid. */
const CUT_OFF = `CASE calls.said WHEN 'found' THEN b.fresh_found ELSE b.fresh_no_match END`;
const IS_OLD = `EXISTS (SELECT 1 FROM batches b JOIN replies r ON r.call = calls.id
  WHERE b.id = v.batch AND calls.batch <> b.id AND b.created_at - v.at <= ${APART_MS} AND r.at < ${CUT_OFF}
    AND NOT EXISTS (SELECT 1 FROM calls l WHERE l.prior = calls.id AND l.kind = 'refresh' AND l.state = 'lost' AND l.sent_at >= ${CUT_OFF})
    AND NOT EXISTS (SELECT 1 FROM calls l WHERE l.prior = calls.id AND l.kind = 'refresh' AND l.batch = b.id AND l.state NOT IN ('unsold', 'released')))`;

/** What stands steps aside for its successor: an answer that is too old, or a doubt that somebody decided about. */
const STEPS_ASIDE = each(INTENT_COLUMNS)(`
UPDATE calls SET state = CASE v.kind WHEN 'refresh' THEN 'replaced' ELSE 'retried' END, is_current = 0 FROM v WHERE calls.id = v.prior AND calls.key = v.key AND calls.state = CASE v.kind WHEN 'refresh' THEN 'answered' ELSE 'doubt' END
  AND (v.kind <> 'refresh' OR ${IS_OLD}) AND (v.payer IS NULL OR calls.request = v.request)
  AND ${FITS_IN_PLACE}`);

/** What was taken for an answer and is none is bought again by whoever names it, and by nobody else. */
export const unansweredSql = (key: string, named: string): string => `
SELECT x.id FROM calls x WHERE x.key = ${key} AND ${isPast('x')} AND x.state = 'retracted' AND x.said NOT IN ('found', 'no_match', 'refused')
  AND x.sent_at > coalesce((SELECT n.sent_at FROM calls n WHERE n.id = ${named}), -1)`;

/** @param place its kind, prior, payer, decision, subject and after. */
const intentSql = (place: string, from: string, when: string): string => `
INSERT INTO calls (id, key, state, is_current, account, operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at,
  request, first_sent_at, moved, kind, prior, payer, decision, subject, after)
SELECT v.id, v.key, 'open', 1, v.account, v.operation, v.asked, v.credits_max, v.batch, v.row, v.day, v.month, v.reserve, v.at,
  {now} + v.lasts, v.request, v.first_sent_at, v.moved, ${place} FROM ${from} WHERE ${when}
ON CONFLICT DO NOTHING`;

const ADMITTED = 'SELECT c.id FROM v JOIN calls c ON c.id = v.id';

/** A question that nothing is known of. */
const INTENT = eachWriting(INTENT_COLUMNS, 'id')(
  intentSql(
    `'first', NULL, NULL, NULL, NULL, NULL`,
    'v',
    `${FITS} AND ${RESERVES_PRICE} AND NOT EXISTS (${unansweredSql('v.key', 'v.replaces')})`,
  ),
  ADMITTED,
);

/** A change, or what is sent in the place of what has stepped aside for it. */
const INTENT_IN_PLACE = eachWriting(INTENT_COLUMNS, 'id')(
  intentSql(
    'v.kind, v.prior, v.payer, v.decision, s.id, v.after',
    'v LEFT JOIN subjects s ON s.account = v.account AND s.project = v.project AND s.name = v.subject',
    `(v.subject IS NULL OR s.seq = v.after)
    AND (v.prior IS NULL OR EXISTS (SELECT 1 FROM calls p WHERE p.id = v.prior AND p.state IN ('replaced', 'retried')))
    AND ${FITS_IN_PLACE}`,
  ),
  ADMITTED,
);

/** What stepped aside for a call that was not admitted stands again. */
const STANDS_AGAIN = each(INTENT_COLUMNS)(`
UPDATE calls SET state = CASE calls.state WHEN 'replaced' THEN 'answered' ELSE 'doubt' END, is_current = 1 FROM v
WHERE calls.id = v.prior AND calls.state IN ('replaced', 'retried') AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.id = v.id)
  AND NOT EXISTS (SELECT 1 FROM calls o WHERE o.key = calls.key AND ${isCurrent('o')})`);

/** Only where there is room: the constraint of the table refuses what code let through. */
const BOOK_INTENT = eachWhole(MOVED_COLUMNS)(`
UPDATE budgets SET held = budgets.held + d.held
FROM (${perScope(`v JOIN calls c ON c.id = v.call AND c.moved = v.moved`, '0', 'c.reserved')}) d
WHERE budgets.scope = d.scope`);

/** Rows of other batches that are in doubt rest on the newest call of their key. */
const ROWS_FOLLOW = each(INTENT_COLUMNS)(
  `UPDATE rows SET call = v.id FROM v WHERE rows.call IN (v.prior, v.replaces) AND rows.state = 'in_doubt' AND EXISTS (SELECT 1 FROM calls c WHERE c.id = v.id)`,
);

// --------------------------------------------------------------------------------------------- the group

/** Writes a group. @param isFirst whether this process has it under way as a first call. @param moved the group's number. */
export async function writeGroup(
  db: Db,
  { replies, ends, rows, intents }: Group,
  moved: number,
  isFirst: (call: CallId) => boolean,
): Promise<Written> {
  const steps = new Steps();
  const numbered = onePerCall(ends).map((end) => endRecord(end, moved));
  const [first, others] = partition(numbered, ({ call, state }) => state !== 'unsold' && isFirst(call));
  steps.add([REPLY], replies);
  // What this process has under way in a folder nobody else ends.
  const late = steps.add(
    [LATE],
    replies.flatMap(({ call }) => (db.name === 'sqlite' && isFirst(call) ? [] : { call, moved })),
  );
  const endedFirst = steps.add([END_FIRST], first);
  const ended = steps.add(ENDING, others, 2);
  steps.add([BOOK_END], numbered);
  steps.add([BOOK_FREED], others);
  steps.add([SETTLED], others);
  steps.add(
    [ROW_DOUBTED],
    numbered.filter(({ state }) => state === 'doubt'),
  );
  steps.add(ROWS_KNOWN, others);
  steps.add(
    [PRICE],
    numbered.filter(({ price }) => price !== null),
  );
  const last = lastPerRow(rows);
  steps.add([ROW], last);
  steps.add([PAYS, CELLS_GO], last);
  steps.add([OTHERS_PAY], last.filter(hasOthers));
  const [fresh, placed] = partition(inOrder(intents, moved), isFresh);
  steps.add(
    [NEW_SCOPES],
    onePer(intents, ({ account, day }) => `${account} ${day}`),
  );
  const admitted = steps.add([INTENT], fresh);
  steps.add(
    [ROWS_FOLLOW],
    fresh.filter(({ replaces }) => replaces !== null),
  );
  const placedToo = steps.add(
    [NEW_SUBJECT, STEPS_ASIDE, INTENT_IN_PLACE, STANDS_AGAIN, ROWS_FOLLOW],
    placed,
    2,
  );
  steps.add([BOOK_INTENT], [...fresh, ...placed].map(toBook));
  await steps.write(db, replies.length > 0 || ends.length > 0);
  return {
    late: new Set(late),
    ended: new Set([...endedFirst, ...ended]),
    admitted: new Set([...admitted, ...placedToo]),
  };
}

/** The steps of a group, and what they give once they are written. */
class Steps {
  readonly #steps: { readonly step: Step; readonly gives: CallId[]; readonly at: number }[] = [];

  /** @returns the calls that the statement numbered `at` will have given. */
  add<Rec>(statements: readonly Each<Rec, unknown>[], records: readonly Rec[], at = 0): readonly CallId[] {
    const gives: CallId[] = [];
    if (records.length > 0) this.#steps.push({ step: step(statements, records), gives, at });
    return gives;
  }

  async write(db: Db, isBought: boolean): Promise<void> {
    const given = await db.write(
      this.#steps.map((each) => each.step),
      { isBought },
    );
    let first = 0;
    for (const {
      step: { statements },
      gives,
      at,
    } of this.#steps) {
      for (const { id } of given[first + at] as readonly { readonly id: CallId }[]) gives.push(id);
      first += statements.length;
    }
  }
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
function inOrder(intents: readonly Intent[], moved: number): readonly Intent[] {
  const sums = new Map<string, number>();
  const before = (scope: string, reserve: number): number => {
    const sum = sums.get(scope) ?? 0;
    sums.set(scope, sum + reserve);
    return sum;
  };
  const sorted = intents.toSorted((one, other) => one.reserve - other.reserve || one.id - other.id);
  for (const intent of sorted) {
    const { batch, account, day, month, reserve } = intent;
    intent.before_batch = before(batch, reserve);
    intent.before_day = before(`day:${account}:${day}`, reserve);
    intent.before_month = before(`month:${account}:${month}`, reserve);
    if (intent.kind === 'retry') intent.before_extra = before(`extra:${batch}`, reserve);
    intent.moved = moved;
  }
  return sorted;
}

const toBook = ({ id: call, moved }: { readonly id: CallId; readonly moved: number }) => ({ call, moved });

const hasOthers = ({ others }: Row): boolean => others !== null;

const lastPerRow = (rows: readonly Row[]): readonly Row[] =>
  onePer(rows, ({ batch, row }) => `${batch} ${row}`);
