import type { WorkAnswer } from '../../api.ts';
import { ask, Refused } from '../session.ts';

const ASK_AGAIN_MS = 400;

/** Waits for what was started. @returns what its command has to say. @throws Refused in its words. */
export async function untilEnded<T>(id: string): Promise<T> {
  for (;;) {
    const { work, result } = await ask<WorkAnswer>(`/tasks/${id}`);
    if (work.stopped !== null) throw new Refused(work.stopped);
    if (work.state === 'ended' && result !== undefined) return result as T;
    if (work.state === 'ended') throw new Refused({ code: 'bug', message: work.said ?? '', next: '' });
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}
