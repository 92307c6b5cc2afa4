import { isAscii, isUtf8 } from 'node:buffer';

/** A byte that is not UTF-8, and where it stands. */
export interface Utf8Fault {
  readonly byte: number;
  readonly offset: number;
}

/** Tells whether a text that comes in chunks is UTF-8 to the last byte; characters may be split between chunks. */
export class Utf8Check {
  #carried = Buffer.alloc(0);
  #checked = 0;
  #fault: Utf8Fault | undefined;
  #hasMultiByte = false;

  /** The first byte that is not UTF-8; nothing below it was looked at. */
  get fault(): Utf8Fault | undefined {
    return this.#fault;
  }

  /** Whether a character above ASCII was found, before the fault if there is one. */
  get hasMultiByte(): boolean {
    return this.#hasMultiByte;
  }

  add(chunk: Buffer): void {
    const bytes = this.#carried.length === 0 ? chunk : Buffer.concat([this.#carried, chunk]);
    const end = bytes.length - unfinishedLength(bytes);
    this.#check(bytes.subarray(0, end));
    // A copy, because the chunk is the caller's.
    this.#carried = Buffer.from(bytes.subarray(end));
  }

  /** No more chunks: a character that is not finished by now never will be. */
  end(): void {
    this.#check(this.#carried);
  }

  #check(bytes: Buffer): void {
    if (this.#fault !== undefined) return;
    const good = isUtf8(bytes) ? bytes.length : firstBadByte(bytes);
    this.#hasMultiByte ||= !isAscii(bytes.subarray(0, good));
    const byte = bytes[good];
    if (byte !== undefined) this.#fault = { byte, offset: this.#checked + good };
    this.#checked += good;
  }
}

/**
 * The place of the first byte that is not UTF-8, in bytes that are not all so. Decoding puts U+FFFD for what it cannot
 * read, so the first one that the bytes themselves do not have stands where the bad byte is.
 */
export function firstBadByte(bytes: Buffer): number {
  const returned = Buffer.from(bytes.toString('utf8'));
  let at = returned.indexOf(REPLACEMENT);
  while (bytes.subarray(at, at + REPLACEMENT.length).equals(REPLACEMENT)) {
    at = returned.indexOf(REPLACEMENT, at + REPLACEMENT.length);
  }
  return at;
}

/** U+FFFD, whose first byte may also be the bad one itself: it is the `ï` of Windows-1252. */
const REPLACEMENT = Buffer.from('\uFFFD');

const LONGEST_CHARACTER = 4;

/** How many bytes at the end begin a character whose other bytes are still to come: 0 to 3. */
function unfinishedLength(bytes: Buffer): number {
  for (let back = 1; back < LONGEST_CHARACTER; back += 1) {
    const byte = bytes.at(-back) ?? 0;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (!isContinuation) return back < characterLength(byte) ? back : 0;
  }
  return 0;
}

/** The length in bytes of the character that begins with this byte. */
function characterLength(first: number): number {
  if (first < 0xc0) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : LONGEST_CHARACTER;
}
