import { StopError, stop } from '../../core/errors.ts';
import type { ListStart, ReadOptions, StartReading, TopRow } from '../../core/format.ts';
import { asField, asFlag, byFlag, faces, joined, type Phrase, phrase, typing } from '../../core/phrase.ts';
import { counted, foreignName, foreignWords } from '../../core/plain-text.ts';
import type { FoundLayout, LeftOut } from '../../core/reading.ts';
import {
  isOurColumn,
  NO_HEADER,
  type RowNumber,
  type RowRange,
  readHeaderRows,
  readRowRange,
  rowRangeText,
} from '../../core/row.ts';
import { email } from '../../values/email.ts';
import { abn } from '../../values/number.ts';
import { personProfile } from '../../values/profile.ts';
import { isDate } from '../../values/text.ts';
import { website } from '../../values/website.ts';
import { lettersOf } from '../workbook.ts';
import { areBoxes, areDescriptions, isColumnWord, NUMBER_NAME, nameIn } from './column-words.ts';

/**
 * Where a list begins: which row has the names of its columns, or that none has. Every format asks here, with
 * its first rows as texts. What is not sure is not guessed: a person is asked, because a company that is
 * taken for a name is lost.
 */

export interface SampledRow {
  readonly number: RowNumber;
  readonly cells: readonly string[];
}

/** Rows from which a header is found, and what columns hold. */
export const ROWS_SAMPLED = 200;

/**
 * The header as the user said it, or as an earlier batch found it. A user who names the row has counted the
 * rows above it.
 */
export function saidHeader({ header_row, asBefore }: ReadOptions): RowRange | undefined {
  return readHeaderRows(header_row ?? asBefore?.header_row ?? '');
}

/** What a batch keeps of where its list begins. */
export function keptOf({ header, isFound }: ListStart): Pick<FoundLayout, 'header_row'> {
  return isFound ? { header_row: rowRangeText(header) } : {};
}

/** The rows that were named. @throws StopError `input` where they begin above the header's end. */
export function rowsBelow(
  { last }: RowRange,
  { rows = '' }: ReadOptions,
  where: string,
): RowRange | undefined {
  const only = readRowRange(rows);
  if (only === undefined || only.first > last) return only;
  const rowsAsked = faces(asFlag('--rows'), 'what is asked for');
  const fact = phrase`${where}: ${rowsAsked} begins with row ${only.first}, and row ${last} is the header.`;
  throw stop('input', fact, phrase`Name the rows below the header, or the header ${byFlag(FLAG)}.`);
}

export function blankHeader(where: string, row: RowNumber): StopError {
  const fact = `${where}: row ${row} is blank, so it cannot be the header.`;
  return stop('input', fact, phrase`Give the number of the header's row in Excel ${byFlag(FLAG)}.`);
}

export function nothingBelow(path: string, lines: number): StopError {
  const fact = `${path} has nothing below its first ${counted(lines, 'line')}: neither a header nor rows.`;
  const next = phrase`Give the row of the column names ${byFlag(FLAG)}.`;
  return stop('input', fact, next);
}

const FLAG = '--header-row' as const;

/** What to do with the row that is the header. */
export const asHeader = (row: RowNumber): Phrase => faces(phrase`use ${asFlag(FLAG, row)}`, 'say so');

/** No name, identifier or remark is longer. */
const LONGEST_LOOKED_AT = 1_000;

export const beginningOf = (cell: string): string =>
  cell.length > LONGEST_LOOKED_AT ? cell.slice(0, LONGEST_LOOKED_AT) : cell;

/** The cells as they are looked at: of a long text its beginning, or each look would take as long as it. */
export function lookedAt(cells: readonly string[]): readonly string[] {
  return cells.some((cell) => cell.length > LONGEST_LOOKED_AT) ? cells.map(beginningOf) : cells;
}

/**
 * @param sampled the top of a list, without blank rows.
 * @returns the start that the user named, else the one that was found before, else the one that is found now.
 */
export function listStart(sampled: readonly SampledRow[], options: ReadOptions): ListStart {
  const { header_row, asBefore, wanted = [] } = options;
  const all = sampled.map((row) => ({ ...row, cells: lookedAt(row.cells) }));
  const givenHeader = saidHeader(options);
  if (givenHeader !== undefined)
    return { header: givenHeader, isFound: header_row === undefined, ...describingBelow(all, givenHeader) };
  const [first] = all;
  const top = rangeOf(first?.number ?? 1);
  if (first === undefined || asBefore !== undefined) return { header: top, isFound: false };
  const rows = withoutOthers(all);
  const [header, ...others] = findStart(rows, wanted);
  const readings = [header, ...others].map((range) => readingOf(range, rows));
  return {
    header,
    isFound: header.last !== top.last,
    ...describingBelow(all, header),
    ...(others.length === 0 ? {} : { readings }),
  };
}

