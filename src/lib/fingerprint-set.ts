/** A hash that stands for a text in a set: two halves of 32 bits each. */
export interface Fingerprint {
  readonly high: number;
  readonly low: number;
}

/** FNV's own for 32 bits, and another odd number of many bits. */
const FNV_PRIME = 0x01000193;
const OTHER_PRIME = 0x85ebca6b;

/** Two streams of FNV-1a in one pass: nobody gains by a collision, and a cryptographic hash takes longer. */
export function textFingerprint(text: string): Fingerprint {
  let high = 0x811c9dc5;
  let low = 0x9e3779b1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, FNV_PRIME);
    low = Math.imul(low ^ code, OTHER_PRIME);
  }
  // The last bits of such a stream are the weakest, so the other bits are mixed into them.
  return { high: high ^ (high >>> 15), low: low ^ (low >>> 15) };
}

/**
 * A set of fingerprints that never takes more memory than it began with: 8 to 16 bytes for each that it may keep. When it
 * is full, it still knows those that it has. Two of a million texts are taken for equal once in some thousand files. Good
 * for estimates and remarks, never for money.
 */
export class FingerprintSet {
  readonly #most: number;
  /** Open addressing: one half of a fingerprint says where it belongs, the other one stands there; 0 is free. */
  readonly #places: Uint32Array;
  #size = 0;

  constructor(most: number) {
    this.#most = most;
    // At least half of the places stay free, so that a search is over after two or three.
    this.#places = new Uint32Array(2 ** Math.ceil(Math.log2(most * 2)));
  }

  /** @returns whether the fingerprint is not in the set yet, or was not kept. */
  add({ high, low }: Fingerprint): boolean {
    const places = this.#places;
    const lastPlace = places.length - 1;
    const value = high >>> 0 || 1;
    let place = low & lastPlace;
    while (places[place] !== 0) {
      if (places[place] === value) return false;
      place = (place + 1) & lastPlace;
    }
    if (this.#size < this.#most) {
      places[place] = value;
      this.#size += 1;
    }
    return true;
  }
}
