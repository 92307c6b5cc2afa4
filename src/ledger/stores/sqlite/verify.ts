import { type Happened, replayed } from '../../rules/replay.ts';
import { type Connection, damagedStore, explained } from './connection.ts';
import { DEFINITIONS, type Definition, definitionsOfSchema } from './identity.ts';
import { integrityOf } from './integrity.ts';
import { attemptsOf, isAbout } from './lookups.ts';
import { sumOfText } from './table.ts';
import { checkTables } from './table-sums.ts';
import { CONTENTS_TABLE, SHORT_TABLES } from './tables.ts';
import { WRONG_CHANGES } from './verify-changes.ts';
import { WRONG_COUNTED } from './verify-counts.ts';

/**
 * The full check of a ledger after an end that was not orderly: SQLite's own check (the quick one misses a flipped bit in the
 * index of the call keys, which would buy again), every sum, every group and every total added up again, and where every call
 * stands, from its entries. Raw replies, which are most of the bytes, are checked when they are read: a damaged reply costs
 * nothing until it is used, and then it stops the run.
 * @param withReplies checks replies, too: a ledger that was altered at rest must be read completely before it is used
 *   to buy.
 */
export async function verify(connection: Connection, folder: string, withReplies: boolean): Promise<void> {
  const unbroken = refuseBroken(connection, folder);
  const ours = firstProblem(() =>
    connection.snapshot(() => {
      for (const table of SHORT_TABLES) table.checkAll(connection);
      // A reply has no words; what has words is short.
      CONTENTS_TABLE.checkAll(connection, withReplies ? 'TRUE' : 't.words IS NOT NULL');
      checkTables(connection);
      verifySchema(connection, folder);
      verifyGroups(connection, folder);
      verifyCalls(connection, folder);
      verifyRest(connection, folder);
    }),
  );
  // SQLite's result comes first: on broken pages our own checks may find anything.
  await unbroken;
  if (ours !== undefined) throw explained(ours.error, folder);
}

