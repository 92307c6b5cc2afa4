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
import type { Sql } from './connection.ts';
import type { Session } from './session.ts';

/** What was spent, and what may be. */

type Part = Pick<
  Ledger,
  'batchMoney' | 'accountMoney' | 'isSpentAtMost' | 'price' | 'matchRate' | 'setAccountCaps'
>;

// ---------------------------------------------------------------------------------------------------- booking

/** Who pays for an attempt. */
export interface Payer {
  readonly batch: BatchId;
  readonly account: string;
  /** When the attempt began: its day and month pay, whenever it ends. */
  readonly atMs: number;
  readonly isRetry: boolean;
}

/** What an entry moves. */
export interface Moved {
  readonly payer: Payer;
  readonly spent?: number;
  readonly reserved?: number;
  readonly held?: number;
  readonly estimated?: boolean;
}

export interface Caps {
  readonly batch: number | null;
  readonly extra: number | null;
  readonly day: number | null;
  readonly month: number | null;
}

interface Scope {
  readonly scope: BudgetScope;
  readonly of: string;
  readonly period: string;
}

interface Total extends Scope {
  spent: number;
  reserved: number;
  held: number;
  estimated: boolean;
}

type PeriodScope = 'day' | 'month';

const periodOf = (scope: PeriodScope, atMs: number): string =>
  new Date(atMs).toISOString().slice(0, scope === 'day' ? 10 : 7);

const periodScope = (scope: PeriodScope, account: string, atMs: number): Scope => ({
  scope,
  of: account,
  period: periodOf(scope, atMs),
});

const scopesOf = ({ batch, account, atMs, isRetry }: Payer): readonly Scope[] => [
  { scope: 'batch', of: batch, period: '' },
  periodScope('day', account, atMs),
  periodScope('month', account, atMs),
  ...(isRetry ? [{ scope: 'extra' as const, of: batch, period: '' }] : []),
];

/** An order that all writers keep, so that none waits for another that waits for it. */
const order = (a: Scope, b: Scope): number => {
  const [first = '', second = ''] = [a, b].map(({ scope, of, period }) => `${scope} ${of} ${period}`);
  return first === second ? 0 : first < second ? -1 : 1;
};

const SCOPES: readonly BudgetScope[] = ['batch', 'day', 'month', 'extra'];

function summed(moved: readonly Moved[]): readonly Total[] {
  const totals = new Map<string, Total>();
  for (const { payer, spent = 0, reserved = 0, held = 0, estimated = false } of moved) {
    for (const scope of scopesOf(payer)) {
      const name = JSON.stringify(scope);
      const total = totals.get(name) ?? { ...scope, spent: 0, reserved: 0, held: 0, estimated: false };
      totals.set(name, total);
      total.spent += spent;
      total.reserved += reserved;
      total.held += held;
      total.estimated ||= estimated;
    }
  }
  return [...totals.values()].sort(order);
}

const RESERVE = `
INSERT INTO totals AS t (scope, of, period, spent, reserved, in_doubt, estimated, cap)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::boolean[], $8::bigint[])
  AS asked (scope, of, period, spent, reserved, in_doubt, estimated, cap)
 WHERE cap IS NULL OR reserved <= cap
ON CONFLICT (scope, of, period) DO UPDATE
   SET spent = t.spent + excluded.spent, reserved = t.reserved + excluded.reserved, in_doubt = t.in_doubt + excluded.in_doubt,
       estimated = t.estimated OR excluded.estimated, cap = coalesce(excluded.cap, t.cap)
 WHERE excluded.cap IS NULL OR t.spent + t.reserved + t.in_doubt + excluded.reserved <= excluded.cap
RETURNING t.scope, t.of, t.period`;

const columnsOf = (totals: readonly Total[]): readonly unknown[][] =>
  (['scope', 'of', 'period', 'spent', 'reserved', 'held', 'estimated'] as const).map((name) =>
    totals.map((total) => total[name]),
  );

const MOVE = `
WITH asked AS (
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::boolean[])
    AS a (scope, of, period, spent, reserved, in_doubt, estimated)
), locked AS (
  SELECT t.scope, t.of, t.period FROM totals t JOIN asked USING (scope, of, period) ORDER BY 1, 2, 3 FOR UPDATE OF t
)
UPDATE totals t
   SET spent = t.spent + a.spent, reserved = t.reserved + a.reserved, in_doubt = t.in_doubt + a.in_doubt,
       estimated = t.estimated OR a.estimated
  FROM asked a JOIN locked USING (scope, of, period) WHERE (t.scope, t.of, t.period) = (a.scope, a.of, a.period)`;

