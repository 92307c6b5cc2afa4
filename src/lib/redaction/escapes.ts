import { endOf, type Layer, startOf } from './layer.ts';

/** What bytes say when each escape in them is read once: those of links, of JSON and of HTML. */

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
const QUOTE = 0x22;

/** Undefined when there is no escape. */
export function unescaped(layer: Layer): Layer | undefined {
  const { bytes } = layer;
  if (![PERCENT, BACKSLASH, AMPERSAND].some((begin) => bytes.includes(begin))) return undefined;
  const read = Buffer.allocUnsafe(bytes.length);
  const starts = new Uint32Array(bytes.length + 1);
  const ends = layer.ends && new Uint32Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; length += 1) {
    const { code, size } = escapeAt(bytes, at);
    read[length] = code;
    starts[length] = startOf(layer, at);
    at += size;
    if (ends !== undefined) ends[length] = endOf(layer, at - 1);
  }
  if (length === bytes.length) return undefined;
  starts[length] = startOf(layer, bytes.length);
  return {
    bytes: read.subarray(0, length),
    depth: layer.depth + 1,
    source: layer,
    starts,
    ends,
    gaps: undefined,
  };
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
