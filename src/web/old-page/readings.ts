/** This many readings are kept, because no more lists are open in tabs at once. */
const MOST_KEPT = 50;

/**
 * What takes long to be read and is asked for again and again. A refusal may be mended, so it is not kept.
 */
export class Readings<T> {
  readonly #kept = new Map<string, Promise<T>>();

  /** @param mark names all that is read, as it is now. */
  of(mark: string, read: () => Promise<T>): Promise<T> {
    const value = this.#kept.get(mark) ?? read();
    this.#kept.delete(mark);
    this.#kept.set(mark, value);
    for (const oldest of [...this.#kept.keys()].slice(0, -MOST_KEPT)) this.#kept.delete(oldest);
    value.catch(() => this.#kept.delete(mark));
    return value;
  }
}
