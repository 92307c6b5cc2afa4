import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { stop } from '../core/errors.ts';
import type { ReadOptions } from '../core/format.ts';
import { isAttention, isOutput } from '../core/our-columns.ts';
import type { InputRow, RowNumber } from '../core/row.ts';
import { replaceFile } from '../lib/atomic-file.ts';
import { isJsonLinesName } from '../lib/file-name.ts';
import { CellSafety } from '../lib/formulas.ts';
import { type OpenedFile, openFile } from './input.ts';
import type { Matches } from './merging/matching.ts';
import type { MergeColumns } from './merging/merge-columns.ts';
import { TableOf, type TableRow } from './merging/merge-table.ts';
import { type KeptCell, MergedCells, type RowPair } from './merging/merged-cells.ts';
import {
  beforeIn,
  type Known,
  type ResultRow,
  rowsAlike,
  sentTexts,
  type ToldApart,
  tellApart,
} from './merging/told-apart.ts';
import { isWorkbookName } from './output/output.ts';

/**
 * Puts a result into a file that its user has edited since: our columns, and the cells that she has mended in the result.
 * Every other cell of hers stays. The result is held in memory; her file streams.
 */

export type { KnownJob } from './merging/answer-columns.ts';
export { matchedRows, mayHaveMatched } from './merging/likely-identifiers.ts';
export type { KeptCell } from './merging/merged-cells.ts';
export { isOpen, numbersOf } from './merging/result-places.ts';

export interface MergeOrder {
  readonly result: OpenedFile;
  readonly into: OpenedFile;
  readonly read: ReadOptions;
  readonly known: Known | undefined;
  readonly note: (sentence: string) => void;
}

export interface Merge {
  /** Rows of the file that gets the result, and how many of them have one. */
  readonly rows: number;
  readonly found: number;
  /** How many of these stand at another row than they did. */
  readonly moved: number;
  /** Cells of the user that were mended in the result, and those in a column that the job adds, which get an answer. */
  readonly mended: number;
  readonly filled: number;
  readonly nowhere: readonly NowhereRow[];
  /** Cells that say something else in both files. Known when all was written. */
  readonly kept: readonly KeptCell[];
  chunks(): AsyncIterable<Buffer>;
}

/** A row of the result of which no row of the file is sure to be the same. */
export interface NowhereRow {
  readonly row: RowNumber;
  /** Its identifiers, as the result has them. */
  readonly identifiers: readonly string[];
  /** The rows of the file that it may be: those that say the same, and have no other row of the result. */
  readonly mayBe: readonly RowNumber[];
  /** Those that say the same, and have another one. */
  readonly taken: readonly RowNumber[];
}

/** Opens a result. One of ours may stand on a sheet of its own, where it had no place on the user's. */
export async function openResult(path: string): Promise<OpenedFile> {
  const opened = await openFile(path);
  const header = await opened.sheet.header();
  if (isOutput(header) || isAttention(header)) return opened;
  const tab = opened.sheet.tabs?.findLast(({ name }) => name.startsWith('Rowonce'));
  return tab === undefined ? opened : openFile(path, { sheet: tab.name });
}

/** @throws StopError `input` where the two do not belong together, or nothing may be written into the second. */
export async function planMerge(order: MergeOrder): Promise<Merge> {
  const { result, into, known } = order;
  requireWritable(into);
  const [from, to] = [await TableOf.open(result, known), await TableOf.open(into, known)];
  const told = await tellApart(from, to, known);
  const { columns, results, lines, matches } = told;
  const cells = new MergedCells(columns, known?.isAsWritten ?? false);
  const pairOf = pairing({ results, matches, known, textFor: textsIn(into.path, columns) });
  for await (const group of to.groups())
    for (const row of group) {
      const pair = pairOf(row, to);
      if (pair !== undefined) cells.takeShared(pair);
    }
  const filled = cells.corrections.filter(({ column }) => columns.answered.has(column));
  const moved = [...matches.byRow].filter(([row, at]) => results[at]?.row !== row);
  return {
    rows: lines.length,
    found: matches.byRow.size,
    moved: moved.length,
    mended: cells.corrections.length - filled.length,
    filled: filled.length,
    nowhere: nowhereIn(told, known),
    kept: cells.kept,
    chunks: () => written(order, columns, cells, pairOf),
  };
}

