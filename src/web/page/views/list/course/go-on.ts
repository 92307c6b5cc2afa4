import type { BatchStatusObject } from '../../../../api.ts';
import type { Look } from '../../../parts/controls.tsx';
import { counted } from '../../../parts/figures.ts';
import { ask } from '../../../session.ts';
import type { Scene } from '../scene.ts';

/** What has stopped goes on by one button, which says how much is left. */

interface GoesOn extends Partial<Pick<Scene, 'work'>> {
  readonly batch?: Pick<BatchStatusObject, 'batch'> | undefined;
}

/** @param how a budget for all of it, or a person's answer to what stopped the work. */
export async function goOn({ batch, work }: GoesOn, how?: object): Promise<void> {
  // Work begins once more where it had nothing yet to go on with.
  const goesOn = work?.batch === null ? undefined : batch?.batch;
  await ask('/tasks', { body: { work: work?.id, batch: goesOn, ...how } });
}

/** The green button is that of the panel, where something else is chosen meanwhile. */
export const isBeside = (scene: Scene): boolean => scene.list !== undefined && scene.isPlanning.value;
export const goOnLook = (scene: Scene): Look => (isBeside(scene) ? undefined : 'go');

/** Blank where all rows have ended, and only their files are to be written. */
export const leftOver = (rows = 0): string => (rows === 0 ? '' : `${rowsLeftWords(rows)}.`);

export const rowsLeftWords = (rows: number): string => counted(rows, 'row is left', 'rows are left');
