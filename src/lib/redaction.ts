import { isUtf16 } from '../core/answer-body.ts';
import { cleaned } from './redaction/cleaned.ts';
import { hasLongWord, longWordsIn, readingsOf, textsOf, Unpacking } from './redaction/packed.ts';

/**
 * Keeps an account's key out of everything that is recorded or shown. A vendor may hand it back in any answer: in an error
 * that quotes the request, in a link, in a debug page. What it hands back is rewritten before anybody else sees it.
 *
 * It takes time in proportion to the answer, whatever stands in it, and nearly none where nothing is written as an escape.
 */

/** Stands where the key was. It is no longer than the shortest key that it replaces, so no answer grows by it. */
export const REDACTED = '[redacted]';

/** A shorter key is found in words that mean something else, so it is only taken for itself where it is a whole header. */
const LEAST_LENGTH = 12;

/** A link in a link in JSON in JSON: what is written deeper than that was not written by a program that echoes. */
const MOST_LAYERS = 4;

/** What begins an escape: of a link, of JSON, of HTML. */
const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
const QUOTE = 0x22;

/** From a byte to the one after its last, in the bytes that came. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** The bytes that came, or what they say when one layer of escapes is read. `origins`: where each began that came. */
interface Layer {
  readonly bytes: Buffer;
  readonly origins: Uint32Array | undefined;
}

/** Where a key stands in bytes, which may be what was unpacked. */
interface Finding {
  readonly bytes: Buffer;
  readonly found: readonly Range[];
}

/** In so many layers may it be written, and so much may still be unpacked. */
interface Depth {
  readonly unpacking: Unpacking;
  readonly layers: number;
}

interface KeptReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export class Redaction {
  readonly #texts: readonly string[];
  readonly #needles: readonly Buffer[];
  readonly #short: readonly string[];

  constructor(keys: readonly string[]) {
    const isLong = (key: string): boolean => key.length >= LEAST_LENGTH;
    const needles = new Set(keys.filter(isLong).flatMap(writingsOf));
    this.#texts = [...needles];
    this.#needles = this.#texts.map((needle) => Buffer.from(needle, 'latin1'));
    this.#short = keys.filter((key) => key !== '' && !isLong(key));
  }

  reply<Reply extends KeptReply>(raw: Reply): Reply {
    return { ...raw, headers: this.#headers(raw.headers), body: this.bytes(raw.body) };
  }

  /** Whether there is no key that is looked for in words. */
  get findsNothing(): boolean {
    return this.#texts.length === 0;
  }

  text(words: string): string {
    if (words.length < LEAST_LENGTH) return words;
    if (
      !/[%\\&]|[^ -~]/.test(words) &&
      !hasLongWord(words) &&
      !this.#texts.some((text) => words.includes(text))
    )
      return words;
    const bytes = Buffer.from(words);
    const redacted = this.bytes(bytes);
    return redacted === bytes ? words : redacted.toString();
  }

  /** The same buffer when the key is not in it. What was JSON is JSON afterwards. */
  bytes(body: Buffer): Buffer {
    if (this.#needles.length === 0 || body.length < LEAST_LENGTH) return body;
    if (isUtf16(body)) {
      const narrow = Buffer.from(body.toString('utf16le'));
      const redacted = this.bytes(narrow);
      return redacted === narrow ? body : redacted;
    }
    const unpacking = new Unpacking();
    const packed = this.#lookInto(body, { unpacking, layers: MOST_LAYERS });
    return packed === undefined ? body : replaced(packed.bytes, packed.found);
  }

  #headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    const shown: Record<string, string> = {};
    for (const name of Object.keys(headers)) {
      const value = headers[name] ?? '';
      shown[this.text(name)] = this.#short.includes(value.trim()) ? REDACTED : this.text(value);
    }
    return shown;
  }

  /** What is found in the bytes or, as they may be packed, and more than once, in what they unpack to. */
  #lookInto(bytes: Buffer, { unpacking, layers: most }: Depth): Finding | undefined {
    let said: Buffer | undefined = bytes;
    for (let layers = most; said !== undefined && layers >= 0; layers -= 1) {
      const found = this.#find(said, { unpacking, layers });
      if (found.length > 0) return { bytes: said, found };
      said = unpacking.of(said);
    }
    return undefined;
  }

  #find(body: Buffer, { unpacking, layers }: Depth): readonly Range[] {
    const found: Range[] = [];
    let layer: Layer | undefined = { bytes: body, origins: undefined };
    for (let depth = 0; layer !== undefined && depth <= layers; depth += 1) {
      const { bytes, origins }: Layer = layer;
      const add = (start: number, end: number): void => {
        found.push({ start: origins?.[start] ?? start, end: origins?.[end] ?? end });
      };
      this.#eachIn(bytes, add);
      // Cleaning, by which it is shown, may put together what was written apart.
      const { bytes: shown, places } = cleaned(bytes, this.#texts) ?? {};
      if (shown !== undefined)
        this.#eachIn(shown, (start, end) => add(places?.[start] ?? 0, (places?.[end - 1] ?? 0) + 1));
      this.#eachEncoded(bytes, { unpacking, layers: layers - depth }, add);
      layer = unescaped(layer);
    }
    return apart(found.sort((one, other) => one.start - other.start || other.end - one.end));
  }

