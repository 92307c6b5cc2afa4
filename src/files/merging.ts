import { invariant, stop } from '../core/errors.ts';
import type { Correction, ReadOptions } from '../core/format.ts';
import { calledAsIn, isAttention, isOutput, ourColumnsIn } from '../core/our-columns.ts';
import { foreignName, listed } from '../core/plain-text.ts';
import {
  ATTENTION_COLUMNS,
  FOUND_PREFIX,
  type InputRow,
  type RowNumber,
  sourceColumn,
  verdictColumn,
} from '../core/row.ts';
import { inputOf } from '../core/steps.ts';
import type { Job } from '../job/job.ts';
import { isJsonName } from '../lib/file-name.ts';
import { asItIs, safeCell } from '../lib/formulas.ts';
import type { KindName } from '../values/kind.ts';
import { isFilled } from '../values/kinds.ts';
import { kindOfFilled, kindOfInput } from './columns/column-kind.ts';
import { type OpenedFile, openFile } from './input.ts';
import { isWorkbookName } from './output/output.ts';

/**
 * Puts a result into a file that its user has edited since: our columns of an output, or the mended cells of
 * rows that need attention. A row is found by the identifiers that were sent for it. Rows with the same
 * identifiers are told apart by their other cells, and then by their order. The result is kept in memory; the
 * user's file streams.
 */

type Cells = (column: string) => string;

/** The facts that the store has about a result. */
export interface MergeFacts {
  /** Input → column. */
  readonly columns: Readonly<Record<string, string>>;
  /** The columns of answers, with what the job said of one of the user's that is called so. */
  readonly answers: ReadonlyMap<string, NonNullable<Job['on_existing']> | 'refuse'>;
  /** The columns of the user's list, without any of ours. */
  readonly userColumns: ReadonlySet<string>;
  /** Rows as they were in the list, where a cell of the result may be the list's own, and none was erased. */
  readonly before: ReadonlyMap<RowNumber, Cells>;
}

export interface Result extends OpenedFile {
  readonly header: readonly string[];
  readonly rows: readonly InputRow[];
}

export interface MergeOrder {
  readonly result: Result;
  readonly into: OpenedFile;
  readonly known: MergeFacts;
  readonly note: (sentence: string) => void;
}

export interface Merge {
  /** Rows of the file that gets the result, and how many of them have one. */
  readonly rows: number;
  readonly found: number;
  /** Cells of the user that were mended in the result. */
  readonly mended: number;
  /** Rows of the result that no row of the file surely equals, with their identifiers. */
  readonly nowhere: { row: RowNumber; identifiers: string[] }[];
  readonly kept: KeptCell[];
  chunks(): AsyncIterable<Buffer>;
}

/**
 * A cell that says something else in both files, where no one knows that one was left alone. The file's own
 * is kept.
 */
export interface KeptCell {
  readonly row: RowNumber;
  readonly column: string;
  readonly kept: string;
  readonly result: string;
}

/** @throws StopError `input` for JSON: programs join its objects by themselves. */
export async function openTable(path: string, read: ReadOptions = {}): Promise<OpenedFile> {
  if (!isJsonName(path)) return openFile(path, { ...read, large: 'unasked' });
  const next =
    'Give the whole list to run again, which buys nothing twice, or join the objects by their members.';
  throw stop('input', `${path} is JSON, and only CSV files and workbooks are merged.`, next);
}

export async function openResult(path: string): Promise<Result> {
  const opened = await openTable(path);
  const header = await opened.sheet.header();
  const rows: InputRow[] = [];
  for await (const row of rowsOf(opened)) rows.push(row);
  if (isOutput(header) || isAttention(header)) return { ...opened, header, rows };
  const fact =
    `${path} is not a result: it has neither _status and _reason beside another column of ours nor both ` +
    `of ${listed(ATTENTION_COLUMNS)}.`;
  const next = 'Name an output or a file of rows that need attention first, then your own file.';
  throw stop('input', fact, next);
}

/** Without those that cannot be read: no one knows which of their cells belongs to which column. */
async function* rowsOf({ sheet }: OpenedFile): AsyncIterable<InputRow> {
  for await (const group of sheet.groups())
    for (const row of group) if (row.unreadable === undefined) yield row;
}

