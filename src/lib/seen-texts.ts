import { hash } from 'node:crypto';

/** They take some 60 MB, whatever the length of a file. Equal texts after these count as different. */
const MOST = 2_000_000;

/**
 * The texts that came before, as 52 bits of each: two of a million are taken for equal once in ten thousand files. Good for
 * estimates and remarks, never for money.
 */
export class SeenTexts {
  readonly #seen = new Set<number>();

  /** @returns whether the text is new. */
  add(text: string): boolean {
    const mark = Number.parseInt(hash('sha1', text, 'hex').slice(0, 13), 16);
    if (this.#seen.has(mark)) return false;
    if (this.#seen.size < MOST) this.#seen.add(mark);
    return true;
  }
}
