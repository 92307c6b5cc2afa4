import { isUtf8 } from 'node:buffer';

/**
 * Where in a word of Base64 something packed may begin, by its first bytes alone: unpacking is tried only a few times, and
 * a word has as many places as characters. Nothing here reads further than some bytes from a place.
 */

export type Packing = 'gzip' | 'zlib' | 'deflate';

/** A place in a word. */
export interface Beginning {
  readonly at: number;
  readonly packing: Packing;
}

const GZIP = 0x1f8b08;

/** How bytes may be packed that are whole. */
export function packingOf(bytes: Buffer): Packing | undefined {
  if (bytes.length < 3) return undefined;
  return headerIn(bytes.readUIntBE(0, 3)) ?? (!isUtf8(bytes) && isBlock(bytes, 0) ? 'deflate' : undefined);
}

/** @param three the first three bytes. */
function headerIn(three: number): 'gzip' | 'zlib' | undefined {
  if (three === GZIP) return 'gzip';
  const two = three >> 8;
  // Two bytes that are a multiple of 31, and name no dictionary, which nobody has who reads an answer.
  return (two & 0x8f20) === 0x0800 && two % 31 === 0 ? 'zlib' : undefined;
}

/** Four characters are three bytes, so a word says something else from each of its first four characters on. */
export type Readings = readonly [Buffer, Buffer, Buffer, Buffer];

/** What a word says from one of its characters on. */
export function readFrom(readings: Readings, at: number): Buffer {
  return readings[(at & 3) as 0 | 1 | 2 | 3].subarray(3 * (at >> 2));
}

/** Every place of a word at which its Base64 may be of something packed. */
export function* beginningsIn(readings: Readings): Generator<Beginning> {
  for (let start = 0; start < readings[0].length; start += 3)
    for (let skipped = 0; skipped < readings.length; skipped += 1) {
      const bytes = readings[skipped] as Buffer;
      if (start + LEAST_SIZE > bytes.length) continue;
      const packing = packingAt(bytes, start);
      if (packing !== undefined) yield { at: 4 * (start / 3) + skipped, packing };
    }
}

function packingAt(bytes: Buffer, start: number): Packing | undefined {
  const three =
    ((bytes[start] as number) << 16) | ((bytes[start + 1] as number) << 8) | (bytes[start + 2] as number);
  return headerIn(three) ?? (mayBegin(three) && isTextBlock(bytes, start) ? 'deflate' : undefined);
}

/** What begins a block is within so many bytes. */
const LEAST_SIZE = 11;

const STORED = 0;
const FIXED = 1;
const DYNAMIC = 2;
const kindOf = (first: number): number => (first >> 1) & 3;

/** More codes than these no block has, of either sort. */
const MOST_CODES = 30;

/** What most places fail at. @param three the first three bytes. */
function mayBegin(three: number): boolean {
  const first = three >> 16;
  const second = (three >> 8) & 0xff;
  switch (kindOf(first)) {
    case STORED:
      return first < 2;
    case FIXED:
      return isText((first >> 3) | (second << 5)) && isText((second >> 3) | (three << 5));
    case DYNAMIC:
      return first >> 3 < MOST_CODES && (second & 0x1f) < MOST_CODES;
    default:
      return false;
  }
}

/** Whether a block of deflate may begin here: one that is stored, one of the fixed code, or one that brings its own. */
function isBlock(bytes: Buffer, start: number): boolean {
  const kind = kindOf(bytes[start] ?? 0);
  if (kind === FIXED) return true;
  if (start + LEAST_SIZE > bytes.length) return false;
  return kind === STORED ? isStored(bytes, start) : kind === DYNAMIC && hasWholeCode(bytes, start);
}

/** The same, where of the fixed code, which nearly all bytes may be of, two more characters have to be a text. */
function isTextBlock(bytes: Buffer, start: number): boolean {
  if (kindOf(bytes[start] ?? 0) !== FIXED) return isBlock(bytes, start);
  return isText(twoAt(bytes, start + 2) >> 3) && isText(twoAt(bytes, start + 3) >> 3);
}

const twoAt = (bytes: Buffer, at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);

/** Its length stands there twice, once with every bit turned. */
const isStored = (bytes: Buffer, start: number): boolean =>
  (twoAt(bytes, start + 1) ^ twoAt(bytes, start + 3)) === 0xffff;

/** In the code that is the same for all, a character of ASCII is eight bits, from the last to the first, and 48 more than itself. */
const IS_TEXT = Uint8Array.from({ length: 256 }, (_, bits) => {
  let code = 0;
  for (let bit = 0; bit < 8; bit += 1) code = (code << 1) | ((bits >> bit) & 1);
  return /[\t\n\r -~]/.test(String.fromCharCode(Math.max(0, code - 48))) ? 1 : 0;
});

const isText = (bits: number): boolean => IS_TEXT[bits & 0xff] === 1;

/** Of the code that a block's codes are written in come only lengths of three bits: it is whole when nothing is left of it. */
function hasWholeCode(bytes: Buffer, start: number): boolean {
  const lengths = 4 + ((twoAt(bytes, start + 1) >> 5) & 0x0f);
  let used = 0;
  for (let bit = 17; bit < 17 + 3 * lengths; bit += 3) {
    const length = (twoAt(bytes, start + (bit >> 3)) >> (bit & 7)) & 7;
    if (length > 0) used += 128 >> length;
  }
  return used === 128;
}
