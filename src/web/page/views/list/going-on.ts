import type { BatchStatusObject, WorkAnswer, WorkView } from '../../../api.ts';
import { type Action, useAction } from '../../parts/action.ts';
import { ask } from '../../session.ts';

interface How {
  /** The most that it may spend from now on, in all. */
  readonly budget?: number;
  /** The word with which a person has answered what stopped it. */
  readonly accept?: string;
}

export const goOn = (batch: string, how: How = {}): Promise<WorkAnswer> =>
  ask<WorkAnswer>('/tasks', { body: { batch, ...how } });

/**
 * What the button of a stop does: go on with the list, after what has to be done before.
 * @param work the work that was stopped. It begins once more where it had nothing yet to go on with.
 */
export function useGoingOn(
  batch: BatchStatusObject | undefined,
  work?: WorkView,
): Action & { go(how?: How, before?: () => Promise<unknown>): void } {
  const action = useAction();
  return {
    ...action,
    go: (how, before) =>
      action.run(async () => {
        await before?.();
        if (work?.batch === null) await ask(`/tasks/${work.id}/again`, { body: { accept: how?.accept } });
        else if (batch !== undefined) await goOn(batch.batch, how);
      }),
  };
}
