import { type PlannedFor, readSavedPlan, type SavedPlan, savePlan } from '../../plan/saved-plan.ts';
import type { ChangePlan } from '../../plan/team/change-plan.ts';
import { noteFile } from '../looker-notes.ts';

/** Saved plans that a user names. The store notes where they are, because they have the addresses of people in them. */

interface Planned {
  readonly plannedFor: PlannedFor;
  readonly plan: ChangePlan;
  readonly say: (sentence: string) => void;
}

/** @returns the path of the written file; undefined where none is wanted. @throws StopError as `savePlan`. */
export async function savePlanFile(
  location: string,
  path: string | undefined,
  { plannedFor, plan, say }: Planned,
): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const savedAs = await savePlan(path, plannedFor, plan, say);
  await noteFile(location, savedAs);
  return savedAs;
}

/** @throws StopError as `readSavedPlan`. */
export async function readPlanFile(
  location: string,
  path: string | undefined,
): Promise<SavedPlan | undefined> {
  if (path === undefined) return undefined;
  const saved = await readSavedPlan(path);
  await noteFile(location, path);
  return saved;
}
