import { isUtf8 } from 'node:buffer';
import { CsvError, type Options, Parser } from 'csv-parse';
import { encodingWords } from '../../../core/encodings.ts';
import { type StopError, stop } from '../../../core/errors.ts';
import type { FileBytes, ListStart, TopRow } from '../../../core/format.ts';
import { asFlag, byFlag, phrase, typing, type Words } from '../../../core/phrase.ts';
import { counted } from '../../../core/plain-text.ts';
import { DELIMITERS, type Delimiter, type FoundLayout } from '../../../core/reading.ts';
import type { RowNumber } from '../../../core/row.ts';
import type { NamedColumns } from '../../header.ts';
import { isUnseen } from '../../shape/column-words.ts';
import type { KeptRecords } from './kept-records.ts';
import { markLength, textOf } from './lines.ts';
import type { Codec } from './text.ts';

/** How a file of delimited text is to be read: found out once, before anything is read of it. */
export interface Layout {
  readonly file: FileBytes;
  readonly codec: Codec;
  readonly isEncodingSaid: boolean;
  readonly isMarked: boolean;
  /** Whether each line is one cell in quotes, and is read as what stands within them. */
  readonly areLinesQuoted: boolean;
  readonly delimiter: Delimiter;
  /**
   * Whether a first line such as `sep=;` says so. Spreadsheets show title lines as rows, but take that one
   * for themselves.
   */
  readonly namesDelimiter: boolean;
  /** Whether rows of another width than the header are padded, or refused. */
  readonly isPadded: boolean;
  /** Whether a row that cannot be read refuses the file. */
  readonly isStrict: boolean;
  readonly start: ListStart;
  /** The column above which the header has no cell; `none` where the header has a blank one too many. */
  readonly unnamed: 'first' | 'last' | 'none' | undefined;
  /** The names of the columns of a list without a header. */
  readonly letters?: readonly string[];
  /** Whether a row below the header is one of the table. */
  readonly hasRow: (row: RowNumber) => boolean;
  readonly found: FoundLayout;
  readonly top: readonly TopRow[];
  /** What the first reading of the rows has found; absent where each reading parses them. */
  readonly keptRecords?: KeptRecords;
  readonly notes: readonly string[];
}

/**
 * The records of a delimited text, each with its bytes. csv-parse says where they end and what their cells
 * mean; the reader knows which row and line of the file that is, and whether anybody can be sure of it.
 */
export interface CsvRecord {
  /**
   * - `above`: a title above the header.
   * - `header`: the names of the columns.
   * - `row`: a row of the table.
   * - `left_out`: a row below the header that is none of the table.
   * - `blank`: a line without a filled cell.
   * - `unseen`: a line of characters that are not shown, such as the mark that ends a file of DOS.
   */
  readonly kind: 'above' | 'header' | 'row' | 'left_out' | 'blank' | 'unseen';
  readonly row: RowNumber;
  /** The cells of the named columns. An unreadable record has all its cells here. */
  readonly cells: readonly string[];
  /** Why it cannot be read, see `InputRow`. */
  readonly unreadable: string | undefined;
  /** Cells that it has in the file. */
  readonly found: number;
  /**
   * The record's bytes in the file, with the line end. Those of the first record include the byte-order mark.
   */
  readonly bytes: Buffer;
}

/** Far above any real row; low enough that an unclosed quote is found before it fills the memory. */
const MOST_BYTES_PER_ROW = 1024 * 1024;

const ROW_TOO_LONG: RecordFault = {
  fact: `the row is longer than ${MOST_BYTES_PER_ROW} bytes, the most that one row may have`,
  next: 'Look for a quote on this line that is never closed, or shorten the cell.',
};

const CLOSE_THE_QUOTE = 'Close the quote where the cell ends, or remove it.';

/** The only fault that the parser can find. */
const NOT_CLOSED: RecordFault = {
  fact: 'a quote opens here and is not closed before the file ends',
  next: CLOSE_THE_QUOTE,
};

