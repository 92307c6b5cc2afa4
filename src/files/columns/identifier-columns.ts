import { readAbn } from '../../operations/lookup/abn.ts';

/**
 * Which cells of a spreadsheet are names made of digits, and no numbers to reckon with: in a workbook they are text, or
 * the spreadsheet would drop their leading zeros and shorten the long ones to `5.18E+10`.
 */

/** Words of a column's name that say so. */
const WORDS = /(?:^|[^a-z])(?:abn|acn|arbn|nzbn|tfn|bsb|gtin|iban|id|sku|tel|cell|zip)(?:[^a-z]|$)/i;

/** The same within another word as well, such as `Telephone`. */
const PARTS_OF_WORDS = /phone|mobile|fax|postcode|post code|postal|zipcode|account n/i;

/** Positions of such columns in a header. */
export function identifierColumns(header: readonly string[]): ReadonlySet<number> {
  return new Set(
    header.flatMap((name, index) => {
      const words = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_\-./]+/g, ' ');
      return WORDS.test(words) || PARTS_OF_WORDS.test(words) ? [index] : [];
    }),
  );
}

/** Whether a number is surely one by itself, whatever its column is called. */
export function isIdentifier(digits: string): boolean {
  return digits.length === 11 && readAbn(digits).kind === 'usable';
}
