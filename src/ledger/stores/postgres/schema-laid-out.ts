import { type StopError, stop } from '../../../core/errors.ts';
import { commandLine } from '../../../lib/command-line.ts';
import { type Database, oneCell, onlyOne, type Sql } from './connection.ts';
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
import { NOTICES } from './schema/notices-sql.ts';
import { ROWS } from './schema/rows-sql.ts';
import { SPENDERS } from './schema/spenders-sql.ts';
import { TALLIES } from './schema/tallies-sql.ts';
import { TEAMS } from './schema/teams-sql.ts';

/** The tables of a ledger, a file for each topic. They stand in a schema of their own, `rowonce`. */
const TOPICS = [
  ...[ACCOUNTS, BATCHES, CALLS, TALLIES, MONEY, ROWS, LISTED, CONSENTS, HOST_NOTES, TEAMS, ERASURES],
  ...[COPIES, SPENDERS, ACTS, NOTICES],
];

/** Grows by one with each change of the tables, their constraints or their functions. Ledgers of before it was kept say nothing, or 1. */
export const SCHEMA_VERSION = 3;

/** @throws StopError `store_version` for a ledger that was laid out by another version of this program. */
export function hasLedger(database: Database): Promise<boolean> {
  return isLaidOut(database, database);
}

async function isLaidOut(sql: Sql, database: Database): Promise<boolean> {
  const version = await versionOf(sql);
  if (version === undefined || version === SCHEMA_VERSION) return version !== undefined;
  throw version > SCHEMA_VERSION ? newer(database, version) : older(database, version);
}

const THERE = `
SELECT to_regclass('rowonce.calls') IS NOT NULL AS "isLedger", to_regclass('rowonce.ledger') IS NOT NULL AS "hasName"`;

async function versionOf(sql: Sql): Promise<number | undefined> {
  const there = await sql.row<{ isLedger: boolean; hasName: boolean }>(THERE);
  if (there?.isLedger !== true) return undefined;
  if (!there.hasName) return 1;
  const text = `SELECT coalesce(to_jsonb(l) ->> 'version', '1')::bigint FROM ledger l`;
  return (await oneCell<number>(sql, text)) ?? 1;
}

const older = ({ shown }: Database, version: number): StopError =>
  stop(
    'store_version',
    `The ledger at ${shown} was set up by an earlier Rowonce (schema ${version}; this one knows ${SCHEMA_VERSION}). Nothing in it was changed.`,
    'Export its answers with the version that made it, and name another database with --store.',
  );

const newer = ({ shown }: Database, version: number): StopError =>
  stop(
    'store_version',
    `The ledger at ${shown} was set up by a newer Rowonce (schema ${version}; this one knows ${SCHEMA_VERSION}). Nothing in it was changed.`,
    'Use the newer Rowonce.',
  );

/** Two processes may find an empty database at once. A crash in here leaves it empty. */
export async function layOut(database: Database): Promise<void> {
  await database.write(async (sql) => {
    await onlyOne(sql, 'layingOut');
    if (await isLaidOut(sql, database)) return;
    await sql.rows('CREATE SCHEMA IF NOT EXISTS rowonce');
    await layOutTopics(sql);
  });
}

/** In the schema that comes first in the search path. */
async function layOutTopics(sql: Sql): Promise<void> {
  for (const topic of TOPICS) await sql.script(topic);
  await sql.rows('UPDATE ledger SET version = $1', [SCHEMA_VERSION]);
}

export const newestEntry = async (sql: Sql): Promise<number> =>
  (await oneCell<number>(sql, 'SELECT last_value FROM numbers')) ?? 0;

export function nothingThere({ shown }: Database): StopError {
  return stop(
    'store',
    `There is no ledger at ${shown}.`,
    `Name an existing store with --store, or let its owner run: ${commandLine(['store', 'init', shown])}`,
  );
}
