import { present } from '../../../core/objects.ts';
import type { Call } from '../../../core/operation.ts';
import type { AttemptRecord } from '../../ledger.ts';
import {
  attemptIn,
  type Entry,
  type EntryFacts,
  type History,
  historyOf as historyFrom,
  type KeptCall,
  recordOf as recordFrom,
} from '../../rules/history.ts';
import { callOf } from '../../rules/kept-call.ts';
import type { Kind } from '../../rules/moves.ts';
import { AlteredRow, type Connection, type Values } from './connection.ts';
import { attemptsOf, checkedRows } from './lookups.ts';
import type { ReadRow, Stored, Table, WrittenRow } from './table.ts';
import {
  ATTEMPTS_TABLE,
  batchId,
  batchNumber,
  CALLS_TABLE,
  ENDS_TABLE,
  keyText,
  NOTES_TABLE,
  REPLIES_TABLE,
  REQUESTS_TABLE,
  wholeMs,
} from './tables.ts';
import { headersOf, statusWords } from './usual.ts';

export type CallRow = ReadRow<typeof CALLS_TABLE> & {
  readonly state: 'free' | 'answered' | 'doubt';
  readonly stands: number | null;
  readonly open: number | null;
};

export const callIn = (
  operation: string,
  most: number | null,
  parameters: string,
  terms: string | null,
): Call => callOf(operation, most, JSON.parse(parameters), terms === null ? null : JSON.parse(terms));

export const callFrom = ({ operation, credits_most, parameters, terms }: ReadRow<typeof CALLS_TABLE>): Call =>
  callIn(operation, credits_most, parameters, terms);

const CALL = `
SELECT c.*, (SELECT identity FROM accounts WHERE id = c.account) AS identity, (SELECT phase FROM places WHERE call = c.id) AS phase
  FROM calls c WHERE c.id = +?`;

/**
 * All that the book has of a call, each row held against its sum. Of replies these are what came of the attempt under way, and of what the
 * call stands at: nothing hangs on others, and each may be large.
 */
export function historyOf(connection: Connection, id: number): History {
  const row = connection.get<CallRow & Pick<KeptCall, 'phase'> & { identity: string | null }>(CALL, id);
  if (row === undefined) throw new AlteredRow(`call ${id} is missing`);
  const { key, identity, state, stands, phase, open } = CALLS_TABLE.checked(row);
  const rowsOf = <Row extends object>(table: Table<Row>, column: string): readonly Stored<Row>[] =>
    checkedRows(connection, table, `${column} IN ${attemptsOf('+:id')} ORDER BY 1`, { id });
  const requests = new Map(rowsOf(REQUESTS_TABLE, 'attempt').map((each) => [each.attempt, each]));
  const asked = { id, key: keyText(key), account: identity ?? '', call: callFrom(row) };
  const history = historyFrom({ ...asked, state, stands, phase, open }, [
    ...rowsOf(ATTEMPTS_TABLE, 'id').map((each) => beginningFrom(each, requests.get(each.id))),
    ...checkedRows(connection, REPLIES_TABLE, 'of IN (?, ?) ORDER BY of', open, stands).map(replyFrom),
    ...rowsOf(ENDS_TABLE, 'of').map((each) => endFrom(each)),
    ...rowsOf(NOTES_TABLE, 'of').map(noteFrom),
  ]);
  for (const named of [open, stands])
    if (named !== null && attemptIn(history, named) === undefined)
      throw new AlteredRow(`attempt ${named} is missing`);
  return history;
}

export function historyWith(connection: Connection, attempt: number): History {
  const begun = connection.get<{ call: number }>('SELECT call FROM attempts WHERE id = ?', attempt);
  if (begun === undefined) throw new AlteredRow(`attempt ${attempt} is missing`);
  return historyOf(connection, begun.call);
}

