import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { invariant } from '../../../core/errors.ts';
import {
  type CellsFor,
  type CopyOptions,
  DELIMITERS,
  type Delimiter,
  type Encoding,
} from '../../../core/format.ts';
import type { InputRow } from '../../../core/row.ts';
import { addedTo, type NamedColumns, writtenByUs } from '../../header.ts';
import { encodeText, textDecoder, unwritable } from '../../text-encoding.ts';
import type { Layout } from './layout.ts';
import { bodyOf, cellsOf, isAllQuoted, lineEndLength, withoutCells } from './raw-record.ts';
import { bytesOf, type CsvRecord, readRecords } from './records.ts';

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
  let style: Style | undefined;
  if (preamble.length > 0) yield preamble;
  for await (const batch of batched(readRecords(layout, { columns: named }))) {
    // The header is in the first batch, and decides for all.
    style ??= styleOf(delimiter, batch);
    const cells = await addedTo(batch, inputRow, options, cellsFor);
    const chunk = withCells(batch, style, kept, cells);
    if (chunk.length > 0) yield chunk;
  }
}

/** How our cells are written, so that they look like the user's. */
interface Style {
  readonly delimiter: Delimiter;
  /** All cells stand in quotes, and not only those that need them. */
  readonly isQuoted: boolean;
}

function styleOf(delimiter: Delimiter, batch: readonly CsvRecord[]): Style {
  const header = batch.find(({ kind }) => kind === 'header');
  return {
    delimiter,
    isQuoted: header !== undefined && isAllQuoted(ownBody(bytesOf(header), header), byteOf(delimiter)),
  };
}

const byteOf = (delimiter: Delimiter): number => DELIMITERS[delimiter].charCodeAt(0);

/** The records in batches that are fit for copying, none of them empty. */
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

/** A record as the rest of the program sees it. */
export function inputRow({ position, cells, unreadable }: CsvRecord): InputRow {
  return unreadable === undefined ? { row: position.row, cells } : { row: position.row, cells, unreadable };
}

/** Which of the file's cells a copy keeps. */
interface Kept {
  readonly named: NamedColumns;
  readonly droppedNames: ReadonlySet<string>;
  readonly dropped: ReadonlySet<number>;
  /** Cells of the header, with those that are no name. */
  readonly width: number;
}

function keptOf(named: NamedColumns, { dropped }: CopyOptions): Kept {
  const { names, places, nameless } = named;
  const isDropped = (_place: number, index: number): boolean => dropped.has(names[index] ?? '');
  return {
    named,
    droppedNames: dropped,
    dropped: new Set(places.filter(isDropped)),
    width: places.length + nameless.length,
  };
}

