import { closeSync, openSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { messageOf, StopError, stop } from '../../../core/errors.ts';
import { shortage, shortOfFiles } from '../../../lib/system-errors.ts';

/**
 * One connection to an SQLite file: pragmas that must hold on every connection, statements that are prepared once for
 * their text, and SQLite's errors, translated into what the user can do about them.
 *
 * Statements compare an indexed column with `+?` and not with `?`. SQLite as better-sqlite3 compiles it (STAT4) plans a
 * statement again whenever a plain parameter that an index could use changes its value: 15 µs instead of half a one. A
 * rowid has no such index.
 */

export type Value = string | number | bigint | null | Buffer;
/** Values for `?` in their order, also as one list, or one object for `:name`, when a statement needs a value more than once. */
export type Values = readonly Value[] | readonly [readonly Value[] | Readonly<Record<string, Value>>];

/**
 * The reads of a part of the contract, each on a connection and at once: `SqliteReader` runs it over one state of the ledger,
 * and who writes runs it in the transaction.
 */
export type Reads<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends (...values: infer Asked) => Promise<infer Found>
    ? (connection: Connection, ...asked: Asked) => Found
    : never;
};

/**
 * How long SQLite waits for a lock of another process before it gives up, which blocks the thread meanwhile. A spender opens or closes
 * the store, or a reader moves the log, for a moment: a longer wait has another cause.
 */
const TIMEOUT_MS = 2000;

export class Connection {
  readonly path: string;
  readonly #database: Database.Database;
  /** Number of open connections of this process, by path. */
  static readonly #open = new Map<string, number>();
  readonly #statements = new Map<string, Database.Statement<unknown[], unknown>>();
  readonly #remembered = new Map<string, unknown>();
  /** Whether the reads that follow are of one state until that ends. */
  #isHeld = false;

  constructor(path: string, use: 'read' | 'write') {
    this.path = path;
    this.#database = new Database(path, { readonly: use === 'read', timeout: TIMEOUT_MS });
    Connection.#count(path, 1);
    try {
      this.#harden();
    } catch (error) {
      // The caller of a constructor that throws has nothing to close.
      this.close();
      throw error;
    }
  }