/** Everything that is known about an attempt. The others of its call are not read: there may be hundreds, each with its answer. */
export function recordOf(connection: Connection, id: number): AttemptRecord {
  const [begun] = checkedRows(connection, ATTEMPTS_TABLE, 'id = ?', id);
  if (begun === undefined) throw new AlteredRow(`attempt ${id} is missing`);
  const [call] = checkedRows(connection, CALLS_TABLE, 'id = ?', begun.call);
  if (call === undefined) throw new AlteredRow(`call ${begun.call} is missing`);
  const [request] = checkedRows(connection, REQUESTS_TABLE, 'attempt = ?', id);
  const [reply] = checkedRows(connection, REPLIES_TABLE, 'of = ?', id).map(replyFrom);
  const [end] = checkedRows(connection, ENDS_TABLE, 'of = ?', id).map((each) => endFrom(each));
  const notes = checkedRows(connection, NOTES_TABLE, 'of = +? ORDER BY id', id).map(noteFrom);
  const attempt = { id, begun: beginningFrom(begun, request), reply, end, notes };
  const asked = { key: keyText(call.key), call: callFrom(call) };
  return recordFrom(attempt, asked, (entry) => noteSeenBy(connection, entry));
}

function noteSeenBy(connection: Connection, { kind, sees }: Entry): Entry | undefined {
  const [note] = checkedRows(connection, NOTES_TABLE, 'id = ?', sees);
  // What frees money may be the end of a later attempt.
  if (note === undefined && kind !== 'freed') throw new AlteredRow(`note ${sees} is missing`);
  return note && noteFrom(note);
}

export const recordsBy = (connection: Connection, sql: string, ...values: Values): readonly AttemptRecord[] =>
  connection.all<{ id: number }>(sql, ...values).map(({ id }) => recordOf(connection, id));

/** An entry with the numbers that it has here. A reply, which has none of its own, has that of its attempt. */
export type BookEntry = Entry & { readonly call: number; readonly estimated: boolean };

const NOTHING = {
  ...{ sees: null, pays: null, batch: null, row: null, reserved: null, spent: 0, held: 0 },
  ...{ worker: null, status: null, said: null, dialect: null, words: null },
  ...{ headers: null, body: null, facts: null, estimated: false },
} as const;

export function beginningFrom(
  { id, call, kind, sees, batch, row, reserved, at }: ReadRow<typeof ATTEMPTS_TABLE>,
  request: ReadRow<typeof REQUESTS_TABLE> | undefined,
): BookEntry {
  return {
    ...{ ...NOTHING, id, of: id, call, kind: kind as Kind, sees, batch: batchId(batch), row, reserved, at },
    facts: request === undefined ? null : { request: requestFrom(request) },
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

/** A note that is written; what is left out moves nothing, or says nothing. */
type Noted = Pick<BookEntry, 'id' | 'kind' | 'call' | 'of' | 'at'> & Partial<BookEntry>;

export function noteRow(note: Noted): WrittenRow<typeof NOTES_TABLE> {
  const { id, kind, call, of, sees = null, pays = null, batch = null, spent = 0, held = 0, at } = note;
  const { said = null, status = null, dialect = null, estimated = false, words = null, body = null } = note;
  const { headers = null, facts = null } = note;
  return {
    ...{ id, kind, call, of, sees, pays, batch: batch === null ? null : batchNumber(batch), spent, held },
    ...{ at: wholeMs(at), said, status, dialect, estimated: estimated ? 1 : 0, words, body },
    headers: headers && JSON.stringify(headers),
    facts: facts && JSON.stringify(noteFacts(facts)),
  };
}

interface NoteFacts {
  readonly by?: EntryFacts['by'];
  readonly kind?: EntryFacts['look'];
  readonly received_at?: number;
}

const factsFrom = (kind: string, { by, kind: look, received_at: receivedAtMs }: NoteFacts): EntryFacts =>
  kind === 'look' ? present({ look }) : present({ by, receivedAtMs });

const noteFacts = ({ by, look, receivedAtMs }: EntryFacts): NoteFacts =>
  present({ by, kind: look, received_at: receivedAtMs });
