import { stop } from '../../core/errors.ts';
import { copyLedger } from '../../ledger/copy.ts';
import type { StoreOptions } from '../../ledger/store.ts';
import { storeAt } from '../../ledger/stores.ts';
import { commandLine } from '../../lib/command-line.ts';

/**
 * Copies a ledger to another store. The same command goes on wherever it was cut off.
 * @throws StopError `usage` when both are one place, `store` when TO has a ledger, or when FROM was
 *   copied elsewhere, and what `open` throws.
 */
export async function copyStore(
  from: string,
  to: string,
  options: Pick<StoreOptions, 'clock' | 'waitForLockMs'>,
) {
  if (from === to)
    throw stop(
      'usage',
      `${from} is named as both stores.`,
      'Name two.',
      commandLine(['store', 'copy', 'FROM', 'TO']),
    );
  const opening = { ...options, command: `store copy ${from} ${to}` };
  return (await storeAt(from)).alone(from, opening, async (source) => {
    const target = await (await storeAt(to)).copyTo(to, opening);
    await copyLedger(source, from, target, options.clock).finally(target.close);
    const batches = await source.ledger.batches();
    const money = await Promise.all(batches.map(({ id }) => source.ledger.batchMoney(id)));
    const sumOf = (of: 'spent' | 'inDoubt'): number => money.reduce((sum, each) => sum + each[of], 0);
    return { batches: batches.length, spent: sumOf('spent'), inDoubt: sumOf('inDoubt') };
  });
}
