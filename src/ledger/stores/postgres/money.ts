import type { Call } from '../../../core/operation.ts';
import {
  type AccountCaps,
  type BatchId,
  type BudgetScope,
  credits,
  heldCredits,
  type Ledger,
  type Money,
} from '../../ledger.ts';
import { oneCell, type Sql } from './connection.ts';
import { type Session, wholeMs } from './session.ts';

export interface Payer {
  readonly batch: BatchId;
  readonly account: string;
  /** Whose purse admitted it. */
  readonly worker: number;
  /** When the attempt began: its day and month pay, whenever it ends. */
  readonly atMs: number;
  readonly isRetry: boolean;
}

export interface Moved {
  readonly payer: Payer;
  readonly spent?: number;
  readonly reserved?: number;
  readonly held?: number;
  readonly estimated?: boolean;
}

type PeriodScope = 'day' | 'month';

const periodOf = (scope: PeriodScope, atMs: number): string =>
  new Date(atMs).toISOString().slice(0, scope === 'day' ? 10 : 7);

/** What the budgets of attempts are moved by together. @param moved has of each attempt who pays for it, and what it moves. */
export const changesOf = (moved: string): string => `
  SELECT s.*, m.worker, sum(m.spent) AS spent, sum(m.reserved) AS reserved, sum(m.in_doubt) AS in_doubt, bool_or(m.estimated) AS estimated
    FROM (${moved}) m CROSS JOIN LATERAL (SELECT to_char(to_timestamp(m.at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day) d
   CROSS JOIN LATERAL (VALUES ('batch', m.batch, ''), ('day', m.account, day), ('month', m.account, left(day, 7)),
     ('extra', CASE WHEN m.is_retry THEN m.batch END, '')) s (scope, of, period)
   WHERE s.of IS NOT NULL GROUP BY s.scope, s.of, s.period, m.worker`;

/**
 * Moves the purses that pay for attempts. They are locked in one order by all, so that none waits for another that waits for it.
 * `lacking` are those that do not hold what begins; they are not changed. It has to be read, also where nothing begins.
 * @param moved as for `changesOf`.
 */
export const movesOf = (moved: string, begins: string): string => `changes AS (${changesOf(moved)}
), held AS (
  SELECT p.scope, p.of, p.period, p.worker FROM purses p JOIN changes USING (scope, of, period, worker) ORDER BY 1, 2, 3, 4 FOR UPDATE OF p
), booked AS (
  UPDATE purses p
     SET spent = p.spent + a.spent, reserved = p.reserved + a.reserved, in_doubt = p.in_doubt + a.in_doubt,
         estimated = p.estimated OR a.estimated
    FROM changes a JOIN held USING (scope, of, period, worker)
   WHERE (p.scope, p.of, p.period, p.worker) = (a.scope, a.of, a.period, a.worker)
     AND (NOT ${begins} OR p.granted IS NULL OR p.used + a.spent + a.reserved + a.in_doubt <= p.granted)
  RETURNING p.scope, p.of, p.period, p.worker
), lacking AS (
  SELECT scope, of, period, worker, c.reserved FROM changes c LEFT JOIN booked b USING (scope, of, period, worker)
   WHERE b IS NULL AND (${begins} OR refuse('an attempt ends in the purse that admitted it'))
)`;

const MOVE = `
WITH ${movesOf(
  `SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::boolean[], $6::bigint[], $7::bigint[], $8::bigint[], $9::boolean[])
     AS a (batch, account, worker, at, is_retry, spent, reserved, in_doubt, estimated)`,
  '$10::boolean',
)}
SELECT * FROM lacking`;

async function move(sql: Sql, moved: readonly Moved[], begins: boolean): Promise<void> {
  if (moved.length === 0) return;
  const lacking = await sql.rows<Lack>(MOVE, [
    ...(['batch', 'account', 'worker'] as const).map((name) => moved.map(({ payer }) => payer[name])),
    ...[moved.map(({ payer }) => wholeMs(payer.atMs)), moved.map(({ payer }) => payer.isRetry)],
    ...(['spent', 'reserved', 'held'] as const).map((name) => moved.map((each) => each[name] ?? 0)),
    ...[moved.map(({ estimated = false }) => estimated), begins],
  ]);
  if (lacking.length > 0) throw new Lacking(lacking);
}

/** Books what happened to attempts, which no cap refuses, in the purses that admitted them. */
export const bookMoved = (sql: Sql, moved: readonly Moved[]): Promise<void> => move(sql, moved, false);

/** Reserves from the purses of the attempt's worker. @throws Lacking when they do not hold it. */
export const reserve = (sql: Sql, moved: Moved): Promise<void> => move(sql, [moved], true);

/** A purse, and what it was asked to hold besides. */
export interface Lack {
  readonly scope: BudgetScope;
  readonly of: string;
  readonly period: string;
  readonly worker: number;
  readonly reserved: number;
}

/** What a purse lacks for an admission; nothing of its transaction may be committed. */
export class Lacking extends Error {
  readonly purses: readonly Lack[];

  constructor(purses: readonly Lack[]) {
    super(`a purse lacks ${JSON.stringify(purses)}`);
    this.purses = purses;
  }
}

/** A budget that does not hold an admission; nothing of its transaction may be committed. */
export class OverCap extends Error {
  readonly scope: BudgetScope;
  readonly money: Money;

