import { invariant } from '../../../core/errors.ts';

/**
 * The bytes of a stream that were read and not yet taken, addressed by their place in the file. It lets a parser say
 * only where a row ends, and hands over the row's bytes exactly as they are on disk.
 * Holds what lies between the last row's end and the last chunk read, so its size does not grow with the file.
 */
export class ByteWindow {
  #chunks: Buffer[] = [];
  /** Bytes of the first chunk that were taken. */
  #taken = 0;
  /** Byte offset of the first byte that was not yet taken. */
  start: number;
  /** Byte offset after the last byte that was appended. */
  end: number;

  /** @param start byte offset in the file of the first byte that will be appended. */
  constructor(start: number) {
    this.start = start;
    this.end = start;
  }

  /** The byte at `start`, without a view of it being made for each row; undefined when all bytes were taken. */
  get next(): number | undefined {
    return this.#chunks[0]?.[this.#taken];
  }

  append(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.end += chunk.length;
  }

  /** The bytes from `start` up to the offset, which stay in the window. Copied only when they span chunks. */
  peek(end: number): Buffer {
    const length = end - this.start;
    const first = this.#chunks[0];
    invariant(length >= 0 && end <= this.end, `bytes up to ${end} of a window ${this.start} to ${this.end}`);
    const from = this.#taken;
    if (first === undefined || from + length <= first.length)
      return (first ?? EMPTY).subarray(from, from + length);
    return Buffer.concat(this.#chunks).subarray(from, from + length);
  }

  /** The same bytes as `peek` gives; `start` moves to the offset. */
  take(end: number): Buffer {
    const bytes = this.peek(end);
    this.start = end;
    this.#taken += bytes.length;
    for (let first = this.#chunks[0]; first !== undefined && this.#taken >= first.length; ) {
      this.#taken -= first.length;
      this.#chunks.shift();
      first = this.#chunks[0];
    }
    return bytes;
  }
}

const EMPTY = Buffer.alloc(0);
