/**
 * SQLite itself, over files in memory. What is committed outlives a crash, because the ledger asks SQLite for no less; what is not is
 * rolled back with the connection. Locks between processes are SQLite's own.
 */
import type Real from 'better-sqlite3';
import { type Opened, open, SQLite } from '../databases.ts';
import { inWorld, pass, type World, wallMs } from '../world.ts';

type RealStatement = Real.Statement<unknown[], unknown>;

class Statement {
  readonly #statement: RealStatement;
  readonly reader: boolean;

  constructor(statement: RealStatement) {
    this.#statement = statement;
    this.reader = statement.reader;
  }

  run(...params: unknown[]): Real.RunResult {
    return pass(() => this.#statement.run(...params));
  }

  all(...params: unknown[]): unknown[] {
    return pass(() => this.#statement.all(...params));
  }

  get(...params: unknown[]): unknown {
    return pass(() => this.#statement.get(...params));
  }
}

class Commit extends Statement {
  readonly #committed: () => void;

  constructor(statement: RealStatement, committed: () => void) {
    super(statement);
    this.#committed = committed;
  }

  override run(...params: unknown[]): Real.RunResult {
    const result = super.run(...params);
    this.#committed();
    return result;
  }
}

export default class Database {
  static readonly SqliteError = SQLite.SqliteError;
  readonly name: string;
  readonly #opened: Opened;
  readonly #world: World | undefined;
  readonly #forget: (() => void) | undefined;
  #isClosed = false;

  constructor(path: string, options: Real.Options = {}) {
    this.name = path;
    const here = inWorld();
    this.#world = here?.world;
    this.#opened = pass(() => open(path, options));
    if (here !== undefined) this.#opened.nowSeconds = () => wallMs(here.world) / 1000;
    this.#forget = here?.process.atEnd(() => this.#leave());
  }

  get inTransaction(): boolean {
    return this.#opened.database.inTransaction;
  }

  prepare(sql: string): Statement {
    const statement = this.#opened.prepare(sql);
    const { database } = this.#opened;
    const isCommit = sql.trim().toUpperCase() === 'COMMIT';
    if (isCommit) return new Commit(statement, () => this.#world?.committed(database));
    return new Statement(statement);
  }

  exec(sql: string): this {
    pass(() => this.#opened.database.exec(sql));
    return this;
  }

  unsafeMode(isOn: boolean): this {
    this.#opened.database.unsafeMode(isOn);
    return this;
  }

  pragma(source: string, options?: Real.PragmaOptions): unknown {
    return pass(() => this.#opened.pragma(source, options));
  }

  close(): this {
    pass(() => this.#leave());
    return this;
  }

  #leave(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#forget?.();
    this.#opened.leave();
  }
}

export const { SqliteError } = SQLite;
