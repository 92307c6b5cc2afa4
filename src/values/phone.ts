import { present } from '../core/objects.ts';
import type { Kind } from './kind.ts';
import { withoutLabel } from './labels.ts';
import { type CellIssue, identifierDamage } from './mend.ts';
import { identifierReader, type Read, unusable, usable } from './reading.ts';
import { type NumberReading, readSpreadsheetNumber } from './spreadsheet-number.ts';

/** `ext. 12`, `x12`, `#12`, `;ext=136` behind a number, and the words for that elsewhere. */
const EXTENSION =
  /\s*[;,]?\s*(?:ext(?:ension|n)?|x|#|dw|durchwahl|poste|int(?:erno)?|anexo|ramal|доб|內線|内線|分機|分机|转)\s*[:=.]?\s*\p{Nd}{1,8}$/iu;

/** Blanks, brackets, dashes of any kind, dots and slashes, and what no one sees. */
const SIGNS = /[\s()[\]./\-\p{Pd}\u2212\u00B7\p{Cf}]/gu;

/** The shortest are those of emergency lines and networks, the longest have a prefix for dialling abroad. */
const NUMBER = /^\+?\p{Nd}{5,17}$/u;

/**
 * A telephone number in any country's way of writing: 5 to 17 digits, the signs that numbers have, and an
 * extension. Which numbers a country hands out changes too often for anybody to refuse one by that. What is
 * read is the number as it is written, because people dial that.
 */
const read: Read = identifierReader((text) => {
  const plain = withoutLabel('phone', text.normalize('NFKC')).replace(EXTENSION, '');
  const digits = plain.replace(SIGNS, '');
  return NUMBER.test(digits) && !/^\+?0+$/.test(digits) ? usable(text) : unusable('not_a_phone');
});

/** `(0)` behind a country's code is left out from abroad. */
const TRUNK = /^(\+\p{Nd}{1,3}[\s.\p{Pd}-]*)\(0\)/u;

/** A number as it is dialled, so that one number in several ways of writing is one question. */
export const dialledNumber = {
  read: identifierReader((text) => {
    const readNumber = read(text);
    if (readNumber.kind !== 'usable') return readNumber;
    const plain = withoutLabel('phone', readNumber.value.normalize('NFKC')).replace(EXTENSION, '');
    const digits = plain
      .replace(TRUNK, '$1')
      .replace(SIGNS, '')
      .replaceAll(/\p{Nd}/gu, asciiDigit);
    return usable(digits.replace(/^00(?=\d{7})/, '+'));
  }),
} as const satisfies Kind;

/** The same with a country's code in front. */
export const numberAbroad = {
  read: identifierReader((text) => {
    const readNumber = dialledNumber.read(text);
    return readNumber.kind === 'usable' && !readNumber.value.startsWith('+')
      ? unusable('no_country_code')
      : readNumber;
  }),
} as const satisfies Kind;

/** The digits of a script stand in one row, from 0 to 9. */
function asciiDigit(digit: string): string {
  let from = digit.codePointAt(0) ?? 0;
  const codePoint = from;
  while (/\p{Nd}/u.test(String.fromCodePoint(from - 1)) && codePoint - from < 9) from -= 1;
  return String(codePoint - from);
}

/** A telephone number as it is dialled from abroad, or at home. */
const PHONE_DIGITS = /^[0-9]{8,15}$/;

export const phone = {
  read,
  mayStandIn: () => false,
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

/** @param meant the digits with the zero that was dropped; undefined where no one can say. */
function digitsIssue(
  number: NumberReading | undefined,
  digits: string,
  meant: string | undefined,
): CellIssue | undefined {
  if (number === undefined && (meant === undefined || meant === digits)) return undefined;
  return { kind: number?.kind ?? 'lost_zero', ...present({ repaired: meant }) };
}
