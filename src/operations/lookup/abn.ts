import type { Normalised } from '../../core/operation.ts';

/**
 * The Australian Business Number: eleven digits, the first two of which are a checksum. It is checked before
 * anything is paid for, because a mistyped number buys nothing or, worse, another company's data.
 */

const DIGITS = 11;

/**
 * The length of an Australian Company Number. The ABN of a company ends with its ACN, but the digits before
 * it cannot be computed from it.
 */
const ACN_DIGITS = 9;

/**
 * Published by the Australian Business Register: after 1 is taken from the first digit, the sum divides by
 * 89.
 */
const WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19] as const;
const MODULUS = 89;

/** People write this before the number. It is never part of it. */
const LABEL = /^A\.?B\.?N(?!\p{L})\.?:?(?:\s*(?:no|number)(?!\p{L})\.?:?)?/iu;

/** Registers write the standing of a number behind it: `51 824 753 556 (Active)`. */
const STANDING = /\s*\([^()\d]*\)$/u;

/**
 * White space and invisible characters of any kind, dots, and the dashes and minus signs that editors put for
 * "-".
 */
const SEPARATORS = /[\p{White_Space}\p{Cf}.\-\u2010-\u2015\u2212]/gu;

/**
 * A spreadsheet shows a number like this in a narrow column. The digits that it leaves out are lost for good.
 */
const ROUNDED = /^\d(?:[.,]\d+)?E\+?\d+$/i;

/**
 * Reads an ABN in any spelling: `51 824 753 556`, `51-824-753-556`, `ABN: 51824753556`; a cell without digits
 * or letters is blank. Total and pure.
 */
export function readAbn(text: string): Normalised {
  // Compatibility forms first: full-width digits and letters become plain ones.
  const trimmed = text.normalize('NFKC').trim();
  const number = trimmed.replace(LABEL, '').replace(STANDING, '').trim();
  const digits = number.replace(SEPARATORS, '');
  if (digits === '') return { kind: 'blank' };
  if (ROUNDED.test(number))
    return { kind: 'unusable', problem: `looks like a rounded number from a spreadsheet (${number})` };
  const problem = problemOf(digits);
  return problem === undefined ? { kind: 'usable', value: digits } : { kind: 'unusable', problem };
}

/** `51 824 753 556`, the official spelling. Text that has not exactly 11 digits comes back as it is. */
export function formatAbn(digits: string): string {
  return digits.replace(/^(\d{2})(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4');
}

function problemOf(digits: string): string | undefined {
  if (/\p{L}/u.test(digits)) return 'contains letters';
  const foreign = /[^0-9]/u.exec(digits)?.[0];
  if (foreign !== undefined) return `contains the sign ${foreign}`;
  if (digits.length === ACN_DIGITS)
    return `has ${ACN_DIGITS} digits, as an ACN has, and an ABN has ${DIGITS}, those nine behind two more`;
  if (digits.length !== DIGITS)
    return `has ${digits.length} ${digits.length === 1 ? 'digit' : 'digits'}, an ABN has ${DIGITS}`;
  // The two check digits run from 10 to 99. The sum alone would let some numbers that start with 0 pass.
  if (digits.startsWith('0')) return 'starts with 0, an ABN never does';
  if (checksumHolds(digits)) return undefined;
  return isRounded(digits)
    ? 'ends in zeros and fails the checksum, like a number that a spreadsheet has rounded'
    : 'the checksum fails';
}

/**
 * A spreadsheet that shows six digits of a number saves no more of them: `51824800000`. The other digits are
 * lost.
 */
export function isRounded(digits: string): boolean {
  return digits.length === DIGITS && digits.endsWith('00000');
}

function checksumHolds(digits: string): boolean {
  const sum = WEIGHTS.reduce((total, weight, place) => {
    const digit = Number(digits[place]) - (place === 0 ? 1 : 0);
    return total + weight * digit;
  }, 0);
  return sum % MODULUS === 0;
}
