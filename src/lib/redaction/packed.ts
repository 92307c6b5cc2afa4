import { isUtf8 } from 'node:buffer';
import { constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** What is written as Base64 or packed with deflate. What is unpacked is bounded, so that no answer takes long to look into. */

/** A word that may be Base64 of something as long as a key. */
const WORD = /[\w+/-]{16,}={0,2}/;

export function hasLongWord(text: string): boolean {
  return WORD.test(text);
}

/** A word of a text, read as Base64 from its `start` on. */
interface Decoded {
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
}

/** Four characters are three bytes, and Base64 may begin anywhere in a word, such as behind a slash in a link. */
const BEGINNINGS = [0, 1, 2, 3];

/**
 * The words that say something as Base64: a text, or what may be unpacked.
 * @param isOutermost whether a word may also begin before its Base64 does.
 */
export function* decodedIn(bytes: Buffer, isOutermost: boolean): Generator<Decoded> {
  const text = bytes.toString('latin1');
  for (const { 0: word, index } of text.matchAll(new RegExp(WORD, 'g')))
    for (const skipped of isOutermost ? BEGINNINGS : [0]) {
      const decoded = Buffer.from(word.slice(skipped), 'base64');
      if (saysSomething(decoded, skipped === 0))
        yield { start: index + skipped, end: index + word.length, bytes: decoded };
    }
}

const SOME_TEXT = /[\t\n\r -~]{12}/;

/** Most words are names and numbers, which say nothing as Base64. */
function saysSomething(decoded: Buffer, isWhole: boolean): boolean {
  return (
    SOME_TEXT.test(decoded.toString('latin1')) ||
    decoded.includes(0) ||
    (isWhole && !isUtf8(decoded)) ||
    hasHeader(decoded)
  );
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
/** The header of zlib: deflate, and a checksum over the two bytes. */
const isZlib = (bytes: Buffer): boolean =>
  bytes.length > 2 && ((bytes[0] ?? 0) & 0x8f) === 0x08 && bytes.readUInt16BE() % 31 === 0;
const hasHeader = (bytes: Buffer): boolean => isGzip(bytes) || isZlib(bytes);

/** So often one answer is unpacked by a header, and so often without one, which most words seem to be; and to so many bytes in all. */
const MOST_TRIES = 64;
const MOST_BYTES = 1 << 23;

export class Unpacking {
  #byHeader = MOST_TRIES;
  #without = MOST_TRIES;
  #bytes = MOST_BYTES;

  /** Undefined for what is not packed, or is more than may be unpacked. */
  of(bytes: Buffer): Buffer | undefined {
    const unpack = this.#unpackerOf(bytes);
    if (unpack === undefined || this.#bytes === 0) return undefined;
    try {
      // An end that is missing may not hide what comes before it.
      const unpacked = unpack(bytes, { maxOutputLength: this.#bytes, finishFlush: constants.Z_SYNC_FLUSH });
      this.#bytes -= unpacked.length;
      return unpacked;
    } catch {
      return undefined;
    }
  }

  #unpackerOf(bytes: Buffer): typeof gunzipSync | undefined {
    if (hasHeader(bytes)) {
      this.#byHeader -= 1;
      if (this.#byHeader < 0) return undefined;
      return isGzip(bytes) ? gunzipSync : inflateSync;
    }
    if (isUtf8(bytes)) return undefined;
    this.#without -= 1;
    return this.#without < 0 ? undefined : inflateRawSync;
  }
}
