import { type Connection, damagedStore, explained } from './connection.ts';
import { integrityOf } from './integrity.ts';
import { isOfCall } from './lookups.ts';
import { DEFINITIONS, type Definition, newestDefinitions } from './migrations.ts';
import { checkTables } from './table-sums.ts';
import { REPLIES_TABLE, SHORT_TABLES } from './tables.ts';
import { WRONG_CHANGES } from './verify-changes.ts';
import { WRONG_COUNTED } from './verify-counts.ts';

/**
 * The full check of a ledger after an end that was not orderly: SQLite's own check (the quick one misses a flipped bit in the
 * index of the call keys, which would buy again), every checksum of money, and every total added up again. Replies, which
 * are most of the bytes, are checked when they are read: a damaged reply costs nothing until it is used, and then it stops
 * the run.
 * @param withReplies checks replies, too: a ledger that was altered at rest must be read completely before it is used
 *   to buy.
 */
export async function verify(connection: Connection, folder: string, withReplies: boolean): Promise<void> {
  const unbroken = refuseBroken(connection, folder);
  const ours = firstProblem(() =>
    connection.snapshot(() => {
      for (const table of SHORT_TABLES) table.checkAll(connection);
      if (withReplies) REPLIES_TABLE.checkAll(connection);
      checkTables(connection);
      verifyTotals(connection, folder);
      verifySchema(connection, folder);
    }),
  );
  // SQLite's result comes first: on broken pages our own checks may find anything.
  await unbroken;
  if (ours !== undefined) throw explained(ours.error, folder);
}

/** SQLite's own check alone. @throws StopError `store_damaged`. */
export async function refuseBroken(connection: Connection, folder: string): Promise<void> {
  const words = await integrityOf(connection.path);
  if (words !== 'ok') throw damagedStore(folder, `SQLite says "${words}"`);
}

function firstProblem(check: () => void): { readonly error: unknown } | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/**
 * The totals of the entries, by scope, stated again without the triggers' view: one scan instead of three, and a
 * mistake in one of them shows against the other.
 */
const WRONG_TOTAL = `
WITH reread AS MATERIALIZED (SELECT attempt, max(charged) AS charged FROM readings GROUP BY attempt),
moved AS MATERIALIZED (
  -- Answers under an idempotency key are spent where the first request under it was risked.
  SELECT f.freed_by AS answer, min(f.id) AS payer, coalesce(e.charged, k.charged) AS charged
    FROM attempts f JOIN closures k ON k.attempt = f.freed_by AND k.kind = 'settled'
    LEFT JOIN reread e ON e.attempt = f.freed_by
   WHERE f.freed_by IS NOT NULL GROUP BY f.freed_by),
entries AS MATERIALIZED (
  SELECT a.batch, b.account, date(a.intent_at / 1000, 'unixepoch') AS day, coalesce(d.kind = 'retry', 0) AS retried,
         sum(iif(k.kind = 'settled' AND away.answer IS NULL, coalesce(e.charged, k.charged), 0)
           + iif(k.kind = 'in_doubt', coalesce(e.charged, 0), 0)
           + coalesce(here.charged, 0) + coalesce(t.charged, 0)) AS spent,
         sum(iif(a.open, a.reserved, 0)) AS reserved,
         sum(iif(k.kind = 'in_doubt' AND t.attempt IS NULL AND a.freed_by IS NULL AND e.attempt IS NULL,
           a.reserved, 0)) AS in_doubt
    FROM attempts a
    JOIN batches b ON b.id = a.batch
    LEFT JOIN closures k ON k.attempt = a.id
    LEFT JOIN told t ON t.attempt = a.id
    LEFT JOIN decisions d ON d.id = a.decision
    LEFT JOIN reread e ON e.attempt = a.id
    LEFT JOIN moved away ON away.answer = a.id
    LEFT JOIN moved here ON here.payer = a.id
   GROUP BY 1, 2, 3, 4),
scopes AS (
  SELECT 'batch:' || batch AS scope, spent, reserved, in_doubt FROM entries
  UNION ALL SELECT 'day:' || account || ':' || day, spent, reserved, in_doubt FROM entries
  UNION ALL SELECT 'month:' || account || ':' || substr(day, 1, 7), spent, reserved, in_doubt FROM entries
  UNION ALL SELECT 'extra:' || batch, spent, reserved, in_doubt FROM entries WHERE retried),
added AS (
  SELECT scope, sum(spent) AS spent, sum(reserved) AS reserved, sum(in_doubt) AS in_doubt FROM scopes GROUP BY scope)
SELECT coalesce(x.scope, m.scope) AS scope
  FROM added x FULL JOIN money m ON m.scope = x.scope
 WHERE (x.spent, x.reserved, x.in_doubt) IS NOT (m.spent, m.reserved, m.in_doubt)
 LIMIT 1`;

const MISSING_SHAPE =
  'SELECT id FROM calls WHERE shape IS NOT NULL AND shape NOT IN (SELECT id FROM shapes) LIMIT 1';

/** Answers and doubts that point to an attempt of another kind, and answers without a reply. */
const WRONG_STATE = `
SELECT c.id
  FROM calls c
  LEFT JOIN attempts a ON a.id = coalesce(c.answer, c.doubt)
  LEFT JOIN closures k ON k.attempt = a.id
  LEFT JOIN replies r ON r.attempt = a.id
  LEFT JOIN told t ON t.attempt = a.id
 WHERE coalesce(c.answer, c.doubt) IS NOT NULL
   AND (a.call IS NOT c.id
     OR (c.doubt IS NOT NULL AND (k.kind IS NOT 'in_doubt' OR a.freed_by IS NOT NULL))
     OR (c.answer IS NOT NULL)
       IS NOT (t.attempt IS NOT NULL OR (r.attempt IS NOT NULL AND (
         k.kind = 'settled' OR EXISTS (SELECT 1 FROM readings e WHERE e.attempt = a.id)))))
 LIMIT 1`;

