import { StopError } from '../core/errors.ts';
import { openHeader } from '../files/input.ts';
import { saidBeside } from '../job/job-settings.ts';
import type { Batch, LedgerReader } from '../ledger/ledger.ts';
import { batchIdentityOf, batchKeyOf } from '../plan/batch-key.ts';
import type { ResolvedJob } from '../plan/row-walk.ts';
import { chooseAll } from './choose.ts';

/** This file tells which batch the job of a batch would go on with today, were it run again with what was said beside it. */

export interface JobToday {
  readonly accountIdentity: string;
  readonly key: string;
}

/** Undefined where a run would be refused, and says itself why. */
export async function jobToday(ledger: LedgerReader, batch: Batch): Promise<JobToday | undefined> {
  try {
    const chosen = await jobOfBatch(batch);
    if (chosen === undefined) return undefined;
    const input = await openHeader(batch.inputPath, chosen.job, ledger);
    const key = batchKeyOf(batchIdentityOf(chosen, input), batch.inputSha256);
    return { accountIdentity: chosen.account.identity, key };
  } catch (error) {
    if (error instanceof StopError) return undefined;
    throw error;
  }
}

export async function jobOfBatch({ settings, operation }: Batch): Promise<ResolvedJob | undefined> {
  const chosen = await chooseAll({ job: String(settings.job), ...saidBeside(settings) });
  return chosen.find(({ job }) => job.operation.name === operation);
}
