import { endOf, type Layer, placeOf, startOf } from './layer.ts';

/**
 * The words that may be Base64, or hexadecimal digits, of something as long as a key. What stands before one may form an
 * escape with its first characters, which its layer has not then: they are taken from the layers that it was read from.
 */

const WORD = /[\w+/-]{16,}={0,2}/;

const WORDS = new RegExp(WORD, 'g');

const IS_OF_WORD = Uint8Array.from({ length: 256 }, (_, code) =>
  /[\w+/-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

export function hasLongWord(text: string): boolean {
  return WORD.test(text);
}

/** A word of a text, and where each of its characters stands in the bytes that came. */
export interface Word {
  /** As much of it as is looked into. */
  readonly text: string;
  readonly length: number;
  /** So many of its first characters are read as the end of an escape before it. */
  readonly taken: number;
  /** What begins behind so many is in another word too. */
  readonly own: number;
  /** So many layers of escapes were read before it was there. */
  readonly depth: number;
  startOf(at: number): number;
  endOf(at: number): number;
}

/**
 * The long words of all layers, each of them once, and what goes on in them behind an escape that its beginning belongs to.
 * @param mayBegin whether one of the first characters may begin something that is looked for.
 */
export function* wordsIn(
  layers: readonly Layer[],
  mayBegin: (head: string, first: number) => boolean,
): Generator<Word> {
  const seen = layers.length > 1 ? new Set<string>() : undefined;
  for (const layer of layers)
    for (const { 0: text, index } of layer.bytes.toString('latin1').matchAll(WORDS)) {
      const taken = takenBefore(layer, index);
      const word = wordAt(layer, { taken, text, index, isPart: false });
      const known = seen && `${word.startOf(0)}:${word.text}`;
      if (known !== undefined && seen?.has(known)) continue;
      if (known !== undefined) seen?.add(known);
      yield word;
      yield* begunIn(layer, { text, index }, mayBegin);
    }
}

/** Of a word that begins within another one, no more is looked into, because there may be one at each character. */
const MOST_LOOKED_INTO = 1 << 14;

/** What it may begin is known by so many of the characters that follow. */
const HEAD = 24;

function* begunIn(
  layer: Layer,
  { text, index }: { readonly text: string; readonly index: number },
  mayBegin: (head: string, first: number) => boolean,
): Generator<Word> {
  if (layer.starts === undefined) return;
  for (let at = 1; at < text.length; at += 1) {
    if (startOf(layer, index + at) === startOf(layer, index + at - 1) + 1) continue;
    const taken = takenBefore(layer, index + at);
    if (taken.length === 0 || !mayBegin(textOf(taken) + text.slice(at, at + HEAD), taken.length)) continue;
    yield wordAt(layer, { taken, text: text.slice(at), index: index + at, isPart: true });
  }
}

interface Begun {
  readonly taken: readonly Character[];
  readonly text: string;
  readonly index: number;
  readonly isPart: boolean;
}

function wordAt(layer: Layer, { taken, text, index, isPart }: Begun): Word {
  const own = (at: number): number => index + at - taken.length;
  return {
    text: textOf(taken) + (isPart ? text.slice(0, MOST_LOOKED_INTO) : text),
    length: taken.length + text.length,
    taken: taken.length,
    own: isPart ? taken.length : taken.length + text.length,
    depth: layer.depth,
    startOf: (at) => taken[at]?.start ?? startOf(layer, own(at)),
    endOf: (at) => taken[at]?.end ?? endOf(layer, own(at)),
  };
}

/** One that a word begins with, in the layer that has it, and where it stands in the bytes that came. */
interface Character {
  readonly code: number;
  readonly start: number;
  readonly end: number;
}

const textOf = (taken: readonly Character[]): string => String.fromCharCode(...taken.map(({ code }) => code));

/** No escape has more characters behind its first one. */
const LONGEST_TAKEN = 9;

/** Those of a word that are read as the end of an escape before it, or of a sequence that is not seen, the first one first. */
function takenBefore(layer: Layer, at: number): readonly Character[] {
  const { source } = layer;
  if (source === undefined || at === 0) return [];
  const before = startOf(layer, at - 1);
  const taken: Character[] = [];
  let from = placeOf(source, startOf(layer, at));
  for (; startOf(source, from - 1) > before && taken.length < LONGEST_TAKEN; from -= 1) {
    const code = source.bytes[from - 1] ?? 0;
    if (IS_OF_WORD[code] !== 1) break;
    taken.unshift({ code, start: startOf(source, from - 1), end: endOf(source, from - 1) });
  }
  return [...takenBefore(source, from), ...taken];
}
