import { LOSS_OVER } from '../../rules/moves.ts';
import { type Happened, replayed } from '../../rules/replay.ts';
import { type Connection, damagedStore, explained } from './connection.ts';
import { DEFINITIONS, type Definition, definitionsOfSchema } from './identity.ts';
import { checkIntegrity } from './integrity.ts';
import { missingTables } from './later-tables.ts';
import { attemptsOf, isOneOf } from './lookups.ts';
import { sumOfGroup } from './money.ts';
import { checkTables } from './table-sums.ts';
import { ROWS_TABLE, SHORT_TABLES } from './tables.ts';
import { WRONG_CHANGES } from './verify-changes.ts';
import { ATTEMPTED, happened, WRONG_COUNTED, type Wrong } from './verify-counts.ts';

/**
 * The full check of a ledger after an end that was not orderly: SQLite's own check (the quick one misses a flipped bit in the
 * index of the call keys, which would buy again), every sum, every group and every total added up again, and where every call
 * stands, from its entries. Raw replies, which are most of the bytes, are checked when they are read: a damaged reply costs
 * nothing until it is used, and then it stops the run.
 * @param withReplies checks replies, too: a ledger that was altered at rest must be read completely before it is used
 *   to buy.
 */
export async function verify(connection: Connection, folder: string, withReplies: boolean): Promise<void> {
  const unbroken = checkIntegrity({ path: connection.path, folder, withReplies });
  const ours = firstProblem(() =>
    connection.snapshot(() => {
      checkSums(connection);
      verifySchema(connection, folder);
      verifyGroups(connection, folder);
      verifyRest(connection, folder, verifyCalls(connection, folder));
      connection.script('DROP TABLE temp.happened');
    }),
  );
  // SQLite's result comes first: on broken pages our own checks may find anything.
  await unbroken;
  if (ours !== undefined) throw explained(ours.error, folder);
}

/** Compares every row with its sum, but for those that are compared beside. @throws AlteredRow. */
function checkSums(connection: Connection): void {
  const elsewhere: readonly string[] = [ROWS_TABLE.name, ...missingTables(connection)];
  for (const table of SHORT_TABLES) if (!elsewhere.includes(table.name)) table.checkAll(connection);
  checkTables(connection);
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
  const missing = missingTables(connection);
  for (const { name, of, sql } of definitionsOfSchema()) {
    if (!missing.includes(of) && found.get(name) !== sql)
      throw damagedStore(folder, `its definition of ${name} was altered`);
  }
}

type GroupRow = [id: number, first: number, sum: number];

/** Each group follows the one before it, and together they booked the entries that there are. */
function verifyGroups(connection: Connection, folder: string): void {
  let [last, before] = [0, 0];
  const sql = 'SELECT id, first, sum FROM groups WHERE id > 0 ORDER BY id';
  for (const [id, first, sum] of connection.eachList<GroupRow>(sql)) {
    if (first !== last + 1 || sum !== sumOfGroup(first, id, before))
      throw damagedStore(folder, `the group of entries that ends with ${id} is not as it was booked`);
    [last, before] = [id, sum];
  }
  const book = connection.get<Book>('SELECT booked, unbooked, booking FROM book');
  if (book?.booked !== last || book.unbooked !== null || book.booking !== null)
    throw damagedStore(folder, `the book ends with entry ${book?.booked}, and ${last} entries are booked`);
  const found = connection.get<{ n: number; newest: number }>(EVERY_ENTRY);
  if (found?.n !== last || found.newest > last)
    throw damagedStore(folder, `the ${found?.n} entries of the book are not the ${last} that were booked`);
}

interface Book {
  readonly booked: number;
  readonly unbooked: number | null;
  readonly booking: number | null;
}

const EVERY_ENTRY = `
SELECT sum(n) AS n, max(newest) AS newest FROM (
  SELECT count(*) AS n, coalesce(max(id), 0) AS newest FROM attempts
  UNION ALL SELECT count(*), coalesce(max(id), 0) FROM ends
  UNION ALL SELECT count(*), coalesce(max(id), 0) FROM notes)`;

/** Numbers of entries that are looked at together: few enough to be in memory with all that is about them. */
type Block = Readonly<Record<'after' | 'to', number>>;
const BLOCK = 512;
const inBlock = (id: string): string => `${id} > :after AND ${id} <= :to`;

function* blocksTo(last: number): Generator<Block> {
  // What has a number that no entry has is in the first block or in the last one.
  let after = -Infinity;
  for (let to = BLOCK; to < last; to += BLOCK) {
    yield { after, to };
    after = to;
  }
  yield { after, to: Infinity };
}

