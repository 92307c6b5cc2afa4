import { toldIn } from '../../ledger/time.ts';
import { lookIntoIfThere } from '../../run/open-ledger.ts';
import { batchLines } from '../../run/tasks/batch-status.ts';
import { sweepLists, type Use } from './list-files.ts';
import type { Server } from './server.ts';

export async function batchesOver({ store }: Pick<Server, 'store'>): Promise<(path: string) => Use> {
  const uses = new Map<string, Use>();
  for (const { batch } of await batchLines(store)) {
    const { inputPath, state, createdAtMs } = batch;
    const known = uses.get(inputPath) ?? NEVER_USED;
    uses.set(inputPath, {
      isOpen: known.isOpen || state === 'open',
      begunMs: Math.max(known.begunMs, createdAtMs),
    });
  }
  return (path) => uses.get(path) ?? NEVER_USED;
}

const NEVER_USED: Use = { isOpen: false, begunMs: 0 };

/** What a ledger cannot say now, it says at the next start: until then every list stays. */
export async function sweepUnused(server: Server): Promise<void> {
  const useOf = await batchesOver(server).catch(() => undefined);
  const toldMs = useOf && (await lookIntoIfThere(server.folder, async (ledger) => ledger && toldIn(ledger)));
  if (useOf !== undefined && toldMs !== undefined) await sweepLists(server, useOf, toldMs);
}
