import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invariant } from '../../../core/errors.ts';
import {
  type CellsFor,
  type CopyOptions,
  DELIMITERS,
  type Delimiter,
  type Encoding,
} from '../../../core/format.ts';
import type { InputRow } from '../../../core/row.ts';
import { addedTo, type NamedColumns, widthOf, writtenByUs } from '../../header.ts';
import { encodeText, textDecoder, unwritable } from '../../text-encoding.ts';
import type { Layout } from './layout.ts';
import { type CellStyle, cellStyle, cellText, piecesOf, QUOTE, separated } from './own-cells.ts';
import { lineEndLength } from './raw-record.ts';
import { NO_TEXT } from './record-parser.ts';
import { type CsvRecord, readRecords } from './records.ts';

/** Rows that are copied together: past 256, writing them as text in one go gets no faster. */
const ROWS_PER_BATCH = 256;

/** Very long rows are copied in smaller batches, so that a batch never holds more than this and one row. */
const BYTES_PER_BATCH = 1024 * 1024;

/** The text of the file with cells appended to each record, as UTF-8: how it is encoded and packed comes later. */
export async function* copiedText(
  layout: Layout,
  named: NamedColumns,
  options: CopyOptions,
  cellsFor: CellsFor,
): AsyncIterable<Buffer> {
  const { delimiter, preamble } = layout;
  const kept = keptOf(named, options);
  const blanks = options.isPart ? undefined : options.columns.map(() => '');
  let style: CellStyle | undefined;
  if (preamble.length > 0) yield preamble;
  for await (const batch of batched(readRecords(layout, { columns: named }))) {
    // The header is in the first batch, and decides for all.
    style ??= styleOf(delimiter, batch);
    const added = await addedTo(batch, inputRow, options, cellsFor);
    const cells = batch.map(({ kind }, at) => (kind === 'left_out' ? blanks : added[at]));
    const chunk = withCells(batch, style, kept, cells);
    if (chunk.length > 0) yield chunk;
  }
}

function styleOf(delimiter: Delimiter, batch: readonly CsvRecord[]): CellStyle {
  const separator = DELIMITERS[delimiter];
  const header = batch.find(({ kind }) => kind === 'header');
  const cells = header && piecesOf(header, Buffer.from(separator)).cells;
  return cellStyle(separator, cells?.every((cell) => cell[0] === QUOTE) === true);
}

