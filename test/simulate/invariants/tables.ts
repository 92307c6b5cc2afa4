/** The tables of a ledger as they were committed last, read by SQL of their own. */
import type Database from 'better-sqlite3';
import { open } from '../databases.ts';

/** A request that may cost something: docs/internals/ledger.md has its columns. */
export interface CallRow {
  readonly id: number;
  readonly key: string;
  readonly state: string;
  readonly is_current: number;
  readonly kind: string;
  readonly account: number;
  readonly operation: string;
  readonly asked: string;
  readonly batch: string;
  /** The row that paid. */
  readonly row: number;
  readonly day: number;
  readonly month: number;
  readonly reserved: number;
  readonly charged: number | null;
  readonly payer: number | null;
  readonly prior: number | null;
  readonly said: string | null;
  /** Who decided that it is sent again: a rule, the job or a person. */
  readonly decided_by: string | null;
  readonly is_at_most: number;
  readonly has_reply: number;
}

export interface BudgetRow {
  readonly kind: string;
  readonly batch: string;
  readonly account: number;
  readonly period: number;
  readonly cap: number | null;
  readonly spent: number;
  readonly held: number;
  readonly overrun: number;
}

export interface ListedRow {
  readonly batch: string;
  readonly row: number;
  readonly state: string;
  readonly call: number | null;
  /** JSON: the calls that it rests on, where it rests on several. */
  readonly uses: string;
  /** JSON. */
  readonly findings: string | null;
}

export interface BatchRow {
  readonly id: string;
  readonly state: string;
  readonly account: number;
  /** In ms since 1970. */
  readonly created_at: number;
  /** The path of its list. */
  readonly list: string;
  /** JSON: the rows that its newest run was for, where a person has chosen these and the run has done them. */
  readonly part: string | null;
}

export interface Tables {
  readonly calls: ReadonlyMap<number, CallRow>;
  readonly budgets: readonly BudgetRow[];
  readonly rows: ReadonlyMap<string, ListedRow>;
  readonly batches: readonly BatchRow[];
  /** The names of the accounts. */
  readonly names: ReadonlyMap<number, string>;
}

const CALLS = `SELECT id, hex(key) AS key, state, is_current, kind, account, operation, asked, batch, row, day, month, reserved, charged, payer,
  prior, said, (SELECT who FROM notes WHERE id = attempts.decision) AS decided_by, is_at_most,
  EXISTS (SELECT 1 FROM replies WHERE attempt = attempts.id) AS has_reply FROM attempts`;

interface Questions {
  readonly calls: Database.Statement<[], CallRow>;
  readonly budgets: Database.Statement<[], BudgetRow>;
  readonly rows: Database.Statement<[], ListedRow>;
  readonly batches: Database.Statement<[], BatchRow>;
  readonly names: Database.Statement<[], { readonly account: number; readonly value: string }>;
}

const prepared = new WeakMap<Database.Database, Questions>();

function questionsTo(database: Database.Database): Questions {
  const known = prepared.get(database);
  if (known !== undefined) return known;
  const questions: Questions = {
    calls: database.prepare(CALLS),
    budgets: database.prepare('SELECT kind, batch, account, period, cap, spent, held, overrun FROM budgets'),
    rows: database.prepare(`SELECT batch, row, state, attempt AS call, findings, (SELECT json_group_array(attempt) FROM uses
        WHERE uses.batch = rows.batch AND uses.row = rows.row) AS uses FROM rows`),
    batches: database.prepare(
      `SELECT id, state, account, created_at, facts ->> 'inputPath' AS list,
        facts -> 'settings' -> 'part_done' AS part FROM batches ORDER BY number`,
    ),
    names: database.prepare("SELECT account, value FROM known_as WHERE kind = 'name'"),
  };
  prepared.set(database, questions);
  return questions;
}

/** Whether it is a ledger that has its tables; they are laid with its first commit. */
export const hasTables = (database: Database.Database): boolean =>
  prepared.has(database) ||
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'replies'").get() !== undefined;

export const rowName = ({ batch, row }: Pick<ListedRow, 'batch' | 'row'>): string => `${batch}/${row}`;

export function tablesOf(database: Database.Database): Tables {
  const { calls, budgets, rows, batches, names } = questionsTo(database);
  return {
    calls: new Map(calls.all().map((call) => [call.id, call])),
    budgets: budgets.all(),
    rows: new Map(rows.all().map((row) => [rowName(row), row])),
    batches: batches.all(),
    names: new Map(names.all().map(({ account, value }) => [account, value])),
  };
}

/** As they are on the disk now. */
export function tablesAt(path: string): Tables | undefined {
  const opened = open(path, { readonly: true });
  const { database } = opened;
  try {
    return hasTables(database) ? tablesOf(database) : undefined;
  } finally {
    opened.leave();
  }
}

const HOLDING: ReadonlySet<string> = new Set(['open', 'accepted', 'doubt', 'retried', 'doubt_beside']);

/** What a call may still cost. */
export const heldBy = ({ state, reserved }: CallRow): number => (HOLDING.has(state) ? reserved : 0);

export const isUnderWay = (call: CallRow): boolean => call.state === 'open' && call.has_reply === 0;