/** SQLite's own check alone. @throws StopError `store_damaged`. */
async function refuseBroken(connection: Connection, folder: string): Promise<void> {
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
 * The schema itself is text in the ledger: a changed letter in a guard would make another rule. It is compared with the
 * schema of an empty ledger; additions of a user, such as a view, are ignored.
 */
function verifySchema(connection: Connection, folder: string): void {
  const found = new Map(connection.all<Definition>(DEFINITIONS).map(({ name, sql }) => [name, sql]));
  for (const { name, sql } of definitionsOfSchema()) {
    if (found.get(name) !== sql) throw damagedStore(folder, `its definition of ${name} was altered`);
  }
}

type GroupRow = [id: number, first: number, at: number, sum: number, n: number, latest: number, sums: number];

const GROUPS = `
SELECT g.id, g.first, g.at, g.sum, count(e.id), max(e.at), sum(e.sum)
  FROM groups g CROSS JOIN entries e ON e.id BETWEEN g.first AND g.id WHERE g.id > 0 GROUP BY g.id ORDER BY g.id`;

/** Every entry is in one group, each group follows the one before it, and is over the entries that it had. */
function verifyGroups(connection: Connection, folder: string): void {
  let [last, before] = [0, 0];
  for (const [id, first, at, sum, n, latest, sums] of connection.eachList<GroupRow>(GROUPS)) {
    const isWhole = first === last + 1 && n === id - first + 1 && at === latest;
    if (!isWhole || sum !== sumOfText(JSON.stringify([first, id, at, before, sums]), null))
      throw damagedStore(folder, `the entries up to ${id} are not those that were booked`);
    [last, before] = [id, sum];
  }
  const book = connection.get<{ tail: number; booked: number; newest: number | null; booking: number | null }>(
    'SELECT tail, booked, booking, (SELECT max(id) FROM entries) AS newest FROM book',
  );
  if (book?.tail !== last || book.booked !== last || (book.newest ?? 0) !== last || book.booking !== null)
    throw damagedStore(folder, `the book ends with entry ${book?.newest}, and ${last} entries are booked`);
}

/** Most calls were bought once and were left so, which is seen at once; the others are gone through entry by entry. */
const OTHER_CALLS = `
SELECT c.id, c.state, c.stands, c.phase, c.open, c.head FROM calls c
 WHERE NOT coalesce(c.state = 'answered' AND c.stands = c.id AND c.open IS NULL
   AND NOT EXISTS (SELECT 1 FROM entries l WHERE l.call = c.id AND l.call <> l.id AND l.of = l.id)
   AND (SELECT group_concat(kind) || max(id) FROM (SELECT e.kind, e.id FROM entries e WHERE ${isAbout('e', 'c.id')} ORDER BY e.id))
     = 'reply,answered' || c.head, FALSE)`;

const ENTRIES = `
SELECT e.id, e.kind, e.of, e.sees FROM ${attemptsOf(':call')} a CROSS JOIN entries e ON e.id = a.id
UNION ALL
SELECT e.id, e.kind, e.of, e.sees FROM ${attemptsOf(':call')} a CROSS JOIN entries e ON ${isAbout('e', 'a.id')} ORDER BY 1`;

interface CallCells {
  readonly id: number;
  readonly state: string;
  readonly stands: number | null;
  readonly phase: string | null;
  readonly open: number | null;
  readonly head: number | null;
}

function verifyCalls(connection: Connection, folder: string): void {
  for (const { id, state, stands, phase, open, head } of connection.all<CallCells>(OTHER_CALLS)) {
    const entries = connection.all<Happened>(ENTRIES, { call: id });
    const found = replayed(entries);
    const isSame = found?.state === state && found.stands === stands && found.phase === phase && found.open === open;
    if (!isSame || (entries.at(-1)?.id ?? null) !== head)
      throw damagedStore(folder, `call ${id} does not stand where its entries left it`);
  }
}

/** The totals of the entries, by scope, stated again without the triggers' view. */
const WRONG_TOTAL = `
WITH moved AS MATERIALIZED (
  SELECT p.batch, c.account, date(p.at / 1000, 'unixepoch') AS day, p.kind = 'retry' AS retried, sum(m.spent) AS spent,
         sum(m.reserved) AS reserved, sum(m.held) AS held
    FROM (
      SELECT coalesce(pays, of) AS payer, spent, 0 AS reserved, 0 AS held FROM entries WHERE spent <> 0
      UNION ALL SELECT of, 0, reserved, held FROM entries) m
    CROSS JOIN entries p ON p.id = m.payer CROSS JOIN calls c ON c.id = p.call
   GROUP BY 1, 2, 3, 4),
scopes AS (
  SELECT 'batch:' || batch AS scope, spent, reserved, held FROM moved
  UNION ALL SELECT 'day:' || account || ':' || day, spent, reserved, held FROM moved
  UNION ALL SELECT 'month:' || account || ':' || substr(day, 1, 7), spent, reserved, held FROM moved
  UNION ALL SELECT 'extra:' || batch, spent, reserved, held FROM moved WHERE retried),
added AS (
  SELECT scope, sum(spent) AS spent, sum(reserved) AS reserved, sum(held) AS held FROM scopes GROUP BY scope)
SELECT coalesce(x.scope, m.scope) AS scope
  FROM added x FULL JOIN totals m ON m.scope = x.scope
 WHERE (x.spent, x.reserved, x.held) IS NOT (m.spent, m.reserved, m.held)
 LIMIT 1`;

/** An attempt of a call that says nothing of it, and an entry about an attempt of another call. */
const WRONG_CALL = `
SELECT e.id FROM entries e LEFT JOIN entries a ON a.id = e.of AND a.of = a.id LEFT JOIN calls c ON c.id = e.call
 WHERE a.call IS NOT e.call OR c.id IS NULL LIMIT 1`;

const WRONG_LOSS = `
SELECT coalesce(l.attempt, x.attempt) AS id
  FROM (
    SELECT e.of AS attempt, e.call, e.held AS holds, (
        SELECT k.id FROM entries k WHERE ${isAbout('k', 'e.of')}
           AND k.kind IN ('freed', 'released', 'told', 'counted', 'read')) AS ended
      FROM entries e WHERE e.kind = 'lost' OR e.kind = 'lost_beside') x
  FULL JOIN losses l ON l.attempt = x.attempt
 WHERE (x.attempt, x.call, x.holds, x.ended) IS NOT (l.attempt, l.call, l.holds, l.ended) LIMIT 1`;

/** An answer without its reply, and a reply without what it holds. */
const WRONG_REPLY = `
SELECT e.id FROM entries e
 WHERE (e.kind = 'reply' OR e.kind = 'told' OR e.kind = 'look') AND NOT EXISTS (SELECT 1 FROM contents c WHERE c.entry = e.id)
 LIMIT 1`;

const WRONG_ENTRIES: readonly [sql: string, problem: (id: number) => string][] = [
  [WRONG_CALL, (entry) => `entry ${entry} is about an attempt of another call`],
  [WRONG_LOSS, (attempt) => `what attempt ${attempt} holds is not what its entries say`],
  [WRONG_REPLY, (entry) => `what entry ${entry} held is missing`],
  ...WRONG_CHANGES,
  ...WRONG_COUNTED,
];

function verifyRest(connection: Connection, folder: string): void {
  const total = connection.get<{ scope: string }>(WRONG_TOTAL);
  if (total !== undefined)
    throw damagedStore(folder, `the total of ${total.scope} is not what its entries add up to`);
  for (const [sql, problem] of WRONG_ENTRIES) {
    const wrong = connection.get<{ id: number }>(sql);
    if (wrong !== undefined) throw damagedStore(folder, problem(wrong.id));
  }
}
