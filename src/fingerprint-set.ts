/** The first 52 bits of a hash. @param hash hexadecimal, at least 13 digits. */
export function fingerprintOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 13), 16);
}

/**
 * A set of fingerprints that takes 8 to 16 bytes an entry: a million rows fit in 16 MB. Two of a million hashes are
 * taken for equal once in ten thousand files. Good for estimates and remarks, never for money.
 */
export class FingerprintSet {
  /** Open addressing over a power of two of places; 0 is free. */
  #places = new Float64Array(1024);
  #size = 0;

  /** @returns whether the fingerprint was new. */
  add(fingerprint: number): boolean {
    if (this.#size * 2 >= this.#places.length) this.#grow();
    if (!this.#insert(fingerprint + 1)) return false;
    this.#size += 1;
    return true;
  }

  has(fingerprint: number): boolean {
    return this.#places[this.#placeOf(fingerprint + 1)] !== 0;
  }

  #insert(value: number): boolean {
    const place = this.#placeOf(value);
    if (this.#places[place] === value) return false;
    this.#places[place] = value;
    return true;
  }

  /** Where the value stands, or would. */
  #placeOf(value: number): number {
    const last = this.#places.length - 1;
    let place = value % this.#places.length;
    while (this.#places[place] !== 0 && this.#places[place] !== value) {
      place = place === last ? 0 : place + 1;
    }
    return place;
  }

  #grow(): void {
    const old = this.#places;
    this.#places = new Float64Array(old.length * 2);
    for (const value of old) if (value !== 0) this.#insert(value);
  }
}
