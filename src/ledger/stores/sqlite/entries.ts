import type { CallKey } from '../../../core/call-key.ts';
import { invariant } from '../../../core/errors.ts';
import type { Subject } from '../../../core/membership.ts';
import type { Call } from '../../../core/operation.ts';
import {
  type AttemptId,
  type Closure,
  type Credits,
  credits,
  type DecisionId,
  type DecisionSpec,
  type Intent,
  type Look,
  type RawReply,
  type Reading,
} from '../../ledger.ts';
import { ENDED, type Kind } from '../../rules/moves.ts';
import type { Connection } from './connection.ts';
import { hasKey } from './lookups.ts';
import type { WrittenRow } from './table.ts';
import {
  batchNumber,
  CALLS_TABLE,
  CONTENTS_TABLE,
  ENTRIES_TABLE,
  keyBytes,
  nextNumber,
  REQUESTS_TABLE,
  SUBJECTS_TABLE,
  wholeMs,
} from './tables.ts';

/** Writes the entries of the book: once, each with its sum. The schema's triggers then move calls, losses and totals. */

/** An entry as it is written; what is left out moves nothing, or says nothing. */
interface Entry {
  readonly kind: Kind;
  readonly call: number;
  /** The attempt that it is about; left out of an entry that begins one. */
  readonly of?: number;
  readonly sees?: number | null;
  readonly pays?: number | null;
  readonly batch?: number;
  readonly row?: number;
  readonly reserved?: number;
  readonly spent?: number;
  readonly held?: number;
  readonly atMs: number;
  readonly boot?: number;
  readonly uptimeMs?: number;
  readonly said?: string;
  readonly status?: number;
  readonly dialect?: number | undefined;
  readonly facts?: Readonly<Record<string, string | number>>;
  readonly contents?: {
    readonly headers?: string;
    readonly words?: string;
    readonly body?: Buffer;
  };
}

/** @returns the numbers of the entries. */
export function append(connection: Connection, entries: readonly Entry[]): readonly number[] {
  const rows = entries.map((entry) => cellsOf(nextNumber(connection, 'entries'), entry));
  ENTRIES_TABLE.insertAll(connection, rows);
  for (const [at, { contents }] of entries.entries()) {
    if (contents === undefined) continue;
    const { headers = null, words = null, body = null } = contents;
    CONTENTS_TABLE.insert(connection, { entry: rows[at]?.id ?? 0, headers, words, body });
  }
  return rows.map(({ id }) => id);
}

function appendOne(connection: Connection, entry: Entry): number {
  const [id = 0] = append(connection, [entry]);
  return id;
}

function cellsOf(id: number, entry: Entry): WrittenRow<typeof ENTRIES_TABLE> {
  const { kind, call, of = id, sees = null, pays = null, batch = null, row = null } = entry;
  const { reserved = 0, spent = 0, held = 0, boot, uptimeMs, said = null, status = null, facts } = entry;
  const isTimed = boot !== undefined && uptimeMs !== undefined;
  return {
    ...{ id, kind, call, of, sees, pays, batch, row, reserved, spent, held },
    at: wholeMs(entry.atMs),
    boot: isTimed ? boot : null,
    uptime: isTimed ? wholeMs(uptimeMs) : null,
    ...{ said, status, dialect: entry.dialect ?? null },
    facts: facts === undefined ? null : JSON.stringify(facts),
  };
}

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
export function questionOf({ operation: _, creditsMost: __, ...question }: Call): string {
  return JSON.stringify(question);
}

// ---------------------------------------------------------------------------------------------------- attempts

interface AttemptOf {
  readonly account: number;
  /** The call in the tables, when it is there. */
  readonly kept: KeptCall | undefined;
  /** The number of the boot in which the attempt is made; undefined when it is unknown. */
  readonly boot: number | undefined;
}

