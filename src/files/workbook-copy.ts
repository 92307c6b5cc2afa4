import type { CellsFor, CopyOptions, Sheet } from '../core/format.ts';
import type { InputRow } from '../core/row.ts';
import { shownText } from '../operations/lookup/identifiers.ts';
import { identifierColumns, isIdentifier } from './columns/column-kind.ts';
import { addedTo, writtenByUs } from './header.ts';
import { type WorkbookCell, type WorkbookRow, workbookBytes } from './workbook.ts';

/**
 * The rows of a table as a new workbook, by value, with cells appended to each. Identifiers and telephone
 * numbers are text in it, also where they were numbers. Appended cells are text, too, so that they never
 * become formulas. Only values that a spreadsheet shows unchanged as numbers are numbers: credits, counts and
 * years can be added up and sorted.
 */

type CopySource = Pick<Sheet, 'header' | 'start' | 'groups'>;

/** Rows for which the appended cells are asked at once: past this, it gets no faster. */
const ROWS_AT_ONCE = 256;

/** @param sheetName left out: as Excel calls the only sheet of a new workbook. */
export function workbookCopy(
  sheet: CopySource,
  options: CopyOptions,
  cellsFor: CellsFor,
  sheetName = 'Sheet1',
): AsyncIterable<Buffer> {
  return workbookBytes(sheetName, copiedRows(sheet, options, cellsFor));
}

async function* copiedRows(
  sheet: CopySource,
  options: CopyOptions,
  cellsFor: CellsFor,
): AsyncIterable<readonly WorkbookRow[]> {
  const names = await sheet.header();
  const kept = [...names.keys()].filter((at) => !options.dropped.has(names[at] ?? ''));
  const ownCell = cellsBelow(names);
  const addedCell = addedCellsBelow(options.columns, { day: '1', time: '2' });
  // Where no row of the list has the names, each row makes room for them.
  const header = sheet.start.header.last;
  const below = header === 0 ? 1 : 0;
  let written = options.isPart ? 1 : header + below;
  const titles = [...kept.map((at) => names[at] ?? ''), ...options.columns];
  yield [{ number: written, cells: titles.map((text) => ({ text })) }];
  for await (const rows of batched(sheet.groups())) {
    const records = rows.map((row) => ({ kind: 'row', row }));
    const added = await addedTo(records, ({ row }) => row, options, cellsFor);
    const copied: WorkbookRow[] = [];
    for (const [index, row] of rows.entries()) {
      const ours = added[index]?.map(addedCell);
      if (ours === undefined) continue;
      written = options.isPart ? written + 1 : row.row + below;
      const { own, surplus } = ownCells(row);
      copied.push({ number: written, cells: [...own, ...ours, ...surplus] });
    }
    yield copied;
  }

  /** What a row that cannot be read has too many stands behind ours, as in a copy of delimited text. */
  function ownCells({ cells, unreadable }: InputRow): Record<'own' | 'surplus', readonly WorkbookCell[]> {
    if (unreadable === undefined)
      return {
        own: kept.map((at) => ownCell(shownText(cells[at] ?? '') ?? cells[at] ?? '', at)),
        surplus: [],
      };
    const columns = { names, positions: [...names.keys()], width: names.length };
    const ours = writtenByUs(columns, options.dropped, (at) => cells[at]);
    const left = cells.filter((_cell, at) => !ours.has(at)).map(ownCell);
    return { own: kept.map((_at, index) => left[index] ?? { text: '' }), surplus: left.slice(kept.length) };
  }
}

/** A number without leading zeros and with no more digits than Excel shows: it looks just as the text did. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,9})(?:\.\d{0,8}[1-9])?$/;

/** Excel shows this many characters of a number and rounds the rest away. */
const MOST_SHOWN = 11;

/** The cells below these names. */
export function cellsBelow(names: readonly string[]): (text: string, at: number) => WorkbookCell {
  const ofIdentifiers = identifierColumns(names);
  return (text, at) => {
    const isNumber = text.length <= MOST_SHOWN && PLAIN_NUMBER.test(text) && text !== '-0';
    if (!isNumber || ofIdentifiers.has(at) || isIdentifier(text)) return { text };
    return { text, value: Number(text) };
  };
}

/** The numbers of the formats for a day, and for a time. */
export interface DateStyles {
  readonly day: string;
  readonly time: string;
}

/**
 * The same for the cells that we add, in which a date is a date, so that it can be sorted and filtered. A
 * time is shown as it is in UTC.
 * @param styles undefined where the workbook has no formats.
 */
export function addedCellsBelow(
  names: readonly string[],
  styles: DateStyles | undefined,
): (text: string, at: number) => WorkbookCell {
  const cellOf = cellsBelow(names);
  return (text, at) => (styles && dateCell(text, styles)) ?? cellOf(text, at);
}

const DATE = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?Z?$/;

const DAY_MS = 86_400_000;
const DAYS_TO_1970 = 25_569;
/** Excel counts the days before as if there had been a 29 February 1900. */
const FIRST_DAY = 61;

/** Undefined for a text that is no date of Excel's. */
function dateCell(text: string, { day: dayStyle, time: timeStyle }: DateStyles): WorkbookCell | undefined {
  const [, day, time = ''] = DATE.exec(text) ?? [];
  if (day === undefined) return undefined;
  const atMs = Date.parse(`${day}${time === '' ? 'T00:00' : time}Z`);
  const value = atMs / DAY_MS + DAYS_TO_1970;
  // A day that a month does not have is taken for one of the next month.
  const isDate = value >= FIRST_DAY && new Date(atMs).toISOString().startsWith(day);
  return isDate ? { text, value, style: time === '' ? dayStyle : timeStyle } : undefined;
}

async function* batched<Row>(groups: AsyncIterable<readonly Row[]>): AsyncIterable<readonly Row[]> {
  for await (const group of groups) {
    for (let at = 0; at < group.length; at += ROWS_AT_ONCE) yield group.slice(at, at + ROWS_AT_ONCE);
  }
}
