import { hash } from 'node:crypto';

/** 16 MB, of which the system hands out only what is written to. At least half of them stay free. */
const PLACES = 2 ** 22;

/**
 * The texts that came before, as 32 bits of each at a place that other bits choose, or at the next free one;
 * 0 is free. Two of a million are taken for equal once in some thousand files, and texts after two million
 * count as different. This is good for estimates and remarks, never for money.
 */
export class SeenTexts {
  readonly #places = new Uint32Array(PLACES);
  #size = 0;

  /** @returns whether the text is new. */
  add(text: string): boolean {
    // A buffer for each digest would take three times as long.
    const digits = hash('sha1', text);
    const bits = Number.parseInt(digits.slice(0, 8), 16) || 1;
    let place = Number.parseInt(digits.slice(8, 16), 16) % PLACES;
    for (; this.#places[place] !== 0; place = (place + 1) % PLACES)
      if (this.#places[place] === bits) return false;
    if (this.#size === PLACES / 2) return true;
    this.#places[place] = bits;
    this.#size += 1;
    return true;
  }
}
