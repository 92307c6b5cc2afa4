import { invariant, type StopError, stop } from '../../core/errors.ts';
import { besideFolder } from '../../core/paths.ts';
import { AGAIN, asCommand, asFlag, DO_AGAIN, faces, LET_IT_END, phrase, typing } from '../../core/phrase.ts';
import { commandLine } from '../../lib/command-line.ts';
import type { Tell } from '../../lib/postgres-server.ts';
import { QUEUE_SCHEMA } from '../batches.ts';
import { oneRow } from '../context.ts';
import { copyTables } from '../copy.ts';
import { openPostgres, type PostgresDb } from '../db/postgres.ts';
import { SCHEMA, type Sql } from '../db.ts';
import { finishErasures } from '../erase.ts';
import type { Ledger, LedgerReader } from '../ledger.ts';
import { ledgerOver } from '../open-ledger.ts';
import { keptTables } from '../schema.ts';
import {
  checkBudgets,
  closedByFailure,
  contextOf,
  copiedAway,
  keepNote,
  layOut,
  ledgerNow,
  markOutdated,
  metaOf,
  nothingThere,
  outdated,
  readerAt,
  refuseOther,
  refuseUncopied,
  type Site,
  sourceIn,
  takeLedger,
} from '../site.ts';
import { beginWorker, endWorker, readWorkers, spendersOf } from '../spenders.ts';
import type {
  AloneOptions,
  CopyInPlace,
  CopySource,
  CopyTarget,
  SoleAccess,
  Store,
  StoreGrants,
  StoreOptions,
} from '../store.ts';

/**
 * The store for hosts whose disk does not last: a database of PostgreSQL, from which many processes spend.
 * That nothing is bought twice hangs on no lock of a process: the tables refuse it.
 */
const postgresStore: Store = {
  name: 'postgres',
  manySpend: true,
  open: async (location, options) => (await openSpender(location, options)).ledger,
  look: openReader,
  prepare: async (location) => (await openReader(location)).close(),
  init: (location) => using(location, false, init),
  spender: async () => undefined,
  bytes: (location) => readingDatabase(location, (db) => oneValue<number>(db, BYTES)),
  /** The server says nothing about its own state: it meets broken parts where it reads. */
  check: (location) => readingDatabase(location, async (db) => ({ broken: [], ...(await checkBudgets(db)) })),
  async backUp(location) {
    const fact = `The store ${location} is a database, which is not backed up into a file from here.`;
    throw stop('store', fact, 'Back it up where it runs, by pg_dump with both of its schemas.');
  },
  alone,
  copyFrom: copyFromDatabase,
  copyTo: copyIntoDatabase,
};

export default postgresStore;

const BYTES = `
SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS value FROM pg_class
 WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'r'`;

const oneValue = async <T>(db: PostgresDb, sql: string): Promise<T> =>
  (await oneRow<{ value: T }>(db, sql)).value;

// ------------------------------------------------------------------------------------------ what is there

/** One address for all roles. */
const siteOfDatabase = ({ shown }: PostgresDb): Site => ({ shown, at: shown.replace(/\/\/[^@/]*@/, '//') });

const IS_THERE = `SELECT to_regclass('${SCHEMA}.meta') IS NOT NULL AS value`;

/**
 * @throws StopError `store_version` for a ledger of another Rowonce, `store` for a copy that is not finished.
 */
async function holdsLedger(
  db: PostgresDb,
  { mayArrive = false, refuse = refuseOther } = {},
): Promise<boolean> {
  if (!(await oneValue<boolean>(db, IS_THERE))) return false;
  await refuse(db, db.shown);
  const isArriving = (await metaOf(db, 'arriving')) !== undefined;
  if (isArriving && !mayArrive)
    throw stop(
      'store',
      `The ledger at ${db.shown} is a copy that is not finished.`,
      'Begin the same copy again.',
    );
  return isArriving || (await metaOf(db, 'secret')) !== undefined;
}

// ------------------------------------------------------------------------------------------ to spend

async function openSpender(
  location: string,
  options: StoreOptions,
): Promise<{ readonly db: PostgresDb; readonly worker: number; readonly ledger: Ledger }> {
  const { patience, tell, clock } = options;
  const db = await openPostgres(location, { riding: patience && { ...patience, clock, tell } });
  return closedByFailure(db, async () => {
    const wasThere = await holdsLedger(db);
    if (!wasThere && !options.create) throw noLedger(db);
    await takeLedger(db, siteOfDatabase(db), options, wasThere);
    const worker = await db.transaction((sql) => beginWorker(sql, options));
    const watch = watchOver(db);
    await watch.look();
    db.workAs(worker, async () => (await copiedAway(db, db.shown)) ?? watch.tellOutdated());
    const context = await contextOf(db);
    // What a server has room for, it says when it writes.
    const guard = { refusal: watch.refusal, committed() {}, makeRoom: () => false };
    const ledger = await ledgerOver({ ...context, worker }, guard);
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await ledger.close();
      await watch.look().catch(() => {});
      // A process that ends does not wait for a database that is away.
      await endWorker(atOnce(db), worker);
      await db.close();
    };
    return {
      db,
      worker,
      ledger: {
        ...ledger,
        workers: () => readWorkers(db),
        spenders: spendersOf({ context, db, worker, watch, ledger }),
        close: () => (closing ??= close()),
      },
    };
  });
}

