import { capital } from '../../../../core/plain-text.ts';
import { enoughWords, shortBudgetWords } from '../../../../files/output/short-budgets.ts';
import type { PlanObject } from '../../../api.ts';
import { type Within, withinOf } from './offers.ts';

interface EnoughProps {
  readonly plan: PlanObject;
  readonly within: Within;
}

/** For how many rows her limit is enough, or what an account has left, where that is less. */
export function Enough({ plan, within: { credits, rows = 0 } }: EnoughProps) {
  const short = plan.short_budgets?.find(
    (each) => withinOf({ ...plan, short_budgets: [each] }, undefined, 0).credits === credits,
  );
  return (
    <p class="soft" role="status">
      {short === undefined ? capital(enoughWords(rows, plan)) : shortBudgetWords(short, plan)}
    </p>
  );
}
