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
import { endOf, type Layer, startOf } from './layer.ts';

/** What is written as Base64 or packed with deflate. What is unpacked is bounded, so that no answer takes long to look into. */

/** A word that may be Base64 of something as long as a key. */
const WORD = /[\w+/-]{16,}={0,2}/;

const WORDS = new RegExp(WORD, 'g');

export function hasLongWord(text: string): boolean {
  return WORD.test(text);
}

/** A word of a text, and where each of its characters stands in the bytes that came. */
interface Word {
  readonly text: string;
  /** So many layers of escapes were read before it was there. */
  readonly depth: number;
  startOf(at: number): number;
  endOf(at: number): number;
}

/** The long words of all layers, each of them once. */
export function* wordsIn(layers: readonly Layer[], body: Buffer): Generator<Word> {
  const seen = layers.length > 1 ? new Set<string>() : undefined;
  for (const layer of layers)
    for (const { 0: text, index } of layer.bytes.toString('latin1').matchAll(WORDS)) {
      const word = wordAt(layer, { text, index, taken: takenBefore(layer, index, body) });
      const known = seen && `${word.startOf(0)}:${word.text}`;
      if (known !== undefined && seen?.has(known)) continue;
      if (known !== undefined) seen?.add(known);
      yield word;
    }
}

function wordAt(
  layer: Layer,
  { text, index, taken }: { readonly text: string; readonly index: number; readonly taken: string },
): Word {
  const first = startOf(layer, index) - taken.length;
  const own = (at: number): number => index + at - taken.length;
  return {
    text: taken + text,
    depth: layer.depth,
    startOf: (at) => (at < taken.length ? first + at : startOf(layer, own(at))),
    endOf: (at) => (at < taken.length ? first + at + 1 : endOf(layer, own(at))),
  };
}

/** What stands before a word may form an escape with its beginning. These are the characters that may be of the word. */
function takenBefore(layer: Layer, index: number, body: Buffer): string {
  if (layer.starts === undefined || index === 0) return '';
  const end = startOf(layer, index);
  const start = Math.max(startOf(layer, index - 1), end - LONGEST_TAKEN);
  return /[\w+/-]*$/.exec(body.toString('latin1', start, end))?.[0] ?? '';
}

/** No escape has more characters behind its first one. */
const LONGEST_TAKEN = 9;

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

/** Those that may be a text. Where all of a word is one, it says nothing from another beginning. */
export function* textsOf(readings: Readings): Generator<Said> {
  for (const [at, bytes] of readings.entries()) {
    const isText = SOME_TEXT.test(bytes.toString('latin1'));
    if (isText || bytes.includes(0) || (at === 0 && !isUtf8(bytes))) yield { at, bytes };
    if (isText && isUtf8(bytes)) return;
  }
}

/** Most words are names and numbers, which say nothing as Base64. */
const SOME_TEXT = /[\t\n\r -~]{12}/;

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

  /** Undefined for what is not packed from its first byte on, or is more than may be unpacked. */
  of(bytes: Buffer): Buffer | undefined {
    const packing = packingOf(bytes);
    if (packing === undefined) return undefined;
    const allowed = packing === 'deflate' ? this.#without : this.#byHeader;
    return mayTry(allowed) ? unpacked(bytes, packing, allowed.output) : undefined;
  }

  /** What is packed in a word, wherever it begins there: behind its header anything may follow, which is none of it. */
  *in(word: string, readings: Readings): Generator<Said> {
    yield* this.#inHex(word);
    const [bytes] = readings;
    const whole = this.of(bytes);
    if (whole !== undefined) yield { at: 0, bytes: whole };
    for (const beginning of beginningsIn(readings)) {
      const { at, packing } = beginning;
      if (at === 0 && packingOf(bytes) !== undefined) continue;
      const isLikely = packing === 'gzip' || (packing === 'zlib' && at < readings.length);
      const allowed = isLikely ? this.#byHeader : this.#within;
      const said = mayTry(allowed) ? unpackedFrom(readings, beginning, allowed.output) : undefined;
      if (said !== undefined) yield { at, bytes: said };
    }
  }

  /** What is packed behind a header in a word of hexadecimal digits. */
  *#inHex(word: string): Generator<Said> {
    for (const { index: at } of word.matchAll(HEX_OF_HEADER)) {
      // All of the rest is read at each try.
      if (this.#byHeader.tries <= 0) return;
      const bytes = this.of(Buffer.from(word.slice(at), 'hex'));
      if (bytes !== undefined) yield { at, bytes };
    }
  }
}

/** That of gzip, and those of zlib that programs write, with what may follow them. */
const HEX_OF_HEADER = /(?=(?:1f8b08|78(?:01|5e|9c|da))[\da-f]{16})./gi;

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
