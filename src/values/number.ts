import type { Kind } from './kind.ts';
import { withoutLabel } from './labels.ts';
import { type Damage, damageOf, ENCODING, identifierDamage, type Mend, QUOTES } from './mend.ts';
import {
  BLANK,
  identifierReader,
  isUsable,
  type ReadAs,
  type ReadTerms,
  unusable,
  usable,
} from './reading.ts';
import { readSpreadsheetNumber } from './spreadsheet-number.ts';

/**
 * Numbers of registers.
 *
 * The Australian Business Number: eleven digits; the first two are a checksum. It is checked before anything
 * is paid for, because a mistyped number buys nothing or, worse, another company's data.
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

/**
 * Registers write the standing of a number behind it: `51 824 753 556 (Active)`, `… Active from 1 Jul 2000`.
 */
const STANDING =
  /\s*(?:\([^()\d]*\)|[-–—,|]?\s*(?:active|registered|cancelled)(?:\s+(?:from|since)\s.*)?)$/iu;

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
function readAbn(text: string, { acnIn = [] }: ReadTerms = {}): ReadAs {
  // Compatibility forms first: full-width digits and letters become plain ones.
  const trimmed = text.normalize('NFKC').trim();
  const number = withoutLabel('abn', trimmed).replace(STANDING, '').trim();
  const digits = number.replace(SEPARATORS, '');
  if (/^0*$/.test(digits)) return BLANK;
  const problem = problemOf(digits);
  if (problem === undefined) return usable(digits);
  if (ROUNDED.test(number)) return unusable('rounded_by_spreadsheet', number);
  const beside = besideAcn(number);
  if (beside !== undefined) return usable(beside);
  if (readAcn(trimmed, acnIn.includes('abn')) !== undefined) return unusable('acn_for_abn');
  return DIALLED.test(digits) ? unusable('phone_for_abn') : problem;
}

/** A telephone number of Australia, with the code of the country or of an area. No ABN begins so. */
const DIALLED = /^(?:\+61|0)[2-478]\d{8}$/;

