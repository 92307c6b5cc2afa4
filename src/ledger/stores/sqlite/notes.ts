import type { Draft } from '../../rules/drafts.ts';
import { noteRow } from './attempt-records.ts';
import type { Connection } from './connection.ts';
import { noteMoved } from './money.ts';
import { NOTES_TABLE, nextNumber } from './tables.ts';

/** Notes, which are what happens to an attempt after its end, and what is known of the losses and readings that they make. */

export interface Note extends Draft {
  readonly call: number;
  readonly of: number;
}

/** @returns the number of the first one. */
export function insertNotes(connection: Connection, notes: readonly Note[]): number {
  const first = nextNumber(connection, 'entries', notes.length);
  const rows = notes.map(({ sees = null, ...note }, at) =>
    noteRow({ ...note, id: first + at, sees: sees === 'first' ? first : sees }),
  );
  NOTES_TABLE.insertAll(connection, rows);
  for (const { kind, of, pays, spent, held } of rows) {
    if (spent !== 0) noteMoved(connection, pays ?? of, { spent });
    if (held !== 0) noteMoved(connection, of, { held });
    if (kind === 'reading' || kind === 'read') connection.remember(READ_AGAIN, true);
  }
  return first;
}

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
    losses.map(({ attempt: of, holds }) => ({ kind: 'freed', call, of, sees, held: -holds, at: atMs })),
  );
}

const READ_AGAIN = 'whether anything was read again';
const ANY_READING =
  "SELECT 1 FROM notes INDEXED BY notes_readings WHERE kind = 'reading' OR kind = 'read' LIMIT 1";

/** Most ledgers have no reading. */
export const hasReadings = (connection: Connection): boolean =>
  connection.once(READ_AGAIN, () => connection.get(ANY_READING) !== undefined);
