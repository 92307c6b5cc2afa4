import type { Connection } from './connection.ts';
import { definitionsOfSchema } from './identity.ts';
import { ACTS_TABLE, COPIES_TABLE, NOTICES_TABLE } from './tables.ts';

/**
 * Tables that earlier ledgers of this schema lack. Nothing that such a ledger has is changed by adding them, and an earlier Rowonce
 * passes them over, so the number of the schema stays.
 */
const LATER: readonly string[] = [ACTS_TABLE.name, COPIES_TABLE.name, NOTICES_TABLE.name];

export function isThere(connection: Connection, table: string): boolean {
  return connection.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", table) !== undefined;
}

export const missingTables = (connection: Connection): readonly string[] =>
  LATER.filter((table) => !isThere(connection, table));

/**
 * Adds what the ledger lacks, in one transaction: a crash leaves all of it or nothing, and the next start begins again.
 * @returns whether there was anything to add.
 */
export function addLaterTables(connection: Connection): boolean {
  const missing = missingTables(connection);
  if (missing.length === 0) return false;
  const added = definitionsOfSchema().filter(({ of }) => missing.includes(of));
  connection.script(`BEGIN IMMEDIATE;\n${added.map(({ sql }) => `${sql};`).join('\n')}\nCOMMIT;`);
  return true;
}
