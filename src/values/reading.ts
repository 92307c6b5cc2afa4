import type { Code } from '../core/cell-problems.ts';
import { identifierText, isMask, isPlaceholder, isSheetError } from './blank.ts';
import type { KindName } from './kind.ts';

/**
 * What a text is, read as a value of one kind: a cell of a list, or what a vendor gave. Each `read` of a kind
 * is total, pure and idempotent: reading its own value changes nothing. Equal values in different spellings
 * become the same text, so they have the same call key, so they are bought once. What no vendor could find is
 * refused here, before it is paid for.
 */

export type ReadAs =
  /** `value`: what is sent and keyed. */
  | { readonly kind: 'usable'; readonly value: string }
  | { readonly kind: 'blank' }
  /** `about`: what the words of the code name, such as the host. */
  | Unusable;

export interface Unusable {
  readonly kind: 'unusable';
  readonly code: Code;
  readonly about?: string;
  /** The text that is judged, where that is more than the cell: a given name with the family name. */
  readonly whole?: string;
}

export const BLANK: ReadAs = { kind: 'blank' };
export const usable = (value: string): ReadAs => ({ kind: 'usable', value });
export const unusable = (code: Code, about?: string): Unusable =>
  about === undefined ? { kind: 'unusable', code } : { kind: 'unusable', code, about };

/** What a job, a dialect and the names of columns say about the values that count. */
export interface ReadTerms {
  /** Hosts of platforms that are companies' own in this list. */
  readonly acceptHosts?: readonly string[];
  /** Addresses of departments and machines are people in this list. */
  readonly roleAddresses?: 'send';
  /** The hosts whose profiles the vendor takes. None: any. */
  readonly profiles?: readonly string[];
  /** The inputs whose columns are called ACN, so that seven digits of one are a number too. */
  readonly acnIn?: readonly string[];
}

export type Read = (text: string, terms?: ReadTerms) => ReadAs;

export const isUsable = ({ kind }: ReadAs): boolean => kind === 'usable';

/**
 * Longer than any address on which browsers agree, and than any cell that is worth mending. The limit also
 * keeps every pattern of this room fast on a cell full of damage.
 */
export const LONGEST_CELL = 2048;

/**
 * What every kind of an identifier refuses before it looks into the text.
 * @param kind decides which words are blank. Left out: only those that are so in every cell.
 */
export function identifierReader(read: Read, kind?: KindName): Read {
  return (cell, terms) => {
    const text = identifierText(cell, kind);
    if (text === '') return isSheetError(cell) ? unusable('formula_error') : BLANK;
    if (text.length > LONGEST_CELL) return unusable('too_long', `${LONGEST_CELL}`);
    if (text.startsWith('#') && isSheetError(text)) return unusable('formula_error');
    const readValue = read(text, terms);
    return readValue.kind === 'unusable' ? (standIn(text) ?? readValue) : readValue;
  };
}

/** What stands in the place of a value, whatever its kind would be; undefined for any other text. */
function standIn(text: string): Unusable | undefined {
  if (isPlaceholder(text)) return unusable('placeholder');
  return isMask(text) ? unusable('masked_value') : undefined;
}
