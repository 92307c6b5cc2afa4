import { stop } from '../core/errors.ts';
import type { Correction, ReadOptions, ValuedRow } from '../core/format.ts';
import { present } from '../core/objects.ts';
import { isAttention, isOutput, ourColumnsIn } from '../core/our-columns.ts';
import { foreignName, listed } from '../core/plain-text.ts';
import { ATTENTION_COLUMNS, FOUND_PREFIX, isOurColumn, OUR_COLUMNS, type RowNumber } from '../core/row.ts';
import { inputOf } from '../core/steps.ts';
import type { OnExisting } from '../job/job.ts';
import { isJsonLinesName } from '../lib/file-name.ts';
import { CellSafety } from '../lib/formulas.ts';
import { isAboutAnother, kindByContent, kindByName, kindOfInput, squeezed } from './columns/column-kind.ts';
import { type OpenedFile, openFile } from './input.ts';
import { isUnreadCopy, UNREAD_CELLS } from './json-copy.ts';
import { isWorkbookName, JSON_CELLS } from './output/output.ts';
import type { CellKind } from './quality/cell-issues.ts';

/**
 * Puts a result into a file that its user has edited since: of an output our columns, of rows that need attention the cells that were
 * mended in them. A row is found by what was sent for it, else by all identifiers; among rows whose identifiers are the same their other
 * cells decide, and then their order. The result is held in memory; her file streams.
 */

type Cells = (column: string) => string;

/** What a store knows of a result. */
export interface Known {
  /** Input → column. */
  readonly columns: Readonly<Record<string, string>>;
  /** The columns of answers, with what the job said of one of the user's that is called so. */
  readonly answers: ReadonlyMap<string, OnExisting>;
  /** The columns that her list had, and none of ours. */
  readonly hers: ReadonlySet<string>;
  /** Rows that need attention as they were in the list, where they were not erased. */
  readonly before: ReadonlyMap<RowNumber, Cells>;
  /** All rows of the list, of an output that was edited: what it says now may never have been sent. */
  readonly list?: AsyncIterable<Cells>;
}

export interface Result extends OpenedFile {
  readonly header: readonly string[];
  readonly rows: readonly ValuedRow[];
}

export interface MergeOrder {
  readonly result: Result;
  readonly into: OpenedFile;
  readonly known: Known | undefined;
  readonly note: (sentence: string) => void;
}

export interface Merge {
  /** Rows of the file that gets the result, and how many of them have one. */
  readonly rows: number;
  readonly found: number;
  /** Cells of the user that were mended in the result. */
  readonly mended: number;
  /** Rows of the result of which no row of the file is sure to be the same, with their identifiers. */
  readonly nowhere: readonly { readonly row: RowNumber; readonly identifiers: readonly string[] }[];
  readonly kept: readonly KeptCell[];
  chunks(): AsyncIterable<Buffer>;
}

/** A cell that says something else in both files, where nobody knows that one was left alone. The file's own is kept. */
export interface KeptCell {
  readonly row: RowNumber;
  readonly column: string;
  readonly kept: string;
  readonly result: string;
}

export async function openResult(path: string): Promise<Result> {
  const opened = await openFile(path);
  const header = await opened.sheet.header();
  const rows: ValuedRow[] = [];
  for await (const row of rowsOf(opened)) rows.push(row);
  if (isOutput(header) || isAttention(header)) return { ...opened, header, rows };
  const fact = `${path} is not a result: it has neither all of ${listed(OUR_COLUMNS)} nor both of ${listed(ATTENTION_COLUMNS)}.`;
  const next = 'Name an output or a file of rows that need attention first, then your own file.';
  throw stop('input', fact, next);
}

/** @throws StopError `input` for a file into which nothing may be written. */
export async function openInto(path: string, read: ReadOptions): Promise<OpenedFile> {
  const into = await openFile(path, read);
  const { whyNew } = into.sheet;
  if (whyNew === undefined) return into;
  const [first = '', ...rest] = whyNew.next;
  const next = `${first.toUpperCase()}${rest.join('')}.`;
  throw stop('input', `Nothing can be written into ${into.path}: ${whyNew.fact}.`, next);
}