  constructor(scope: BudgetScope, money: Money) {
    super(`the budget ${scope} is reached`);
    this.scope = scope;
    this.money = money;
  }
}

/**
 * Admits one attempt that is alone in its transaction: what its purses lack is granted in it, so that no other worker takes that first.
 * @param admit throws `Lacking`.
 * @throws OverCap when a budget does not hold it.
 */
export async function admitFunded<T>(sql: Sql, admit: () => Promise<T>): Promise<T> {
  await sql.script('SAVEPOINT purses');
  try {
    return await admit();
  } catch (error) {
    if (!(error instanceof Lacking)) throw error;
    // Whoever fills purses has none yet, and takes them in the order of all.
    await sql.script('ROLLBACK TO SAVEPOINT purses');
    await fund(sql, error);
  }
  try {
    return await admit();
  } catch (error) {
    throw (error instanceof Lacking ? await overCap(sql, error) : undefined) ?? error;
  }
}

export async function fund(sql: Sql, { purses }: Lacking): Promise<void> {
  for (const { scope, of, period, worker, reserved } of purses.toSorted((a, b) =>
    a.scope < b.scope ? -1 : 1,
  ))
    await sql.rows('SELECT fund($1, $2, $3, $4, $5)', [scope, of, period, worker, reserved]);
}

/** The first budget that does not hold it, whoever has used it. */
async function overCap(sql: Sql, { purses }: Lacking): Promise<OverCap | undefined> {
  for (const { scope, of, period, reserved } of purses) {
    const money = await moneyOf(sql, { scope, of, periods: [period] });
    if (heldCredits(money) + reserved > (money.cap ?? Infinity)) return new OverCap(scope, money);
  }
  return undefined;
}

interface Asked {
  readonly scope: BudgetScope;
  readonly of: string;
  /** Left out: all of them. */
  readonly periods?: readonly string[];
}

const HELD = `
SELECT coalesce(sum(spent), 0) AS spent, coalesce(sum(reserved), 0) AS reserved, coalesce(sum(in_doubt), 0) AS held,
       CASE $1 WHEN 'batch' THEN (SELECT budget FROM batches WHERE id = $2) WHEN 'extra' THEN (SELECT extra_credits FROM batches WHERE id = $2)
         WHEN 'day' THEN (SELECT per_day FROM accounts WHERE identity = $2) ELSE (SELECT per_month FROM accounts WHERE identity = $2) END AS cap
  FROM purses WHERE scope = $1 AND of = $2 AND (period = ANY($3) OR $3 IS NULL)`;

interface Held {
  readonly spent: number;
  readonly reserved: number;
  readonly held: number;
  readonly cap: number | null;
}

async function moneyOf(sql: Sql, { scope, of, periods }: Asked): Promise<Money> {
  const found = await sql.row<Held>(HELD, [scope, of, periods ?? null]);
  const { spent = 0, reserved = 0, held = 0, cap = null } = found ?? {};
  // A month without a period is all that an account ever spent, which has no cap.
  const capped = cap === null || (periods === undefined && scope === 'month') ? {} : { cap: credits(cap) };
  return { ...capped, spent: credits(spent), reserved: credits(reserved), inDoubt: credits(held) };
}

export const batchMoney = (sql: Sql, batch: BatchId, scope: 'batch' | 'extra' = 'batch'): Promise<Money> =>
  moneyOf(sql, { scope, of: batch });

/** The value of `credits_most` for a call that names none. */
export const NO_MOST = -1;

export const money = ({ database }: Session) =>
  ({
    batchMoney: (batch, scope) => batchMoney(database, batch, scope),
    accountMoney(account, scope, atMs) {
      if (scope === 'ever') return moneyOf(database, { scope: 'month', of: account });
      return moneyOf(database, { scope, of: account, periods: [periodOf(scope, atMs)] });
    },
    async isSpentAtMost(of) {
      const [scope, name] = 'batch' in of ? ['batch', of.batch] : ['month', of.account];
      const text = 'SELECT 1 FROM purses WHERE scope = $1 AND of = $2 AND estimated LIMIT 1';
      return (await database.row(text, [scope, name])) !== undefined;
    },

    async price(account, { operation, creditsMost = NO_MOST }: Pick<Call, 'operation' | 'creditsMost'>) {
      const text = 'SELECT highest FROM prices WHERE account = $1 AND operation = $2 AND credits_most = $3';
      const highest = await oneCell<number>(database, text, [account, operation, creditsMost]);
      return highest === undefined ? undefined : credits(highest);
    },

    async matchRate(account, operation) {
      const text =
        'SELECT sum(found) AS found, sum(answers) AS answers FROM tallies WHERE account = $1 AND operation = $2';
      const found = await database.row<{ found: number; answers: number | null }>(text, [account, operation]);
      return found?.answers ? found.found / found.answers : undefined;
    },

    async setAccountCaps(account, { perDay, perMonth }: AccountCaps) {
      await database.write((sql) => sql.rows(SET_CAPS, [account, perDay ?? null, perMonth ?? null]));
    },
  }) satisfies Partial<Ledger>;

const SET_CAPS = `
INSERT INTO accounts AS a (identity, per_day, per_month) VALUES ($1, $2, $3)
ON CONFLICT (identity) DO UPDATE SET per_day = $2, per_month = $3 WHERE (a.per_day, a.per_month) IS DISTINCT FROM ($2, $3)`;
