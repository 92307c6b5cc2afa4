import { isUtf8 } from 'node:buffer';
import { type StopError, stop } from '../../../core/errors.ts';
import type { FileBytes, Position } from '../../../core/format.ts';
import type { RowNumber } from '../../../core/row.ts';
import { unpacked } from '../../packed.ts';

/** A line of a file as its bytes stand there. A row's number is that of its line, the first being 1. */
export interface Line {
  readonly row: RowNumber;
  /** Where it begins in the text, which of a packed file is what was unpacked. */
  readonly byteOffset: number;
  /** Without the line end. */
  readonly bytes: Buffer;
  /** LF or CRLF; empty for a last line without one. */
  readonly end: Buffer;
}

export interface LineSource {
  readonly file: FileBytes;
  readonly isPacked: boolean;
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
  source: LineSource,
  from?: Position,
  onFileBytes?: (bytes: Buffer) => void,
): AsyncIterable<readonly Line[]> {
  const { file } = source;
  let row = from?.row ?? 1;
  let byteOffset = from?.byteOffset ?? 0;
  let begun: Buffer[] = [];
  let length = 0;
  const lineUpTo = (bytes: Buffer): Line => {
    const text = bytes.at(-1) === LF ? (bytes.at(-2) === CR ? 2 : 1) : 0;
    const end = bytes.length - text;
    const line = { row, byteOffset, bytes: bytes.subarray(0, end), end: bytes.subarray(end) };
    row += 1;
    byteOffset += bytes.length;
    return line;
  };
  for await (const chunk of textFrom(source, byteOffset, onFileBytes)) {
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

/** A packed file is unpacked from its beginning. */
async function* textFrom(
  { file, isPacked }: LineSource,
  startByte: number,
  onFileBytes: (bytes: Buffer) => void = () => {},
): AsyncIterable<Buffer> {
  const bytes = tapped(file.chunks(isPacked ? 0 : startByte), onFileBytes);
  let left = isPacked ? startByte : 0;
  for await (const chunk of isPacked ? unpacked(file.path, bytes) : bytes) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}

async function* tapped(chunks: AsyncIterable<Buffer>, see: (bytes: Buffer) => void): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    see(chunk);
    yield chunk;
  }
}

function tooLong(path: string, line: number): StopError {
  const fact = `${path}, line ${line}: the line is longer than ${MOST_BYTES_PER_LINE} bytes, the most that one may have.`;
  return stop('input', fact, 'Write each object on a line of its own.');
}

/** The text of a line; undefined when its bytes are no UTF-8. */
export function textOf({ bytes }: Pick<Line, 'bytes'>): string | undefined {
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
