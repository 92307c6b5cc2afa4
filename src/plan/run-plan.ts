import { lastOfFirst } from '../core/row-range.ts';
import type { MappedInput } from '../files/input.ts';
import type { RunContext } from './context.ts';
import { mostAdded, type Plan } from './plan.ts';
import { planPart } from './sample.ts';
import { type ChangePlan, planChanges, planOfChanges } from './team/change-plan.ts';

/** This file plans what one run may cost: it is for all rows, or for those of a sample or the first ones alone. */

/** @param changes undefined for a job that only reads. */
export async function planOfRun(
  context: RunContext,
  input: MappedInput,
  key: string,
  changes: ChangePlan | undefined,
): Promise<Plan> {
  if (changes === undefined) return planPart(context, input, key);
  const { account, limit } = context;
  return planOfChanges(changes, account, limit && lastOfFirst(input.sheet.headerRow, limit));
}

/** The most that an open batch may add to its cost by a run like the one that has stopped. */
export async function mostLeft(context: RunContext, input: MappedInput, key: string): Promise<number> {
  const isChange = context.job.operation.change !== undefined;
  const changes = isChange ? await planChanges(context, input) : undefined;
  return mostAdded(await planOfRun(context, input, key, changes));
}
