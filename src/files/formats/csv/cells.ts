import type { Options } from 'csv-parse';
import { DELIMITERS, type Delimiter } from '../../../core/reading.ts';

/**
 * The cells of one record as they stand in the file. The parser says what they mean; this is asked only where a quote is
 * odd, or a cell of the record changes. A quote that stands where none may ends or begins nothing, as for the parser.
 */

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/** How csv-parse reads: whoever gets a record checks how wide it is, and quotes where none may stand. */
export const PARSING = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  relax_quotes: true,
} as const satisfies Options;

/** What spreadsheets put before the first byte of a UTF-8 file. */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

export function markLength(bytes: Buffer): number {
  return bytes.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
}

/** Bytes of the line end that closes the record: 2, 1, or 0 for a last record without one. */
export function lineEndLength(record: Buffer): number {
  const last = record.at(-1);
  if (last === LF) return record.at(-2) === CR ? 2 : 1;
  return last === CR ? 1 : 0;
}

/** How many lines end within the bytes, with LF, CR or CRLF, in quotes or not. */
export function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) count += 1;
  }
  return count;
}

/** @param body a record without line end. */
export function cellsOf(body: Buffer, delimiter: Delimiter): readonly Buffer[] {
  const separator = DELIMITERS[delimiter].charCodeAt(0);
  const cells: Buffer[] = [];
  for (let start = 0; start <= body.length; ) {
    const next = body.indexOf(separator, quotedEnd(body, start));
    const end = next === -1 ? body.length : next;
    cells.push(body.subarray(start, end));
    start = end + 1;
  }
  return cells;
}

/** The offset behind the quotes with which a cell begins, or of its start when it does not begin with one. */
function quotedEnd(body: Buffer, start: number): number {
  let end = start;
  // A doubled quote inside quotes is read as an end and a new start, which comes to the same.
  while (body[end] === QUOTE) {
    const closing = body.indexOf(QUOTE, end + 1);
    if (closing === -1) return body.length;
    end = closing + 1;
  }
  return end;
}

export const isQuoted = (cell: Buffer | undefined): boolean => cell?.[0] === QUOTE;

/** How cells of ours are written, so that they look like the user's. */
export interface CellStyle {
  readonly separator: string;
  /** All cells stand in quotes, and not only those that need them. */
  readonly isQuoted: boolean;
  readonly needsQuotes: RegExp;
}

export function cellStyle(delimiter: Delimiter, isQuoted: boolean): CellStyle {
  const separator = DELIMITERS[delimiter];
  return { separator, isQuoted, needsQuotes: new RegExp(`[${separator}"\\r\\n\\0]`) };
}

/** A cell of ours. A file with a zero byte could not be read again, so it becomes U+FFFD, the sign for what cannot be shown. */
export function cellText(value: string, { isQuoted, needsQuotes }: CellStyle): string {
  if (!isQuoted && !needsQuotes.test(value)) return value;
  return `"${value.replaceAll('\0', '\uFFFD').replaceAll('"', '""')}"`;
}

// ------------------------------------------------------------------------------------------------ what is wrong with one

/** How a fault is told: as a clause after the row and the line, and what to do. */
export interface RecordFault {
  readonly fact: string;
  readonly next: string;
}

const DOUBLE_THE_QUOTES = 'Put the whole cell in quotes and write each quote inside it twice.';

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

export interface StrayQuote {
  readonly fault: RecordFault;
  /** The cell that it stands in. */
  readonly cell: Buffer;
}

/** A quote that stands where none may, the first in the record: nobody knows whether its cells are those that were meant. */
export function strayQuoteIn(cells: readonly Buffer[]): StrayQuote | undefined {
  for (const cell of cells) {
    const at = cell.indexOf(QUOTE);
    if (at === -1) continue;
    if (at === 0) {
      if (quotedEnd(cell, 0) === cell.length) continue;
      return { fault: GOES_ON_AFTER_QUOTE, cell };
    }
    if (isShownText(cell.toString())) continue;
    const isBlankBefore = cell.toString('utf8', 0, at).trim() === '';
    return { fault: isBlankBefore ? BLANKS_BEFORE_QUOTE : QUOTE_INSIDE, cell };
  }
  return undefined;
}

/** Excel reads `="51824753556"` as a text, also where the cell itself stands in no quotes. */
function isShownText(cell: string): boolean {
  return /^="(?:[^"]|"")*"$/.test(cell);
}

/**
 * The cell whose quote has taken in lines that are rows by themselves, because it closes at another row's. The last line of
 * the record holds the end of that cell, so it only counts where that end is a stray quote.
 * @param width how many cells a row has.
 */
export function swallowingCell(
  body: Buffer,
  delimiter: Delimiter,
  width: number,
  stray: StrayQuote | undefined,
): Buffer | undefined {
  const opening = cellsOf(body, delimiter).find((cell) => countLineEnds(cell) > 0);
  const lines = body
    .toString('latin1')
    .split(/\r\n|\n|\r/)
    .slice(1)
    .map((line) => cellsOf(Buffer.from(line, 'latin1'), delimiter));
  const last = lines.pop();
  const isWide = (cells: readonly Buffer[]): boolean =>
    cells.length === width && (width > 1 || cells[0]?.length !== 0);
  const isRow = (cells: readonly Buffer[]): boolean => isWide(cells) && strayQuoteIn(cells) === undefined;
  const endsInRow = stray !== undefined && isQuoted(stray.cell) && last !== undefined && isWide(last);
  return endsInRow || lines.some(isRow) ? opening : undefined;
}