/** A survey has its questions between the names of its columns and what a program reads of them. */
const MOST_DESCRIBING = 2;

function describingBelow(rows: readonly SampledRow[], { last }: RowRange): Pick<ListStart, 'describing'> {
  const below = rows.filter(({ number }) => number > last).slice(0, MOST_DESCRIBING);
  const end = below.find(({ cells }) => areDescriptions(cells));
  const [first] = below;
  return end === undefined || first === undefined
    ? {}
    : { describing: { first: first.number, last: end.number } };
}

/** What shows nothing of a header: rows of check boxes alone, and those that describe the columns. */
function withoutOthers(rows: readonly SampledRow[]): readonly SampledRow[] {
  const end = rows.findIndex(({ cells }) => areDescriptions(cells));
  const start = Math.max(1, end - MOST_DESCRIBING + 1);
  const others = rows.filter((_row, at) => at < start || at > end);
  const filled = others.filter(({ cells }) => !areBoxes(cells));
  return filled.length > 1 ? filled : others;
}

/** A line that is drawn under a header or around a table. A dash or two stand for nothing in other rows. */
export function isDashes(cells: readonly string[], isBelowHeader: boolean): boolean {
  let isLine = false;
  for (const cell of cells) {
    const text = cell.trim();
    if (text === '') continue;
    isLine = /^[|+:=_\u2500\u2014-]+$/.test(text) && (isBelowHeader || text.length > 2);
    if (!isLine) return false;
  }
  return isLine;
}

/** The names of a header; the letters of a spreadsheet where there is none. */
export function namesIn(rows: readonly SampledRow[], header: RowRange): readonly string[] {
  if (header.last === 0)
    return Array.from({ length: usualWidth(rows) }, (_, position) => lettersOf(position));
  const cellsOf = (row: RowNumber): readonly string[] =>
    rows.find(({ number }) => number === row)?.cells ?? [];
  const lower = cellsOf(header.last);
  return header.first === header.last ? lower : joinedNames(cellsOf(header.first), lower);
}

/** How many columns most rows fill; the larger of several such numbers. */
export function usualWidth(rows: readonly SampledRow[]): number {
  const widths = rows.map(({ cells }) => cells.length);
  const counts = Map.groupBy(widths, (width) => width);
  const [most] = [...counts].sort(([a, all], [b, others]) => others.length - all.length || b - a);
  return most?.[0] ?? 0;
}

function readingOf(header: RowRange, rows: readonly SampledRow[]): StartReading {
  const row = header.last === 0 ? rows[0] : rows.find(({ number }) => number === header.last);
  return { header, row: row?.number ?? 1, text: rowWords(row?.cells ?? []) };
}

/** What a command ends with where no one but a person can say which row is the header. */
export function unclearStart(path: string, readings: readonly StartReading[]): StopError {
  const choices = readings.map(({ header, row, text }) => {
    const value = rowRangeText(header);
    const says =
      value === '0'
        ? `no row names the columns, and row ${row} (${text}) is the first of the list`
        : `row ${value} (${text}) names the columns`;
    return { flag: FLAG, value, says };
  });
  const flags = choices.map(({ flag, value, says }) => phrase`${asFlag(flag, value)}: ${says}`);
  const inJob = typing`In a job it is \`${asField('header_row')}\` under \`read:\`.`;
  return new StopError({
    code: 'input',
    message: `${path}: it is not clear where the list begins.`,
    next: phrase`Say which it is${typing` with ${joined(flags, '; or ')}`}. ${inJob}`,
    choices,
  });
}

// ------------------------------------------------------------------------------------------- which row it is

/** No one writes more lines above a table. */
const MOST_TITLES = 30;

/** Rows below a header that say which of its columns are used. */
const ROWS_BELOW = 20;

/** A column that fewer of these fill may be one of remarks. */
const SHARE_OF_USED = 0.2;

const MOST = 0.8;

const rangeOf = (first: RowNumber, last = first): RowRange => ({ first, last });

type Readings = readonly [RowRange, ...RowRange[]];

