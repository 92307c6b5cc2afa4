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
import { headersOf, statusWords } from './entries.ts';
import { hasKey } from './lookups.ts';
import { sumOfText } from './table.ts';
import { ATTEMPTS_TABLE, batchId, CALLS_TABLE, ENDS_TABLE, NOTES_TABLE, REPLIES_TABLE } from './tables.ts';

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

/** What came, which only the whole answer has. Its list is followed by its body. */
const BODY = `iif(r.of IS NULL, NULL, ${REPLIES_TABLE.contentsInSql('r')}), r.content_sum,
  CAST(iif(${TOLD}, n.body, r.body) AS TEXT)`;

/** @param cells those of this level of detail, beside what every level has. */
const statement = (from: string, attempt: string, age: string, ...cells: readonly string[]): string =>
  `SELECT ${['j.key', attempt, KIND, age, ...cells].join(', ')} FROM ${from}`;

const HEADERS = 'c.terms, r.headers, r.dated, r.at';
const WITH_REPLY = ` LEFT JOIN replies r ON r.of = a.id AND NOT ${TOLD}`;
const STATES: Readonly<Record<Detail, string>> = {
  kind: statement(BY_KEY, AT, 'NULL'),
  age: statement(BY_KEY + WITH_REPLY, AT, AGE),
  checked: statement(BY_KEY + WITH_REPLY, AT, AGE, RARE, LISTS),
  whole: statement(BY_KEY + WITH_REPLY, AT, AGE, RARE, LISTS, BODY, WHOLE, HEADERS),
};
const ANSWERS = statement(
  BY_ATTEMPT + WITH_REPLY,
  'coalesce(a.id, j.key)',
  AGE,
  RARE,
  LISTS,
  BODY,
  WHOLE,
  'c.terms, NULL, NULL, NULL',
);

/** The places of these cells in a row, each list with its sum behind it. */
const AT_RARE = 10;
const AT_LISTS = 11;
const AT_CONTENTS = 21;
const AT_BODY = 23;

type Cells = readonly [
  ...[at: number, attempt: AttemptId, state: CallRow['state'] | null, batch: number | null],
  ...[kind: ReadAs | null, dialect: number | null, words: string | null, status: number | null],
  ...[erasedAtMs: number | null, answeredAtMs: number | null, rare: string | null],
  ...unknown[],
];
type Eight = readonly [unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown];
type WholeCells = readonly [
  ...[...Eight, ...Eight, ...Eight, status: number, paidRow: number],
  ...[operation: string, creditsMost: number | null, parameters: string, charged: number],
  ...[terms: string | null, headers: string | null, dated: number | null, receivedAtMs: number],
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
  for (const row of connection.lists<Cells>(STATES[detail], values)) {
    const [at, attempt, state] = row;
    const answer = answerFrom(connection, row, detail);
    if (state === 'free') states[at] = { kind: 'in_flight', attempt };
    else if (state === 'doubt') states[at] = { kind: 'in_doubt', doubt: { attempt, batch: batchOf(row) } };
    else if (answer === undefined) throw new AlteredRow(`the answer of attempt ${attempt} is not whole`);
    else states[at] = answeredCall(answer) as CallState<Detail>;
  }
  return states;
}

/** The answers of these attempts, each by the newest reading that counts; undefined for one that brought none. */
export function answersOf(
  connection: Connection,
  wanted: readonly (readonly [attempt: number, readTo: number | null])[],
): readonly (AnswerRecord<ReadAs> | undefined)[] {
  const named = wanted.map(([attempt, readTo]) => `"${attempt}":${readTo}`);
  const rows = connection.lists<Cells>(ANSWERS, { wanted: `{${named.join()}}`, hidden: 0 });
  return rows.map((row) => answerFrom(connection, row, 'whole') as AnswerRecord<ReadAs> | undefined);
}

function answerFrom(connection: Connection, row: Cells, detail: Detail): KnownAnswer<ReadAs> | undefined {
  const { 1: attempt, 4: kind, 5: dialect, 6: words, 7: status, 8: erasedAtMs, 9: answeredAtMs } = row;
  const batch = batchOf(row);
  const body = detail === 'checked' || detail === 'whole' ? checkedBody(connection, row, detail) : null;
  if (kind === null || (answeredAtMs === null && detail !== 'kind')) return undefined;
  const answer: Filling = { attempt, batch, kind, why: words ?? statusWords(status) };
  if (answeredAtMs !== null) answer.answeredAtMs = answeredAtMs;
  if (dialect !== null) answer.dialect = dialect;
  if (detail === 'whole') fill(answer, row as unknown as WholeCells, body);
  else if (erasedAtMs !== null) answer.erasedAtMs = erasedAtMs;
  return answer;
}

/** An answer that is put together: copies of it, each with a member more, would be most of the garbage of a page. */
type Filling = KnownAnswer<ReadAs> & {
  -readonly [Name in Exclude<keyof AnswerRecord, 'kind'>]?: AnswerRecord[Name];
};

function fill(answer: Filling, row: WholeCells, body: KeptBody | null): void {
  const { 24: status, 25: paidRow, 26: operation, 27: creditsMost, 28: parameters, 29: charged } = row;
  const { 30: terms, 31: headers, 32: dated, 33: at } = row;
  const call = callIn(operation, creditsMost, parameters, terms);
  answer.call = call;
  answer.charged = credits(charged);
  answer.status = status;
  answer.body = body ?? '';
  answer.paidRow = paidRow;
  if (headers !== null) answer.headers = headersOf({ at, dated, headers });
  if (call.erasedAtMs !== undefined) answer.erasedAtMs = call.erasedAtMs;
}

function batchOf({ 1: attempt, 2: state, 3: batch }: Cells): BatchId {
  if (batch === null) throw new AlteredRow(`attempt ${attempt} is missing`);
  if (state === null) throw new AlteredRow(`the call of attempt ${attempt} is missing`);
  return batchId(batch);
}

/** @throws AlteredRow when a row that the answer was read from does not agree with its sum. */
function checkedBody(connection: Connection, row: Cells, detail: 'checked' | 'whole'): KeptBody | null {
  const body = detail === 'whole' ? (row[AT_BODY] as string | null) : null;
  let isIntact = isRareIntact(row[AT_RARE]);
  for (let at = AT_LISTS; isIntact && at < AT_CONTENTS; at += 2)
    isIntact = agrees(row[at], row[at + 1], null);
  if (detail === 'whole') isIntact &&= agrees(row[AT_CONTENTS], row[AT_CONTENTS + 1], body);
  if (isIntact) return body;
  recordOf(connection, row[1]);
  if (detail === 'checked') return null;
  return connection.get<{ body: Buffer | null }>(BYTES, { attempt: row[1] })?.body ?? null;
}

function isRareIntact(rare: string | null): boolean {
  const cells: readonly unknown[] = rare === null ? [] : JSON.parse(rare);
  return cells.every((list, at) => at % 3 > 0 || agrees(list, cells[at + 1], cells[at + 2]));
}

/** Whether a list, and what follows it, agrees with its sum. A list that is not there has none. */
function agrees(list: unknown, sum: unknown, body: unknown): boolean {
  return list === null || sum === sumOfText(list as string, body as string | null);
}
