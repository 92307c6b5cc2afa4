import { localName, type XmlAttributes, type XmlListener, XmlReader } from './xml.ts';

/** XML with the places of its tags, so that all but the altered ones stays the same to the byte. */

/** Where a tag begins, and the place behind its end, counted in characters of the part. */
export interface Tag {
  readonly start: number;
  readonly end: number;
}

export interface PlacedListener {
  opened(name: string, attributes: XmlAttributes, tag: Tag): void;
  closed(name: string, tag: Tag): void;
  text(text: string): void;
}

/** Reads a part in pieces, and keeps its text until it is let go. */
export class PlacedXml {
  readonly #xml: XmlReader;
  /** The text that is kept, and the place of its first character. */
  #kept = '';
  #from = 0;

  constructor(listener: PlacedListener) {
    const placed: XmlListener = {
      opened: (name, attributes) => listener.opened(name, attributes, this.#tag()),
      closed: (name) => listener.closed(name, this.#tag()),
      text: (text) => listener.text(text),
    };
    this.#xml = new XmlReader(placed);
  }

  write(chunk: string): void {
    this.#kept += chunk;
    this.#xml.write(chunk);
  }

  end(): void {
    this.#xml.end();
  }

  /** The place behind all that was written. */
  get length(): number {
    return this.#from + this.#kept.length;
  }

  slice(start: number, end: number): string {
    return this.#kept.slice(start - this.#from, end - this.#from);
  }

  /** @param place what stands before it is not asked for any more. */
  letGo(place: number): void {
    this.#kept = this.#kept.slice(place - this.#from);
    this.#from = place;
  }

  /** The tag that was just read. None holds a `<` but at its beginning. */
  #tag(): Tag {
    const end = this.#xml.position;
    return { start: this.#kept.lastIndexOf('<', end - 1 - this.#from) + this.#from, end };
  }
}

// ----------------------------------------------------------------------------------------------------- small parts

export interface Element {
  readonly name: string;
  /** The names of the elements around it, the outermost first. */
  readonly path: readonly string[];
  readonly attributes: XmlAttributes;
  readonly open: Tag;
  /** The tag that closes it, which is the same where it has no content. */
  readonly close: Tag;
  readonly text: string;
}

/** The elements of a part, in the order in which they begin. @throws Error with a clause, where it is not well-formed. */
export function elementsOf(xml: string): readonly Element[] {
  interface Open {
    readonly at: number;
    readonly name: string;
    text: string;
  }
  const found: Element[] = [];
  const around: Open[] = [];
  const reader = new PlacedXml({
    opened(name, attributes, open) {
      around.push({ at: found.length, name, text: '' });
      const path = around.slice(0, -1).map((each) => each.name);
      found.push({ name, path, attributes, open, close: open, text: '' });
    },
    closed(_name, close) {
      const { at, text } = around.pop() ?? { at: -1, text: '' };
      const element = found[at];
      if (element !== undefined) found[at] = { ...element, close, text };
    },
    text(text) {
      const inner = around.at(-1);
      if (inner !== undefined) inner.text += text;
    },
  });
  reader.write(xml);
  reader.end();
  return found;
}

/** What stands between two places from now on. */
export interface Patch extends Tag {
  readonly text: string;
}

/** @param patches in any order; of two at the same place the first comes first. */
export function patched(xml: string, patches: readonly Patch[]): string {
  let text = '';
  let at = 0;
  for (const patch of patches.toSorted((one, other) => one.start - other.start)) {
    text += xml.slice(at, patch.start) + patch.text;
    at = patch.end;
  }
  return text + xml.slice(at);
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

/** The tag's name as it is written, with the prefix of a namespace. */
export function writtenName(tag: string): string {
  return /^<\/?([^\s/>]+)/.exec(tag)?.[1] ?? '';
}

/** `x:` of `x:row`; empty where there is none. */
export function prefixOf(tag: string): string {
  const name = writtenName(tag);
  return name.slice(0, name.length - localName(name).length);
}

export function tagPatch(
  xml: string,
  { open }: Pick<Element, 'open'>,
  change: (tag: string) => string,
): Patch {
  return { ...open, text: change(xml.slice(open.start, open.end)) };
}

/** Puts more content behind the last of an element. One without content gets a closing tag. */
export function appendPatch(xml: string, { open, close }: Element, content: string): Patch {
  if (open.start !== close.start) return { start: close.start, end: close.start, text: content };
  const tag = xml.slice(open.start, open.end);
  return { ...open, text: `${tag.replace(/\s*\/>$/, '>')}${content}</${writtenName(tag)}>` };
}
