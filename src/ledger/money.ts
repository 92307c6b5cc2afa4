import { filled } from './context.ts';
import { each, type Sql } from './db.ts';
import { credits, type Money } from './records.ts';
import { isDoubted } from './schema.ts';

/**
 * The scopes of budgets: `batch:1f0c93ab`, `share:1f0c93ab:1` (of that, what an account asks),
 * `extra:1f0c93ab` (of that, what is sent again), `day:1:20783` and `month:1:202611` (account, day or month).
 * In SQL, of a table that has these columns.
 */
export const scopeOf = {
  batch: (table: string): string => `'batch:' || ${table}.batch`,
  day: (table: string): string => `'day:' || ${table}.account || ':' || ${table}.day`,
  month: (table: string): string => `'month:' || ${table}.account || ':' || ${table}.month`,
  extra: (table: string): string => `'extra:' || ${table}.batch`,
  share: (table: string): string => `'share:' || ${table}.batch || ':' || ${table}.account`,
} as const;

/** The same as names. @param account its number. @param day, month `%`: any. */
export const scopeName = {
  batch: (batch: string): string => `batch:${batch}`,
  day: (account: number, day: number | '%'): string => `day:${account}:${day}`,
  month: (account: number, month: number | '%'): string => `month:${account}:${month}`,
  extra: (batch: string): string => `extra:${batch}`,
  share: (batch: string, account: number): string => `share:${batch}:${account}`,
} as const;

/** A table of five rows, each for one scope of an attempt. */
export const SCOPES =
  '(SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5) k';
/** The scope of that row; null: what is sent for the first time needs no extra credits. */
export const scopesOf = (table: string): string => `CASE k.n WHEN 1 THEN ${scopeOf.batch(table)}
  WHEN 2 THEN ${scopeOf.day(table)} WHEN 3 THEN ${scopeOf.month(table)} WHEN 5 THEN ${scopeOf.share(table)}
  WHEN 4 THEN CASE ${table}.kind WHEN 'retry' THEN ${scopeOf.extra(table)} END END`;

/** Whether the budget `b` has no room for an intent `v`. @param before what is to be held besides. */
export const isFull = (before = '0'): string =>
  `(b.closed = 1 OR b.spent + b.held + ${before} + v.reserve > b.cap)`; // rule 11a

/** Whether an intent `v` fits into a budget, with what those before it in its group reserve of the budget. */
export const hasRoom = (scope: keyof typeof scopeOf): string =>
  `NOT EXISTS (SELECT 1 FROM budgets b WHERE b.scope = ${scopeOf[scope]('v')} AND ${isFull(`v.before_${scope}`)})`;

/** The attempts of a batch, as an index finds them. Both `?` are the batch. */
export const OF_BATCH = 'account IN (SELECT m.account FROM batch_accounts m WHERE m.batch = ?) AND batch = ?';

/** The attempts `own` of a scope's batch or account, and which of them its money is of. */
function attemptsIn(scope: string) {
  const [kind, of = '', last] = scope.split(':');
  switch (kind) {
    case 'share':
      return { own: 'account = ? AND batch = ?', params: [Number(last), of], within: '' };
    case 'day':
    case 'month':
      return { own: 'account = ?', params: [Number(of)], within: `AND ${kind} = ${last}` };
    default:
      return { own: OF_BATCH, params: [of, of], within: kind === 'extra' ? "AND kind = 'retry'" : '' };
  }
}

/** The money of a scope. What calls in doubt may cost is added up from the attempts. */
export async function moneyOf(sql: Sql, scope: string): Promise<Money> {
  const { own, params, within } = attemptsIn(scope);
  type Kept = Readonly<Record<'spent' | 'held' | 'doubted' | 'at_most', number>> & {
    readonly cap: number | null;
  };
  const [kept = { cap: null, spent: 0, held: 0, doubted: 0, at_most: 0 }] = await sql.rows<Kept>(
    // Whether prices are stated is a fact of the account, whatever the period is.
    `SELECT cap, spent, held,
      CASE held WHEN 0 THEN 0 ELSE (SELECT coalesce(sum(reserved), 0) FROM attempts
        WHERE ${isDoubted('attempts')} AND ${own} ${within}) END AS doubted,
      CASE WHEN spent > 0 AND (
        EXISTS (SELECT 1 FROM attempts
          WHERE is_at_most = 1 AND charged > 0 AND payer IS NULL AND ${own})
        -- A repeat is booked where the attempt that pays for it is, and there are few.
        OR EXISTS (SELECT 1 FROM attempts r
          WHERE r.is_at_most = 1 AND r.charged > 0 AND r.payer IS NOT NULL
            AND EXISTS (SELECT 1 FROM attempts WHERE attempts.id = r.payer AND ${own}))
      ) THEN 1 ELSE 0 END AS at_most
    FROM budgets WHERE scope = ?`,
    [...params, ...params, ...params, scope],
  );
  return {
    ...filled({ cap: kept.cap === null ? null : credits(kept.cap) }),
    spent: credits(kept.spent),
    ...(kept.at_most === 1 ? { isAtMost: true } : {}),
    reserved: credits(kept.held - kept.doubted),
    inDoubt: credits(kept.doubted),
  };
}

const CAP = each({ scope: 'text', cap: 'int' })(`
UPDATE budgets SET cap = v.cap, overrun =
  CASE WHEN budgets.spent + budgets.held > v.cap THEN budgets.spent + budgets.held - v.cap ELSE 0 END
FROM v WHERE budgets.scope LIKE v.scope`);

/**
 * Sets the caps of existing scopes; `%` stands for any text, and null for no cap. A lower cap refuses new
 * intents, and leaves what is booked.
 */
export const setCaps = (
  sql: Sql,
  caps: readonly { readonly scope: string; readonly cap: number | null }[],
): Promise<readonly never[]> => sql.each(CAP, caps);