  /** What is found in Base64 stands in whole fours of its characters; what is packed in it, in all from its beginning on. */
  #eachEncoded(bytes: Buffer, { unpacking, layers }: Depth, add: (start: number, end: number) => void): void {
    if (layers === 0) return;
    for (const { text, start, end } of longWordsIn(bytes)) {
      const readings = readingsOf(text);
      for (const said of textsOf(readings))
        for (const range of this.#find(said.bytes, { unpacking, layers: layers - 1 })) {
          const first = start + said.at;
          add(first + Math.floor(range.start / 3) * 4, Math.min(first + Math.ceil(range.end / 3) * 4, end));
        }
      if (layers < 2) continue;
      for (const said of unpacking.in(text, readings))
        if (this.#lookInto(said.bytes, { unpacking, layers: layers - 2 }) !== undefined)
          add(start + said.at, end);
    }
  }

  #eachIn(bytes: Buffer, add: (start: number, end: number) => void): void {
    for (const needle of this.#needles) {
      for (let at = bytes.indexOf(needle); at !== -1; ) {
        const end = at + needle.length;
        add(at, end);
        at = bytes.indexOf(needle, end);
      }
    }
  }
}

/** How a key may be written where nothing is escaped. A key that looks escaped itself is also known when it is read. */
function writingsOf(key: string): readonly string[] {
  const bytes = Buffer.from(key, 'latin1');
  const hex = bytes.toString('hex');
  const readings: string[] = [];
  for (let layer: Layer | undefined = { bytes, origins: undefined }; layer !== undefined; ) {
    readings.push(layer.bytes.toString('latin1'));
    layer = readings.length > MOST_LAYERS ? undefined : unescaped(layer);
  }
  const long = readings.filter((reading) => reading.length >= LEAST_LENGTH);
  // In UTF-16 without a mark a zero stands between any two characters, whichever of the two bytes comes first.
  const wide = [...key].join('\0');
  return [...long, wide, key.toLowerCase(), key.toUpperCase(), hex, hex.toUpperCase(), ...base64Of(bytes)];
}

/**
 * In Base64, three bytes are four characters, so what a key becomes depends on how many bytes stand before it. These are
 * the characters that depend on the key alone.
 */
