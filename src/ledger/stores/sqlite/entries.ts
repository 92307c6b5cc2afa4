import type { CallKey } from '../../../core/call-key.ts';
import { invariant } from '../../../core/errors.ts';
import type { Subject } from '../../../core/membership.ts';
import type { Call } from '../../../core/operation.ts';
import {
  type AttemptId,
  type Closure,
  type Credits,
  credits,
  type DecisionSpec,
  type Intent,
  type KeyedRequest,
  type Look,
  type RawReply,
  type Reading,
} from '../../ledger.ts';
import type { ENDED, Kind, SENT } from '../../rules/moves.ts';
import type { Connection } from './connection.ts';
import { hasKey } from './lookups.ts';
import { noteMoved, type Payer, payerOf, sendingAgain } from './money.ts';
import type { WrittenRow } from './table.ts';
import {
  ATTEMPTS_TABLE,
  batchNumber,
  CALLS_TABLE,
  ENDS_TABLE,
  keyBytes,
  NOTES_TABLE,
  nextNumber,
  REPLIES_TABLE,
  REQUESTS_TABLE,
  SUBJECTS_TABLE,
  wholeMs,
} from './tables.ts';

/** Writes the entries of the book: once, each with its sum. The schema's triggers then move calls, losses and totals. */

type NoteKind = Exclude<Kind, (typeof SENT)[number] | (typeof ENDED)[number] | 'reply'>;

/** A note as it is written; what is left out moves nothing, or says nothing. */
interface Note {
  readonly kind: NoteKind;
  readonly call: number;
  /** The attempt that it is about. */
  readonly of: number;
  readonly sees?: number | null;
  readonly pays?: number | null;
  readonly batch?: number;
  readonly spent?: number;
  readonly held?: number;
  readonly atMs: number;
  readonly said?: string;
  readonly status?: number;
  readonly dialect?: number;
  readonly estimated?: boolean;
  readonly facts?: Readonly<Record<string, string | number>>;
  readonly headers?: string;
  readonly words?: string;
  readonly body?: Buffer;
}

/** @returns the number of the last one. */
export function insertNotes(connection: Connection, notes: readonly Note[]): number {
  const rows = notes.map(({ atMs, facts, estimated = false, ...note }) => ({
    ...{ id: nextNumber(connection, 'entries'), sees: null, pays: null, batch: null, spent: 0, held: 0 },
    ...{ said: null, status: null, dialect: null, headers: null, words: null, body: null },
    ...note,
    at: wholeMs(atMs),
    estimated: estimated ? 1 : 0,
    facts: facts === undefined ? null : JSON.stringify(facts),
  }));
  NOTES_TABLE.insertAll(connection, rows);
  for (const { of, pays, spent, held } of rows) {
    if (spent !== 0) noteMoved(connection, () => payerOf(connection, pays ?? of), { spent });
    if (held !== 0) noteMoved(connection, () => payerOf(connection, of), { held });
  }
  return rows.at(-1)?.id ?? 0;
}

const insertNote = (connection: Connection, note: Note): number => insertNotes(connection, [note]);

// ---------------------------------------------------------------------------------------------------- accounts and calls

/** The number of an account in the tables; undefined when it has none. */
export function knownAccount(connection: Connection, identity: string): number | undefined {
  return connection.once(
    accountNamed(identity),
    () => connection.get<{ id: number }>('SELECT id FROM accounts WHERE identity = +?', identity)?.id,
  );
}

/** The number of an account in the tables; a new account gets one. */
export function accountNumber(connection: Connection, identity: string): number {
  const known = knownAccount(connection, identity);
  if (known !== undefined) return known;
  const { id } = connection.run('INSERT INTO accounts (identity) VALUES (?)', identity);
  connection.remember(accountNamed(identity), id);
  return id;
}

const accountNamed = (identity: string): string => `account ${identity}`;

/** A call as far as a further attempt needs it. */
export interface KeptCall {
  readonly id: number;
  readonly subject: number | null;
  /** The `creditsMost` with which it was first made. */
  readonly most: number | null;
  readonly state: string;
}

/** The call in the tables; undefined before its first attempt. */
export function keptCall(connection: Connection, key: CallKey): KeptCall | undefined {
  return connection.get(
    `SELECT id, subject, credits_most AS most, state FROM calls WHERE ${hasKey('calls', '+:key')}`,
    { key: keyBytes(key) },
  );
}

/** The number of a subject in the tables; a new subject gets one. */
function subjectNumber(connection: Connection, account: number, { project = '', name }: Subject): number {
  const known = connection.get<{ id: number }>(
    'SELECT id FROM subjects WHERE account = +? AND project = +? AND name = +?',
    account,
    project,
    name,
  );
  if (known !== undefined) return known.id;
  const id = nextNumber(connection, 'subjects');
  SUBJECTS_TABLE.insert(connection, { id, account, project, name });
  return id;
}

