import { dirname, join, resolve } from 'node:path';
import { stop } from '../../core/errors.ts';
import type { ReadOptions } from '../../core/format.ts';
import { isAttention, isOutput } from '../../core/our-columns.ts';
import { inputOf } from '../../core/steps.ts';
import type { OpenedFile } from '../../files/input.ts';
import {
  cellReader,
  type Known,
  type Merge,
  numberIn,
  openInto,
  openResult,
  planMerge,
  type Result,
} from '../../files/merging.ts';
import { automaticNames } from '../../files/output/output.ts';
import { modeLike, type Ownership, writeOwnFile } from '../../files/output/own-files.ts';
import { columnsOf, outputSettings } from '../../job/job-settings.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { keptRows } from '../../ledger/rows.ts';
import { checkWritable } from '../../lib/atomic-file.ts';
import { endingOf, nameParts } from '../../lib/file-name.ts';
import { eachLedgerThere, lookInto } from '../open-ledger.ts';

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
  const { note, store } = request;
  const result = await openResult(request.result);
  const makers = (
    await eachLedgerThere(store, (ledger, location) => makersIn(ledger, location, result))
  ).flat();
  const [maker] = makers.sort((a, b) => b.fit - a.fit || b.batch.createdAtMs - a.batch.createdAtMs);
  // Her header is the row that has what was sent.
  const wanted = Object.values(maker?.columns ?? {});
  const into = await openInto(request.into, { ...request.read, wanted });
  const output = await outputOf(request, result, into);
  const mode = await modeLike(into.path);
  const beforePlacing = (): Promise<void> => into.file.requireUnchanged();
  // Each merge may have cells that no other has, so none takes the place of one before.
  const own: Ownership = { isOurs: async () => false, say: note, whyKept: 'is there already' };
  const write = async (known?: Known): Promise<Merged> => {
    const { chunks, ...planned } = await planMerge({ result, into, known, note });
    const written = await writeOwnFile({ path: output, mode, chunks: chunks(), beforePlacing }, own);
    return { ...planned, output: written };
  };
  if (maker === undefined) return write();
  return lookInto(maker.location, async (ledger) => write(await knownOf(ledger, maker, result)));
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

// ------------------------------------------------------------------------------------------ which batch made a result

interface Maker {
  readonly batch: Batch;
  readonly location: string;
  readonly columns: Known['columns'];
  /** How sure it is: 3 where it wrote these bytes, 2 where it wrote at that path, else how many of the cells are those of its list. */
  readonly fit: number;
}

const AS_WRITTEN = 3;

/** Less of it may fit by coincidence. */
const LEAST_SHARE = 0.5;

/** So many rows tell of which list they are. */
const ROWS_COMPARED = 200;

/** The batches that may have made a result. One that nobody noted is known by the cells of its rows, if these say which row they are. */
async function makersIn(ledger: LedgerReader, location: string, result: Result): Promise<readonly Maker[]> {
  const sha256 = await result.file.sha256();
  const noted = await ledger.writers(result.path, sha256);
  const cells = result.rows.slice(0, ROWS_COMPARED).map(cellReader(result.header));
  const matchedBy = cells.flatMap((cell) => cell('_matched_by').split(/\+|; /)).filter((word) => word !== '');
  const makers: Maker[] = [];
  for (const batch of await ledger.batches()) {
    const columns = columnsOf(batch.settings)?.columns ?? {};
    const inputs = Object.keys(columns).map(inputOf);
    const isKin = matchedBy.every((word) => inputs.includes(word));
    if (!isKin || !Object.values(columns).every((column) => result.header.includes(column))) continue;
    const own = noted.filter((each) => each.batch === batch.id);
    const share = noted.length === 0 ? await shareOf(ledger, batch, result) : 0;
    const fit = own.length === 0 ? share : own.some((each) => each.sha256 === sha256) ? AS_WRITTEN : 2;
    if (fit > LEAST_SHARE) makers.push({ batch, location, columns, fit });
  }
  return makers;
}

async function shareOf(ledger: LedgerReader, batch: Batch, result: Result): Promise<number> {
  const rows = result.rows.slice(0, ROWS_COMPARED);
  const own = batch.header.filter((name) => result.header.includes(name));
  const before = await rowsOf(ledger, batch, { ...result, rows });
  const cellsOf = cellReader(result.header);
  const same = rows.flatMap((row) => {
    const was = before.get(numberIn(result, row));
    return own.filter((name) => was?.(name) === cellsOf(row)(name));
  });
  return same.length / Math.max(1, rows.length * own.length);
}

/** Rows of a result as they were in the list. */
async function rowsOf(ledger: LedgerReader, batch: Batch, result: Result): Promise<Known['before']> {
  const numbers = result.rows.map((row) => numberIn(result, row));
  const cellsOf = cellReader(batch.header);
  const rows = await ledger.cellsOf(batch.id, numbers.filter(Number.isSafeInteger));
  return new Map([...rows].map(([number, row]) => [number, cellsOf(row)]));
}

async function knownOf(ledger: LedgerReader, { batch, columns, fit }: Maker, result: Result): Promise<Known> {
  const job = outputSettings(batch.settings);
  const names = job.add ? Object.keys(job.add) : await automaticNames(ledger, batch, job);
  // A column that was kept is the user's.
  const answers = new Map(
    job.onExisting === 'keep' ? [] : names.map((name) => [name, job.onExisting] as const),
  );
  // A list that was an output before has ours among its columns, and nobody knows which.
  const hers = new Set(isOutput(batch.header) ? [] : batch.header);
  const known = { columns, answers, hers };
  if (isAttention(result.header)) return { ...known, before: await rowsOf(ledger, batch, result) };
  const isEdited = fit < AS_WRITTEN;
  return { ...known, before: new Map(), ...(isEdited ? { list: listOf(ledger, batch) } : {}) };
}

async function* listOf(ledger: LedgerReader, batch: Batch): AsyncIterable<(column: string) => string> {
  for await (const rows of keptRows(ledger, batch)) yield* rows.map(cellReader(batch.header));
}
