import { hash } from 'node:crypto';

/**
 * Most lists fit into the first table. The second table is made only for the others, because making room for
 * millions takes time in each command.
 */
const FIRST_PLACES = 2 ** 14;
const MOST_PLACES = 2 ** 22;

/**
 * The texts that came before, as 32 bits of each at a place that other bits choose: 16 MB at most, whatever
 * the length of a file. Two of a million are taken for equal once in some thousand files, and texts after two
 * million count as different. This is good for estimates and remarks, never for money.
 */
export class SeenTexts {
  readonly #first = new Table(FIRST_PLACES);
  #second: Table | undefined;

  /** @returns whether the text is new. */
  add(text: string): boolean {
    // A buffer for each digest would take three times as long.
    const digits = hash('sha1', text);
    const bits = Number.parseInt(digits.slice(0, 8), 16) || 1;
    const wanted = Number.parseInt(digits.slice(8, 16), 16);
    if (this.#first.has(bits, wanted) || this.#second?.has(bits, wanted)) return false;
    if (!this.#first.add(bits, wanted)) {
      this.#second ??= new Table(MOST_PLACES);
      this.#second.add(bits, wanted);
    }
    return true;
  }
}

/**
 * The bits stand at their place, or at the next free one; 0 is free. At least half of the places stay free,
 * so a search is short.
 */
class Table {
  readonly #places: Uint32Array;
  #size = 0;

  constructor(places: number) {
    this.#places = new Uint32Array(places);
  }

  has(bits: number, wanted: number): boolean {
    return this.#places[this.#placeFor(bits, wanted)] === bits;
  }

  /** @returns whether there was room. */
  add(bits: number, wanted: number): boolean {
    if (this.#size >= this.#places.length / 2) return false;
    this.#places[this.#placeFor(bits, wanted)] = bits;
    this.#size += 1;
    return true;
  }

  #placeFor(bits: number, wanted: number): number {
    const { length } = this.#places;
    let place = wanted % length;
    while (this.#places[place] !== 0 && this.#places[place] !== bits) place = (place + 1) % length;
    return place;
  }
}