/** `51 824 753 556`, the official spelling. Text that has not exactly 11 digits comes back as it is. */
export function formatAbn(digits: string): string {
  return digits.replace(/^(\d{2})(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4');
}

function problemOf(digits: string): ReadAs | undefined {
  if (/\p{L}/u.test(digits)) return unusable('contains_letters');
  const foreign = /[^0-9]/u.exec(digits)?.[0];
  if (foreign !== undefined) return unusable('contains_sign', foreign);
  if (digits.length !== DIGITS) return unusable('wrong_length', `${digits.length}`);
  // The two check digits run from 10 to 99. The sum alone would let some numbers that start with 0 pass.
  if (digits.startsWith('0')) return unusable('leading_zero');
  if (checksumHolds(digits)) return undefined;
  return unusable(isRounded(digits) ? 'rounded' : 'checksum_fails');
}

/**
 * A spreadsheet that shows six digits of a number saves no more of them: `51824800000`. The other digits are
 * lost.
 */
function isRounded(digits: string): boolean {
  return digits.length === DIGITS && digits.endsWith('00000');
}

/** Words that stand beside the two numbers of a company, on letterheads. */
const BESIDE = /A\.?[BC]\.?N\.?|\b(?:no|number|and)\b|[^\p{L}\d]/giu;

/**
 * The ABN of a cell that has it and its own ACN, in either order; undefined for any other cell. Two numbers
 * belong to two companies unless one ends with the other.
 */
function besideAcn(text: string): string | undefined {
  const digits = text.replace(BESIDE, '');
  if (digits.length !== DIGITS + ACN_DIGITS || !/^\d+$/.test(digits)) return undefined;
  const pairs = [
    [digits.slice(0, DIGITS), digits.slice(DIGITS)],
    [digits.slice(ACN_DIGITS), digits.slice(0, ACN_DIGITS)],
  ] as const;
  return pairs.find(([abn, acn]) => abn.endsWith(acn) && problemOf(abn) === undefined)?.[0];
}

/** A spreadsheet takes the zeros at the beginning of a number away, and an ACN may have two. */
const FEWEST_ACN_DIGITS = 7;

/**
 * The digits of an Australian Company Number; the last one is a checksum; undefined for any other text. With
 * fewer than nine digits it is one only behind the word, or below it.
 */
function readAcn(text: string, isBelow: boolean): string | undefined {
  const bare = withoutLabel('acn', text);
  const digits = bare.replace(SEPARATORS, '');
  const fewest = isBelow || bare !== text ? FEWEST_ACN_DIGITS : ACN_DIGITS;
  if (!/^\d{7,9}$/.test(digits) || digits.length < fewest) return undefined;
  const whole = digits.padStart(ACN_DIGITS, '0');
  const sum = [...whole.slice(0, -1)].reduce((total, digit, place) => total + Number(digit) * (8 - place), 0);
  return (10 - (sum % 10)) % 10 === Number(whole.at(-1)) ? whole : undefined;
}

function checksumHolds(digits: string): boolean {
  const sum = WEIGHTS.reduce((total, weight, place) => {
    const digit = Number(digits[place]) - (place === 0 ? 1 : 0);
    return total + weight * digit;
  }, 0);
  return sum % MODULUS === 0;
}

/**
 * Eleven digits at least, or a character that is a number in itself, but not one such as `é`. The digits are
 * counted from the beginning once, and not again from each of them.
 */
const NUMBERS = /^(?:[^0-9]*[0-9]){11}|[\p{N}--[0-9]]/v;

/** What stands between the digits of a number that is written for people, and characters that no one sees. */
const AROUND_DIGITS = /[\s.\-\p{Pd}\p{Cf}]/gu;

const readCell = identifierReader(readAbn, 'abn');
const LABEL: Mend = { kind: 'wrapped_address', mend: (text) => withoutLabel('abn', text) };
const mended = damageOf(readCell, [ENCODING, QUOTES, LABEL, QUOTES]);

const damage: Damage = (text) => {
  const reading = readAbn(text);
  if (reading.kind !== 'unusable' || reading.code === 'phone_for_abn') return undefined;
  const bare = withoutLabel('abn', text);
  const number = readSpreadsheetNumber(bare);
  if (number !== undefined) {
    const { kind, digits = '' } = number;
    if (isUsable(readAbn(digits))) return { kind, repaired: digits };
    if (kind === 'scientific_notation') return { kind };
  }
  const issue = mended(text);
  if (issue !== undefined) return issue;
  const digits = (number?.digits ?? bare).replace(AROUND_DIGITS, '');
  if (!/^[0-9]{10,11}$/.test(digits)) return undefined;
  if (isRounded(digits)) return { kind: 'rounded' };
  return { kind: digits.length === 10 ? 'lost_digit' : 'mistyped' };
};

/**
 * The numbers that a cell may have been before it lost one digit, in the spelling of the cell: each digit at
 * each place; about one in 89 passes the checksum. Where one alone does, that is what was meant; which of
 * several was meant, only a person can say. None for a cell that has not lost exactly one digit.
 */
export function lostDigitChoices(cell: string): readonly string[] {
  if (abn.damage(cell)?.kind !== 'lost_digit') return [];
  const digits = cell.normalize('NFKC').replaceAll(/[^0-9]/g, '');
  const choices = new Set<string>();
  for (let place = 0; place <= digits.length; place += 1)
    for (let digit = 0; digit < 10; digit += 1)
      choices.add(`${digits.slice(0, place)}${digit}${digits.slice(place)}`);
  const isGrouped = /[0-9] [0-9]/.test(cell);
  return [...choices]
    .filter((each) => problemOf(each) === undefined)
    .map((each) => (isGrouped ? formatAbn(each) : each));
}

export const abn = {
  read: readCell,
  looksRight: (cell) => NUMBERS.test(cell) && isUsable(readCell(cell)),
  damage: identifierDamage(damage),
} as const satisfies Kind;

/** The number of a company in a register: capitals and digits without the signs between them. */
export const registerNumber = {
  read: identifierReader((text, { acnIn = [] } = {}) => {
    const isAcn = acnIn.includes('number') || withoutLabel('acn', text) !== text;
    const acn = isAcn ? readAcn(text.normalize('NFKC'), true) : undefined;
    if (acn !== undefined) return usable(acn);
    const bare = withoutLabel('number', text);
    const number = bare.toUpperCase().replaceAll(/[\s.\-/]/gu, '');
    return /^(?=.*[1-9])[A-Z\d]{4,30}$/.test(number) ? usable(number) : unusable('not_a_register_number');
  }, 'number'),
} as const satisfies Kind;

/** The ACN in a cell of ABNs, as lists have it that call their column `ABN/ACN`. */
export const acn = {
  read: identifierReader((text, { acnIn = [] } = {}) => {
    const digits = readAcn(text.normalize('NFKC').trim(), acnIn.includes('abn'));
    return digits === undefined ? unusable('not_an_acn') : usable(digits);
  }, 'abn'),
} as const satisfies Kind;