/** The batch as it goes into the copy. Blank lines stay, also above a row that is left out. */
function withCells(
  batch: readonly CsvRecord[],
  style: Style,
  kept: Kept,
  added: readonly (readonly string[] | undefined)[],
): Buffer {
  const texts = asText(
    added.map((cells) => cells ?? []),
    style,
  );
  const copy = new BatchCopy();
  for (const [index, record] of batch.entries()) {
    if (record.blankLines.length > 0) copy.add(record.blankLines);
    const cells = added[index];
    if (cells === undefined || record.kind === 'end') continue;
    const ours = cells.length === 0 ? [] : [texts[index] ?? ''];
    if (record.unreadable !== undefined) copy.addAll(besideSurplus(record, style.delimiter, kept, ours));
    else extend(copy, record, style.delimiter, kept, ours);
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

/** The record with our cells put before its line end. */
function extend(
  copy: BatchCopy,
  record: CsvRecord,
  delimiter: Delimiter,
  kept: Kept,
  ours: readonly string[],
): void {
  const { text, start, end, found } = record;
  if (found !== kept.width || kept.dropped.size > 0) {
    copy.addAll(fitted(record, delimiter, kept, ours));
    return;
  }
  const bodyEnd = end - lineEndLength(text, start, end);
  copy.add(text, start, bodyEnd);
  copy.write(['', ...ours].join(DELIMITERS[delimiter]));
  copy.add(text, bodyEnd, end);
}

/**
 * The record's own bytes without the dropped cells, and ours put before its line end. Where a padded file has too few
 * cells, blank ones go between, and where it has too many, the blank ones behind the header's last go: ours must stand
 * below their names.
 */
function fitted(record: CsvRecord, delimiter: Delimiter, kept: Kept, ours: readonly string[]): Buffer[] {
  const { found } = record;
  const bytes = bytesOf(record);
  const body = ownBody(bytes, record);
  const bodyStart = body.byteOffset - bytes.byteOffset;
  const { dropped, width } = kept;
  const leftOut = found > width ? new Set([...dropped, ...indexes(width, found)]) : dropped;
  const own = leftOut.size === 0 ? body : withoutCells(body, byteOf(delimiter), leftOut);
  const hasOwn = leftOut.size === 0 || !indexes(0, found).every((index) => leftOut.has(index));
  const padding = indexes(found, width).flatMap((index) => (dropped.has(index) ? [] : ['']));
  const text = [...(hasOwn ? [''] : []), ...padding, ...ours].join(DELIMITERS[delimiter]);
  return [bytes.subarray(0, bodyStart), own, Buffer.from(text), bytes.subarray(bodyStart + body.length)];
}

/**
 * A record that cannot be read, byte for byte, with our cells below their names and the cells that it has too many behind
 * them: whatever program reads the copy finds the same cells in it as in the file. Nothing of the user's is left out,
 * because nobody knows below which name it belongs.
 */
function besideSurplus(
  record: CsvRecord,
  delimiter: Delimiter,
  kept: Kept,
  ours: readonly string[],
): Buffer[] {
  const bytes = bytesOf(record);
  const body = ownBody(bytes, record);
  const bodyStart = body.byteOffset - bytes.byteOffset;
  const leftOut = writtenByUs(kept.named, kept.droppedNames, (at) => record.cells[at]);
  const own = cellsOf(body, byteOf(delimiter))
    .filter((_cell, index) => !leftOut.has(index))
    .map(({ start, end }) => body.subarray(start, end));
  const room = kept.width - kept.dropped.size;
  const padding = Array.from({ length: Math.max(0, room - own.length) }, () => EMPTY);
  const cells = [
    ...own.slice(0, room),
    ...padding,
    ...ours.map((text) => Buffer.from(text)),
    ...own.slice(room),
  ];
  const separator = Buffer.from(DELIMITERS[delimiter]);
  const joined = cells.flatMap((cell, index) => (index === 0 ? [cell] : [separator, cell]));
  return [bytes.subarray(0, bodyStart), ...joined, bytes.subarray(bodyStart + body.length)];
}

const EMPTY = Buffer.alloc(0);

function indexes(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

function ownBody(bytes: Buffer, { position }: CsvRecord): Buffer {
  return bodyOf(bytes, position.byteOffset);
}

/** Cells as the text of one record each, without line ends. */
function asText(records: readonly (readonly string[])[], style: Style): readonly string[] {
  const texts = records.map((cells) => joinedText(cells, style));
  const others = records.filter((_cells, at) => texts[at] === undefined);
  if (others.length === 0) return texts as string[];
  const careful = new Set<string>();
  for (const cells of others) for (const cell of cells) if (needsCare(cell, style)) careful.add(cell);
  const written = writtenCells(careful, style);
  const separator = DELIMITERS[style.delimiter];
  const writtenText = (cells: readonly string[]): string =>
    cells.map((cell) => written.get(cell) ?? cell).join(separator);
  return texts.map((text, at) => text ?? writtenText(records[at] ?? []));
}

/** What has to stand in quotes, or could not be read again. The delimiter is the other. */
const NEEDS_CARE = /["\r\n\0]/;

function needsCare(cell: string, { delimiter, isQuoted }: Style): boolean {
  return isQuoted || cell.includes(DELIMITERS[delimiter]) || NEEDS_CARE.test(cell);
}

/** The cells with the delimiter between them, where that is all there is to do; undefined where the writer has to look. */
function joinedText(cells: readonly string[], { delimiter, isQuoted }: Style): string | undefined {
  if (isQuoted) return undefined;
  const separator = DELIMITERS[delimiter];
  for (const cell of cells) if (cell.includes(separator)) return undefined;
  const text = cells.join(separator);
  return NEEDS_CARE.test(text) ? undefined : text;
}

/**
 * Each cell as the writer writes it, which sets up a record for each: so the same cell of many rows is written once. They are
 * written in one go and parted again at a zero byte. Cells themselves never hold one: a file with a zero byte could not be
 * read again, so it becomes U+FFFD, the sign for what cannot be shown.
 */
function writtenCells(
  cells: ReadonlySet<string>,
  { delimiter, isQuoted }: Style,
): ReadonlyMap<string, string> {
  const records = Array.from(cells, (cell) => [cell.replaceAll('\0', '\uFFFD')]);
  const texts = stringify(records, {
    delimiter: DELIMITERS[delimiter],
    eof: false,
    quote_record_delimiter: true,
    quoted: isQuoted,
    quoted_empty: isQuoted,
    record_delimiter: '\0',
  }).split('\0');
  return new Map(Array.from(cells, (cell, at) => [cell, texts[at] ?? '']));
}

// -------------------------------------------------------------------------------------------------- encoding

/** Is called with the first character that the encoding lacks. */
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
    case 'windows-1252':
      return encodedOrUtf8(encoding, texts, onUnwritable);
  }
}

/** U+FEFF in UTF-8: without it a spreadsheet program would take the file for what it was before. */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Every character can be written. */
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
        onUnwritable(unwritable(text.toString()) ?? '');
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
