import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

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
  inDoubt: 0,
  spent: 0,
  atRisk: 0,
  batches: [],
  doubts: [],
  attempts: 0,
};

const CALLS = `
SELECT c.call, s.text AS shape, c.doubt IS NOT NULL AS doubted, k.answer,
       (SELECT count(*) FROM attempts a LEFT JOIN closures x ON x.attempt = a.id
         WHERE a.call = c.id AND x.kind IS NOT 'not_sent') AS attempts,
       (SELECT count(*) FROM attempts a JOIN closures x ON x.attempt = a.id
         WHERE a.call = c.id AND x.kind = 'not_sent') AS notSent
  FROM calls c LEFT JOIN shapes s ON s.id = c.shape LEFT JOIN closures k ON k.attempt = c.answer`;

const ATTEMPTS = `
SELECT count(*) FROM attempts a LEFT JOIN closures x ON x.attempt = a.id WHERE x.kind IS NOT 'not_sent'`;

const DOUBTS = `
SELECT c.call, s.text AS shape, a.row, format('%08x', a.batch) AS batch
  FROM calls c LEFT JOIN shapes s ON s.id = c.shape JOIN attempts a ON a.id = c.doubt ORDER BY a.id`;

interface StoredQuestion {
  readonly call: string;
  readonly shape: string | null;
}

interface StoredCall extends StoredQuestion {
  readonly doubted: 0 | 1;
  readonly answer: 'found' | 'no_match' | 'refused' | null;
  readonly attempts: number;
  readonly notSent: number;
}

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

function viewOf(database: Database.Database): LedgerView {
  const count = (sql: string): number => Number(database.prepare(sql).pluck().get() ?? 0);
  const calls = (database.prepare(CALLS).all() as StoredCall[]).map(
    (call) => [nameOf(call), recordOf(call)] as const,
  );
  return {
    attempts: count(ATTEMPTS),
    calls: new Map(calls),
    open: database.prepare('SELECT id FROM attempts WHERE open = 1').pluck().all() as number[],
    inDoubt: count('SELECT count(*) FROM calls WHERE doubt IS NOT NULL'),
    spent: count("SELECT sum(spent) FROM money WHERE scope LIKE 'batch:%'"),
    atRisk: count("SELECT sum(in_doubt) FROM money WHERE scope LIKE 'batch:%'"),
    batches: database.prepare('SELECT input_path AS path, state FROM batches ORDER BY ordinal').all() as {
      path: string;
      state: string;
    }[],
    doubts: (database.prepare(DOUBTS).all() as (Pick<DoubtView, 'batch' | 'row'> & StoredQuestion)[]).map(
      ({ call, shape, ...doubt }) => ({ ...doubt, ...questionOf({ call, shape }) }),
    ),
  };
}

function nameOf(call: StoredCall): string {
  const { operation, parameters } = questionOf(call);
  return callName(operation, parameters);
}

function questionOf({ call, shape }: StoredQuestion): Omit<DoubtView, 'batch' | 'row'> {
  if (shape === null) return JSON.parse(call) as Omit<DoubtView, 'batch' | 'row'>;
  const whole = JSON.parse(shape) as Omit<DoubtView, 'batch' | 'row'>;
  const values = JSON.parse(`[${call}]`) as readonly string[];
  const names = Object.keys(whole.parameters);
  return { ...whole, parameters: Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])) };
}

function recordOf({ doubted, answer, attempts, notSent }: StoredCall): CallRecord {
  return { state: answer ?? (doubted === 1 ? 'in_doubt' : 'unknown'), attempts, notSent };
}

/** The same words for a call in the vendor's log and in the program's ledger. */
export function callName(operation: string | null, parameters: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1));
  return `${operation} ${JSON.stringify(sorted)}`;
}
