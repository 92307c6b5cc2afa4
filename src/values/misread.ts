/**
 * Text that was written as UTF-8 and read as Windows-1252: `CafÃ©` for `Café`. Undone only where nothing else
 * can be meant, because a name that is spelled in a way that we do not expect is no damage.
 */

/** Bytes 0x80 to 0xFF as Windows-1252 shows them, by their character. */
const BYTE_OF: ReadonlyMap<string, number> = new Map(
  [...new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 128 }, (_, at) => 128 + at))].map(
    (character, at) => [character, 128 + at] as const,
  ),
);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * What gives it away: the first half of a Latin letter followed by a second half, or the beginning of a
 * typographic mark. After a capital such as in "IRMÃ®" the pair may be two characters that were meant, and
 * what commonly follows a word (…, quotation marks, dashes, ™) is no second half at all.
 */
const EVIDENCE =
  /(?<!\p{Lu})(?:Ã[\u00a0-\u00bf]|Â[\u00a0-\u00bf])|Ã[€\u0081‚ƒ„†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090˜š›œ\u009džŸ]|â€|â‚¬|â„¢/u;

/** The text as it was before it was misread, once or more; the same text when that is not sure. */
export function withoutMojibake(text: string): string {
  let mended: string | undefined = text;
  while (mended !== undefined && EVIDENCE.test(mended)) mended = readAgain(mended);
  return mended ?? text;
}

/**
 * Undefined when the text cannot have been UTF-8: a character of it has no byte, or its bytes do not fit
 * together.
 */
function readAgain(text: string): string | undefined {
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const byte = code < 128 ? code : BYTE_OF.get(character);
    if (byte === undefined) return undefined;
    bytes.push(byte);
  }
  try {
    return utf8.decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}
