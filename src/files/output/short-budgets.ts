import { counted, grouped } from '../../core/plain-text.ts';
import type { PlanObject, ShortBudgetObject } from '../../objects/plan-object.ts';

type OfPlan = Pick<PlanObject, 'to_buy'>;

/** `enough for about 3 of 7 rows`: rows may cost different sums. */
export const enoughWords = (rows: number, { to_buy: toBuy }: OfPlan): string =>
  `enough for ${rows === 0 ? 'none' : `about ${grouped(rows)}`} of ${counted(toBuy, 'row')}`;

/** `data has 3 of 6 credits left today (UTC), enough for about 3 of 7 rows`, on the page as elsewhere. */
export function shortBudgetWords(
  { account, period, cap, left, rows }: ShortBudgetObject,
  plan: OfPlan,
): string {
  const when = period === 'day' ? 'today' : 'this month';
  const enough = rows === undefined ? '' : `, ${enoughWords(rows, plan)}`;
  return `${account} has ${grouped(left)} of ${counted(cap, 'credit')} left ${when} (UTC)${enough}`;
}