export function insertAttempt(connection: Connection, intent: Intent, of: AttemptOf): AttemptId {
  const { decision, replaces, request } = intent;
  const call = callNumber(connection, intent, of);
  const id = appendOne(connection, {
    kind: replaces !== undefined ? 'refresh' : decision !== undefined ? sendingAgain(connection, decision) : 'intent',
    call,
    sees: replaces ?? decision ?? null,
    batch: batchNumber(intent.batch),
    row: intent.row,
    reserved: intent.reserve,
    atMs: intent.atMs,
    ...(of.boot === undefined ? {} : { boot: of.boot }),
    ...(intent.uptimeMs === undefined ? {} : { uptimeMs: intent.uptimeMs }),
  });
  if (request !== undefined) {
    const { idempotencyKey: idempotency_key, method, path, firstSentAtMs, body = null } = request;
    const first_sent_at = wholeMs(firstSentAtMs);
    REQUESTS_TABLE.insert(connection, { attempt: id, idempotency_key, method, path, first_sent_at, body });
    connection.remember(KEEPS_REQUESTS, true);
  }
  return id as AttemptId;
}

/** By which kind of decision a call in doubt is sent again; another one allows nothing, and the guards refuse it. */
export function sendingAgain(connection: Connection, decision: DecisionId): 'repeat' | 'retry' {
  const sql = 'SELECT said FROM entries WHERE id = ?';
  return connection.get<{ said: string }>(sql, decision)?.said === 'repeat' ? 'repeat' : 'retry';
}

function callNumber(connection: Connection, { key, call: asked }: Intent, { account, kept }: AttemptOf): number {
  const { change, after = null, operation, creditsMost: credits_most = null } = asked;
  const subject = change === undefined ? null : subjectNumber(connection, account, change.subject);
  if (kept !== undefined) {
    invariant(kept.subject === subject, `call ${key} is a change of another subject`);
    return kept.id;
  }
  // A call has the number of the entry that begins its first attempt, which comes next.
  const id = nextNumber(connection, 'entries');
  connection.remember('newest of entries', id - 1);
  const question = questionOf(asked);
  CALLS_TABLE.insert(connection, { id, key: keyBytes(key), account, operation, credits_most, question, subject, after });
  return id;
}

/** What an entry about an attempt has to know of it. */
export interface Asked {
  readonly call: number;
  readonly reserved: number;
}

export function askedBy(connection: Connection, attempt: number): Asked {
  const asked = connection.get<Asked>('SELECT call, reserved FROM entries WHERE id = ? AND of = id', attempt);
  invariant(asked !== undefined, `there is no attempt ${attempt}`);
  return asked;
}

export function insertReply(connection: Connection, attempt: AttemptId, call: number, reply: RawReply): void {
  const { status, headers, body, receivedAtMs: atMs } = reply;
  const contents = { headers: JSON.stringify(headers), body };
  appendOne(connection, { kind: 'reply', call, of: attempt, status, atMs, contents });
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
  const entries = ends.map((end, at) => endOf(connection, end, under[at] ?? []));
  const ids = append(connection, entries);
  for (const [at, { closure, atMs, asked }] of ends.entries()) {
    if (closure.kind === 'settled') freeOthers(connection, under[at] ?? [], { ...asked, sees: ids[at] ?? 0, atMs });
  }
}

function endOf(
  connection: Connection,
  { attempt, closure, atMs, asked: { call, reserved }, status: known }: Ended,
  under: readonly Loss[],
): Entry {
  const common = { call, of: attempt, atMs, reserved: -reserved };
  if (closure.kind !== 'settled') {
    const contents = { words: closure.why };
    if (closure.kind !== 'in_doubt') return { ...common, kind: 'unsold', said: closure.kind, contents };
    return { ...common, kind: lostKind(connection, call), held: reserved, contents };
  }
  const { answer, charged, why, dialect, isAtMost } = closure;
  const status = known ?? statusOf(connection, attempt);
  const [first] = under;
  return {
    ...{ ...common, kind: 'answered', said: answer, spent: charged, dialect, pays: first?.attempt ?? null },
    ...(status === undefined ? {} : { status }),
    ...(isAtMost === true && charged > 0 ? { facts: { at_most: 1 } } : {}),
    ...(status !== undefined && why === statusWords(status) ? {} : { contents: { words: why } }),
  };
}

/** A refresh that got lost leaves the older answer in place, unless that was read as none. */
function lostKind(connection: Connection, call: number): Extract<(typeof ENDED)[number], 'lost' | 'lost_beside'> {
  const sql = `SELECT 1 FROM calls c WHERE c.id = ? AND c.state = 'answered'
    AND NOT EXISTS (SELECT 1 FROM unanswered u WHERE u.attempt = c.stands)`;
  return connection.get(sql, call) === undefined ? 'lost' : 'lost_beside';
}

