import { isDeepStrictEqual } from 'node:util';
import { invariant } from '../../core/errors.ts';
import {
  type Admission,
  type AttemptId,
  type BatchId,
  type CallEntry,
  type Credits,
  credits,
  type EntryOf,
  type Intent,
  isAnswer,
  type Look,
  type RawReply,
  type Reading,
} from '../ledger.ts';
import {
  type Attempt,
  answeredAtMs,
  attemptIn,
  bookedAt,
  type Entry,
  type History,
  hasAnswer,
  holds,
  isNone,
  isRetracted,
  lostRefreshes,
  lostUnderKey,
  readAs,
  requestOf,
  reservedBy,
  standing,
  wasTold,
} from './history.ts';
import { type Kind, LOST, type Standing } from './moves.ts';

/** Which entries are written for what is asked for of a call, by its history alone. Each throws for what the rules refuse. */

/** An entry that is to be written; what is left out is null, and money zero. */
export interface Draft extends Partial<Omit<Entry, 'id' | 'sees'>> {
  readonly kind: Kind;
  readonly at: number;
  /** `first`: the first of the drafts that it is written with. */
  readonly sees?: number | 'first' | null;
  /** Where the call stands again, for kinds that take back what stood. */
  readonly to?: Pick<Standing, 'state' | 'stands'>;
  /** Nobody stated what was spent. */
  readonly estimated?: boolean;
}

/** What follows in the history of a call: all that begins no attempt. */
export type Following = Exclude<CallEntry, EntryOf<'intent'>>;

/** The attempt that it is about; undefined for a decision, which is about a call. */
export function attemptOf(entry: Following): AttemptId | undefined {
  if (entry.kind === 'decision') return undefined;
  if (entry.kind === 'reading') return entry.reading.attempt;
  return entry.kind === 'look' ? entry.look.attempt : entry.attempt;
}

/** @param account of the batch that decides, where it is a decision. */
export function draftsOf(history: History, entry: Following, account: string): readonly Draft[] {
  switch (entry.kind) {
    case 'reply':
      return [draftReply(history, entry)];
    case 'end':
      return draftEnd(history, entry);
    case 'reading':
      return [draftReading(history, entry.reading)];
    case 'look':
      return [draftLook(history, entry.look)];
    case 'release':
      return draftRelease(history, entry);
    case 'decision':
      return draftDecision(history, entry, account);
  }
}

/** What it shows of the price of its call; undefined where it shows none. @param first of the drafts that it came to. */
export function shownPrice(
  history: History,
  entry: Following,
  first: Draft | undefined,
): Credits | undefined {
  if (entry.kind === 'end' && entry.closure.kind === 'answered')
    return entry.closure.showsPrice && entry.closure.charged;
  if (entry.kind !== 'reading' || !entry.reading.showsPrice) return undefined;
  const attempt = first?.kind === 'reading' ? attemptIn(history, entry.reading.attempt) : undefined;
  return credits((attempt === undefined ? 0 : bookedAt(attempt)) + (first?.spent ?? 0));
}

const openOf = (history: History, attempt: AttemptId): Attempt => {
  const open = attemptIn(history, attempt);
  invariant(open !== undefined && history.call.open === attempt, `attempt ${attempt} is not open`);
  return open;
};

function draftReply(history: History, { attempt: id, reply }: EntryOf<'reply'>): Draft {
  const attempt = attemptIn(history, id);
  const isLate = attempt?.end !== undefined && (LOST as readonly Kind[]).includes(attempt.end.kind);
  invariant(attempt !== undefined && (isLate || attempt.end === undefined), `attempt ${id} is over`);
  invariant(attempt.reply === undefined, `attempt ${id} has a reply`);
  return { kind: isLate ? 'late' : 'reply', of: id, ...toldIn(reply), at: reply.receivedAtMs };
}

const toldIn = ({ status, headers, body }: RawReply): Pick<Entry, 'status' | 'headers' | 'body'> => ({
  status,
  headers,
  body,
});

