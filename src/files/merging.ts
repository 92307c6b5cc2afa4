import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { stop } from '../core/errors.ts';
import type { ReadOptions, ValuedRow } from '../core/format.ts';
import { isAttention, isOutput } from '../core/our-columns.ts';
import type { InputRow, RowNumber } from '../core/row.ts';
import { replaceFile } from '../lib/atomic-file.ts';
import { isJsonLinesName } from '../lib/file-name.ts';
import { CellSafety } from '../lib/formulas.ts';
import { type OpenedFile, openFile, rowInputOf } from './input.ts';
import { isUnreadCopy } from './json-copy.ts';
import { ROWS_SAMPLED } from './merging/likely-identifiers.ts';
import { type IntoLine, type Matches, matchRows, type ResultLine } from './merging/matching.ts';
import { identityOf, type KnownColumns, type MergeColumns, mergeColumns } from './merging/merge-columns.ts';
import { type KeptCell, MergedCells, type RowPair } from './merging/merged-cells.ts';
import { OtherCells } from './merging/other-cells.ts';
import { NO_ROW, type Place, placesOf } from './merging/result-places.ts';
import { isWorkbookName, JSON_CELLS } from './output/output.ts';

/**
 * Puts a result into a file that its user has edited since: our columns, and the cells that she has mended in the result.
 * Every other cell of hers stays. The result is held in memory; her file streams.
 */

/** Whether nothing has come of a row of an output yet. */
export const isOpen = (status: string): boolean => ['', 'pending', 'in_doubt'].includes(status);

