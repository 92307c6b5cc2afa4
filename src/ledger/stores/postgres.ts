import { stop } from '../../core/errors.ts';
import { checkBudgets } from '../check.ts';
import type { PostgresDb } from '../db/postgres.ts';
import { SCHEMA } from '../db.ts';
import { PUT_BACK } from '../outside-notes.ts';
import { copiedTo, layOut, metaOf } from '../place.ts';
import { copySource, copyTarget } from '../postgres/copies.ts';
import { erasing } from '../postgres/erasing.ts';
import { hasLedger, openReader, openSpender, reading, using } from '../postgres/place.ts';
import { hasQueue, layOutQueue, openQueue, QUEUE_SCHEMA } from '../postgres/queue.ts';
import type { Store, StoreFact, StoreGrants } from '../store.ts';

/**
 * The store for hosts whose disk does not last: a database of PostgreSQL, from which many processes spend. That nothing is bought twice
 * hangs on no lock of a process: the tables refuse it.
 */
const store: Store = {
  name: 'postgres',
  manySpend: true,
  open: async (location, options) => (await openSpender(location, options)).ledger,
  look: openReader,
  prepare: async (location) => (await openReader(location)).close(),
  init: (location) => using(location, false, (db) => init(db, location)),
  queue: async (location) => ((await hasQueue(location)) ? openQueue(location) : undefined),
  spender: async () => undefined,
  examine: (location) => using(location, true, async (db) => [await serverFact(db), await ledgerFact(db)]),
  bytes: (location) => reading(location, bytesOf),
  /** Of itself the server says nothing: what is broken it meets where it reads. */
  check: (location) => reading(location, async (db) => ({ broken: [], ...(await checkBudgets(db)) })),
  async backUp(location) {
    const fact = `The store ${location} is a database, which is not backed up into a file from here.`;
    throw stop('store', fact, 'Back it up where it runs, by pg_dump with both of its schemas.');
  },
  copyFrom: (location, options) => copySource(location, { ...options, create: false }),
  copyTo: (location, options) => copyTarget(location, { ...options, create: true }),
  erasing,
};

export default store;

async function bytesOf(db: PostgresDb): Promise<number> {
  const [found] = await db.rows<{ bytes: number }>(`
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
     WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'r'`);
  return found?.bytes ?? 0;
}

// ------------------------------------------------------------------------------------------ what a person should know

interface Server {
  readonly version: string;
  readonly fsync: string;
  readonly checksums: string;
  readonly isStandby: boolean;
  readonly used: number;
  readonly most: number;
}

const SERVER = `
SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync, current_setting('data_checksums') AS checksums,
       pg_is_in_recovery() AS "isStandby", current_setting('max_connections')::bigint AS most,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`;

/** Fewer free connections than one process uses. */
const LEAST_FREE = 5;

async function serverFact(db: PostgresDb): Promise<StoreFact> {
  const [server] = await db.rows<Server>(SERVER);
  const { version, fsync, checksums, isStandby, used, most } = server as Server;
  const settings = `fsync ${fsync}, synchronous_commit on for Rowonce, data_checksums ${checksums}`;
  const found = {
    what: 'server',
    fact: `PostgreSQL ${version}, ${settings}, ${used} of ${most} connections in use`,
  };
  if (isStandby)
    return { ...found, fact: `${found.fact}; it is a standby`, next: 'Name the server that takes writes.' };
  if (most - used >= LEAST_FREE) return found;
  return { ...found, next: 'Raise max_connections, or end what else is connected: a process uses five.' };
}

const RIGHTS = `
SELECT current_user AS role, has_table_privilege('${SCHEMA}.calls', 'INSERT') AS writes,
       pg_has_role((SELECT nspowner FROM pg_namespace WHERE nspname = '${SCHEMA}'), 'USAGE') AS owns`;

async function ledgerFact(db: PostgresDb): Promise<StoreFact> {
  const what = 'ledger';
  if (!(await hasLedger(db, { mayArrive: true })))
    return { what, fact: `none yet in schema ${SCHEMA}; the first run makes it` };
  const [rights] = await db.rows<{ role: string; owns: boolean; writes: boolean }>(RIGHTS);
  const may = rights?.owns ? 'owns it' : rights?.writes ? 'may write to it' : 'may only read it';
  const mebibytes = ((await bytesOf(db)) / 1024 / 1024).toFixed(0);
  const fact = `${mebibytes} MiB in schema ${SCHEMA}; role ${rights?.role} ${may}`;
  if ((await metaOf(db, 'arriving')) !== undefined)
    return {
      what,
      fact: `${fact}; it is a copy that is not finished`,
      next: 'Run the same store copy command again.',
    };
  const lost = await metaOf(db, 'lost');
  if (lost !== undefined && lost !== '') return { what, fact: `${fact}; ${lost}`, next: PUT_BACK };
  const copied = await copiedTo(db);
  if (copied === undefined) return { what, fact };
  return {
    what,
    fact: `${fact}; it was copied to ${copied.place}, and nothing is bought from it any more`,
    next: `Name the copy: --store ${copied.place}`,
  };
}

// ------------------------------------------------------------------------------------------ roles

/** A crash in here leaves what the same command completes. @throws StopError `store_version` for another version. */
async function init(db: PostgresDb, location: string): Promise<StoreGrants> {
  await hasLedger(db);
  await layOut(db);
  await layOutQueue(location);
  const [found] = await db.rows<{ name: string }>('SELECT quote_ident(current_database()) AS name');
  return grantsIn(found?.name ?? '');
}

/** What is kept only while it is needed, and that a worker deletes. */
const PASSING = ['cells', 'files', 'pieces', 'places', 'quota_uses'];

/** What becomes of a call. What it was stays. */
const MOVES = 'state, is_current, row, moved, ended_at, said, charged, is_at_most, why, dialect, reply';

/**
 * A worker alters no schema. What was bought it does not delete, for that is the owner's: of a call it moves where that stands. A reply it
 * may shorten, because one that a person told for an answer makes room for what comes late. What an earlier version had granted is
 * taken back first.
 */
function grantsIn(database: string): StoreGrants {
  const schemas = `SCHEMA ${SCHEMA}, ${QUEUE_SCHEMA}`;
  return {
    worker: [
      `GRANT CONNECT ON DATABASE ${database} TO rowonce_worker;`,
      `GRANT USAGE ON ${schemas} TO rowonce_worker;`,
      `REVOKE ALL ON ALL TABLES IN SCHEMA ${SCHEMA} FROM rowonce_worker;`,
      `GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA ${SCHEMA} TO rowonce_worker;`,
      `REVOKE UPDATE ON ${SCHEMA}.calls FROM rowonce_worker;`,
      `GRANT UPDATE (${MOVES}) ON ${SCHEMA}.calls TO rowonce_worker;`,
      `GRANT DELETE ON ${PASSING.map((table) => `${SCHEMA}.${table}`).join(', ')} TO rowonce_worker;`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO rowonce_worker;`,
      `GRANT SELECT, USAGE ON ALL SEQUENCES IN ${schemas} TO rowonce_worker;`,
    ],
    reader: [
      `GRANT CONNECT ON DATABASE ${database} TO rowonce_reader;`,
      `GRANT USAGE ON ${schemas} TO rowonce_reader;`,
      `GRANT SELECT ON ALL TABLES IN ${schemas} TO rowonce_reader;`,
      `GRANT SELECT ON ALL SEQUENCES IN SCHEMA ${SCHEMA} TO rowonce_reader;`,
    ],
  };
}
