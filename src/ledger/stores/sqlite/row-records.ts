import { present } from '../../../core/objects.ts';
import type { Outcome, OutcomeKind } from '../../../core/row.ts';
import { credits, type LedgerReader, type RowKind, type RowRecord, rowAnswersOf } from '../../ledger.ts';
import { cellsOf, wholeAnswer } from './answers.ts';
import type { Connection, Reads } from './connection.ts';
import { checkedRows } from './lookups.ts';
import { hasReadings } from './notes.ts';
import { sumOfText } from './table.ts';
import { batchNumber, PLANNED_TABLE, ROWS_TABLE } from './tables.ts';

/**
 * Rows with their answers, a page of them at a time. A page has a thousand rows, so nothing is made of one that is not handed
 * on: SQLite makes the lists that the sums cover, and cells have no names.
 */

/** The cells of a row of `rows w`, for `recordsBy`: behind the first five stands by what the row is checked, which is then cut off. */
const ROW_CELLS = `w.row, w.outcome, w.matched_by, w.reason, w.input, w.answers, w.read_to,
       ${ROWS_TABLE.listInSql('w')}, w.sum`;

type RowCells = [
  ...[row: number, kind: OutcomeKind, matchedBy: string | null, reason: string | null, input: number | null],
  ...unknown[],
];

/** Reads and checks an answer once, although many rows of a page may share it. */
function recordsBy(
  connection: Connection,
  sql: string,
  values: Readonly<Record<string, number>> & { readonly batch: number },
): readonly RowRecord[] {
  const rows = connection.lists<RowCells>(sql, values);
  const wanted: (readonly [attempt: number, readTo: number | null])[] = [];
  const known = new Map<number | string, number>();
  const placeOf = (attempt: number, readTo: number | null): number => {
    const name = readTo === null ? attempt : `${attempt} ${readTo}`;
    let place = known.get(name);
    if (place === undefined) {
      place = wanted.push([attempt, readTo]) - 1;
      known.set(name, place);
    }
    return place;
  };
  const places = rows.map((cells) => {
    const [by, readTo, list, sum] = cells.splice(5) as [string, number | null, string, number];
    // SQLite may just write the list in another way than we do.
    if (sum !== sumOfText(list, null))
      checkedRows(connection, ROWS_TABLE, 'batch = ? AND row = ?', values.batch, cells[0]);
    return (JSON.parse(by) as readonly number[]).map((attempt) => placeOf(attempt, readTo));
  });
  const found = cellsOf(connection, wanted).map((cells) => rowAnswersOf(wholeAnswer(cells)));
  return rows.map(({ 0: row, 1: kind, 2: matchedBy, 3: reason, 4: input }, at) => {
    const [first, ...others] = places[at] ?? [];
    const own = first === undefined ? [] : (found[first] ?? []);
    const answers = others.length === 0 ? own : [...own, ...others.flatMap((place) => found[place] ?? [])];
    const outcome = outcomeOf(kind, matchedBy, reason);
    return input === null ? { row, outcome, answers } : { row, outcome, answers, input };
  });
}

function outcomeOf(kind: OutcomeKind, matchedBy: string | null, reason: string | null): Outcome {
  const outcome: { kind: OutcomeKind; matchedBy?: string; reason?: string } = { kind };
  if (matchedBy !== null) outcome.matchedBy = matchedBy;
  if (reason !== null) outcome.reason = reason;
  return outcome as Outcome;
}

const ROWS = `SELECT ${ROW_CELLS} FROM rows w WHERE w.batch = :batch AND w.row >= :fromRow`;

/** Where nothing was ever read again, which is so of most ledgers, an answer is as it was read first. */
const READ_FIRST_OTHERWISE = `${ROWS} AND EXISTS (
  SELECT 1 FROM json_each(w.answers) j
    CROSS JOIN ends k ON k.of = j.value AND k.kind = 'answered' AND k.dialect IS NOT :dialect)`;

const READ_OTHERWISE = `${ROWS} AND EXISTS (
  SELECT 1 FROM json_each(w.answers) j
    LEFT JOIN ends k ON k.of = j.value AND k.kind = 'answered'
    LEFT JOIN notes n ON n.id = (
      SELECT max(e.id) FROM notes e
       WHERE e.of = j.value AND (e.kind = 'reading' OR e.kind = 'read') AND e.id <= coalesce(w.read_to, 0))
   WHERE ((k.of IS NOT NULL OR n.id IS NOT NULL) AND coalesce(n.dialect, k.dialect) IS NOT :dialect)
      OR EXISTS (SELECT 1 FROM unanswered u WHERE u.attempt = j.value))`;

/** Another batch may have bought the call meanwhile: then its row waits for nothing. */
const UNANSWERED = `
SELECT DISTINCT r.row FROM rows r CROSS JOIN json_each(r.answers) j CROSS JOIN unanswered u ON u.attempt = j.value
  CROSS JOIN attempts a ON a.id = u.attempt CROSS JOIN calls c ON c.id = a.call AND c.state = 'answered' AND c.stands = a.id
 WHERE r.batch = ? AND r.outcome = 'in_doubt' ORDER BY r.row`;