function base64Of(key: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), key])
      .toString('base64')
      .replace(/=+$/, '');
    const isWhole = (before + key.length) % 3 === 0;
    const own = encoded.slice(before === 0 ? 0 : before + 1, isWhole ? undefined : -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function apart(sorted: readonly Range[]): readonly Range[] {
  const ranges: Range[] = [];
  for (const range of sorted) {
    const last = ranges.at(-1);
    if (last === undefined || range.start >= last.end) ranges.push(range);
    else if (range.end > last.end) ranges[ranges.length - 1] = { start: last.start, end: range.end };
  }
  return ranges;
}

function replaced(body: Buffer, ranges: readonly Range[]): Buffer {
  const parts: Buffer[] = [];
  let written = 0;
  for (const range of ranges) {
    const start = escapeStart(body, range.start, written);
    parts.push(body.subarray(written, start), Buffer.from(markerFor(body, range)));
    written = range.end;
  }
  return Buffer.concat([...parts, body.subarray(written)]);
}

const NUMBER = /^[\d.eE+-]+$/;

/** A key of digits may stand in JSON as a number, where a text would be a mistake; another number is none. */
function markerFor(body: Buffer, { start, end }: Range): string {
  if (body[start - 1] === QUOTE || body[end] === QUOTE) return REDACTED;
  return NUMBER.test(body.toString('latin1', start, end)) ? '1' : REDACTED;
}

/** The last characters of an escape of JSON that begins before the key: `\` before an n, or `\u00` before 41. */
const BEGUN_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i;
const LONGEST_BEGUN = 5;

/** Where an escape begins that the key's first characters belong to: half of one would make JSON unreadable. */
function escapeStart(body: Buffer, start: number, floor: number): number {
  const before = body.toString('latin1', Math.max(floor, start - LONGEST_BEGUN), start);
  const begun = BEGUN_ESCAPE.exec(before);
  if (begun === null) return start;
  const backslash = start - begun[0].length;
  let first = backslash;
  while (first > floor && body[first - 1] === BACKSLASH) first -= 1;
  // Of an even number, each second one is a character and begins nothing.
  return (backslash - first) % 2 === 0 ? backslash : start;
}

// ---------------------------------------------------------------------------------------------------- escapes

/** What the bytes say when each escape in them is read once; undefined when there is none. */
function unescaped({ bytes, origins }: Layer): Layer | undefined {
  if (![PERCENT, BACKSLASH, AMPERSAND].some((begin) => bytes.includes(begin))) return undefined;
  const read = Buffer.allocUnsafe(bytes.length);
  const starts = new Uint32Array(bytes.length + 1);
  let length = 0;
  for (let at = 0; at < bytes.length; length += 1) {
    const { code, size } = escapeAt(bytes, at);
    read[length] = code;
    starts[length] = origins?.[at] ?? at;
    at += size;
  }
  if (length === bytes.length) return undefined;
  starts[length] = origins?.[bytes.length] ?? bytes.length;
  return { bytes: read.subarray(0, length), origins: starts };
}

/** One byte of what is meant, and how many of those that came say it. */
interface Escape {
  readonly code: number;
  readonly size: number;
}

/** One for each byte, because there may be millions of them. */
const AS_IT_STANDS: readonly Escape[] = Array.from({ length: 256 }, (_, code) => ({ code, size: 1 }));

function escapeAt(bytes: Buffer, at: number): Escape {
  const byte = bytes[at] ?? 0;
  const found =
    byte === PERCENT
      ? percentEscape(bytes, at)
      : byte === BACKSLASH
        ? backslashEscape(bytes, at)
        : byte === AMPERSAND
          ? entityAt(bytes, at)
          : undefined;
  return found ?? AS_IT_STANDS[byte] ?? { code: byte, size: 1 };
}

/** `%6e`, and `%u006e` as older scripts write it. */
function percentEscape(bytes: Buffer, at: number): Escape | undefined {
  return bytes[at + 1] === SMALL_U ? hexEscape(bytes, at + 2, 4, 6) : hexEscape(bytes, at + 1, 2, 3);
}

/** Stands for every character that is more than one byte: no key has one. */
const OTHER_CHARACTER = 0xff;

/** So many hexadecimal digits at a place. */
function hexEscape(bytes: Buffer, at: number, digits: number, size: number): Escape | undefined {
  let code = 0;
  for (let digit = at; digit < at + digits; digit += 1) {
    const value = hexValue(bytes[digit] ?? 0);
    if (value === undefined) return undefined;
    code = code * 16 + value;
  }
  return { code: Math.min(code, OTHER_CHARACTER), size };
}

function hexValue(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

const SMALL_U = 0x75;
const SMALL_X = 0x78;
const LINE_END = 0x0a;
/** `\b`, `\f`, `\n`, `\r` and `\t`, none of which a key can contain. */
const WHITE = new Set([0x62, 0x66, 0x6e, 0x72, 0x74]);
/** What stands for itself after a backslash: quotes, a slash, a backslash. */
const ITSELF = new Set([QUOTE, 0x27, 0x2f, BACKSLASH]);

function backslashEscape(bytes: Buffer, at: number): Escape | undefined {
  const next = bytes[at + 1] ?? 0;
  if (next === SMALL_U)
    return bytes[at + 2] === BRACE ? bracedEscape(bytes, at) : hexEscape(bytes, at + 2, 4, 6);
  if (next === SMALL_X) return hexEscape(bytes, at + 2, 2, 4);
  if (WHITE.has(next)) return { code: LINE_END, size: 2 };
  return ITSELF.has(next) ? { code: next, size: 2 } : undefined;
}

const BRACE = 0x7b;
const END_BRACE = 0x7d;
const MOST_BRACED = 6;

/** `\u{6e}`, with up to six digits. */
function bracedEscape(bytes: Buffer, at: number): Escape | undefined {
  const first = at + 3;
  const end = bytes.subarray(first, first + MOST_BRACED + 1).indexOf(END_BRACE);
  return end < 1 ? undefined : hexEscape(bytes, first, end, end + 4);
}

const ENTITY = /^&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/i;
const SEMICOLON = 0x3b;
const SHORTEST_ENTITY = 4;
const LONGEST_ENTITY = 10;
const ENTITY_BEGINS: ReadonlySet<number> = new Set(Buffer.from('#algqALGQ'));
const NAMED: ReadonlyMap<string, number> = new Map([
  ['amp', AMPERSAND],
  ['lt', 0x3c],
  ['gt', 0x3e],
  ['quot', QUOTE],
  ['apos', 0x27],
]);

function entityAt(bytes: Buffer, at: number): Escape | undefined {
  if (!ENTITY_BEGINS.has(bytes[at + 1] ?? 0)) return undefined;
  let end = at + SHORTEST_ENTITY - 1;
  while (bytes[end] !== SEMICOLON) {
    end += 1;
    if (end >= at + LONGEST_ENTITY) return undefined;
  }
  const found = ENTITY.exec(bytes.toString('latin1', at, end + 1));
  if (found === null) return undefined;
  const [{ length: size }, decimal, hexadecimal, name = ''] = found;
  const code =
    NAMED.get(name.toLowerCase()) ??
    (decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal));
  return { code: Math.min(code, OTHER_CHARACTER), size };
}
