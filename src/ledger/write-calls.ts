import { invariant } from '../core/errors.ts';
import { subjectText } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import {
  type Admission,
  admitted,
  type Closure,
  capReached,
  type Intent,
  type RawReply,
} from './call-records.ts';
import { openAttempts } from './calls.ts';
import { askedOf, dayOf, keptKey, monthOf, NO_MOST, type Writing } from './context.ts';
import { endOf } from './ends.ts';
import { type Current, currentOf, followCalls } from './follow.ts';
import type { Gather } from './gather.ts';
import { type Intent as Draft, unansweredSql } from './group.ts';
import { moneyOf } from './money.ts';
import { type AttemptId, type BatchId, type BudgetScope, credits, type FinishedRow } from './records.ts';
import { rowOf } from './rows.ts';
import { batchOver, DEADLINE_MS, OVER_AFTER_MS, SENT_WITHIN_MS } from './spenders.ts';

/** What is written of calls while they are made. What comes in one turn of the event loop shares a commit. */
export const writeCalls = (context: Writing, gather: Gather) => ({
  ...followCalls(context),

  /**
   * A request is about to be sent. The budget is checked in the same transaction, and it reserves at least the highest price that was
   * seen. For a change it is also checked that the subject is still as it was planned, and that no other change of it is open or in
   * doubt. An attempt that repeats a lost one under its idempotency key reserves nothing: the lost one still holds the money for both.
   * Of a commit the replies and ends are told first, and all that follows at once from them, and then its intents.
   */
  intent: (intent: Intent): Promise<Admission> => admit(context, gather, intent),

  /** What came back, before it is judged. It is kept also where its attempt has been taken for lost meanwhile. */
  keep: (call: AttemptId, { status, headers, body, receivedAtMs }: RawReply): Promise<void> =>
    gather.reply({ call, status, headers: JSON.stringify(headers), body, at: Math.floor(receivedAtMs) }),

  /**
   * The attempt is over, its money moves, and it becomes the call's answer or doubt. An answer under an idempotency key also releases
   * what the lost attempts with the same key hold: the vendor charged once at most, and the cost is booked where the first of them had
   * risked it, so that a repeat exceeds no cap. Every settled change advances its subject's sequence number by one. A lost attempt leaves
   * the answer that it was to replace in place, but one that was read as none: then its call is in doubt, and a release brings back what
   * it was. `over`: others have ended it, because its age was over. What came for it is kept by its reply, which is read like any reply to
   * a call in doubt.
   */
  end: (attempt: AttemptId, closure: Closure, atMs: number): Promise<'ended' | 'over'> =>
    // The next change of a subject waits for the end of the one before, and a doubt is not to be asked about too early.
    gather.end(endOf(attempt, closure, atMs), closure.kind === 'answered' && closure.left === undefined),

  /** No intent is told before this has settled: what follows from a reply for others is asked of the ledger first. */
  concluding: (following: Promise<unknown>): void => gather.concluding(following),

  /** Resolves when the next attempts have ended: then their calls are known, and their money is free. */
  nextEnds: (): Promise<void> => gather.ended,

  /**
   * Finishes rows, all of them or none, and maybe with others that are finished until the next commit. A final outcome never changes:
   * the database refuses to finish such a row otherwise than it is.
   */
  finishRows: (rows: readonly FinishedRow[]): Promise<void> => gather.rows(rows.map(rowOf)),

  openAttempts: () => openAttempts(context),
});

// ------------------------------------------------------------------------------------------ admission

/** The budget is checked and the intent written in one statement; why one was not admitted is read afterwards. */
async function admit(context: Writing, gather: Gather, intent: Intent): Promise<Admission> {
  const place = await placeOf(context, intent);
  if (place === undefined) return KNOWN;
  for (let tries = 0; ; tries += 1) {
    const draft = await draftOf(context, gather, intent, place);
    if (await gather.intent(draft)) return admitted(draft.id as AttemptId, credits(draft.reserve));
    if (await hasNewPrice(context, gather, draft)) continue;
    const why = await whyNot(context, intent, draft);
    // Where nothing is in its way by now, what was before it in its group has counted, and was not admitted.
    if (why !== undefined || tries > 0) return why ?? KNOWN;
  }
}

