import type { Clock } from '../../core/clock.ts';
import { StopError, stop } from '../../core/errors.ts';
import type { Batch, Ledger } from '../../ledger/ledger.ts';
import type { Spender, Tell } from '../../ledger/store.ts';
import { storeAt } from '../../ledger/stores.ts';
import { allBatches, type FoundBatch, openLedger } from '../open-ledger.ts';

/** A person pauses a batch, or resumes it. Sweeps leave a paused batch; a run of it resumes it. */

interface HoldOptions {
  readonly clock: Clock;
  readonly waitMs: number;
  readonly tell: Tell;
  /** Who is at work; left out: the user of the system. */
  readonly operator?: string | undefined;
}

/**
 * Pauses an open batch. A process that works on it is asked to stop: it sends nothing new, and records the answers that are
 * on their way. @throws StopError `busy` when another process spends from the store, or when this one does not end in time.
 */
export async function pauseBatch(found: FoundBatch, options: HoldOptions): Promise<void> {
  requireOpen(found);
  const ledger = await ledgerAfterRun(found, options);
  try {
    requireOpen({ ...found, batch: (await ledger.batch(found.batch.id)) ?? found.batch });
    await ledger.noteHold(found.batch.id, true, options.clock.wallMs());
  } finally {
    await ledger.close();
  }
}

/** Lets a batch go on. @returns whether it was paused. @throws StopError `busy` as `openLedger`. */
export async function resumeBatch({ batch, location }: FoundBatch, options: HoldOptions): Promise<boolean> {
  requireOpen({ batch, location });
  const ledger = await openFor(`resume ${batch.id}`, location, options);
  try {
    const now = await ledger.batch(batch.id);
    await ledger.noteHold(batch.id, false, options.clock.wallMs());
    return now?.heldSinceMs !== undefined;
  } finally {
    await ledger.close();
  }
}

function requireOpen({ batch: { id, state } }: FoundBatch): void {
  if (state === 'open') return;
  throw stop(
    'usage',
    `Batch ${id} is ${state} already.`,
    'Only an open batch can be paused or resumed.',
    allBatches(),
  );
}

/** Opens the store at once, or after the run of this batch has ended because it was asked to. */
async function ledgerAfterRun({ batch, location }: FoundBatch, options: HoldOptions): Promise<Ledger> {
  const command = `pause ${batch.id}`;
  try {
    return await openFor(command, location, { ...options, waitMs: 0 });
  } catch (error) {
    if (!(error instanceof StopError) || error.code !== 'busy') throw error;
    const spender = await (await storeAt(location)).spender(location);
    if (spender === undefined || !isAtWorkOn(batch, spender)) throw error;
    process.kill(spender.pid, spender.pausedBy ?? 'SIGTERM');
    options.tell(`Process ${spender.pid} works on this batch, and was asked to stop.`);
    return openFor(command, location, options);
  }
}

/** Whether the spender is the run that the batch knows as its newest: it leaves its command in both places. */
export function isAtWorkOn({ state, command }: Pick<Batch, 'state' | 'command'>, spender: Spender): boolean {
  return state === 'open' && spender.command === command;
}

function openFor(
  command: string,
  location: string,
  { clock, waitMs, operator }: HoldOptions,
): Promise<Ledger> {
  return openLedger(
    { location, named: true },
    { clock, waitForLockMs: waitMs, mayCreate: false, command, operator },
  );
}