/** Without those that cannot be read: nobody knows which of their cells belongs to which column. */
async function* rowsOf({ sheet }: OpenedFile): AsyncIterable<ValuedRow> {
  for await (const group of sheet.groups())
    for (const row of group) if (row.unreadable === undefined && !isUnreadCopy(row.object, [])) yield row;
}

export function cellReader(header: readonly string[]): (row: Pick<ValuedRow, 'cells'>) => Cells {
  const at = new Map(header.map((name, place) => [name, place]));
  return (row) => (column) => row.cells[at.get(column) ?? -1] ?? '';
}

/** The row of the list that a row of a result is of. */
export function numberIn({ header }: Pick<Result, 'header'>, row: ValuedRow): RowNumber {
  return (isAttention(header) && Number(cellReader(header)(row)('_row'))) || row.row;
}

/** @throws StopError `input` where the two do not belong together. */
export async function planMerge(order: MergeOrder): Promise<Merge> {
  const { result, into, known } = order;
  const header = await into.sheet.header();
  const columns = columnsOf(result, into.path, header, known);
  const merging: Merging = { ...order, ...columns, header, cellsOf: cellReader(header) };
  const results = resultLines(merging);
  const lines: Line[] = [];
  for await (const row of rowsOf(into)) lines.push(lineOf(merging, row.row, merging.cellsOf(row)));
  const pairs = matchRows(merging, await asSent(merging, results), lines);
  const [corrections, kept]: [Correction[], KeptCell[]] = [[], []];
  for await (const row of rowsOf(into)) {
    const from = pairs.get(row.row);
    if (from === undefined) continue;
    if (columns.isOutput) kept.push(...addedCells(merging, row, from).kept);
    else mend(merging, row, from, corrections, kept);
  }
  const found = new Set(pairs.values());
  return {
    ...{ rows: lines.length, found: pairs.size, mended: corrections.length, kept },
    nowhere: results
      .filter((one) => !found.has(one))
      .map(({ row, cell }) => ({
        row,
        identifiers: columns.identifiers.map(({ column }) => cell(column)).filter((text) => text !== ''),
      })),
    chunks: () =>
      columns.isOutput ? withAdded(merging, pairs) : into.sheet.corrected(corrections, order.note),
  };
}

interface Merging extends MergeOrder, MergeColumns {
  /** Of her file. */
  readonly header: readonly string[];
  readonly cellsOf: ReturnType<typeof cellReader>;
}

// ------------------------------------------------------------------------------------------ the columns

interface Identifier {
  readonly column: string;
  readonly kind: CellKind | undefined;
}

interface MergeColumns {
  /** Whether the result is an output; else it is a file of rows that need attention. */
  readonly isOutput: boolean;
  /** Columns of an output that the other file gets or has of ours, in their order. */
  readonly added: readonly string[];
  /** The columns of the user that both have. */
  readonly own: readonly string[];
  readonly identifiers: readonly Identifier[];
}

function columnsOf(
  result: Result,
  path: string,
  header: readonly string[],
  known: Known | undefined,
): MergeColumns {
  const isResult = isOutput(result.header);
  // An output brings our columns, and none of the user's may give way to them.
  if (isResult) ourColumnsIn(header, path);
  const ours = new Set<string>(isResult ? OUR_COLUMNS : [...ATTENTION_COLUMNS, UNREAD_CELLS]);
  const sent = new Set(Object.values(known?.columns ?? {}));
  // Where a name was the user's, ours has a prefix.
  const isAnswer = (name: string): boolean =>
    known?.answers.has(name) === true && !sent.has(name) && !result.header.includes(FOUND_PREFIX + name);
  // One of hers that she has deleted or renamed since does not come back.
  const isNew = (name: string): boolean =>
    !header.includes(name) && name !== UNREAD_CELLS && known?.hers.has(name) !== true;
  const added = isResult
    ? result.header.filter((name) => ours.has(name) || isAnswer(name) || isNew(name))
    : [];
  requireOtherNames(added, result, path, header, known);
  const own = result.header.filter(
    (name) => !(added.includes(name) || ours.has(name)) && header.includes(name),
  );
  const identifiers = known ? sentColumns(known, result, path, header) : allIdentifiers(own, result, path);
  return { isOutput: isResult, added, own, identifiers };
}

