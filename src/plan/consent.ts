import { credits as checkedCredits } from '../core/checked-options.ts';
import { stop } from '../core/errors.ts';
import type { MappedInput } from '../files/input.ts';
import { type Credits, credits, type Money } from '../ledger/ledger.ts';
import { requireAgreement } from './agreement.ts';
import { isPartial } from './batch.ts';
import { batchIdentityOf, batchKeyOf } from './batch-key.ts';
import type { RunContext } from './order.ts';
import { mostAsked, type Plan, planRows } from './plan.ts';
import { planSample } from './sample.ts';
import { requireSavedPlan } from './saved-plan.ts';
import { checkGuards } from './team/change-guards.ts';
import { beginsWork, type ChangePlan, planChanges, planOfChanges } from './team/change-plan.ts';
import { sentCounts } from './team/diff-words.ts';
import { remoteMembers } from './team/remote-members.ts';

/** This file plans what a run does and checks that it may: by the saved plan, the guards, and the person who is asked. */

/**
 * Plans a run that changes the service, and checks the plan against the saved one and against the guards.
 * @throws StopError `plan` or `guard` before anything is sent.
 */
export async function planRun(order: RunContext, input: MappedInput): Promise<ChangePlan> {
  const plan = await planChanges(order, input, (projects) => remoteMembers(order, projects));
  if (order.savedPlan !== undefined) await requireSavedPlan(order.savedPlan, order, plan);
  checkGuards(order, plan);
  return plan;
}

/**
 * Asks for agreement to what a run may do: to change the service, where `changes` say so, and to spend.
 * @param isKept whether a finished batch stays as it is, so that nothing of the plan is bought.
 * @returns the most that the run may spend, see `requireBudget`.
 * @throws StopError `consent` when nobody agreed.
 */
export async function requireConsent(
  order: RunContext,
  input: MappedInput,
  changes?: ChangePlan,
  isKept = false,
): Promise<Credits | undefined> {
  await requireAgreement(order, input, changes);
  if (changes !== undefined) await requireConsentToChange(order, changes);
  if (isKept) return order.budget ?? order.job.budget;
  return requireBudget(order, input, changes);
}

/** A sandbox account needs no agreement. A resumed batch needs none either, because its plan was agreed to when it began. */
async function requireConsentToChange(
  { account, job, askChanges }: RunContext,
  changes: ChangePlan,
): Promise<void> {
  if (account.sandbox || !beginsWork(changes, job.operation)) return;
  if ((await askChanges?.(changes)) === true) return;
  throw stop(
    'consent',
    `This run would make ${sentCounts(changes)} in the service, and nobody agreed.`,
    'Look at them with rowonce plan, then agree with --yes.',
  );
}

/**
 * Finds the cap of a run that can spend: it comes from the command, the job, the account, or a person who sees the plan
 * and agrees to a sum. A sandbox account needs none. Resuming never asks, unless
 * - the limit that the batch began under is gone, such as an account's limit per day, or
 * - a person agreed to a part of the rows only, such as a sample, and what this run buys does not fit into that sum.
 *   Without the question, the rest of the rows would silently stop at the price of the sample.
 * @returns undefined to leave the batch's cap as it is.
 * @throws StopError `consent` when there is no limit and nobody agreed.
 */
async function requireBudget(
  order: RunContext,
  input: MappedInput,
  changes: ChangePlan | undefined,
): Promise<Credits | undefined> {
  const { account, job, askBudget } = order;
  const named = order.budget ?? job.budget;
  if (named !== undefined || account.sandbox || account.budget.perDay !== undefined) return named;
  const existing = await order.ledger.batchByKey(
    batchKeyOf(batchIdentityOf(order, input), input.survey.sha256),
  );
  const begun = existing?.state === 'open' ? existing : undefined;
  const money = begun && (await order.ledger.batchMoney(begun.id));
  if (begun !== undefined && money?.cap !== undefined && !isPartial(begun)) return undefined;
  const plan = changes === undefined ? await planOf(order, input) : planOfChanges(changes, account);
  const most = mostAsked(plan);
  // Calls in doubt may be bought again within the cap that was agreed to when the batch began.
  if (most === 0) return existing === undefined ? credits(0) : undefined;
  const held = heldBy(money);
  if (money?.cap !== undefined && held + most <= money.cap) return undefined;
  const agreed = await askBudget?.(plan);
  if (agreed !== undefined) return credits(held + checkedCredits(agreed));
  throw stop(
    'consent',
    `This run could spend up to ${most} credits, and nothing limits it.`,
    `Say how much it may spend with --budget ${held + most}, in the job, or per day in the account.`,
  );
}

function planOf(order: RunContext, input: MappedInput): Promise<Plan> {
  return order.sample === undefined ? planRows(order, input) : planSample(order, input, order.sample);
}

/** The credits that count against the batch's cap already. */
function heldBy(money: Money | undefined): number {
  return money === undefined ? 0 : money.spent + money.reserved + money.inDoubt;
}
