import { invariant } from '../../errors.ts';

/**
 * The bytes of a stream that were read and not yet taken, addressed by their place in the file. It lets a parser say
 * only where a row ends, and hands over the row's bytes exactly as they are on disk.
 * Holds what lies between the last row's end and the last chunk read, so its size does not grow with the file.
 */
export class ByteWindow {
  #chunks: Buffer[] = [];
  #start: number;
  #end: number;

  /** @param start byte offset in the file of the first byte that will be appended. */
  constructor(start: number) {
    this.#start = start;
    this.#end = start;
  }

  /** Byte offset of the first byte that was not yet taken. */
  get start(): number {
    return this.#start;
  }

  /** Byte offset after the last byte that was appended. */
  get end(): number {
    return this.#end;
  }

  append(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#end += chunk.length;
  }

  /** The bytes from `start` up to the offset, which stay in the window. Copied only when they span chunks. */
  peek(end: number): Buffer {
    const length = end - this.#start;
    const first = this.#chunks[0];
    invariant(
      length >= 0 && end <= this.#end,
      `bytes up to ${end} of a window ${this.#start} to ${this.#end}`,
    );
    if (first === undefined || length <= first.length) return (first ?? EMPTY).subarray(0, length);
    return Buffer.concat(this.#chunks).subarray(0, length);
  }

  /** As `peek`, and moves `start` to the offset. */
  take(end: number): Buffer {
    const bytes = this.peek(end);
    for (let left = bytes.length; left > 0; ) {
      const first = this.#chunks[0];
      invariant(first !== undefined, `a window that lacks ${left} of its bytes`);
      if (first.length > left) this.#chunks[0] = first.subarray(left);
      else this.#chunks.shift();
      left -= Math.min(left, first.length);
    }
    this.#start = end;
    return bytes;
  }
}

const EMPTY = Buffer.alloc(0);