export function draftEnd(history: History, { attempt: id, closure, atMs }: EntryOf<'end'>): readonly Draft[] {
  const attempt = openOf(history, id);
  const common = { of: id, at: atMs, words: closure.why };
  if (closure.kind === 'in_doubt') {
    const stood = standing(history);
    const isBeside = history.call.state === 'answered' && stood !== undefined && !isNone(stood);
    return [{ ...common, kind: isBeside ? 'lost_beside' : 'lost', held: reservedBy(attempt) }];
  }
  if (closure.kind !== 'answered') return [{ ...common, kind: 'unsold', said: closure.kind }];
  const { answer: said, charged: spent, dialect = null, isAtMost } = closure;
  invariant(spent >= 0, 'nothing is charged less than nothing');
  invariant(attempt.reply !== undefined, `an answer needs its raw reply, and attempt ${id} has none`);
  const lost = lostUnderKey(history, attempt);
  const estimated = isAtMost === true && spent > 0;
  const paid = { spent, pays: lost[0]?.id ?? null, said, dialect, status: attempt.reply.status, estimated };
  return [{ ...common, kind: 'answered', ...paid }, ...freed(lost, atMs, estimated)];
}

const freed = (lost: readonly Attempt[], at: number, estimated = false): readonly Draft[] =>
  lost.map((each) => {
    return { kind: 'freed', of: each.id, at, sees: 'first', held: -reservedBy(each), estimated };
  });

function draftReading(history: History, reading: Reading): Draft {
  const { attempt: id, answer: said, why: words, dialect, atMs: at } = reading;
  const attempt = attemptIn(history, id);
  invariant(attempt !== undefined && isReadable(history, attempt), 'only an answer is read again');
  const isDoubt = history.call.state === 'doubt' && history.call.stands === id;
  invariant(!isDoubt || isAnswer(said), 'only what was an answer turns out to be none');
  const booked = isDoubt ? reservedBy(attempt) : bookedAt(attempt);
  const charged = Math.max(reading.charged, booked);
  // What is booked is then another price than today's, or one that a lost answer was reserved at.
  const estimated = charged > 0 && (charged !== reading.charged || charged !== booked || isDoubt);
  const common = { of: id, at, said, words, dialect, estimated };
  if (isDoubt) return { ...common, kind: 'read', spent: charged, held: -booked };
  return { ...common, kind: 'reading', spent: charged - booked, pays: attempt.end?.pays ?? null };
}

/** A settled answer, or a reply that the call is in doubt about and that repeats no earlier request. */
function isReadable(history: History, attempt: Attempt): boolean {
  if (isRetracted(attempt) || wasTold(attempt)) return false;
  if (readAs(attempt) !== undefined) return true;
  const isDoubt = history.call.state === 'doubt' && history.call.stands === attempt.id;
  return isDoubt && attempt.reply !== undefined && lostUnderKey(history, attempt).length === 0;
}

export function draftLook(history: History, look: Look): Draft {
  const { attempt: of, said, why: words, status, body, atMs: at, kind } = look;
  const kindOfEnd = attemptIn(history, of)?.end?.kind;
  const isLost = kindOfEnd !== undefined && (LOST as readonly Kind[]).includes(kindOfEnd);
  invariant(isLost, 'only a lost attempt is looked at');
  return { kind: 'look', of, at, said, words, status, body, facts: { look: kind } };
}

export function draftRelease(
  history: History,
  { attempt: id, why, atMs }: EntryOf<'release'>,
): readonly Draft[] {
  const { call, attempts } = history;
  const attempt = attemptIn(history, id);
  invariant(
    attempt !== undefined && call.state === 'doubt' && call.stands === id,
    'only a doubt is released',
  );
  const said = attempt.notes.some((note) => note.kind === 'look' && note.said === 'not_happened');
  invariant(said, 'nobody said that it did not happen');
  invariant(call.open === null, 'the call is being sent again');
  const under = lostUnderKey(history, attempt);
  const to = stoodBefore(attempts.filter((each) => each !== attempt && !under.includes(each)));
  const released = { kind: 'released' as const, of: id, at: atMs, words: why, held: -reservedBy(attempt) };
  return [{ ...released, sees: to.stands, to }, ...freed(under, atMs)];
}

