import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { stop } from '../../core/errors.ts';
import type { ReadOptions } from '../../core/format.ts';
import { isOutput } from '../../core/our-columns.ts';
import { ATTENTION_KINDS, OUR_COLUMNS, type RowNumber } from '../../core/row.ts';
import { type OpenedFile, openFile, rowInputOf } from '../../files/input.ts';
import {
  isOpen,
  type KnownJob,
  type Merge,
  type MergeOrder,
  matchedRows,
  mayHaveMatched,
  numbersOf,
  openResult,
  planMerge,
} from '../../files/merging.ts';
import { automaticNames, filesOf, suffixOf } from '../../files/output/output.ts';
import { type Ownership, writeOwnFile } from '../../files/output/own-files.ts';
import { columnsOf, outputSettings, readSettings, togetherIn } from '../../job/job-settings.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { finishedRows } from '../../ledger/rows.ts';
import { checkWritable } from '../../lib/atomic-file.ts';
import { endingOf, nameParts } from '../../lib/file-name.ts';
import { eachLedgerThere, lookInto } from '../open-ledger.ts';
import { lookerNotes } from './looker-notes.ts';

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

/**
 * Finds the batches that made a result. Its rows are told apart by what was sent for it, so another batch over the same list would
 * take one company for another. Where several may have made it, the identifiers of all of them tell its rows apart.
 */

/** @param into the file that gets the result. @returns undefined where nobody knows. */
async function makersOf(ledger: LedgerReader, result: OpenedFile, into: string): Promise<Makers | undefined> {
  const batches = (await ledger.batches()).filter(({ state }) => state !== 'cancelled');
  const digest = await result.file.sha256();
  const writer = batches.find(({ outputSha256 }) => outputSha256?.split(' ').includes(digest));
  if (writer !== undefined) return surely(ledger, [writer]);
  const header = await result.sheet.header();
  const fitting = batches.filter(({ settings }) =>
    Object.values(columnsOf(settings)?.columns ?? {}).every((column) => header.includes(column)),
  );
  const isOver = ({ inputPath }: Batch): boolean => inputPath === into;
  const said = await fitResult(result);
  const together = [...fitting.filter(isOver), ...fitting]
    .map(({ settings }) => batches.filter(({ id }) => togetherIn(settings).includes(id)))
    .filter((parts) => parts.length > 1 && isOfAll(said, parts));
  if (together[0] !== undefined)
    return (await fittingMakers(ledger, together, said)) ?? unfitting(together[0]);
  const likely = fitting.filter(mayHaveMade(said));
  const over = likely.filter(isOver);
  const named = likely.filter((batch) => filesAt(batch).includes(result.path));
  const isOnly = named.length === 1 && !isOutput(header);
  if (isOnly) return surely(ledger, named);
  const [first] = named;
  if (first === undefined) return likelyMakers(ledger, over, said);
  // A file may have been put where another was written.
  const others = over.filter(({ operation }) => operation === first.operation);
  const sets = [...new Set([...named, ...others])].map((batch) => [batch]);
  return (await fittingMakers(ledger, sets, said)) ?? unfitting([first]);
}

async function surely(ledger: LedgerReader, batches: readonly Batch[]): Promise<Makers> {
  return { batches, sentAs: await sentIn(ledger, batches), disputed: new Set() };
}

/** The result is of other rows than these, or of rows in another order. */
const unfitting = (batches: readonly Batch[]): Makers => ({
  batches,
  sentAs: new Map(),
  disputed: new Set(),
});

const filesAt = ({ outputPath }: Batch): readonly string[] =>
  outputPath === undefined ? [] : filesOf(outputPath);

/** Whether a batch may have matched the rows that say by what they were matched: another one over the list may be in another store. */
function mayHaveMade({ header, rows }: FitResult): (batch: Batch) => boolean {
  const cellsOf = rows.map(
    ({ cells }) =>
      (column: string) =>
        cells[header.indexOf(column)] ?? '',
  );
  // Those of operations before it, which are the user's by now, have other names.
  const matched = matchedRows(isOutput(header) ? ['_matched_by'] : [], cellsOf);
  return ({ settings }) => mayHaveMatched(columnsOf(settings)?.columns ?? {}, matched);
}

/**
 * Whether an output has our columns of each operation, of which those behind the first have a word of it in their names; or the
 * reasons of rows that need attention begin with an operation.
 */
function isOfAll({ header, rows }: FitResult, parts: readonly Batch[]): boolean {
  if (!isOutput(header)) {
    const at = header.indexOf('_reason');
    return rows.some(({ cells }) => parts.some(({ operation }) => cells[at]?.startsWith(`${operation}: `)));
  }
  const isThere = (suffix: string): boolean =>
    OUR_COLUMNS.every((name) => header.includes(`${name}${suffix}`));
  const suffixed = parts.filter((batch) => isThere(`_${suffixOf(batch)}`));
  return suffixed.length >= parts.length - 1;
}

/** Of each operation that may have found what the result says the batch that it fits best. */
async function likelyMakers(
  ledger: LedgerReader,
  batches: readonly Batch[],
  said: FitResult,
): Promise<Makers | undefined> {
  const groups = new Map<string, Batch[]>();
  for (const batch of batches) {
    const key = JSON.stringify([batch.operation, columnsOf(batch.settings)?.columns]);
    groups.set(key, [...(groups.get(key) ?? []), batch]);
  }
  const likely = likelyOf([...groups.values()], said);
  const fits: Makers[] = [];
  for (const group of likely) {
    const fit = await fittingMakers(
      ledger,
      group.map((batch) => [batch]),
      said,
    );
    if (fit !== undefined) fits.push(fit);
  }
  const [only, ...more] = fits;
  if (only === undefined) {
    const newest = likely.flatMap((group) => group.slice(0, 1));
    return newest.length === 0 ? undefined : unfitting(newest);
  }
  if (more.length === 0) return only;
  const all = fits.flatMap((fit) => fit.batches);
  const disputed = new Set(fits.flatMap((fit) => [...fit.disputed]));
  const sentAs = await sentIn(ledger, all);
  return { batches: all, sentAs: new Map([...sentAs].filter(([row]) => !disputed.has(row))), disputed };
}