const priceName = ({
  account,
  operation,
  credits_max,
}: Pick<Draft, 'account' | 'operation' | 'credits_max'>): string => `${account} ${credits_max} ${operation}`;

/** Whether the tables know of a higher price than this process did. */
async function hasNewPrice({ db }: Writing, { prices }: Gather, draft: Draft): Promise<boolean> {
  const [price] = await db.rows<{ highest: number }>(
    'SELECT highest FROM prices WHERE account = ? AND operation = ? AND credits_max = ?',
    [draft.account, draft.operation, draft.credits_max],
  );
  if (price === undefined || draft.payer !== null || price.highest <= draft.reserve) return false;
  prices.set(priceName(draft), price.highest);
  return true;
}

type Place = Pick<Draft, 'kind' | 'prior' | 'payer' | 'decision' | 'replaces'>;

const FIRST: Place = { kind: 'first', prior: null, payer: null, decision: null, replaces: null };

/** Whose place it takes. Undefined: what it was to be sent again by stands no more. */
async function placeOf({ db }: Writing, { decision, replaces, request }: Intent): Promise<Place | undefined> {
  if (decision !== undefined) {
    const [said] = await db.rows<{ call: number; said: string; payer: number | null }>(
      `SELECT n.call, n.said, c.payer FROM notes n JOIN calls c ON c.id = n.call WHERE n.id = ? AND n.said IN ('repeat', 'retry')`,
      [decision],
    );
    if (said === undefined) return undefined;
    const kind = said.said as 'repeat' | 'retry';
    const isUnderKey = kind === 'repeat' && request !== undefined;
    return {
      kind,
      prior: said.call,
      payer: isUnderKey ? (said.payer ?? said.call) : null,
      decision,
      replaces: null,
    };
  }
  if (replaces === undefined) return FIRST;
  const [answer] = await db.rows<{ state: string }>('SELECT state FROM calls WHERE id = ?', [replaces]);
  // What turned out to be no answer has left its place already.
  return answer === undefined || answer.state === 'retracted'
    ? { ...FIRST, replaces }
    : { ...FIRST, kind: 'refresh', prior: replaces };
}

async function draftOf(context: Writing, gather: Gather, intent: Intent, place: Place): Promise<Draft> {
  const { key, accountIdentity, call, batch, row, reserve, atMs, request, deadlineMs = DEADLINE_MS } = intent;
  const account = await context.account(accountIdentity);
  invariant(account !== undefined, `the ledger has no account ${accountIdentity}`);
  const at = Math.floor(atMs);
  const { change, after = null } = call;
  invariant(
    (change === undefined) === (after === null),
    `${call.operation} says what it changes, and after which change`,
  );
  const priced = { account, operation: call.operation, credits_max: call.creditsMost ?? NO_MOST };
  // What a repeat under the vendor's key may cost is held where it was risked first.
  const most = place.payer === null ? Math.max(reserve, gather.prices.get(priceName(priced)) ?? 0) : 0;
  return {
    id: gather.number(),
    key: keptKey(context.secret, key),
    ...place,
    ...priced,
    asked: askedOf(call),
    batch,
    row,
    day: dayOf(at),
    month: monthOf(at),
    reserve: most,
    at,
    lasts: SENT_WITHIN_MS + deadlineMs + OVER_AFTER_MS,
    request: request === undefined ? null : JSON.stringify(keptRequest(request)),
    first_sent_at: request === undefined ? null : Math.floor(request.firstSentAtMs),
    project: change === undefined ? null : (change.subject.project ?? ''),
    subject: change === undefined ? null : change.subject.name,
    after: change === undefined ? null : after,
    is_unpriced: intent.isUnpriced ? 1 : 0,
  };
}

/** Bytes as Base64, because JSON holds none. */
const keptRequest = ({ body, ...request }: NonNullable<Intent['request']>) => ({
  ...request,
  ...present({ body: body?.toString('base64') }),
});

