import Database from 'better-sqlite3';
import { type Connection, damaged } from './connection.ts';
import { MIGRATIONS } from './migrations.ts';

/**
 * The schema itself is text in the ledger: a changed letter in a guard would make another rule. It is compared with the
 * schema of an empty ledger; additions of a user, such as a view, are ignored.
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