function likelyOf(
  groups: readonly (readonly Batch[])[],
  { header, rows }: FitResult,
): readonly (readonly Batch[])[] {
  const at = header.indexOf('_matched_by');
  const words = new Set(rows.map(({ cells }) => cells[at] ?? ''));
  words.delete('');
  const likely = groups.filter(([batch]) =>
    [...words].every((word) => batch && columnsOf(batch.settings)?.columns[word] !== undefined),
  );
  return groups.length < 2 || likely.length === 0 ? groups : likely;
}

/**
 * Says how well a result fits what some batches were sent: the numbers of its rows mean something only for the list that they were
 * made of, and a list that was run again has other rows at these numbers.
 */

/** The hashes of what each row was finished from, one for each batch. */
type SentAs = ReadonlyMap<RowNumber, readonly number[]>;

interface Makers {
  readonly batches: readonly Batch[];
  /** Empty where the result does not fit what they were sent, so that its identifiers alone tell its rows apart. */
  readonly sentAs: SentAs;
  /** Rows of which other batches that fit as well were sent something else. */
  readonly disputed: ReadonlySet<RowNumber>;
}

interface Fit {
  readonly batches: readonly Batch[];
  readonly sentAs: SentAs;
  readonly share: number;
  readonly same: number;
}

interface FitResult {
  readonly header: readonly string[];
  readonly rows: readonly { readonly row: RowNumber; readonly cells: readonly string[] }[];
}

async function fitResult({ sheet }: OpenedFile): Promise<FitResult> {
  const header = await sheet.header();
  const statusAt = isOutput(header) ? header.indexOf('_status') : undefined;
  const numberAt = header.indexOf('_row');
  const rows: { row: RowNumber; cells: readonly string[] }[] = [];
  for await (const group of sheet.groups()) {
    for (const { row, cells, unreadable } of group) {
      if (unreadable !== undefined) continue;
      if (statusAt === undefined) rows.push({ row: Number(cells[numberAt]), cells });
      else if (!isOpen(cells[statusAt] ?? '')) rows.push({ row, cells });
    }
  }
  return { header, rows };
}

/** @param sets those who may have made the result, the likeliest first. @returns undefined where it fits none of them. */
async function fittingMakers(
  ledger: LedgerReader,
  sets: readonly (readonly Batch[])[],
  result: FitResult,
): Promise<Makers | undefined> {
  const fits: Fit[] = [];
  for (const batches of sets) {
    const fit = await fitOf(ledger, batches, result);
    // Fewer than half may be a coincidence.
    if (fit.share > 0.5) fits.push(fit);
    if (fit.same === result.rows.length) break;
  }
  const [best] = fits.sort((a, b) => b.share - a.share || b.same - a.same);
  if (best === undefined) return undefined;
  const equal = fits.filter(({ share, same }) => share === best.share && same === best.same);
  const isDisputed = (row: RowNumber, inputs: readonly number[]): boolean =>
    equal.some(({ sentAs }) => sentAs.get(row)?.join() !== inputs.join());
  const disputed = new Set([...best.sentAs].flatMap(([row, inputs]) => (isDisputed(row, inputs) ? row : [])));
  const sentAs = new Map([...best.sentAs].filter(([row]) => !disputed.has(row)));
  return { batches: best.batches, sentAs, disputed };
}

async function fitOf(
  ledger: LedgerReader,
  batches: readonly Batch[],
  { header, rows }: FitResult,
): Promise<Fit> {
  const sentAs = await sentIn(ledger, batches);
  const inputsOf = batches.map(({ settings }) => rowInputOf(columnsOf(settings)?.columns ?? {}, header));
  const said = rows.map(({ row, cells }) => ({
    row,
    input: inputsOf.map((inputOf) => inputOf({ cells })).join(' '),
  }));
  const sent = new Map([...sentAs].map(([row, inputs]) => [row, inputs.join(' ')]));
  const numbers = isOutput(header) ? numbersOf(said, sent) : said.map(({ row }) => row);
  const same = said.filter(({ input }, at) => sent.get(numbers[at] ?? 0) === input).length;
  const fitting = isOutput(header) ? same : await countAttention(ledger, batches, rows);
  return { batches, sentAs, share: rows.length === 0 ? 0 : fitting / rows.length, same };
}

async function countAttention(
  ledger: LedgerReader,
  batches: readonly Batch[],
  rows: FitResult['rows'],
): Promise<number> {
  let count = 0;
  for (const { row } of rows) {
    if (!Number.isSafeInteger(row)) continue;
    const records = await Promise.all(batches.map(({ id }) => ledger.rows(id, row, 1)));
    const needs = records.flat().some((each) => each.row === row && ATTENTION_KINDS.has(each.outcome.kind));
    if (needs) count += 1;
  }
  return count;
}

/** What each row was finished from, for those that all of the batches have finished. */
async function sentIn(ledger: LedgerReader, batches: readonly Batch[]): Promise<SentAs> {
  const sent = new Map<RowNumber, number[]>();
  for (const { id } of batches) {
    for await (const { row, input } of finishedRows(ledger, id))
      if (input !== null) sent.set(row, [...(sent.get(row) ?? []), input]);
  }
  return new Map([...sent].filter(([, inputs]) => inputs.length === batches.length));
}