/** The newest other loss that holds money, else the newest answer, else nothing. */
function stoodBefore(others: readonly Attempt[]): Pick<Standing, 'state' | 'stands'> {
  const loss = others.findLast(holds);
  if (loss !== undefined) return { state: 'doubt', stands: loss.id };
  const answer = others.findLast(hasAnswer);
  return answer === undefined ? { state: 'free', stands: null } : { state: 'answered', stands: answer.id };
}

/** @param account of the deciding batch. */
export function draftDecision(
  history: History,
  { decision, about, told }: EntryOf<'decision'>,
  account: string,
): readonly Draft[] {
  const { batch, kind, by, why: words, atMs: at } = decision;
  invariant((kind === 'told') === (told !== undefined), 'a decision is told with a reply, and only then');
  const doubt = standing(history);
  invariant(history.call.state === 'doubt' && doubt !== undefined, `call ${decision.key} is not in doubt`);
  invariant(
    about === undefined || about === doubt.id,
    'the decision is about a loss that is not the last one',
  );
  invariant(account === history.call.account, 'the decision is of a batch of another account');
  const common = { of: doubt.id, batch, at, said: kind, words };
  if (told === undefined) return [{ ...common, kind: 'decided', facts: { by } }];
  // Nobody says whether it was charged.
  const [first, ...others] = [doubt, ...history.attempts.filter((each) => each !== doubt && holds(each))].map(
    (each) => {
      const spent = reservedBy(each);
      return { of: each.id, at, spent, held: -spent, estimated: spent > 0 };
    },
  );
  const facts = { by, receivedAtMs: Math.floor(told.receivedAtMs) };
  return [
    { ...common, ...first, kind: 'told', ...toldIn(told), facts },
    ...others.map((other): Draft => ({ ...other, kind: 'counted', sees: 'first' })),
  ];
}

/**
 * A call that a person has skipped is in doubt for other batches. Once it is erased nobody can ask what became of it, so it counts as
 * charged, as if a person had told so.
 */
export function toldErased(history: History, atMs: number): EntryOf<'decision'> | undefined {
  const batch = standing(history)?.begun.batch;
  if (history.call.state !== 'doubt' || batch == null) return undefined;
  const { key } = history.call;
  return {
    kind: 'decision',
    decision: { key, batch, kind: 'told', by: 'person', why: 'erased', atMs },
    told: { status: 200, headers: {}, body: Buffer.alloc(0), receivedAtMs: atMs },
  };
}

export interface AskingBatch {
  readonly id: BatchId;
  readonly account: string;
  readonly state: string;
  readonly createdAtMs: number;
  readonly foundMs: number | null;
  readonly noMatchMs: number | null;
}

/** What two clocks may differ, and what a confirmed time may move before it is written. */
export const APART_MS = 302_000;

export function refuseBatch({ id, state, account }: AskingBatch, { accountIdentity }: Intent): void {
  invariant(state === 'open' || state === 'finished', `batch ${id} is ${state} and admits nothing`);
  invariant(account === accountIdentity, 'the call and the batch are of different accounts');
}

/** What has become of the call that the intent does not know. */
export function movedOn(
  { call }: { readonly call: Pick<History['call'], 'state' | 'open' | 'stands'> },
  { replaces, ifUnknown }: Intent,
): Admission | undefined {
  if (ifUnknown && call.state !== 'free') return { kind: 'known' };
  if (call.open !== null) return { kind: 'in_flight', attempt: call.open as AttemptId };
  if (call.state !== 'answered' || call.stands === replaces) return undefined;
  return { kind: 'answered', attempt: call.stands as AttemptId };
}

