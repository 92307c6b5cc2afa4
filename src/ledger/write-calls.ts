import { invariant } from '../core/errors.ts';
import { type Admission, AdmittedAttempt, type End, type Intent, type Reply } from './call-records.ts';
import { recordsOf } from './calls.ts';
import { askedOf, dayOf, keptKey, monthOf, NO_MOST, type WriteContext } from './context.ts';
import { each, type Sql } from './db.ts';
import { followCalls } from './follow.ts';
import type { Gather } from './gather.ts';
import { type BudgetName, budgetName, budgetsOf, isFull, isSameBudget, moneyOf } from './money.ts';
import { type AttemptId, type BatchId, credits, type FinishedRow, type RowFills } from './records.ts';
import { filledOf, rowOf } from './rows.ts';
import { isCurrent, isDoubted, isHolding } from './schema.ts';
import { batchOver, DEADLINE_MS, OVER_AFTER_MS, SENT_WITHIN_MS } from './spenders.ts';
import { endRow, INTENT_COLUMNS, type IntentRow, type ReplyRow, UNANSWERED } from './transitions.ts';

/** What is written of calls while they are made. What comes in one turn of the event loop shares a commit. */
export const writeCalls = (context: WriteContext, gather: Gather) => ({
  ...followCalls(context),
  ...laterCalls(context, gather),

  /**
   * A request is about to be sent. The budget is checked in the same transaction, and it reserves at least
   * the highest price that was seen. For a change it is also checked that the subject is still as it was
   * planned, and that no other change of it is open or in doubt. An attempt that repeats a doubt under its
   * idempotency key reserves nothing: the doubt still holds the money for both. The replies and ends of a
   * commit resolve first, and all that follows at once from them, and then its intents.
   */
  intent: (intent: Intent): Promise<Admission> => admit(context, gather, intent),

  /**
   * What came back, before it is judged. It is kept also where its attempt has been put in doubt meanwhile.
   */
  keep: (attempt: AttemptId, reply: Reply): Promise<void> => gather.reply(replyRow(attempt, 0, reply)),

  /**
   * The attempt is over, its money moves, and it becomes the call's answer or doubt. An answer under an
   * idempotency key also releases what the doubts with the same key hold, because the vendor charged once at
   * most. The cost is booked where the first of them had risked it, so that a repeat exceeds no cap. Every
   * settled change advances its subject's sequence number by one. A doubt leaves the answer that it was to
   * replace in place, but one that was read as none: then its call is in doubt, and a release brings back
   * what it was. `over`: others have ended it, because its age was over. What came for it is kept by its
   * reply, which is read like any reply to a call in doubt. `shared`: it was accepted by an id that another
   * call has, and both are in doubt.
   */
  end: (attempt: AttemptId, end: End, atMs: number): Promise<'ended' | 'over' | 'shared'> =>
    // The next change of a subject waits for the end of the one before, and a doubt is not to be asked about
    // too early.
    gather.end(endRow(attempt, end, atMs), end.kind === 'answered' && end.leftFacts === undefined),

  /**
   * No intent resolves before this has settled: what follows from a reply for others is asked of the ledger
   * first.
   */
  concluding: (following: Promise<unknown>): void => gather.concluding(following),

  /** Resolves when the next attempts have ended: then their calls are known, and their money is free. */
  nextEnds: (): Promise<void> => gather.ended,

  /**
   * Finishes rows, all of them or none, and maybe with others that are finished until the next commit. A
   * final outcome never changes: the database refuses to finish such a row otherwise than it is.
   * @param filled rows that go on.
   */
  finishRows: (rows: readonly FinishedRow[], filled: readonly RowFills[] = []): Promise<void> =>
    gather.rows(rows.map(rowOf), filled.map(filledOf)),

  /**
   * Attempts of all accounts for which no one waits any more. No attempt that this process has under way is
   * among them.
   */
  async openAttempts() {
    const { db, worker } = context;
    const open = await db.rows<{ id: AttemptId }>(
      `SELECT att.id FROM attempts att LEFT JOIN workers worker ON worker.id = att.worker
       WHERE att.state = 'open' AND att.worker <> ? ${LEFT_OPEN[db.name]} ORDER BY att.sent_at, att.id`,
      [worker],
    );
    const ids = open.map(({ id }) => id);
    return recordsOf(db, ids);
  },
});