/**
 * Settled attempts that their call does not know, or of which it knows only an older one, so that it would be bought
 * again. A call in doubt about an attempt that was to replace its answer knows that by the doubt.
 */
const FORGOTTEN_ANSWER = `
SELECT c.id
  FROM closures k JOIN attempts a ON a.id = k.attempt JOIN calls c ON c.id = a.call
 WHERE k.kind = 'settled' AND (c.answer IS NULL OR c.answer < k.attempt)
   AND k.attempt NOT IN (SELECT attempt FROM retractions)
   AND NOT (c.doubt IS NOT NULL AND EXISTS (
     SELECT 1 FROM attempts l WHERE l.replaces = k.attempt AND l.id <= c.doubt))
 LIMIT 1`;

/** Lost attempts that hold money and are unknown to their call. A call whose answer was taken back starts again. */
const FORGOTTEN_DOUBT = `
SELECT c.id
  FROM held_attempts h JOIN calls c ON c.id = h.call
 WHERE c.answer IS NULL AND c.doubt IS NULL AND NOT EXISTS (
   SELECT 1 FROM attempts a JOIN retractions x ON x.attempt = a.id WHERE ${isOfCall('a.id', 'a.call', 'c.id')})
 LIMIT 1`;

/** Money that was given back without a reason, and money that was not given back although there is a reason. */
const WRONGLY_FREED = `
SELECT f.id
  FROM attempts f
  LEFT JOIN closures k ON k.attempt = f.id
  LEFT JOIN closures b ON b.attempt = f.freed_by
  LEFT JOIN releases x ON x.attempt = f.freed_by
 WHERE f.freed_by IS NOT NULL
   AND (k.kind IS NOT 'in_doubt'
     OR EXISTS (SELECT 1 FROM told t WHERE t.attempt = f.id)
     OR (b.kind IS NOT 'settled' AND x.attempt IS NULL)
     OR (f.freed_by <> f.id AND NOT EXISTS (
       SELECT 1 FROM requests r JOIN requests e ON e.idempotency_key = r.idempotency_key
        WHERE r.attempt = f.freed_by AND e.attempt = f.id AND e.attempt < r.attempt)))
UNION ALL
SELECT x.attempt FROM releases x JOIN attempts f ON f.id = x.attempt WHERE f.freed_by IS NOT x.attempt
UNION ALL
SELECT p.held
  FROM repeated_attempts p
  LEFT JOIN closures k ON k.attempt = p.attempt
  LEFT JOIN releases x ON x.attempt = p.attempt
 WHERE k.kind IS 'settled' OR x.attempt IS NOT NULL
 LIMIT 1`;

/**
 * Readings of attempts that may never be read again, of what was never an answer as none, and readings that would decrease
 * a budget.
 */
const WRONG_READING = `
SELECT e.id
  FROM readings e
  JOIN attempts a ON a.id = e.attempt
  JOIN calls c ON c.id = a.call
  LEFT JOIN closures k ON k.attempt = e.attempt
 WHERE coalesce(k.kind, '') NOT IN ('settled', 'in_doubt') OR c.subject IS NOT NULL
    OR e.charged < iif(k.kind = 'in_doubt', a.reserved, k.charged)
    OR EXISTS (SELECT 1 FROM told t WHERE t.attempt = e.attempt)
    OR (k.kind = 'in_doubt' AND e.answer NOT IN ('found', 'no_match', 'refused')
      AND NOT EXISTS (SELECT 1 FROM readings b WHERE b.attempt = e.attempt AND b.id < e.id))
    OR EXISTS (SELECT 1 FROM readings b WHERE b.attempt = e.attempt AND b.id < e.id AND b.charged > e.charged)
 LIMIT 1`;

function verifyTotals(connection: Connection, folder: string): void {
  const total = connection.get<{ scope: string }>(WRONG_TOTAL);
  if (total !== undefined)
    throw damagedStore(folder, `the total of ${total.scope} is not what its entries add up to`);
  for (const [sql, problem] of WRONG_ENTRIES) {
    const wrong = connection.get<{ id: number }>(sql);
    if (wrong !== undefined) throw damagedStore(folder, problem(wrong.id));
  }
}

const WRONG_ENTRIES: readonly [sql: string, problem: (id: number) => string][] = [
  ['SELECT batch AS id FROM unbooked LIMIT 1', (batch) => `what batch ${batch} moved was never booked`],
  [MISSING_SHAPE, (call) => `call ${call} has lost the shape of its question`],
  [WRONG_STATE, (call) => `call ${call} points to an attempt that says otherwise`],
  [FORGOTTEN_ANSWER, (call) => `call ${call} lost its answer`],
  [FORGOTTEN_DOUBT, (call) => `call ${call} lost its doubt`],
  [WRONGLY_FREED, (attempt) => `what attempt ${attempt} holds is not what its entries say`],
  [WRONG_READING, (reading) => `reading ${reading} is not one that its answer may have`],
  ...WRONG_CHANGES,
  ...WRONG_COUNTED,
];

/**
 * The schema itself is text in the ledger: a changed letter in a guard would make another rule. It is compared with the
 * schema of an empty ledger; additions of a user, such as a view, are ignored.
 */
function verifySchema(connection: Connection, folder: string): void {
  const found = new Map(connection.all<Definition>(DEFINITIONS).map(({ name, sql }) => [name, sql]));
  for (const { name, sql } of newestDefinitions()) {
    if (found.get(name) !== sql) throw damagedStore(folder, `its definition of ${name} was altered`);
  }
}