const atOnce = (db: PostgresDb): Pick<Sql, 'rows'> => ({ rows: (sql, params) => db.rowsAtOnce(sql, params) });

/**
 * How a worker hears that its ledger is outdated: a server that replaced another one, or a backup that was
 * put back, lacks commits. The door finds out that its own commits are missing, and marks the ledger. All who
 * spend from it read that with their next beat, and spend nothing before a person accepts it. With each beat
 * the host notes the newest attempt outside.
 */
function watchOver(db: PostgresDb) {
  let identity = '';
  let refusal: StopError | undefined;
  const refused = (fact: string): StopError => {
    refusal = outdated(fact);
    return refusal;
  };
  return {
    /** Why nothing new is written. */
    refusal: () => refusal,
    /** @throws StopError `store_lost`. */
    async look(): Promise<void> {
      const now = await ledgerNow(atOnce(db));
      if (now.outdated !== undefined) throw refused(now.outdated);
      identity = now.identity;
      keepNote(siteOfDatabase(db), now);
    },
    /** Something that this process has committed is missing. @returns what ends it. */
    async tellOutdated(): Promise<StopError> {
      const fact = `The store ${db.shown} was put back to an earlier state: it does not know what was written last. What is missing would be bought again.`;
      await markOutdated(atOnce(db), { fact, identity });
      return refused(fact);
    },
  };
}

// ------------------------------------------------------------------------------------------ to read

function noLedger(db: PostgresDb, tell?: Tell): StopError {
  const command = commandLine(['store', 'init', db.shown]);
  const makes = faces(phrase`or let its owner run: ${asCommand(command)}`, 'or let its owner set it up');
  return nothingThere(siteOfDatabase(db), makes, tell);
}

/** Opens a store to read it, also beside workers. */
async function openReader(location: string, tell: Tell = () => {}): Promise<LedgerReader> {
  const db = await openPostgres(location, { isReader: true });
  return closedByFailure(db, async () => {
    if (!(await holdsLedger(db))) throw noLedger(db, tell);
    return { ...(await readerAt(db, siteOfDatabase(db), tell)), workers: () => readWorkers(db) };
  });
}

/** A ledger as it is, also one that nothing is bought from. */
const readingDatabase = <T>(location: string, work: (db: PostgresDb) => Promise<T>): Promise<T> =>
  using(location, true, async (db) => {
    if (!(await holdsLedger(db, { mayArrive: true }))) throw noLedger(db);
    return work(db);
  });

async function using<T>(location: string, isReader: boolean, work: (db: PostgresDb) => Promise<T>) {
  const db = await openPostgres(location, { isReader });
  return work(db).finally(() => db.close());
}

// ------------------------------------------------------------------------------------ while no process works

/**
 * A process that copies or erases needs that no one writes meanwhile. A lock would hold up processes that
 * begin: instead, the process waits first for everybody at work. The transaction that ends the work finds out
 * what was written all the same, and then changes nothing.
 */
const AT_WORK = `
SELECT host, pid, command FROM workers
WHERE ended_at IS NULL AND accounts <> '[]' AND seen_at > {now} - 5000 ORDER BY id LIMIT 1`;

/**
 * Short compared to any run, and rare enough that waiting costs nothing. A process that was killed counts as
 * at work for so long.
 */
const [RETRY_MS, LEAST_WAIT_MS] = [200, 6_000];

async function alone<T>(
  location: string,
  options: AloneOptions,
  work: (alone: SoleAccess) => Promise<T>,
): Promise<T> {
  if (options.dryRun !== true) await readingDatabase(location, requireOwner);
  const { db, ledger, worker } = await openSpender(location, {
    ...options,
    create: false,
    mayBeCopied: true,
  });
  try {
    if (options.dryRun !== true) await untilIdle(db, options);
    const alone: SoleAccess = {
      db,
      ledger,
      worker,
      // What lies beside a ledger in a folder, such as the book of a sandbox, is in a folder of this user.
      folder: besideFolder(location),
      requireSame: await sameFrom(db, worker),
      clean: () => cleanTables(db),
    };
    if (options.dryRun !== true) await finishErasures(alone);
    return await work(alone);
  } finally {
    await ledger.close();
  }
}

