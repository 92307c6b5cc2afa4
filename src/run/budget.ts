import { StopError, unreachable } from '../core/errors.ts';
import type { BudgetScope, Money } from '../ledger/ledger.ts';

/**
 * This file says what a refusal by a budget means. The ledger makes the check itself, in the transaction of the intent, and
 * a constraint of the database repeats it.
 */

/** Whether credits are still reserved. They may be released, so a budget is reached only when none are reserved. */
export function mayStillBeReleased(money: Money): boolean {
  return money.reserved > 0;
}

export function budgetReached(scope: BudgetScope, money: Money): StopError {
  const doubt = money.inDoubt > 0 ? ` and ${money.inDoubt} in doubt` : '';
  return new StopError({
    code: scope === 'batch' ? 'budget' : 'account_budget',
    message: `The budget ${scopeWords(scope)} is reached: ${money.spent} of ${money.cap ?? 0} credits spent${doubt}.`,
    next: nextStep(scope, money),
  });
}

function scopeWords(scope: BudgetScope): string {
  switch (scope) {
    case 'batch':
      return 'of this batch';
    case 'day':
      return "of the account's day (UTC)";
    case 'month':
      return "of the account's month (UTC)";
    case 'extra':
      return 'for sending calls in doubt again';
    default:
      return unreachable(scope);
  }
}

function nextStep(scope: BudgetScope, money: Money): string {
  switch (scope) {
    case 'batch':
      return `Run the same command again with a --budget above ${money.cap ?? 0}.`;
    case 'day':
      return 'Run the same command again tomorrow, or raise per_day in the account.';
    case 'month':
      return 'Run the same command again next month, or raise per_month in the account.';
    case 'extra':
      return 'Settle with a higher --extra-credits, or raise extra_credits in the job.';
    default:
      return unreachable(scope);
  }
}