const ROWS_SWALLOWED: RecordFault = {
  fact: 'a quote opens here and is not closed where its cell ends, so the rows below become part of the cell',
  next: CLOSE_THE_QUOTE,
};

const SAVE_AS_UTF8 = phrase`Save the file again as "CSV UTF-8 (Comma delimited)", or give its encoding
  ${byFlag('--encoding')}.`;

const ZERO_BYTE = 'a zero byte, which text cannot have';

/**
 * Every record of the file, in groups as they are read: handing over one by one would take longer than the
 * parsing.
 * @param columns what the header says, and every record should fit; left out, any will do, and all cells are
 * handed over.
 * @throws StopError `input` with row and line.
 */
export function readRecords(layout: Layout, columns?: NamedColumns): AsyncGenerator<readonly CsvRecord[]> {
  const records = () => new RecordReader(layout, columns).records();
  const { keptRecords } = layout;
  if (columns === undefined || keptRecords === undefined) return records();
  return keptRecords.areWhole ? keptRecords.records(textOf(layout)) : keptRecords.keeping(records());
}

interface ParsedRecord {
  readonly cells: string[];
  /** Where the record ends in the text. */
  readonly end: number;
  /** The lines that the parser has counted up to there. */
  readonly lines: number;
}

class RecordReader {
  readonly #layout: Layout;
  readonly #columns: NamedColumns | undefined;
  readonly #parser: Parser;
  readonly #lineEnds: Buffer[];
  #found: ParsedRecord[] = [];
  /**
   * The text that was read last; where in it the next record begins, and where that is in the file's text.
   */
  #text = Buffer.alloc(0);
  #at = 0;
  #start = 0;
  /** The bytes of marks at the beginning, which the parser does not get; undefined before the first text. */
  #markLength: number | undefined;
  /**
   * The number of the next record. The first line of a sheet is row 1, also below a line that names the
   * delimiter.
   */
  #row: RowNumber;
  #line = 1;
  #parserLines = 0;
  #headerIsDue: boolean;
  #hasReadable = false;
  /** Why the first row that cannot be read would refuse the file. */
  #firstFault: StopError | undefined;

  constructor(layout: Layout, columns: NamedColumns | undefined) {
    this.#layout = layout;
    this.#columns = columns;
    this.#row = layout.namesDelimiter ? 0 : 1;
    this.#headerIsDue = layout.start.header.last > 0;
    const parser = new Parser({ ...PARSING, delimiter: DELIMITERS[layout.delimiter] });
    // The parser compares each character with each line end. Until the file has a CR, only LF is one.
    this.#lineEnds = parser.options.record_delimiter;
    parser.options.record_delimiter = [Buffer.of(LF)];
    const info: { bytes: number; lines: number; records: number } = parser.info;
    // Here the parser would put a record into its queue. Its option `info` makes an object of all that is
    // known for each.
    parser.push = (cells: string[] | null): boolean => {
      if (cells === null) return true;
      this.#found.push({ cells, end: info.bytes, lines: info.lines });
      // The parser would make an error with its stack for each record with a width that differs from the
      // first counted record. So none is counted.
      info.records = 0;
      return true;
    };
    // The caller that gives the parser a text gets the error. Without a listener the error would end the
    // process, too.
    this.#parser = parser.on('error', () => {});
  }

