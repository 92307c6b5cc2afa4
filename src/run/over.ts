import { open } from 'node:fs/promises';
import type { CallKey } from '../core/call-key.ts';
import { accountsPath } from '../core/paths.ts';
import { originOf } from '../job/job-origin.ts';
import type { Batch, BatchId, LedgerReader } from '../ledger/ledger.ts';
import { piecesOf, realPath, sha256Of, stampOf } from '../lib/atomic-file.ts';
import { commandLine } from '../lib/command-line.ts';
import type { JobToday } from './job-today.ts';

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

export interface Elsewhere {
  readonly batch: BatchId;
  readonly isAll: boolean;
}

/** The batch that has begun in its place, if one of these calls is in doubt there as well. */
export async function decidedIn(
  ledger: LedgerReader,
  { by }: Over,
  keys: readonly CallKey[],
): Promise<Elsewhere | undefined> {
  if (by === undefined) return undefined;
  const asked = new Set(keys);
  const there = await ledger.doubts(by);
  const those = there.filter(({ key }) => asked.has(key));
  return those.length === 0 ? undefined : { batch: by, isAll: those.length === there.length };
}

/** `No run goes on with batch 1a2b3c4d, because its list has changed, so it sends nothing again.` */
export function overWords({ id }: Batch, { why }: Over): string {
  return `No run goes on with batch ${id}, because ${why}, so it sends nothing again.`;
}

export function waysToSend(elsewhere: Elsewhere | undefined, { changed }: Over): string {
  if (elsewhere !== undefined) {
    const { batch, isAll } = elsewhere;
    // Each that is sent again may be paid for twice, so the command decides about no other.
    return `Decide about it in batch ${batch}: ${commandLine(['settle', batch, ...(isAll ? ['--retry'] : [])])}`;
  }
  const back = changed === undefined ? 'Say' : `Put the ${changed} back as it was to send it again, or say`;
  return `${back} what became of it with --answer or --not-done.`;
}

/** What was made of files. Whoever watches a batch asks again and again, and a list may be long. */
class Made<T> {
  readonly #known = new Map<string, { readonly stamp: string; readonly made: Promise<T> }>();

  /** @param files of which it is made: it is made again once one of them is not as it was. */
  async of(name: string, files: readonly string[], make: () => Promise<T>): Promise<T> {
    const stamps = files.map(
      async (file) => (await stampOf(await realPath(file)).catch(() => undefined)) ?? '',
    );
    const stamp = (await Promise.all(stamps)).join('\n');
    const known = this.#known.get(name);
    if (known?.stamp === stamp) return known.made;
    const made = make();
    this.#known.set(name, { stamp, made });
    return made;
  }
}

const digests = new Made<string>();
const jobs = new Made<JobToday | undefined>();

function digestOf({ inputPath }: Batch): Promise<string | undefined> {
  return digests.of(inputPath, [inputPath], () => hashed(inputPath)).catch(() => undefined);
}

/** What a user wrote or named is read again. The job of an undo or a trial follows from its batch, and no file says it. */
async function jobTodayOf(ledger: LedgerReader, batch: Batch): Promise<JobToday | undefined> {
  const { id, inputPath, settings } = batch;
  if (originOf(settings) !== undefined) return undefined;
  const files = [inputPath, String(settings.job), accountsPath()];
  return jobs.of(id, files, async () => (await import('./job-today.ts')).jobToday(ledger, batch));
}

async function hashed(path: string): Promise<string> {
  const file = await open(path);
  try {
    return await sha256Of(piecesOf(file));
  } finally {
    await file.close();
  }
}
