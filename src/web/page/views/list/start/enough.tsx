import { capital } from '../../../../../core/plain-text.ts';
import { enoughWords, shortBudgetWords } from '../../../../../files/output/short-budgets.ts';
import type { PlanObject } from '../../../../api.ts';
import type { Within } from './offers.ts';

interface EnoughProps {
  readonly plan: PlanObject;
  readonly within: Within;
}

/** For how many rows her limit is enough, or what accounts have left, where that is less. */
export function Enough({ plan, within: { rows } }: EnoughProps) {
  const { short_budgets: short = [] } = plan;
  const isHers = rows !== undefined && !short.some((each) => each.rows === rows);
  const lines = isHers
    ? [capital(enoughWords(rows, plan))]
    : short.map((each) => shortBudgetWords(each, plan));
  return lines.map((says) => (
    <p key={says} class="soft" role="status">
      {says}
    </p>
  ));
}
