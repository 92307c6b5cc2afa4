import { PUT_BACK } from '../../lost-stores.ts';
import type { StoreFact } from '../../store.ts';
import { connect, oneCell } from './connection.ts';
import { hasLedger, nothingThere } from './schema-laid-out.ts';

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
  readonly arriving: boolean;
  readonly copiedTo: string | null;
  readonly lost: string | null;
}

const BYTES = `(SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
         WHERE c.relnamespace = 'rowonce'::regnamespace AND c.relkind = 'r')`;

const LEDGER = `
SELECT ${BYTES} AS bytes,
       pg_has_role((SELECT nspowner FROM pg_namespace WHERE nspname = 'rowonce'), 'USAGE') AS owns,
       has_table_privilege('rowonce.entries', 'INSERT') AS writes, arriving, copied_to AS "copiedTo", lost FROM ledger`;

const HAS_LEDGER = `SELECT to_regclass('rowonce.ledger') IS NOT NULL`;

/** Fewer free connections than one process uses. */
const LEAST_FREE = 5;

/** What a person should know of the server and of the ledger on it; nothing is changed. */
export async function examine(location: string): Promise<readonly StoreFact[]> {
  const database = await connect(location, { isReader: true });
  try {
    const server = await database.row<Server>(SERVER);
    const ledger = (await oneCell(database, HAS_LEDGER)) ? await database.row<Ledger>(LEDGER) : undefined;
    return [...(server === undefined ? [] : [factOf(server)]), ledgerFact(ledger, server?.role ?? '')];
  } finally {
    await database.close();
  }
}

export async function bytesOf(location: string): Promise<number> {
  const database = await connect(location, { isReader: true });
  try {
    if (!(await hasLedger(database))) throw nothingThere(database);
    return Number(await oneCell(database, `SELECT ${BYTES}`));
  } finally {
    await database.close();
  }
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

function ledgerFact(ledger: Ledger | undefined, role: string): StoreFact {
  const what = 'ledger';
  if (ledger === undefined) return { what, fact: 'none yet in schema rowonce; the first run makes it' };
  const { bytes, owns, writes, arriving, copiedTo, lost } = ledger;
  const may = owns ? 'owns it' : writes ? 'may write to it' : 'may only read it';
  const fact = `${(bytes / 1024 / 1024).toFixed(0)} MiB in schema rowonce; role ${role} ${may}`;
  if (arriving)
    return {
      ...{ what, fact: `${fact}; it is a copy that is not finished` },
      next: 'Run the same store copy command again.',
    };
  if (lost !== null) return { what, fact: `${fact}; ${lost}`, next: PUT_BACK };
  if (copiedTo === null) return { what, fact };
  return {
    ...{ what, fact: `${fact}; it was copied to ${copiedTo}, and nothing is bought from it any more` },
    next: `Name the copy: --store ${copiedTo}`,
  };
}