function findStart(rows: readonly SampledRow[], wanted: readonly string[]): Readings {
  const top = rows.slice(0, MOST_TITLES + 1);
  const isSaid = ({ cells }: SampledRow): boolean => {
    const names = cells.map(nameIn);
    return names.some(isOurColumn) || (wanted.length > 0 && wanted.every((name) => names.includes(name)));
  };
  const headerRow = top.find(isSaid);
  if (headerRow !== undefined) return [rangeOf(headerRow.number)];
  const texts = rows.map(({ cells }) => rowText(cells));
  for (const at of top.keys()) {
    const found = readingsAt(rows, texts, at);
    if (found !== undefined) return found;
  }
  return [rangeOf(rows[0]?.number ?? 1), NO_HEADER];
}

/** The look of a row and of the rows below it. */
interface Look {
  readonly cells: readonly string[];
  /** The columns that the rows below fill. */
  readonly used: readonly number[];
  /** Whether each of these has a name of its own. */
  readonly isNamed: boolean;
  /** Cells that are words for columns, and cells with a word above numbers, dates or addresses. */
  readonly words: number;
  readonly over: number;
  /** What rows hold and headers do not: identifiers and names of companies; and numbers. */
  readonly values: number;
  readonly numbers: number;
}

/** How the list can be read if the row is where it begins; undefined where it stands above that. */
function readingsAt(all: readonly SampledRow[], texts: readonly string[], at: number): Readings | undefined {
  const row = all[at];
  if (row === undefined) return undefined;
  // A header that stands below once more shows nothing of what its columns hold.
  const rows = all.filter((_row, position) => position <= at || texts[position] !== texts[at]);
  const next = rows[at + 1];
  const look = lookAt(rows, at);
  const header = rangeOf(row.number);
  const hasTitles = at > 0;
  if (look.used.length > 1 && isTitle(look))
    return look.words === 0 || isAboveHeader(rows, at, look) ? undefined : [header, NO_HEADER];
  if (next === undefined) return hasTitles ? undefined : alone(look, header);
  const below = lookAt(rows, at + 1);
  if (isWideTitle(look, below) || (!look.isNamed && isAboveHeader(rows, at, look))) return undefined;
  if (!look.isNamed && arePair(rows, at)) return [rangeOf(row.number, next.number)];
  return isDoubled(look, below) ? [header, rangeOf(next.number)] : shownBy(look, header, hasTitles);
}

/** A title as wide as the table, above what is a header for sure. */
function isWideTitle(look: Look, below: Look): boolean {
  return below.isNamed && look.words === 0 && look.values === 0 && below.words * 2 >= filledIn(below);
}

/** A list of one row: with no rows it is as good as none. */
function alone(look: Look, header: RowRange): Readings {
  if (look.words > 0 && look.values === 0) return [header];
  return look.values > 0 ? [NO_HEADER] : [header, NO_HEADER];
}

/** @param hasTitles what stands above a list without a header would be a row of it, which no one meant. */
function shownBy(look: Look, header: RowRange, hasTitles: boolean): Readings {
  if (showsHeader(look)) return [header];
  const isRow = look.words === 0 && look.values + look.numbers > 0;
  if (isRow && !hasTitles) return [NO_HEADER];
  return isRow || look.values > 0 ? [NO_HEADER, header] : [header, NO_HEADER];
}

function lookAt(rows: readonly SampledRow[], at: number): Look {
  const cells = (rows[at]?.cells ?? []).map((cell) => cell.trim());
  const below = rows.slice(at + 1);
  const used = usedPlaces(below);
  const filled = [...cells.keys()].filter((position) => cells[position] !== '');
  const count = (is: (cell: string, others: readonly string[]) => boolean): number =>
    filled.filter((position) => is(cells[position] ?? '', column(below, position))).length;
  const isAgain = (cell: string, others: readonly string[], times: number): boolean =>
    others.filter((other) => other === cell).length >= times;
  return {
    cells,
    used,
    isNamed: isNamed(cells, used),
    words: count((cell, others) => isColumnWord(cell) && !isAgain(cell, others, 1)),
    over: count((cell, others) => isLabel(cell) && areValues(others)),
    values: count((cell, others) => isValue(cell) || (!isColumnWord(cell) && isAgain(cell, others, 2))),
    numbers: count((cell) => NUMBER.test(cell) && !YEAR.test(cell)),
  };
}

function column(rows: readonly SampledRow[], position: number): readonly string[] {
  return rows.flatMap(({ cells }) => cells[position]?.trim() || []).slice(0, ROWS_BELOW);
}

const areValues = (cells: readonly string[]): boolean =>
  cells.length > 0 && cells.filter((cell) => !isLabel(cell)).length >= cells.length * MOST;

