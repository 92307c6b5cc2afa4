import type { Encoding } from '../core/format.ts';
import { type ByteTable, byteTable } from './byte-table.ts';

/**
 * Texts in the encodings that spreadsheet programs write, to UTF-8 and back without losing a byte: whatever was decoded
 * is encoded to exactly the bytes that it came from. UTF-8 itself passes through; its reader checks it.
 */

/** Turns the chunks of one text into UTF-8; a character may be split between two of them. */
export interface TextDecoder {
  /** @throws Undecodable */
  write(chunk: Buffer): Buffer;
  /** What is left when there are no more chunks. @throws Undecodable when a character breaks off. */
  end(): Buffer;
}

/** Bytes that are no text in their encoding. */
export class Undecodable extends Error {
  /** What could be read of the chunk at fault, as UTF-8. */
  readonly before: Buffer;

  constructor(fact: string, before: string) {
    super(fact);
    this.name = 'Undecodable';
    this.before = Buffer.from(before);
  }
}

export function textDecoder(encoding: Encoding): TextDecoder {
  switch (encoding) {
    case 'utf-8':
      return { write: (chunk) => chunk, end: () => NO_BYTES };
    case 'windows-1252':
      return { write: (chunk) => Buffer.from(fromWindows1252(chunk)), end: () => NO_BYTES };
    case 'utf-16le':
    case 'utf-16be':
      return new Utf16Decoder(encoding === 'utf-16be');
    default:
      return { write: (chunk) => fromTable(byteTable(encoding), chunk), end: () => NO_BYTES };
  }
}

/** The text in that encoding; undefined when it has a character that the encoding lacks (`unwritable` says which). */
export function encodeText(encoding: Encoding, text: string): Buffer | undefined {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'windows-1252':
      return NOT_WINDOWS_1252.test(text) ? undefined : toWindows1252(text);
    case 'utf-16le':
      return Buffer.from(text.toWellFormed(), 'utf16le');
    case 'utf-16be':
      return Buffer.from(text.toWellFormed(), 'utf16le').swap16();
    default:
      return toTable(byteTable(encoding), text);
  }
}

/** The first character of the text that an encoding of one byte a character lacks. */
export function unwritable(encoding: Encoding, text: string): string | undefined {
  for (const character of text) if (encodeText(encoding, character) === undefined) return character;
  return undefined;
}

const NO_BYTES = Buffer.alloc(0);

/**
 * What the bytes 0x80 to 0x9F mean, in order; every other byte means the character of its own number. The five that
 * Windows leaves undefined stand for control characters, as in the WHATWG's table, so that all 256 bytes come back.
 * Written down here and not asked of Node's own decoder, because some releases of Node 23 and 24 took Windows-1252 for
 * Latin-1, and because that decoder offers no way back.
 */
const C1_BLOCK =
  '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F' + //
  '\u0090‘’“”•–—˜™š›œ\u009DžŸ';
const C1_START = 0x80;

/** Without the flag `g`, which would make `test` and `exec` remember where they ended. */
const NOT_WINDOWS_1252 = new RegExp(`[^\\u0000-\\u007F\\u00A0-\\u00FF${C1_BLOCK}]`, 'u');
const C1_CHARACTERS = new RegExp(`[${C1_BLOCK}]`, 'gu');
const C1_BYTES = /[\u0080-\u009F]/g;

function fromWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(C1_BYTES, (byte) => C1_BLOCK.charAt(byte.charCodeAt(0) - C1_START));
}

function toWindows1252(text: string): Buffer {
  const latin1 = text.replace(C1_CHARACTERS, (character) =>
    String.fromCharCode(C1_START + C1_BLOCK.indexOf(character)),
  );
  return Buffer.from(latin1, 'latin1');
}

function fromTable({ characters }: ByteTable, bytes: Buffer): Buffer {
  let text = '';
  for (const byte of bytes) {
    const character = characters[byte];
    if (character === undefined) {
      const name = byte.toString(16).toUpperCase();
      throw new Undecodable(`byte 0x${name} is not a character of the encoding that was named`, text);
    }
    text += character;
  }
  return Buffer.from(text);
}

function toTable({ bytes }: ByteTable, text: string): Buffer | undefined {
  const encoded = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (const character of text) {
    const byte = bytes.get(character);
    if (byte === undefined) return undefined;
    encoded[length] = byte;
    length += 1;
  }
  return encoded.subarray(0, length);
}

/** Keeps the byte-order mark, which is a character like any other to it. */
class Utf16Decoder implements TextDecoder {
  readonly #isBigEndian: boolean;
  /** An odd byte, or the first half of a surrogate pair: at most three bytes. */
  #carried = NO_BYTES;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  write(chunk: Buffer): Buffer {
    const bytes = this.#carried.length === 0 ? chunk : Buffer.concat([this.#carried, chunk]);
    let end = bytes.length - (bytes.length % 2);
    if (end > 0 && this.#isFirstHalf(bytes.readUInt16LE(end - 2), bytes.readUInt16BE(end - 2))) end -= 2;
    // A copy, because the chunk is the caller's and will be changed.
    this.#carried = Buffer.from(bytes.subarray(end));
    const text = this.#decoded(bytes.subarray(0, end));
    if (!text.isWellFormed()) {
      throw new Undecodable(
        'half a character, so this is not complete UTF-16 text',
        text.slice(0, text.search(/\p{Surrogate}/u)),
      );
    }
    return Buffer.from(text);
  }

  end(): Buffer {
    if (this.#carried.length > 0)
      throw new Undecodable('half a character, so this is not complete UTF-16 text', '');
    return NO_BYTES;
  }

  #isFirstHalf(littleEndian: number, bigEndian: number): boolean {
    const unit = this.#isBigEndian ? bigEndian : littleEndian;
    return unit >= 0xd800 && unit <= 0xdbff;
  }

  /** Surrogates without their other half stay, to be found. */
  #decoded(bytes: Buffer): string {
    return (this.#isBigEndian ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
  }
}
