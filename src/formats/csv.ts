import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { CsvError, type CsvErrorCode, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { invariant, type StopError, stop } from '../errors.ts';
import type { CellsFor, CopyOptions, Format, Position, PositionedRow, Sheet, Survey } from '../format.ts';
import { checkedHeader } from '../header.ts';
import { readInput } from '../input-file.ts';
import { counted } from '../plain-text.ts';
import type { InputRow } from '../row.ts';
import { ByteWindow } from './csv/byte-window.ts';
import {
  blankLinesLength,
  countLineEnds,
  lineEndLength,
  markLength,
  withoutCells,
} from './csv/raw-record.ts';

/**
 * Comma-separated values: UTF-8, with or without a byte-order mark, lines ending in CRLF, LF or CR, even mixed.
 * The parser decides where rows end and what their cells say; what is copied are the bytes of the file themselves.
 */
const csv: Format = { name: 'csv', extensions: ['.csv'], open };
export default csv;

async function open(path: string): Promise<Sheet> {
  return {
    notes: [],
    survey: (onRow) => survey(path, onRow),
    header: () => header(path),
    rows: (from) => rows(path, from),
    groups: () => groups(path),
    copy: (options, cellsFor) => copy(path, options, cellsFor),
  };
}

/**
 * One row may hold this much text. Far above any real row, and low enough that a quote which is never closed is
 * found after a megabyte instead of swallowing the rest of the file into memory.
 */
const MOST_BYTES_PER_ROW = 1024 * 1024;

/** Rows that are copied together: past 256, writing them as text in one go gets no faster. */
const ROWS_PER_BATCH = 256;

/** Very long rows are copied in smaller batches, so that a batch never holds more than this and one row. */
const BYTES_PER_BATCH = 1024 * 1024;

/** Blank lines wait in memory for the row below them, so there is a limit to them; no real file comes near it. */
const MOST_BYTES_OF_BLANK_LINES = 64 * 1024 * 1024;

const NO_BYTES = Buffer.alloc(0);

const FILE_START: Position = { row: 1, byteOffset: 0, lines: 0 };

async function survey(path: string, onRow?: (row: InputRow) => void): Promise<Survey> {
  const names = await header(path);
  const sha256 = createHash('sha256');
  let bytes = 0;
  let encoding = 'UTF-8';
  const onChunk = (chunk: Buffer): void => {
    if (bytes === 0 && markLength(chunk) > 0) encoding = 'UTF-8 with byte-order mark';
    sha256.update(chunk);
    bytes += chunk.length;
  };
  let rowCount = 0;
  for await (const group of readRecords(path, { width: names.length, onChunk })) {
    for (const { kind, cells, position } of group) {
      if (kind !== 'row') continue;
      rowCount += 1;
      onRow?.({ row: position.row, cells });
    }
  }
  return { sha256: sha256.digest('hex'), bytes, encoding, delimiter: 'comma', header: names, rows: rowCount };
}

async function header(path: string): Promise<readonly string[]> {
  for await (const group of readRecords(path, {})) {
    const [first] = group;
    if (first?.kind === 'header') return checkedHeader(path, first.cells);
  }
  const next = 'Name a file whose first row holds the names of the columns.';
  throw stop('input', `${path} is empty: it has neither a header nor rows.`, next);
}

async function* rows(path: string, from?: Position): AsyncGenerator<PositionedRow, void, undefined> {
  const width = (await header(path)).length;
  for await (const group of readRecords(path, from ? { width, from } : { width })) {
    for (const { kind, cells, position } of group) {
      if (kind === 'row') yield { row: position.row, cells, position };
    }
  }
}

async function* groups(path: string): AsyncGenerator<readonly InputRow[], void, undefined> {
  const width = (await header(path)).length;
  for await (const group of readRecords(path, { width })) {
    const rows = group.filter(({ kind }) => kind === 'row');
    yield rows.map(({ cells, position }) => ({ row: position.row, cells }));
  }
}

async function* copy(
  path: string,
  options: CopyOptions,
  cellsFor: CellsFor,
): AsyncGenerator<Buffer, void, undefined> {
  const names = await header(path);
  const dropped = new Set(names.flatMap((name, index) => (options.dropped.has(name) ? [index] : [])));
  for await (const batch of batched(readRecords(path, { width: names.length }))) {
    const cells = await Promise.all(batch.map((record) => addedCells(record, options, cellsFor)));
    const chunk = withCells(batch, dropped, cells);
    if (chunk.length > 0) yield chunk;
  }
}

// ---------------------------------------------------------------------------------------------------- reading

/** A header or a row with the blank lines above it, or the blank lines that end the file. */
interface CsvRecord {
  readonly kind: 'header' | 'row' | 'end';
  readonly position: Position;
  readonly cells: readonly string[];
  /** Lines that hold nothing but their line end. */
  readonly blankLines: Buffer;
  /** As in the file: with its line end, and for the first one with the byte-order mark. */
  readonly bytes: Buffer;
}

interface Reading {
  /** Cells that every record must have; left out, any number will do. */
  readonly width?: number;
  /** Where a row starts; left out: the start of the file, which is where a header is. */
  readonly from?: Position;
  /** Sees the bytes that are read, in order. */
  readonly onChunk?: (chunk: Buffer) => void;
}

/**
 * Every record of the file from a position on, in groups as they are read: handing over one by one would take longer than
 * the parsing. A group is what one read of the file completes. @throws StopError `input` with row and line.
 */
async function* readRecords(
  path: string,
  reading: Reading,
): AsyncGenerator<readonly CsvRecord[], void, undefined> {
  const reader = new RecordReader(path, reading);
  let group: CsvRecord[] = [];
  const parser = parse({
    bom: reading.from === undefined,
    max_record_size: MOST_BYTES_PER_ROW,
    on_record(cells: string[], info) {
      group.push(reader.record(cells, info.bytes));
      // Nothing goes through the parser's own queue.
      return null;
    },
    record_delimiter: ['\r\n', '\n', '\r'],
    // Widths are checked by the reader, which knows which row this is.
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // What is wrong is told to whoever gave the parser something to do; without a listener it would end the process too.
  parser.on('error', () => {});
  const takeGroup = (): readonly CsvRecord[] => {
    const taken = group;
    group = [];
    return taken;
  };
  try {
    for await (const chunk of reader.chunks()) {
      await parsed((done) => parser.write(chunk, done));
      yield takeGroup();
    }
    await parsed((done) => parser.end(done));
    yield [...takeGroup(), reader.end()];
  } catch (error) {
    throw error instanceof CsvError ? reader.damage(error, parser.info.bytes) : error;
  } finally {
    parser.destroy();
  }
}

/** Resolves when the parser has worked through what it was given; rejects with what it found wrong. */
function parsed(give: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => give((error) => (error ? reject(error) : resolve())));
}

/** Makes records of what the parser finds, and knows at any moment which row and line that is. */
class RecordReader {
  readonly #path: string;
  readonly #reading: Reading;
  readonly #window: ByteWindow;
  /** Where the parser began; its own counts begin at zero. */
  readonly #origin: number;
  /** The record that the parser is at. */
  #next: Position;
  #headerIsDue: boolean;

  constructor(path: string, reading: Reading) {
    this.#path = path;
    this.#reading = reading;
    this.#next = reading.from ?? FILE_START;
    this.#origin = this.#next.byteOffset;
    this.#headerIsDue = reading.from === undefined;
    this.#window = new ByteWindow(this.#origin);
  }

  /** The bytes for the parser; kept in the window until the parser has told which record they belong to. */
  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of readInput(this.#path, this.#origin)) {
      if (this.#window.end === 0) this.#refuseUtf16(chunk);
      this.#window.append(chunk);
      this.#refuseZeroByte(chunk);
      this.#refuseEmptiness();
      this.#reading.onChunk?.(chunk);
      yield chunk;
    }
  }

  /**
   * @param bytesParsed where the record ends, counted from where the parser began.
   * @throws StopError `input` when it is not UTF-8 or has another number of cells than the header.
   */
  record(cells: string[], bytesParsed: number): CsvRecord {
    const byteOffset = this.#origin + bytesParsed;
    const blankLines = this.#takeBlankLines(byteOffset);
    const position = this.#next;
    const bytes = this.#window.take(byteOffset);
    if (!isUtf8(bytes)) throw this.#notUtf8(bytes);
    this.#refuseRagged(cells.length);
    this.#next = { row: position.row + 1, byteOffset, lines: position.lines + countLineEnds(bytes) };
    const kind = this.#headerIsDue ? 'header' : 'row';
    this.#headerIsDue = false;
    return { kind, position, cells, blankLines, bytes };
  }

  /** What is left when the parser has no more records: blank lines, or nothing. */
  end(): CsvRecord {
    const blankLines = this.#takeBlankLines(this.#window.end);
    return { kind: 'end', position: this.#next, cells: [], blankLines, bytes: NO_BYTES };
  }

  /**
   * The parser's complaint in the user's terms; its own line numbers count a CRLF in quotes twice.
   * @param bytesParsed where the cell at fault begins, counted from where the parser began. The parser counts blank
   *   lines only with the cell below them.
   */
  damage(error: CsvError, bytesParsed: number): unknown {
    const damage = DAMAGE[error.code];
    if (damage === undefined) return error;
    this.#takeBlankLines(this.#window.end);
    const line = this.#lineAt(Math.max(this.#next.byteOffset, this.#origin + bytesParsed));
    return stop('input', `${this.#path}, row ${this.#next.row}, line ${line}: ${damage.fact}.`, damage.next);
  }

  /** Goes on to the first byte that belongs to a record, or to the limit. */
  #takeBlankLines(limit: number): Buffer {
    const { row, byteOffset, lines } = this.#next;
    const length = blankLinesLength(this.#window.peek(limit), byteOffset === 0);
    if (length === 0) return NO_BYTES;
    const blankLines = this.#window.take(byteOffset + length);
    const count = countLineEnds(blankLines);
    this.#next = { row: row + count, byteOffset: byteOffset + length, lines: lines + count };
    return blankLines;
  }

  /** Only blank lines can pile up like this: the parser itself stops at a row that is too long. */
  #refuseEmptiness(): void {
    if (this.#window.end - this.#window.start <= MOST_BYTES_OF_BLANK_LINES) return;
    const where = `${this.#path}, after row ${this.#next.row - 1}, line ${this.#next.lines}`;
    const fact = `${where}: more than ${MOST_BYTES_OF_BLANK_LINES} bytes of blank lines.`;
    throw stop('input', fact, 'Remove the blank lines.');
  }

  #refuseUtf16(chunk: Buffer): void {
    const isMarked = (chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0xfe && chunk[1] === 0xff);
    if (isMarked) throw stop('input', `${this.#path} is UTF-16 text, not UTF-8.`, SAVE_AS_UTF8);
  }

  /** The parser would take a zero byte for the end of the file in places. */
  #refuseZeroByte(chunk: Buffer): void {
    const index = chunk.indexOf(0);
    if (index === -1) return;
    const line = this.#lineAt(this.#window.end - chunk.length + index);
    const fact = `${this.#path}, line ${line}: a zero byte, which text in UTF-8 does not have.`;
    throw stop('input', fact, SAVE_AS_UTF8);
  }

  #notUtf8(bytes: Buffer): StopError {
    // Decoding puts U+FFFD for what it cannot read, so the first byte that changes is the first bad one.
    const decoded = Buffer.from(bytes.toString('utf8'));
    const bad = bytes.findIndex((byte, index) => byte !== decoded[index]);
    const line = this.#next.lines + 1 + countLineEnds(bytes.subarray(0, bad));
    return stop('input', `${this.#path}, row ${this.#next.row}, line ${line}: not UTF-8 text.`, SAVE_AS_UTF8);
  }

  #refuseRagged(found: number): void {
    const { width = found } = this.#reading;
    if (found === width) return;
    const where = `${this.#path}, row ${this.#next.row}, line ${this.#next.lines + 1}`;
    const fact = `${where}: ${counted(found, 'cell')}, but the header has ${counted(width, 'column')}.`;
    const next = 'Give the row as many cells as the header has; a cell that holds a comma needs quotes.';
    throw stop('input', fact, next);
  }

  /** The number of the line on which a byte of the current record stands, the first being 1. */
  #lineAt(byteOffset: number): number {
    return this.#next.lines + 1 + countLineEnds(this.#window.peek(byteOffset));
  }
}

