import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { sizeOf } from './folder.ts';

/**
 * Reads from the write-ahead log which pages of the ledger were committed, after every commit, before the next one could
 * begin the log anew. A page costs about a microsecond.
 *
 * SQLite defines the format of the log, unchanged since version 3.7: a header of 32 bytes with two random salts at 16 and its sum at
 * 24, then frames. A frame is a header of 24 bytes and a page. The header has the page's number at 0, at 4 the number of the ledger's
 * pages where the frame ends a commit and zero elsewhere, the salts at 8, and at 16 a sum that goes on from that of the frame before.
 */
const HEADER_BYTES = 32;
const SALTS_AT = 16;
const HEADER_SUM_AT = 24;
const FRAME_SUM_AT = 16;
/** Of each header so many bytes at its beginning are in its sum. */
const SUMMED_OF_FRAME_HEADER = 8;

/** How a log begins whose sums are over little-endian words, as on every machine that Node runs on but some of IBM's. */
const MAGIC = 0x377f0682;
const FRAME_HEADER_BYTES = 24;

/** The page size of every ledger: SQLite's default, which no setting of ours changes. */
export const PAGE_BYTES = 4096;
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES;

/** Frames read at once: most commits have fewer, and to read a page takes less time than to ask for it. */
const FRAMES_AT_ONCE = 32;

/**
 * With so many frames SQLite moves its log into the ledger, and the next commit may begin the log anew. It is SQLite's default, which
 * no setting of ours lowers.
 */
export const FULL_LOG_FRAMES = 1000;

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
  /** The CRC-32 of the page. */
  readonly sum: number;
}

/** A sum of SQLite's, of two words. */
type LogSum = readonly [number, number];

const framesBefore = (at: number): number => (at - HEADER_BYTES) / FRAME_BYTES;

export class LogFrames {
  readonly #path: string;
  readonly #isChecked: boolean;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  readonly #frames = Buffer.alloc(FRAMES_AT_ONCE * FRAME_BYTES);
  #file: number | undefined;
  #place: LogPlace | undefined;

  /**
   * @param isChecked whether the log ends for us where a sum of SQLite's is wrong, as it does for SQLite after a kill. It costs several
   *   times as much, and is for who did not see the frames being written.
   * @param place up to which it was read before.
   */
  constructor(path: string, isChecked: boolean, place?: LogPlace) {
    this.#path = path;
    this.#isChecked = isChecked;
    this.#place = place;
  }

  /** Where the last commit ends that was read; undefined before the first. */
  get place(): LogPlace | undefined {
    return this.#place;
  }

  /** How many frames are before that place. */
  get length(): number {
    return this.#place === undefined ? 0 : framesBefore(this.#place.at);
  }

  /**
   * Reads the commits since the last call. Frames behind the last commit are of one that was taken back, or is not over.
   * @param tell gets each of their pages, numbered from zero, as often as it was written, its CRC-32, and the number of the frame
   *   from one on.
   * @param ended gets where each commit ends, in bytes.
   */
  read(
    tell: (page: number, sum: number, frame: number) => void,
    ended: (at: number) => void = () => {},
  ): Committed {
    const salts = this.#salts();
    const before = this.#place?.salts === salts ? this.#place : undefined;
    const isAnew = before !== this.#place;
    this.#place = before;
    let [commits, pages] = [0, undefined as number | undefined];
    if (salts === undefined) return { commits, pages, isAnew };
    let uncommitted: Frame[] = [];
    for (const frame of this.#framesFrom(before?.at ?? HEADER_BYTES, salts)) {
      uncommitted.push(frame);
      const { at, pagesByThen } = frame;
      if (pagesByThen === 0) continue;
      const place = { salts, at: at + FRAME_BYTES };
      for (const { at, page, sum } of uncommitted) tell(page, sum, framesBefore(at) + 1);
      ended(place.at);
      uncommitted = [];
      pages = pagesByThen;
      commits += 1;
      this.#place = place;
    }
    return { commits, pages, isAnew };
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  *#framesFrom(begin: number, salts: bigint): Generator<Frame> {
    const frames = this.#frames;
    let before = this.#isChecked ? this.#headerSum() : NO_SUM;
    for (
      let from = begin, read = frames.length;
      before !== undefined && read === frames.length;
      from += read
    ) {
      read = this.#readAt(from, frames);
      for (let at = 0; at + FRAME_BYTES <= read; at += FRAME_BYTES) {
        // Frames of an earlier round are behind the newest frame.
        if (frames.readBigUInt64BE(at + 8) !== salts) return;
        if (this.#isChecked) {
          before = frameSum(frames, at, before);
          if (!isSum(frames, at + FRAME_SUM_AT, before)) return;
        }
        const page = frames.readUInt32BE(at) - 1;
        const sum = crc32(frames.subarray(at + FRAME_HEADER_BYTES, at + FRAME_BYTES));
        yield { at: from + at, page, pagesByThen: frames.readUInt32BE(at + 4), sum };
      }
    }
  }

  /** With which the sums of the frames begin; undefined for a header that SQLite does not believe. */
  #headerSum(): LogSum | undefined {
    const sum = summed(this.#header, 0, HEADER_SUM_AT, NO_SUM);
    return this.#header.readUInt32BE(0) === MAGIC && isSum(this.#header, HEADER_SUM_AT, sum)
      ? sum
      : undefined;
  }

  /** Undefined where there is no log, or an empty one, as a reader leaves behind. */
  #salts(): bigint | undefined {
    if (this.#file === undefined && (sizeOf(this.#path) ?? 0) === 0) return undefined;
    const isWhole = this.#readAt(0, this.#header) === HEADER_BYTES;
    // The last bit says in which order the bytes of a word stand.
    const isLog = isWhole && this.#header.readUInt32BE(0) >>> 1 === MAGIC >>> 1;
    return isLog ? this.#header.readBigUInt64BE(SALTS_AT) : undefined;
  }

  #readAt(place: number, into: Buffer): number {
    this.#file ??= openSync(this.#path, 'r');
    return readSync(this.#file, into, 0, into.length, place);
  }
}

const NO_SUM: LogSum = [0, 0];

const isSum = (bytes: Buffer, at: number, [one, two]: LogSum): boolean =>
  bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === two;

/** The sum of a frame, which goes on from that of the frame before. */
function frameSum(frames: Buffer, at: number, before: LogSum): LogSum {
  const page = at + FRAME_HEADER_BYTES;
  return summed(frames, page, page + PAGE_BYTES, summed(frames, at, at + SUMMED_OF_FRAME_HEADER, before));
}

/** SQLite's sum of these bytes, behind another one. */
function summed(bytes: Buffer, from: number, to: number, [one, two]: LogSum): LogSum {
  for (let at = from; at < to; at += 8) {
    one = (one + bytes.readUInt32LE(at) + two) >>> 0;
    two = (two + bytes.readUInt32LE(at + 4) + one) >>> 0;
  }
  return [one, two];
}
