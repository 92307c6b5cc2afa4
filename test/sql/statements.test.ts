import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { Connection, sqliteDb } from '../../src/ledger/db/sqlite.ts';
import { SCHEMA } from '../../src/ledger/db.ts';
import { layAll } from '../../src/ledger/schema.ts';
import { answer, doubt, postgresTables, reply, type Tables } from '../ledger/plain.ts';
import { postgresServer } from '../ledger/stores/postgres-server.ts';
import type { Recorded } from './recorded.ts';

/**
 * Goal: whoever reads a statement of the ledger can run it as the program does, and none reads a long table from one end to the other, but
 * those that are named here with the reason.
 * Method: `npm run sql` tells all statements, in a process of its own, and each database how it would run each of them.
 */

/** Those with a row or more for each row of a list. Of all others a ledger has few rows. */
const LONG = ['attempts', 'replies', 'rows', 'cells', 'uses'];

const MAY_SCAN: Readonly<Record<string, string>> = {
  'transitions.recountBudgets': 'adds all attempts up',
  'erase.OLD': 'finds what is old, and what rests on it, once a day at most',
  'erase.EMPTY_BESIDE': 'empties what is beside the answers that have gone',
  'reports.SAVED': 'where it is planned over an empty ledger',
  'accounts.KEEP_MARK': 'once, when an account is first met: whether it has answered anything',
};

/** Asked of a ledger of an earlier layout, or of the queue, which has tables of its own. */
const isOfOthers = ({ name, postgres = '' }: Recorded): boolean =>
  /^layouts\.(?!layoutOf)/.test(name) || postgres.includes('rowonce_queue.');

let statements: readonly Recorded[] = [];

beforeAll(async () => {
  const tool = join(import.meta.dirname, 'sql.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [tool, '--json'], { maxBuffer: 2 ** 26 });
  const told: readonly Recorded[] = JSON.parse(stdout);
  statements = told.filter((each) => !isOfOthers(each));
});

test('each is valid in both databases, and those that read a long table whole are those that are named', async () => {
  expect(statements.length).toBeGreaterThan(200);
  const found = {
    ...(await scansOf('sqlite', await onSqlite())),
    ...(await scansOf('postgres', await onPostgres(LISTS))),
    ...(await scansOf('postgres', await onPostgres(0))),
  };
  const others = Object.keys(found).filter((name) => !Object.hasOwn(MAY_SCAN, name));
  expect(others.map((name) => `${name}: ${found[name]}`)).toEqual([]);
  expect(Object.keys(MAY_SCAN).filter((name) => !Object.hasOwn(found, name))).toEqual([]);
});

/** Which long tables a statement would read whole. It fails for a text that is none. */
type ScannedBy = (text: string) => Promise<readonly string[]>;

async function scansOf(
  database: 'sqlite' | 'postgres',
  scannedBy: ScannedBy,
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const { name, [database]: text } of statements) {
    if (text === undefined) continue;
    const scanned = await scannedBy(text).catch((error) => expect.fail(`${name}: ${error.message}\n${text}`));
    if (scanned.length > 0) found[name] = `${database} reads all ${scanned.join(', ')}`;
  }
  return found;
}

async function onSqlite(): Promise<ScannedBy> {
  const connection = new Connection(':memory:', 'write');
  onTestFinished(() => void connection.raw.close());
  await layAll(sqliteDb(connection));
  const trees = connection.rows('SELECT rootpage, tbl_name FROM sqlite_schema') as readonly Tree[];
  const tables = new Map(trees.map(({ rootpage, tbl_name: table }) => [rootpage, table]));
  return async (text) => {
    const pages = walkedBy(connection.raw.prepare<[], Opcode>(`EXPLAIN ${text}`).all());
    return pages.map((page) => tables.get(page) ?? '').filter((table) => LONG.includes(table));
  };
}

/** A table or an index of one. */
interface Tree {
  readonly rootpage: number;
  readonly tbl_name: string;
}

