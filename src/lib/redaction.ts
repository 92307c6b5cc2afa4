import { isUtf16 } from '../core/answer-body.ts';
import { cleaned } from './redaction/cleaned.ts';
import { unescaped } from './redaction/escapes.ts';
import { type Layer, layerOf, type Range } from './redaction/layer.ts';
import { readingsOf, textsOf, Unpacking } from './redaction/packed.ts';
import { Spelling } from './redaction/spelled.ts';
import { hasLongWord, type Word, wordsIn } from './redaction/words.ts';

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

const BACKSLASH = 0x5c;

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
  readonly #spelling: Spelling;
  readonly #short: readonly string[];
  readonly #endsAsJson: boolean;

  constructor(keys: readonly string[]) {
    const isLong = (key: string): boolean => key.length >= LEAST_LENGTH;
    const needles = new Set(keys.filter(isLong).flatMap(writingsOf));
    this.#texts = [...needles];
    this.#spelling = new Spelling(this.#texts);
    this.#endsAsJson = this.#texts.some((text) => /["[\]{},]$/.test(text));
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
    if (this.findsNothing || body.length < LEAST_LENGTH) return body;
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

  #find(body: Buffer, { unpacking, layers: most }: Depth): readonly Range[] {
    const layers = layersOf(body, most, this.#endsAsJson);
    const found = layers.length === 1 ? this.#standingIn(body) : this.#spelling.in(layers);
    for (const word of wordsIn(layers, (head, first) => unpacking.mayBegin(head, first)))
      if (word.depth < most)
        for (const range of this.#encodedIn(word, { unpacking, layers: most - word.depth }))
          found.push({ start: word.startOf(range.start), end: word.endOf(range.end - 1) });
    return apart(found.sort((one, other) => one.start - other.start || other.end - one.end));
  }

  /** What is found in Base64 stands in whole fours of its characters; what is packed in it, in all from its beginning on. */
  *#encodedIn(word: Word, { unpacking, layers }: Depth): Generator<Range> {
    const readings = readingsOf(word.text);
    for (const { at, bytes } of textsOf(readings))
      for (const { start, end } of this.#find(bytes, { unpacking, layers: layers - 1 })) {
        const first = at + Math.floor(start / 3) * 4;
        yield { start: first, end: Math.min(at + Math.ceil(end / 3) * 4, word.length) };
      }
    if (layers < 2) return;
    for (const { at, bytes } of unpacking.in(word, readings))
      if (this.#lookInto(bytes, { unpacking, layers: layers - 2 }) !== undefined)
        yield { start: at, end: word.length };
  }

  /** Where nothing is escaped. To look for each word is much quicker than to follow each reading. */
  #standingIn(bytes: Buffer): Range[] {
    const found: Range[] = [];
    const text = bytes.toString('latin1');
    for (const needle of this.#texts) {
      for (let start = text.indexOf(needle); start !== -1; ) {
        const end = start + needle.length;
        found.push({ start, end });
        start = text.indexOf(needle, end);
      }
    }
    return found;
  }
}

/**
 * What the bytes say, read over and over, each time as it stands and also without what is not seen: to leave that out may put
 * together what was written apart, be it a key, an escape or a word of Base64. What says the same is read once.
 * @param endsAsJson whether a key ends with what may stand between the words of JSON.
 */
function layersOf(bytes: Buffer, most: number, endsAsJson: boolean): readonly Layer[] {
  const layers: Layer[] = [];
  let read: readonly Layer[] = [layerOf(bytes)];
  for (let depth = 0; depth <= most && read.length > 0; depth += 1) {
    const now: Layer[] = [];
    for (const layer of read)
      for (const reading of [layer, cleaned(layer, LEAST_LENGTH, endsAsJson)])
        if (reading !== undefined && !now.some((other) => other.bytes.equals(reading.bytes)))
          now.push(reading);
    layers.push(...now);
    read = now.map(unescaped).filter((layer) => layer !== undefined);
  }
  return layers;
}

/** How a key may be written where nothing is escaped. A key that looks escaped itself is also known when it is read. */
function writingsOf(key: string): readonly string[] {
  const bytes = Buffer.from(key, 'latin1');
  const hex = bytes.toString('hex');
  const readings: string[] = [];
  for (let layer: Layer | undefined = layerOf(bytes); layer !== undefined; ) {
    readings.push(layer.bytes.toString('latin1'));
    layer = readings.length > MOST_LAYERS ? undefined : unescaped(layer);
  }
  const long = readings.filter((reading) => reading.length >= LEAST_LENGTH);
  return [...long, key.toLowerCase(), key.toUpperCase(), hex, hex.toUpperCase(), ...base64Of(bytes)];
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

/** What stands before and behind a key in a number of JSON, as far as it is looked at. */
const NUMBER_BEGUN = /(?:^|[:,[])\s*[\d.eE+-]*$/;
const NUMBER_ENDED = /^[\d.eE+-]*\s*(?:$|[,\]}])/;
const LOOKED_AT = 32;

/** A key of digits may stand in JSON as a number, where a text would be a mistake; another number is none. */
function markerFor(body: Buffer, { start, end }: Range): string {
  const isNumber =
    NUMBER.test(body.toString('latin1', start, end)) &&
    NUMBER_BEGUN.test(body.toString('latin1', Math.max(0, start - LOOKED_AT), start)) &&
    NUMBER_ENDED.test(body.toString('latin1', end, end + LOOKED_AT));
  return isNumber ? '1' : REDACTED;
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
