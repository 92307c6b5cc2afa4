import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openPostgres } from '../../src/ledger/db/postgres.ts';
import { Connection, sqliteDb } from '../../src/ledger/db/sqlite.ts';
import { type Db, SCHEMA, type Sql } from '../../src/ledger/db.ts';
import { layAll } from '../../src/ledger/schema.ts';
import {
  endAttempt,
  type Group,
  type IntentRow,
  NO_ID,
  releaseAttempt,
  type Written,
  writeGroup,
} from '../../src/ledger/transitions.ts';
import { said } from '../support/told.ts';
import { postgresServer } from './stores/postgres-server.ts';

interface BatchOptions {
  readonly cap?: number;
  readonly extra?: number;
  /** The first of its accounts, and the only one unless `accounts` are named. */
  readonly account?: number;
  readonly accounts?: readonly number[];
  readonly fresh?: number | null;
}

/** A ledger's tables by themselves, and two who write groups into them: what comes of a group, without the programs around it. */
export class Tables {
  readonly db: Db;
  readonly #second: Db;
  #newest: number;

  constructor(db: Db, second: Db, worker: number) {
    this.db = db;
    this.#second = second;
    this.#newest = worker * 2 ** 32;
  }

  number(): number {
    this.#newest += 1;
    return this.#newest;
  }

