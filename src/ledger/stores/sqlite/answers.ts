import type { KeptBody } from '../../../core/answer-body.ts';
import type { CallKey } from '../../../core/call-key.ts';
import {
  type AnswerRecord,
  type AttemptId,
  answeredCall,
  type BatchId,
  type CallState,
  credits,
  type Detail,
  type KnownAnswer,
  type ReadAs,
} from '../../ledger.ts';
import { type CallRow, callIn, recordOf } from './attempt-records.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { hasKey } from './lookups.ts';
import { sumOfText } from './table.ts';
import { ATTEMPTS_TABLE, batchId, CALLS_TABLE, ENDS_TABLE, NOTES_TABLE, REPLIES_TABLE } from './tables.ts';
import { headersOf, statusWords } from './usual.ts';

/**
 * The answers of many calls or attempts: one statement for all of them, because passing a key costs as much as finding it, and
 * each question by itself takes five times as long. An answer means what it was last read as, and what was told counts as found.
 *
 * SQLite itself makes the lists that sums cover. What does not agree with one is read again, row by row, which says what is
 * missing or altered. It says nothing where SQLite writes a list in another way than we do, or where a body that was read as
 * text is no UTF-8; that takes half of the time.
 */

const TOLD = "n.kind IS 'told'";
const READING = "(e.kind = 'reading' OR e.kind = 'read')";
/** A loss that was counted with one that a person told about points to what was told. */
const NEWEST = `SELECT max(iif(e.kind = 'counted', e.sees, e.id)) FROM notes e WHERE e.of = a.id AND`;
const SAID = "e.kind = 'told' OR e.kind = 'counted'";

/** The attempt that a call is known by: the one that stands, or the one that is under way. */
const AT = 'coalesce(c.stands, c.open)';

const BY_KEY = `json_each(:wanted) j CROSS JOIN calls c ON ${hasKey('c', 'unhex(j.value)')} AND ${AT} IS NOT NULL
  LEFT JOIN attempts a ON a.id = ${AT} LEFT JOIN ends k ON k.of = a.id
  LEFT JOIN notes n ON n.id = (${NEWEST} (${SAID} OR ${READING}))`;

/** The names are attempts, and the values the newest readings of them that count. */
const BY_ATTEMPT = `json_each(:wanted) j LEFT JOIN attempts a ON a.id = j.key LEFT JOIN calls c ON c.id = a.call
  LEFT JOIN ends k ON k.of = a.id
  LEFT JOIN notes n ON n.id = (${NEWEST} (${SAID} OR (${READING} AND e.id <= j.value)))`;

/** Of every answer: what it is, and of which call. */
const KIND = `c.state, a.batch,
  CASE WHEN ${TOLD} THEN 'found' WHEN n.id IS NOT NULL THEN n.said WHEN k.kind = 'answered' THEN k.said END,
  iif(n.id IS NULL, k.dialect, n.dialect), iif(n.id IS NULL, k.words, n.words), k.status,
  iif(:hidden, c.terms ->> '$.erasedAtMs', NULL)`;

/** When it came; it is stored beside the body, so looking there adds a fifth to the time. */
const AGE = `iif(${TOLD}, coalesce(n.facts ->> '$.received_at', n.at), r.at)`;

const WHOLE = `iif(${TOLD}, n.status, r.status),
  coalesce((SELECT y.row FROM payers y WHERE y.attempt = a.id), a.row), c.operation, c.credits_most, c.parameters,
  iif(${TOLD}, a.reserved, k.spent + coalesce((SELECT sum(e.spent) FROM notes e WHERE e.of = a.id AND ${READING}), 0))`;

/** What was told or read again, which is so of few answers: two lists, each with its sum and what follows it. */
const RARE = `iif(n.id IS NULL, NULL, json_array(
  ${NOTES_TABLE.listInSql('n')} || '', n.sum, NULL, ${NOTES_TABLE.contentsInSql('n')} || '', n.content_sum, CAST(n.body AS TEXT)))`;

/** Lists with their sums, of all else that says what an answer is and when it came. */
const LISTS = `${ATTEMPTS_TABLE.listInSql('a')}, a.sum, ${CALLS_TABLE.listInSql('c')}, c.sum,
  iif(k.of IS NULL, NULL, ${ENDS_TABLE.listInSql('k')}), k.sum,
  iif(k.words IS NULL, NULL, ${ENDS_TABLE.contentsInSql('k')}), k.content_sum,
  iif(r.of IS NULL, NULL, ${REPLIES_TABLE.listInSql('r')}), r.sum`;

