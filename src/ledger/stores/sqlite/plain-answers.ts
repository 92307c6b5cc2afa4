import type { CallKey } from '../../../core/call-key.ts';
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
import { callOf, wordsOf } from './stories.ts';
import { sumOfText } from './table.ts';
import { ATTEMPTS_TABLE, batchId, CALLS_TABLE, ENDS_TABLE, NOTES_TABLE, REPLIES_TABLE } from './tables.ts';

/**
 * Most calls were answered by their first reply, and a page of rows has hundreds of them. These are read together, in one
 * statement, in which SQLite itself makes the lists that the sums cover: each question by itself takes five times as
 * long. An answer means what it was last read as. What is not among them, such as an answer that a person told, is read by
 * `Calls`, and so is what does not agree with a sum: that says what is missing or altered. A body is read as text, which
 * takes half of the time; one that is no UTF-8 does not agree with its sum then.
 * @param content the list of what the reply holds, with the body or without it. @param cells wanted beside those of every answer.
 */
function plainIn(from: string, content: string, cells = ''): string {
  return `
  SELECT j.key, a.id, a.batch, coalesce(n.said, k.said), coalesce(n.dialect, k.dialect), k.status,
         iif(n.id IS NULL, k.words, n.words), r.at,
         ${ATTEMPTS_TABLE.listInSql('a')}, a.sum, ${CALLS_TABLE.listInSql('c')}, c.sum,
         ${ENDS_TABLE.listInSql('k')}, k.sum, ${REPLIES_TABLE.listInSql('r')}, r.sum, ${content}, r.content_sum,
         iif(k.words IS NULL, NULL, ${ENDS_TABLE.contentsInSql('k')}), k.content_sum,
         iif(n.id IS NULL, NULL, ${NOTES_TABLE.listInSql('n')}), n.sum,
         iif(n.id IS NULL, NULL, ${NOTES_TABLE.contentsInSql('n')}), n.content_sum${cells}
    FROM ${from}
   CROSS JOIN ends k ON k.of = a.id AND k.kind = 'answered' CROSS JOIN replies r ON r.of = a.id
    LEFT JOIN notes n ON n.id = (SELECT max(e.id) FROM notes e WHERE e.of = a.id AND e.kind = 'reading')`;
}

type Sum = number;
type PlainRow<Cells extends readonly unknown[] = readonly []> = [
  ...[at: number, attempt: AttemptId, batch: number, kind: ReadAs, dialect: number | null, status: number],
  ...[words: string | null, answeredAtMs: number],
  ...[attempt: string, sum: Sum, call: string, sum: Sum, end: string, sum: Sum, reply: string, sum: Sum],
  ...[content: string, sum: Sum, words: string | null, sum: Sum | null],
  ...[reading: string | null, sum: Sum | null, words: string | null, sum: Sum | null],
  ...Cells,
];

/** Where the lists stand that have a sum behind them, and that of the content of the reply, which the body follows. */
const LISTS = [8, 10, 12, 14, 18, 20, 22] as const;
const CONTENT = 16;

const BY_ATTEMPT = plainIn(
  'json_each(?) j CROSS JOIN attempts a ON a.id = j.value CROSS JOIN calls c ON c.id = a.call',
  REPLIES_TABLE.contentsInSql('r'),
  `, CAST(r.body AS TEXT), n.id, coalesce((SELECT y.row FROM payers y WHERE y.attempt = a.id), a.row),
         c.operation, c.credits_most, c.question,
         k.spent + iif(n.id IS NULL, 0, (SELECT sum(e.spent) FROM notes e WHERE e.of = a.id AND e.kind = 'reading'))`,
);

type WholeRow = PlainRow<
  [
    ...[body: string, reading: number | null, paidRow: number],
    ...[operation: string, creditsMost: number | null, question: string, charged: number],
  ]
>;

/** The body is only checked, so it comes as one text with the list that stands before it under the sum. */
const BY_KEY = plainIn(
  `json_each(?) j CROSS JOIN calls c ON ${hasKey('c', 'unhex(j.value)')}
   CROSS JOIN attempts a ON c.state = 'answered' AND a.id = c.stands`,
  `${REPLIES_TABLE.contentsInSql('r')} || CAST(r.body AS TEXT)`,
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
    const [, attempt, batch, kind, , status, words, answeredAtMs] = row;
    const [body, reading, paidRow, operation, creditsMost, question, charged] = row.slice(
      BEHIND_LISTS,
    ) as unknown as Tail;
    if (!isAnswer(kind) || !isIntact(row, body)) continue;
    const call = callOf(operation, creditsMost, question);
    const why = wordsOf({ words, status });
    const answer = { attempt, batch: batchId(batch), kind, why, answeredAtMs };
    found.set(attempt, {
      answer: { ...answer, body, paidRow, call, charged: credits(charged) },
      reading: reading ?? 0,
    });
  }
  return found;
}

const BEHIND_LISTS = 24;
type Tail = [string, number | null, number, string, number | null, string, number];

/** The plain answers to calls, in the order of the keys. An erased one is under another key; one that is none is left out. */
export function answersToCalls(
  connection: Connection,
  keys: readonly CallKey[],
): readonly (DatedAnswer | undefined)[] {
  const answers = new Array<DatedAnswer | undefined>(keys.length).fill(undefined);
  for (const row of connection.lists<PlainRow>(BY_KEY, JSON.stringify(keys))) {
    const [at, attempt, batch, kind, dialect, status, words, answeredAtMs] = row;
    if (!isAnswer(kind) || !isIntact(row, null)) continue;
    const answer = { attempt, batch: batchId(batch), kind, why: wordsOf({ words, status }), answeredAtMs };
    answers[at] = dialect === null ? answer : { ...answer, dialect };
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
    row[CONTENT + 1] === sumOfText(row[CONTENT], body) &&
    LISTS.every((at) => {
      const list = row[at];
      return list === null || row[at + 1] === sumOfText(list, null);
    })
  );
}
