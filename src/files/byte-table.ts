import { invariant } from '../core/errors.ts';
import type { NamedEncoding } from '../core/format.ts';

/** What each byte of an encoding means, both ways: unlike in iconv-lite, each byte of a file comes back. */
export interface ByteTable {
  /** By their bytes; undefined for a byte that is no character. */
  readonly characters: readonly (string | undefined)[];
  readonly bytes: ReadonlyMap<string, number>;
}

const loaded = new Map<string, ByteTable>();

/** Reads the table, with the library that has them all: hardly any run needs it. */
export async function loadByteTable(encoding: NamedEncoding): Promise<void> {
  if (loaded.has(encoding)) return;
  const { default: iconv } = await import('iconv-lite');
  const characters = Array.from({ length: 256 }, (_, byte) => {
    const character = OWN[encoding]?.[byte] ?? iconv.decode(Buffer.from([byte]), encoding);
    if (character !== NO_CHARACTER) return character;
    return isControl(byte) ? String.fromCharCode(byte) : undefined;
  });
  const bytes = new Map(
    characters.flatMap((character, byte) => (character === undefined ? [] : [[character, byte] as const])),
  );
  loaded.set(encoding, { characters, bytes });
}

const NO_CHARACTER = '\uFFFD';

/** The library has the Mac's characters as they were before the euro, and not the apple. */
const OWN: { readonly [Name in NamedEncoding]?: Readonly<Record<number, string>> } = {
  macintosh: { 189: '\u03A9', 219: '€', 240: '\uF8FF' },
};

/** What Windows leaves undefined there stands for control characters, as in the WHATWG's tables. */
const isControl = (byte: number): boolean => byte >= 0x80 && byte < 0xa0;

export function byteTable(encoding: NamedEncoding): ByteTable {
  const table = loaded.get(encoding);
  invariant(table, `the table of ${encoding} is loaded before a text is read by it`);
  return table;
}
