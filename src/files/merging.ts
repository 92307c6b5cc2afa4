import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { stop } from '../core/errors.ts';
import type { ReadOptions } from '../core/format.ts';
import { isAttention, isOutput } from '../core/our-columns.ts';
import type { InputRow, RowNumber } from '../core/row.ts';
import { replaceFile } from '../lib/atomic-file.ts';
import { CellSafety } from '../lib/formulas.ts';
import { type OpenedFile, openFile, rowInputOf } from './input.ts';
import { type IntoLine, type Matches, matchRows, type ResultLine } from './merging/matching.ts';
import { identityOf, type KnownColumns, type MergeColumns, mergeColumns } from './merging/merge-columns.ts';
import { type KeptCell, MergedCells, type RowPair } from './merging/merged-cells.ts';
import { isWorkbookName } from './output/output.ts';

/**
 * Puts a result into a file that its user has edited since: our columns, and the cells that she has mended in the result.
 * Every other cell of hers stays. The result is held in memory; her file streams.
 */

export type { KeptCell } from './merging/merged-cells.ts';

export interface MergeOrder {
  readonly result: OpenedFile;
  readonly into: OpenedFile;
  /** How `into` is read. */
  readonly read: ReadOptions;
  readonly known: (KnownColumns & Sent) | undefined;
  readonly note: (sentence: string) => void;
}

/** What the ledger knows about the rows of the result. */
export interface Sent {
  /** The hash of what each row was finished from. */
  readonly sentAs: ReadonlyMap<RowNumber, number>;
  /** Whether nobody has edited the result since we wrote it. */
  readonly isAsWritten: boolean;
  /** The cells of each row of the list as it was, in the order of `before`; undefined where it is not there any more. */
  readonly listed: ReadonlyMap<RowNumber, readonly string[]> | undefined;
}

export interface Merge {
  /** Rows of the file that gets the result, and how many of them have one. */
  readonly rows: number;
  readonly found: number;
  /** How many of these stand at another row than they did. */
  readonly moved: number;
  /** Cells of the user that were mended in the result. */
  readonly mended: number;
  readonly nowhere: readonly NowhereRow[];
  /** Cells that say something else in both files. Known when all was written. */
  readonly kept: readonly KeptCell[];
  chunks(): AsyncIterable<Buffer>;
}