/** The question of a call as the tables have it: what has no column of its own. */
export function questionOf({ operation: _, creditsMost: __, ifLost, ...question }: Call): string {
  return JSON.stringify(ifLost === 'hold' ? question : { ...question, ifLost });
}

// ---------------------------------------------------------------------------------------------------- attempts

/** An intent that is admitted, and what is known of its call. */
export interface Begun {
  readonly intent: Intent;
  readonly account: number;
  /** The call in the tables, when it is there. */
  readonly kept: KeptCall | undefined;
  /** The number of the boot in which the attempt is made; undefined when it is unknown. */
  readonly boot: number | undefined;
}

/** @returns the number of each attempt, and what later entries have to know of it. */
export function insertAttempts(
  connection: Connection,
  begun: readonly Begun[],
): readonly { readonly attempt: AttemptId; readonly asked: Asked }[] {
  const ids = begun.map(() => nextNumber(connection, 'entries'));
  const calls = begun.map((each, at) => newCall(connection, each, ids[at] ?? 0));
  CALLS_TABLE.insertAll(connection, calls.filter((call) => call !== undefined));
  const attempts = begun.map((each, at) => attemptOf(connection, each, { id: ids[at] ?? 0, call: calls[at]?.id ?? each.kept?.id ?? 0 }));
  ATTEMPTS_TABLE.insertAll(connection, attempts);
  return attempts.map(({ id, kind, call, batch, reserved }, at) => {
    const { intent, account } = begun[at] as Begun;
    const payer = { batch, account, atMs: intent.atMs, isRetry: kind === 'retry' };
    noteMoved(connection, () => payer, { reserved });
    if (intent.request !== undefined) insertRequest(connection, id, intent.request);
    return { attempt: id as AttemptId, asked: { call, reserved, payer } };
  });
}

/** @param id of the attempt, which is that of its call as well. */
function newCall(
  connection: Connection,
  { intent: { key, call }, account, kept }: Begun,
  id: number,
): WrittenRow<typeof CALLS_TABLE> | undefined {
  const { change, after = null, operation, creditsMost: credits_most = null } = call;
  const subject = change === undefined ? null : subjectNumber(connection, account, change.subject);
  invariant(kept === undefined || kept.subject === subject, `call ${key} is a change of another subject`);
  if (kept !== undefined) return undefined;
  return { id, key: keyBytes(key), account, operation, credits_most, question: questionOf(call), subject, after };
}

function attemptOf(
  connection: Connection,
  { intent, boot }: Begun,
  numbers: { readonly id: number; readonly call: number },
): WrittenRow<typeof ATTEMPTS_TABLE> {
  const { decision, replaces, row, reserve: reserved, uptimeMs } = intent;
  const again = decision === undefined ? 'intent' : sendingAgain(connection, decision);
  const isTimed = boot !== undefined && uptimeMs !== undefined;
  return {
    ...numbers,
    kind: replaces === undefined ? again : 'refresh',
    sees: replaces ?? decision ?? null,
    batch: batchNumber(intent.batch),
    row,
    reserved,
    at: wholeMs(intent.atMs),
    boot: isTimed ? boot : null,
    uptime: isTimed ? wholeMs(uptimeMs) : null,
  };
}

function insertRequest(connection: Connection, attempt: number, request: KeyedRequest): void {
  const { idempotencyKey: idempotency_key, method, path, firstSentAtMs, body = null } = request;
  const first_sent_at = wholeMs(firstSentAtMs);
  REQUESTS_TABLE.insert(connection, { attempt, idempotency_key, method, path, first_sent_at, body });
  connection.remember(KEEPS_REQUESTS, true);
}

/** What an entry about an attempt has to know of it. */
export interface Asked {
  readonly call: number;
  readonly reserved: number;
  readonly payer: Payer;
}

export function askedBy(connection: Connection, attempt: number): Asked {
  const sql = 'SELECT call, reserved FROM attempts WHERE id = ?';
  const asked = connection.get<Omit<Asked, 'payer'>>(sql, attempt);
  invariant(asked !== undefined, `there is no attempt ${attempt}`);
  return { ...asked, payer: payerOf(connection, attempt) };
}

/** A reply, and the call of its attempt. */
export interface Returned {
  readonly attempt: AttemptId;
  readonly call: number;
  readonly reply: RawReply;
}

export function insertReplies(connection: Connection, replies: readonly Returned[]): void {
  const rows = replies.map(({ attempt: of, call, reply: { status, headers, body, receivedAtMs } }) => ({
    ...{ of, call, at: wholeMs(receivedAtMs), status, headers: JSON.stringify(headers), body },
  }));
  REPLIES_TABLE.insertAll(connection, rows);
}

