import type { BatchStatusObject, WorkView } from '../../../api.ts';
import { ask } from '../../session.ts';

interface How {
  /** The most that it may spend from now on, in all. */
  readonly budget?: number;
  /** The word with which a person has answered what stopped it. */
  readonly accept?: string;
}

interface Stopped {
  readonly batch: BatchStatusObject | undefined;
  /** The work that was stopped. It begins once more where it had nothing yet to go on with. */
  readonly work?: WorkView | undefined;
}

export async function goOn({ batch, work }: Stopped, how: How = {}): Promise<void> {
  if (work?.batch === null) await ask(`/tasks/${work.id}/again`, { body: { accept: how.accept } });
  else if (batch !== undefined) await ask('/tasks', { body: { batch: batch.batch, ...how } });
}
