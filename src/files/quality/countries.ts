import { stop } from '../../core/errors.ts';
import { foreignName } from '../../core/plain-text.ts';
import type { Reading } from '../../core/reading.ts';

/**
 * How telephone numbers and postcodes are written in a country. The same digits are another number in another
 * one, so without a country nothing of them is repaired. libphonenumber is loaded where a country is said.
 */

export interface Numbers {
  /** A telephone number with the zero that was dropped in front; undefined for digits that are none there. */
  dialled(digits: string): string | undefined;
  /** A postcode with the zero that was dropped, where one was. */
  postcode(digits: string): string;
}

/** How many digits the postcodes have of countries in which some begin with a zero. */
const POSTCODE_DIGITS: Readonly<Record<string, number>> = {
  AU: 4,
  DE: 5,
  ES: 5,
  FI: 5,
  FR: 5,
  IT: 5,
  KR: 5,
  MX: 5,
  MY: 5,
  NO: 4,
  NZ: 4,
  TR: 5,
  US: 5,
  CN: 6,
  JP: 7,
  SG: 6,
};

/** Undefined where nobody said whose numbers they are. @throws StopError `usage` for what is no country. */
export async function numbersAsRead({ country: code = '' }: Reading): Promise<Numbers | undefined> {
  if (code === '') return undefined;
  const { isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  const country = code.toUpperCase();
  if (!isSupportedCountry(country)) {
    const next = 'Give the two letters of a country, such as AU.';
    throw stop('usage', `${foreignName(code)} is not a country.`, next);
  }
  return {
    dialled(digits) {
      const number = parsePhoneNumberFromString(digits, country);
      if (number?.isValid() !== true) return undefined;
      const national = number.formatNational().replaceAll(/\D/g, '');
      return national === `0${digits}` ? national : digits;
    },
    postcode: (digits) => (digits.length + 1 === POSTCODE_DIGITS[country] ? `0${digits}` : digits),
  };
}
