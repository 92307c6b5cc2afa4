import { stringify } from 'csv-stringify/sync';
import { invariant } from '../../../core/errors.ts';
import { type CellsFor, type CopyOptions, DELIMITERS, type Delimiter } from '../../../core/format.ts';
import { type InputRow, isOurColumn, isSetAside } from '../../../core/row.ts';
import type { NamedColumns } from '../../header.ts';
import { bodyOf, cellsOf, isAllQuoted, withoutCells } from './raw-record.ts';
import { type CsvRecord, readRecords } from './records.ts';
import type { Shape } from './shape.ts';

/** Rows that are copied together: past 256, writing them as text in one go gets no faster. */
const ROWS_PER_BATCH = 256;

/** Very long rows are copied in smaller batches, so that a batch never holds more than this and one row. */
const BYTES_PER_BATCH = 1024 * 1024;

/** The text of the file with cells appended to each record, as UTF-8: how it is encoded and packed comes later. */
export async function* copiedText(
  shape: Shape,
  named: NamedColumns,
  options: CopyOptions,
  cellsFor: CellsFor,
): AsyncGenerator<Buffer, void, undefined> {
  const { delimiter, preamble } = shape;
  const kept = keptOf(named, options);
  let style: Style | undefined;
  if (preamble.length > 0) yield preamble;
  for await (const batch of batched(readRecords(shape, { columns: named }))) {
    // The header is in the first batch, and decides for all.
    style ??= styleOf(delimiter, batch);
    const cells = await Promise.all(batch.map((record) => addedCells(record, options, cellsFor)));
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
  return { delimiter, isQuoted: header !== undefined && isAllQuoted(ownBody(header), byteOf(delimiter)) };
}

const byteOf = (delimiter: Delimiter): number => DELIMITERS[delimiter].charCodeAt(0);

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
  record: CsvRecord,
  { columns }: CopyOptions,
  cellsFor: CellsFor,
): Promise<readonly string[] | undefined> {
  const { kind, position } = record;
  if (kind === 'end') return [];
  if (kind === 'header') return columns;
  const added = await cellsFor(inputRow(record));
  invariant(
    added === undefined || added.length === columns.length,
    `row ${position.row} gets ${added?.length} cells for ${columns.length} columns`,
  );
  return added;
}

/** A record as the rest of the program sees it. */
export function inputRow({ position, cells, unreadable }: CsvRecord): InputRow {
  return unreadable === undefined ? { row: position.row, cells } : { row: position.row, cells, unreadable };
}

/** Which of the file's cells a copy keeps. */
interface Kept {
  readonly named: NamedColumns;
  readonly dropped: ReadonlySet<number>;
  /** Cells of the header, with those that are no name. */
  readonly width: number;
}

function keptOf(named: NamedColumns, { dropped }: CopyOptions): Kept {
  const { names, places, nameless } = named;
  const isDropped = (_place: number, index: number): boolean => dropped.has(names[index] ?? '');
  return { named, dropped: new Set(places.filter(isDropped)), width: places.length + nameless.length };
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
  const pieces: Buffer[] = [];
  for (const [index, record] of batch.entries()) {
    pieces.push(record.blankLines);
    const cells = added[index];
    if (cells === undefined) continue;
    const ours = cells.length === 0 ? [] : [texts[index] ?? ''];
    if (record.kind === 'end') continue;
    const copy = record.unreadable === undefined ? extended : besideSurplus;
    pieces.push(...copy(record, style.delimiter, kept, ours));
  }
  return Buffer.concat(pieces);
}

/**
 * The record's own bytes without the dropped cells, and ours put before its line end. Where a padded file has too few
 * cells, blank ones go between, and where it has too many, the blank ones behind the header's last go: ours must stand
 * below their names.
 */
function extended(record: CsvRecord, delimiter: Delimiter, kept: Kept, ours: readonly string[]): Buffer[] {
  const { bytes, found } = record;
  const body = ownBody(record);
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
  const { bytes } = record;
  const body = ownBody(record);
  const bodyStart = body.byteOffset - bytes.byteOffset;
  const leftOut = writtenByUs(record, kept);
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

/** The cells that an earlier run wrote into a record that it could not read either; it put nothing into added columns. */
function writtenByUs({ cells }: CsvRecord, { named, dropped }: Kept): ReadonlySet<number> {
  const { names, places } = named;
  if (!isSetAside((name) => cells[names.indexOf(name)])) return new Set();
  const isOurs = (place: number, index: number): boolean =>
    dropped.has(place) && (isOurColumn(names[index] ?? '') || cells[index]?.trim() === '');
  return new Set(places.filter(isOurs));
}

function indexes(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

function ownBody({ bytes, position }: CsvRecord): Buffer {
  return bodyOf(bytes, position.byteOffset);
}

/**
 * Cells as the text of one record each, without line ends. They are written in one go, because setting the writer up
 * costs more than a row, and parted again at a zero byte. Cells themselves never hold one: a file with a zero byte
 * could not be read again, so it becomes U+FFFD, the sign for what cannot be shown.
 */
function asText(records: readonly (readonly string[])[], { delimiter, isQuoted }: Style): readonly string[] {
  const clean = records.map((cells) => cells.map((cell) => cell.replaceAll('\0', '\uFFFD')));
  const text = stringify(clean, {
    delimiter: DELIMITERS[delimiter],
    eof: false,
    quote_record_delimiter: true,
    quoted: isQuoted,
    quoted_empty: isQuoted,
    record_delimiter: '\0',
  });
  return text.split('\0');
}
