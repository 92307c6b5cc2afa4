import { SaxesParser } from 'saxes';

/**
 * Is called with what a part of a workbook holds, in order. Names of elements have no prefix of a namespace.
 */
export interface XmlListener {
  opened(name: string, attributes: XmlAttributes): void;
  closed?(name: string): void;
  text?(text: string): void;
}

/** Values by name; most attributes of a workbook have no prefix. */
export type XmlAttributes = Readonly<Record<string, string>>;

/**
 * Far above a cell of 32,767 characters each of which is escaped; what is longer is no workbook of any
 * program.
 */
const MOST_PENDING = 1024 * 1024;

/** A place in a part, counted in characters: its first one, and the one behind it. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * The XML of a part, in pieces as they are unpacked. It is held to a few megabytes, whatever is written in
 * it.
 */
export class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: false, position: false });
  readonly #keeps: boolean;
  /** The text that is kept, and the place of its first character. */
  #kept = '';
  #from = 0;
  /** Characters since the last tag, some thousands more or less: the parser holds no more than these. */
  #pending = 0;

  /** @param keeps whether the text stays to be asked for until it is let go. */
  constructor(listener: XmlListener, { keeps = false } = {}) {
    this.#keeps = keeps;
    this.#parser.on('opentag', ({ name, attributes }) => {
      this.#pending = 0;
      listener.opened(localName(name), attributes);
    });
    this.#parser.on('closetag', ({ name }) => {
      this.#pending = 0;
      listener.closed?.(localName(name));
    });
    this.#parser.on('text', (text) => listener.text?.(text));
    this.#parser.on('cdata', (text) => listener.text?.(text));
    this.#parser.on('error', ({ message }) => fail(message.replace(/\.$/, '')));
  }

  /** @throws Error with a clause, where it is not well-formed; and whatever the listener throws. */
  write(chunk: string): void {
    this.#pending += chunk.length;
    if (this.#keeps) this.#kept += chunk;
    this.#parser.write(chunk);
    if (this.#pending > MOST_PENDING) fail('a text or a tag is longer than any can be');
  }

  /** @throws Error when the text ends in the middle of something. */
  end(): void {
    this.#parser.on('error', () => fail('it is cut off'));
    this.#parser.close();
  }

  /** The tag that was just read. None holds a `<` but at its beginning. */
  get tag(): Place {
    const end = this.#parser.position;
    return { start: this.#kept.lastIndexOf('<', end - 1 - this.#from) + this.#from, end };
  }

  /** The place behind all that was written. */
  get length(): number {
    return this.#from + this.#kept.length;
  }

  slice({ start, end }: Place): string {
    return this.#kept.slice(start - this.#from, end - this.#from);
  }

  /** Takes the text up to a place, with patches; what stands before it is not asked for any more. */
  take(end: number, patches: readonly Patch[]): string {
    let text = '';
    let at = this.#from;
    for (const patch of patches.toSorted((one, other) => one.start - other.start)) {
      text += this.slice({ start: at, end: patch.start }) + patch.text;
      at = patch.end;
    }
    text += this.slice({ start: at, end });
    this.#kept = this.#kept.slice(end - this.#from);
    this.#from = end;
    return text;
  }
}

/** The text that replaces a place. If two patches have the same place, the first comes first. */
export interface Patch extends Place {
  readonly text: string;
}

function fail(clause: string): never {
  throw new Error(clause);
}

export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** A small part with the tags of that name that open an element as they are from now on. */
export function eachTag(xml: string, name: string, change: (tag: string) => string): string {
  const tags = new RegExp(`<(?:\\w+:)?${name}(?=[\\s/>])(?:"[^"]*"|'[^']*'|[^<>"'])*>`, 'g');
  return xml.replaceAll(tags, change);
}

/** The value of an attribute, still escaped. */
export function attributeOf(tag: string, name: string): string | undefined {
  const [, quoted, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag) ?? [];
  return quoted ?? single;
}

/** `x:` of `<x:row>`; empty where there is none. */
export function prefixOf(tag: string): string {
  return /^<\/?([^\s/>:]+:)/.exec(tag)?.[1] ?? '';
}

/** A tag with an attribute of that value; one that it did not have stands behind the name. */
export function withAttribute(tag: string, name: string, value: string): string {
  const there = new RegExp(`(\\s${name}\\s*=\\s*)(?:"[^"]*"|'[^']*')`);
  if (there.test(tag)) return tag.replace(there, (_, before: string) => `${before}"${value}"`);
  return tag.replace(/^<[^\s/>]+/, (begin) => `${begin} ${name}="${value}"`);
}

export function withoutAttribute(tag: string, name: string): string {
  return tag.replace(new RegExp(`\\s${name}\\s*=\\s*(?:"[^"]*"|'[^']*')`), '');
}

/** Whether an attribute of a workbook is true; a missing one is false. */
export function isTrue(attribute: string | undefined): boolean {
  return attribute === '1' || attribute === 'true';
}

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

  hear(text: string): void {
    if (this.#isOpen) this.text += text;
  }
}

/** A character that XML cannot hold is written as `_x000B_`. */
export function unescapedText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
