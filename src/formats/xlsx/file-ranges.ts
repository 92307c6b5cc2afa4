import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';

/**
 * Parts of a file for whoever reads an archive. The file is opened for each of them, so that none stays open for as long
 * as a sheet is in use. The library's own reader passes offsets on as they stand in the file, and Node throws for those
 * above 2^53 where nobody can catch it.
 */
export class FileRanges extends RandomAccessReader {
  readonly #path: string;

  constructor(path: string) {
    super();
    this.#path = path;
  }

  /** Exactly so many bytes. @throws Error when the file ends before. */
  async bytesAt(position: number, length: number): Promise<Buffer> {
    const file = await open(this.#path);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
      if (bytesRead < length) throw new Error('it is cut off');
      return buffer;
    } finally {
      await file.close();
    }
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const copied = this.bytesAt(position, length).then((bytes) => void bytes.copy(buffer, offset));
    copied.then(() => callback(null), callback);
  }

  /** @param end the first byte that is not wanted. What is asked for lies in the file, as far as its size was told. */
  override _readStreamForRange(start: number, end: number): Readable {
    return createReadStream(this.#path, { start, end: end - 1 });
  }
}
