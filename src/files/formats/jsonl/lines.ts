import { isUtf8 } from 'node:buffer';
import { type StopError, stop } from '../../../core/errors.ts';
import type { FileBytes, Position } from '../../../core/format.ts';
import type { RowNumber } from '../../../core/row.ts';

/** A line of a file as its bytes stand there. A row's number is that of its line, the first being 1. */
export interface Line {
  readonly row: RowNumber;
  readonly byteOffset: number;
  /** Without the line end. */
  readonly bytes: Buffer;
  /** LF or CRLF; empty for a last line without one. */
  readonly end: Buffer;
}

/** Answers of whole directories fit in it; a file without line ends is found before all of it is in memory. */
const MOST_BYTES_PER_LINE = 16 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;

/**
 * The lines in groups as their bytes are read.
 * @param from where a line begins; left out: the first.
 * @param onFileBytes sees the bytes of the file itself in order.
 * @throws StopError `input` for a line that is too long, and as `FileBytes`.
 */
export async function* linesOf(
  file: FileBytes,
  from?: Position,
  onFileBytes?: (bytes: Buffer) => void,
): AsyncIterable<readonly Line[]> {
  let row = from?.row ?? 1;
  let byteOffset = from?.byteOffset ?? 0;
  let begun: Buffer[] = [];
  let length = 0;
  const lineUpTo = (bytes: Buffer): Line => {
    const end = bytes.length - (bytes.at(-1) === LF ? (bytes.at(-2) === CR ? 2 : 1) : 0);
    const line = { row, byteOffset, bytes: bytes.subarray(0, end), end: bytes.subarray(end) };
    row += 1;
    byteOffset += bytes.length;
    return line;
  };
  for await (const chunk of file.chunks(byteOffset)) {
    onFileBytes?.(chunk);
    const lines: Line[] = [];
    let start = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
      const piece = chunk.subarray(start, at + 1);
      lines.push(lineUpTo(begun.length === 0 ? piece : Buffer.concat([...begun, piece])));
      begun = [];
      length = 0;
      start = at + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > MOST_BYTES_PER_LINE) throw tooLong(file.path, row);
    if (lines.length > 0) yield lines;
  }
  if (begun.length > 0) yield [lineUpTo(Buffer.concat(begun))];
}

function tooLong(path: string, line: number): StopError {
  const fact = `${path}, line ${line}: the line is longer than ${MOST_BYTES_PER_LINE} bytes, the most that one may have.`;
  return stop('input', fact, 'Write each object on a line of its own.');
}

/** The text of a line; undefined when its bytes are no UTF-8. */
export function textOf({ bytes }: Pick<Line, 'bytes'>): string | undefined {
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
