import { systemClock } from '../../core/clock.ts';
import { StopError } from '../../core/errors.ts';
import type { Batch, Ledger } from '../../ledger/ledger.ts';
import { accountOfBatch } from '../../run/batch-account.ts';
import { openIfFree } from '../../run/open-ledger.ts';
import { sandboxAccount } from '../../vendor/account/account.ts';
import { dialectOf } from '../../vendor/dialect-of.ts';

/**
 * Settles the requests that a killed program left open, as a run does before it spends, so that lists of doubts and
 * decisions about them are complete. Nothing is sent.
 * @returns how many requests were open.
 */
export async function settleLeftOpen(ledger: Ledger, batch: Batch): Promise<number> {
  if ((await ledger.openAttempts()).length === 0) return 0;
  // The dialect of a removed account is not known, so the built-in one is taken.
  const account = (await accountOfBatch(batch)) ?? sandboxAccount(batch.vendor);
  // This module loads what sends requests, which a list does not need.
  const { Sessions } = await import('../../run/sessions.ts');
  const dialect = await dialectOf(account);
  return new Sessions().settleLeftOpen({ ledger, clock: systemClock, dialect, account });
}

/**
 * Settles what was left open before a list is shown, unless that is impossible now.
 * @returns undefined where nothing may be settled now: a run goes on, the store is held back, or its account is unusable.
 */
export async function settleLeftOpenIfFree(location: string, batch: Batch): Promise<number | undefined> {
  const ledger = await openIfFree(location, `settle ${batch.id}`, systemClock);
  if (ledger === undefined) return undefined;
  try {
    return await settleLeftOpen(ledger, batch);
  } catch (error) {
    if (error instanceof StopError) return undefined;
    throw error;
  } finally {
    await ledger.close();
  }
}
