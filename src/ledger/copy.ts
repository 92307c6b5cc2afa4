import { invariant } from '../core/errors.ts';
import { commandLine, withOption, wordsOfCommand } from '../lib/command-line.ts';
import { crashPoint } from '../lib/faults.ts';
import { checkBudgets } from './check.ts';
import { type AnyRecord, type Cell, type Db, each, type Sql } from './db.ts';
import type { Ledger } from './ledger.ts';
import { keptTables, layRules, layTables } from './schema.ts';

/** How a ledger goes from one place to another: the same tables, whose rows are taken as they are. */

/** To which ledger one was copied. It spends no more from then on. */
export interface Copied {
  readonly identity: string;
  readonly place: string;
  readonly atMs: number;
}

/** A ledger that is copied. Nobody spends from it meanwhile. */
export interface CopySource {
  readonly ledger: Ledger;
  readonly place: string;
  /** Where it went before, of one that was copied already. */
  readonly copied: Copied | undefined;
  parts(): AsyncIterable<CopiedPart>;
  /** Nothing is spent from it any more once this resolves, whatever happens afterwards. */
  leave(copied: Copied): Promise<void>;
  close(): Promise<void>;
}

/** The place of a copy. Nobody else makes one there meanwhile. */
export interface CopyTarget {
  readonly place: string;
  /** The name of the ledger that is there and holds something. */
  readonly present: string | undefined;
  /** The name of a whole copy that is there and that nobody can open yet. */
  readonly awaiting: string | undefined;
  /**
   * Makes the copy, in the place of one that nobody could open, and checks it. It survives a loss of power once this resolves, and a
   * crash before leaves nothing that anybody takes for a ledger.
   * @returns the name of the copy.
   */
  take(parts: AsyncIterable<CopiedPart>): Promise<string>;
  /** Opens the copy to everybody. */
  arrive(): Promise<void>;
  close(): Promise<void>;
}

export interface CopiedPart {
  readonly table: string;
  readonly rows: readonly AnyRecord[];
}

/** What is said of the place, and not of the ledger. */
const OF_THE_PLACE = `name NOT IN ('identity', 'copied_to', 'arriving')`;

const PAGE = 1_000;

/** The tables in an order in which each names those before it. */
export async function* partsOf(db: Db): AsyncGenerator<CopiedPart> {
  for (const { table, key } of keptTables()) {
    if (key.length === 0) yield { table, rows: await db.rows(`SELECT * FROM ${table}`) };
    else for await (const rows of pagesOf(db, table, key)) yield { table, rows };
  }
}

async function* pagesOf(db: Db, table: string, key: readonly string[]): AsyncGenerator<readonly AnyRecord[]> {
  const [names, marks] = [key.join(', '), key.map(() => '?').join(', ')];
  const only = table === 'meta' ? OF_THE_PLACE : '1 = 1';
  for (let after: readonly Cell[] | undefined; ; ) {
    const behind = after === undefined ? '' : `AND (${names}) > (${marks})`;
    const sql = `SELECT * FROM ${table} WHERE ${only} ${behind} ORDER BY ${names} LIMIT ${PAGE}`;
    const rows = await db.rows<AnyRecord>(sql, after);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (rows.length < PAGE || last === undefined) return;
    after = key.map((name) => last[name] ?? null);
  }
}

/**
 * Takes all rows into a database in which nothing is. What names it is written last, so that nobody takes a part of it for a ledger.
 * @param place as commands name it from now on.
 */
export async function takeParts(
  db: Db,
  parts: AsyncIterable<CopiedPart>,
  { place, identity }: Pick<Copied, 'place' | 'identity'>,
): Promise<void> {
  await layTables(db);
  const counts = new Map<string, number>();
  const late: AnyRecord[] = [];
  for await (const { table, rows } of parts) {
    crashPoint('copying');
    counts.set(table, (counts.get(table) ?? 0) + rows.length);
    // What comes behind the calls names them.
    if (table !== 'calls') await insertLate(db, late.splice(0));
    const isLate = ({ id, prior, payer }: AnyRecord): boolean =>
      table === 'calls' && Math.max(Number(prior), Number(payer)) > Number(id);
    late.push(...rows.filter(isLate));
    const taken = rows.filter((row) => !isLate(row));
    await insert(db, table, table === 'batches' ? taken.map((row) => goingOnIn(place, row)) : taken);
  }
  await insertLate(db, late);
  await db.transaction(async (sql) => {
    if (db.name === 'postgres') await numberOn(sql);
    await sql.rows(`INSERT INTO meta (name, value) VALUES ('identity', ?)`, [identity]);
  });
  await layRules(db);
  for (const { table } of keptTables()) {
    const [kept] = await db.rows<{ n: number }>(
      `SELECT count(*) AS n FROM ${table} ${table === 'meta' ? `WHERE ${OF_THE_PLACE}` : ''}`,
    );
    invariant(kept?.n === (counts.get(table) ?? 0), `the copy has not all rows of ${table}`);
  }
  const [wrong] = (await checkBudgets(db)).wrong;
  invariant(wrong === undefined, `the budget of ${wrong?.scope} ${wrong?.of} does not add up in the copy`);
}

async function insert(db: Db, table: string, rows: readonly AnyRecord[]): Promise<void> {
  const columns = keptTables().find((kept) => kept.table === table)?.columns ?? {};
  const names = Object.keys(columns);
  const into = each(columns)(
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.map((name) => `v.${name}`).join(', ')} FROM v`,
  );
  if (rows.length > 0) await db.write([{ statements: [into], records: rows }]);
}

/** A worker with a lower number may have sent again what another one had lost: such a call comes after the one that it names. */
async function insertLate(db: Db, late: readonly AnyRecord[]): Promise<void> {
  const left = new Set(late.map(({ id }) => id));
  const waits = ({ prior, payer }: AnyRecord): boolean => left.has(prior ?? null) || left.has(payer ?? null);
  for (let rest = late; rest.length > 0; rest = rest.filter(({ id }) => left.has(id))) {
    const next = rest.filter((row) => !waits(row));
    invariant(next.length > 0, 'calls name each other in a circle');
    await insert(db, 'calls', next);
    for (const { id } of next) left.delete(id);
  }
}

function goingOnIn(place: string, row: AnyRecord): AnyRecord {
  const facts: { readonly command?: string } = JSON.parse(String(row.facts));
  const words = facts.command === undefined ? undefined : wordsOfCommand(facts.command);
  if (words === undefined) return row;
  const command = commandLine(withOption(words, '--store', place));
  return { ...row, facts: JSON.stringify({ ...facts, command }) };
}

/** New rows get numbers behind those that came. */
async function numberOn(sql: Sql): Promise<void> {
  for (const { table } of keptTables().filter(({ isNumbered }) => isNumbered))
    await sql.rows(
      `SELECT setval(pg_get_serial_sequence('${table}', 'id'), max(id)) FROM ${table} HAVING max(id) IS NOT NULL`,
    );
}