/** What turned out to be no answer is too old only where every answer would be. The least of a time and NULL is NULL. */
const CUT_OFF = `iif(EXISTS (SELECT 1 FROM unanswered u WHERE u.attempt = g.attempt),
  min(:foundMs, :noMatchMs), iif(g.found, :foundMs, :noMatchMs))`;

/** A million rows in about two seconds. The view `answer_ages` defines the age of an answer. */
const OLDER = `
SELECT 1 FROM rows r JOIN json_each(r.answers) j JOIN answer_ages g ON g.attempt = j.value
 WHERE r.batch = :batch AND g.answered_at < ${CUT_OFF}
   AND NOT EXISTS (
     SELECT 1 FROM attempts l CROSS JOIN losses x ON x.attempt = l.id
      WHERE l.sees = g.attempt AND l.kind = 'refresh' AND l.at >= ${CUT_OFF})
 LIMIT 1`;

/** As `tally.ts` counts it: the row that pays for an answer saves nothing. */
const SAVED = `
WITH part AS (SELECT row, answers FROM rows WHERE batch = :batch AND row >= :fromRow ORDER BY row LIMIT :most)
SELECT (SELECT count(*) FROM part) AS count, coalesce((SELECT max(row) FROM part), 0) AS last, coalesce((
  SELECT sum((SELECT e.spent FROM ends e WHERE e.of = a.id) + (SELECT coalesce(sum(n.spent), 0) FROM notes n WHERE n.of = a.id))
    FROM part p, json_each(p.answers) j CROSS JOIN attempts a ON a.id = j.value LEFT JOIN payers y ON y.attempt = a.id
   WHERE a.batch <> :batch OR coalesce(y.row, a.row) <> p.row), 0) AS saved`;

const SENT = `
SELECT a.at, k.at, k.spent FROM attempts a CROSS JOIN ends k ON k.of = a.id
 WHERE a.batch = ? AND a.row >= ? AND a.row < ? AND k.said IS NOT 'not_sent'`;

export const ROW_READS = {
  rows(connection, of, fromRow, limit) {
    const values = { batch: batchNumber(of), fromRow, limit };
    return recordsBy(connection, `${ROWS} ORDER BY w.row LIMIT :limit`, values);
  },
  rowsReadOtherwise(connection, of, dialect, fromRow, limit) {
    const values = { batch: batchNumber(of), dialect, fromRow, limit };
    const sql = hasReadings(connection) ? READ_OTHERWISE : READ_FIRST_OTHERWISE;
    return recordsBy(connection, `${sql} ORDER BY w.row LIMIT :limit`, values);
  },
  rowsUnanswered: (connection, batch) =>
    connection.all<{ row: number }>(UNANSWERED, batchNumber(batch)).map(({ row }) => row),
  rowKinds(connection, batch, fromRow, beforeRow) {
    const sql = 'SELECT row, outcome AS kind FROM rows WHERE batch = ? AND row >= ? AND row < ? ORDER BY row';
    return connection.all<RowKind>(sql, batchNumber(batch), fromRow, beforeRow);
  },
  finishedRows(connection, batch, fromRow, limit) {
    const sql =
      "SELECT row, input FROM rows WHERE batch = ? AND row >= ? AND outcome <> 'in_doubt' ORDER BY row LIMIT ?";
    return connection
      .lists<[row: number, input: number | null]>(sql, batchNumber(batch), fromRow, limit)
      .map(([row, input]) => (input === null ? { row } : { row, input }));
  },
  hasOlderThan(connection, batch, { foundMs = null, noMatchMs = null }) {
    if (foundMs === null && noMatchMs === null) return false;
    return connection.get(OLDER, { batch: batchNumber(batch), foundMs, noMatchMs }) !== undefined;
  },
  plannedRows(connection, batch, fromRow, limit) {
    const where = 'batch = ? AND row >= ? ORDER BY row LIMIT ?';
    const found = checkedRows(connection, PLANNED_TABLE, where, batchNumber(batch), fromRow, limit);
    return found.map(({ row, planned }) => ({ row, ...JSON.parse(planned) }));
  },
  sent(connection, batch, fromRow, rows) {
    const [id, before] = [batchNumber(batch), fromRow + rows];
    const sent = connection
      .lists<[atMs: number, endedAtMs: number, credits: number]>(SENT, id, fromRow, before)
      .map(([atMs, endedAtMs, cost]) => ({ atMs, endedAtMs, credits: cost }));
    const sql = 'SELECT min(row) AS next FROM attempts WHERE batch = ? AND row >= ?';
    const next = connection.get<{ next: number | null }>(sql, id, before)?.next ?? undefined;
    return { sent, ...present({ next }) };
  },
  saved(connection, of, fromRow, most) {
    const values = { batch: batchNumber(of), fromRow, most };
    const part = connection.get<{ count: number; last: number; saved: number }>(SAVED, values);
    const { count = 0, last = 0, saved = 0 } = part ?? {};
    return count < most ? { credits: credits(saved) } : { credits: credits(saved), next: last + 1 };
  },
} satisfies Partial<Reads<LedgerReader>>;