/** @throws StopError `busy` when another process is at work for longer than this one waits. */
async function untilIdle(db: PostgresDb, { clock, waitForLockMs }: AloneOptions): Promise<void> {
  const lastMs = clock.monotonicMs() + Math.max(waitForLockMs, LEAST_WAIT_MS);
  for (;;) {
    const [other] = await db.rows<{ host: string; pid: number; command: string }>(AT_WORK);
    if (other === undefined) return;
    if (clock.monotonicMs() >= lastMs)
      throw stop(
        'busy',
        `The store ${db.shown} is in use by process ${other.pid} on ${other.host}, "${other.command}".`,
        LET_IT_END,
      );
    await clock.sleep(RETRY_MS);
  }
}

const WRITTEN_BY_OTHERS = 'SELECT coalesce(sum(newest_group), 0) AS n FROM workers WHERE id <> ?';

/**
 * What refuses where others have written since.
 * @param worker writes itself.
 */
async function sameFrom(db: PostgresDb, worker = 0): Promise<SoleAccess['requireSame']> {
  const written = async (sql: Pick<Sql, 'rows'>): Promise<number> =>
    (await oneRow<{ n: number }>(sql, WRITTEN_BY_OTHERS, [worker])).n;
  const before = await written(db);
  return async (sql) => {
    if ((await written(sql)) === before) return;
    throw stop(
      'busy',
      `The ledger at ${db.shown} was written to meanwhile, so it was left as it was.`,
      phrase`Stop everything that works with it, then ${AGAIN}.`,
    );
  };
}

/** Former versions of rows go. The write-ahead log of the server, its archive and backups are its owner's. */
async function cleanTables(db: PostgresDb): Promise<undefined> {
  for (const { table } of keptTables()) await db.rows(`VACUUM FULL ${table}`);
}

const OTHER_OWNER = `
SELECT pg_get_userbyid(relowner) AS owner FROM pg_class
WHERE oid = '${SCHEMA}.attempts'::regclass AND NOT pg_has_role(relowner, 'USAGE')`;

/** Emptied rows are written anew, which only the owner of the tables may do. @throws StopError `store`. */
async function requireOwner(db: PostgresDb): Promise<void> {
  const [other] = await db.rows<{ owner: string }>(OTHER_OWNER);
  if (other === undefined) return;
  const asOwner = db.shown.replace(/:\/\/(?:[^@/]*@)?/, `://${encodeURIComponent(other.owner)}@`);
  throw stop(
    'store',
    `Nothing was done: in ${db.shown} only the owner of the ledger may do it, the role ${other.owner}.`,
    phrase`Run it as that role${typing`: ${asFlag('--store', asOwner)}`}`,
  );
}

async function copyFromDatabase<T>(
  location: string,
  options: AloneOptions,
  work: (from: CopySource) => Promise<T>,
): Promise<T> {
  const db = await openPostgres(location, { name: COPYING });
  try {
    if (!(await holdsLedger(db, { refuse: refuseUncopied }))) throw noLedger(db);
    await requireOwner(db);
    await untilIdle(db, options);
    const source = await sourceIn(db, siteOfDatabase(db));
    const inItsPlace = () => copyInPlace(location, db, source.layout);
    return await work({ ...source, requireSame: await sameFrom(db), inItsPlace });
  } finally {
    await db.close();
  }
}

const COPYING = 'rowonce-copy';

const CONNECTED = `
SELECT client_addr AS "from" FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'rowonce' LIMIT 1`;

/**
 * In the same database the copy has a schema of its own until one transaction gives it the name by which a
 * ledger is found. A process of an earlier Rowonce that is still connected would then write into tables that
 * it does not know.
 */
async function copyInPlace(location: string, db: PostgresDb, layout: number): Promise<CopyInPlace> {
  const [other] = await db.rows<{ from: string | null }>(CONNECTED);
  if (other !== undefined)
    throw stop(
      'busy',
      `A process of Rowonce on ${other.from ?? 'this machine'} is connected to ${db.shown}.`,
      phrase`End all runs, workers and pages that use it, then ${AGAIN}.`,
    );
  const [copy, oldSchema] = [`${SCHEMA}_copy`, await freeSchema(db, `${SCHEMA}_${layout}`)];
  const to = await openPostgres(location, { name: COPYING, schema: copy });
  return {
    location,
    present: undefined,
    keptAt: `the schema ${oldSchema}`,
    async take(from, identity) {
      await db.script(`DROP SCHEMA IF EXISTS ${copy} CASCADE; CREATE SCHEMA ${copy}`);
      await copyTables(from, to, identity);
    },
    async arrive(identity) {
      const { value } = await oneRow<{ value: string }>(to, `SELECT value FROM meta WHERE name = 'identity'`);
      invariant(value === identity, 'a copy arrives that another process has made');
      await db.script(`BEGIN; ${grantedAs(SCHEMA, copy)}
        ALTER SCHEMA ${SCHEMA} RENAME TO ${oldSchema}; ALTER SCHEMA ${copy} RENAME TO ${SCHEMA}; COMMIT;`);
    },
    close: () => to.close(),
  };
}

