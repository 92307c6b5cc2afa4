import type { CallKey } from '../../core/call-key.ts';
import { present } from '../../core/objects.ts';
import type { Call } from '../../core/operation.ts';
import {
  type AnswerRecord,
  type AttemptId,
  type AttemptRecord,
  type BatchId,
  CHARGED_ONCE,
  credits,
  type Decision,
  type DecisionId,
  type Doubt,
  isAnswer,
  type KeyedRequest,
  type Look,
  type OpenAttempt,
  type RawReply,
  type ReadAs,
  type Reading,
} from '../ledger.ts';
import { ENDED, type Kind, LOSS_OVER, LOST, REPLIED, SENT, type Standing } from './moves.ts';

/** What the entries of one call say, as pure functions: for stores whose statements decide only what is written most. */

/** An entry of the book. What its kind does not have is null; the money is zero. */
export interface Entry {
  readonly id: number;
  readonly kind: Kind;
  /** The attempt that it is about. */
  readonly of: number;
  readonly sees: number | null;
  /** The attempt at which it is booked, where that is another one. */
  readonly pays: number | null;
  readonly batch: BatchId | null;
  readonly row: number | null;
  readonly reserved: number | null;
  readonly spent: number;
  readonly held: number;
  readonly at: number;
  /** Who admitted it, of an entry that begins an attempt. */
  readonly worker: number | null;
  readonly status: number | null;
  readonly said: string | null;
  readonly dialect: number | null;
  readonly words: string | null;
  readonly headers: RawReply['headers'] | null;
  readonly body: Buffer | null;
  readonly facts: EntryFacts | null;
}

/** What only some kinds have: who decided, what kind a look is of, when what was told came, and the request that was kept. */
export interface EntryFacts {
  readonly by?: Decision['by'];
  readonly look?: Look['kind'];
  readonly receivedAtMs?: number;
  readonly request?: Omit<KeyedRequest, 'body'> & { readonly body?: string };
}

export interface Attempt {
  readonly id: number;
  readonly begun: Entry;
  readonly reply: Entry | undefined;
  readonly end: Entry | undefined;
  /** Every other entry about it, oldest first. */
  readonly notes: readonly Entry[];
}

export interface KeptCall extends Standing {
  readonly id: number;
  readonly key: CallKey;
  readonly account: string;
  readonly call: Call;
}

export interface History {
  readonly call: KeptCall;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
}

const isKind = (kinds: readonly Kind[]) => {
  const set = new Set(kinds);
  return ({ kind }: Entry): boolean => set.has(kind);
};
const begins = isKind(SENT);
const replies = isKind(REPLIED);
const isLost = isKind(LOST);
const isOver = isKind(LOSS_OVER);
const isTold = isKind(['told', 'counted']);
const isDecision = isKind(['decided', 'told']);
const isReading = isKind(['reading', 'read']);
const ends = isKind(ENDED);

/** @param entries all of the call's, oldest first. */
export function historyOf(call: KeptCall, entries: readonly Entry[]): History {
  const attempts = entries.filter(begins).map((begun): Attempt => {
    const own = entries.filter(({ of }) => of === begun.id);
    return {
      id: begun.id,
      begun,
      reply: own.find(replies),
      end: own.find(ends),
      notes: own.filter((entry) => !begins(entry) && !replies(entry) && !ends(entry)),
    };
  });
  return { call, attempts };
}

export const attemptIn = ({ attempts }: History, id: number | null): Attempt | undefined =>
  attempts.find((attempt) => attempt.id === id);

export const standing = (history: History): Attempt | undefined => attemptIn(history, history.call.stands);

/** Gives the note that an entry sees, which may be about another attempt; undefined where that is no note. */
type Seen = (entry: Entry) => Entry | undefined;

const seenIn =
  ({ attempts }: History): Seen =>
  ({ sees }) =>
    attempts.flatMap(({ notes }) => notes).find(({ id }) => id === sees);

export const reservedBy = ({ begun }: Attempt): number => begun.reserved ?? 0;

/** Whether it was lost, and nobody knows yet whether it was charged. */
export const holds = ({ end, notes }: Attempt): boolean =>
  end !== undefined && isLost(end) && !notes.some(isOver);

export const isRetracted = ({ notes }: Attempt): boolean => notes.some(({ kind }) => kind === 'retracted');

export function requestOf({ begun }: Attempt): KeyedRequest | undefined {
  const request = begun.facts?.request;
  if (request === undefined) return undefined;
  const { body, ...others } = request;
  return { ...others, ...present({ body: body === undefined ? undefined : Buffer.from(body, 'base64') }) };
}