/** Whether the call has moved on from the decision by which it is sent again, or from the answer that is to be replaced. */
export function isOvertaken(history: History, { replaces, decision }: Intent, batch: AskingBatch): boolean {
  const { state, stands } = history.call;
  const stood = standing(history);
  if (replaces !== undefined && stood !== undefined)
    return state !== 'answered' || stands !== replaces || wasTriedSince(history, stood, batch);
  const isDecided = stood?.notes.some(({ kind, id }) => kind === 'decided' && id === decision) === true;
  return replaces !== undefined || (decision !== undefined && !(state === 'doubt' && isDecided));
}

/** An attempt of a call that stands somewhere already. @param price the highest that was seen. */
export function draftIntent(history: History, intent: Intent, batch: AskingBatch, price: number): Draft {
  const { replaces = null, decision: sees = replaces, request, atMs: at } = intent;
  const stood = standing(history);
  const { state } = history.call;
  invariant(
    (state === 'doubt') === (intent.decision !== undefined),
    'a call in doubt needs a decision, and no other call has one',
  );
  const isRefresh = state === 'answered' && stood !== undefined;
  invariant(isRefresh === (replaces !== null), 'there is no such answer to replace');
  if (isRefresh) refuseRefresh(history, stood, batch, at);
  const decided = stood?.notes.find((note) => note.kind === 'decided' && note.id === intent.decision);
  const isMine = decided?.batch === batch.id && (decided.said === 'repeat' || decided.said === 'retry');
  invariant(state !== 'doubt' || isMine, 'nobody decided to send it again');
  const isRepeat = request !== undefined && decided?.said === 'repeat';
  const reserved = isRepeat ? intent.reserve : credits(Math.max(intent.reserve, price));
  if (request !== undefined) refuseRequest(history, intent, reserved, isRepeat);
  const again = decided === undefined ? 'intent' : (decided.said as 'repeat' | 'retry');
  return { kind: isRefresh ? 'refresh' : again, batch: batch.id, sees, at, reserved };
}

/** What the batch itself bought is always fresh, and a refresh that got lost is not tried again: it may have been paid. */
function refuseRefresh(history: History, answer: Attempt, batch: AskingBatch, atMs: number): void {
  if (isNone(answer)) return;
  invariant(batch.createdAtMs - atMs <= APART_MS, 'a batch that began in the future buys nothing anew');
  const cutOffMs = cutOffOf(answer, batch);
  const isOld =
    cutOffMs !== null &&
    answer.begun.batch !== batch.id &&
    answeredAtMs(history, answer) < cutOffMs &&
    !wasTriedSince(history, answer, batch);
  invariant(isOld, 'an answer that is fresh enough is not bought anew');
}

function cutOffOf(answer: Attempt, { foundMs, noMatchMs }: AskingBatch): number | null {
  return wasTold(answer) || readAs(answer)?.said === 'found' ? foundMs : noMatchMs;
}

/** Whether it was to be bought anew and that got lost, since the batch would have had to. */
function wasTriedSince(history: History, answer: Attempt, batch: AskingBatch): boolean {
  const cutOffMs = cutOffOf(answer, batch);
  return cutOffMs !== null && lostRefreshes(history, answer.id).some((lostAtMs) => lostAtMs >= cutOffMs);
}

/** To a vendor that honours an idempotency key, all requests under it are one. So they must be one. */
function refuseRequest(history: History, { request }: Intent, reserved: number, isRepeat: boolean): void {
  const key = request?.idempotencyKey;
  for (const earlier of history.attempts) {
    const kept = requestOf(earlier);
    if (kept?.idempotencyKey !== key) continue;
    invariant(isDeepStrictEqual(kept, request), 'an idempotency key stands for one request of one call');
    invariant(!holds(earlier) || reserved === 0, 'a lost request that is repeated reserves nothing');
  }
  const stood = standing(history);
  const lost = stood && requestOf(stood)?.idempotencyKey;
  invariant(!isRepeat || lost === key, 'a repeat under a key is the lost request itself');
}
