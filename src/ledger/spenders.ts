import { hostname } from 'node:os';
import { invariant, type StopError, stop } from '../core/errors.ts';
import { type Context, filled, oneRow } from './context.ts';
import type { Db, Sql } from './db.ts';
import { placesIn, type SharedWindow, type TakePlaces } from './limits.ts';
import type { AccountCaps, BatchId } from './records.ts';

/**
 * Workers are the processes that spend from one ledger, each with a row whose number its attempts have; only
 * stores with `manySpend` have several at once. Once a second each of those says that it is there. What they
 * tell each other stands in the ledger: why an account was stopped, until when it waits, and which batches a
 * person has paused.
 */

/** A request that has not left by then, from before its intent was asked for, never leaves. */
export const SENT_WITHIN_MS = 5_000;

/** An attempt is over for everybody so long after `SENT_WITHIN_MS` and its deadline. */
export const OVER_AFTER_MS = 5_000;

/** The deadline of an intent that names none. */
export const DEADLINE_MS = 60_000;

/**
 * The stop of a run whose batch another worker has ended. The run hears of it by a beat, or by the first
 * intent that is refused.
 */
export function batchOver(batch: BatchId): StopError {
  return stop(
    'input',
    `Batch ${batch} has ended: another run began a batch over a changed version of its list.`,
    'Run the same command again to work on the list as it is now.',
  );
}

// ------------------------------------------------------------------------------------------ who is there

const BEGUN = `
INSERT INTO workers (host, pid, command, operator, since, seen_at)
VALUES (?, CAST(? AS {int}), ?, ?, {now}, {now}) RETURNING id`;

export async function beginWorker(
  sql: Sql,
  { command, operator }: { readonly command: string; readonly operator?: string | undefined },
): Promise<number> {
  return (await oneRow<{ id: number }>(sql, BEGUN, [hostname(), process.pid, command, operator ?? null])).id;
}

/**
 * Any other worker may end the attempts that this one left open. If the database is away now, they are over
 * by their age.
 */
export async function endWorker(sql: Pick<Sql, 'rows'>, worker: number): Promise<void> {
  const ended = `UPDATE workers SET seen_at = {now}, ended_at = {now}, accounts = '[]' WHERE id = ?`;
  await sql.rows(ended, [worker]).catch(() => {});
}

/** A process that spends, a worker or a run, as it has last said of itself. */
export interface WorkerView {
  readonly id: number;
  readonly host: string;
  readonly pid: number;
  /** What was typed. */
  readonly command: string;
  /** How long ago it began. */
  readonly sinceMs: number;
  /** How long ago it said so last; absent when it has not yet. */
  readonly beatAgoMs?: number;
  readonly accounts: readonly WorkerAccount[];
}

export interface WorkerAccount {
  /** Its identity; where it is shown, the name by which the newest batch knows it. */
  readonly account: string;
  readonly inFlight: number;
}

/** A worker that has not beaten for that long has ended, or hangs. */
const SHOWN_MS = 60_000;

const WORKERS = `
SELECT id, host, pid, command, {now} - since AS "sinceMs",
  CASE WHEN seen_at > since THEN {now} - seen_at END AS "beatAgoMs", accounts
FROM workers WHERE ended_at IS NULL AND seen_at > {now} - ${SHOWN_MS} ORDER BY id`;

type WorkerRow = Omit<WorkerView, 'accounts' | 'beatAgoMs'> & { beatAgoMs: number | null; accounts: string };

export async function workers(db: Pick<Db, 'rows'>): Promise<readonly WorkerView[]> {
  return (await db.rows<WorkerRow>(WORKERS)).map(({ accounts, beatAgoMs, ...worker }) => ({
    ...{ ...worker, ...filled({ beatAgoMs }), accounts: JSON.parse(accounts) },
  }));
}

// ---------------------------------------------------------------------------------------- on what they agree

/**
 * What an account may do: its limits, and its budgets of a day and a month. They are the same for all workers
 * of a ledger.
 */
export interface AccountTerms {
  readonly windows: readonly SharedWindow[];
  readonly caps: AccountCaps;
}

interface Spending {
  readonly context: Context;
  readonly db: Db & { readonly shown: string; readonly rowsAtOnce: Sql['rows'] };
  readonly worker: number;
  /** Asks once whether it is still the newest ledger. @throws StopError `store_lost`. */
  readonly watch: { look(): Promise<void> };
  readonly ledger: { setAccountCaps(identity: string, caps: AccountCaps): Promise<void> };
}

/** What only processes do that spend from one ledger at once. */
export const spendersOf = ({ context, db, worker, watch, ledger }: Spending) => ({
  /** Where the ledger is. */
  shown: db.shown,

  /**
   * Says that this worker is there, and with which accounts.
   * @throws StopError `store_lost`; `store` when the database does not answer.
   */
  async beat(accounts: readonly WorkerAccount[]): Promise<void> {
    await watch.look();
    const beat = 'UPDATE workers SET seen_at = {now}, accounts = ? WHERE id = ?';
    await db.rowsAtOnce(beat, [JSON.stringify(accounts), worker]);
  },

  /** Takes places in the line of an account that was agreed on. */
  async places(identity: string): Promise<TakePlaces> {
    const number = await context.account(identity);
    invariant(number !== undefined, `the ledger knows account ${identity}`);
    return placesIn(db, number);
  },

  /** What an account may do; undefined of one that no worker used. */
  async terms(identity: string): Promise<AccountTerms | undefined> {
    const sql = 'SELECT terms FROM accounts WHERE identity = ? AND terms IS NOT NULL';
    const [kept] = await db.rows<{ terms: string }>(sql, [identity]);
    return kept && JSON.parse(kept.terms);
  },

  /**
   * Keeps what an account may do. What the first worker said stays: of two who are that at once, one is.
   * @param isAnew replaces it.
   * @returns what holds now.
   */
  async keepTerms(identity: string, said: AccountTerms, isAnew = false): Promise<AccountTerms> {
    const sql = `INSERT INTO accounts (identity, terms) VALUES (?, ?) ON CONFLICT (identity)
      DO UPDATE SET terms = coalesce(${isAnew ? 'NULL' : 'accounts.terms'}, excluded.terms) RETURNING terms`;
    const params = [identity, JSON.stringify(said)];
    const { terms } = await db.transaction((tx) => oneRow<{ terms: string }>(tx, sql, params));
    const agreed: AccountTerms = JSON.parse(terms);
    await ledger.setAccountCaps(identity, agreed.caps);
    return agreed;
  },
});

export type Spenders = ReturnType<typeof spendersOf>;