/** What vendors answer later. */
const laterCalls = (context: WriteContext, gather: Gather) => ({
  /**
   * The vendor's later answer to a call that it has accepted, and that it was this answer: in one commit, so
   * that it is asked for again where a crash comes before.
   */
  async endLater(attempt: AttemptId, reply: Reply, end: End, atMs: number): Promise<unknown> {
    const writtenReply = gather.reply(replyRow(attempt, 1, reply));
    const ended = gather.end(endRow(attempt, end, atMs), false);
    await writtenReply;
    return ended;
  },

  /** What the vendor of an account has accepted and no one else asks for: of any batch, oldest first. */
  async acceptedCalls(accountIdentity: string) {
    const { db, worker } = context;
    const accepted = await db.rows<{ id: AttemptId }>(
      `SELECT att.id FROM attempts att JOIN accounts acc ON acc.id = att.account
        LEFT JOIN workers worker ON worker.id = att.worker
       WHERE att.state = 'accepted' AND acc.identity = ?
         AND (att.worker = ? OR (1 = 1 ${LEFT_OPEN[db.name]})) ORDER BY att.id`,
      [accountIdentity, worker],
    );
    const ids = accepted.map(({ id }) => id);
    return recordsOf(db, ids);
  },

  /** The doubts of an account for which no id is known, and to which a reply came. */
  async doubtsWithoutId(accountIdentity: string) {
    const { db } = context;
    const doubts = await db.rows<{ id: AttemptId }>(
      `SELECT att.id FROM attempts att JOIN accounts acc ON acc.id = att.account
       JOIN replies rep ON rep.attempt = att.id AND rep.number = 0 AND rep.status <> 0
       WHERE ${isDoubted('att')} AND acc.identity = ? AND att.vendor_id IS NULL ORDER BY att.id`,
      [accountIdentity],
    );
    const ids = doubts.map(({ id }) => id);
    return recordsOf(db, ids);
  },
});

const replyRow = (attempt: AttemptId, number: number, reply: Reply): ReplyRow => ({
  attempt,
  number,
  status: reply.status,
  headers: JSON.stringify(reply.headers),
  body: reply.body,
  at: Math.floor(reply.receivedAtMs),
});

/**
 * Where one process spends, the process that left the attempt open has ended. Where many spend, the attempt
 * is over by its age, or its worker has closed the ledger.
 */
const LEFT_OPEN = {
  sqlite: '',
  postgres: 'AND (att.over_at < {now} OR worker.ended_at IS NOT NULL)',
} as const;

// ------------------------------------------------------------------------------------------ admission

/**
 * The budget is checked and the intent is written in one statement. Why an intent was not admitted is read
 * afterwards.
 */
async function admit(context: WriteContext, gather: Gather, intent: Intent): Promise<Admission> {
  const way = await wayOf(context, intent);
  if (way === undefined) return KNOWN;
  const account = await context.account(intent.accountIdentity);
  invariant(account !== undefined, `the ledger has no account ${intent.accountIdentity}`);
  for (let tries = 0; ; tries += 1) {
    const row = rowFor(context, gather, intent, way, account);
    if (await gather.intent(row)) return new AdmittedAttempt(row.id as AttemptId, credits(row.reserve));
    const [standing] = await context.db.each(CALL_STANDING, [row]);
    invariant(standing !== undefined, 'something stands in the way of every intent');
    // The tables know of a higher price than this process did.
    if (row.payer === null && (standing.highest ?? 0) > row.reserve) {
      gather.prices.set(priceName(row), standing.highest ?? 0);
      continue;
    }
    const why = inTheWay(standing, intent, row) ?? (await reachedCap(context, intent, row));
    // If nothing is in its way by now, an intent before it in its group took the room and was not admitted,
    // so it is tried once more.
    if (why !== undefined || tries > 0) return why ?? KNOWN;
  }
}

const priceName = (of: Pick<IntentRow, 'account' | 'operation' | 'credits_max'>): string =>
  `${of.account} ${of.credits_max} ${of.operation}`;

type Way = Pick<IntentRow, 'kind' | 'prior' | 'payer' | 'decision' | 'replaces'>;

const FIRST: Way = { kind: 'first', prior: null, payer: null, decision: null, replaces: null };

const DECIDED = `SELECT note.said AS kind, note.attempt AS prior, coalesce(att.payer, att.id) AS payer
FROM notes note JOIN attempts att ON att.id = note.attempt
  WHERE note.id = ? AND note.said IN ('repeat', 'retry')`;

/**
 * How it is sent, and which attempt it replaces. Undefined: the decision to send it again does not stand any
 * more.
 */
function wayOf(
  { db }: WriteContext,
  { decision, replaces, request }: Intent,
): Way | Promise<Way | undefined> {
  if (decision !== undefined) return decidedWay(db, decision, request !== undefined);
  return replaces === undefined ? FIRST : wayInPlaceOf(db, replaces);
}

async function decidedWay(db: Sql, decision: number, hasKey: boolean): Promise<Way | undefined> {
  const [decided] = await db.rows<Pick<Way, 'kind' | 'prior' | 'payer'>>(DECIDED, [decision]);
  const isUnderKey = decided?.kind === 'repeat' && hasKey;
  return decided && { ...FIRST, ...decided, decision, payer: isUnderKey ? decided.payer : null };
}

async function wayInPlaceOf(db: Sql, replaces: number): Promise<Way> {
  const [answer] = await db.rows<{ state: string }>('SELECT state FROM attempts WHERE id = ?', [replaces]);
  // An answer that turned out to be none is out of the way already.
  return answer === undefined || answer.state === 'retracted'
    ? { ...FIRST, replaces }
    : { ...FIRST, kind: 'refresh', prior: replaces };
}

