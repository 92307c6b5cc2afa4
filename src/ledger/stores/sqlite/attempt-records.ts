import type { Call } from '../../../core/operation.ts';
import type { AttemptRecord } from '../../ledger.ts';
import { type Entry, type EntryFacts, recordOf as recordOfAttempt } from '../../rules/history.ts';
import { callOf } from '../../rules/kept-call.ts';
import type { Kind } from '../../rules/moves.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { headersOf, statusWords } from './entries.ts';
import { checkedRows } from './lookups.ts';
import type { ReadRow } from './table.ts';
import {
  ATTEMPTS_TABLE,
  batchId,
  CALLS_TABLE,
  ENDS_TABLE,
  keyText,
  NOTES_TABLE,
  REPLIES_TABLE,
  REQUESTS_TABLE,
} from './tables.ts';

/** Entries of the book as the rules know them, and what they say together of one attempt. */

export type CallRow = ReadRow<typeof CALLS_TABLE> & {
  readonly state: 'free' | 'answered' | 'doubt';
  readonly stands: number | null;
  readonly open: number | null;
};

/** The call of these columns, as texts. */
export const callIn = (
  operation: string,
  most: number | null,
  parameters: string,
  terms: string | null,
): Call => callOf(operation, most, JSON.parse(parameters), terms === null ? null : JSON.parse(terms));

export const callFrom = ({ operation, credits_most, parameters, terms }: ReadRow<typeof CALLS_TABLE>): Call =>
  callIn(operation, credits_most, parameters, terms);

/** Everything that is known about an attempt. */
export function recordOf(connection: Connection, id: number): AttemptRecord {
  const [begun] = checkedRows(connection, ATTEMPTS_TABLE, 'id = ?', id);
  if (begun === undefined) throw new AlteredRow(`attempt ${id} is missing`);
  const [call] = checkedRows(connection, CALLS_TABLE, 'id = ?', begun.call);
  if (call === undefined) throw new AlteredRow(`call ${begun.call} is missing`);
  const [end] = checkedRows(connection, ENDS_TABLE, 'of = ?', id);
  const [reply] = checkedRows(connection, REPLIES_TABLE, 'of = ?', id);
  const [request] = checkedRows(connection, REQUESTS_TABLE, 'attempt = ?', id);
  const notes = checkedRows(connection, NOTES_TABLE, 'of = +? ORDER BY id', id);
  const attempt = {
    ...{
      id,
      begun: beginningFrom(begun, request),
      reply: reply && replyFrom(reply),
      end: end && endFrom(end),
    },
    notes: notes.map(noteFrom),
  };
  const asked = { key: keyText(call.key), call: callFrom(call) };
  return recordOfAttempt(attempt, asked, (entry) => noteSeenBy(connection, entry));
}

function noteSeenBy(connection: Connection, { kind, sees }: Entry): Entry | undefined {
  const [note] = checkedRows(connection, NOTES_TABLE, 'id = ?', sees);
  // What frees money may be the end of a later attempt.
  if (note === undefined && kind !== 'freed') throw new AlteredRow(`note ${sees} is missing`);
  return note && noteFrom(note);
}

/** An entry with the numbers that it has here. A reply, which has none of its own, has that of its attempt. */
export type BookEntry = Entry & { readonly call: number; readonly estimated: boolean };

const NOTHING = {
  ...{ sees: null, pays: null, batch: null, row: null, reserved: null, spent: 0, held: 0 },
  ...{ boot: null, uptime: null, worker: null, status: null, said: null, dialect: null, words: null },
  ...{ headers: null, body: null, facts: null, estimated: false },
} as const;

export function beginningFrom(
  { id, call, kind, sees, batch, row, reserved, at, boot, uptime }: ReadRow<typeof ATTEMPTS_TABLE>,
  request: ReadRow<typeof REQUESTS_TABLE> | undefined,
): BookEntry {
  return {
    ...{ ...NOTHING, id, of: id, call, kind: kind as Kind, sees, batch: batchId(batch), row, reserved, at },
    ...{ boot, uptime, facts: request === undefined ? null : { request: requestFrom(request) } },
  };
}

type RequestFacts = NonNullable<EntryFacts['request']>;

function requestFrom({
  idempotency_key: idempotencyKey,
  first_sent_at: firstSentAtMs,
  ...row
}: ReadRow<typeof REQUESTS_TABLE>): RequestFacts {
  const asked = { idempotencyKey, method: row.method as RequestFacts['method'], path: row.path };
  return { ...asked, ...(row.body && { body: row.body.toString('base64') }), firstSentAtMs };
}

export function replyFrom(row: ReadRow<typeof REPLIES_TABLE>): BookEntry {
  const { of, call, at, status, body } = row;
  return { ...NOTHING, id: of, of, call, kind: 'reply', at, status, headers: headersOf(row), body };
}

/** @param held by an attempt that was lost. */
export function endFrom(row: ReadRow<typeof ENDS_TABLE>, held = 0): BookEntry {
  const { id, of, call, pays, spent, at, said, status, dialect, estimated } = row;
  const kind = row.kind as Kind;
  const words = kind === 'answered' ? (row.words ?? statusWords(status)) : row.words;
  return {
    ...{ ...NOTHING, id, of, call, kind, pays, spent, held, at, said, status, dialect },
    ...{ words, estimated: estimated === 1 },
  };
}

export function noteFrom(row: ReadRow<typeof NOTES_TABLE>): BookEntry {
  const { id, kind, call, of, sees, pays, batch, spent, held, at, said, status, dialect, words, body } = row;
  return {
    ...{ ...NOTHING, id, kind: kind as Kind, call, of, sees, pays, spent, held, at, said, status, dialect },
    ...{ batch: batch === null ? null : batchId(batch), words, body, estimated: row.estimated === 1 },
    headers: row.headers === null ? null : JSON.parse(row.headers),
    facts: row.facts === null ? null : factsFrom(kind, JSON.parse(row.facts)),
  };
}

/** As they stand in a note. */
export interface NoteFacts {
  readonly by?: EntryFacts['by'];
  readonly kind?: EntryFacts['look'];
  readonly received_at?: number;
}

function factsFrom(kind: string, { by, kind: look, received_at: receivedAtMs }: NoteFacts): EntryFacts {
  if (kind === 'look') return look === undefined ? {} : { look };
  return {
    ...(by === undefined ? {} : { by }),
    ...(receivedAtMs === undefined ? {} : { receivedAtMs }),
  };
}
