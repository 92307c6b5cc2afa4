import { crc32 } from 'node:zlib';
import { AlteredRow, type Connection, type Value } from './connection.ts';

/**
 * Sums of batches and accounts, whose rows change. A trigger removes the sum of a row that anything changes, and every
 * commit gives a new one to the rows that have none. A sum covers the columns with their names.
 */
interface Summed {
  readonly table: 'batches' | 'accounts';
  /** Columns that the sum omits: those that a join adds, and those that are checked by adding them up. */
  readonly without: readonly string[];
}

const BATCHES: Summed = { table: 'batches', without: ['identity'] };
const ACCOUNTS: Summed = {
  table: 'accounts',
  without: ['answers', 'answers_not_404', 'last_other', 'misses', 'found'],
};

export type Cells = Readonly<Record<string, Value>>;

function sumIn(row: Cells, { without }: Summed): number {
  const cells = Object.entries(row).filter(([name]) => name !== 'sum' && !without.includes(name));
  return crc32(JSON.stringify(cells.flat()));
}

/** Changes these cells of a row; those that are undefined stay as they are. */
export function setCells(
  connection: Connection,
  table: Summed['table'],
  id: number,
  cells: Readonly<Record<string, Value | undefined>>,
): void {
  const changed = Object.entries(cells).filter(([, value]) => value !== undefined);
  if (changed.length === 0) return;
  // What is remembered of caps is in these tables.
  connection.forget('caps');
  const set = changed.map(([column]) => `${column} = :${column}`);
  connection.run(`UPDATE ${table} SET ${set.join(', ')} WHERE id = :id`, {
    ...(Object.fromEntries(changed) as Cells),
    id,
  });
}

/** @returns the number of the row, where the table numbers its rows. */
export function insertRow(connection: Connection, table: string, cells: Cells): number {
  const columns = Object.keys(cells);
  const values = columns.map((column) => `:${column}`);
  return connection.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`, cells)
    .id;
}

/** In most commits there is none, so one look has to do for both tables. */
const UNSUMMED = [BATCHES, ACCOUNTS]
  .map(({ table }) => `SELECT '${table}' AS name, id FROM ${table} WHERE sum IS NULL`)
  .join(' UNION ALL ');

/** To be called just before each commit. */
export function sumUp(connection: Connection): void {
  for (const { name, id } of connection.all<{ name: Summed['table']; id: number }>(UNSUMMED)) {
    const row = connection.get<Cells>(`SELECT * FROM ${name} WHERE id = ?`, id) ?? {};
    const sum = sumIn(row, name === 'batches' ? BATCHES : ACCOUNTS);
    connection.run(`UPDATE ${name} SET sum = ? WHERE id = ?`, sum, id);
  }
}

export function checkBatch(row: object): void {
  check(row as Cells, BATCHES, 'batch');
}

export function checkAccount(row: object): void {
  check(row as Cells, ACCOUNTS, 'account');
}

function check(row: Cells, summed: Summed, what: string): void {
  if (row.sum !== sumIn(row, summed)) throw new AlteredRow(`${what} number ${row.id} was altered`);
}