/** A row of the result that stands nowhere in the file. */
export interface NowhereRow {
  readonly row: RowNumber;
  /** Its identifiers, as the result has them. */
  readonly identifiers: readonly string[];
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
  const [from, to] = [await TableOf.open(result), await TableOf.open(into)];
  const columns = mergeColumns(from, to, known);
  const results = await resultRows(from, columns);
  const intoLines = await linesOf(to, columns, known);
  const matches = matchRows(results, intoLines, known?.sentAs ?? new Map());
  const cells = new MergedCells(columns, known?.isAsWritten ?? false);
  const pairOf = pairing({ from, to, results, matches, known });
  await to.each((row) => {
    const pair = pairOf(row);
    if (pair !== undefined) cells.takeShared(pair);
  });
  const moved = [...matches.byRow].filter(([row, at]) => results[at]?.row !== row);
  return {
    rows: intoLines.length,
    found: matches.byRow.size,
    moved: moved.length,
    mended: cells.corrections.length,
    nowhere: matches.nowhere.map((at) => nowhereRow(results[at], from, columns)),
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

/** A file with its header, and the cells of its rows by column. */
class TableOf {
  readonly path: string;
  readonly header: readonly string[];
  readonly #file: OpenedFile;
  readonly #at: ReadonlyMap<string, number>;

  private constructor(file: OpenedFile, header: readonly string[]) {
    this.path = file.path;
    this.header = header;
    this.#file = file;
    this.#at = new Map(header.map((name, at) => [name, at]));
  }

  static async open(file: OpenedFile): Promise<TableOf> {
    return new TableOf(file, await file.sheet.header());
  }

  cellsOf(cells: readonly string[]): (column: string) => string {
    return (column) => cells[this.#at.get(column) ?? -1] ?? '';
  }

  /** A row that cannot be read stays as it is: nobody knows which cell belongs to which column. */
  async each(hear: (row: InputRow) => void): Promise<void> {
    for await (const group of this.#file.sheet.groups()) {
      for (const row of group) if (row.unreadable === undefined) hear(row);
    }
  }
}

interface ResultRow extends ResultLine {
  readonly cells: readonly string[];
}

async function resultRows(from: TableOf, columns: MergeColumns): Promise<readonly ResultRow[]> {
  const rows: ResultRow[] = [];
  await from.each(({ row, cells }) => {
    const cell = from.cellsOf(cells);
    const listed = columns.isOutput ? row : Number(cell('_row'));
    rows.push({ row: listed, key: keyOf(columns, cell), cells });
  });
  return rows;
}

async function linesOf(
  to: TableOf,
  columns: MergeColumns,
  known: MergeOrder['known'],
): Promise<readonly IntoLine[]> {
  const inputOf = rowInputOf(known?.columns ?? {}, to.header);
  const lines: IntoLine[] = [];
  await to.each((row) => {
    lines.push({ row: row.row, key: keyOf(columns, to.cellsOf(row.cells)), input: inputOf(row) });
  });
  return lines;
}

function keyOf({ identifiers }: MergeColumns, cell: (column: string) => string): string {
  const texts = identifiers.map(({ column, kind }) => identityOf(kind, cell(column)));
  return texts.every((text) => text === '') ? '' : JSON.stringify(texts);
}

function nowhereRow(line: ResultRow | undefined, from: TableOf, { identifiers }: MergeColumns): NowhereRow {
  const cell = from.cellsOf(line?.cells ?? []);
  const filled = identifiers.map(({ column }) => cell(column)).filter((text) => text !== '');
  return { row: line?.row ?? 0, identifiers: filled };
}

interface Found {
  readonly from: TableOf;
  readonly to: TableOf;
  readonly results: readonly ResultRow[];
  readonly matches: Matches;
  readonly known: MergeOrder['known'];
}

/** The row of the result that belongs to one of the file, beside it. */
function pairing({ from, to, results, matches, known }: Found): (row: InputRow) => RowPair | undefined {
  const inputIn = (table: TableOf) => rowInputOf(known?.columns ?? {}, table.header);
  const [inputOfResult, inputOfInto] = [inputIn(from), inputIn(to)];
  const beforeAt = new Map(known?.before?.map((name, at) => [name, at]));
  return (row) => {
    const result = results[matches.byRow.get(row.row) ?? -1];
    if (result === undefined) return undefined;
    const sent = known?.sentAs.get(result.row);
    const before = known?.listed?.get(result.row);
    return {
      row: row.row,
      into: to.cellsOf(row.cells),
      result: from.cellsOf(result.cells),
      before: before && ((column) => before[beforeAt.get(column) ?? -1] ?? ''),
      isAsSent:
        sent === undefined
          ? undefined
          : { into: inputOfInto(row) === sent, result: inputOfResult(result) === sent },
    };
  };
}

/** The file with what is mended in its own cells, and then with ours in it. */
async function* written(
  order: MergeOrder,
  columns: MergeColumns,
  cells: MergedCells,
  pairOf: (row: InputRow) => RowPair | undefined,
): AsyncIterable<Buffer> {
  const { corrections } = cells;
  const { sheet, path } = order.into;
  if (corrections.length === 0 || sheet.corrected === undefined) {
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
    yield* withAdded(order, await openFile(between, order.read), columns, cells, pairOf);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function withAdded(
  { note }: MergeOrder,
  { path, sheet }: OpenedFile,
  { added, replaced }: MergeColumns,
  cells: MergedCells,
  pairOf: (row: InputRow) => RowPair | undefined,
): AsyncIterable<Buffer> {
  const safety = new CellSafety(isWorkbookName(path) ? 'raw' : 'safe');
  return sheet.copy({ columns: added, dropped: replaced, note }, async (rows) => {
    const header = await sheet.header();
    return rows.map((row) => {
      const pair = pairOf(row);
      if (pair !== undefined) return cells.added(pair).map((cell) => safety.cell(cell));
      return added.map((name) => row.cells[header.indexOf(name)] ?? '');
    });
  });
}
