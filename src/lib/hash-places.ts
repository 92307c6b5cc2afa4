/**
 * What is known of very many texts, in few bytes of each: 32 bits of its hash, and some numbers, at a place
 * that another hash chooses, or at the next free one. At least half of the places stay free. There are few at
 * first and eight times as many whenever that is needed: most lists are short, and V8 collects all garbage
 * for every few tables of 16 MB. Two texts of a million are taken for equal once in some thousand files.
 * This is good for estimates and remarks, never for money.
 */
export class HashPlaces {
  readonly #fields: number;
  readonly #most: number;
  #places = FIRST_PLACES;
  #numbers: Uint32Array;
  #size = 0;

  /**
   * @param fields how many numbers are kept of each text.
   * @param most of texts: those after them are not kept.
   */
  constructor(fields: number, most: number) {
    this.#fields = fields + FIELDS_AT;
    this.#most = most;
    this.#numbers = new Uint32Array(this.#places * this.#fields);
  }

  /** Where the text is, or will be. @param hash is not 0. */
  at(hash: number, place: number): number {
    let at = (place % this.#places) * this.#fields;
    while (this.#numbers[at] !== 0 && this.#numbers[at] !== hash)
      at = (at + this.#fields) % this.#numbers.length;
    return at;
  }

  isFree(at: number): boolean {
    return this.#numbers[at] === 0;
  }

  /** The numbers of the text that is kept there. */
  numbersAt(at: number): Uint32Array {
    return this.#numbers.subarray(at + FIELDS_AT, at + this.#fields);
  }

  /** Keeps a text at its free place. Other places are others from then on. */
  keep(at: number, hash: number, place: number, numbers: readonly number[]): void {
    if (this.#size >= this.#most) return;
    this.#size += 1;
    this.#numbers[at] = hash;
    this.#numbers[at + 1] = place;
    for (let field = FIELDS_AT; field < this.#fields; field += 1)
      this.#numbers[at + field] = numbers[field - FIELDS_AT] ?? 0;
    if (this.#size * 2 > this.#places) this.#grow();
  }

  #grow(): void {
    const before = this.#numbers;
    this.#places *= GROWTH;
    this.#numbers = new Uint32Array(this.#places * this.#fields);
    for (let from = 0; from < before.length; from += this.#fields) {
      if (before[from] === 0) continue;
      let at = ((before[from + 1] ?? 0) % this.#places) * this.#fields;
      while (this.#numbers[at] !== 0) at = (at + this.#fields) % this.#numbers.length;
      for (let field = 0; field < this.#fields; field += 1)
        this.#numbers[at + field] = before[from + field] ?? 0;
    }
  }
}

const FIRST_PLACES = 2 ** 10;

/** To grow takes every text to another place, so that a table grows four times at most. */
const GROWTH = 8;

/** Before the numbers of a text are its hash, which is 0 at a free place, and what chooses the place. */
const FIELDS_AT = 2;
