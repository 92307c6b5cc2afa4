import { invariant } from '../../../core/errors.ts';
import {
  type AttemptId,
  type Credits,
  credits,
  type DecisionSpec,
  type Look,
  type RawReply,
  type Reading,
} from '../../ledger.ts';
import type { ENDED, Kind, REPLIED, SENT } from '../../rules/moves.ts';
import type { Connection } from './connection.ts';
import { noteMoved } from './money.ts';
import { batchNumber, NOTES_TABLE, nextNumber, wholeMs } from './tables.ts';

/** Writes what happens to an attempt after its end: readings, decisions, what is told or looked up, and money given back. */

type NoteKind = Exclude<Kind, (typeof SENT | typeof ENDED | typeof REPLIED)[number]>;

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
    if (spent !== 0) noteMoved(connection, pays ?? of, { spent });
    if (held !== 0) noteMoved(connection, of, { held });
  }
  return rows.at(-1)?.id ?? 0;
}

const insertNote = (connection: Connection, note: Note): number => insertNotes(connection, [note]);

/** A lost attempt that still holds money. */
export interface Loss {
  readonly attempt: number;
  readonly holds: number;
}

/** The attempts that were lost, whatever became of them since. */
export function lostAmong(connection: Connection, attempts: readonly number[]): ReadonlySet<number> {
  const sql = 'SELECT l.attempt FROM json_each(?) j CROSS JOIN losses l ON l.attempt = j.value';
  const lost = connection.all<{ attempt: number }>(sql, JSON.stringify(attempts));
  return new Set(lost.map(({ attempt }) => attempt));
}

/** Whether there is any request, in what is remembered. */
export const KEEPS_REQUESTS = 'whether requests are kept';

const keepsRequests = (connection: Connection): boolean =>
  connection.known<boolean>(KEEPS_REQUESTS) ??
  connection.once(KEEPS_REQUESTS, () => connection.get('SELECT 1 FROM requests LIMIT 1') !== undefined);

export const NO_LOSS: readonly Loss[] = [];

/** Earlier attempts under the same idempotency key that hold money: to the vendor they are one request. */
export function lostUnderKey(connection: Connection, attempt: number): readonly Loss[] {
  if (!keepsRequests(connection)) return NO_LOSS;
  return connection.all<Loss>(
    `SELECT l.attempt, l.holds FROM requests r
       CROSS JOIN requests o ON o.idempotency_key = r.idempotency_key AND o.attempt < r.attempt
       CROSS JOIN losses l ON l.attempt = o.attempt AND l.ended IS NULL
      WHERE r.attempt = ? ORDER BY l.attempt`,
    attempt,
  );
}

export function freeOthers(
  connection: Connection,
  losses: readonly Loss[],
  { call, sees, atMs }: { readonly call: number; readonly sees: number; readonly atMs: number },
): void {
  insertNotes(
    connection,
    losses.map(({ attempt: of, holds }) => ({ kind: 'freed' as const, call, of, sees, held: -holds, atMs })),
  );
}

const READ_AGAIN = 'whether anything was read again';
const ANY_READING =
  "SELECT 1 FROM notes INDEXED BY notes_readings WHERE kind = 'reading' OR kind = 'read' LIMIT 1";

/** Most ledgers have no reading. */
export const hasReadings = (connection: Connection): boolean =>
  connection.once(READ_AGAIN, () => connection.get(ANY_READING) !== undefined);

/** @returns the cost that is booked now, which is never less than before. */
export function insertReading(connection: Connection, reading: Reading): Credits {
  const { attempt, answer, why, dialect, atMs } = reading;
  const before = connection.get<{
    call: number;
    pays: number | null;
    spent: number | null;
    lost: number | null;
  }>(
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
  const call = callOf(connection, attempt);
  insertNote(connection, {
    kind: 'look',
    call,
    of: attempt,
    said,
    status,
    atMs,
    facts: { kind },
    words: why,
    body,
  });
}

export function insertRelease(connection: Connection, attempt: AttemptId, why: string, atMs: number): void {
  const call = callOf(connection, attempt);
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
  const released = {
    kind: 'released' as const,
    call,
    of: attempt,
    sees: after?.sees ?? null,
    held,
    atMs,
    words: why,
  };
  freeOthers(connection, under, { call, sees: insertNote(connection, released), atMs });
}

function callOf(connection: Connection, attempt: number): number {
  const found = connection.get<{ call: number }>('SELECT call FROM attempts WHERE id = ?', attempt);
  invariant(found !== undefined, `there is no attempt ${attempt}`);
  return found.call;
}