export type { KnownJob } from './merging/answer-columns.ts';
export type { KeptCell } from './merging/merged-cells.ts';
export { numbersOf } from './merging/result-places.ts';

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
  /** The hashes of what each row was finished from, one for each job. */
  readonly sentAs: ReadonlyMap<RowNumber, readonly number[]>;
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
  /** Cells of the user that were mended in the result, and those in a column that the job adds, which get an answer. */
  readonly mended: number;
  readonly filled: number;
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
  const [from, to] = [await TableOf.open(result, known), await TableOf.open(into, known)];
  const said = await from.rows();
  const columns = mergeColumns(named(from, said), named(to, await to.rows(ROWS_SAMPLED)), known);
  const telling: Telling = { columns, others: new OtherCells(columns, to.header, known), known };
  const results = resultRows(from, said, telling);
  const intoLines = await linesOf(to, telling);
  const matches = matchRows(results, intoLines, sentOrSaid(results, known), telling.others.isWhole);
  const cells = new MergedCells(columns, known?.isAsWritten ?? false);
  const pairOf = pairing({ results, matches, known, textFor: textsIn(into.path, columns) });
  await to.each((row) => {
    const pair = pairOf(row, to);
    if (pair !== undefined) cells.takeShared(pair);
  });
  const filled = cells.corrections.filter(({ column }) => columns.answered.has(column));
  const moved = [...matches.byRow].filter(([row, at]) => results[at]?.row !== row);
  return {
    rows: intoLines.length,
    found: matches.byRow.size,
    moved: moved.length,
    mended: cells.corrections.length - filled.length,
    filled: filled.length,
    nowhere: matches.nowhere.map((at) => nowhereRow(results[at], columns)),
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
  readonly #sheet: OpenedFile['sheet'];
  readonly #at: ReadonlyMap<string, number>;
  readonly #inputsOf: readonly ((row: InputRow) => number)[];

  private constructor({ path, sheet }: OpenedFile, header: readonly string[], known: MergeOrder['known']) {
    this.path = path;
    this.header = header;
    this.#sheet = sheet;
    this.#at = new Map(header.map((name, at) => [name, at]));
    this.#inputsOf = known?.jobs.map(({ columns }) => rowInputOf(columns, header)) ?? [];
  }

  static async open(file: OpenedFile, known: MergeOrder['known']): Promise<TableOf> {
    return new TableOf(file, await file.sheet.header(), known);
  }

  /** Its cells that are sent, as `sentTexts` has them. */
  inputOf(row: InputRow): string {
    return this.#inputsOf.map((inputOf) => inputOf(row)).join(' ');
  }

  rowOf({ cells, object }: Pick<ValuedRow, 'cells' | 'object'>): TableRow {
    const cell = (column: string): string => cells[this.#at.get(column) ?? -1] ?? '';
    if (object === undefined)
      return { cell, json: (column) => jsonOfText(column, cell(column)), isText: true };
    const valueIn = (column: string) => (Object.hasOwn(object, column) ? object[column] : undefined);
    return { cell, json: (column) => JSON_CELLS.value(valueIn(column)), isText: false };
  }

  /** Its rows at once, from the top. */
  async rows(most = Number.POSITIVE_INFINITY): Promise<readonly SourceRow[]> {
    const rows: SourceRow[] = [];
    for await (const group of this.#sheet.groups()) {
      for (const source of group) {
        if (rows.length === most) return rows;
        if (source.unreadable === undefined) rows.push({ ...this.rowOf(source), source });
      }
    }
    return rows;
  }

  /** A row that cannot be read stays as it is: nobody knows which cell belongs to which column. */
  async each(hear: (row: ValuedRow) => void): Promise<void> {
    for await (const group of this.#sheet.groups()) {
      for (const row of group) if (row.unreadable === undefined) hear(row);
    }
  }
}

/** The cells of a row by column: as text, and as JSON, which is empty where a cell says nothing. */
interface TableRow {
  readonly cell: (column: string) => string;
  readonly json: (column: string) => string;
  /** Whether its file has nothing but texts. */
  readonly isText: boolean;
}

interface SourceRow extends TableRow {
  readonly source: ValuedRow;
}

const named = ({ path, header }: TableOf, rows: readonly SourceRow[]) => ({
  ...{ path, header },
  rows: rows.map(({ cell }) => cell),
});

/** Of what we write ourselves only the credits are a number. */
function jsonOfText(column: string, text: string): string {
  const credits = Number(text);
  return JSON_CELLS.own(column === '_credits' && text !== '' && Number.isFinite(credits) ? credits : text);
}

interface ResultRow extends ResultLine, TableRow {
  /** As a row of the other file has it. */
  readonly input: string;
  /** The number by which the user knows it: its own in an output, and that of the list else. */
  readonly shown: RowNumber;
}

/** By what rows are told apart. */
interface Telling {
  readonly columns: MergeColumns;
  readonly others: OtherCells;
  readonly known: MergeOrder['known'];
}

function resultRows(from: TableOf, said: readonly SourceRow[], telling: Telling): readonly ResultRow[] {
  const { columns, others, known } = telling;
  const rows = said
    .filter(({ source }) => !isUnread(source, columns))
    .map(({ source, ...own }) => {
      const row = columns.isOutput ? source.row : Number(own.cell('_row'));
      return { ...own, row, input: inputOf(from, source, telling) };
    });
  const places = columns.isOutput ? placesIn(rows, telling) : rows.map(({ row }) => row);
  return rows.map((own, at) => {
    const place = places[at] ?? NO_ROW;
    const row = typeof place === 'number' ? place : NO_ROW;
    const before = known?.before && beforeIn(known, row);
    const told = { key: keyOf(columns, own.cell), input: own.input, other: others.of(before ?? own.cell) };
    const answer = isSentKnown(known) ? '' : answerOf(columns, own.cell);
    return { ...own, ...(place === 'unclear' ? UNCLEAR : told), answer, row, shown: own.row };
  });
}

/** All that a row was told. What was paid for an answer is another thing in each row that got it. */
function answerOf({ added, answered }: MergeColumns, cell: TableRow['cell']): string {
  const told = [...added, ...answered].filter((name) => !/^_(?:credits|source)(?:_|$)/.test(name));
  return hash('sha256', JSON.stringify(told.map(cell)), 'base64');
}

/** Which rows of the list these are. Of rows that were sent alike their other cells tell which is which, where the list is known. */
function placesIn(
  rows: readonly (TableRow & { readonly row: RowNumber; readonly input: string })[],
  { others, known }: Telling,
): readonly Place[] {
  const sentAs = sentTexts(known);
  const [once, several] = [new Set<string>(), new Set<string>()];
  for (const sent of sentAs.values()) (once.has(sent) ? several : once).add(sent);
  const textOf = (input: string, cell: TableRow['cell'] | undefined): string =>
    cell === undefined || !several.has(input) ? input : `${input} ${others.of(cell)}`;
  const said = rows.map(({ row, input, cell }) => ({
    row,
    input: textOf(input, known?.listed && cell),
    isOpen: isOpen(cell('_status')),
  }));
  const listed = [...sentAs].map(
    ([row, sent]) => [row, textOf(sent, known && beforeIn(known, row))] as const,
  );
  return placesOf(said, new Map(listed));
}

/** No row of a file is found by this. */
const UNCLEAR = { key: '', input: '', other: undefined };

/** What could not be read in the list is no row of a copy either, though it can be read there. */
function isUnread({ object }: ValuedRow, { identifiers }: MergeColumns): boolean {
  return isUnreadCopy(
    object,
    identifiers.map(({ column }) => column),
  );
}

/** The cells of a row as the list had them. */
function beforeIn(
  { before, listed }: NonNullable<MergeOrder['known']>,
  row: RowNumber,
): TableRow['cell'] | undefined {
  const cells = listed?.get(row);
  return cells && ((column) => cells[before?.indexOf(column) ?? -1] ?? '');
}

/** What a row says where it is sent; where nobody knows what was sent, what its identifiers say to the letter. */
function inputOf(table: TableOf, row: ValuedRow, { columns, known }: Telling): string {
  if (known !== undefined) return table.inputOf(row);
  const { cell } = table.rowOf(row);
  return JSON.stringify(columns.identifiers.map(({ column }) => cell(column)));
}

/** What each row was finished from, in one text. */
function sentTexts(known: MergeOrder['known']): ReadonlyMap<RowNumber, string> {
  return new Map([...(known?.sentAs ?? [])].map(([row, inputs]) => [row, inputs.join(' ')]));
}

const isSentKnown = (known: MergeOrder['known']): boolean => known !== undefined && known.sentAs.size > 0;

/** The same; where nobody knows, what the rows of the result say themselves. */
function sentOrSaid(
  results: readonly ResultRow[],
  known: MergeOrder['known'],
): ReadonlyMap<RowNumber, string> {
  if (isSentKnown(known)) return sentTexts(known);
  return new Map(results.map(({ row, input }) => [row, input]));
}

async function linesOf(to: TableOf, telling: Telling): Promise<readonly IntoLine[]> {
  const lines: IntoLine[] = [];
  await to.each((row) => {
    if (isUnread(row, telling.columns)) return;
    const { cell } = to.rowOf(row);
    const [key, other] = [keyOf(telling.columns, cell), telling.others.of(cell)];
    lines.push({ row: row.row, key, input: inputOf(to, row, telling), other });
  });
  return lines;
}

function keyOf({ identifiers }: MergeColumns, cell: (column: string) => string): string {
  const texts = identifiers.map(({ column, kind }) => identityOf(kind, cell(column)));
  return texts.every((text) => text === '') ? '' : JSON.stringify(texts);
}

function nowhereRow(line: ResultRow | undefined, { identifiers }: MergeColumns): NowhereRow {
  const filled = identifiers.map(({ column }) => line?.cell(column) ?? '').filter((text) => text !== '');
  return { row: line?.shown ?? NO_ROW, identifiers: filled };
}

interface Found {
  readonly results: readonly ResultRow[];
  readonly matches: Matches;
  readonly known: MergeOrder['known'];
  readonly textFor: TextFor;
}

interface Pair extends RowPair {
  readonly from: TableRow;
}

/** A cell of the result as the other file gets it. */
type TextFor = (column: string, cell: string) => string;

/** What was found is no formula in a table of texts, whatever kind of file the result is. */
function textsIn(path: string, { added, answered }: MergeColumns): TextFor {
  const safety = new CellSafety(isWorkbookName(path) || isJsonLinesName(path) ? 'raw' : 'safe');
  const foreign = new Set([...added, ...answered]);
  return (column, cell) => (foreign.has(column) ? safety.cell(cell) : cell);
}

type PairOf = (row: InputRow, table: TableOf) => Pair | undefined;

/** The row of the result that belongs to one of a table, beside it. */
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
    yield* withAdded(order, await openFile(between, order.read), columns, cells, pairOf);
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
