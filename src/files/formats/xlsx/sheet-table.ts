import { StopError, stop } from '../../../core/errors.ts';
import { loadFamily, OPERATIONS } from '../../../core/families.ts';
import type { ListStart, ReadOptions } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import type { Operation } from '../../../core/operation.ts';
import { asFlag, byFlag, joined, phrase, typing } from '../../../core/phrase.ts';
import { counted, foreignName, listed, plainText } from '../../../core/plain-text.ts';
import type { Delimiter, FoundLayout, LeftOut } from '../../../core/reading.ts';
import { type InputRow, type RowNumber, type RowRange, readRowRange } from '../../../core/row.ts';
import { shellWord } from '../../../lib/command-line.ts';
import { isInputName, isWebName, kindByName } from '../../columns/column-kind.ts';
import { type NamedColumns, namedColumns } from '../../header.ts';
import { rowsWithout, TableRows } from '../../shape/left-out.ts';
import type { ListSize } from '../../shape/list-size.ts';
import {
  asHeader,
  blankHeader,
  keptOf,
  layoutNotes,
  listStart,
  namesIn,
  ROWS_SAMPLED,
  rowsBelow,
  saidHeader,
} from '../../shape/list-start.ts';
import { cellsOfLine, partingOf } from '../../shape/parted-lines.ts';
import { lettersOf } from '../../workbook.ts';
import { type Book, type BookSheet, linksOf, sheetsMeant } from './book.ts';
import { type SheetFrame, SheetReader, type SheetRow, sheetRows } from './sheet.ts';

/** The table on a sheet, found in one reading of it: where it begins and ends, and what stands around it. */
export interface SheetTable extends SurveyedSheet {
  readonly columns: NamedColumns;
  /** The positions of those whose cells are web addresses, by their names. */
  readonly webColumns: ReadonlySet<number>;
  /** The rows of the header; its last one has the names, or most of them. */
  readonly header: RowRange;
  readonly start: ListStart & Top;
  readonly hasRow: (row: RowNumber) => boolean;
  readonly layout: FoundLayout;
  readonly notes: readonly string[];
}

type Top = Pick<SheetTable, 'columns' | 'header'>;

// ----------------------------------------------------------------------------------- the sheet that is meant

/**
 * The table of the sheet that is named, or was open when the workbook was saved. Where that is no list, as
 * instructions are none, of the only other that is one; where none is, of the first that has rows.
 * @param size counts all sheets that are read.
 * @throws StopError `input` when nothing is on any, several may be meant, or a row is damaged; and as `size`.
 */
export async function chooseTable(book: Book, options: ReadOptions, size: ListSize): Promise<SheetTable> {
  const { sheet, asBefore } = options;
  const [first, ...others] = sheetsMeant(book, sheet ?? asBefore?.sheet);
  const open = await surveyed(book, first, options, size);
  if (others.length === 0) return tableOf(book, open, options);
  const hasRows = ({ rows }: SurveyedSheet): boolean => rows > 0;
  const operations = [...(await loadFamily<Operation>(OPERATIONS)).values()];
  const isName = (name: string): boolean => kindByName(name, operations) !== undefined;
  // Any operation may be meant, and a list on another sheet may be meant for changes that cannot be undone.
  const isRead = (name: string): boolean => isName(name) || isInputName(name, operations);
  const isMeant = asBefore !== undefined || isList(open, options, isRead);
  if (hasRows(open) && isMeant) return tableOf(book, open, options);
  const found = others.map((tab) => surveyed(book, tab, options, size).catch(() => undefined));
  const filled = (await Promise.all(found)).filter((each) => each !== undefined).filter(hasRows);
  // A sheet that is damaged is passed over, and one that is too large is not.
  await size.check();
  const lists = filled.filter((each) => asBefore === undefined && isList(each, options, isName));
  const shown = lists.filter(({ tab }) => !tab.isHidden);
  const likely = shown.length > 0 ? shown : lists;
  if (likely.length > 1) throw severalLists(book, first, likely);
  const meant = likely[0] ?? (hasRows(open) ? open : filled[0]) ?? open;
  return tableOf(book, meant, options, meant === open ? undefined : first);
}

