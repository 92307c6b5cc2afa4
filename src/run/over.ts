import { open } from 'node:fs/promises';
import type { CallKey } from '../core/call-key.ts';
import type { Batch, BatchId, LedgerReader } from '../ledger/ledger.ts';
import { piecesOf, realPath, sha256Of, stampOf } from '../lib/atomic-file.ts';
import { commandLine } from '../lib/command-line.ts';

/** This file tells with which batches no run goes on any more, so that what was decided in them is carried out by nobody. */

export interface Over {
  /** A clause. */
  readonly why: string;
  /** The newest batch that has begun in its place, of the same list or of what the list has become. */
  readonly by: BatchId | undefined;
  /** Whether it would go on if its list were put back as it was. */
  readonly mayComeBack: boolean;
}

/** Undefined for a batch with which a run of its list goes on. */
export async function overOf(ledger: LedgerReader, batch: Batch): Promise<Over | undefined> {
  const { id, key, state, lineage, inputSha256 } = batch;
  const newest = await ledger.batchByKey(key);
  if (newest !== undefined && newest.id !== id)
    return { why: `batch ${newest.id} has taken its place`, by: newest.id, mayComeBack: false };
  const last = (await ledger.batches()).find((each) => each.lineage === lineage)?.id;
  const by = last === id ? undefined : last;
  if (newest === undefined) return { why: `it is ${state}`, by, mayComeBack: false };
  const digest = await digestOf(batch);
  // A list that cannot be read here may be there where its runs are: then a run of its changed content tells.
  if (digest === inputSha256 || (digest === undefined && by === undefined)) return undefined;
  return { why: 'its list has changed', by, mayComeBack: true };
}

/** Where it can be decided to send calls again. */
export interface Elsewhere {
  readonly batch: BatchId;
  /** Whether they are all that is in doubt there. */
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

/** How a call can be sent again that is in doubt in a batch with which no run goes on. */
export function waysToSend(elsewhere: Elsewhere | undefined, { mayComeBack }: Over): string {
  if (elsewhere !== undefined) {
    const { batch, isAll } = elsewhere;
    // Each that is sent again may be paid for twice, so the command decides about no other.
    return `Decide about it in batch ${batch}: ${commandLine(['settle', batch, ...(isAll ? ['--retry'] : [])])}`;
  }
  const back = mayComeBack ? 'Put the list back as it was to send it again, or say' : 'Say';
  return `${back} what became of it with --answer or --not-done.`;
}

/** Whoever watches a batch asks again and again, and a list may be long. */
const digests = new Map<string, { readonly stamp: string; readonly digest: Promise<string> }>();

/** SHA-256 of the list as it is now; undefined where it cannot be read. */
async function digestOf({ inputPath }: Batch): Promise<string | undefined> {
  try {
    const stamp = await stampOf(await realPath(inputPath));
    if (stamp === undefined) return undefined;
    const known = digests.get(inputPath);
    if (known?.stamp === stamp) return await known.digest;
    const digest = hashed(inputPath);
    digests.set(inputPath, { stamp, digest });
    return await digest;
  } catch {
    return undefined;
  }
}

async function hashed(path: string): Promise<string> {
  const file = await open(path);
  try {
    return await sha256Of(piecesOf(file));
  } finally {
    await file.close();
  }
}