  get<Row>(sql: string, ...values: Values): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: Values): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  /** The rows as the lists of their cells, which takes less time than objects where there are many cells. */
  lists<Row>(sql: string, ...values: Values): Row[] {
    const statement = this.#prepared(sql).raw();
    return statement.all(...values) as Row[];
  }

  /** For use only where nothing else uses the connection until the last row: an open iterator blocks every write. */
  each<Row>(sql: string, ...values: Values): IterableIterator<Row> {
    return this.#prepared(sql).iterate(...values) as IterableIterator<Row>;
  }

  run(sql: string, ...values: Values): { readonly changes: number; readonly id: number } {
    const { changes, lastInsertRowid } = this.#prepared(sql).run(...values);
    return { changes, id: Number(lastInsertRowid) };
  }

  script(sql: string): void {
    this.#database.exec(sql);
  }

  /** Defines a pure function for statements of this connection. */
  define(name: string, work: (first: string, second: string) => Value): void {
    this.#database.function(name, { deterministic: true }, work);
  }

  pragma(source: string): unknown {
    return this.#database.pragma(source, { simple: true });
  }

  /** False when SQLite itself has rolled a transaction back, as it may when the disk is full. */
  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Begins a transaction that writes. Nothing is remembered at its beginning. */
  begin(): void {
    this.#remembered.clear();
    this.run('BEGIN IMMEDIATE');
  }

  commit(): void {
    this.#remembered.clear();
    this.run('COMMIT');
  }

  /** Takes back what was written since `begin`, or since the savepoint of that name, and forgets what was remembered. */
  rollBack(savepoint?: string): void {
    this.#remembered.clear();
    if (savepoint !== undefined) this.run(`ROLLBACK TO ${savepoint}`);
    else if (this.inTransaction) this.run('ROLLBACK');
  }

  /**
   * Reads something once in a transaction, for all that is done in it: nobody else changes what it sees. Whatever changes
   * it itself says so to `remember`, or has everything forgotten.
   */
  once<T>(what: string, read: () => T): T {
    const known = this.#remembered.get(what);
    if (known !== undefined || this.#remembered.has(what)) return known as T;
    const value = read();
    this.remember(what, value);
    return value;
  }

  /** What was read or remembered in this transaction; undefined when it was not, or was forgotten. */
  known<T>(what: string): T | undefined {
    return this.#remembered.get(what) as T | undefined;
  }

  remember(what: string, value: unknown): void {
    if (this.inTransaction) this.#remembered.set(what, value);
  }

  /** @param what how the names begin of what is forgotten; without it all is. */
  forget(what = ''): void {
    for (const name of this.#remembered.keys()) if (name.startsWith(what)) this.#remembered.delete(name);
  }

  /** Runs reads that must see one state of the ledger. */
  snapshot<T>(read: () => T): T {
    if (this.#isHeld) return read();
    this.#remembered.clear();
    this.run('BEGIN');
    try {
      return read();
    } finally {
      this.#remembered.clear();
      if (this.inTransaction) this.run('COMMIT');
    }
  }

  /** The same for reads with something between them, while which nothing is written here. */
  async held<T>(read: () => Promise<T>): Promise<T> {
    this.#remembered.clear();
    this.run('BEGIN');
    this.#isHeld = true;
    try {
      return await read();
    } finally {
      this.#isHeld = false;
      this.#remembered.clear();
      if (this.inTransaction) this.run('COMMIT');
    }
  }

  /** Copies into a file what is committed by now, whatever others write meanwhile. */
  backUp(path: string): Promise<unknown> {
    return this.held(() => {
      // SQLite begins again for each write of another connection, unless what it reads is held.
      this.get('SELECT 1 FROM sqlite_schema');
      return this.#database.backup(path);
    });
  }

  close(): void {
    if (this.#database.open) Connection.#count(this.path, -1);
    this.#database.close();
  }

  static isOpenOn(path: string): boolean {
    return (Connection.#open.get(path) ?? 0) > 0;
  }

  static #count(path: string, by: 1 | -1): void {
    Connection.#open.set(path, (Connection.#open.get(path) ?? 0) + by);
  }

  /** @throws SQLITE_NOTADB for a file that is no database, SQLITE_BUSY for an exclusively locked one. */
  #harden(): void {
    // SQLite opens files lazily; reading the header shows at once what they are.
    this.pragma('schema_version');
    // The triggers are the money rules. Without recursive triggers, REPLACE would delete rows without firing them.
    this.pragma('foreign_keys = ON');
    this.pragma('recursive_triggers = ON');
    // A file that somebody else altered must not run functions of its choice, nor be trusted in its cell sizes.
    this.pragma('trusted_schema = OFF');
    this.pragma('cell_size_check = ON');
    // better-sqlite3 compiles WAL to NORMAL, which loses commits with the power. FULL is what "durable" means here.
    this.pragma('synchronous = FULL');
    // On macOS plain fsync does not reach the disk.
    this.pragma('fullfsync = ON');
  }

  #prepared(sql: string): Database.Statement<unknown[], unknown> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[], unknown>(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Descriptors that must not be closed yet, by device and number. */
const keptOpen = new Map<string, number>();

/**
 * Reads a file of SQLite beside SQLite. POSIX drops all locks that a process has on a file when the process closes any
 * descriptor of it. While a connection of ours is open, the descriptor is therefore kept for the next use.
 */
export function withFile<T>(path: string, work: (file: number) => T): T {
  const { dev, ino } = statSync(path);
  const name = `${dev} ${ino}`;
  const file = keptOpen.get(name) ?? openSync(path, 'r');
  try {
    return work(file);
  } finally {
    if (Connection.isOpenOn(path)) keptOpen.set(name, file);
    else {
      keptOpen.delete(name);
      closeSync(file);
    }
  }
}

/** SQLite's name for an error, such as `SQLITE_FULL`; undefined for errors that are not SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  return error instanceof Database.SqliteError ? error.code : undefined;
}

export function isDiskFull(error: unknown): boolean {
  // SQLite finds no room for its shared memory; ENOSPC and EDQUOT come from our own files beside the database.
  return ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'].includes(codeOf(error));
}

/** Whether the disk fails: a kernel then makes it read-only. */
function isDiskFailing(error: unknown): boolean {
  return /^(SQLITE_READONLY|SQLITE_IOERR|EROFS$|EIO$)/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return sqliteCode(error) ?? (error instanceof Error && 'code' in error ? String(error.code) : '');
}

/** A failed constraint is a bug of ours and concerns one write; every other error of SQLite concerns the store. */
export function concernsOneWrite(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === undefined || code.startsWith('SQLITE_CONSTRAINT');
}

/**
 * SQLite reports SQLITE_ERROR for a statement that does not fit the schema, and for text that is not JSON. All our
 * statements fit our schema, and only JSON is written where JSON is read.
 */
const DAMAGE_CODES = ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_FORMAT', 'SQLITE_ERROR', 'SQLITE_MISMATCH'];

function saysDamage(code: string): boolean {
  return DAMAGE_CODES.some((each) => code.startsWith(each));
}

/** A row with a wrong checksum, or an incomplete one. */
export class AlteredRow extends Error {}

/**
 * Explains an error while rows were read: a value that is never written, such as a number out of range, is damage. Only
 * short code without branches turns rows into values, so the rows are wrong and not the code.
 */
export function explainedReading(error: unknown, folder: string): unknown {
  const wrongs = [TypeError, RangeError, SyntaxError];
  if (!wrongs.some((wrong) => error instanceof wrong)) return explained(error, folder);
  return damagedStore(folder, `an entry cannot be read (${messageOf(error)})`, error);
}

export function diskFull(folder: string, cause: unknown): StopError {
  return new StopError(
    {
      code: 'disk_full',
      message: `The disk that holds the store ${folder} is full; nothing new is sent.`,
      next: 'Free some space, then run the same command again: it continues where it stopped.',
    },
    { cause },
  );
}

export function damagedStore(folder: string, fact: string, cause?: unknown): StopError {
  return new StopError(
    {
      code: 'store_damaged',
      message: `The store ${folder} is damaged: ${fact}.`,
      next: 'Restore the store from its newest backup.',
    },
    { cause },
  );
}

/** Turns an error of SQLite into what it means to a user; other errors, such as bugs of ours, pass unchanged. */
export function explained(error: unknown, folder: string): unknown {
  if (error instanceof StopError) return error;
  if (error instanceof AlteredRow) return damagedStore(folder, error.message, error);
  if (isDiskFull(error)) return diskFull(folder, error);
  // Errors of the file system name the failed system call; bugs of ours do not.
  if (error instanceof Error && 'syscall' in error) return unusable(folder, error, error.message);
  const code = sqliteCode(error);
  if (code === undefined || concernsOneWrite(error)) return error;
  if (saysDamage(code)) {
    return damagedStore(folder, `SQLite says "${messageOf(error)}"`, error);
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return stop('busy', `Another program holds the ledger in ${folder} (${code}).`, 'Close that program.');
  }
  return unusable(folder, error, `${messageOf(error)} (${code})`);
}

function unusable(folder: string, cause: unknown, said: string): StopError {
  const isUnsaid = /^SQLITE_(CANTOPEN|IOERR)/.test(codeOf(cause));
  const short = shortage(codeOf(cause)) ?? (isUnsaid ? shortOfFiles() : undefined);
  const message = `The store ${folder} cannot be used: ${short?.why ?? said}.`;
  if (short !== undefined) return new StopError({ code: 'store', message, next: short.next }, { cause });
  const next = isDiskFailing(cause)
    ? 'Check that its disk is sound and mounted for writing, then run the same command again: it continues where it stopped.'
    : 'Give yourself permission to write to the folder and its files, or name another one with --store.';
  return new StopError({ code: 'store', message, next }, { cause });
}
