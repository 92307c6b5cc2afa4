import { randomBytes } from 'node:crypto';
import { type StopError, stop } from '../../core/errors.ts';
import { commandLine } from '../../lib/command-line.ts';
import { accountsOf, type Context } from '../context.ts';
import { type Copied, wasCopied } from '../copy.ts';
import { type PostgresDb, postgres, SCHEMA } from '../db/postgres.ts';
import type { Db, Sql } from '../db.ts';
import type { Ledger, LedgerReader } from '../ledger.ts';
import { requireAccepted } from '../lost-stores.ts';
import { ledgerOver, readerOver } from '../open-ledger.ts';
import { refuseForeignNotes } from '../outside-notes.ts';
import { migrate, newestStep } from '../schema.ts';
import type { StoreOptions, Tell } from '../store.ts';
import { beginWorker, endWorker } from '../workers.ts';
import { accept, lossOf, lossOfPlace, mark, Seen } from './losses.ts';
import { spendersOf, workers } from './spenders.ts';
import { whileMoving } from './standing.ts';

/** A ledger in a database: how it is laid out, recognized and opened. */

// ------------------------------------------------------------------------------------------ what is there

/** The schema of ledgers that had other tables, before the first release. */
const FORMER = 'rowonce';

const THERE = `
SELECT to_regclass('${SCHEMA}.meta') IS NOT NULL AS "isLedger", to_regclass('${FORMER}.calls') IS NOT NULL AS "isFormer"`;

/** @throws StopError `store_version` for a ledger of before or of a newer Rowonce, which stays untouched. */
export async function hasLedger(db: PostgresDb): Promise<boolean> {
  const [there] = await db.rows<{ isLedger: boolean; isFormer: boolean }>(THERE);
  if (there?.isLedger !== true) {
    if (there?.isFormer === true) throw former(db);
    return false;
  }
  const [last] = await db.rows<{ step: number | null }>('SELECT max(number) AS step FROM steps');
  if ((last?.step ?? 0) > newestStep('postgres')) throw newer(db, last?.step ?? 0);
  return (await metaOf(db, 'secret')) !== undefined || (await metaOf(db, 'arriving')) !== undefined;
}

const former = ({ shown }: PostgresDb): StopError =>
  stop(
    'store_version',
    `The ledger at ${shown} was made by an earlier Rowonce, which kept it in another form. Nothing in it was changed.`,
    'Finish its batches and export its answers with the version that made it, or name another database with --store; a new one buys again what that one has bought.',
  );

const newer = ({ shown }: PostgresDb, step: number): StopError =>
  stop(
    'store_version',
    `The ledger at ${shown} was made by a newer Rowonce (schema ${step}; this one knows ${newestStep('postgres')}). Nothing in it was changed.`,
    'Use the newer Rowonce.',
  );

export const nothingThere = ({ shown }: PostgresDb): StopError =>
  stop(
    'store',
    `There is no ledger at ${shown}.`,
    `Name an existing store with --store, or let its owner run: ${commandLine(['store', 'init', shown])}`,
  );

/** What is kept of a ledger as a whole: `identity`, `secret`, `formerly`, `lost`, `copied_to` and `arriving`. */
export async function metaOf(sql: Pick<Sql, 'rows'>, name: string): Promise<string | undefined> {
  const [found] = await sql.rows<{ value: string }>('SELECT value FROM meta WHERE name = ?', [name]);
  return found?.value;
}

