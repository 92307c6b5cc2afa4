import { stop } from '../core/errors.ts';
import type { Batch, LedgerReader } from '../ledger/ledger.ts';
import type { Tell } from '../ledger/store.ts';
import { lookAtLedger, storesToLookAt } from './open-ledger.ts';

/** A batch that a user named, and the store that holds it. */
export interface FoundBatch {
  readonly batch: Batch;
  readonly location: string;
}

/** Opens every store that a command may look into, one after the other. `tell` receives what would stop a spender. */
export async function eachLedger<T>(
  storeFlag: string | undefined,
  look: (ledger: LedgerReader, location: string) => Promise<T>,
  tell?: Tell,
): Promise<readonly T[]> {
  const seen: T[] = [];
  for (const location of storesToLookAt(storeFlag)) {
    const ledger = await lookAtLedger(location, tell);
    try {
      seen.push(await look(ledger, location));
    } finally {
      await ledger.close();
    }
  }
  return seen;
}

/**
 * Finds a batch by its id or the beginning of its id, or the newest batch by `last`.
 * @throws StopError `usage` when there is no such batch, or when several ids begin like this.
 */
export async function findBatch(
  word: string,
  storeFlag: string | undefined,
  tell?: Tell,
): Promise<FoundBatch> {
  const lists = await eachLedger(
    storeFlag,
    async (ledger, location) => (await ledger.batches()).map((batch) => ({ batch, location })),
    tell,
  );
  const all = lists.flat().sort((a, b) => b.batch.createdAtMs - a.batch.createdAtMs);
  const [found, ...others] =
    word === 'last' ? all.slice(0, 1) : all.filter(({ batch }) => batch.id.startsWith(word));
  if (found !== undefined && others.length === 0) return found;
  const fact = found === undefined ? `There is no batch "${word}".` : `Several batches begin with "${word}".`;
  throw stop('usage', fact, 'Run rowonce status to see all batches.');
}
