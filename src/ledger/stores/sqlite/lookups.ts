import type { Connection, Values } from './connection.ts';
import type { Stored, Table } from './table.ts';

/** Conditions by which rows are found. An index has no more than it takes to find them, so these say the rest. */

/** That a row of calls has a key. Keys are random, so the index has their beginnings. @param key in SQL. */
export const hasKey = (calls: string, key: string): string =>
  `substr(${calls}.key, 1, 4) = substr(${key}, 1, 4) AND ${calls}.key = ${key}`;

/**
 * The attempts of a call: its first one has the number of the call, and an index has the later ones. @param call in SQL.
 */
export const attemptsOf = (call: string): string =>
  `(SELECT ${call} AS id UNION ALL SELECT later.id FROM attempts later WHERE later.call = ${call} AND later.call <> later.id)`;

/**
 * That a column has one of these words. SQLite makes an index for a list after IN of more than two words, whenever it comes past
 * it, so the words stand one by one.
 */
export function isOneOf(column: string, words: readonly string[]): string {
  return `(${words.map((word) => `${column} = '${word}'`).join(' OR ')})`;
}

/** Rows of a table, each held against its sum, so that no altered one gets further. @param where the condition, in SQL. */
export function checkedRows<Row extends object>(
  connection: Connection,
  table: Table<Row>,
  where: string,
  ...values: Values
): readonly Stored<Row>[] {
  const found = connection.all<Stored<Row>>(`SELECT * FROM ${table.name} WHERE ${where}`, ...values);
  return found.map((row) => table.checked(row));
}
