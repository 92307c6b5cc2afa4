import { hostname } from 'node:os';
import { oneRow } from './context.ts';
import type { Sql } from './db.ts';
import type { StoreOptions } from './store.ts';

/** Everybody who has the store open to spend has a row, whose number is in the numbers of its calls. */

const BEGUN = `
INSERT INTO workers (host, pid, command, operator, since, seen_at) VALUES (?, CAST(? AS {int}), ?, ?, {now}, {now}) RETURNING id`;

export async function beginWorker(
  sql: Sql,
  { command, operator }: Pick<StoreOptions, 'command' | 'operator'>,
): Promise<number> {
  const { id } = await oneRow<{ id: number }>(sql, BEGUN, [
    hostname(),
    process.pid,
    command,
    operator ?? null,
  ]);
  return id;
}

/** What it has left open is anybody's to end. Where the database is away, it is so by its age. */
export async function endWorker(sql: Pick<Sql, 'rows'>, worker: number): Promise<void> {
  const ended = `UPDATE workers SET seen_at = {now}, ended_at = {now}, accounts = '[]' WHERE id = ?`;
  await sql.rows(ended, [worker]).catch(() => {});
}
