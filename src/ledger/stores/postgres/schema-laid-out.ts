import { type StopError, stop } from '../../../core/errors.ts';
import type { Database, Sql } from './connection.ts';
import { ACCOUNTS } from './schema/accounts-sql.ts';
import { ACTS } from './schema/acts-sql.ts';
import { BATCHES } from './schema/batches-sql.ts';
import { CALLS } from './schema/calls-sql.ts';
import { CONSENTS } from './schema/consents-sql.ts';
import { COPIES } from './schema/copies-sql.ts';
import { ERASURES } from './schema/erasures-sql.ts';
import { HOST_NOTES } from './schema/host-notes-sql.ts';
import { LISTED } from './schema/listed-sql.ts';
import { MONEY } from './schema/money-sql.ts';
import { ROWS } from './schema/rows-sql.ts';
import { SPENDERS } from './schema/spenders-sql.ts';
import { TALLIES } from './schema/tallies-sql.ts';
import { TEAMS } from './schema/teams-sql.ts';
import { TIME } from './schema/time-sql.ts';

/** The tables and the one trigger of a ledger, a file for each topic. They stand in a schema of their own, `rowonce`. */
const TOPICS = [
  ACCOUNTS,
  BATCHES,
  CALLS,
  TALLIES,
  MONEY,
  ROWS,
  LISTED,
  TIME,
  CONSENTS,
  HOST_NOTES,
  TEAMS,
  ERASURES,
  COPIES,
  SPENDERS,
  ACTS,
];

/** Two processes may find an empty database at once; any number that nobody else takes. */
export const ADVISORY_LOCK = 8_260_029;

export async function hasLedger(database: Database): Promise<boolean> {
  const found = await database.row<{ is: boolean }>(`SELECT to_regclass('rowonce.calls') IS NOT NULL AS is`);
  return found?.is === true;
}

/** A crash in here leaves the database empty. */
export async function layOut(database: Database): Promise<void> {
  await database.write(async (sql) => {
    await sql.rows('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    if (await hasLedger(database)) return;
    await sql.rows('CREATE SCHEMA IF NOT EXISTS rowonce');
    for (const topic of TOPICS) await sql.script(topic);
  });
}

/** The number of the newest entry. */
export async function newestEntry(sql: Sql): Promise<number> {
  const found = await sql.row<{ newest: number }>('SELECT last_value AS newest FROM numbers');
  return found?.newest ?? 0;
}

export function nothingThere({ shown }: Database): StopError {
  return stop(
    'store',
    `There is no ledger at ${shown}.`,
    'Name an existing store with --store, or let its owner run rowonce store init.',
  );
}
