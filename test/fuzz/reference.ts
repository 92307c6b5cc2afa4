import type { InputRow } from '../../src/core/row.ts';

/**
 * A second reader of delimited text that shares nothing with the one of the product: slow, whole files only, a character
 * at a time. Where both read a file they must read the same, and neither may refuse what the other reads.
 */

/** Records with the number that a spreadsheet shows for them; the header is the first. */
export type Records = readonly InputRow[];

/** Undefined when quotes do not stand as they must. @param text without byte-order mark. */
export function recordsOf(text: string, delimiter: string): Records | undefined {
  const records: InputRow[] = [];
  let at = 0;
  for (let row = 1; at < text.length; row += 1) {
    const record = lineEndAt(text, at) > 0 ? { cells: [], end: at } : recordAt(text, at, delimiter);
    if (record === undefined) return undefined;
    const lineEnd = lineEndAt(text, record.end);
    if (lineEnd === 0 && record.end < text.length) return undefined;
    if (record.cells.length > 0) records.push({ row, cells: record.cells });
    at = record.end + lineEnd;
  }
  return records;
}

/** The cells from here to where no delimiter follows. */
function recordAt(
  text: string,
  start: number,
  delimiter: string,
): { readonly cells: readonly string[]; readonly end: number } | undefined {
  const cells: string[] = [];
  for (let at = start; ; at += 1) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, delimiter);
    if (cell === undefined) return undefined;
    cells.push(cell.says);
    at = cell.end;
    if (text[at] !== delimiter) return { cells, end: at };
  }
}

interface Cell {
  readonly says: string;
  readonly end: number;
}

function quotedCell(text: string, start: number): Cell | undefined {
  let says = '';
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] !== '"') says += text[at];
    else if (text[at + 1] === '"') {
      says += '"';
      at += 1;
    } else return { says, end: at + 1 };
  }
  return undefined;
}

/** A quote within it is a character, as Excel reads it. */
function plainCell(text: string, start: number, delimiter: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== delimiter && lineEndAt(text, end) === 0) end += 1;
  return { says: text.slice(start, end), end };
}

function lineEndAt(text: string, at: number): number {
  if (text[at] === '\r') return text[at + 1] === '\n' ? 2 : 1;
  return text[at] === '\n' ? 1 : 0;
}