/** Most calls were bought once and were left so. */
const IS_LEFT_SO = `a.call = a.id AND a.kind = 'intent' AND c.state = 'answered' AND c.stands = c.id AND c.open IS NULL
  AND k.kind = 'answered' AND k.id = c.head AND k.call = c.id
  AND EXISTS (SELECT 1 FROM replies r WHERE r.of = a.id AND r.call = a.id)
  AND NOT EXISTS (SELECT 1 FROM attempts l WHERE l.call = a.id AND l.call <> l.id)
  AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.of = a.id)`;

/** What happened is gathered beside it, because looking each row up costs more than adding it up. */
const GATHERING = `INSERT INTO temp.happened
${happened(inBlock('a.id'), `, sum(coalesce(${IS_LEFT_SO}, FALSE)) AS left_so`)} RETURNING n, left_so`;

const HELD = `
SELECT (SELECT count(*) FROM calls WHERE ${inBlock('id')}), (SELECT count(*) FROM replies WHERE ${inBlock('of')}),
       (SELECT count(*) FROM ends WHERE ${inBlock('of')}) + (SELECT count(*) FROM notes WHERE ${inBlock('of')})`;

/** Gathers what happened in a block. @returns whether it has nothing but calls that were left so, with what they take. */
function isLeftSo(connection: Connection, block: Block): boolean {
  let [attempts, leftSo] = [0, 0];
  for (const [n, of] of connection.lists<[number, number]>(GATHERING, block)) {
    attempts += n;
    leftSo += of;
  }
  const held = connection.lists<readonly number[]>(HELD, block).flat();
  return [attempts, ...held].every((count) => count === leftSo);
}

/** The others are gone through entry by entry. */
const OTHER_CALLS = `
SELECT p.call AS id, p.state, p.stands, p.phase, p.open, p.head FROM places p
 WHERE ${inBlock('p.call')} AND p.call NOT IN (SELECT c.id FROM ${ATTEMPTED} WHERE ${inBlock('a.id')} AND ${IS_LEFT_SO})`;

const ENTRIES = `
SELECT * FROM (
  SELECT a.id, a.kind, a.id AS "of", a.sees FROM ${attemptsOf(':call')} j CROSS JOIN attempts a ON a.id = j.id
  UNION ALL SELECT r.of, 'reply', r.of, NULL FROM ${attemptsOf(':call')} j CROSS JOIN replies r ON r.of = j.id
  UNION ALL SELECT k.id, k.kind, k.of, NULL FROM ${attemptsOf(':call')} j CROSS JOIN ends k ON k.of = j.id
  UNION ALL SELECT n.id, n.kind, n.of, n.sees FROM ${attemptsOf(':call')} j CROSS JOIN notes n ON n.of = j.id)
 ORDER BY id, kind = 'reply'`;

interface CallCells {
  readonly id: number;
  readonly state: string;
  readonly stands: number | null;
  readonly phase: string | null;
  readonly open: number | null;
  readonly head: number | null;
}

/** @returns the blocks whose calls were not all left so. What happened stands in a table of this connection afterwards. */
function verifyCalls(connection: Connection, folder: string): readonly Block[] {
  connection.script(`CREATE TEMP TABLE happened AS ${happened('FALSE', ', 0 AS left_so')}`);
  const last = connection.get<{ booked: number }>('SELECT booked FROM book')?.booked ?? 0;
  const others: Block[] = [];
  for (const block of blocksTo(last)) {
    if (isLeftSo(connection, block)) continue;
    for (const call of connection.all<CallCells>(OTHER_CALLS, block)) verifyCall(connection, folder, call);
    others.push(block);
  }
  return others;
}

function verifyCall(connection: Connection, folder: string, call: CallCells): void {
  const { id, state, stands, phase, open, head } = call;
  const entries = connection.all<Happened>(ENTRIES, { call: id });
  const found = replayed(entries);
  const isSame =
    found?.state === state && found.stands === stands && found.phase === phase && found.open === open;
  if (!isSame || (entries.at(-1)?.id ?? null) !== head)
    throw damagedStore(folder, `call ${id} does not stand where its entries left it`);
}