  /**
   * @throws StopError `input` at the end when no row could be read: then it is the way in which the file is
   * written.
   */
  async *records(): AsyncGenerator<readonly CsvRecord[]> {
    const { file } = this.#layout;
    for await (const text of textOf(this.#layout)) {
      const rest = this.#text.subarray(this.#at);
      this.#text = Buffer.concat([rest, text]);
      this.#at = 0;
      // The parser would take a zero byte for the end of the file in places.
      const zero = text.indexOf(0);
      if (zero !== -1) {
        const line = this.#lineAt(rest.length + zero);
        throw stop('input', `${file.path}, line ${line}: ${ZERO_BYTE}.`, SAVE_AS_UTF8);
      }
      if (text.includes(CR)) this.#parser.options.record_delimiter = this.#lineEnds;
      const unmarked = this.#withoutMarks(text);
      yield this.#taken(await new Promise((done) => this.#parser.write(unmarked, done)));
      // The parser's own limit is a look at each character, and does not count blank cells.
      if (this.#text.length - this.#at > MOST_BYTES_PER_ROW)
        throw this.#stop(ROW_TOO_LONG, this.#lineOfCell());
    }
    yield this.#taken(await new Promise((done) => this.#parser.end(done)));
    if (this.#columns && !this.#hasReadable && this.#firstFault) throw this.#firstFault;
  }

  #withoutMarks(text: Buffer): Buffer {
    if (this.#markLength !== undefined || text.length === 0) return text;
    this.#markLength = markLength(text);
    this.#start = -this.#markLength;
    return text.subarray(this.#markLength);
  }

  #taken(error: Error | null | undefined): readonly CsvRecord[] {
    const found = this.#found;
    this.#found = [];
    const length = (found.at(-1)?.end ?? this.#start) - this.#start;
    const isGood = isUtf8(this.#text.subarray(this.#at, this.#at + length));
    const records = found.map((each) => this.#record(each, isGood));
    if (!error) return records;
    if (!(error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED')) throw error;
    throw this.#stop(NOT_CLOSED, this.#lineOfCell());
  }

  /** The line of the cell that the parser has not ended yet. */
  #lineOfCell(): number {
    // The end of the last cell that the parser is sure of.
    const cell = Math.max(0, this.#parser.info.bytes - this.#start);
    return this.#lineAt(this.#at + cell);
  }

  #record({ cells: found, end, lines }: ParsedRecord, isGood: boolean): CsvRecord {
    const next = this.#at + end - this.#start;
    const bytes = this.#text.subarray(this.#at, next);
    if (bytes.length > MOST_BYTES_PER_ROW) throw this.#stop(ROW_TOO_LONG, this.#line);
    if (!isGood && !isUtf8(bytes)) throw this.#notText(bytes);
    const row = this.#row;
    const kind = this.#kindOf(found, bytes);
    // The form of a record that is not a row of the table does not matter.
    const isOwn = kind === 'header' || kind === 'row';
    const unreadable = isOwn ? this.#faultOf(found, bytes) : undefined;
    const cells = isOwn && unreadable === undefined ? this.#fitted(found) : this.#allOf(found);
    if (kind === 'header') this.#headerIsDue = false;
    if (kind === 'row' && unreadable === undefined) this.#hasReadable = true;
    this.#row += 1;
    // Line ends are looked for byte by byte only where a cell has line ends of its own; the parser counts a
    // CRLF in quotes as two.
    this.#line += lines - this.#parserLines === 1 ? 1 : countLineEnds(bytes);
    this.#parserLines = lines;
    this.#at = next;
    this.#start = end;
    return { kind, row, cells, unreadable, found: found.length, bytes };
  }

  #kindOf(found: readonly string[], bytes: Buffer): CsvRecord['kind'] {
    const [only = ''] = found;
    if (found.length === 1 && only === '' && this.#bodyOf(bytes).length === 0) return 'blank';
    // It would be a row with too few cells. In a list of one column it is one, and left out like others.
    if (found.length === 1 && (this.#width ?? 1) > 1 && isUnseen(only) && !this.#layout.isPadded)
      return 'unseen';
    // A line of nothing but delimiters is a blank row of a sheet.
    const isFilled = found.length === 1 || only.trim() !== '' || !isBlank(found);
    const { start, hasRow } = this.#layout;
    if (this.#row === 0) return 'above';
    if (this.#headerIsDue) return isFilled && this.#row >= start.header.last ? 'header' : 'above';
    return isFilled && hasRow(this.#row) ? 'row' : 'left_out';
  }

  #bodyOf(bytes: Buffer): Buffer {
    const mark = this.#start < 0 ? -this.#start : 0;
    return bytes.subarray(mark, bytes.length - lineEndLength(bytes));
  }

  /**
   * Why no one can be sure of the record's cells.
   * @throws StopError `input` where that is more than this row's concern: in a header, in a strict reading,
   * where rows have been swallowed, and where the row may go on below.
   */
  #faultOf(found: readonly string[], bytes: Buffer): string | undefined {
    const { delimiter, isStrict } = this.#layout;
    const width = this.#width ?? found.length;
    // Hardly any record has a quote in a cell, so hardly any is looked at byte by byte.
    const isPlain = !found.some((cell) => cell.includes('"'));
    const fits = found.length === width || this.#padded(found, width) !== undefined;
    if (isPlain && fits) return undefined;
    const body = this.#bodyOf(bytes);
    const stray = cellBehindQuote(cellsOf(body, delimiter));
    if (stray === undefined && fits) return undefined;
    const lineOf = (cell: Buffer): number =>
      this.#line + countLineEnds(body.subarray(0, cell.byteOffset - body.byteOffset));
    const opening = this.#columns && swallowingCell(body, delimiter, width, stray);
    if (opening && !this.#headerIsDue) throw this.#stop(ROWS_SWALLOWED, lineOf(opening));
    const fault = stray === undefined ? this.#ragged(found, width) : GOES_ON_AFTER_QUOTE;
    const line = lineOf(stray ?? body);
    // A row that is too short may be half of one, or the last of a file that was cut off.
    const isShort = stray === undefined && found.length < width;
    // Rows that were met while the header was looked for are read again.
    if (isShort || this.#headerIsDue || (isStrict && this.#columns)) throw this.#stop(fault, line);
    this.#firstFault ??= this.#stop(fault, line);
    return `line ${line} cannot be read: ${fault.fact}`;
  }

  /** The width that every record must have; undefined where any width will do. */
  get #width(): number | undefined {
    return this.#headerIsDue ? undefined : this.#columns?.width;
  }

  #ragged(found: readonly string[], width: number): RecordFault {
    const quoting = `a cell that holds a ${this.#layout.delimiter} needs quotes`;
    const padding = isBlank(found.slice(width)) ? typing`, or say ${asFlag('--ragged', 'pad')}` : '';
    return {
      fact: `${counted(found.length, 'cell')}, but the header has ${counted(width, 'column')}`,
      next: phrase`Give the row as many cells as the header has (${quoting})${padding}.`,
    };
  }

  /** The cells of the columns that have a name. */
  #fitted(found: readonly string[]): readonly string[] {
    const columns = this.#columns;
    if (columns === undefined) return found;
    const { width } = columns;
    const cells = found.length === width ? found : (this.#padded(found, width) ?? found);
    if (columns.names.length === width) return cells;
    return columns.positions.map((position) => cells[position] ?? '');
  }

  /**
   * The cells padded to the width of the header; undefined where the file is not padded, or cells beyond it
   * are filled.
   */
  #padded(found: readonly string[], width: number): readonly string[] | undefined {
    if (!(this.#layout.isPadded && isBlank(found.slice(width)))) return undefined;
    return [...found.slice(0, width), ...Array<string>(Math.max(0, width - found.length)).fill('')];
  }

  /** The cells that seem to stand below a name, then the others. */
  #allOf(found: readonly string[]): readonly string[] {
    const { positions = [], width = 0 } = this.#columns ?? {};
    if (positions.length === width) return found;
    const named = new Set(positions);
    const others = found.filter((_cell, position) => !named.has(position));
    return [...positions.map((position) => found[position] ?? ''), ...others];
  }

  #notText(bytes: Buffer): StopError {
    const text = bytes.toString();
    const line = this.#line + countLineEnds(Buffer.from(text.slice(0, text.indexOf('\uFFFD'))));
    const { encoding } = this.#layout.codec;
    const fact = encoding.startsWith('utf-16')
      ? 'half a character, so this is not complete UTF-16 text'
      : `not ${encodingWords(encoding)} text`;
    return this.#stop({ fact, next: SAVE_AS_UTF8 }, line);
  }

  /** The number of the line on which a byte of the text stands, the first being 1. */
  #lineAt(offset: number): number {
    return this.#line + countLineEnds(this.#text.subarray(this.#at, offset));
  }

  #stop({ fact, next }: RecordFault, line: number): StopError {
    return stop('input', `${this.#layout.file.path}, row ${this.#row}, line ${line}: ${fact}.`, next);
  }
}

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

// --------------------------------------------------------------------------- cells as they stand in the file

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/**
 * How csv-parse reads. The caller that gets a record checks its width, and whether a quote stands where none
 * may.
 */
export const PARSING = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  relax_quotes: true,
} as const satisfies Options;

/** Bytes of the line end that closes the record: 2, 1, or 0 for a last record without one. */
export function lineEndLength(record: Buffer): number {
  const last = record.at(-1);
  if (last === LF) return record.at(-2) === CR ? 2 : 1;
  return last === CR ? 1 : 0;
}

/** How many lines end within the bytes, with LF, CR or CRLF, in quotes or not. */
function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) count += 1;
  }
  return count;
}

/** @param body a record without line end. */
export function cellsOf(body: Buffer, delimiter: Delimiter): Buffer[] {
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

/** The form of our cells, chosen so that they look like the user's. */
export interface CellStyle {
  readonly separator: string;
  /** All cells stand in quotes, and not only those that need them. */
  readonly isQuoted: boolean;
  readonly needsQuotes: RegExp;
}

export function cellStyle(delimiter: Delimiter, isQuoted: boolean): CellStyle {
  const separator = DELIMITERS[delimiter];
  return { separator, isQuoted, needsQuotes: new RegExp(`[\\${separator}"\\r\\n\\0]`) };
}

/**
 * A cell of ours. A file with a zero byte could not be read again, so it becomes U+FFFD, the sign for what
 * cannot be shown.
 */
export function csvCell(value: string, { isQuoted, needsQuotes }: CellStyle): string {
  if (!isQuoted && !needsQuotes.test(value)) return value;
  return `"${value.replaceAll('\0', '\uFFFD').replaceAll('"', '""')}"`;
}

// ------------------------------------------------------------------------------- what is wrong with a record

/** How a fault is told: as a clause after the row and the line, and what to do. */
interface RecordFault {
  readonly fact: string;
  readonly next: Words;
}

const GOES_ON_AFTER_QUOTE: RecordFault = {
  fact: 'a cell in quotes begins here and continues after its closing quote',
  next: 'Put the whole cell in quotes and write each quote inside it twice.',
};

/**
 * The first cell that begins with a quote and goes on behind the one that closes it: no one knows whether the
 * cells are those that were meant. In any other cell a quote is a character, as Excel reads it: `5" pipe`.
 */
const cellBehindQuote = (cells: readonly Buffer[]): Buffer | undefined =>
  cells.find((cell) => isQuoted(cell) && quotedEnd(cell, 0) < cell.length);

/**
 * Whether a quote stands where no program puts one by itself, which is how a wrong delimiter cuts.
 * @param record with its line end.
 */
export function hasStrayQuote(record: Buffer, delimiter: Delimiter): boolean {
  const body = record.subarray(0, record.length - lineEndLength(record));
  return isAnyStray(cellsOf(body, delimiter));
}

// Excel writes `="51824753556"` for a text, also where the cell itself stands in no quotes.
const isAnyStray = (cells: readonly Buffer[]): boolean =>
  cellBehindQuote(cells) !== undefined ||
  cells.some((cell) => cell.indexOf(QUOTE) > 0 && !/^="(?:[^"]|"")*"$/.test(cell.toString()));

/**
 * The cell whose quote has taken in lines that are rows by themselves, because it closes at another row's.
 * The last line of the record holds the end of that cell, so it only counts where that end is a stray quote.
 * @param width how many cells a row has.
 */
function swallowingCell(
  body: Buffer,
  delimiter: Delimiter,
  width: number,
  stray: Buffer | undefined,
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
  const isRow = (cells: readonly Buffer[]): boolean => isWide(cells) && !isAnyStray(cells);
  const endsInRow = stray !== undefined && last !== undefined && isWide(last);
  return endsInRow || lines.some(isRow) ? opening : undefined;
}
