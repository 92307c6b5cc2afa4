import { type PostgresDb, postgres } from '../db/postgres.ts';
import { SCHEMA } from '../db.ts';
import { PUT_BACK } from '../outside-notes.ts';
import { copiedTo, metaOf } from '../place.ts';
import type { StoreFact } from '../store.ts';
import { hasLedger } from './place.ts';

interface Server {
  readonly version: string;
  readonly fsync: string;
  readonly checksums: string;
  readonly isStandby: boolean;
  readonly standbys: string;
  readonly used: number;
  readonly most: number;
  readonly role: string;
}

const SERVER = `
SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync, current_setting('data_checksums') AS checksums,
       pg_is_in_recovery() AS "isStandby", current_setting('synchronous_standby_names') AS standbys,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
       current_setting('max_connections')::bigint AS most, current_user AS role`;

interface Ledger {
  readonly bytes: number;
  readonly owns: boolean;
  readonly writes: boolean;
}

const BYTES = `(SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
         WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind = 'r')`;

const LEDGER = `
SELECT ${BYTES} AS bytes, pg_has_role((SELECT nspowner FROM pg_namespace WHERE nspname = '${SCHEMA}'), 'USAGE') AS owns,
       has_table_privilege('${SCHEMA}.calls', 'INSERT') AS writes`;

/** Fewer free connections than one process uses. */
const LEAST_FREE = 5;

/** What a person should know of the server and of the ledger on it; nothing is changed. */
export async function examine(location: string): Promise<readonly StoreFact[]> {
  const db = await postgres(location, { isReader: true });
  try {
    const [server] = await db.rows<Server>(SERVER);
    return [...(server === undefined ? [] : [factOf(server)]), await ledgerFact(db, server?.role ?? '')];
  } finally {
    await db.close();
  }
}

export async function bytesOf(db: PostgresDb): Promise<number> {
  const [found] = await db.rows<{ bytes: number }>(`SELECT ${BYTES} AS bytes`);
  return found?.bytes ?? 0;
}

function factOf({ version, fsync, checksums, isStandby, standbys, used, most }: Server): StoreFact {
  const settings = `fsync ${fsync}, synchronous_commit on for Rowonce, data_checksums ${checksums}`;
  const replicas = standbys === '' ? 'no synchronous standby' : `synchronous standbys ${standbys}`;
  const fact = `PostgreSQL ${version}, ${settings}, ${replicas}, ${used} of ${most} connections in use`;
  const found = { what: 'server', fact };
  if (isStandby)
    return { ...found, fact: `${fact}; it is a standby`, next: 'Name the server that takes writes.' };
  if (most - used < LEAST_FREE)
    return { ...found, next: 'Raise max_connections, or end what else is connected: a process uses five.' };
  return found;
}

async function ledgerFact(db: PostgresDb, role: string): Promise<StoreFact> {
  const what = 'ledger';
  const none = { what, fact: `none yet in schema ${SCHEMA}; the first run makes it` };
  if (!(await hasLedger(db, { mayArrive: true }))) return none;
  const [ledger] = await db.rows<Ledger>(LEDGER);
  if (ledger === undefined) return none;
  const { bytes, owns, writes } = ledger;
  const may = owns ? 'owns it' : writes ? 'may write to it' : 'may only read it';
  const fact = `${(bytes / 1024 / 1024).toFixed(0)} MiB in schema ${SCHEMA}; role ${role} ${may}`;
  if ((await metaOf(db, 'arriving')) !== undefined)
    return {
      ...{ what, fact: `${fact}; it is a copy that is not finished` },
      next: 'Run the same store copy command again.',
    };
  const lost = await metaOf(db, 'lost');
  if (lost !== undefined && lost !== '') return { what, fact: `${fact}; ${lost}`, next: PUT_BACK };
  const copied = await copiedTo(db);
  if (copied === undefined) return { what, fact };
  return {
    ...{ what, fact: `${fact}; it was copied to ${copied.place}, and nothing is bought from it any more` },
    next: `Name the copy: --store ${copied.place}`,
  };
}