async function* batched(groups: AsyncIterable<readonly CsvRecord[]>): AsyncIterable<readonly CsvRecord[]> {
  let batch: CsvRecord[] = [];
  let bytes = 0;
  for await (const group of groups) {
    for (const record of group) {
      batch.push(record);
      bytes += record.blankLines.length + record.end - record.start;
      if (batch.length < ROWS_PER_BATCH && bytes < BYTES_PER_BATCH) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

export function inputRow({ position, cells, unreadable }: CsvRecord): InputRow {
  return unreadable === undefined ? { row: position.row, cells } : { row: position.row, cells, unreadable };
}

interface Kept {
  readonly named: NamedColumns;
  readonly droppedNames: ReadonlySet<string>;
  readonly dropped: ReadonlySet<number>;
  /** Cells of the header, with those that are no name. */
  readonly width: number;
}

function keptOf(named: NamedColumns, { dropped }: CopyOptions): Kept {
  const { names, places } = named;
  const isDropped = (_place: number, index: number): boolean => dropped.has(names[index] ?? '');
  return {
    named,
    droppedNames: dropped,
    dropped: new Set(places.filter(isDropped)),
    width: widthOf(named),
  };
}

/** The batch as it goes into the copy. Blank lines stay, also above a row that is left out. */
function withCells(
  batch: readonly CsvRecord[],
  style: CellStyle,
  kept: Kept,
  added: readonly (readonly string[] | undefined)[],
): Buffer {
  const copy = new BatchCopy();
  let index = 0;
  for (const record of batch) {
    if (record.blankLines.length > 0) copy.add(record.blankLines);
    const cells = added[index++];
    if (cells === undefined || record.kind === 'end') continue;
    extend(copy, record, style, kept, cells);
  }
  return copy.bytes;
}

/** A batch is put together in one piece of memory: to make a view of each of its parts would take longer than copying them. */
class BatchCopy {
  #bytes = Buffer.allocUnsafe(BYTES_PER_BATCH / 8);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  add(source: Buffer, start = 0, end = source.length): void {
    this.#makeRoom(end - start);
    this.#length += source.copy(this.#bytes, this.#length, start, end);
  }

  addAll(pieces: readonly Buffer[]): void {
    for (const piece of pieces) this.add(piece);
  }

  write(text: string): void {
    this.#makeRoom(text.length * MOST_BYTES_PER_UNIT);
    this.#length += this.#bytes.write(text, this.#length);
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** What a unit of a string, which is UTF-16, takes at most as UTF-8. */
const MOST_BYTES_PER_UNIT = 3;

function extend(
  copy: BatchCopy,
  record: CsvRecord,
  style: CellStyle,
  kept: Kept,
  ours: readonly string[],
): void {
  const { text, start, end, found, unreadable } = record;
  if (unreadable !== undefined || found !== kept.width || kept.dropped.size > 0) {
    copy.addAll(rewritten(record, style, kept, ours));
    return;
  }
  const bodyEnd = end - lineEndLength(text, start, end);
  copy.add(text, start, bodyEnd);
  copy.write(appended(ours, style));
  copy.add(text, bodyEnd, end);
}

/**
 * The record's own cells, byte for byte and without the dropped ones, and ours below their names: blank cells go between
 * where it has too few, and the blank ones behind the header's last go where a padded file has too many.
 *
 * Of a record that cannot be read, the cells that it has too many stand behind ours: whatever program reads the copy finds the
 * same cells in it as in the file. Nothing of the user's is left out, because nobody knows below which name it belongs.
 */
function rewritten(
  record: CsvRecord,
  style: CellStyle,
  { named, droppedNames, dropped, width }: Kept,
  ours: readonly string[],
): readonly Buffer[] {
  const separator = Buffer.from(style.separator);
  const { before, cells, after } = piecesOf(record, separator);
  const isReadable = record.unreadable === undefined;
  const leftOut = isReadable ? dropped : writtenByUs(named, droppedNames, (at) => record.cells[at]);
  const own = (isReadable && record.kind !== 'left_out' ? cells.slice(0, width) : cells).filter(
    (_cell, place) => !leftOut.has(place),
  );
  const room = width - dropped.size;
  const padding = Array<Buffer>(Math.max(0, room - own.length)).fill(NO_TEXT);
  const added = ours.map((cell) => Buffer.from(cellText(cell, style)));
  const all = [...own.slice(0, room), ...padding, ...added, ...own.slice(room)];
  return [before, ...separated(all, separator), after];
}

function appended(cells: readonly string[], style: CellStyle): string {
  // Joined at once: a text that grows cell by cell is put together once more when it is written.
  return cells.map((cell) => style.separator + cellText(cell, style)).join('');
}

type OnUnwritable = (character: string) => void;

/**
 * A text in the encoding of the file that it is a copy of. Where it has a character that the encoding lacks, all of it
 * is UTF-8 with a byte-order mark instead. Both are known only at its end, so until then it waits in a file.
 * @param texts UTF-8, no character split between two chunks.
 */
export function encoded(
  encoding: Encoding,
  texts: AsyncIterable<Buffer>,
  onUnwritable: OnUnwritable,
): AsyncIterable<Buffer> {
  switch (encoding) {
    case 'utf-8':
      return texts;
    case 'utf-16le':
    case 'utf-16be':
      return encodedAtOnce(encoding, texts);
    default:
      return encodedOrUtf8(encoding, texts, onUnwritable);
  }
}

/** U+FEFF in UTF-8: without it a spreadsheet program would take the file for what it was before. */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

async function* encodedAtOnce(encoding: Encoding, texts: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  for await (const text of texts) {
    const bytes = encodeText(encoding, text.toString());
    invariant(bytes !== undefined, `${encoding} can write every character`);
    yield bytes;
  }
}

async function* encodedOrUtf8(
  encoding: Encoding,
  texts: AsyncIterable<Buffer>,
  onUnwritable: OnUnwritable,
): AsyncIterable<Buffer> {
  const waiting = await openUnnamed();
  try {
    let isUtf8 = false;
    for await (const text of texts) {
      const bytes = isUtf8 ? undefined : encodeText(encoding, text.toString());
      if (bytes !== undefined) {
        await waiting.appendFile(bytes);
        continue;
      }
      if (!isUtf8) {
        onUnwritable(unwritable(encoding, text.toString()) ?? '');
        yield BYTE_ORDER_MARK;
        const decoder = textDecoder(encoding);
        for await (const earlier of contentOf(waiting)) yield decoder.write(earlier);
      }
      isUtf8 = true;
      yield text;
    }
    if (!isUtf8) yield* contentOf(waiting);
  } finally {
    await waiting.close();
  }
}

/** A file that no name leads to, so that nobody else reads it and a crash leaves nothing behind. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `rowonce-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

function contentOf(file: FileHandle): AsyncIterable<Buffer> {
  return file.createReadStream({ start: 0, autoClose: false });
}
