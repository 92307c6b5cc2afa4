import { stop } from '../core/errors.ts';
import type { Correction, ReadOptions, ValuedRow } from '../core/format.ts';
import { present } from '../core/objects.ts';
import { isAttention, isOutput, ourColumnsIn } from '../core/our-columns.ts';
import { foreignName, listed } from '../core/plain-text.ts';
import { ATTENTION_COLUMNS, FOUND_PREFIX, isOurColumn, OUR_COLUMNS, type RowNumber } from '../core/row.ts';
import { inputOf } from '../core/steps.ts';
import { isJsonLinesName } from '../lib/file-name.ts';
import { CellSafety } from '../lib/formulas.ts';
import { isAboutAnother, kindByContent, kindByName, kindOfInput, squeezed } from './columns/column-kind.ts';
import { type OpenedFile, openFile } from './input.ts';
import { UNREAD_CELLS } from './json-copy.ts';
import {
  type Identifier,
  type Known,
  type Line,
  lineReader,
  type MergeColumns,
  matchRows,
  type Pairs,
  type ResultLine,
  resultRows,
  rowsOf,
  sentOf,
  type Table,
  tableOf,
} from './merging/same-rows.ts';
import { isWorkbookName, JSON_CELLS } from './output/output.ts';

/**
 * Puts a result into a file that its user has edited since. An output brings our columns, rows that need attention bring the cells that
 * were mended in them, and every other cell of hers stays. The result is held in memory; her file streams.
 */

export { type Known, rowsOf, sentOf, type Table, tableOf } from './merging/same-rows.ts';

