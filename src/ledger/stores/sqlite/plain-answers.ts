import type { CallKey } from '../../../core/call-key.ts';
import type { Call } from '../../../core/operation.ts';
import {
  type AttemptId,
  credits,
  type DatedAnswer,
  isAnswer,
  type ReadAs,
  type RowAnswer,
} from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { hasKey } from './lookups.ts';
import { dialectOf, wholeOf } from './shapes.ts';
import { checksumOfText, isSum } from './table.ts';
import {
  ATTEMPTS_TABLE,
  batchId,
  CALLS_TABLE,
  CLOSURES_TABLE,
  READINGS_TABLE,
  REPLIES_TABLE,
} from './tables.ts';

/**
 * Most answers were settled when they came, and a page of rows has hundreds of them. These are read together, in one
 * statement, in which SQLite itself makes the lists that the checksums cover: each question by itself takes five times as
 * long. An answer means what it was last read as. What is not among them, such as an answer that a person told, is read by
 * `Calls`, and so is what does not agree with a checksum: that says what is missing or altered. A body is read as text, which
 * takes half of the time; one that is no UTF-8 does not agree with its checksum then.
 * @param key of the call, as hexadecimal digits. @param reply the list of the reply, with the body or without it.
 * @param cells that are wanted beside those of every answer.
 */
function plainIn(from: string, key: string, reply: string, cells = ''): string {
  return `
  SELECT j.key, a.id, a.batch, coalesce(e.answer, k.answer), coalesce(e.why, k.why), k.dialect,
         p.received_at, ${ATTEMPTS_TABLE.listInSql('a', key)}, a.checksum, ${CALLS_TABLE.listInSql('c', key)}, c.checksum,
         ${CLOSURES_TABLE.listInSql('k')}, k.checksum, ${reply}, p.checksum,
         iif(e.id IS NULL, NULL, ${READINGS_TABLE.listInSql('e')}), e.checksum, e.dialect${cells}
    FROM ${from}
   CROSS JOIN closures k ON k.attempt = a.id AND k.kind = 'settled' CROSS JOIN replies p ON p.attempt = a.id
    LEFT JOIN readings e ON e.id = (SELECT max(id) FROM readings WHERE attempt = a.id)`;
}

type PlainRow<Cells extends readonly unknown[] = readonly []> = [
  ...[at: number, attempt: AttemptId, batch: number, kind: ReadAs, why: string, readBy: number | null],
  ...[answeredAtMs: number, attemptList: string, sum: number, callList: string, sum: number],
  ...[closureList: string, sum: number, replyList: string, sum: number],
  ...[readingList: string | null, sum: number | null, rereadBy: number | null],
  ...Cells,
];

const BY_ATTEMPT = plainIn(
  'json_each(?) j CROSS JOIN attempts a ON a.id = j.value CROSS JOIN calls c ON c.id = a.call',
  'lower(hex(c.key))',
  REPLIES_TABLE.listInSql('p'),
  ', CAST(p.body AS TEXT), e.id, a.paid_row, c.shape, c.call, coalesce(e.charged, k.charged)',
);

type WholeRow = PlainRow<
  [body: string, reading: number | null, paidRow: number, shape: number | null, call: string, charged: number]
>;

/** The body is only checked, so it comes as one text with the list that stands before it under the checksum. */
const BY_KEY = plainIn(
  `json_each(?) j CROSS JOIN calls c ON ${hasKey('c', 'unhex(j.value)')} CROSS JOIN attempts a ON a.id = c.answer AND a.call = c.id`,
  'j.value',
  `${REPLIES_TABLE.listInSql('p')} || CAST(p.body AS TEXT)`,
);

/** A plain answer, and the newest reading of it; 0 where it was never read again. */
export interface PlainRowAnswer {
  readonly answer: RowAnswer;
  readonly reading: number;
}

/** The answers of these attempts that are plain. What is none by its newest reading is left out, as it may have been one. */
export function answersOfAttempts(
  connection: Connection,
  attempts: ReadonlySet<number>,
): ReadonlyMap<number, PlainRowAnswer> {
  const found = new Map<number, PlainRowAnswer>();
  for (const row of connection.lists<WholeRow>(BY_ATTEMPT, JSON.stringify([...attempts]))) {
    const body = row[18];
    const [, attempt, batch, kind, why, , answeredAtMs] = row;
    if (!isAnswer(kind) || !isIntact(row, body)) continue;
    const call = wholeOf(connection, row[21], row[22]) as unknown as Call;
    const whole = { body, paidRow: row[20], call, charged: credits(row[23]) };
    const answer = { attempt, batch: batchId(batch), kind, why, answeredAtMs, ...whole };
    found.set(attempt, { answer, reading: row[19] ?? 0 });
  }
  return found;
}

/** The plain answers to calls, in the order of the keys. An erased one is under another key; one that is none is left out. */
export function answersToCalls(
  connection: Connection,
  keys: readonly CallKey[],
): readonly (DatedAnswer | undefined)[] {
  const answers = new Array<DatedAnswer | undefined>(keys.length).fill(undefined);
  for (const row of connection.lists<PlainRow>(BY_KEY, JSON.stringify(keys))) {
    const [at, attempt, batch, kind, why, readBy, answeredAtMs] = row;
    if (!isAnswer(kind) || !isIntact(row, null)) continue;
    const dialect = row[17] ?? (readBy === null ? undefined : dialectOf(connection, readBy));
    const answer = { attempt, batch: batchId(batch), kind, why, answeredAtMs };
    answers[at] = dialect === undefined ? answer : { ...answer, dialect };
  }
  return answers;
}

/** Those of these calls for which there is an entry, whatever it says. */
export function keptAmong(connection: Connection, keys: readonly CallKey[]): ReadonlySet<CallKey> {
  const sql = `SELECT j.value FROM json_each(?) j CROSS JOIN calls c ON ${hasKey('c', 'unhex(j.value)')}`;
  return new Set(connection.lists<[CallKey]>(sql, JSON.stringify(keys)).map(([key]) => key));
}

function isIntact(row: PlainRow<readonly unknown[]>, body: string | null): boolean {
  return (
    isSum(row[8], checksumOfText(row[7], null)) &&
    isSum(row[10], checksumOfText(row[9], null)) &&
    isSum(row[12], checksumOfText(row[11], null)) &&
    isSum(row[14], checksumOfText(row[13], body)) &&
    (row[15] === null || isSum(row[16], checksumOfText(row[15], null)))
  );
}