const filledIn = ({ cells }: Pick<Look, 'cells'>): number => cells.filter(Boolean).length;

function isTitle(look: Look): boolean {
  const count = filledIn(look);
  return count <= 1 || count * 2 < look.used.length;
}

/** Whether something shows that the row has names, and nothing that it is a row of the list. */
function showsHeader(look: Look): boolean {
  if (look.words * 2 > filledIn(look)) return look.values === 0 || look.words > 2 * look.values;
  if (look.values > 0) return false;
  return look.words > 0 || (look.isNamed && look.over > 0 && look.numbers === 0);
}

/** Lines of a report and names of groups leave blanks above a header that has none. */
function isAboveHeader(rows: readonly SampledRow[], at: number, look: Look): boolean {
  const last = Math.min(rows.length - 1, MOST_TITLES);
  for (let below = at + 1; below <= last; below += 1) {
    const header = lookAt(rows, below);
    if (header.isNamed && showsHeader(header)) return filledIn(look) < header.used.length;
  }
  return false;
}

/**
 * Whether the next row may have the names as well: both have words alone above a column of addresses or
 * numbers.
 */
function isDoubled(look: Look, below: Look): boolean {
  return showsHeader(look) && look.words === 0 && look.used.length === 1 && below.isNamed && below.over > 0;
}

/** Whether the names stand in that row and the next, and neither of them is a row of the table. */
function arePair(rows: readonly SampledRow[], at: number): boolean {
  const row = rows[at];
  const next = rows[at + 1];
  if (row === undefined || next === undefined || next.number !== row.number + 1) return false;
  const { used, over } = lookAt(rows, at + 1);
  return over > 0 && isNamed(joinedNames(row.cells, next.cells), used);
}

function usedPlaces(below: readonly SampledRow[]): readonly number[] {
  const rows = below.slice(0, ROWS_BELOW);
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const filled = (position: number): number =>
    rows.filter(({ cells }) => (cells[position] ?? '').trim() !== '').length;
  return Array.from({ length: width }, (_, position) => position).filter(
    (position) => filled(position) > 0 && filled(position) >= rows.length * SHARE_OF_USED,
  );
}

/**
 * Whether each used column has a name, and each name stands once and is none of the things that rows hold.
 */
function isNamed(cells: readonly string[], used: readonly number[]): boolean {
  const names = cells.map((cell) => cell.trim());
  if (used.length === 0 || used.some((position) => (names[position] ?? '') === '')) return false;
  const filled = names.filter(Boolean);
  return new Set(filled).size === filled.length && filled.every(isLabel);
}

const LONGEST_LABEL = 200;

/** What stands in a cell for want of anything better. */
const PLACEHOLDER = /^(?:n\/?a|none|nil|null|unknown|tb[acd]|\?+|[-\u2013\u2014.]+)$/i;

const NUMBER = /^(?:[A-Z]{3}\s|[A-Z]{1,2}\$)?[\d\s.,+()%$€£¥-]+(?:\s[A-Z]{3})?$/;
const YEAR = /^(?:19|20)\d\d$/;

/** Whether a cell may be a name: no number, date, address or placeholder, which rows hold. */
function isLabel(cell: string): boolean {
  const text = cell.trim();
  if (text === '' || text.length > LONGEST_LABEL || PLACEHOLDER.test(text)) return false;
  return !(NUMBER.test(text) || isDate(text) || email.looksRight(text) || isAddress(text));
}

/** What is behind the name of a company and hardly ever in that of a column. */
const COMPANY =
  /\S\s(?:p(?:ty|te)\.?(?: ltd\.?)?|ltd\.?|limited|inc\.?|incorporated|llc|llp|plc|corp\.?|corporation|gmbh(?: & co\.? kg)?|ag|kg|s\.?a\.?(?:s|rl)?|s\.?r\.?l\.?|s\.?p\.?a\.?|b\.?v\.?|n\.?v\.?|a\/s|oy|ab)$/i;

function isValue(cell: string): boolean {
  if (
    abn.looksRight(cell) ||
    email.looksRight(cell) ||
    personProfile.looksRight(cell) ||
    isDate(cell) ||
    COMPANY.test(cell)
  )
    return true;
  return NUMBER.test(cell) ? cell.replaceAll(/\D/g, '').length > 6 : isAddress(cell);
}

/** `S.No` is none in Norway. */
const isAddress = (cell: string): boolean => website.looksRight(cell) && !NUMBER_NAME.test(cell);

