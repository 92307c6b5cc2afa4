/**
 * SQLite itself, over files in memory. What is committed outlives a crash, because the ledger asks SQLite for no less; what is not is
 * rolled back with the connection. Locks between processes are SQLite's own.
 */
import { createRequire } from 'node:module';
import type Real from 'better-sqlite3';
import { inWorld, pass, wallMs } from '../world.ts';

const RealDatabase: typeof Real = createRequire(import.meta.url)('better-sqlite3');

class Statement {
  readonly #statement: Real.Statement<unknown[], unknown>;
  readonly reader: boolean;

  constructor(statement: Real.Statement<unknown[], unknown>) {
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

  iterate(...params: unknown[]): Iterator<unknown> {
    return this.all(...params)[Symbol.iterator]();
  }
}

class Commit extends Statement {
  readonly #committed: () => void;

  constructor(statement: Real.Statement<unknown[], unknown>, committed: () => void) {
    super(statement);
    this.#committed = committed;
  }

  override run(...params: unknown[]): Real.RunResult {
    const result = super.run(...params);
    this.#committed();
    return result;
  }
}

class Database extends RealDatabase {
  readonly #forget: (() => void) | undefined;

  constructor(path: string, options?: Real.Options) {
    pass(() => {});
    super(path, options);
    const here = inWorld();
    if (here === undefined) return;
    this.#forget = here.process.atEnd(() => super.close());
    // SQLite has a clock of its own.
    this.function('unixepoch', { varargs: true }, () => wallMs(here.world) / 1000);
  }

  override prepare(sql: string): never {
    const statement = super.prepare(sql) as Real.Statement<unknown[], unknown>;
    const here = inWorld();
    if (here === undefined) return statement as never;
    const isCommit = sql.trim().toUpperCase() === 'COMMIT';
    const own = isCommit ? new Commit(statement, () => here.world.committed(this)) : new Statement(statement);
    return own as never;
  }

  override exec(sql: string): this {
    return pass(() => super.exec(sql));
  }

  override pragma(source: string, options?: Real.PragmaOptions): unknown {
    return pass(() => super.pragma(source, options));
  }

  override close(): this {
    return pass(() => {
      this.#forget?.();
      return super.close();
    });
  }
}

export const { SqliteError } = RealDatabase;
export default Object.assign(Database, { SqliteError });
