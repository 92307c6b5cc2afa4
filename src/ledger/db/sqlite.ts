import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { messageOf, type StopDetail, StopError } from '../../core/errors.ts';
import { AGAIN, phrase } from '../../core/phrase.ts';
import { crashPoint } from '../../lib/faults.ts';
import { shortageOf } from '../../lib/system-errors.ts';
import {
  type AnyRecord,
  type Cell,
  type Db,
  type GroupPart,
  groupPart,
  inWordsOf,
  type Sql,
  type Statement,
  withTable,
} from '../db.ts';

/**
 * How long SQLite waits for another process that opens, closes or backs up the store; the thread is blocked
 * meanwhile.
 */
const TIMEOUT_MS = 2_000;

/** A connection that holds to what the ledger promises, and prepares each statement once. */
export class Connection {
  readonly raw: Database.Database;
  readonly #prepared = new Map<string, Database.Statement<unknown[], unknown>>();
  /** By how many records each takes. */
  readonly #compiled = new WeakMap<Statement, CompiledStatement[]>();

  constructor(path: string, use: 'read' | 'write') {
    this.raw = new Database(path, { readonly: use === 'read', timeout: TIMEOUT_MS });
    try {
      // SQLite opens files lazily; reading the header shows at once what they are.
      this.pragma('schema_version');
      this.pragma('foreign_keys = ON');
      // Without it, REPLACE would delete rows and fire no trigger.
      this.pragma('recursive_triggers = ON');
      // A file that another person made must not run functions of its choice.
      this.pragma('trusted_schema = OFF');
      // better-sqlite3 compiles WAL to NORMAL, which loses commits with the power.
      this.pragma('synchronous = FULL');
      // On macOS plain fsync does not reach the disk.
      this.pragma('fullfsync = ON');
    } catch (error) {
      this.raw.close();
      throw error;
    }
  }

  pragma(source: string): unknown {
    return this.raw.pragma(source, { simple: true });
  }

  rows(sql: string, params: readonly Cell[] = []): readonly unknown[] {
    const statement = this.#statement(sql);
    if (statement.reader) return statement.all(...params);
    statement.run(...params);
    return [];
  }

  /** Runs it over the records, in parts. */
  each(each: Statement, records: readonly AnyRecord[]): readonly unknown[] {
    const found: unknown[] = [];
    for (let at = 0; at < records.length; ) {
      const part = records.slice(at, at + sizeOfPart(records.length - at));
      for (const row of this.#part(each, part)) found.push(row);
      at += part.length;
    }
    return found;
  }

  #part(each: Statement, part: readonly AnyRecord[]): readonly unknown[] {
    const { statement, names } = this.#overRecords(each, part.length);
    const cells = Array<unknown>(part.length * names.length);
    let at = 0;
    for (const record of part) for (const name of names) cells[at++] = record[name];
    if (statement.reader) return statement.all(cells);
    const { changes } = statement.run(cells);
    const { writes, again } = each;
    if (writes === undefined || again === undefined || changes === 0) return [];
    if (changes === part.length) return part.map((record) => ({ id: record[writes] }));
    return this.#part(again, part);
  }

  /** Runs it once over all records. */
  whole(each: Statement, records: readonly AnyRecord[]): readonly unknown[] {
    const { statement, names } = this.#overRecords(each, WHOLE);
    const list = JSON.stringify(records.map((record) => names.map((name) => record[name])));
    if (statement.reader) return statement.all(list);
    statement.run(list);
    return [];
  }

  #overRecords(each: Statement, size: number): CompiledStatement {
    const ofSizes = this.#compiled.get(each) ?? [];
    this.#compiled.set(each, ofSizes);
    let known = ofSizes[size];
    if (known === undefined) {
      const { text, names } = overRecords(each, size);
      known = { statement: this.raw.prepare<unknown[], unknown>(text), names };
      ofSizes[size] = known;
    }
    return known;
  }

  #statement(sql: string): Database.Statement<unknown[], unknown> {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.raw.prepare<unknown[], unknown>(withParameters(sql));
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

