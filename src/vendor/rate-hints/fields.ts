/** One member of a list in a header, such as `"burst";q=100;w=60` or `limit=100`. */
export interface Item {
  /** Without quotes. */
  readonly value: string;
  /** Names in lower case, values without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Reads a list in the syntax of structured fields (RFC 9651), and what vendors write instead of it: blanks where none
 * belong, names without quotes. Never throws: what is no list has members that nobody can use.
 */
export function itemsIn(header: string): readonly Item[] {
  return split(header, ',').map((member) => {
    const [value = '', ...parameters] = split(member, ';');
    return { value: unquoted(value), parameters: new Map(parameters.map(pair)) };
  });
}

/** `limit=100` as a name and its value. */
export function pair(text: string): readonly [string, string] {
  const [name = '', ...value] = split(text, '=');
  return [name.trim().toLowerCase(), unquoted(value.join('='))];
}

/** Splits at the separators that do not stand between quotes. */
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
