import { hostname } from 'node:os';
import { invariant } from '../../../core/errors.ts';
import { counted } from '../../../core/plain-text.ts';
import {
  type AccountEnd,
  type AccountHeard,
  type AccountSaid,
  type Beat,
  type Heard,
  SHARE_HOLDS_MS,
  type SharedWindow,
  type Spenders,
  type Worker,
  type WorkerShare,
} from '../../ledger.ts';
import { oneCell, type Sql } from './connection.ts';
import { hasAttempt, LEDGER_NOW, type Looked, see } from './lost-commits.ts';
import { ANSWERED } from './misses.ts';
import { present, type Session } from './session.ts';

/** The workers that spend from the ledger, and what they tell each other. What is decided of shares is decided by `beat` in the database. */

/** Rows of workers are for people, and older ones show nothing any more. */
const NEW = `
WITH gone AS (DELETE FROM workers WHERE coalesce(beat, since) < clock() - interval '1 day')
INSERT INTO workers (host, pid, command) VALUES ($1, $2, $3) RETURNING id`;

export const newWorker = async (sql: Sql, command: string): Promise<number> =>
  (await oneCell<number>(sql, NEW, [hostname(), process.pid, command])) ?? 0;

/** A worker that ends is shown no more. Its shares are free when they would be if it had vanished, and its purses are others' at once. */
export async function leave(sql: Sql, worker: number): Promise<void> {
  // Where the database is away, it is shown for a minute more.
  await sql.rows('DELETE FROM workers WHERE id = $1', [worker]).catch(() => {});
}

const BEAT = `
SELECT beat($1, $2, $3, $4, $5, $6) AS heard, (
    SELECT coalesce(json_object_agg(p.identity, json_build_object('answers', t.answers, 'answersNot404', t.others, 'found', t.found, 'misses',
             json_strip_nulls(json_build_object('count', t.misses, 'kept', coalesce(p.misses_after = t.ended AND p.misses_kept, false),
               'place', CASE WHEN p.misses_after = t.ended THEN p.misses_place END)))), '{}')
      FROM accounts p CROSS JOIN LATERAL (${ANSWERED}) t WHERE p.identity = ANY ($7)) AS known,
  ${hasAttempt('$8', '$9')} AS "isWhole", (${LEDGER_NOW}) AS now`;

interface Answer extends Looked {
  readonly heard: Told;
  readonly known: Readonly<Record<string, AccountHeard['known']>>;
}

interface Told {
  readonly told: number;
  readonly accounts: readonly (Partial<AccountHeard> & {
    readonly account: string;
    readonly differs?: Differing;
  })[];
}

interface Differing {
  readonly host: string;
  readonly pid: number;
  readonly requests?: number;
  readonly windowMs?: number;
  readonly quotas: readonly SharedWindow[];
}

export function spenders(session: Session): Omit<Spenders, 'agreeOn' | 'holdTo'> {
  const { database, worker, command } = session;
  let heard = 0;
  /** Beats in all, and the newest that was answered. */
  let [beats, newest] = [0, 0];
  return {
    async beat({ accounts }: Beat): Promise<Heard> {
      beats += 1;
      const number = beats;
      const answer = await database.atOnce.row<Answer>(BEAT, [
        ...[worker, hostname(), process.pid, command, heard, JSON.stringify(accounts)],
        ...[accounts.map(({ account }) => account), session.seen?.attempt, session.seen?.atMs],
      ]);
      invariant(answer !== undefined, 'a beat is answered');
      await see(session, answer);
      // Whoever has a later answer already goes by that one. What this one takes away is not given up by it.
      if (number > newest) [newest, heard] = [number, answer.heard.told];
      return { worker, accounts: answer.heard.accounts.map((told) => heardOf(told, answer.known, accounts)) };
    },
    async goOn(account) {
      await database.rows('UPDATE paces SET ended = NULL WHERE account = $1', [account]);
    },
  };
}

function heardOf(
  { differs, account, share = Number.POSITIVE_INFINITY, ...told }: Told['accounts'][number],
  known: Answer['known'],
  said: Beat['accounts'],
): AccountHeard {
  const common = { account, held: [], over: [], known: known[account] ?? NEVER_ANSWERED };
  if (differs === undefined) return { ...common, share, ...told };
  return {
    ...common,
    share: 0,
    end: differing(
      account,
      said.find((each) => each.account === account),
      differs,
    ),
  };
}

const NEVER_ANSWERED = { answers: 0, answersNot404: 0, found: 0, misses: { count: 0, kept: false } };

function differing(
  account: string,
  said: AccountSaid | undefined,
  { host, pid, ...other }: Differing,
): AccountEnd {
  const theirs =
    other.requests === undefined ? undefined : { requests: other.requests, windowMs: other.windowMs ?? 0 };
  return {
    code: 'account',
    message: `In the accounts file here, ${account} allows ${inWords(said?.limit, said?.quotas)}; in that of process ${pid} on ${host}, which is at work, ${inWords(theirs, other.quotas)}.`,
    next: 'Write the same limits into both files, then run the same command again.',
  };
}

const inWords = (limit: SharedWindow | undefined, quotas: readonly SharedWindow[] = []): string =>
  [...(limit === undefined ? [] : [limit]), ...quotas]
    .map(({ requests, windowMs }) => `${counted(requests, 'request')} in ${windowMs} ms`)
    .join(' and ') || 'no known number of requests';

/** Who has not beaten for that long has ended, or hangs. */
const SHOWN_MS = 60_000;

const WORKERS = `
SELECT w.id AS worker, w.host, w.pid, w.command, ms_until(clock(), w.since) AS "sinceMs", ms_until(clock(), w.beat) AS "beatAgoMs",
       coalesce((SELECT json_agg(json_build_object('account', s.account, 'inFlight', s.in_flight, 'share', CASE WHEN p.requests IS NOT NULL THEN s.part END)
                 ORDER BY s.account) FROM shares s JOIN paces p ON p.account = s.account
          WHERE s.worker = w.id AND s.seen > clock() - ms(${SHARE_HOLDS_MS})), '[]') AS accounts
  FROM workers w WHERE coalesce(w.beat, w.since) > clock() - ms(${SHOWN_MS}) ORDER BY w.id`;

export async function workers(sql: Sql): Promise<readonly Worker[]> {
  const found = await sql.rows<Worker>(WORKERS);
  return found.map(({ accounts, ...worker }) => ({
    ...(present(worker) as Omit<Worker, 'accounts'>),
    accounts: accounts.map((share) => present(share) as WorkerShare),
  }));
}

/** Who beats at least each second, or was stopped a moment ago. */
export type AtWork = Pick<Worker, 'host' | 'pid' | 'command'>;

const AT_WORK_MS = 5_000;

const AT_WORK = `SELECT host, pid, command FROM workers WHERE beat > clock() - ms(${AT_WORK_MS}) ORDER BY id LIMIT 1`;

export function atWork(sql: Sql): Promise<AtWork | undefined> {
  return sql.row<AtWork>(AT_WORK);
}