function requireWritable({ path, sheet: { whyNew } }: OpenedFile): void {
  if (whyNew === undefined) return;
  const [first = '', ...rest] = whyNew.next;
  throw stop(
    'input',
    `Nothing can be written into ${path}: ${whyNew.fact}.`,
    `${first.toUpperCase()}${rest.join('')}.`,
  );
}

function nowhereIn(told: ToldApart, known: Known | undefined): readonly NowhereRow[] {
  const { columns, results, matches } = told;
  const alike = rowsAlike(told, known);
  const nowhere = new Set(matches.nowhere);
  return results
    .filter((_, at) => nowhere.has(at))
    .map((line) => {
      const cells = columns.identifiers.map(({ column }) => line.cell(column));
      const rows = alike(line);
      return {
        row: line.shown,
        identifiers: cells.filter((text) => text !== ''),
        mayBe: rows.filter((row) => !matches.byRow.has(row)),
        taken: rows.filter((row) => matches.byRow.has(row)),
      };
    });
}

interface Found {
  readonly results: readonly ResultRow[];
  readonly matches: Matches;
  readonly known: Known | undefined;
  readonly textFor: TextFor;
}

interface Pair extends RowPair {
  readonly from: TableRow;
}

type TextFor = (column: string, cell: string) => string;

/** What was found is no formula in a table of texts, whatever kind of file the result is. */
function textsIn(path: string, { added, answered }: MergeColumns): TextFor {
  const safety = new CellSafety(isWorkbookName(path) || isJsonLinesName(path) ? 'raw' : 'safe');
  const foreign = new Set([...added, ...answered]);
  return (column, cell) => (foreign.has(column) ? safety.cell(cell) : cell);
}

type PairOf = (row: InputRow, table: TableOf) => Pair | undefined;

function pairing({ results, matches, known, textFor }: Found): PairOf {
  const sentAs = sentTexts(known);
  return (row, table) => {
    const result = results[matches.byRow.get(row.row) ?? -1];
    if (result === undefined) return undefined;
    const sent = sentAs.get(result.row);
    return {
      row: row.row,
      from: result,
      into: table.rowOf(row).cell,
      result: (column) => textFor(column, result.cell(column)),
      resultJson: result.isText ? undefined : result.json,
      before: known && beforeIn(known, result.row),
      isDoubtful: matches.doubtful.has(row.row),
      isAsSent:
        sent === undefined ? undefined : { into: table.inputOf(row) === sent, result: result.input === sent },
    };
  };
}

/** The file with what is mended in its own cells, and then with ours in it. */
async function* written(
  order: MergeOrder,
  columns: MergeColumns,
  cells: MergedCells,
  pairOf: PairOf,
): AsyncIterable<Buffer> {
  const { corrections } = cells;
  const { sheet, path } = order.into;
  if (corrections.length === 0) {
    yield* withAdded(order, order.into, columns, cells, pairOf);
    return;
  }
  const mended = sheet.corrected(corrections, order.note);
  if (columns.added.length === 0) {
    yield* mended;
    return;
  }
  // Two steps, because a format either mends cells or adds some. What is between them goes when it was read.
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-'));
  try {
    const between = join(folder, basename(path));
    await replaceFile(between, 0o600, mended);
    // What is mended may say something else about where the table ends, and its rows are those that were matched.
    const mendedFile = await openFile(between, { ...order.read, asBefore: sheet.layout });
    yield* withAdded(order, mendedFile, columns, cells, pairOf);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function withAdded(
  { note }: MergeOrder,
  opened: OpenedFile,
  { added, replaced }: MergeColumns,
  cells: MergedCells,
  pairOf: PairOf,
): AsyncIterable<Buffer> {
  const { path, sheet } = opened;
  const isJson = isJsonLinesName(path);
  return sheet.copy({ columns: added, dropped: replaced, note, isJson }, async (rows) => {
    const table = await TableOf.open(opened, undefined);
    return rows.map((row) => {
      const own = table.rowOf(row);
      const pair = pairOf(row, table);
      const sides = pair && cells.added(pair);
      return added.map((name, at) => {
        if (pair === undefined || sides?.[at] === 'into') return isJson ? own.json(name) : own.cell(name);
        return isJson ? pair.from.json(name) : pair.result(name);
      });
    });
  });
}
