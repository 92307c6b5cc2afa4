/**
 * Names for columns that have to stand beside others, without regard to case. One that is taken gets a prefix, and then a
 * number, which only grows: an answer may hold a hundred thousand names that differ in their case alone.
 */
export class FreeNames {
  readonly #taken: Set<string>;
  /** The last number that was given, by the name without its number. */
  readonly #last = new Map<string, number>();

  constructor(taken: Iterable<string>) {
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()));
  }

  take(name: string, prefix: string): string {
    const free = this.#isFree(name) ? name : this.#numbered(`${prefix}${name}`);
    this.#taken.add(free.toLowerCase());
    return free;
  }

  #isFree(name: string): boolean {
    return !this.#taken.has(name.toLowerCase());
  }

  #numbered(name: string): string {
    const key = name.toLowerCase();
    let number = this.#last.get(key) ?? 1;
    const spelled = (): string => (number === 1 ? name : `${name}_${number}`);
    while (!this.#isFree(spelled())) number += 1;
    this.#last.set(key, number);
    return spelled();
  }
}
