import { hash } from 'node:crypto';

/** Equal texts after so many different ones count as different. */
const MOST = 2_000_000;

/**
 * The texts that came before, as 32 bits of each at a place that 22 others say: 16 MB, whatever the length of a file. Two of
 * a million are taken for equal once in some thousand files. Good for estimates and remarks, never for money.
 */
export class SeenTexts {
  /** The bits stand at their place, or at the next that is free; 0 is free. At least half stay free, so a search is short. */
  readonly #places = new Uint32Array(2 ** 22);
  #size = 0;

  /** @returns whether the text is new. */
  add(text: string): boolean {
    const places = this.#places;
    const digest = hash('sha1', text, 'buffer');
    const bits = digest.readUInt32LE(0) || 1;
    let place = digest.readUInt32LE(4) % places.length;
    for (; places[place] !== 0; place = (place + 1) % places.length) if (places[place] === bits) return false;
    if (this.#size < MOST) {
      places[place] = bits;
      this.#size += 1;
    }
    return true;
  }
}
