import type { BatchStatusObject, ListView, WorkList } from '../../../api.ts';
import { fileName } from '../../parts/figures.ts';
import { ask, look } from '../../session.ts';
import { type Known, newestWork } from './scene.ts';

/** What is known of a batch of no list of hers, or of an earlier version of one. */
export async function knownOfBatch(id: string, signal: AbortSignal): Promise<Known> {
  const [batch, { work }] = await Promise.all([
    look<BatchStatusObject>('status', { batch: id }, signal),
    ask<WorkList>('/tasks', { signal, isLook: true }),
  ]);
  const name = fileName(batch.input);
  const known = { name, list: undefined, batch, earlier: [], work: newestWork(work, [id]) };
  const [, list] = /[\\/]lists[\\/]([0-9a-f]{16})[\\/]list\./.exec(batch.input) ?? [];
  if (list === undefined) return known;
  // A list that was deleted has no version of now.
  const now = await ask<ListView>(`/lists/${list}`, { signal, isLook: true }).catch(() => undefined);
  return now === undefined ? known : { ...known, name: now.name, now };
}