function statusOf(connection: Connection, attempt: number): number | undefined {
  const sql = "SELECT status FROM entries WHERE of = +? AND of <> id AND kind = 'reply'";
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
  append(
    connection,
    losses.map(({ attempt: of, holds }) => ({ kind: 'freed' as const, call, of, sees, held: -holds, atMs })),
  );
}

// ---------------------------------------------------------------------------------------------------- readings

const READ_AGAIN = 'whether anything was read again';
const ANY_READING = "SELECT 1 FROM entries INDEXED BY entries_readings WHERE kind = 'reading' OR kind = 'read' LIMIT 1";

/** Most ledgers have no reading. */
export const hasReadings = (connection: Connection): boolean =>
  connection.once(READ_AGAIN, () => connection.get(ANY_READING) !== undefined);

/** @returns the cost that is booked now, which is never less than before. */
export function insertReading(connection: Connection, reading: Reading): Credits {
  const { attempt, answer, why, dialect, atMs } = reading;
  const before = connection.get<{ call: number; pays: number | null; spent: number | null; lost: number | null }>(
    `SELECT a.call,
            (SELECT k.pays FROM entries k WHERE k.of = a.id AND k.of <> k.id AND k.kind IN ('answered', 'read')) AS pays,
            (SELECT sum(k.spent) FROM entries k
              WHERE k.of = a.id AND k.of <> k.id AND k.kind IN ('answered', 'read', 'reading')) AS spent,
            (SELECT l.holds FROM losses l WHERE l.attempt = a.id AND l.ended IS NULL) AS lost
       FROM entries a WHERE a.id = +?`,
    attempt,
  );
  invariant(before !== undefined, `there is no attempt ${attempt}`);
  const { call, pays, lost } = before;
  const booked = lost ?? before.spent ?? 0;
  const charged = credits(Math.max(reading.charged, booked));
  // What is booked is then another price than today's, or one that a lost answer was reserved at.
  const isAtMost = charged > 0 && (charged !== reading.charged || charged !== booked || lost !== null);
  const common = { call, of: attempt, atMs, said: answer, dialect, contents: { words: why } };
  const facts = isAtMost ? { facts: { at_most: 1 } } : {};
  const isFirst = lost !== null && before.spent === null;
  connection.remember(READ_AGAIN, true);
  appendOne(
    connection,
    isFirst
      ? { ...common, ...facts, kind: 'read', spent: charged, held: -lost }
      : { ...common, ...facts, kind: 'reading', spent: charged - booked, pays },
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
  const about = { call, of: doubt, batch: batchNumber(batch), said: kind, atMs, facts: { by }, contents: { words: why } };
  return appendOne(connection, { ...about, kind: 'decided' });
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
  // Nobody says whether it was charged.
  const estimated = (holds: number) => (holds > 0 ? { at_most: 1 } : {});
  const holds = lost.find(({ attempt }) => attempt === doubt)?.holds ?? 0;
  const sees = appendOne(connection, {
    kind: 'told',
    call,
    of: doubt,
    batch: batchNumber(batch),
    spent: holds,
    held: -holds,
    said: 'told',
    status: reply.status,
    atMs,
    facts: { by, received_at: wholeMs(reply.receivedAtMs), ...estimated(holds) },
    contents: { headers: JSON.stringify(reply.headers), words: why, body: reply.body },
  });
  append(
    connection,
    lost
      .filter(({ attempt }) => attempt !== doubt)
      .map(({ attempt: of, holds: each }) => ({
        ...{ kind: 'counted' as const, call, of, sees, spent: each, held: -each, atMs, facts: estimated(each) },
      })),
  );
  return sees;
}

export function insertLook(connection: Connection, look: Look): void {
  const { attempt, kind, said, why, status, body, atMs } = look;
  const { call } = askedBy(connection, attempt);
  const contents = { words: why, body };
  appendOne(connection, { kind: 'look', call, of: attempt, said, status, atMs, facts: { kind }, contents });
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
  const contents = { words: why };
  const released = { kind: 'released' as const, call, of: attempt, sees: after?.sees ?? null, held, atMs, contents };
  freeOthers(connection, under, { call, sees: appendOne(connection, released), atMs });
}
