import { isUtf8 } from 'node:buffer';
import { availableParallelism } from 'node:os';
import { invariant, type StopError, stop } from '../../../core/errors.ts';
import { DELIMITERS, type Position } from '../../../core/format.ts';
import { counted } from '../../../core/plain-text.ts';
import { type NamedColumns, widthOf } from '../../header.ts';
import { ByteWindow } from './byte-window.ts';
import { type Digester, parsedUnder } from './digests.ts';
import { firstBadByte } from './encoding.ts';
import type { Layout } from './layout.ts';
import {
  blankLinesLength,
  bodyOf,
  countLineEnds,
  isEndMark,
  isLineEnd,
  lineEndLength,
} from './raw-record.ts';
import {
  MOST_BYTES_PER_ROW,
  PARSER_FAULTS,
  type RecordFault,
  ROW_TOO_LONG,
  ROWS_SWALLOWED,
  SAVE_AS_UTF8,
  type StrayQuote,
  strayQuoteIn,
  swallowingCell,
} from './record-faults.ts';
import { NO_TEXT, type ParsedText, type ParserFault, parsedHere } from './record-parser.ts';
import { textOf } from './text-source.ts';

/**
 * The records of a delimited text. The parser decides where they end and what their cells say; the reader knows which
 * bytes and which row and line of the file that is.
 */

/** They wait in memory for the row below them. All rows of Excel's largest sheet, left blank, are 2 MiB. */
const MOST_BYTES_OF_BLANK_LINES = 8 * 1024 * 1024;

/** So much is parsed in the time that it takes to start a thread, several times over. Two threads gain nothing on one core. */
const MOST_BYTES_PARSED_HERE = 4 * 1024 * 1024;

const LF = 0x0a;

/** A byte-order mark and Ctrl-Z. */
const LONGEST_END_MARK = 4;

/** A header or a row with the blank lines above it, a record below the table that is none of it, or what ends the file: blank lines, or the end mark of old programs. */
export interface CsvRecord {
  readonly kind: 'header' | 'row' | 'left_out' | 'end';
  readonly position: Position;
  /** Of the named columns; a padded file may have fewer or more. An unreadable record has all its cells here. */
  readonly cells: readonly string[];
  /** Why it cannot be read, see `InputRow`. */
  readonly unreadable: string | undefined;
  readonly found: number;
  /** Lines that hold nothing but their line end. */
  readonly blankLines: Buffer;
  /** What was read of the file together with the record; where its bytes are wanted, `bytesOf` makes a view of them. */
  readonly text: Buffer;
  /** Where in `text` the record stands, with the line end; the first record has the byte-order mark, too. */
  readonly start: number;
  readonly end: number;
}

export function bytesOf({ text, start, end }: CsvRecord): Buffer {
  return text.subarray(start, end);
}

interface RecordReading {
  /** What the header says, and every record should fit; left out, any will do, and all cells are handed over. */
  readonly columns?: NamedColumns;
  /** Where a row starts, and the first of the layout's pieces; left out: where the header is. */
  readonly from?: Position | undefined;
  /** Is called with all bytes of the file itself, in order. */
  readonly onFileBytes?: (bytes: Buffer) => void;
  readonly digester?: Digester;
}

/**
 * Every record of the file from a position on, in groups as they are read: handing over one by one would take longer than
 * the parsing. A group is what one read of the file completes. @throws StopError `input` with row and line.
 */
export async function* readRecords(
  layout: Layout,
  reading: RecordReading,
): AsyncIterable<readonly CsvRecord[]> {
  const reader = new RecordReader(layout, reading);
  for await (const parsed of parsedTexts(layout, reading)) {
    const records = reader.records(parsed);
    reading.digester?.add(parsed, reader.next);
    yield records;
  }
  yield [reader.end()];
}

/** The text from a position on, by hand where a digest allows it and else by the parser. */
async function* parsedTexts(
  layout: Layout,
  { from = layout.start, onFileBytes }: RecordReading,
): AsyncIterable<ParsedText> {
  const { byteOffset } = from;
  const texts = textOf(layout, byteOffset, onFileBytes);
  const delimiter = DELIMITERS[layout.delimiter];
  const { pieces } = layout.digests;
  if (pieces !== undefined) {
    yield* parsedUnder(pieces, texts, { delimiter, path: layout.file.path });
    return;
  }
  const isLarge = layout.size - byteOffset > MOST_BYTES_PARSED_HERE && availableParallelism() > 1;
  const parse = isLarge ? (await import('./parse-beside.ts')).parsedBeside : parsedHere;
  yield* parse(texts, { delimiter, isFileStart: byteOffset === 0 });
}

