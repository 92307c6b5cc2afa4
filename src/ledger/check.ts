import { isoTime } from '../core/clock.ts';
import type { Db } from './db.ts';
import { check } from './ends.ts';

/** What was found by checking a ledger and adding it up anew. */
export interface StoreCheck {
  /** What the database's own check says is broken. */
  readonly broken: readonly string[];
  readonly budgets: number;
  /** Those whose calls add up to something else than is booked. */
  readonly wrong: readonly WrongBudget[];
}

export interface WrongBudget {
  /** `batch`, `extra`, `day` or `month`. */
  readonly scope: string;
  /** The id of a batch, or the identity of an account. */
  readonly of: string;
  /** Such as `2026-11-22`; undefined for a batch. */
  readonly period?: string;
  readonly booked: BudgetSums;
  readonly added: BudgetSums;
}

/** In credits. `held`: what requests under way or in doubt may cost. */
export interface BudgetSums {
  readonly spent: number;
  readonly held: number;
}

/** Adds each budget up anew from the calls, as `store check` tells it. */
export async function checkBudgets(db: Pick<Db, 'rows'>): Promise<Pick<StoreCheck, 'budgets' | 'wrong'>> {
  const [count] = await db.rows<{ n: number }>('SELECT count(*) AS n FROM budgets');
  const accounts = await db.rows<{ id: number; identity: string }>('SELECT id, identity FROM accounts');
  const nameOf = new Map(accounts.map(({ id, identity }) => [String(id), identity]));
  const wrong = (await check(db)).map(({ scope: words, booked, added }): WrongBudget => {
    const [scope = '', of = '', period] = words.split(':');
    if (period === undefined) return { scope, of, booked, added };
    return { scope, of: nameOf.get(of) ?? of, period: periodWords(scope, Number(period)), booked, added };
  });
  return { budgets: count?.n ?? 0, wrong };
}

/** Such as `2026-11-22` for the day 20779, and `2026-11` for the month 202611. */
const periodWords = (scope: string, period: number): string =>
  scope === 'day'
    ? isoTime(period * 86_400_000).slice(0, 10)
    : `${Math.floor(period / 100)}-${String(period % 100).padStart(2, '0')}`;
