import {
  type PlannedFor,
  readSavedPlan,
  requireSavedPlan,
  type SavedPlan,
  savePlan,
} from '../../plan/saved-plan.ts';
import type { ChangePlan } from '../../plan/team/change-plan.ts';
import { noteFile } from '../looker-notes.ts';

/** Saved plans that a user names. The store notes where they are, because they have the addresses of people in them. */

interface Planned {
  readonly plannedFor: PlannedFor;
  readonly plan: ChangePlan;
  readonly say: (sentence: string) => void;
}

interface Files {
  /** The folder or address of the store. */
  readonly location: string;
  /** The plan has to be the one that is saved there. */
  readonly planFile?: string | undefined;
  /** Where it is to be saved. */
  readonly savePlanAs?: string | undefined;
}

/**
 * @returns the path of the written file; undefined where none is wanted.
 * @throws StopError as `savePlan`, and `plan` with what has moved since the plan was saved.
 */
export async function heedPlanFiles(
  { location, planFile, savePlanAs }: Files,
  context: Parameters<typeof requireSavedPlan>[1],
  { plannedFor, plan, say }: Planned,
): Promise<string | undefined> {
  const saved = await readPlanFile(location, planFile);
  if (saved !== undefined) await requireSavedPlan(saved, context, plan);
  if (savePlanAs === undefined) return undefined;
  const savedAs = await savePlan(savePlanAs, plannedFor, plan, say);
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
