import Database from 'better-sqlite3';
import { type Connection, damaged } from './connection.ts';
import { MIGRATIONS } from './migrations.ts';

/**
 * The schema itself is text in the ledger: a letter flipped in a guard would be another rule. It is compared with that
 * of an empty ledger; what a user added, such as a view of his own, is left alone.
 */
const SCHEMA =
  "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!'";

interface Entry {
  readonly name: string;
  readonly sql: string;
}

export function verifySchema(connection: Connection, folder: string): void {
  const found = new Map(connection.all<Entry>(SCHEMA).map(({ name, sql }) => [name, sql]));
  for (const { name, sql } of expectedSchema()) {
    if (found.get(name) !== sql) throw damaged(folder, `its definition of ${name} was altered`);
  }
}

function expectedSchema(): readonly Entry[] {
  const empty = new Database(':memory:');
  try {
    for (const script of MIGRATIONS) empty.exec(script);
    return empty.prepare<[], Entry>(SCHEMA).all();
  } finally {
    empty.close();
  }
}
