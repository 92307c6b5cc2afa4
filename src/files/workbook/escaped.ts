/**
 * Text as it stands in a workbook's XML. What XML cannot hold is written as Excel does, `_x000B_` for a vertical tab; a
 * text that begins like that by itself gets its first character written so, or it would be read as another.
 */
export function escaped(text: string): string {
  return text
    .replaceAll(LOOKS_ESCAPED, '_x005F_')
    .replaceAll(NOT_IN_XML, (character) => `_x${hex(character)}_`)
    .replaceAll(MARKUP, (character) => ENTITIES[character] ?? character);
}

const LOOKS_ESCAPED = /_(?=x[0-9a-f]{4})/gi;

/** Control characters and halves of pairs. Carriage returns are characters of XML, but readers make line feeds of them. */
const NOT_IN_XML = /[\p{Cs}\uFFFE\uFFFF]|[^\P{Cc}\t\n\u007F-\u009F]/gu;

const MARKUP = /[&<>"]/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
}