/** @throws StopError `input` for a column of hers that is called as one which would come, be it in another case. */
function requireOtherNames(
  added: readonly string[],
  result: Result,
  path: string,
  header: readonly string[],
  known: Known | undefined,
): void {
  const spelled = new Map(header.map((name) => [name.toLowerCase(), name]));
  for (const name of added) {
    const there = spelled.get(name.toLowerCase());
    const mayStand =
      there === name && (isOutput(header) || (known?.answers.get(name) ?? 'refuse') !== 'refuse');
    if (there === undefined || mayStand) continue;
    const fact = `${path} has a column ${foreignName(there)}, and ${result.path} would bring ${foreignName(name)}.`;
    throw stop('input', fact, 'Give yours another name.');
  }
}

function sentColumns(
  { columns }: Known,
  result: Result,
  path: string,
  header: readonly string[],
): readonly Identifier[] {
  const kinds = new Map(
    Object.entries(columns).map(([input, column]) => [column, kindOfInput(inputOf(input))]),
  );
  const missing = [...kinds.keys()].filter((column) => !header.includes(column));
  if (missing.length === 0) return [...kinds].map(([column, kind]) => ({ column, kind }));
  const fact = `${path} no longer has all the columns that ${result.path} was made from: ${listed(missing.map((column) => foreignName(column)))}.`;
  throw stop('input', fact, 'Give them their old names, and merge again.');
}

/** What may have been sent as an input, by the kind of its column. A domain is read out of any of these. */
const FEEDS: Readonly<Record<string, readonly string[]>> = {
  ...{ abn: ['abn'], email: ['email'], profile_url: ['profile_url'], profile_slug: ['profile_url'] },
  ...{ website: ['website', 'domain'], domain: ['website', 'domain', 'email'] },
};
const IDENTIFIERS: ReadonlySet<string> = new Set(Object.values(FEEDS).flat());

/** Cells of so many rows from the top say what a column is. */
const ROWS_SAMPLED = 200;

/** Where no store knows what was sent. What rows were matched by has to be one of them. @param own columns that both files have. */
function allIdentifiers(own: readonly string[], result: Result, path: string): readonly Identifier[] {
  const rows = result.rows.slice(0, ROWS_SAMPLED).map(cellReader(result.header));
  const words = rows.flatMap((cell) => cell('_matched_by').split(/\+|; /));
  const inputs = [...new Set(words)].filter((word) => word !== '');
  const feeds = (input: string, { column, kind }: Identifier): boolean =>
    squeezed(input) === squeezed(column) || FEEDS[input]?.includes(kind ?? '') === true;
  const found = own
    .filter((column) => !isAboutAnother(column))
    .map((column): Identifier => {
      const cells = rows.map((cell) => cell(column)).filter((cell) => cell !== '');
      return { column, kind: kindByName(column, []) ?? kindByContent(cells) };
    })
    .filter((one) => IDENTIFIERS.has(one.kind ?? '') || inputs.some((input) => feeds(input, one)));
  const without = inputs.find((input) => !found.some((one) => feeds(input, one)));
  if (without === undefined && found.length > 0) return found;
  const why =
    without === undefined
      ? 'they share no column that looks like an identifier'
      : `rows of the result were matched by ${foreignName(without)}, and they share no column that is surely what was sent for it`;
  const fact = `The rows of ${path} and ${result.path} cannot be matched: ${why}.`;
  throw stop(
    'input',
    fact,
    'Call your columns as the result does, or name the store that made it with --store.',
  );
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
  readonly source: ValuedRow;
  readonly cell: Cells;
  /** Its identifiers as they are now: `key` has them as they were sent. */
  readonly mended: string;
  /** What it was told. What was paid for an answer is another thing in each row that got it. */
  readonly answer: string;
}

