import type { Clock } from '../../core/clock.ts';
import { invariant, stop } from '../../core/errors.ts';
import { accountsPath } from '../../core/paths.ts';
import { commandLine } from '../../lib/command-line.ts';
import type { Context } from '../context.ts';
import type { PostgresDb } from '../db/postgres.ts';
import type { Db } from '../db.ts';
import type { Ledger } from '../ledger.ts';
import { Line } from '../limits.ts';
import {
  type AccountTerms,
  type SaidAccount,
  type Spenders,
  termsWords,
  type WorkerView,
} from '../spenders.ts';

interface Spending {
  readonly context: Context;
  readonly db: PostgresDb;
  readonly worker: number;
  /** Asks once whether it is still the newest ledger. @throws StopError `store_lost`. */
  readonly watch: { look(): Promise<void> };
  readonly ledger: Pick<Ledger, 'setAccountCaps'>;
  readonly clock: Clock;
}

const BEAT = 'UPDATE workers SET seen_at = {now}, accounts = ? WHERE id = ?';

export const spendersOf = ({ context, db, worker, watch, ledger, clock }: Spending): Spenders => ({
  async beat(accounts) {
    await watch.look();
    await db.rowsAtOnce(BEAT, [JSON.stringify(accounts), worker]);
  },

  async line(identity, windows) {
    const number = await context.account(identity);
    invariant(number !== undefined, `the ledger knows account ${identity}`);
    return new Line(db, number, windows, clock);
  },

  async agreeOn(account) {
    const said = wordsOf(account);
    const held = (await heldIn(db, account)) ?? (await hold(db, ledger, account, 'accounts.terms'));
    if (held === said) return;
    const [theirs, ours] = [termsWords(JSON.parse(held)), termsWords(JSON.parse(said))];
    throw stop(
      'account',
      `Account ${account.name} has ${theirs} in the ledger at ${db.shown}, but ${ours} in ${accountsPath()}.`,
      `Correct the file, or make it hold for all hosts: ${commandLine(['store', 'caps', db.shown])}`,
    );
  },

  async holdTo(account) {
    const held = await heldIn(db, account);
    if (held === undefined) return undefined;
    const before: AccountTerms = JSON.parse(held);
    if (held === wordsOf(account)) return before;
    const asking = (await workers(db)).find(
      ({ beatAgoMs = THERE_MS, accounts }) =>
        beatAgoMs < THERE_MS && accounts.some((each) => each.account === account.identity),
    );
    if (asking !== undefined && JSON.stringify(before.windows) !== JSON.stringify(account.limits.windows))
      throw stop(
        'busy',
        `Process ${asking.pid} on ${asking.host}, "${asking.command}", uses the earlier limits of account ${account.name}.`,
        'Let it end, then run the same command again.',
      );
    await hold(db, ledger, account);
    return before;
  },
});

// ------------------------------------------------------------------------------------------ terms

/** As they stand in `accounts.terms`. */
const wordsOf = ({ limits: { windows }, budget: { perDay, perMonth } }: SaidAccount): string =>
  JSON.stringify({ windows, caps: { perDay, perMonth } } satisfies Record<keyof AccountTerms, unknown>);

async function heldIn(db: PostgresDb, { identity }: SaidAccount): Promise<string | undefined> {
  const sql = 'SELECT terms FROM accounts WHERE identity = ?';
  const [found] = await db.rows<{ terms: string | null }>(sql, [identity]);
  return found?.terms ?? undefined;
}

/** @param before what stays where it is there: of two who are the first at once, one is. @returns what holds now. */
async function hold(
  db: PostgresDb,
  ledger: Spending['ledger'],
  account: SaidAccount,
  before = 'NULL',
): Promise<string> {
  const sql = `INSERT INTO accounts (identity, terms) VALUES (?, ?)
    ON CONFLICT (identity) DO UPDATE SET terms = coalesce(${before}, excluded.terms) RETURNING terms`;
  const said = [account.identity, wordsOf(account)];
  const [held] = await db.transaction((tx) => tx.rows<{ terms: string }>(sql, said));
  invariant(held !== undefined, 'one row was written');
  await ledger.setAccountCaps(account.identity, (JSON.parse(held.terms) as AccountTerms).caps);
  return held.terms;
}

// ------------------------------------------------------------------------------------------ who is there

/** Who has not beaten for that long is not at work; and has ended, or hangs. */
const [THERE_MS, SHOWN_MS] = [4_000, 60_000];

const WORKERS = `
SELECT host, pid, command, since, seen_at, accounts, {now} AS now FROM workers
 WHERE ended_at IS NULL AND seen_at > {now} - ${SHOWN_MS} ORDER BY id`;

type Shown = Pick<WorkerView, 'host' | 'pid' | 'command'> &
  Record<'since' | 'seen_at' | 'now', number> & { accounts: string };

export async function workers(db: Pick<Db, 'rows'>): Promise<readonly WorkerView[]> {
  const found = await db.rows<Shown>(WORKERS);
  return found.map(({ since, seen_at, now, accounts, ...worker }) => ({
    ...{ ...worker, sinceMs: now - since, accounts: JSON.parse(accounts) },
    ...(seen_at > since ? { beatAgoMs: now - seen_at } : {}),
  }));
}