/** Whether a job's columns are there; without a job, cells or names that tell people or companies. */
function isList(
  { start, namesSomebody }: SurveyedSheet,
  { wanted = [] }: ReadOptions,
  isName: (name: string) => boolean,
): boolean {
  const names = start?.columns.names ?? [];
  if (wanted.length > 0) return wanted.every((name) => names.includes(name));
  if (ROW_LABELS.test(names[0] ?? '') || AGGREGATE.test(names.at(-1) ?? '')) return false;
  return namesSomebody || (start?.readings === undefined && names.some(isName));
}

/** How a pivot begins, in the languages in which Excel is used most, and how its last column ends. */
const ROW_LABELS =
  /^(?:row labels|zeilenbeschriftungen|étiquettes de lignes|etiquetas de fila|etichette di riga|rijlabels|rótulos de linha)$/i;
const AGGREGATE =
  /^(?:(?:count(?:a|unique)?|sum|average|min|max|anzahl|summe) (?:of|von) .*|grand total|gesamtergebnis)$/i;

function severalLists({ archive }: Book, { name }: BookSheet, lists: readonly SurveyedSheet[]): StopError {
  const choices = lists.map(({ tab: { name: value } }) => {
    return { flag: '--sheet' as const, value, says: `the sheet ${foreignName(value)} is the list` };
  });
  const others = listed(choices.map(({ value }) => foreignName(value)));
  const flags = choices.map(({ flag, value }) => asFlag(flag, shellWord(plainText(value))));
  return new StopError({
    code: 'input',
    message: `${archive.path}: the sheet ${foreignName(name)} is no list, and any of ${others} may be meant.`,
    next: phrase`Say which it is ${typing`with ${joined(flags, ' or ')}`}.`,
    choices,
  });
}

// -------------------------------------------------------------------------------------- the table of a sheet

interface SurveyedSheet extends Readonly<Counts> {
  readonly tab: BookSheet;
  readonly top: readonly SheetRow[];
  /** Undefined where no row holds anything. */
  readonly start: (ListStart & Top) | undefined;
  /** What parts the lines in column A, where each is a row. */
  readonly parting: Delimiter | undefined;
  readonly frame: SheetFrame;
  readonly links: Links;
  readonly leftOut: readonly LeftOut[];
  /** Whether a column of it has what people or companies are asked about by. */
  readonly namesSomebody: boolean;
}

interface Counts {
  /** How many rows below the header are the table's, and how many of them are hidden. */
  rows: number;
  hidden: number;
  /** The last row of the table, and the last column in which one of its rows holds something. */
  lastRow: RowNumber;
  lastUsed: number;
  /** The columns in which a row of the table has a formula. */
  readonly formulas: Set<number>;
}

/** @throws StopError `input` for a row that does not fit. */
async function surveyed(
  book: Book,
  tab: BookSheet,
  options: ReadOptions,
  size: ListSize,
): Promise<SurveyedSheet> {
  const first = await firstRows(book, tab, options);
  const parting = partingIn(first, options);
  const top = partedRows(first, parting);
  const { path } = book.archive;
  // A person who is told of a row has to find it.
  const where = book.sheets.length === 1 ? path : `${path}, sheet ${foreignName(tab.name)}`;
  const start = top.length === 0 ? undefined : startOf(where, top, options);
  const names = start === undefined ? [] : namesIn(top, start.header);
  const table = new TableRows<SheetRow>(start?.header.last ?? 0, names, options, start?.describing);
  const reader = new SheetReader(book);
  const groups = sizedRows(tableRows(sheetRows(book, tab, reader), parting), size);
  const counts = await countedRows(where, groups, table, start, options);
  const links = await linkTargets(book, tab, reader.frame);
  const namesSomebody = table.naming.areKnown;
  const leftOut = table.end();
  return { ...counts, tab, top, start, parting, frame: reader.frame, links, leftOut, namesSomebody };
}

/** What parts the lines of a sheet that has a whole line in column A of each row; undefined for another. */
function partingIn(top: readonly SheetRow[], { asBefore }: ReadOptions): Delimiter | undefined {
  const isKnown = asBefore === undefined || asBefore.lines === 'cells';
  if (!isKnown || top.some(({ cells }) => cells.length > 1)) return undefined;
  return partingOf(top.map(({ cells: [line = ''] }) => line));
}

const partedRows = (rows: readonly SheetRow[], parting: Delimiter | undefined): readonly SheetRow[] =>
  parting === undefined
    ? rows
    : rows.map((row) => ({ ...row, cells: row.cells.flatMap((line) => cellsOfLine(line, parting)) }));

