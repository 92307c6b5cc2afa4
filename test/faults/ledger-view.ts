import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Server } from '../ledger/stores/postgres-server.ts';

/** What the program wrote down, read beside it and by SQL of our own, so that it can be held against the vendor's book. */

export interface CallRecord {
  readonly state: 'found' | 'no_match' | 'refused' | 'in_doubt' | 'unknown';
  /** Attempts that may have reached the vendor: all but those that were closed as not sent. */
  readonly attempts: number;
  /** Attempts that were closed as not sent. */
  readonly notSent: number;
}

export interface LedgerView {
  /** By `callName`. */
  readonly calls: ReadonlyMap<string, CallRecord>;
  /** Numbers of the attempts that a killed run left open. */
  readonly open: readonly number[];
  /** Those of them whose reply is not kept either: each may be in doubt. */
  readonly unanswered: readonly number[];
  readonly inDoubt: number;
  /** Credits, over all batches. */
  readonly spent: number;
  /** Credits that lost answers may have cost, over all batches. */
  readonly atRisk: number;
  readonly batches: readonly { readonly path: string; readonly state: string }[];
  readonly doubts: readonly DoubtView[];
  /** Attempts that may have reached the vendor, over all calls. */
  readonly attempts: number;
}

/** A call whose answer was lost, with the row that asked for it last. */
export interface DoubtView {
  /** As it is typed. */
  readonly batch: string;
  readonly row: number;
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Of a change: the service's project on which it acts. */
  readonly project?: string;
}

const EMPTY: LedgerView = {
  calls: new Map(),
  open: [],
  unanswered: [],
  inDoubt: 0,
  spent: 0,
  atRisk: 0,
  batches: [],
  doubts: [],
  attempts: 0,
};

/** What may have reached the vendor: all but what ended as not sent. */
const LEFT = "FROM attempts a LEFT JOIN ends k ON k.of = a.id WHERE k.said IS NOT 'not_sent'";

const CALLS = `
SELECT c.operation, c.parameters AS parameters, c.state,
       (SELECT said FROM ends WHERE of = c.stands AND kind = 'answered') AS answer,
       (SELECT count(*) ${LEFT} AND a.call = c.id) AS attempts,
       (SELECT count(*) FROM attempts a JOIN ends k ON k.of = a.id WHERE a.call = c.id AND k.said = 'not_sent') AS notSent
  FROM calls c`;

const DOUBTS = `
SELECT c.operation, c.parameters AS parameters, c.terms ->> '$.project' AS project, a.row,
       format('%08x', a.batch) AS batch
  FROM calls c JOIN attempts a ON a.id = c.stands WHERE c.state = 'doubt' ORDER BY a.id`;

interface StoredCall {
  readonly operation: string;
  /** As JSON. */
  readonly parameters: string;
  readonly state: 'free' | 'answered' | 'doubt';
  readonly answer: 'found' | 'no_match' | 'refused' | null;
  readonly attempts: number;
  readonly notSent: number;
}

type StoredDoubt = Pick<StoredCall, 'operation' | 'parameters'> &
  Pick<DoubtView, 'batch' | 'row'> & { readonly project: string | null };

/** An empty view when the program was killed before it had made the ledger. */
export function viewLedger(store: string): LedgerView {
  const path = join(store, 'ledger.db');
  if (!existsSync(path)) return EMPTY;
  const database = new Database(path, { readonly: true });
  try {
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'attempts'").get() === undefined)
      return EMPTY;
    return database.transaction(() => viewOf(database))();
  } finally {
    database.close();
  }
}

const OPEN = 'SELECT open FROM calls WHERE open IS NOT NULL';

function viewOf(database: Database.Database): LedgerView {
  const count = (sql: string): number => Number(database.prepare(sql).pluck().get() ?? 0);
  const calls = (database.prepare(CALLS).all() as StoredCall[]).map(
    (call) => [nameOf(call), recordOf(call)] as const,
  );
  return {
    attempts: count(`SELECT count(*) ${LEFT}`),
    calls: new Map(calls),
    open: database.prepare(OPEN).pluck().all() as number[],
    unanswered: database
      .prepare(`${OPEN} AND open NOT IN (SELECT of FROM replies)`)
      .pluck()
      .all() as number[],
    inDoubt: count("SELECT count(*) FROM calls WHERE state = 'doubt'"),
    spent: count("SELECT sum(spent) FROM totals WHERE scope LIKE 'batch:%'"),
    atRisk: count("SELECT sum(held) FROM totals WHERE scope LIKE 'batch:%'"),
    batches: database.prepare('SELECT input_path AS path, state FROM batches ORDER BY ordinal').all() as {
      path: string;
      state: string;
    }[],
    doubts: (database.prepare(DOUBTS).all() as StoredDoubt[]).map(({ parameters, project, ...doubt }) => ({
      ...doubt,
      parameters: JSON.parse(parameters) as DoubtView['parameters'],
      ...(project === null ? {} : { project }),
    })),
  };
}

function nameOf({ operation, parameters }: StoredCall): string {
  return callName(operation, JSON.parse(parameters) as DoubtView['parameters']);
}

function recordOf({ state, answer, attempts, notSent }: StoredCall): CallRecord {
  const stands = answer ?? (state === 'doubt' ? 'in_doubt' : 'unknown');
  return { state: stands, attempts, notSent };
}

/** The same words for a call in the vendor's log and in the program's ledger. */
export function callName(operation: string | null, parameters: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1));
  return `${operation} ${JSON.stringify(sorted)}`;
}

/** What stands of each call, and its attempts that may have reached the vendor. */
const DATABASE_CALLS = `
SELECT c.operation, c.parameters, c.state,
       (SELECT k.said FROM rowonce.entries k WHERE k.of = c.stands AND k.kind IN ('answered', 'told', 'read') ORDER BY k.id DESC LIMIT 1) AS answer,
       count(*) FILTER (WHERE n.of IS NULL)::int AS attempts, count(n.of)::int AS "notSent"
  FROM rowonce.calls c JOIN rowonce.entries a ON a.call = c.id AND a.id = a.of
       LEFT JOIN rowonce.entries n ON n.of = a.id AND n.said = 'not_sent'
 GROUP BY c.id`;

type DatabaseCall = Pick<CallRecord, 'attempts' | 'notSent'> & {
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly state: string;
  readonly answer: 'found' | 'no_match' | 'refused' | null;
};

/** What a ledger in a database holds of each call, by `callName`. */
export async function callsOf(server: Server, database: string): Promise<LedgerView['calls']> {
  const stored: unknown = await server.query(database, DATABASE_CALLS);
  return new Map(
    (stored as readonly DatabaseCall[]).map(({ operation, parameters, state, answer, ...attempts }) => [
      callName(operation, parameters),
      { state: answer ?? (state === 'doubt' ? 'in_doubt' : 'unknown'), ...attempts },
    ]),
  );
}

export async function rowsEndedOf(server: Server, database: string): Promise<number> {
  const [counted] = await server.query(database, 'SELECT count(*) AS rows FROM rowonce.rows');
  return Number(counted?.rows);
}
