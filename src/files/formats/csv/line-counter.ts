import { countLineEnds } from './raw-record.ts';

/** Counts the line ends of a text that comes in chunks, of which CR and LF may be split between two. */
export class LineCounter {
  #count = 0;
  #endsInCarriageReturn = false;

  /** Line ends so far, so that the next byte stands on the line after that many. */
  get count(): number {
    return this.#count;
  }

  add(text: Buffer): void {
    if (text.length === 0) return;
    const isSplit = this.#endsInCarriageReturn && text[0] === LF;
    this.#count += countLineEnds(text) - (isSplit ? 1 : 0);
    this.#endsInCarriageReturn = text.at(-1) === CR;
  }
}

const LF = 0x0a;
const CR = 0x0d;
