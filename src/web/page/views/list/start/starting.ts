import type { PlanObject, WorkAnswer } from '../../../../api.ts';
import { heldIn } from '../../../parts/figures.ts';
import { ask } from '../../../session.ts';
import { focusTable } from '../mends/mends.tsx';
import { acceptedIn, EVERYTHING, isTeam, type Scene } from '../scene.ts';

/** What a start that goes on has spent already, or holds: its limit is that of both. */
export const heldBy = (batch: Scene['batch'], { unfinished }: PlanObject): number =>
  batch !== undefined && unfinished === batch.batch ? heldIn(batch.credits) : 0;

/** @param how the most that it may cost, and how many rows are tried alone. */
export async function start(scene: Scene, { id: plan, guards = [] }: PlanObject, how: object): Promise<void> {
  const { list, job, only } = scene;
  // The button waits until she has allowed what each guard holds back; the plan's id says whom.
  const accept = [...acceptedIn(scene.agreed.value), ...(guards.length > 0 ? ['guards'] : [])];
  const { yes: looksAgain } = scene.agreed.value;
  // The button says how many people are changed: whoever presses it agrees to that plan, and to no other.
  const yes = isTeam(scene) || looksAgain;
  scene.choose(job);
  await ask<WorkAnswer>('/run', { body: { file: list?.id, job, plan, accept, yes, only, ...how } });
  scene.selected.value = new Set();
  // What she agreed to is begun: the next start asks again.
  scene.agreed.value = {};
  // The button goes away, and the keys go on in the table.
  focusTable();
  // What was filtered by the plan is over now; what she has filtered by herself stays.
  const { search, sort, only_if, unless, differs } = scene.filter.value;
  scene.filter.value = { ...EVERYTHING, search, sort, only_if, unless, differs };
}