export interface MergeOrder {
  readonly result: OpenedFile;
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

// ------------------------------------------------------------------------------------------ the two files

/** Opens a result. */
export async function openResult(path: string): Promise<OpenedFile> {
  const opened = await openFile(path);
  const header = await opened.sheet.header();
  if (isOutput(header) || isAttention(header)) return opened;
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

/** @throws StopError `input` where the two do not belong together. */
export async function planMerge(order: MergeOrder): Promise<Merge> {
  const { known } = order;
  const [from, to] = [await tableOf(order.result), await tableOf(order.into)];
  const said: ValuedRow[] = [];
  for await (const row of rowsOf(from)) said.push(row);
  const columns = columnsOf(from, to, said, known);
  const results = resultRows(from, said, columns, known);
  const lineOf = lineReader(to, columns, known);
  const lines: Line[] = [];
  for await (const row of rowsOf(to)) lines.push(lineOf(row));
  const pairs = matchRows(results, lines, columns, known);
  const merging: Merging = { order, columns, pairs, to };
  const [corrections, kept]: [Correction[], KeptCell[]] = [[], []];
  for await (const row of rowsOf(to)) {
    const from = pairs.get(row.row);
    if (from === undefined) continue;
    const cells = columns.isOutput ? addedCells(merging, row, from) : mendedCells(merging, row, from);
    corrections.push(...cells.corrections);
    kept.push(...cells.kept);
  }
  const found = new Set(pairs.values());
  const left = results.filter((one) => !found.has(one));
  return {
    ...{ rows: lines.length, found: pairs.size, mended: corrections.length, kept },
    nowhere: left.map(({ row, cell }) => ({
      row,
      identifiers: columns.identifiers.map(({ column }) => cell(column)).filter((text) => text !== ''),
    })),
    chunks: () => (columns.isOutput ? withAdded(merging) : to.sheet.corrected(corrections, order.note)),
  };
}

// ------------------------------------------------------------------------------------------ the columns

function columnsOf(
  from: Table,
  into: Table,
  said: readonly ValuedRow[],
  known: Known | undefined,
): MergeColumns {
  const isResult = isOutput(from.header);
  // An output brings our columns, and none of the user's may give way to them.
  if (isResult) ourColumnsIn(into.header, into.path);
  const ours = new Set<string>(isResult ? OUR_COLUMNS : [...ATTENTION_COLUMNS, UNREAD_CELLS]);
  const sent = new Set(Object.values(known?.columns ?? {}));
  // Where a name was the user's, ours has a prefix.
  const isAnswer = (name: string): boolean =>
    known?.answers.has(name) === true && !sent.has(name) && !from.header.includes(FOUND_PREFIX + name);
  // One of hers that she has deleted or renamed since does not come back.
  const isNew = (name: string): boolean =>
    !into.header.includes(name) && name !== UNREAD_CELLS && known?.hers.has(name) !== true;
  const isAdded = (name: string): boolean => ours.has(name) || isAnswer(name) || isNew(name);
  const added = isResult ? from.header.filter(isAdded) : [];
  requireOtherNames(added, from, into, known);
  const isHers = (name: string): boolean => !(added.includes(name) || ours.has(name));
  const own = from.header.filter((name) => isHers(name) && into.header.includes(name));
  const identifiers = known ? sentColumns(known, from, into) : likelyIdentifiers(own, from, into, said);
  return { isOutput: isResult, added, own, identifiers };
}

/** @throws StopError `input` for a column of hers that is called as one which would come, be it in another case. */
function requireOtherNames(
  added: readonly string[],
  from: Table,
  into: Table,
  known: Known | undefined,
): void {
  const spelled = new Map(into.header.map((name) => [name.toLowerCase(), name]));
  for (const name of added) {
    const there = spelled.get(name.toLowerCase());
    const mayStand =
      there === name && (isOutput(into.header) || (known?.answers.get(name) ?? 'refuse') !== 'refuse');
    if (there === undefined || mayStand) continue;
    const fact = `${into.path} has a column ${foreignName(there)}, and ${from.path} would bring ${foreignName(name)}.`;
    throw stop('input', fact, 'Give yours another name.');
  }
}

function sentColumns({ columns }: Known, from: Table, into: Table): readonly Identifier[] {
  const inputs = Object.entries(columns);
  const kinds = new Map(inputs.map(([input, column]) => [column, kindOfInput(inputOf(input))]));
  const missing = [...kinds.keys()].filter((column) => !into.header.includes(column));
  if (missing.length === 0) return [...kinds].map(([column, kind]) => ({ column, kind }));
  const fact = `${into.path} no longer has all the columns that ${from.path} was made from: ${listed(missing.map((column) => foreignName(column)))}.`;
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

/** Where no store knows what was sent: all identifiers that both files have. What rows were matched by has to be one of them. */
function likelyIdentifiers(
  own: readonly string[],
  from: Table,
  into: Table,
  said: readonly ValuedRow[],
): readonly Identifier[] {
  const rows = said.slice(0, ROWS_SAMPLED).map((row) => from.cellsOf(row));
  const words = rows.flatMap((cell) => cell('_matched_by').split(/\+|; /));
  const inputs = [...new Set(words)].filter((word) => word !== '');
  const found = own.flatMap((column): readonly Identifier[] => {
    if (isAboutAnother(column) || !into.header.includes(column)) return [];
    const cells = rows.map((cell) => cell(column)).filter((cell) => cell !== '');
    const kind = kindByName(column, []) ?? kindByContent(cells);
    const isInput = inputs.some((input) => squeezed(input) === squeezed(column));
    return IDENTIFIERS.has(kind) || isInput ? [{ column, kind }] : [];
  });
  const isOf = (input: string, { column, kind }: Identifier): boolean =>
    squeezed(input) === squeezed(column) || FEEDS[input]?.includes(kind ?? '') === true;
  const without = inputs.find((input) => !found.some((identifier) => isOf(input, identifier)));
  if (without === undefined && found.length > 0) return found;
  const why =
    without === undefined
      ? 'they share no column that looks like an identifier'
      : `rows of the result were matched by ${foreignName(without)}, and they share no column that is surely what was sent for it`;
  const fact = `The rows of ${into.path} and ${from.path} cannot be matched: ${why}.`;
  const next = 'Call your columns as the result does, or name the store that made it with --store.';
  throw stop('input', fact, next);
}

// ------------------------------------------------------------------------------------------ the cells

interface Merging {
  readonly order: MergeOrder;
  readonly columns: MergeColumns;
  readonly pairs: Pairs;
  readonly to: Table;
}

interface Decided {
  readonly corrections: readonly Correction[];
  readonly kept: readonly KeptCell[];
}

/** What she has mended in a row that needs attention. */
function mendedCells({ order, columns, to }: Merging, source: ValuedRow, from: ResultLine): Decided {
  const { known } = order;
  const corrections: Correction[] = [];
  const kept: KeptCell[] = [];
  const [into, before] = [to.cellsOf(source), known?.before.get(from.row)];
  const sent = new Set(known && columns.identifiers.map(({ column }) => column));
  // Found by what was sent, her row has it yet; else both say the same in other words.
  const isAsSent = known !== undefined && sentOf(known.columns, to.header)(source) === from.sent;
  const isMeant = (column: string): boolean => to.header.includes(column) && (isAsSent || !sent.has(column));
  for (const column of columns.own.filter(isMeant)) {
    const [own, value] = [into(column), from.cell(column)];
    if (own === value) continue;
    // Where nobody knows what a cell was, a blank one can be filled without losing anything.
    const was = before?.(column) ?? (sent.has(column) ? own : '');
    if (value === was) continue;
    const json = from.source.object && jsonOf(from.source, column, value);
    if (own === was) corrections.push({ row: source.row, column, value, ...present({ json }) });
    else kept.push({ row: source.row, column, kept: own, result: value });
  }
  return { corrections, kept };
}

const ACCOUNT: ReadonlySet<string> = new Set(['_credits', '_source']);

/** Whose cell stands in each of our columns. A blank never takes the place of what is filled. */
function addedCells(
  { order: { known }, columns: { added }, to }: Merging,
  source: ValuedRow,
  from: ResultLine,
) {
  const [into, found] = [to.cellsOf(source), from.cell];
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
  return { isOwn, kept, corrections: [] };
}

async function* withAdded(merging: Merging): AsyncIterable<Buffer> {
  const {
    order,
    columns: { added },
    pairs,
    to,
  } = merging;
  const isJson = isJsonLinesName(to.path);
  // What was found is no formula in a table of texts, whatever kind of file the result is.
  const safety = new CellSafety(isWorkbookName(to.path) || isJson ? 'raw' : 'safe');
  const dropped = new Set(added.filter((name) => to.header.includes(name)));
  const options = { columns: added, dropped, note: order.note, isJson };
  yield* to.sheet.copy(options, async (rows) =>
    rows.map((row) => {
      const [own, from] = [to.cellsOf(row), pairs.get(row.row)];
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
