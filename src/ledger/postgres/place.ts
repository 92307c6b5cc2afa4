import { type StopError, stop } from '../../core/errors.ts';
import { commandLine } from '../../lib/command-line.ts';
import { type PostgresDb, postgres } from '../db/postgres.ts';
import { SCHEMA, type Sql } from '../db.ts';
import type { Ledger, LedgerReader } from '../ledger.ts';
import { ledgerOver } from '../open-ledger.ts';
import {
  behindWords,
  isNewer,
  keepNote,
  type Loss,
  ledgerNow,
  lossAt,
  lossOf,
  lost,
  type Place,
  type SentRequest,
} from '../outside-notes.ts';
import {
  closedByFailure,
  contextOf,
  copiedAway,
  earlier,
  metaOf,
  nothingThere,
  readerAt,
  refuseNewer,
  takeLedger,
} from '../place.ts';
import type { StoreOptions, Tell } from '../store.ts';
import { beginWorker, endWorker } from '../workers.ts';
import { spendersOf, workers } from './spenders.ts';
import { whileMoving } from './standing.ts';

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
    const wasThere = await hasLedger(db);
    if (!wasThere && !options.create) throw noLedger(db);
    const loss = wasThere && options.acceptLost !== true ? await lossOf(db, placeOf(db)) : undefined;
    if (loss !== undefined) await mark(db, loss);
    await takeLedger(db, placeOf(db), options, wasThere);
    const begin = (sql: Sql): Promise<number> => beginWorker(sql, options);
    const worker =
      options.isStill === true ? await db.transaction(begin) : await whileMoving(db, options, begin);
    const seen = new Seen(db);
    await seen.look();
    db.workAs(worker, 0, async () => (await copiedAway(db, db.shown)) ?? seen.tellLost());
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
      await seen.look().catch(() => {});
      await endWorker(atOnce(db), worker);
      await db.close();
    };
    return {
      ...{ db, worker },
      ledger: {
        ...ledger,
        workers: () => workers(db),
        spenders: spendersOf({ context, db, worker, seen, ledger, clock }),
        close: () => (closing ??= close()),
      },
    };
  });
}

/** Who ends does not wait for a database that is away. */
const atOnce = (db: PostgresDb): Pick<PostgresDb, 'transaction'> => ({
  transaction: (work) =>
    work({
      rows: (sql, params) => db.rowsAtOnce(sql, params),
      each: (statement, records) => db.each(statement, records),
    }),
});

// ------------------------------------------------------------------------------------------ what was lost

/**
 * The newest call that this process has seen in the ledger, its own or another's. A server that took another's place may lack it, as may a
 * backup that was put back. Who finds it missing marks the ledger, and nobody spends from it until a person accepts that.
 */
export class Seen {
  readonly #db: PostgresDb;
  #newest: SentRequest | undefined;
  #identity = '';
  /** Why nothing new is written. */
  refusal: StopError | undefined;

  constructor(db: PostgresDb) {
    this.#db = db;
  }

  /**
   * Takes what is found for the newest that is known, here and outside.
   * @throws StopError `store_lost` when something is missing; the others are told.
   */
  async look(): Promise<void> {
    const sql = { rows: this.#db.rowsAtOnce.bind(this.#db) };
    const now = await ledgerNow(sql, this.#newest);
    if (now.lost !== undefined) throw this.#refused(now.lost);
    if (!now.has) throw await this.tellLost();
    this.#identity = now.identity;
    if (now.newest !== undefined && (this.#newest === undefined || isNewer(now.newest, this.#newest)))
      this.#newest = now.newest;
    keepNote(placeOf(this.#db), now);
  }

  /** Something that was committed is missing. @returns what ends this process. */
  async tellLost(): Promise<StopError> {
    const place = placeOf(this.#db);
    const fact = behindWords(place, { at: place.at, newest: this.#newest });
    await mark(this.#db, { fact, identity: this.#identity });
    return this.#refused(fact);
  }

  #refused(fact: string): StopError {
    this.refusal = lost(fact);
    return this.refusal;
  }
}

/** Tells everybody who spends from the ledger. What stands in its place under another name is left alone. */
async function mark(db: PostgresDb, { fact, identity }: Loss): Promise<void> {
  const text = `INSERT INTO meta (name, value) SELECT 'lost', CAST(? AS TEXT) FROM meta WHERE name = 'identity' AND value = ?
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE meta.value = ''`;
  // Where it cannot be written nobody can spend from it either.
  await db.rowsAtOnce(text, [fact, identity]).catch(() => {});
}

// ------------------------------------------------------------------------------------------ to read

export const noLedger = ({ shown }: PostgresDb): StopError =>
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
export async function reading<T>(location: string, work: (db: PostgresDb) => Promise<T>): Promise<T> {
  const db = await postgres(location, { isReader: true });
  try {
    if (!(await hasLedger(db, { mayArrive: true }))) throw noLedger(db);
    return await work(db);
  } finally {
    await db.close();
  }
}
