/** The little of XML that a workbook's parts need, in pieces as they are unpacked. */

export type XmlToken =
  /** `name` is without its namespace's prefix. An element without content is followed by its `close`. */
  | { readonly kind: 'open'; readonly name: string; readonly tag: string }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

/** Far above a cell of 32,767 characters each of which is escaped; what is longer is no workbook of any program. */
const MOST_PENDING = 1024 * 1024;

/** Finds tags and text in what is written to it. @throws Error with a clause, where it is not well-formed. */
class XmlScanner {
  #pending = '';
  /** Names of the elements that are open, the innermost last. */
  readonly #open: string[] = [];

  write(chunk: string): readonly XmlToken[] {
    const tokens: XmlToken[] = [];
    const xml = this.#pending + chunk;
    let at = 0;
    for (let open = xml.indexOf('<'); open !== -1; open = xml.indexOf('<', at)) {
      const end = endOfMarkup(xml, open);
      if (end === undefined) break;
      if (open > at) tokens.push({ kind: 'text', text: unescaped(xml.slice(at, open)) });
      at = end;
      const first = tokens.length;
      addTokens(tokens, xml.slice(open, end));
      for (const token of tokens.slice(first)) this.#nest(token);
    }
    this.#pending = xml.slice(at);
    if (this.#pending.length > MOST_PENDING) throw new Error('a text or a tag is longer than any can be');
    return tokens;
  }

  /** @throws Error when the text ends in the middle of something. */
  end(): void {
    if (this.#pending.trim() !== '' || this.#open.length > 0) throw new Error('it is cut off');
  }

  /** A row that ends twice would be told of twice, and one that never begins not at all. */
  #nest(token: XmlToken): void {
    if (token.kind === 'open') this.#open.push(token.name);
    else if (token.kind === 'close' && this.#open.pop() !== token.name) {
      throw new Error(`an element ${JSON.stringify(token.name)} ends that is not open`);
    }
  }
}

/** The tokens of a part, in groups as it is unpacked. @throws Error with a clause, where it is not well-formed. */
export async function* tokensOf(
  chunks: AsyncIterable<string>,
): AsyncGenerator<readonly XmlToken[], void, undefined> {
  const scanner = new XmlScanner();
  for await (const chunk of chunks) yield scanner.write(chunk);
  scanner.end();
}

/** Quotes may hold a `>`; the parts of the pattern begin with different characters, so it never goes back. */
const TAG = /<[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*>/y;

const SECTIONS = [
  { begin: '<!--', end: '-->' },
  { begin: '<![CDATA[', end: ']]>' },
  { begin: '<?', end: '?>' },
] as const;

/** Where the markup that opens there ends; undefined when more must be read to know. */
function endOfMarkup(xml: string, open: number): number | undefined {
  const mark = xml.charCodeAt(open + 1);
  if (mark === EXCLAMATION || mark === QUESTION) {
    const section = SECTIONS.find(({ begin }) => xml.startsWith(begin, open));
    if (section !== undefined) {
      const end = xml.indexOf(section.end, open + section.begin.length);
      return end === -1 ? undefined : end + section.end.length;
    }
    // A document type could define texts that grow without end, and no workbook has one.
    if (/^<![A-Z]{4}/.test(xml.slice(open, open + 6))) throw new Error('it has a document type');
    return undefined;
  }
  TAG.lastIndex = open;
  return TAG.test(xml) ? TAG.lastIndex : undefined;
}

const EXCLAMATION = 0x21;
const QUESTION = 0x3f;

const NAME = /^<(\/?)(?:[^\s:/>]+:)?([^\s/>]+)/;

function addTokens(tokens: XmlToken[], markup: string): void {
  if (markup.startsWith('<![')) {
    tokens.push({ kind: 'text', text: markup.slice('<![CDATA['.length, -']]>'.length) });
    return;
  }
  const [, slash, name] = NAME.exec(markup) ?? [];
  if (name === undefined) throw new Error('a tag has no name');
  if (markup.startsWith('<!') || markup.startsWith('<?')) return;
  if (slash === '') tokens.push({ kind: 'open', name, tag: markup });
  if (slash === '/' || markup.endsWith('/>')) tokens.push({ kind: 'close', name });
}

const ATTRIBUTES = /(?:[^\s:="'<>/]+:)?([^\s:="'<>/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** The attributes of an opening tag, by their names without prefix. */
export function attributesOf(tag: string): ReadonlyMap<string, string> {
  if (!tag.includes('=')) return NO_ATTRIBUTES;
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single] of tag.matchAll(ATTRIBUTES)) {
    attributes.set(name, unescaped(double ?? single ?? ''));
  }
  return attributes;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(xml: string): string {
  const text = xml.includes('\r') ? xml.replaceAll(/\r\n?/g, '\n') : xml;
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}
