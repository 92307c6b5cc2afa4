import { invariant, type StopError, stop } from '../../../core/errors.ts';
import {
  type Admission,
  type AttemptId,
  admitted,
  batchOver,
  capReached,
  credits,
  type Intent,
} from '../../ledger.ts';
import { type AskingBatch, draftIntent, isOvertaken, movedOn, refuseBatch } from '../../rules/drafts.ts';
import { type History, isNone, standing } from '../../rules/history.ts';
import { type Database, LOCKS, oneCell, oneColumn, type Sql } from './connection.ts';
import { type Begun, beginAll, overAfterMs, requestFacts, write } from './entries.ts';
import { lockedHistory } from './histories.ts';
import { WHILE_MOVING } from './lock.ts';
import { commitsLost, hasAttempt } from './lost-commits.ts';
import { admitFunded, batchMoney, NO_MOST, OverCap, reserve } from './money.ts';
import type { Session } from './session.ts';

const KNOWN = `
SELECT (SELECT json_agg(json_build_object('id', b.id, 'account', b.account, 'state', b.state, 'createdAtMs', b.created_at,
          'foundMs', b.fresh_found, 'noMatchMs', b.fresh_no_match)) FROM batches b WHERE b.id = ANY ($3)) AS askings,
       ${hasAttempt('$1', '$2')} AS "isWhole"
  FROM ${WHILE_MOVING} one`;

interface Known {
  readonly askings: ReadonlyMap<string, AskingBatch>;
}

interface Found {
  readonly askings: readonly AskingBatch[] | null;
  readonly isWhole: boolean;
}

async function known(sql: Sql, intents: readonly Intent[], session: Session): Promise<Known> {
  const ids = [...new Set(intents.map(({ batch }) => batch))];
  const { seen } = session;
  const found = await sql.row<Found>(KNOWN, [seen?.attempt, seen?.atMs, ids]);
  // Whether the newest attempt that this worker has seen is there.
  if (found?.isWhole !== true) throw commitsLost(session);
  return { askings: new Map(found.askings?.map((asking) => [asking.id, asking])) };
}

/** What was read before nothing stood still any more does not know that the ledger was copied meanwhile. */
async function refuseCopied(sql: Sql): Promise<void> {
  const place = await oneCell<string>(sql, 'SELECT copied_to FROM ledger');
  if (place !== undefined) throw wasCopied(place);
}

/** Others opened it to spend before it was copied. */
const wasCopied = (place: string): StopError =>
  stop(
    'store',
    `This ledger was copied to ${place} meanwhile, so nothing is bought from it any more.`,
    `Run the same command with --store ${place}: it continues there.`,
  );

function askingOf({ askings }: Known, { batch }: Intent): AskingBatch {
  const asking = askings.get(batch);
  invariant(asking !== undefined, `there is no batch ${batch}`);
  return asking;
}

function refuse(all: Known, intent: Intent): void {
  const { change } = intent.call;
  invariant(change === undefined, 'this store takes no calls that change something');
  const asking = askingOf(all, intent);
  if (asking.state === 'superseded' || asking.state === 'cancelled') throw batchOver(asking.id);
  refuseBatch(asking, intent);
}

/** Whether an intent may be written together with others, before its call was looked at. */
export const isPlain = ({ decision, replaces, isUnpriced }: Intent): boolean =>
  decision === undefined && replaces === undefined && isUnpriced === undefined;

export const LATE = { kind: 'late' } as const;

export const isLate = ({ tooOldMs = Infinity }: Intent, { clock }: Session): boolean =>
  clock !== undefined && clock.monotonicMs() > tooOldMs;

/**
 * Admits plain intents together, each of another call.
 * @returns the admissions by their keys; what is left out stands otherwise, or is refused.
 * @throws Lacking when a purse does not hold all of them; nothing of the transaction may be committed then.
 */
export async function admitPlain(
  sql: Sql,
  intents: readonly Intent[],
  session: Session,
): Promise<ReadonlyMap<string, Admission>> {
  const all = await known(sql, intents, session);
  const free = await withoutUsedKeys(sql, intents);
  const fitting = free.filter((intent) => {
    try {
      refuse(all, intent);
      return true;
    } catch {
      return false;
    }
  });
  const { begun, others } = await begunAll(sql, fitting, session);
  await keepKeys(
    sql,
    fitting.filter(({ key }) => begun.has(key)),
  );
  const admissions = new Map<string, Admission>();
  for (const intent of fitting) {
    const { key } = intent;
    const [own, call] = [begun.get(key), others.get(key)];
    const admission = own === undefined ? call && movedOn({ call }, intent) : admittedAs(own);
    if (admission !== undefined) admissions.set(key, admission);
  }
  return admissions;
}

type Own = Pick<Begun, 'attempt' | 'reserved'>;

const admittedAs = ({ attempt, reserved }: Own): Admission => admitted(attempt, credits(reserved));

async function begunAll(sql: Sql, intents: readonly Intent[], session: Session): ReturnType<typeof beginAll> {
  const begun = await beginAll(sql, intents, session);
  for (const { copiedTo } of begun.begun.values()) if (copiedTo !== null) throw wasCopied(copiedTo);
  return begun;
}