function rowFor(context: WriteContext, gather: Gather, intent: Intent, way: Way, account: number): IntentRow {
  const { key, call, batch, row, reserve, atMs, request, deadlineMs = DEADLINE_MS } = intent;
  const at = Math.floor(atMs);
  const { change, after = null } = call;
  invariant(
    (change === undefined) === (after === null),
    `${call.operation} says what it changes, and after which change`,
  );
  const priced = { account, operation: call.operation, credits_max: call.creditsMost ?? NO_MOST };
  // What a repeat under the vendor's key may cost is held where it was risked first.
  const most = way.payer === null ? Math.max(reserve, gather.prices.get(priceName(priced)) ?? 0) : 0;
  return {
    id: gather.number(),
    worker: context.worker,
    key: keptKey(context.secret, key),
    ...way,
    ...priced,
    asked: askedOf(call),
    batch,
    row,
    day: dayOf(at),
    month: monthOf(at),
    reserve: most,
    at,
    lasts: SENT_WITHIN_MS + deadlineMs + OVER_AFTER_MS,
    request: request === undefined ? null : JSON.stringify(request),
    project: change === undefined ? null : (change.subject.project ?? ''),
    subject: change === undefined ? null : change.subject.name,
    after: change === undefined ? null : after,
    is_unpriced: intent.isUnpriced ? 1 : 0,
  };
}

const KNOWN = { kind: 'known' } as const;

/** The state of the call of an intent that was not written. */
interface CallStanding {
  readonly current: AttemptId | null;
  readonly state: string | null;
  readonly highest: number | null;
  /** How many changes of its subject were settled, by which batch the last one, and one that holds money. */
  readonly seq: number | null;
  readonly moved_by: BatchId;
  readonly other: AttemptId | null;
  readonly batch: BatchId;
  readonly row: number;
  readonly none: AttemptId | null;
}

const CALL_STANDING = each(INTENT_COLUMNS)<CallStanding>(`
SELECT att_now.id AS current, att_now.state, price.highest, sub.seq, att_held.id AS other, att_held.batch,
  att_held.row,
  (${UNANSWERED} LIMIT 1) AS none,
  (SELECT moves.batch FROM (
    SELECT att.batch, att.after, att.id FROM attempts att
      WHERE att.subject = sub.id AND att.charged IS NOT NULL
    UNION ALL SELECT note.batch, note.after, note.id FROM notes note WHERE note.subject = sub.id) moves
    ORDER BY moves.after DESC, moves.id DESC LIMIT 1) AS moved_by
FROM v LEFT JOIN attempts att_now ON att_now.key = v.key AND ${isCurrent('att_now')}
  LEFT JOIN prices price ON price.account = v.account AND price.operation = v.operation
    AND price.credits_max = v.credits_max
  LEFT JOIN subjects sub ON sub.account = v.account AND sub.project = v.project AND sub.name = v.subject
  LEFT JOIN attempts att_held ON att_held.key <> v.key AND att_held.id = (SELECT max(att.id) FROM attempts att
    WHERE att.subject = sub.id AND ${isHolding('att')})`);

function inTheWay(standing: CallStanding, intent: Intent, intentRow: IntentRow): Admission | undefined {
  const { ifUnknown, replaces } = intent;
  const { after, prior } = intentRow;
  const { current, state, seq, moved_by, other, batch, row, none } = standing;
  if (ifUnknown && current !== null && state !== 'open') return KNOWN;
  if (other !== null) return { kind: 'subject_in_doubt', by: batch, row, attempt: other };
  if (seq !== null && seq !== after) return { kind: 'moved', by: moved_by };
  if (current !== null && current !== replaces && current !== prior) {
    if (state === 'open') return { kind: 'in_flight' };
    return state === 'answered' ? { kind: 'answered' } : KNOWN;
  }
  // What was taken for an answer and is none is not bought again without being named.
  if (none !== null) return ifUnknown ? KNOWN : { kind: 'answered' };
  return undefined;
}

const ITS_BUDGETS = budgetsOf('v');
const FULL = each(INTENT_COLUMNS)<BudgetName & { readonly closed: number }>(`
SELECT bud.kind, bud.batch, bud.account, bud.period, bud.closed
FROM (SELECT ${ITS_BUDGETS.names}, v.reserve FROM v ${ITS_BUDGETS.beside} WHERE ${ITS_BUDGETS.when}) v
  JOIN budgets bud ON ${isSameBudget('bud', 'v')}
WHERE ${isFull()} ORDER BY bud.kind`);

async function reachedCap(
  { db }: WriteContext,
  { batch, isUnpriced }: Intent,
  row: IntentRow,
): Promise<Admission | undefined> {
  const [full] = await db.each(FULL, [row]);
  if (full?.closed === 1) throw batchOver(batch);
  // It fits by now, or waits for the price that another one is to show.
  if (full === undefined && row.prior !== null && !isUnpriced) return undefined;
  const name = full ?? budgetName('batch', { batch });
  const money = await moneyOf(db, name);
  const staysFull = full !== undefined && money.reserved === 0;
  return { kind: staysFull ? 'over_budget' : 'wait', scope: name.kind, money };
}
