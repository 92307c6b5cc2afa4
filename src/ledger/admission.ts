import { invariant } from '../core/errors.ts';
import { subjectText } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import { type Admission, admitted, capReached, type Intent } from './call-records.ts';
import { askedOf, dayOf, keptKey, monthOf, NO_MOST, type Writing } from './context.ts';
import { type Current, currentOf } from './follow.ts';
import type { Gather } from './gather.ts';
import { type Intent as Draft, unansweredSql } from './group.ts';
import { moneyOf } from './money.ts';
import { type AttemptId, type BatchId, type BudgetScope, credits } from './records.ts';
import { batchOver, DEADLINE_MS, OVER_AFTER_MS, SENT_WITHIN_MS } from './spenders.ts';

/** Admission: the budget is checked and the intent written in one statement; why one was not admitted is read afterwards. */

export async function admitIntent(context: Writing, gather: Gather, intent: Intent): Promise<Admission> {
  const place = await placeOf(context, intent);
  if (place === undefined) return KNOWN;
  for (;;) {
    const draft = await draftOf(context, gather, intent, place);
    const isFirst = draft.kind === 'first' && draft.subject === null;
    if (await gather.intent(draft, isFirst)) return admitted(draft.id as AttemptId, credits(draft.reserve));
    if (!(await hasNewPrice(context, gather, draft))) return whyNot(context, intent, draft);
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
async function whyNot(context: Writing, intent: Intent, draft: Draft): Promise<Admission> {
  const stands = await currentOf(context.db, draft.key);
  if (intent.ifUnknown && stands !== undefined && stands.state !== 'open') return KNOWN;
  return (
    (await refusedChange(context, draft)) ??
    movedOn(stands, intent, draft) ??
    (await unanswered(context, intent, draft)) ??
    (await reachedCap(context, intent, draft)) ??
    (draft.prior === null
      ? { kind: 'wait', scope: 'batch', money: await moneyOf(context.db, `batch:${intent.batch}`) }
      : KNOWN)
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
