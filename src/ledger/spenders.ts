import { hostname } from 'node:os';
import { invariant, type StopError, stop } from '../core/errors.ts';
import { DO_AGAIN, phrase } from '../core/phrase.ts';
import { type Context, oneRow, withoutNulls } from './context.ts';
import type { Db, Sql } from './db.ts';
import type { AccountCaps, BatchId } from './records.ts';

/**
 * Workers are the processes that spend from one ledger, each with a row with a number that its attempts have;
 * only stores with `manySpend` have several at once. Once a second each of those says that it is there. What
 * they tell each other stands in the ledger: why an account was stopped, until when it waits, and which
 * batches a person has paused.
 */

/** A request that has not left by then, from before its intent was asked for, never leaves. */
export const SENT_WITHIN_MS = 5_000;

/** An attempt is over for everybody so long after `SENT_WITHIN_MS` and its deadline. */
export const OVER_AFTER_MS = 5_000;

/** The deadline of an intent that names none. */
export const DEADLINE_MS = 60_000;

/**
 * The stop of a run with a batch that another worker has ended. The run hears of it by a beat, or by the
 * first intent that is refused.
 */
export function batchOver(batch: BatchId): StopError {
  return stop(
    'input',
    `Batch ${batch} has ended: another run began a batch over a changed version of its list.`,
    phrase`${DO_AGAIN} to work on the list as it is now.`,
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

interface WorkerAccount {
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

export async function readWorkers(db: Pick<Db, 'rows'>): Promise<readonly WorkerView[]> {
  return (await db.rows<WorkerRow>(WORKERS)).map(({ accounts, beatAgoMs, ...worker }) => ({
    ...worker,
    ...withoutNulls({ beatAgoMs }),
    accounts: JSON.parse(accounts),
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

const BEAT = 'UPDATE workers SET seen_at = {now}, accounts = ? WHERE id = ?';
const TERMS = 'SELECT terms FROM accounts WHERE identity = ? AND terms IS NOT NULL';

const keepTermsSql = (terms: string): string => `
INSERT INTO accounts (identity, terms) VALUES (?, ?)
ON CONFLICT (identity) DO UPDATE SET terms = ${terms} RETURNING terms`;
const KEEP_TERMS = keepTermsSql('coalesce(accounts.terms, excluded.terms)');
const KEEP_TERMS_ANEW = keepTermsSql('excluded.terms');

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
    await db.rowsAtOnce(BEAT, [JSON.stringify(accounts), worker]);
  },

  /** Takes places in the line of an account that was agreed on. */
  async places(identity: string): Promise<TakePlaces> {
    const number = await context.account(identity);
    invariant(number !== undefined, `the ledger knows account ${identity}`);
    return placesIn(db, number);
  },

  /** What an account may do; undefined of one that no worker used. */
  async terms(identity: string): Promise<AccountTerms | undefined> {
    const [termsRow] = await db.rows<{ terms: string }>(TERMS, [identity]);
    return termsRow && JSON.parse(termsRow.terms);
  },

  /**
   * Keeps what an account may do. What the first worker said stays: of two who are that at once, one is.
   * @param isAnew replaces it.
   * @returns what holds now.
   */
  async keepTerms(identity: string, givenTerms: AccountTerms, isAnew = false): Promise<AccountTerms> {
    const params = [identity, JSON.stringify(givenTerms)];
    const sql = isAnew ? KEEP_TERMS_ANEW : KEEP_TERMS;
    const { terms } = await db.transaction((tx) => oneRow<{ terms: string }>(tx, sql, params));
    const agreed: AccountTerms = JSON.parse(terms);
    await ledger.setAccountCaps(identity, agreed.caps);
    return agreed;
  },
});

export type Spenders = ReturnType<typeof spendersOf>;

// ------------------------------------------------------------------------------------ the line of an account

/**
 * The line in which the workers of an account stand: PostgreSQL's own, because from a folder one process
 * spends. `client/limits/line.ts` says when a place is due.
 */

/** So many requests in any stretch of that length. */
export interface SharedWindow {
  readonly requests: number;
  readonly windowMs: number;
}

/** What a worker asks the line for, and tells it. */
interface PlaceRequest {
  readonly wanted: number;
  readonly windows: readonly SharedWindow[];
  readonly stepUs: number;
  /** How far ahead places are taken. */
  readonly aheadMs: number;
  /** How late an unannounced request may come. */
  readonly latestMs: number;
  /** `atUs`: when its request was at the vendor at the latest; null: it was not used. */
  readonly used: readonly { readonly place: number; readonly atUs: number | null }[];
}

/** `places` in a row from `place` on; the first is due at `due_us`, each next one a step later. */
type TakenPlaces = Readonly<Record<'place' | 'places' | 'due_us' | 'now_us', number>>;

export type TakePlaces = (request: PlaceRequest) => Promise<TakenPlaces>;

const TAKE = 'SELECT * FROM take_places(?, ?, ?, ?, ?, ?, CAST(? AS JSON))';

/** @param account its number. */
export const placesIn =
  (db: Pick<Db, 'rows'>, account: number): TakePlaces =>
  ({ wanted, windows, stepUs, aheadMs, latestMs, used }) =>
    oneRow<TakenPlaces>(db, TAKE, [
      account,
      wanted,
      JSON.stringify(windows.map(inUs)),
      stepUs,
      aheadMs * 1000,
      Math.ceil(latestMs * 1000),
      JSON.stringify(used.map(({ place, atUs: at }) => ({ place, at }))),
    ]);

const inUs = ({ requests, windowMs }: SharedWindow) => ({ requests, us: windowMs * 1000 });

/**
 * Takes places in the line of an account; its tables stand in `schema.ts`. It is PL/pgSQL, because each
 * statement has to see what the processes before it in line have committed.
 */
export const TAKE_PLACES = `
CREATE OR REPLACE FUNCTION take_places(
  whose BIGINT, wanted BIGINT, windows JSON, step BIGINT, ahead BIGINT, latest BIGINT, used JSON)
RETURNS TABLE (place BIGINT, places BIGINT, due_us BIGINT, now_us BIGINT) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  line lines;
  n BIGINT;
  longest BIGINT;
BEGIN
  INSERT INTO lines (account) VALUES (whose) ON CONFLICT DO NOTHING;
  SELECT * INTO line FROM lines WHERE account = whose FOR UPDATE;
  now_us := extract(epoch FROM clock_timestamp()) * 1000000;
  UPDATE places p SET at_us = t.at FROM json_to_recordset(used) AS t(place BIGINT, at BIGINT)
    WHERE p.account = whose AND p.place = t.place AND t.at IS NOT NULL;
  DELETE FROM places p USING json_to_recordset(used) AS t(place BIGINT, at BIGINT)
    WHERE p.account = whose AND p.place = t.place AND t.at IS NULL;

  SELECT least(wanted, 1 + ahead / step, min(requests)), max(us) INTO n, longest
    FROM json_to_recordset(windows) AS w(requests BIGINT, us BIGINT);
  LOOP
    due_us := greatest(CASE WHEN line.due_us > now_us + 120000000 THEN 0 ELSE line.due_us END, now_us,
      (SELECT paused_until * 1000 FROM accounts WHERE id = whose AND paused_until < now_us / 1000 + 86400000),
      -- Each is out of the window when the one comes that is w.requests behind it, or sooner: an earlier one
      -- may have come later.
      (SELECT max(p.at_us + w.us - greatest(w.requests - p.rank, 0) * step)
        FROM json_to_recordset(windows) AS w(requests BIGINT, us BIGINT)
        CROSS JOIN LATERAL (SELECT count(*) AS newer FROM places
          WHERE account = whose AND place >= line.place - w.requests + n) AS c
        CROSS JOIN LATERAL (SELECT at_us, c.newer + row_number() OVER (ORDER BY place DESC) AS rank
          FROM places WHERE account = whose AND place < line.place - w.requests + n
          ORDER BY place DESC LIMIT w.requests + 1000) AS p
        WHERE p.rank > w.requests - n AND p.at_us < now_us + 120000000));
    EXIT WHEN n <= 1 OR due_us <= now_us + ahead;
    n := n / 2;
  END LOOP;
  place := line.place;
  places := CASE WHEN due_us <= now_us + ahead THEN n ELSE 0 END;
  INSERT INTO places SELECT whose, line.place + i, due_us + i * step + latest
    FROM generate_series(0, places - 1) AS i;
  UPDATE lines SET place = line.place + places, due_us = take_places.due_us + places * step
    WHERE account = whose AND places > 0;
  IF line.place / 100 <> (line.place + places) / 100 THEN
    DELETE FROM places WHERE account = whose AND at_us < now_us - longest - 1000000;
  END IF;
  RETURN NEXT;
END $$;`;
