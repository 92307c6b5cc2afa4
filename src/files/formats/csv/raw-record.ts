/**
 * One record of a delimited text as the bytes that stand in the file, line end included. Nothing here decodes or
 * re-quotes: what was not ours stays as it was. A quote that stands where none may ends or begins nothing, as for the parser.
 */

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/** U+FEFF in UTF-8: what spreadsheets put before the first byte of a UTF-8 file. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** 3 when the bytes begin with a byte-order mark, else 0. Only the start of a file can hold one. */
export function markLength(bytes: Buffer): number {
  return bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
}

export function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}

/**
 * Bytes of the line end that closes the record: 2, 1, or 0 for a last record without one.
 * @param start where in the text it stands; left out: it is all of the text.
 */
export function lineEndLength(text: Buffer, start = 0, end = text.length): number {
  const last = end > start ? text[end - 1] : undefined;
  if (last === LF) return end - 2 >= start && text[end - 2] === CR ? 2 : 1;
  return last === CR ? 1 : 0;
}

/** The record without byte-order mark and line end. @param byteOffset where in the text it stands. */
export function bodyOf(record: Buffer, byteOffset: number): Buffer {
  const start = byteOffset === 0 ? markLength(record) : 0;
  return record.subarray(start, record.length - lineEndLength(record));
}

/** Where the line below the offset begins; undefined when no byte stands at the offset. */
export function nextLine(bytes: Buffer, offset: number): number | undefined {
  for (let index = offset; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === LF) return index + 1;
    if (byte === CR) return bytes[index + 1] === LF ? index + 2 : index + 1;
  }
  return offset < bytes.length ? bytes.length : undefined;
}

/**
 * How many bytes of blank lines the bytes begin with.
 * @param isFileStart whether a byte-order mark may come before them; it then belongs to the first blank line.
 */
export function blankLinesLength(bytes: Buffer, isFileStart: boolean): number {
  const markEnd = isFileStart ? markLength(bytes) : 0;
  let end = markEnd;
  while (isLineEnd(bytes[end])) end += 1;
  return end === markEnd ? 0 : end;
}

/**
 * Programs from the days of DOS end a text with Ctrl-Z. A line end after it, and it would be a cell like any other.
 * @param isFileStart as of `blankLinesLength`.
 */
export function isEndMark(record: Buffer, isFileStart: boolean): boolean {
  const text = record.subarray(isFileStart ? markLength(record) : 0);
  return text.length === 1 && text[0] === CTRL_Z;
}

const CTRL_Z = 0x1a;

/** How many lines end within the bytes, with LF, CR or CRLF, in quotes or not. */
export function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === LF || (byte === CR && bytes[index + 1] !== LF)) count += 1;
  }
  return count;
}

export interface CellPlace {
  readonly start: number;
  readonly end: number;
}

export function cellsOf(body: Buffer, delimiter: number): readonly CellPlace[] {
  const cells: CellPlace[] = [];
  for (let start = 0; start <= body.length; ) {
    const end = cellEnd(body, delimiter, start);
    cells.push({ start, end });
    start = end + 1;
  }
  return cells;
}

function cellEnd(body: Buffer, delimiter: number, start: number): number {
  const next = body.indexOf(delimiter, quotedEnd(body, start));
  return next === -1 ? body.length : next;
}

/** The offset behind the quotes with which a cell begins, or of its start when it does not begin with one. */
export function quotedEnd(body: Buffer, start: number): number {
  let end = start;
  // A doubled quote inside quotes is read as an end and a new start, which comes to the same.
  while (body[end] === QUOTE) {
    const closing = body.indexOf(QUOTE, end + 1);
    if (closing === -1) return body.length;
    end = closing + 1;
  }
  return end;
}

/** Counts the line ends of a text that comes in chunks, of which CR and LF may be split between two. */
export class LineCounter {
  /** Line ends so far, so that the next byte stands on the line after that many. */
  count = 0;
  #endsInCarriageReturn = false;

  add(text: Buffer): void {
    if (text.length === 0) return;
    const isSplit = this.#endsInCarriageReturn && text[0] === LF;
    this.count += countLineEnds(text) - (isSplit ? 1 : 0);
    this.#endsInCarriageReturn = text.at(-1) === CR;
  }
}
