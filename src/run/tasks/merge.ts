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
  sentOf,
  type Table,
  tableOf,
} from '../../files/merging.ts';
import { automaticNames } from '../../files/output/output.ts';
import { modeLike, type Ownership, writeOwnFile } from '../../files/output/own-files.ts';
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
  const maker = await makerOf(await tableOf(result), store);
  // Her header is the row that has what was sent.
  const wanted = Object.values(maker?.columns ?? {});
  const into = await openInto(request.into, { ...request.read, wanted });
  const output = await outputOf(request, result, into);
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
  const { location, batch } = maker;
  return lookInto(location, async (ledger) => {
    const { noteWritten } = lookerNotes(location, ledger, batch.id);
    return write(await knownOf(ledger, maker), { noteWritten });
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
  readonly location: string;
  readonly columns: Readonly<Record<string, string>>;
  /** What each row was sent as, by its hash. */
  readonly sent: ReadonlyMap<RowNumber, number>;
  /** Rows of the list that a needs-attention file names. */
  readonly before: Known['before'];
  /** How sure it is: 3 where it wrote these bytes, 2 where it wrote last at that path; and how much of the result may be its. */
  readonly rank: number;
  readonly share: number;
}

interface Said extends Table {
  readonly rows: readonly InputRow[];
  /** By what its rows were matched. */
  readonly words: ReadonlySet<string>;
}

/** The batch that made a result; of those that fit as well as each other the newest. */
async function makerOf(table: Table, store: string | undefined): Promise<Fit | undefined> {
  const rows: InputRow[] = [];
  for await (const row of rowsOf(table)) rows.push(row);
  const words = rows.flatMap((row) => table.cellsOf(row)('_matched_by').split(/\+|; /));
  const said: Said = { ...table, rows, words: new Set(words.filter((word) => word !== '')) };
  const found = await eachLedgerThere(store, (ledger, location) => fitsIn(ledger, location, said));
  const fits = found.filter((fit) => fit !== undefined);
  return fits.sort((a, b) => b.rank - a.rank || b.share - a.share)[0];
}

/** Less of it may fit by coincidence. */
const LEAST_SHARE = 0.5;

async function fitsIn(ledger: LedgerReader, location: string, said: Said): Promise<Fit | undefined> {
  const sha256 = await said.file.sha256();
  const beside = notesIn(besideFolder(location)).flatMap(({ path, sha256s, batch }) =>
    sha256s.filter((each) => each === sha256 || path === said.path).map((each) => ({ batch, sha256: each })),
  );
  const noted = [...(await ledger.writers(said.path, sha256)), ...beside];
  const rankOf = ({ id }: Batch): number => {
    const own = noted.filter(({ batch }) => batch === id);
    return own.some((each) => each.sha256 === sha256) ? 3 : own.length > 0 ? 2 : 1;
  };
  const ranked = (await ledger.batches()).map((batch) => ({ batch, rank: rankOf(batch) }));
  let best: Fit | undefined;
  for (const { batch, rank } of ranked.sort((a, b) => b.rank - a.rank)) {
    // Whole lists are read for it.
    if (best !== undefined && best.rank > rank) break;
    const columns = columnsOf(batch.settings)?.columns ?? {};
    const inputs = Object.keys(columns).map(inputOf);
    const isKin = [...said.words].every((word) => inputs.includes(word));
    if (!isKin || !Object.values(columns).every((column) => said.header.includes(column))) continue;
    const fit = await fitOf(ledger, batch, columns, said);
    // Also of a batch that wrote it nothing is known once the cells of its list were erased.
    if (fit.share > Math.max(LEAST_SHARE, best?.share ?? 0))
      best = { batch, location, columns, rank, ...fit };
  }
  return best;
}

async function fitOf(
  ledger: LedgerReader,
  batch: Batch,
  columns: Fit['columns'],
  said: Said,
): Promise<Pick<Fit, 'sent' | 'before' | 'share'>> {
  const sent = new Map<RowNumber, number>();
  const sentFor = sentOf(columns, batch.header);
  for await (const rows of keptRows(ledger, batch)) for (const row of rows) sent.set(row.row, sentFor(row));
  if (isOutput(said.header)) {
    const [all, ownOf] = [new Set(sent.values()), sentOf(columns, said.header)];
    const share = said.rows.filter((row) => all.has(ownOf(row))).length / Math.max(1, said.rows.length);
    return { sent, before: new Map(), share };
  }
  const attention = new Set<RowNumber>();
  for await (const { row, kind } of listedRows(ledger, batch.id))
    if (ATTENTION_KINDS.has(kind)) attention.add(row);
  const before = new Map<RowNumber, (column: string) => string>();
  const own = batch.header.filter((name) => said.header.includes(name));
  const named = new Map(said.rows.map((row) => [Number(said.cellsOf(row)('_row')), said.cellsOf(row)]));
  let share = 0;
  for (const [row, { cells }] of await ledger.cellsOf(
    batch.id,
    [...named.keys()].filter(Number.isSafeInteger),
  )) {
    const was = (column: string): string => cells[batch.header.indexOf(column)] ?? '';
    before.set(row, was);
    // Of several batches in which these rows need attention it is the one in which the cells were that nobody corrected.
    const same = own.filter((name) => was(name) === named.get(row)?.(name)).length / Math.max(1, own.length);
    share += (Number(attention.has(row)) + same) / said.rows.length;
  }
  return { sent, before, share };
}

async function knownOf(ledger: LedgerReader, { batch, columns, sent, before }: Fit): Promise<Known> {
  const counts = new Map<number, number>();
  for (const input of sent.values()) counts.set(input, (counts.get(input) ?? 0) + 1);
  const job = outputSettings(batch.settings);
  const names = job.add ? Object.keys(job.add) : await automaticNames(ledger, batch, job);
  // A column that was kept is the user's.
  const answers = new Map(
    job.onExisting === 'keep' ? [] : names.map((name) => [name, job.onExisting] as const),
  );
  // A list that was an output before has ours among its columns, and nobody knows which.
  const hers = new Set(isOutput(batch.header) ? [] : batch.header);
  return { columns, sent, counts, answers, hers, before };
}
