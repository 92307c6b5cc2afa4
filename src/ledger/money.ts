import { present } from '../core/objects.ts';
import { each, type Sql } from './db.ts';
import { credits, type Money } from './records.ts';
import { isDoubted } from './schema.ts';

/** Budgets by their scopes: `batch:1f0c93ab`, `extra:1f0c93ab`, `day:1:20783`, `month:1:202611` (account, day or month). */

interface Kept {
  readonly cap: number | null;
  readonly spent: number;
  readonly held: number;
}

/** What a scope holds, of which the calls in doubt are added up. */
export async function moneyOf(sql: Sql, scope: string): Promise<Money> {
  const [kept = { cap: null, spent: 0, held: 0 }] = await sql.rows<Kept>(
    'SELECT cap, spent, held FROM budgets WHERE scope = ?',
    [scope],
  );
  const inDoubt = kept.held === 0 ? 0 : await inDoubtOf(sql, scope);
  return {
    ...present({ cap: kept.cap === null ? undefined : credits(kept.cap) }),
    spent: credits(kept.spent),
    reserved: credits(kept.held - inDoubt),
    inDoubt: credits(inDoubt),
  };
}

async function inDoubtOf(sql: Sql, scope: string): Promise<number> {
  const [kind, of = '', period = ''] = scope.split(':');
  const held = `SELECT coalesce(sum(reserved), 0) AS held FROM calls WHERE ${isDoubted('calls')}`;
  const [found] =
    kind === 'batch' || kind === 'extra'
      ? await sql.rows<{ held: number }>(
          `${held} AND account = (SELECT account FROM batches WHERE id = ?) AND batch = ? ${kind === 'extra' ? "AND kind = 'retry'" : ''}`,
          [of, of],
        )
      : await sql.rows<{ held: number }>(`${held} AND account = ? AND ${kind} = ?`, [
          Number(of),
          Number(period),
        ]);
  return found?.held ?? 0;
}

const CAP = each({ scope: 'text', cap: 'int' })(`
UPDATE budgets SET cap = v.cap, overrun = CASE WHEN budgets.spent + budgets.held > v.cap THEN budgets.spent + budgets.held - v.cap ELSE 0 END
FROM v WHERE budgets.scope LIKE v.scope`);

/** Sets caps of scopes that are there, `%` for any; null: none. One that is lowered refuses what is new, and what is there stays. */
export const setCaps = (
  sql: Sql,
  caps: readonly { readonly scope: string; readonly cap: number | null }[],
): Promise<readonly never[]> => sql.each(CAP, caps);