/** How an attempt ended, and when. */
export interface Ended {
  readonly attempt: AttemptId;
  readonly closure: Closure;
  readonly atMs: number;
  readonly asked: Asked;
  /** The status of the reply, where it is known. */
  readonly status?: number | undefined;
}

/** The status is all that there is to say of most answers. */
export const statusWords = (status: number | null): string => `status ${status}`;

export function insertEnds(connection: Connection, ends: readonly Ended[]): void {
  const under = ends.map(({ attempt }) => lostUnderKey(connection, attempt));
  const rows = ends.map((end, at) => endOf(connection, end, under[at] ?? []));
  ENDS_TABLE.insertAll(connection, rows);
  for (const [at, { id, pays, spent, kind }] of rows.entries()) {
    const { asked: { call, payer, reserved }, atMs } = ends[at] as Ended;
    const held = kind === 'lost' || kind === 'lost_beside' ? reserved : 0;
    noteMoved(connection, () => payer, { reserved: -reserved, held, spent: pays === null ? spent : 0 });
    if (pays === null) continue;
    noteMoved(connection, () => payerOf(connection, pays), { spent });
    freeOthers(connection, under[at] ?? [], { call, sees: id, atMs });
  }
}

function endOf(
  connection: Connection,
  { attempt, closure, atMs, asked: { call }, status: known }: Ended,
  under: readonly Loss[],
): WrittenRow<typeof ENDS_TABLE> {
  const common = {
    ...{ of: attempt, id: nextNumber(connection, 'entries'), call, pays: null, spent: 0, at: wholeMs(atMs) },
    ...{ said: null, status: null, dialect: null, estimated: 0, words: closure.why },
  };
  if (closure.kind === 'in_doubt') return { ...common, kind: lostKind(connection, call) };
  if (closure.kind !== 'settled') return { ...common, kind: 'unsold', said: closure.kind };
  const { answer, charged, why, dialect, isAtMost } = closure;
  const status = known ?? statusOf(connection, attempt) ?? null;
  return {
    ...{ ...common, kind: 'answered', said: answer, spent: charged, pays: under[0]?.attempt ?? null, status },
    dialect: dialect ?? null,
    estimated: isAtMost === true && charged > 0 ? 1 : 0,
    words: why === statusWords(status) ? null : why,
  };
}

/** A refresh that got lost leaves the older answer in place, unless that was read as none. */
function lostKind(connection: Connection, call: number): Extract<(typeof ENDED)[number], 'lost' | 'lost_beside'> {
  const sql = `SELECT 1 FROM calls c WHERE c.id = ? AND c.state = 'answered'
    AND NOT EXISTS (SELECT 1 FROM unanswered u WHERE u.attempt = c.stands)`;
  return connection.get(sql, call) === undefined ? 'lost' : 'lost_beside';
}

function statusOf(connection: Connection, attempt: number): number | undefined {
  const sql = 'SELECT status FROM replies WHERE of = ?';
  return connection.get<{ status: number }>(sql, attempt)?.status;
}

/** A lost attempt that still holds money. */
interface Loss {
  readonly attempt: number;
  readonly holds: number;
}

const KEEPS_REQUESTS = 'whether requests are kept';

/** Earlier attempts under the same idempotency key that hold money: to the vendor they are one request. */
function lostUnderKey(connection: Connection, attempt: number): readonly Loss[] {
  const has = connection.once(KEEPS_REQUESTS, () => connection.get('SELECT 1 FROM requests LIMIT 1') !== undefined);
  if (!has) return [];
  return connection.all<Loss>(
    `SELECT l.attempt, l.holds FROM requests r
       CROSS JOIN requests o ON o.idempotency_key = r.idempotency_key AND o.attempt < r.attempt
       CROSS JOIN losses l ON l.attempt = o.attempt AND l.ended IS NULL
      WHERE r.attempt = ? ORDER BY l.attempt`,
    attempt,
  );
}

function freeOthers(
  connection: Connection,
  losses: readonly Loss[],
  { call, sees, atMs }: { readonly call: number; readonly sees: number; readonly atMs: number },
): void {
  insertNotes(
    connection,
    losses.map(({ attempt: of, holds }) => ({ kind: 'freed' as const, call, of, sees, held: -holds, atMs })),
  );
}

// ---------------------------------------------------------------------------------------------------- readings

const READ_AGAIN = 'whether anything was read again';
const ANY_READING = "SELECT 1 FROM notes INDEXED BY notes_readings WHERE kind = 'reading' OR kind = 'read' LIMIT 1";

/** Most ledgers have no reading. */
export const hasReadings = (connection: Connection): boolean =>
  connection.once(READ_AGAIN, () => connection.get(ANY_READING) !== undefined);