class RecordReader {
  readonly #layout: Layout;
  readonly #reading: RecordReading;
  readonly #window: ByteWindow;
  #parsed: number;
  #next: Position;
  /** The text up to there is known to be UTF-8, so that not each record has to be looked at. */
  #utf8Until = 0;
  #isPlain = false;
  #headerIsDue: boolean;
  #hasReadable = false;
  /** Why the first row that cannot be read would refuse the file. */
  #firstFault: StopError | undefined;

  constructor(layout: Layout, reading: RecordReading) {
    this.#layout = layout;
    this.#reading = reading;
    this.#next = reading.from ?? layout.start;
    this.#parsed = this.#next.byteOffset;
    this.#headerIsDue = reading.from === undefined;
    this.#window = new ByteWindow(this.#parsed);
  }

  get next(): Position {
    return this.#next;
  }

  /** @throws StopError `input` for text that is none, and for what the parser and `#record` find wrong. */
  records({ text, cells, bytes, lines, fault, isPlain = false }: ParsedText): readonly CsvRecord[] {
    this.#window.append(text);
    this.#isPlain = isPlain;
    this.#noteUtf8(text);
    this.#refuseZeroByte(text);
    this.#refuseEndlessness();
    const records = cells.map((found, at) => this.#record(found, bytes[at] ?? 0, lines[at] ?? 0));
    if (fault !== undefined) throw this.#fault(fault);
    return records;
  }

  /** @throws StopError `input` when it is too long, not UTF-8, has swallowed others, or is refused for itself. */
  #record(found: string[], bytes: number, lines: number): CsvRecord {
    const byteOffset = this.#parsed + bytes;
    this.#parsed = byteOffset;
    const blankLines = this.#takeBlankLines(byteOffset);
    const position = this.#next;
    this.#refuseUnreadable(byteOffset);
    if (this.#isEndMark(byteOffset)) {
      return this.#endOf(Buffer.concat([blankLines, this.#window.take(byteOffset)]));
    }
    const kind = this.#kind;
    // How a record is written that is no row of the table is nobody's concern.
    const isOwn = kind !== 'left_out';
    const unreadable = isOwn ? this.#faultOf(found, byteOffset) : undefined;
    const cells = isOwn && unreadable === undefined ? this.#fitted(found) : this.#allOf(found);
    const { bytes: text, taken: start } = this.#window;
    const end = start + byteOffset - position.byteOffset;
    // Looked for byte by byte only where a cell has line ends of its own, or blank lines stand above the record.
    const lineEnds =
      lines === 1 ? Number(isLineEnd(text[end - 1])) : countLineEnds(this.#window.peek(byteOffset));
    this.#window.pass(byteOffset);
    this.#next = { row: position.row + 1, byteOffset, lines: position.lines + lineEnds };
    this.#headerIsDue = false;
    if (kind === 'row' && unreadable === undefined) this.#hasReadable = true;
    return { kind, position, cells, unreadable, found: found.length, blankLines, text, start, end };
  }

  get #kind(): 'header' | 'row' | 'left_out' {
    if (this.#headerIsDue) return 'header';
    return this.#layout.hasRow(this.#next.row) ? 'row' : 'left_out';
  }

  /**
   * What is left when the parser has no more records: blank lines, or nothing.
   * @throws StopError `input` when no row could be read: then it is the way in which the file is written.
   */
  end(): CsvRecord {
    const isWhole = this.#width !== undefined && this.#reading.from === undefined;
    if (isWhole && !this.#hasReadable && this.#firstFault !== undefined) throw this.#firstFault;
    return this.#endOf(this.#takeBlankLines(this.#window.end));
  }

  #endOf(blankLines: Buffer): CsvRecord {
    const nothing = { cells: [], unreadable: undefined, found: 0, text: NO_TEXT, start: 0, end: 0 };
    return { kind: 'end', position: this.#next, blankLines, ...nothing };
  }

  /**
   * Why nobody can be sure of the record's cells. @throws StopError `input` where that is more than this row's concern: in
   * a header, in a strict reading, where rows have been swallowed, and where the row may go on below.
   */
  #faultOf(found: readonly string[], end: number): string | undefined {
    const stray = this.#strayQuote(found, end);
    const width = this.#width;
    const fits = width === undefined || found.length === width || this.#padded(found, width) !== undefined;
    if (stray === undefined && fits) return undefined;
    const body = this.#bodyUntil(end);
    const lineOf = (at: number): number => this.#next.lines + 1 + countLineEnds(body.subarray(0, at));
    const opening = width && swallowingCell(body, this.#delimiterByte, width, stray);
    if (opening && !this.#headerIsDue) throw this.#faultStop(ROWS_SWALLOWED, lineOf(opening.start));
    const fault = stray?.fault ?? this.#ragged(found, width ?? 0);
    const line = lineOf(stray?.cellStart ?? 0);
    // A row that is too short may be half of one, or the last of a file that was cut off.
    const isShort = stray === undefined && found.length < (width ?? 0);
    if (isShort || this.#isStrict) throw this.#faultStop(fault, line);
    this.#firstFault ??= this.#faultStop(fault, line);
    return `line ${line} cannot be read: ${fault.fact}`;
  }

  /** Nothing can be set aside in a header, and rows that were met while it was looked for will be read again. */
  get #isStrict(): boolean {
    return this.#headerIsDue || (this.#layout.isStrict && this.#width !== undefined);
  }

  /** Cells of the header; undefined while it is not known. */
  get #width(): number | undefined {
    const { columns } = this.#reading;
    return columns && widthOf(columns);
  }

  /** Hardly any record has a quote in a cell, so hardly any is looked at byte by byte. */
  #strayQuote(found: readonly string[], end: number): StrayQuote | undefined {
    if (this.#isPlain || !this.#window.mayHaveQuote(end)) return undefined;
    if (!found.some((cell) => cell.includes('"'))) return undefined;
    return strayQuoteIn(this.#bodyUntil(end), this.#delimiterByte);
  }

  #bodyUntil(end: number): Buffer {
    return bodyOf(this.#window.peek(end), this.#next.byteOffset);
  }

  #isEndMark(end: number): boolean {
    const { byteOffset } = this.#next;
    return end - byteOffset <= LONGEST_END_MARK && isEndMark(this.#window.peek(end), byteOffset === 0);
  }

  /** The parser counts a CRLF in quotes as two lines, and blank lines only with the cell below them. */
  #fault({ code, bytes }: ParserFault): StopError {
    const fault = PARSER_FAULTS[code];
    invariant(fault, `csv-parse ends with ${code}`);
    this.#takeBlankLines(this.#window.end);
    const cellStart = Math.max(this.#next.byteOffset, this.#parsed + bytes);
    return this.#faultStop(fault, this.#lineAt(cellStart));
  }

  #faultStop({ fact, next }: RecordFault, line: number): StopError {
    return stop('input', `${this.#layout.file.path}, row ${this.#next.row}, line ${line}: ${fact}.`, next);
  }

  /** Goes on to the first byte that belongs to a record, or to the limit. */
  #takeBlankLines(limit: number): Buffer {
    const { row, byteOffset, lines } = this.#next;
    // Hardly any row has a blank line above it, and looking at the bytes themselves costs a view of them each time.
    if (byteOffset > 0 && !isLineEnd(this.#window.next)) return NO_TEXT;
    const length = blankLinesLength(this.#window.peek(limit), byteOffset === 0);
    if (length === 0) return NO_TEXT;
    const blankLines = this.#window.take(byteOffset + length);
    const count = countLineEnds(blankLines);
    this.#next = { row: row + count, byteOffset: byteOffset + length, lines: lines + count };
    return blankLines;
  }

  /** What piles up without a record: blank lines, or a row of blank cells, whose length the parser does not limit. */
  #refuseEndlessness(): void {
    if (this.#window.end - this.#window.start <= MOST_BYTES_OF_BLANK_LINES) return;
    const { row, lines } = this.#next;
    this.#takeBlankLines(this.#window.end);
    if (this.#window.start < this.#window.end) throw this.#faultStop(ROW_TOO_LONG, this.#next.lines + 1);
    const where = `${this.#layout.file.path}, after row ${row - 1}, line ${lines}`;
    const fact = `${where}: more than ${MOST_BYTES_OF_BLANK_LINES} bytes of blank lines.`;
    throw stop('input', fact, 'Remove the blank lines.');
  }

  /** The parser would take a zero byte for the end of the file in places. */
  #refuseZeroByte(chunk: Buffer): void {
    const index = chunk.indexOf(0);
    if (index === -1) return;
    const line = this.#lineAt(this.#window.end - chunk.length + index);
    const fact = `${this.#layout.file.path}, line ${line}: a zero byte, which text cannot have.`;
    throw stop('input', fact, SAVE_AS_UTF8);
  }

  /** A line end is never a part of another character, so no character is cut there. */
  #noteUtf8(chunk: Buffer): void {
    const lastLine = chunk.lastIndexOf(LF);
    if (lastLine === -1) return;
    const until = this.#window.end - chunk.length + lastLine + 1;
    if (isUtf8(this.#window.peek(until))) this.#utf8Until = until;
  }

  /** @throws StopError `input` for a record that is too long, or not UTF-8. An end mark is neither. */
  #refuseUnreadable(end: number): void {
    const length = end - this.#next.byteOffset;
    if (length <= MOST_BYTES_PER_ROW && end <= this.#utf8Until) return;
    const bytes = this.#window.peek(end);
    if (length - lineEndLength(bytes) > MOST_BYTES_PER_ROW) {
      throw this.#faultStop(ROW_TOO_LONG, this.#next.lines + 1);
    }
    if (!isUtf8(bytes)) throw this.#notUtf8(bytes);
  }

  #notUtf8(bytes: Buffer): StopError {
    const line = this.#next.lines + 1 + countLineEnds(bytes.subarray(0, firstBadByte(bytes)));
    const fact = `${this.#layout.file.path}, row ${this.#next.row}, line ${line}: not UTF-8 text.`;
    return stop('input', fact, SAVE_AS_UTF8);
  }

  /** The cells of the columns that have a name. @throws StopError `input` when others are filled. */
  #fitted(found: string[]): readonly string[] {
    const { columns } = this.#reading;
    if (columns === undefined) return found;
    const width = widthOf(columns);
    const cells = found.length === width ? found : (this.#padded(found, width) ?? found);
    if (columns.nameless.length === 0) return cells;
    const isFilled = (place: number): boolean => cells[place]?.trim() !== '';
    const filled = this.#headerIsDue ? undefined : columns.nameless.find(isFilled);
    if (filled !== undefined) throw this.#nameless(filled);
    return columns.places.map((place) => cells[place] ?? '');
  }

  /** The cells that seem to stand below a name, then the others. */
  #allOf(found: readonly string[]): readonly string[] {
    const { columns } = this.#reading;
    if (columns === undefined || columns.nameless.length === 0) return found;
    const { places } = columns;
    const named = new Set(places);
    return [
      ...places.map((place) => found[place] ?? ''),
      ...found.filter((_cell, place) => !named.has(place)),
    ];
  }

  /** The cells padded to the width of the header; undefined where the file is not padded, or cells beyond it are filled. */
  #padded(found: readonly string[], width: number): readonly string[] | undefined {
    if (!(this.#layout.isPadded && isBlank(found.slice(width)))) return undefined;
    return [...found.slice(0, width), ...Array<string>(Math.max(0, width - found.length)).fill('')];
  }

  #nameless(place: number): StopError {
    const where = `${this.#layout.file.path}, row ${this.#next.row}, line ${this.#next.lines + 1}`;
    const fact = `${where}: column ${place + 1} has no name in the header, but a filled cell here.`;
    return stop('input', fact, 'Give every column with filled cells a name, or empty them.');
  }

  #ragged(found: readonly string[], width: number): RecordFault {
    const quoting = `a cell that holds a ${this.#layout.delimiter} needs quotes`;
    const padding = isBlank(found.slice(width)) ? ', or say --ragged pad' : '';
    return {
      fact: `${counted(found.length, 'cell')}, but the header has ${counted(width, 'column')}`,
      next: `Give the row as many cells as the header has (${quoting})${padding}.`,
    };
  }

  get #delimiterByte(): number {
    return DELIMITERS[this.#layout.delimiter].charCodeAt(0);
  }

  /** The number of the line on which a byte of the current record stands, the first being 1. */
  #lineAt(byteOffset: number): number {
    return this.#next.lines + 1 + countLineEnds(this.#window.peek(byteOffset));
  }
}

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');
