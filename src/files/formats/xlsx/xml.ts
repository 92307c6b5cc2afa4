import { SaxesParser } from 'saxes';

/** Is called with what a part of a workbook holds, in order. Names of elements have no prefix of a namespace. */
export interface XmlListener {
  opened(name: string, attributes: XmlAttributes): void;
  closed(name: string): void;
  text(text: string): void;
}

/** Values by name; most attributes of a workbook have no prefix. */
export type XmlAttributes = Readonly<Record<string, string>>;

/** Far above a cell of 32,767 characters each of which is escaped; what is longer is no workbook of any program. */
const MOST_PENDING = 1024 * 1024;

/** A cell stands six deep, and what Excel adds behind the cells about twelve. */
const MOST_DEPTH = 256;

/** The XML of a part, in pieces as they are unpacked. It is held to a few megabytes, whatever is written in it. */
export class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: false, position: false });
  /** Characters since the last tag, some thousands more or less: the parser holds no more than these. */
  #pending = 0;
  #depth = 0;

  constructor(listener: XmlListener) {
    this.#parser.on('opentag', ({ name, attributes }) => {
      this.#pending = 0;
      this.#depth += 1;
      if (this.#depth > MOST_DEPTH) throw new Error(`its elements are more than ${MOST_DEPTH} deep`);
      listener.opened(localName(name), attributes);
    });
    this.#parser.on('closetag', ({ name }) => {
      this.#pending = 0;
      this.#depth -= 1;
      listener.closed(localName(name));
    });
    this.#parser.on('text', (text) => listener.text(text));
    this.#parser.on('cdata', (text) => listener.text(text));
    // It could define texts that grow without end, and no workbook has one.
    this.#parser.on('doctype', () => fail('it has a document type'));
    this.#parser.on('error', ({ message }) => fail(message.replace(/\.$/, '')));
  }

  /** The place behind the tag that was just read, in characters of all that was written. */
  get position(): number {
    return this.#parser.position;
  }

  /** @throws Error with a clause, where it is not well-formed; and whatever the listener throws. */
  write(chunk: string): void {
    this.#pending += chunk.length;
    this.#parser.write(chunk);
    if (this.#pending > MOST_PENDING) fail('a text or a tag is longer than any can be');
  }

  /** @throws Error when the text ends in the middle of something. */
  end(): void {
    this.#parser.on('error', () => fail('it is cut off'));
    this.#parser.close();
  }
}

function fail(clause: string): never {
  throw new Error(clause);
}

export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Whether an attribute of a workbook says yes; a missing one says no. */
export function isTrue(attribute: string | undefined): boolean {
  return attribute === '1' || attribute === 'true';
}

/** Far above the 32,767 characters that a cell of Excel holds. */
const MOST_CHARACTERS = 1024 * 1024;

/** Gathers the text of a shared string or a cell, which may be in pieces of different looks. */
export class TextGatherer {
  text = '';
  #isOpen = false;
  /** Whether we are inside of the pronunciation, which Japanese workbooks have beside the text. */
  #isSpoken = false;

  start(): void {
    this.text = '';
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
    this.text += text;
    if (this.text.length > MOST_CHARACTERS) throw new Error('a text is longer than any can be');
  }
}

/** What XML cannot hold is written as `_x000B_`. */
export function unescapedText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
