import { endOf, type Layer, type Range, startOf } from './layer.ts';

/**
 * Finds words of which each character may be read in another layer. What stands before a key may form an escape with its
 * beginning, what stands behind it one with its end, and a key may hold what looks like an escape: whichever of them is read
 * in a layer, the characters of the key are there, one behind the other, in all layers together.
 *
 * All readings of the bytes are followed at once, from each byte to the next, and those that have come to the same character
 * of a word at the same byte are one. So the time is that of the bytes, times at most the characters of all words.
 */
export class Spelling {
  readonly #words: readonly Buffer[];
  /** All words, one behind the other. A reading is known by how many of these characters stand before its next one. */
  readonly #characters: Buffer;
  readonly #isEnd: Uint8Array;

  constructor(words: readonly string[]) {
    this.#words = words.map((word) => Buffer.from(word, 'latin1'));
    this.#characters = Buffer.concat(this.#words);
    this.#isEnd = new Uint8Array(this.#characters.length + 1);
    for (const begin of this.#begins()) this.#isEnd[begin.at + begin.word.length] = 1;
  }

  in(layers: readonly Layer[]): Range[] {
    const begins = this.#possibleIn(layers);
    return begins.length === 0 ? [] : this.#follow(layers, begins);
  }

  *#begins(): Generator<{ readonly word: Buffer; readonly at: number }> {
    let at = 0;
    for (const word of this.#words) {
      yield { word, at };
      at += word.length;
    }
  }

  /** By their first characters, where the words begin of which every character is somewhere. Short answers have none. */
  #possibleIn(layers: readonly Layer[]): Begins {
    const isThere = new Uint8Array(256);
    for (const { bytes } of layers)
      for (let at = 0; at < bytes.length; at += 1) isThere[bytes[at] as number] = 1;
    const begins: number[][] = [];
    for (const { word, at } of this.#begins()) {
      const first = word[0] as number;
      if (word.every((character) => isThere[character] === 1)) begins[first] = [...(begins[first] ?? []), at];
    }
    return begins;
  }

  #follow(layers: readonly Layer[], begins: Begins): Range[] {
    const waiting = new Waiting();
    const walks = layers.map((layer) => new Walk(layer));
    const size = Math.max(...layers.map((layer) => startOf(layer, layer.bytes.length)));
    const found: Range[] = [];
    for (let at = 0; at < size; at += 1) {
      const readings = waiting.take(at);
      if (readings !== undefined) leap(readings, { at, walks, waiting });
      for (const walk of walks) {
        const character = walk.characterAt(at);
        if (character === undefined) continue;
        const begun = begins[character];
        if (begun !== undefined) begin(begun, { at, walk, waiting });
        if (readings !== undefined) this.#readOn(readings, { character, walk, waiting, found });
      }
    }
    return found;
  }

  #readOn(
    readings: readonly Reading[],
    { character, walk, waiting, found }: { character: number; walk: Walk; waiting: Waiting; found: Range[] },
  ): void {
    for (const { next, start } of readings) {
      if (this.#characters[next] !== character) continue;
      if (this.#isEnd[next + 1] === 1) found.push({ start, end: walk.end });
      else waiting.add(walk.end, next + 1, start);
    }
  }
}

function begin(
  begun: readonly number[],
  { at, walk, waiting }: { at: number; walk: Walk; waiting: Waiting },
): void {
  for (const first of begun) waiting.add(walk.end, first + 1, at);
}

/** No word ends at what is left out, so what was read before it goes on behind it. */
function leap(
  readings: readonly Reading[],
  { at, walks, waiting }: { at: number; walks: readonly Walk[]; waiting: Waiting },
): void {
  for (const walk of walks) {
    for (const behind of walk.behindGaps(at))
      for (const { next, start } of readings) waiting.add(behind, next, start);
  }
}

/** By their first characters, how many characters stand before words. */
type Begins = readonly (readonly number[] | undefined)[];

/** How far a word was read, and where it began. */
interface Reading {
  readonly next: number;
  start: number;
}

/** The readings that have come to a byte, until it is reached. */
class Waiting {
  readonly #readings = new Map<number, Reading[]>();

  take(at: number): readonly Reading[] | undefined {
    const readings = this.#readings.size === 0 ? undefined : this.#readings.get(at);
    if (readings !== undefined) this.#readings.delete(at);
    return readings;
  }

  add(at: number, next: number, start: number): void {
    const others = this.#readings.get(at);
    const same = others?.find((other) => other.next === next);
    if (others === undefined) this.#readings.set(at, [{ next, start }]);
    else if (same === undefined) others.push({ next, start });
    else same.start = Math.min(same.start, start);
  }
}

/** Walks through a layer by the places of the bytes that came, in their order. */
class Walk {
  readonly #layer: Layer;
  #place = 0;
  #gap = 0;

  constructor(layer: Layer) {
    this.#layer = layer;
  }

  characterAt(at: number): number | undefined {
    if (startOf(this.#layer, this.#place) !== at) return undefined;
    this.#place += 1;
    return this.#layer.bytes[this.#place - 1];
  }

  /** Where the last character ended. */
  get end(): number {
    return endOf(this.#layer, this.#place - 1);
  }

  /** Where each thing ends that may be left out and begins there. */
  *behindGaps(at: number): Generator<number> {
    const { gaps } = this.#layer;
    if (gaps === undefined) return;
    while ((gaps[this.#gap] ?? at) < at) this.#gap += 2;
    for (; gaps[this.#gap] === at; this.#gap += 2) yield gaps[this.#gap + 1] ?? at;
  }
}
