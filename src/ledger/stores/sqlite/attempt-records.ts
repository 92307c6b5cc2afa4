import { present } from '../../../core/objects.ts';
import type { Call } from '../../../core/operation.ts';
import {
  type AnswerKind,
  type AttemptId,
  type AttemptRecord,
  CHARGED_ONCE,
  type Closure,
  credits,
  type Decision,
  type DecisionId,
  type KeyedRequest,
  type Look,
  type RawReply,
  type ReadAs,
  type Reading,
} from '../../ledger.ts';
import { callOf } from '../../rules/kept-call.ts';
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

/** What the book says of one attempt: its reply, its end and the notes about it. */

export type CallRow = ReadRow<typeof CALLS_TABLE> & {
  readonly state: 'free' | 'answered' | 'doubt';
  readonly stands: number | null;
  readonly open: number | null;
};
type NoteRow = ReadRow<typeof NOTES_TABLE>;

/** The call of these columns, as texts. */
export const callIn = (
  operation: string,
  most: number | null,
  parameters: string,
  terms: string | null,
): Call => callOf(operation, most, JSON.parse(parameters), terms === null ? null : JSON.parse(terms));

export const callFrom = ({ operation, credits_most, parameters, terms }: ReadRow<typeof CALLS_TABLE>): Call =>
  callIn(operation, credits_most, parameters, terms);

/** What an entry says in words. */
export const wordsOf = ({ words, status }: Pick<NoteRow, 'words' | 'status'>): string =>
  words ?? statusWords(status);

/** Everything that is known about an attempt. */
export function recordOf(connection: Connection, attempt: number): AttemptRecord {
  const [begun] = checkedRows(connection, ATTEMPTS_TABLE, 'id = ?', attempt);
  if (begun === undefined) throw new AlteredRow(`attempt ${attempt} is missing`);
  const [call] = checkedRows(connection, CALLS_TABLE, 'id = ?', begun.call);
  if (call === undefined) throw new AlteredRow(`call ${begun.call} is missing`);
  const [end] = checkedRows(connection, ENDS_TABLE, 'of = ?', attempt);
  const [reply] = checkedRows(connection, REPLIES_TABLE, 'of = ?', attempt);
  const [request] = checkedRows(connection, REQUESTS_TABLE, 'attempt = ?', attempt);
  const notes = checkedRows(connection, NOTES_TABLE, 'of = +? ORDER BY id', attempt);
  const isSentAgain = begun.kind === 'repeat' || begun.kind === 'retry';
  const decision =
    toldAbout(connection, notes) ?? (isSentAgain ? noteNumbered(connection, begun.sees) : undefined);
  return {
    attempt: begun.id as AttemptId,
    key: keyText(call.key),
    batch: batchId(begun.batch),
    row: begun.row,
    call: callFrom(call),
    reserved: credits(begun.reserved),
    intentAtMs: begun.at,
    ...present({
      reply: reply && replyFrom(reply),
      closure: end && closureFrom(end),
      decision: decision && decisionFrom(decision, call.key),
      replaces: begun.kind === 'refresh' ? (begun.sees as AttemptId) : undefined,
      request: request && requestFrom(request),
    }),
    decisions: notes.filter(isDecision).map((note) => decisionFrom(note, call.key)),
    looks: notes.flatMap(looksIn),
    readings: readingsIn(notes, end?.spent ?? 0),
    ...present({ released: releasedBy(connection, notes) }),
  };
}

const isDecision = ({ kind }: NoteRow): boolean => kind === 'decided' || kind === 'told';

function noteNumbered(connection: Connection, id: number | null): NoteRow {
  const [note] = checkedRows(connection, NOTES_TABLE, 'id = ?', id);
  if (note === undefined) throw new AlteredRow(`note ${id} is missing`);
  return note;
}

/** What a person told: about this attempt, or about a later loss with which this one was counted. */
function toldAbout(connection: Connection, notes: readonly NoteRow[]): NoteRow | undefined {
  const note = notes.find(({ kind }) => kind === 'told' || kind === 'counted');
  return note?.kind === 'counted' ? noteNumbered(connection, note.sees) : note;
}

function replyFrom(row: ReadRow<typeof REPLIES_TABLE>): RawReply {
  const { status, body, at: receivedAtMs } = row;
  return { status, headers: headersOf(row), body, receivedAtMs };
}

function closureFrom(end: ReadRow<typeof ENDS_TABLE>): NonNullable<AttemptRecord['closure']> {
  const [why, closedAtMs] = [wordsOf(end), end.at];
  if (end.kind === 'answered')
    return {
      ...{ kind: 'answered', answer: end.said as AnswerKind, charged: credits(end.spent), why, closedAtMs },
    };
  const kind = end.kind === 'unsold' ? (end.said as Exclude<Closure['kind'], 'answered'>) : 'in_doubt';
  return { kind, why, closedAtMs } as NonNullable<AttemptRecord['closure']>;
}

function requestFrom({ method, path, body, ...row }: ReadRow<typeof REQUESTS_TABLE>): KeyedRequest {
  const asked = { idempotencyKey: row.idempotency_key, method: method as KeyedRequest['method'], path };
  return { ...asked, ...present({ body: body ?? undefined }), firstSentAtMs: row.first_sent_at };
}

const EMPTY = Buffer.alloc(0);

function looksIn(note: NoteRow): readonly Look[] {
  if (note.kind !== 'look') return [];
  const { kind } = JSON.parse(note.facts ?? '{}') as Pick<Look, 'kind'>;
  const { said, status, body, at: atMs } = note;
  const seen = { said: said as Look['said'], status: status ?? 0, body: body ?? EMPTY };
  return [{ attempt: note.of as AttemptId, kind, why: wordsOf(note), ...seen, atMs }];
}

/** @param spent what the answer cost before it was read again. */
function readingsIn(notes: readonly NoteRow[], spent: number): readonly Reading[] {
  let charged = spent;
  return notes
    .filter(({ kind }) => kind === 'reading' || kind === 'read')
    .map((note) => {
      charged += note.spent;
      const read = { answer: note.said as ReadAs, charged: credits(charged), why: wordsOf(note) };
      return { attempt: note.of as AttemptId, ...read, dialect: note.dialect ?? 0, atMs: note.at };
    });
}

function releasedBy(connection: Connection, notes: readonly NoteRow[]): AttemptRecord['released'] {
  const own = notes.find(({ kind }) => kind === 'released');
  if (own !== undefined) return { why: wordsOf(own), atMs: own.at };
  const freed = notes.find(({ kind }) => kind === 'freed');
  if (freed === undefined) return undefined;
  const [by] = checkedRows(connection, NOTES_TABLE, "id = ? AND kind = 'released'", freed.sees);
  return by === undefined ? { why: CHARGED_ONCE, atMs: freed.at } : { why: wordsOf(by), atMs: by.at };
}

export function decisionFrom(note: NoteRow, key: Buffer): Decision {
  const { by } = JSON.parse(note.facts ?? '{}') as Pick<Decision, 'by'>;
  const decided = { kind: note.said as Decision['kind'], by, why: wordsOf(note), atMs: note.at };
  return { id: note.id as DecisionId, key: keyText(key), batch: batchId(note.batch ?? 0), ...decided };
}