/** What came, which only the whole answer has. */
const BODY = `CAST(iif(${TOLD}, n.body, r.body) AS TEXT)`;
/** Its list is followed by the body. */
const CONTENTS = `iif(r.of IS NULL, NULL, ${REPLIES_TABLE.contentsInSql('r')}), r.content_sum`;

const statement = (from: string, attempt: string, age: string, ...cells: readonly string[]): string =>
  `SELECT ${['j.key', attempt, KIND, age, ...cells].join(', ')} FROM ${from}`;

const HEADERS = 'c.terms, r.headers, r.dated, r.typed, r.at';
const WITH_REPLY = ` LEFT JOIN replies r ON r.of = a.id AND NOT ${TOLD}`;
const STATES: Readonly<Record<Detail, string>> = {
  kind: statement(BY_KEY, AT, 'NULL'),
  age: statement(BY_KEY + WITH_REPLY, AT, AGE),
  checked: statement(BY_KEY + WITH_REPLY, AT, AGE, RARE, LISTS),
  whole: statement(BY_KEY + WITH_REPLY, AT, AGE, BODY, WHOLE, HEADERS, RARE, LISTS, CONTENTS),
};
const ANSWERS = statement(
  BY_ATTEMPT + WITH_REPLY,
  'coalesce(a.id, j.key)',
  AGE,
  BODY,
  WHOLE,
  'c.terms, NULL, NULL, NULL, NULL',
  RARE,
  LISTS,
  CONTENTS,
);

/** The place of the body in a row, and where the lists begin with which it is checked: they come last, and are then cut off. */
const AT_BODY = 10;
const AT_RARE: Readonly<Record<Detail, number>> = { kind: 10, age: 10, checked: 10, whole: 22 };

export type Cells = [
  ...[at: number, attempt: AttemptId, state: CallRow['state'] | null, batch: number | null],
  ...[kind: ReadAs | null, dialect: number | null, words: string | null, status: number | null],
  ...[erasedAtMs: number | null, answeredAtMs: number | null],
  ...unknown[],
];
type TenOfAnyAnswer = readonly [...Four, ...Four, unknown, unknown];
type Four = readonly [unknown, unknown, unknown, unknown];
type WholeCells = readonly [
  ...[...TenOfAnyAnswer, body: KeptBody | null, status: number, paidRow: number],
  ...[operation: string, creditsMost: number | null, parameters: string, charged: number],
  ...[
    terms: string | null,
    headers: string | null,
    dated: number | null,
    typed: number | null,
    receivedAtMs: number,
  ],
];

const BYTES = `SELECT coalesce(
  (SELECT body FROM notes WHERE id = (SELECT max(iif(e.kind = 'counted', e.sees, e.id)) FROM notes e WHERE e.of = :attempt AND (${SAID}))),
  (SELECT body FROM replies WHERE of = :attempt)) AS body`;

const UNKNOWN = { kind: 'unknown' } as const;

/** The states in the order of the keys; of a call in doubt the facts are left out. @param isHidden they are keys of forgotten people. */
export function statesUnder(
  connection: Connection,
  keys: readonly CallKey[],
  detail: Detail,
  isHidden: boolean,
): CallState<Detail>[] {
  const states = new Array<CallState<Detail>>(keys.length).fill(UNKNOWN);
  const values = { wanted: JSON.stringify(keys), hidden: isHidden ? 1 : 0 };
  for (const row of checkedCells(connection, STATES[detail], values, detail)) {
    const [at, attempt, state] = row;
    const answer = answerFrom(row, detail);
    if (state === 'free') states[at] = { kind: 'in_flight', attempt };
    else if (state === 'doubt') states[at] = { kind: 'in_doubt', doubt: { attempt, batch: batchOf(row) } };
    else if (answer === undefined) throw new AlteredRow(`the answer of attempt ${attempt} is not whole`);
    else states[at] = answeredCall(answer) as CallState<Detail>;
  }
  return states;
}

/**
 * What is known of these attempts, each by the newest reading that counts, and checked: where SQLite cannot give a body as text, it is
 * bytes. Nothing of it refers to the connection.
 */
