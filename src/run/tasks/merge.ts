import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { stop } from '../../core/errors.ts';
import type { ReadOptions } from '../../core/format.ts';
import type { RowNumber } from '../../core/row.ts';
import { type OpenedFile, openFile } from '../../files/input.ts';
import { type KnownJob, type Merge, type MergeOrder, openResult, planMerge } from '../../files/merging.ts';
import { automaticNames, suffixOf } from '../../files/output/output.ts';
import { type Ownership, writeOwnFile } from '../../files/output/own-files.ts';
import { outputSettings, readSettings } from '../../job/job-settings.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { checkWritable } from '../../lib/atomic-file.ts';
import { endingOf, nameParts } from '../../lib/file-name.ts';
import { eachLedgerThere, lookInto } from '../open-ledger.ts';
import { lookerNotes } from './looker-notes.ts';
import { filesAt, type Makers, makersOf } from './merge/result-makers.ts';

/** This file puts a result into a file that its user has edited since. Nothing is bought and no ledger is written to. */

export interface MergeRequest {
  readonly result: string;
  readonly into: string;
  readonly output?: string | undefined;
  readonly read: ReadOptions;
  readonly store?: string | undefined;
  readonly note: (sentence: string) => void;
}

export interface Merged extends Omit<Merge, 'chunks'> {
  readonly output: string;
}

/** @throws StopError `input` where the two do not belong together, and `output` where nothing can be written. */
export async function merge(request: MergeRequest): Promise<Merged> {
  const { note, read } = request;
  const [result, into] = [await openResult(request.result), await openFile(request.into, read)];
  const output = await outputOf(request, result, into);
  const maker = await makerOf(request, result, into);
  const { chunks, ...planned } = await planMerge({ result, into, read, known: maker?.known, note });
  const mode = (await stat(into.path)).mode & 0o777 & ~process.umask();
  const write = (own: Ownership): Promise<string> =>
    writeOwnFile(
      { path: output, mode, chunks: chunks(), beforePlacing: () => into.file.requireUnchanged() },
      own,
    );
  // Each merge may have cells that no other has, so none takes the place of one before.
  const own: Ownership = { isOurs: async () => false, say: note, whyKept: 'is there already' };
  if (maker === undefined) return { ...planned, output: await write(own) };
  const { batch, location } = maker;
  return lookInto(location, async (ledger) => {
    const { noteWritten } = lookerNotes(location, ledger, batch.id);
    return { ...planned, output: await write({ ...own, noteWritten }) };
  });
}

/** `leads.xlsx` → `leads.merged.xlsx`, so that what a user has is never replaced. */
async function outputOf({ output }: MergeRequest, result: OpenedFile, into: OpenedFile): Promise<string> {
  const { stem, ending } = nameParts(into.path);
  const path = resolve(output ?? join(dirname(into.path), `${stem}.merged${ending}`));
  if (endingOf(path) !== endingOf(into.path)) {
    const fact = `The output must be the same kind of file as ${into.path}, and the name ${path} says otherwise.`;
    throw stop('output', fact, `Give it the ending ${ending}.`);
  }
  for (const taken of [result.path, into.path]) {
    if (path === taken)
      throw stop('output', `The output ${path} is also an input.`, 'Name another file with -o.');
  }
  await checkWritable(path);
  return path;
}

// --------------------------------------------------------------------------------------------- what the ledger knows

interface Maker {
  readonly batch: Batch;
  readonly location: string;
  readonly known: NonNullable<MergeOrder['known']>;
}

async function makerOf(
  { store }: MergeRequest,
  result: OpenedFile,
  into: OpenedFile,
): Promise<Maker | undefined> {
  const digest = await result.file.sha256();
  const found = await eachLedgerThere(store, async (ledger, location) => {
    const makers = await makersOf(ledger, result, into.path);
    const batches = makers?.batches ?? [];
    const [batch] = batches;
    if (makers === undefined || batch === undefined) return [];
    const isAsWritten = (await lookerNotes(location, ledger, batch.id).written(result.path)).includes(digest);
    const isIts = isAsWritten || batches.some((each) => filesAt(each).includes(result.path));
    const known = await knownOf(ledger, makers, isAsWritten);
    return [{ isIts, maker: { batch, location, known } }];
  });
  const all = found.flat();
  const isFitting = all.find(({ maker }) => maker.known.sentAs.size > 0);
  return (all.find(({ isIts }) => isIts) ?? isFitting ?? all[0])?.maker;
}

async function knownOf(
  ledger: LedgerReader,
  { batches, sentAs, disputed }: Makers,
  isAsWritten: boolean,
): Promise<Maker['known']> {
  // The rows of a list that the result was not made of say nothing about it.
  const list = sentAs.size === 0 ? undefined : await listOf(batches[0]);
  const jobs: KnownJob[] = [];
  for (const batch of batches) {
    const job = outputSettings(batch.settings);
    const { add, onExisting, columns } = job;
    const isNeeded = add === undefined && list === undefined;
    const automatic = isNeeded ? await automaticNames(ledger, batch, job) : undefined;
    jobs.push({ columns, added: add && Object.keys(add), automatic, onExisting, word: suffixOf(batch) });
  }
  return {
    jobs,
    before: list?.header,
    listed: list && new Map([...list.rows].filter(([row]) => !disputed.has(row))),
    sentAs,
    isAsWritten,
  };
}

/** The list as the batch has read it; undefined where it is not there any more, or was changed. */
async function listOf(
  batch: Batch | undefined,
): Promise<
  { readonly header: readonly string[]; readonly rows: ReadonlyMap<RowNumber, readonly string[]> } | undefined
> {
  if (batch === undefined) return undefined;
  const { inputPath, inputSha256, settings } = batch;
  const there = await stat(inputPath).catch(() => undefined);
  if (there?.isFile() !== true) return undefined;
  const { file, sheet } = await openFile(inputPath, readSettings(settings));
  if ((await file.sha256()) !== inputSha256) return undefined;
  const rows = new Map<RowNumber, readonly string[]>();
  for await (const group of sheet.groups()) for (const { row, cells } of group) rows.set(row, cells);
  return { header: await sheet.header(), rows };
}
