import type { BatchStatusObject, WorkView } from '../../../api.ts';
import { ask } from '../../session.ts';

interface Stopped {
  readonly batch: BatchStatusObject | undefined;
  /** The work that was stopped. It begins once more where it had nothing yet to go on with. */
  readonly work?: WorkView | undefined;
}

/** @param how a budget for all of it, or the word with which a person has answered what stopped it. */
export async function goOn(
  { batch, work }: Stopped,
  how: { readonly budget?: number; readonly accept?: string } = {},
): Promise<void> {
  const what = work?.batch === null ? { work: work.id } : { batch: batch?.batch };
  await ask('/tasks', { body: { ...what, ...how } });
}
