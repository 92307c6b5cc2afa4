/** Far above the 32,767 characters that a cell of Excel holds. */
const MOST_CHARACTERS = 1024 * 1024;

/** Gathers the text of a shared string or a cell, which may be in pieces of different looks. */
export class TextGatherer {
  #text = '';
  #isOpen = false;
  /** Inside of how the text is pronounced, which Japanese workbooks have beside it. */
  #isSpoken = false;

  start(): void {
    this.#text = '';
    this.#isOpen = false;
    this.#isSpoken = false;
  }

  opened(name: string): void {
    if (name === 'rPh') this.#isSpoken = true;
    else if (name === 't' || name === 'v') this.#isOpen = !this.#isSpoken;
  }

  closed(name: string): void {
    if (name === 'rPh') this.#isSpoken = false;
    else if (name === 't' || name === 'v') this.#isOpen = false;
  }

  /** @throws Error with a clause, when the pieces together are longer than any text can be. */
  hear(text: string): void {
    if (!this.#isOpen) return;
    this.#text += text;
    if (this.#text.length > MOST_CHARACTERS) throw new Error('a text is longer than any can be');
  }

  get text(): string {
    return this.#text;
  }
}

/** What XML cannot hold is written as `_x000B_`. */
export function unescapedText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
