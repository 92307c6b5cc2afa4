/**
 * A leading apostrophe tells a spreadsheet program that the cell is text; exports keep it. No identifier
 * begins with one.
 */
const TEXT_MARKS = /^(?:'\s*)+/;

/**
 * A formula that shows nothing but a text: `="51824753556"` keeps a spreadsheet from turning it into a
 * number.
 */
const SHOWN_TEXT = /^="(?<text>(?:[^"]|"")*)"$/;

/**
 * The meaning of a cell: without the blanks around it, and without the apostrophe or formula that marks it as
 * text.
 */
export function withoutTextMark(cell: string): string {
  const text = cell.trim();
  // Nearly every cell begins with neither, so it is returned at once.
  if (!text.startsWith("'") && !text.startsWith('=')) return text;
  return withoutApostrophes((shownText(text) ?? text).trim());
}

export const withoutApostrophes = (text: string): string => text.replace(TEXT_MARKS, '');

/**
 * The text that a spreadsheet shows for a formula that is nothing but a text; undefined for any other cell.
 */
export function shownText(cell: string): string | undefined {
  return SHOWN_TEXT.exec(cell.trim())?.groups?.text?.replaceAll('""', '"');
}
