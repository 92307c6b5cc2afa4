import { type Clock, isoTime } from '../../core/clock.ts';
import { type StopError, stop } from '../../core/errors.ts';
import { counted } from '../../core/plain-text.ts';
import type { Copied, CopySource, CopyTarget } from '../../ledger/copy.ts';
import type { LedgerReader } from '../../ledger/ledger.ts';
import { storeAt } from '../../ledger/stores.ts';
import { commandLine } from '../../lib/command-line.ts';
import { crashPoint } from '../../lib/faults.ts';

/**
 * Copies a ledger to another store. At no moment can both be spent from: the copy is whole, on the disk and closed to everybody before
 * the ledger that it was made of spends no more, and is opened after that. The same command goes on wherever it was cut off.
 */

export interface CopyOptions {
  readonly clock: Clock;
  readonly waitForLockMs: number;
}

export interface CopiedStore {
  readonly from: string;
  readonly to: string;
  readonly batches: number;
  readonly spent: number;
  readonly inDoubt: number;
}

/**
 * @throws StopError `usage` when both are one place, `store` when something is under way, when TO has a ledger, or when FROM was
 *   copied elsewhere, and what `open` throws.
 */
export async function copyStore(from: string, to: string, options: CopyOptions): Promise<CopiedStore> {
  if (from === to)
    throw stop(
      'usage',
      `${from} is named as both stores.`,
      `Name two: ${commandLine(['store', 'copy', 'FROM', 'TO'])}`,
    );
  const opening = { ...options, command: `store copy ${from} ${to}` };
  const source = await (await storeAt(from)).copyFrom(from, opening);
  try {
    const target = await (await storeAt(to)).copyTo(to, opening);
    try {
      await copied(source, target, options.clock);
    } finally {
      await target.close();
    }
    return await sumOf(source.ledger, { from, to });
  } finally {
    await source.close();
  }
}

async function copied(source: CopySource, target: CopyTarget, clock: Clock): Promise<void> {
  if (source.copied !== undefined) return goOn(source, target, source.copied);
  if (target.present !== undefined)
    throw stop(
      'store',
      `${target.place} has a ledger already, and two ledgers cannot become one.`,
      'Name a place that has none.',
    );
  await refuseOpen(source);
  const identity = await target.take(source.parts());
  crashPoint('copy-taken');
  await source.leave({ identity, place: target.place, atMs: clock.wallMs() });
  crashPoint('copy-left');
  await target.arrive();
}

async function goOn(source: CopySource, target: CopyTarget, copy: Copied): Promise<void> {
  if (target.present === copy.identity) return;
  if (target.awaiting === copy.identity) return target.arrive();
  throw stop(
    'store',
    `The ledger in ${source.place} was copied to ${copy.place} on ${isoTime(copy.atMs)}, and ${target.place} is not that copy.`,
    `Name the copy: --store ${copy.place}`,
  );
}

async function refuseOpen({ ledger, place }: CopySource): Promise<void> {
  const [first, ...others] = await ledger.openAttempts();
  if (first !== undefined) throw await stillOpen(ledger, place, first.batch, others.length + 1);
}

async function stillOpen(
  ledger: LedgerReader,
  place: string,
  id: Parameters<LedgerReader['batch']>[0],
  count: number,
): Promise<StopError> {
  const command = (await ledger.batch(id))?.command;
  return stop(
    'store',
    `Nothing was copied: a run of batch ${id} was cut off in ${place} and left ${counted(count, 'request')} without a known result.`,
    command === undefined
      ? 'Run the list of that batch once more, then copy again.'
      : `Run it once more, then copy again: ${command}`,
  );
}

async function sumOf(
  ledger: LedgerReader,
  { from, to }: Pick<CopiedStore, 'from' | 'to'>,
): Promise<CopiedStore> {
  const batches = await ledger.batches();
  const money = await Promise.all(batches.map(({ id }) => ledger.batchMoney(id)));
  const sum = (of: (each: (typeof money)[number]) => number): number =>
    money.reduce((all, each) => all + of(each), 0);
  return {
    from,
    to,
    batches: batches.length,
    spent: sum(({ spent }) => spent),
    inDoubt: sum((each) => each.inDoubt),
  };
}
