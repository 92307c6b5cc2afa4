import { isUtf8 } from 'node:buffer';
import { constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import {
  type Beginning,
  beginningsIn,
  type Packing,
  packingOf,
  type Readings,
  readFrom,
} from './deflated.ts';
import type { Word } from './words.ts';

/** What is written as Base64 or packed with deflate. What is unpacked is bounded, so that no answer takes long to look into. */

/** What a word says from one of its characters on, as it stands or unpacked. */
interface Said {
  readonly at: number;
  readonly bytes: Buffer;
}

/** Base64 may begin anywhere in a word, such as behind a slash in a link. */
export const readingsOf = (word: string): Readings => [
  Buffer.from(word, 'base64'),
  Buffer.from(word.slice(1), 'base64'),
  Buffer.from(word.slice(2), 'base64'),
  Buffer.from(word.slice(3), 'base64'),
];

/** Those that may be a text, of which more than one may be: Base64 of a link is a text from another beginning too. */
export function* textsOf(readings: Readings): Generator<Said> {
  for (const [at, bytes] of readings.entries()) {
    const isText = SOME_TEXT.test(bytes.toString('latin1'));
    if (isText || bytes.includes(0) || (at === 0 && !isUtf8(bytes))) yield { at, bytes };
  }
}

/** Most words are names and numbers, which say nothing as Base64. */
const SOME_TEXT = /[\t\n\r -~]{12}/;
const BEGINS_AS_TEXT = new RegExp(`^${SOME_TEXT.source}`);

/** So often one answer is unpacked by a header, and so often without one, which most words seem to be; and to so many bytes in all. */
const MOST_TRIES = 64;
const MOST_BYTES = 1 << 23;

/** The same from within a word, where no header says it for certain: most words seem to be packed somewhere. */
const MOST_TRIES_WITHIN = 16;
const MOST_BYTES_WITHIN = 1 << 18;

/** What is not packed fails within so many bytes, without all of a long word being read. */
const HEAD = 1 << 12;

const UNPACKERS: Readonly<Record<Packing, typeof gunzipSync>> = {
  gzip: gunzipSync,
  zlib: inflateSync,
  deflate: inflateRawSync,
};

/** How often something may be tried, and how many bytes may come of it. */
interface Allowance {
  tries: number;
  readonly output: { bytes: number };
}

export class Unpacking {
  readonly #output = { bytes: MOST_BYTES };
  readonly #byHeader: Allowance = { tries: MOST_TRIES, output: this.#output };
  readonly #without: Allowance = { tries: MOST_TRIES, output: this.#output };
  readonly #within: Allowance = { tries: MOST_TRIES_WITHIN, output: { bytes: MOST_BYTES_WITHIN } };
  readonly #begun = { tries: MOST_TRIES, output: this.#output };

  /** Undefined for what is not packed from its first byte on, or is more than may be unpacked. */
  of(bytes: Buffer): Buffer | undefined {
    const packing = packingOf(bytes);
    if (packing === undefined) return undefined;
    const allowed = packing === 'deflate' ? this.#without : this.#byHeader;
    return mayTry(allowed) ? unpacked(bytes, packing, allowed.output) : undefined;
  }

  /** Whether one of the first characters of a word may begin something, by those behind it. */
  mayBegin(head: string, first: number): boolean {
    return saysSomething(head, first) && mayTry(this.#begun);
  }

  /** What is packed in a word, wherever it begins there: behind its header anything may follow, which is none of it. */
  *in(word: Word, readings: Readings): Generator<Said> {
    yield* this.#inHex(word);
    const [bytes] = readings;
    const whole = this.of(bytes);
    if (whole !== undefined) yield { at: 0, bytes: whole };
    for (const beginning of beginningsIn(readings)) {
      const { at } = beginning;
      if (at >= word.own) return;
      if (at === 0 && packingOf(bytes) !== undefined) continue;
      const said = this.#from(beginning, readings, word.taken);
      if (said !== undefined) yield { at, bytes: said };
    }
  }

  /** @param taken so many of the first characters may be of the word or stand before it. */
  #from(beginning: Beginning, readings: Readings, taken: number): Buffer | undefined {
    const { at, packing } = beginning;
    const isLikely = packing === 'gzip' || (packing === 'zlib' && at < taken + readings.length);
    const allowed = isLikely ? this.#byHeader : this.#within;
    return mayTry(allowed) ? unpackedFrom(readings, beginning, allowed.output) : undefined;
  }

  /** What is packed behind a header in a word of hexadecimal digits. */
  *#inHex({ text, own }: Word): Generator<Said> {
    for (const { index: at } of text.matchAll(HEX_OF_HEADER)) {
      // All of the rest is read at each try.
      if (at >= own || this.#byHeader.tries <= 0) return;
      const bytes = this.of(Buffer.from(text.slice(at), 'hex'));
      if (bytes !== undefined) yield { at, bytes };
    }
  }
}

/** That of gzip, and those of zlib that programs write, with what may follow them. */
const HEX_OF_HEADER = /(?=(?:1f8b08|78(?:01|5e|9c|da))[\da-f]{16})./gi;

/** As hexadecimal digits or Base64 behind a header, or as Base64 of a text. Nearly everything may be packed without a header. */
function saysSomething(head: string, first: number): boolean {
  const hex = head.search(HEX_OF_HEADER);
  if (hex !== -1 && hex < first) return true;
  const readings = readingsOf(head);
  for (let at = 0; at < first; at += 1)
    if (BEGINS_AS_TEXT.test(readFrom(readings, at).toString('latin1'))) return true;
  for (const { at, packing } of beginningsIn(readings)) if (packing !== 'deflate') return at < first;
  return false;
}

function mayTry(allowed: Allowance): boolean {
  allowed.tries -= 1;
  return allowed.tries >= 0 && allowed.output.bytes > 0;
}

function unpackedFrom(
  readings: Readings,
  { at, packing }: Beginning,
  output: Allowance['output'],
): Buffer | undefined {
  const bytes = readFrom(readings, at);
  if (bytes.length > 2 * HEAD && unpacked(bytes.subarray(0, HEAD), packing, { ...output }) === undefined)
    return undefined;
  return unpacked(bytes, packing, output);
}

function unpacked(bytes: Buffer, packing: Packing, output: Allowance['output']): Buffer | undefined {
  try {
    // An end that is missing may not hide what comes before it.
    const options = { maxOutputLength: output.bytes, finishFlush: constants.Z_SYNC_FLUSH };
    const said = UNPACKERS[packing](bytes, options);
    output.bytes -= said.length;
    return said;
  } catch (error) {
    // More than may be unpacked is a range error.
    if (packing === 'deflate' || error instanceof RangeError) return undefined;
    if (packing === 'zlib') return unpacked(bytes.subarray(ZLIB_HEADER_SIZE), 'deflate', output);
    return membersOf(bytes, output);
  }
}

/** What is deflated behind each header of gzip. With these go what is said about its end, behind which a word may go on. */
function membersOf(bytes: Buffer, output: Allowance['output']): Buffer | undefined {
  const said: Buffer[] = [];
  for (let at = 0, tries = MOST_TRIES; at !== -1 && tries > 0; at = bytes.indexOf(GZIP_BEGIN, at + 1)) {
    tries -= 1;
    const member = bytes.subarray(at);
    said.push(unpacked(member.subarray(gzipHeaderSize(member)), 'deflate', output) ?? Buffer.alloc(0));
  }
  return said.every(({ length }) => length === 0) ? undefined : Buffer.concat(said);
}

const ZLIB_HEADER_SIZE = 2;
const GZIP_BEGIN = Buffer.from('1f8b08', 'hex');

const HAS_SUM = 2;
const HAS_MORE = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;

function gzipHeaderSize(bytes: Buffer): number {
  const flags = bytes[3] ?? 0;
  let size = 10;
  if ((flags & HAS_MORE) > 0) size += 2 + (bytes[size] ?? 0) + 256 * (bytes[size + 1] ?? 0);
  for (const flag of [HAS_NAME, HAS_COMMENT])
    if ((flags & flag) > 0) size = Math.max(size, bytes.indexOf(0, size) + 1);
  return (flags & HAS_SUM) > 0 ? size + 2 : size;
}
