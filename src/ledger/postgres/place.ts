import { type StopError, stop } from '../../core/errors.ts';
import { commandLine } from '../../lib/command-line.ts';
import { type PostgresDb, postgres } from '../db/postgres.ts';
import { SCHEMA, type Sql } from '../db.ts';
import type { Ledger, LedgerReader } from '../ledger.ts';
import { ledgerOver } from '../open-ledger.ts';
import { keepNote, ledgerNow, lossAt, lost, metaOf, type Place } from '../outside-notes.ts';
import {
  closedByFailure,
  contextOf,
  copiedAway,
  earlier,
  markLost,
  nothingThere,
  readerAt,
  refuseNewer,
  takeLedger,
} from '../place.ts';
import { beginWorker, endWorker, spendersOf, workers } from '../spenders.ts';
import type { StoreOptions, Tell } from '../store.ts';

/** A ledger in a database: how it is recognized and opened, and how its loss is noticed. */

/** One address for all roles. */
const placeOf = ({ shown }: PostgresDb): Place => ({ shown, at: shown.replace(/\/\/[^@/]*@/, '//') });

/** The schema of ledgers that had other tables, before the first release. */
const FORMER = 'rowonce';

const THERE = `
SELECT to_regclass('${SCHEMA}.meta') IS NOT NULL AS "isLedger", to_regclass('${FORMER}.calls') IS NOT NULL AS "isFormer"`;

/** @throws StopError `store_version` for a ledger of another Rowonce, `store` for a copy that is not finished. */
export async function hasLedger(db: PostgresDb, { mayArrive = false } = {}): Promise<boolean> {
  const [there] = await db.rows<{ isLedger: boolean; isFormer: boolean }>(THERE);
  if (there?.isLedger !== true) {
    if (there?.isFormer === true) throw earlier(db.shown);
    return false;
  }
  await refuseNewer(db, db.shown);
  const isArriving = (await metaOf(db, 'arriving')) !== undefined;
  if (isArriving && !mayArrive)
    throw stop(
      'store',
      `The ledger at ${db.shown} is a copy that is not finished.`,
      'Run the same store copy command again.',
    );
  return isArriving || (await metaOf(db, 'secret')) !== undefined;
}

// ------------------------------------------------------------------------------------------ to spend

export async function openSpender(
  location: string,
  options: StoreOptions,
): Promise<{ readonly db: PostgresDb; readonly worker: number; readonly ledger: Ledger }> {
  const { patience, tell, clock } = options;
  const db = await postgres(location, { riding: patience && { ...patience, clock, tell } });
  return closedByFailure(db, async () => {
    const wasThere = await hasLedger(db);
    if (!wasThere && !options.create) throw noLedger(db);
    await takeLedger(db, placeOf(db), options, wasThere);
    const worker = await db.transaction((sql) => beginWorker(sql, options));
    const watch = new Watch(db);
    await watch.look();
    db.workAs(worker, async () => (await copiedAway(db, db.shown)) ?? watch.tellLost());
    const context = await contextOf(db);
    const ledger = ledgerOver(
      { ...context, worker },
      {
        refusal: () => watch.refusal,
        committed() {},
        // What a server has room for, it says when it writes.
        makeRoom: () => false,
      },
    );
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await ledger.close();
      await watch.look().catch(() => {});
      // Who ends does not wait for a database that is away.
      await endWorker(atOnce(db), worker);
      await db.close();
    };
    return {
      ...{ db, worker },
      ledger: {
        ...ledger,
        workers: () => workers(db),
        spenders: spendersOf({ context, db, worker, watch, ledger, clock }),
        close: () => (closing ??= close()),
      },
    };
  });
}

const atOnce = (db: PostgresDb): Pick<Sql, 'rows'> => ({ rows: (sql, params) => db.rowsAtOnce(sql, params) });

/**
 * How a worker hears of a loss. A server that took another's place, or a backup that was put back, lacks commits. The door finds its own
 * missing, and marks the ledger for all who spend from it, by their next beat: nobody does before a person accepts that. With each beat
 * the host notes the newest call outside.
 */
class Watch {
  readonly #db: PostgresDb;
  #identity = '';
  /** Why nothing new is written. */
  refusal: StopError | undefined;

  constructor(db: PostgresDb) {
    this.#db = db;
  }

  /** @throws StopError `store_lost`. */
  async look(): Promise<void> {
    const now = await ledgerNow(atOnce(this.#db));
    if (now.lost !== undefined) throw this.#refused(now.lost);
    this.#identity = now.identity;
    keepNote(placeOf(this.#db), now);
  }

  /** Something that this process has committed is missing. @returns what ends it. */
  async tellLost(): Promise<StopError> {
    const fact = `The store ${this.#db.shown} was put back to an earlier state: it does not know what was written last. What is missing would be bought again.`;
    await markLost(atOnce(this.#db), { fact, identity: this.#identity });
    return this.#refused(fact);
  }

  #refused(fact: string): StopError {
    this.refusal = lost(fact);
    return this.refusal;
  }
}

// ------------------------------------------------------------------------------------------ to read

const noLedger = ({ shown }: PostgresDb): StopError =>
  nothingThere(shown, `or let its owner run: ${commandLine(['store', 'init', shown])}`);

/** Opens a store to read it, also beside workers. */
export async function openReader(location: string, tell: Tell = () => {}): Promise<LedgerReader> {
  const db = await postgres(location, { isReader: true });
  return closedByFailure(db, async () => {
    if (!(await hasLedger(db))) {
      const gone = lossAt(placeOf(db));
      if (gone !== undefined) tell(gone);
      throw noLedger(db);
    }
    return { ...(await readerAt(db, placeOf(db), tell)), workers: () => workers(db) };
  });
}

/** A ledger as it is, also one that nothing is bought from. */
export const reading = <T>(location: string, work: (db: PostgresDb) => Promise<T>): Promise<T> =>
  using(location, true, async (db) => {
    if (!(await hasLedger(db, { mayArrive: true }))) throw noLedger(db);
    return work(db);
  });

export async function using<T>(
  location: string,
  isReader: boolean,
  work: (db: PostgresDb) => Promise<T>,
): Promise<T> {
  const db = await postgres(location, { isReader });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
