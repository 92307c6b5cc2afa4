import { type StopError, stop } from '../../../core/errors.ts';
import type { Database } from './connection.ts';
import { SPENDER } from './lock.ts';
import { ACCOUNTS } from './schema/accounts-sql.ts';
import { ACTS } from './schema/acts-sql.ts';
import { BATCHES } from './schema/batches-sql.ts';
import { CALLS } from './schema/calls-sql.ts';
import { CONSENTS } from './schema/consents-sql.ts';
import { HOST_NOTES } from './schema/host-notes-sql.ts';
import { MONEY } from './schema/money-sql.ts';
import { ROWS } from './schema/rows-sql.ts';
import { TALLIES } from './schema/tallies-sql.ts';
import { TIME } from './schema/time-sql.ts';

/** The tables and the one trigger of a ledger, a file for each topic. They stand in a schema of their own, `rowonce`. */
const TOPICS = [ACCOUNTS, BATCHES, CALLS, TALLIES, MONEY, ROWS, TIME, CONSENTS, HOST_NOTES, SPENDER, ACTS];

/** Two processes may find an empty database at once; any number that nobody else takes. */
const ADVISORY_LOCK = 8_260_029;

export async function hasLedger(database: Database): Promise<boolean> {
  const found = await database.row<{ is: boolean }>(`SELECT to_regclass('rowonce.calls') IS NOT NULL AS is`);
  return found?.is === true;
}

/** Whether the ledger is not from before it kept who is at work. */
export async function keepsActs(sql: Pick<Database, 'row'>): Promise<boolean> {
  const found = await sql.row<{ is: boolean }>(`SELECT to_regclass('rowonce.acts') IS NOT NULL AS is`);
  return found?.is === true;
}

/** Lays out what the database lacks. A crash in here leaves it as it was. */
export async function layOut(database: Database): Promise<void> {
  await database.write(async (sql) => {
    await sql.rows('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    if (await hasLedger(database)) {
      if (!(await keepsActs(sql))) await sql.script(ACTS);
      return;
    }
    await sql.rows('CREATE SCHEMA IF NOT EXISTS rowonce');
    for (const topic of TOPICS) await sql.script(topic);
  });
}

/** The number of the newest entry. Later ones are of the process that asks, if it alone spends. */
export async function newestEntry(database: Database): Promise<number> {
  const found = await database.row<{ newest: number }>('SELECT last_value AS newest FROM numbers');
  return found?.newest ?? 0;
}

export function nothingThere({ shown }: Database): StopError {
  return stop('store', `There is no ledger at ${shown}.`, 'Name an existing store with --store.');
}
