import { BLANKS_BEFORE_QUOTE, type CellIssue, GOES_ON_AFTER_QUOTE, QUOTE_INSIDE } from './damage.ts';
import { type CellPlace, cellsOf, countLineEnds, lineEndLength, nextLine, quotedEnd } from './raw-record.ts';

/**
 * What a quote does to a record that stands where none may. The parser takes it for a character like any other, so that the
 * record ends where its line does; whether its cells are those that were meant, nobody knows.
 */

export interface StrayQuote {
  readonly damage: CellIssue;
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
      return { damage: GOES_ON_AFTER_QUOTE, cellStart: start, isAfterClosing: true };
    }
    const at = body.subarray(start, end).indexOf(QUOTE);
    if (at === -1 || isShownText(body.subarray(start, end).toString())) continue;
    const isBlankBefore =
      body
        .subarray(start, start + at)
        .toString()
        .trim() === '';
    const damage = isBlankBefore ? BLANKS_BEFORE_QUOTE : QUOTE_INSIDE;
    return { damage, cellStart: start, isAfterClosing: false };
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

/** The lines of the record, without their line ends. */
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
