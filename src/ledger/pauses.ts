import { DAY_MS } from '../core/clock.ts';
import { changeFacts, ensureAccount, oneRow, type WriteContext } from './context.ts';
import type { Sql } from './db.ts';

/** How long an account waits, for every process that asks with it. Times are of the database's clock. */

/**
 * A time in which nothing was sent, from one calendar time to another. `asked`: the vendor asked for it, so
 * later runs keep it too.
 */
export interface PauseRecord {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly why: string;
  readonly asked: boolean;
  /** When it is over one request asks whether the vendor's limit is over too. */
  readonly isProbed?: true;
}

/** A limit for which the vendor named no time. One request at a time probes it. */
export interface KnownLimit {
  /** How many requests in a row it has refused. */
  readonly refused: number;
  /** As a clause, with the vendor's words. */
  readonly why: string;
}

export interface LimitNow extends KnownLimit {
  /** Until it is probed; negative: since then. */
  readonly forMs: number;
}

export interface KeptLimit extends KnownLimit {
  /** When it is probed next. */
  readonly atMs: number;
  /** The process that probes it now, which no one waits for any longer than until then. */
  readonly probe?: { readonly worker: number; readonly untilMs: number };
}

/** What the facts of an account say of its pauses. */
export interface PauseFacts {
  /** The pause that ends last, among all its pauses. */
  readonly pause?: PauseRecord;
  /** The vendor's words of the pause in `accounts.paused_until`, as a clause. */
  readonly asked?: string;
  readonly limit?: KeptLimit;
}

/** A limit that was to be probed so long ago has not been met since. */
const LIMIT_KEPT_MS = DAY_MS;

/** A probe that has no answer by then holds no one back. */
const PROBE_LASTS_MS = 60_000;

/** One that is to be probed more than a day from now comes from a clock that was changed. */
export function limitAt(keptLimit: KeptLimit | undefined, nowMs: number): LimitNow | undefined {
  const forMs = (keptLimit?.atMs ?? 0) - nowMs;
  const isKept = keptLimit !== undefined && forMs > -LIMIT_KEPT_MS && forMs <= DAY_MS;
  return isKept ? { refused: keptLimit.refused, why: keptLimit.why, forMs } : undefined;
}

/** A probe under way comes first. Its process may send another request for it, such as for the time. */
function msToProbe({ atMs, probe }: KeptLimit, worker: number, nowMs: number): number {
  const leftMs = (probe?.untilMs ?? nowMs) - nowMs;
  if (leftMs > 0) return probe?.worker === worker ? 0 : leftMs;
  return Math.max(atMs - nowMs, 0);
}

const nowIn = async (sql: Sql): Promise<number> =>
  (await oneRow<{ now: number }>(sql, 'SELECT {now} AS now')).now;

export const writePauses = (context: WriteContext) => ({
  /** A pause that the vendor asked for holds for everybody, by the clock of the database. */
  notePause: (identity: string, pause: PauseRecord): Promise<void> =>
    context.transaction(async (sql) => {
      const id = await ensureAccount(sql, identity);
      const isLast = (earlierPause: PauseRecord | undefined): boolean =>
        earlierPause === undefined || earlierPause.untilMs <= pause.untilMs;
      const lastsMs = Math.ceil(pause.untilMs - pause.fromMs);
      const waits = `UPDATE accounts SET paused_until = {now} + CAST(? AS {int})
        WHERE id = ? AND coalesce(paused_until, 0) <= {now} + CAST(? AS {int}) RETURNING id`;
      const isNew = pause.asked && (await sql.rows(waits, [lastsMs, id, lastsMs])).length > 0;
      await changeFacts(sql, 'accounts', id, (facts: PauseFacts) => ({
        ...(isLast(facts.pause) && { pause }),
        ...(isNew && { asked: pause.why }),
      }));
    }),

  /** Keeps that the account has met a limit without a time. @param forMs until it is probed. */
  keepLimit: (identity: string, { refused, why }: KnownLimit, forMs: number): Promise<void> =>
    context.transaction(async (sql) => {
      const id = await ensureAccount(sql, identity);
      const limit: KeptLimit = { refused, why, atMs: (await nowIn(sql)) + Math.ceil(forMs) };
      await changeFacts(sql, 'accounts', id, () => ({ limit }));
    }),

  /**
   * Asks to be the one that probes the limit of the account, if there is one.
   * @param isAtOnce before its time: for the first request of a process.
   * @returns 0: this process may send a request; else how long it waits before it asks again, ms.
   */
  takeProbe: (identity: string, isAtOnce: boolean): Promise<number> =>
    context.transaction(async (sql) => {
      const id = await ensureAccount(sql, identity);
      const nowMs = await nowIn(sql);
      let waitMs = 0;
      await changeFacts(sql, 'accounts', id, ({ limit }: PauseFacts) => {
        if (limit === undefined || limitAt(limit, nowMs) === undefined) return {};
        const { worker } = context;
        waitMs = msToProbe(isAtOnce ? { ...limit, atMs: nowMs } : limit, worker, nowMs);
        const probe = { worker, untilMs: nowMs + PROBE_LASTS_MS };
        return waitMs > 0 ? {} : { limit: { ...limit, probe } };
      });
      return waitMs;
    }),

  /** The vendor has answered: the limit is over for everybody. */
  endLimit: (identity: string): Promise<void> =>
    context.transaction(async (sql) => {
      const id = await ensureAccount(sql, identity);
      await changeFacts(sql, 'accounts', id, ({ pause }: PauseFacts) => ({
        limit: undefined,
        ...(pause?.isProbed && { pause: undefined }),
      }));
    }),
});
