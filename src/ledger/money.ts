import { withoutNulls } from './context.ts';
import { each, type Sql } from './db.ts';
import { type BudgetScope, credits, type Money } from './records.ts';
import { isDoubted } from './schema.ts';

/** The name of a budget. */
export interface BudgetName {
  readonly kind: BudgetScope;
  /** '' of an account's day or month. */
  readonly batch: string;
  /** 0 where all accounts of the batch share it. */
  readonly account: number;
  /** A day since 1970 or a month such as 202611; 0 of a batch. */
  readonly period: number;
}

export const budgetName = (kind: BudgetScope, of: Partial<Omit<BudgetName, 'kind'>>): BudgetName => ({
  kind,
  batch: '',
  account: 0,
  period: 0,
  ...of,
});

/** `batch:1f0c93ab`, `share:1f0c93ab:1`, `day:1:20783`, as a person sees it. */
export const budgetText = ({ kind, batch, account, period }: BudgetName): string =>
  [kind, batch, account, period].filter((part) => part !== '' && part !== 0).join(':');

/** The budgets of an attempt of a table, in SQL: the batch, account and period in the name of each. */
const namesIn = (table: string): Readonly<Record<BudgetScope, readonly [string, string, string]>> => ({
  batch: [`${table}.batch`, '0', '0'],
  share: [`${table}.batch`, `${table}.account`, '0'],
  extra: [`${table}.batch`, '0', '0'],
  day: [`''`, `${table}.account`, `${table}.day`],
  month: [`''`, `${table}.account`, `${table}.month`],
});

/** Whether a row of `budgets` is that budget of an attempt. */
export function isBudget(budgets: string, kind: BudgetScope, table: string): string {
  const [batch, account, period] = namesIn(table)[kind];
  return `${budgets}.kind = '${kind}' AND ${budgets}.batch = ${batch}
    AND ${budgets}.account = ${account} AND ${budgets}.period = ${period}`;
}

/** A table of five rows, one for each budget of an attempt. */
const KINDS = `(${Object.keys(namesIn(''))
  .map((kind) => `SELECT '${kind}' AS kind`)
  .join(' UNION ALL ')}) each`;

/** The names of the budgets of each attempt. What is sent for the first time needs no extra credits. */
export function budgetsOf(table: string) {
  const names = Object.entries(namesIn(table));
  const columns = ['batch', 'account', 'period'].map(
    (column, at) =>
      `CASE each.kind ${names.map(([kind, name]) => `WHEN '${kind}' THEN ${name[at]}`).join(' ')} END AS ${column}`,
  );
  return {
    names: `each.kind, ${columns.join(', ')}`,
    beside: `CROSS JOIN ${KINDS}`,
    when: `(each.kind <> 'extra' OR ${table}.kind = 'retry')`,
  };
}

/** Whether two tables name the same budget. */
export const isSameBudget = (one: string, other: string): string =>
  ['kind', 'batch', 'account', 'period'].map((name) => `${one}.${name} = ${other}.${name}`).join(' AND ');

/** Whether the budget `bud` has no room for an intent `v`. @param before what is to be held besides. */
export const isFull = (before = '0'): string =>
  `(bud.closed = 1 OR bud.spent + bud.held + ${before} + v.reserve > bud.cap)`; // rule 11a

/** Whether an intent `v` fits into a budget, with what those before it in its group reserve of the budget. */
export const hasRoom = (kind: BudgetScope): string =>
  `NOT EXISTS (SELECT 1 FROM budgets bud WHERE ${isBudget('bud', kind, 'v')} AND ${isFull(`v.before_${kind}`)})`;

/** The attempts of a batch, as an index finds them. Both `?` are the batch. */
export const OF_BATCH =
  'account IN (SELECT share.account FROM batch_accounts share WHERE share.batch = ?) AND batch = ?';

/** The condition of the attempts of a budget's batch or account, and which of them its money is of. */
function attemptsIn({ kind, batch, account, period }: BudgetName) {
  switch (kind) {
    case 'share':
      return { ownCondition: 'account = ? AND batch = ?', params: [account, batch], within: '' };
    case 'day':
    case 'month':
      return { ownCondition: 'account = ?', params: [account], within: `AND ${kind} = ${period}` };
    default:
      return {
        ownCondition: OF_BATCH,
        params: [batch, batch],
        within: kind === 'extra' ? "AND kind = 'retry'" : '',
      };
  }
}

/** The money of a budget. What calls in doubt may cost is added up from the attempts. */
export async function moneyOf(sql: Sql, name: BudgetName): Promise<Money> {
  const { ownCondition, params, within } = attemptsIn(name);
  type Kept = Readonly<Record<'spent' | 'held' | 'doubted' | 'at_most', number>> & {
    readonly cap: number | null;
  };
  const [sums = { cap: null, spent: 0, held: 0, doubted: 0, at_most: 0 }] = await sql.rows<Kept>(
    // Whether prices are stated is a fact of the account, whatever the period is.
    `SELECT cap, spent, held,
      CASE held WHEN 0 THEN 0 ELSE (SELECT coalesce(sum(reserved), 0) FROM attempts
        WHERE ${isDoubted('attempts')} AND ${ownCondition} ${within}) END AS doubted,
      CASE WHEN spent > 0 AND (
        EXISTS (SELECT 1 FROM attempts
          WHERE is_at_most = 1 AND charged > 0 AND payer IS NULL AND ${ownCondition})
        -- A repeat is booked where the attempt that pays for it is, and there are few.
        OR EXISTS (SELECT 1 FROM attempts att
          WHERE att.is_at_most = 1 AND att.charged > 0 AND att.payer IS NOT NULL
            AND EXISTS (SELECT 1 FROM attempts WHERE attempts.id = att.payer AND ${ownCondition}))
      ) THEN 1 ELSE 0 END AS at_most
    FROM budgets WHERE kind = ? AND batch = ? AND account = ? AND period = ?`,
    [...params, ...params, ...params, name.kind, name.batch, name.account, name.period],
  );
  return {
    ...withoutNulls({ cap: sums.cap === null ? null : credits(sums.cap) }),
    spent: credits(sums.spent),
    ...(sums.at_most === 1 ? { isAtMost: true } : {}),
    reserved: credits(sums.held - sums.doubted),
    inDoubt: credits(sums.doubted),
  };
}

const CAP = each({ kind: 'text', batch: 'text', account: 'int', cap: 'int' })(`
UPDATE budgets SET cap = v.cap, overrun =
  CASE WHEN budgets.spent + budgets.held > v.cap THEN budgets.spent + budgets.held - v.cap ELSE 0 END
FROM v WHERE budgets.kind = v.kind AND budgets.batch = v.batch AND budgets.account = v.account`);

/**
 * Sets the cap of an existing budget, of an account's in all its periods; null for no cap. A lower cap
 * refuses new intents, and leaves what is booked.
 */
export const setCap = (sql: Sql, name: BudgetName, cap: number | null): Promise<readonly never[]> =>
  sql.each(CAP, [{ ...name, cap }]);
