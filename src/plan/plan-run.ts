import type { MappedInput } from '../files/input.ts';
import type { RunContext } from './order.ts';
import { requireSavedPlan } from './saved-plan.ts';
import { checkGuards } from './team/change-guards.ts';
import { type ChangePlan, planChanges } from './team/change-plan.ts';
import { remoteMembers } from './team/remote-members.ts';

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
