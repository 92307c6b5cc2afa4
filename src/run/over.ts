import { open } from 'node:fs/promises';
import { stop } from '../core/errors.ts';
import { originOf } from '../job/job-origin.ts';
import type { Batch, BatchId, Doubt, LedgerReader } from '../ledger/ledger.ts';
import { piecesOf, sha256Of } from '../lib/atomic-file.ts';
import { commandLine } from '../lib/command-line.ts';
import { type JobToday, jobToday } from './job-today.ts';

/** This file tells with which batches no run goes on any more, so that what was decided in them is carried out by nobody. */

export interface Over {
  /** A clause. */
  readonly why: string;
  /** The newest batch that has begun in its place, of the same list or of what the list has become. */
  readonly by: BatchId | undefined;
  /** What it would go on with if that were put back as it was; undefined where nothing brings it back. */
  readonly changed: 'list' | 'job' | 'account' | undefined;
}

export async function overOf(ledger: LedgerReader, batch: Batch): Promise<Over | undefined> {
  const { id, key, state, lineage, inputSha256 } = batch;
  const newest = await ledger.batchByKey(key);
  if (newest !== undefined && newest.id !== id)
    return { why: `batch ${newest.id} has taken its place`, by: newest.id, changed: undefined };
  const last = (await ledger.batches()).find((each) => each.lineage === lineage)?.id;
  const by = last === id ? undefined : last;
  if (newest === undefined) return { why: `it is ${state}`, by, changed: undefined };
  const digest = await digestOf(batch);
  // A list that cannot be read here may be there where its runs are: then a run of its changed content tells.
  if (digest === undefined && by === undefined) return undefined;
  if (digest !== inputSha256) return { why: 'its list has changed', by, changed: 'list' };
  const today = await jobTodayOf(ledger, batch);
  if (today === undefined || today.key === key) return undefined;
  const changed = today.accountIdentity === batch.accountIdentity ? 'job' : 'account';
  const begun = await ledger.batchByKey(today.key);
  return { why: `its ${changed} has changed`, by: begun?.id, changed };
}

/** @throws StopError `usage` where no run would send these doubts again, with what can be done instead. */
export async function refuseOver(
  ledger: LedgerReader,
  { id }: Batch,
  { why, by, changed }: Over,
  doubts: readonly Doubt[],
): Promise<never> {
  const fact = `No run goes on with batch ${id}, because ${why}, so it sends nothing again.`;
  const there = by === undefined ? [] : await ledger.doubts(by);
  const those = there.filter(({ key }) => doubts.some((doubt) => doubt.key === key));
  const back = changed === undefined ? 'Say' : `Put the ${changed} back as it was to send it again, or say`;
  if (by === undefined || those.length === 0)
    throw stop('usage', fact, `${back} what became of it with --answer or --not-done.`);
  // Each that is sent again may be paid for twice, so the command decides about no other.
  const all = those.length === there.length ? ['--retry'] : [];
  throw stop('usage', fact, `Decide about it in batch ${by}: ${commandLine(['settle', by, ...all])}`);
}

/** What a user wrote or named is read again. The job of an undo or a trial follows from its batch, and no file says it. */
async function jobTodayOf(ledger: LedgerReader, batch: Batch): Promise<JobToday | undefined> {
  if (originOf(batch.settings) !== undefined) return undefined;
  return jobToday(ledger, batch);
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