/** @returns the cost that is booked now, which is never less than before. */
export function insertReading(connection: Connection, reading: Reading): Credits {
  const { attempt, answer, why, dialect, atMs } = reading;
  const before = connection.get<{ call: number; pays: number | null; spent: number | null; lost: number | null }>(
    `SELECT a.call, k.pays, l.holds AS lost,
            k.spent + coalesce((SELECT sum(n.spent) FROM notes n WHERE n.of = a.id AND (n.kind = 'read' OR n.kind = 'reading')), 0)
              AS spent
       FROM attempts a LEFT JOIN ends k ON k.of = a.id LEFT JOIN losses l ON l.attempt = a.id AND l.ended IS NULL
      WHERE a.id = ?`,
    attempt,
  );
  invariant(before !== undefined, `there is no attempt ${attempt}`);
  const { call, pays, lost } = before;
  const booked = lost ?? before.spent ?? 0;
  const charged = credits(Math.max(reading.charged, booked));
  // What is booked is then another price than today's, or one that a lost answer was reserved at.
  const estimated = charged > 0 && (charged !== reading.charged || charged !== booked || lost !== null);
  connection.remember(READ_AGAIN, true);
  const common = { call, of: attempt, atMs, said: answer, dialect, words: why, estimated };
  insertNote(
    connection,
    lost === null
      ? { ...common, kind: 'reading', spent: charged - booked, pays }
      : { ...common, kind: 'read', spent: charged, held: -lost },
  );
  return charged;
}

// ---------------------------------------------------------------------------------------------------- doubts

/** @returns the number of the decision. */
export function insertDecision(
  connection: Connection,
  { batch, kind, by, why, atMs }: Omit<DecisionSpec, 'key'>,
  call: number,
  doubt: number,
): number {
  const about = { call, of: doubt, batch: batchNumber(batch), said: kind, atMs, facts: { by }, words: why };
  return insertNote(connection, { ...about, kind: 'decided' });
}

/**
 * A person tells about the call, so every attempt of it that holds money is settled; the newest one is its answer.
 * @returns the number of the decision.
 */
export function insertTold(
  connection: Connection,
  { batch, by, why, atMs }: Omit<DecisionSpec, 'key'>,
  call: number,
  doubt: number,
  reply: RawReply,
): number {
  const lost = connection.all<Loss>(
    'SELECT attempt, holds FROM losses WHERE call = +? AND ended IS NULL ORDER BY attempt',
    call,
  );
  const holds = lost.find(({ attempt }) => attempt === doubt)?.holds ?? 0;
  const sees = insertNote(connection, {
    kind: 'told',
    call,
    of: doubt,
    batch: batchNumber(batch),
    spent: holds,
    held: -holds,
    said: 'told',
    status: reply.status,
    atMs,
    // Nobody says whether it was charged.
    estimated: holds > 0,
    facts: { by, received_at: wholeMs(reply.receivedAtMs) },
    headers: JSON.stringify(reply.headers),
    words: why,
    body: reply.body,
  });
  const others = lost.filter(({ attempt }) => attempt !== doubt);
  insertNotes(
    connection,
    others.map(({ attempt: of, holds: each }) => ({
      ...{ kind: 'counted' as const, call, of, sees, spent: each, held: -each, atMs, estimated: each > 0 },
    })),
  );
  return sees;
}

export function insertLook(connection: Connection, look: Look): void {
  const { attempt, kind, said, why, status, body, atMs } = look;
  const { call } = askedBy(connection, attempt);
  insertNote(connection, { kind: 'look', call, of: attempt, said, status, atMs, facts: { kind }, words: why, body });
}

export function insertRelease(connection: Connection, attempt: AttemptId, why: string, atMs: number): void {
  const { call } = askedBy(connection, attempt);
  const under = lostUnderKey(connection, attempt);
  const others = JSON.stringify([attempt, ...under.map((loss) => loss.attempt)]);
  const after = connection.get<{ holds: number; sees: number | null }>(
    `SELECT l.holds, coalesce(
       (SELECT max(o.attempt) FROM losses o
         WHERE o.call = l.call AND o.ended IS NULL AND o.attempt NOT IN (SELECT value FROM json_each(:others))),
       (SELECT max(g.attempt) FROM standing_answers g WHERE g.call = l.call)) AS sees
       FROM losses l WHERE l.attempt = :attempt AND l.ended IS NULL`,
    { attempt, others },
  );
  const held = -(after?.holds ?? 0);
  const released = { kind: 'released' as const, call, of: attempt, sees: after?.sees ?? null, held, atMs, words: why };
  freeOthers(connection, under, { call, sees: insertNote(connection, released), atMs });
}
