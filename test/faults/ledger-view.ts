import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Server } from '../ledger/stores/postgres-server.ts';

/** What the program wrote down, read beside it and by SQL of our own, so that it can be held against the vendor's book. */

export interface CallRecord {
  readonly state: 'found' | 'no_match' | 'refused' | 'in_doubt' | 'unknown';
  /** Attempts that may have reached the vendor: all but those that were closed as not sent. */
  readonly attempts: number;
}

export interface LedgerView {
  /** By `callName`. */
  readonly calls: ReadonlyMap<string, CallRecord>;
  /** Attempts that a killed run left open. */
  readonly open: readonly string[];
  /** Those of them whose reply is not kept either: each may be in doubt. */
  readonly unanswered: readonly string[];
  readonly inDoubt: number;
  /** Credits, over all batches. */
  readonly spent: number;
  readonly doubts: readonly DoubtView[];
  /** Attempts that may have reached the vendor, over all calls. */
  readonly attempts: number;
}

/** A call whose answer was lost, with the row that asked for it last. */
export interface DoubtView {
  /** As it is typed. */
  readonly batch: string;
  readonly row: number;
  /** The name of its account. */
  readonly account: string;
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Of a change: the service's project on which it acts. */
  readonly project: string | undefined;
}

interface StoredAttempt {
  readonly id: string;
  readonly key: Buffer;
  readonly operation: string;
  readonly asked: string;
  readonly state: string;
  readonly said: 'found' | 'no_match' | 'refused' | 'not_sent' | null;
  readonly prior: string | null;
  readonly batch: string;
  readonly row: number;
  readonly account: string;
  readonly is_current: '0' | '1';
  readonly is_replied: string;
}

/** The same in SQLite and in PostgreSQL, which has whole numbers of 64 bits as texts. */
const ATTEMPTS = `
SELECT CAST(c.id AS TEXT) AS id, c.key, c.operation, c.asked, c.state, c.said, CAST(c.prior AS TEXT) AS prior, c.batch, c.row,
  (SELECT m.name FROM batch_accounts m WHERE m.batch = c.batch AND m.account = c.account) AS account, CAST(c.is_current AS TEXT) AS is_current,
  (SELECT CAST(count(*) AS TEXT) FROM replies r WHERE r.attempt = c.id) AS is_replied
FROM attempts c ORDER BY c.sent_at, c.id`;

const SPENT = "SELECT sum(spent) AS spent FROM budgets WHERE kind = 'batch'";

/** Of nothing when the program was killed before it had made the ledger. */
export function viewLedger(store: string): LedgerView {
  const path = join(store, 'ledger.db');
  if (!existsSync(path)) return viewOf([], 0);
  const database = new Database(path, { readonly: true });
  try {
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'attempts'").get() === undefined)
      return viewOf([], 0);
    const spent = database.prepare(SPENT).pluck();
    return database.transaction(() =>
      viewOf(database.prepare(ATTEMPTS).all() as StoredAttempt[], Number(spent.get() ?? 0)),
    )();
  } finally {
    database.close();
  }
}

function viewOf(stored: readonly StoredAttempt[], spent: number): LedgerView {
  const open = stored.filter(({ state }) => state === 'open');
  const doubts = stored.filter(({ state }) => state === 'doubt');
  return {
    attempts: stored.filter((attempt) => !isUnsent(attempt)).length,
    calls: recordsOf(stored),
    open: open.map(({ id }) => id),
    unanswered: open.filter((attempt) => attempt.is_replied === '0').map(({ id }) => id),
    inDoubt: doubts.length,
    spent,
    doubts: doubts.map(({ operation, asked, batch, row, account }) => {
      const { parameters, project } = JSON.parse(asked) as Pick<DoubtView, 'parameters' | 'project'>;
      return { account, operation, parameters, batch, row, project };
    }),
  };
}

const isUnsent = ({ state, said }: StoredAttempt): boolean => state === 'uncharged' && said === 'not_sent';

/** What stands of each call, and how often it may have reached the vendor. */
function recordsOf(stored: readonly StoredAttempt[]): LedgerView['calls'] {
  const byId = new Map(stored.map((attempt) => [attempt.id, attempt]));
  const ofKey = Map.groupBy(stored, ({ key }) => key.toString('hex'));
  const named = [...ofKey.values()].map((all): readonly [string, CallRecord] => {
    const [{ operation, asked }] = all as [StoredAttempt];
    const current = all.find((attempt) => attempt.is_current === '1');
    const attempts = all.filter((attempt) => !isUnsent(attempt)).length;
    return [callName(operation, JSON.parse(asked).parameters), { state: standsOf(current, byId), attempts }];
  });
  return new Map(named);
}

/** Beside a request under way stands what it is to replace, or what it sends again. */
function standsOf(
  current: StoredAttempt | undefined,
  byId: ReadonlyMap<string, StoredAttempt>,
): CallRecord['state'] {
  if (current === undefined) return 'unknown';
  if (current.state === 'doubt') return 'in_doubt';
  if (current.state === 'answered') return current.said as 'found' | 'no_match' | 'refused';
  const prior = byId.get(current.prior ?? '');
  if (prior === undefined) return 'unknown';
  return prior.state === 'retried' ? 'in_doubt' : (prior.said as 'found' | 'no_match' | 'refused');
}

/** The same words for a call in the vendor's log and in the program's ledger. */
export function callName(operation: string | null, parameters: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1));
  return `${operation} ${JSON.stringify(sorted)}`;
}

/** The same of a ledger in a database. */
export async function viewDatabase(server: Server, database: string): Promise<LedgerView> {
  const schema = 'SET search_path = rowonce_ledger';
  const stored = await server.query(database, `${schema}; ${ATTEMPTS}`);
  const [sum] = await server.query(database, `${schema}; ${SPENT}`);
  return viewOf(stored as unknown as readonly StoredAttempt[], Number(sum?.spent ?? 0));
}

export async function rowsEndedOf(server: Server, database: string): Promise<number> {
  const sql = `SELECT count(*) AS rows FROM rowonce_ledger.rows WHERE state <> 'pending'`;
  const [counted] = await server.query(database, sql);
  return Number(counted?.rows);
}