interface CompiledStatement {
  readonly statement: Database.Statement<unknown[], unknown>;
  /** The columns that it uses. */
  readonly names: readonly string[];
}

/** SQLite plans a statement anew when a plain parameter changes by which it searches. */
export const withParameters = (sql: string): string => inWordsOf('sqlite', sql).replaceAll('?', '+?');

/** A statement takes a JSON list of any number of records. */
const WHOLE = 0;

/**
 * A statement over several records takes each in some two thirds of the time that it takes alone. More
 * records than these gain nothing, and are dear to prepare for.
 */
const MOST_AT_ONCE = 32;

/** A power of two, so that a statement is prepared in a few sizes only. */
const sizeOfPart = (remainingItems: number): number =>
  Math.min(MOST_AT_ONCE, 2 ** Math.floor(Math.log2(remainingItems)));

/** What SQLite gets of a statement over so many records: a `?` for each cell, or one for all records. */
export function overRecords(
  each: Statement,
  size: number,
): { readonly text: string; readonly names: readonly string[] } {
  const names = usedOf(each);
  return { text: each.whole ? wholeText(each, names) : partText(each, names, size), names };
}

/**
 * `v` is a table of as many rows, with parameters as cells. They have no names: better-sqlite3 would look
 * each one up in each record.
 */
function partText({ columns, sql }: Statement, names: readonly string[], size: number): string {
  // better-sqlite3 binds every number as a real one. SQLite plans a statement anew when a plain parameter
  // changes by which it searches.
  const cells = names.map((name) => (columns[name] === 'int' ? 'CAST(? AS INTEGER)' : '+?'));
  const rows = Array<string>(size).fill(`(${cells.join(', ')})`);
  return tableBefore(names, `VALUES ${rows.join(', ')}`, sql);
}

/** `v` is the rows of a JSON list. */
function wholeText({ sql, writes }: Statement, names: readonly string[]): string {
  const cells = names.map((_, at) => `value ->> ${at}`).join(', ');
  const returning = writes === undefined ? '' : ' RETURNING id';
  return tableBefore(names, `SELECT ${cells} FROM json_each(?)`, sql + returning);
}

/** SQLite takes a table that it materializes for a long one, and would read a longer one first. */
const tableBefore = (names: readonly string[], rows: string, sql: string): string =>
  withTable(`v (${names.join(', ')}) AS NOT MATERIALIZED (${rows})`, inWordsOf('sqlite', sql));

const usedOf = ({ columns, sql }: Statement): readonly string[] =>
  Object.keys(columns).filter((name) => sql.includes('v.*') || new RegExp(`\\bv\\.${name}\\b`).test(sql));

/**
 * An error of the database is thrown with what a person can do about it.
 * @param reader for what is read beside a transaction, which sees nothing of it.
 */
export function sqliteDb(writer: Connection, reader = writer): Db {
  const folder = dirname(writer.raw.name);
  let last: Promise<unknown> = Promise.resolve();
  let isBusy = false;
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work);
    last = done.catch(() => {});
    return done;
  };
  const begin = (): void => void writer.rows('BEGIN IMMEDIATE');
  const commit = (): void => {
    crashPoint('before-commit');
    writer.rows('COMMIT'); // rule 5
    crashPoint('after-commit');
  };
  const failed = (error: unknown): never => {
    // SQLite itself may have rolled back, as where the disk is full.
    if (writer.raw.inTransaction) writer.rows('ROLLBACK');
    throw explainedError(error, folder);
  };
  const writeNow = async (parts: readonly GroupPart[]): Promise<readonly (readonly unknown[])[]> => {
    try {
      // What a statement of many records may have to take back is small, and would go to a file for each.
      writer.raw.exec('PRAGMA temp_store = MEMORY');
      begin();
      const found = parts.flatMap((each) => partNow(writer, each));
      commit();
      return found;
    } catch (error) {
      return failed(error);
    } finally {
      writer.raw.exec('PRAGMA temp_store = DEFAULT');
    }
  };
  return {
    name: 'sqlite',
    ...sqlOn(reader, folder),
    transaction: (work) =>
      inTurn(async () => {
        isBusy = true;
        try {
          begin();
          const result = await work(sqlOn(writer, folder));
          commit();
          return result;
        } catch (error) {
          return failed(error);
        } finally {
          isBusy = false;
        }
      }),
    write: (parts) => (isBusy ? inTurn(() => writeNow(parts)) : writeNow(parts)),
    script: async (sql) => void writer.raw.exec(inWordsOf('sqlite', sql)),
    close: async () => {
      await last;
      reader.raw.close();
      writer.raw.close();
    },
  };
}

