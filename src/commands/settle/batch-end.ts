import { open } from 'node:fs/promises';
import { StopError, stop } from '../../core/errors.ts';
import { openHeader } from '../../files/input.ts';
import { triedBy, undoneBy } from '../../job/job-origin.ts';
import { saidBeside } from '../../job/job-settings.ts';
import type { Batch, BatchId, LedgerReader } from '../../ledger/ledger.ts';
import { piecesOf, sha256Of } from '../../lib/atomic-file.ts';
import { commandLine } from '../../lib/command-line.ts';
import { batchKeyOf } from '../../plan/batch-key.ts';
import { type ResolvedJob, withAccounts } from '../../plan/row-walk.ts';
import { choose } from '../../run/choose.ts';
import { knownAccount, movedFrom } from '../../run/known-account.ts';

/** Reads the job of a batch as it is today, and tells whether a run would go on with the batch. */

export async function jobOfBatch({ settings, operation }: Batch): Promise<ResolvedJob | undefined> {
  const chosen = await choose({ job: String(settings.job), entries: saidBeside(settings) });
  return chosen.job.operation.name === operation ? chosen : undefined;
}

interface BatchEnd {
  /** The reason, as a clause. */
  readonly why: string;
  /** The newest batch that has taken the place of this one, over the same list or its changed content. */
  readonly by: BatchId | undefined;
}

/**
 * Why no run goes on with the batch, so that nobody carries out the decisions in it; undefined where a run
 * would.
 */
export async function overOf(ledger: LedgerReader, batch: Batch): Promise<BatchEnd | undefined> {
  const { id, key, state, lineage, inputSha256 } = batch;
  const newest = await ledger.batchByKey(key);
  if (newest !== undefined && newest.id !== id)
    return { why: `batch ${newest.id} has taken its place`, by: newest.id };
  const last = (await ledger.batches()).find((each) => each.lineage === lineage)?.id;
  const by = last === id ? undefined : last;
  if (newest === undefined) return { why: `it is ${state}`, by };
  const digest = await digestOf(batch);
  // A list that cannot be read here may be readable where its runs are. A run there would notice changed
  // content.
  if (digest === undefined && by === undefined) return undefined;
  if (digest !== inputSha256) return { why: 'its list has changed', by };
  const today = await keyToday(ledger, batch);
  if (today === undefined || today === key) return undefined;
  return { why: 'its job or account has changed', by: (await ledger.batchByKey(today))?.id };
}

/**
 * @throws StopError `usage` where no run would send its doubts again. The stop says what a person can do
 * instead.
 */
export function refuseOver({ id }: Batch, { why, by }: BatchEnd): never {
  const fact = `No run goes on with batch ${id}, because ${why}, so it sends nothing again.`;
  const told = 'say what became of it with --answer or --not-done.';
  if (by === undefined) throw stop('usage', fact, `${told[0]?.toUpperCase()}${told.slice(1)}`);
  throw stop(
    'usage',
    fact,
    `Decide in batch ${by} if it is in doubt there; else ${told}`,
    commandLine(['settle', by]),
  );
}

/**
 * The key of the batch with which the job of this batch would go on today. Undefined where a run would be
 * refused and would itself say why, and for an undo or a trial, whose job follows from the batch.
 */
async function keyToday(ledger: LedgerReader, batch: Batch): Promise<string | undefined> {
  if ((triedBy(batch.settings) ?? undoneBy(batch.settings)) !== undefined) return undefined;
  try {
    const chosen = await jobOfBatch(batch);
    if (chosen === undefined || (await movedFrom(chosen.account, ledger)) !== undefined) return undefined;
    const input = await openHeader(batch.inputPath, chosen.job, ledger);
    const known = await withAccounts(chosen, (account) => knownAccount(account, ledger));
    return batchKeyOf(known, input, batch.inputSha256);
  } catch (error) {
    if (error instanceof StopError) return undefined;
    throw error;
  }
}

/** Undefined for a list that cannot be read here. */
async function digestOf({ inputPath }: Batch): Promise<string | undefined> {
  const file = await open(inputPath).catch(() => undefined);
  try {
    return file && (await sha256Of(piecesOf(file)));
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
