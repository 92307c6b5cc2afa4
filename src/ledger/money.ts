import { known } from './context.ts';
import { each, type Sql } from './db.ts';
import { credits, type Money } from './records.ts';
import { isDoubted } from './schema.ts';

/** Budgets by their scopes: `batch:1f0c93ab`, `extra:1f0c93ab`, `day:1:20783`, `month:1:202611` (account, day or month). */

/** What a scope holds, of which the calls in doubt are added up. */
export async function moneyOf(sql: Sql, scope: string): Promise<Money> {
  const [kind, of = '', period = ''] = scope.split(':');
  const isOfBatch = kind === 'batch' || kind === 'extra';
  const own = isOfBatch
    ? `account = (SELECT account FROM batches WHERE id = ?) AND batch = ? ${kind === 'extra' ? "AND kind = 'retry'" : ''}`
    : `account = ? AND ${kind} = ?`;
  type Kept = Readonly<Record<'spent' | 'held' | 'doubted', number>> & { readonly cap: number | null };
  const [kept = { cap: null, spent: 0, held: 0, doubted: 0 }] = await sql.rows<Kept>(
    `SELECT cap, spent, held, CASE held WHEN 0 THEN 0 ELSE
      (SELECT coalesce(sum(reserved), 0) FROM calls WHERE ${isDoubted('calls')} AND ${own}) END AS doubted FROM budgets WHERE scope = ?`,
    [...(isOfBatch ? [of, of] : [Number(of), Number(period)]), scope],
  );
  return {
    ...known({ cap: kept.cap === null ? null : credits(kept.cap) }),
    spent: credits(kept.spent),
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