/** Earlier attempts under the same idempotency key that hold money: to the vendor they are one request. */
export function lostUnderKey({ attempts }: History, attempt: Attempt): readonly Attempt[] {
  const key = attempt.begun.facts?.request?.idempotencyKey;
  if (key === undefined) return [];
  return attempts.filter(
    (other) => other.id < attempt.id && other.begun.facts?.request?.idempotencyKey === key && holds(other),
  );
}

/** What was told about it: about the attempt itself, or about a later loss with which it was counted. */
function toldAbout({ notes }: Attempt, seen: Seen): Entry | undefined {
  const note = notes.find(isTold);
  return note?.kind === 'counted' ? seen(note) : note;
}

export const wasTold = ({ notes }: Attempt): boolean => notes.some(isTold);

/** What it is read as, by the newest reading up to that entry. */
export function readAs({ end, notes }: Attempt, readTo = Number.MAX_SAFE_INTEGER): Entry | undefined {
  const reading = notes.findLast((note) => isReading(note) && note.id <= readTo);
  return reading ?? (end?.kind === 'answered' ? end : undefined);
}

/** What an answer is booked at, by its newest reading of all. */
export const bookedAt = ({ end, notes }: Attempt): number =>
  notes.filter(isReading).reduce((sum, { spent }) => sum + spent, end?.kind === 'answered' ? end.spent : 0);

/** Whether it is an answer that was not taken back, whatever it is read as. */
export const hasAnswer = (attempt: Attempt): boolean =>
  !isRetracted(attempt) && (readAs(attempt) !== undefined || wasTold(attempt));

/** Whether what was taken for an answer is none by its newest reading. */
export function isNone(attempt: Attempt): boolean {
  const said = readAs(attempt)?.said as ReadAs | null | undefined;
  return !wasTold(attempt) && said != null && !isAnswer(said);
}

/** When the answer came, of one that has come. */
export const answeredAtMs = (history: History, attempt: Attempt): number => {
  const told = toldAbout(attempt, seenIn(history));
  return told === undefined ? (attempt.reply?.at ?? 0) : (told.facts?.receivedAtMs ?? told.at);
};

/** @param paidRow the lowest row of its batch that used it, where that is another than the one that asked. */
export function answerOf(
  history: History,
  attempt: Attempt,
  { readTo, paidRow }: { readonly readTo?: number | undefined; readonly paidRow?: number | null } = {},
): AnswerRecord<ReadAs> | undefined {
  const { begun, reply } = attempt;
  const told = toldAbout(attempt, seenIn(history));
  const taken = told ?? readAs(attempt, readTo);
  const came = told ?? reply;
  if (taken === undefined || came === undefined) return undefined;
  return {
    attempt: attempt.id as AttemptId,
    batch: begun.batch as BatchId,
    kind: told === undefined ? (taken.said as ReadAs) : 'found',
    why: taken.words ?? '',
    call: history.call.call,
    charged: credits(told === undefined ? bookedAt(attempt) : reservedBy(attempt)),
    status: came.status ?? 0,
    ...present({ headers: told === undefined ? (came.headers ?? undefined) : undefined }),
    body: came.body ?? '',
    answeredAtMs: answeredAtMs(history, attempt),
    ...present({ erasedAtMs: history.call.call.erasedAtMs }),
    paidRow: paidRow ?? begun.row ?? 0,
    ...present({ dialect: told === undefined ? (taken.dialect ?? undefined) : undefined }),
  };
}

/** The times at which attempts to buy this answer again got lost. */
export const lostRefreshes = ({ attempts }: History, answer: number): readonly number[] =>
  attempts
    .filter(({ begun, end }) => begun.kind === 'refresh' && begun.sees === answer && end && isLost(end))
    .map(({ begun }) => begun.at);

export function decisionFrom(key: CallKey, note: Entry): Decision {
  return {
    id: note.id as DecisionId,
    key,
    batch: note.batch as BatchId,
    kind: note.said as Decision['kind'],
    by: note.facts?.by ?? 'person',
    why: note.words ?? '',
    atMs: note.at,
  };
}

/** The batch's last decision about what the call is in doubt about, unless the attempt under way uses it. */
export function unusedDecision(history: History, batch: BatchId): Decision | undefined {
  const doubt = standing(history);
  const note = doubt?.notes.findLast((each) => each.batch === batch && isDecision(each));
  if (note === undefined) return undefined;
  const open = attemptIn(history, history.call.open);
  const isUsed = open !== undefined && open.begun.kind !== 'refresh' && open.begun.sees === note.id;
  return isUsed ? undefined : decisionFrom(history.call.key, note);
}

