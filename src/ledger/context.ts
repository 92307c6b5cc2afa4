import { hash } from 'node:crypto';
import type { CallKey } from '../core/call-key.ts';
import { DAY_MS } from '../core/clock.ts';
import { invariant } from '../core/errors.ts';
import type { Call } from '../core/operation.ts';
import type { Cell, Db, Sql } from './db.ts';

/** What every part of an open ledger works with. */
export interface Context {
  /** For reading: it sees what is committed. */
  readonly db: Db;
  /**
   * The secret of this ledger, 64 hex digits, under which it keeps the keys of calls. A person who has the
   * store can test a guess at a key, and can read no key.
   */
  readonly secret: string;
  /** The number of an account; undefined of one that the ledger does not know. */
  account(identity: string): Promise<number | undefined>;
}

/** What the parts that write work with. */
export interface WriteContext extends Context {
  /** The number of this process in `workers`. */
  readonly worker: number;
  /** The next number of an attempt or of a group. */
  number(): number;
  /**
   * Does the work in one transaction, after all that was asked for before. `work` may be done again if the
   * database was away.
   */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}

/**
 * The numbers of accounts by their identities. Both stay. Callers that ask in one turn are answered in the
 * order in which they asked.
 */
export function accountsOf(db: Pick<Db, 'rows'>): Context['account'] {
  const found = new Map<string, Promise<number | undefined>>();
  const numberOf = async (identity: string): Promise<number | undefined> => {
    const rows = db.rows<{ id: number }>('SELECT id FROM accounts WHERE identity = ?', [identity]);
    const [account] = await rows.catch((error) => {
      found.delete(identity);
      throw error;
    });
    if (account === undefined) found.delete(identity);
    return account?.id;
  };
  return (identity) => {
    const number = found.get(identity) ?? numberOf(identity);
    found.set(identity, number);
    return number;
  };
}

const KEY_DIGITS = 32;

/**
 * The hexadecimal digits of what is kept for a call's key. The secret and the key have a fixed length, so a
 * plain hash of one after the other is safe. An HMAC takes ten times as long, a hash into a buffer twice.
 */
export const keptDigits = (secret: string, key: CallKey): string =>
  hash('sha256', secret + key).slice(0, KEY_DIGITS);

export const keptKey = (secret: string, key: CallKey): Uint8Array =>
  Buffer.from(keptDigits(secret, key), 'hex');

/** The mark that is kept for an address that was forgotten. */
export const forgottenMark = (secret: string, email: string): string =>
  hash('sha256', `${secret}forgotten:${email}`);

/** The JSON of a call, without its operation and the most that it costs, which have columns of their own. */
export function askedOf({ operation: _, creditsMost: __, erasedAtMs: ___, ...askedMembers }: Call): string {
  return JSON.stringify(askedMembers);
}

/** A call without a price of its own. */
export const NO_MOST = -1;

export interface KeptCall {
  readonly operation: string;
  readonly asked: string;
  readonly credits_max: number;
  readonly erasedAtMs: number | null;
}

export function callFrom({ operation, asked, credits_max, erasedAtMs }: KeptCall): Call {
  const creditsMost = credits_max === NO_MOST ? null : credits_max;
  return { operation, ...JSON.parse(asked), ...withoutNulls({ creditsMost, erasedAtMs }) };
}

/** The one row of a statement that always gives one. */
export async function oneRow<Row>(
  sql: Pick<Sql, 'rows'>,
  text: string,
  params: readonly Cell[] = [],
): Promise<Row> {
  const [row] = await sql.rows<Row>(text, params);
  invariant(row !== undefined, `the ledger gives no row for ${text.slice(0, 60)}`);
  return row;
}

/** The number of an account, which need not be known before. */
export async function ensureAccount(sql: Sql, identity: string): Promise<number> {
  const ensured = `INSERT INTO accounts (identity) VALUES (?)
    ON CONFLICT (identity) DO UPDATE SET identity = excluded.identity RETURNING id`;
  return (await oneRow<{ id: number }>(sql, ensured, [identity])).id;
}

/** @param change gives facts that stand beside the kept facts, or in their place. */
export async function changeFacts<Facts extends object>(
  sql: Sql,
  table: 'accounts' | 'batches',
  id: number | string,
  change: (facts: Facts) => object,
): Promise<void> {
  const { facts } = await oneRow<{ facts: string }>(sql, `SELECT facts FROM ${table} WHERE id = ?`, [id]);
  const factsBefore: Facts = JSON.parse(facts);
  const now = JSON.stringify({ ...factsBefore, ...change(factsBefore) });
  await sql.rows(`UPDATE ${table} SET facts = ? WHERE id = ?`, [now, id]);
}

type FilledCells<Row> = { readonly [Name in keyof Row]?: NonNullable<Row[Name]> };

/** The columns of a row that are not null. */
export function withoutNulls<Row extends object>(row: Row): FilledCells<Row> {
  const found: Record<string, unknown> = {};
  for (const name in row) if (row[name] !== null) found[name] = row[name];
  return found as FilledCells<Row>;
}

/** A record as a row of the database has it: with null for what is absent. */
export type StoredRow<Rec> = {
  readonly [Name in keyof Rec]-?:
    | Rec[Name]
    | (Partial<Pick<Rec, Name>> extends Pick<Rec, Name> ? null : never);
};
export const recordFrom = <Rec extends object>(row: StoredRow<Rec>): Rec =>
  withoutNulls(row) as unknown as Rec;

/** A day and a month as budgets name them: days since 1970, and such as 202611; UTC. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);
export const monthOf = (ms: number): number => {
  const date = new Date(ms);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
};