function lineOf({ identifiers, own }: MergeColumns, row: RowNumber, cell: Cells): Line {
  const names = identifiers.map(({ column, kind }) => identityOf(kind, cell(column)));
  const cells = own.filter((name) => !identifiers.some(({ column }) => column === name)).map(cell);
  return { row, key: textOf(names), other: textOf(cells) };
}

const textOf = (cells: readonly string[]): string =>
  cells.every((text) => text.trim() === '') ? '' : JSON.stringify(cells);

/** How an identifier is told from others: without what people write it differently by. */
function identityOf(kind: CellKind | undefined, cell: string): string {
  const text = cell.normalize('NFKC').trim().toLowerCase();
  if (kind === 'abn') return text.replaceAll(/\D/g, '') || text;
  if (kind === 'website' || kind === 'domain' || kind === 'profile_url')
    return text.replace(/^https?:\/\/(?:www\.)?|^www\./, '').replace(/\/+$/, '');
  return text.replaceAll(/\s+/g, ' ');
}

function resultLines(merging: Merging): readonly ResultLine[] {
  const { result, known, added } = merging;
  const cellsOf = cellReader(result.header);
  const told = added.filter((name) => !ACCOUNT.has(name));
  const lines = result.rows.map((source): ResultLine => {
    const [row, cell] = [numberIn(result, source), cellsOf(source)];
    const line = lineOf(merging, row, known?.before.get(row) ?? cell);
    return { ...line, source, cell, mended: lineOf(merging, row, cell).key, answer: textOf(told.map(cell)) };
  });
  return lines.sort((one, other) => one.row - other.row);
}

/** Without the rows of an output that nothing was sent for as they are now: their answers are to something else. */
async function asSent(merging: Merging, results: readonly ResultLine[]): Promise<readonly ResultLine[]> {
  const keys = new Set<string>();
  for await (const cell of merging.known?.list ?? []) keys.add(lineOf(merging, 0, cell).key);
  return keys.size === 0 ? results : results.filter(({ key }) => keys.has(key));
}

type Pairs = ReadonlyMap<RowNumber, ResultLine>;

function matchRows(merging: Merging, results: readonly ResultLine[], lines: readonly Line[]): Pairs {
  const pairs = new Map<RowNumber, ResultLine>();
  const there = Map.groupBy(lines, ({ key }) => key);
  for (const [key, ones] of Map.groupBy(results, (one) => one.key))
    pairSame(merging, key, ones, there.get(key) ?? [], pairs);
  if (merging.isOutput) return pairs;
  // A row that she has mended in her own file as well is told by its other cells too: another row may have been sent as it is now.
  const found = new Set(pairs.values());
  const open = Map.groupBy(
    lines.filter(({ row }) => !pairs.has(row)),
    ({ key, other }) => textOf([key, other]),
  );
  for (const one of results.filter((each) => !found.has(each) && each.mended !== '' && each.other !== '')) {
    const line = open.get(textOf([one.mended, one.other]))?.shift();
    if (line !== undefined) pairs.set(line.row, one);
  }
  return pairs;
}

/** Pairs rows whose identifiers are the same. */
function pairSame(
  { isOutput, known }: Merging,
  key: string,
  ones: readonly ResultLine[],
  lines: readonly Line[],
  pairs: Map<RowNumber, ResultLine>,
): void {
  const found = new Set<ResultLine>();
  const pair = (some: readonly ResultLine[], there: readonly Line[]): void => {
    for (const [at, one] of some.slice(0, there.length).entries()) {
      pairs.set(there[at]?.row ?? 0, one);
      found.add(one);
    }
  };
  // Rows that were told other things were sent as what nobody knows here, so that none of them may get the answer of another.
  const isAlike = known !== undefined || new Set(ones.map(({ answer }) => answer)).size === 1;
  const same = Map.groupBy(lines, ({ other }) => other);
  for (const [other, some] of Map.groupBy(ones, (one) => one.other)) {
    const there = same.get(other) ?? [];
    if (other !== '' && (isAlike || (some.length === 1 && there.length === 1))) pair(some, there);
  }
  // Rows without an identifier are told by their other cells alone.
  if (key === '' || !isAlike || !(isOutput || ones.length === lines.length)) return;
  pair(
    ones.filter((one) => !found.has(one)),
    lines.filter(({ row }) => !pairs.has(row)),
  );
}

