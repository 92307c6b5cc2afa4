import type { CallKey } from '../../../core/call-key.ts';
import type { Call } from '../../../core/operation.ts';
import { type AnswerKind, type AnswerRecord, type AttemptId, credits } from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { checksumOfText } from './table.ts';
import { ATTEMPTS_TABLE, batchId, CALLS_TABLE, CLOSURES_TABLE, REPLIES_TABLE } from './tables.ts';

/**
 * Most answers were settled when they came and never read again, and a page of rows has a thousand of them. These are read
 * together, in one statement, in which SQLite itself makes the lists that the checksums cover: each question by itself
 * takes five times as long. What is not among them, such as an answer that a person told, is read by `Calls`, and so is
 * what does not agree with a checksum: that says what is missing or altered.
 */
function plainIn(from: string): string {
  return `
  SELECT j.key, a.id, a.batch, a.paid_row, c.call, k.answer, k.charged, k.why, k.dialect, p.status, p.received_at, p.body,
         ${ATTEMPTS_TABLE.listInSql('a', 'c.key')}, a.checksum, ${CALLS_TABLE.listInSql('c', 'c.key')}, c.checksum,
         ${CLOSURES_TABLE.listInSql('k')}, k.checksum, ${REPLIES_TABLE.listInSql('p')}, p.checksum
    FROM ${from}
   CROSS JOIN closures k ON k.attempt = a.id AND k.kind = 'settled' CROSS JOIN replies p ON p.attempt = a.id
   WHERE NOT EXISTS (SELECT 1 FROM readings e WHERE e.attempt = a.id)`;
}

type PlainRow = [
  ...[at: number, attempt: AttemptId, batch: number, paidRow: number, call: string],
  ...[kind: AnswerKind, charged: number, why: string, dialect: number | null],
  ...[status: number, answeredAtMs: number, body: Buffer],
  ...[attemptList: string, sum: number, callList: string, sum: number],
  ...[closureList: string, sum: number, replyList: string, sum: number],
];

const BY_ATTEMPT = plainIn(
  'json_each(?) j CROSS JOIN attempts a ON a.id = j.value CROSS JOIN calls c ON c.id = a.call',
);
const BY_KEY = plainIn(
  'json_each(?) j CROSS JOIN calls c ON c.key = unhex(j.value) CROSS JOIN attempts a ON a.id = c.answer AND a.call = c.id',
);

/** The answers of these attempts, each checked when it is asked for; undefined for one that is not plain. */
export function answersOfAttempts(
  connection: Connection,
  attempts: ReadonlySet<number>,
): (attempt: number) => AnswerRecord | undefined {
  const rows = connection.lists<PlainRow>(BY_ATTEMPT, JSON.stringify([...attempts]));
  const found = new Map<number, PlainRow>(rows.map((row) => [row[1], row]));
  return (attempt) => {
    const row = found.get(attempt);
    return row && answerIn(row);
  };
}

/** The plain answers to calls, in the order of the keys. */
export function answersToCalls(
  connection: Connection,
  keys: readonly CallKey[],
): readonly (AnswerRecord | undefined)[] {
  const answers = new Array<AnswerRecord | undefined>(keys.length).fill(undefined);
  for (const row of connection.lists<PlainRow>(BY_KEY, JSON.stringify(keys))) answers[row[0]] = answerIn(row);
  return answers;
}

/** Those of these calls for which there is an entry, whatever it says. */
export function keptAmong(connection: Connection, keys: readonly CallKey[]): ReadonlySet<CallKey> {
  const sql = 'SELECT j.value FROM json_each(?) j CROSS JOIN calls c ON c.key = unhex(j.value)';
  return new Set(connection.lists<[CallKey]>(sql, JSON.stringify(keys)).map(([key]) => key));
}

function answerIn(row: PlainRow): AnswerRecord | undefined {
  const [, attempt, batch, paidRow, text, kind, charged, why, dialect, status, answeredAtMs, body] = row;
  if (!isIntact(row)) return undefined;
  const call = JSON.parse(text) as Call;
  return {
    ...{ attempt, batch: batchId(batch), paidRow, call, kind, why, charged: credits(charged) },
    ...{ status, body, answeredAtMs },
    ...(dialect === null ? {} : { dialect }),
    ...(call.erasedAtMs === undefined ? {} : { erasedAtMs: call.erasedAtMs }),
  };
}

function isIntact(row: PlainRow): boolean {
  const [, , , , , , , , , , , body, ofAttempt, attempt, ofCall, call, ofClosure, closure, ofReply, reply] =
    row;
  return (
    checksumOfText(ofAttempt, null) === attempt &&
    checksumOfText(ofCall, null) === call &&
    checksumOfText(ofClosure, null) === closure &&
    checksumOfText(ofReply, body) === reply
  );
}