/** A step of what SQLite makes of a statement with all triggers: cursor `p1`, opened on the tree at page `p2`. */
interface Opcode {
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
}

/** @returns the pages of the trees that are walked from an end: a step sets the cursor there, another one moves it on. */
function walkedBy(steps: readonly Opcode[]): readonly number[] {
  const pages = new Map<number, number>();
  const atEnd = new Set<number>();
  const walked = new Set<number>();
  for (const { opcode, p1, p2 } of steps) {
    if (/^(?:OpenRead|OpenWrite|ReopenIdx)$/.test(opcode)) pages.set(p1, p2);
    else if (/Open/.test(opcode)) pages.delete(p1);
    else if (/^Seek/.test(opcode)) atEnd.delete(p1);
    else if (/^(?:Rewind|Last)$/.test(opcode)) atEnd.add(p1);
    const page = pages.get(p1);
    if (/^(?:Next|Prev)$/.test(opcode) && atEnd.has(p1) && page !== undefined) walked.add(page);
  }
  return [...walked];
}

/** Of tables that are all but empty it does not say which index it would take of a long one. */
const LISTS = 10;
const ROWS = 1000;

/** As a process that spends asks, see `OF_A_SPENDER`. */
const AS_A_SPENDER = ['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan'].map(
  (way) => `SET enable_${way} = off`,
);

/** Over an empty ledger a statement is planned as well, and the plan stays until the server looks at the tables anew. */
async function onPostgres(lists: number): Promise<ScannedBy> {
  const tables = await postgresTables();
  for (let nth = 0; nth < lists; nth += 1) await buy(tables, `0000000${nth}`);
  if (lists > 0) await tables.db.script('ANALYZE');
  const database = await tables.one<{ name: string }>('SELECT current_database() AS name');
  const client = new pg.Client((await postgresServer()).url(database?.name ?? ''));
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`SET search_path = ${SCHEMA}; ${AS_A_SPENDER.join('; ')}`);
  const partial = await client.query(
    `SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indpred IS NOT NULL OR ${lists} = 0`,
  );
  const few = new Set(partial.rows.map(({ name }) => name));
  return async (text) => {
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`);
    return scannedIn(rows[0]['QUERY PLAN'][0].Plan, few);
  };
}

/** A list of another account than the statements ask for. */
async function buy(tables: Tables, name: string): Promise<void> {
  const list = await tables.batch(name, { account: 2 });
  const rows = Array.from({ length: ROWS }, (_, at) => at + 1);
  const intents = rows.map((row) => tables.intent(list, `${name} ${row}`, { account: 2, row }));
  await tables.write({ intents });
  const ends = intents.map(({ id, row }) => (row % 100 === 0 ? doubt(id) : answer(id)));
  await tables.write({ replies: intents.map(({ id }) => reply(id)), ends });
  await tables.transaction(async (sql) => {
    const submitted = `INSERT INTO rows (batch, row, state, attempt)
      SELECT batch, row, 'matched', id FROM attempts WHERE batch = ? ON CONFLICT DO NOTHING`;
    await sql.rows(submitted, [list]);
    for (const into of [
      `INTO cells (batch, row, cells) SELECT batch, row, '{}'`,
      `INTO uses (batch, row, nth, attempt, is_filling, waits) SELECT batch, row, 0, attempt, 1, 0`,
    ])
      await sql.rows(`INSERT ${into} FROM rows WHERE batch = ?`, [list]);
  });
}

/** A step of a plan of PostgreSQL. */
interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Node[];
}

/** @param few the indexes that have few rows, such as of what is in doubt. */
function scannedIn(node: Node, few: ReadonlySet<string>): readonly string[] {
  const {
    'Node Type': type,
    'Relation Name': table = '',
    'Index Name': index,
    'Index Cond': condition,
  } = node;
  const isWhole = index === undefined ? type === 'Seq Scan' : condition === undefined && !few.has(index);
  const own = isWhole && LONG.includes(table) ? [table] : [];
  return [...own, ...(node.Plans ?? []).flatMap((below) => scannedIn(below, few))];
}
