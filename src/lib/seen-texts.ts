import { hash } from 'node:crypto';
import { HashPlaces } from './hash-places.ts';

const MOST_TEXTS = 2 ** 21;

/** The texts that came before. Those after two million count as different. */
export class SeenTexts {
  readonly #places = new HashPlaces(0, MOST_TEXTS);

  /** @returns whether the text is new. */
  add(text: string): boolean {
    // A buffer for each digest would take three times as long.
    const digits = hash('sha1', text);
    const bits = Number.parseInt(digits.slice(0, 8), 16) || 1;
    const place = Number.parseInt(digits.slice(8, 16), 16);
    const at = this.#places.at(bits, place);
    if (!this.#places.isFree(at)) return false;
    this.#places.keep(at, bits, place, []);
    return true;
  }
}
