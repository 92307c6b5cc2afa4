import { foreignName } from '../../../core/plain-text.ts';
import { lettersOf } from '../../workbook.ts';
import { isTrue } from './xml.ts';

interface StoredCell {
  /** `s` for a shared text, `n` for a number, and so on. */
  readonly type: string;
  /** The text of its value; empty for none. */
  readonly value: string;
  readonly format: NumberFormat;
}

export interface CellContext {
  readonly sharedTexts: readonly string[];
  /** Whether days are counted from 1904, as Excel on a Mac once did. */
  readonly from1904: boolean;
}

/**
 * What a user would type to get the cell; empty for a blank one.
 * @throws Error with a clause, for a value that its type does not have.
 */
export function cellText({ type, value, format }: StoredCell, context: CellContext): string {
  if (value === '') return '';
  switch (type) {
    case 's':
      return sharedText(context.sharedTexts, value);
    case 'b':
      return isTrue(value) ? 'TRUE' : 'FALSE';
    case 'n':
      return shownNumber(value, format, context.from1904);
    // A text of the cell's own, the text that a formula gave, an error such as #N/A, and an ISO date.
    case 'inlineStr':
    case 'str':
    case 'e':
    case 'd':
      return value;
    default:
      throw new Error(`a cell is of the unknown type ${foreignName(type)}`);
  }
}

function sharedText(sharedTexts: readonly string[], value: string): string {
  const text = /^\d{1,9}$/.test(value) ? sharedTexts[Number(value)] : undefined;
  if (text === undefined)
    throw new Error(`a cell has text number ${foreignName(value)}, which does not exist`);
  return text;
}

function shownNumber(stored: string, format: NumberFormat, from1904: boolean): string {
  const value = Number(stored);
  if (!Number.isFinite(value)) throw new Error(`a cell has the number ${foreignName(stored)}`);
  if (typeof format === 'number' && Number.isInteger(value) && value >= 0) {
    return numberText(value).padStart(format, '0');
  }
  const serial = format === 'date' && from1904 ? value + DAYS_TO_1904 : value;
  if (format === 'time' && serial >= 0) return clockText(serial * SECONDS_A_DAY);
  if (format === 'date' && serial >= 0 && serial < DAYS_TO_10000) return dateText(serial);
  return numberText(value);
}

/** Excel keeps and shows no more digits than this; those behind come from how computers hold numbers. */
const MOST_DIGITS = 15;

/** The digits as a user would type them: without an exponent, as many of them as Excel shows. */
const IN_DIGITS = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: MOST_DIGITS });

function numberText(value: number): string {
  const isShort = Number.isInteger(value) && Math.abs(value) < 10 ** MOST_DIGITS;
  return isShort ? String(value) : IN_DIGITS.format(value);
}

const SECONDS_A_DAY = 86_400;
const DAYS_TO_1904 = 1_462;

/** The first day that Excel has no date for. */
const DAYS_TO_10000 = 2_958_466;

/** Excel takes 1900 for a leap year, as the program did that it had to be like: its day 60 never was. */
const DAY_THAT_NEVER_WAS = 60;
const DAYS_TO_1970 = 25_569;

/** `2024-01-31`, `2024-01-31T09:30:00`, or `09:30:00`. */
function dateText(serial: number): string {
  const seconds = Math.round(serial * SECONDS_A_DAY);
  const days = Math.floor(seconds / SECONDS_A_DAY);
  if (days === 0) return clockText(seconds);
  const sinceDay1970 = days - DAYS_TO_1970 + (days < DAY_THAT_NEVER_WAS ? 1 : 0);
  const date = new Date(sinceDay1970 * SECONDS_A_DAY * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const time = seconds - days * SECONDS_A_DAY;
  return time === 0 ? date : `${date}T${clockText(time)}`;
}

function clockText(time: number): string {
  const seconds = Math.round(time);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/**
 * What a number of a cell means: days since the workbook's epoch, parts of a day without a date, or itself. A
 * figure: whole numbers are shown with zeros before them until they have so many digits, such as postcodes
 * and telephone numbers.
 */
export type NumberFormat = 'plain' | 'date' | 'time' | number;

/** The formats with a number below 164 are Excel's own, and are not spelled out in the file. */
export function builtInFormat(id: number): NumberFormat {
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return 'time';
  // From 27 on they are dates in Chinese, Japanese, Korean and Thai spellings.
  const isDate = (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return isDate ? 'date' : 'plain';
}

/**
 * Text that is shown as it stands, colours, conditions and languages; elapsed times stay, as they are times.
 */
const LITERALS = /"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi;

/** @param code as a user enters it under "Custom": `dd/mm/yyyy`, `[h]:mm`, `0000 000 000`. */
export function formatOfCode(code: string): NumberFormat {
  const [positive = ''] = code.replaceAll(LITERALS, ' ').split(';');
  if (/^\s*general\s*$/i.test(positive)) return 'plain';
  const digits = /^\s*0[0\s-]*$/.test(positive) ? positive.replaceAll(/[^0]/g, '').length : 0;
  if (digits > 1) return digits;
  if (/[yd]/i.test(positive)) return 'date';
  if (/[hs]/i.test(positive)) return 'time';
  return /m/i.test(positive) ? 'date' : 'plain';
}

// ------------------------------------------------------------------------------------------- blocks of cells

/** A block of cells. Columns are counted from 0, rows as a spreadsheet shows them. */
export interface CellRange {
  readonly firstColumn: number;
  readonly lastColumn: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

const RANGE = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/;

/** Reads `A1:F100` and `B2`; undefined for what is neither, such as whole rows. */
export function readCellRange(text: string | undefined): CellRange | undefined {
  const [, first, firstRow, last = first, lastRow = firstRow] = RANGE.exec(text ?? '') ?? [];
  if (first === undefined || last === undefined) return undefined;
  return {
    firstColumn: columnOf(first),
    lastColumn: columnOf(last),
    firstRow: Number(firstRow),
    lastRow: Number(lastRow),
  };
}

export function cellRangeText({ firstColumn, lastColumn, firstRow, lastRow }: CellRange): string {
  return `${lettersOf(firstColumn)}${firstRow}:${lettersOf(lastColumn)}${lastRow}`;
}

/** The column of these letters: 0 for `A`, 26 for `AA`. */
function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** The position of the column in an address such as `AB12`; NaN for what is none. */
export function columnIn(address: string): number {
  const letters = /^([A-Z]{1,3})\d+$/.exec(address)?.[1];
  return letters === undefined ? Number.NaN : columnOf(letters);
}
