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

/** What a run is going to do, and whether it may: the saved plan, the guards, and the people who are asked. */

/**
 * The plan of a run that changes the service, held against the plan that was saved and against the guards.
 * @throws StopError `plan` or `guard` before anything is sent.
 */
export async function planRun(order: RunContext, input: MappedInput): Promise<ChangePlan> {
  const plan = await planChanges(order, input, (projects) => remoteMembers(order, projects));
  if (order.savedPlan !== undefined) await requireSavedPlan(order.savedPlan, order, plan);
  checkGuards(order, plan);
  return plan;
}

/**
 * Agreement to what a run may do: to change the service, where `changes` say so, and to spend.
 * @param isKept whether a finished batch stays as it is, so that nothing of the plan is bought.
 * @returns the cap of what it may spend, as `requireBudget`.
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

/** Play money asks nobody, and so does a batch that goes on: it was agreed to as it was planned. */
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
 * The cap of a run that can spend: as ordered, as the job says, the account's own, or as somebody who was shown the
 * plan agrees to. Play money needs none. Resuming never asks, unless
 * - the limit that the batch began under is gone, such as an account's per day, or
 * - what was agreed to was a part of the rows, such as a sample, and what this run buys does not fit into that: else
 *   the rest of the rows would silently stop at the price of the sample.
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
  // What is in doubt may be bought again within the cap that was agreed to when the batch began.
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

/** What counts against the batch's cap already. */
function heldBy(money: Money | undefined): number {
  return money === undefined ? 0 : money.spent + money.reserved + money.inDoubt;
}
