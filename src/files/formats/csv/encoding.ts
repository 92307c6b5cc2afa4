import { isAscii, isUtf8 } from 'node:buffer';
import { type StopError, stop } from '../../../core/errors.ts';
import type { Encoding, FileBytes } from '../../../core/format.ts';
import { UNPACK } from '../../../core/other-files.ts';
import { LineCounter } from './raw-record.ts';

interface FoundEncoding {
  readonly encoding: Encoding;
  readonly notes: readonly string[];
}

/**
 * The encoding: the wanted one; else what the byte-order mark says; else UTF-8 or Windows-1252. Only the last
 * two are told apart by reading the whole file.
 * @throws StopError `input` for a file that is no text, or damaged so that neither of the two would be right.
 */
export async function findEncoding(file: FileBytes, wanted: Encoding | undefined): Promise<FoundEncoding> {
  const check = new Utf8Check();
  let isStart = true;
  for await (const chunk of file.scan()) {
    if (isStart) {
      requireText(file.path, chunk);
      const found = wanted === undefined ? utf16Of(chunk) : { encoding: wanted, notes: [] };
      if (found !== undefined) return found;
      isStart = false;
    }
    check.add(chunk);
    if (check.fault !== undefined) break;
  }
  check.end();
  if (wanted !== undefined || check.fault === undefined) return { encoding: wanted ?? 'utf-8', notes: [] };
  return windows1252(file, check.fault, check.hasMultiByte);
}

/** Windows-1252 hardly ever looks like UTF-8 by chance: what has both is damaged, and must not be guessed at. */
async function windows1252(file: FileBytes, fault: Utf8Fault, isMixed: boolean): Promise<FoundEncoding> {
  const line = await lineOf(file, fault.offset);
  const byte = `byte 0x${fault.byte.toString(16).toUpperCase()}`;
  if (isMixed) {
    const fact = `${file.path}, line ${line}: ${byte} is not UTF-8 text, although everything above it is.`;
    const next = 'Save the file again as UTF-8, or give its encoding with --encoding.';
    throw stop('input', fact, next);
  }
  const note = `The file is read as Windows-1252, because ${byte} on line ${line} is not UTF-8; use --encoding to change that.`;
  return { encoding: 'windows-1252', notes: [note] };
}

async function lineOf(file: FileBytes, offset: number): Promise<number> {
  const lines = new LineCounter();
  let left = offset;
  for await (const chunk of file.scan()) {
    lines.add(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) break;
  }
  return lines.count + 1;
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZIP = Buffer.from('PK\x03\x04');

/** @throws StopError `input` for a file of another kind that has the name of a text. */
function requireText(path: string, start: Buffer): void {
  const beginsWith = (magic: Buffer): boolean => start.subarray(0, magic.length).equals(magic);
  if (beginsWith(ZIP)) throw notText(path, 'a zip file or a workbook', 'Give a workbook the ending .xlsx.');
  if (beginsWith(GZIP)) throw notText(path, 'packed with gzip', UNPACK);
}

function notText(path: string, what: string, next: string): StopError {
  return stop('input', `${path} is ${what}, not text.`, next);
}

/** UTF-16 by its byte-order mark; without a mark only where it is beyond doubt, and with a note. */
function utf16Of(start: Buffer): FoundEncoding | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return { encoding: 'utf-16le', notes: [] };
  if (start[0] === 0xfe && start[1] === 0xff) return { encoding: 'utf-16be', notes: [] };
  const encoding = unmarkedUtf16(start);
  if (encoding === undefined) return undefined;
  const name = encoding.toUpperCase();
  return {
    encoding,
    notes: [`The file is read as ${name}, because every other byte is zero; use --encoding to change that.`],
  };
}

/** Latin text has a zero in every other byte of UTF-16; whether even or odd ones tells the byte order. */
function unmarkedUtf16(start: Buffer): Encoding | undefined {
  const pairs = Math.floor(start.length / 2);
  let even = 0;
  let odd = 0;
  for (let index = 0; index < pairs * 2; index += 2) {
    if (start[index] === 0) even += 1;
    if (start[index + 1] === 0) odd += 1;
  }
  if (even === 0 && odd * 2 > pairs) return 'utf-16le';
  if (odd === 0 && even * 2 > pairs) return 'utf-16be';
  return undefined;
}

interface Utf8Fault {
  readonly byte: number;
  readonly offset: number;
}

/** Tells whether a text that comes in chunks is UTF-8 to the last byte; characters may be split between chunks. */
class Utf8Check {
  /** The first byte that is not UTF-8; nothing below it was looked at. */
  fault: Utf8Fault | undefined;
  /** Whether a character above ASCII was found, before the fault if there is one. */
  hasMultiByte = false;
  #carried = Buffer.alloc(0);
  #checked = 0;

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
    if (this.fault !== undefined) return;
    const good = isUtf8(bytes) ? bytes.length : firstBadByte(bytes);
    this.hasMultiByte ||= !isAscii(bytes.subarray(0, good));
    const byte = bytes[good];
    if (byte !== undefined) this.fault = { byte, offset: this.#checked + good };
    this.#checked += good;
  }
}

/** Decoding puts U+FFFD for a bad byte, so the first U+FFFD that is not in the bytes themselves is the place. */
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

/** How many bytes at the end begin a character whose other bytes are still to come: 0 to 3. */
function unfinishedLength(bytes: Buffer): number {
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes.at(-back) ?? 0;
    if (byte < 0x80) return 0;
    // The first byte says how long the character is; the others begin with the bits 10.
    if (byte >= 0xc0) return back < lengthFrom(byte) ? back : 0;
  }
  return 0;
}

const lengthFrom = (first: number): number => (first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);
