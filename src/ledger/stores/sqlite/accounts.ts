import { present } from '../../../core/objects.ts';
import type { AccountState, LearnedRate, MissesMark, PauseRecord, Sent, UsageMark } from '../../ledger.ts';
import { credits } from '../../ledger.ts';
import type { Connection } from './connection.ts';
import { checkAccount, setCells } from './table-sums.ts';
import { wholeMs } from './tables.ts';

/** What is remembered about an account besides its money: how it answers, how fast it may be asked, and its pauses. */

interface AccountRow {
  readonly answers: number;
  readonly answers_not_404: number;
  readonly found: number;
  readonly misses: number;
  readonly misses_place: string | null;
  readonly misses_kept: number;
  readonly paused_until: number | null;
  readonly learned_per_second: number | null;
  readonly learned_at: number | null;
  readonly usage_counted: number | null;
  readonly usage_spent: number | null;
  readonly usage_at: number | null;
}

export function accountState(connection: Connection, identity: string): AccountState {
  const row = connection.get<AccountRow>(
    `SELECT p.*, (SELECT coalesce(sum(m.found), 0) FROM match_rates m WHERE m.account = p.id) AS found
       FROM accounts p WHERE p.identity = ?`,
    identity,
  );
  if (row === undefined) return { answers: 0, answersNot404: 0, found: 0, misses: { count: 0, kept: false } };
  checkAccount(row);
  const learned = learnedOf(row);
  const usage = usageOf(row);
  return {
    answers: row.answers,
    answersNot404: row.answers_not_404,
    found: row.found,
    misses: {
      count: row.misses,
      kept: row.misses_kept === 1,
      ...present({ place: row.misses_place ?? undefined }),
    },
    ...present({ pausedUntilMs: row.paused_until ?? undefined, learned, usage }),
  };
}

function learnedOf({ learned_per_second: perSecond, learned_at: atMs }: AccountRow): LearnedRate | undefined {
  return perSecond === null || atMs === null ? undefined : { perSecond, atMs };
}

function usageOf({ usage_counted: counted, usage_spent: spent, usage_at: atMs }: AccountRow) {
  return counted === null || spent === null || atMs === null
    ? undefined
    : { counted, spent: credits(spent), atMs };
}

export function setLearnedRate(
  connection: Connection,
  account: number,
  learned: LearnedRate | undefined,
): void {
  setCells(connection, 'accounts', account, {
    learned_per_second: learned?.perSecond ?? null,
    learned_at: learned === undefined ? null : wholeMs(learned.atMs),
  });
}

export function setUsage(connection: Connection, account: number, usage: UsageMark | undefined): void {
  setCells(connection, 'accounts', account, {
    usage_counted: usage?.counted ?? null,
    usage_spent: usage?.spent ?? null,
    usage_at: usage === undefined ? null : wholeMs(usage.atMs),
  });
}

/** Marks the present misses. If another answer has ended them meanwhile, there is nothing to mark. */
export function markMisses(connection: Connection, account: number, { place, kept }: MissesMark): void {
  connection.run(
    'UPDATE accounts SET misses_place = ?, misses_kept = ? WHERE id = ? AND misses > 0',
    place ?? null,
    kept ? 1 : 0,
    account,
  );
}

/** Longer than any run that a report shows; a vendor that pauses every minute leaves some 130,000 entries. */
const PAUSES_KEPT_MS = 90 * 24 * 60 * 60 * 1000;

export function notePause(connection: Connection, account: number, pause: PauseRecord): void {
  const { fromMs, untilMs, why, asked } = pause;
  const sql = 'INSERT INTO pauses (account, from_at, until_at, why, asked) VALUES (?, ?, ?, ?, ?)';
  connection.run(sql, account, wholeMs(fromMs), wholeMs(untilMs), why, asked ? 1 : 0);
  if (asked) setCells(connection, 'accounts', account, { paused_until: wholeMs(untilMs) });
  const oldestMs = wholeMs(fromMs - PAUSES_KEPT_MS);
  connection.run('DELETE FROM pauses WHERE account = ? AND until_at < ?', account, oldestMs);
}

export function pausesOf(
  connection: Connection,
  identity: string,
  fromMs: number,
  untilMs: number,
): readonly PauseRecord[] {
  return connection
    .all<{ from_at: number; until_at: number; why: string; asked: number }>(
      `SELECT from_at, until_at, why, asked FROM pauses
        WHERE account = (SELECT id FROM accounts WHERE identity = +?) AND until_at >= +? AND from_at <= +?
        ORDER BY from_at, id`,
      identity,
      fromMs,
      untilMs,
    )
    .map((row) => ({ fromMs: row.from_at, untilMs: row.until_at, why: row.why, asked: row.asked === 1 }));
}

export function forgettingAccounts(connection: Connection): readonly string[] {
  const found = connection.all<{ identity: string }>(
    `SELECT DISTINCT p.identity FROM erasures e JOIN erased x ON x.erasure = e.id AND x.what = 'call'
       JOIN calls c ON c.id = x.id JOIN accounts p ON p.id = c.account
      WHERE e.kind = 'person'`,
  );
  return found.map(({ identity }) => identity);
}

/** How many of an account's answers found something, of one; undefined before the first. */
export function matchRate(
  connection: Connection,
  accountIdentity: string,
  operation: string,
): number | undefined {
  const rate = connection.get<{ found: number; answers: number }>(
    `SELECT found, answers FROM match_rates
      WHERE account = (SELECT id FROM accounts WHERE identity = +?) AND operation = +?`,
    accountIdentity,
    operation,
  );
  return rate === undefined || rate.answers === 0 ? undefined : rate.found / rate.answers;
}

interface SendRow {
  readonly at: number;
  readonly account: string;
  readonly ended: string | null;
  readonly said: string | null;
  readonly endedAt: number | null;
}

export function sendsOf(
  connection: Connection,
  accountIdentity: string,
  sinceMs: number,
  limit: number,
): readonly Sent[] {
  const sends: Sent[] = [];
  // The newest come first, and no more than needed are read. CROSS JOIN keeps SQLite from starting with another table and
  // sorting them all.
  for (const { at, account, ended, said, endedAt } of connection.each<SendRow>(
    `SELECT a.at, p.identity AS account, k.kind AS ended, k.said, k.at AS endedAt
       FROM attempts a CROSS JOIN calls c ON c.id = a.call CROSS JOIN accounts p ON p.id = c.account
       LEFT JOIN ends k ON k.of = a.id ORDER BY a.id DESC`,
  )) {
    if (at < sinceMs || sends.length === limit) break;
    if (said === 'not_sent' || account !== accountIdentity) continue;
    const answeredAtMs = ended === 'answered' ? (endedAt ?? undefined) : undefined;
    sends.push(present({ atMs: at, answeredAtMs }));
  }
  return sends.reverse().sort((a, b) => a.atMs - b.atMs);
}