/** The rows of a sheet as those of its table. */
export async function* tableRows(
  groups: AsyncIterable<readonly SheetRow[]>,
  parting: Delimiter | undefined,
): AsyncIterable<readonly SheetRow[]> {
  for await (const group of groups) yield partedRows(group, parting);
}

async function* sizedRows(
  groups: AsyncIterable<readonly SheetRow[]>,
  size: ListSize,
): AsyncIterable<readonly SheetRow[]> {
  for await (const group of groups) {
    for (const { cells } of group) size.add(cells);
    await size.check();
    yield group;
  }
}

async function countedRows(
  where: string,
  groups: AsyncIterable<readonly SheetRow[]>,
  table: TableRows<SheetRow>,
  top: Top | undefined,
  { strict = false }: ReadOptions,
): Promise<Counts> {
  const header = top?.header.last ?? Number.POSITIVE_INFINITY;
  const counts: Counts = {
    rows: 0,
    lastRow: top?.header.last ?? 0,
    lastUsed: -1,
    hidden: 0,
    formulas: new Set<number>(),
  };
  for await (const group of groups) {
    const taken = group.filter(({ number }) => number > header).flatMap((row) => table.take(row));
    for (const row of taken) count(counts, row);
    if (top !== undefined && strict) requireFit(where, taken, top);
    if (counts.rows > MOST_ROWS_READ) throw tooLong(where);
  }
  return counts;
}

function count(counts: Counts, row: SheetRow): void {
  counts.rows += 1;
  counts.lastRow = row.number;
  counts.lastUsed = Math.max(counts.lastUsed, row.cells.length - 1, ...row.formulas);
  for (const column of row.formulas) counts.formulas.add(column);
  if (row.isHidden) counts.hidden += 1;
}

/** The target of a cell's link, by the cell's address. */
type Links = ReadonlyMap<string, string>;

async function linkTargets({ archive }: Book, { part }: BookSheet, { links }: SheetFrame): Promise<Links> {
  if (links.size === 0) return links;
  const targets = new Map((await linksOf(archive, part)).map(({ id, target }) => [id, target]));
  return new Map([...links].map(([cell, id]) => [cell, targets.get(id) ?? '']));
}

/** The first filled rows, as many as are needed to find the header. */
async function firstRows(book: Book, tab: BookSheet, options: ReadOptions): Promise<readonly SheetRow[]> {
  const last = saidHeader(options)?.last ?? 0;
  const rows: SheetRow[] = [];
  for await (const group of sheetRows(book, tab)) {
    rows.push(...group);
    if (rows.length >= ROWS_SAMPLED && (rows.at(-1)?.number ?? 0) >= last) break;
  }
  return rows;
}

function startOf(where: string, top: readonly SheetRow[], options: ReadOptions): ListStart & Top {
  const start = listStart(top, options);
  const names = namesIn(top, start.header);
  if (names.length === 0) throw blankHeader(where, start.header.last);
  rowsBelow(start.header, options, where);
  return { ...start, columns: namedColumns(where, names) };
}

/**
 * The most rows of a workbook. Excel itself takes minutes to open and save more; a CSV file streams at any
 * size.
 */
const MOST_ROWS_READ = 200_000;

function tableOf(
  book: Book,
  surveyed: SurveyedSheet,
  options: ReadOptions,
  passedOver?: BookSheet,
): SheetTable {
  const { tab, start, leftOut, hidden } = surveyed;
  if (start === undefined) throw blank(book.archive.path, tab);
  const { header, columns } = start;
  const left_out = leftOut.length === 0 ? undefined : leftOut;
  const layout: FoundLayout = {
    ...present({ sheet: passedOver === undefined ? options.asBefore?.sheet : tab.name }),
    ...keptOf(start),
    ...present({ lines: surveyed.parting === undefined ? undefined : ('cells' as const), left_out }),
  };
  const notes = [
    ...(options.sheet === undefined ? sheetNotes(book, tab, passedOver) : []),
    ...layoutNotes(layout, columns.names),
    ...(hidden > 0
      ? [`${counted(hidden, 'hidden row')} of the sheet will be processed like all others.`]
      : []),
  ];
  const hasRow = rowsWithout(leftOut, readRowRange(options.rows ?? ''));
  const { names, positions } = columns;
  const webColumns = new Set(positions.filter((_position, at) => isWebName(names[at] ?? '')));
  return { ...surveyed, start, header, columns, webColumns, hasRow, layout, notes };
}

