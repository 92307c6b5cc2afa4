import { stop } from '../../../core/errors.ts';
import type { FileBytes } from '../../../core/format.ts';
import type { RowNumber } from '../../../core/row.ts';

/** A row as it stands in its file: an object, or what should be one. */
export interface JsonRecord {
  /** The first is 1. */
  readonly row: RowNumber;
  /** The same in words: `line 3`. */
  readonly place: string;
  readonly bytes: Buffer;
  readonly text: string;
  /** The blanks before it and behind it, with the line end of a line. */
  readonly lead: string;
  readonly end: string;
}

/** A file of objects, which are read and copied one by one. */
export interface JsonSource {
  /** What it is, in words. */
  readonly words: string;
  /** What stands between two objects. */
  readonly between: string;
  /**
   * In groups as their bytes are read.
   * @throws StopError `input` for one that is too long, and as `FileBytes`.
   */
  records(): AsyncIterable<readonly JsonRecord[]>;
  /** The bytes of the file before the first object, and behind the last. */
  before(): AsyncIterable<Buffer>;
  after(): AsyncIterable<Buffer>;
}

/**
 * Answers of whole directories fit in it; a file without line ends is found before all of it is in memory.
 */
export const MOST_BYTES_PER_RECORD = 16 * 1024 * 1024;

async function* nothing(): AsyncGenerator<Buffer> {}

export const jsonLines = (file: FileBytes): JsonSource => ({
  words: 'UTF-8, JSON lines',
  between: '',
  records: () => linesIn(file),
  before: nothing,
  after: nothing,
});

async function* linesIn(file: FileBytes): AsyncGenerator<readonly JsonRecord[]> {
  let row = 0;
  let pieces: Buffer[] = [];
  let length = 0;
  const lineOf = (bytes: Buffer): JsonRecord => {
    const end = /\r?\n$|$/.exec(bytes.toString('latin1', bytes.length - 2))?.[0] ?? '';
    const body = bytes.subarray(0, bytes.length - end.length);
    row += 1;
    return { row, place: `line ${row}`, bytes: body, text: body.toString(), lead: '', end };
  };
  for await (const chunk of file.chunks()) {
    const lines: JsonRecord[] = [];
    let start = 0;
    for (let next = chunk.indexOf('\n') + 1; next > 0; next = chunk.indexOf('\n', start) + 1) {
      lines.push(lineOf(Buffer.concat([...pieces, chunk.subarray(start, next)])));
      pieces = [];
      length = 0;
      start = next;
    }
    pieces.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > MOST_BYTES_PER_RECORD) {
      const fact =
        `${file.path}, line ${row + 1}: the line is longer than ${MOST_BYTES_PER_RECORD} bytes, ` +
        'the most that one may have.';
      throw stop('input', fact, 'Write each object on a line of its own.');
    }
    yield lines;
  }
  if (length > 0) yield [lineOf(Buffer.concat(pieces))];
}