const SAVE_AS_UTF8 = 'Save the file again as "CSV UTF-8 (Comma delimited)".';
const DOUBLE_THE_QUOTES = 'Put the whole cell in quotes and write each quote inside it twice.';

/** What the parser can find wrong, as a clause after the row and line of the cell at fault. */
const DAMAGE: Partial<Record<CsvErrorCode, { readonly fact: string; readonly next: string }>> = {
  CSV_QUOTE_NOT_CLOSED: {
    fact: 'a quote opens here and is not closed before the file ends',
    next: 'Close the quote where the cell ends, or remove it.',
  },
  CSV_INVALID_CLOSING_QUOTE: {
    fact: 'a cell in quotes begins here and goes on after its closing quote',
    next: DOUBLE_THE_QUOTES,
  },
  INVALID_OPENING_QUOTE: {
    fact: 'a quote stands inside a cell that does not begin with one',
    next: DOUBLE_THE_QUOTES,
  },
  CSV_MAX_RECORD_SIZE: {
    fact: `the row is longer than ${MOST_BYTES_PER_ROW} bytes, the most that one row may have`,
    next: 'Look for a quote on this line that is never closed, or shorten the cell.',
  },
};

// ---------------------------------------------------------------------------------------------------- copying

/** The records in batches that are fit for copying, none of them empty. */
async function* batched(
  groups: AsyncIterable<readonly CsvRecord[]>,
): AsyncGenerator<readonly CsvRecord[], void, undefined> {
  let batch: CsvRecord[] = [];
  let bytes = 0;
  for await (const group of groups) {
    for (const record of group) {
      batch.push(record);
      bytes += record.blankLines.length + record.bytes.length;
      if (batch.length < ROWS_PER_BATCH && bytes < BYTES_PER_BATCH) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** What is appended to a record, or undefined when it is left out. */
async function addedCells(
  { kind, position, cells }: CsvRecord,
  { columns }: CopyOptions,
  cellsFor: CellsFor,
): Promise<readonly string[] | undefined> {
  if (kind === 'end') return [];
  if (kind === 'header') return columns;
  const added = await cellsFor({ row: position.row, cells });
  invariant(
    added === undefined || added.length === columns.length,
    `row ${position.row} gets ${added?.length} cells for ${columns.length} columns`,
  );
  return added;
}

/** The batch as it goes into the copy. Blank lines stay, also above a row that is left out. */
function withCells(
  batch: readonly CsvRecord[],
  dropped: ReadonlySet<number>,
  added: readonly (readonly string[] | undefined)[],
): Buffer {
  const texts = asText(added.map((cells) => cells ?? []));
  const pieces: Buffer[] = [];
  for (const [index, record] of batch.entries()) {
    pieces.push(record.blankLines);
    const cells = added[index];
    if (cells === undefined) continue;
    const needsComma = cells.length > 0 && dropped.size < record.cells.length;
    pieces.push(...extended(record, dropped, `${needsComma ? ',' : ''}${texts[index]}`));
  }
  return Buffer.concat(pieces);
}

/** The record's own bytes without the dropped cells, and the text put before its line end. */
function extended({ bytes, position }: CsvRecord, dropped: ReadonlySet<number>, text: string): Buffer[] {
  const bodyStart = position.byteOffset === 0 ? markLength(bytes) : 0;
  const bodyEnd = bytes.length - lineEndLength(bytes);
  const body = bytes.subarray(bodyStart, bodyEnd);
  const kept = dropped.size === 0 ? body : withoutCells(body, dropped);
  return [bytes.subarray(0, bodyStart), kept, Buffer.from(text), bytes.subarray(bodyEnd)];
}

/**
 * Cells as the text of one record each, without line ends. They are written in one go, because setting the writer up
 * costs more than a row, and parted again at a zero byte. Cells themselves never hold one: a file with a zero byte
 * could not be read again, so it becomes U+FFFD, the sign for what cannot be shown.
 */
function asText(records: readonly (readonly string[])[]): readonly string[] {
  const clean = records.map((cells) => cells.map((cell) => cell.replaceAll('\0', '\uFFFD')));
  const text = stringify(clean, { eof: false, quote_record_delimiter: true, record_delimiter: '\0' });
  return text.split('\0');
}
