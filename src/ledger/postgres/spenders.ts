import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { accountsPath } from '../../core/paths.ts';
import { commandLine } from '../../lib/command-line.ts';
import type { Context } from '../context.ts';
import type { PostgresDb } from '../db/postgres.ts';
import type { Db, Sql } from '../db.ts';
import {
  type AccountHeard,
  type AccountSaid,
  type AccountTerms,
  type BatchId,
  type Ledger,
  type SaidPause,
  SHARE_HOLDS_MS,
  type Spenders,
  termsWords,
  type Worker,
} from '../ledger.ts';
import { Unanswered } from '../store.ts';
import type { Seen } from './losses.ts';
import { requireMoving } from './standing.ts';

/** The workers that spend from the ledger, and what they tell each other: each says in its row of `workers` how it stands. */

interface Spending {
  readonly context: Context;
  readonly db: PostgresDb;
  readonly worker: number;
  readonly seen: Seen;
  readonly ledger: Pick<Ledger, 'account' | 'setAccountCaps'>;
  readonly clock: Clock;
}

/** What a worker's row says of one account. */
interface Kept {
  readonly account: string;
  readonly inFlight: number;
  readonly isProbing?: boolean;
  /** What it may send in any window of the limit, since when by the database's clock, newest last. */
  readonly shares?: readonly (readonly [atMs: number, requests: number])[];
  /** What it may send of each window above a minute, of what it had not sent when it said so. */
  readonly portions: readonly number[];
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
  let mine: readonly Kept[] = [];
  let isAsking = false;

  async function heardOf(sql: Sql, said: AccountSaid, others: readonly OfOther[], nowMs: number) {
    const account = await context.account(said.account);
    const own = mine.find((each) => each.account === said.account);
    const theirs = others.filter((each) => each.account === said.account);
    const kept: Kept = {
      ...{ account: said.account, inFlight: said.inFlight },
      ...present({ isProbing: said.isProbing, pause: pauseOf(pauses, said, clock.monotonicMs()) }),
      ...shareOf(said, own, theirs, nowMs),
      portions: await portionsOf(sql, said, account, theirs),
    };
    const heard: AccountHeard = {
      account: said.account,
      share: kept.shares?.at(-1)?.[1] ?? Number.POSITIVE_INFINITY,
      ...(said.quotas.length === 0 ? {} : { mostSends: said.sends + Math.min(...kept.portions) }),
      ...(await toldOf(sql, said, account, theirs)),
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
          const [{ now: nowMs } = { now: 0 }] = await sql.rows<{ now: number }>('SELECT {now} AS now');
          const all = [];
          for (const said of accounts) {
            await tell(sql, said);
            all.push({ said, ...(await heardOf(sql, said, others, nowMs)) });
          }
          const kept = all.filter(({ said }) => said.isLeaving !== true).map((each) => each.kept);
          await sql.rows(SAID, [JSON.stringify(kept), worker]);
          return { all, kept };
        });
        mine = result.kept;
        return { worker, accounts: result.all.map(({ heard }) => heard) };
      } finally {
        isAsking = false;
      }
    },
    goOn: (account) =>
      db.transaction(async (sql) => {
        await sql.rows('UPDATE accounts SET ended = NULL WHERE identity = ?', [account]);
      }),
    ...terms(db, ledger),
  };
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
  theirs: readonly OfOther[],
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

// ------------------------------------------------------------------------------------------ shares

interface OfOther extends Kept {
  readonly worker: number;
  /** Whether it may still be at work. */
  readonly isThere: boolean;
}

function othersOf({ id, seen_at, now, accounts }: Row): readonly OfOther[] {
  const agoMs = now - seen_at;
  return (JSON.parse(accounts) as readonly Kept[]).map(({ pause, ...kept }) => ({
    ...{ ...kept, worker: id, isThere: agoMs < SHARE_HOLDS_MS },
    ...present({ pause: pause && { ...pause, leftMs: pause.leftMs - agoMs } }),
  }));
}

/** An equal part of the limit, and no more than what the others have left of it for a whole window. */
function shareOf(
  { limit, wants, isLeaving, isProbing }: AccountSaid,
  own: Kept | undefined,
  theirs: readonly OfOther[],
  nowMs: number,
): Pick<Kept, 'shares'> {
  if (limit === undefined) return {};
  const sinceMs = nowMs - limit.windowMs - SHARE_HOLDS_MS;
  const taken = theirs.reduce((sum, each) => sum + mostOf(each, sinceMs), 0);
  const there = theirs.filter(({ isThere }) => isThere);
  const fair = Math.ceil(limit.requests / (there.length + 1));
  const isOneOfProbing = isProbing === true && there.some((each) => each.isProbing);
  const most = isLeaving || !wants || isOneOfProbing ? 0 : isProbing ? 1 : fair;
  const share = Math.max(Math.min(most, limit.requests - taken), 0);
  return { shares: [...lately(own, sinceMs), [nowMs, share]] };
}

/** Those that were used since, the one that was in use then among them. */
function lately(kept: Kept | undefined, sinceMs: number): NonNullable<Kept['shares']> {
  const shares = kept?.shares ?? [];
  return shares.filter((_, at) => (shares[at + 1]?.[0] ?? Number.POSITIVE_INFINITY) > sinceMs);
}

function mostOf(kept: OfOther, sinceMs: number): number {
  const shares = lately(kept, sinceMs);
  const isOver = !kept.isThere && (shares.at(-1)?.[0] ?? 0) < sinceMs;
  return isOver ? 0 : Math.max(0, ...shares.map(([, requests]) => requests));
}

const SENT = `SELECT count(*) AS n FROM calls WHERE account = ? AND sent_at > {now} - CAST(? AS {int})`;

/** Of each window above a minute an equal part of what nobody has sent, and nobody else was given. */
async function portionsOf(
  sql: Sql,
  { quotas, isLeaving }: AccountSaid,
  account: number | undefined,
  theirs: readonly OfOther[],
): Promise<readonly number[]> {
  const there = theirs.filter(({ isThere }) => isThere);
  const portions: number[] = [];
  for (const [at, { requests, windowMs }] of quotas.entries()) {
    const [sent] = await sql.rows<{ n: number }>(SENT, [account ?? 0, windowMs]);
    const left = requests - (sent?.n ?? 0);
    const given = there.reduce((sum, each) => sum + (each.portions[at] ?? 0), 0);
    const most = isLeaving === true ? 0 : Math.ceil(left / (there.length + 1));
    portions.push(Math.max(Math.min(most, left - given), 0));
  }
  return portions;
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
      .map(({ account, inFlight, shares }) => ({
        account,
        inFlight,
        ...present({ share: shares?.at(-1)?.[1] }),
      }))
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
    ({ beatAgoMs = SHARE_HOLDS_MS, accounts }) =>
      beatAgoMs < SHARE_HOLDS_MS && accounts.some(({ account }) => account === identity),
  );
}
