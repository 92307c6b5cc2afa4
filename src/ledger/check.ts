import { isoTime } from '../core/clock.ts';
import type { Db } from './db.ts';
import { check } from './ends.ts';
import type { StoreCheck, WrongBudget } from './store.ts';

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
