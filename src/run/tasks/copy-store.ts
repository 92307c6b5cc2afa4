import { randomBytes } from 'node:crypto';
import { type Clock, isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { copiedTo, leaveTo } from '../../ledger/copy.ts';
import type { Alone, CopyTarget, StoreOptions } from '../../ledger/store.ts';
import { storeAt } from '../../ledger/stores.ts';
import { commandLine } from '../../lib/command-line.ts';
import { crashPoint } from '../../lib/faults.ts';

/**
 * Copies a ledger to another store. At no moment can both be spent from: the copy is whole, on the disk and closed to everybody before
 * the ledger that it was made of spends no more, and is opened after that. The same command goes on wherever it was cut off.
 */

/**
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
      `Name two: ${commandLine(['store', 'copy', 'FROM', 'TO'])}`,
    );
  const opening = { ...options, command: `store copy ${from} ${to}` };
  return (await storeAt(from)).alone(from, opening, async (source) => {
    const target = await (await storeAt(to)).copyTo(to, opening);
    await copied(source, from, target, options.clock).finally(target.close);
    const batches = await source.ledger.batches();
    const money = await Promise.all(batches.map(({ id }) => source.ledger.batchMoney(id)));
    const sumOf = (of: 'spent' | 'inDoubt'): number => money.reduce((sum, each) => sum + each[of], 0);
    return { batches: batches.length, spent: sumOf('spent'), inDoubt: sumOf('inDoubt') };
  });
}

async function copied(source: Alone, from: string, target: CopyTarget, clock: Clock): Promise<void> {
  const before = await copiedTo(source.db);
  const copy = before ?? {
    identity: randomBytes(16).toString('hex'),
    place: target.place,
    atMs: clock.wallMs(),
  };
  if (before !== undefined && target.present === copy.identity) return;
  if (copy.place !== target.place)
    throw stop(
      'store',
      `The ledger in ${from} was copied to ${copy.place} on ${isoTime(copy.atMs)}, and ${target.place} is not that copy.`,
      `Name the copy: --store ${copy.place}`,
    );
  if (target.present !== undefined)
    throw stop(
      'store',
      `${target.place} has a ledger already, and two ledgers cannot become one.`,
      'Name a place that has none.',
    );
  await target.take(source.db, copy.identity);
  crashPoint('copy-taken');
  if (before === undefined) await leaveTo(source, copy);
  crashPoint('copy-left');
  await target.arrive(copy.identity);
}