async function freeSchema(db: PostgresDb, name: string, number = 1): Promise<string> {
  const free = number === 1 ? name : `${name}_${number}`;
  const isTaken = await oneValue<boolean>(db, `SELECT to_regnamespace('${free}') IS NOT NULL AS value`);
  return isTaken ? freeSchema(db, name, number + 1) : free;
}

/**
 * Gives roles the rights in one schema that they have in another, for each thing of the same name. On a table
 * that is new they get the rights that they have on `files`: who spends writes and deletes, who reads reads.
 */
const grantedAs = (from: string, to: string): string => `
DO $$ DECLARE known record; BEGIN
  FOR known IN
    SELECT a.privilege_type AS may, 'SCHEMA ${to}' AS what, r.rolname AS role
      FROM pg_namespace n CROSS JOIN aclexplode(n.nspacl) a JOIN pg_roles r ON r.oid = a.grantee
     WHERE n.nspname = '${from}'
    UNION ALL SELECT a.privilege_type,
      CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || '${to}.' || quote_ident(c.relname), r.rolname
      FROM pg_class c CROSS JOIN aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
     WHERE c.relnamespace = '${from}'::regnamespace
       AND to_regclass('${to}.' || quote_ident(c.relname)) IS NOT NULL
    UNION ALL SELECT a.privilege_type, 'TABLE ${to}.' || quote_ident(c.relname), r.rolname
      FROM pg_class c JOIN pg_class f ON f.oid = '${from}.files'::regclass
      CROSS JOIN aclexplode(f.relacl) a JOIN pg_roles r ON r.oid = a.grantee
     WHERE c.relnamespace = '${to}'::regnamespace AND c.relkind = 'r'
       AND to_regclass('${from}.' || quote_ident(c.relname)) IS NULL
  LOOP EXECUTE format('GRANT %s ON %s TO %I', known.may, known.what, known.role); END LOOP;
END $$;`;

const IS_USED = 'SELECT 1 FROM (SELECT FROM accounts UNION ALL SELECT FROM notes) a LIMIT 1';
const HAS_ARRIVED = `DELETE FROM meta WHERE name = 'arriving' AND value = ? RETURNING name`;

/** A copy has a mark with its name until it is whole, and nothing opens it before. */
async function copyIntoDatabase(location: string): Promise<CopyTarget> {
  const db = await openPostgres(location);
  return closedByFailure(db, async () => {
    if (!(await holdsLedger(db, { mayArrive: true }))) await layOut(db);
    const isArriving = (await metaOf(db, 'arriving')) !== undefined;
    const used = await db.rows(IS_USED);
    return {
      location,
      present: isArriving || used.length === 0 ? undefined : await metaOf(db, 'identity'),
      async take(from, identity) {
        const tables = keptTables().map(({ table }) => table);
        // Roles keep what they may do with the tables.
        await db.script(`
          BEGIN; DROP FUNCTION IF EXISTS ${SCHEMA}.refuse() CASCADE; TRUNCATE ${tables.join(', ')}, steps;
          INSERT INTO meta (name, value) VALUES ('arriving', '${identity}'); COMMIT;`);
        await copyTables(from, db, identity);
      },
      async arrive(identity) {
        if ((await db.rows(HAS_ARRIVED, [identity])).length === 1) return;
        throw stop('busy', `Another copy to ${location} was made at once.`, phrase`${DO_AGAIN}.`);
      },
      close: () => db.close(),
    };
  });
}

// ------------------------------------------------------------------------------------------ roles

/**
 * A crash in here leaves what the same command completes.
 * @throws StopError `store_version` for another version.
 */
async function init(db: PostgresDb): Promise<StoreGrants> {
  await holdsLedger(db);
  await layOut(db);
  return grantsIn(await oneValue<string>(db, 'SELECT quote_ident(current_database()) AS value'));
}

/** What is kept only while it is needed, or written anew, and that a worker deletes. */
const PASSING = ['files', 'places', 'uses'];

/** A worker alters no schema, and what was bought it does not delete: that is the owner's. */
function grantsIn(database: string): StoreGrants {
  const schemas = `SCHEMA ${SCHEMA}, ${QUEUE_SCHEMA}`;
  return {
    worker: [
      `GRANT CONNECT ON DATABASE ${database} TO rowonce_worker;`,
      `GRANT USAGE ON ${schemas} TO rowonce_worker;`,
      `GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA ${SCHEMA} TO rowonce_worker;`,
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
