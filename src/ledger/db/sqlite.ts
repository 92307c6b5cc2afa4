import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { invariant, messageOf, type StopDetail, StopError } from '../../core/errors.ts';
import { AGAIN, phrase } from '../../core/phrase.ts';
import { crashPoint } from '../../lib/faults.ts';
import { shortage } from '../../lib/system-errors.ts';
import {
  type AnyRecord,
  type Cell,
  type Db,
  inWordsOf,
  type Sql,
  type Statement,
  type Step,
  step,
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
  readonly #overRecords = new Map<Statement, CompiledStatement>();

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

  /** Runs it for one record. */
  each(each: Statement, record: AnyRecord, found: unknown[]): void {
    const { statement } = this.#overRecord(each);
    if (each.writes !== undefined) {
      if (statement.run(record).changes > 0) found.push({ id: record[each.writes] });
    } else if (!statement.reader) statement.run(record);
    else for (const row of statement.all(record)) found.push(row);
  }

  /** Runs it once over all records. */
  whole(each: Statement, records: readonly AnyRecord[]): readonly unknown[] {
    const { statement, names } = this.#overRecord(each);
    const list = JSON.stringify(records.map((record) => names.map((name) => record[name])));
    if (statement.reader) return statement.all(list);
    statement.run(list);
    return [];
  }

  #overRecord(each: Statement): CompiledStatement {
    let known = this.#overRecords.get(each);
    if (known === undefined) {
      const { text, names } = overRecords(each);
      known = { statement: this.raw.prepare<unknown[], unknown>(text), names };
      this.#overRecords.set(each, known);
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

/** What SQLite gets of a statement over records, which says a cell as `@name`, or all records as `?`. */
export function overRecords(each: Statement): { readonly text: string; readonly names: readonly string[] } {
  const names = usedOf(each);
  return { text: each.whole ? wholeText(each, names) : sqlFor(each, names), names };
}

/**
 * `v` is a table of one row, whose cells are parameters; where it is the only table that is read, they stand
 * there themselves.
 */
function sqlFor({ columns, sql }: Statement, names: readonly string[]): string {
  // better-sqlite3 binds every number as a real one. SQLite plans a statement anew when a plain parameter
  // changes by which it searches.
  const cellOf = (name: string): string =>
    columns[name] === 'int' ? `CAST(@${name} AS INTEGER)` : `+@${name}`;
  const own = inWordsOf('sqlite', sql);
  if (uses(own) === 1 && isOutside(own, own.indexOf(' FROM v WHERE ')))
    return own
      .replace(' FROM v WHERE ', ' WHERE ')
      .replaceAll(/\bv\.(\w+)/g, (_, name: string) => cellOf(name));
  return withTable(own, `(SELECT ${names.map((name) => `${cellOf(name)} AS ${name}`).join(', ')}) AS v`);
}

/** `v` is the rows of a JSON list. It stands once in such a statement. */
function wholeText({ sql, writes }: Statement, names: readonly string[]): string {
  const own = inWordsOf('sqlite', sql);
  invariant(uses(own) === 1, `a whole statement reads v once: ${own}`);
  const cells = names.map((name, at) => `value ->> ${at} AS ${name}`);
  const returning = writes === undefined ? '' : ' RETURNING id';
  return withTable(own, `(SELECT ${cells.join(', ')} FROM json_each(?)) AS v`) + returning;
}

const uses = (sql: string): number => sql.match(/\bv\b(?!\.[\w*])/g)?.length ?? 0;

const usedOf = ({ columns, sql }: Statement): readonly string[] =>
  Object.keys(columns).filter((name) => sql.includes('v.*') || new RegExp(`\\bv\\.${name}\\b`).test(sql));

const withTable = (sql: string, table: string): string =>
  sql.replaceAll(/\b(FROM|JOIN) v\b(?!\.)/g, (_, before: string) => `${before} ${table}`);

/** Whether a place of a statement is in no parentheses. */
const isOutside = (sql: string, at: number): boolean =>
  at !== -1 && sql.slice(0, at).split('(').length === sql.slice(0, at).split(')').length;

/**
 * An error of the database is thrown with what a person can do about it.
 * @param reader for what is read beside a transaction, which sees nothing of it.
 */
export function sqlite(writer: Connection, reader = writer): Db {
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
    throw explained(error, folder);
  };
  const writeNow = async (steps: readonly Step[]): Promise<readonly (readonly unknown[])[]> => {
    try {
      begin();
      const found = steps.flatMap((each) => stepNow(writer, each));
      commit();
      return found;
    } catch (error) {
      return failed(error);
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
    write: (steps) => (isBusy ? inTurn(() => writeNow(steps)) : writeNow(steps)),
    script: async (sql) => void writer.raw.exec(inWordsOf('sqlite', sql)),
    close: async () => {
      await last;
      reader.raw.close();
      writer.raw.close();
    },
  };
}

function stepNow(connection: Connection, { statements, records }: Step): (readonly unknown[])[] {
  if (statements[0]?.whole) return statements.map((statement) => connection.whole(statement, records));
  const found: unknown[][] = statements.map(() => []);
  for (const record of records)
    for (let at = 0; at < statements.length; at += 1)
      connection.each(statements[at] as Statement, record, found[at] as unknown[]);
  return found;
}

function sqlOn(connection: Connection, folder: string): Sql {
  const asked = (work: () => unknown): never => {
    try {
      return work() as never;
    } catch (error) {
      throw explained(error, folder);
    }
  };
  return {
    rows: async (sql, params) => asked(() => connection.rows(sql, params)),
    each: async (statement, records) => asked(() => stepNow(connection, step([statement], records))[0]),
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

/** @param said the error in words. */
function meaningOf(
  code: string,
  folder: string,
  said: string,
): Pick<StopDetail, 'code' | 'message' | 'next'> {
  if (DISK_FULL.test(code)) {
    const message = `The disk that holds the store ${folder} is full; nothing new is sent.`;
    return { code: 'disk_full', message, next: `Free some space, ${THEN_AGAIN}` };
  }
  // All our statements fit our schema, and only JSON is written where JSON is read, so SQLITE_ERROR says that
  // a file is damaged.
  if (/^SQLITE_(?:CORRUPT|NOTADB|FORMAT|ERROR|MISMATCH)/.test(code)) {
    const message = `The store ${folder} is damaged: SQLite says "${said}".`;
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
  return { code: 'store', message: `The store ${folder} cannot be used: ${said}.`, next };
}

/**
 * What an error means to a user; a failed constraint, which is a bug of ours and concerns one write, and
 * other bugs pass unchanged.
 */
export function explained(error: unknown, folder: string): unknown {
  const code = sqliteCode(error);
  // Errors of the file system name the failed system call; bugs of ours do not.
  const isOfUse = error instanceof Database.SqliteError || (error instanceof Error && 'syscall' in error);
  if (!isOfUse || code.startsWith('SQLITE_CONSTRAINT')) return error;
  const short = shortage(code);
  const meaning = meaningOf(code, folder, short?.why ?? messageOf(error));
  return new StopError({ ...meaning, next: short?.next ?? meaning.next }, { cause: error });
}
