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

/** Far above a cell of 32,767 characters, all escaped; what is longer is no workbook of any program. */
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
  /** The pieces of text that are kept, and the place of their first character. */
  #pieces: string[] = [];
  #from = 0;
  /** The place behind all that was written. */
  length = 0;
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
    if (this.#keeps) this.#pieces.push(chunk);
    this.length += chunk.length;
    this.#parser.write(chunk);
    if (this.#pending > MOST_PENDING) fail('a text or a tag is longer than any can be');
  }

  /** @throws Error when the text ends in the middle of something. */
  end(): void {
    this.#parser.on('error', () => fail('it is cut off'));
    this.#parser.close();
  }

  /** The place up to which it was read: behind the tag that was just read. */
  get position(): number {
    return this.#parser.position;
  }

  /** The tag that was just read. None holds a `<` but at its beginning. */
  get tag(): Place {
    const end = this.#parser.position;
    let from = this.length;
    for (let at = this.#pieces.length - 1; at >= 0; at -= 1) {
      const piece = this.#pieces[at] ?? '';
      from -= piece.length;
      const start = from < end ? piece.lastIndexOf('<', end - 1 - from) : -1;
      if (start !== -1) return { start: from + start, end };
    }
    return { start: this.#from, end };
  }

  slice({ start, end }: Place): string {
    let text = '';
    let from = this.#from;
    for (const piece of this.#pieces) {
      if (from >= end) break;
      if (from + piece.length > start) text += piece.slice(Math.max(0, start - from), end - from);
      from += piece.length;
    }
    return text;
  }

  /** Takes the text up to a place, with patches; what stands before it is not asked for any more. */
  take(end: number, patches: readonly Patch[]): string {
    const all = this.slice({ start: this.#from, end: this.length });
    const text = withPatches(all.slice(0, end - this.#from), patches, this.#from);
    this.#pieces = [all.slice(end - this.#from)];
    this.#from = end;
    return text;
  }
}

/** The text that replaces a place. If two patches have the same place, the first comes first. */
export interface Patch extends Place {
  readonly text: string;
}

/** @param from the place of the first character of the text. */
function withPatches(text: string, patches: readonly Patch[], from: number): string {
  const parts: string[] = [];
  let at = from;
  for (const patch of patches.toSorted((one, other) => one.start - other.start)) {
    parts.push(text.slice(at - from, patch.start - from), patch.text);
    at = patch.end;
  }
  return parts.join('') + text.slice(at - from);
}

/** An element of a small part, with its tags as they are written; one tag for both where it is empty. */
export interface PartElement {
  /** Without a prefix. */
  readonly name: string;
  readonly attributes: XmlAttributes;
  readonly open: Place;
  readonly close: Place;
  readonly tag: string;
}

/**
 * A small part with patches for its elements. Every other character stays as it was.
 * @throws Error with a clause, where it is not well-formed.
 */
export function patchedXml(
  xml: string,
  patchesOf: (element: PartElement, textAt: (place: Place) => string) => readonly Patch[],
): string {
  const opened: Omit<PartElement, 'close'>[] = [];
  const patches: Patch[] = [];
  const textAt = ({ start, end }: Place): string => xml.slice(start, end);
  const reader = new XmlReader(
    {
      opened(name, attributes) {
        const open = reader.tag;
        opened.push({ name, attributes, open, tag: textAt(open) });
      },
      closed() {
        const element = opened.pop();
        if (element !== undefined) patches.push(...patchesOf({ ...element, close: reader.tag }, textAt));
      },
    },
    { keeps: true },
  );
  for (let at = 0; at < xml.length; at += CHARACTERS_AT_ONCE)
    reader.write(xml.slice(at, at + CHARACTERS_AT_ONCE));
  reader.end();
  return withPatches(xml, patches, 0);
}

/** As many as are unpacked at once. */
const CHARACTERS_AT_ONCE = 64 * 1024;

function fail(clause: string): never {
  throw new Error(clause);
}

export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
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

  addText(text: string): void {
    if (this.#isOpen) this.text += text;
  }
}

/** A character that XML cannot hold is written as `_x000B_`. */
export function unescapedText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