/** Books what happened to attempts, which no cap refuses. */
export async function bookMoved(sql: Sql, moved: readonly Moved[]): Promise<void> {
  const totals = summed(moved);
  if (totals.length > 0) await sql.rows(MOVE, columnsOf(totals));
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
 * Reserves for attempts that are admitted together, for one batch each. The purse of each worker shall take the place of this.
 * @param leastMs another time that it may be: what its day and month hold counts as well.
 * @throws OverCap when a budget does not hold all of them.
 */
export async function reserve(
  sql: Sql,
  moved: readonly Moved[],
  capsOf: (batchOrAccount: string) => Caps,
  leastMs?: number,
): Promise<void> {
  const totals = summed(moved);
  const capOf = ({ scope, of }: Scope): number | null => capsOf(of)[scope];
  const booked = await sql.rows<Scope>(RESERVE, [...columnsOf(totals), totals.map(capOf)]);
  const [over] = totals
    .filter((each) => !booked.some((other) => order(each, other) === 0))
    .toSorted((a, b) => SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope));
  if (over !== undefined)
    throw new OverCap(over.scope, await moneyOf(sql, { ...over, periods: [over.period] }, capOf(over)));
  const asked = moved[0];
  if (leastMs === undefined || asked === undefined) return;
  const { account, atMs } = asked.payer;
  for (const scope of ['day', 'month'] as const) {
    const cap = capsOf(account)[scope];
    const periods = [...new Set([periodOf(scope, atMs), periodOf(scope, leastMs)])];
    const money = await moneyOf(sql, { scope, of: account, periods }, cap);
    const reserved = credits(money.reserved - (asked.reserved ?? 0));
    if (cap !== null && heldCredits(money) > cap) throw new OverCap(scope, { ...money, reserved });
  }
}

// ---------------------------------------------------------------------------------------------------- reading

interface Asked {
  readonly scope: BudgetScope;
  readonly of: string;
  /** Left out: all of them. */
  readonly periods?: readonly string[];
}

const HELD = `
SELECT coalesce(sum(spent), 0) AS spent, coalesce(sum(reserved), 0) AS reserved, coalesce(sum(in_doubt), 0) AS held
  FROM totals WHERE scope = $1 AND of = $2 AND (period = ANY($3) OR $3 IS NULL)`;

async function moneyOf(sql: Sql, { scope, of, periods }: Asked, cap: number | null): Promise<Money> {
  const values = [scope, of, periods ?? null];
  const held = await sql.row<{ spent: number; reserved: number; held: number }>(HELD, values);
  const { spent = 0, reserved = 0, held: inDoubt = 0 } = held ?? {};
  return {
    ...(cap === null ? {} : { cap: credits(cap) }),
    ...{ spent: credits(spent), reserved: credits(reserved), inDoubt: credits(inDoubt) },
  };
}

/** The value of `credits_most` for a call that names none. */
export const NO_MOST = -1;

export const money = ({ database }: Session): Part => ({
  async batchMoney(batch, scope = 'batch') {
    const text = 'SELECT budget AS batch, extra_credits AS extra FROM batches WHERE id = $1';
    const caps = await database.row<Pick<Caps, 'batch' | 'extra'>>(text, [batch]);
    return moneyOf(database, { scope, of: batch }, caps?.[scope] ?? null);
  },

  async accountMoney(account, scope, atMs) {
    if (scope === 'ever') return moneyOf(database, { scope: 'month', of: account }, null);
    const text = 'SELECT per_day AS day, per_month AS month FROM accounts WHERE identity = $1';
    const caps = await database.row<Pick<Caps, 'day' | 'month'>>(text, [account]);
    const periods = [periodOf(scope, atMs)];
    return moneyOf(database, { scope, of: account, periods }, caps?.[scope] ?? null);
  },

  async isSpentAtMost(of) {
    const [scope, name] = 'batch' in of ? ['batch', of.batch] : ['month', of.account];
    const text = 'SELECT 1 FROM totals WHERE scope = $1 AND of = $2 AND estimated LIMIT 1';
    return (await database.row(text, [scope, name])) !== undefined;
  },

  async price(account, { operation, creditsMost = NO_MOST }: Pick<Call, 'operation' | 'creditsMost'>) {
    const text = 'SELECT highest FROM prices WHERE account = $1 AND operation = $2 AND credits_most = $3';
    const found = await database.row<{ highest: number }>(text, [account, operation, creditsMost]);
    return found && credits(found.highest);
  },

  async matchRate(account, operation) {
    const text =
      'SELECT sum(found) AS found, sum(answers) AS answers FROM tallies WHERE account = $1 AND operation = $2';
    const found = await database.row<{ found: number; answers: number | null }>(text, [account, operation]);
    return found?.answers ? found.found / found.answers : undefined;
  },

  async setAccountCaps(account, { perDay, perMonth }: AccountCaps) {
    await database.rows(
      `INSERT INTO accounts (identity, per_day, per_month) VALUES ($1, $2, $3)
       ON CONFLICT (identity) DO UPDATE SET per_day = $2, per_month = $3`,
      [account, perDay ?? null, perMonth ?? null],
    );
  },
});