export function cellsOf(
  connection: Connection,
  wanted: readonly (readonly [attempt: number, readTo: number | null])[],
): readonly Cells[] {
  const named = wanted.map(([attempt, readTo]) => `"${attempt}":${readTo}`);
  return checkedCells(connection, ANSWERS, { wanted: `{${named.join()}}`, hidden: 0 }, 'whole');
}

export function answersOf(
  connection: Connection,
  wanted: Parameters<typeof cellsOf>[1],
): readonly (AnswerRecord<ReadAs> | undefined)[] {
  return cellsOf(connection, wanted).map(wholeAnswer);
}

export const wholeAnswer = (cells: Cells): AnswerRecord<ReadAs> | undefined =>
  answerFrom(cells, 'whole') as AnswerRecord<ReadAs> | undefined;

function answerFrom(row: Cells, detail: Detail): KnownAnswer<ReadAs> | undefined {
  const { 1: attempt, 4: kind, 5: dialect, 6: words, 7: status, 8: erasedAtMs, 9: answeredAtMs } = row;
  const batch = batchOf(row);
  if (kind === null || (answeredAtMs === null && detail !== 'kind')) return undefined;
  const answer: Filling = { attempt, batch, kind, why: words ?? statusWords(status) };
  if (answeredAtMs !== null) answer.answeredAtMs = answeredAtMs;
  if (dialect !== null) answer.dialect = dialect;
  if (detail === 'whole') fill(answer, row as unknown as WholeCells);
  else if (erasedAtMs !== null) answer.erasedAtMs = erasedAtMs;
  return answer;
}

type Filling = KnownAnswer<ReadAs> & {
  -readonly [Name in Exclude<keyof AnswerRecord, 'kind'>]?: AnswerRecord[Name];
};

function fill(answer: Filling, row: WholeCells): void {
  const { 10: body, 11: status, 12: paidRow, 13: operation, 14: creditsMost, 15: parameters } = row;
  const { 16: charged, 17: terms, 18: headers, 19: dated, 20: typed, 21: at } = row;
  const call = callIn(operation, creditsMost, parameters, terms);
  answer.call = call;
  answer.charged = credits(charged);
  answer.status = status;
  answer.body = body ?? '';
  answer.paidRow = paidRow;
  if (headers !== null) answer.headers = headersOf({ at, dated, typed, headers });
  if (call.erasedAtMs !== undefined) answer.erasedAtMs = call.erasedAtMs;
}

function batchOf({ 1: attempt, 2: state, 3: batch }: Cells): BatchId {
  if (batch === null) throw new AlteredRow(`attempt ${attempt} is missing`);
  if (state === null) throw new AlteredRow(`the call of attempt ${attempt} is missing`);
  return batchId(batch);
}

/** @throws AlteredRow when a row that an answer was read from does not agree with its sum. */
function checkedCells(
  connection: Connection,
  sql: string,
  values: Readonly<Record<string, string | number>>,
  detail: Detail,
): readonly Cells[] {
  const rows = connection.lists<Cells>(sql, values);
  if (detail === 'kind' || detail === 'age') return rows;
  const rare = AT_RARE[detail];
  for (const row of rows) {
    // What was lost of an attempt is told before anything is read anew.
    batchOf(row);
    if (!isIntact(row, rare)) {
      recordOf(connection, row[1]);
      if (detail === 'whole')
        row[AT_BODY] = connection.get<{ body: Buffer | null }>(BYTES, { attempt: row[1] })?.body ?? null;
    }
    row.length = rare;
  }
  return rows;
}

function isIntact(row: Cells, rare: number): boolean {
  if (!isRareIntact(row[rare] as string | null)) return false;
  const contents = rare + 11;
  for (let at = rare + 1; at < contents; at += 2) if (!agrees(row[at], row[at + 1], null)) return false;
  return row.length === contents || agrees(row[contents], row[contents + 1], row[AT_BODY]);
}

function isRareIntact(rare: string | null): boolean {
  const cells: readonly unknown[] = rare === null ? [] : JSON.parse(rare);
  return cells.every((list, at) => at % 3 > 0 || agrees(list, cells[at + 1], cells[at + 2]));
}

/** Whether a list, and what follows it, agrees with its sum. A list that is not there has none. */
function agrees(list: unknown, sum: unknown, body: unknown): boolean {
  return list === null || sum === sumOfText(list as string, body as string | null);
}