// ------------------------------------------------------------------------------------------ the cells

/** What she has mended in a row that needs attention. */
function mend(
  { own, identifiers, known, cellsOf }: Merging,
  source: ValuedRow,
  from: ResultLine,
  corrections: Correction[],
  kept: KeptCell[],
): void {
  const kinds = new Map(identifiers.map(({ column, kind }) => [column, kind]));
  const { row } = source;
  const before = known?.before.get(from.row);
  for (const column of own) {
    const [mine, value] = [cellsOf(source)(column), from.cell(column)];
    // Where nobody knows what a cell was, a blank one can be filled without losing anything.
    const was = before?.(column) ?? '';
    const isSame = (one: string, other: string): boolean =>
      one === other ||
      (kinds.has(column) && identityOf(kinds.get(column), one) === identityOf(kinds.get(column), other));
    if (isSame(mine, value) || isSame(value, was)) continue;
    const json = from.source.object && jsonOf(from.source, column, value);
    if (mine === was) corrections.push({ row, column, value, ...present({ json }) });
    else kept.push({ row, column, kept: mine, result: value });
  }
}

const ACCOUNT: ReadonlySet<string> = new Set(['_credits', '_source']);

/** Whose cell stands in each of our columns. A blank never takes the place of what is filled. */
function addedCells({ known, added, cellsOf }: Merging, source: ValuedRow, from: ResultLine) {
  const [into, found] = [cellsOf(source), from.cell];
  const kept: KeptCell[] = [];
  const isSame = into('_as_of') === found('_as_of');
  const isOwn = added.map((column): boolean => {
    if (into(column).trim() === '' || into(column) === found(column)) return false;
    const isNewer = !isSame && found('_as_of').trim() !== '' && known?.answers.get(column) !== 'fill';
    if (isNewer && (isOurColumn(column) || found(column).trim() !== '')) return false;
    // What was paid for an answer that a later batch found in the ledger is no edit of what was paid first.
    if (isSame && (ACCOUNT.has(column) || found(column).trim() === '')) return true;
    kept.push({ row: source.row, column, kept: into(column), result: found(column) });
    return true;
  });
  return { isOwn, kept };
}

async function* withAdded(merging: Merging, pairs: Pairs): AsyncIterable<Buffer> {
  const { into, note, added, header, cellsOf } = merging;
  const isJson = isJsonLinesName(into.path);
  // What was found is no formula in a table of texts, whatever kind of file the result is.
  const safety = new CellSafety(isWorkbookName(into.path) || isJson ? 'raw' : 'safe');
  const dropped = new Set(added.filter((name) => header.includes(name)));
  yield* into.sheet.copy({ columns: added, dropped, note, isJson }, async (rows) =>
    rows.map((row) => {
      const [own, from] = [cellsOf(row), pairs.get(row.row)];
      const isOwn = from && addedCells(merging, row, from).isOwn;
      return added.map((name, at) => {
        const [source, text] =
          from === undefined || isOwn?.[at] === true
            ? [row, own(name)]
            : [from.source, safety.cell(from.cell(name))];
        return isJson ? jsonOf(source, name, text) : text;
      });
    }),
  );
}

/** A cell as JSON, which is empty where it says nothing. Of what we write ourselves in a table only the credits are a number. */
function jsonOf({ object }: ValuedRow, column: string, text: string): string {
  if (object !== undefined)
    return JSON_CELLS.value(Object.hasOwn(object, column) ? object[column] : undefined);
  const isNumber = column === '_credits' && text !== '' && Number.isFinite(Number(text));
  return JSON_CELLS.own(isNumber ? Number(text) : text);
}