// ----------------------------------------------------------------------------------------- two rows of names

/**
 * The names of a header in two rows. A cell of the upper one over blank cells is the name of a group, and is
 * needed only where a name stands in several groups; any other belongs to what stands below it.
 */
export function joinedNames(upper: readonly string[], lower: readonly string[]): readonly string[] {
  const at = (cells: readonly string[], position: number): string => (cells[position] ?? '').trim();
  const times = countsOf(upper.map((cell) => cell.trim()));
  const groups: string[] = [];
  const names = Array.from({ length: Math.max(upper.length, lower.length) }, (_, position) => {
    const above = at(upper, position);
    const ownName = at(lower, position);
    groups.push(above === '' ? (groups.at(-1) ?? '') : above);
    // The name of a group stands over blank cells, or once over each of its columns.
    const isAgain = (times.get(above) ?? 0) > (position < upper.length ? 1 : 0);
    const isGroup = isAgain || (at(upper, position + 1) === '' && at(lower, position + 1) !== '');
    if (ownName === '') return above;
    return above === '' || isGroup ? ownName : `${above} ${ownName}`;
  });
  const timesJoined = countsOf(names);
  const isOnce = (name: string): boolean => timesJoined.get(name) === 1;
  return names.map((name, position) =>
    name === '' || isOnce(name) || groups[position] === '' || groups[position] === name
      ? name
      : `${groups[position]} ${name}`,
  );
}

function countsOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

// ------------------------------------------------------------------------------------------------ in words

const NAMES_SHOWN = 4;

export function layoutNotes(
  { header_row: row, lines, left_out = [] }: FoundLayout,
  names: readonly string[],
): readonly string[] {
  const leftOut = Map.groupBy(left_out, ({ text }) => text);
  return [
    ...(lines === undefined ? [] : [LINES_NOTES[lines]]),
    ...(row === undefined ? [] : [headerNote(row, names)]),
    ...[...leftOut].map(([text, all]) => leftOutNote(text, all)),
  ];
}

const LINES_NOTES: Readonly<Record<NonNullable<FoundLayout['lines']>, string>> = {
  quoted:
    'Each line is one cell in quotes, so the cells within the quotes are read; the output has no quotes around its lines.',
  cells: 'All of it stands in column A, so each line is parted into its cells; so is it in the output.',
};

function headerNote(rows: string, names: readonly string[]): string {
  if (rows === '0')
    return (
      'No row has the names of the columns, so they are called A, B and so on; ' +
      `use ${FLAG} to change that.`
    );
  const shown = names.slice(0, NAMES_SHOWN).map((name) => foreignName(name));
  const more = names.length > shown.length ? ' and others' : '';
  const { first, last } = readHeaderRows(rows) ?? { first: 1, last: 1 };
  const where = first === last ? `row ${first}` : `rows ${first} and ${last}`;
  return `The column names come from ${where} (${shown.join(', ')}${more}); use ${FLAG} to change that.`;
}

function leftOutNote(text: string, leftOut: readonly LeftOut[]): string {
  const ranges = leftOut.flatMap(({ rows }) => readRowRange(rows) ?? []);
  const count = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const rows = foreignWords(ranges.map(rowRangeText).join(', '), LONGEST_SHOWN);
  const words = foreignWords(text);
  if (count === 1) return `Row ${rows} (${words}) is no contact and is left out; ${CHANGE_ROWS}.`;
  return `${count} rows (${rows}: ${words}) are no contacts and are left out; ${CHANGE_ROWS}.`;
}

const CHANGE_ROWS = 'use --rows to change that';
const CELLS_SHOWN = 4;
const LONGEST_SHOWN = 60;

export function rowWords(cells: readonly string[]): string {
  const filled = cells.map((cell) => cell.trim()).filter(Boolean);
  const shown = filled.slice(0, CELLS_SHOWN).map((cell) => foreignWords(cell, LONGEST_SHOWN));
  return shown.join(', ') + (filled.length > CELLS_SHOWN ? ', …' : '');
}

/** Cells one by one, without blank ones at the end. */
const rowText = (cells: readonly string[]): string =>
  cells
    .map((cell) => cell.trim())
    .join('\n')
    .trimEnd();

const TOP_ROWS = 12;

/** The first rows that hold something, for a person who looks for the header among them. */
export function topRows(rows: readonly SampledRow[]): readonly TopRow[] {
  return rows
    .slice(0, TOP_ROWS)
    .map(({ number, cells }) => ({ row: number, text: rowWords(cells) }))
    .filter(({ text }) => text !== '');
}
