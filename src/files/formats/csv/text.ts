import { StringDecoder } from 'node:string_decoder';
import type { Encoding } from '../../../core/encodings.ts';
import type { FileBytes } from '../../../core/format.ts';
import { iconvLite } from '../../../core/libraries.ts';
import { openUnnamed } from '../../../lib/unnamed-file.ts';

/**
 * Texts in the encodings that spreadsheet programs write, as UTF-8 and back: whatever was decoded is encoded
 * to the bytes that it came from. Where an encoding of several bytes has a character twice, it is written as
 * most programs write it.
 */
export interface Codec {
  readonly encoding: Encoding;
  /** A chunk as UTF-8; without one, what is left of the last. What is no character becomes `HALF`. */
  decoder(): (chunk?: Buffer) => Buffer;
  /** A character that the encoding lacks becomes a question mark. */
  encode(text: string): Buffer;
  /** The first character that the encoding lacks. */
  lacking(text: string): string | undefined;
}

/** No UTF-8 text has this byte, so the reader of the text finds what is no character, and its row. */
const HALF = Buffer.of(0xff);
const NOTHING = Buffer.alloc(0);

/** The text of a file as UTF-8. UTF-8 itself passes as it is; its reader checks it. */
export async function* decodedText(file: FileBytes, codec: Codec): AsyncGenerator<Buffer> {
  const decode = codec.decoder();
  for await (const chunk of file.chunks()) yield decode(chunk);
  yield decode();
}

export function codecOf(encoding: Encoding): Codec {
  if (encoding === 'utf-8') {
    const decoder = () => (chunk?: Buffer) => chunk ?? NOTHING;
    return { encoding, decoder, encode: (text) => Buffer.from(text), lacking: () => undefined };
  }
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return utf16(encoding);
  return isOneByte(encoding) ? oneByte(encoding) : severalBytes(encoding);
}

function utf16(encoding: 'utf-16le' | 'utf-16be'): Codec {
  const turned = (bytes: Buffer): Buffer => (encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes);
  const decoder = () => {
    const decode = new StringDecoder('utf16le');
    let odd = NOTHING;
    return (chunk?: Buffer): Buffer => {
      if (chunk === undefined) return odd.length > 0 || decode.end() !== '' ? HALF : NOTHING;
      const bytes = Buffer.concat([odd, chunk]);
      const even = bytes.length - (bytes.length % 2);
      odd = bytes.subarray(even);
      const text = decode.write(turned(bytes.subarray(0, even)));
      const half = text.isWellFormed() ? -1 : text.search(/\p{Surrogate}/u);
      return half === -1 ? Buffer.from(text) : Buffer.concat([Buffer.from(text.slice(0, half)), HALF]);
    };
  };
  const encode = (text: string): Buffer => turned(Buffer.from(text.toWellFormed(), 'utf16le'));
  return { encoding, decoder, encode, lacking: () => undefined };
}

/** iconv-lite has the Mac's characters as they were before the euro, and not the apple. */
const MACINTOSH: Readonly<Record<number, string>> = { 189: '\u03A9', 219: '€', 240: '\uF8FF' };

/**
 * Where iconv-lite knows no character, Windows has control characters; elsewhere it gets one of those for
 * private use.
 */
const unknown = (byte: number): string => String.fromCharCode(byte < 0xa0 ? byte : 0xf700 + byte);

/**
 * The library tells the characters, and is loaded only for such a list. We differ from it in that every byte
 * of a file comes back.
 */
function oneByte(encoding: Encoding): Codec {
  const iconv = iconvLite();
  const characters = Array.from({ length: 256 }, (_, byte) => {
    const macCharacter = encoding === 'macintosh' ? MACINTOSH[byte] : undefined;
    const character = macCharacter ?? iconv.decode(Buffer.of(byte), encoding);
    return character === '\uFFFD' ? unknown(byte) : character;
  });
  const bytes = new Map(characters.map((character, byte) => [character, String.fromCharCode(byte)]));
  const decode = (chunk: Buffer = NOTHING): Buffer =>
    Buffer.from(
      chunk.toString('latin1').replace(/[\x80-\xFF]/g, (each) => characters[each.charCodeAt(0)] ?? each),
    );
  const encode = (text: string): Buffer =>
    Buffer.from(
      text.replace(ABOVE_ASCII, (each) => bytes.get(each) ?? '?'),
      'latin1',
    );
  const lacking = (text: string): string | undefined =>
    text.match(ABOVE_ASCII)?.find((each) => !bytes.has(each));
  return { encoding, decoder: () => decode, encode, lacking };
}

const ABOVE_ASCII = /[^\0-\x7F]/gu;

/** Whether each byte is a character, or none, by itself. */
function isOneByte(encoding: Encoding): boolean {
  const iconv = iconvLite();
  const bytes = Array.from({ length: 128 }, (_, at) => at + 0x80);
  return bytes.every((byte) => iconv.decode(Buffer.of(byte, byte, 0x61, 0x61), encoding).length === 4);
}

function severalBytes(encoding: Encoding): Codec {
  const iconv = iconvLite();
  const decoder = () => {
    const stream = iconv.getDecoder(encoding, { stripBOM: false });
    return (chunk?: Buffer): Buffer => {
      const text = (chunk === undefined ? stream.end() : stream.write(chunk)) ?? '';
      const bad = text.indexOf('\uFFFD');
      return bad === -1 ? Buffer.from(text) : Buffer.concat([Buffer.from(text.slice(0, bad)), HALF]);
    };
  };
  const encode = (text: string): Buffer => iconv.encode(text, encoding);
  const known = new Map<string, boolean>();
  const isLacking = (character: string): boolean => {
    const isKnown = known.get(character) ?? iconv.decode(encode(character), encoding) === character;
    known.set(character, isKnown);
    return !isKnown;
  };
  return { encoding, decoder, encode, lacking: (text) => text.match(ABOVE_ASCII)?.find(isLacking) };
}

/**
 * The text of a copy in the encoding of its file. Where that was guessed, and lacks a character of the text,
 * all of it is UTF-8 with a byte-order mark instead. Which of them is known only at its end, so
 * until then it waits in a file. Where a person has said the encoding, a program of theirs wants it.
 * @param texts UTF-8, no character split between two chunks.
 * @param isLacking whether the text so far has a character that the encoding lacks.
 */
export async function* encoded(
  { codec, isEncodingSaid }: { readonly codec: Codec; readonly isEncodingSaid: boolean },
  texts: AsyncIterable<Buffer>,
  isLacking: () => boolean,
): AsyncGenerator<Buffer> {
  if (isEncodingSaid || codec.encoding.startsWith('utf-')) {
    const isUtf8 = codec.encoding === 'utf-8';
    for await (const text of texts) yield isUtf8 ? text : codec.encode(text.toString());
    return;
  }
  await using waiting = await openUnnamed();
  for await (const text of texts) await waiting.appendFile(text);
  // Without it a spreadsheet program would take the file for what it was before.
  if (isLacking()) yield Buffer.from('\uFEFF');
  const texted = waiting.createReadStream({ start: 0, autoClose: false, encoding: 'utf8' });
  for await (const text of texted) yield isLacking() ? Buffer.from(text) : codec.encode(text);
}
