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
  const isUndo = batch.undoes !== null;
  const known = {
    list: undefined,
    batch,
    earlier: [],
    work: newestWork(work, [id, batch.undoes], isUndo),
    undoing: isUndo ? undefined : newestWork(work, [id, batch.undone_by?.batch], true),
  };
  if (!isUndo) return { ...known, ...(await calledOf(batch, signal)) };
  const { name } = await undoneName(batch, signal);
  return { ...known, name };
}

/** An undo has a list of ours, and the name of what it takes back. */
async function undoneName(batch: BatchStatusObject, signal: AbortSignal): Promise<Pick<Known, 'name'>> {
  if (batch.undoes === null) return calledOf(batch, signal);
  const undone = await look<BatchStatusObject>('status', { batch: batch.undoes }, signal);
  return { name: `Undo of ${(await undoneName(undone, signal)).name}` };
}

/** A list that was deleted has no version of now. */
async function calledOf(
  { input }: BatchStatusObject,
  signal: AbortSignal,
): Promise<Pick<Known, 'name' | 'now'>> {
  const [, list] = /[\\/]lists[\\/]([0-9a-f]{16})[\\/]list\./.exec(input) ?? [];
  const path = `/lists/${list}`;
  const now = list && (await ask<ListView>(path, { signal, isLook: true }).catch(() => undefined));
  return now ? { name: now.name, now } : { name: fileName(input) };
}
