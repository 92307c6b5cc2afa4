import type { CsvErrorCode } from 'csv-parse';

/** What can be wrong with a delimited text, in the user's terms. */

/**
 * One row may hold this much text. Far above any real row, and low enough that a quote which is never closed is
 * found after a megabyte instead of swallowing the rest of the file into memory.
 */
export const MOST_BYTES_PER_ROW = 1024 * 1024;

export const SAVE_AS_UTF8 = 'Save the file again as "CSV UTF-8 (Comma delimited)".';
/** How a damage is told: as a clause after the row and the line, and what to do. */
export interface CellIssue {
  readonly fact: string;
  readonly next: string;
}

const DOUBLE_THE_QUOTES = 'Put the whole cell in quotes and write each quote inside it twice.';

export const ROW_TOO_LONG: CellIssue = {
  fact: `the row is longer than ${MOST_BYTES_PER_ROW} bytes, the most that one row may have`,
  next: 'Look for a quote on this line that is never closed, or shorten the cell.',
};

const CLOSE_THE_QUOTE = 'Close the quote where the cell ends, or remove it.';

/** What the parser can find wrong, as a clause after the row and line of the cell at fault. All of it is the whole file's. */
export const DAMAGE: Partial<Record<CsvErrorCode, CellIssue>> = {
  CSV_QUOTE_NOT_CLOSED: {
    fact: 'a quote opens here and is not closed before the file ends',
    next: CLOSE_THE_QUOTE,
  },
  CSV_MAX_RECORD_SIZE: ROW_TOO_LONG,
};

/** The quote of another row closes it by chance, and the rows between them are lost in one cell. */
export const ROWS_SWALLOWED: CellIssue = {
  fact: 'a quote opens here and is not closed where its cell ends, so that the rows below it are read as part of the cell',
  next: CLOSE_THE_QUOTE,
};

export const GOES_ON_AFTER_QUOTE: CellIssue = {
  fact: 'a cell in quotes begins here and goes on after its closing quote',
  next: DOUBLE_THE_QUOTES,
};

export const QUOTE_INSIDE: CellIssue = {
  fact: 'a quote stands inside a cell that does not begin with one',
  next: DOUBLE_THE_QUOTES,
};

/** Nobody sees them: the mark comes into a file that was put together from several. */
export const BLANKS_BEFORE_QUOTE: CellIssue = {
  fact: 'blanks or a byte-order mark stand before the quote with which a cell begins',
  next: 'Remove what stands between the quote and the delimiter or line end before it.',
};