/** Lays out what is not there yet. Two may do so at once, and a crash leaves what the next one completes. */
export async function layOut(db: PostgresDb): Promise<void> {
  await db.script(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA};`);
  await migrate(db).catch(async (error: unknown) => {
    const [last] = await db.rows<{ step: number | null }>('SELECT max(number) AS step FROM steps');
    if (last?.step !== newestStep('postgres')) throw error;
  });
  await db.transaction(async (sql) => {
    for (const [name, value] of [
      ['identity', randomBytes(16).toString('hex')],
      ['secret', randomBytes(32).toString('hex')],
    ])
      await sql.rows('INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', [
        name ?? '',
        value ?? '',
      ]);
  });
}

// ------------------------------------------------------------------------------------------ copies

export async function copiedTo(sql: Pick<Sql, 'rows'>): Promise<Copied | undefined> {
  const copied = await metaOf(sql, 'copied_to');
  return copied === undefined ? undefined : JSON.parse(copied);
}

/** @throws StopError `store` for a copy that is not finished. */
export async function refuseArriving(db: PostgresDb): Promise<void> {
  if ((await metaOf(db, 'arriving')) === undefined) return;
  throw stop(
    'store',
    `The ledger at ${db.shown} is a copy that is not finished.`,
    'Run the same store copy command again.',
  );
}

export async function copiedAway(db: PostgresDb): Promise<StopError | undefined> {
  const copied = await copiedTo(db);
  return copied && wasCopied(`at ${db.shown}`, copied, 'status and export');
}

// ------------------------------------------------------------------------------------------ to spend

/** An open store, for those who erase from it or copy it as well. */
export interface Opened {
  readonly db: PostgresDb;
  readonly worker: number;
  readonly ledger: Ledger;
}

interface SpenderOptions extends StoreOptions {
  /** Whether the caller keeps it still. */
  readonly isStill?: boolean;
}

export async function openSpender(location: string, options: SpenderOptions): Promise<Opened> {
  const { patience, tell, clock } = options;
  const db = await postgres(location, { riding: patience && { ...patience, clock, tell } });
  return closedByFailure(db, async () => {
    await prepare(db, options);
    return spending(db, options);
  });
}

/** Takes the ledger that is there, or lays one out. A crash in here leaves a loss as it was found, or accepted. */
export async function prepare(db: PostgresDb, options: StoreOptions): Promise<void> {
  refuseForeignNotes();
  const wasThere = await hasLedger(db);
  if (!wasThere && !options.create) throw nothingThere(db);
  if (wasThere) await refuseArriving(db);
  const away = wasThere && options.mayBeCopied !== true ? await copiedAway(db) : undefined;
  if (away !== undefined) throw away;
  const loss = wasThere ? await lossOf(db) : lossOfPlace(db);
  if (loss !== undefined && wasThere && options.acceptLost !== true) await mark(db, loss);
  requireAccepted(loss?.fact, options);
  if (!wasThere) await layOut(db);
  if (loss !== undefined) await accept(db, loss);
}

async function spending(db: PostgresDb, options: SpenderOptions): Promise<Opened> {
  const begin = (sql: Sql): Promise<number> => beginWorker(sql, options);
  const worker =
    options.isStill === true ? await db.transaction(begin) : await whileMoving(db, options, begin);
  const seen = await Seen.of(db);
  db.workAs(worker, 0, async () => (await copiedAway(db)) ?? seen.tellLost());
  const context = await contextOf(db);
  const ledger = ledgerOver(
    { ...context, worker },
    {
      refusal: () => seen.refusal,
      committed() {},
      // What a server has room for, it says when it writes.
      makeRoom: () => false,
    },
  );
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await ledger.close();
    await seen.lookOnceMore();
    await endWorker(atOnce(db), worker);
    await db.close();
  };
  return {
    ...{ db, worker },
    ledger: {
      ...ledger,
      workers: () => workers(db),
      spenders: spendersOf({ context, db, worker, seen, ledger, clock: options.clock }),
      close: () => (closing ??= close()),
    },
  };
}

/** Who ends does not wait for a database that is away. */
const atOnce = (db: PostgresDb): Pick<Db, 'transaction'> => ({
  transaction: (work) =>
    work({
      rows: (sql, params) => db.rowsAtOnce(sql, params),
      each: (statement, records) => db.each(statement, records),
    }),
});

export async function contextOf(db: PostgresDb): Promise<Context> {
  return { db, secret: (await metaOf(db, 'secret')) ?? '', account: accountsOf(db) };
}

/** What is left open would keep its owner from closing. */
export async function closedByFailure<T>(db: Pick<Db, 'close'>, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await db.close();
    throw error;
  }
}

// ------------------------------------------------------------------------------------------ to read

/** Opens a store to read it, also beside workers. */
export async function openReader(location: string, tell: Tell = () => {}): Promise<LedgerReader> {
  const db = await postgres(location, { isReader: true });
  return closedByFailure(db, async () => {
    refuseForeignNotes();
    if (!(await hasLedger(db))) {
      const gone = lossOfPlace(db);
      if (gone !== undefined) tell(gone.fact);
      throw nothingThere(db);
    }
    await refuseArriving(db);
    const loss = await lossOf(db);
    if (loss !== undefined) tell(`${loss.fact} Nothing is bought from it in this state.`);
    const ledger = readerOver(await contextOf(db));
    return { ...ledger, workers: () => workers(db), close: () => db.close() };
  });
}

/** A ledger as it is, also one that nothing is bought from. */
export async function reading<T>(location: string, work: (db: PostgresDb) => Promise<T>): Promise<T> {
  const db = await postgres(location, { isReader: true });
  try {
    if (!(await hasLedger(db))) throw nothingThere(db);
    return await work(db);
  } finally {
    await db.close();
  }
}
