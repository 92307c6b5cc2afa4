import { NOTE_PERSON } from '../../../core/membership.ts';
import { present } from '../../../core/objects.ts';
import {
  type AccountCaps,
  credits,
  type LearnedRate,
  type LedgerReader,
  type MissesMark,
  PAUSES_KEPT_MS,
  type PauseRecord,
  type Sent,
  type UsageMark,
} from '../../ledger.ts';
import type { Connection, Reads } from './connection.ts';
import { accountNumber } from './entries.ts';
import { checkAccount, insertRow, setCells } from './table-sums.ts';
import { wholeMs } from './tables.ts';

/** `found` is counted, and every other cell stands in the table. */
export interface AccountRow {
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
  readonly told: number | null;
}

export type Stored = Omit<AccountRow, 'found'>;

export function learnedOf({
  learned_per_second: perSecond,
  learned_at: atMs,
}: Stored): LearnedRate | undefined {
  return perSecond === null || atMs === null ? undefined : { perSecond, atMs };
}

export function usageOf({ usage_counted: counted, usage_spent: spent, usage_at: atMs }: Stored) {
  return counted === null || spent === null || atMs === null
    ? undefined
    : { counted, spent: credits(spent), atMs };
}

const setAccount = (connection: Connection, identity: string, cells: Parameters<typeof setCells>[3]): void =>
  setCells(connection, 'accounts', accountNumber(connection, identity), cells);

export function setAccountCaps(connection: Connection, identity: string, caps: AccountCaps): void {
  const { perDay: per_day = null, perMonth: per_month = null } = caps;
  setAccount(connection, identity, { per_day, per_month });
}

export function setLearnedRate(connection: Connection, identity: string, learned?: LearnedRate): void {
  setAccount(connection, identity, {
    learned_per_second: learned?.perSecond ?? null,
    learned_at: learned === undefined ? null : wholeMs(learned.atMs),
  });
}

export function setUsage(connection: Connection, identity: string, usage?: UsageMark): void {
  setAccount(connection, identity, {
    usage_counted: usage?.counted ?? null,
    usage_spent: usage?.spent ?? null,
    usage_at: usage === undefined ? null : wholeMs(usage.atMs),
  });
}

export function keepTold(connection: Connection, identity: string, atMs: number): void {
  const sql = 'UPDATE accounts SET told = max(coalesce(told, 0), ?) WHERE id = ?';
  connection.run(sql, wholeMs(atMs), accountNumber(connection, identity));
}

/** Marks the present misses. If another answer has ended them meanwhile, there is nothing to mark. */
export function markMisses(connection: Connection, identity: string, { place, kept }: MissesMark): void {
  const sql = 'UPDATE accounts SET misses_place = ?, misses_kept = ? WHERE identity = +? AND misses > 0';
  connection.run(sql, place ?? null, kept ? 1 : 0, identity);
}

export function notePause(connection: Connection, identity: string, pause: PauseRecord): void {
  const { why, asked } = pause;
  const [from, until] = [wholeMs(pause.fromMs), wholeMs(pause.untilMs)];
  const account = accountNumber(connection, identity);
  insertRow(connection, 'pauses', { account, from_at: from, until_at: until, why, asked: asked ? 1 : 0 });
  if (asked) setAccount(connection, identity, { paused_until: until });
  connection.run('DELETE FROM pauses WHERE account = ? AND until_at < ?', account, from - PAUSES_KEPT_MS);
}

const ACCOUNT = `
SELECT p.*, (SELECT coalesce(sum(m.found), 0) FROM match_rates m WHERE m.account = p.id) AS found
  FROM accounts p WHERE p.identity = ?`;

const PAUSES = `
SELECT from_at AS fromMs, until_at AS untilMs, why, asked FROM pauses
 WHERE account = (SELECT id FROM accounts WHERE identity = +?) AND until_at >= +? AND from_at <= +? ORDER BY from_at, id`;

const FORGETTING = `
SELECT DISTINCT p.identity FROM erasures e JOIN erased x ON x.erasure = e.id AND x.what = 'call'
  JOIN calls c ON c.id = x.id JOIN accounts p ON p.id = c.account WHERE e.kind = 'person'`;

/** The newest come first. CROSS JOIN keeps SQLite from starting with another table and sorting them all. */
const SENDS = `
SELECT a.at, p.identity AS account, k.kind AS ended, k.said, k.at AS endedAt
  FROM attempts a CROSS JOIN calls c ON c.id = a.call AND c.operation <> '${NOTE_PERSON}' CROSS JOIN accounts p ON p.id = c.account
  LEFT JOIN ends k ON k.of = a.id ORDER BY a.id DESC`;

export const ACCOUNT_READS = {
  account(connection, identity) {
    const row = connection.get<AccountRow>(ACCOUNT, identity);
    if (row === undefined)
      return { answers: 0, answersNot404: 0, found: 0, misses: { count: 0, kept: false } };
    checkAccount(row);
    const { answers, answers_not_404: answersNot404, found, misses: count, misses_place: place } = row;
    return {
      ...{ answers, answersNot404, found },
      misses: { count, kept: row.misses_kept === 1, ...present({ place: place ?? undefined }) },
      ...present({
        pausedUntilMs: row.paused_until ?? undefined,
        learned: learnedOf(row),
        usage: usageOf(row),
        toldMs: row.told ?? undefined,
      }),
    };
  },
  pauses: (connection, identity, fromMs, untilMs) =>
    connection
      .all<Omit<PauseRecord, 'asked'> & { readonly asked: number }>(PAUSES, identity, fromMs, untilMs)
      .map((pause) => ({ ...pause, asked: pause.asked === 1 })),
  forgettingAccounts: (connection) =>
    connection.all<{ identity: string }>(FORGETTING).map(({ identity }) => identity),
  /** How many of an account's answers found something, of one; undefined before the first. */
  matchRate(connection, identity, operation) {
    const sql = `SELECT found, answers FROM match_rates
      WHERE account = (SELECT id FROM accounts WHERE identity = +?) AND operation = +?`;
    const rate = connection.get<{ found: number; answers: number }>(sql, identity, operation);
    return rate === undefined || rate.answers === 0 ? undefined : rate.found / rate.answers;
  },
  sends(connection, identity, sinceMs, limit) {
    const sends: Sent[] = [];
    for (const { at, account, ended, said, endedAt } of connection.each<SendRow>(SENDS)) {
      if (at < sinceMs || sends.length === limit) break;
      if (said === 'not_sent' || account !== identity) continue;
      const answeredAtMs = ended === 'answered' ? (endedAt ?? undefined) : undefined;
      sends.push(present({ atMs: at, answeredAtMs }));
    }
    return sends.reverse().sort((a, b) => a.atMs - b.atMs);
  },
} satisfies Partial<Reads<LedgerReader>>;

interface SendRow {
  readonly at: number;
  readonly account: string;
  readonly ended: string | null;
  readonly said: string | null;
  readonly endedAt: number | null;
}