/** The totals of what happened and of the notes, by scope, stated again without the triggers' view. */
export const ADDED_TOTALS = `moved AS MATERIALIZED (
  SELECT batch, account, day, retried, spent, reserved, held FROM happened
  UNION ALL
  SELECT p.batch, c.account, date(p.at / 1000, 'unixepoch'), p.kind = 'retry', m.spent, 0, m.held
    FROM (
      SELECT of AS payer, iif(pays IS NULL, spent, 0) AS spent, held FROM notes
      UNION ALL SELECT pays, spent, 0 FROM ends WHERE pays IS NOT NULL
      UNION ALL SELECT pays, spent, 0 FROM notes WHERE pays IS NOT NULL) m
    CROSS JOIN attempts p ON p.id = m.payer CROSS JOIN calls c ON c.id = p.call),
scopes AS (
  SELECT 'batch:' || batch AS scope, spent, reserved, held FROM moved
  UNION ALL SELECT 'day:' || account || ':' || day, spent, reserved, held FROM moved
  UNION ALL SELECT 'month:' || account || ':' || substr(day, 1, 7), spent, reserved, held FROM moved
  UNION ALL SELECT 'extra:' || batch, spent, reserved, held FROM moved WHERE retried),
added AS (
  SELECT scope, sum(spent) AS spent, sum(reserved) AS reserved, sum(held) AS held FROM scopes GROUP BY scope)`;

const WRONG_TOTAL = `
WITH ${ADDED_TOTALS}
SELECT coalesce(x.scope, m.scope) AS scope
  FROM added x FULL JOIN totals m ON m.scope = x.scope
 WHERE (x.spent, x.reserved, x.held) IS NOT (m.spent, m.reserved, m.held)
 LIMIT 1`;

/** An entry about an attempt of another call, or of none. */
const WRONG_CALL = `
SELECT e.id FROM (
    SELECT id, id AS of, call FROM attempts WHERE ${inBlock('id')} UNION ALL SELECT of, of, call FROM replies WHERE ${inBlock('of')}
    UNION ALL SELECT id, of, call FROM ends WHERE ${inBlock('of')} UNION ALL SELECT id, of, call FROM notes WHERE ${inBlock('of')}) e
  LEFT JOIN attempts a ON a.id = e.of LEFT JOIN calls c ON c.id = e.call
 WHERE a.call IS NOT e.call OR c.id IS NULL LIMIT 1`;

const WRONG_LOSS = `
SELECT coalesce(l.attempt, x.attempt) AS id
  FROM (
    SELECT e.of AS attempt, e.call, a.reserved AS holds, (
        SELECT n.id FROM notes n WHERE n.of = e.of AND ${isOneOf('n.kind', LOSS_OVER)}) AS ended
      FROM ends e CROSS JOIN attempts a ON a.id = e.of WHERE e.kind = 'lost' OR e.kind = 'lost_beside') x
  FULL JOIN losses l ON l.attempt = x.attempt
 WHERE (x.attempt, x.call, x.holds, x.ended) IS NOT (l.attempt, l.call, l.holds, l.ended) LIMIT 1`;

/** Money that was given back for the sake of a request under the same key, of which one is not there. */
const WRONG_FREED = `
SELECT n.of AS id FROM notes n
 WHERE n.kind = 'freed' AND NOT EXISTS (
   SELECT 1 FROM (SELECT id, of FROM ends WHERE kind = 'answered' UNION ALL SELECT id, of FROM notes WHERE kind = 'released') e
     CROSS JOIN requests r ON r.attempt = e.of CROSS JOIN requests o ON o.idempotency_key = r.idempotency_key
    WHERE e.id = n.sees AND o.attempt = n.of) LIMIT 1`;

const WRONG_ENTRIES: readonly Wrong[] = [
  [WRONG_LOSS, (attempt) => `what attempt ${attempt} holds is not what its entries say`],
  [WRONG_FREED, (attempt) => `what attempt ${attempt} held was given back for another request`],
  ...WRONG_CHANGES,
  ...WRONG_COUNTED,
];

function verifyRest(connection: Connection, folder: string, others: readonly Block[]): void {
  const total = connection.get<{ scope: string }>(WRONG_TOTAL);
  if (total !== undefined)
    throw damagedStore(folder, `the total of ${total.scope} is not what its entries add up to`);
  for (const block of others) {
    const wrong = connection.get<{ id: number }>(WRONG_CALL, block);
    if (wrong !== undefined)
      throw damagedStore(folder, `entry ${wrong.id} is about an attempt of another call`);
  }
  for (const [sql, problem] of WRONG_ENTRIES) {
    const wrong = connection.get<{ id: number }>(sql);
    if (wrong !== undefined) throw damagedStore(folder, problem(wrong.id));
  }
}
