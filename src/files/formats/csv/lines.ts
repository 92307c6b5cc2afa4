import type { Layout } from './records.ts';
import { decodedText } from './text.ts';

/** The text of a list as its records are read: UTF-8, the marks in one piece, the lines without quotes. */

/**
 * What spreadsheets put before the first byte of a UTF-8 file, and the same where a program has read it as
 * Windows-1252 and written it again.
 */
const MARKS = [Buffer.from('\uFEFF'), Buffer.from('ï»¿')];

/** The bytes of the marks at the beginning: some files have several. */
export function markLength(bytes: Buffer): number {
  let length = 0;
  for (;;) {
    const mark = MARKS.find((each) => bytes.subarray(length, length + each.length).equals(each));
    if (mark === undefined) return length;
    length += mark.length;
  }
}

/** More marks than these are in no file. */
const MOST_BYTES_OF_MARKS = 32;

/** The same text, with all marks in its first piece. */
async function* withWholeMarks(texts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let first: Buffer | undefined = Buffer.alloc(0);
  for await (const text of texts) {
    if (first === undefined) {
      yield text;
      continue;
    }
    first = Buffer.concat([first, text]);
    if (first.length < MOST_BYTES_OF_MARKS) continue;
    yield first;
    first = undefined;
  }
  if (first !== undefined) yield first;
}

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/** The text of the list. */
export async function* textOf(
  layout: Pick<Layout, 'file' | 'codec' | 'areLinesQuoted'>,
): AsyncGenerator<Buffer> {
  const texts = withWholeMarks(decodedText(layout.file, layout.codec));
  if (!layout.areLinesQuoted) return yield* texts;
  const lines = new QuotedLines();
  let isFirst = true;
  for await (const text of texts) {
    const mark = isFirst ? markLength(text) : 0;
    isFirst = false;
    yield Buffer.concat([text.subarray(0, mark), lines.unquoted(text.subarray(mark))]);
  }
}

/** Takes the quotes off lines that are one cell each, and what stands behind them. */
export class QuotedLines {
  #at: 'begin' | 'within' | 'quote' | 'behind' | 'plain' = 'begin';

  unquoted(text: Buffer): Buffer {
    const written = Buffer.allocUnsafe(text.length);
    let length = 0;
    for (const byte of text) if (this.#isKept(byte)) written[length++] = byte;
    return written.subarray(0, length);
  }

  #isKept(byte: number): boolean {
    const at = this.#at;
    if (at === 'within') {
      if (byte === QUOTE) this.#at = 'quote';
      return byte !== QUOTE;
    }
    if (at === 'quote' && byte === QUOTE) {
      this.#at = 'within';
      return true;
    }
    if (byte === LF || byte === CR) {
      this.#at = 'begin';
      return true;
    }
    if (at === 'begin') {
      this.#at = byte === QUOTE ? 'within' : 'plain';
      return byte !== QUOTE;
    }
    if (at === 'quote') this.#at = 'behind';
    return at === 'plain';
  }
}
