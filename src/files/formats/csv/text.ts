import { isAscii, isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { stop } from '../../../core/errors.ts';
import type { FileBytes } from '../../../core/format.ts';
import { UNPACK, whatToSave } from '../../../core/other-files.ts';
import type { Encoding } from '../../../core/reading.ts';

/**
 * Texts in the encodings that spreadsheet programs write, as UTF-8 and back: whatever was decoded is encoded
 * to exactly the bytes that it came from.
 */
export interface Codec {
  readonly encoding: Encoding;
  /** A chunk as UTF-8; without one, what is left of the last. Half a character becomes `HALF`. */
  decoder(): (chunk?: Buffer) => Buffer;
  encode(text: string): Buffer;
  /** The first character that the encoding lacks. */
  lacking(text: string): string | undefined;
}

/** No UTF-8 text has this byte, so the reader of the text finds half a character of UTF-16, and its row. */
const HALF = Buffer.of(0xff);
const NOTHING = Buffer.alloc(0);

/** The text of a file as UTF-8. UTF-8 itself passes as it is; its reader checks it. */
export async function* textOf(file: FileBytes, codec: Codec): AsyncGenerator<Buffer> {
  const decode = codec.decoder();
  for await (const chunk of file.chunks()) yield decode(chunk);
  yield decode();
}

export async function codecOf(encoding: Encoding): Promise<Codec> {
  if (encoding === 'utf-8') {
    const decoder = () => (chunk?: Buffer) => chunk ?? NOTHING;
    return { encoding, decoder, encode: (text) => Buffer.from(text), lacking: () => undefined };
  }
  return encoding === 'utf-16le' || encoding === 'utf-16be' ? utf16(encoding) : await oneByte(encoding);
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
async function oneByte(encoding: Encoding): Promise<Codec> {
  const { default: iconv } = await import('iconv-lite');
  const characters = Array.from({ length: 256 }, (_, byte) => {
    const own = encoding === 'macintosh' ? MACINTOSH[byte] : undefined;
    const character = own ?? iconv.decode(Buffer.of(byte), encoding);
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

/**
 * A text in the encoding of the file that it is a copy of. Where it has a character that the encoding lacks,
 * all of it is UTF-8 with a byte-order mark instead. Which of them is known only at its end, so until then it
 * waits in a file.
 * @param texts UTF-8, no character split between two chunks.
 */
export async function* encoded(
  codec: Codec,
  texts: AsyncIterable<Buffer>,
  onLacking: (character: string) => void,
): AsyncGenerator<Buffer> {
  if (codec.encoding.startsWith('utf-')) {
    const isUtf8 = codec.encoding === 'utf-8';
    for await (const text of texts) yield isUtf8 ? text : codec.encode(text.toString());
    return;
  }
  await using waiting = await openUnnamed();
  let lacking: string | undefined;
  for await (const text of texts) {
    lacking ??= codec.lacking(text.toString());
    await waiting.appendFile(text);
  }
  if (lacking !== undefined) {
    onLacking(lacking);
    // Without it a spreadsheet program would take the file for what it was before.
    yield Buffer.from('\uFEFF');
  }
  const texted = waiting.createReadStream({ start: 0, autoClose: false, encoding: 'utf8' });
  for await (const text of texted) yield lacking === undefined ? codec.encode(text) : Buffer.from(text);
}

/** A file that no name leads to, so that nobody else reads it and a crash leaves nothing behind. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `rowonce-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

// -------------------------------------------------------------------------------------- which encoding it is

interface FoundEncoding {
  readonly encoding: Encoding;
  readonly notes: readonly string[];
}

/**
 * The wanted encoding; else the one of the byte-order mark; else the one that the first character above ASCII
 * suggests, read as UTF-8: Windows-1252 hardly ever looks like UTF-8 by chance. Damage further down is
 * refused when it is read.
 * @throws StopError `input` for a file of another kind that has the name of a text.
 */
export async function findEncoding(file: FileBytes, wanted: Encoding | undefined): Promise<FoundEncoding> {
  const start = await file.bytesAt(0, LOOKED_AT);
  requireText(file.path, start);
  const found = wanted ?? UTF16_MARKS[start.toString('hex', 0, 2)];
  if (found !== undefined) return { encoding: found, notes: [] };
  let passed = 0;
  for await (const chunk of file.chunks()) {
    const at = isAscii(chunk) ? -1 : chunk.findIndex((byte) => byte >= 0x80);
    if (at !== -1) return utf8OrWindows1252(file, passed + at);
    passed += chunk.length;
  }
  return { encoding: 'utf-8', notes: [] };
}

/** The places where a file declares its encoding. */
const LOOKED_AT = 16 * 1024;

const UTF16_MARKS: Readonly<Record<string, Encoding>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** @param offset of the first byte above ASCII. */
async function utf8OrWindows1252(file: FileBytes, offset: number): Promise<FoundEncoding> {
  const [first = 0, ...others] = await file.bytesAt(offset, 4);
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (isUtf8(Buffer.from([first, ...others].slice(0, length)))) return { encoding: 'utf-8', notes: [] };
  const byte = `byte 0x${first.toString(16).toUpperCase()}`;
  const note = `The file is read as Windows-1252, because its ${byte} is not UTF-8; use --encoding to change that.`;
  return { encoding: 'windows-1252', notes: [note] };
}

const GZIP = Buffer.of(0x1f, 0x8b);

const WEB_PAGE =
  /^(?:\u00ef\u00bb\u00bf)?\s*(?:<\?[^>]*>\s*)*<(?:!doctype html|html|head|body|meta|style|table|workbook)[\s>]/i;

/** Formats that programs write under the name .xls, so that Excel opens it. */
const TABLE = /<table[\s>]|schemas-microsoft-com/i;

function requireText(path: string, start: Buffer): void {
  const refuse = (what: string, next: string): never => {
    throw stop('input', `${path} is ${what}.`, next);
  };
  if (start.indexOf(GZIP) === 0) refuse('packed with gzip, not text', UNPACK);
  const text = start.toString('latin1');
  if (!WEB_PAGE.test(text)) return;
  if (TABLE.test(text)) refuse('a table as a web page or XML, not text', whatToSave('.xls', []));
  const next = 'Log in there, export the list again, and look into the file before you use it.';
  refuse('a web page and no list: most often the login page of where it was to be exported', next);
}
