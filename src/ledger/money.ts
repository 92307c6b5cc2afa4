import { known } from './context.ts';
import { each, type Sql } from './db.ts';
import { credits, type Money } from './records.ts';
import { isDoubted } from './schema.ts';

/** Budgets by their scopes: `batch:1f0c93ab`, `extra:1f0c93ab`, `day:1:20783`, `month:1:202611` (account, day or month). */

/** What a scope holds, of which the calls in doubt are added up. */
export async function moneyOf(sql: Sql, scope: string): Promise<Money> {
  const [kind, of = '', period] = scope.split(':');
  const [own, params] =
    period === undefined
      ? ['account = (SELECT account FROM batches WHERE id = ?) AND batch = ?', [of, of]]
      : ['account = ?', [Number(of)]];
  const within =
    period !== undefined ? `AND ${kind} = ${period}` : kind === 'extra' ? "AND kind = 'retry'" : '';
  type Kept = Readonly<Record<'spent' | 'held' | 'doubted' | 'at_most', number>> & {
    readonly cap: number | null;
  };
  const [kept = { cap: null, spent: 0, held: 0, doubted: 0, at_most: 0 }] = await sql.rows<Kept>(
    // Whether prices are stated is the account's, whatever the period.
    `SELECT cap, spent, held,
      CASE held WHEN 0 THEN 0 ELSE (SELECT coalesce(sum(reserved), 0) FROM attempts WHERE ${isDoubted('attempts')} AND ${own} ${within}) END AS doubted,
      CASE WHEN spent > 0 AND EXISTS (SELECT 1 FROM attempts WHERE is_at_most = 1 AND charged > 0 AND ${own}) THEN 1 ELSE 0 END AS at_most
    FROM budgets WHERE scope = ?`,
    [...params, ...params, scope],
  );
  return {
    ...known({ cap: kept.cap === null ? null : credits(kept.cap) }),
    spent: credits(kept.spent),
    ...(kept.at_most === 1 ? { isAtMost: true } : {}),
    reserved: credits(kept.held - kept.doubted),
    inDoubt: credits(kept.doubted),
  };
}

const CAP = each({ scope: 'text', cap: 'int' })(`
UPDATE budgets SET cap = v.cap, overrun = CASE WHEN budgets.spent + budgets.held > v.cap THEN budgets.spent + budgets.held - v.cap ELSE 0 END
FROM v WHERE budgets.scope LIKE v.scope`);

/** Sets caps of scopes that are there, `%` for any; null: none. One that is lowered refuses what is new, and what is there stays. */
export const setCaps = (
  sql: Sql,
  caps: readonly { readonly scope: string; readonly cap: number | null }[],
): Promise<readonly never[]> => sql.each(CAP, caps);
