import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Which pages of the ledger have been written, read from the write-ahead log after every commit, before the next commit
 * could restart the log. A page costs less than a microsecond.
 *
 * SQLite defines the format of the log, unchanged since version 3.7: a header of 32 bytes with two random salts at 16,
 * then frames. A frame is a header of 24 bytes, with the page's number at 0 and the salts at 8, and the page itself.
 */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAME_BYTES = FRAME_HEADER_BYTES + 4096;

/** Frames read at once: most commits have fewer, and to read a page takes less time than to ask for it. */
const FRAMES_AT_ONCE = 32;

export class LogPages {
  readonly #path: string;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  readonly #frames = Buffer.alloc(FRAMES_AT_ONCE * FRAME_BYTES);
  #file: number | undefined;
  #salts: bigint | undefined;
  #at = HEADER_BYTES;
  /** One bit for each page. */
  #bits = new Uint8Array(1024);
  #isComplete = true;

  constructor(path: string) {
    this.#path = path;
  }

  /** False when the log could not be read, so that the written pages are unknown. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** @param page number of the page, from zero. */
  has(page: number): boolean {
    return (((this.#bits[page >> 3] ?? 0) >> (page & 7)) & 1) === 1;
  }

  /** To be called after every commit. */
  note(): void {
    if (!this.#isComplete) return;
    try {
      this.#read();
    } catch {
      this.#isComplete = false;
    }
  }

  /** Stops listing written pages. It is called when all pages are rewritten, so that no list is needed. */
  giveUp(): void {
    this.#isComplete = false;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #read(): void {
    this.#file ??= openSync(this.#path, 'r');
    if (readSync(this.#file, this.#header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return;
    const salts = this.#header.readBigUInt64BE(16);
    if (salts !== this.#salts) this.#at = HEADER_BYTES;
    this.#salts = salts;
    for (let read = this.#frames.length; read === this.#frames.length; ) {
      read = readSync(this.#file, this.#frames, 0, this.#frames.length, this.#at);
      for (let at = 0; at + FRAME_HEADER_BYTES <= read; at += FRAME_BYTES) {
        // Frames of an earlier round are behind the newest frame.
        if (this.#frames.readBigUInt64BE(at + 8) !== salts) return;
        this.#add(this.#frames.readUInt32BE(at) - 1);
        this.#at += FRAME_BYTES;
      }
    }
  }

  #add(page: number): void {
    const byte = page >> 3;
    if (byte >= this.#bits.length) {
      const larger = new Uint8Array(byte * 2);
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (page & 7));
  }
}
