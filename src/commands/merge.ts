import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { isAttention, isOutput } from '../core/our-columns.ts';
import { byFlag, phrase } from '../core/phrase.ts';
import { counted, foreignName, plainText } from '../core/plain-text.ts';
import { EXIT } from '../core/stops.ts';
import {
  cellReader,
  type Merge,
  type MergeFacts,
  numberIn,
  openResult,
  openTable,
  planMerge,
  type Result,
} from '../files/merging.ts';
import { automaticNames, columnsBeside } from '../files/output/output.ts';
import { modeLike, type Ownership, writeOwnFile } from '../files/output/own-files.ts';
import { settingsKept } from '../job/job-settings.ts';
import type { Batch, LedgerReader } from '../ledger/ledger.ts';
import { checkWritable } from '../lib/atomic-file.ts';
import { endingOf, nameParts } from '../lib/file-name.ts';
import { eachLedgerThere, lookInto } from '../run/open-ledger.ts';
import { argument, command, text } from './shared/command.ts';
import { COMMON } from './shared/input.ts';
import { READ, readOf } from './shared/job-entries.ts';

export default command({
  name: 'merge',
  summary: 'Puts a result, or corrected rows, into your own file, even if you have edited it since.',
  details:
    'It takes our columns of an output, and the corrected cells of a needs-attention file; ' +
    'every other cell of yours stays, and no file is replaced. ' +
    'A row is found by what was sent for it, then by its other cells and their order. ' +
    'What fits no row for certain, or was changed on both sides, is listed and not written, ' +
    'and the exit code is 3.',
  example: 'merge leads.enriched.xlsx leads.xlsx -o leads.merged.xlsx',
  faces: ['terminal', 'library'],
  input: z.strictObject({
    ...COMMON,
    result: argument(z.string(), 'an output, or the file of rows that need attention, edited or not'),
    into: argument(z.string(), 'your own file, sorted or edited as you like'),
    ...READ,
    output: text('where the merged file goes; left out: NAME.merged beside your own', '<file>', {
      short: 'o',
    }),
  }),
  output: z.object({
    output: z.string(),
    rows: z.number(),
    found: z.number(),
    mended: z.number(),
    nowhere: z.array(z.object({ row: z.number(), identifiers: z.array(z.string()) })),
    kept: z.array(z.object({ row: z.number(), column: z.string(), kept: z.string(), result: z.string() })),
  }),
  async run({ result: path, into: intoPath, output: named, store, ...read }, { console }) {
    const result = await openResult(path);
    const maker = await makerOf(result, store);
    // The header of the user's file is the row with the columns that were sent.
    const into = await openTable(intoPath, { ...readOf(read), wanted: Object.values(maker.columns) });
    const output = await outputOf(named, result.path, into.path);
    const mode = await modeLike(into.path);
    const beforePlacing = (): Promise<void> => into.file.requireUnchanged();
    // Each merged file may have cells that no other file has, so no merge replaces an earlier file.
    const ownership: Ownership = { isOurs: async () => false, say: console.say, whyKept: 'is there already' };
    const merged = await lookInto(maker.location, async (ledger) => {
      const known = await knownOf(ledger, maker, result);
      const { chunks, ...planned } = await planMerge({ result, into, known, note: console.say });
      const written = await writeOwnFile({ path: output, mode, chunks: chunks(), beforePlacing }, ownership);
      return { output: written, ...planned };
    });
    return {
      lines: [merged.output],
      warnings: wordsOf(merged),
      exitCode: merged.nowhere.length + merged.kept.length > 0 ? EXIT.attention : EXIT.done,
      object: merged,
    };
  },
});

/** `leads.xlsx` → `leads.merged.xlsx`, so that no file of the user's is replaced. */
async function outputOf(named: string | undefined, result: string, into: string): Promise<string> {
  const { stem, ending } = nameParts(into);
  const path = resolve(named ?? join(dirname(into), `${stem}.merged${ending}`));
  if (endingOf(path) !== endingOf(into)) {
    const fact = `The output must be the same kind of file as ${into}, and the name ${path} says otherwise.`;
    throw stop('output', fact, `Give it the ending ${ending}.`);
  }
  for (const taken of [result, into]) {
    if (path === taken)
      throw stop(
        'output',
        `The output ${path} is also an input.`,
        phrase`Name another file ${byFlag('-o')}.`,
      );
  }
  await checkWritable(path);
  return path;
}

// --------------------------------------------------------------------------------- which batch made a result

interface Maker {
  readonly batch: Batch;
  readonly location: string;
  readonly columns: MergeFacts['columns'];
  /**
   * How surely the batch made the result: 3 if it wrote these bytes, 2 if it wrote to that path, else the
   * share of the cells that are also in its list.
   */
  readonly fit: number;
}

/** A smaller share may fit by coincidence. */
const LEAST_SHARE = 0.5;

/** This many rows suffice to recognise their list. */
const ROWS_COMPARED = 200;

/**
 * @throws StopError `input` where no batch is known to have made the result: then no one knows which
 * identifiers were sent for its rows.
 */
