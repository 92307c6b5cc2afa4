import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';

/**
 * Counts what this process asks of SQLite and of the disk. It is work and not time, so it is the same on every machine. What
 * is counted is what reaches the library, whoever sent it: nothing in the program knows of it. Another thread of this process
 * has a library of its own, which is not counted.
 */
export interface Work {
  /** How often each statement was run, by its text; a script of several counts as one. */
  readonly statements: ReadonlyMap<string, number>;
  /** Transactions that write: each is a wait for the disk. */
  readonly commits: number;
  /** Reads that were made to see one state of the ledger. */
  readonly snapshots: number;
  /** Waits for the disk for files beside the ledger. */
  readonly syncs: number;
}

/**
 * SQLite takes each checkpoint for one that writes, also that which only says how long the log is. Where a connection keeps
 * what it needs for a while is no write either.
 */
const ASKS = /^PRAGMA (wal_checkpoint\(NOOP\)|temp_store = \w+)$/i;

class Counter implements Work {
  readonly statements = new Map<string, number>();
  commits = 0;
  snapshots = 0;
  syncs = 0;

  /** @param isRead whether it only reads, outside of a transaction as well as in one. */
  statement(text: string, isRead: boolean, inTransaction: boolean): void {
    const words = text.replace(/\s+/g, ' ').trim();
    this.statements.set(words, (this.statements.get(words) ?? 0) + 1);
    if (/^BEGIN (IMMEDIATE|EXCLUSIVE)/i.test(words)) this.commits += 1;
    else if (/^BEGIN/i.test(words)) this.snapshots += 1;
    else if (!isRead && !inTransaction && !ASKS.test(words)) this.commits += 1;
  }
}

let counter = new Counter();

/** The work of what is done in this process until it ends. Only one thing is counted at a time. */
export async function counted(work: () => Promise<unknown>): Promise<Work> {
  watch();
  counter = new Counter();
  await work();
  return counter;
}

let isWatched = false;

/** Has to come before the program is loaded, which takes the functions of Node as it finds them then. */
export function watch(): void {
  if (isWatched) return;
  isWatched = true;
  const database = new Database(':memory:');
  const statement = Object.getPrototypeOf(database.prepare('SELECT 1'));
  for (const name of ['run', 'get', 'all', 'iterate'] as const) watchStatement(statement, name);
  database.close();
  const { exec } = Database.prototype;
  Database.prototype.exec = function (this: Database.Database, text: string) {
    counter.statement(text, false, this.inTransaction);
    return exec.call(this, text);
  };
  for (const name of ['fsyncSync', 'fdatasyncSync'] as const) {
    const sync = fs[name];
    fs[name] = (file) => {
      counter.syncs += 1;
      sync(file);
    };
  }
  syncBuiltinESMExports();
}

function watchStatement(prototype: Database.Statement, name: 'run' | 'get' | 'all' | 'iterate'): void {
  const original = prototype[name] as (...values: unknown[]) => unknown;
  Object.defineProperty(prototype, name, {
    value(this: Database.Statement, ...values: unknown[]) {
      counter.statement(this.source, this.readonly, this.database.inTransaction);
      return original.apply(this, values);
    },
  });
}