/** Nothing of it was written: what stands in its way, as it is now. */
async function whyNot(context: Writing, intent: Intent, draft: Draft): Promise<Admission | undefined> {
  const stands = await currentOf(context.db, draft.key);
  if (intent.ifUnknown && stands !== undefined && stands.state !== 'open') return KNOWN;
  return (
    (await refusedChange(context, draft)) ??
    movedOn(stands, intent, draft) ??
    (await unanswered(context, intent, draft)) ??
    (await reachedCap(context, intent, draft)) ??
    // It fits by now, or waits for the price that another one is to show.
    (draft.prior === null || intent.isUnpriced
      ? { kind: 'wait', scope: 'batch', money: await moneyOf(context.db, `batch:${intent.batch}`) }
      : undefined)
  );
}

const KNOWN = { kind: 'known' } as const;

/** What was taken for an answer and is none is not bought again without being named. */
async function unanswered(
  { db }: Writing,
  { ifUnknown }: Intent,
  draft: Draft,
): Promise<Admission | undefined> {
  const [none] = await db.rows<{ id: AttemptId }>(`${unansweredSql('?', 'CAST(? AS {int})')} LIMIT 1`, [
    draft.key,
    draft.replaces,
  ]);
  if (none === undefined) return undefined;
  return ifUnknown ? KNOWN : { kind: 'answered', attempt: none.id };
}

/** What has become of the call meanwhile. */
function movedOn(stands: Current | undefined, { replaces }: Intent, draft: Draft): Admission | undefined {
  if (stands === undefined || stands.id === replaces || stands.id === draft.prior) return undefined;
  const attempt = stands.id as AttemptId;
  if (stands.state === 'open') return { kind: 'in_flight', attempt };
  return stands.state === 'answered' ? { kind: 'answered', attempt } : KNOWN;
}

async function refusedChange({ db }: Writing, draft: Draft): Promise<Admission | undefined> {
  if (draft.subject === null) return undefined;
  const [subject] = await db.rows<{ id: number; seq: number }>(
    'SELECT id, seq FROM subjects WHERE account = ? AND project = ? AND name = ?',
    [draft.account, draft.project, draft.subject],
  );
  if (subject === undefined) return undefined;
  const [other] = await db.rows<{ id: AttemptId; batch: BatchId; row: number; key: Uint8Array }>(
    `SELECT id, batch, row, key FROM calls WHERE subject = ? AND state IN ('open', 'doubt', 'retried', 'lost') ORDER BY id DESC LIMIT 1`,
    [subject.id],
  );
  if (other !== undefined && !Buffer.from(other.key).equals(draft.key))
    return { kind: 'subject_in_doubt', by: other.batch, row: other.row, attempt: other.id };
  if (subject.seq === draft.after) return undefined;
  const [last] = await db.rows<{ batch: BatchId }>(
    'SELECT batch FROM calls WHERE subject = ? AND charged IS NOT NULL ORDER BY after DESC, id DESC LIMIT 1',
    [subject.id],
  );
  invariant(last !== undefined, `${subjectText({ name: draft.subject })} has moved, and nobody moved it`);
  return { kind: 'moved', by: last.batch };
}

async function reachedCap({ db }: Writing, intent: Intent, draft: Draft): Promise<Admission | undefined> {
  const scopes: readonly (readonly [BudgetScope, string])[] = [
    ['batch', `batch:${intent.batch}`],
    ['day', `day:${draft.account}:${draft.day}`],
    ['month', `month:${draft.account}:${draft.month}`],
    ...(draft.kind === 'retry' ? [['extra', `extra:${intent.batch}`] as const] : []),
  ];
  for (const [scope, name] of scopes) {
    const [budget] = await db.rows<{ closed: number; is_over: number }>(
      'SELECT closed, CASE WHEN spent + held + CAST(? AS {int}) > cap THEN 1 ELSE 0 END AS is_over FROM budgets WHERE scope = ?',
      [draft.reserve, name],
    );
    if (budget?.closed === 1) throw batchOver(intent.batch);
    if (budget?.is_over === 1) return capReached(scope, await moneyOf(db, name));
  }
  return undefined;
}