async function makerOf(result: Result, store: string | undefined): Promise<Maker> {
  const makers = await eachLedgerThere(store, (ledger, location) => makersIn(ledger, location, result));
  const [maker] = makers.flat().sort((a, b) => b.fit - a.fit || b.batch.createdAtMs - a.batch.createdAtMs);
  if (maker !== undefined) return maker;
  const fact = `No batch of the store has made ${result.path}, so what was sent for its rows is not known.`;
  throw stop(
    'input',
    fact,
    phrase`Name the store that made it ${byFlag('--store')}, or merge the file as it was written.`,
  );
}

/**
 * The batches that may have made a result. A result that no batch noted is recognised by the cells of its
 * rows, if it says the numbers of these rows in the list.
 */
async function makersIn(ledger: LedgerReader, location: string, result: Result): Promise<readonly Maker[]> {
  const sha256 = await result.file.sha256();
  const noted = await ledger.writers(result.path, sha256);
  const makers: Maker[] = [];
  for (const batch of await ledger.batches()) {
    const columns = settingsKept(batch.settings).columns;
    if (!Object.values(columns).every((column) => result.header.includes(column))) continue;
    const ownNotes = noted.filter((each) => each.batch === batch.id);
    const share = noted.length === 0 ? await shareOf(ledger, batch, result) : 0;
    const fit = ownNotes.length === 0 ? share : ownNotes.some((each) => each.sha256 === sha256) ? 3 : 2;
    if (fit > LEAST_SHARE) makers.push({ batch, location, columns, fit });
  }
  return makers;
}

async function shareOf(ledger: LedgerReader, batch: Batch, result: Result): Promise<number> {
  const rows = result.rows.slice(0, ROWS_COMPARED);
  const ownNames = batch.header.filter((name) => result.header.includes(name));
  const before = await rowsOf(ledger, batch, { ...result, rows });
  const cellsOf = cellReader(result.header);
  const same = rows.flatMap((row) => {
    const was = before.get(numberIn(result, row));
    return ownNames.filter((name) => was?.(name) === cellsOf(row)(name));
  });
  return same.length / Math.max(1, rows.length * ownNames.length);
}

/** The rows of a result, with their cells in the list. */
async function rowsOf(ledger: LedgerReader, batch: Batch, result: Result): Promise<MergeFacts['before']> {
  const numbers = result.rows.map((row) => numberIn(result, row));
  const cellsOf = cellReader(batch.header);
  const rows = await ledger.cellsOf(batch.id, numbers.filter(Number.isSafeInteger));
  return new Map([...rows].map(([number, row]) => [number, cellsOf(row)]));
}

async function knownOf(ledger: LedgerReader, { batch, columns }: Maker, result: Result): Promise<MergeFacts> {
  const job = settingsKept(batch.settings);
  const names = job.add
    ? Object.keys(job.add)
    : await automaticNames(ledger, batch, { ...job, answerPlace: job.answer_at });
  const beside = columnsBeside(job.add, job.on_existing, job.answer_at);
  const hasOwn = isAttention(result.header) || job.on_existing === 'replace';
  return {
    columns,
    // A column that was kept is the user's.
    answers: new Map([
      ...(job.on_existing === 'keep'
        ? []
        : names.map((name) => [name, job.on_existing ?? 'refuse'] as const)),
      ...beside.map(({ name }) => [name, 'refuse'] as const),
    ]),
    // A list that was an output has columns of ours as well, and it is not known which ones.
    userColumns: new Set(isOutput(batch.header) ? [] : batch.header),
    before: hasOwn ? await rowsOf(ledger, batch, result) : new Map(),
  };
}

// ------------------------------------------------------------------------------------------ as words

/** At most this many of each kind are shown; `--json` has all. */
const MOST_SHOWN = 20;

function wordsOf({ rows, found, mended, nowhere, kept }: Omit<Merge, 'chunks'>): readonly string[] {
  const named = (words: readonly string[]): string => words.map((text) => foreignName(text)).join(', ');
  return [
    `${found} of ${counted(rows, 'row')} found in the result.`,
    ...(mended === 0
      ? []
      : [`${mended} of your cells ${mended === 1 ? 'was' : 'were'} corrected from the result.`]),
    ...shown(nowhere, ({ row, identifiers }) =>
      identifiers.length === 0
        ? `Row ${row} of the result has no identifier, and no row of your file is sure to be the same, ` +
          'so none of it was written.'
        : `Row ${row} of the result (${named(identifiers)}) fits no row of your file for certain, ` +
          'so none of it was written.',
    ),
    ...shown(
      kept,
      (cell) =>
        `Row ${cell.row}, column ${foreignName(cell.column)}: ` +
        `yours ${foreignName(plainText(cell.kept))} is kept, ` +
        `the result has ${foreignName(plainText(cell.result))}.`,
    ),
  ];
}

function shown<Item>(items: readonly Item[], wordsFor: (item: Item) => string): readonly string[] {
  const lines = items.slice(0, MOST_SHOWN).map(wordsFor);
  return items.length > MOST_SHOWN
    ? [...lines, `And ${items.length - MOST_SHOWN} more: --json has them all.`]
    : lines;
}
