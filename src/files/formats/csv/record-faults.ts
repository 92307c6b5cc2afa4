import type { CsvErrorCode } from 'csv-parse';
import { type CellPlace, cellsOf, countLineEnds, lineEndLength, nextLine, quotedEnd } from './raw-record.ts';

/** Far above any real row; low enough that an unclosed quote is found before it fills the memory. */
export const MOST_BYTES_PER_ROW = 1024 * 1024;

export const SAVE_AS_UTF8 = 'Save the file again as "CSV UTF-8 (Comma delimited)".';
/** How a fault is told: as a clause after the row and the line, and what to do. */
export interface RecordFault {
  readonly fact: string;
  readonly next: string;
}

const DOUBLE_THE_QUOTES = 'Put the whole cell in quotes and write each quote inside it twice.';

export const ROW_TOO_LONG: RecordFault = {
  fact: `the row is longer than ${MOST_BYTES_PER_ROW} bytes, the most that one row may have`,
  next: 'Look for a quote on this line that is never closed, or shorten the cell.',
};

const CLOSE_THE_QUOTE = 'Close the quote where the cell ends, or remove it.';

/** What the parser can find wrong, as a clause after the row and line of the cell at fault. All of it is the whole file's. */
export const PARSER_FAULTS: Partial<Record<CsvErrorCode, RecordFault>> = {
  CSV_QUOTE_NOT_CLOSED: {
    fact: 'a quote opens here and is not closed before the file ends',
    next: CLOSE_THE_QUOTE,
  },
  CSV_MAX_RECORD_SIZE: ROW_TOO_LONG,
};

/** The quote of another row closes it by chance, and the rows between them are lost in one cell. */
export const ROWS_SWALLOWED: RecordFault = {
  fact: 'a quote opens here and is not closed where its cell ends, so the rows below become part of the cell',
  next: CLOSE_THE_QUOTE,
};

const GOES_ON_AFTER_QUOTE: RecordFault = {
  fact: 'a cell in quotes begins here and continues after its closing quote',
  next: DOUBLE_THE_QUOTES,
};

const QUOTE_INSIDE: RecordFault = {
  fact: 'a quote is inside a cell that does not begin with one',
  next: DOUBLE_THE_QUOTES,
};

/** Nobody sees them: the mark comes into a file that was put together from several. */
const BLANKS_BEFORE_QUOTE: RecordFault = {
  fact: "blanks or a byte-order mark come before a cell's opening quote",
  next: 'Remove what is between that quote and the delimiter or line break before it.',
};

/**
 * What a quote does to a record that stands where none may. The parser takes it for a character like any other, so that the
 * record ends where its line does; whether its cells are those that were meant, nobody knows.
 */

export interface StrayQuote {
  readonly fault: RecordFault;
  /** Offset of the cell that it stands in. */
  readonly cellStart: number;
  /** Whether the cell begins with a quote. */
  readonly isAfterClosing: boolean;
}

/** @param body the record without byte-order mark and line end. @returns the first; undefined when there is none. */
export function strayQuoteIn(body: Buffer, delimiter: number): StrayQuote | undefined {
  for (const { start, end } of cellsOf(body, delimiter)) {
    if (body[start] === QUOTE) {
      if (quotedEnd(body, start) === end) continue;
      return { fault: GOES_ON_AFTER_QUOTE, cellStart: start, isAfterClosing: true };
    }
    const at = body.subarray(start, end).indexOf(QUOTE);
    if (at === -1 || isShownText(body.subarray(start, end).toString())) continue;
    const isBlankBefore =
      body
        .subarray(start, start + at)
        .toString()
        .trim() === '';
    const fault = isBlankBefore ? BLANKS_BEFORE_QUOTE : QUOTE_INSIDE;
    return { fault, cellStart: start, isAfterClosing: false };
  }
  return undefined;
}

const QUOTE = 0x22;

/** Excel reads `="51824753556"` as a text, also where the cell itself stands in no quotes. */
export function isShownText(cell: string): boolean {
  return /^="(?:[^"]|"")*"$/.test(cell);
}

/**
 * Whether a record that is wrong in some way has taken in lines that are rows by themselves, because a quote that opens in
 * it closes at another row's. Its last line holds the end of the cell, so it only counts where that end is a stray quote.
 * @param width how many cells a row has.
 * @returns the cell with the quote that opens; undefined when it has taken in none.
 */
export function swallowingCell(
  body: Buffer,
  delimiter: number,
  width: number,
  stray: StrayQuote | undefined,
): CellPlace | undefined {
  const opening = cellsOf(body, delimiter).find(
    ({ start, end }) => countLineEnds(body.subarray(start, end)) > 0,
  );
  if (opening === undefined) return undefined;
  const below = linesOf(body).slice(1);
  const last = below.pop();
  const isWide = (line: Buffer): boolean => line.length > 0 && cellsOf(line, delimiter).length === width;
  const isRow = (line: Buffer): boolean => isWide(line) && strayQuoteIn(line, delimiter) === undefined;
  const endsInRow = stray?.isAfterClosing === true && last !== undefined && isWide(last);
  return endsInRow || below.some(isRow) ? opening : undefined;
}

function linesOf(body: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const next = nextLine(body, start) ?? body.length;
    const line = body.subarray(start, next);
    lines.push(line.subarray(0, line.length - lineEndLength(line)));
    start = next;
  }
  return lines;
}