const partNow = (connection: Connection, { statements, records }: GroupPart): (readonly unknown[])[] =>
  statements.map((statement) => connection[statement.whole ? 'whole' : 'each'](statement, records));

function sqlOn(connection: Connection, folder: string): Sql {
  const explaining = (work: () => unknown): never => {
    try {
      return work() as never;
    } catch (error) {
      throw explainedError(error, folder);
    }
  };
  return {
    rows: async (sql, params) => explaining(() => connection.rows(sql, params)),
    each: async (statement, records) =>
      explaining(() => partNow(connection, groupPart([statement], records))[0]),
  };
}

// --------------------------------------------------------------------------------------- what an error means

/** Such as `SQLITE_FULL`, or `ENOSPC` from our own files beside the database. */
const sqliteCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** SQLite finds no room for its shared memory, too. */
const DISK_FULL = /^(?:SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/;

export const isDiskFull = (error: unknown): boolean => DISK_FULL.test(sqliteCode(error));

const THEN_AGAIN = phrase`then ${AGAIN}: it continues where it stopped.`;

/** @param errorText the error in words. */
function meaningOf(
  code: string,
  folder: string,
  errorText: string,
): Pick<StopDetail, 'code' | 'message' | 'next'> {
  if (DISK_FULL.test(code)) {
    const message = `The disk that holds the store ${folder} is full; nothing new is sent.`;
    return { code: 'disk_full', message, next: `Free some space, ${THEN_AGAIN}` };
  }
  // All our statements fit our schema, and only JSON is written where JSON is read, so SQLITE_ERROR says that
  // a file is damaged.
  if (/^SQLITE_(?:CORRUPT|NOTADB|FORMAT|ERROR|MISMATCH)/.test(code)) {
    const message = `The store ${folder} is damaged: SQLite says "${errorText}".`;
    return { code: 'store_damaged', message, next: 'Restore the store from its newest backup.' };
  }
  if (code.startsWith('SQLITE_BUSY'))
    return {
      code: 'busy',
      message: `Another program holds the ledger in ${folder}.`,
      next: 'Close that program.',
    };
  // A kernel makes a disk that fails read-only.
  const next = `Check that its disk is sound and mounted for writing, and that its files are yours to write, ${THEN_AGAIN}`;
  return { code: 'store', message: `The store ${folder} cannot be used: ${errorText}.`, next };
}

/**
 * What an error means to a user; a failed constraint, which is a bug of ours and concerns one write, and
 * other bugs pass unchanged.
 */
export function explainedError(error: unknown, folder: string): unknown {
  const code = sqliteCode(error);
  // Errors of the file system name the failed system call; bugs of ours do not.
  const isOfUse = error instanceof Database.SqliteError || (error instanceof Error && 'syscall' in error);
  if (!isOfUse || code.startsWith('SQLITE_CONSTRAINT')) return error;
  const short = shortageOf(code);
  const meaning = meaningOf(code, folder, short?.why ?? messageOf(error));
  return new StopError({ ...meaning, next: short?.next ?? meaning.next }, { cause: error });
}
