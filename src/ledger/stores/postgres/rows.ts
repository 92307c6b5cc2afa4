import type { Outcome, OutcomeKind, RowNumber } from '../../../core/row.ts';
import {
  type FinishedInput,
  type FinishedRow,
  type Ledger,
  type RowKind,
  type RowRecord,
  rowAnswersOf,
} from '../../ledger.ts';
import { answersOf, type WantedAnswer } from './attempt-records.ts';
import { codeOf, type Database, oneColumn } from './connection.ts';
import { joined } from './joined.ts';
import { json, present, type Session } from './session.ts';

/** Lists that are finished by one statement. */
const LISTS_AT_ONCE = 1_000;

export const rows = ({ database, ending }: Session) => {
  const finishing = joined(
    (lists: readonly (readonly FinishedRow[])[]) => finishAll(database, lists),
    LISTS_AT_ONCE,
  );
  ending.push(finishing.drain);
  return {
    async counts(batch) {
      const sql = 'SELECT outcome AS kind, count(*) AS count FROM rows WHERE batch = $1 GROUP BY outcome';
      const found = await database.rows<{ kind: OutcomeKind; count: number }>(sql, [batch]);
      return Object.fromEntries(found.map(({ kind, count }) => [kind, count]));
    },
    rows: (batch, fromRow, limit) => recordsIn(database, '', [batch, fromRow, limit]),
    async finishedRows(batch, fromRow, limit) {
      const found = await database.rows<FinishedInput>(FINISHED, [batch, fromRow, limit]);
      return found.map((row) => present(row) as FinishedInput);
    },
    rowKinds: (batch, fromRow, beforeRow) => database.rows<RowKind>(KINDS, [batch, fromRow, beforeRow]),
    rowsReadOtherwise: (batch, dialect, fromRow, limit) =>
      recordsIn(database, READ_OTHERWISE, [batch, fromRow, limit, dialect]),
    rowsUnanswered: (batch) => oneColumn<RowNumber>(database, UNANSWERED, [batch]),
    async hasOlderThan(batch, { foundMs, noMatchMs }) {
      return (await database.row(OLDER, [batch, foundMs, noMatchMs])) !== undefined;
    },
    async finishRows(list) {
      if (list.length === 0) return;
      const refused = await finishing.ask(list);
      if (refused !== undefined) throw refused;
    },
  } satisfies Partial<Ledger>;
};

const FINISHED = `
SELECT row, input FROM rows WHERE batch = $1 AND row >= $2 AND outcome <> 'in_doubt' ORDER BY row LIMIT $3`;

const KINDS =
  'SELECT row, outcome AS kind FROM rows WHERE batch = $1 AND row >= $2 AND row < $3 ORDER BY row';

interface Row {
  readonly row: RowNumber;
  readonly kind: OutcomeKind;
  readonly matchedBy: string | null;
  readonly reason: string | null;
  readonly answers: readonly number[];
  readonly input: number | null;
  readonly readTo: number | null;
}

/** @param values batch, first row, limit, and what the condition asks for. */
function recordsIn(
  database: Database,
  condition: string,
  values: readonly (string | number)[],
): Promise<readonly RowRecord[]> {
  return database.snapshot(async (sql) => {
    const found = await sql.rows<Row>(`${ROWS} ${condition} ORDER BY w.row LIMIT $3`, values);
    const wanted: WantedAnswer[] = found.flatMap(({ answers, readTo }) =>
      answers.map((attempt) => ({ attempt, readTo: readTo ?? 0 })),
    );
    const answers = (await answersOf(sql, wanted)).map(rowAnswersOf);
    let at = 0;
    return found.map(({ row, kind, matchedBy, reason, input, answers: { length } }) => {
      const outcome = present({ kind, matchedBy, reason }) as Outcome;
      const own = answers.slice(at, at + length).flat();
      at += length;
      return { row, outcome, answers: own, ...present({ input }) } as RowRecord;
    });
  });
}

const ROWS = `
SELECT w.row, w.outcome AS kind, w.matched_by AS "matchedBy", w.reason, w.answers, w.input, w.read_to AS "readTo"
  FROM rows w WHERE w.batch = $1 AND w.row >= $2`;

/** That another dialect read the answer, as it was when the row was finished, or that it turned out to be none. */
const READ_OTHERWISE = `AND EXISTS (
  SELECT FROM unnest(w.answers) u (attempt)
    LEFT JOIN entries k ON k.of = u.attempt AND k.kind = 'answered'
    LEFT JOIN LATERAL (
      SELECT e.dialect FROM entries e WHERE e.of = u.attempt AND e.kind IN ('reading', 'read') AND e.id <= w.read_to
       ORDER BY e.id DESC LIMIT 1) n ON true
   WHERE coalesce(n.dialect, k.dialect, CASE WHEN k.of IS NOT NULL THEN -1 END) <> $4
      OR EXISTS (SELECT FROM unanswered o WHERE o.attempt = u.attempt))`;

/** Another batch may have bought the call meanwhile: then its row waits for nothing. */
const UNANSWERED = `
SELECT DISTINCT r.row FROM rows r CROSS JOIN unnest(r.answers) u (attempt) JOIN unanswered o ON o.attempt = u.attempt
  JOIN entries a ON a.of = u.attempt AND a.id = u.attempt
  JOIN calls c ON c.id = a.call AND c.state = 'answered' AND c.stands = u.attempt
 WHERE r.batch = $1 AND r.outcome = 'in_doubt' ORDER BY r.row`;

