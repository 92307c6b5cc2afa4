import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../core/clock.ts';
import { invariant, stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { accountsPath } from '../../core/paths.ts';
import { commandLine } from '../../lib/command-line.ts';
import type { Context } from '../context.ts';
import type { PostgresDb } from '../db/postgres.ts';
import { type Db, type Sql, Unanswered } from '../db.ts';
import {
  type AccountHeard,
  type AccountSaid,
  type AccountTerms,
  type BatchId,
  type Ledger,
  type SaidPause,
  type SharedWindow,
  type Spenders,
  THERE_MS,
  termsWords,
  type Worker,
} from '../ledger.ts';
import { Line } from '../limits.ts';
import { requireMoving } from './standing.ts';

/** The workers that spend from the ledger, and what they tell each other: each says in its row of `workers` how it stands. */

interface Spending {
  readonly context: Context;
  readonly db: PostgresDb;
  readonly worker: number;
  /** Asks once whether it is still the newest ledger. @throws StopError `store_lost`. */
  readonly seen: { look(): Promise<void> };
  readonly ledger: Pick<Ledger, 'account' | 'setAccountCaps'>;
  readonly clock: Clock;
}

/** What a worker's row says of one account. */
interface Kept {
  readonly account: string;
  readonly inFlight: number;
  readonly pause?: SaidPause;
}

interface Row {
  readonly id: number;
  readonly seen_at: number;
  readonly now: number;
  readonly accounts: string;
}

/** What others said lately, and a pause that somebody told who has ended since. */
const OTHERS = `SELECT id, seen_at, {now} AS now, accounts FROM workers WHERE seen_at > {now} - 600000 AND id <> ?`;
const SAID = 'UPDATE workers SET seen_at = {now}, accounts = ? WHERE id = ? RETURNING seen_at AS now';

export function spendersOf({ context, db, worker, seen, ledger, clock }: Spending): Spenders {
  /** What the vendor asked for lasts until then, by the monotonic clock. */
  const pauses = new Map<string, SaidPause & { readonly untilMs: number }>();
  let isAsking = false;

  async function heardOf(sql: Sql, said: AccountSaid, others: readonly Kept[]) {
    const theirs = others.filter((each) => each.account === said.account);
    const kept: Kept = {
      ...{ account: said.account, inFlight: said.inFlight },
      ...present({ pause: pauseOf(pauses, said, clock.monotonicMs()) }),
    };
    const heard: AccountHeard = {
      account: said.account,
      ...(await toldOf(sql, said, await context.account(said.account), theirs)),
      known: await ledger.account(said.account),
    };
    return { kept, heard };
  }

  return {
    async beat({ accounts }) {
      // Asked for again and again while the database is away, they would all be waiting.
      if (isAsking) throw new Unanswered('store', `${db.shown} has not answered the heartbeat before.`);
      isAsking = true;
      try {
        await seen.look();
        const result = await db.transaction(async (sql) => {
          await requireMoving(sql, db.shown);
          const rows = await sql.rows<Row>(OTHERS, [worker]);
          const others = rows.flatMap(othersOf);
          const all = [];
          for (const said of accounts) {
            await tell(sql, said);
            all.push({ said, ...(await heardOf(sql, said, others)) });
          }
          const kept = all.filter(({ said }) => said.isLeaving !== true).map((each) => each.kept);
          await sql.rows(SAID, [JSON.stringify(kept), worker]);
          return all;
        });
        return { worker, accounts: result.map(({ heard }) => heard) };
      } finally {
        isAsking = false;
      }
    },
    line: (account, windows) => lineOf({ context, db, clock }, account, windows),
    goOn: (account) =>
      db.transaction(async (sql) => {
        await sql.rows('UPDATE accounts SET ended = NULL WHERE identity = ?', [account]);
      }),
    ...terms(db, ledger),
  };
}

async function lineOf(
  { context, db, clock }: Pick<Spending, 'context' | 'db' | 'clock'>,
  account: string,
  windows: readonly SharedWindow[],
): Promise<Line> {
  await db.transaction(async (sql) => {
    await sql.rows('INSERT INTO accounts (identity) VALUES (?) ON CONFLICT (identity) DO NOTHING', [account]);
  });
  const number = await context.account(account);
  invariant(number !== undefined, 'an account that was noted has a number');
  return new Line(db, number, windows, clock);
}

/** Why nobody may ask any more. */
async function tell(sql: Sql, { account, end }: AccountSaid): Promise<void> {
  if (end === undefined) return;
  await sql.rows('UPDATE accounts SET ended = ? WHERE identity = ?', [JSON.stringify(end), account]);
}

// ------------------------------------------------------------------------------------------ pauses, ends, batches

function pauseOf(
  pauses: Map<string, SaidPause & { readonly untilMs: number }>,
  { account, pause }: AccountSaid,
  nowMs: number,
): SaidPause | undefined {
  const had = pauses.get(account);
  if (pause !== undefined && (had === undefined || nowMs + pause.leftMs > had.untilMs))
    pauses.set(account, { ...pause, untilMs: nowMs + pause.leftMs });
  const longest = pauses.get(account);
  if (longest === undefined || longest.untilMs <= nowMs) return undefined;
  const { why, asked, untilMs } = longest;
  return { why, asked, leftMs: untilMs - nowMs };
}

async function toldOf(
  sql: Sql,
  { batches }: AccountSaid,
  account: number | undefined,
  theirs: readonly Kept[],
): Promise<Pick<AccountHeard, 'pause' | 'end' | 'held' | 'over'>> {
  const [of] = await sql.rows<{ ended: string | null }>('SELECT ended FROM accounts WHERE id = ?', [
    account ?? 0,
  ]);
  const pause = theirs
    .flatMap((each) => (each.pause !== undefined && each.pause.leftMs > 0 ? [each.pause] : []))
    .reduce<SaidPause | undefined>(
      (one, other) => (one && one.leftMs > other.leftMs ? one : other),
      undefined,
    );
  const [held, over]: [BatchId[], BatchId[]] = [[], []];
  for (const batch of batches) {
    const [is] = await sql.rows<{ state: string; held_since: number | null }>(
      'SELECT state, held_since FROM batches WHERE id = ?',
      [batch],
    );
    if (is?.held_since != null) held.push(batch);
    if (is?.state === 'superseded' || is?.state === 'cancelled') over.push(batch);
  }
  return { ...present({ pause, end: of?.ended == null ? undefined : JSON.parse(of.ended) }), held, over };
}

function othersOf({ seen_at, now, accounts }: Row): readonly Kept[] {
  const agoMs = now - seen_at;
  return (JSON.parse(accounts) as readonly Kept[]).map(({ pause, ...kept }) => ({
    ...kept,
    ...present({ pause: pause && { ...pause, leftMs: pause.leftMs - agoMs } }),
  }));
}

// ------------------------------------------------------------------------------------------ who is there

/** Who has not beaten for that long has ended, or hangs. */
const SHOWN_MS = 60_000;

interface Shown {
  readonly worker: number;
  readonly host: string;
  readonly pid: number;
  readonly command: string;
  readonly since: number;
  readonly seen_at: number;
  readonly now: number;
  readonly accounts: string;
}

const WORKERS = `
SELECT id AS worker, host, pid, command, since, seen_at, accounts, {now} AS now FROM workers
 WHERE ended_at IS NULL AND seen_at > {now} - ${SHOWN_MS} ORDER BY id`;

export async function workers(db: Pick<Db, 'rows'>): Promise<readonly Worker[]> {
  const found = await db.rows<Shown>(WORKERS);
  return found.map(({ since, seen_at, now, accounts, ...worker }) => ({
    ...{ ...worker, sinceMs: now - since },
    ...(seen_at > since ? { beatAgoMs: now - seen_at } : {}),
    accounts: (JSON.parse(accounts) as readonly Kept[])
      .map(({ account, inFlight }) => ({ account, inFlight }))
      .sort((one, other) => (one.account < other.account ? -1 : 1)),
  }));
}

// ------------------------------------------------------------------------------------------ terms

/** The limits and budgets of accounts are the ledger's: what the accounts file of one host says does not hold for the others. */
function terms(db: PostgresDb, ledger: Pick<Ledger, 'setAccountCaps'>): Pick<Spenders, 'agreeOn' | 'holdTo'> {
  async function hold(identity: string, said: AccountTerms, where: string): Promise<void> {
    await db.transaction(async (sql) => {
      await sql.rows(
        `INSERT INTO accounts (identity, terms) VALUES (?, ?)
          ON CONFLICT (identity) DO UPDATE SET terms = excluded.terms ${where}`,
        [identity, JSON.stringify(said)],
      );
    });
    await ledger.setAccountCaps(identity, (await heldIn(db, identity))?.caps ?? said.caps);
  }
  return {
    async agreeOn({ identity, name }, said) {
      if ((await heldIn(db, identity)) === undefined)
        // Of two who are the first at once, one is.
        await hold(identity, said, 'WHERE accounts.terms IS NULL');
      const held = await heldIn(db, identity);
      if (held === undefined || isDeepStrictEqual(held, kept(said))) return;
      throw stop(
        'account',
        `Account ${name} has ${termsWords(held)} in the ledger at ${db.shown}, but ${termsWords(said)} in ${accountsPath()}.`,
        `Correct the file, or make it hold for all hosts: ${commandLine(['store', 'caps', db.shown])}`,
      );
    },
    async holdTo({ identity, name }, said) {
      const held = await heldIn(db, identity);
      if (held === undefined || isDeepStrictEqual(held, kept(said))) return held;
      const asking = await askingWith(db, identity);
      if (asking !== undefined && !isDeepStrictEqual(held.windows, said.windows))
        throw stop(
          'busy',
          `Process ${asking.pid} on ${asking.host}, "${asking.command}", uses the earlier limits of account ${name}.`,
          'Let it end, then run the same command again.',
        );
      await hold(identity, said, '');
      return held;
    },
  };
}

/** As it comes back from the ledger. */
const kept = (said: AccountTerms): AccountTerms => JSON.parse(JSON.stringify(said));

async function heldIn(db: Pick<Db, 'rows'>, identity: string): Promise<AccountTerms | undefined> {
  const [found] = await db.rows<{ terms: string | null }>('SELECT terms FROM accounts WHERE identity = ?', [
    identity,
  ]);
  return found?.terms == null ? undefined : JSON.parse(found.terms);
}

/** Who sends with the account, or did a moment ago. */
async function askingWith(db: Pick<Db, 'rows'>, identity: string): Promise<Worker | undefined> {
  const there = await workers(db);
  return there.find(
    ({ beatAgoMs = THERE_MS, accounts }) =>
      beatAgoMs < THERE_MS && accounts.some(({ account }) => account === identity),
  );
}