export function cellReader(header: readonly string[]): (row: Pick<InputRow, 'cells'>) => Cells {
  const at = new Map(header.map((name, place) => [name, place]));
  return (row) => (column) => row.cells[at.get(column) ?? -1] ?? '';
}

/** The row of the list that a row of a result is of. */
export function numberIn({ header }: Pick<Result, 'header'>, row: InputRow): RowNumber {
  return (isAttention(header) && Number(cellReader(header)(row)('_row'))) || row.row;
}

/** @throws StopError `input` where the two do not belong together. */
export async function planMerge(order: MergeOrder): Promise<Merge> {
  const { into, known } = order;
  const header = await into.sheet.header();
  const called = calledAsIn(order.result.header, header);
  const result = { ...order.result, header: called.header };
  const columns = columnsOf(result, into.path, header, known);
  const { suffix } = called;
  const merging: MergeContext = { ...order, result, ...columns, suffix, header, cellsOf: cellReader(header) };
  const results = resultLines(merging);
  const lines: Line[] = [];
  for await (const row of rowsOf(into)) lines.push(lineOf(merging, row.row, merging.cellsOf(row)));
  const pairs = pairRows(merging, results, lines);
  const corrections: Correction[] = [];
  const keptCells: KeptCell[] = [];
  for await (const row of rowsOf(into)) {
    const from = pairs.get(row.row);
    if (from === undefined) continue;
    if (columns.isOutput) keptCells.push(...cellsAdded(merging, row, from).kept);
    else mend(merging, row, from, corrections, keptCells);
  }
  const found = new Set(pairs.values());
  return {
    rows: lines.length,
    found: pairs.size,
    mended: corrections.length,
    kept: keptCells,
    nowhere: results
      .filter((one) => !found.has(one))
      .map(({ row, cell }) => ({
        row,
        identifiers: columns.identifiers.map(({ column }) => cell(column)).filter((text) => text !== ''),
      })),
    chunks() {
      if (columns.isOutput) return withAdded(merging, pairs);
      invariant(into.sheet.corrected !== undefined, 'cells of a table can be corrected');
      return into.sheet.corrected(corrections, order.note);
    },
  };
}

interface MergeContext extends MergeOrder, MergeColumns {
  /** The header of the user's file. */
  readonly header: readonly string[];
  /** What stands behind the names of our columns in the user's file. */
  readonly suffix: string;
  readonly cellsOf: ReturnType<typeof cellReader>;
}

// ------------------------------------------------------------------------------------------ the columns

interface Identifier {
  readonly column: string;
  readonly kind: KindName | undefined;
}

interface MergeColumns {
  /** Whether the result is an output; else it is a file of rows that need attention. */
  readonly isOutput: boolean;
  /** Our columns of the result. */
  readonly ours: ReadonlySet<string>;
  /** Columns of an output that the other file gets or has of ours, in their order. */
  readonly added: readonly string[];
  /** The columns of the user that both have. */
  readonly ownNames: readonly string[];
  readonly identifiers: readonly Identifier[];
}

function columnsOf(result: Result, path: string, header: readonly string[], known: MergeFacts): MergeColumns {
  const isResult = isOutput(result.header);
  const ours = new Set(ourColumnsIn(result.header));
  const sent = new Set(Object.values(known.columns));
  // Where a name was the user's, ours has a prefix.
  const isAnswer = (name: string): boolean =>
    known.answers.has(name) && !sent.has(name) && !result.header.includes(FOUND_PREFIX + name);
  // A column of the user's list that the user has deleted or renamed since does not come back.
  const isNew = (name: string): boolean => !header.includes(name) && !known.userColumns.has(name);
  const added = isResult
    ? result.header.filter((name) => ours.has(name) || isAnswer(name) || isNew(name))
    : [];
  requireOtherNames(added, result, path, header, known);
  const ownNames = result.header.filter(
    (name) => !(added.includes(name) || ours.has(name)) && header.includes(name),
  );
  return { isOutput: isResult, ours, added, ownNames, identifiers: sentColumns(known, result, path, header) };
}

