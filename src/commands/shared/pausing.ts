import { systemClock } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import type { Batch, Ledger } from '../../ledger/ledger.ts';
import { allBatches, closedAfter, type FoundBatch, openLedger } from '../../run/open-ledger.ts';

/** The common part of pausing, resuming and cancelling a batch. */

export interface PauseOptions {
  readonly waitMs: number;
  /** The operator; left out: the user of the system. */
  readonly operator?: string | undefined;
}

/**
 * @param what the work, such as `pause`.
 * @throws StopError `usage` for a batch that has ended, `busy` as `openLedger`.
 */
export async function inOpenBatch<T>(
  what: string,
  { batch, location }: FoundBatch,
  { waitMs, operator }: PauseOptions,
  work: (ledger: Ledger, batch: Batch) => Promise<T>,
): Promise<T> {
  requireOpen(batch);
  const opening = { clock: systemClock, waitForLockMs: waitMs, operator };
  const command = `${what} ${batch.id}`;
  return closedAfter(openLedger(location, { ...opening, command }), async (ledger) => {
    const now = (await ledger.batch(batch.id)) ?? batch;
    requireOpen(now);
    return work(ledger, now);
  });
}

/**
 * A sweep leaves a paused batch alone, and a run of the batch ends the pause.
 * @returns whether it was paused before.
 */
export const setPaused = (found: FoundBatch, isPaused: boolean, options: PauseOptions): Promise<boolean> =>
  inOpenBatch(isPaused ? 'pause' : 'resume', found, options, async (ledger, { id, pausedSinceMs }) => {
    await ledger.setPaused(id, isPaused, systemClock.wallMs());
    return pausedSinceMs !== undefined;
  });

function requireOpen({ id, state }: Batch): void {
  if (state === 'open') return;
  const next = 'Only an open batch can be paused, resumed or cancelled.';
  throw stop('usage', `Batch ${id} is ${state} already.`, next, allBatches());
}
