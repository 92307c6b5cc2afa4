import type { ReadOptions } from '../../../core/format.ts';
import { ROWS_SAMPLED } from '../../shape/list-start.ts';
import type { TableRow } from '../../workbook-copy.ts';
import type { Book, BookSheet } from './book.ts';
import { SheetReader, type SheetRow, sheetRows } from './sheet.ts';
import { type SheetTable, strayPlace, strayWords } from './sheet-table.ts';
import { TableSurvey } from './table-survey.ts';

interface Chosen {
  readonly tab: BookSheet;
  readonly table: SheetTable;
}

/**
 * The first of these sheets that has rows below a header, else the first of all: unless nobody can be asked about by any
 * column of it, and another one looks more like a list. Each is read once.
 * @throws StopError `input` when there is nothing on any, or a row does not fit: what is damaged is not passed over.
 */
export async function chooseTable(
  book: Book,
  [first, ...others]: readonly [BookSheet, ...BookSheet[]],
  options: ReadOptions,
): Promise<Chosen> {
  let survey: TableSurvey;
  try {
    survey = await surveyed(book, first, options);
  } catch (error) {
    const likelier = await likelierSheet(book, others, options, { rows: 0, hasLookups: false });
    if (likelier === undefined) throw error;
    return chosen(book, likelier, options);
  }
  // Rows of nothing but formulas without values are rows all the same: another sheet is not what was meant.
  if (survey.rows > 0 || survey.lacksValues) {
    const likelier = isWanted(survey, options)
      ? undefined
      : await likelierSheet(book, others, options, survey);
    return likelier === undefined ? { tab: first, table: survey.table() } : chosen(book, likelier, options);
  }
  for (const tab of others) {
    const other = await surveyed(book, tab, options).catch(() => undefined);
    if (other !== undefined && other.rows > 0) return { tab, table: other.table() };
  }
  return { tab: first, table: survey.table() };
}

async function chosen(book: Book, tab: BookSheet, options: ReadOptions): Promise<Chosen> {
  return { tab, table: (await surveyed(book, tab, options)).table(tab.name) };
}

function isWanted({ names }: TableSurvey, { wanted = [] }: ReadOptions): boolean {
  return wanted.length > 0 && wanted.every((name) => names.includes(name));
}

/** A list has so many times the rows of a summary of it. */
const TIMES_THE_ROWS = 3;

/** Of the sheets that are not hidden the first that looks like a list, where the open one does not. Only their tops are read. */
async function likelierSheet(
  book: Book,
  others: readonly BookSheet[],
  options: ReadOptions,
  open: Pick<TableSurvey, 'rows' | 'hasLookups'>,
): Promise<BookSheet | undefined> {
  if (open.hasLookups || options.asBefore !== undefined) return undefined;
  for (const tab of others) {
    if (tab.isHidden) continue;
    const { rows, hasLookups } = await topOf(book, tab).catch(() => ({ rows: 0, hasLookups: false }));
    if (hasLookups && rows >= open.rows * TIMES_THE_ROWS) return tab;
  }
  return undefined;
}

async function topOf(book: Book, sheet: BookSheet): Promise<Pick<TableSurvey, 'rows' | 'hasLookups'>> {
  const { rows, hasLookups } = await surveyed(book, sheet, {}, MOST_LOOKED_AT);
  return { rows: rows < ROWS_SAMPLED ? rows : Number.POSITIVE_INFINITY, hasLookups };
}

/** Of a sheet that may be the list, with what may stand above and below its first rows. */
const MOST_LOOKED_AT = 2 * ROWS_SAMPLED;

/** @param most rows; left out: all. */
async function surveyed(
  book: Book,
  sheet: BookSheet,
  options: ReadOptions,
  most = Number.POSITIVE_INFINITY,
): Promise<TableSurvey> {
  const reader = new SheetReader(book);
  const survey = new TableSurvey(book, sheet, options, reader.frame);
  let taken = 0;
  for await (const group of sheetRows(book, sheet, reader)) {
    for (const row of group) survey.take(row);
    taken += group.length;
    if (taken >= most) break;
  }
  survey.end();
  return survey;
}

export async function* tableRows(
  book: Book,
  sheet: BookSheet,
  top: SheetTable,
): AsyncIterable<readonly TableRow[]> {
  for await (const group of sheetRows(book, sheet)) {
    yield group.filter(({ cells }) => cells.length > 0).map((row) => tableRow(row, top));
  }
}

export function tableRow({ number, cells }: SheetRow, top: SheetTable): TableRow {
  const kind = kindOf(number, top);
  const stray = kind === 'row' ? strayPlace(cells, top.columns) : undefined;
  if (stray === undefined) return { kind, number, cells };
  return { kind, number, cells, unreadable: strayWords(number, stray, top) };
}

function kindOf(number: number, { header, hasRow }: SheetTable): TableRow['kind'] {
  if (number === header.last) return 'header';
  if (number < header.last) return 'title';
  return hasRow(number) ? 'row' : 'left_out';
}
