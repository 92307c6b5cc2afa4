import { endOf, type Layer, startOf } from './layer.ts';

/**
 * Bytes without what may stand inside of a word and is not seen: what `plain-text.ts` takes away before a text is shown, by
 * which a key that it cuts would be whole again, and the line breaks by which Base64 is folded. Every byte outside of
 * ASCII is left out as well, because none belongs to a key. In linear time, and quickly where nothing is left out.
 */

/** A control character of eight bits, and no part of a letter in UTF-8. */
const ALONE = '(?<![\\x80-\\xc1\\xc3-\\xff])';

/** As in `plain-text.ts`, but of bytes: no part of a sequence can hold what begins another one. */
const UNSEEN = new RegExp([sequences(ALONE), '\\x1b[ -/]*[0-~]', '[\\r\\n][\\t ]*', '[^ -~]'].join('|'), 'g');

/** The same, where it may be a part of a letter. */
const SEQUENCE = new RegExp(sequences(''), 'y');

function sequences(alone: string): string {
  return [
    `(?:\\x1b\\[|${alone}\\x9b)[0-?]*[ -/]*[@-~]`,
    `(?:\\x1b[\\]PX^_]|${alone}[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x80-\\x9f]*(?:\\x07|\\x1b\\\\|\\xc2?\\x9c)`,
  ].join('|');
}

/** Undefined unless something is left out within a word, and at least so many bytes are left. */
export function cleaned(layer: Layer, least: number, endsAsJson: boolean): Layer | undefined {
  if (!goesOnUnseen(layer.bytes, endsAsJson ? NOTHING : STRUCTURE)) return undefined;
  const text = layer.bytes.toString('latin1');
  const left = Buffer.from(text.replace(UNSEEN, ''), 'latin1');
  if (left.length < least) return undefined;
  const starts = new Uint32Array(left.length + 1);
  const ends = new Uint32Array(left.length);
  const gaps: number[] = [];
  let length = 0;
  let seen = 0;
  const take = (end: number): void => {
    for (; seen < end; seen += 1) {
      starts[length] = startOf(layer, seen);
      ends[length] = endOf(layer, seen);
      length += 1;
    }
  };
  for (const { 0: unseen, index } of text.matchAll(UNSEEN)) {
    take(index);
    seen = index + unseen.length;
    for (const [begin, end] of gapsOf(text, index, seen))
      gaps.push(startOf(layer, begin), startOf(layer, end));
  }
  take(text.length);
  starts[length] = startOf(layer, text.length);
  return { bytes: left, depth: layer.depth, source: layer, starts, ends, gaps };
}

/**
 * What is left out may end sooner or later for a key: its own characters may read as a blank behind a line break, or as what
 * makes a letter of a control character.
 */
function* gapsOf(text: string, index: number, end: number): Generator<readonly [number, number]> {
  if (isLineEnd(text.charCodeAt(index))) {
    for (let at = index; at < end; at += 1) yield [at, at + 1];
    return;
  }
  yield [index, end];
  SEQUENCE.lastIndex = index;
  if (end === index + 1 && SEQUENCE.test(text)) yield [index, SEQUENCE.lastIndex];
}

/**
 * Whether a word may go on behind what is not seen. The line breaks of JSON that is written for people stand between words.
 * @param structure what a word may not go on with.
 */
function goesOnUnseen(bytes: Buffer, structure: ReadonlySet<number>): boolean {
  let isBroken = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte > SPACE && byte <= TILDE) {
      if (isBroken && !structure.has(byte)) return true;
      // A key may go on with brackets too, behind which only a quote begins a word of JSON.
      isBroken = isBroken && byte !== QUOTE;
    } else if (isLineEnd(byte)) isBroken = true;
    else if (byte !== SPACE && (byte !== TAB || !isBroken)) return true;
  }
  return false;
}

const NOTHING: ReadonlySet<number> = new Set();
const STRUCTURE: ReadonlySet<number> = new Set(Buffer.from('",[]{}'));
const QUOTE = 0x22;
const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TILDE = 0x7e;

const isLineEnd = (byte: number): boolean => byte === LINE_FEED || byte === CARRIAGE_RETURN;