  /** @returns the attempts that it ended, and those that it admitted. */
  write(
    group: Partial<Group>,
    by: 'first' | 'second' = 'first',
    { number = this.number(), first = new Set<number>() } = {},
  ): Promise<Written> {
    const all = { replies: [], ends: [], rows: [], fills: [], intents: [], ...group };
    return writeGroup(by === 'first' ? this.db : this.#second, all, number, (attempt) => first.has(attempt));
  }

  transaction<T>(work: (sql: Sql) => Promise<T>, by: 'first' | 'second' = 'first'): Promise<T> {
    return (by === 'first' ? this.db : this.#second).transaction(work);
  }

  async one<Row>(text: string, params: readonly (string | number)[] = []): Promise<Row | undefined> {
    return (await this.db.rows<Row>(text, params))[0];
  }

  async state(attempt: number): Promise<string | undefined> {
    return (await this.one<{ state: string }>('SELECT state FROM attempts WHERE id = ?', [attempt]))?.state;
  }

  async batch(
    id: string,
    { cap, extra = 50, account = 1, accounts = [account], fresh = null }: BatchOptions = {},
  ) {
    await this.transaction(async (sql) => {
      await sql.rows(
        `INSERT INTO batches (id, number, key, generation, lineage, account, operation, steps, state, created_at, fresh_found, fresh_no_match, facts)
         SELECT CAST(? AS TEXT), count(*) + 1, CAST(? AS TEXT), 1, CAST(? AS TEXT), CAST(? AS {int}), 'op', 1, 'open', 1, CAST(? AS {int}), CAST(? AS {int}), '{}' FROM batches`,
        [id, id, id, account, fresh, fresh],
      );
      await sql.rows("INSERT INTO budgets (kind, batch, cap) VALUES ('batch', ?, ?), ('extra', ?, ?)", [
        id,
        cap ?? null,
        id,
        extra,
      ]);
      for (const [place, of] of accounts.entries()) {
        const has =
          'INSERT INTO batch_accounts (batch, account, place, name) VALUES (?, ?, CAST(? AS {int}), ?)';
        await sql.rows(has, [id, of, place, `account ${of}`]);
        await sql.rows("INSERT INTO budgets (kind, batch, account) VALUES ('share', ?, ?)", [id, of]);
      }
    });
    return id;
  }

  async money(batch: string): Promise<{ readonly spent: number; readonly held: number } | undefined> {
    return this.one("SELECT spent, held FROM budgets WHERE kind = 'batch' AND batch = ?", [batch]);
  }

  /** @returns the attempt, which may be admitted or not. */
  async ask(batch: string, text: string, more: Partial<IntentRow> = {}, by: 'first' | 'second' = 'first') {
    const intent = this.intent(batch, text, more);
    const admitted = await this.write({ intents: [intent] }, by);
    return { attempt: intent.id, reserved: admitted.has(intent.id) ? intent.reserve : undefined };
  }

  intent(batch: string, text: string, more: Partial<IntentRow> = {}): IntentRow {
    return {
      id: this.number(),
      worker: 1,
      key: keyOf(text),
      kind: 'first',
      account: 1,
      operation: 'op',
      asked: '{}',
      credits_max: -1,
      batch,
      row: 2,
      day: DAY,
      month: 202611,
      reserve: 1,
      at: NOW,
      lasts: 60_000,
      request: null,
      prior: null,
      payer: null,
      decision: null,
      project: null,
      subject: null,
      after: null,
      is_unpriced: 0,
      replaces: null,
      ...more,
    };
  }

  async lost(batch: string, text: string): Promise<number> {
    const { attempt } = await this.ask(batch, text);
    await this.write({ ends: [doubt(attempt)] });
    return attempt;
  }

  async bought(batch: string, text: string, charged = 1): Promise<number> {
    const { attempt } = await this.ask(batch, text);
    await this.write({ replies: [reply(attempt)], ends: [answer(attempt, charged)] });
    return attempt;
  }

  async decide(attempt: number, batch: string, said = 'retry'): Promise<number> {
    const sql = `INSERT INTO notes (at, kind, said, attempt, batch, who, words) VALUES (?, 'decided', ?, ?, ?, 'person', 'so') RETURNING id`;
    const [note] = await this.transaction((inside) =>
      inside.rows<{ id: number }>(sql, [NOW, said, attempt, batch]),
    );
    return note?.id ?? 0;
  }

  release(attempt: number, by: 'first' | 'second' = 'first', number = this.number()): Promise<boolean> {
    return this.transaction(
      (sql) => releaseAttempt(sql, { attempt, why: said('it did not happen'), at: NOW }, number),
      by,
    );
  }

  tell(attempt: number, by: 'first' | 'second' = 'first', number = this.number()): Promise<boolean> {
    return this.transaction(async (sql) => {
      const { status, headers, body, at } = reply(attempt);
      const text =
        'INSERT INTO replies (attempt, number, status, headers, body, at) VALUES (?, 0, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
      await sql.rows(text, [attempt, status, headers, body, at]);
      return endAttempt(sql, answer(attempt), number);
    }, by);
  }
}

export const NOW = Date.UTC(2026, 10, 20, 12);
const DAY = Math.floor(NOW / 86_400_000);
export const keyOf = (text: string): Uint8Array => createHash('sha256').update(text).digest().subarray(0, 16);

export const reply = (attempt: number) => ({
  attempt,
  number: 0,
  status: 200,
  headers: '{}',
  body: Buffer.from('{"name":"Acme"}'),
  at: NOW,
});
const end = {
  is_at_most: 0,
  why: 'so',
  dialect: 1,
  at: NOW,
  price: null,
  facts: null,
  ...NO_ID,
} as const;
export const answer = (attempt: number, charged = 1, more: { facts?: string; price?: number } = {}) =>
  ({ ...end, attempt, state: 'answered', said: 'found', charged, ...more }) as const;
export const doubt = (attempt: number) =>
  ({ ...end, attempt, state: 'doubt', said: null, charged: null }) as const;
/** The vendor answers later, by this id. */
export const accepted = (attempt: number, vendor_id: string, later_path = '/results/{id}') => {
  const id = { vendor_id, later_path, if_shared: `another call has ${vendor_id}` };
  return { ...end, ...id, attempt, state: 'accepted', said: null, charged: null } as const;
};
export const uncharged = (attempt: number) =>
  ({ ...end, attempt, state: 'uncharged', said: 'paused', charged: null }) as const;

export const notServed = (attempt: number) => ({ ...uncharged(attempt), said: 'not_served' }) as const;

export async function sqliteTables(): Promise<Tables> {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-tables-'));
  const file = join(folder, 'ledger.db');
  const writer = new Connection(file, 'write');
  writer.pragma('journal_mode = WAL');
  await layAll(sqliteDb(writer, writer));
  const db = sqliteDb(writer, new Connection(file, 'read'));
  onTestFinished(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return filled(db, db);
}

let databases = 0;

/** Two doors on one database. */
export async function postgresTables(): Promise<Tables> {
  const server = await postgresServer();
  databases += 1;
  const name = `tables_${process.pid}_${databases}`;
  await server.createDatabase(name);
  const [db, second] = [await openPostgres(server.url(name)), await openPostgres(server.url(name))];
  onTestFinished(async () => {
    await Promise.all([db.close(), second.close()]);
  });
  await db.script(`CREATE SCHEMA ${SCHEMA};`);
  await layAll(db);
  return filled(db, second);
}

export const DATABASES: readonly (readonly [string, () => Promise<Tables>])[] = [
  ['SQLite', sqliteTables],
  ['PostgreSQL', postgresTables],
];

/** With two accounts. */
export async function filled(db: Db, second: Db): Promise<Tables> {
  await db.transaction((sql) => sql.rows(`INSERT INTO accounts (identity) VALUES ('["a"]'), ('["b"]')`));
  return new Tables(db, second, 1);
}
