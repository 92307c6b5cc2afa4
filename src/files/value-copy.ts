import type { CellsFor, CopyOptions, Sheet } from '../core/format.ts';
import type { InputRow } from '../core/row.ts';
import { shownText } from '../values/cell-text.ts';
import { identifierColumns, isIdentifier } from './columns/column-kind.ts';
import { valueRows } from './header.ts';
import { type WorkbookCell, type WorkbookRow, workbookBytes } from './workbook.ts';

/**
 * The rows of a table as a new workbook, by value, with cells appended to each. Identifiers and telephone
 * numbers are text in it, also where they were numbers. Appended cells are text, too, so that they never
 * become formulas. Only values that a spreadsheet shows unchanged as numbers are numbers: credits, counts and
 * years can be added up and sorted.
 */

type CopySource = Pick<Sheet, 'header' | 'start' | 'groups'>;

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
  const keptNames = (await sheet.header()).filter((name) => !options.dropped.has(name));
  const ownCell = cellsBelow(keptNames);
  const addedCell = addedCellsBelow(options.columns, { day: '1', time: '2' });
  // Where no row of the list has the names, each row makes room for them.
  const header = sheet.start.header.last;
  const below = header === 0 ? 1 : 0;
  let written = options.isPart ? 1 : header + below;
  yield [{ number: written, cells: [...keptNames, ...options.columns].map((text) => ({ text })) }];
  for await (const rows of valueRows(sheet, options, cellsFor))
    yield rows.map(({ row, ownNames, ours, surplus }): WorkbookRow => {
      written = options.isPart ? written + 1 : row.row + below;
      const shown = row.unreadable === undefined ? ownNames.map((text) => shownText(text) ?? text) : ownNames;
      const behind = surplus.map((text, at) => ownCell(text, keptNames.length + at));
      return { number: written, cells: [...shown.map(ownCell), ...ours.map(addedCell), ...behind] };
    });
}

/** A number without leading zeros and with no more digits than Excel shows: it looks just as the text did. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,9})(?:\.\d{0,8}[1-9])?$/;

/** Excel shows this many characters of a number and rounds the rest away. */
const MOST_SHOWN = 11;

/** The user's cells below these names, as her spreadsheet shows them. */
export function ownCellsBelow(names: readonly string[]): (text: string, at: number) => WorkbookCell {
  const cellOf = cellsBelow(names);
  return (text, at) => cellOf(shownText(text) ?? text, at);
}

/** The cells below these names. */
function cellsBelow(names: readonly string[]): (text: string, at: number) => WorkbookCell {
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

// ------------------------------------------------------------------------ as JSON, where nothing is altered

/** The member with all cells of a row that cannot be read: no one knows below which names they belong. */
const UNREAD_CELLS = '_cells';

/** An object on one line, without a line end. @param members each as JSON with its name. */
export function objectText(members: readonly string[]): string {
  return `{${members.join(',')}}`;
}

export function memberText(name: string, json: string): string {
  return `${JSON.stringify(name)}:${json}`;
}

/** The appended cells, as members. A blank cell says nothing, which is `null` where cells are JSON. */
export function appendedMembers(
  { columns, isJson }: Pick<CopyOptions, 'columns' | 'isJson'>,
  cells: readonly string[],
): readonly string[] {
  return columns.map((name, at) => {
    const cell = cells[at] ?? '';
    return memberText(name, isJson === true ? cell || 'null' : JSON.stringify(cell));
  });
}

export function unreadMembers({ cells }: Pick<InputRow, 'cells'>): readonly string[] {
  return [memberText(UNREAD_CELLS, JSON.stringify(cells))];
}

/** @param isList one JSON list of all rows; else an object on each line. */
export async function* jsonCopy(
  sheet: Pick<Sheet, 'header' | 'groups'>,
  options: CopyOptions,
  cellsFor: CellsFor,
  isList: boolean,
): AsyncIterable<Buffer> {
  const names = (await sheet.header()).filter((name) => !options.dropped.has(name));
  let before = isList ? '[\n' : '';
  for await (const rows of valueRows(sheet, options, cellsFor)) {
    const objects = rows.map(({ row, ownNames, ours }) => {
      const read = names.map((name, at) => memberText(name, JSON.stringify(ownNames[at] ?? '')));
      const members = row.unreadable === undefined ? read : unreadMembers(row);
      return objectText([...members, ...appendedMembers(options, ours)]);
    });
    if (objects.length === 0) continue;
    yield Buffer.from(before + objects.join(isList ? ',\n' : '\n') + (isList ? '' : '\n'));
    before = isList ? ',\n' : '';
  }
  if (isList) yield Buffer.from(`${before === '[\n' ? '[' : ''}\n]\n`);
}