/** What turned out to be no answer is too old only where every answer would be. The view does not know when a person told something. */
const OLDER = `
SELECT 1 FROM rows r CROSS JOIN unnest(r.answers) u (attempt) JOIN answer_ages g ON g.attempt = u.attempt
  CROSS JOIN LATERAL (
    SELECT CASE WHEN EXISTS (SELECT FROM unanswered o WHERE o.attempt = g.attempt)
        THEN CASE WHEN $2::bigint IS NOT NULL AND $3::bigint IS NOT NULL THEN least($2::bigint, $3::bigint) END
      WHEN g.found THEN $2::bigint ELSE $3::bigint END AS ms) cut_off
 WHERE r.batch = $1 AND coalesce(g.answered_at, (
     SELECT (t.facts ->> 'receivedAtMs')::bigint FROM entries t WHERE t.of = g.attempt AND t.kind = 'told')) < cut_off.ms AND NOT EXISTS (
   SELECT FROM entries l JOIN entries x ON x.of = l.id AND x.kind IN ('lost', 'lost_beside')
    WHERE l.call = g.call AND l.id = l.of AND l.kind = 'refresh' AND l.sees = g.attempt AND l.at >= cut_off.ms)
 LIMIT 1`;

/** One statement for all lists. Where one is refused, each is tried alone. @returns why a list is refused, for each list. */
async function finishAll(
  database: Database,
  lists: readonly (readonly FinishedRow[])[],
): Promise<readonly unknown[]> {
  try {
    await finish(database, lists.flat());
    return lists.map(() => undefined);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
  const refused: unknown[] = [];
  for (const list of lists)
    refused.push(
      await finish(database, list).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  return refused;
}

async function finish(database: Database, list: readonly FinishedRow[]): Promise<void> {
  await database.rows(FINISH, [
    ...[list.map(({ batch }) => batch), list.map(({ row }) => row), list.map(({ outcome }) => outcome.kind)],
    list.map(({ outcome }) => (outcome.kind === 'matched' ? outcome.matchedBy : null)),
    ...[list.map(({ outcome }) => json(outcome.reason)), list.map(({ answers }) => `{${answers.join()}}`)],
    list.map(({ input }) => input ?? null),
  ]);
}

/**
 * A row whose answer another process has taken back meanwhile is left, and is pending as those are that were finished before.
 *
 * A row that is finished twice alike is written as it was: only so it is compared with what another process has committed while the
 * statement ran, which its reads do not see.
 *
 * What a row points to is looked up, each by its key: the planner takes a young table for small, and would join all of it.
 */
const FINISH = `
WITH given AS (
  SELECT batch, row, outcome, matched_by, reason, answers::bigint[] AS answers, input
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
      u (batch, row, outcome, matched_by, reason, answers, input)
   WHERE NOT EXISTS (SELECT FROM unnest(u.answers::bigint[]) a (attempt) JOIN entries t ON t.of = a.attempt AND t.kind = 'retracted')
), written AS (
  INSERT INTO rows AS r (batch, row, outcome, matched_by, reason, answers, input, read_to)
    SELECT batch, row, outcome, matched_by, reason::json, answers, input, (
        SELECT max(e.id) FROM entries e WHERE e.of = ANY (g.answers) AND e.kind IN ('reading', 'read'))
      FROM given g ORDER BY batch, row
    ON CONFLICT (batch, row) DO UPDATE
      SET outcome = excluded.outcome, matched_by = excluded.matched_by, reason = excluded.reason,
          answers = excluded.answers, input = excluded.input,
          read_to = CASE WHEN r.outcome = 'in_doubt' THEN excluded.read_to ELSE r.read_to END
      WHERE r.outcome = 'in_doubt' OR (r.outcome, r.matched_by, r.reason::text, r.answers, r.input)
        IS NOT DISTINCT FROM (excluded.outcome, excluded.matched_by, excluded.reason::text, excluded.answers, excluded.input)
    RETURNING batch, row
), paying AS (
  INSERT INTO payers (attempt, row)
    SELECT u.attempt, min(g.row) FROM given g CROSS JOIN unnest(g.answers) u (attempt) CROSS JOIN LATERAL (
        SELECT batch, row FROM entries WHERE of = u.attempt AND id = u.attempt LIMIT 1) a
     WHERE g.outcome <> 'in_doubt' AND a.batch = g.batch AND g.row < a.row GROUP BY u.attempt ORDER BY u.attempt
    ON CONFLICT DO NOTHING
), erased AS (
  DELETE FROM listed WHERE ctid = ANY (ARRAY (
    SELECT (SELECT l.ctid FROM listed l WHERE l.batch = g.batch AND l.row = g.row) FROM given g WHERE g.outcome <> 'in_doubt'))
)
SELECT refuse(format('row %s of batch %s points to an attempt that has not ended', g.row, g.batch))
  FROM given g CROSS JOIN unnest(g.answers) u (attempt) WHERE (
    SELECT e.kind FROM entries e WHERE e.of = u.attempt AND e.kind IN ('answered', 'lost', 'lost_beside', 'unsold') LIMIT 1) IS NULL
UNION ALL
SELECT refuse(format('the final outcome of row %s of batch %s is never changed', g.row, g.batch))
  FROM given g WHERE NOT EXISTS (SELECT FROM written w WHERE w.batch = g.batch AND w.row = g.row)`;
