import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { ANEW, FILE_MODE, sizeOf, unlessMissing } from './folder.ts';
import type { LogPlace } from './log-frames.ts';
import type { PageSums } from './page-sums.ts';

/**
 * What was written to a ledger since it was sealed, as it stands in the file beside the seal: records, one behind the other. Each
 * has the sums of some pages, and how far the ledger had come. Its own sum goes on from that of the record before, and that of the
 * first from the sum of the seal: so a record that is torn, or belongs to another seal, ends what is believed.
 *
 * A record is 32 bytes of head, which are the salts of the log, the place in it, the commits of the ledger (doubles) and the
 * number of pages, then 8 bytes for each page, its number and its sum, then 4 bytes with the record's own sum.
 */
const HEAD_BYTES = 32;
const PAGE_ENTRY_BYTES = 8;
const SUM_BYTES = 4;

/** When so much follows a seal, and so much for each byte of it, it is written as a whole again. */
const MOST_BYTES = 1 << 20;
const MOST_FOR_A_BYTE = 2;

/** The last record may be that of a large commit. */
const MOST_TIMES = 8;

export const mostSince = (sums: PageSums): number =>
  Math.max(MOST_BYTES, MOST_FOR_A_BYTE * sums.bytes.length);

/** How far a ledger has come. */
export interface Reached {
  readonly commits: number;
  /** Where the last commit ends in the log; undefined where that is empty. */
  readonly place: LogPlace | undefined;
}

/**
 * Takes the sums of all records that follow a seal.
 * @param seal whose sums are changed. @returns how far the last record is; undefined without one.
 */
export function readSince(
  path: string,
  { sums, sum }: { readonly sums: PageSums; readonly sum: number },
): Reached | undefined {
  const bytes = contentOf(path, MOST_TIMES * mostSince(sums));
  let last: Reached | undefined;
  for (let [at, before] = [0, sum]; at + HEAD_BYTES + SUM_BYTES <= bytes.length; ) {
    const pages = bytes.readUInt32LE(at + 24);
    const end = at + HEAD_BYTES + pages * PAGE_ENTRY_BYTES;
    if (end + SUM_BYTES > bytes.length) return last;
    const own = crc32(bytes.subarray(at, end), before);
    if (own !== bytes.readUInt32LE(end)) return last;
    for (let entry = at + HEAD_BYTES; entry < end; entry += PAGE_ENTRY_BYTES)
      sums.set(bytes.readUInt32LE(entry), bytes.readUInt32LE(entry + 4));
    const place = { salts: bytes.readBigUInt64LE(at), at: bytes.readDoubleLE(at + 8) };
    last = { commits: bytes.readDoubleLE(at + 16), place: place.at === 0 ? undefined : place };
    [at, before] = [end + SUM_BYTES, own];
  }
  return last;
}

/** Nothing where there is no file, or one that is longer than we write any. */
function contentOf(path: string, most: number): Buffer {
  const file = (sizeOf(path) ?? 0) <= most ? unlessMissing(() => openSync(path, 'r')) : undefined;
  if (file === undefined) return Buffer.alloc(0);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Writes the records that follow a seal. */
export class SinceWriter {
  readonly #file: number;
  #sum: number;
  #size = 0;

  /** Begins with none. @param sum of the seal. */
  constructor(path: string, sum: number) {
    this.#file = openSync(path, ANEW, FILE_MODE);
    this.#sum = sum;
  }

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  add(pages: ReadonlyMap<number, number>, { commits, place }: Reached): void {
    const record = Buffer.alloc(HEAD_BYTES + pages.size * PAGE_ENTRY_BYTES + SUM_BYTES);
    record.writeBigUInt64LE(place?.salts ?? 0n, 0);
    record.writeDoubleLE(place?.at ?? 0, 8);
    record.writeDoubleLE(commits, 16);
    record.writeUInt32LE(pages.size, 24);
    let at = HEAD_BYTES;
    for (const [page, sum] of pages) {
      record.writeUInt32LE(page, at);
      record.writeUInt32LE(sum, at + 4);
      at += PAGE_ENTRY_BYTES;
    }
    this.#sum = crc32(record.subarray(0, at), this.#sum);
    record.writeUInt32LE(this.#sum, at);
    writeSync(this.#file, record);
    this.#size += record.length;
  }

  close(): void {
    closeSync(this.#file);
  }
}
