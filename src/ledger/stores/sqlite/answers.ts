import type { KeptBody } from '../../../core/answer-body.ts';
import type { CallKey } from '../../../core/call-key.ts';
import { present } from '../../../core/objects.ts';
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
import { type CallRow, callOf, recordOf, wordsOf } from './attempt-records.ts';
import { AlteredRow, type Connection } from './connection.ts';
import { hasKey } from './lookups.ts';
import { sumOfText } from './table.ts';
import {
  ATTEMPTS_TABLE,
  batchId,
  CALLS_TABLE,
  ENDS_TABLE,
  headersOf,
  NOTES_TABLE,
  REPLIES_TABLE,
} from './tables.ts';

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
  iif(:hidden, c.question ->> '$.erasedAtMs', NULL)`;

/** When it came; it is stored beside the body, so looking there adds a fifth to the time. */
const AGE = `iif(${TOLD}, coalesce(n.facts ->> '$.received_at', n.at), r.at)`;

const WHOLE = `iif(${TOLD}, n.status, r.status),
  coalesce((SELECT y.row FROM payers y WHERE y.attempt = a.id), a.row), c.operation, c.credits_most, c.question,
  iif(${TOLD}, a.reserved, k.spent + coalesce((SELECT sum(e.spent) FROM notes e WHERE e.of = a.id AND ${READING}), 0))`;

/** The lists, each with its sum; the body follows the last one. */
const LISTS = `${ATTEMPTS_TABLE.listInSql('a')}, a.sum, ${CALLS_TABLE.listInSql('c')}, c.sum,
  iif(k.of IS NULL, NULL, ${ENDS_TABLE.listInSql('k')}), k.sum,
  iif(k.words IS NULL, NULL, ${ENDS_TABLE.contentsInSql('k')}), k.content_sum,
  iif(n.id IS NULL, NULL, ${NOTES_TABLE.listInSql('n')}), n.sum,
  iif(n.id IS NULL OR ${TOLD}, NULL, ${NOTES_TABLE.contentsInSql('n')}), n.content_sum,
  iif(r.of IS NULL, NULL, ${REPLIES_TABLE.listInSql('r')}), r.sum,
  CASE WHEN ${TOLD} THEN ${NOTES_TABLE.contentsInSql('n')} WHEN r.of IS NOT NULL THEN ${REPLIES_TABLE.contentsInSql('r')} END,
  iif(${TOLD}, n.content_sum, r.content_sum)`;

/** @param cells those of this level of detail, beside what every level has. */
const statement = (from: string, attempt: string, age: string, ...cells: readonly string[]): string =>
  `SELECT ${['j.key', attempt, KIND, age, ...cells].join(', ')} FROM ${from}`;

const BODY = `CAST(iif(${TOLD}, n.body, r.body) AS TEXT)`;
const HEADERS = 'r.headers, r.dated';
const WITH_REPLY = ` LEFT JOIN replies r ON r.of = a.id AND NOT ${TOLD}`;
const STATES: Readonly<Record<Detail, string>> = {
  kind: statement(BY_KEY, AT, 'NULL'),
  age: statement(BY_KEY + WITH_REPLY, AT, AGE),
  checked: statement(BY_KEY + WITH_REPLY, AT, AGE, LISTS, BODY),
  whole: statement(BY_KEY + WITH_REPLY, AT, AGE, HEADERS, WHOLE, LISTS, BODY),
};
const ANSWERS = statement(
  BY_ATTEMPT + WITH_REPLY,
  'coalesce(a.id, j.key)',
  AGE,
  'NULL, NULL',
  WHOLE,
  LISTS,
  BODY,
);

type Cells = readonly [
  ...[at: number, attempt: AttemptId, state: CallRow['state'] | null, batch: number | null],
  ...[kind: ReadAs | null, dialect: number | null, words: string | null, status: number | null],
  ...[erasedAtMs: number | null, answeredAtMs: number | null],
  ...unknown[],
];
type WholeCells = readonly [
  ...[unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown],
  ...[headers: string | null, dated: number | null, status: number, paidRow: number],
  ...[operation: string, creditsMost: number | null, question: string, charged: number],
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
  const [, attempt, , , kind, dialect, words, status, erasedAtMs, answeredAtMs] = row;
  const batch = batchOf(row);
  const body = detail === 'checked' || detail === 'whole' ? checkedBody(connection, row) : null;
  if (kind === null || (answeredAtMs === null && detail !== 'kind')) return undefined;
  const answer = { attempt, batch, kind, why: wordsOf({ words, status }) };
  const dated = answeredAtMs === null ? answer : { ...answer, answeredAtMs };
  const read = dialect === null ? dated : { ...dated, dialect };
  if (detail === 'whole') return { ...read, ...wholeFrom(row, body) };
  return erasedAtMs === null ? read : { ...read, erasedAtMs };
}

function wholeFrom(row: Cells, body: KeptBody | null) {
  const [, , , , , , , , , , headers, dated, status, paidRow, operation, creditsMost, question, charged] =
    row as unknown as WholeCells;
  const call = callOf(operation, creditsMost, question);
  const whole = { call, charged: credits(charged), status, body: body ?? '', paidRow };
  if (headers === null && call.erasedAtMs === undefined) return whole;
  const asked = headers === null ? {} : { headers: headersOf({ dated, headers }) };
  return { ...whole, ...asked, ...present({ erasedAtMs: call.erasedAtMs }) };
}

function batchOf([, attempt, state, batch]: Cells): BatchId {
  if (batch === null) throw new AlteredRow(`attempt ${attempt} is missing`);
  if (state === null) throw new AlteredRow(`the call of attempt ${attempt} is missing`);
  return batchId(batch);
}

/** @throws AlteredRow when a row that the answer was read from does not agree with its sum. */
function checkedBody(connection: Connection, row: Cells): KeptBody | null {
  const [list, sum, body] = row.slice(-3) as [string | null, number | null, string | null];
  let isIntact = list === null || sum === sumOfText(list, body);
  for (let at = row.length - 17; isIntact && at < row.length - 3; at += 2) {
    const each = row[at] as string | null;
    isIntact = each === null || row[at + 1] === sumOfText(each, null);
  }
  if (isIntact) return body;
  recordOf(connection, row[1]);
  return connection.get<{ body: Buffer | null }>(BYTES, { attempt: row[1] })?.body ?? null;
}
