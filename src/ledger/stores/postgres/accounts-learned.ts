import { type AccountState, type Ledger, PAUSES_KEPT_MS, type PauseRecord, type Sent } from '../../ledger.ts';
import { recordsBy } from './attempt-records.ts';
import { type Database, oneColumn } from './connection.ts';
import { ANSWERED } from './misses.ts';
import { json, present, type Session, wholeMs } from './session.ts';

/** Attempts that are read at once while the newest ones are looked through. */
const ATTEMPTS_AT_ONCE = 5_000;

export const accounts = ({ database, secret }: Session) =>
  ({
    async account(accountIdentity) {
      const found = present<Partial<AccountRow>>(
        (await database.row<AccountRow>(ACCOUNT, [accountIdentity])) ?? {},
      );
      const { count = 0, place, kept = false, ...known } = found;
      const misses = { count, kept, ...present({ place }) };
      return { answers: 0, answersNot404: 0, found: 0, ...known, misses } as AccountState;
    },
    async newestFound(accountIdentity, most) {
      const records = await recordsBy(database, NEWEST_FOUND, [accountIdentity, most]);
      return records.flatMap(({ call, reply }) => (reply === undefined ? [] : [{ call, reply }]));
    },
    async sends(accountIdentity, sinceMs, limit) {
      const sends: Sent[] = [];
      for await (const { isSent, atMs, answeredAtMs } of newestFirst(database, accountIdentity)) {
        if (atMs < sinceMs || sends.length === limit) break;
        if (isSent) sends.push(present({ atMs, answeredAtMs }) as Sent);
      }
      return sends.reverse().sort((a, b) => a.atMs - b.atMs);
    },
    pauses: (accountIdentity, fromMs, untilMs) =>
      database.rows<PauseRecord>(PAUSES, [accountIdentity, fromMs, untilMs]),
    forgettingAccounts: async () => (secret === undefined ? [] : oneColumn<string>(database, FORGETTING)),
    async notePause(accountIdentity, { fromMs, untilMs, why, asked }) {
      const [from, until] = [wholeMs(fromMs), wholeMs(untilMs)];
      const values = [accountIdentity, from, until, json(why), asked, from - PAUSES_KEPT_MS];
      await database.rows(NOTE_PAUSE, values);
    },
    async setLearnedRate(accountIdentity, learned) {
      await database.rows(keep('learned'), [accountIdentity, json(learned)]);
    },
    async keepTold(accountIdentity, atMs) {
      await database.rows(KEEP_TOLD, [accountIdentity, wholeMs(atMs)]);
    },
    async setUsage(accountIdentity, usage) {
      await database.rows(keep('usage'), [accountIdentity, json(usage)]);
    },
  }) satisfies Partial<Ledger>;

interface AccountRow extends Pick<AccountState, 'answers' | 'answersNot404' | 'found'> {
  readonly count: number;
  readonly place: string | null;
  readonly kept: boolean;
  readonly pausedUntilMs: number | null;
  readonly learned: AccountState['learned'] | null;
  readonly usage: AccountState['usage'] | null;
  readonly toldMs: number | null;
}

const ACCOUNT = `
SELECT t.answers, t.others AS "answersNot404", t.found, t.misses AS count, p.paused_until AS "pausedUntilMs", p.learned, p.usage, p.told AS "toldMs",
       CASE WHEN p.misses_after = t.ended THEN p.misses_place END AS place, p.misses_after = t.ended AND p.misses_kept AS kept
  FROM accounts p CROSS JOIN LATERAL (${ANSWERED}) t WHERE p.identity = $1`;

const NEWEST_FOUND = `
SELECT e.of AS attempt FROM (SELECT of, call FROM entries WHERE id = of ORDER BY of DESC LIMIT 1000) a
  JOIN entries e ON e.of = a.of AND e.kind = 'answered' AND e.said = 'found' JOIN calls c ON c.id = a.call AND c.account = $1
 ORDER BY e.of DESC LIMIT $2`;

interface SendRow {
  readonly attempt: number;
  readonly isSent: boolean;
  readonly atMs: number;
  readonly answeredAtMs: number | null;
}

/** Attempts of all accounts with their ends, and no more pages of them than are asked for. */
async function* newestFirst(database: Database, accountIdentity: string): AsyncGenerator<SendRow> {
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    const page: readonly SendRow[] = await database.rows<SendRow>(SENDS, [
      accountIdentity,
      before,
      ATTEMPTS_AT_ONCE,
    ]);
    yield* page;
    before = page.length < ATTEMPTS_AT_ONCE ? undefined : page.at(-1)?.attempt;
  }
}

const SENDS = `
SELECT a.of AS attempt, a.at AS "atMs", c.account = $1 AND e.said IS DISTINCT FROM 'not_sent' AS "isSent",
       CASE WHEN e.kind = 'answered' THEN e.at END AS "answeredAtMs"
  FROM (SELECT of, call, at FROM entries WHERE id = of AND of < $2 ORDER BY of DESC LIMIT $3) a JOIN calls c ON c.id = a.call
  LEFT JOIN entries e ON e.of = a.of AND e.kind IN ('answered', 'lost', 'lost_beside', 'unsold')
 ORDER BY a.of DESC`;

const FORGETTING = `
SELECT DISTINCT c.account FROM erasures e JOIN erased x ON x.erasure = e.id AND x.what = 'call' JOIN calls c ON c.id = x.id
 WHERE e.kind = 'person'`;

const PAUSES = `
SELECT from_at AS "fromMs", until_at AS "untilMs", why, asked FROM pauses
 WHERE account = $1 AND until_at >= $2 AND from_at <= $3 ORDER BY from_at, id`;

/** A pause that the vendor asked one process for is not shortened by what it asked another. */
const NOTE_PAUSE = `
WITH asked AS (
  INSERT INTO accounts AS p (identity, paused_until) VALUES ($1, CASE WHEN $5 THEN $3::bigint END)
    ON CONFLICT (identity) DO UPDATE SET paused_until = excluded.paused_until
    WHERE excluded.paused_until > coalesce(p.paused_until, 0)
), old AS (
  DELETE FROM pauses WHERE account = $1 AND until_at < $6
)
INSERT INTO pauses (account, from_at, until_at, why, asked) VALUES ($1, $2, $3, $4, $5)`;

const KEEP_TOLD = `
INSERT INTO accounts AS a (identity, told) VALUES ($1, $2)
ON CONFLICT (identity) DO UPDATE SET told = excluded.told WHERE excluded.told > coalesce(a.told, 0)`;

const keep = (column: 'learned' | 'usage'): string =>
  `INSERT INTO accounts (identity, ${column}) VALUES ($1, $2) ON CONFLICT (identity) DO UPDATE SET ${column} = excluded.${column}`;
