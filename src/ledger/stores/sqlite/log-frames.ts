import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { sizeOf } from './folder.ts';

/**
 * Reads from the write-ahead log which pages of the ledger were committed, after every commit, before the next one could
 * begin the log anew. A page costs less than a microsecond.
 *
 * SQLite defines the format of the log, unchanged since version 3.7: a header of 32 bytes with two random salts at 16,
 * then frames. A frame is a header of 24 bytes and a page. The header has the page's number at 0, at 4 the number of the ledger's
 * pages where the frame ends a commit and zero elsewhere, and the salts at 8.
 */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The page size of every ledger: SQLite's default, which no setting of ours changes. */
export const PAGE_BYTES = 4096;
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES;

/** Frames read at once: most commits have fewer, and to read a page takes less time than to ask for it. */
const FRAMES_AT_ONCE = 32;

/** How far a log was read. A log that begins anew has other salts. */
export interface LogPlace {
  readonly salts: bigint;
  /** In bytes. */
  readonly at: number;
}

/** What was committed between two looks at the log. */
export interface Committed {
  readonly commits: number;
  /** How many pages the ledger has by then; undefined without a commit. */
  readonly pages: number | undefined;
  /** Whether the log has begun anew meanwhile. */
  readonly isAnew: boolean;
}

interface Frame {
  readonly at: number;
  readonly page: number;
  readonly pagesByThen: number;
}

export class LogFrames {
  readonly #path: string;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  readonly #frames = Buffer.alloc(FRAMES_AT_ONCE * FRAME_BYTES);
  readonly #page = Buffer.alloc(PAGE_BYTES);
  #file: number | undefined;
  #place: LogPlace | undefined;

  /** @param place from where on it is read, if it has not begun anew since; left out: all of it. */
  constructor(path: string, place?: LogPlace) {
    this.#path = path;
    this.#place = place;
  }

  /** Where the last commit ends that was read; undefined before the first. */
  get place(): LogPlace | undefined {
    return this.#place;
  }

  /** How many frames are before that place. */
  get length(): number {
    return this.#place === undefined ? 0 : (this.#place.at - HEADER_BYTES) / FRAME_BYTES;
  }

  /**
   * Reads the commits since the last call. Frames behind the last commit are of one that was taken back, or is not over.
   * @param tell gets each of their pages, numbered from zero, as often as it was written, and where its frame begins.
   * @param ended gets where each commit ends.
   */
  read(tell: (page: number, frame: number) => void, ended: (place: LogPlace) => void = () => {}): Committed {
    const salts = this.#salts();
    const before = this.#place?.salts === salts ? this.#place : undefined;
    const isAnew = before !== this.#place;
    let [commits, pages] = [0, undefined as number | undefined];
    if (salts === undefined) return { commits, pages, isAnew };
    const begin = before?.at ?? HEADER_BYTES;
    let uncommitted: number[] = [];
    for (const { at, page, pagesByThen } of this.#framesFrom(begin, salts)) {
      uncommitted.push(page);
      if (pagesByThen === 0) continue;
      const place = { salts, at: at + FRAME_BYTES };
      const first = place.at - uncommitted.length * FRAME_BYTES;
      for (const [each, written] of uncommitted.entries()) tell(written, first + each * FRAME_BYTES);
      ended(place);
      uncommitted = [];
      pages = pagesByThen;
      commits += 1;
      this.#place = place;
    }
    return { commits, pages, isAnew };
  }

  /** The CRC-32 of the page in a frame that was read since the log last began anew. */
  sumOf(frame: number): number {
    this.#readAt(frame + FRAME_HEADER_BYTES, this.#page);
    return crc32(this.#page);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  *#framesFrom(begin: number, salts: bigint): Generator<Frame> {
    for (let from = begin, read = this.#frames.length; read === this.#frames.length; from += read) {
      read = this.#readAt(from, this.#frames);
      for (let at = 0; at + FRAME_BYTES <= read; at += FRAME_BYTES) {
        // Frames of an earlier round are behind the newest frame.
        if (this.#frames.readBigUInt64BE(at + 8) !== salts) return;
        const page = this.#frames.readUInt32BE(at) - 1;
        yield { at: from + at, page, pagesByThen: this.#frames.readUInt32BE(at + 4) };
      }
    }
  }

  /** Undefined where there is no log, or an empty one, as a reader leaves behind. */
  #salts(): bigint | undefined {
    if (this.#file === undefined && (sizeOf(this.#path) ?? 0) === 0) return undefined;
    return this.#readAt(0, this.#header) < HEADER_BYTES ? undefined : this.#header.readBigUInt64BE(16);
  }

  #readAt(place: number, into: Buffer): number {
    this.#file ??= openSync(this.#path, 'r');
    return readSync(this.#file, into, 0, into.length, place);
  }
}