const replyFrom = ({ status, headers, body, at }: Entry): RawReply => ({
  status: status ?? 0,
  headers: headers ?? {},
  body: body ?? Buffer.alloc(0),
  receivedAtMs: at,
});

function closureFrom({ kind, said, words, spent, at }: Entry): AttemptRecord['closure'] {
  const [why, closedAtMs] = [words ?? '', at];
  if (kind === 'answered')
    return { kind, answer: said as Reading['answer'] & 'found', charged: credits(spent), why, closedAtMs };
  return { kind: kind === 'unsold' ? (said as 'not_sent') : 'in_doubt', why, closedAtMs };
}

const lookFrom = ({ of, facts, said, words, status, body, at }: Entry): Look => ({
  attempt: of as AttemptId,
  kind: facts?.look ?? 'read_back',
  said: said as Look['said'],
  why: words ?? '',
  status: status ?? 0,
  body: body ?? Buffer.alloc(0),
  atMs: at,
});

function readingsOf({ id, end, notes }: Attempt): readonly Reading[] {
  let charged = end?.kind === 'answered' ? end.spent : 0;
  return notes.filter(isReading).map(({ spent, said, words, dialect, at }) => {
    charged += spent;
    const read = { answer: said as ReadAs, charged: credits(charged), why: words ?? '' };
    return { attempt: id as AttemptId, ...read, dialect: dialect ?? 0, atMs: at };
  });
}

function releasedBy({ notes }: Attempt, seen: Seen): AttemptRecord['released'] {
  const note = notes.find(({ kind }) => kind === 'released' || kind === 'freed');
  if (note === undefined) return undefined;
  const by = note.kind === 'released' ? note : seen(note);
  return by?.kind === 'released'
    ? { why: by.words ?? '', atMs: by.at }
    : { why: CHARGED_ONCE, atMs: note.at };
}

export const recordIn = (history: History, attempt: Attempt): AttemptRecord =>
  recordOf(attempt, history.call, seenIn(history));

/** Everything that is known about an attempt of a call, for which the other attempts of the call need not be read. */
export function recordOf(
  attempt: Attempt,
  { key, call }: Pick<KeptCall, 'key' | 'call'>,
  seen: Seen,
): AttemptRecord {
  const { id, begun, reply, end, notes } = attempt;
  const isAgain = begun.kind === 'repeat' || begun.kind === 'retry';
  const decided = toldAbout(attempt, seen) ?? (isAgain ? seen(begun) : undefined);
  return {
    attempt: id as AttemptId,
    key,
    batch: begun.batch as BatchId,
    row: begun.row ?? 0,
    call,
    reserved: credits(reservedBy(attempt)),
    intentAtMs: begun.at,
    ...present({
      reply: reply && replyFrom(reply),
      closure: end && closureFrom(end),
      decision: decided && decisionFrom(key, decided),
      replaces: begun.kind === 'refresh' ? (begun.sees as AttemptId) : undefined,
      request: requestOf(attempt),
      released: releasedBy(attempt, seen),
    }),
    decisions: notes.filter(isDecision).map((note) => decisionFrom(key, note)),
    looks: notes.filter(({ kind }) => kind === 'look').map(lookFrom),
    readings: readingsOf(attempt),
  };
}

/** The attempt that is under way, as whoever ends it has to know it. */
export function openIn(history: History): OpenAttempt | undefined {
  const open = attemptIn(history, history.call.open);
  if (open === undefined) return undefined;
  const { attempt, key, call, batch, row, reserved, reply } = recordIn(history, open);
  const accountIdentity = history.call.account;
  return { attempt, key, accountIdentity, call, batch, row, reserved, ...present({ reply }) };
}

export function doubtOf(history: History, attempt: Attempt): Doubt {
  const { call, attempts } = history;
  const { begun, end } = attempt;
  const request = requestOf(attempt);
  const isRepeat = ({ begun: { kind }, end: how }: Attempt) =>
    kind === 'repeat' && how !== undefined && isLost(how);
  return {
    key: call.key,
    call: call.call,
    attempt: attempt.id as AttemptId,
    batch: begun.batch as BatchId,
    row: begun.row ?? 0,
    atRisk: credits(attempts.filter(holds).reduce((sum, each) => sum + reservedBy(each), 0)),
    why: end?.words ?? '',
    sentAtMs: begun.at,
    repeats: attempts.filter(isRepeat).length,
    ...present({ request }),
  };
}