async function withoutUsedKeys(sql: Sql, intents: readonly Intent[]): Promise<readonly Intent[]> {
  const keys = intents.flatMap(({ request }) => request?.idempotencyKey ?? []);
  if (keys.length === 0) return intents;
  const text = 'SELECT idempotency_key FROM idempotency_keys WHERE idempotency_key = ANY ($1)';
  const used = new Set(await oneColumn<string>(sql, text, [keys]));
  return intents.filter(({ request }) => request === undefined || !used.has(request.idempotencyKey));
}

const KEEP_KEYS = `
INSERT INTO idempotency_keys (idempotency_key, call)
  SELECT k.key, c.id FROM unnest($1::text[], $2::bytea[]) AS k (key, call) JOIN calls c ON c.key = k.call ORDER BY k.key
  ON CONFLICT (idempotency_key) DO UPDATE SET call = excluded.call WHERE idempotency_keys.call = excluded.call
  RETURNING call`;

async function keepKeys(sql: Sql, intents: readonly Intent[]): Promise<void> {
  const keyed = intents.filter(({ request }) => request !== undefined);
  if (keyed.length === 0) return;
  const keys = keyed.map(({ request }) => request?.idempotencyKey);
  const calls = keyed.map(({ key }) => Buffer.from(key, 'hex'));
  const kept = await sql.rows(KEEP_KEYS, [keys, calls]);
  invariant(kept.length === keyed.length, 'an idempotency key stands for one request of one call');
}

export async function admitOne(database: Database, intent: Intent, session: Session): Promise<Admission> {
  try {
    return await database.write((sql) => decide(sql, intent, session), { isOnce: true });
  } catch (error) {
    if (error instanceof OverCap) return capReached(error.scope, error.money);
    throw error;
  }
}

async function decide(sql: Sql, intent: Intent, session: Session): Promise<Admission> {
  if (isLate(intent, session)) return LATE;
  const all = await known(sql, [intent], session);
  const asking = askingOf(all, intent);
  if (intent.isUnpriced && (await isBeingPriced(sql, intent)))
    return { kind: 'wait', scope: 'batch', money: await batchMoney(sql, intent.batch) };
  const history = await lockedHistory(sql, intent);
  if (history === undefined) return begin(sql, intent, session, all);
  const moved = movedOn(history, intent);
  if (moved !== undefined) return moved;
  if (intent.mayBeOvertaken && isOvertaken(history, intent, asking)) return { kind: 'known' };
  await refuseCopied(sql);
  refuse(all, intent);
  return beginAgain(sql, intent, session, { history, asking });
}

interface Standing {
  readonly history: History;
  readonly asking: AskingBatch;
}

async function beginAgain(
  sql: Sql,
  intent: Intent,
  session: Session,
  { history, asking }: Standing,
): Promise<Admission> {
  const { operation, creditsMost } = history.call.call;
  const text = 'SELECT highest FROM prices WHERE account = $1 AND operation = $2 AND credits_most = $3';
  const values = [intent.accountIdentity, operation, creditsMost ?? NO_MOST];
  const price = (await oneCell<number>(sql, text, values)) ?? 0;
  const stood = standing(history);
  invariant(
    stood === undefined || !isNone(stood) || intent.replaces !== undefined,
    'there is an answer to replace',
  );
  const draft = draftIntent(history, intent, asking, price);
  const facts = requestFacts(intent) ?? null;
  const begun = { ...draft, row: intent.row, worker: session.worker, facts };
  const attempt = await write(sql, history, [begun], overAfterMs(intent));
  const reserved = draft.reserved ?? 0;
  const { batch, accountIdentity: account, atMs } = intent;
  const payer = { batch, account, worker: session.worker, atMs, isRetry: draft.kind === 'retry' };
  await admitFunded(sql, () => reserve(sql, { payer, reserved }));
  return admittedAlone(sql, intent, { attempt: attempt as AttemptId, reserved });
}

async function admittedAlone(sql: Sql, intent: Intent, own: Own): Promise<Admission> {
  await keepKeys(sql, [intent]);
  return admittedAs(own);
}

/**
 * Whether somebody buys what shall show a price that nobody knows yet: all purses together hold one such call. It is decided by
 * one process at a time, until the transaction ends.
 */
async function isBeingPriced(sql: Sql, { call, accountIdentity }: Intent): Promise<boolean> {
  const { operation, creditsMost = NO_MOST } = call;
  await sql.rows('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
    LOCKS.pricing,
    `${operation} ${accountIdentity}`,
  ]);
  return (await sql.row(PRICING, [accountIdentity, operation, creditsMost])) !== undefined;
}

const PRICING = `
SELECT 1 WHERE EXISTS (
    SELECT FROM calls WHERE open IS NOT NULL AND account = $1 AND operation = $2 AND coalesce(credits_most, ${NO_MOST}) = $3)
  AND NOT EXISTS (SELECT FROM prices WHERE account = $1 AND operation = $2 AND credits_most = $3)`;

/** The first attempt of a call. Whoever makes the call at the same moment goes first, and this is tried again. */
async function begin(sql: Sql, intent: Intent, session: Session, all: Known): Promise<Admission> {
  refuse(all, intent);
  invariant(intent.decision === undefined, 'a call in doubt needs a decision, and no other call has one');
  invariant(intent.replaces === undefined, 'there is no such answer to replace');
  const { begun } = await admitFunded(sql, () => begunAll(sql, [intent], session));
  const own = begun.get(intent.key);
  return own === undefined ? decide(sql, intent, session) : admittedAlone(sql, intent, own);
}
