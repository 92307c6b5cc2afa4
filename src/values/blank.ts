import type { JsonValue } from '../core/operation.ts';
import { withoutTextMark } from './cell-text.ts';

const NOTHING = /^(?:\\n|null|nil|none|nan|<?n\/?a>?|n\.a\.?|undefined|\(?blank\)?|[-\u2013\u2014]+)?$/i;

/** Whether a text has nothing in it but a word that databases, R and people write where they have nothing. */
export const isBlankText = (text: string): boolean => NOTHING.test(text.trim());

/** Whether a cell of any column is blank: it has no text, or a word for nothing. */
export const isBlankCell = (cell: string): boolean => isBlankText(withoutTextMark(cell));

/** Zeros alone are a value, and nobody's number. */
const ZEROS = /^0+(?:\.0+)?$/;

/**
 * The text of a cell for an identifier or a role: empty where the cell is blank, or has only zeros.
 */
export function identifierText(cell: string): string {
  const text = withoutTextMark(cell);
  return isBlankText(text) || ZEROS.test(text) ? '' : text;
}

/** Whether no value is there in an answer, or a word for none. A zero is a value. */
export function holdsNothing(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === 'object') return Object.values(value).every(holdsNothing);
  return isBlankText(String(value));
}