/**
 * @throws StopError `input` for a column of the user's with the name of a column that would come, also in
 * other case.
 */
function requireOtherNames(
  added: readonly string[],
  result: Result,
  path: string,
  header: readonly string[],
  known: MergeFacts,
): void {
  const spelled = new Map(header.map((name) => [name.toLowerCase(), name]));
  for (const name of added) {
    const there = spelled.get(name.toLowerCase());
    const mayStand =
      there === name && (isOutput(header) || (known.answers.get(name) ?? 'refuse') !== 'refuse');
    if (there === undefined || mayStand) continue;
    const fact = `${path} has a column ${foreignName(there)}, and ${result.path} would bring ${foreignName(name)}.`;
    throw stop('input', fact, 'Give yours another name.');
  }
}

function sentColumns(
  { columns }: MergeFacts,
  result: Result,
  path: string,
  header: readonly string[],
): readonly Identifier[] {
  const kinds = new Map(
    Object.entries(columns).map(([input, column]) => [column, kindOfInput(inputOf(input))]),
  );
  const missing = [...kinds.keys()].filter((column) => !header.includes(column));
  if (missing.length === 0) return [...kinds].map(([column, kind]) => ({ column, kind }));
  const fact =
    `${path} no longer has all the columns that ${result.path} was made from: ` +
    `${listed(missing.map((column) => foreignName(column)))}.`;
  throw stop('input', fact, 'Give them their old names, and merge again.');
}

// ------------------------------------------------------------------------------------------ the rows

interface Line {
  readonly row: RowNumber;
  /** Its identifiers however they are written; blank where it has none. */
  readonly key: string;
  /** Its other cells; blank where they say nothing. */
  readonly other: string;
}

interface ResultLine extends Line {
  readonly cell: Cells;
}

function lineOf({ identifiers, ownNames }: MergeColumns, row: RowNumber, cell: Cells): Line {
  const names = identifiers.map(({ column, kind }) => identityOf(kind, cell(column)));
  const cells = ownNames.filter((name) => !identifiers.some(({ column }) => column === name)).map(cell);
  return { row, key: lineText(names), other: lineText(cells) };
}

const lineText = (cells: readonly string[]): string =>
  cells.every((text) => text.trim() === '') ? '' : JSON.stringify(cells);

/** The form in which identifiers are compared: without the characters in which spellings differ. */
function identityOf(kind: KindName | undefined, cell: string): string {
  const text = cell.normalize('NFKC').trim().toLowerCase();
  if (kind === 'abn') return text.replaceAll(/\D/g, '') || text;
  if (kind === 'website' || kind === 'domain' || kind === 'profile_url')
    return text.replace(/^https?:\/\/(?:www\.)?|^www\./, '').replace(/\/+$/, '');
  return text.replaceAll(/\s+/g, ' ');
}

function resultLines(merging: MergeContext): readonly ResultLine[] {
  const { result, known } = merging;
  const cellsOf = cellReader(result.header);
  const lines = result.rows.map((source): ResultLine => {
    const row = numberIn(result, source);
    const cell = cellsOf(source);
    return { ...lineOf(merging, row, known.before.get(row) ?? cell), cell };
  });
  return lines.sort((one, other) => one.row - other.row);
}

type Pairs = ReadonlyMap<RowNumber, ResultLine>;

/**
 * Rows whose identifiers are the same go by their other cells, then by their order; those without an
 * identifier by their other cells alone.
 */
function pairRows({ isOutput }: MergeContext, results: readonly ResultLine[], lines: readonly Line[]): Pairs {
  const pairs = new Map<RowNumber, ResultLine>();
  const there = Map.groupBy(lines, ({ key }) => key);
  for (const [key, ones] of Map.groupBy(results, (one) => one.key)) {
    const found = new Set<ResultLine>();
    const pair = (some: readonly ResultLine[], ownLines: readonly Line[]): void => {
      for (const [at, one] of some.slice(0, ownLines.length).entries()) {
        pairs.set(ownLines[at]?.row ?? 0, one);
        found.add(one);
      }
    };
    const mine = there.get(key) ?? [];
    const same = Map.groupBy(mine, ({ other }) => other);
    for (const [other, some] of Map.groupBy(ones, (one) => one.other))
      if (other !== '') pair(some, same.get(other) ?? []);
    // If several rows were corrected, no one knows which of them is gone.
    if (key === '' || !(isOutput || ones.length === mine.length)) continue;
    pair(
      ones.filter((one) => !found.has(one)),
      mine.filter(({ row }) => !pairs.has(row)),
    );
  }
  return pairs;
}