/** @param passedOver the sheet that would have been read, had it been a list. */
function sheetNotes({ sheets, open }: Book, tab: BookSheet, passedOver: BookSheet | undefined) {
  if (sheets.length === 1) return [];
  const otherwise = passedOver && `, because ${foreignName(passedOver.name)} is no such list`;
  const why = otherwise ?? (tab === open ? ', which was open when it was saved' : '');
  const all = sheets.map(({ name, isHidden }) => `${foreignName(name)}${isHidden ? ' (hidden)' : ''}`);
  return [
    `Read from the sheet ${foreignName(tab.name)}${why}; to use another, name it with --sheet: ` +
      `${listed(all)}.`,
  ];
}

// -------------------------------------------------------------------------------------------------- its rows

export interface TableRow {
  /**
   * - `header`: the names of the columns.
   * - `row`: a row of the table.
   * - `left_out`: a title above the header, or a row below it that is none of the table; it stays as it is.
   */
  readonly kind: 'header' | 'row' | 'left_out';
  readonly number: RowNumber;
  readonly cells: readonly string[];
  /** The reason why the row cannot be read, as in `InputRow`. */
  readonly unreadable?: string;
}

export function tableRow(row: SheetRow, table: SheetTable): TableRow {
  const { header, hasRow } = table;
  const { number, cells } = row;
  if (number === header.last) return { kind: 'header', number, cells };
  if (number < header.last || !hasRow(number)) return { kind: 'left_out', number, cells };
  const unreadable = strayWords(number, cells, table);
  return { kind: 'row', number, cells: withLinks(row, table), ...present({ unreadable }) };
}

/** Below a name of addresses, a word is read as where its link goes. In the workbook it stays as it is. */
function withLinks(
  { number, cells, links: rowLinks }: SheetRow,
  { webColumns, links }: SheetTable,
): SheetRow['cells'] {
  if (rowLinks.size === 0 && links.size === 0) return cells;
  return cells.map((text, column) => {
    if (text === '' || text.includes('.')) return text;
    const target = rowLinks.get(column) ?? links.get(`${lettersOf(column)}${number}`) ?? '';
    return webColumns.has(column) && /^https?:/i.test(target) ? target : text;
  });
}

/** The cells below the names; behind those of a row that cannot be read all others. */
export function inputRow(
  { number: row, cells, unreadable }: TableRow,
  { positions }: NamedColumns,
): InputRow {
  const ownCells = positions.map((position) => cells[position] ?? '');
  if (unreadable === undefined) return { row, cells: ownCells };
  const named = new Set(positions);
  return { row, cells: [...ownCells, ...cells.filter((_text, at) => !named.has(at))], unreadable };
}

// ----------------------------------------------------------------------------------------- what does not fit

/** Undefined for a row that holds nothing right of the header. */
function strayWords(row: number, cells: SheetRow['cells'], { columns, header }: Top): string | undefined {
  if (cells.length <= columns.width) return undefined;
  const address = `${lettersOf(cells.length - 1)}${row}`;
  const ends = header.last === 0 ? `the list ends` : `the header in row ${header.last} ends`;
  return `the cell ${address} holds something, but ${ends} with column ${lettersOf(columns.width - 1)}`;
}

function requireFit(where: string, rows: readonly SheetRow[], top: Top): void {
  for (const { number, cells } of rows) {
    const words = strayWords(number, cells, top);
    const next = phrase`Clear the cell or give its column a name; if this row is the header,
      ${asHeader(number)}.`;
    if (words !== undefined) throw stop('input', `${where}, row ${number}: ${words}.`, next);
  }
}

function tooLong(where: string): Error {
  const fact = `${where} has more than ${MOST_ROWS_READ} rows, the most that Rowonce reads from a workbook.`;
  return stop('input', fact, 'Save it as CSV, which may have any number of rows.');
}

function blank(path: string, { name }: BookSheet): Error {
  const fact =
    `${path}: the sheet ${foreignName(name)} is empty: ` +
    'it has neither a header nor rows, or only formulas without a saved value.';
  const next = phrase`Name the sheet that has the rows ${byFlag('--sheet')}, or save the workbook in a
    spreadsheet program to store the values.`;
  return stop('input', fact, next);
}
