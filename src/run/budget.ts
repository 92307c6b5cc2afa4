import { invariant, StopError, stop } from '../core/errors.ts';
import { counted } from '../core/plain-text.ts';
import {
  type Batch,
  type BatchId,
  type BudgetScope,
  type Doubt,
  heldCredits,
  type Ledger,
  type LedgerReader,
  type Money,
} from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';

/**
 * This file says what a refusal by a budget means. The ledger makes the check itself, in the transaction of the intent, and
 * a constraint of the database repeats it.
 */

/** Keeps the budget with which a batch goes on whose own is reached, for whoever looks at it later. Its next run forgets it. */
export async function noteReached(ledger: Ledger, id: BatchId, budgetToFinish: number): Promise<void> {
  const batch = await ledger.batch(id);
  invariant(batch !== undefined, 'a batch that has run is in the ledger');
  await ledger.changeBatch(id, { settings: { ...batch.settings, budget_to_finish: budgetToFinish } });
}

/** What ends a run whose rows are left for that alone: calls in doubt are to be sent again, and the extra credits do not cover them. */
export async function overExtra(
  ledger: LedgerReader,
  { id }: Batch,
  left: readonly Doubt[],
): Promise<StopError> {
  const { cap = 0, ...money } = await ledger.batchMoney(id, 'extra');
  const used = heldCredits(money);
  const most = left.reduce((sum, { atRisk }) => sum + atRisk, 0);
  // The command decides about no other doubt of the batch: each that is sent again may be paid for twice.
  const isAll = (await ledger.doubts(id)).length === left.length;
  const about = isAll ? [id] : [id, String(left[0]?.row)];
  const room = Math.max(0, cap - used);
  return stop(
    'extra_credits',
    `${counted(left.length, 'call')} in doubt will be sent again, for at most ${counted(most, 'credit')}, and ${room} of ${counted(cap, 'extra credit')} ${cap === 1 ? 'is' : 'are'} left.`,
    `Let the next run send all of them again: ${commandLine(['settle', ...about, '--retry', '--extra-credits', String(used + most)])}`,
  );
}

type OwnScope = Exclude<BudgetScope, 'extra'>;

export function overBudget(scope: OwnScope, money: Money, reserve: number): StopError {
  return new StopError({
    code: scope === 'batch' ? 'budget' : 'account_budget',
    message: reachedWords(OF_SCOPE[scope], money),
    next: nextStep(scope, money, reserve),
    ...(scope === 'batch' ? { leastBudget: heldCredits(money) + reserve } : {}),
  });
}

function reachedWords(whose: string, { spent, cap, inDoubt }: Money): string {
  const doubt = inDoubt > 0 ? ` and ${inDoubt} in doubt` : '';
  return `The budget ${whose} is reached: ${spent} of ${cap ?? 0} credits spent${doubt}.`;
}

const budgetWords = (least: number): string =>
  `Run the same command again with a --budget of at least ${least}.`;

const OF_SCOPE: Readonly<Record<OwnScope, string>> = {
  batch: 'of this batch',
  day: "of the account's day (UTC)",
  month: "of the account's month (UTC)",
};

function nextStep(scope: OwnScope, money: Money, reserve: number): string {
  if (scope === 'batch') return budgetWords(heldCredits(money) + reserve);
  // No other day or month has room for a call that is dearer than all of it.
  if (reserve > (money.cap ?? 0))
    return `One call may cost ${reserve}, so no other ${scope} has room for it: raise per_${scope} in the account, then run the same command again.`;
  const when = scope === 'day' ? 'tomorrow' : 'next month';
  return `Run the same command again ${when}, or raise per_${scope} in the account.`;
}
