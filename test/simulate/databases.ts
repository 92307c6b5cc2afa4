/**
 * Connections to databases. Most of what a short command costs is opening its ledger and preparing statements, so a connection whose
 * process has ended is kept for the next one, which finds it as new: rolled back, with the settings that it would make itself.
 */
import { createRequire } from 'node:module';
import type Real from 'better-sqlite3';

/** Not the one that the program is given. */
export const SQLite: typeof Real = createRequire(import.meta.url)('better-sqlite3');

type Statement = Real.Statement<unknown[], unknown>;

/** Settings that each connection of the ledger makes, and that stay with it. */
const KEPT_SETTING =
  /^(?:foreign_keys|recursive_triggers|trusted_schema|synchronous|fullfsync|journal_mode) = (?!OFF$|DELETE$)/;
const TRUSTS_NO_SCHEMA = 'trusted_schema = OFF';
const SETTING = /[=(]/;

export class Opened {
  readonly database: Real.Database;
  readonly #key: string;
  readonly #statements = new Map<string, Statement>();
  readonly #settings = new Map<string, unknown>();
  /** Another one would not have made this setting. */
  #isPeculiar = false;
  /** The clock of its process; SQLite has one of its own. */
  nowSeconds = (): number => Date.now() / 1000;

  constructor(key: string, database: Real.Database) {
    this.#key = key;
    this.database = database;
    database.function('unixepoch', { varargs: true }, () => this.nowSeconds());
  }

  prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare<unknown[], unknown>(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  pragma(source: string, options?: Real.PragmaOptions): unknown {
    const isKept = source === TRUSTS_NO_SCHEMA || KEPT_SETTING.test(source);
    if (isKept && this.#settings.has(source)) return this.#settings.get(source);
    this.#isPeculiar ||= !isKept && SETTING.test(source);
    const found = this.database.pragma(source, options);
    if (isKept) this.#settings.set(source, found);
    return found;
  }

  /** Its process has no use of it any more. */
  leave(): void {
    if (this.database.inTransaction) this.database.exec('ROLLBACK');
    if (this.#isPeculiar) this.database.close();
    else idle.push({ key: this.#key, opened: this });
  }
}

const idle: { readonly key: string; readonly opened: Opened }[] = [];

/** @throws SqliteError as SQLite does. */
export function open(path: string, options: Real.Options): Opened {
  const key = `${path} ${JSON.stringify(options)}`;
  const at = idle.findIndex((each) => each.key === key);
  const [kept] = at === -1 ? [] : idle.splice(at, 1);
  return kept?.opened ?? new Opened(key, new SQLite(path, options));
}

/** Before anything else touches such files. */
export function closeIdle(): void {
  for (const { opened } of idle.splice(0)) opened.database.close();
}
