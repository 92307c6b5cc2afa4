import { dirname, join, resolve } from 'node:path';
import { stop } from '../../core/errors.ts';
import type { ReadOptions } from '../../core/format.ts';
import { isOutput } from '../../core/our-columns.ts';
import { besideFolder } from '../../core/paths.ts';
import { ATTENTION_KINDS, type InputRow, type RowNumber } from '../../core/row.ts';
import { inputOf } from '../../core/steps.ts';
import type { OpenedFile } from '../../files/input.ts';
import {
  type Known,
  type Merge,
  openInto,
  openResult,
  planMerge,
  rowsOf,
  sentBy,
  type Table,
  tableOf,
} from '../../files/merging.ts';
import { automaticNames } from '../../files/output/output.ts';
import { modeLike, type Ownership, writeOwnFile } from '../../files/output/own-files.ts';
import type { OnExisting } from '../../job/job.ts';
import { columnsOf, outputSettings } from '../../job/job-settings.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { keptRows, listedRows } from '../../ledger/rows.ts';
import { checkWritable } from '../../lib/atomic-file.ts';
import { endingOf, nameParts } from '../../lib/file-name.ts';
import { eachLedgerThere, lookInto } from '../open-ledger.ts';
import { lookerNotes, notesIn } from './looker-notes.ts';

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
  const into = await openInto(request.into, request.read, result);
  const output = await outputOf(request, result, into);
  const maker = await makerOf(await tableOf(result), store);
  const mode = await modeLike(into.path);
  const beforePlacing = (): Promise<void> => into.file.requireUnchanged();
  // Each merge may have cells that no other has, so none takes the place of one before.
  const own: Ownership = { isOurs: async () => false, say: note, whyKept: 'is there already' };
  const write = async (known: Known | undefined, noting: Partial<Ownership>): Promise<Merged> => {
    const { chunks, ...planned } = await planMerge({ result, into, known, note });
    const written = await writeOwnFile(
      { path: output, mode, chunks: chunks(), beforePlacing },
      { ...own, ...noting },
    );
    return { ...planned, output: written };
  };
  if (maker === undefined) return write(undefined, {});
  const { location, fits } = maker;
  return lookInto(location, async (ledger) => {
    const { noteWritten } = lookerNotes(location, ledger, fits[0].batch.id);
    return write(await knownOf(ledger, maker, isOutput(await result.sheet.header())), { noteWritten });
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

// ------------------------------------------------------------------------------------------ which batch made a result

interface Fit {
  readonly batch: Batch;
  readonly columns: Readonly<Record<string, string>>;
  /** What each row was sent as, by its hash. */
  readonly sent: ReadonlyMap<RowNumber, number>;
  /** How much of the result may be its: from 0 to 1. */
  readonly share: number;
}

interface Maker {
  readonly location: string;
  /** How sure it is: it wrote these bytes, or wrote last at that path, or fits. */
  readonly rank: 3 | 2 | 1;
  /** Several where they fit as well as each other. */
  readonly fits: readonly [Fit, ...Fit[]];
}

interface Said extends Table {
  readonly rows: readonly InputRow[];
  /** By what its rows were matched. */
  readonly words: ReadonlySet<string>;
}

async function makerOf(table: Table, store: string | undefined): Promise<Maker | undefined> {
  const rows: InputRow[] = [];
  for await (const row of rowsOf(table)) rows.push(row);
  const words = rows.flatMap((row) => table.cellsOf(row)('_matched_by').split(/\+|; /));
  const said: Said = { ...table, rows, words: new Set(words.filter((word) => word !== '')) };
  const found = await eachLedgerThere(store, async (ledger, location) => {
    const maker = await makerIn(ledger, location, said);
    return maker === undefined ? [] : [{ ...maker, location }];
  });
  return found.flat().sort((a, b) => b.rank - a.rank || b.fits[0].share - a.fits[0].share)[0];
}

/** Fewer rows than that may fit by coincidence. */
const LEAST_SHARE = 0.5;

async function makerIn(
  ledger: LedgerReader,
  location: string,
  said: Said,
): Promise<Omit<Maker, 'location'> | undefined> {
  const [batches, sha256] = [await ledger.batches(), await said.file.sha256()];
  const noted = [...(await ledger.writers(said.path, sha256)), ...notesBeside(location, said.path, sha256)];
  const writers = batches.filter(({ id }) =>
    noted.some((each) => each.batch === id && each.sha256 === sha256),
  );
  const [writer] = writers;
  if (writer !== undefined) return best(3, [await fitOf(ledger, writer, said)]);
  const fits: Fit[] = [];
  for (const batch of batches) {
    const columns = columnsOf(batch.settings)?.columns ?? {};
    const isKin =
      said.words.size === 0 || Object.keys(columns).some((input) => said.words.has(inputOf(input)));
    if (!isKin || !Object.values(columns).every((column) => said.header.includes(column))) continue;
    const fit = await fitOf(ledger, batch, said);
    if (fit.share > LEAST_SHARE) fits.push(fit);
  }
  const isLast = ({ batch }: Fit): boolean => noted.some((each) => each.batch === batch.id);
  const share = Math.max(...fits.map((fit) => fit.share));
  const equal = fits.filter((fit) => fit.share === share);
  // An output says itself what was sent, so that of batches over the same columns each says the same of it.
  const isFirst = ({ columns }: Fit, at: number): boolean =>
    equal.findIndex((fit) => isSame(fit.columns, columns)) === at;
  return (
    best(2, fits.filter(isLast).slice(0, 1)) ?? best(1, isOutput(said.header) ? equal.filter(isFirst) : equal)
  );
}

function best(rank: Maker['rank'], [first, ...more]: readonly Fit[]): Omit<Maker, 'location'> | undefined {
  return first && { rank, fits: [first, ...more] };
}

const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

const notesBeside = (location: string, path: string, sha256: string) =>
  notesIn(besideFolder(location)).flatMap((noted) =>
    noted.sha256s
      .filter((each) => each === sha256 || noted.path === path)
      .map((each) => ({ batch: noted.batch, sha256: each })),
  );

async function fitOf(ledger: LedgerReader, batch: Batch, said: Said): Promise<Fit> {
  const columns = columnsOf(batch.settings)?.columns ?? {};
  const sent = new Map<RowNumber, number>();
  const attention = new Set<RowNumber>();
  for await (const { row, input, kind } of listedRows(ledger, batch.id)) {
    if (input !== null) sent.set(row, input);
    if (ATTENTION_KINDS.has(kind)) attention.add(row);
  }
  const all = new Set([...sent.values()].map(String));
  const ownOf = sentBy([columns], said.header);
  const isIts = isOutput(said.header)
    ? (row: InputRow) => all.has(ownOf(row))
    : (row: InputRow) => attention.has(Number(said.cellsOf(row)('_row')));
  const share = said.rows.filter(isIts).length / Math.max(1, said.rows.length);
  return { batch, columns, sent, share };
}

// ------------------------------------------------------------------------------------------ what the ledger knows

async function knownOf(ledger: LedgerReader, { fits }: Maker, isOutput: boolean): Promise<Known> {
  const groups = [...Map.groupBy(fits, ({ columns }) => JSON.stringify(columns)).values()];
  const sent = new Map<RowNumber, string>();
  const counts = new Map<string, number>();
  for (const row of fits[0].sent.keys()) {
    const inputs = groups.map((group) => new Set(group.map((fit) => fit.sent.get(row))));
    // Where two batches were sent something else for the row, nobody knows which of them is meant.
    if (inputs.some((each) => each.size > 1 || each.has(undefined))) continue;
    const text = inputs.flatMap((each) => [...each]).join(' ');
    sent.set(row, text);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const answers = isOutput ? await answersOf(ledger, fits) : new Map<string, OnExisting>();
  const before: Known['before'] = isOutput ? new Map() : await rowsBefore(ledger, fits[0].batch);
  return { columns: groups.map(([fit]) => fit?.columns ?? {}), sent, counts, answers, before };
}

async function answersOf(ledger: LedgerReader, fits: Maker['fits']): Promise<Known['answers']> {
  const answers = new Map<string, OnExisting>();
  for (const { batch } of fits) {
    const job = outputSettings(batch.settings);
    const names = job.add ? Object.keys(job.add) : await automaticNames(ledger, batch, job);
    // A column that was kept is the user's.
    for (const name of job.onExisting === 'keep' ? [] : names) answers.set(name, job.onExisting);
  }
  return answers;
}

/** The rows of the list as the store keeps them. */
async function rowsBefore(ledger: LedgerReader, batch: Batch): Promise<Known['before']> {
  const rows = new Map<RowNumber, (column: string) => string>();
  for await (const group of keptRows(ledger, batch))
    for (const { row, cells, unreadable } of group)
      if (unreadable === undefined) rows.set(row, (column) => cells[batch.header.indexOf(column)] ?? '');
  return rows;
}
