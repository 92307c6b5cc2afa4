import { present } from '../core/objects.ts';
import type { Kind } from './kind.ts';
import { type CellIssue, identifierDamage } from './mend.ts';
import { type NumberReading, readSpreadsheetNumber } from './spreadsheet-number.ts';

/** A telephone number as it is dialled from abroad, or at home. */
const PHONE_DIGITS = /^[0-9]{8,15}$/;

export const phone = {
  damage: identifierDamage((text, numbers) => {
    const number = readSpreadsheetNumber(text);
    const digits = number?.digits ?? text;
    if (PHONE_DIGITS.test(digits)) return digitsIssue(number, digits, numbers?.dialled(digits));
    return number?.kind === 'scientific_notation' ? { kind: number.kind } : undefined;
  }),
} as const satisfies Kind;

const DIGITS = /^[1-9][0-9]*$/;

export const postcode = {
  damage: identifierDamage((text, numbers) => {
    const number = readSpreadsheetNumber(text);
    const digits = number?.digits ?? text;
    return DIGITS.test(digits) ? digitsIssue(number, digits, numbers?.postcode(digits)) : undefined;
  }),
} as const satisfies Kind;

/** @param meant the digits with the zero that was dropped; undefined where nobody can say. */
function digitsIssue(
  number: NumberReading | undefined,
  digits: string,
  meant: string | undefined,
): CellIssue | undefined {
  if (number === undefined && (meant === undefined || meant === digits)) return undefined;
  return { kind: number?.kind ?? 'lost_zero', ...present({ repaired: meant }) };
}
