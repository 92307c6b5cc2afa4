import { batchIdentityOf, batchKeyOf } from './batch.ts';
import { stop } from './errors.ts';
import type { MappedInput } from './input.ts';
import { type Credits, credits } from './ledger.ts';
import type { RunOrder } from './order.ts';
import { planRows } from './plan.ts';

/**
 * The cap of a run that can spend: as ordered, as the job says, the account's own, or as somebody who was shown the
 * plan agrees to. Resuming never asks, unless the limit that it began under is gone, such as an account's per day; play
 * money needs none.
 * @returns undefined to leave the batch's cap as it is.
 * @throws StopError `consent` when there is no limit and nobody agreed.
 */
export async function requireConsent(order: RunOrder, input: MappedInput): Promise<Credits | undefined> {
  const { ledger, account, job, askBudget } = order;
  const named = order.budget ?? job.budget;
  if (named !== undefined || account.sandbox || account.budget.perDay !== undefined) return named;
  const existing = await ledger.batchByKey(batchKeyOf(batchIdentityOf(order, input), input.survey.sha256));
  if (existing?.state === 'open' && (await ledger.batchMoney(existing.id)).cap !== undefined)
    return undefined;
  const plan = await planRows(order, input);
  // What is in doubt may be bought again within the cap that was agreed to when the batch began.
  if (plan.credits.most === 0) return existing === undefined ? credits(0) : undefined;
  const agreed = await askBudget?.(plan);
  if (agreed !== undefined) return agreed;
  throw stop(
    'consent',
    `This run could spend up to ${plan.credits.most} credits, and nothing limits it.`,
    `Say how much it may spend with --budget ${plan.credits.most}, in the job, or per day in the account.`,
  );
}
