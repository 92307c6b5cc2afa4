import { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';
import type { FileBytes } from '../../../core/format.ts';

/**
 * Parts of a file for the library that reads an archive. Its own reader passes offsets on as they stand in the file, and
 * Node throws for those above 2^53 where nobody can catch it.
 */
export class FileRanges extends RandomAccessReader {
  readonly #file: FileBytes;

  constructor(file: FileBytes) {
    super();
    this.#file = file;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const copied = this.#file.bytesAt(position, length).then((bytes) => void bytes.copy(buffer, offset));
    copied.then(() => callback(null), callback);
  }

  /** @param end the first byte that is not wanted. What is asked for lies in the file, as far as its size was told. */
  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#file.chunks(start, end), { objectMode: false });
  }
}