// ------------------------------------------------------------------------------------------ the cells

/** The cells that the user has mended in a row that needs attention. */
function mend(
  { ownNames, identifiers, known, cellsOf }: MergeContext,
  source: InputRow,
  from: ResultLine,
  corrections: Correction[],
  keptCells: KeptCell[],
): void {
  const kinds = new Map(identifiers.map(({ column, kind }) => [column, kind]));
  const { row } = source;
  const before = known.before.get(from.row);
  for (const column of ownNames) {
    const mine = cellsOf(source)(column);
    const value = from.cell(column);
    // Where no one knows what a cell was, a blank one can be filled without losing anything.
    const was = before?.(column) ?? '';
    const isSame = (one: string, other: string): boolean =>
      one === other ||
      (kinds.has(column) && identityOf(kinds.get(column), one) === identityOf(kinds.get(column), other));
    if (isSame(mine, value) || isSame(value, was)) continue;
    if (mine === was) corrections.push({ row, column, value });
    else keptCells.push({ row, column, kept: mine, result: value });
  }
}

const ACCOUNT = ['_credits', '_source'];

/** Chooses the cell for each of our columns. A blank cell never replaces a filled one. */
function cellsAdded(
  { known, added, ours, suffix, cellsOf }: MergeContext,
  source: InputRow,
  from: ResultLine,
) {
  const before = known.before.get(from.row);
  const into = cellsOf(source);
  const found = from.cell;
  const keptCells: KeptCell[] = [];
  const asOf = `_as_of${suffix}`;
  const account = new Set(ACCOUNT.map((name) => name + suffix));
  const isSame = into(asOf) === found(asOf);
  const isOfList = (column: string): boolean =>
    found(column).trim() !== '' && found(column) === before?.(column);
  const isKept = (column: string): boolean => {
    if (into(column) === found(column)) return false;
    const isOfFill = known.answers.get(column) === 'fill';
    const kind = kindOfFilled(column);
    const isBlank = (cell: string): boolean => (isOfFill ? !isFilled(cell, kind) : cell.trim() === '');
    if (isBlank(into(column))) return isBlank(found(column));
    const isNewer = !isSame && found(asOf).trim() !== '' && !isOfFill;
    if (isNewer && (ours.has(column) || found(column).trim() !== '')) return false;
    // A later batch may have found the same answer in the ledger. Then its price and source differ, which is
    // no edit of the user's.
    if (isSame && (account.has(column) || isBlank(found(column)))) return true;
    keptCells.push({ row: source.row, column, kept: into(column), result: found(column) });
    return true;
  };
  const isOwn = added.map((column) => isOfList(column) || isKept(column));
  // What the result says of a cell, such as its source, is not true of the user's own cell.
  const isOfOwn = (name = ''): boolean =>
    keptCells.some(({ column }) => [sourceColumn(column), verdictColumn(column)].includes(name));
  return { isOwn: isOwn.map((isOwnCell, at) => isOwnCell || isOfOwn(added[at])), kept: keptCells };
}

async function* withAdded(merging: MergeContext, pairs: Pairs): AsyncIterable<Buffer> {
  const { into, note, added, header, cellsOf } = merging;
  // What was found is no formula in a table of texts, whatever kind of file the result is.
  const safety = isWorkbookName(into.path) ? asItIs : safeCell;
  const dropped = new Set(added.filter((name) => header.includes(name)));
  yield* into.sheet.copy({ columns: added, dropped, note }, async (rows) =>
    rows.map((row) => {
      const ownCells = cellsOf(row);
      const from = pairs.get(row.row);
      const isOwn = from && cellsAdded(merging, row, from).isOwn;
      return added.map((name, at) =>
        from === undefined || isOwn?.[at] === true ? ownCells(name) : safety(from.cell(name)),
      );
    }),
  );
}
