/** What a spreadsheet makes of digits that are a name and no number. */

type NumberReading =
  /** `4.4677E+10`; `digits` where all of them are still there, as in `5.1824753556E+10`. */
  | { readonly kind: 'scientific_notation'; readonly digits: string | undefined }
  /** `51824753556.0`, `51,824,753,556`: all digits are there. */
  | { readonly kind: 'number_format'; readonly digits: string };

const SCIENTIFIC = /^(?<first>\d)(?:[.,](?<decimals>\d+))?E\+?(?<exponent>\d{1,2})$/i;

/** The marks that belong to a number alone. */
const FORMATTED = /^(?<digits>\d{1,3}(?:,\d{3})+|\d+)(?:\.0+)?$/;

/** Undefined for anything else, plain digits included. */
export function readSpreadsheetNumber(text: string): NumberReading | undefined {
  const scientific = SCIENTIFIC.exec(text)?.groups;
  if (scientific !== undefined) {
    const { first = '', decimals = '', exponent = '' } = scientific;
    const isWhole = decimals.length === Number(exponent);
    return { kind: 'scientific_notation', digits: isWhole ? first + decimals : undefined };
  }
  const digits = FORMATTED.exec(text)?.groups?.digits?.replaceAll(',', '');
  return digits === undefined || digits === text ? undefined : { kind: 'number_format', digits };
}

/** A day as spreadsheets count them, from 1954 to 2118: below and above it is rather a number that was meant. */
const DAY_NUMBER = /^[2-7]\d{4}(?:\.\d+)?$/;

/** What is day 0 for a spreadsheet, which takes 1900 for a leap year. */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;

/** `44927` → `2023-01-01`; undefined for what is no such number. */
export function dateOfDayNumber(text: string): string | undefined {
  if (!DAY_NUMBER.test(text)) return undefined;
  return new Date(DAY_ZERO_MS + Math.floor(Number(text)) * DAY_MS).toISOString().slice(0, 10);
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)';

/** `Mar-22`, `10-Jan`: how spreadsheets show what they took for a date without a year or a day, as they do `1-10`. */
const SHORT_DATE = new RegExp(`^(?:${MONTH}-\\d{2}|\\d{1,2}-${MONTH})$`);

export function isShortDate(text: string): boolean {
  return SHORT_DATE.test(text);
}

/** `12/03/2022`, `2022-03-12`, `12 Mar 2022`, `Mar-22`: enough to tell a column of dates. */
const DATE = new RegExp(
  `^(?:\\d{1,4}[-/.]\\d{1,2}[-/.]\\d{1,4}|\\d{1,2}[- ]${MONTH}[a-z]*[- ]\\d{2,4})(?:[T ]\\d.*)?$`,
);

export function isDate(text: string): boolean {
  return isShortDate(text) || DATE.test(text);
}
