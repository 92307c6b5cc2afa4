/** One member of a list in a header, such as `"burst";q=100;w=60` or `limit=100`. */
export interface Item {
  /** The value without quotes. */
  readonly value: string;
  /** Parameters with names in lower case and values without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Reads a list in the syntax of structured fields (RFC 9651), and what vendors write instead of it: blanks in wrong
 * places, names without quotes. It never throws: text that is no list gives members without meaning.
 */
export function itemsIn(header: string): readonly Item[] {
  return split(header, ',').map((member) => {
    const [value = '', ...parameters] = split(member, ';');
    return { value: unquoted(value), parameters: new Map(parameters.map(pair)) };
  });
}

/** Splits `limit=100` into a name and its value. */
export function pair(text: string): readonly [string, string] {
  const [name = '', ...value] = split(text, '=');
  return [name.trim().toLowerCase(), unquoted(value.join('='))];
}

/** Splits at separators outside of quotes. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === separator) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

function unquoted(text: string): string {
  const bare = text.trim();
  return /^".*"$/.test(bare) ? bare.slice(1, -1).replaceAll(/\\(.)/g, '$1') : bare;
}
