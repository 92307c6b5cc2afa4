import type { CopiedTables } from '../../copying.ts';
import type { BatchId } from '../../ledger.ts';
import type { EntryFacts } from '../../rules/history.ts';
import { ENDED, type Kind, REPLIED, SENT } from '../../rules/moves.ts';
import { type BookEntry, beginningFrom, endFrom, noteFrom, noteRow, replyFrom } from './attempt-records.ts';
import type { Connection } from './connection.ts';
import { checkedRows } from './lookups.ts';
import type { WrittenRow } from './table.ts';
import {
  ATTEMPTS_TABLE,
  batchNumber,
  ENDS_TABLE,
  NOTES_TABLE,
  REPLIES_TABLE,
  REQUESTS_TABLE,
} from './tables.ts';
import { statusWords, storedHeaders } from './usual.ts';

/** The entries of the book, as a copy gives and takes them. */

type CopiedEntry = CopiedTables['entries'];

/** The number of an entry in the copy, where replies have numbers as well. */
export const numbered = (id: number): number => 2 * id;
const numberedOrNull = (id: number | null): number | null => (id === null ? null : numbered(id));

/** An entry with the numbers of the copy. A reply has no number here, and stands right after its attempt. */
function copiedFrom({ worker: _, ...entry }: BookEntry): CopiedEntry {
  const id = numbered(entry.id) + (entry.kind === 'reply' ? 1 : 0);
  return {
    ...{ ...entry, id, of: numbered(entry.of), call: numbered(entry.call) },
    ...{ sees: numberedOrNull(entry.sees), pays: numberedOrNull(entry.pays) },
  };
}

export function entriesIn(connection: Connection, from: number, before: number): readonly CopiedEntry[] {
  const range = (column: string): [string, number, number] => [
    `${column} >= ? AND ${column} < ?`,
    from,
    before,
  ];
  const requests = new Map(
    checkedRows(connection, REQUESTS_TABLE, ...range('attempt')).map((each) => [each.attempt, each]),
  );
  const lost = new Map(
    connection
      .all<{ id: number; reserved: number }>(RESERVED_BY_LOST, from, before)
      .map(({ id, reserved }) => [id, reserved]),
  );
  const entries = [
    ...checkedRows(connection, ATTEMPTS_TABLE, ...range('id')).map((row) =>
      beginningFrom(row, requests.get(row.id)),
    ),
    ...checkedRows(connection, REPLIES_TABLE, ...range('of')).map(replyFrom),
    ...checkedRows(connection, ENDS_TABLE, ...range('id')).map((row) => endFrom(row, lost.get(row.id))),
    ...checkedRows(connection, NOTES_TABLE, ...range('id')).map(noteFrom),
  ];
  return entries.map(copiedFrom).sort((a, b) => a.id - b.id);
}

const RESERVED_BY_LOST = `
SELECT e.id, a.reserved FROM ends e CROSS JOIN attempts a ON a.id = e.of
 WHERE e.id >= ? AND e.id < ? AND (e.kind = 'lost' OR e.kind = 'lost_beside')`;

export interface Numbers {
  next(former: number): number;
  of(former: number): number;
  ofNull(former: number | null): number | null;
}

const isOneOf = (kinds: readonly Kind[], kind: Kind): boolean => kinds.includes(kind);

/** @param entries in the order of their numbers. */
export function insertEntries(
  connection: Connection,
  numbers: Numbers,
  entries: readonly CopiedEntry[],
): void {
  const rows = {
    attempts: [] as WrittenRow<typeof ATTEMPTS_TABLE>[],
    requests: [] as WrittenRow<typeof REQUESTS_TABLE>[],
    replies: [] as WrittenRow<typeof REPLIES_TABLE>[],
    ends: [] as WrittenRow<typeof ENDS_TABLE>[],
    notes: [] as WrittenRow<typeof NOTES_TABLE>[],
  };
  for (const entry of entries) {
    const { kind } = entry;
    if (isOneOf(REPLIED, kind)) rows.replies.push(replyRow(numbers, entry));
    else if (isOneOf(ENDED, kind)) rows.ends.push(endRow(numbers, entry));
    else if (!isOneOf(SENT, kind)) rows.notes.push(numberedNote(numbers, entry));
    else {
      const attempt = attemptRow(numbers, entry);
      rows.attempts.push(attempt);
      if (entry.facts?.request !== undefined) rows.requests.push(requestRow(attempt.id, entry.facts.request));
    }
  }
  ATTEMPTS_TABLE.insertAll(connection, rows.attempts);
  REQUESTS_TABLE.insertAll(connection, rows.requests);
  REPLIES_TABLE.insertAll(connection, rows.replies);
  ENDS_TABLE.insertAll(connection, rows.ends);
  NOTES_TABLE.insertAll(connection, rows.notes);
}

const batchOf = (batch: BatchId | null): number | null => (batch === null ? null : batchNumber(batch));

function attemptRow(numbers: Numbers, entry: CopiedEntry): WrittenRow<typeof ATTEMPTS_TABLE> {
  const { kind, sees, batch, row, reserved, at } = entry;
  const id = numbers.next(entry.id);
  return {
    ...{ id, kind, call: numbers.of(entry.call), sees: numbers.ofNull(sees) },
    ...{ batch: batchOf(batch) ?? -1, row: row ?? 0, reserved: reserved ?? 0, at },
  };
}

function requestRow(
  attempt: number,
  { idempotencyKey, method, path, body, firstSentAtMs }: NonNullable<EntryFacts['request']>,
): WrittenRow<typeof REQUESTS_TABLE> {
  return {
    ...{ attempt, idempotency_key: idempotencyKey, method, path, first_sent_at: firstSentAtMs },
    body: body === undefined ? null : Buffer.from(body, 'base64'),
  };
}

function replyRow(
  numbers: Numbers,
  { of, call, at, status, headers, body }: CopiedEntry,
): WrittenRow<typeof REPLIES_TABLE> {
  return {
    ...{ of: numbers.of(of), call: numbers.of(call), at, status: status ?? 0 },
    ...{ ...storedHeaders(headers ?? {}, at), body: body ?? Buffer.alloc(0) },
  };
}

/** The status is all that there is to say of most answers. */
const keptWords = (words: string | null, status: number | null): string | null =>
  words === statusWords(status) ? null : words;

function endRow(numbers: Numbers, entry: CopiedEntry): WrittenRow<typeof ENDS_TABLE> {
  const { of, kind, call, pays, spent, at, said, status, dialect, estimated, words } = entry;
  const id = numbers.next(entry.id);
  return {
    ...{ of: numbers.of(of), id, kind, call: numbers.of(call), pays: numbers.ofNull(pays), spent, at, said },
    ...{ status, dialect, estimated: estimated ? 1 : 0, words: keptWords(words, status) },
  };
}

function numberedNote(numbers: Numbers, entry: CopiedEntry): WrittenRow<typeof NOTES_TABLE> {
  const [id, call, of] = [numbers.next(entry.id), numbers.of(entry.call), numbers.of(entry.of)];
  const [sees, pays] = [numbers.ofNull(entry.sees), numbers.ofNull(entry.pays)];
  return noteRow({ ...entry, id, call, of, sees, pays });
}
