import { invariant } from '../../../core/errors.ts';

/**
 * The bytes of a stream that were read and not yet taken, addressed by their place in the file. It lets a parser say
 * only where a row ends, and hands over the row's bytes exactly as they are on disk.
 * Holds what lies between the last row's end and the last chunk read, so its size does not grow with the file.
 */
export class ByteWindow {
  /** What was read last, behind what was not taken before it. Never written to, so that rows may refer to it. */
  bytes: Buffer = EMPTY;
  taken = 0;
  /** Byte offset of the first byte that was not yet taken. */
  start: number;
  /** Byte offset before which no quote stands behind `start`, and at which one may stand. */
  #quote: number;

  /** @param start byte offset in the file of the first byte that will be appended. */
  constructor(start: number) {
    this.start = start;
    this.#quote = start - 1;
  }

  /** Byte offset after the last byte that was appended. */
  get end(): number {
    return this.start + this.bytes.length - this.taken;
  }

  /** The byte at `start`, without a view of it being made for each row; undefined when all bytes were taken. */
  get next(): number | undefined {
    return this.bytes[this.taken];
  }

  append(chunk: Buffer): void {
    const left = this.bytes.subarray(this.taken);
    this.bytes = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    this.taken = 0;
  }

  /** The bytes from `start` up to the offset, which stay in the window. */
  peek(end: number): Buffer {
    return this.bytes.subarray(this.taken, this.#placeOf(end));
  }

  /** The same bytes as `peek` gives; `start` moves to the offset. */
  take(end: number): Buffer {
    const bytes = this.peek(end);
    this.pass(end);
    return bytes;
  }

  pass(end: number): void {
    this.taken = this.#placeOf(end);
    this.start = end;
  }

  /** False where surely no quote stands between `start` and the offset. One search is enough for all rows up to a quote. */
  mayHaveQuote(end: number): boolean {
    if (this.#quote < this.start) {
      const place = this.bytes.indexOf(QUOTE, this.taken);
      this.#quote = place === -1 ? this.end : this.start + place - this.taken;
    }
    return this.#quote < end;
  }

  #placeOf(end: number): number {
    // The words are put together only where they are needed: rows come by the million.
    if (end < this.start || end > this.end)
      invariant(false, `bytes up to ${end} of a window ${this.start} to ${this.end}`);
    return this.taken + end - this.start;
  }
}

const EMPTY = Buffer.alloc(0);
const QUOTE = 0x22;
